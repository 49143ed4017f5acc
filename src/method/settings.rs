//! Reading a method's settings out of a study file.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Method, SettingsError};
use crate::model::Sampling;

/// Reads settings, refusing unknown names, and checks what each of them may be. `null` is no settings at all.
pub(super) fn read<S: DeserializeOwned>(
    method: &'static str,
    settings: &Value,
    check: impl Fn(&S) -> Result<(), String>,
) -> Result<S, SettingsError> {
    let error = |message| SettingsError { method, message };
    let settings = match settings {
        Value::Null => Value::Object(serde_json::Map::new()),
        settings => settings.clone(),
    };
    let settings: S = serde_path_to_error::deserialize(settings).map_err(|failure| {
        let path = failure.path().to_string();
        let message = failure.into_inner().to_string();
        error(if path == "." {
            message
        } else {
            format!("{path}: {message}")
        })
    })?;
    check(&settings).map_err(error)?;
    Ok(settings)
}

/// Every setting as it stands in a trace.
pub(super) fn write<S: Serialize>(settings: &S) -> Value {
    serde_json::to_value(settings).unwrap_or(Value::Null)
}

/// The settings of a built method, typed again; the defaults where it is another method's.
pub(super) fn of<S: DeserializeOwned + Default>(method: &dyn Method) -> S {
    serde_json::from_value(method.settings()).unwrap_or_default()
}

/// Checks the settings that every method has.
pub(super) fn check_call(temperature: f64, max_tokens: u32, table_tokens: usize) -> Result<(), String> {
    if !(0.0..=2.0).contains(&temperature) {
        return Err(format!("temperature is {temperature}, but must be from 0 to 2"));
    }
    if max_tokens == 0 {
        return Err("max_tokens is 0, but an answer needs at least 1".to_owned());
    }
    if table_tokens == 0 {
        return Err("table_tokens is 0, but a prompt without a table answers nothing".to_owned());
    }
    Ok(())
}

/// How every call of a method is sampled.
pub(super) fn sampling(temperature: f64, max_tokens: u32, stop: &[String]) -> Sampling {
    Sampling {
        temperature: Some(temperature),
        max_tokens: Some(max_tokens),
        stop: stop.to_vec(),
        ..Sampling::default()
    }
}
