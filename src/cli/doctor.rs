//! `tabjury doctor`: what works on this machine, and what to do about what does not.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use super::arguments::DoctorArguments;
use super::exit::{Exit, Failure};
use super::printer::Printer;
use super::run::{bad_study, runtime};
use crate::explain::visible_text::visible_line;
use crate::model::store::CallStore;
use crate::model::{CallError, Message, Model as _, ModelEntry, Options, Purpose, Request, Sampling, build};
use crate::study::Study;

/// Longest time of the one question that an endpoint is asked.
const PATIENCE_SECONDS: u64 = 30;

/// What was looked at and found.
struct Finding {
    what: String,
    state: State,
    detail: String,
    /// What to do, where something is to be done.
    next: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Works,
    /// Not here, and only needed for some things.
    Missing,
    /// Does not answer, or refuses.
    Broken,
    /// Wrong in the study or in a file that it names.
    BadInput,
}

impl Finding {
    fn works(what: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            state: State::Works,
            detail: detail.into(),
            next: None,
        }
    }

    fn not(state: State, what: impl Into<String>, detail: impl Into<String>, next: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            state,
            detail: detail.into(),
            next: Some(next.into()),
        }
    }

    fn line(&self) -> String {
        let sign = match self.state {
            State::Works => "ok     ",
            State::Missing => "missing",
            State::Broken | State::BadInput => "BROKEN ",
        };
        let (what, detail) = (visible_line(&self.what), visible_line(&self.detail));
        let next = self
            .next
            .as_ref()
            .map_or_else(String::new, |next| format!("\n          do: {}", visible_line(next)));
        format!("{sign}  {what}: {detail}{next}\n")
    }
}

/// Runs the command.
pub(super) fn run(arguments: &DoctorArguments, printer: &Printer) -> Result<Exit, Failure> {
    let mut findings = vec![
        Finding::works("tabjury", env!("CARGO_PKG_VERSION")),
        python(),
        browser(),
    ];
    match &arguments.study {
        Some(path) => {
            let study = Study::load(path).map_err(bad_study)?;
            findings.push(Finding::works("study", format!("{} can be read", path.display())));
            let runtime = runtime()?;
            for entry in &study.file.models {
                findings.push(runtime.block_on(model(entry, &study.base)));
            }
        }
        None => findings.push(key()),
    }
    let text: String = findings.iter().map(Finding::line).collect();
    printer.data(&text)?;
    let found = |state| findings.iter().any(|finding| finding.state == state);
    Ok(if found(State::BadInput) {
        Exit::BadInput
    } else if found(State::Broken) {
        Exit::Provider
    } else {
        Exit::Success
    })
}

fn python() -> Finding {
    let version = std::process::Command::new("python3")
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .ok()
        .filter(|output| output.status.success());
    match version {
        Some(output) => Finding::works("python3", String::from_utf8_lossy(&output.stdout).trim()),
        None => Finding::not(
            State::Missing,
            "python3",
            "not on the PATH; only the notebooks need it",
            "install Python 3.9 or later, such as: apt-get install python3",
        ),
    }
}

fn browser() -> Finding {
    let names = ["chromium", "chromium-browser", "google-chrome", "firefox"];
    match names.iter().find_map(|name| on_path(OsStr::new(name))) {
        Some(path) => Finding::works("browser", path.display().to_string()),
        None => Finding::not(
            State::Missing,
            "browser",
            "none on the PATH; any browser opens reports and pages from disk",
            "to open them on this machine, install one, such as: apt-get install chromium",
        ),
    }
}

fn on_path(name: &OsStr) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|directory| directory.join(name))
        .find(|candidate| candidate.is_file())
}

fn key() -> Finding {
    if std::env::var_os("OPENAI_API_KEY").is_some_and(|key| !key.is_empty()) {
        return Finding::works("key", "OPENAI_API_KEY is set; name a study file to try its endpoints");
    }
    Finding::not(
        State::Missing,
        "key",
        "OPENAI_API_KEY is not set; servers on your own machine need none",
        "export OPENAI_API_KEY=..., or name a study file to try the endpoints it has",
    )
}

/// Asks the model one short question, once.
async fn model(entry: &ModelEntry, directory: &Path) -> Finding {
    let what = format!("model `{}`", entry.name());
    let mut entry = entry.clone();
    let mut place = "its file".to_owned();
    if let ModelEntry::Openai {
        base_url,
        timeout_seconds,
        max_retries,
        ..
    } = &mut entry
    {
        *timeout_seconds = (*timeout_seconds).min(PATIENCE_SECONDS);
        *max_retries = 0;
        place = base_url.clone();
    }
    let options = Options {
        directory: directory.to_owned(),
        ..Options::default()
    };
    let built = match build(&entry, &Arc::new(CallStore::in_memory()), &options) {
        Ok(built) => built,
        Err(error) => {
            return Finding::not(
                State::BadInput,
                what,
                error.to_string(),
                "mend its entry under [[models]]",
            );
        }
    };
    if matches!(entry, ModelEntry::Script { .. }) {
        return Finding::works(what, "its file of answers can be read");
    }
    let question = Request {
        purpose: Purpose {
            name: "doctor".to_owned(),
            sample: String::new(),
            arm: String::new(),
            turn: 0,
        },
        messages: vec![Message::user("Reply with the word OK.")],
        sampling: Sampling {
            max_tokens: Some(16),
            ..Sampling::default()
        },
        repeat: 0,
    };
    let patience = Duration::from_secs(PATIENCE_SECONDS + 5);
    match tokio::time::timeout(patience, built.ask(question)).await {
        Ok(Ok(reply)) => Finding::works(what, format!("{place} answers ({:?})", reply.text)),
        Ok(Err(error)) => {
            let next = next_step(&error);
            Finding::not(State::Broken, what, format!("{place}: {error}"), next)
        }
        Err(_) => Finding::not(
            State::Broken,
            what,
            format!("{place} did not answer within {} s", patience.as_secs()),
            "check that the server is up and not busy",
        ),
    }
}

fn next_step(error: &CallError) -> &'static str {
    match error {
        CallError::Unauthorized { .. } => {
            "set the key that the message names, or api_key_env or api_key_file of the model"
        }
        CallError::Failed { .. } | CallError::Unsupported { .. } => {
            "check base_url and model, and that the server is up"
        }
        _ => "check base_url, model and sampling of its entry under [[models]]",
    }
}
