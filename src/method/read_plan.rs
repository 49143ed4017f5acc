//! Finding the steps of a plan in a model's text.
//!
//! A step begins at a line that counts it: `1.`, `1)`, `(1)`, `1:`, `Step 1:`, `Final step:`, bold or as a heading too;
//! in a text without any such line, at a bullet. The lines under it belong to it until a blank line; after one, only
//! indented lines do. Everything else is prose and no step. The plan ends where the counting starts again at 1 and
//! where the model goes on to another example (`Statement:`, `Question:`, a table); it begins after the last line
//! `Plan:` that has steps behind it. Fence marks are dropped, and so is what stands in a fence of SQL: code is not part
//! of a step's words.

use super::read_refusal::unread;
use crate::trace::AnswerFailure;

/// One step in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlannedStep {
    /// The words, on one line, without number and emphasis.
    pub(super) description: String,
    /// The model marked it as the last one (`Final step:`).
    pub(super) is_final: bool,
}

/// The steps of a whole plan, at least one. A text cut by the token limit is no plan: its last steps are missing.
pub(super) fn read_plan(text: &str, truncated: bool) -> Result<Vec<PlannedStep>, AnswerFailure> {
    if truncated {
        return Err(AnswerFailure::Truncated);
    }
    let steps: Vec<PlannedStep> = items(text).into_iter().map(|item| item.step).collect();
    if steps.is_empty() {
        return Err(unread(text, "a numbered list of steps"));
    }
    Ok(steps)
}

/// The next step, which the model was asked to count as `number`: the item of that number, or the first item, or the
/// first line of a text without items.
pub(super) fn read_next_step(text: &str, truncated: bool, number: usize) -> Result<PlannedStep, AnswerFailure> {
    let mut found = items(text);
    if truncated {
        // Only the last item can be cut.
        found.pop();
    }
    let chosen = found.iter().position(|item| item.number == Some(number)).unwrap_or(0);
    if chosen < found.len() {
        return Ok(found.swap_remove(chosen).step);
    }
    if truncated {
        return Err(AnswerFailure::Truncated);
    }
    let failure = unread(text, "the next step in words");
    if matches!(failure, AnswerFailure::Refused { .. }) {
        return Err(failure);
    }
    text.lines()
        .map(str::trim)
        .filter(|line| !line.starts_with('#') && !line.starts_with("```") && !line.ends_with(':'))
        .map(plain)
        .find(|line| line.chars().any(char::is_alphabetic))
        .map(step)
        .ok_or(failure)
}

struct Item {
    number: Option<usize>,
    is_title: bool,
    step: PlannedStep,
}

/// How a line begins.
enum Opening<'a> {
    Counted { number: Option<usize>, rest: &'a str },
    Bullet(&'a str),
    None,
}

fn items(text: &str) -> Vec<Item> {
    let mut lines = lines_without_code(text);
    let first = lines
        .iter()
        .position(|line| matches!(opening(line), Opening::Counted { .. }));
    if let Some(first) = first
        && let Some(another) = lines[first..].iter().position(|line| begins_another_example(line))
    {
        lines.truncate(first + another);
    }
    let after_marker = lines
        .iter()
        .rposition(|line| is_plan_marker(line))
        .map(|index| parse(&lines[index..]))
        .filter(|items| !items.is_empty());
    after_marker.unwrap_or_else(|| parse(&lines))
}

fn parse(lines: &[&str]) -> Vec<Item> {
    let counted = lines
        .iter()
        .any(|line| matches!(opening(line), Opening::Counted { .. }));
    let mut items: Vec<Item> = Vec::new();
    let mut after_blank = false;
    for line in lines {
        if line.trim().is_empty() {
            after_blank = true;
            continue;
        }
        let began = match opening(line) {
            Opening::Counted { number, rest } => Some((number, rest)),
            Opening::Bullet(rest) if !counted => Some((None, rest)),
            _ => None,
        };
        if let Some((number, rest)) = began {
            if number == Some(1) && items.iter().any(|item| item.number.is_some()) {
                break;
            }
            items.push(Item {
                number,
                is_title: is_title(line),
                step: step(plain(rest)),
            });
            if is_final_label(line)
                && let Some(item) = items.last_mut()
            {
                item.step.is_final = true;
            }
        } else if let Some(item) = items.last_mut() {
            let belongs = !line.starts_with('#') && (!after_blank || line.starts_with([' ', '\t']));
            if belongs {
                append(item, line);
            } else {
                continue;
            }
        }
        after_blank = false;
    }
    items.retain(|item| !item.step.description.is_empty());
    items
}

fn append(item: &mut Item, line: &str) {
    let more = match opening(line) {
        Opening::Bullet(rest) => plain(rest),
        _ => plain(line),
    };
    let description = &mut item.step.description;
    if description.is_empty() {
        let is_final = item.step.is_final;
        item.step = step(more);
        item.step.is_final |= is_final;
    } else if !more.is_empty() {
        let ends_open = description.ends_with(|c: char| c.is_alphanumeric());
        description.push_str(if item.is_title && ends_open { ": " } else { " " });
        description.push_str(&more);
    }
    item.is_title = false;
}

fn lines_without_code(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut in_fence = false;
    let mut in_code = false;
    for line in text.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            in_fence = !in_fence;
            in_code = in_fence && language.trim().to_ascii_lowercase().starts_with("sql");
        } else if !in_code {
            lines.push(line);
        }
    }
    lines
}

fn opening(line: &str) -> Opening<'_> {
    const EMPHASIS: [char; 6] = ['*', '_', '#', '>', '(', ' '];
    let trimmed = line.trim_start();
    let bare = trimmed.trim_start_matches(EMPHASIS);
    if let Some(rest) = behind_final_label(bare) {
        return Opening::Counted { number: None, rest };
    }
    let (is_named, numbered) = match strip_word(bare, "step") {
        Some(rest) => (true, rest.trim_start()),
        None => (false, bare),
    };
    let digits = numbered.find(|c: char| !c.is_ascii_digit()).unwrap_or(numbered.len());
    if (1..=3).contains(&digits) {
        let behind = numbered[digits..].trim_start_matches(['*', '_']);
        let mut rest = behind.chars();
        let separator = rest.next();
        let rest = rest.as_str();
        let separated = match separator {
            Some('.' | ')' | ':') => !rest.starts_with(|c: char| c.is_ascii_digit()),
            Some('-' | '–' | '—' | ' ') => is_named,
            None => is_named,
            _ => false,
        };
        if separated {
            return Opening::Counted {
                number: numbered[..digits].parse().ok(),
                rest: rest.trim_start_matches([' ', '-', '–', '—']),
            };
        }
    }
    for bullet in ["- ", "* ", "• ", "– "] {
        if let Some(rest) = trimmed.strip_prefix(bullet) {
            return Opening::Bullet(rest);
        }
    }
    Opening::None
}

fn strip_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let head = text.get(..word.len())?;
    head.eq_ignore_ascii_case(word).then(|| &text[word.len()..])
}

fn behind_final_label(text: &str) -> Option<&str> {
    let rest = strip_word(strip_word(text, "final")?.trim_start(), "step")?;
    rest.trim_start_matches(['*', '_', ' ']).strip_prefix(':')
}

fn is_final_label(line: &str) -> bool {
    behind_final_label(line.trim_start_matches(['*', '_', '#', '>', '(', ' ', '\t'])).is_some()
}

fn is_title(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('#') || (line.starts_with("**") && line.ends_with("**"))
}

fn is_plan_marker(line: &str) -> bool {
    plain(line).trim_end_matches(':').eq_ignore_ascii_case("plan") && line.contains([':', '#', '*'])
}

fn begins_another_example(line: &str) -> bool {
    let words = plain(line).to_ascii_lowercase();
    line.trim_start().starts_with("/*")
        || ["statement:", "question:", "caption:", "table caption"]
            .iter()
            .any(|mark| words.starts_with(mark))
}

/// One line without emphasis and runs of blanks.
fn plain(text: &str) -> String {
    let unmarked = text.replace("**", "").replace("__", "");
    let words = unmarked.split_whitespace().collect::<Vec<_>>().join(" ");
    words.trim_start_matches(['#', ' ']).trim_matches(['*', ' ']).to_owned()
}

fn step(description: String) -> PlannedStep {
    match behind_final_label(&description) {
        Some(rest) => PlannedStep {
            description: rest.trim().to_owned(),
            is_final: true,
        },
        None => PlannedStep {
            description,
            is_final: false,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    fn plan(text: &str) -> Vec<String> {
        read_plan(text, false)
            .unwrap()
            .into_iter()
            .map(|step| step.description)
            .collect()
    }

    #[test]
    fn the_ways_to_count() {
        let wanted = ["Select rows.", "Count them."];
        for text in [
            "1. Select rows.\n2. Count them.",
            "1) Select rows.\n2) Count them.",
            "(1) Select rows.\n(2) Count them.",
            "Step 1: Select rows.\nStep 2: Count them.",
            "**1.** Select rows.\n**2.** Count them.",
            "**Step 1:** Select rows.\n\n**Step 2:** Count them.",
            "### Step 1 - Select rows.\n### Step 2 - Count them.",
            "- Select rows.\n- Count them.",
            "• Select rows.\n• Count them.",
            "```\n1. Select rows.\n2. Count them.\n```",
            "  1. Select rows.\n\n\n  2. Count them.",
            "1.Select rows.\r\n2.Count them.\r\n",
        ] {
            assert_eq!(plan(text), wanted, "{text}");
        }
    }

    #[test]
    fn prose_is_no_step() {
        assert_eq!(
            plan(
                "Sure! Here is a plan for the table of 3 rows.\n\n1. Select rows.\n2. Count them.\n\nThis plan is short."
            ),
            ["Select rows.", "Count them."]
        );
    }

    #[test]
    fn lines_of_one_step_are_joined() {
        assert_eq!(
            plan("1. Select rows\n   where 'a' is 1.5 or more.\n   - look at 'a'\n2. Count them."),
            ["Select rows where 'a' is 1.5 or more. look at 'a'", "Count them."]
        );
        assert_eq!(
            plan("### Step 1: Filter\nSelect rows.\n\n### Step 2: Count\nCount them."),
            ["Filter: Select rows.", "Count: Count them."]
        );
    }

    #[test]
    fn a_number_with_a_fraction_begins_no_step() {
        assert_eq!(
            plan("1. Keep values above\n1.5 metres."),
            ["Keep values above 1.5 metres."]
        );
    }

    #[test]
    fn text_before_a_full_stop_is_kept() {
        assert_eq!(
            plan("1. Select rows where 'team' is 'St. Orla F. C.'. Keep all columns."),
            ["Select rows where 'team' is 'St. Orla F. C.'. Keep all columns."]
        );
    }

    #[test]
    fn another_example_or_a_new_count_ends_the_plan() {
        assert_eq!(plan("1. A\n2. B\nStatement: something else\nPlan:\n1. C"), ["A", "B"]);
        assert_eq!(plan("1. A\n2. B\n\nAgain:\n1. C"), ["A", "B"]);
        assert_eq!(plan("1. A\n2. B\n/*\ncol : x\n*/\n3. C"), ["A", "B"]);
    }

    #[test]
    fn the_last_plan_marker_with_steps_begins_the_plan() {
        assert_eq!(plan("1. think about it\n\nPlan:\n1. A\n2. B"), ["A", "B"]);
        assert_eq!(plan("Plan:\n1. A\n2. B\n\nPlan:"), ["A", "B"]);
    }

    #[test]
    fn code_in_a_plan_is_dropped() {
        assert_eq!(plan("1. A\n```sql\nSELECT 1\n```\n2. B"), ["A", "B"]);
    }

    #[test]
    fn no_steps_is_a_failure() {
        assert!(matches!(read_plan("", false), Err(AnswerFailure::Unparsed { .. })));
        assert!(matches!(
            read_plan("It is true.", false),
            Err(AnswerFailure::Unparsed { .. })
        ));
        assert!(matches!(
            read_plan("I'm sorry, but I can't help with that.", false),
            Err(AnswerFailure::Refused { .. })
        ));
        assert_eq!(read_plan("1. A\n2. B", true), Err(AnswerFailure::Truncated));
    }

    fn next(text: &str, number: usize) -> (String, bool) {
        let step = read_next_step(text, false, number).unwrap();
        (step.description, step.is_final)
    }

    #[test]
    fn the_next_step_is_the_one_asked_for() {
        assert_eq!(next("2. Count them.", 2), ("Count them.".to_owned(), false));
        assert_eq!(next("1. A\n2. B\n3. C", 2), ("B".to_owned(), false));
        assert_eq!(
            next("**3.** Final step: Return TRUE.", 3),
            ("Return TRUE.".to_owned(), true)
        );
        assert_eq!(next("Final step: Return TRUE.", 3), ("Return TRUE.".to_owned(), true));
        assert_eq!(
            next("**Final step:** Return TRUE.", 3),
            ("Return TRUE.".to_owned(), true)
        );
        assert_eq!(
            next("The next step is:\n\nSelect rows.\n", 1),
            ("Select rows.".to_owned(), false)
        );
    }

    #[test]
    fn a_cut_next_step_is_a_failure_unless_another_follows() {
        assert_eq!(read_next_step("1. Sel", true, 1), Err(AnswerFailure::Truncated));
        assert_eq!(read_next_step("1. A\n2. B", true, 1).unwrap().description, "A");
        assert!(matches!(
            read_next_step("  \n", false, 1),
            Err(AnswerFailure::Unparsed { .. })
        ));
        assert!(matches!(
            read_next_step("I cannot answer this.", false, 1),
            Err(AnswerFailure::Refused { .. })
        ));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn any_text_is_read_without_panic_and_steps_are_one_line(
            text in "(?s)([0-9]{1,4}|[.):]|[Ss]tep|Final step:|- |\\*\\*|#|```|sql|Plan:|\n|  |ß|\\PC){0,40}",
            truncated in any::<bool>(),
            number in 1_usize..5,
        ) {
            let _ = read_next_step(&text, truncated, number);
            for step in read_plan(&text, false).unwrap_or_default() {
                prop_assert!(!step.description.is_empty() && !step.description.contains('\n'));
            }
        }
    }
}
