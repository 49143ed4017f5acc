//! Reading a list of values in a model's text: a JSON array, or a Python list, and nothing looser.

use serde_json::Value;

/// The list that a text begins with, a code fence apart. `None` when it begins with none, or with one that is not
/// closed or holds lists.
pub(super) fn leading_list(text: &str) -> Option<Vec<String>> {
    let mut text = text.trim_start();
    if let Some(fenced) = text.strip_prefix("```") {
        text = fenced
            .trim_start_matches(|c: char| c.is_ascii_alphabetic())
            .trim_start();
    }
    let text = text.trim_start_matches(['`', '*', ' ']);
    text.starts_with('[').then(|| list_at(text)).flatten()
}

/// The last list in a text.
pub(super) fn read_list_in(text: &str) -> Option<Vec<String>> {
    let mut start = 0;
    let mut last = None;
    while let Some(found) = text[start..].find('[') {
        let at = start + found;
        match list_with_length(&text[at..]) {
            Some((values, length)) => {
                last = Some(values);
                start = at + length;
            }
            // Skips a whole bracket that is no list, so that lists in lists are not read as their last item.
            None => start = at + balanced_length(&text[at..]),
        }
    }
    last
}

fn list_at(text: &str) -> Option<Vec<String>> {
    list_with_length(text).map(|(values, _)| values)
}

fn list_with_length(text: &str) -> Option<(Vec<String>, usize)> {
    json_list(text).or_else(|| python_list(text))
}

fn balanced_length(text: &str) -> usize {
    let mut depth = 0_usize;
    for (index, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return index + c.len_utf8();
        }
    }
    text.len()
}

fn json_list(text: &str) -> Option<(Vec<String>, usize)> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Vec<Value>>();
    let items = stream.next()?.ok()?;
    let values = items
        .into_iter()
        .map(|item| match item {
            Value::String(text) => Some(text.trim().to_owned()),
            Value::Number(_) => Some(item.to_string()),
            Value::Bool(_) => Some(item.to_string()),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        })
        .collect::<Option<Vec<_>>>()?;
    Some((values, stream.byte_offset()))
}

/// `['a', "b", 3]`. A quote ends a string only before `,` or `]`, so that an apostrophe inside one does no harm.
fn python_list(text: &str) -> Option<(Vec<String>, usize)> {
    let mut rest = text.strip_prefix('[')?.trim_start();
    let mut values = Vec::new();
    loop {
        if let Some(behind) = rest.strip_prefix(']') {
            return Some((values, text.len() - behind.len()));
        }
        let quote = rest.chars().next()?;
        let (value, behind) = if quote == '\'' || quote == '"' {
            quoted(&rest[1..], quote)?
        } else {
            let end = rest.find([',', ']'])?;
            let bare = rest[..end].trim();
            bare.parse::<f64>().ok()?;
            (bare.to_owned(), &rest[end..])
        };
        values.push(value.trim().to_owned());
        let behind = behind.trim_start();
        rest = match behind.strip_prefix(',') {
            Some(more) => more.trim_start(),
            None if behind.starts_with(']') => behind,
            None => return None,
        };
    }
}

fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((index, c)) = characters.next() {
        if c == '\\' {
            match characters.next() {
                Some((_, 'n')) => value.push('\n'),
                Some((_, 't')) => value.push('\t'),
                Some((_, escaped)) => value.push(escaped),
                None => return None,
            }
        } else if c == quote && text[index + 1..].trim_start().starts_with([',', ']']) {
            return Some((value, &text[index + 1..]));
        } else {
            value.push(c);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn strings(values: &[&str]) -> Option<Vec<String>> {
        Some(values.iter().map(|&value| value.to_owned()).collect())
    }

    #[test]
    fn json_and_python() {
        assert_eq!(
            leading_list(r#"["a, b", 1.50, true] rest"#),
            strings(&["a, b", "1.5", "true"])
        );
        assert_eq!(leading_list("['it's', 'x\\'y', 12]"), strings(&["it's", "x'y", "12"]));
        assert_eq!(leading_list("```python\n['a',]\n```"), strings(&["a"]));
        assert_eq!(leading_list("[]"), strings(&[]));
    }

    #[test]
    fn what_is_no_list() {
        for text in ["[a, b]", "[\"a\"", "['a' b]", "[[1]]", "a [1]", "[null]", "[", ""] {
            assert_eq!(leading_list(text), None, "{text}");
        }
    }

    #[test]
    fn the_last_list_of_a_text() {
        assert_eq!(read_list_in("rows [1, 2] give [\"a\"] [see]"), strings(&["a"]));
        assert_eq!(read_list_in("[[1], [2]]"), None);
        assert_eq!(read_list_in("[ü] ['ß']"), strings(&["ß"]));
    }
}
