//! The judge stage: trials before every judge, into judgments.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::dataset::Sample;
use crate::explain::{AnswerVisibility, Page};
use crate::judge::orders::OrderError;
use crate::judge::prompt::{self, Prompt, PromptError};
use crate::judge::protocol::Protocol;
use crate::judge::settings::{JudgeOutput, JudgeView};
use crate::judge::trial::SampleAnswers;
use crate::judge::{CONTROL_ARM, Judgment, Suspect, Task, Trial, preference, simulation, suspect, verification};
use crate::method;
use crate::model::store::CallStore;
use crate::model::{Message, Model, Stop};
use crate::trace::Trace;

use super::ask::{Settled, ask};
use super::explain::{PageKey, Pages};
use super::file::{JudgeEntry, StudyFile};
use super::load::{Arm, Study, StudyError};
use super::models::content_digest;
use super::picture::Pictures;
use super::work::{Halt, each};

/// The templates of the tasks of a study.
pub(super) type Prompts = BTreeMap<Task, Prompt>;

/// A judge with its model.
pub(super) struct ReadyJudge {
    pub(super) entry: JudgeEntry,
    pub(super) model: Arc<dyn Model>,
    /// The forms that its endpoint takes.
    pub(super) settled: Settled,
}

/// All that the judges look at.
pub(super) struct Bench {
    pub(super) samples: BTreeMap<String, Sample>,
    pub(super) pages: Pages,
    /// The pages as pictures, for judges that see.
    pub(super) pictures: Pictures,
    pub(super) trials: Vec<Trial>,
    pub(super) prompts: Prompts,
    pub(super) seed: u64,
    /// Where replies are kept as they came, for the probabilities of their tokens.
    pub(super) store: Arc<CallStore>,
}

/// Reads the templates of the tasks: the study's own or the built-in ones.
pub(super) fn prompts(study: &Study) -> Result<Prompts, StudyError> {
    let tasks = &study.file.tasks;
    let own = [
        (Task::Preference, tasks.preference.as_ref().map(|task| &task.prompt)),
        (Task::Simulation, tasks.simulation.as_ref().map(|task| &task.prompt)),
        (Task::Verification, tasks.verification.as_ref().map(|task| &task.prompt)),
    ];
    let mut prompts = Prompts::new();
    for (task, file) in own {
        let Some(file) = file else { continue };
        let wrong = |message: String| StudyError::Meaning {
            path: study.path.clone(),
            message,
        };
        let prompt = match file {
            None => Prompt::built_in_for(task, protocol_of(study)),
            Some(file) => {
                let path = study.resolve(file);
                let source = std::fs::read_to_string(&path)
                    .map_err(|error| wrong(format!("cannot read the prompt {}: {error}", path.display())))?;
                Prompt::parse(task, &path.display().to_string(), &source)
            }
        };
        prompts.insert(task, prompt.map_err(|error| wrong(error.to_string()))?);
    }
    Ok(prompts)
}

fn protocol_of(study: &Study) -> Protocol {
    study
        .file
        .tasks
        .preference
        .as_ref()
        .map_or(Protocol::Ranking, |task| task.protocol)
}

/// What a judge is told of the method of each arm, where it is told anything.
fn descriptions(study: &Study) -> BTreeMap<String, String> {
    let of_method = |name: &String| method::find(name).map(|found| found.summary.to_owned());
    study
        .file
        .arms
        .iter()
        .filter_map(|arm| {
            let own = arm.description.clone();
            let description = own.or_else(|| arm.method.as_ref().and_then(of_method))?;
            Some((arm.name.clone(), description))
        })
        .collect()
}

/// What the study's own templates say, for telling whether judgments were made with them.
pub(super) fn own_prompts(study: &Study) -> Vec<String> {
    let tasks = &study.file.tasks;
    let preference = tasks.preference.as_ref().and_then(|task| task.prompt.as_ref());
    let simulation = tasks.simulation.as_ref().and_then(|task| task.prompt.as_ref());
    let verification = tasks.verification.as_ref().and_then(|task| task.prompt.as_ref());
    let files = [preference, simulation, verification].into_iter().flatten();
    files.map(|file| content_digest(&study.resolve(file))).collect()
}

/// What every arm answered to every sample.
pub(super) fn answers(samples: &[Sample], arms: &[Arm], traces: &[Trace]) -> Vec<SampleAnswers> {
    let by_key: BTreeMap<(&str, &str), &Trace> = traces
        .iter()
        .map(|trace| ((trace.sample.as_str(), trace.answerer.as_str()), trace))
        .collect();
    let answer_of = |sample: &Sample, arm: &Arm| {
        by_key
            .get(&(sample.id.as_str(), arm.answerer.as_str()))
            .and_then(|trace| trace.answer.clone())
    };
    samples
        .iter()
        .map(|sample| SampleAnswers {
            sample: sample.id.clone(),
            kind: sample.kind,
            arms: arms
                .iter()
                .map(|arm| (arm.name.clone(), answer_of(sample, arm)))
                .collect(),
        })
        .collect()
}

/// The trials of a study, in the order of tasks, samples and arms.
pub(super) fn trials(study: &Study, answers: &[SampleAnswers]) -> Result<Vec<Trial>, StudyError> {
    let StudyFile {
        tasks,
        control,
        study: head,
        ..
    } = &study.file;
    let mut trials = Vec::new();
    if let Some(task) = &tasks.preference {
        let ranked = preference::trials(answers, task, control.enabled, head.seed, &descriptions(study));
        let wrong = |error: OrderError| StudyError::Meaning {
            path: study.path.clone(),
            message: error.to_string(),
        };
        trials.extend(ranked.map_err(wrong)?);
    }
    if let Some(task) = &tasks.simulation {
        trials.extend(simulation::trials(answers, task, control.enabled));
    }
    if let Some(task) = &tasks.verification {
        trials.extend(verification::trials(answers, task, control.enabled, head.seed));
    }
    Ok(trials)
}

/// The pages that these trials show, in their order.
pub(super) fn shown<'a>(trials: &'a [Trial], pages: &'a Pages) -> impl Iterator<Item = &'a Page> {
    trials.iter().flat_map(move |trial| {
        let keys = trial.arms.iter().map(|arm| page_key(trial, arm));
        keys.filter_map(move |key| pages.get(&key).map(AsRef::as_ref))
    })
}

/// Writes down with every trial which of the texts that it shows speak to the judge.
pub(super) fn find_suspects(trials: &mut [Trial], samples: &[Sample], pages: &Pages) {
    let questions: BTreeMap<&str, Vec<Suspect>> = samples
        .iter()
        .map(|sample| (sample.id.as_str(), suspect::of_question(&sample.question)))
        .collect();
    let mut on_pages: BTreeMap<PageKey, Vec<Suspect>> = BTreeMap::new();
    for trial in trials {
        let mut found = vec![questions.get(trial.sample.as_str()).cloned().unwrap_or_default()];
        for arm in &trial.arms {
            let key = page_key(trial, arm);
            if !on_pages.contains_key(&key) {
                let of_page = pages.get(&key).map(|page| suspect::of_page(arm, &page.markdown));
                on_pages.insert(key.clone(), of_page.unwrap_or_default());
            }
            found.extend(on_pages.get(&key).cloned());
        }
        trial.suspects = suspect::together(found);
    }
}

/// Puts every trial before every judge: judge by judge, trials in their order.
pub(super) async fn judge(
    bench: &Arc<Bench>,
    judges: &Arc<Vec<ReadyJudge>>,
    concurrency: usize,
    stop: &Stop,
    mut after: impl FnMut(&Judgment) -> Option<Halt>,
) -> Result<Vec<Judgment>, Halt> {
    let count = bench.trials.len();
    let begin = |index: usize| {
        let (bench, judges) = (bench.clone(), judges.clone());
        async move { ask(&bench, &judges[index / count], &bench.trials[index % count]).await }
    };
    let results = each(
        count * judges.len(),
        concurrency,
        stop,
        begin,
        |_, (judgment, halt): &(Judgment, Option<Halt>)| halt.clone().or_else(|| after(judgment)),
    );
    Ok(results.await?.into_iter().map(|(judgment, _)| judgment).collect())
}

/// The conversation of a trial with the verdict asked for in a given form, or why there is none.
pub(super) fn messages_for(
    bench: &Bench,
    judge: &ReadyJudge,
    trial: &Trial,
    output: JudgeOutput,
) -> Result<Vec<Message>, String> {
    let pages = trial.arms.iter().map(|arm| page(bench, trial, &page_key(trial, arm)));
    conversation(bench, judge, trial, pages.collect::<Result<_, _>>()?, output)
}

/// The conversation of a trial on pages that withhold the answer, whatever the task shows.
pub(super) fn messages_without_answers(
    bench: &Bench,
    judge: &ReadyJudge,
    trial: &Trial,
) -> Result<Vec<Message>, String> {
    let key = |arm: &String| PageKey {
        arm: arm.clone(),
        sample: trial.sample.clone(),
        answer: AnswerVisibility::Withheld,
        control_answer: None,
    };
    let pages = trial.arms.iter().map(|arm| page(bench, trial, &key(arm)));
    conversation(
        bench,
        judge,
        trial,
        pages.collect::<Result<_, _>>()?,
        judge.entry.output,
    )
}

fn conversation(
    bench: &Bench,
    judge: &ReadyJudge,
    trial: &Trial,
    pages: Vec<&Page>,
    output: JudgeOutput,
) -> Result<Vec<Message>, String> {
    let sample = bench
        .samples
        .get(&trial.sample)
        .ok_or_else(|| format!("sample `{}` is not in the run", trial.sample))?;
    let template = bench
        .prompts
        .get(&trial.task)
        .ok_or_else(|| "the study has no such task".to_owned())?;
    let wrong = |error: PromptError| error.to_string();
    if judge.entry.view == JudgeView::Picture {
        let pictures = pages.into_iter().map(|page| bench.pictures.get(page));
        let pictures = pictures.collect::<Result<_, _>>()?;
        return prompt::render_pictures(trial, sample, pictures, output, template, bench.seed).map_err(wrong);
    }
    let form = (judge.entry.view, output);
    prompt::render_for(trial, sample, &pages, form, template, bench.seed).map_err(wrong)
}

fn page_key(trial: &Trial, arm: &str) -> PageKey {
    let is_control = arm == CONTROL_ARM;
    let answer = trial.task.answer_on_page_of(arm);
    PageKey {
        arm: arm.to_owned(),
        sample: trial.sample.clone(),
        answer,
        control_answer: trial
            .prediction
            .clone()
            .filter(|_| is_control && answer == AnswerVisibility::Shown),
    }
}

fn page<'a>(bench: &'a Bench, trial: &Trial, key: &PageKey) -> Result<&'a Page, String> {
    let found = bench.pages.get(key).map(AsRef::as_ref);
    found.ok_or_else(|| {
        format!(
            "the page of arm `{}` for sample `{}` is not in the run",
            key.arm, trial.sample
        )
    })
}
