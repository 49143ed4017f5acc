//! Made-up studies of one judge and any arms, built trial by trial.

use tabjury::dataset::{Answer, Gold, QuestionKind};
use tabjury::judge::{CONTROL_ARM, Judgment, Outcome, Protocol, Task, Trial, Verdict};
use tabjury::report::flags::{FlagKind, Severity};
use tabjury::report::{Analysis, RunRecords, analyze};

use crate::made_up::records;
use crate::outputs;

/// A run of some arms before one judge, `alder`.
pub(crate) struct Study {
    pub(crate) records: RunRecords,
}

impl Study {
    pub(crate) fn new(task: Task, arms: &[&str]) -> Self {
        let mut records = records();
        let arm = records.study.arms[0].clone();
        records.study.arms = arms
            .iter()
            .map(|name| tabjury::report::ArmFacts {
                name: (*name).to_owned(),
                ..arm.clone()
            })
            .collect();
        records.study.judges.truncate(1);
        records.study.tasks = vec![task];
        records.traces.clear();
        records.pages.clear();
        records.judgments.clear();
        records.trials.clear();
        records.samples.clear();
        Self { records }
    }

    pub(crate) fn sample(&mut self, sample: usize, gold: bool) {
        let mut own = crate::made_up::records().samples[0].clone();
        own.id = format!("s{sample:03}");
        own.gold = Some(Gold::Verdict(gold));
        self.records.samples.push(own);
    }

    pub(crate) fn add(&mut self, mut trial: Trial, verdict: Verdict) {
        trial = trial.identified();
        for judge in &self.records.study.judges {
            self.records.judgments.push(Judgment {
                trial: trial.id.clone(),
                judge: judge.name.clone(),
                call: None,
                raw: None,
                outcome: Outcome::Verdict(verdict.clone()),
                asked: None,
                repair: None,
                confidence: None,
            });
        }
        self.records.trials.push(trial);
    }

    /// One page in simulation and what was guessed.
    pub(crate) fn guess(&mut self, sample: usize, arm: &str, prediction: Option<Answer>, guess: Answer) {
        let mut page = trial(Task::Simulation, sample, &[arm], Protocol::Ranking, 0);
        if matches!(guess, Answer::Values(_)) {
            page.kind = QuestionKind::ShortAnswer;
        }
        page.prediction = prediction;
        if arm == CONTROL_ARM {
            page.control_of = self.records.study.arms.iter().map(|arm| arm.name.clone()).collect();
        }
        self.add(page, Verdict::Guess(guess));
    }

    pub(crate) fn analysis(&self) -> (Analysis, String) {
        outputs(&self.records);
        let analysis = analyze(&self.records);
        let said = analysis.conclusions.join("\n");
        (analysis, said)
    }
}

pub(crate) fn trial(task: Task, sample: usize, arms: &[&str], protocol: Protocol, repeat: u32) -> Trial {
    Trial {
        id: String::new(),
        task,
        sample: format!("s{sample:03}"),
        kind: QuestionKind::FactVerification,
        arms: arms.iter().map(|arm| (*arm).to_owned()).collect(),
        labels: arms.iter().map(|arm| (*arm).to_owned()).collect(),
        options: Vec::new(),
        prediction: None,
        control_of: Vec::new(),
        recorded_right: None,
        repeat,
        turn: 0,
        protocol,
        ties: false,
        descriptions: Vec::new(),
        suspects: Vec::new(),
    }
}

pub(crate) fn said_true(value: bool) -> Answer {
    Answer::Verdict(value)
}

pub(crate) fn flags(analysis: &Analysis, kind: FlagKind) -> Vec<(Severity, String)> {
    let found = analysis.flags.iter().filter(|flag| flag.kind == kind);
    found.map(|flag| (flag.severity, flag.message.clone())).collect()
}
