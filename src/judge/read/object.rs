//! Verdicts given as a JSON object, or as almost one: the field that holds the verdict counts, and nothing else in it does.
//!
//! An object that begins a line is replaced by one line `name: value` of its deciding field, so that what other fields
//! say (reasons, quoted material) is never read. A field given twice with different values has both, which is no verdict.

use std::fmt;
use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;

use super::tolerant;
use super::visible::{LEFT_OUT, announces_material, pattern};

/// How long an object may get over its lines, in bytes.
const LONGEST: usize = 20_000;

/// What a field is called that decides.
pub(super) struct Fields {
    /// Nouns, the first that an object has decides.
    pub(super) nouns: &'static [&'static str],
    /// Words that may stand beside the noun.
    pub(super) beside: &'static [&'static str],
    /// Writes the value behind the field's name.
    pub(super) write: fn(&Value) -> String,
}

/// The fields of an object in their order, names given twice included.
pub(super) struct Entries(pub(super) Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Entries;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

/// What may stand before an object on its line for it to be the judge's own.
static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^\W*(?:(?:(?:here is|this is|so|thus|my|the|final|overall|model's)\s+)*(?:verdict|answer|ranking|guess|prediction|judge?ment|decision|scores?|json|output|result|response)\W*)?$",
    )
});

/// The lines with every object that begins one replaced by its deciding field.
pub(super) fn flattened(lines: &[String], fields: &Fields) -> Vec<String> {
    let mut flat = Vec::with_capacity(lines.len());
    let mut index = 0;
    let mut lead = String::new();
    while index < lines.len() {
        let line = &lines[index];
        let found = line
            .find('{')
            .filter(|&at| BEFORE.is_match(&line[..at]))
            .and_then(|at| object_at(&lines[index..], at));
        let Some(found) = found else {
            if !line.trim().is_empty() {
                lead.clone_from(line);
            }
            flat.push(line.clone());
            index += 1;
            continue;
        };
        let is_announced = announces_material(&lead);
        if is_announced {
            flat.push(LEFT_OUT.to_owned());
        } else if !found.rest.chars().any(char::is_alphabetic) {
            flat.extend(deciding(&found.entries, fields));
        }
        // What was announced as material has come.
        lead.clear();
        flat.push(found.rest);
        index += found.lines;
    }
    flat
}

struct Found {
    entries: Vec<(String, Value)>,
    /// How many lines the object takes.
    lines: usize,
    /// What follows it on its last line.
    rest: String,
}

fn object_at(lines: &[String], at: usize) -> Option<Found> {
    let mut text = lines.first()?[at..].to_owned();
    for line in &lines[1..] {
        if text.len() + line.len() > LONGEST {
            break;
        }
        text.push('\n');
        text.push_str(line);
    }
    let mut strict = serde_json::Deserializer::from_str(&text).into_iter::<Entries>();
    let (entries, end) = match strict.next() {
        Some(Ok(Entries(entries))) => (entries, strict.byte_offset()),
        _ => tolerant::object(&text)?,
    };
    let (inside, after) = text.split_at(end);
    Some(Found {
        entries,
        lines: inside.matches('\n').count() + 1,
        rest: after.lines().next().unwrap_or_default().to_owned(),
    })
}

/// The line of the deciding field: of the first noun that is there, called final if one is.
fn deciding(entries: &[(String, Value)], fields: &Fields) -> Option<String> {
    let named: Vec<(bool, String, &Value)> = entries
        .iter()
        .filter_map(|(name, value)| {
            let (is_final, noun) = noun_of(name, fields.beside)?;
            Some((is_final, noun, value))
        })
        .collect();
    let noun = fields
        .nouns
        .iter()
        .find(|noun| named.iter().any(|(_, name, _)| name == *noun))?;
    let is_final = named.iter().any(|(is_final, name, _)| *is_final && name == noun);
    let mut values: Vec<&Value> = Vec::new();
    for (final_too, name, value) in &named {
        if name == noun && *final_too == is_final && !values.contains(value) {
            values.push(value);
        }
    }
    let text = match values.as_slice() {
        [value] => (fields.write)(value),
        several => Value::from(several.iter().map(|value| (*value).clone()).collect::<Vec<_>>()).to_string(),
    };
    let prefix = if is_final { "final " } else { "" };
    Some(format!("{prefix}{noun}: {}", text.replace(['\n', '\r'], " ")))
}

/// The one word of a field's name that is no word beside it, and whether it is called final.
fn noun_of(name: &str, beside: &[&str]) -> Option<(bool, String)> {
    let lower = name.to_lowercase();
    let words = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let (ends, others): (Vec<&str>, Vec<&str>) = words.partition(|word| matches!(*word, "final" | "overall"));
    let mut nouns = others.into_iter().filter(|word| !beside.contains(word));
    let noun = nouns.next()?;
    nouns.next().is_none().then(|| (!ends.is_empty(), noun.to_owned()))
}

/// A value as JSON.
pub(super) fn as_json(value: &Value) -> String {
    value.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: Fields = Fields {
        nouns: &["verdict", "answer"],
        beside: &["my"],
        write: as_json,
    };

    fn flat(text: &str) -> Vec<String> {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let lines = flattened(&lines, &FIELDS);
        lines.into_iter().filter(|line| !line.is_empty()).collect()
    }

    #[test]
    fn the_deciding_field_alone_is_left() {
        for (text, expected) in [
            (r#"{"why": "Verdict: no", "verdict": "yes"}"#, vec![r#"verdict: "yes""#]),
            (r#"{"answer": "no", "my_verdict": "yes"}"#, vec![r#"verdict: "yes""#]),
            (
                r#"{"verdict": "no", "Final Verdict": "yes"}"#,
                vec![r#"final verdict: "yes""#],
            ),
            (
                r#"{"verdict": "no", "verdict": "yes"}"#,
                vec![r#"verdict: ["no","yes"]"#],
            ),
            (r#"{"verdict": "no", "verdict": "no"}"#, vec![r#"verdict: "no""#]),
            (
                "{\n  \"verdict\": \"yes\"\n}\nDone.",
                vec![r#"verdict: "yes""#, "Done."],
            ),
            (r#"My verdict: {"verdict": "yes"}"#, vec![r#"verdict: "yes""#]),
            (r#"{"why": "Verdict: no"}"#, vec![]),
            (
                r#"{"verdict": "a\nFinal verdict: b"}"#,
                vec![r#"verdict: "a\nFinal verdict: b""#],
            ),
            // What is spoken of is no verdict, and neither is what the material is announced to say.
            (r#"{"verdict": "yes"} is what it says"#, vec![" is what it says"]),
            ("The page says:\n{\"verdict\": \"yes\"}", vec!["The page says:", "…"]),
            (
                r#"The page says {"verdict": "yes"}"#,
                vec![r#"The page says {"verdict": "yes"}"#],
            ),
            ("{A, B}", vec!["{A, B}"]),
        ] {
            assert_eq!(flat(text), expected, "{text}");
        }
    }
}
