//! The preference task: which explanations of one sample are better, by ranking them all, in pairs, by best and worst, or
//! by scores.

use std::collections::BTreeMap;

use super::orders::{OrderError, orders_for_sample};
use super::protocol::Protocol;
use super::settings::{Labels, PreferenceTask};
use super::trial::{SampleAnswers, repeated};
use super::{CONTROL_ARM, Task, Trial};

/// What a judge is told of the control where explanations are described.
const CONTROL_DESCRIPTION: &str = "The table and the question alone, without an explanation.";

/// The trials of all samples.
///
/// Only samples that every arm answered are judged: a missing explanation would be ranked last for being missing. The
/// control is judged too when the task asks for it and the study has one. Fewer than two arms give no trials. Pairs come
/// in the orders that the design has for two arms; scores are given to one explanation at a time, which has no order.
/// `descriptions` say what the method of an arm does; they are shown only where the labels ask for them.
pub fn trials(
    samples: &[SampleAnswers],
    task: &PreferenceTask,
    control: bool,
    seed: u64,
    descriptions: &BTreeMap<String, String>,
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
        for (number, group) in groups(task.protocol, arms.len()).into_iter().enumerate() {
            // The pairs of a sample take their turns one after another, as samples do.
            let (place, id) = match task.protocol {
                Protocol::Pairwise => (index + number, format!("{}/{number}", sample.sample)),
                _ => (index, sample.sample.clone()),
            };
            let per_sample = if group.len() == 1 { None } else { task.orders_per_sample };
            let orders = orders_for_sample(task.orders, group.len(), per_sample, place, seed, &id)?;
            for (turn, order) in (0..).zip(orders) {
                let shown = order.iter().map(|&arm| arms[group[arm]].to_owned()).collect();
                trials.push(trial(sample, task, shown, descriptions, turn));
            }
        }
    }
    Ok(repeated(trials, task.repeats))
}

/// The sets of arms that are shown together.
fn groups(protocol: Protocol, arms: usize) -> Vec<Vec<usize>> {
    match protocol {
        Protocol::Ranking | Protocol::BestWorst => vec![(0..arms).collect()],
        Protocol::Pairwise => (0..arms)
            .flat_map(|first| (first + 1..arms).map(move |second| vec![first, second]))
            .collect(),
        Protocol::Pointwise => (0..arms).map(|arm| vec![arm]).collect(),
    }
}

fn trial(
    sample: &SampleAnswers,
    task: &PreferenceTask,
    shown: Vec<String>,
    descriptions: &BTreeMap<String, String>,
    turn: u32,
) -> Trial {
    let describe = |arm: &String| match descriptions.get(arm) {
        _ if arm == CONTROL_ARM => CONTROL_DESCRIPTION.to_owned(),
        Some(description) => description.clone(),
        None => String::new(),
    };
    let blind = Trial::new(Task::Preference, sample, shown);
    let takes_ties = matches!(task.protocol, Protocol::Ranking | Protocol::Pairwise);
    Trial {
        descriptions: match task.labels {
            Labels::NamedWithDescriptions => blind.arms.iter().map(describe).collect(),
            Labels::Blind | Labels::Named => Vec::new(),
        },
        labels: match task.labels {
            Labels::Blind => blind.labels.clone(),
            Labels::Named | Labels::NamedWithDescriptions => blind.arms.clone(),
        },
        turn,
        protocol: task.protocol,
        ties: task.ties && takes_ties,
        ..blind
    }
}

#[cfg(test)]
mod tests {
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
        let trials = trials(&samples(8, &["a", "b", "c", "d"]), &task, true, 3, &BTreeMap::new()).unwrap();
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
        let trials = trials(&with_gap, &task, true, 3, &BTreeMap::new()).unwrap();
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
        let without = trials(&samples(1, &["a", "b"]), &task, true, 0, &BTreeMap::new()).unwrap();
        assert!(
            without
                .iter()
                .all(|trial| trial.arms.len() == 2 && trial.labels == trial.arms)
        );
        assert_eq!(without.iter().map(|trial| trial.turn).collect::<Vec<_>>(), [0, 1]);
        task.include_control = true;
        assert!(
            trials(&samples(1, &["a", "b"]), &task, true, 0, &BTreeMap::new())
                .unwrap()
                .iter()
                .all(|trial| trial.arms.contains(&CONTROL_ARM.to_owned()))
        );
        assert!(
            trials(&samples(1, &["a", "b"]), &task, false, 0, &BTreeMap::new())
                .unwrap()
                .iter()
                .all(|trial| !trial.arms.contains(&CONTROL_ARM.to_owned()))
        );
        assert_eq!(
            trials(
                &samples(1, &["a"]),
                &PreferenceTask::default(),
                true,
                0,
                &BTreeMap::new()
            ),
            Ok(vec![])
        );
    }

    #[test]
    fn pairs_come_in_both_orders_and_scores_one_by_one() {
        let of = |protocol, repeats| {
            let task = PreferenceTask {
                protocol,
                repeats,
                ties: true,
                ..PreferenceTask::default()
            };
            trials(&samples(2, &["a", "b", "c"]), &task, true, 0, &BTreeMap::new()).unwrap()
        };
        let pairs = of(Protocol::Pairwise, 1);
        assert_eq!(pairs.len(), 2 * 3 * 2);
        for (first, second) in [("a", "b"), ("a", "c"), ("b", "c")] {
            for arms in [[first, second], [second, first]] {
                let shown = pairs.iter().filter(|trial| trial.arms == arms && trial.ties).count();
                assert_eq!(shown, 2, "{arms:?}");
            }
        }
        let scores = of(Protocol::Pointwise, 1);
        assert_eq!(scores.len(), 2 * 3);
        assert!(scores.iter().all(|trial| trial.arms.len() == 1 && !trial.ties));
        assert!(
            of(Protocol::BestWorst, 1)
                .iter()
                .all(|trial| trial.arms.len() == 3 && !trial.ties)
        );
        let repeated = of(Protocol::Pairwise, 2);
        assert_eq!(repeated.len(), 2 * pairs.len());
        let ids: std::collections::BTreeSet<&str> = repeated.iter().map(|trial| trial.id.as_str()).collect();
        assert_eq!(ids.len(), repeated.len());
    }

    #[test]
    fn descriptions_go_with_named_labels_alone() {
        let descriptions = BTreeMap::from([("a".to_owned(), "It runs steps.".to_owned())]);
        let mut task = PreferenceTask {
            labels: Labels::NamedWithDescriptions,
            include_control: true,
            ..PreferenceTask::default()
        };
        let first = trials(&samples(1, &["a", "b"]), &task, true, 0, &descriptions)
            .unwrap()
            .remove(0);
        assert_eq!(first.labels, first.arms);
        for (arm, description) in first.arms.iter().zip(&first.descriptions) {
            let expected = match arm.as_str() {
                "a" => "It runs steps.",
                "b" => "",
                _ => CONTROL_DESCRIPTION,
            };
            assert_eq!(description, expected);
        }
        task.labels = Labels::Named;
        let named = trials(&samples(1, &["a", "b"]), &task, true, 0, &descriptions).unwrap();
        assert!(named.iter().all(|trial| trial.descriptions.is_empty()));
    }
}
