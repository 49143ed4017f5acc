//! The prediction verification task: say whether the model's answer is right, from the explanation with the answer shown.

use rand::RngExt;

use super::orders::generator;
use super::settings::{OptionOrder, VerificationTask};
use super::trial::{SampleAnswers, repeated};
use super::{CONTROL_ARM, Task, Trial};
use crate::dataset::Answer;

/// The option that the model's answer is right.
pub const CORRECT: &str = "correct";
/// The option that the model's answer is wrong.
pub const INCORRECT: &str = "incorrect";

/// The trials of all samples: one for each sample and arm that answered it, its prediction shown.
///
/// The control is one trial for each sample and *distinct* prediction, shown without explanation; `control_of` names the
/// arms that made this prediction. So the lift of every arm is paired on the same samples and the same predictions.
pub fn trials(samples: &[SampleAnswers], task: &VerificationTask, control: bool, seed: u64) -> Vec<Trial> {
    let mut trials = Vec::new();
    for (index, sample) in samples.iter().enumerate() {
        let options = options(task.options, index, seed);
        let mut controls: Vec<(&Answer, Vec<String>)> = Vec::new();
        for (arm, prediction) in sample.answered() {
            trials.push(trial(sample, arm, prediction, &options, Vec::new(), 0));
            match controls.iter_mut().find(|(known, _)| *known == prediction) {
                Some((_, arms)) => arms.push(arm.to_owned()),
                None => controls.push((prediction, vec![arm.to_owned()])),
            }
        }
        if control {
            for (turn, (prediction, arms)) in (0..).zip(controls) {
                trials.push(trial(sample, CONTROL_ARM, prediction, &options, arms, turn));
            }
        }
    }
    repeated(trials, task.repeats)
}

/// Both options in the order shown for the sample with this index; the same for all of its arms.
///
/// Balanced orders are drawn in blocks of two samples, one each way: halves stay equal (give or take one) for any number
/// of samples, and a study that is cut short or extended keeps the orders it has.
fn options(order: OptionOrder, sample_index: usize, seed: u64) -> [&'static str; 2] {
    let correct_first = match order {
        OptionOrder::CorrectFirst => true,
        OptionOrder::IncorrectFirst => false,
        OptionOrder::Balanced => {
            let block = (sample_index / 2).to_string();
            let first_of_block: bool = generator(seed, "options", &[&block]).random();
            first_of_block == sample_index.is_multiple_of(2)
        }
    };
    if correct_first {
        [CORRECT, INCORRECT]
    } else {
        [INCORRECT, CORRECT]
    }
}

fn trial(
    sample: &SampleAnswers,
    arm: &str,
    prediction: &Answer,
    options: &[&str; 2],
    control_of: Vec<String>,
    turn: u32,
) -> Trial {
    Trial {
        options: options.iter().map(|option| (*option).to_owned()).collect(),
        prediction: Some(prediction.clone()),
        control_of,
        turn,
        ..Trial::new(Task::Verification, sample, vec![arm.to_owned()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::QuestionKind;

    fn sample(id: usize, answers: &[Option<&str>]) -> SampleAnswers {
        SampleAnswers {
            sample: format!("s{id}"),
            kind: QuestionKind::ShortAnswer,
            arms: answers
                .iter()
                .enumerate()
                .map(|(arm, answer)| {
                    (
                        format!("arm{arm}"),
                        answer.map(|text| Answer::Values(vec![text.to_owned()])),
                    )
                })
                .collect(),
        }
    }

    #[test]
    fn one_control_for_each_distinct_prediction() {
        let samples = [sample(0, &[Some("x"), Some("y"), None, Some("x")])];
        let made = trials(&samples, &VerificationTask::default(), true, 0);
        let controls: Vec<&Trial> = made.iter().filter(|trial| trial.arms[0] == CONTROL_ARM).collect();
        assert_eq!(made.len() - controls.len(), 3);
        assert_eq!(controls.len(), 2);
        assert_eq!(controls[0].control_of, ["arm0", "arm3"]);
        assert_eq!(controls[1].control_of, ["arm1"]);
        assert_eq!(controls[1].prediction, Some(Answer::Values(vec!["y".to_owned()])));
        assert_eq!((controls[0].turn, controls[1].turn), (0, 1));
        // Every arm has exactly one control with its own sample and prediction.
        for trial in made.iter().filter(|trial| trial.arms[0] != CONTROL_ARM) {
            let paired = controls.iter().filter(|control| {
                control.prediction == trial.prediction && control.control_of.contains(&trial.arms[0])
            });
            assert_eq!(paired.count(), 1);
        }
        assert_eq!(trials(&samples, &VerificationTask::default(), false, 0).len(), 3);
    }

    #[test]
    fn half_of_the_samples_see_each_option_first_and_all_arms_of_a_sample_the_same() {
        let samples: Vec<SampleAnswers> = (0..41).map(|id| sample(id, &[Some("x"), Some("y")])).collect();
        let made = trials(&samples, &VerificationTask::default(), true, 11);
        let mut first = Vec::new();
        for sample in &samples {
            let mut seen: Vec<&str> = made
                .iter()
                .filter(|trial| trial.sample == sample.sample)
                .map(|trial| trial.options[0].as_str())
                .collect();
            seen.dedup();
            assert_eq!(seen.len(), 1);
            first.push(seen[0] == CORRECT);
        }
        let correct_first = first.iter().filter(|correct| **correct).count();
        assert!((20..=21).contains(&correct_first));
        assert!(first.chunks_exact(2).any(|pair| pair[0]) && first.chunks_exact(2).any(|pair| !pair[0]));
    }

    #[test]
    fn fixed_orders_are_fixed() {
        for (order, first) in [
            (OptionOrder::CorrectFirst, CORRECT),
            (OptionOrder::IncorrectFirst, INCORRECT),
        ] {
            let task = VerificationTask {
                options: order,
                ..VerificationTask::default()
            };
            let samples: Vec<SampleAnswers> = (0..6).map(|id| sample(id, &[Some("x")])).collect();
            assert!(
                trials(&samples, &task, true, 5)
                    .iter()
                    .all(|trial| trial.options[0] == first)
            );
        }
    }
}
