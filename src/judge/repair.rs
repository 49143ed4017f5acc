//! One more request for a verdict that could not be read: the same conversation, and only its last line is asked for.

use minijinja::value::{Serde, Value};
use minijinja::{Environment, UndefinedBehavior, context};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::prompt::{PromptError, short_names, template_error};
use super::protocol::{Criterion, GREATEST_SCORE, LEAST_SCORE};
use super::{NoVerdict, Outcome, Trial};
use crate::model::Message;

/// The request for repair that was made after an answer without a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Repair {
    /// Why the first answer had no verdict.
    pub was: NoVerdict,
    /// The same in words.
    pub detail: String,
    /// Key of the call that asked again, when it was answered.
    pub call: Option<String>,
    /// What was answered to it.
    pub raw: Option<String>,
    /// How the call failed, when there is no second answer; the judgment then stays what it was. A run that makes no
    /// calls makes no request either, and keeps nothing here.
    pub failure: Option<String>,
}

/// Why an outcome is worth a request for repair: there was an answer, and no verdict in it. Refusals and what a filter
/// held back are answers of their own. So are *ambiguous* ones: a judge that says `partly correct` or ties two
/// explanations has said what it holds, and asking for one word without reasons would make it choose; they are asked
/// again only where a study wants that.
pub fn reason(outcome: &Outcome, ambiguous_too: bool) -> Option<(NoVerdict, &str)> {
    let Outcome::None { state, detail } = outcome else {
        return None;
    };
    let is_worth = match state {
        NoVerdict::Unparsed | NoVerdict::Truncated => true,
        NoVerdict::Ambiguous => ambiguous_too,
        NoVerdict::Refused | NoVerdict::TooLong | NoVerdict::Filtered | NoVerdict::Error | NoVerdict::NoQuorum => false,
    };
    is_worth.then_some((*state, detail))
}

/// The conversation that asks again.
pub fn conversation(trial: &Trial, mut messages: Vec<Message>, answer: &str) -> Result<Vec<Message>, PromptError> {
    let said = if answer.trim().is_empty() {
        "(no answer)"
    } else {
        answer
    };
    messages.push(Message::assistant(said));
    messages.push(Message::user(request(trial)?));
    Ok(messages)
}

/// The name of the built-in prompt.
const NAME: &str = "judge_prompts/repair.txt";

fn request(trial: &Trial) -> Result<String, PromptError> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    let source = include_str!("../../judge_prompts/repair.txt");
    let values = context! {
        task => Value::from(Serde(trial.task)),
        kind => Value::from(Serde(trial.kind)),
        protocol => Value::from(Serde(trial.protocol)),
        ties => trial.ties,
        options => trial.options.clone(),
        names => short_names(&trial.labels),
        criteria => Criterion::ALL.map(Criterion::name),
        least => LEAST_SCORE,
        greatest => GREATEST_SCORE,
    };
    environment
        .render_named_str(NAME, source, values)
        .map(|text| text.trim_end().to_owned())
        .map_err(|error| template_error(NAME, &error))
}
