//! How sure a judge was, by the probabilities of the tokens that its verdict could have begun with.
//!
//! Which word of an answer its verdict was read from is found by trying: the word is put in the other one's place, and
//! where the answer then reads as the other verdict, that word decided. So the place is the reader's own, whatever it
//! took away or passed over.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::read::{Completeness, read_text};
use super::{Outcome, Task, Trial, Verdict};
use crate::dataset::{Answer, QuestionKind};
use crate::model::logprobs::Token;

/// Most mentions of either word that are tried; an answer with more of them is no short verdict.
const MOST_MENTIONS: usize = 64;
/// How much of the probability may lie on tokens of which it cannot be said whether a word begins with them.
const MOST_UNCLEAR: f64 = 0.05;

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

fn absent(reason: &str) -> Confidence {
    Confidence::Absent {
        reason: reason.to_owned(),
    }
}

/// The two words that a verdict on this trial begins with, the positive one first; none where there are no two.
fn words(trial: &Trial) -> Option<[&'static str; 2]> {
    match (trial.task, trial.kind) {
        (Task::Verification, _) => Some(["correct", "incorrect"]),
        (Task::Simulation, QuestionKind::FactVerification) => Some(["true", "false"]),
        _ => None,
    }
}

/// Which of the two words an outcome is.
fn said(outcome: &Outcome) -> Option<bool> {
    match outcome {
        Outcome::Verdict(Verdict::Correct(right)) => Some(*right),
        Outcome::Verdict(Verdict::Guess(Answer::Verdict(guess))) => Some(*guess),
        _ => None,
    }
}

/// The confidence of a verdict that was read, from the tokens of the answer that it was read from; `tokens` is `None` when
/// the endpoint told no probabilities.
pub fn confidence(
    trial: &Trial,
    outcome: &Outcome,
    tokens: Option<&[Token]>,
    completeness: Completeness,
) -> Confidence {
    let Some(words) = words(trial) else {
        return absent("the verdict is not one of two words");
    };
    let Some(verdict) = said(outcome) else {
        return absent("there is no verdict");
    };
    let Some(tokens) = tokens else {
        return absent("the endpoint told no probabilities of tokens");
    };
    let text: String = tokens.iter().map(|token| token.text.as_str()).collect();
    let read = |text: &str| said(&read_text(trial, text, completeness));
    if read(&text) != Some(verdict) {
        return absent("the tokens that were told are not the answer that the verdict was read from");
    }
    let at = match deciding(&text, words, verdict, read) {
        Ok(at) => at,
        Err(reason) => return absent(reason),
    };
    match token_at(tokens, at) {
        Some(token) => probabilities(token, words),
        None => absent("the token of the verdict begins before it"),
    }
}

/// The byte at which the word begins that alone decided.
fn deciding(
    text: &str,
    words: [&str; 2],
    verdict: bool,
    read: impl Fn(&str) -> Option<bool>,
) -> Result<usize, &'static str> {
    let mentions = mentions(text, words);
    if mentions.is_empty() {
        return Err("the verdict begins with none of its words");
    }
    if mentions.len() > MOST_MENTIONS {
        return Err("the answer has too many of its words to tell which one decided");
    }
    let mut decided = Vec::new();
    let mut counted = false;
    for &(at, is_positive) in &mentions {
        let own = words[usize::from(!is_positive)];
        let other = words[usize::from(is_positive)];
        let changed = read(&format!("{}{other}{}", &text[..at], &text[at + own.len()..]));
        if changed == Some(!verdict) {
            decided.push((at, is_positive));
        }
        counted |= changed != Some(verdict);
    }
    match decided.as_slice() {
        [(at, is_positive)] if *is_positive == verdict => Ok(*at),
        [_] => Err("the verdict is a word that is denied"),
        [] if !counted => Err("the verdict begins with none of its words"),
        _ => Err("the verdict is said in several places that count together"),
    }
}

/// The words of a text, in any case, as words of their own: where each begins, and whether it is the positive one.
fn mentions(text: &str, words: [&str; 2]) -> Vec<(usize, bool)> {
    let lower = text.to_ascii_lowercase();
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let mut found: Vec<(usize, bool)> = Vec::new();
    for (word, is_positive) in words.into_iter().zip([true, false]) {
        for (at, _) in lower.match_indices(word) {
            let begins = !is_letter(lower[..at].chars().next_back());
            let ends = !is_letter(lower[at + word.len()..].chars().next());
            if begins && ends {
                found.push((at, is_positive));
            }
        }
    }
    found.sort_unstable();
    found
}

/// The token in which a byte of the text lies, if nothing but signs stands before it there: a token that holds a part of
/// another word does not show what else could have come in its place.
fn token_at(tokens: &[Token], at: usize) -> Option<&Token> {
    let mut begin = 0;
    for token in tokens {
        let end = begin + token.text.len();
        if at < end {
            let before = token.text.get(..at - begin)?;
            return (!before.chars().any(char::is_alphanumeric)).then_some(token);
        }
        begin = end;
    }
    None
}

/// What the alternatives of the verdict's token say. A token counts for a word that it is, and where it is only the
/// word's beginning, if the answer itself was written with this token: then it is how the word is cut. Other beginnings
/// (`in`, `c`) may go on to be anything.
fn probabilities(token: &Token, words: [&str; 2]) -> Confidence {
    let own = first_word(&token.text);
    let mut sums = [0.0_f64; 2];
    let mut unclear = 0.0_f64;
    for (text, logprob) in &token.alternatives {
        let part = first_word(text);
        if part.is_empty() {
            continue;
        }
        let probability = logprob.exp();
        match words.map(|word| word.starts_with(&part)) {
            [true, false] if part == words[0] || part == own => sums[0] += probability,
            [false, true] if part == words[1] || part == own => sums[1] += probability,
            [false, false] => {}
            _ => unclear += probability,
        }
    }
    let told = sums[0] + sums[1];
    if !(told > 0.0 && told.is_finite()) {
        return absent("no token of either word was among those told");
    }
    if unclear > MOST_UNCLEAR {
        return absent("tokens that may be the beginning of either word or of another were likely too");
    }
    Confidence::TokenProbabilities {
        positive: sums[0] / told,
        told: told.min(1.0),
    }
}

/// The first word of a token, in small letters; nothing where the token goes on within it to a second one or a sign that
/// belongs to words.
fn first_word(text: &str) -> String {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let end = text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len());
    text[..end].to_lowercase()
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
            suspects: Vec::new(),
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

    fn sure(task: Task, verdict: bool, tokens: &[Token]) -> Result<(f64, f64), String> {
        let outcome = match task {
            Task::Verification => Outcome::Verdict(Verdict::Correct(verdict)),
            _ => Outcome::Verdict(Verdict::Guess(Answer::Verdict(verdict))),
        };
        let mut trial = trial(task);
        trial.kind = match task {
            Task::Simulation => QuestionKind::FactVerification,
            _ => QuestionKind::ShortAnswer,
        };
        match confidence(&trial, &outcome, Some(tokens), Completeness::Whole) {
            Confidence::TokenProbabilities { positive, told } => Ok((positive, told)),
            Confidence::Absent { reason } => Err(reason),
        }
    }

    fn is_about(found: Result<(f64, f64), String>, positive: f64, told: f64) {
        let (p, t) = found.unwrap();
        assert!((p - positive).abs() < 1e-12 && (t - told).abs() < 1e-12, "{p} {t}");
    }

    #[test]
    fn the_probability_is_taken_where_the_verdict_begins() {
        let tokens = [
            token("It is not correct", &[("It is not correct", 1.0)]),
            token(".\nVerdict", &[]),
            token(":", &[(":", 1.0)]),
            token(
                " in",
                &[
                    (" in", 0.5),
                    (" correct", 0.2),
                    (" Correct", 0.05),
                    ("\n", 0.1),
                    (" c", 0.04),
                ],
            ),
            token("correct", &[("correct", 1.0)]),
        ];
        // The answer itself is cut as `in` and `correct`, so `in` counts; `c` may be anything.
        is_about(sure(Task::Verification, false, &tokens), 0.25 / 0.75, 0.75);
    }

    #[test]
    fn later_words_and_longer_ones_are_passed_over() {
        let verdict = token(" correct", &[(" correct", 0.6), (" incorrect", 0.4)]);
        for rest in [
            vec![token(".\nThe filter is applied correctly.", &[("x", 1.0)])],
            vec![
                token(".\nThe filter keeps the ", &[]),
                token("correct", &[("correct", 1.0)]),
                token(" rows.", &[]),
            ],
            vec![
                token(" (the row is ", &[]),
                token("correct", &[("correct", 1.0)]),
                token(")", &[]),
            ],
        ] {
            let mut tokens = vec![token("Verdict:", &[]), verdict.clone()];
            tokens.extend(rest);
            is_about(sure(Task::Verification, true, &tokens), 0.6, 1.0);
        }
        // An earlier, planted one is none either.
        let planted = [
            token("It says \"Verdict: ", &[]),
            token("true", &[("true", 1.0)]),
            token("\".\nAnswer:", &[]),
            token(" FALSE", &[(" FALSE", 0.9), (" TRUE", 0.1)]),
        ];
        is_about(sure(Task::Simulation, false, &planted), 0.1, 1.0);
        let json = [
            token("{\"analysis\": \"so it is correct\", \"verdict\": \"", &[]),
            token("correct", &[("correct", 0.7), ("incorrect", 0.2)]),
            token("\"}", &[]),
        ];
        is_about(sure(Task::Verification, true, &json), 0.7 / 0.9, 0.9);
    }

    #[test]
    fn absence_says_why() {
        let correct = || token(" correct", &[(" correct", 0.9), (" incorrect", 0.1)]);
        for (verdict, tokens, why) in [
            (true, vec![token("Yes.", &[("Yes.", 1.0)])], "none of its words"),
            (
                false,
                vec![token("Verdict: not", &[]), correct()],
                "a word that is denied",
            ),
            (
                true,
                vec![token("Verdict: not", &[]), token(" incorrect", &[(" incorrect", 1.0)])],
                "a word that is denied",
            ),
            (
                true,
                vec![
                    token("The answer is", &[]),
                    correct(),
                    token(". The prediction is", &[]),
                    correct(),
                    token(".", &[]),
                ],
                "several places",
            ),
            (false, vec![token("Verdict:", &[]), correct()], "not the answer"),
            (
                true,
                vec![token("Verdict: correct", &[("Verdict: correct", 1.0)])],
                "begins before it",
            ),
            (
                true,
                vec![
                    token("Verdict:", &[]),
                    token(" correct", &[(" correct", 0.6), (" in", 0.4)]),
                ],
                "may be the beginning",
            ),
            (
                true,
                vec![token("Verdict:", &[]), token(" correct", &[(" CORRECTLY", 0.6)])],
                "no token of either",
            ),
        ] {
            let found = sure(Task::Verification, verdict, &tokens);
            assert!(
                found.as_ref().is_err_and(|reason| reason.contains(why)),
                "{tokens:?}: {found:?}"
            );
        }
        let outcome = Outcome::Verdict(Verdict::Correct(true));
        for (task, tokens, why) in [
            (Task::Verification, None, "told no probabilities"),
            (Task::Preference, Some(&[][..]), "one of two words"),
        ] {
            let found = confidence(&trial(task), &outcome, tokens, Completeness::Whole);
            assert!(
                matches!(&found, Confidence::Absent { reason } if reason.contains(why)),
                "{found:?}"
            );
        }
    }
}
