//! How many tokens a text is for a model, guessed without a tokenizer, so that the same page has the same figure whatever
//! model reads it. For comparing pages, not for a bill.

/// Letters of a word in one token: a word costs one, and one more for every so many letters beyond.
const LETTERS: usize = 7;

/// Digits in one token.
const DIGITS: usize = 3;

/// The name of the rule, for whoever reports its figures.
pub const TOKEN_ESTIMATE: &str = "word rule";

/// The word rule: a run of ASCII letters is one token for every 7 begun, a run of digits one for every 3 begun, a run of
/// signs one for every 2 begun, any other character one; a single blank belongs to what follows, a run of more white
/// space is one.
pub(super) fn tokens(text: &str) -> usize {
    #[derive(PartialEq, Clone, Copy)]
    enum Kind {
        Letters,
        Digits,
        Signs,
        Blanks,
        Other,
    }
    let kind = |character: char| match character {
        c if c.is_ascii_alphabetic() => Kind::Letters,
        c if c.is_ascii_digit() => Kind::Digits,
        c if c.is_ascii_whitespace() => Kind::Blanks,
        c if c.is_ascii() => Kind::Signs,
        _ => Kind::Other,
    };
    let of_run = |kind: Kind, length: usize| match kind {
        Kind::Letters => length.div_ceil(LETTERS),
        Kind::Digits => length.div_ceil(DIGITS),
        Kind::Signs => length.div_ceil(2),
        Kind::Blanks => usize::from(length > 1),
        Kind::Other => length,
    };
    let mut total = 0;
    let mut run: Option<(Kind, usize)> = None;
    for character in text.chars() {
        let found = kind(character);
        run = match run {
            Some((kind, length)) if kind == found => Some((kind, length + 1)),
            Some((kind, length)) => {
                total += of_run(kind, length);
                Some((found, 1))
            }
            None => Some((found, 1)),
        };
    }
    total + run.map_or(0, |(kind, length)| of_run(kind, length))
}

#[cfg(test)]
mod tests {
    use super::tokens;

    #[test]
    fn words_numbers_and_signs_are_counted_by_the_rule() {
        assert_eq!(tokens(""), 0);
        assert_eq!(tokens("two of the lighthouses"), 5);
        assert_eq!(tokens("1,204"), 3);
        assert_eq!(tokens("12345"), 2);
        assert_eq!(tokens("|-|-|\n|1|"), 6);
        assert_eq!(tokens("\n\n"), 1);
        assert_eq!(tokens("東京"), 2);
    }
}
