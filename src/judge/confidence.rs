//! How sure a judge was, by the probabilities of the tokens that its verdict could have begun with.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Outcome, Task, Trial, Verdict};
use crate::dataset::{Answer, QuestionKind};
use crate::model::logprobs::Token;

/// How sure a judge was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Confidence {
    /// By the probabilities of the tokens where the verdict begins.
    TokenProbabilities {
        /// Probability of the first option (`correct`, or `TRUE`) among the two, in [0, 1].
        positive: f64,
        /// Probability that the endpoint told for tokens of either, in [0, 1]; the rest went to other words.
        told: f64,
    },
    /// It was asked for and is not there.
    Absent {
        /// Why.
        reason: String,
    },
}

/// The two words that a verdict on this trial begins with, the positive one first; none where there are no two.
fn words(trial: &Trial) -> Option<[&'static str; 2]> {
    match (trial.task, trial.kind) {
        (Task::Verification, _) => Some(["correct", "incorrect"]),
        (Task::Simulation, QuestionKind::FactVerification) => Some(["true", "false"]),
        _ => None,
    }
}

/// The confidence of a verdict that was read, from the tokens of the answer that it was read from; `tokens` is `None` when
/// the endpoint told no probabilities.
pub fn confidence(trial: &Trial, outcome: &Outcome, tokens: Option<&[Token]>) -> Confidence {
    let absent = |reason: &str| Confidence::Absent {
        reason: reason.to_owned(),
    };
    let Some(words) = words(trial) else {
        return absent("the verdict is not one of two words");
    };
    let said = match outcome {
        Outcome::Verdict(Verdict::Correct(right)) => *right,
        Outcome::Verdict(Verdict::Guess(Answer::Verdict(guess))) => *guess,
        _ => return absent("there is no verdict"),
    };
    let Some(tokens) = tokens else {
        return absent("the endpoint told no probabilities of tokens");
    };
    let Some(token) = verdict_token(tokens, words[usize::from(!said)]) else {
        return absent("the verdict begins with none of its words");
    };
    let mut sums = [0.0_f64; 2];
    for (text, logprob) in &token.alternatives {
        let part = plain(text);
        if part.is_empty() {
            continue;
        }
        let begins = words.map(|word| word.starts_with(&part) || part.starts_with(word));
        if let [true, false] | [false, true] = begins {
            sums[usize::from(begins[1])] += logprob.exp();
        }
    }
    let told = sums[0] + sums[1];
    if !(told > 0.0 && told.is_finite()) {
        return absent("no token of either word was among those told");
    }
    Confidence::TokenProbabilities {
        positive: sums[0] / told,
        told: told.min(1.0),
    }
}

/// A token without blanks and signs around it, in small letters.
fn plain(text: &str) -> String {
    text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

/// The token with which the last mention of a word begins.
fn verdict_token<'a>(tokens: &'a [Token], word: &str) -> Option<&'a Token> {
    let mut text = String::new();
    let mut begins = Vec::with_capacity(tokens.len());
    for token in tokens {
        begins.push(text.len());
        text.push_str(&token.text.to_ascii_lowercase());
    }
    let is_inside = |at: usize| text[..at].chars().next_back().is_some_and(char::is_alphanumeric);
    let at = text.rmatch_indices(word).map(|(at, _)| at).find(|&at| !is_inside(at))?;
    let index = begins.partition_point(|&begin| begin <= at).checked_sub(1)?;
    let token = &tokens[index];
    // A token that holds more before the word than signs does not show what else could have come in its place.
    let before = &text[begins[index]..at];
    (!before.chars().any(char::is_alphanumeric)).then_some(token)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Protocol;

    fn trial(task: Task) -> Trial {
        Trial {
            id: String::new(),
            task,
            sample: "s".to_owned(),
            kind: QuestionKind::ShortAnswer,
            arms: vec!["a".to_owned()],
            labels: vec!["A".to_owned()],
            options: Vec::new(),
            prediction: None,
            control_of: Vec::new(),
            recorded_right: None,
            repeat: 0,
            turn: 0,
            protocol: Protocol::Ranking,
            ties: false,
            descriptions: Vec::new(),
        }
    }

    fn token(text: &str, alternatives: &[(&str, f64)]) -> Token {
        Token {
            text: text.to_owned(),
            alternatives: alternatives
                .iter()
                .map(|(text, p)| ((*text).to_owned(), f64::ln(*p)))
                .collect(),
        }
    }

    #[test]
    fn the_probability_is_taken_where_the_verdict_begins() {
        let tokens = [
            token("It is not correct", &[]),
            token(".\nVerdict", &[]),
            token(":", &[(":", 1.0)]),
            token(
                " in",
                &[
                    (" in", 0.5),
                    (" correct", 0.2),
                    (" Correct", 0.05),
                    ("\n", 0.1),
                    (" c", 0.05),
                ],
            ),
            token("correct", &[("correct", 1.0)]),
        ];
        let outcome = Outcome::Verdict(Verdict::Correct(false));
        let Confidence::TokenProbabilities { positive, told } =
            confidence(&trial(Task::Verification), &outcome, Some(&tokens))
        else {
            panic!("absent");
        };
        // 0.2 + 0.05 + 0.05 of 0.8.
        assert!((positive - 0.375).abs() < 1e-12 && (told - 0.8).abs() < 1e-12);
    }

    #[test]
    fn absence_says_why() {
        let outcome = Outcome::Verdict(Verdict::Correct(true));
        for (task, tokens, why) in [
            (Task::Verification, None, "told no probabilities"),
            (
                Task::Verification,
                Some(vec![token("yes", &[("yes", 1.0)])]),
                "none of its words",
            ),
            (Task::Preference, Some(Vec::new()), "one of two words"),
        ] {
            let found = confidence(&trial(task), &outcome, tokens.as_deref());
            assert!(
                matches!(&found, Confidence::Absent { reason } if reason.contains(why)),
                "{found:?}"
            );
        }
    }
}
