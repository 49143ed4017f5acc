//! Keys: read from the environment or a file, sent in one header, and kept out of everything else.

use std::path::Path;

use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};

/// What stands in a text where a key stood.
const REDACTED: &str = "[key]";

/// Shorter keys are placeholders such as `EMPTY` or `ollama`: no secrets, and words that an answer may well hold.
const SHORTEST_SECRET: usize = 8;

/// The key of an endpoint.
#[derive(Debug)]
pub(crate) enum Key {
    /// The endpoint is asked without one.
    None,
    /// One was found.
    Given(ApiKey),
    /// One was named and not found. A call that needs it fails with these words; answers from the store need none.
    Missing(String),
}

/// A key. Its text shows neither in `Debug` nor in any message.
#[derive(Debug)]
pub(crate) struct ApiKey(SecretString);

impl Key {
    /// Finds the key that a study names, or else the one in the variable `fallback`, which may well be unset.
    /// `variable` looks up the environment.
    pub(crate) fn load(
        named_variable: Option<&str>,
        file: Option<&Path>,
        fallback: Option<&str>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let found = match (file, named_variable, fallback) {
            (Some(file), _, _) => read_file(file),
            (None, Some(name), _) => match variable(name) {
                Some(value) => ApiKey::new(&value, &format!("the environment variable `{name}`")),
                None => Err(format!(
                    "the environment variable `{name}` (`api_key_env`) is not set; set it to the key"
                )),
            },
            (None, None, Some(name)) => match variable(name).filter(|value| !value.trim().is_empty()) {
                Some(value) => ApiKey::new(&value, &format!("the environment variable `{name}`")),
                None => return Self::None,
            },
            (None, None, None) => return Self::None,
        };
        match found {
            Ok(key) => Self::Given(key),
            Err(message) => Self::Missing(message),
        }
    }

    /// The text without the key, should somebody have put it there.
    pub(crate) fn redact(&self, text: String) -> String {
        match self {
            Self::Given(ApiKey(secret)) => {
                let secret = secret.expose_secret();
                if secret.len() >= SHORTEST_SECRET && text.contains(secret) {
                    text.replace(secret, REDACTED)
                } else {
                    text
                }
            }
            Self::None | Self::Missing(_) => text,
        }
    }
}

impl ApiKey {
    fn new(text: &str, source: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() {
            return Err(format!("{source} is empty; put the key there"));
        }
        if !text.chars().all(|character| character.is_ascii_graphic()) {
            return Err(format!(
                "{source} holds characters that a key cannot have; put the key alone there"
            ));
        }
        Ok(Self(SecretString::from(text)))
    }

    /// The value of the `Authorization` header.
    pub(crate) fn header(&self) -> Option<HeaderValue> {
        // Visible ASCII was checked, so there is always one.
        let mut value = HeaderValue::from_str(&format!("Bearer {}", self.0.expose_secret())).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

fn read_file(file: &Path) -> Result<ApiKey, String> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| format!("the key file {} cannot be read: {error}", file.display()))?;
    let first = text.lines().next().unwrap_or_default();
    ApiKey::new(first, &format!("the first line of the key file {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "sk-0123456789abcdef";

    fn load(named: Option<&str>, fallback: Option<&str>) -> Key {
        Key::load(named, None, fallback, |name| match name {
            "RIGHT" => Some(format!(" {SECRET}\n")),
            "EMPTY" => Some("  ".to_owned()),
            "TWO" => Some("two words".to_owned()),
            _ => None,
        })
    }

    #[test]
    fn named_variable_must_be_there_and_the_fallback_need_not() {
        assert!(matches!(load(Some("RIGHT"), None), Key::Given(_)));
        assert!(matches!(load(None, Some("RIGHT")), Key::Given(_)));
        assert!(matches!(load(None, Some("ABSENT")), Key::None));
        assert!(matches!(load(None, None), Key::None));
        for (name, word) in [("ABSENT", "is not set"), ("EMPTY", "is empty"), ("TWO", "cannot have")] {
            match load(Some(name), Some("RIGHT")) {
                Key::Missing(message) => assert!(message.contains(name) && message.contains(word), "{message}"),
                other => panic!("{name}: {other:?}"),
            }
        }
    }

    #[test]
    fn file_gives_its_first_line() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("key");
        std::fs::write(&file, format!("{SECRET}\r\nremarks\n")).unwrap();
        let key = Key::load(None, Some(&file), None, |_| None);
        assert_eq!(key.redact(format!("<{SECRET}>")), "<[key]>");
        assert!(matches!(
            Key::load(None, Some(directory.path()), None, |_| None),
            Key::Missing(_)
        ));
    }

    #[test]
    fn key_shows_nowhere() {
        let key = load(Some("RIGHT"), None);
        assert!(!format!("{key:?}").contains("0123"));
        assert_eq!(
            key.redact(format!("bad key {SECRET}, {SECRET}")),
            "bad key [key], [key]"
        );
        let Key::Given(key) = key else { panic!("no key") };
        let header = key.header().unwrap();
        assert_eq!(header.to_str().unwrap(), format!("Bearer {SECRET}"));
        assert!(!format!("{header:?}").contains("0123"));
    }

    #[test]
    fn placeholder_is_left_in_answers() {
        let key = Key::load(Some("X"), None, None, |_| Some("EMPTY".to_owned()));
        assert_eq!(key.redact("The cell is EMPTY.".to_owned()), "The cell is EMPTY.");
    }
}
