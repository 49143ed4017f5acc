//! The key of a call: what makes two calls the same call.
//!
//! The key is the BLAKE3 of a canonical JSON text: objects sorted by name, no spaces, parameters that are not set left
//! out. A parameter that is added to [`Sampling`] later leaves the keys of studies without it as they were. The text is
//! stored beside the answer, so that a store explains itself.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Message, Purpose, Request, Sampling};

/// What a provider puts into the key beside the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// `openai` or `script`.
    pub(crate) provider: &'static str,
    /// The endpoint, normalised; `None` for a provider without one.
    pub(crate) base_url: Option<String>,
    /// The identifier that the provider knows the model by.
    pub(crate) model: String,
    /// For a provider that answers by purpose: the purpose, and a digest of what it would answer.
    pub(crate) scripted: Option<Scripted>,
}

/// What more the key of a scripted call has: its answer does not follow from the messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Scripted {
    /// What it is asked for.
    pub(crate) purpose: Purpose,
    /// Digest of the scripted answer, so that an edited script answers anew.
    pub(crate) answer: String,
}

/// A request as it is stored, read back.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct KeyedRequest {
    pub(crate) provider: String,
    #[serde(default)]
    pub(crate) base_url: Option<String>,
    pub(crate) model: String,
    pub(crate) messages: Vec<Message>,
    #[serde(default)]
    pub(crate) sampling: Sampling,
    pub(crate) repeat: u32,
}

/// A key with the text it is the digest of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallKey {
    /// Hexadecimal BLAKE3, 64 characters.
    pub(crate) key: String,
    /// The canonical JSON.
    pub(crate) request: String,
}

impl CallKey {
    /// The key of a request, whose sampling must be the effective one already.
    pub(crate) fn new(identity: &Identity, request: &Request) -> Self {
        let mut parts = json!({
            "provider": identity.provider,
            "model": identity.model,
            "messages": request.messages,
            "sampling": sampling_parts(&request.sampling),
            "repeat": request.repeat,
        });
        if let Value::Object(parts) = &mut parts {
            if let Some(base_url) = &identity.base_url {
                parts.insert("base_url".to_owned(), json!(base_url));
            }
            if let Some(scripted) = &identity.scripted {
                parts.insert("scripted".to_owned(), json!(scripted));
            }
        }
        let request = canonical(&parts);
        Self {
            key: blake3::hash(request.as_bytes()).to_hex().to_string(),
            request,
        }
    }
}

/// The parameters that are set.
fn sampling_parts(sampling: &Sampling) -> Value {
    let mut parts = Map::new();
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            parts.insert(name.to_owned(), value);
        }
    };
    put("temperature", sampling.temperature.map(Value::from));
    put("top_p", sampling.top_p.map(Value::from));
    put("max_tokens", sampling.max_tokens.map(Value::from));
    put("seed", sampling.seed.map(Value::from));
    put("stop", (!sampling.stop.is_empty()).then(|| json!(sampling.stop)));
    put("extra", (!sampling.extra.is_empty()).then(|| json!(sampling.extra)));
    Value::Object(parts)
}

/// JSON with the names of every object sorted, whatever order the map was built in.
fn canonical(value: &Value) -> String {
    fn write(value: &Value, text: &mut String) {
        match value {
            Value::Object(fields) => {
                let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
                fields.sort_by_key(|(name, _)| *name);
                text.push('{');
                for (index, (name, value)) in fields.into_iter().enumerate() {
                    if index > 0 {
                        text.push(',');
                    }
                    text.push_str(&Value::from(name.as_str()).to_string());
                    text.push(':');
                    write(value, text);
                }
                text.push('}');
            }
            Value::Array(items) => {
                text.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        text.push(',');
                    }
                    write(item, text);
                }
                text.push(']');
            }
            scalar => text.push_str(&scalar.to_string()),
        }
    }
    let mut text = String::new();
    write(value, &mut text);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Request {
        Request {
            purpose: Purpose {
                name: "pos.plan".to_owned(),
                sample: "s1".to_owned(),
                arm: "pos".to_owned(),
                turn: 0,
            },
            messages: vec![Message::system("Be brief."), Message::user("Which \"club\" won?\n")],
            sampling: Sampling {
                temperature: Some(0.0),
                max_tokens: Some(200),
                ..Sampling::default()
            },
            repeat: 0,
        }
    }

    fn identity() -> Identity {
        Identity {
            provider: "openai",
            base_url: Some("http://localhost:8080/v1".to_owned()),
            model: "small-1".to_owned(),
            scripted: None,
        }
    }

    #[test]
    fn key_is_the_one_that_stores_already_hold() {
        let key = CallKey::new(&identity(), &request());
        assert_eq!(
            key.request,
            r#"{"base_url":"http://localhost:8080/v1","messages":[{"content":"Be brief.","role":"system"},{"content":"Which \"club\" won?\n","role":"user"}],"model":"small-1","provider":"openai","repeat":0,"sampling":{"max_tokens":200,"temperature":0.0}}"#
        );
        assert_eq!(
            key.key,
            "9a9e5740df2a512ea2698a591782b5631ddef6e4d77b36ca7552edfa6a7de386"
        );
    }

    #[test]
    fn every_part_of_a_request_counts_and_the_purpose_only_for_scripts() {
        let base = CallKey::new(&identity(), &request()).key;
        let changed = |change: &dyn Fn(&mut Identity, &mut Request)| {
            let (mut identity, mut request) = (identity(), request());
            change(&mut identity, &mut request);
            CallKey::new(&identity, &request).key
        };
        let keys = [
            changed(&|identity, _| identity.model = "small-2".to_owned()),
            changed(&|identity, _| identity.base_url = None),
            changed(&|identity, _| identity.provider = "script"),
            changed(&|_, request| request.repeat = 1),
            changed(&|_, request| request.sampling.temperature = Some(0.5)),
            changed(&|_, request| request.sampling.temperature = None),
            changed(&|_, request| request.sampling.stop = vec!["\n".to_owned()]),
            changed(&|_, request| request.messages[1].content.push(' ')),
            changed(&|_, request| request.messages[0].role = super::super::Role::User),
            changed(&|_, request| {
                request.sampling.extra.insert("top_k".to_owned(), json!(1));
            }),
        ];
        for (index, key) in keys.iter().enumerate() {
            assert_ne!(key, &base, "change {index}");
            assert_eq!(keys.iter().filter(|other| *other == key).count(), 1, "change {index}");
        }
        assert_eq!(changed(&|_, request| request.purpose.turn = 7), base);
    }

    #[test]
    fn canonical_json_sorts_names_at_every_depth() {
        let value = json!({"b": [{"z": 1, "a": null}], "a": 1.5});
        assert_eq!(canonical(&value), r#"{"a":1.5,"b":[{"a":null,"z":1}]}"#);
    }

    #[test]
    fn stored_request_reads_back() {
        let key = CallKey::new(&identity(), &request());
        let read: KeyedRequest = serde_json::from_str(&key.request).unwrap();
        assert_eq!(read.messages, request().messages);
        assert_eq!(read.sampling, request().sampling);
        assert_eq!(read.base_url.as_deref(), Some("http://localhost:8080/v1"));
    }
}
