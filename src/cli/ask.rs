//! `tabjury ask`: one question of one table, answered and explained.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::arguments::AskArguments;
use super::chain::{self, Look};
use super::exit::{Exit, Failure};
use super::files;
use super::printer::Printer;
use super::run::runtime;
use super::schema::pretty;
use crate::dataset::{self, DatasetKind, QuestionKind, Sample};
use crate::engine::Engine;
use crate::explain::{self, AnswerVisibility, Format};
use crate::method::{self, Descriptor, Method, Question};
use crate::model::{CallError, CallStore, ModelEntry, Options, build};
use crate::trace::{AnswerFailure, Trace};

/// Runs the command.
pub(super) fn run(arguments: &AskArguments, printer: &Printer) -> Result<Exit, Failure> {
    keep_apart(arguments)?;
    let printer = &printer.beside(&outputs(arguments.html.as_deref(), arguments.json.as_deref()));
    let (descriptor, method) = chosen_method(arguments)?;
    let sample = sample(arguments)?;
    check_kind(descriptor, sample.kind)?;
    let format = default_format(descriptor)?;
    let entry = model_entry(arguments)?;
    // Paths on a command line start at the working directory, not at a study file.
    let options = Options::default();
    let model = build(&entry, &Arc::new(CallStore::in_memory()), &options)
        .map_err(|error| Failure::new(Exit::BadInput, error, "mend the options or the file that it names"))?;
    let engine = Engine::default();
    let question = Question {
        sample: &sample,
        answerer: descriptor.name,
        model: model.as_ref(),
        engine: &engine,
    };
    let trace = runtime()?.block_on(method.answer(question));
    let written = (arguments.html.as_deref(), arguments.json.as_deref());
    give(&sample, &trace, format, written, printer)?;
    outcome(&trace, arguments)
}

fn keep_apart(arguments: &AskArguments) -> Result<(), Failure> {
    let mut inputs = vec![("--table", arguments.table.as_path())];
    inputs.extend(arguments.script.as_deref().map(|path| ("--script", path)));
    files::keep_apart(&inputs, &outputs(arguments.html.as_deref(), arguments.json.as_deref()))
}

/// The outputs that a command with a page and a trace can have.
pub(super) fn outputs<'a>(html: Option<&'a Path>, json: Option<&'a Path>) -> Vec<files::Named<'a>> {
    let html = html.map(|path| ("--html", path));
    html.into_iter().chain(json.map(|path| ("--json", path))).collect()
}

/// Prints the chain, and writes page and trace where they were asked for.
pub(super) fn give(
    sample: &Sample,
    trace: &Trace,
    format: Format,
    (html, json): (Option<&Path>, Option<&Path>),
    printer: &Printer,
) -> Result<(), Failure> {
    let look = Look {
        colour: printer.colour,
        width: printer.width,
    };
    printer.data(&chain::render(sample, trace, look))?;
    if let Some(path) = json {
        files::write(path, pretty(trace)?.as_bytes())?;
    }
    if let Some(path) = html {
        let page = explain::render(sample, trace, format, AnswerVisibility::Shown);
        files::write(path, page.html.as_bytes())?;
    }
    Ok(())
}

fn chosen_method(arguments: &AskArguments) -> Result<(&'static Descriptor, Box<dyn Method>), Failure> {
    let descriptor = method::find(&arguments.method).ok_or_else(|| {
        Failure::message(
            Exit::Usage,
            format!("there is no method `{}`", arguments.method),
            "`tabjury methods` lists them",
        )
    })?;
    let settings: Map<String, Value> = arguments.settings.iter().cloned().collect();
    let method = (descriptor.build)(&Value::Object(settings)).map_err(|error| {
        Failure::new(
            Exit::Usage,
            error,
            "`tabjury methods` lists the settings of each method",
        )
    })?;
    Ok((descriptor, method))
}

fn sample(arguments: &AskArguments) -> Result<Sample, Failure> {
    let asked = arguments.statement.as_ref().or(arguments.question.as_ref());
    not_blank(asked.map(String::as_str))?;
    let (kind, question) = match (&arguments.statement, &arguments.question) {
        (Some(statement), _) => (QuestionKind::FactVerification, statement.clone()),
        (None, question) => (QuestionKind::ShortAnswer, question.clone().unwrap_or_default()),
    };
    sample_of(&arguments.table, arguments.caption.clone(), kind, question)
}

/// Refuses a question or statement without a word.
pub(super) fn not_blank(asked: Option<&str>) -> Result<(), Failure> {
    if asked.is_some_and(|text| text.trim().is_empty()) {
        return Err(Failure::message(
            Exit::Usage,
            "nothing is asked: the text is empty",
            "write the question or the statement between quotes",
        ));
    }
    Ok(())
}

/// A table file with what is asked of it, as a sample without a gold answer.
pub(super) fn sample_of(
    table: &Path,
    caption: Option<String>,
    kind: QuestionKind,
    question: String,
) -> Result<Sample, Failure> {
    let name = table.file_name().unwrap_or_default();
    let table = dataset::custom::read_table(table).map_err(|error| {
        Failure::new(
            Exit::BadInput,
            error,
            "mend the table, or name another file with --table",
        )
    })?;
    Ok(Sample {
        id: "question".to_owned(),
        dataset: DatasetKind::Custom,
        kind,
        table_id: name.to_string_lossy().into_owned(),
        caption,
        table,
        question,
        gold: None,
        groups: BTreeMap::new(),
    })
}

fn check_kind(descriptor: &Descriptor, kind: QuestionKind) -> Result<(), Failure> {
    if descriptor.kinds.contains(&kind) {
        return Ok(());
    }
    let (asked, other) = match kind {
        QuestionKind::FactVerification => ("statements", "--question"),
        QuestionKind::ShortAnswer | QuestionKind::FreeForm => ("questions with short answers", "--statement"),
    };
    Err(Failure::message(
        Exit::Usage,
        format!("the method `{}` is not defined for {asked}", descriptor.name),
        format!("use {other}, or another method (`tabjury methods` lists them)"),
    ))
}

fn default_format(descriptor: &Descriptor) -> Result<Format, Failure> {
    serde_json::from_value(Value::from(descriptor.default_format))
        .map_err(|error| Failure::new(Exit::Other, error, super::REPORT_DEFECT))
}

fn model_entry(arguments: &AskArguments) -> Result<ModelEntry, Failure> {
    if let Some(file) = &arguments.script {
        return Ok(ModelEntry::Script {
            name: arguments.model.clone().unwrap_or_else(|| "script".to_owned()),
            file: file.clone(),
        });
    }
    // Through the study file's own form, so that every default is the same here as there.
    let mut entry = Map::new();
    let mut set = |name: &str, value: Option<&str>| {
        if let Some(value) = value {
            entry.insert(name.to_owned(), Value::from(value));
        }
    };
    set("provider", Some("openai"));
    set("name", arguments.model.as_deref());
    set("model", arguments.model.as_deref());
    set("base_url", Some(&arguments.base_url));
    set("api_key_env", arguments.api_key_env.as_deref());
    serde_json::from_value(Value::Object(entry))
        .map_err(|error| Failure::new(Exit::Usage, error, "`tabjury ask --help` says how a model is named"))
}

/// No answer is no success, whoever reads the exit code.
fn outcome(trace: &Trace, arguments: &AskArguments) -> Result<Exit, Failure> {
    let Some(failure) = trace.failure.as_ref().filter(|_| trace.answer.is_none()) else {
        return Ok(Exit::Success);
    };
    let message = format!("there is no answer: {}", chain::failure(failure));
    Err(match failure {
        AnswerFailure::Call {
            error: CallError::Unauthorized { .. },
        } => Failure::message(
            Exit::Provider,
            message,
            "set the key, or name its variable with --api-key-env",
        ),
        AnswerFailure::Call { .. } if arguments.script.is_some() => Failure::message(
            Exit::Provider,
            message,
            "add the answer to the script, or name another one with --script",
        ),
        AnswerFailure::Call { .. } => Failure::message(
            Exit::Provider,
            message,
            "check --base-url and --model, and that the server is up",
        ),
        _ => Failure::message(Exit::TooManyFailures, message, "try another --method, or another model"),
    })
}
