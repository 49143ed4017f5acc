//! Several judges as one: the verdict of the majority of those that give one, where enough of them do.
//!
//! A panel asks nobody. It is made from its judges' judgments, so that it is no further judge: the report counts it apart.

use std::collections::BTreeMap;

use super::{Judgment, NoVerdict, Outcome, Protocol, Score, Task, Trial, Verdict};
use crate::dataset::score::answers_agree;

/// A panel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panel {
    /// Its name in reports.
    pub name: String,
    /// Its judges.
    pub judges: Vec<String>,
    /// How many of them have to give a verdict that can be read.
    pub quorum: usize,
}

/// The panel's judgment on a trial, from those of its judges (in any order; others are passed over). `None` when none of
/// them was asked.
///
/// Equal verdicts are counted, and the one that more than half of those give who give any is the panel's. Where there is
/// none, the panel is tied, which is no verdict. In which order the study names the judges makes no difference. Rankings are put together by their mean ranks instead, and arms with the same
/// mean rank share a place.
pub fn judgment(panel: &Panel, trial: &Trial, judgments: &[&Judgment]) -> Option<Judgment> {
    let mut own: Vec<&Judgment> = judgments
        .iter()
        .filter(|judgment| panel.judges.contains(&judgment.judge))
        .copied()
        .collect();
    own.sort_by_key(|judgment| &judgment.judge);
    if own.is_empty() {
        return None;
    }
    let verdicts: Vec<&Verdict> = own
        .iter()
        .filter_map(|judgment| match &judgment.outcome {
            Outcome::Verdict(verdict) => Some(verdict),
            Outcome::None { .. } => None,
        })
        .collect();
    let outcome = if verdicts.len() < panel.quorum {
        none(
            NoVerdict::NoQuorum,
            format!(
                "{} of {} judges gave a verdict{}, and the panel needs {}",
                verdicts.len(),
                panel.judges.len(),
                causes(&own),
                panel.quorum
            ),
        )
    } else {
        match (trial.task, trial.protocol) {
            (Task::Preference, Protocol::Ranking | Protocol::Pairwise) => mean_ranking(trial, &verdicts),
            (Task::Preference, Protocol::Pointwise) => median_scores(&verdicts),
            _ => majority(trial, &verdicts),
        }
    };
    Some(Judgment {
        trial: trial.id.clone(),
        judge: panel.name.clone(),
        call: None,
        raw: None,
        outcome,
        asked: None,
        repair: None,
        confidence: None,
    })
}

fn none(state: NoVerdict, detail: String) -> Outcome {
    Outcome::None { state, detail }
}

/// ` (2 refused, 1 error)`: why the others gave none.
fn causes(own: &[&Judgment]) -> String {
    let mut counts: BTreeMap<NoVerdict, usize> = BTreeMap::new();
    for judgment in own {
        if let Outcome::None { state, .. } = &judgment.outcome {
            *counts.entry(*state).or_default() += 1;
        }
    }
    if counts.is_empty() {
        return String::new();
    }
    let name = |state: &NoVerdict| {
        serde_json::to_value(state)
            .ok()
            .and_then(|name| name.as_str().map(str::to_owned))
    };
    let causes: Vec<String> = counts
        .iter()
        .map(|(state, count)| format!("{count} {}", name(state).unwrap_or_default().replace('_', " ")))
        .collect();
    format!(" ({})", causes.join(", "))
}

/// The verdict that more than half of the judges give who give any.
fn majority(trial: &Trial, verdicts: &[&Verdict]) -> Outcome {
    let mut counts: Vec<(&Verdict, usize)> = Vec::new();
    for verdict in verdicts {
        match counts.iter_mut().find(|(known, _)| agree(trial, known, verdict)) {
            Some((_, count)) => *count += 1,
            None => counts.push((verdict, 1)),
        }
    }
    let given = verdicts.len();
    match counts.iter().find(|(_, count)| 2 * count > given) {
        Some((verdict, _)) => Outcome::Verdict((*verdict).clone()),
        None => none(
            NoVerdict::Ambiguous,
            format!(
                "the panel is tied: of {given} verdicts, {} different ones, none has a majority",
                counts.len()
            ),
        ),
    }
}

fn agree(trial: &Trial, one: &Verdict, other: &Verdict) -> bool {
    match (one, other) {
        (Verdict::Guess(one), Verdict::Guess(other)) => answers_agree(trial.kind, one, other),
        _ => one == other,
    }
}

/// Arms by their summed mid-ranks. Ranks are halves, so that their doubled sums are whole and compare exactly.
fn mean_ranking(trial: &Trial, verdicts: &[&Verdict]) -> Outcome {
    let ranks: Vec<Vec<(&str, f64)>> = verdicts.iter().filter_map(|verdict| verdict.mid_ranks()).collect();
    let mut sums: Vec<(u64, &String)> = trial
        .arms
        .iter()
        .map(|arm| {
            let own = ranks.iter().flatten().filter(|(name, _)| name == arm);
            (own.map(|(_, rank)| (rank * 2.0).round() as u64).sum(), arm)
        })
        .collect();
    sums.sort();
    let mut places: Vec<Vec<String>> = Vec::new();
    for (index, (sum, arm)) in sums.iter().enumerate() {
        match places.last_mut() {
            Some(place) if sums[index - 1].0 == *sum => place.push((*arm).clone()),
            _ => places.push(vec![(*arm).clone()]),
        }
    }
    if trial.ties {
        return Outcome::Verdict(Verdict::TiedRanking(places));
    }
    if places.len() < trial.arms.len() {
        return none(
            NoVerdict::Ambiguous,
            "the panel is tied: arms have the same mean rank, and the trial takes no ties".to_owned(),
        );
    }
    Outcome::Verdict(Verdict::Ranking(places.into_iter().flatten().collect()))
}

/// The lower median of the scores by each criterion.
fn median_scores(verdicts: &[&Verdict]) -> Outcome {
    let given: Vec<&Vec<Score>> = verdicts
        .iter()
        .filter_map(|verdict| match verdict {
            Verdict::Scores(scores) => Some(scores),
            _ => None,
        })
        .collect();
    let Some(first) = given.first() else {
        return none(NoVerdict::Unparsed, "no judge of the panel gave scores".to_owned());
    };
    let median = |criterion| {
        let mut scores: Vec<u8> = given
            .iter()
            .filter_map(|scores| scores.iter().find(|score| score.criterion == criterion))
            .map(|score| score.score)
            .collect();
        scores.sort_unstable();
        scores.get((scores.len().max(1) - 1) / 2).copied().unwrap_or_default()
    };
    let scores = first.iter().map(|score| Score {
        criterion: score.criterion,
        score: median(score.criterion),
    });
    Outcome::Verdict(Verdict::Scores(scores.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::QuestionKind;

    fn trial(task: Task, arms: &[&str]) -> Trial {
        Trial {
            id: "t".to_owned(),
            task,
            sample: "s".to_owned(),
            kind: QuestionKind::FactVerification,
            arms: arms.iter().map(|arm| (*arm).to_owned()).collect(),
            labels: arms.iter().map(|arm| (*arm).to_owned()).collect(),
            options: Vec::new(),
            prediction: None,
            control_of: Vec::new(),
            recorded_right: None,
            repeat: 0,
            turn: 0,
            protocol: Protocol::Ranking,
            ties: false,
            descriptions: Vec::new(),
            suspects: Vec::new(),
        }
    }

    fn panel(quorum: usize) -> Panel {
        Panel {
            name: "p".to_owned(),
            judges: ["x", "y", "z"].map(str::to_owned).to_vec(),
            quorum,
        }
    }

    fn outcome(quorum: usize, trial: &Trial, verdicts: &[(&str, Option<Verdict>)]) -> Option<Outcome> {
        let judgments: Vec<Judgment> = verdicts
            .iter()
            .map(|(judge, verdict)| Judgment {
                trial: "t".to_owned(),
                judge: (*judge).to_owned(),
                call: None,
                raw: None,
                outcome: verdict
                    .clone()
                    .map_or(none(NoVerdict::Refused, "no".to_owned()), Outcome::Verdict),
                asked: None,
                repair: None,
                confidence: None,
            })
            .collect();
        let judgments: Vec<&Judgment> = judgments.iter().collect();
        judgment(&panel(quorum), trial, &judgments).map(|judgment| judgment.outcome)
    }

    #[test]
    fn the_majority_of_a_quorum_decides_and_ties_stay_ties() {
        let verification = trial(Task::Verification, &["a"]);
        let says = |right| Some(Verdict::Correct(right));
        let decided = |quorum, verdicts: &[(&str, Option<Verdict>)]| outcome(quorum, &verification, verdicts);
        let all = [("x", says(true)), ("y", says(false)), ("z", says(true))];
        assert_eq!(decided(2, &all), Some(Outcome::Verdict(Verdict::Correct(true))));
        let state = |outcome: Option<Outcome>| match outcome {
            Some(Outcome::None { state, .. }) => Some(state),
            _ => None,
        };
        assert_eq!(state(decided(2, &all[..2])), Some(NoVerdict::Ambiguous));
        assert_eq!(
            state(decided(3, &[("x", says(true)), ("y", says(true)), ("z", None)])),
            Some(NoVerdict::NoQuorum)
        );
        let detail = match decided(3, &[("x", says(true)), ("y", says(true)), ("z", None)]) {
            Some(Outcome::None { detail, .. }) => detail,
            other => panic!("{other:?}"),
        };
        assert_eq!(
            detail,
            "2 of 3 judges gave a verdict (1 refused), and the panel needs 3"
        );
        // Two of five are the most, and no majority.
        let guess = trial(Task::Simulation, &["a"]);
        let answer = |text: &str| Some(Verdict::Guess(crate::dataset::Answer::Values(vec![text.to_owned()])));
        let guesses = [("x", answer("elm")), ("y", answer("oak")), ("z", answer("ash"))];
        assert_eq!(state(outcome(2, &guess, &guesses)), Some(NoVerdict::Ambiguous));
        assert_eq!(decided(2, &[("other", says(true))]), None);
    }

    #[test]
    fn rankings_are_put_together_by_mean_ranks() {
        let mut ranked = trial(Task::Preference, &["a", "b", "c"]);
        let ranking = |arms: [&str; 3]| Some(Verdict::Ranking(arms.map(str::to_owned).to_vec()));
        // Sums of ranks: a 1 + 1 + 3, b 2 + 3 + 1, c 3 + 2 + 2.
        let verdicts = [
            ("x", ranking(["a", "b", "c"])),
            ("y", ranking(["a", "c", "b"])),
            ("z", ranking(["b", "c", "a"])),
        ];
        let expected = Verdict::Ranking(["a", "b", "c"].map(str::to_owned).to_vec());
        assert_eq!(outcome(2, &ranked, &verdicts), Some(Outcome::Verdict(expected)));
        // a 1 + 2, b 2 + 1: a tie, which is a verdict only where the trial takes ties.
        let tied = [("x", ranking(["a", "b", "c"])), ("y", ranking(["b", "a", "c"]))];
        assert!(matches!(
            outcome(2, &ranked, &tied),
            Some(Outcome::None {
                state: NoVerdict::Ambiguous,
                ..
            })
        ));
        ranked.ties = true;
        let places = vec![vec!["a".to_owned(), "b".to_owned()], vec!["c".to_owned()]];
        assert_eq!(
            outcome(2, &ranked, &tied),
            Some(Outcome::Verdict(Verdict::TiedRanking(places)))
        );
    }
}
