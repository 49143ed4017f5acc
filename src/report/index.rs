//! Lookups over the records, and every trial with what came of it. Everything is sorted by what it is, never by where
//! it stood in the input.

use std::collections::{BTreeMap, BTreeSet};

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
}

impl<'a> Scored<'a> {
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
        match self.trial.task {
            Task::Preference => None,
            Task::Simulation => self.guess_agrees(self.trial.prediction.as_ref()),
            Task::Verification => self.verification_right(),
        }
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
    judgments: BTreeMap<(&'a str, &'a str), &'a Judgment>,
    pages: BTreeMap<(&'a str, &'a str, AnswerVisibility), Vec<&'a PageRecord>>,
    /// By trial; scoring a list of values is the dearest thing here, so it is done once.
    prediction_right: BTreeMap<&'a str, Option<bool>>,
}

impl<'a> Index<'a> {
    /// Over these records. Of doubles (same sample, trial, or trial and judge) the one that sorts first by its content
    /// counts, so that the order of the input decides nothing.
    pub fn new(records: &'a RunRecords) -> Self {
        let mut trials: Vec<&Trial> = records.trials.iter().collect();
        trials.sort_by(|a, b| {
            (a.task, &a.sample, a.repeat, a.turn, &a.arms, &a.id)
                .cmp(&(b.task, &b.sample, b.repeat, b.turn, &b.arms, &b.id))
        });
        trials.dedup_by(|a, b| a.id == b.id);
        let mut judgments: BTreeMap<(&str, &str), &Judgment> = BTreeMap::new();
        for judgment in &records.judgments {
            let slot = judgments.entry((&judgment.trial, &judgment.judge)).or_insert(judgment);
            if !std::ptr::eq(judgment, *slot) && content(judgment) < content(slot) {
                *slot = judgment;
            }
        }
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
        let samples: BTreeMap<&str, &Sample> = records
            .samples
            .iter()
            .map(|sample| (sample.id.as_str(), sample))
            .collect();
        let prediction_right = trials
            .iter()
            .map(|trial| {
                let sample = samples.get(trial.sample.as_str());
                let scored = || {
                    let (sample, prediction) = sample.zip(trial.prediction.as_ref())?;
                    score(sample, Some(prediction)).correct()
                };
                let right = trial.recorded_right.or_else(scored);
                (trial.id.as_str(), right)
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
            judgments,
            pages,
            prediction_right,
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

    /// Every trial of a task before a judge, sorted by sample, repeat and turn.
    pub fn scored(&self, task: Task, judge: &str) -> Vec<Scored<'a>> {
        self.trials
            .iter()
            .filter(|trial| trial.task == task)
            .map(|trial| self.score(trial, judge))
            .collect()
    }

    /// One trial before a judge.
    pub fn score(&self, trial: &'a Trial, judge: &str) -> Scored<'a> {
        let sample = self.samples.get(trial.sample.as_str()).copied();
        let judgment = self.judgments.get(&(trial.id.as_str(), judge)).copied();
        Scored {
            trial,
            sample,
            judgment,
            reading: judgment.map(|judgment| read(trial, judgment)),
            prediction_right: self.prediction_right.get(trial.id.as_str()).copied().flatten(),
        }
    }

    /// Judgments of trials that the records do not hold, or of judges that the study does not name.
    pub fn stray_judgments(&self) -> usize {
        let known: BTreeSet<&str> = self.trials.iter().map(|trial| trial.id.as_str()).collect();
        let judges: BTreeSet<&str> = self
            .records
            .study
            .judges
            .iter()
            .map(|judge| judge.name.as_str())
            .collect();
        self.judgments
            .keys()
            .filter(|(trial, judge)| !known.contains(trial) || !judges.contains(judge))
            .count()
    }
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
                (Task::Preference, Verdict::Ranking(arms)) => {
                    let (mut ranked, mut shown) = (arms.clone(), trial.arms.clone());
                    ranked.sort();
                    shown.sort();
                    ranked == shown
                }
                (Task::Preference, Verdict::TiedRanking(places)) => {
                    let (mut ranked, mut shown) = (places.concat(), trial.arms.clone());
                    ranked.sort();
                    shown.sort();
                    trial.ties && ranked == shown
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
