//! Words of two verdicts in a clause: denied, halved, before a noun, or in the list of options.

use std::sync::LazyLock;

use regex::Regex;

use super::visible::pattern;

/// Words of one verdict each.
pub(super) struct Words<'a> {
    pub(super) positive: &'a [&'a str],
    pub(super) negative: &'a [&'a str],
}

/// What a clause says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    Nothing,
    One(bool),
    Both,
}

impl Said {
    pub(super) fn and(self, other: bool) -> Self {
        match self {
            Self::Nothing => Self::One(other),
            Self::One(same) if same == other => self,
            _ => Self::Both,
        }
    }
}

/// A word, and what stands between it and the next.
struct Token<'a> {
    word: &'a str,
    after: &'a str,
}

static OPTIONS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)\b(\p{Alphabetic}+)(?:["']\s*(?:,|and|,\s*or)\s*["']|["']?\s*(?:/|\||\bor\b|,\s*or\b)\s*(?:(?:verdict|answer)\s*[:=]\s*)?["']?)(\p{Alphabetic}+)\b["']?"#,
    )
});
static WORD: LazyLock<Regex> = LazyLock::new(|| pattern(r"[\p{Alphabetic}\p{Nd}]+(?:'[\p{Alphabetic}]+)?"));

fn tokens(text: &str) -> Vec<Token<'_>> {
    let found: Vec<regex::Match> = WORD.find_iter(text).collect();
    found
        .iter()
        .enumerate()
        .map(|(index, word)| Token {
            word: word.as_str(),
            after: &text[word.end()..found.get(index + 1).map_or(text.len(), regex::Match::start)],
        })
        .collect()
}

/// Words after which a verdict word is not an attribute.
const FOLLOWERS: [&str; 34] = [
    "because",
    "since",
    "as",
    "given",
    "and",
    "but",
    "or",
    "based",
    "according",
    "for",
    "in",
    "with",
    "when",
    "due",
    "from",
    "per",
    "by",
    "under",
    "here",
    "overall",
    "so",
    "while",
    "although",
    "though",
    "after",
    "too",
    "then",
    "therefore",
    "not",
    "however",
    "than",
    "if",
    "rather",
    "instead",
];
const NEGATORS: [&str; 9] = [
    "not", "never", "cannot", "neither", "nor", "hardly", "barely", "far", "longer",
];
const HALVES: [&str; 14] = [
    "partially",
    "partly",
    "mostly",
    "largely",
    "somewhat",
    "nearly",
    "almost",
    "half",
    "necessarily",
    "sure",
    "certain",
    "clear",
    "unclear",
    "whether",
];

impl Words<'_> {
    /// A line without the list of options, such as `'correct' or 'incorrect'`, which an answer may repeat.
    pub(super) fn without_options(&self, line: &str) -> String {
        let mut kept = String::with_capacity(line.len());
        let mut from = 0;
        let mut at = 0;
        while let Some(found) = OPTIONS.captures_at(line, at) {
            let (Some(whole), Some(first), Some(second)) = (found.get(0), found.get(1), found.get(2)) else {
                break;
            };
            match (self.polarity(first.as_str()), self.polarity(second.as_str())) {
                (Some(one), Some(other)) if one != other => {
                    kept.push_str(&line[from..first.start()]);
                    kept.push(' ');
                    from = whole.end();
                    at = whole.end();
                }
                // The second word may begin the list: `say correct or incorrect`.
                _ => at = second.start(),
            }
        }
        kept.push_str(&line[from..]);
        kept
    }

    fn polarity(&self, word: &str) -> Option<bool> {
        let among = |words: &[&str]| words.iter().any(|known| known.eq_ignore_ascii_case(word));
        match (among(self.positive), among(self.negative)) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        }
    }

    /// Whether any of the words stands in a text, whatever it says there.
    pub(super) fn mentioned(&self, text: &str) -> bool {
        tokens(text).iter().any(|token| self.polarity(token.word).is_some())
    }

    /// What a marked line's value says: its first clause, or all of it when that says nothing.
    pub(super) fn value(&self, text: &str) -> Said {
        match self.head(text) {
            Said::Nothing => self.said(text),
            said => said,
        }
    }

    /// What a text says up to its first clause that says anything.
    pub(super) fn head(&self, text: &str) -> Said {
        let end = text
            .find(['.', ';', ':', ',', '(', '\n'])
            .into_iter()
            .chain(text.find(" - "))
            .chain(
                [" because ", " since ", " as ", " given ", " but ", " although "]
                    .iter()
                    .filter_map(|word| text.find(word)),
            )
            .min()
            .unwrap_or(text.len());
        self.said(&text[..end])
    }

    /// Every verdict word of a text, turned round where it is denied.
    fn said(&self, text: &str) -> Said {
        let tokens = tokens(text);
        let mut said = Said::Nothing;
        for (index, token) in tokens.iter().enumerate() {
            let Some(polarity) = self.polarity(token.word) else {
                continue;
            };
            let is_attribute = tokens.get(index + 1).is_some_and(|next| {
                token.after.chars().all(char::is_whitespace) && !FOLLOWERS.contains(&next.word.to_lowercase().as_str())
            });
            if is_attribute {
                continue;
            }
            let mut denied = false;
            let mut halved = false;
            for before in tokens[..index].iter().rev().take(4) {
                if before.after.contains([',', ';', '.', ':']) {
                    break;
                }
                let word = before.word.to_lowercase();
                if self.polarity(&word).is_some() {
                    break;
                }
                halved |= HALVES.contains(&word.as_str());
                if NEGATORS.contains(&word.as_str()) || word.ends_with("n't") {
                    denied = !denied;
                }
                // `not only correct but ...` denies nothing.
                if word == "only" || word == "just" {
                    break;
                }
            }
            said = if halved {
                Said::Both
            } else {
                said.and(polarity != denied)
            };
        }
        said
    }

    /// What a line says that holds hardly more than a verdict word.
    pub(super) fn alone(&self, line: &str) -> Said {
        let count = tokens(line).len();
        let is_quote = count > 1 && line.trim_start().starts_with(['"', '\'']);
        if count <= 3 && !is_quote && !line.trim_end().ends_with('?') {
            self.said(line)
        } else {
            Said::Nothing
        }
    }

    /// What a text says that begins with a verdict word and a mark after it.
    pub(super) fn opening(&self, line: &str) -> Said {
        let tokens = tokens(line);
        let Some(first) = tokens.first() else {
            return Said::Nothing;
        };
        let marked_off = first
            .after
            .trim_start_matches(['"', '\'', ')'])
            .starts_with(['.', ',', ':', ';', '!', '-'])
            || first.after.trim_start().starts_with(['-', '('])
            || tokens.len() == 1;
        match self.polarity(first.word) {
            Some(verdict) if marked_off && !line.trim_start().starts_with(['"', '\'']) => Said::One(verdict),
            Some(verdict) if tokens.len() == 1 => Said::One(verdict),
            _ => self.alone(line),
        }
    }
}
