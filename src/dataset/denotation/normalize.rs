//! The normal form of a text, as the official evaluator makes it.

use std::sync::LazyLock;

use regex::Regex;
use unicode_normalization::UnicodeNormalization;

/// Characters that the evaluator's Python (Unicode 5.2) knows. Later ones have no decomposition, no lower case and no
/// class there.
static KNOWN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\p{age:5.2}$").ok());
static NONSPACING_MARK: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^[\p{Mn}&&\p{age:5.2}]$").ok());

fn is_of(class: &Option<Regex>, character: char) -> bool {
    class
        .as_ref()
        .is_some_and(|class| class.is_match(character.encode_utf8(&mut [0; 4])))
}

/// The normal form: compatibility decomposition without nonspacing marks; one kind of quotes and of dashes; without
/// trailing citations (`[1]`, `*`, `†`), trailing parentheses and outer double quotes, as often as there are any; then
/// without one final full stop; single blanks; lower case.
pub fn normalize(text: &str) -> String {
    let mut text: String = decomposed(text)
        .filter(|&character| character.is_ascii() || !is_of(&NONSPACING_MARK, character))
        .map(|character| match character {
            '‘' | '’' | '´' | '`' => '\'',
            '“' | '”' => '"',
            '\u{2010}'..='\u{2014}' | '\u{2212}' => '-',
            other => other,
        })
        .collect();
    loop {
        let stripped = without_outer_quotes(strip(without_details(strip(without_citations(strip(&text))))));
        if stripped == text {
            break;
        }
        text = stripped.to_owned();
    }
    let text = text.strip_suffix('.').unwrap_or(&text);
    let mut normal = String::with_capacity(text.len());
    for word in text.split(is_python_space).filter(|word| !word.is_empty()) {
        if !normal.is_empty() {
            normal.push(' ');
        }
        normal.extend(word.chars().map(lower_case));
    }
    normal
}

/// Blanks as Python 2.7's `unicode.isspace` has them.
pub(super) fn is_python_space(character: char) -> bool {
    matches!(
        character,
        '\t'..='\r'
            | '\u{1c}'..=' '
            | '\u{85}'
            | '\u{a0}'
            | '\u{1680}'
            | '\u{180e}'
            | '\u{2000}'..='\u{200a}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{202f}'
            | '\u{205f}'
            | '\u{3000}'
    )
}

/// Simple lower-casing, one character to one: a final sigma stays a plain one.
pub(super) fn lower_case(character: char) -> char {
    if character.is_ascii() {
        return character.to_ascii_lowercase();
    }
    let mut lower = character.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(lower), None) if lower != character && is_of(&KNOWN, character) && is_of(&KNOWN, lower) => lower,
        _ => character,
    }
}

/// NFKD over the known characters; an unknown one stands as it is and parts what is around it, as a letter would.
fn decomposed(text: &str) -> impl Iterator<Item = char> + '_ {
    let mut parts = Vec::new();
    let mut start = 0;
    for (index, character) in text.char_indices() {
        if !character.is_ascii() && !is_of(&KNOWN, character) {
            parts.extend(text[start..index].nfkd());
            parts.push(character);
            start = index + character.len_utf8();
        }
    }
    parts.extend(text[start..].nfkd());
    parts.into_iter()
}

fn strip(text: &str) -> &str {
    text.trim_matches(is_python_space)
}

/// Without the longest tail made of `[..]` (at the very start only `[digits]`) and the signs `•♦†‡*#+`.
fn without_citations(text: &str) -> &str {
    let token_end = |at: usize| {
        let rest = &text[at..];
        match rest.chars().next()? {
            sign @ ('•' | '♦' | '†' | '‡' | '*' | '#' | '+') => Some(at + sign.len_utf8()),
            '[' => {
                let close = rest.find(']')?;
                let digits = close > 1 && rest[1..close].bytes().all(|byte| byte.is_ascii_digit());
                (at > 0 || digits).then_some(at + close + 1)
            }
            _ => None,
        }
    };
    &text[..start_of_tail(text, 0, token_end)]
}

/// Without the longest tail made of ` (..)`.
fn without_details(text: &str) -> &str {
    let token_end = |at: usize| {
        let rest = &text[at..];
        rest.starts_with(" (")
            .then(|| rest.find(')').map(|close| at + close + 1))?
    };
    &text[..start_of_tail(text, 1, token_end)]
}

/// The first byte, `earliest` or later, from which tokens reach the end of the text. `token_end` tells where the token
/// that begins at a byte ends.
fn start_of_tail(text: &str, earliest: usize, token_end: impl Fn(usize) -> Option<usize>) -> usize {
    let mut reaches_end = vec![false; text.len() + 1];
    reaches_end[text.len()] = true;
    let mut start = text.len();
    for (at, _) in text.char_indices().rev().take_while(|&(at, _)| at >= earliest) {
        if token_end(at).is_some_and(|end| reaches_end[end]) {
            reaches_end[at] = true;
            start = at;
        }
    }
    start
}

fn without_outer_quotes(text: &str) -> &str {
    match text.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')) {
        Some(inner) if !inner.contains('"') => inner,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    #[test]
    fn each_rule() {
        for (text, normal) in [
            ("Él\u{301}ève", "eleve"),
            ("‘a’ “b” c´", "'a' \"b\" c"),
            ("1–2—3−4‑5―6", "1-2-3-4-5―6"),
            ("Oak[1][nb 2]*†", "oak"),
            ("[nb 2]", "[nb 2]"),
            ("[12]", ""),
            ("Oak (tree) (big)", "oak"),
            ("Oak(tree)", "oak(tree)"),
            ("(tree)", "(tree)"),
            ("Oak (a (b))", "oak (a (b))"),
            ("\"Oak\" (song)[3]", "oak"),
            ("\"Oak\".", "\"oak\""),
            ("Oak..", "oak."),
            (" a\u{a0}\n b ", "a b"),
            ("ΟΔΟΣ", "οδοσ"),
            ("İ", "i"),
            ("a[b[c]", "a"),
            ("\"\"", ""),
        ] {
            assert_eq!(normalize(text), normal, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_has_a_normal_form(text in "(?s).{0,24}|[\\[\\]() *+a1\".]{0,16}") {
            let normal = normalize(&text);
            prop_assert!(!normal.starts_with(' ') && !normal.ends_with(' ') && !normal.contains("  "));
        }
    }
}
