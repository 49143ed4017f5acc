//! The forward simulation task: say what the model answered, from the explanation with the answer withheld.

use super::settings::SimulationTask;
use super::trial::{SampleAnswers, repeated};
use super::{CONTROL_ARM, Task, Trial};
use crate::dataset::Answer;

/// The trials of all samples: one for each sample and arm that answered it.
///
/// The control is one trial a sample, of table and question alone. It holds no prediction, since no arm is shown: its
/// guess is scored against the prediction of each arm in `control_of`.
pub fn trials(samples: &[SampleAnswers], task: &SimulationTask, control: bool) -> Vec<Trial> {
    let mut trials = Vec::new();
    for sample in samples {
        let arms: Vec<(&str, &Answer)> = sample.answered().collect();
        for (arm, prediction) in &arms {
            trials.push(trial(sample, arm, Some((*prediction).clone()), Vec::new()));
        }
        if control && !arms.is_empty() {
            let control_of = arms.iter().map(|(arm, _)| (*arm).to_owned()).collect();
            trials.push(trial(sample, CONTROL_ARM, None, control_of));
        }
    }
    repeated(trials, task.repeats)
}

fn trial(sample: &SampleAnswers, arm: &str, prediction: Option<Answer>, control_of: Vec<String>) -> Trial {
    Trial {
        prediction,
        control_of,
        ..Trial::new(Task::Simulation, sample, vec![arm.to_owned()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::QuestionKind;

    #[test]
    fn the_control_is_one_trial_a_sample() {
        let samples = [SampleAnswers {
            sample: "s".to_owned(),
            kind: QuestionKind::FactVerification,
            arms: vec![
                ("a".to_owned(), Some(Answer::Verdict(true))),
                ("b".to_owned(), None),
                ("c".to_owned(), Some(Answer::Verdict(false))),
            ],
        }];
        let made = trials(&samples, &SimulationTask::default(), true);
        let arms: Vec<&str> = made.iter().map(|trial| trial.arms[0].as_str()).collect();
        assert_eq!(arms, ["a", "c", "none"]);
        assert_eq!(made[1].prediction, Some(Answer::Verdict(false)));
        assert_eq!(
            (&made[2].prediction, made[2].control_of.as_slice()),
            (&None, ["a".to_owned(), "c".to_owned()].as_slice())
        );
        assert_eq!(trials(&samples, &SimulationTask::default(), false).len(), 2);
    }

    #[test]
    fn a_sample_without_answers_has_no_control() {
        let samples = [SampleAnswers {
            sample: "s".to_owned(),
            kind: QuestionKind::ShortAnswer,
            arms: vec![("a".to_owned(), None)],
        }];
        assert_eq!(trials(&samples, &SimulationTask::default(), true), []);
    }
}
