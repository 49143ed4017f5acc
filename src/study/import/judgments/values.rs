//! Values of a log into answers and rankings. What is not spelled as the mapping says is none, never a guess.

use serde_json::Value;

use super::mapping::{AnswerFrom, RankingForm};
use crate::dataset::{Answer, Gold, QuestionKind};
use crate::judge::read::{Completeness, Unread, read_ranking};

/// The text of a value as the log has it; `None` where it has none.
pub(super) fn text(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// TRUE or FALSE, by the spellings listed.
pub(super) fn truth(from: &AnswerFrom, text: &str) -> Option<bool> {
    let listed = |values: &[String]| values.iter().any(|value| value == text);
    match (listed(&from.is_true), listed(&from.is_false)) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}

/// An answer of this kind.
pub(super) fn answer(kind: QuestionKind, from: &AnswerFrom, value: Option<&Value>) -> Option<Answer> {
    match kind {
        QuestionKind::FactVerification => truth(from, &text(value)?).map(Answer::Verdict),
        QuestionKind::FreeForm => text(value).map(Answer::Text),
        QuestionKind::ShortAnswer => match value? {
            Value::Array(items) => {
                let mut values = Vec::new();
                flatten(items, &mut values);
                Some(Answer::Values(values))
            }
            _ if from.printed_list => printed_list(&text(value)?).map(Answer::Values),
            _ => text(value).map(|value| Answer::Values(vec![value])),
        },
    }
}

/// An answer as the right one.
pub(super) fn gold(answer: Answer) -> Gold {
    match answer {
        Answer::Verdict(verdict) => Gold::Verdict(verdict),
        Answer::Values(values) => Gold::Values {
            values,
            canon: Vec::new(),
        },
        Answer::Text(text) => Gold::Text(text),
    }
}

fn flatten(items: &[Value], values: &mut Vec<String>) {
    for item in items {
        match item {
            Value::Array(inner) => flatten(inner, values),
            other => values.extend(text(Some(other))),
        }
    }
}

/// The items of a list as JSON or Python prints it, lists inside it opened; `None` when it is not a whole list.
pub(super) fn printed_list(text: &str) -> Option<Vec<String>> {
    let mut items = Vec::new();
    let (mut depth, mut letters) = (0_usize, text.trim().chars().peekable());
    let mut bare = String::new();
    let mut done = false;
    while let Some(letter) = letters.next() {
        if done {
            return None;
        }
        match letter {
            '[' if bare.trim().is_empty() => depth += 1,
            ']' | ',' if depth > 0 => {
                if !bare.trim().is_empty() {
                    items.push(bare.trim().to_owned());
                }
                bare.clear();
                if letter == ']' {
                    depth -= 1;
                    done = depth == 0;
                }
            }
            '\'' | '"' if depth > 0 && bare.trim().is_empty() => {
                let mut quoted = String::new();
                loop {
                    match letters.next()? {
                        '\\' => match letters.next()? {
                            'n' => quoted.push('\n'),
                            't' => quoted.push('\t'),
                            plain @ ('\\' | '\'' | '"') => quoted.push(plain),
                            // Other escapes stay as they stand.
                            other => quoted.extend(['\\', other]),
                        },
                        closing if closing == letter => break,
                        other => quoted.push(other),
                    }
                }
                items.push(quoted);
                while letters.next_if(|letter| letter.is_whitespace()).is_some() {}
                if !matches!(letters.peek(), Some(',' | ']')) {
                    return None;
                }
            }
            other if depth > 0 => bare.push(other),
            _ => return None,
        }
    }
    done.then_some(items)
}

/// The arms of a list.
pub(super) fn arm_list(value: Option<&Value>) -> Option<Vec<String>> {
    match value? {
        Value::Array(items) => items.iter().map(|item| item.as_str().map(str::to_owned)).collect(),
        Value::String(text) => printed_list(text),
        _ => None,
    }
}

/// Arms by rank, best first. `known` are the arms shown, where they are known.
pub(super) fn ranking(form: RankingForm, known: &[String], value: Option<&Value>) -> Result<Vec<String>, Unread> {
    let unparsed = |detail: &str| Unread {
        state: crate::judge::NoVerdict::Unparsed,
        detail: detail.to_owned(),
    };
    let ranked = match form {
        RankingForm::Text => {
            let text = text(value).ok_or_else(|| unparsed("the log has no ranking here"))?;
            let places = read_ranking(&text, known, Completeness::Whole)?;
            places
                .into_iter()
                .filter_map(|place| known.get(place).cloned())
                .collect()
        }
        RankingForm::List => arm_list(value).ok_or_else(|| unparsed("it is no list of arms"))?,
        RankingForm::Ranks => {
            let Some(Value::Object(ranks)) = value else {
                return Err(unparsed("it is no object of arms and ranks"));
            };
            let mut by_rank: Vec<(f64, &String)> = ranks
                .iter()
                .map(|(arm, rank)| rank.as_f64().map(|rank| (rank, arm)))
                .collect::<Option<_>>()
                .ok_or_else(|| unparsed("a rank is no number"))?;
            by_rank.sort_by(|one, other| one.0.total_cmp(&other.0).then_with(|| one.1.cmp(other.1)));
            if by_rank.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                return Err(unparsed("two arms share a rank"));
            }
            by_rank.into_iter().map(|(_, arm)| arm.clone()).collect()
        }
    };
    let (mut sorted, mut shown) = (ranked.clone(), known.to_vec());
    sorted.sort();
    shown.sort();
    if sorted.len() < 2 || sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(unparsed("an arm is missing or stands twice"));
    }
    if !shown.is_empty() && shown != sorted {
        return Err(unparsed("it does not rank the arms that were shown"));
    }
    Ok(ranked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_lists_are_read_whole_or_not_at_all() {
        let list = |text: &str| printed_list(text);
        assert_eq!(list("['a', 'b']"), Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(list("[[112]]"), Some(vec!["112".to_owned()]));
        assert_eq!(
            list(r#"["it's", 'x, y']"#),
            Some(vec!["it's".to_owned(), "x, y".to_owned()])
        );
        assert_eq!(list(r"['it\'s']"), Some(vec!["it's".to_owned()]));
        assert_eq!(list("[]"), Some(vec![]));
        assert_eq!(list(" [1.5, None] "), Some(vec!["1.5".to_owned(), "None".to_owned()]));
        for text in ["", "a", "['a'", "['a'] b", "['a' 'b']", "a['b']", "]", "['a"] {
            assert_eq!(list(text), None, "{text}");
        }
    }

    #[test]
    fn rankings_have_every_arm_once() {
        let known = ["a".to_owned(), "b".to_owned()];
        let ranks = |value: serde_json::Value| ranking(RankingForm::Ranks, &known, Some(&value));
        assert_eq!(ranks(serde_json::json!({"a": 2, "b": 1})).unwrap(), ["b", "a"]);
        assert!(ranks(serde_json::json!({"a": 1, "b": 1})).is_err());
        assert!(ranks(serde_json::json!({"a": 1, "c": 2})).is_err());
        let list = |value: serde_json::Value| ranking(RankingForm::List, &[], Some(&value));
        assert_eq!(list(serde_json::json!("['x', 'y']")).unwrap(), ["x", "y"]);
        assert!(list(serde_json::json!(["x", "x"])).is_err());
        assert!(ranking(RankingForm::Text, &known, None).is_err());
    }
}
