//! Lists in brackets as judges write them: JSON, quoted in another way, or one value as it stands.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::visible::pattern;

/// How long a list may get over its lines, in bytes.
const LONGEST: usize = 10_000;

static BARE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"^\[\s*([^\[\]{}",'\u{2018}\u{201c}\s][^\[\]{}",]*?)\s*\](?:\s*\([^()]*\))?[\s.*_`}]*$"#)
});
/// What may follow a list on its line: nothing, words about it, or the next key of an object.
static REMARK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^[\s*_`}.;:]*(?:$|[(\u{2013}\u{2014}-]|,\s*(?:because|since|as|given|which|based|so)\b|\p{Alphabetic})",
    )
});
static NEXT_KEY: LazyLock<Regex> = LazyLock::new(|| pattern(r#"^\s*,\s*"[^"]*"\s*:"#));
/// `["a"] or ["b"]` is not the list before the `or`.
static GOES_ON: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)^[\s*_`}.;:]*(?:or|and|nor|plus|then)\b|\["));

/// The items of a list that begins with a text and may go on over the lines after it; none when it cannot be read, or
/// when what follows it may belong to it.
pub(super) fn list(first: &str, rest: &[String]) -> Option<Vec<String>> {
    let mut text = first.to_owned();
    let mut rest = rest.iter();
    loop {
        if let Some((values, end)) = json_list(&text).or_else(|| quoted_list(&text)) {
            let own = text[end..].to_owned();
            let with_next = rest.next().map_or_else(|| own.clone(), |next| format!("{own}\n{next}"));
            // A second list under the first may belong to the guess.
            let is_followed = with_next
                .lines()
                .nth(1)
                .is_some_and(|next| next.trim_start().starts_with("[\""));
            let is_alone = REMARK.is_match(&own) && !GOES_ON.is_match(&own) && !is_followed;
            return (is_alone || NEXT_KEY.is_match(&with_next)).then_some(values);
        }
        let next = rest.next()?;
        if text.len() + next.len() > LONGEST {
            return None;
        }
        text.push('\n');
        text.push_str(next);
    }
}

/// The one value that stands in brackets without quotes: `[x]`. With a comma it may be one or two, and is none.
pub(super) fn bare(text: &str) -> Option<&str> {
    let item = BARE.captures(text)?.get(1)?.as_str();
    (!item.eq_ignore_ascii_case("null")).then_some(item)
}

/// The text of a JSON string, number (as it is written) or truth value.
pub(super) fn scalar(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}

/// The JSON list that a text begins with, and the byte after it.
fn json_list(text: &str) -> Option<(Vec<String>, usize)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let Value::Array(items) = values.next()?.ok()? else {
        return None;
    };
    Some((
        items.into_iter().map(scalar).collect::<Option<_>>()?,
        values.byte_offset(),
    ))
}

/// The list of quoted items or numbers that a text begins with, and the byte after it. A quote ends an item only before
/// a comma or the closing bracket, so that `['O'Brien']` is one item.
fn quoted_list(text: &str) -> Option<(Vec<String>, usize)> {
    let mut rest = text.strip_prefix('[')?.trim_start();
    let mut values = Vec::new();
    loop {
        if let Some(after) = rest.strip_prefix(']') {
            return Some((values, text.len() - after.len()));
        }
        let (value, after) = quoted_item(rest).or_else(|| number_item(rest))?;
        values.push(value);
        rest = after.trim_start();
        match rest.strip_prefix(',') {
            Some(after) => rest = after.trim_start(),
            None if rest.starts_with(']') => {}
            None => return None,
        }
    }
}

fn quoted_item(text: &str) -> Option<(String, &str)> {
    let open = text.chars().next()?;
    let close = match open {
        '\'' | '"' => open,
        '\u{2018}' => '\u{2019}',
        '\u{201c}' => '\u{201d}',
        _ => return None,
    };
    let mut value = String::new();
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if escaped {
            if !matches!(c, '\'' | '"' | '\\') {
                value.push('\\');
            }
            value.push(c);
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == close && text[at + c.len_utf8()..].trim_start().starts_with([',', ']']) {
            // `"a"; "b"` is not one item with quotes in it.
            let is_several = open == '"' && value.matches('"').count() >= 2;
            return (!is_several).then_some((value, &text[at + c.len_utf8()..]));
        } else {
            value.push(c);
        }
    }
    None
}

fn number_item(text: &str) -> Option<(String, &str)> {
    let end = text.find([',', ']'])?;
    let item = text[..end].trim();
    item.parse::<f64>().ok()?;
    item.ends_with(|c: char| c.is_ascii_digit())
        .then(|| (item.to_owned(), &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Vec<String>> {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        list(&lines[0], &lines[1..])
    }

    #[test]
    fn lists() {
        for (text, expected) in [
            ("['Petrel', 'Tern']", vec!["Petrel", "Tern"]),
            ("['O'Brien', 'it\\'s']", vec!["O'Brien", "it's"]),
            ("['Porto, Portugal', \"Faro\", 4]", vec!["Porto, Portugal", "Faro", "4"]),
            ("[\u{201c}Petrel\u{201d}, \u{2018}Tern\u{2019}]", vec!["Petrel", "Tern"]),
            ("[\"Petrel\",]", vec!["Petrel"]),
            ("[\"Petrel\"] (the vessel)", vec!["Petrel"]),
            ("['Petrel'] because [it] sailed first", vec![]),
            ("['Petrel'], since it sailed first.", vec!["Petrel"]),
            ("['Petrel',\n 'Tern'].\nMore [words].", vec!["Petrel", "Tern"]),
            ("[\"Petrel\"], \"reason\": \"it sailed\"}", vec!["Petrel"]),
            ("[\"Petrel\"],\n\"reason\": \"it sailed\"", vec!["Petrel"]),
            // Nothing of these is the whole guess.
            ("[\"Petrel\"] or [\"Tern\"]", vec![]),
            ("['Petrel'] or Tern", vec![]),
            ("[\"Petrel\"], \"Tern\"", vec![]),
            ("[\"Petrel\"],\n[\"Tern\"]", vec![]),
            ("[5] 12", vec![]),
            ("[Petrel, Tern]", vec![]),
            ("['Petrel", vec![]),
            ("[[\"Petrel\"]]", vec![]),
            ("[null]", vec![]),
        ] {
            assert_eq!(read(text).unwrap_or_default(), expected, "{text}");
        }
    }

    #[test]
    fn one_bare_value() {
        for (text, expected) in [
            ("[Petrel]", Some("Petrel")),
            ("[ O'Brien ].", Some("O'Brien")),
            ("[Petrel] (the vessel)", Some("Petrel")),
            ("[Petrel, Tern]", None),
            ("[Petrel] Tern", None),
            ("['Petrel]", None),
            ("[null]", None),
            ("[]", None),
        ] {
            assert_eq!(bare(text), expected, "{text}");
        }
    }
}
