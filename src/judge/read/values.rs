//! Answers in the judge's words: short values and sentences.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::bracketed;
use super::marked::marked;
use super::object::{Fields, as_json};
use super::visible::pattern;
use super::{Completeness, NoVerdict, Unread, read_views};

/// Fields of an object that hold a guess.
const FIELDS: Fields = Fields {
    nouns: &["answer", "answers", "prediction", "predictions", "guess"],
    beside: &[
        "the",
        "my",
        "your",
        "model",
        "models",
        "s",
        "predicted",
        "simulated",
        "likely",
        "given",
    ],
    write: as_json,
};

static MARKER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)^(?:(?:so|thus|therefore|hence)\b[, ]*)?(?:the |my )?(?:(?P<final>final|overall|revised|updated|corrected|amended|new)\s+)?(?:model['’]?s?\s+)?(?:predicted |likely |simulated |given )?["']?(?P<word>answer|prediction|guess)s?["']?[*_`]*(?:\s+(?:is|was|would be))?\s*[*_`]*[:=][*_`]*"#,
    )
});
static BULLET: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*(?:[-•*+]|\d{1,2}[.)])\s+"));
static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)^(?:(?:an? )?json (?:list|array)\b.*|(?:one sentence|true or false), nothing else\.?|<[^<>]*>|\[?\s*"?(?:\.\.\.|…)"?\s*\]?|\[[a-z' ]*(?:answer|value)[a-z' ]*\])$"#,
    )
});
/// Words that give no value. In brackets or quotes they are values.
static DECLINES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?ix)^(?:
            unknown | n/a | null | none | nil | nothing | nan | undefined | undetermined | undeterminable | indeterminate
            | unclear | not\ (?:clear|given|stated|provided|specified|available|known|determinable|applicable)
            | (?:there\ is\ )?no\ (?:clear\ )?(?:answer|guess|prediction|value)s?(?:\ (?:is|was|can|could)\b.*)?
            | i\ (?:do\ not|don['’]t|can\ ?not|can['’]t)\ know\b.*
            | (?:i\ am\ |i['’]m\ |it\ is\ |it['’]s\ )?(?:not\ sure|unsure|uncertain|unclear|not\ clear|impossible\ to|not\ possible\ to)\b.*
            | (?:(?:i|we|one|it|this|that|(?:the\ |this\ )?(?:model['’]s\ )?(?:answer|prediction|guess|question))\ )?
              (?:(?:am|is|are|was)\ )?(?:cannot|can['’]t|can\ not|could\ not|couldn['’]t|unable\ to|not\ able\ to)\ (?:be\ )?
              (?:really\ |reliably\ )?
              (?:determin\w*|tell|told|say|said|know|known|infer\w*|deriv\w*|conclude\w*|identif\w*|establish\w*|answer\w*|give|given|guess\w*|predict\w*|see|seen|find|found|work\w*)\b.*
            | (?:there\ is\ )?(?:not\ enough|insufficient|no)\ information\b.*
        )[.!]?$",
    )
});
/// A later line that puts another answer in the place of the one given.
static REPLACED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^\W*(?:wait|actually|no\b[,.]|hmm|hold on|on second thoughts?|correction|scratch that)\b.*\banswer\b\s*(?:is\b|should|:)",
    )
});
/// Words before a value that say whose it is: `the model's answer is`.
static SPOKEN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:the )?model(?:['’]s (?:answer|prediction|guess))? (?:is|was|would be|would answer|would say|answers|answered|says|said|gives|gave|predicts|predicted)(?: that)?:?\s+",
    )
});
/// Words that speak of a value without giving it, or that leave open what it is.
static NO_VALUE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:(?i:i (?:think|guess|believe|assume|suppose)\b.*|(?:probably|likely|maybe|perhaps|possibly) .*|see (?:above|below)\b.*|as above\b.*|same as\b.*|error|empty)|not .*|.*[,(]\s*not [^,]*|[-?.\s]+)$",
    )
});
/// Several values that are no list: `either A or B`, `\"A\" and \"B\"`.
static SEVERAL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)^either\b.*\bor\b|^(?:"[^"]+"|'[^']+'|\u{201c}[^\u{201d}]+\u{201d}|`[^`]+`)\s*(?:,|/|;|\bor\b|\band\b|&)\s*(?:or |and )?["'\u{201c}`]"#,
    )
});
/// Words with which a value is taken back and another put in its place.
static TAKEN_BACK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)[.,;(\u{2013}\u{2014}-]\s*(?:actually|wait|no wait|or rather|on second thoughts?|scratch that|correction|i mean|hold on)\b",
    )
});

/// Reads a list of short values after the last `Answer:`: a list in brackets, a list with bullets, or one value as it
/// stands. One string is never split. A text that is nothing but a JSON list is read too. What opens a bracket and is
/// no list that can be read is no guess: taken word for word it would count as a wrong one.
pub fn read_values(text: &str, completeness: Completeness) -> Result<Vec<String>, Unread> {
    read_views(text, &FIELDS, |lines| values_in(lines, completeness))
}

fn values_in(lines: &[String], completeness: Completeness) -> Result<Vec<String>, Unread> {
    let (value, rest) = match last_answer(lines) {
        Some((value, end_line)) => (value, &lines[(end_line + 1).min(lines.len())..]),
        None => {
            let whole = lines.join("\n").trim().to_owned();
            return json_values(&whole)
                .filter(|values| !values.is_empty())
                .ok_or_else(|| Unread::unparsed("no line `Answer: ...` was found"));
        }
    };
    if value.starts_with('[') && !PLACEHOLDER.is_match(&value) {
        if let Some(values) = bracketed::list(&value, rest) {
            let after = value.rfind(']').map_or("", |end| &value[end..]);
            if TAKEN_BACK.is_match(after) || rest.iter().any(|line| REPLACED.is_match(line)) {
                return Err(Unread::ambiguous(format!("the answer is taken back: {}", after.trim())));
            }
            return listed_values(values);
        }
        return match bracketed::bare(&value) {
            Some(item) => given_values(vec![unquoted(item)]),
            None => Err(Unread::unparsed("the answer opens a list that cannot be read")),
        };
    }
    if let Some(values) = json_values(&value) {
        return given_values(values);
    }
    let first_line = value.lines().next().unwrap_or_default().to_owned();
    if completeness == Completeness::Cut && rest.iter().all(|line| line.trim().is_empty()) {
        return Err(Unread::unparsed("the text ends within the answer"));
    }
    if BULLET.is_match(&first_line) {
        let values = std::iter::once(first_line.as_str())
            .chain(rest.iter().map(String::as_str))
            .take_while(|line| BULLET.is_match(line))
            .map(|line| unquoted(&BULLET.replace(line, "")))
            .collect();
        return given_values(values);
    }
    let first_line = match SPOKEN.find(&first_line) {
        Some(spoken) => first_line[spoken.end()..].trim_end_matches('.').to_owned(),
        None => first_line,
    };
    if rest.iter().any(|line| REPLACED.is_match(line)) {
        return Err(Unread::ambiguous(format!(
            "the answer is replaced further on: {first_line}"
        )));
    }
    if first_line.starts_with(['(', '{']) && first_line.contains('"') {
        return Err(Unread::unparsed("the answer opens a list that cannot be read"));
    }
    if NO_VALUE.is_match(first_line.trim()) && !DECLINES.is_match(first_line.trim()) {
        return Err(Unread::unparsed(format!(
            "the answer speaks of a value and gives none: {first_line}"
        )));
    }
    if SEVERAL.is_match(&first_line) || TAKEN_BACK.is_match(&first_line) {
        return Err(Unread::ambiguous(format!("the answer may be several: {first_line}")));
    }
    given_values(vec![unquoted(&first_line)])
}

/// Reads a sentence after the last `Answer:`, to the end of its paragraph.
pub fn read_sentence(text: &str, completeness: Completeness) -> Result<String, Unread> {
    read_views(text, &FIELDS, |lines| sentence_in(lines, completeness))
}

fn sentence_in(lines: &[String], completeness: Completeness) -> Result<String, Unread> {
    let Some((mut value, end_line)) = last_answer(lines) else {
        return Err(Unread::unparsed("no line `Answer: ...` was found"));
    };
    let rest = &lines[(end_line + 1).min(lines.len())..];
    if let Some([text]) = json_values(&value).as_deref() {
        return given_values(vec![text.clone()]).map(|values| values.concat());
    }
    for line in rest.iter().take_while(|line| !line.trim().is_empty()) {
        value.push(' ');
        value.push_str(line.trim());
    }
    if completeness == Completeness::Cut && rest.iter().all(|line| !line.trim().is_empty()) {
        return Err(Unread::unparsed("the text ends within the answer"));
    }
    given_values(vec![unquoted(&value)]).map(|values| values.concat())
}

/// The last marked value, and the line it stands in. A text that speaks of `the answer` and of `the guess` alike may mark
/// both; whichever is last counts.
fn last_answer(lines: &[String]) -> Option<(String, usize)> {
    let last = marked(lines, &MARKER).pop()?;
    Some((last.value, last.end_line))
}

/// The strings of a JSON list (numbers as they are written), or a JSON string.
fn json_values(text: &str) -> Option<Vec<String>> {
    let text = text.trim().trim_end_matches(['.', '`', '*', '}']).trim();
    match serde_json::from_str::<Value>(text).ok()? {
        Value::Array(items) => items.into_iter().map(bracketed::scalar).collect(),
        // A list that was written into a string.
        Value::String(text) if text.trim_start().starts_with('[') => json_values(&text).or(Some(vec![text])),
        Value::String(text) => Some(vec![text]),
        _ => None,
    }
}

/// Values given as a list: whatever stands in it is meant as a value, `N/A` too.
fn listed_values(values: Vec<String>) -> Result<Vec<String>, Unread> {
    let values: Vec<String> = values.into_iter().map(|value| value.trim().to_owned()).collect();
    if values.is_empty()
        || values
            .iter()
            .any(|value| value.is_empty() || PLACEHOLDER.is_match(value))
    {
        return Err(Unread::unparsed("the answer line holds no answer"));
    }
    Ok(values)
}

/// Values not given as a list, which may be words that give none.
fn given_values(values: Vec<String>) -> Result<Vec<String>, Unread> {
    let values = listed_values(values)?;
    if values.len() == 1 && DECLINES.is_match(&values[0]) {
        return Err(Unread {
            state: NoVerdict::Refused,
            detail: format!("the judge gave no guess: {}", values[0]),
        });
    }
    Ok(values)
}

/// Signs that enclose a value in mathematics: `\\boxed{x}`, `$x$`.
static MATHEMATICS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?:\$*\\(?:boxed|text)\{([^{}]*)\}\$*|\$([^$]+)\$)\.?$"));

/// A value without the quotes or emphasis that enclose all of it, but for one full stop after them.
fn unquoted(text: &str) -> String {
    let mut value = text.trim();
    if let Some(found) = MATHEMATICS.captures(value) {
        value = found
            .get(1)
            .or(found.get(2))
            .map_or(value, |inner| inner.as_str())
            .trim();
    }
    loop {
        let inner = [
            ("**", "**"),
            ("__", "__"),
            ("`", "`"),
            ("\"", "\""),
            ("'", "'"),
            ("\u{201c}", "\u{201d}"),
        ]
        .iter()
        .find_map(|(open, close)| {
            let inner = value.strip_prefix(open)?;
            let inner = inner
                .strip_suffix(close)
                .or_else(|| inner.strip_suffix('.')?.strip_suffix(close))?;
            (!inner.is_empty() && !inner.contains(open)).then_some(inner)
        });
        match inner {
            Some(inner) => value = inner.trim(),
            None => return value.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Result<Vec<String>, NoVerdict> {
        read_values(text, Completeness::Whole).map_err(|unread| unread.state)
    }

    #[test]
    fn forms_of_a_guess() {
        for (text, expected) in [
            ("Answer: [\"4\"]", vec!["4"]),
            (
                "Answer: [\"Porto, Portugal\", \"Faro\"]",
                vec!["Porto, Portugal", "Faro"],
            ),
            ("Answer: Porto, Portugal", vec!["Porto, Portugal"]),
            ("**Answer:** \"Porto\"", vec!["Porto"]),
            ("**Answer**: **4**", vec!["4"]),
            ("Answer: [4, 5.50]", vec!["4", "5.5"]),
            ("Answer: [\"a\",\n\"b\"]", vec!["a", "b"]),
            ("Answer:\n- red\n- blue\n\nThat is all.", vec!["red", "blue"]),
            ("Answer:\n\n[\"x\"]", vec!["x"]),
            ("[\"x\", \"y\"]", vec!["x", "y"]),
            ("The model's answer: 12 of 13", vec!["12 of 13"]),
            ("Answer: 3\nNo, it also counted the last row.\nAnswer: 4", vec!["4"]),
            ("<think>Answer: 3</think>Answer: 4", vec!["4"]),
            ("Answer: 5*", vec!["5*"]),
            ("**Answer: 5**", vec!["5"]),
            ("- `Answer: 5`", vec!["5"]),
            ("{\"answer\": [\"x\"]}", vec!["x"]),
            ("```json\n[\"x\"]\n```", vec!["x"]),
            ("Answer: ['Petrel', 'Tern']", vec!["Petrel", "Tern"]),
            ("Answer: [Petrel]", vec!["Petrel"]),
            ("Answer: [\"Petrel\"] (the vessel)", vec!["Petrel"]),
            ("Answer: \"Petrel\".", vec!["Petrel"]),
            ("Answer: 'Petrel'.", vec!["Petrel"]),
            ("Answer: \u{201c}Petrel\u{201d}.", vec!["Petrel"]),
            ("Answer: Petrel Ltd.", vec!["Petrel Ltd."]),
            ("**Answer: [\"Petrel\"]**", vec!["Petrel"]),
            ("{\"answer\": [\"x\"], \"reason\": \"row 3\"}", vec!["x"]),
            ("Answer: [\"N/A\"]", vec!["N/A"]),
            ("Answer: ['unknown']", vec!["unknown"]),
        ] {
            assert_eq!(
                values(text),
                Ok(expected.iter().map(|value| (*value).to_owned()).collect()),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_no_guess() {
        for (text, state) in [
            ("", NoVerdict::Unparsed),
            ("It is Porto.", NoVerdict::Unparsed),
            ("Answer:", NoVerdict::Unparsed),
            ("Answer: []", NoVerdict::Unparsed),
            ("Answer: [...]", NoVerdict::Unparsed),
            ("Answer: <the answer>", NoVerdict::Unparsed),
            ("Answer: [the answer]", NoVerdict::Unparsed),
            ("Answer: [\"...\"]", NoVerdict::Unparsed),
            ("Answer: [Petrel, Tern]", NoVerdict::Unparsed),
            ("Answer: [\"Petrel\"] or [\"Tern\"]", NoVerdict::Unparsed),
            ("Answer: [\"Petrel", NoVerdict::Unparsed),
            ("Answer: cannot be determined", NoVerdict::Refused),
            ("Answer: N/A", NoVerdict::Refused),
            ("Answer: [unknown]", NoVerdict::Refused),
            ("Answer: 4\nFinal answer: unknown", NoVerdict::Refused),
            ("Answer: 4\nFinal answer: not sure", NoVerdict::Refused),
            (
                "Answer: 4\nFinal answer: the answer cannot be determined",
                NoVerdict::Refused,
            ),
            (
                "It says <explanation-0123456789abcdef>\nAnswer: 4\n</explanation-0123456789abcdef>.",
                NoVerdict::Unparsed,
            ),
        ] {
            assert_eq!(values(text), Err(state), "{text}");
        }
        assert!(read_values("Answer: Port", Completeness::Cut).is_err());
        assert_eq!(
            read_values("Answer: [\"Porto\"]", Completeness::Cut),
            Ok(vec!["Porto".to_owned()])
        );
    }

    #[test]
    fn sentences() {
        let read = |text| read_sentence(text, Completeness::Whole).map_err(|unread| unread.state);
        assert_eq!(
            read("Step one.\n\nAnswer: The club won twice,\nin 1990 and 1991.\n\nDone."),
            Ok("The club won twice, in 1990 and 1991.".to_owned())
        );
        assert_eq!(read("The club won."), Err(NoVerdict::Unparsed));
        assert!(read_sentence("Answer: The club w", Completeness::Cut).is_err());
    }
}
