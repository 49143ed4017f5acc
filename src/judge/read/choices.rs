//! The best and the worst of several, and scores by criterion.

use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::Value;

use super::marked::{Marked, marked};
use super::names::Names;
use super::object::{Fields, as_json};
use super::retract::first_taking_back;
use super::visible::{self, pattern};
use super::{Completeness, Unread, read_views};
use crate::judge::protocol::{Criterion, GREATEST_SCORE, LEAST_SCORE, Score};

const BEST: Fields = Fields {
    nouns: &["best"],
    beside: &["the", "explanation"],
    write: as_word,
};
const WORST: Fields = Fields {
    nouns: &["worst"],
    beside: &["the", "explanation"],
    write: as_word,
};
const SCORES: Fields = Fields {
    nouns: &["scores", "score", "ratings", "rating"],
    beside: &["the", "my"],
    write: as_json,
};
static BEST_MARKER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"(?i)^(?:the )?(?:(?P<final>final|overall)\s+)?["']?best["']?(?: explanation)?(?:\s+is)?\s*[:=]\s*"#)
});
static WORST_MARKER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"(?i)^(?:the )?(?:(?P<final>final|overall)\s+)?["']?worst["']?(?: explanation)?(?:\s+is)?\s*[:=]\s*"#)
});
/// `Best: B; Worst: C` on one line.
static SECOND_ON_LINE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)[;,.|]\s*((?:the )?(?:best|worst)(?: explanation)?(?: is)?\s*[:=])"));
static SCORES_MARKER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"(?i)^(?:the |my )?(?:(?P<final>final|overall)\s+)?["']?(?:scores?|ratings?)["']?(?:\s+are)?\s*[:=]\s*"#)
});
/// A criterion with its score, as `clarity: 4`, `clarity 4/5`, `"clarity": 4` or `| Clarity | 4 |`.
static SCORED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)\b(?P<criterion>clarity|coherence|helpfulness)["']?(?:\s+score)?\s*(?:[:=|(]|-\s|is\b|to be\b)?\s*["']?(?P<score>-?\d+(?:[.,]\d+)?)(?:\s*(?:/|out of)\s*(?P<scale>\d+))?(?P<range>\s*(?:-|to|or)\s*\d)?"#,
    )
});

/// Reads which of the labels are the best and the worst, as indices into them: `Best: B`, `Worst: C`, on lines of their
/// own or on one, or a JSON object with both. They have to differ, and several of one kind have to agree.
pub fn read_best_worst<S: AsRef<str>>(
    text: &str,
    labels: &[S],
    completeness: Completeness,
) -> Result<(usize, usize), Unread> {
    let names = Names::new(labels);
    let best = read_views(text, &BEST, |lines| {
        choice(lines, &BEST_MARKER, &names, "best", completeness)
    })?;
    let worst = read_views(text, &WORST, |lines| {
        choice(lines, &WORST_MARKER, &names, "worst", completeness)
    })?;
    if best == worst {
        return Err(Unread::ambiguous("the best and the worst are the same explanation"));
    }
    Ok((best, worst))
}

fn choice(
    lines: &[String],
    marker: &Regex,
    names: &Names,
    which: &str,
    completeness: Completeness,
) -> Result<usize, Unread> {
    let lines: Vec<String> = visible::plainly(lines)
        .iter()
        .flat_map(|line| {
            let split = SECOND_ON_LINE.replace_all(line, "\n$1").into_owned();
            split.lines().map(str::to_owned).collect::<Vec<_>>()
        })
        .collect();
    let mut marks = marked(&lines, marker);
    if completeness == Completeness::Cut {
        // A name at the very end may go on.
        marks.retain(|mark| lines[mark.end_line + 1..].iter().any(|line| !line.trim().is_empty()) || names.is_short());
    }
    let found: Vec<(u8, Option<usize>)> = marks.iter().map(|mark| (mark.level, named(mark, names))).collect();
    let choice = agreed(&found, which)?;
    standing(&lines, marks.iter().map(|mark| mark.end_line).max()).map(|()| choice)
}

/// Refuses what is taken back after its last line.
fn standing(lines: &[String], last: Option<usize>) -> Result<(), Unread> {
    let after = last.and_then(|last| lines.get(last + 1..)).unwrap_or_default();
    match first_taking_back(after) {
        None => Ok(()),
        Some(sentence) => Err(Unread::ambiguous(format!(
            "what was chosen is taken back: {}",
            sentence.trim().chars().take(80).collect::<String>()
        ))),
    }
}

/// The one name that a value is; none when more than a remark follows it.
fn named(mark: &Marked, names: &Names) -> Option<usize> {
    let found = names.at(&mark.value, 0)?;
    let rest = mark.value[found.end..].trim_start_matches(['"', '\'', ')', ']', '}', ' ']);
    let is_remark = rest.is_empty() || rest.starts_with(['.', ',', ';', ':', '(', '-']) || rest.starts_with("because");
    let names_another = rest
        .char_indices()
        .filter(|(at, _)| !rest[..*at].chars().next_back().is_some_and(char::is_alphanumeric))
        .any(|(at, _)| names.at(rest, at).is_some_and(|other| other.label != found.label));
    (is_remark && !(rest.starts_with([',', ';']) && names_another)).then_some(found.label)
}

/// The value of the marks of the highest level, which have to agree.
fn agreed<T: PartialEq + Copy>(found: &[(u8, Option<T>)], what: &str) -> Result<T, Unread> {
    let level = found.iter().map(|(level, _)| *level).max();
    let mut top = found
        .iter()
        .filter(|(other, _)| Some(*other) == level)
        .map(|(_, value)| *value);
    let Some(first) = top.next() else {
        return Err(Unread::unparsed(format!("no line says which is the {what}")));
    };
    match first {
        None => Err(Unread::unparsed(format!(
            "the line that says which is the {what} names none that was shown"
        ))),
        Some(value) if top.all(|other| other == Some(value)) => Ok(value),
        Some(_) => Err(Unread::ambiguous(format!(
            "several lines say which is the {what}, and they differ"
        ))),
    }
}

/// Reads a whole score for each criterion: on one line `Scores: clarity 4, ...`, on lines of their own, or in a JSON
/// object. Scores on another scale, halves and two different ones are none.
pub fn read_scores(text: &str, completeness: Completeness) -> Result<Vec<Score>, Unread> {
    read_views(text, &SCORES, |lines| scores(&visible::plainly(lines), completeness)).or_else(|unread| {
        // An object with the criteria as fields of its own.
        let by_criterion: Result<Vec<Score>, Unread> = Criterion::ALL
            .into_iter()
            .map(|criterion| read_views(text, fields_of(criterion), |lines| own_line(lines, criterion)))
            .collect();
        match by_criterion {
            Ok(scores) if unread.state == super::NoVerdict::Unparsed => Ok(scores),
            _ => Err(unread),
        }
    })
}

fn scores(lines: &[String], completeness: Completeness) -> Result<Vec<Score>, Unread> {
    let marks = marked(lines, &SCORES_MARKER);
    let found: Vec<(u8, Option<[u8; 3]>)> = marks
        .iter()
        .filter(|mark| completeness == Completeness::Whole || mark.end_line + 1 < lines.len())
        .filter(|mark| {
            // A heading `Scores:` over lines of their own holds none itself.
            let is_heading = mark.end_line != mark.line || !mark.value.chars().any(char::is_alphanumeric);
            !is_heading || on_one_line(&mark.value).is_some()
        })
        .map(|mark| (mark.level, on_one_line(&mark.value)))
        .collect();
    if found.is_empty() {
        let by_line: Result<Vec<Score>, Unread> = Criterion::ALL
            .into_iter()
            .map(|criterion| own_line(lines, criterion))
            .collect();
        let last = lines.iter().rposition(|line| SCORED.is_match(line));
        return by_line.and_then(|scores| standing(lines, last).map(|()| scores));
    }
    let level = found.iter().map(|(level, _)| *level).max();
    if found
        .iter()
        .any(|(other, scores)| Some(*other) == level && scores.is_none())
    {
        return Err(Unread::ambiguous(format!(
            "the line of the scores has no whole score from {LEAST_SCORE} to {GREATEST_SCORE} for each criterion"
        )));
    }
    let scores = agreed(&found, "score")?;
    standing(lines, marks.iter().map(|mark| mark.end_line).max())?;
    Ok(Criterion::ALL
        .into_iter()
        .zip(scores)
        .map(|(criterion, score)| Score { criterion, score })
        .collect())
}

/// The three scores of one line, each criterion once.
fn on_one_line(value: &str) -> Option<[u8; 3]> {
    let mut scores = [None; 3];
    for found in SCORED.captures_iter(value) {
        let place = Criterion::ALL
            .iter()
            .position(|criterion| found["criterion"].eq_ignore_ascii_case(criterion.name()))?;
        let score = valid(&found, value)?;
        if scores[place].replace(score).is_some() {
            return None;
        }
    }
    let [clarity, coherence, helpfulness] = scores;
    Some([clarity?, coherence?, helpfulness?])
}

/// The score of a criterion from the lines that begin with it.
fn own_line(lines: &[String], criterion: Criterion) -> Result<Score, Unread> {
    let mut found: Vec<Option<u8>> = Vec::new();
    for line in visible::plainly(lines) {
        let bare = line.trim_start_matches(|c: char| !c.is_alphanumeric());
        let Some(scored) = SCORED
            .captures(bare)
            .filter(|scored| scored.get(0).is_some_and(|whole| whole.start() == 0))
        else {
            continue;
        };
        if scored["criterion"].eq_ignore_ascii_case(criterion.name()) {
            found.push(valid(&scored, bare));
        }
    }
    let levelled: Vec<(u8, Option<u8>)> = found.into_iter().map(|score| (1, score)).collect();
    agreed(&levelled, criterion.name()).map(|score| Score { criterion, score })
}

/// What may follow a score: a mark, the next criterion, or why. `Clarity: 4 steps are shown` is none.
static AFTER_SCORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)^["'\s)\]}]*(?:$|[,;.:|/({\[\u{2013}\u{2014}-]|(?:and|but|because|since|as|clarity|coherence|helpfulness)\b)"#,
    )
});

/// A whole score on the scale that was asked for, in the text that it was found in.
fn valid(scored: &Captures, text: &str) -> Option<u8> {
    let end = scored.get(0).map_or(text.len(), |whole| whole.end());
    if !AFTER_SCORE.is_match(&text[end..]) {
        return None;
    }
    let scale = scored.name("scale").map(|scale| scale.as_str());
    if scale.is_some_and(|scale| scale.parse() != Ok(GREATEST_SCORE)) || scored.name("range").is_some() {
        return None;
    }
    let score = &scored["score"];
    let whole = score.strip_suffix(".0").or(score.strip_suffix(",0")).unwrap_or(score);
    whole
        .parse()
        .ok()
        .filter(|score| (LEAST_SCORE..=GREATEST_SCORE).contains(score))
}

fn fields_of(criterion: Criterion) -> &'static Fields {
    const fn fields(nouns: &'static [&'static str]) -> Fields {
        Fields {
            nouns,
            beside: &["score", "the"],
            write: as_word,
        }
    }
    const CLARITY: Fields = fields(&["clarity"]);
    const COHERENCE: Fields = fields(&["coherence"]);
    const HELPFULNESS: Fields = fields(&["helpfulness"]);
    match criterion {
        Criterion::Clarity => &CLARITY,
        Criterion::Coherence => &COHERENCE,
        Criterion::Helpfulness => &HELPFULNESS,
    }
}

fn as_word(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::NoVerdict;

    const BLIND: [&str; 3] = ["Explanation A", "Explanation B", "Explanation C"];

    #[test]
    fn best_and_worst() {
        let read = |text: &str| read_best_worst(text, &BLIND, Completeness::Whole).map_err(|unread| unread.state);
        for text in [
            "Best: B\nWorst: C",
            "I weigh all three.\n\n**Best:** Explanation B\n**Worst:** Explanation C",
            "Worst: C\nBest: B",
            "Best: B; Worst: C",
            "Best: B, worst: C.",
            "{\"best\": \"B\", \"worst\": \"C\"}",
            "{\"reasoning\": \"Best: A was planted\", \"best\": \"B\", \"worst\": \"C\"}",
            "<think>Best: A\nWorst: B</think>\nBest: B (it shows its rows)\nWorst: C",
            "The text says:\nBest: A\n\nBest: B\nWorst: C",
        ] {
            assert_eq!(read(text), Ok((1, 2)), "{text}");
        }
        for (text, state) in [
            ("Best: B", NoVerdict::Unparsed),
            ("Best: B\nWorst: B", NoVerdict::Ambiguous),
            ("Best: A\nBest: B\nWorst: C", NoVerdict::Ambiguous),
            ("Best: B or A\nWorst: C", NoVerdict::Unparsed),
            ("Best: B, A\nWorst: C", NoVerdict::Unparsed),
            ("Best: D\nWorst: C", NoVerdict::Unparsed),
            ("B is the best and C the worst.", NoVerdict::Unparsed),
        ] {
            assert_eq!(read(text), Err(state), "{text}");
        }
    }

    #[test]
    fn scores_of_three_criteria() {
        let read = |text: &str| {
            read_scores(text, Completeness::Whole)
                .map(|scores| scores.iter().map(|score| score.score).collect::<Vec<_>>())
                .map_err(|unread| unread.state)
        };
        for text in [
            "Scores: clarity 4, coherence 3, helpfulness 5",
            "It is clear.\n**Scores:** Clarity: 4/5, Coherence: 3/5, Helpfulness: 5/5",
            "Clarity: 4\nCoherence: 3\nHelpfulness: 5",
            "- **Clarity**: 4 out of 5\n- **Coherence**: 3 out of 5\n- **Helpfulness**: 5 out of 5",
            "| Clarity | 4 |\n| Coherence | 3 |\n| Helpfulness | 5 |",
            "Scores:\nclarity = 4\ncoherence = 3\nhelpfulness = 5",
            "{\"reasoning\": \"Scores: clarity 1\", \"clarity\": 4, \"coherence\": 3, \"helpfulness\": 5}",
            "{\"scores\": {\"clarity\": 4, \"coherence\": 3, \"helpfulness\": 5}}",
        ] {
            assert_eq!(read(text), Ok(vec![4, 3, 5]), "{text}");
        }
        for text in [
            "",
            "Scores: clarity 4, coherence 3",
            "Scores: clarity 4.5, coherence 3, helpfulness 5",
            "Scores: clarity 8/10, coherence 3/10, helpfulness 5/10",
            "Scores: clarity 6, coherence 3, helpfulness 5",
            "Scores: clarity 4, clarity 3, coherence 3, helpfulness 5",
            "Scores: clarity 4, coherence 3, helpfulness 5\nScores: clarity 1, coherence 3, helpfulness 5",
            "The explanation says \"Scores: clarity 5, coherence 5, helpfulness 5\".",
            "Clarity matters more than 4 other things.",
        ] {
            assert!(read(text).is_err(), "{text}: {:?}", read(text));
        }
    }
}
