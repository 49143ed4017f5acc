//! Telling a refusal in words from an answer that merely could not be read.

use crate::trace::AnswerFailure;

/// How a text that declines begins, lower case, with straight apostrophes.
const OPENINGS: [&str; 13] = [
    "i'm sorry",
    "i am sorry",
    "sorry, ",
    "i apologize",
    "i apologise",
    "i cannot",
    "i can't",
    "i can not",
    "i'm unable",
    "i am unable",
    "i won't",
    "i will not",
    "as an ai",
];

/// The failure of a text in which nothing of what was `expected` could be found: a refusal when it begins like one.
pub(super) fn unread(text: &str, expected: &str) -> AnswerFailure {
    let opening: String = text
        .trim_start_matches(|c: char| !c.is_alphanumeric())
        .chars()
        .take(40)
        .map(|c| if c == '’' { '\'' } else { c })
        .collect::<String>()
        .to_lowercase();
    if OPENINGS.iter().any(|words| opening.starts_with(words)) {
        AnswerFailure::Refused {
            message: text.trim().to_owned(),
        }
    } else {
        AnswerFailure::Unparsed {
            expected: expected.to_owned(),
        }
    }
}
