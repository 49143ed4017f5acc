//! Trials: the lists behind the figures, and one page each with everything that made its figure.

use askama::Template;

use crate::dataset::Answer;
use crate::judge::{CONTROL_ARM, Confidence, Judgment, Outcome, Task, Trial, Verdict};
use crate::report::ReportError;
use crate::report::control::Controls;
use crate::report::flags::{counted, task_name};
use crate::report::index::{Index, Scored};
use crate::report::names::{reading_name, state_name, verdict_text};
use crate::report::quantities::Readings;
use crate::report::records::{CallLookup, CallView};

use super::REPORT;
use super::anchors;
use super::answers::{gold_text, verdict};
use super::links::{TrialPaths, find_page, href};
use super::view::{Block, CellView, Folded, TableView, excerpt, percent};

/// Coverage over its counts, with the reasons for what is missing.
pub(super) fn readings_cells(readings: &Readings) -> CellView {
    let mut cell = CellView::figure(&readings.coverage, percent);
    let mut words: Vec<String> = readings
        .unread
        .iter()
        .map(|(state, count)| format!("{count} {}", state_name(*state).replace('_', " ")))
        .collect();
    if readings.not_asked() > 0 {
        words.push(format!("{} not asked", readings.not_asked()));
    }
    cell.detail = words.join(", ");
    cell
}

/// Why a trial has no verdict.
pub(super) fn state_cell(scored: &Scored) -> CellView {
    let cell = CellView::text(reading_name(scored).replace('_', " "));
    if scored.judgment.is_some() {
        cell.class("bad")
    } else {
        cell
    }
}

/// Said in place of figures that do not exist.
pub(super) fn not_asked() -> Block {
    Block::Text("No trial of this task was put before this judge.".to_owned())
}

/// The trials of every arm before one judge, and of the control last.
pub(super) fn trial_lists(index: &Index, paths: &TrialPaths, task: Task, judge: usize) -> Vec<Block> {
    let arms = index
        .records
        .study
        .arms
        .iter()
        .map(|arm| arm.name.as_str())
        .chain([CONTROL_ARM]);
    arms.enumerate()
        .filter_map(|(number, arm)| {
            let id = anchors::trials(task, judge, Some(number));
            arm_trial_list(index, paths, task, judge, arm, id).map(Block::Folded)
        })
        .collect()
}

/// All trials of one arm (or the control) before one judge, unless there are none.
fn arm_trial_list(
    index: &Index,
    paths: &TrialPaths,
    task: Task,
    judge: usize,
    arm: &str,
    id: String,
) -> Option<Folded> {
    let name = &index.records.study.judges.get(judge)?.name;
    let scored = index.scored(task, name);
    let controls = Controls::among(&index.records.study, scored);
    let own: Vec<&Scored> = scored
        .iter()
        .filter(|scored| matches!(scored.trial.arms.as_slice(), [shown] if shown == arm))
        .collect();
    if own.is_empty() {
        return None;
    }
    let said = if task == Task::Simulation { "guess" } else { "verdict" };
    let mut columns = vec![
        "trial",
        "sample",
        "question",
        "model's answer",
        "which is",
        said,
        "outcome",
    ];
    if arm != CONTROL_ARM {
        columns.push("control");
    }
    let mut table = TableView::new("", &columns);
    for scored in &own {
        let mut row = vec![
            CellView::head(&scored.trial.id).to(paths.page(&scored.trial.id, judge)),
            CellView::text(&scored.trial.sample),
            CellView::text(
                scored
                    .sample
                    .map(|sample| excerpt(&sample.question, 90))
                    .unwrap_or_default(),
            ),
            CellView::text(
                scored
                    .trial
                    .prediction
                    .as_ref()
                    .map(|answer| excerpt(&answer.display(), 80))
                    .unwrap_or_default(),
            ),
            verdict(scored.prediction_right, "right", "wrong"),
            match scored.verdict() {
                Some(verdict) => CellView::text(excerpt(&verdict_text(verdict), 80)),
                None => state_cell(scored),
            },
            outcome_cell(scored, arm == CONTROL_ARM),
        ];
        if arm != CONTROL_ARM {
            row.push(match controls.of(scored) {
                Some(control) => {
                    let (yes, no) = outcome_words(task);
                    let success = controls.success(scored);
                    let mut cell = match success {
                        Some(_) => verdict(success, yes, no),
                        None => state_cell(control),
                    };
                    cell.href = paths.page(&control.trial.id, judge);
                    cell
                }
                None => CellView::default(),
            });
        }
        table.rows.push(row);
    }
    let what = if arm == CONTROL_ARM {
        "control without an explanation".to_owned()
    } else {
        arm.to_owned()
    };
    Some(Folded {
        id,
        summary: format!(
            "All {} of {name} in {}: {what}",
            counted(own.len(), "trial"),
            task_name(task)
        ),
        table,
    })
}

fn task_title(task: Task) -> &'static str {
    match task {
        Task::Preference => "Preference",
        Task::Simulation => "Simulation",
        Task::Verification => "Verification",
    }
}

fn outcome_words(task: Task) -> (&'static str, &'static str) {
    match task {
        Task::Simulation => ("agrees", "differs"),
        _ => ("right", "wrong"),
    }
}

fn outcome_cell(scored: &Scored, control: bool) -> CellView {
    if control && scored.trial.task == Task::Simulation {
        return verdict(scored.guess_right(), "right answer", "not the right answer");
    }
    let (yes, no) = outcome_words(scored.trial.task);
    verdict(scored.success(), yes, no)
}

/// One link with what it shows.
struct PageLink {
    arm: String,
    shown: &'static str,
    html: String,
    markdown: String,
}

/// One message of a prompt, or the answer.
struct Spoken {
    role: String,
    text: String,
    pictures: Vec<ShownPicture>,
}

/// A picture that went with a message.
struct ShownPicture {
    /// What it shows, for those who do not see it.
    words: String,
    /// Where it lies, from the trial's page.
    href: String,
}

/// The page of one trial before one judge.
#[derive(Template)]
#[template(path = "report_trial.html")]
struct TrialPage {
    title: String,
    report: String,
    task: &'static str,
    judge: String,
    back: String,
    facts: Vec<(&'static str, String)>,
    outcome: String,
    outcome_class: &'static str,
    outcome_detail: String,
    pages: Vec<PageLink>,
    prompt: Vec<Spoken>,
    prompt_missing: String,
    raw: Option<String>,
    call: Vec<(&'static str, String)>,
    related: Vec<(String, String)>,
}

impl TrialPage {
    /// Whether the judge was shown pictures.
    fn shows_pictures(&self) -> bool {
        self.prompt.iter().any(|message| !message.pictures.is_empty())
    }
}

/// Renders the page of one trial before one judge.
pub(super) fn trial_page(
    index: &Index,
    paths: &TrialPaths,
    calls: &dyn CallLookup,
    scored: &Scored,
    judge: usize,
) -> Result<(String, Vec<u8>), ReportError> {
    let trial = scored.trial;
    let study = &index.records.study;
    let name = study
        .judges
        .get(judge)
        .map(|judge| judge.name.clone())
        .unwrap_or_default();
    let path = paths.page(&trial.id, judge);
    let key = scored.judgment.and_then(|judgment| judgment.call.as_deref());
    let call = key.and_then(|key| calls.call(key));
    let (outcome, outcome_class, outcome_detail) = outcome(scored);
    let arm_number = match trial.task {
        Task::Preference => None,
        _ => Some(
            study
                .arms
                .iter()
                .position(|arm| trial.arms.first() == Some(&arm.name))
                .unwrap_or(study.arms.len()),
        ),
    };
    let page = TrialPage {
        title: format!("{} of {} by {name}", task_title(trial.task), trial.sample),
        report: study.title.clone().unwrap_or_else(|| study.name.clone()),
        task: task_name(trial.task),
        back: format!("../{REPORT}{}", anchors::to_trials(trial.task, judge, arm_number)),
        facts: facts(scored),
        outcome,
        outcome_class,
        outcome_detail,
        pages: page_links(index, trial),
        prompt: call.as_ref().map(|call| prompt(call, trial)).unwrap_or_default(),
        prompt_missing: match (key, &call) {
            (_, Some(_)) => String::new(),
            (None, None) => "No call was made.".to_owned(),
            (Some(key), None) => format!("The call {key} is not kept any more."),
        },
        raw: scored
            .judgment
            .and_then(|judgment| judgment.raw.clone())
            .or_else(|| call.as_ref().map(|call| call.text.clone())),
        call: call.as_ref().map(call_facts).unwrap_or_default(),
        related: related(index, paths, scored, judge),
        judge: name,
    };
    let html = page.render().map_err(|error| ReportError::Page {
        name: path.clone(),
        message: error.to_string(),
    })?;
    Ok((path, html.into_bytes()))
}

fn outcome(scored: &Scored) -> (String, &'static str, String) {
    let Some(judgment) = scored.judgment else {
        return ("This trial was not put before the judge.".to_owned(), "", String::new());
    };
    let Some(verdict) = scored.verdict() else {
        let detail = match &judgment.outcome {
            Outcome::None { detail, .. } => detail.clone(),
            Outcome::Verdict(_) => "the verdict does not fit the trial".to_owned(),
        };
        let state = reading_name(scored).replace('_', " ");
        return (
            format!("No verdict: {state}. It counts as neither right nor wrong."),
            "bad",
            detail,
        );
    };
    let said = verdict_text(verdict);
    match scored.trial.task {
        Task::Preference => {
            let what = match verdict {
                Verdict::BestWorst { .. } => "Chosen",
                Verdict::Scores(_) => "Scored",
                _ => "Ranked, best first",
            };
            (format!("{what}: {said}."), "", String::new())
        }
        Task::Simulation if scored.is_control() => (
            format!("Guessed: {said}"),
            "",
            "Without an explanation there is no one answer to agree with: the guess is compared with the answer of each \
             arm that this is the control of."
                .to_owned(),
        ),
        Task::Simulation => match scored.success() {
            Some(true) => (format!("Guessed: {said}"), "good", "✓ This agrees with what the model answered.".to_owned()),
            Some(false) => (format!("Guessed: {said}"), "bad", "✗ This is not what the model answered.".to_owned()),
            None => (format!("Guessed: {said}"), "", "Not scored: there is no answer that it can be held against.".to_owned()),
        },
        Task::Verification => match scored.success() {
            Some(true) => (format!("Verdict: {said}"), "good", "✓ The verdict is right.".to_owned()),
            Some(false) => (format!("Verdict: {said}"), "bad", "✗ The verdict is wrong.".to_owned()),
            None => (
                format!("Verdict: {said}"),
                "",
                "Whether it is right is not known: the data set has no answer that this one can be held against.".to_owned(),
            ),
        },
    }
}

fn facts(scored: &Scored) -> Vec<(&'static str, String)> {
    let trial = scored.trial;
    let mut facts = vec![("Trial", trial.id.clone()), ("Sample", trial.sample.clone())];
    if let Some(sample) = scored.sample {
        facts.push(("Question", sample.question.clone()));
        if let Some(caption) = &sample.caption {
            facts.push(("Table", caption.clone()));
        }
        if let Some(gold) = &sample.gold {
            facts.push(("Right answer", gold_text(gold)));
        }
    }
    if let Some(prediction) = &trial.prediction {
        let mark = match scored.prediction_right {
            Some(true) => " (right)",
            Some(false) => " (wrong)",
            None => "",
        };
        facts.push(("Model's answer", format!("{}{mark}", Answer::display(prediction))));
    }
    let shown: Vec<String> = trial
        .arms
        .iter()
        .zip(&trial.labels)
        .map(|(arm, label)| format!("{arm} as “{label}”"))
        .collect();
    facts.push((
        if trial.arms.len() > 1 {
            "Shown, in this order"
        } else {
            "Shown"
        },
        shown.join(", "),
    ));
    if !trial.options.is_empty() {
        facts.push(("Options, in this order", trial.options.join(", ")));
    }
    if !trial.control_of.is_empty() {
        facts.push(("Control of", trial.control_of.join(", ")));
    }
    if let Some(judgment) = scored.judgment {
        facts.extend(further_answers(judgment));
    }
    facts
}

/// What a judge was asked beyond its first answer.
fn further_answers(judgment: &Judgment) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if let Some(repair) = &judgment.repair {
        facts.push((
            "Asked again, since",
            format!("{}: {}", state_name(repair.was), repair.detail),
        ));
        let answered = match (&repair.raw, &repair.failure) {
            (Some(raw), _) => raw.clone(),
            (None, Some(failure)) => format!("nothing: {failure}"),
            (None, None) => "nothing".to_owned(),
        };
        facts.push(("Answered then", answered));
    }
    match &judgment.confidence {
        Some(Confidence::TokenProbabilities { positive, told }) => facts.push((
            "Sure by its tokens",
            format!(
                "{} for the first of the two options, of the {} told for either",
                percent(*positive),
                percent(*told)
            ),
        )),
        Some(Confidence::Absent { reason }) => facts.push(("Sure by its tokens", format!("not known: {reason}"))),
        None => {}
    }
    facts
}

fn page_links(index: &Index, trial: &Trial) -> Vec<PageLink> {
    let link = |arm: &String| {
        let visibility = trial.task.answer_on_page_of(arm);
        let page = find_page(index, &trial.sample, arm, visibility, trial.prediction.as_ref())?;
        let up = |path: &str| href(path).map(|path| format!("../{path}")).unwrap_or_default();
        Some(PageLink {
            arm: arm.clone(),
            shown: visibility.name(),
            html: up(&page.html),
            markdown: up(&page.markdown),
        })
    };
    trial.arms.iter().filter_map(link).collect()
}

fn prompt(call: &CallView, trial: &Trial) -> Vec<Spoken> {
    let picture = |(number, path): (usize, &String)| {
        let of = trial.arms.get(number).map(|arm| format!(": the page of {arm}"));
        Some(ShownPicture {
            words: format!("Picture {}{}", number + 1, of.unwrap_or_default()),
            href: format!("../{}", href(path)?),
        })
    };
    let spoken = call.messages.iter().map(|message| Spoken {
        role: message.role.clone(),
        text: message.content.clone(),
        pictures: message.pictures.iter().enumerate().filter_map(picture).collect(),
    });
    spoken.collect()
}

fn call_facts(call: &CallView) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("Model", call.model.clone()),
        ("Purpose", call.purpose.clone()),
        ("Ended by", call.finish.clone()),
    ];
    if let Some(usage) = call.usage {
        facts.push((
            "Tokens",
            format!("{} in, {} out", usage.input_tokens, usage.output_tokens),
        ));
    }
    facts.push(("Call", call.key.clone()));
    facts
}

/// The control of an arm's trial, the arms' trials of a control, and the same trial before other judges.
fn related(index: &Index, paths: &TrialPaths, scored: &Scored, judge: usize) -> Vec<(String, String)> {
    let trial = scored.trial;
    let mut related = Vec::new();
    let mut link = |words: String, id: &str, judge: usize| {
        related.push((words, paths.page(id, judge).trim_start_matches("trials/").to_owned()));
    };
    let same_sample = index.of_sample(trial.task, &trial.sample);
    for other in same_sample
        .iter()
        .filter(|other| other.repeat == trial.repeat && other.id != trial.id)
    {
        let same_prediction = trial.task != Task::Verification || other.prediction == trial.prediction;
        if let Some(arm) = trial.arms.first()
            && other.control_of.contains(arm)
            && same_prediction
        {
            link(
                "the control: the same without an explanation".to_owned(),
                &other.id,
                judge,
            );
        }
        if let Some(arm) = other.arms.first()
            && trial.control_of.contains(arm)
            && same_prediction
        {
            link(format!("the same with the explanation of {arm}"), &other.id, judge);
        }
    }
    for (number, other) in index.records.study.judges.iter().enumerate() {
        if number != judge {
            link(format!("the same trial before {}", other.name), &trial.id, number);
        }
    }
    related
}
