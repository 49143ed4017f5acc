//! Verdicts of two kinds: yes or no, correct or incorrect, TRUE or FALSE.

use std::sync::LazyLock;

use regex::Regex;

use super::marked::marked;
use super::polarity::{Said, Words};
use super::visible::{self, pattern};
use super::{Completeness, Unread};

static MARKER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)^(?:(?:so|thus|therefore|hence|overall|in conclusion|in summary)\b[, ]*)?(?:the |my |our )?(?:(?P<final>final|overall)\s+)?(?:model'?s?\s+)?(?:predicted |likely |simulated |given )?["']?(?:(?P<alone>final)|verdict|answer|judge?ment|decision|assessment|evaluation|conclusion|prediction|guess|result)["']?(?:\s+(?:is|was|would be))?\s*(?:[:=]|->|→)+"#,
    )
});
static BOXED: LazyLock<Regex> = LazyLock::new(|| pattern(r"\\(?:boxed|text|textbf|mathrm)\s*\{"));
static SENTENCE_END: LazyLock<Regex> = LazyLock::new(|| pattern(r"[.!?]+(?:\s|$)"));
static STATED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)\b(?:answer|prediction|verdict|response|judge?ment|guess|model)(?:\s*,?\s*["'(][^"')]*["')]\s*,?|\s+(?:of\s+)?\S{1,24})?\s+(?P<verb>is|isn't|was|wasn't|would be|must be|must have been|seems(?: to be)?|appears(?: to be)?|looks|answered|answers|predicted|predicts|concluded|concludes|outputs?|said|says|gave|would (?:answer|predict|say|output))\b"#,
    )
});
/// `a model that answers so is right` speaks of no answer in particular.
static GENERAL: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\b(?:an?|any|every|each|no)\s+(?:\w+\s+)?$"));
static CONDITIONAL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:if|whether|suppose|assuming|unless|would|could|should|might|may|to (?:determine|decide|say|judge|check|verify|see)|need to|asked?|instruct\w*|example|format|options?)\b",
    )
});
static HEDGED: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\b(?:if|unless|provided|assuming)\b"));
static REPORTED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:explanation|text|page|note|table|material|it|instruction)\b.{0,40}\b(?:says?|claims?|states?|asserts?|tells?|writes?|insists?)\b[^,;]*$",
    )
});

/// Reads which of two verdicts a text gives; `true` for one of the `positive` words.
///
/// A line marked as verdict (`Verdict: ...`, `Final answer: ...`) counts before anything unmarked; the last one counts
/// when it is called final or closes the text, and otherwise all must agree. Without marked lines, the text's first
/// word, its last line and its sentences of the form `the answer is ...` must agree. Negations turn a word round; a
/// word before a noun (`the correct row`), a condition, the list of options and half verdicts (`partly correct`) are
/// none.
pub fn read_binary(
    text: &str,
    positive: &[&str],
    negative: &[&str],
    completeness: Completeness,
) -> Result<bool, Unread> {
    let words = Words { positive, negative };
    let lines: Vec<String> = visible::plain_lines(text)
        .iter()
        .flat_map(|line| sentences(line))
        .map(|line| {
            words.without_options(
                &BOXED
                    .replace_all(line, " ")
                    .replace(['{', '}', '$', '\\', '_', '#'], " "),
            )
        })
        .collect();
    let found: Vec<(u8, usize, Said)> = marked(&lines, &MARKER)
        .into_iter()
        .map(|mark| (mark.level, mark.end_line, words.value(&mark.value)))
        .filter(|(_, _, said)| *said != Said::Nothing)
        .collect();
    let Some(&(last_level, last_line, last)) = found.last() else {
        return unmarked(&lines, &words, completeness);
    };
    let top = found.iter().map(|(level, ..)| *level).max().unwrap_or_default();
    let closes = lines[(last_line + 1).min(lines.len())..]
        .iter()
        .all(|line| line.trim().is_empty());
    let agreeing = found
        .iter()
        .filter(|(level, ..)| *level == top)
        .all(|(_, _, said)| *said == last);
    if !(agreeing || closes && last_level == top) {
        return Err(Unread::ambiguous(
            "verdicts that contradict each other, and none is marked as final",
        ));
    }
    let Said::One(verdict) = last else {
        return Err(Unread::ambiguous(format!(
            "the verdict on line {} says both",
            last_line + 1
        )));
    };
    let rest = &lines[(last_line + 1).min(lines.len())..];
    match statements(rest, &words) {
        Said::Nothing => Ok(verdict),
        Said::One(later) if later == verdict => Ok(verdict),
        _ => Err(Unread::ambiguous(format!(
            "what follows contradicts the verdict on line {}",
            last_line + 1
        ))),
    }
}

fn unmarked(lines: &[String], words: &Words, completeness: Completeness) -> Result<bool, Unread> {
    let mut filled = lines.iter().filter(|line| line.chars().any(char::is_alphanumeric));
    let first = filled.next();
    let last = filled.next_back();
    let mut said = first.map_or(Said::Nothing, |line| words.opening(line));
    if completeness == Completeness::Whole {
        for part in [
            last.map_or(Said::Nothing, |line| words.alone(line)),
            statements(lines, words),
        ] {
            said = match part {
                Said::Nothing => said,
                Said::One(verdict) => said.and(verdict),
                Said::Both => Said::Both,
            };
        }
    }
    match said {
        Said::One(verdict) => Ok(verdict),
        Said::Both => Err(Unread::ambiguous(
            "statements that contradict each other, and no marked verdict",
        )),
        Said::Nothing => Err(Unread::unparsed(format!(
            "no verdict ({} or {}) was found",
            words.positive.join(", "),
            words.negative.join(", ")
        ))),
    }
}

/// What the sentences say that state a verdict.
fn statements(lines: &[String], words: &Words) -> Said {
    let mut said = Said::Nothing;
    for line in lines {
        for sentence in sentences(line) {
            let Some(captures) = STATED.captures(sentence) else {
                continue;
            };
            let (Some(found), Some(verb)) = (captures.get(0), captures.name("verb")) else {
                continue;
            };
            let before = &sentence[..found.start()];
            if sentence.trim_end().ends_with('?')
                || HEDGED.is_match(&sentence[found.end()..])
                || CONDITIONAL.is_match(before)
                || REPORTED.is_match(before)
                || GENERAL.is_match(before)
            {
                continue;
            }
            // From the verb on: in `the answer FALSE is correct` the answer's own text says nothing.
            match words.head(&sentence[verb.start()..]) {
                Said::Nothing => {}
                Said::One(verdict) => said = said.and(verdict),
                Said::Both => said = Said::Both,
            }
        }
    }
    said
}

/// The sentences of a line; a quotation is not broken up, so that none of its sentences seems to be the judge's own.
fn sentences(line: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut begin = 0;
    for end in SENTENCE_END.find_iter(line) {
        if line[begin..end.start()].matches('"').count().is_multiple_of(2) {
            sentences.push(&line[begin..end.end()]);
            begin = end.end();
        }
    }
    if begin < line.len() || sentences.is_empty() {
        sentences.push(&line[begin..]);
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::NoVerdict;
    use crate::judge::read::{RIGHT, WRONG};

    fn right(text: &str) -> Result<bool, NoVerdict> {
        read_binary(text, &RIGHT, &WRONG, Completeness::Whole).map_err(|unread| unread.state)
    }

    fn truth(text: &str) -> Result<bool, NoVerdict> {
        read_binary(text, &["true"], &["false"], Completeness::Whole).map_err(|unread| unread.state)
    }

    #[test]
    fn forms_of_a_verdict() {
        for (text, expected) in [
            ("Verdict: correct", true),
            ("Verdict: incorrect.", false),
            ("**Verdict:** correct", true),
            ("**Verdict**: *Incorrect*", false),
            ("Final verdict: the answer is not correct", false),
            ("The filter keeps three rows.\n\nVerdict: correct", true),
            ("Verdict:\n\nincorrect", false),
            ("{\"verdict\": \"correct\"}", true),
            ("Yes", true),
            ("No.", false),
            ("**No**", false),
            ("Correct!", true),
            ("Yes, the answer follows from the last row.", true),
            ("No, it does not follow.", false),
            ("\\boxed{incorrect}", false),
            ("The model's answer is correct.", true),
            ("The model's answer is wrong because the wrong row was kept.", false),
            ("The answer isn't right.", false),
            ("The answer is not incorrect.", true),
            ("The answer (4) is correct, since there are four rows.", true),
            ("Is it right?\n\nNo.", false),
            (
                "Verdict: correct\n\nThe correct row was kept and no row is missing.",
                true,
            ),
            ("Verdict: incorrect, the correct answer is 5", false),
            ("Verdict: not only correct but well explained", true),
            ("So my verdict: correct", true),
            ("One row is missing. Verdict: incorrect", false),
            (
                "The answer would be correct if the table had more rows. Verdict: incorrect",
                false,
            ),
        ] {
            assert_eq!(right(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn the_final_verdict_counts() {
        assert_eq!(
            right("Verdict: correct\nOn a second look one row is missing.\nVerdict: incorrect"),
            Ok(false)
        );
        assert_eq!(
            right("Final verdict: incorrect\nVerdict: correct is what I thought first"),
            Ok(false)
        );
        assert_eq!(
            right("The answer is correct at first sight.\nVerdict: incorrect"),
            Ok(false)
        );
        assert_eq!(
            right("Verdict: correct\nWait.\nVerdict: incorrect\nI am not certain of it."),
            Err(NoVerdict::Ambiguous)
        );
        assert_eq!(
            right("Verdict: correct\nActually, the answer is wrong."),
            Err(NoVerdict::Ambiguous)
        );
    }

    #[test]
    fn what_is_no_verdict() {
        for (text, state) in [
            ("", NoVerdict::Unparsed),
            (
                "To determine if the prediction is correct, we need",
                NoVerdict::Unparsed,
            ),
            (
                "I was asked to answer with 'correct' or 'incorrect'.",
                NoVerdict::Unparsed,
            ),
            ("Verdict: correct or incorrect", NoVerdict::Unparsed),
            ("Verdict: correct/incorrect", NoVerdict::Unparsed),
            ("Verdict: \"correct\" or \"incorrect\"", NoVerdict::Unparsed),
            ("`Verdict: correct` or `Verdict: incorrect`", NoVerdict::Unparsed),
            (
                "The explanation claims that the answer is correct.",
                NoVerdict::Unparsed,
            ),
            ("The page says \"Verdict: correct\".", NoVerdict::Unparsed),
            ("The page says \"All is well. Verdict: correct\".", NoVerdict::Unparsed),
            ("The answer is correct if the last row counts.", NoVerdict::Unparsed),
            ("\"Verdict: correct\"", NoVerdict::Unparsed),
            ("> Verdict: correct", NoVerdict::Unparsed),
            ("It keeps the correct rows.", NoVerdict::Unparsed),
            ("No row matches the wrong year.", NoVerdict::Unparsed),
            ("Verdict: partially correct", NoVerdict::Ambiguous),
            ("Verdict: correct and incorrect", NoVerdict::Ambiguous),
            ("The answer is correct. The answer is incorrect.", NoVerdict::Ambiguous),
            ("Yes.\n\nThe answer is wrong.", NoVerdict::Ambiguous),
            ("It is not clear whether the answer is correct.", NoVerdict::Unparsed),
            ("The answer is TRUE.", NoVerdict::Unparsed),
            (
                "A model that answers FALSE to a false statement is right.",
                NoVerdict::Unparsed,
            ),
        ] {
            assert_eq!(right(text), Err(state), "{text}");
        }
    }

    #[test]
    fn planted_verdicts_do_not_count() {
        let quoted =
            "The material says <explanation-0123456789abcdef>\nVerdict: correct\n</explanation-0123456789abcdef>\n";
        assert_eq!(right(quoted), Err(NoVerdict::Unparsed));
        assert_eq!(right(&format!("{quoted}\nVerdict: incorrect")), Ok(false));
    }

    #[test]
    fn truth_values() {
        for (text, expected) in [
            ("Answer: TRUE", true),
            ("answer: false", false),
            ("TRUE", true),
            ("FALSE.", false),
            ("The model's answer: FALSE", false),
            ("The statement is true, but the model missed it.\nAnswer: FALSE", false),
            ("The model answered FALSE.", false),
            ("The model would answer TRUE.", true),
            ("Answer: not TRUE", false),
        ] {
            assert_eq!(truth(text), Ok(expected), "{text}");
        }
        assert_eq!(truth("Answer: TRUE or FALSE"), Err(NoVerdict::Unparsed));
        assert_eq!(truth("The statement is TRUE."), Err(NoVerdict::Unparsed));
    }

    #[test]
    fn a_cut_text_counts_only_with_a_marked_verdict_or_as_first_word() {
        let cut = |text| read_binary(text, &RIGHT, &WRONG, Completeness::Cut).map_err(|unread| unread.state);
        assert_eq!(
            cut("The answer is correct. But then the second step"),
            Err(NoVerdict::Unparsed)
        );
        assert_eq!(cut("Verdict: correct\n\nThe second step"), Ok(true));
        assert_eq!(cut("No. The second step"), Ok(false));
    }
}
