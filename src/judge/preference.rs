//! The preference task: rank the explanations of one sample.

use super::orders::{OrderError, orders_for_sample};
use super::settings::{Labels, PreferenceTask};
use super::trial::{SampleAnswers, blind_label};
use super::{CONTROL_ARM, Task, Trial};

/// The trials of all samples.
///
/// Only samples that every arm answered are ranked: a missing explanation would be ranked last for being missing. The
/// control is ranked too when the task asks for it and the study has one. Fewer than two arms give no trials.
pub fn trials(
    samples: &[SampleAnswers],
    task: &PreferenceTask,
    control: bool,
    seed: u64,
) -> Result<Vec<Trial>, OrderError> {
    let mut trials = Vec::new();
    for (index, sample) in samples.iter().filter(|sample| sample.is_common()).enumerate() {
        let mut arms: Vec<&str> = sample.arms.iter().map(|(arm, _)| arm.as_str()).collect();
        if control && task.include_control && !arms.is_empty() {
            arms.push(CONTROL_ARM);
        }
        if arms.len() < 2 {
            continue;
        }
        let orders = orders_for_sample(
            task.orders,
            arms.len(),
            task.orders_per_sample,
            index,
            seed,
            &sample.sample,
        )?;
        for (turn, order) in (0..).zip(orders) {
            let shown: Vec<String> = order.iter().map(|&arm| arms[arm].to_owned()).collect();
            let labels = match task.labels {
                Labels::Blind => (0..shown.len()).map(blind_label).collect(),
                Labels::Named => shown.clone(),
            };
            trials.push(
                Trial {
                    id: String::new(),
                    task: Task::Preference,
                    sample: sample.sample.clone(),
                    kind: sample.kind,
                    arms: shown,
                    labels,
                    options: Vec::new(),
                    prediction: None,
                    control_of: Vec::new(),
                    recorded_right: None,
                    repeat: 0,
                    turn,
                }
                .identified(),
            );
        }
    }
    Ok(trials)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::dataset::{Answer, QuestionKind};

    fn samples(count: usize, arms: &[&str]) -> Vec<SampleAnswers> {
        (0..count)
            .map(|index| SampleAnswers {
                sample: format!("s{index}"),
                kind: QuestionKind::FactVerification,
                arms: arms
                    .iter()
                    .map(|arm| ((*arm).to_owned(), Some(Answer::Verdict(index % 2 == 0))))
                    .collect(),
            })
            .collect()
    }

    #[test]
    fn every_arm_stands_in_every_place_equally_often() {
        let task = PreferenceTask {
            orders_per_sample: Some(1),
            ..PreferenceTask::default()
        };
        let trials = trials(&samples(8, &["a", "b", "c", "d"]), &task, true, 3).unwrap();
        assert_eq!(trials.len(), 8);
        let mut places: BTreeMap<(String, usize), usize> = BTreeMap::new();
        for trial in &trials {
            assert_eq!(trial.labels[0], "Explanation A");
            for (place, arm) in trial.arms.iter().enumerate() {
                *places.entry((arm.clone(), place)).or_default() += 1;
            }
        }
        assert_eq!(places.len(), 16);
        assert!(places.values().all(|&n| n == 2));
    }

    #[test]
    fn a_sample_that_an_arm_did_not_answer_is_left_out_and_does_not_disturb_the_turns() {
        let task = PreferenceTask {
            orders_per_sample: Some(1),
            ..PreferenceTask::default()
        };
        let mut with_gap = samples(5, &["a", "b", "c", "d"]);
        with_gap[1].arms[2].1 = None;
        let trials = trials(&with_gap, &task, true, 3).unwrap();
        assert_eq!(
            trials.iter().map(|trial| trial.sample.as_str()).collect::<Vec<_>>(),
            ["s0", "s2", "s3", "s4"]
        );
        let first: std::collections::BTreeSet<&str> = trials.iter().map(|trial| trial.arms[0].as_str()).collect();
        assert_eq!(first.len(), 4);
    }

    #[test]
    fn the_control_is_ranked_only_when_asked_for() {
        let mut task = PreferenceTask {
            labels: Labels::Named,
            ..PreferenceTask::default()
        };
        let without = trials(&samples(1, &["a", "b"]), &task, true, 0).unwrap();
        assert!(
            without
                .iter()
                .all(|trial| trial.arms.len() == 2 && trial.labels == trial.arms)
        );
        assert_eq!(without.iter().map(|trial| trial.turn).collect::<Vec<_>>(), [0, 1]);
        task.include_control = true;
        assert!(
            trials(&samples(1, &["a", "b"]), &task, true, 0)
                .unwrap()
                .iter()
                .all(|trial| trial.arms.contains(&CONTROL_ARM.to_owned()))
        );
        assert!(
            trials(&samples(1, &["a", "b"]), &task, false, 0)
                .unwrap()
                .iter()
                .all(|trial| !trial.arms.contains(&CONTROL_ARM.to_owned()))
        );
        assert_eq!(
            trials(&samples(1, &["a"]), &PreferenceTask::default(), true, 0),
            Ok(vec![])
        );
    }
}
