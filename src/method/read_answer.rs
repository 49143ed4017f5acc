//! Reading an answer that a model wrote in words, and what else it wrote around it.
//!
//! The answer stands behind the **last** marker (`Answer:`, `Final answer:`, `Verdict:`, `Verification:`, `the answer
//! is`), on the rest of its line or, when that is empty, on the next line that is not. A text without a marker must be
//! an answer as a whole, and a text that begins with a list is one, whatever its values say. Sentences are found by a
//! line that begins with `Answer:` alone, because they may speak of answers and verdicts themselves. A text cut by the token limit answers only if its answer was complete: a line that was ended,
//! or a list that was closed.

use super::answer_line::Located;
use super::read_list::{leading_list, read_list_in};
use super::read_refusal::unread;
use super::session::ModelText;
use super::verdict_words::{Reading, read_words};
use crate::dataset::{Answer, QuestionKind};
use crate::trace::AnswerFailure;

/// An answer and the text around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WrittenAnswer {
    /// The answer.
    pub(super) answer: Answer,
    /// The text without the answer's line; empty when there was nothing else.
    pub(super) rationale: String,
}

/// Reads the answer to a question of this kind.
pub(super) fn read_answer(reply: &ModelText, kind: QuestionKind) -> Result<WrittenAnswer, AnswerFailure> {
    let text = reply.text.trim();
    let located = Located::find(text, kind);
    let cut = |answer: Option<(Answer, bool)>| match answer {
        Some((answer, true)) => Ok(answer),
        Some((answer, false)) if !reply.truncated => Ok(answer),
        _ if reply.truncated => Err(AnswerFailure::Truncated),
        _ => Err(unread(text, expected(kind))),
    };
    let answer = match kind {
        QuestionKind::FactVerification => {
            cut(verdict(&located).map(|verdict| (Answer::Verdict(verdict), located.line_ended && located.has_marker)))
        }
        QuestionKind::ShortAnswer => cut(values(&located).map(|(values, closed)| {
            (
                Answer::Values(values),
                closed || (located.line_ended && located.has_marker),
            )
        })),
        QuestionKind::FreeForm => {
            cut(sentence(&located).map(|sentence| (Answer::Text(sentence), located.line_ended && located.has_marker)))
        }
    }?;
    Ok(WrittenAnswer {
        answer,
        rationale: rationale(&located, kind),
    })
}

/// Reads an answer that its explanation follows behind `Explanation:`; what the explanation says is no answer. A text
/// without that label is read as any other.
pub(super) fn read_explained_answer(reply: &ModelText, kind: QuestionKind) -> Result<WrittenAnswer, AnswerFailure> {
    let mut start = 0;
    for line in reply.text.split_inclusive('\n') {
        if without_label(line) != line && !reply.text[..start].trim().is_empty() {
            let head = ModelText {
                text: reply.text[..start].trim_end().to_owned(),
                // What was cut stands behind the answer.
                truncated: false,
            };
            if let Ok(written) = read_answer(&head, kind) {
                let explanation = without_label(&reply.text[start..]).trim();
                let parts = [written.rationale.as_str(), explanation];
                let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
                return Ok(WrittenAnswer {
                    answer: written.answer,
                    rationale: parts.join("\n\n"),
                });
            }
        }
        start += line.len();
    }
    read_answer(reply, kind)
}

fn expected(kind: QuestionKind) -> &'static str {
    match kind {
        QuestionKind::FactVerification => "one verdict, TRUE or FALSE",
        QuestionKind::ShortAnswer => "a list of at least one value",
        QuestionKind::FreeForm => "a sentence",
    }
}

fn verdict(located: &Located<'_>) -> Option<bool> {
    let reading = if located.has_marker {
        read_words(located.line, true)
    } else {
        let lines: Vec<&str> = located.line.lines().filter(|line| !line.trim().is_empty()).collect();
        // A verdict alone on the first or the last line is the answer, and the rest is talk about it.
        let alone = |line: Option<&&str>| match line.map(|line| read_words(line, true)) {
            Some(Reading::Alone(verdict)) => Some(verdict),
            _ => None,
        };
        match (alone(lines.first()), alone(lines.last())) {
            (Some(first), Some(last)) if first != last => Reading::Contradictory,
            (Some(verdict), _) | (None, Some(verdict)) => Reading::Alone(verdict),
            (None, None) => read_words(located.line, false),
        }
    };
    match reading {
        Reading::Alone(verdict) | Reading::Said(verdict) => Some(verdict),
        Reading::Contradictory | Reading::Nothing => None,
    }
}

/// The values, and whether they stood in a list that was closed.
fn values(located: &Located<'_>) -> Option<(Vec<String>, bool)> {
    let rest_of_text = if located.has_marker {
        // A list may go on over several lines.
        let start = located.line;
        let whole = format!("{start}{}", located.after);
        leading_list(&whole)
    } else {
        read_list_in(located.line)
    };
    if let Some(values) = rest_of_text {
        return (!values.is_empty()).then_some((values, true));
    }
    let mut lines = located.line.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = lines.next()?;
    if lines.next().is_some() {
        return None;
    }
    let value = unquoted(line);
    // Brackets that hold no list, such as `[Ada, Bo]` without quotes, are never split.
    let value = value
        .strip_prefix('[')
        .and_then(|inner| inner.strip_suffix(']'))
        .map_or(value, unquoted);
    if value.starts_with('[') {
        return None;
    }
    (!value.is_empty() && !value.starts_with("```")).then(|| (vec![value.to_owned()], false))
}

fn sentence(located: &Located<'_>) -> Option<String> {
    let text = unquoted(located.line);
    let sentence = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!sentence.is_empty()).then_some(sentence)
}

/// A line without the emphasis, code marks and quotes that surround the whole of it.
fn unquoted(line: &str) -> &str {
    let mut line = line.trim();
    for (open, close) in [("**", "**"), ("`", "`"), ("\"", "\""), ("'", "'"), ("“", "”")] {
        let inner = line.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
        if let Some(inner) = inner.filter(|inner| !inner.contains(open)) {
            line = inner.trim();
        }
    }
    line
}

fn rationale(located: &Located<'_>, kind: QuestionKind) -> String {
    if !located.has_marker {
        let mut lines: Vec<&str> = located.line.lines().collect();
        let is_verdict =
            |line: Option<&&str>| line.is_some_and(|line| matches!(read_words(line, true), Reading::Alone(_)));
        if kind != QuestionKind::FactVerification || lines.len() < 2 {
            return String::new();
        }
        if is_verdict(lines.first()) {
            lines.remove(0);
        }
        if is_verdict(lines.last()) {
            lines.pop();
        }
        return without_label(lines.join("\n").trim()).to_owned();
    }
    let after = if kind == QuestionKind::ShortAnswer && leading_list(located.line).is_none() {
        // The rest of a list over several lines belongs to the answer.
        let whole = format!("{}{}", located.line, located.after);
        match leading_list(&whole) {
            Some(_) => located.after.split_once(']').map_or("", |(_, rest)| rest).to_owned(),
            None => located.after.to_owned(),
        }
    } else {
        located.after.to_owned()
    };
    let parts = [located.before, after.as_str()];
    let parts: Vec<&str> = parts
        .into_iter()
        .map(|part| without_label(part.trim().trim_matches('`').trim()))
        .filter(|part| !part.is_empty())
        .collect();
    parts.join("\n\n")
}

/// Text behind a label such as `Explanation:`.
fn without_label(text: &str) -> &str {
    const LABELS: [&str; 3] = ["explanation", "reasoning", "rationale"];
    let bare = text.trim_start_matches(['*', '_', '#', ' ']);
    for label in LABELS {
        if bare
            .get(..label.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(label))
        {
            let rest = bare[label.len()..].trim_start_matches(['*', '_', ' ']);
            if let Some(rest) = rest.strip_prefix(':') {
                return rest.trim_start_matches(['*', '_']).trim();
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    fn read(text: &str, kind: QuestionKind, truncated: bool) -> Result<WrittenAnswer, AnswerFailure> {
        let reply = ModelText {
            text: text.to_owned(),
            truncated,
        };
        read_answer(&reply, kind)
    }

    fn verdict_of(text: &str) -> Option<bool> {
        match read(text, QuestionKind::FactVerification, false) {
            Ok(WrittenAnswer {
                answer: Answer::Verdict(verdict),
                ..
            }) => Some(verdict),
            Ok(other) => panic!("{other:?}"),
            Err(_) => None,
        }
    }

    fn values_of(text: &str) -> Option<Vec<String>> {
        match read(text, QuestionKind::ShortAnswer, false) {
            Ok(WrittenAnswer {
                answer: Answer::Values(values),
                ..
            }) => Some(values),
            Ok(other) => panic!("{other:?}"),
            Err(_) => None,
        }
    }

    #[test]
    fn verdicts_that_are_said() {
        for text in [
            "TRUE",
            "True.",
            "**TRUE**",
            "yes",
            "Yes, because the sum is 14.",
            "Answer: TRUE",
            "Answer: **TRUE**",
            "**Answer:** TRUE",
            "Reasoning: it is not false that ...\nAnswer: TRUE",
            "The answer is true.",
            "The statement is entailed by the table.",
            "Answer: entailed",
            "Answer: FALSE\nWait, I counted wrongly.\nAnswer: TRUE",
            "The final answer is: TRUE",
            "Verification: TRUE\nTwo rows match.",
            "There are no rows below 6, so the statement is true.",
            "Answer:\nTRUE",
            "TRUE\nIt is not true that the others match, but that does not matter.",
        ] {
            assert_eq!(verdict_of(text), Some(true), "{text}");
        }
        for text in [
            "FALSE",
            "no",
            "No. Only one row matches.",
            "Answer: NO",
            "The statement is not true.",
            "The statement isn't true.",
            "The statement is refuted.",
            "Answer: the statement is not entailed",
            "Answer: FALSE, since it is not true that both match.",
            "This cannot be true.",
            "The claim is never true.",
        ] {
            assert_eq!(verdict_of(text), Some(false), "{text}");
        }
    }

    #[test]
    fn verdicts_that_are_not_said() {
        for text in [
            "",
            "It depends.",
            "TRUE or FALSE",
            "Answer: TRUE/FALSE",
            "Answer: TRUE or FALSE",
            "The first half is true and the second half is false.",
            "Answer: neither true nor false",
            "TRUE\nmore talk\nFALSE",
            "Answer: unknown",
            "There are no rows.",
            "The truest answer",
            "Answer: not false",
            "Answer: No, it is true.",
        ] {
            assert_eq!(verdict_of(text), None, "{text}");
        }
    }

    #[test]
    fn lists_are_never_split_at_commas() {
        let one = |value: &str| Some(vec![value.to_owned()]);
        assert_eq!(values_of("Callis, North Pier"), one("Callis, North Pier"));
        assert_eq!(values_of("Answer: 1,234"), one("1,234"));
        assert_eq!(values_of("Answer: [\"Callis, North Pier\"]"), one("Callis, North Pier"));
        assert_eq!(values_of("['O'Hara']"), one("O'Hara"));
        assert_eq!(values_of("Answer: [Ada, Bo]"), one("Ada, Bo"));
        assert_eq!(values_of("The answer is \"Ada\""), one("Ada"));
        assert_eq!(values_of("Answer: **Ada**"), one("Ada"));
        assert_eq!(values_of("[\"The answer is blue\"]"), one("The answer is blue"));
        assert_eq!(values_of("Ada [a]"), one("Ada [a]"));
    }

    #[test]
    fn lists_of_several_values() {
        let two = Some(vec!["a, b".to_owned(), "3".to_owned()]);
        assert_eq!(values_of("[\"a, b\", 3]"), two);
        assert_eq!(values_of("Answer: ['a, b', '3']"), two);
        assert_eq!(values_of("Answer:\n```json\n[\n  \"a, b\",\n  \"3\"\n]\n```"), two);
        assert_eq!(
            values_of("There are two [see above].\nAnswer: [\"a, b\", \"3\"]\nDone."),
            two
        );
        assert_eq!(values_of("They are these: [\"a, b\", \"3\"]"), two);
    }

    #[test]
    fn no_values() {
        for text in [
            "",
            "[]",
            "Answer: []",
            "Answer:",
            "first line\nsecond line",
            "[[1], [2]]",
        ] {
            assert_eq!(values_of(text), None, "{text}");
        }
        assert!(matches!(
            read("I'm sorry, I can't say.\nReally.", QuestionKind::ShortAnswer, false),
            Err(AnswerFailure::Refused { .. })
        ));
    }

    #[test]
    fn sentences() {
        let read = |text| read(text, QuestionKind::FreeForm, false).map(|written| written.answer);
        assert_eq!(
            read("\"The ferry carries 120.\""),
            Ok(Answer::Text("The ferry carries 120.".to_owned()))
        );
        assert_eq!(
            read("Some thought.\nAnswer: The ferry\tcarries 120."),
            Ok(Answer::Text("The ferry carries 120.".to_owned()))
        );
        assert_eq!(
            read("The answer is not in the verdict: the ferry sank."),
            Ok(Answer::Text(
                "The answer is not in the verdict: the ferry sank.".to_owned()
            ))
        );
        assert!(read("  ").is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn any_text_is_read_without_panic(
            text in "(?s)([Aa]nswer|: ?|is|\\*\\*|TRUE|no|[\\[\\]\"',`]|\n|ß|’|\\PC){0,30}",
            truncated in any::<bool>(),
        ) {
            for kind in [QuestionKind::FactVerification, QuestionKind::ShortAnswer, QuestionKind::FreeForm] {
                let reply = ModelText { text: text.clone(), truncated };
                let _ = read_answer(&reply, kind);
                let _ = read_explained_answer(&reply, kind);
            }
        }
    }

    #[test]
    fn a_cut_text_answers_only_if_its_answer_was_complete() {
        let cut = |text, kind| read(text, kind, true).map(|written| written.answer);
        let verification = QuestionKind::FactVerification;
        assert_eq!(cut("Answer: TRUE", verification), Err(AnswerFailure::Truncated));
        assert_eq!(cut("The rows that", verification), Err(AnswerFailure::Truncated));
        assert_eq!(
            cut("Answer: TRUE\nExplanation: The", verification),
            Ok(Answer::Verdict(true))
        );
        assert_eq!(
            cut("Answer: [\"a\"]", QuestionKind::ShortAnswer),
            Ok(Answer::Values(vec!["a".to_owned()]))
        );
        assert_eq!(
            cut("Answer: [\"a\", \"b", QuestionKind::ShortAnswer),
            Err(AnswerFailure::Truncated)
        );
        assert_eq!(cut("The ferry", QuestionKind::FreeForm), Err(AnswerFailure::Truncated));
    }

    #[test]
    fn an_explanation_is_no_answer() {
        let read = |text: &str, truncated| {
            let reply = ModelText {
                text: text.to_owned(),
                truncated,
            };
            let written = read_explained_answer(&reply, QuestionKind::FactVerification)?;
            Ok::<_, AnswerFailure>((written.answer, written.rationale))
        };
        let wanted = |rationale: &str| Ok((Answer::Verdict(true), rationale.to_owned()));
        assert_eq!(
            read(
                "Answer: TRUE\nExplanation: One might say that the answer is FALSE, but no.",
                false
            ),
            wanted("One might say that the answer is FALSE, but no.")
        );
        assert_eq!(
            read("**Answer:** TRUE\n\n**Explanation:**\nTwo rows", true),
            wanted("Two rows")
        );
        assert_eq!(read("Explanation: Two rows.\nAnswer: TRUE", false), wanted("Two rows."));
        assert_eq!(read("Answer: TRUE", false), wanted(""));
        assert!(read("Answer: maybe\nExplanation: unclear", false).is_err());
    }

    #[test]
    fn the_rationale_is_the_text_without_the_answer() {
        let rationale = |text, kind| read(text, kind, false).unwrap().rationale;
        let verification = QuestionKind::FactVerification;
        assert_eq!(
            rationale("Answer: TRUE\nExplanation: Two rows match.", verification),
            "Two rows match."
        );
        assert_eq!(
            rationale("Two rows match.\nAnswer: TRUE", verification),
            "Two rows match."
        );
        assert_eq!(
            rationale("TRUE\n\n**Explanation:** Two rows match.", verification),
            "Two rows match."
        );
        assert_eq!(rationale("TRUE", verification), "");
        assert_eq!(
            rationale("Answer: [\"a\",\n\"b\"]\nExplanation: Both.", QuestionKind::ShortAnswer),
            "Both."
        );
        assert_eq!(rationale("Both.\nAnswer: [\"a\"]", QuestionKind::ShortAnswer), "Both.");
    }
}
