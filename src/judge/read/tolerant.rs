//! Objects that are almost JSON: other quotes, names without quotes, commas too many, a brace that never closes.

use serde_json::Value;

/// How deep objects and lists may stand in each other.
const DEEPEST: usize = 16;

/// The object that a text begins with, and the byte after it. A text that ends within it gives the fields that are
/// whole; what cannot be read as an object gives none.
pub(super) fn object(text: &str) -> Option<(Vec<(String, Value)>, usize)> {
    let mut reader = Reader { text, at: 0 };
    let entries = reader.object(0)?;
    (!entries.is_empty()).then_some((entries, reader.at))
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn take(&mut self, sign: char) -> bool {
        self.space();
        let found = self.rest().starts_with(sign);
        if found {
            self.at += sign.len_utf8();
        }
        found
    }

    fn is_over(&mut self) -> bool {
        self.space();
        self.rest().is_empty()
    }

    /// The fields of an object; those before the end when the text ends within it.
    fn object(&mut self, depth: usize) -> Option<Vec<(String, Value)>> {
        if depth > DEEPEST || !self.take('{') {
            return None;
        }
        let mut entries = Vec::new();
        loop {
            while self.take(',') {}
            if self.take('}') || self.is_over() {
                return Some(entries);
            }
            let name = match self.quoted() {
                Some(name) => name,
                None => self.bare(&[':', '=', ',', '{', '}', '\n'])?,
            };
            if name.is_empty() {
                return None;
            }
            if !self.take(':') {
                return self.is_over().then_some(entries);
            }
            match self.value(depth) {
                Some(value) => entries.push((name, value)),
                // Cut within the value.
                None if depth == 0 && self.ends_within_value() => {
                    self.at = self.text.len();
                    return Some(entries);
                }
                None => return None,
            }
        }
    }

    /// Whether nothing closes what is open, so that the text was cut here.
    fn ends_within_value(&self) -> bool {
        !self.rest().contains('}')
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        self.space();
        match self.rest().chars().next()? {
            '{' => {
                let entries = self.object(depth + 1)?;
                self.text[..self.at]
                    .ends_with('}')
                    .then(|| Value::Object(entries.into_iter().collect()))
            }
            '[' => self.list(depth + 1),
            '"' | '\'' | '\u{201c}' | '\u{2018}' => self.quoted().map(Value::String),
            _ => {
                let word = self.bare(&[',', '}', ']', '\n'])?;
                // A word that ends the text may have been cut.
                if self.rest().is_empty() || word.is_empty() {
                    return None;
                }
                Some(match word.as_str() {
                    "true" | "True" => Value::Bool(true),
                    "false" | "False" => Value::Bool(false),
                    "null" | "None" => Value::Null,
                    _ => serde_json::from_str::<serde_json::Number>(&word).map_or(Value::String(word), Value::Number),
                })
            }
        }
    }

    fn list(&mut self, depth: usize) -> Option<Value> {
        if depth > DEEPEST || !self.take('[') {
            return None;
        }
        let mut items = Vec::new();
        loop {
            if self.take(']') {
                return Some(Value::Array(items));
            }
            items.push(self.value(depth)?);
            self.space();
            if !self.take(',') && !self.rest().starts_with(']') {
                return None;
            }
        }
    }

    /// A text in quotes. A quote ends it only before what can follow a name or value, so that `'it's'` is one.
    fn quoted(&mut self) -> Option<String> {
        self.space();
        let open = self.rest().chars().next()?;
        let close = match open {
            '\'' | '"' => open,
            '\u{2018}' => '\u{2019}',
            '\u{201c}' => '\u{201d}',
            _ => return None,
        };
        let mut value = String::new();
        let mut is_escaped = false;
        for (offset, c) in self.rest().char_indices().skip(1) {
            if is_escaped {
                match c {
                    'n' | 'r' | 't' => value.push(' '),
                    other => value.push(other),
                }
                is_escaped = false;
            } else if c == '\\' {
                is_escaped = true;
            } else if c == close {
                let after = self.rest()[offset + c.len_utf8()..].trim_start_matches([' ', '\t']);
                if after.is_empty() || after.starts_with([',', ':', '}', ']', '\n']) {
                    self.at += offset + c.len_utf8();
                    return Some(value);
                }
                value.push(c);
            } else {
                value.push(c);
            }
        }
        None
    }

    fn bare(&mut self, ends: &[char]) -> Option<String> {
        self.space();
        let end = self.rest().find(ends).unwrap_or(self.rest().len());
        let word = self.rest()[..end].trim().to_owned();
        if word.contains(['"', '[', '{']) {
            return None;
        }
        self.at += end;
        Some(word)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn almost_json() {
        for (text, expected) in [
            ("{'verdict': 'no',}", json!({"verdict": "no"})),
            ("{verdict: no}", json!({"verdict": "no"})),
            (
                "{\u{201c}verdict\u{201d}: \u{201c}no\u{201d}}",
                json!({"verdict": "no"}),
            ),
            (
                "{'a': ['x', 'it's', 4,], 'b': True, 'c': None}",
                json!({"a": ["x", "it's", 4], "b": true, "c": null}),
            ),
            ("{\"verdict\": \"no\", \"p\": 0.9", json!({"verdict": "no"})),
            ("{\"verdict\": \"no\", \"why\": \"the", json!({"verdict": "no"})),
            (
                "{\"why\": \"it says \"no\" here\", \"v\": 1}",
                json!({"why": "it says \"no\" here", "v": 1}),
            ),
            ("{\"a\": {\"b\": 1}, 'c': 2}", json!({"a": {"b": 1}, "c": 2})),
        ] {
            let (entries, _) = object(text).unwrap();
            assert_eq!(Value::Object(entries.into_iter().collect()), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_object() {
        for text in [
            "{A, B}",
            "{}",
            "{",
            "{\"verdict\": \"no",
            "{\"answer\": [\"x\"",
            "B > A",
            "{the answer}",
            "{{ x }}",
        ] {
            assert!(object(text).is_none(), "{text}");
        }
    }
}
