//! Doing a study: its stages in order, each from the values of the one before, or from what it wrote.

mod inputs;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::dataset::{self, DatasetError, Sample};
use crate::engine::Engine;
use crate::judge::{Judgment, Outcome, Trial};
use crate::model::{ModelError, Stop, StoreError};
use crate::report::run_check::RunCheck;
use crate::report::{self, PageRecord, ReportError};
use crate::trace::{FaithfulnessRecord, Trace};

use super::answer;
use super::directory::{self, DirectoryError, Manifest, RunDirectory};
use super::explain::{Explained, PAGES_DIRECTORY, explain, read_pages, telling_names};
use super::faithfulness::{Measuring, measure_all};
use super::import::ImportError;
use super::import::arms::Imports;
use super::import::judgments;
use super::judge::{self, Bench, ReadyJudge};
use super::load::{Arm, Study, StudyError};
use super::models::{Models, StoredCalls};
use super::observe::Observer;
use super::picture::{self, Pictures};
use super::stored::{check_stored, stored};
use super::summary::{Summary, Tally, most_unread};
use super::watch::Watch;
use super::work::Halt;
use super::{analyze, ask, check};

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
    /// Traces run again on what they mark, by program; rests on the answers alone.
    Faithfulness,
    /// Judgments into numbers.
    Analyze,
    /// Numbers into pages for people.
    Report,
}

impl Stage {
    /// All, in order.
    pub const ALL: [Self; 6] = [
        Self::Answer,
        Self::Explain,
        Self::Judge,
        Self::Faithfulness,
        Self::Analyze,
        Self::Report,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::Explain => "explain",
            Self::Judge => "judge",
            Self::Faithfulness => "faithfulness",
            Self::Analyze => "analyze",
            Self::Report => "report",
        }
    }

    /// Whether this stage is made from what an earlier one wrote.
    fn rests_on(self, earlier: Self) -> bool {
        match self {
            Self::Faithfulness => earlier == Self::Answer,
            stage => earlier < stage,
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
    /// Whether a stage is to be done.
    pub(super) fn wants(&self, stage: Stage) -> bool {
        self.stages.is_empty() || self.stages.contains(&stage)
    }

    /// Where the run of this study lives.
    pub fn directory(&self, study: &Study) -> PathBuf {
        self.out
            .clone()
            .unwrap_or_else(|| Path::new("results").join(&study.file.study.name))
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
    /// Explanations made elsewhere.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// The call store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A table or page of the report.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// An answer could not be kept.
    #[error("{0}")]
    Kept(String),
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
    /// A page tells what it must not, and no trial was asked.
    #[error("{0}")]
    Leak(String),
    /// A stage that was left out has not been run, or was run on something else.
    #[error("{0}")]
    Stage(String),
    /// A file of the run is missing, or is not as the run wrote it.
    #[error("{0}")]
    Changed(String),
    /// A fault of tabjury itself.
    #[error("internal fault, please report it: {0}")]
    Internal(String),
}

impl From<Halt> for RunError {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Provider(message) => Self::Provider(message),
            Halt::Store(message) => Self::Kept(message),
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
    if options.wants(Stage::Judge) {
        picture::check(study, &options.directory(study))?;
    }
    let imports = Imports::read(study, &samples)?;
    let directory = RunDirectory::create(&options.directory(study))?;
    let models = Models::open(study, &directory, options, stop)?;
    let mut running = Running {
        study,
        options,
        observer,
        arms: study.arms()?,
        // What cannot be read is written anew; the calls are all that a run needs of an earlier one.
        manifest: directory.manifest().unwrap_or_default(),
        directory,
        models,
        samples: Arc::new(samples),
        imports,
        stop,
        trusts_stored: false,
    };
    running.check_prices()?;
    running.check_before_writing()?;
    running.begin()?;
    let traces = running.answer().await?;
    let explained = running.explain(&traces)?;
    let (trials, judgments, records) = running.judge(&traces, explained, prompts).await?;
    let (traces, faithfulness) = running.faithfulness(traces).await?;
    running.finish(traces, records, trials, judgments, faithfulness)
}

/// Makes analysis and report of a run anew from what it stored, asking nothing.
pub async fn report(root: &Path, observer: &dyn Observer) -> Result<Summary, RunError> {
    let directory = RunDirectory::open(root)?;
    if judgments::is_imported(&directory) {
        return judgments::report(root);
    }
    let manifest = directory.manifest()?;
    let path = directory.path(directory::STUDY);
    let study = Study::from_text(&path, PathBuf::new(), directory.read_text(directory::STUDY)?)?;
    let options = Options {
        stages: [Stage::Analyze, Stage::Report].into(),
        offline: true,
        out: Some(root.to_owned()),
        ..Options::default()
    };
    let stop = Stop::new();
    let calls = directory.path(directory::CALLS);
    if !calls.is_file() {
        return Err(RunError::Changed(format!(
            "{}: the call store is missing, and without it the trial pages would lose prompts and answers",
            calls.display()
        )));
    }
    let mut running = Running {
        study: &study,
        options: &options,
        observer,
        arms: study.arms()?,
        models: Models::open(&study, &directory, &options, &stop)?,
        samples: Arc::default(),
        // The files may be gone; the traces of the run have what was in them.
        imports: Imports::default(),
        manifest,
        directory,
        stop: &stop,
        trusts_stored: true,
    };
    check_stored(&running.directory, &running.manifest, directory::STUDY)?;
    running.samples = Arc::new(running.stored(directory::SAMPLES)?);
    let traces = running.answer().await?;
    let explained = running.explain(&traces)?;
    let (trials, judgments, records) = running.judge(&traces, explained, judge::Prompts::new()).await?;
    let (traces, faithfulness) = running.faithfulness(traces).await?;
    running.finish(traces, records, trials, judgments, faithfulness)
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
    imports: Imports,
    stop: &'a Stop,
    /// Whether stages that are left out count as made from this study: for a report made anew, which may have neither
    /// scripts nor prompts at hand any more.
    trusts_stored: bool,
}

impl<'a> Running<'a> {
    /// Refuses what would fail later, while the run directory is still as it was.
    fn check_before_writing(&self) -> Result<(), RunError> {
        let name = &self.study.file.study.name;
        if !self.manifest.study.is_empty() && self.manifest.study != *name {
            return Err(RunError::Stage(format!(
                "{} holds a run of the study `{}`, and this one is `{name}`; name another directory with --out",
                self.directory.root().display(),
                self.manifest.study
            )));
        }
        let wants = |stage| self.options.wants(stage);
        let left_out = [
            (Stage::Answer, true),
            (Stage::Explain, wants(Stage::Judge)),
            (Stage::Judge, wants(Stage::Analyze) || wants(Stage::Report)),
            (Stage::Faithfulness, wants(Stage::Analyze) || wants(Stage::Report)),
        ];
        for (stage, _) in left_out
            .into_iter()
            .filter(|(stage, is_needed)| *is_needed && !wants(*stage))
        {
            if let Some(earlier) = Stage::ALL
                .into_iter()
                .find(|earlier| stage.rests_on(*earlier) && wants(*earlier))
            {
                return Err(RunError::Stage(format!(
                    "--stage {} makes what the stage `{stage}` wrote out of date; add --stage {stage}",
                    earlier.name(),
                    stage = stage.name()
                )));
            }
            self.check_stage(stage, &self.inputs(stage)?)?;
        }
        Ok(())
    }

    /// A limit on cost needs to know what the calls cost.
    fn check_prices(&self) -> Result<(), RunError> {
        let unpriced = self.options.max_cost.and_then(|_| self.models.without_price());
        unpriced.map_or(Ok(()), |model| {
            Err(RunError::Study(StudyError::Meaning {
                path: self.study.path.clone(),
                message: format!(
                    "--max-cost cannot hold: the price of model `{model}` is not known; add it under [prices], or use --max-calls"
                ),
            }))
        })
    }

    fn inputs(&self, stage: Stage) -> Result<String, RunError> {
        match stage {
            Stage::Answer => self.answer_inputs(),
            Stage::Explain => self.explain_inputs(),
            Stage::Judge => self.judge_inputs(),
            Stage::Faithfulness => self.faithfulness_inputs(),
            Stage::Analyze | Stage::Report => Ok(self.report_inputs()),
        }
    }

    fn begin(&mut self) -> Result<(), RunError> {
        self.manifest.schema_version = directory::SCHEMA_VERSION;
        self.manifest.tabjury = env!("CARGO_PKG_VERSION").to_owned();
        self.manifest.study = self.study.file.study.name.clone();
        // First, so that a run killed here is known for one.
        self.directory.write_manifest(&self.manifest)?;
        self.directory.write(directory::STUDY, self.study.text.as_bytes())?;
        let study = self.directory.digest(directory::STUDY)?;
        self.manifest.records.insert(directory::STUDY.to_owned(), study);
        let samples = self.samples.clone();
        self.keep(directory::SAMPLES, &samples)?;
        Ok(self.directory.write_manifest(&self.manifest)?)
    }

    async fn answer(&mut self) -> Result<Vec<Trace>, RunError> {
        let inputs = self.answer_inputs()?;
        if !self.options.wants(Stage::Answer) {
            self.check_stage(Stage::Answer, &inputs)?;
            return self.stored(directory::TRACES);
        }
        self.redo(Stage::Answer)?;
        let ready = Arc::new(self.models.answerers(self.study.answerers()?)?);
        let engine = Arc::new(self.engine());
        let mut watch = self.watch(Stage::Answer, self.samples.len() * ready.len());
        let traces = answer::answer(
            &self.samples,
            &ready,
            &engine,
            self.models.concurrency(),
            self.stop,
            |trace| watch.done(trace.answer.is_none(), || answer::call_failure(trace)),
        );
        let traces = traces.await?;
        watch.finish();
        let traces = self.imports.join(self.study, &self.samples, traces)?;
        self.manifest.imports = self.imports.digests();
        self.keep(directory::TRACES, &traces)?;
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
            return Ok(read_pages(&self.directory, self.stored(directory::PAGES)?)?);
        }
        self.redo(Stage::Explain)?;
        let mut watch = self.watch(Stage::Explain, traces.len());
        let explained = explain(
            &self.samples,
            &self.arms,
            traces,
            &telling_names(self.study),
            self.study.file.control.enabled,
        );
        watch.all_done();
        watch.finish();
        self.directory.replace_directory(PAGES_DIRECTORY, &explained.files())?;
        self.keep(directory::PAGES, &explained.records)?;
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
            let trials = self.stored(directory::TRIALS)?;
            let judgments = self.stored(directory::JUDGMENTS)?;
            return Ok((trials, judgments, explained.records));
        }
        explained
            .refuse_leaks(self.study.file.pages.on_leak)
            .map_err(RunError::Leak)?;
        self.redo(Stage::Judge)?;
        let file = &self.study.file;
        let mut trials = judge::trials(self.study, &judge::answers(&self.samples, &self.arms, traces))?;
        judge::find_suspects(&mut trials, &self.samples, &explained.pages);
        self.keep(directory::TRIALS, &trials)?;
        let pictures = Pictures::of(&self.directory, self.study, judge::shown(&trials, &explained.pages))?;
        let bench = Arc::new(Bench {
            samples: self
                .samples
                .iter()
                .map(|sample| (sample.id.clone(), sample.clone()))
                .collect(),
            pages: explained.pages,
            pictures,
            trials,
            prompts,
            seed: file.study.seed,
            store: self.models.store().clone(),
        });
        let judges: Arc<Vec<ReadyJudge>> = Arc::new(self.models.judges(&file.judges)?);
        let mut watch = self.watch(Stage::Judge, bench.trials.len() * judges.len());
        let judgments = judge::judge(&bench, &judges, self.models.concurrency(), self.stop, |judgment| {
            let failed = matches!(judgment.outcome, Outcome::None { .. });
            watch.done(failed, || ask::call_failure(judgment))
        });
        let judgments = judgments.await?;
        watch.finish();
        self.keep(directory::JUDGMENTS, &judgments)?;
        self.made(Stage::Judge, inputs)?;
        Ok((bench.trials.clone(), judgments, explained.records))
    }

    /// Gives the traces back with what was measured.
    async fn faithfulness(&mut self, traces: Vec<Trace>) -> Result<(Vec<Trace>, Vec<FaithfulnessRecord>), RunError> {
        let inputs = self.faithfulness_inputs()?;
        if !self.options.wants(Stage::Faithfulness) {
            let is_read = self.options.wants(Stage::Analyze) || self.options.wants(Stage::Report);
            // A run of an earlier version measured nothing, and its report is still made.
            let is_there = self.manifest.stages.contains_key(&Stage::Faithfulness) || !self.trusts_stored;
            if !is_read || !is_there {
                return Ok((traces, Vec::new()));
            }
            self.check_stage(Stage::Faithfulness, &inputs)?;
            let records = self.stored(directory::FAITHFULNESS)?;
            return Ok((traces, records));
        }
        self.redo(Stage::Faithfulness)?;
        let task = &self.study.file.tasks.faithfulness;
        if !task.enabled {
            self.keep::<FaithfulnessRecord>(directory::FAITHFULNESS, &[])?;
            self.made(Stage::Faithfulness, inputs)?;
            return Ok((traces, Vec::new()));
        }
        let ready = if task.ask_models {
            self.models.answerers(self.study.answerers()?)?
        } else {
            Vec::new()
        };
        let mut watch = self.watch(Stage::Faithfulness, traces.len());
        let traces = Arc::new(traces);
        let measuring = Arc::new(Measuring {
            samples: self.samples.clone(),
            traces: traces.clone(),
            ready,
            engine: Arc::new(self.engine()),
        });
        let records = measure_all(
            &measuring,
            self.models.concurrency(),
            self.stop,
            |failed, call_failure| watch.done(failed, || call_failure),
        );
        let records = records.await?;
        watch.finish();
        self.keep(directory::FAITHFULNESS, &records)?;
        self.made(Stage::Faithfulness, inputs)?;
        drop(measuring);
        Ok((Arc::unwrap_or_clone(traces), records))
    }

    fn finish(
        &mut self,
        traces: Vec<Trace>,
        pages: Vec<PageRecord>,
        trials: Vec<Trial>,
        judgments: Vec<Judgment>,
        faithfulness: Vec<FaithfulnessRecord>,
    ) -> Result<Summary, RunError> {
        let mut summary = self.summary(&traces, &judgments);
        let analyzes = self.options.wants(Stage::Analyze);
        let reports = self.options.wants(Stage::Report);
        if !analyzes && !reports {
            return Ok(summary);
        }
        self.redo(if analyzes { Stage::Analyze } else { Stage::Report })?;
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
            self.checked(),
            faithfulness,
        )?;
        let analysis = report::analyze(&records);
        if analyzes {
            let mut watch = self.watch(Stage::Analyze, 1);
            analyze::write(&self.directory, &analysis, &records)?;
            watch.all_done();
            watch.finish();
            self.made(Stage::Analyze, self.report_inputs())?;
        }
        if reports {
            let mut watch = self.watch(Stage::Report, 1);
            summary.report = Some(analyze::write_report(
                &self.directory,
                &analysis,
                &records,
                &StoredCalls(self.models.store()),
            )?);
            watch.all_done();
            watch.finish();
            self.made(Stage::Report, self.report_inputs())?;
        }
        Ok(summary)
    }

    /// What a check of these traces and pages found, if there was one.
    fn checked(&self) -> Option<RunCheck> {
        let is = |digest: &String, file: &str| self.manifest.records.get(file) == Some(digest);
        let of_these =
            |check: &RunCheck| is(&check.traces_digest, directory::TRACES) && is(&check.pages_digest, directory::PAGES);
        // One that cannot be read, such as an earlier version's, or that was changed is no check: the report asks for one,
        // and it is said.
        let told = |problem: String| {
            self.observer
                .notice(&format!("{problem}; `tabjury check RUN` makes it anew"));
        };
        let kept = self.directory.read_json(directory::CHECK);
        let kept = kept.map_err(|error| told(error.to_string())).ok().flatten()?;
        let digest = self.directory.digest(directory::CHECK);
        if !digest.is_ok_and(|digest| is(&digest, directory::CHECK)) {
            told(format!(
                "{}: it is not as `tabjury check` wrote it",
                self.directory.path(directory::CHECK).display()
            ));
            return None;
        }
        Some(kept).filter(of_these)
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
            most_unread: most_unread(judgments),
            max_unparsed_share: self.study.file.report.max_unparsed_share,
            call_failure: traces
                .iter()
                .find_map(answer::call_failure)
                .or_else(|| judgments.iter().find_map(ask::call_failure)),
            report: None,
        }
    }

    fn watch(&self, stage: Stage, total: usize) -> Watch<'a> {
        Watch::new(self.observer, &self.models, self.options, stage, total)
    }

    fn engine(&self) -> Engine {
        analyze::engine(&self.study.file.engine)
    }

    /// Whether a stage that was left out has outputs made from the same inputs.
    fn check_stage(&self, stage: Stage, inputs: &str) -> Result<(), RunError> {
        let problem = match self.manifest.stages.get(&stage) {
            Some(made_from) if self.trusts_stored || made_from == inputs => return Ok(()),
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
        self.manifest
            .stages
            .retain(|made, _| *made != stage && !made.rests_on(stage));
        Ok(self.directory.write_manifest(&self.manifest)?)
    }

    fn stored<T: DeserializeOwned>(&self, file: &str) -> Result<Vec<T>, RunError> {
        stored(&self.directory, &self.manifest, file)
    }

    /// Writes the records of a stage.
    fn keep<T: Serialize>(&mut self, file: &str, records: &[T]) -> Result<(), RunError> {
        self.directory.write_records(file, records)?;
        let digest = self.directory.digest(file)?;
        self.manifest.records.insert(file.to_owned(), digest);
        Ok(())
    }

    /// Notes what a stage was made from.
    fn made(&mut self, stage: Stage, inputs: String) -> Result<(), RunError> {
        self.manifest.stages.insert(stage, inputs);
        Ok(self.directory.write_manifest(&self.manifest)?)
    }
}
