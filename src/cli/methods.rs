//! `tabjury methods`: the registry, for people and as JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::arguments::MethodsArguments;
use super::exit::{Exit, Failure};
use super::printer::Printer;
use super::schema::pretty;
use crate::dataset::QuestionKind;
use crate::method::{Descriptor, registry};

/// Runs the command.
pub(super) fn run(arguments: &MethodsArguments, printer: &Printer) -> Result<Exit, Failure> {
    if arguments.json {
        let methods: Vec<Value> = registry().iter().map(as_json).collect();
        printer.data(&pretty(&methods)?)?;
    } else {
        let methods: Vec<String> = registry().iter().map(as_text).collect();
        printer.data(&methods.join("\n"))?;
    }
    Ok(Exit::Success)
}

/// The data sets whose samples ask this kind of question.
fn datasets(kind: QuestionKind) -> &'static str {
    match kind {
        QuestionKind::FactVerification => "statements (TabFact, your own)",
        QuestionKind::ShortAnswer => "short answers (WikiTQ, your own)",
        QuestionKind::FreeForm => "sentences (FeTaQA, your own)",
    }
}

fn as_text(method: &Descriptor) -> String {
    let answers: Vec<&str> = method.kinds.iter().map(|kind| datasets(*kind)).collect();
    let mut text = String::new();
    let _ = writeln!(text, "{}  {}", method.name, method.title);
    let _ = writeln!(text, "    {}", method.summary);
    let _ = writeln!(text, "    source:  {}", method.source);
    let _ = writeln!(text, "    answers: {}", answers.join(", "));
    let _ = writeln!(text, "    calls per question: {}", method.calls);
    for (index, setting) in method.settings.iter().enumerate() {
        let head = if index == 0 { "settings:" } else { "" };
        let _ = writeln!(
            text,
            "    {head:<10}{} = {}  ({})",
            setting.name, setting.default, setting.meaning
        );
    }
    text
}

fn as_json(method: &Descriptor) -> Value {
    let settings: Vec<Value> = method
        .settings
        .iter()
        .map(|setting| json!({"name": setting.name, "default": setting.default, "meaning": setting.meaning}))
        .collect();
    json!({
        "name": method.name,
        "title": method.title,
        "summary": method.summary,
        "source": method.source,
        "kinds": method.kinds,
        "calls": method.calls,
        "purposes": method.purposes,
        "settings": settings,
    })
}
