//! Ranges, seasons and scores of two numbers, in their usual other writings: `1998/1999`, `98-99`, `10 to 12`.

use std::ops::Range;

use super::text::Text;

/// A range, season or score of two whole numbers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Span {
    from: Vec<String>,
    to: Vec<String>,
    is_season: bool,
}

impl Span {
    /// Of a value such as `1998-99`, `10–12`, `3:2`.
    pub(super) fn of(text: &str, words: &[String]) -> Option<Self> {
        let [from, to] = words else {
            return None;
        };
        let is_number = |word: &String| word.len() <= 6 && word.bytes().all(|byte| byte.is_ascii_digit());
        let between: String = text.chars().filter(|c| !c.is_numeric() && !c.is_whitespace()).collect();
        if !(is_number(from) && is_number(to) && matches!(between.as_str(), "-" | "–" | "—" | "−" | "/" | ":" | "to"))
        {
            return None;
        }
        // A score has but one digit.
        let century = from.get(..2).unwrap_or_default();
        let long = match to.len() {
            2 if from.len() == 4 => Some(format!("{century}{to}")),
            4 if from.len() == 4 => Some(to.clone()),
            _ => None,
        };
        let follows = |long: &String| {
            let years = from.parse::<u32>().ok().zip(long.parse::<u32>().ok());
            years.is_some_and(|(from, long)| (1000..3000).contains(&from) && from < long)
        };
        let Some(long) = long.filter(follows) else {
            return Some(Self {
                from: vec![from.clone()],
                to: vec![to.clone()],
                is_season: false,
            });
        };
        let mut to = vec![long.clone(), long[2..].to_owned()];
        if from[..3] == long[..3] {
            to.push(long[3..].to_owned());
        }
        Some(Self {
            from: vec![from.clone(), from[2..].to_owned()],
            to,
            is_season: true,
        })
    }

    /// Where a text has it.
    pub(super) fn runs_in(&self, text: &Text<'_>) -> Vec<Range<usize>> {
        let starts = self.from.iter().flat_map(|from| text.places(from));
        starts
            .filter_map(|start| Some(*start..self.end_in(text, *start)?))
            .collect()
    }

    /// The index behind it, where a text has it from a token on.
    fn end_in(&self, text: &Text<'_>, start: usize) -> Option<usize> {
        const BETWEEN: &[&str] = &["to", "through", "till", "until"];
        let word = |index: usize| text.tokens.get(index).map(|token| &token.text);
        let at = self.from.iter().position(|from| word(start) == Some(from))?;
        let is_between = |index: usize| word(index).is_some_and(|word| BETWEEN.contains(&word.as_str()));
        let next = start + 1 + usize::from(is_between(start + 1));
        let ends = word(next).is_some_and(|word| self.to.contains(word));
        // `'98-'99`
        let sign = text
            .gap(next)
            .trim_matches(|c: char| c.is_whitespace() || matches!(c, '\'' | '’' | '‘' | '`'));
        let is_signed = matches!(sign, "-" | "–" | "—" | "−" | "/" | "‑" | "‐" | ".." | "..." | "…")
            || sign == ":" && !self.is_season;
        // `98 to 99` may be anything.
        let is_said = next > start + 1 && (at == 0 || !self.is_season) && text.gap(next).trim().is_empty();
        (ends && (is_said || next == start + 1 && is_signed)).then_some(next + 1)
    }
}
