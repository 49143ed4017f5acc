//! Texts that speak to the judge, counted by the arm on whose pages they stand.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::records::RunRecords;
use crate::judge::Trial;

/// How many trials of an arm show a text that speaks to the judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArmSuspects {
    /// The arm; the control is `none`. A text in the question counts for every arm that is shown with it.
    pub arm: String,
    /// Trials that show the arm.
    pub trials: usize,
    /// Those of them with such a text on the arm's page or in the question.
    pub suspect_trials: usize,
    /// The same by the rule that found it; a trial may count for several.
    pub by_rule: BTreeMap<String, usize>,
    /// The same by where it stands: `question`, `table`, `explanation` or `answer`.
    pub by_part: BTreeMap<String, usize>,
}

/// One entry an arm that shows such a text anywhere, by name.
pub fn analyze(records: &RunRecords) -> Vec<ArmSuspects> {
    let mut arms: BTreeMap<&str, ArmSuspects> = BTreeMap::new();
    for trial in &records.trials {
        for arm in &trial.arms {
            let counted = arms.entry(arm).or_insert_with(|| ArmSuspects {
                arm: arm.clone(),
                trials: 0,
                suspect_trials: 0,
                by_rule: BTreeMap::new(),
                by_part: BTreeMap::new(),
            });
            counted.trials += 1;
            count(counted, trial);
        }
    }
    arms.into_values().filter(|arm| arm.suspect_trials > 0).collect()
}

fn count(counted: &mut ArmSuspects, trial: &Trial) {
    let own = || {
        let is_own = |arm: &Option<String>| arm.as_ref().is_none_or(|arm| *arm == counted.arm);
        trial.suspects.iter().filter(move |suspect| is_own(&suspect.arm))
    };
    let rules: std::collections::BTreeSet<&str> = own().map(|suspect| suspect.rule.name()).collect();
    let parts: std::collections::BTreeSet<&str> = own().map(|suspect| suspect.part.name()).collect();
    counted.suspect_trials += usize::from(!rules.is_empty());
    for rule in rules {
        *counted.by_rule.entry(rule.to_owned()).or_default() += 1;
    }
    for part in parts {
        *counted.by_part.entry(part.to_owned()).or_default() += 1;
    }
}
