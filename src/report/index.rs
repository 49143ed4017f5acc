//! Lookups over the records, and every trial with what came of it. Everything is sorted by what it is, never by where
//! it stood in the input.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::dataset::score::{answers_agree, score};
use crate::dataset::{Answer, QuestionKind, Sample};
use crate::explain::AnswerVisibility;
use crate::judge::{CONTROL_ARM, Judgment, NoVerdict, Outcome, Task, Trial, Verdict};
use crate::trace::Trace;

use super::records::{PageRecord, RunRecords};

/// One draw of one sample: trials of different arms with the same draw are compared with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Draw<'a> {
    /// The sample's id.
    pub sample: &'a str,
    /// The trial's repeat.
    pub repeat: u32,
    /// The trial's turn.
    pub turn: u32,
}

/// A trial before one judge, with what came of it.
#[derive(Clone, Debug)]
pub struct Scored<'a> {
    /// The trial.
    pub trial: &'a Trial,
    /// Its sample, unless the records lack it.
    pub sample: Option<&'a Sample>,
    /// What the judge answered; `None` if it was not asked.
    pub judgment: Option<&'a Judgment>,
    /// The verdict, or the reason why there is none; `None` if the judge was not asked.
    pub reading: Option<Result<&'a Verdict, NoVerdict>>,
    /// Whether the prediction that the trial is about is right; `None` without a prediction or a gold answer.
    pub prediction_right: Option<bool>,
    success: Option<bool>,
}

impl<'a> Scored<'a> {
    fn new(
        trial: &'a Trial,
        sample: Option<&'a Sample>,
        prediction_right: Option<bool>,
        judgment: Option<&'a Judgment>,
    ) -> Self {
        let mut scored = Self {
            trial,
            sample,
            judgment,
            reading: judgment.map(|judgment| read(trial, judgment)),
            prediction_right,
            success: None,
        };
        // Asked for again and again, and comparing lists of values is dear.
        scored.success = match trial.task {
            Task::Preference => None,
            Task::Simulation => scored.guess_agrees(trial.prediction.as_ref()),
            Task::Verification => scored.verification_right(),
        };
        scored
    }

    /// Which draw it is.
    pub fn draw(&self) -> Draw<'a> {
        Draw {
            sample: &self.trial.sample,
            repeat: self.trial.repeat,
            turn: self.trial.turn,
        }
    }

    /// The verdict, if it could be read.
    pub fn verdict(&self) -> Option<&'a Verdict> {
        self.reading.and_then(Result::ok)
    }

    /// The reading without the verdict, for counting.
    pub fn state(&self) -> Option<Result<(), NoVerdict>> {
        self.reading.map(|reading| reading.map(|_| ()))
    }

    /// The guess of a simulation.
    pub fn guess(&self) -> Option<&'a Answer> {
        match self.verdict() {
            Some(Verdict::Guess(guess)) => Some(guess),
            _ => None,
        }
    }

    /// Whether a verification held the prediction for right.
    pub fn said_correct(&self) -> Option<bool> {
        match self.verdict() {
            Some(Verdict::Correct(said)) => Some(*said),
            _ => None,
        }
    }

    /// Whether the guess agrees with a prediction. `None` for free-form answers: two sentences hardly ever agree to the
    /// letter, whatever they say.
    pub fn guess_agrees(&self, prediction: Option<&Answer>) -> Option<bool> {
        if self.trial.kind == QuestionKind::FreeForm {
            return None;
        }
        let (guess, prediction) = (self.guess()?, prediction?);
        Some(answers_agree(self.trial.kind, prediction, guess))
    }

    /// Whether the guess is the right answer to the sample.
    pub fn guess_right(&self) -> Option<bool> {
        score(self.sample?, Some(self.guess()?)).correct()
    }

    /// Whether a verification verdict is right.
    pub fn verification_right(&self) -> Option<bool> {
        Some(self.said_correct()? == self.prediction_right?)
    }

    /// Whether the trial does what its task is scored by: the guess agrees with the trial's own prediction, or the
    /// verdict on the prediction is right. `None` for preference, for controls of simulation and for unread ones.
    pub fn success(&self) -> Option<bool> {
        self.success
    }

    /// Whether it is a control.
    pub fn is_control(&self) -> bool {
        is_control(self.trial)
    }
}

/// Whether a trial shows one page without an explanation.
pub fn is_control(trial: &Trial) -> bool {
    matches!(trial.arms.as_slice(), [arm] if arm == CONTROL_ARM)
}

/// Lookups over the records.
#[derive(Debug)]
pub struct Index<'a> {
    /// What was handed in.
    pub records: &'a RunRecords,
    /// By id.
    pub samples: BTreeMap<&'a str, &'a Sample>,
    traces: BTreeMap<(&'a str, &'a str), &'a Trace>,
    trials: Vec<&'a Trial>,
    judges: Vec<&'a str>,
    /// For every judge of the study, its trials as they stand in `trials`: scoring lists of values is the dearest thing
    /// here, so it is done once.
    scored: Vec<Vec<Scored<'a>>>,
    stray_judgments: usize,
    pages: BTreeMap<(&'a str, &'a str, AnswerVisibility), Vec<&'a PageRecord>>,
}

impl<'a> Index<'a> {
    /// Over these records. Of doubles (same sample, trial, or trial and judge) the one that sorts first by its content
    /// counts, so that the order of the input decides nothing.
    pub fn new(records: &'a RunRecords) -> Self {
        let samples: BTreeMap<&str, &Sample> = records
            .samples
            .iter()
            .map(|sample| (sample.id.as_str(), sample))
            .collect();
        let trials = sorted_trials(records);
        let places: HashMap<&str, usize> = trials
            .iter()
            .enumerate()
            .map(|(place, trial)| (trial.id.as_str(), place))
            .collect();
        let judges: Vec<&str> = records.study.judges.iter().map(|judge| judge.name.as_str()).collect();
        let (judgments, stray_judgments) = judgments_by_place(records, &places, &judges);
        let asked: Vec<(Option<&Sample>, Option<bool>)> = trials
            .iter()
            .map(|trial| {
                let sample = samples.get(trial.sample.as_str()).copied();
                (sample, prediction_right(trial, sample))
            })
            .collect();
        let scored = judgments
            .iter()
            .map(|judgments| {
                let trials = trials.iter().zip(&asked).zip(judgments);
                trials
                    .map(|((trial, (sample, right)), judgment)| Scored::new(trial, *sample, *right, *judgment))
                    .collect()
            })
            .collect();
        Self {
            records,
            samples,
            traces: records
                .traces
                .iter()
                .map(|trace| ((trace.sample.as_str(), trace.answerer.as_str()), trace))
                .collect(),
            trials,
            judges,
            scored,
            stray_judgments,
            pages: pages_by_arm(records),
        }
    }

    /// The trace of an answerer on a sample.
    pub fn trace(&self, sample: &str, answerer: &str) -> Option<&'a Trace> {
        self.traces.get(&(sample, answerer)).copied()
    }

    /// The pages of an arm on a sample, several only for a control.
    pub fn pages(&self, sample: &str, arm: &str, answer: AnswerVisibility) -> Vec<&'a PageRecord> {
        self.pages.get(&(sample, arm, answer)).cloned().unwrap_or_default()
    }

    /// All trials, sorted by task, sample, repeat and turn.
    pub fn trials(&self) -> &[&'a Trial] {
        &self.trials
    }

    /// Ids of all samples of the study, those among them that only trials name.
    pub fn sample_ids(&self) -> BTreeSet<&'a str> {
        let of_trials = self.trials.iter().map(|trial| trial.sample.as_str());
        self.samples.keys().copied().chain(of_trials).collect()
    }

    /// The tasks of the study, those among them that only trials name.
    pub fn tasks(&self) -> Vec<Task> {
        let tasks = [Task::Preference, Task::Simulation, Task::Verification];
        let asked = |task: &Task| {
            self.records.study.tasks.contains(task) || self.trials.iter().any(|trial| trial.task == *task)
        };
        tasks.into_iter().filter(asked).collect()
    }

    /// The trials of a task on one sample, sorted by repeat and turn.
    pub fn of_sample(&self, task: Task, sample: &str) -> &[&'a Trial] {
        let key = (task, sample);
        let start = self
            .trials
            .partition_point(|trial| (trial.task, trial.sample.as_str()) < key);
        let end = self
            .trials
            .partition_point(|trial| (trial.task, trial.sample.as_str()) <= key);
        &self.trials[start..end]
    }

    /// Every trial of a task before a judge of the study, sorted by sample, repeat and turn; none before others.
    pub fn scored(&self, task: Task, judge: &str) -> &[Scored<'a>] {
        let Some(scored) = self.of_judge(judge) else {
            return &[];
        };
        let start = scored.partition_point(|scored| scored.trial.task < task);
        let end = scored.partition_point(|scored| scored.trial.task <= task);
        &scored[start..end]
    }

    /// Every trial before a judge of the study, in the order of [`Self::trials`].
    pub fn all_scored(&self, judge: &str) -> &[Scored<'a>] {
        self.of_judge(judge).unwrap_or_default()
    }

    fn of_judge(&self, judge: &str) -> Option<&[Scored<'a>]> {
        let place = self.judges.iter().position(|name| *name == judge)?;
        self.scored.get(place).map(Vec::as_slice)
    }

    /// Judgments of trials that the records do not hold, or of judges that the study does not name.
    pub fn stray_judgments(&self) -> usize {
        self.stray_judgments
    }
}

fn sorted_trials(records: &RunRecords) -> Vec<&Trial> {
    let mut trials: Vec<&Trial> = records.trials.iter().collect();
    trials.sort_by(|a, b| {
        (a.task, &a.sample, a.repeat, a.turn, &a.arms, &a.id)
            .cmp(&(b.task, &b.sample, b.repeat, b.turn, &b.arms, &b.id))
    });
    trials.dedup_by(|a, b| a.id == b.id);
    trials
}

/// Every judge's judgments of the trials at their places, and how many belong to no trial or judge.
fn judgments_by_place<'a>(
    records: &'a RunRecords,
    places: &HashMap<&str, usize>,
    judges: &[&str],
) -> (Vec<Vec<Option<&'a Judgment>>>, usize) {
    let mut by_place = vec![vec![None; places.len()]; judges.len()];
    let mut strays: BTreeSet<(&str, &str)> = BTreeSet::new();
    for judgment in &records.judgments {
        let judge = judges.iter().position(|judge| *judge == judgment.judge);
        let place = places.get(judgment.trial.as_str());
        let slot = judge
            .zip(place)
            .and_then(|(judge, place)| by_place.get_mut(judge)?.get_mut(*place));
        let Some(slot) = slot else {
            strays.insert((&judgment.trial, &judgment.judge));
            continue;
        };
        let known: Option<&Judgment> = *slot;
        if known.is_none_or(|known| content(judgment) < content(known)) {
            *slot = Some(judgment);
        }
    }
    (by_place, strays.len())
}

fn prediction_right(trial: &Trial, sample: Option<&Sample>) -> Option<bool> {
    let scored = || {
        let (sample, prediction) = sample.zip(trial.prediction.as_ref())?;
        score(sample, Some(prediction)).correct()
    };
    trial.recorded_right.or_else(scored)
}

fn pages_by_arm(records: &RunRecords) -> BTreeMap<(&str, &str, AnswerVisibility), Vec<&PageRecord>> {
    let mut pages: BTreeMap<_, Vec<&PageRecord>> = BTreeMap::new();
    for page in &records.pages {
        pages
            .entry((page.sample.as_str(), page.arm.as_str(), page.answer))
            .or_default()
            .push(page);
    }
    for same in pages.values_mut() {
        same.sort_by(|a, b| (&a.prediction, &a.html).cmp(&(&b.prediction, &b.html)));
    }
    pages
}

/// What doubles of a judgment are told apart by: all of it.
fn content(judgment: &Judgment) -> (&Option<String>, &Option<String>, String) {
    let rest = (&judgment.outcome, &judgment.repair, &judgment.confidence);
    (
        &judgment.call,
        &judgment.raw,
        serde_json::to_string(&rest).unwrap_or_default(),
    )
}

/// A verdict that does not fit its trial (another task's, or a ranking that is not one of the arms shown) is unread.
fn read<'a>(trial: &Trial, judgment: &'a Judgment) -> Result<&'a Verdict, NoVerdict> {
    match &judgment.outcome {
        Outcome::None { state, .. } => Err(*state),
        Outcome::Verdict(verdict) => {
            let fits = match (trial.task, verdict) {
                (Task::Preference, Verdict::Ranking(arms)) => same_arms(arms, &trial.arms),
                (Task::Preference, Verdict::TiedRanking(places)) => {
                    trial.ties && same_arms(places.iter().flatten(), &trial.arms)
                }
                (Task::Preference, Verdict::BestWorst { best, worst }) => {
                    best != worst && trial.arms.contains(best) && trial.arms.contains(worst)
                }
                (Task::Preference, Verdict::Scores(_)) => trial.arms.len() == 1,
                (Task::Simulation, Verdict::Guess(_)) | (Task::Verification, Verdict::Correct(_)) => true,
                _ => false,
            };
            if fits { Ok(verdict) } else { Err(NoVerdict::Unparsed) }
        }
    }
}

/// Whether a ranking names every arm shown, and each once.
fn same_arms<'a>(ranked: impl IntoIterator<Item = &'a String>, shown: &'a [String]) -> bool {
    let mut ranked: Vec<&String> = ranked.into_iter().collect();
    let mut shown: Vec<&String> = shown.iter().collect();
    ranked.sort_unstable();
    shown.sort_unstable();
    ranked == shown
}
