//! The wire format of OpenAI-compatible chat endpoints, translated and nothing else: no HTTP, no clock, no retries.
//!
//! Endpoints that call themselves compatible differ in everything but the outline, so replies are read field by field
//! from loose JSON: what is not understood is a [`Fault`], never a panic and never an empty answer.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Url;
use serde_json::{Map, Value, json};

use super::provider::Answer;
use super::settings::MaxTokensField;
use super::{FinishReason, Message, Request, Sampling, Usage};

/// Fields of a request body that settings may not replace: they are what makes the call the call that it is stored as,
/// or would change the form of the reply.
pub(crate) const RESERVED_FIELDS: [&str; 4] = ["messages", "model", "n", "stream"];

/// Longest part of an endpoint's message that is repeated, in characters.
const LONGEST_MESSAGE: usize = 400;

/// An attempt without an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The prompt is longer than the model takes.
    TooLong(String),
    /// The endpoint's filter refused the prompt.
    Filtered(String),
    /// No key, a wrong one, or one without credit.
    Unauthorized(String),
    /// May be gone when asked again.
    Passing(String),
    /// Would be the same when asked again.
    Lasting(String),
}

/// An endpoint's address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// Without a slash at the end; part of every call's key.
    pub(crate) base_url: String,
    /// Whether it is `https`.
    pub(crate) is_encrypted: bool,
    /// Whether it is this machine.
    pub(crate) is_local: bool,
    /// Whether it is this machine or OpenAI itself, which the customary key may go to without being named.
    pub(crate) takes_customary_key: bool,
}

impl Address {
    /// Reads a base URL. Without a path it gets `/v1`; with one it is taken as it is, but for slashes at the end and
    /// `/chat/completions`.
    pub(crate) fn parse(base_url: &str) -> Result<Self, String> {
        let wrong = |what: &str| format!("base_url `{base_url}` {what}");
        // A password in the address must not reach a message.
        let mut url = Url::parse(base_url.trim()).map_err(|error| format!("base_url is no URL: {error}"))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(
                "base_url holds a user or password; name the key by `api_key_env` or `api_key_file`".to_owned(),
            );
        }
        if !matches!(url.scheme(), "http" | "https") {
            return Err(wrong("begins with neither http:// nor https://"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(wrong("has a `?` or `#` part, which has no place in it"));
        }
        let path = url.path().trim_end_matches('/');
        let path = path
            .strip_suffix("/chat/completions")
            .unwrap_or(path)
            .trim_end_matches('/');
        let path = if path.is_empty() {
            "/v1".to_owned()
        } else {
            path.to_owned()
        };
        url.set_path(&path);
        let host = url.host_str().unwrap_or_default();
        let is_local = host == "localhost"
            || host.ends_with(".localhost")
            || host
                .trim_matches(['[', ']'])
                .parse::<std::net::IpAddr>()
                .is_ok_and(|address| address.is_loopback());
        Ok(Self {
            is_local,
            is_encrypted: url.scheme() == "https",
            takes_customary_key: is_local || (host == "api.openai.com" && url.scheme() == "https"),
            base_url: url.to_string(),
        })
    }

    /// Where chats are sent.
    pub(crate) fn chat(&self) -> String {
        format!("{}/chat/completions", self.base_url)
    }

    /// Where the models are listed.
    pub(crate) fn models(&self) -> String {
        format!("{}/models", self.base_url)
    }
}

/// The request body.
pub(crate) fn body(model: &str, request: &Request, max_tokens_field: MaxTokensField) -> Value {
    let sampling = &request.sampling;
    let mut body = Map::new();
    for (name, value) in &sampling.extra {
        if !RESERVED_FIELDS.contains(&name.as_str()) {
            body.insert(name.clone(), value.clone());
        }
    }
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            body.insert(name.to_owned(), value);
        }
    };
    put("model", Some(json!(model)));
    put("messages", Some(request.messages.iter().map(wire_message).collect()));
    put("temperature", sampling.temperature.map(Value::from));
    put("top_p", sampling.top_p.map(Value::from));
    put(max_tokens_field.as_str(), sampling.max_tokens.map(Value::from));
    put("seed", sampling.seed.map(Value::from));
    put("stop", (!sampling.stop.is_empty()).then(|| json!(sampling.stop)));
    Value::Object(body)
}

/// A message as the wire has it: text alone, or text and pictures in parts, each picture under its number.
fn wire_message(message: &Message) -> Value {
    if message.pictures.is_empty() {
        return json!({ "role": message.role, "content": message.content });
    }
    let text = |text: String| json!({ "type": "text", "text": text });
    let mut parts = vec![text(message.content.clone())];
    for (number, picture) in (1..).zip(&message.pictures) {
        let data = STANDARD.encode(picture.png());
        parts.push(text(format!("Picture {number}:")));
        parts.push(json!({ "type": "image_url", "image_url": { "url": format!("data:image/png;base64,{data}") } }));
    }
    json!({ "role": message.role, "content": parts })
}

/// The answer in a reply, or why there is none.
pub(crate) fn read(status: u16, body: &str) -> Result<Answer, Fault> {
    let json: Option<Value> = serde_json::from_str(body).ok();
    if !(200..300).contains(&status) {
        return Err(read_error(status, json.as_ref(), body));
    }
    let Some(json) = json else {
        return Err(Fault::Passing(format!("the reply is not JSON: {}", excerpt(body))));
    };
    // Some gateways report the failure of what is behind them under the status of their own success.
    if json.get("error").is_some_and(|error| !error.is_null()) && json.get("choices").is_none() {
        let status = json["error"]["code"].as_u64().and_then(|code| u16::try_from(code).ok());
        return Err(read_error(status.unwrap_or(500), Some(&json), body));
    }
    let odd = |what: &str| Fault::Passing(format!("the reply {what}: {}", excerpt(body)));
    let choice = json["choices"].get(0).ok_or_else(|| odd("has no choices"))?;
    let message = &choice["message"];
    let finish = read_finish(choice["finish_reason"].as_str());
    let refusal = message["refusal"]
        .as_str()
        .filter(|refusal| !refusal.is_empty())
        .map(str::to_owned);
    let text = match read_content(&message["content"]) {
        Some(text) => text,
        // Nothing was said because it was cut, held back or refused: that is what the model answered.
        None if refusal.is_some() || matches!(finish, FinishReason::Length | FinishReason::ContentFilter) => {
            String::new()
        }
        None => return Err(odd("has no text")),
    };
    Ok(Answer {
        text,
        finish,
        refusal,
        usage: read_usage(&json["usage"]),
    })
}

/// Whether a lasting fault is about the form of the answer or the probabilities that a request asks for, so that the same
/// request without them may be answered.
pub(crate) fn is_unsupported(sampling: &Sampling, message: &str) -> bool {
    let lower = message.to_lowercase();
    let says = |field: &str, words: &[&str]| {
        sampling.extra.contains_key(field) && words.iter().any(|word| lower.contains(word))
    };
    // A model that is not there is none, whatever it is called.
    !lower.starts_with("status 404")
        && (says("logprobs", &["logprob", "log prob"])
            || says(
                "response_format",
                &[
                    "response_format",
                    "response format",
                    "json_schema",
                    "json schema",
                    "structured output",
                    "guided_",
                    "guided decoding",
                ],
            ))
}

/// The identifiers in a list of models; `None` when it is no such list.
pub(crate) fn read_models(body: &str) -> Option<Vec<String>> {
    let json: Value = serde_json::from_str(body).ok()?;
    let models = json["data"].as_array()?;
    Some(
        models
            .iter()
            .filter_map(|model| model["id"].as_str().map(str::to_owned))
            .collect(),
    )
}

/// Text, given as such or in parts; `None` when there is none.
fn read_content(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts
                .iter()
                .filter_map(|part| part.as_str().or_else(|| part["text"].as_str()))
                .collect();
            (!texts.is_empty()).then(|| texts.concat())
        }
        _ => None,
    }
}

fn read_finish(reason: Option<&str>) -> FinishReason {
    match reason {
        Some("stop" | "eos" | "end_turn" | "stop_sequence") => FinishReason::Stop,
        Some("length" | "max_tokens") => FinishReason::Length,
        Some("content_filter") => FinishReason::ContentFilter,
        _ => FinishReason::Other,
    }
}

/// Tokens, when both counts are there: a half-told usage would make a cost that is too low.
fn read_usage(usage: &Value) -> Option<Usage> {
    let count = |name: &str, other: &str| usage[name].as_u64().or_else(|| usage[other].as_u64());
    Usage::credible(
        count("prompt_tokens", "input_tokens")?,
        count("completion_tokens", "output_tokens")?,
    )
}

/// What an error reply means.
fn read_error(status: u16, json: Option<&Value>, body: &str) -> Fault {
    let null = Value::Null;
    let json = json.unwrap_or(&null);
    let error = &json["error"];
    let words = [
        &error["message"],
        &error["metadata"]["raw"],
        error,
        &json["message"],
        &json["detail"],
    ];
    let said = words
        .into_iter()
        .find_map(Value::as_str)
        .map_or_else(|| excerpt(body), excerpt);
    let said = if said.is_empty() {
        "no explanation".to_owned()
    } else {
        said
    };
    let message = format!("status {status}: {said}");
    let codes: Vec<&str> = [
        &error["code"],
        &error["type"],
        &json["code"],
        &error["innererror"]["code"],
    ]
    .into_iter()
    .filter_map(Value::as_str)
    .collect();
    let is_coded = |wanted: &[&str]| codes.iter().any(|code| wanted.contains(code));
    let lower = said.to_lowercase();
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));

    if is_coded(&["insufficient_quota", "invalid_api_key", "billing_hard_limit_reached"]) {
        return Fault::Unauthorized(message);
    }
    // A limit of tokens a minute also speaks of tokens and limits; it passes.
    if status == 429 {
        return Fault::Passing(message);
    }
    let too_long_codes = ["context_length_exceeded", "exceed_context_size_error"];
    let too_long_phrases = [
        "maximum context length",
        "context length exceeded",
        "exceeds the available context size",
        "exceeds the context window",
        "exceed context window",
        "prompt is too long",
        "input is too long",
        "larger than the context",
    ];
    if status == 413 || is_coded(&too_long_codes) || says(&too_long_phrases) {
        return Fault::TooLong(message);
    }
    let filter_codes = [
        "content_filter",
        "content_policy_violation",
        "ResponsibleAIPolicyViolation",
        "data_inspection_failed",
    ];
    if is_coded(&filter_codes) || says(&["content management policy", "content policy", "input was flagged"]) {
        return Fault::Filtered(message);
    }
    match status {
        401..=403 => Fault::Unauthorized(message),
        408 | 409 | 425 | 429 => Fault::Passing(message),
        501 => Fault::Lasting(message),
        500.. => Fault::Passing(message),
        _ => Fault::Lasting(message),
    }
}

/// The beginning of what an endpoint said, on one line and without control characters.
pub(crate) fn excerpt(text: &str) -> String {
    let mut short = String::new();
    for word in text.split_whitespace() {
        if !short.is_empty() {
            short.push(' ');
        }
        short.extend(
            word.chars()
                .filter(|character| !character.is_control())
                .take(LONGEST_MESSAGE + 1),
        );
        if short.chars().count() > LONGEST_MESSAGE {
            short = short.chars().take(LONGEST_MESSAGE).collect();
            short.push('…');
            break;
        }
    }
    short
}

#[cfg(test)]
mod tests;
