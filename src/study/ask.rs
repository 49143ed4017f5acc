//! One trial before one judge: asked in the form that its model takes, asked once more where no verdict could be read, and
//! written down with how sure it was.

use tokio::sync::OnceCell;

use crate::judge::confidence::confidence;
use crate::judge::response;
use crate::judge::settings::JudgeOutput;
use crate::judge::{AskedForm, Confidence, Judgment, NoVerdict, Outcome, Repair, Task, Trial, read, repair};
use crate::model::{CallError, CallOutcome, Message, Purpose, Reply, Request, Sampling, StoreError, logprobs};

use super::answer::halt_of_call;
use super::judge::{Bench, ReadyJudge, messages_for};
use super::work::Halt;

/// How many of the likeliest tokens are asked for in each place: the most that endpoints give.
const TOP_TOKENS: u32 = 20;

/// What of the judge's settings a request asks for; an endpoint may refuse either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    output: JudgeOutput,
    probabilities: bool,
}

impl Form {
    const PLAIN: Self = Self {
        output: JudgeOutput::Text,
        probabilities: false,
    };

    /// Whether it asks for nothing that the other one does not.
    fn is_within(self, other: Self) -> bool {
        (self.output == JudgeOutput::Text || other.output == JudgeOutput::Json)
            && (other.probabilities || !self.probabilities)
    }
}

/// The form that a judge's endpoint takes, by task: found with the first trial of the task, for all of them. So an endpoint
/// is not asked for what it refuses over and over, and a resumed run finds out from the store.
#[derive(Debug, Default)]
pub(super) struct Settled([OnceCell<Form>; 3]);

impl Settled {
    fn of(&self, task: Task) -> &OnceCell<Form> {
        &self.0[match task {
            Task::Preference => 0,
            Task::Simulation => 1,
            Task::Verification => 2,
        }]
    }
}

/// What came of asking in one form.
struct Answered {
    messages: Vec<Message>,
    result: Result<Reply, CallError>,
    form: Form,
}

/// Puts a trial before a judge.
pub(super) async fn ask(bench: &Bench, judge: &ReadyJudge, trial: &Trial) -> (Judgment, Option<Halt>) {
    let Answered { messages, result, form } = match first_answer(bench, judge, trial).await {
        Ok(asked) => asked,
        Err(detail) => return (unasked(judge, trial, detail), None),
    };
    let mut halt = result.as_ref().err().and_then(halt_of_call);
    let mut judgment = Judgment {
        trial: trial.id.clone(),
        judge: judge.entry.name.clone(),
        call: result.as_ref().ok().map(|reply| reply.call.clone()),
        raw: result.as_ref().ok().map(|reply| reply.text.clone()),
        asked: Some(AskedForm {
            output: form.output,
            refused: form.output != judge.entry.output,
        }),
        outcome: read::read(trial, &result),
        repair: None,
        confidence: None,
    };
    let reason = repair::reason(&judgment.outcome, judge.entry.repair_ambiguous);
    if let (true, Ok(reply), Some((was, detail))) = (judge.entry.repair, &result, reason) {
        let detail = detail.to_owned();
        let again = ask_again(judge, trial, messages, reply).await;
        halt = halt.or(again.as_ref().err().and_then(halt_of_call));
        // Offline no request is made, so that there is none to keep.
        if !matches!(again, Err(CallError::Offline { .. })) {
            judgment.repair = Some(Repair {
                was,
                detail,
                call: again.as_ref().ok().map(|reply| reply.call.clone()),
                raw: again.as_ref().ok().map(|reply| reply.text.clone()),
                failure: again.as_ref().err().map(ToString::to_string),
            });
        }
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
async fn first_answer(bench: &Bench, judge: &ReadyJudge, trial: &Trial) -> Result<Answered, String> {
    let settled = settled_form(bench, judge, trial.task).await;
    let mut first_failure = None;
    let mut allowed = settled;
    for form in forms(wanted(judge)) {
        if !form.is_within(allowed) {
            continue;
        }
        let messages = messages_for(bench, judge, trial, form.output)?;
        let result = judge.model.ask(request_in(judge, trial, messages.clone(), form)).await;
        let answered = Answered { messages, result, form };
        match answered.result.as_ref().err() {
            Some(error) if let Some(less) = without_refused(form, error) => allowed = less,
            // The store may hold the answer in a form that the endpoint took.
            Some(CallError::Offline { .. }) => {}
            _ => return Ok(answered),
        }
        first_failure.get_or_insert(answered);
    }
    first_failure.ok_or_else(|| "there is no form to ask in".to_owned())
}

/// The form in which the trials of a task are asked, found with the first of them.
async fn settled_form(bench: &Bench, judge: &ReadyJudge, task: Task) -> Form {
    let wanted = wanted(judge);
    if wanted == Form::PLAIN {
        return wanted;
    }
    let find = || async {
        let Some(first) = bench.trials.iter().find(|trial| trial.task == task) else {
            return wanted;
        };
        let mut allowed = wanted;
        for form in forms(wanted) {
            if !form.is_within(allowed) {
                continue;
            }
            let Ok(messages) = messages_for(bench, judge, first, form.output) else {
                return wanted;
            };
            match judge.model.ask(request_in(judge, first, messages, form)).await {
                Ok(_) => return form,
                Err(error) => match without_refused(form, &error) {
                    Some(less) => allowed = less,
                    // Nothing is known of the form; each trial finds out for itself.
                    None => return wanted,
                },
            }
        }
        allowed
    };
    *judge.settled.of(task).get_or_init(find).await
}

/// What is left of a form that a failed call says is refused; `None` where it failed for another reason.
fn without_refused(form: Form, error: &CallError) -> Option<Form> {
    let (CallError::Unsupported { message } | CallError::Failed { message }) = error else {
        return None;
    };
    if form.output == JudgeOutput::Json && response::is_refused(message) {
        return Some(Form {
            output: JudgeOutput::Text,
            ..form
        });
    }
    (form.probabilities && message.contains("logprob")).then_some(Form {
        probabilities: false,
        ..form
    })
}

/// What is asked for, then less of it.
fn forms(wanted: Form) -> Vec<Form> {
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

/// The request that a run would make next for a trial by what the store holds: `None` where it holds the answer. Nothing
/// is asked.
pub(super) fn next_request(
    bench: &Bench,
    judge: &ReadyJudge,
    trial: &Trial,
    stored: impl Fn(&Request) -> Result<Option<CallOutcome>, StoreError>,
) -> Result<Option<Request>, StoreError> {
    let mut allowed = wanted(judge);
    // What the first trial of the task was refused holds for all.
    let first = bench.trials.iter().find(|other| other.task == trial.task);
    for asked in first.into_iter().chain([trial]) {
        for form in forms(wanted(judge)) {
            if !form.is_within(allowed) {
                continue;
            }
            let Ok(messages) = messages_for(bench, judge, asked, form.output) else {
                return Ok(None);
            };
            let request = request_in(judge, asked, messages, form);
            match stored(&request)? {
                Some(CallOutcome::Error(error)) if let Some(less) = without_refused(form, &error) => allowed = less,
                None if asked.id == trial.id => return Ok(Some(request)),
                _ if asked.id == trial.id => return Ok(None),
                _ => break,
            }
        }
    }
    Ok(None)
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
    let mut request = request_in(judge, trial, messages, Form::PLAIN);
    request.purpose.name = repair_purpose(trial.task);
    judge.model.ask(request).await
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
    let completeness = match record.as_ref().map(|record| &record.outcome) {
        Some(CallOutcome::Answer { finish, .. }) => read::completeness(*finish),
        _ => read::Completeness::Whole,
    };
    let tokens = record.and_then(|record| logprobs::tokens(&record.raw));
    confidence(trial, &judgment.outcome, tokens.as_deref(), completeness)
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
        asked: None,
        repair: None,
        confidence: None,
    }
}

/// How a call failed that left a judgment without a verdict, if one did: the call itself, or the one that asked again.
pub(super) fn call_failure(judgment: &Judgment) -> Option<String> {
    match &judgment.outcome {
        Outcome::None {
            state: NoVerdict::Error,
            detail,
        } if judgment.call.is_none() => Some(detail.clone()),
        Outcome::None { .. } => judgment.repair.as_ref().and_then(|repair| repair.failure.clone()),
        Outcome::Verdict(_) => None,
    }
}
