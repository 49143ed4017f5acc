//! The whole analysis of a run: one value, written as `analysis.json`, from which tables and report are made.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::agreement::{self, AgreementAnalysis};
use super::answers::{self, AnswererAnalysis, dataset_name, question_name};
use super::arm_pairs::{self, ArmPairsAnalysis};
use super::conclusions::{beside_people, conclude};
use super::confidence::{self, ConfidenceAnalysis};
use super::correlation::{self, PreferenceCorrelation};
use super::faithfulness::{self, FaithfulnessAnalysis};
use super::flags::{self, Flag};
use super::index::Index;
use super::left_out::{self, LeftOut};
use super::pages::{self, PageAnalysis};
use super::people::{self, PeopleAnalysis};
use super::preference::{self, PreferenceAnalysis};
use super::records::{RunRecords, StudyFacts};
use super::run_check::{CheckAnalysis, RunCheck};
use super::sensitivity::{self, Sensitivity};
use super::simulation::{self, SimulationAnalysis};
use super::suspects::{self, ArmSuspects};
use super::usage::{self, CallCost};
use super::verification::{self, VerificationAnalysis};
use crate::stats::Stat;

/// Version of the shape of [`Analysis`]; grows when a field changes its meaning or goes.
pub const SCHEMA_VERSION: u32 = 2;

/// The analysis of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Analysis {
    /// Version of this shape.
    pub schema_version: u32,
    /// What the study says of itself.
    pub study: StudyFacts,
    /// Whether any model's answers come from a file, so that the figures say nothing about a model.
    pub scripted: bool,
    /// How many samples, by what.
    pub samples: SampleCounts,
    /// What the figures say at once, in sentences.
    #[serde(default)]
    pub conclusions: Vec<String>,
    /// What a reader must not overlook, the severe ones first.
    pub flags: Vec<Flag>,
    /// One entry an answerer.
    pub answerers: Vec<AnswererAnalysis>,
    /// One entry a judge, where the task was run.
    pub preference: Vec<PreferenceAnalysis>,
    /// One entry a judge, where the task was run.
    pub simulation: Vec<SimulationAnalysis>,
    /// One entry a judge, where the task was run.
    pub verification: Vec<VerificationAnalysis>,
    /// One entry an answerer, where the task was run.
    pub faithfulness: Vec<FaithfulnessAnalysis>,
    /// Samples that are not common to all arms, by task and judge, with the reason.
    pub left_out: Vec<LeftOut>,
    /// Every two arms against each other, one entry a task and judge.
    #[serde(default)]
    pub arm_pairs: Vec<ArmPairsAnalysis>,
    /// Whether judges agree with each other, one entry a task.
    #[serde(default)]
    pub agreement: Vec<AgreementAnalysis>,
    /// Judges beside people, one entry a task that people were asked in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub people: Vec<PeopleAnalysis>,
    /// How sure judges were by their token probabilities, against what is so: one entry a task and judge that was asked.
    #[serde(default)]
    pub confidence: Vec<ConfidenceAnalysis>,
    /// What the figures would be if what was left out counted.
    #[serde(default)]
    pub sensitivity: Vec<Sensitivity>,
    /// Preference against both accuracies.
    pub correlations: Vec<PreferenceCorrelation>,
    /// Texts that speak to the judge: one entry an arm that shows any.
    #[serde(default)]
    pub suspects: Vec<ArmSuspects>,
    /// One entry an arm and visibility of the answer.
    pub pages: Vec<PageAnalysis>,
    /// What a check of the run found; `None` when it was not checked.
    pub check: Option<CheckAnalysis>,
    /// One entry a model and purpose.
    pub calls: Vec<CallCost>,
    /// US dollars of all calls, or why that is not known.
    pub total_cost: Stat<f64>,
}

/// How many samples, by what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SampleCounts {
    /// All.
    pub total: usize,
    /// By data set.
    pub datasets: BTreeMap<String, usize>,
    /// By kind of question.
    pub questions: BTreeMap<String, usize>,
}

/// Analyses a run. The order of samples, traces, pages, trials, judgments and calls in the records does not matter; the
/// order of arms and judges is that of the study.
pub fn analyze(records: &RunRecords) -> Analysis {
    let index = Index::new(records);
    let preference = preference::analyze(&index);
    let simulation = simulation::analyze(&index);
    let verification = verification::analyze(&index);
    let mut samples = SampleCounts {
        total: index.samples.len(),
        datasets: BTreeMap::new(),
        questions: BTreeMap::new(),
    };
    for sample in index.samples.values() {
        *samples
            .datasets
            .entry(dataset_name(sample.dataset).to_owned())
            .or_default() += 1;
        *samples
            .questions
            .entry(question_name(sample.kind).to_owned())
            .or_default() += 1;
    }
    let calls = usage::analyze(records);
    let people = people::analyze(&index);
    let mut conclusions = conclude(&records.study, &preference, &simulation, &verification);
    conclusions.extend(people.iter().filter_map(beside_people));
    let mut analysis = Analysis {
        schema_version: SCHEMA_VERSION,
        study: records.study.clone(),
        scripted: records.study.scripted(),
        samples,
        conclusions,
        flags: Vec::new(),
        answerers: answers::analyze(&index),
        correlations: correlation::analyze(&index, &preference, &simulation, &verification),
        faithfulness: faithfulness::analyze(&index),
        left_out: left_out::analyze(&index),
        arm_pairs: arm_pairs::analyze(&index),
        agreement: agreement::analyze(&index),
        people,
        confidence: confidence::analyze(&index),
        sensitivity: sensitivity::analyze(&index),
        preference,
        simulation,
        verification,
        suspects: suspects::analyze(records),
        pages: pages::analyze(records),
        check: records.check.as_ref().map(RunCheck::analysis),
        total_cost: usage::total_cost(calls.iter().map(|call| call.cost.clone())),
        calls,
    };
    analysis.flags = flags::raise(&analysis, &index);
    analysis
}
