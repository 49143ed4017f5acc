//! One trial before one judge: asked in the form that its model takes, asked once more where no verdict could be read, and
//! written down with how sure it was.

use crate::judge::confidence::confidence;
use crate::judge::response;
use crate::judge::settings::JudgeOutput;
use crate::judge::{Confidence, Judgment, NoVerdict, Outcome, Repair, Task, Trial, read, repair};
use crate::model::{CallError, Message, Purpose, Reply, Request, Sampling, logprobs};

use super::answer::halt_of_call;
use super::judge::{Bench, ReadyJudge, messages_for};
use super::work::Halt;

/// How many of the likeliest tokens are asked for in each place: the most that endpoints give.
const TOP_TOKENS: u32 = 20;

/// What of the judge's settings a request asks for; an endpoint may refuse either.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Form {
    output: JudgeOutput,
    probabilities: bool,
}

/// Puts a trial before a judge.
pub(super) async fn ask(bench: &Bench, judge: &ReadyJudge, trial: &Trial) -> (Judgment, Option<Halt>) {
    let (messages, result) = match first_answer(bench, judge, trial).await {
        Ok(asked) => asked,
        Err(detail) => return (unasked(judge, trial, detail), None),
    };
    let mut halt = result.as_ref().err().and_then(halt_of_call);
    let mut judgment = Judgment {
        trial: trial.id.clone(),
        judge: judge.entry.name.clone(),
        call: result.as_ref().ok().map(|reply| reply.call.clone()),
        raw: result.as_ref().ok().map(|reply| reply.text.clone()),
        outcome: read::read(trial, &result),
        repair: None,
        confidence: None,
    };
    if let (true, Ok(reply), Some((was, detail))) = (judge.entry.repair, &result, repair::reason(&judgment.outcome)) {
        let detail = detail.to_owned();
        let again = ask_again(judge, trial, messages, reply).await;
        halt = halt.or(again.as_ref().err().and_then(halt_of_call));
        judgment.repair = Some(Repair {
            was,
            detail,
            call: again.as_ref().ok().map(|reply| reply.call.clone()),
            raw: again.as_ref().ok().map(|reply| reply.text.clone()),
            failure: again.as_ref().err().map(ToString::to_string),
        });
        if again.is_ok() {
            judgment.outcome = read::read(trial, &again);
        }
    }
    if judge.entry.confidence.is_some() {
        judgment.confidence = Some(sureness(bench, trial, &judgment));
    }
    (judgment, halt)
}

/// The conversation and what came of it, in the first form that the endpoint takes.
async fn first_answer(
    bench: &Bench,
    judge: &ReadyJudge,
    trial: &Trial,
) -> Result<(Vec<Message>, Result<Reply, CallError>), String> {
    let mut first_failure = None;
    let mut refused = (false, false);
    for form in forms(judge) {
        if refused.0 && form.output == JudgeOutput::Json || refused.1 && form.probabilities {
            continue;
        }
        let messages = messages_for(bench, judge, trial, form.output)?;
        let result = judge.model.ask(request_in(judge, trial, messages.clone(), form)).await;
        match &result {
            Err(CallError::Failed { message }) if form.output == JudgeOutput::Json && response::is_refused(message) => {
                refused.0 = true;
            }
            Err(CallError::Failed { message }) if form.probabilities && message.contains("logprobs") => {
                refused.1 = true;
            }
            // The store holds the answer in the form that the endpoint took.
            Err(CallError::Offline { .. }) => {}
            _ => return Ok((messages, result)),
        }
        first_failure.get_or_insert((messages, result));
    }
    first_failure.ok_or_else(|| "there is no form to ask in".to_owned())
}

/// What the judge's settings ask for, then less of it.
fn forms(judge: &ReadyJudge) -> Vec<Form> {
    let wanted = wanted(judge);
    let mut forms = vec![wanted];
    for (output, probabilities) in [
        (wanted.output, false),
        (JudgeOutput::Text, wanted.probabilities),
        (JudgeOutput::Text, false),
    ] {
        let form = Form { output, probabilities };
        if !forms.contains(&form) {
            forms.push(form);
        }
    }
    forms
}

fn wanted(judge: &ReadyJudge) -> Form {
    Form {
        output: judge.entry.output,
        probabilities: judge.entry.confidence.is_some(),
    }
}

/// Asks for the last line alone. The form is text: it is what every endpoint takes.
async fn ask_again(
    judge: &ReadyJudge,
    trial: &Trial,
    messages: Vec<Message>,
    reply: &Reply,
) -> Result<Reply, CallError> {
    let messages = repair::conversation(trial, messages, &reply.text).map_err(|error| CallError::Failed {
        message: error.to_string(),
    })?;
    let form = Form {
        output: JudgeOutput::Text,
        probabilities: false,
    };
    let mut request = request_in(judge, trial, messages, form);
    request.purpose.name = repair_purpose(trial.task);
    judge.model.ask(request).await
}

/// The request of a trial, in the form that the judge's settings ask for.
pub(super) fn request(judge: &ReadyJudge, trial: &Trial, messages: Vec<Message>) -> Request {
    request_in(judge, trial, messages, wanted(judge))
}

fn request_in(judge: &ReadyJudge, trial: &Trial, messages: Vec<Message>, form: Form) -> Request {
    let mut sampling = Sampling {
        temperature: Some(judge.entry.temperature),
        max_tokens: Some(judge.entry.max_tokens),
        ..Sampling::default()
    };
    if form.output == JudgeOutput::Json {
        sampling.extra.extend(response::parameters(trial));
    }
    if form.probabilities {
        sampling.extra.insert("logprobs".to_owned(), true.into());
        sampling.extra.insert("top_logprobs".to_owned(), TOP_TOKENS.into());
    }
    Request {
        purpose: Purpose {
            name: purpose(trial.task).to_owned(),
            sample: trial.sample.clone(),
            arm: trial.arms.join("+"),
            turn: trial.turn,
        },
        messages,
        sampling,
        repeat: trial.repeat,
    }
}

/// The purpose of the calls of a task.
pub(super) fn purpose(task: Task) -> &'static str {
    match task {
        Task::Preference => "judge.preference",
        Task::Simulation => "judge.simulation",
        Task::Verification => "judge.verification",
    }
}

/// The purpose of the calls that ask for a verdict of a task again.
pub(super) fn repair_purpose(task: Task) -> String {
    format!("{}.repair", purpose(task))
}

/// How sure a verdict was. One that was repaired was said a second time, without probabilities.
fn sureness(bench: &Bench, trial: &Trial, judgment: &Judgment) -> Confidence {
    if judgment.is_repaired() {
        return Confidence::Absent {
            reason: "the verdict was repaired".to_owned(),
        };
    }
    let record = judgment
        .call
        .as_ref()
        .and_then(|call| bench.store.record(call).ok().flatten());
    let tokens = record.and_then(|record| logprobs::tokens(&record.raw));
    confidence(trial, &judgment.outcome, tokens.as_deref())
}

fn unasked(judge: &ReadyJudge, trial: &Trial, detail: String) -> Judgment {
    Judgment {
        trial: trial.id.clone(),
        judge: judge.entry.name.clone(),
        call: None,
        raw: None,
        outcome: Outcome::None {
            state: NoVerdict::Error,
            detail,
        },
        repair: None,
        confidence: None,
    }
}

/// How the call failed that left a judgment without a verdict, if one did.
pub(super) fn call_failure(judgment: &Judgment) -> Option<String> {
    match &judgment.outcome {
        Outcome::None {
            state: NoVerdict::Error,
            detail,
        } if judgment.call.is_none() => Some(detail.clone()),
        _ => None,
    }
}
