//! JSON as the data sets have it: one value a line or a file, objects in the order they are written.

use std::fmt;
use std::marker::PhantomData;
use std::path::Path;

use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::DatasetError;

/// The members of an object in the order of the file, repeated names included.
pub(super) struct Members<T>(pub(super) Vec<(String, T)>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Members<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for MembersVisitor<T> {
            type Value = Members<T>;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(MembersVisitor(PhantomData))
    }
}

/// Reads a file that is one JSON value.
pub(super) fn parse_file<T: DeserializeOwned>(file: &Path, text: &str, shape: &str) -> Result<T, DatasetError> {
    parse(file, text, 1, shape)
}

/// Reads one line of a file that has a JSON value in each.
pub(super) fn parse_line<T: DeserializeOwned>(
    file: &Path,
    line: usize,
    text: &str,
    shape: &str,
) -> Result<T, DatasetError> {
    parse(file, text, line, shape)
}

fn parse<T: DeserializeOwned>(file: &Path, text: &str, first_line: usize, shape: &str) -> Result<T, DatasetError> {
    serde_json::from_str(text).map_err(|error| {
        let line = first_line + error.line().saturating_sub(1);
        let place = format!(" at line {} column {}", error.line(), error.column());
        let words = error.to_string();
        let words = words.strip_suffix(&place).unwrap_or(&words);
        let problem = format!("column {}: {words}", error.column());
        DatasetError::malformed(file, line, problem, format!("write {shape}"))
    })
}

/// The 1-based line of a file where an object's member begins, for errors about its value.
pub(super) fn line_of_member(text: &str, name: &str) -> usize {
    let written = serde_json::to_string(name).unwrap_or_default();
    let byte = text.find(&format!("{written}:")).or_else(|| text.find(&written));
    super::text_file::line_at(text.as_bytes(), byte.unwrap_or_default())
}
