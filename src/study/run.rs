//! Doing a study: its stages in order, each from the values of the one before, or from what it wrote.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dataset::{self, DatasetError, Sample};
use crate::engine::Engine;
use crate::judge::{Judgment, Outcome, Trial};
use crate::model::{ModelError, Stop, StoreError};
use crate::report::{self, PageRecord, ReportError};
use crate::trace::Trace;

use super::answer;
use super::directory::{self, DirectoryError, Manifest, RunDirectory, fingerprint};
use super::explain::{Explained, PAGES_DIRECTORY, explain, read_pages};
use super::judge::{self, Bench, ReadyJudge};
use super::load::{Arm, Study, StudyError};
use super::models::Models;
use super::observe::{Observer, Progress};
use super::work::Halt;
use super::{analyze, check};

/// A model of which so many calls failed and none was answered is given up.
const CALLS_BEFORE_GIVING_UP: u64 = 10;

/// A stage of a run, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Samples by methods, into traces.
    Answer,
    /// Traces into pages.
    Explain,
    /// Trials by judges, into judgments.
    Judge,
    /// Judgments into numbers.
    Analyze,
    /// Numbers into pages for people.
    Report,
}

impl Stage {
    /// All, in order.
    pub const ALL: [Self; 5] = [Self::Answer, Self::Explain, Self::Judge, Self::Analyze, Self::Report];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::Explain => "explain",
            Self::Judge => "judge",
            Self::Analyze => "analyze",
            Self::Report => "report",
        }
    }
}

/// How a study is run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// Which stages; empty is all. A stage left out is read back from what it wrote.
    pub stages: BTreeSet<Stage>,
    /// Only the first so many samples.
    pub limit: Option<usize>,
    /// Answers come from the call store only.
    pub offline: bool,
    /// Most items and calls under way at once, instead of what the study says.
    pub concurrency: Option<usize>,
    /// The run directory. Default: `results/NAME`.
    pub out: Option<PathBuf>,
    /// Begin nothing new once so many calls were made.
    pub max_calls: Option<u64>,
    /// Begin nothing new once so many US dollars were spent.
    pub max_cost: Option<f64>,
}

impl Options {
    fn wants(&self, stage: Stage) -> bool {
        self.stages.is_empty() || self.stages.contains(&stage)
    }

    /// Where the run of this study lives.
    pub fn directory(&self, study: &Study) -> PathBuf {
        self.out
            .clone()
            .unwrap_or_else(|| Path::new("results").join(&study.file.study.name))
    }
}

/// Items of a stage, and those without an answer or verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Items.
    pub total: usize,
    /// Items without an answer or verdict.
    pub failed: usize,
}

/// What a run came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The run directory.
    pub directory: PathBuf,
    /// Traces.
    pub answers: Tally,
    /// Judgments.
    pub judgments: Tally,
    /// Calls made now.
    pub calls_made: u64,
    /// Calls answered from the store.
    pub calls_from_store: u64,
    /// US dollars spent now, on priced models.
    pub cost: f64,
    /// Whether some calls went to models without a price.
    pub cost_incomplete: bool,
    /// The share of failed items that the study allows.
    pub max_failure_share: f64,
    /// The report, when it was written.
    pub report: Option<PathBuf>,
}

impl Summary {
    /// Share of answers and judgments that failed, in [0, 1]; 0 when there were none.
    pub fn failure_share(&self) -> f64 {
        let total = self.answers.total + self.judgments.total;
        if total == 0 {
            return 0.0;
        }
        (self.answers.failed + self.judgments.failed) as f64 / total as f64
    }

    /// Whether more failed than the study allows.
    pub fn too_many_failures(&self) -> bool {
        self.failure_share() > self.max_failure_share
    }
}

/// Why a run ended early. What was answered until then is in the call store.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The study file.
    #[error(transparent)]
    Study(#[from] StudyError),
    /// A data file.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// The call store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A table or page of the report.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// The run directory.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    /// A model that cannot be set up.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A provider refused the key, or answers nothing at all.
    #[error("{0}")]
    Provider(String),
    /// A limit was met.
    #[error("stopped: {0}")]
    Limit(String),
    /// The user stopped it.
    #[error("stopped; what was answered is kept")]
    Interrupted,
    /// A stage that was left out has not been run, or was run on something else.
    #[error("{0}")]
    Stage(String),
    /// A fault of tabjury itself.
    #[error("internal fault, please report it: {0}")]
    Internal(String),
}

impl From<Halt> for RunError {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Provider(message) => Self::Provider(message),
            Halt::Stopped => Self::Interrupted,
            Halt::Limit(message) => Self::Limit(message),
            Halt::Broken(message) => Self::Internal(message),
        }
    }
}

/// Loads the samples of a study, in the order of its sources, and checks that every method is defined for them.
pub fn load_samples(study: &Study, limit: Option<usize>) -> Result<Vec<Sample>, RunError> {
    let mut samples = Vec::new();
    for source in &study.file.samples {
        samples.extend(dataset::load(source, &study.base, study.file.study.seed)?);
    }
    check::samples(study, &samples)?;
    samples.truncate(limit.unwrap_or(usize::MAX));
    Ok(samples)
}

/// Runs a study.
pub async fn run(study: &Study, options: &Options, observer: &dyn Observer, stop: &Stop) -> Result<Summary, RunError> {
    let samples = load_samples(study, options.limit)?;
    if samples.is_empty() {
        return Err(RunError::Stage(
            "the study has no samples: nothing to answer (look at its `select` and at --limit)".to_owned(),
        ));
    }
    let prompts = judge::prompts(study)?;
    let directory = RunDirectory::create(&options.directory(study))?;
    let models = Models::open(study, &directory, options, stop)?;
    let mut running = Running {
        study,
        options,
        observer,
        arms: study.arms()?,
        manifest: directory.manifest()?,
        directory,
        models,
        samples: Arc::new(samples),
    };
    running.begin()?;
    let traces = running.answer().await?;
    let explained = running.explain(&traces)?;
    let (trials, judgments, records) = running.judge(&traces, explained, prompts).await?;
    running.finish(traces, records, trials, judgments)
}

/// Makes analysis and report of a run anew from what it stored, asking nothing.
pub async fn report(root: &Path, observer: &dyn Observer) -> Result<Summary, RunError> {
    let directory = RunDirectory::open(root)?;
    let manifest = directory.manifest()?;
    let path = directory.path(directory::STUDY);
    let study = Study::from_text(&path, manifest.base.clone(), directory.read_text(directory::STUDY)?)?;
    let options = Options {
        stages: [Stage::Analyze, Stage::Report].into(),
        offline: true,
        out: Some(root.to_owned()),
        ..Options::default()
    };
    let mut running = Running {
        study: &study,
        options: &options,
        observer,
        arms: study.arms()?,
        models: Models::open(&study, &directory, &options, &Stop::new())?,
        samples: Arc::new(directory.read_records(directory::SAMPLES)?),
        manifest,
        directory,
    };
    let traces = running.answer().await?;
    let explained = running.explain(&traces)?;
    let (trials, judgments, records) = running.judge(&traces, explained, judge::Prompts::new()).await?;
    running.finish(traces, records, trials, judgments)
}

struct Running<'a> {
    study: &'a Study,
    options: &'a Options,
    observer: &'a dyn Observer,
    arms: Vec<Arm>,
    manifest: Manifest,
    directory: RunDirectory,
    models: Models,
    samples: Arc<Vec<Sample>>,
}

impl Running<'_> {
    fn begin(&mut self) -> Result<(), RunError> {
        self.manifest.schema_version = 1;
        self.manifest.tabjury = env!("CARGO_PKG_VERSION").to_owned();
        self.manifest.study = self.study.file.study.name.clone();
        self.manifest.base = self.study.base.clone();
        self.directory.write(directory::STUDY, self.study.text.as_bytes())?;
        self.directory.write_records(directory::SAMPLES, &self.samples)?;
        Ok(self.directory.write_manifest(&self.manifest)?)
    }

    async fn answer(&mut self) -> Result<Vec<Trace>, RunError> {
        let inputs = self.answer_inputs()?;
        if !self.options.wants(Stage::Answer) {
            self.check_stage(Stage::Answer, &inputs)?;
            return Ok(self.directory.read_records(directory::TRACES)?);
        }
        self.redo(Stage::Answer)?;
        let ready = Arc::new(self.models.answerers(self.study.answerers()?)?);
        let engine = Arc::new(self.engine());
        let mut watch = Watch::new(self, Stage::Answer, self.samples.len() * ready.len());
        let traces = answer::answer(&self.samples, &ready, &engine, self.models.concurrency(), |trace| {
            watch.done(trace.answer.is_none(), || answer::call_failure(trace))
        });
        let traces = traces.await?;
        watch.finish();
        self.directory.write_records(directory::TRACES, &traces)?;
        self.made(Stage::Answer, inputs)?;
        Ok(traces)
    }

    fn explain(&mut self, traces: &[Trace]) -> Result<Explained, RunError> {
        let inputs = self.explain_inputs()?;
        if !self.options.wants(Stage::Explain) {
            if !self.options.wants(Stage::Judge) && !self.manifest.stages.contains_key(&Stage::Explain) {
                return Ok(Explained::default());
            }
            self.check_stage(Stage::Explain, &inputs)?;
            return Ok(read_pages(
                &self.directory,
                self.directory.read_records(directory::PAGES)?,
            )?);
        }
        self.redo(Stage::Explain)?;
        let mut watch = Watch::new(self, Stage::Explain, traces.len());
        let explained = explain(&self.samples, &self.arms, traces, self.study.file.control.enabled);
        watch.all_done();
        watch.finish();
        self.directory.replace_directory(PAGES_DIRECTORY, &explained.files())?;
        self.directory.write_records(directory::PAGES, &explained.records)?;
        self.made(Stage::Explain, inputs)?;
        Ok(explained)
    }

    async fn judge(
        &mut self,
        traces: &[Trace],
        explained: Explained,
        prompts: judge::Prompts,
    ) -> Result<(Vec<Trial>, Vec<Judgment>, Vec<PageRecord>), RunError> {
        let inputs = self.judge_inputs()?;
        if !self.options.wants(Stage::Judge) {
            if !self.options.wants(Stage::Analyze) && !self.options.wants(Stage::Report) {
                return Ok((Vec::new(), Vec::new(), explained.records));
            }
            self.check_stage(Stage::Judge, &inputs)?;
            let trials = self.directory.read_records(directory::TRIALS)?;
            let judgments = self.directory.read_records(directory::JUDGMENTS)?;
            return Ok((trials, judgments, explained.records));
        }
        self.redo(Stage::Judge)?;
        let file = &self.study.file;
        let trials = judge::trials(self.study, &judge::answers(&self.samples, &self.arms, traces))?;
        self.directory.write_records(directory::TRIALS, &trials)?;
        let bench = Arc::new(Bench {
            samples: self
                .samples
                .iter()
                .map(|sample| (sample.id.clone(), sample.clone()))
                .collect(),
            pages: explained.pages,
            trials,
            prompts,
            seed: file.study.seed,
        });
        let judges: Arc<Vec<ReadyJudge>> = Arc::new(self.models.judges(&file.judges)?);
        let mut watch = Watch::new(self, Stage::Judge, bench.trials.len() * judges.len());
        let judgments = judge::judge(&bench, &judges, self.models.concurrency(), |judgment| {
            let failed = matches!(judgment.outcome, Outcome::None { .. });
            watch.done(failed, || judge::call_failure(judgment))
        });
        let judgments = judgments.await?;
        watch.finish();
        self.directory.write_records(directory::JUDGMENTS, &judgments)?;
        self.made(Stage::Judge, inputs)?;
        Ok((bench.trials.clone(), judgments, explained.records))
    }

    fn finish(
        &mut self,
        traces: Vec<Trace>,
        pages: Vec<PageRecord>,
        trials: Vec<Trial>,
        judgments: Vec<Judgment>,
    ) -> Result<Summary, RunError> {
        let mut summary = self.summary(&traces, &judgments);
        let analyzes = self.options.wants(Stage::Analyze);
        let reports = self.options.wants(Stage::Report);
        if !analyzes && !reports {
            return Ok(summary);
        }
        let samples = self.samples.as_ref().clone();
        let records = analyze::records(
            self.study,
            &self.arms,
            &self.models,
            samples,
            traces,
            pages,
            trials,
            judgments,
        )?;
        let analysis = report::analyze(&records);
        if analyzes {
            let mut watch = Watch::new(self, Stage::Analyze, 1);
            analyze::write(&self.directory, &analysis, &records)?;
            watch.all_done();
            watch.finish();
        }
        if reports {
            let mut watch = Watch::new(self, Stage::Report, 1);
            summary.report = Some(analyze::write_report(
                &self.directory,
                &analysis,
                &records,
                self.models.store(),
            )?);
            watch.all_done();
            watch.finish();
        }
        Ok(summary)
    }

    fn summary(&self, traces: &[Trace], judgments: &[Judgment]) -> Summary {
        let unread = |judgment: &&Judgment| matches!(judgment.outcome, Outcome::None { .. });
        let spent = self.models.spent();
        Summary {
            directory: self.directory.root().to_owned(),
            answers: Tally {
                total: traces.len(),
                failed: traces.iter().filter(|trace| trace.answer.is_none()).count(),
            },
            judgments: Tally {
                total: judgments.len(),
                failed: judgments.iter().filter(unread).count(),
            },
            calls_made: spent.made,
            calls_from_store: spent.from_store,
            cost: spent.cost,
            cost_incomplete: spent.cost_incomplete,
            max_failure_share: self.study.file.report.max_failure_share,
            report: None,
        }
    }

    fn engine(&self) -> Engine {
        analyze::engine(&self.study.file.engine)
    }

    fn answer_inputs(&self) -> Result<String, RunError> {
        let answerers: Vec<_> = self
            .study
            .answerers()?
            .iter()
            .map(|who| {
                (
                    who.name.clone(),
                    who.method_name,
                    who.method.settings(),
                    self.models.identity(&who.model),
                )
            })
            .collect();
        Ok(fingerprint(&(
            self.samples.as_ref(),
            answerers,
            &self.study.file.engine,
        )))
    }

    fn explain_inputs(&self) -> Result<String, RunError> {
        let arms: Vec<_> = self
            .arms
            .iter()
            .map(|arm| (&arm.name, &arm.answerer, arm.format))
            .collect();
        Ok(fingerprint(&(self.answer_inputs()?, arms, &self.study.file.control)))
    }

    fn judge_inputs(&self) -> Result<String, RunError> {
        let judges: Vec<_> = self
            .study
            .file
            .judges
            .iter()
            .map(|judge| (judge, self.models.identity(&judge.model)))
            .collect();
        let file = &self.study.file;
        Ok(fingerprint(&(
            self.explain_inputs()?,
            judges,
            &file.tasks,
            file.study.seed,
        )))
    }

    /// Whether a stage that was left out has outputs made from the same inputs.
    fn check_stage(&self, stage: Stage, inputs: &str) -> Result<(), RunError> {
        let problem = match self.manifest.stages.get(&stage) {
            Some(made_from) if made_from == inputs => return Ok(()),
            Some(_) => "was run on another study, other samples or another --limit",
            None => "has not been run",
        };
        Err(RunError::Stage(format!(
            "{}: the stage `{}` {problem}; run it too (without --stage all stages run, and answers already given are not asked again)",
            self.directory.root().display(),
            stage.name()
        )))
    }

    /// Forgets what a stage and those after it were made from, before it is done again: a run killed in the middle of
    /// it must not pass for whole.
    fn redo(&mut self, stage: Stage) -> Result<(), RunError> {
        self.manifest.stages.retain(|made, _| *made < stage);
        Ok(self.directory.write_manifest(&self.manifest)?)
    }

    /// Notes what a stage was made from.
    fn made(&mut self, stage: Stage, inputs: String) -> Result<(), RunError> {
        self.manifest.stages.insert(stage, inputs);
        Ok(self.directory.write_manifest(&self.manifest)?)
    }
}

/// Counts the items of a stage, tells the observer, and keeps the limits.
struct Watch<'a> {
    observer: &'a dyn Observer,
    models: Models,
    max_calls: Option<u64>,
    max_cost: Option<f64>,
    progress: Progress,
}

impl<'a> Watch<'a> {
    fn new(running: &Running<'a>, stage: Stage, total: usize) -> Self {
        running.observer.started(stage, total);
        Self {
            observer: running.observer,
            models: running.models.clone(),
            max_calls: running.options.max_calls,
            max_cost: running.options.max_cost,
            progress: Progress {
                stage,
                done: 0,
                total,
                failed: 0,
                calls_made: 0,
                calls_from_store: 0,
                cost: 0.0,
                cost_incomplete: false,
            },
        }
    }

    /// Counts an item; `call_failure` says how its call failed, where that is why it has no answer or verdict.
    fn done(&mut self, failed: bool, call_failure: impl FnOnce() -> Option<String>) -> Option<Halt> {
        self.progress.done += 1;
        self.progress.failed += usize::from(failed);
        self.tell();
        self.over_limit()
            .map(Halt::Limit)
            .or_else(|| self.dead(call_failure()?))
    }

    /// Whether a model answers nothing at all, so that asking it a thousand times more is no use.
    fn dead(&self, call_failure: String) -> Option<Halt> {
        let model = self.models.without_any_answer(CALLS_BEFORE_GIVING_UP)?;
        Some(Halt::Provider(format!(
            "model `{model}`: its first calls all failed ({CALLS_BEFORE_GIVING_UP} or more, each with its retries); the last one: {call_failure}"
        )))
    }

    fn all_done(&mut self) {
        self.progress.done = self.progress.total;
        self.tell();
    }

    fn tell(&mut self) {
        let spent = self.models.spent();
        self.progress.calls_made = spent.made;
        self.progress.calls_from_store = spent.from_store;
        self.progress.cost = spent.cost;
        self.progress.cost_incomplete = spent.cost_incomplete;
        self.observer.progress(&self.progress);
    }

    fn over_limit(&self) -> Option<String> {
        let made = self.progress.calls_made;
        if let Some(limit) = self.max_calls.filter(|limit| made >= *limit && *limit > 0) {
            return Some(format!("{made} calls were made, and --max-calls is {limit}"));
        }
        let limit = self.max_cost.filter(|limit| self.progress.cost >= *limit)?;
        Some(format!(
            "{:.4} US dollars were spent, and --max-cost is {limit}",
            self.progress.cost
        ))
    }

    fn finish(&self) {
        self.observer.finished(&self.progress);
    }
}
