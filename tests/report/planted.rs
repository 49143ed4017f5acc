//! Planted judgments of every form of preference, of repeats and of panels, with figures computed by hand.

use tabjury::dataset::QuestionKind;
use tabjury::judge::protocol::Criterion;
use tabjury::judge::{Judgment, Outcome, Protocol, Score, Task, Trial, Verdict};
use tabjury::report::flags::FlagKind;
use tabjury::report::preference::PreferenceAnalysis;
use tabjury::report::{JudgeFacts, RunRecords, analyze};

use crate::made_up::records;
use crate::{close, counts, flagged, outputs};

/// A run of three arms in which only preference was asked for, of one judge.
fn run(trials: Vec<(Trial, Verdict)>) -> RunRecords {
    let mut records = records();
    let arm = records.study.arms[0].clone();
    records.study.arms = ["a", "b", "c"]
        .map(|name| tabjury::report::ArmFacts {
            name: name.to_owned(),
            ..arm.clone()
        })
        .to_vec();
    records.study.judges.truncate(1);
    records.study.tasks = vec![Task::Preference];
    records.traces.clear();
    records.pages.clear();
    records.samples.clear();
    records.judgments = trials
        .iter()
        .map(|(trial, verdict)| Judgment {
            trial: trial.id.clone(),
            judge: "alder".to_owned(),
            call: None,
            raw: None,
            outcome: Outcome::Verdict(verdict.clone()),
            asked: None,
            repair: None,
            confidence: None,
        })
        .collect();
    records.trials = trials.into_iter().map(|(trial, _)| trial).collect();
    records
}

fn trial(protocol: Protocol, sample: usize, arms: &[&str], repeat: u32) -> Trial {
    Trial {
        id: String::new(),
        task: Task::Preference,
        sample: format!("s{sample}"),
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
        ties: protocol == Protocol::Ranking,
        descriptions: Vec::new(),
        suspects: Vec::new(),
    }
    .identified()
}

fn ranking(arms: &[&str]) -> Verdict {
    Verdict::Ranking(arms.iter().map(|arm| (*arm).to_owned()).collect())
}

fn of(trials: Vec<(Trial, Verdict)>) -> PreferenceAnalysis {
    let records = run(trials);
    outputs(&records);
    analyze(&records).preference.remove(0)
}

fn value(mean: &tabjury::report::quantities::Mean) -> f64 {
    *mean.value.as_ref().unwrap()
}

#[test]
fn pairs_of_three_arms_have_strengths_and_tests() {
    // a before b before c in three samples, all turned around in the fourth; each pair in both orders.
    let mut trials = Vec::new();
    for sample in 0..4 {
        for pair in [["a", "b"], ["b", "c"], ["a", "c"]] {
            let mut winner_first = pair;
            if sample == 3 {
                winner_first.reverse();
            }
            for shown in [pair, [pair[1], pair[0]]] {
                trials.push((trial(Protocol::Pairwise, sample, &shown, 0), ranking(&winner_first)));
            }
        }
    }
    let found = of(trials);
    assert_eq!((found.common_samples, found.rankings, found.arms.len()), (4, 0, 0));
    assert_eq!((found.stability.compared, found.stability.stable), (12, 12));
    let pairs = found.pairs.as_ref().unwrap();
    assert_eq!((pairs.comparisons, pairs.ties, pairs.samples), (24, 0, 4));
    let won: Vec<f64> = pairs.arms.iter().map(|arm| value(&arm.won)).collect();
    assert_eq!(won, [0.75, 0.5, 0.25]);
    close(value(pairs.shown_earlier.as_ref().unwrap()), 0.5);
    let first = &pairs.pairs[0];
    assert_eq!((first.first.as_str(), first.second.as_str()), ("a", "b"));
    assert_eq!(
        (
            first.first_wins,
            first.second_wins,
            first.first_ahead,
            first.second_ahead
        ),
        (6, 2, 3, 1)
    );
    // Three samples of four: 2 (1 + 4) / 16, and at most 1 over three pairs.
    close(first.p, 0.625);
    close(first.p_corrected, 1.0);
    // With strengths s, 0 and -s, a wins 8 odds(s) + 8 odds(2 s) = 12 of its comparisons.
    let strengths: Vec<f64> = pairs
        .arms
        .iter()
        .map(|arm| *arm.strength.value.as_ref().unwrap())
        .collect();
    let share = |difference: f64| 1.0 / (1.0 + (-difference).exp());
    assert!(
        (share(strengths[0]) + share(2.0 * strengths[0]) - 1.5).abs() < 1e-6,
        "{strengths:?}"
    );
    assert!(strengths[1].abs() < 1e-9 && (strengths[0] + strengths[2]).abs() < 1e-9);
    // In too many resamples some arm wins always.
    assert!(
        pairs.arms[0]
            .strength
            .interval
            .as_ref()
            .unwrap_err()
            .reason
            .contains("have no value")
    );
}

#[test]
fn shared_places_are_mid_ranks() {
    let tied = Verdict::TiedRanking(vec![vec!["a".to_owned(), "b".to_owned()], vec!["c".to_owned()]]);
    let found = of(vec![
        (trial(Protocol::Ranking, 0, &["a", "b", "c"], 0), tied),
        (
            trial(Protocol::Ranking, 1, &["b", "c", "a"], 0),
            ranking(&["a", "b", "c"]),
        ),
    ]);
    assert_eq!(
        (found.rankings, found.partial_rankings, found.common_samples),
        (2, 0, 2)
    );
    let mean_ranks: Vec<f64> = found.arms.iter().map(|arm| value(&arm.mean_rank)).collect();
    assert_eq!(mean_ranks, [1.25, 1.75, 3.0]);
    let first: Vec<f64> = found.arms.iter().map(|arm| value(&arm.first)).collect();
    assert_eq!(first, [0.75, 0.25, 0.0]);
    assert_eq!(found.arms[0].first_rankings, 1, "alone");
    // What stood first: half of the first place in the one sample, nothing in the other.
    close(value(&found.places[0].first), 0.25);
    let pairs = found.pairs.unwrap();
    assert_eq!((pairs.comparisons, pairs.ties), (6, 1));
    close(value(&pairs.arms[0].won), f64::midpoint(0.75, 1.0));
    let reason = &pairs.arms[0].strength.value.as_ref().unwrap_err().reason;
    assert!(
        reason.contains("a, b never lost against the others") || reason.contains("a never lost"),
        "{reason}"
    );
}

#[test]
fn the_best_and_the_worst_are_counted() {
    let choice = |best: &str, worst: &str| Verdict::BestWorst {
        best: best.to_owned(),
        worst: worst.to_owned(),
    };
    let found = of(vec![
        (trial(Protocol::BestWorst, 0, &["a", "b", "c"], 0), choice("a", "c")),
        (trial(Protocol::BestWorst, 0, &["c", "a", "b"], 0), choice("c", "b")),
        (trial(Protocol::BestWorst, 1, &["b", "a", "c"], 0), choice("a", "b")),
    ]);
    assert_eq!((found.common_samples, found.rankings), (2, 0));
    let choices = found.best_worst.unwrap();
    let counts: Vec<(u64, u64)> = choices.arms.iter().map(|arm| (arm.best, arm.worst)).collect();
    assert_eq!(counts, [(2, 0), (0, 2), (1, 1)]);
    // Within s0 first: a half, none, half; then over both samples.
    let scores: Vec<f64> = choices.arms.iter().map(|arm| value(&arm.score)).collect();
    assert_eq!(scores, [0.75, -0.75, 0.0]);
    close(value(&choices.best_by_place[0]), 0.5);
    assert_eq!((found.stability.compared, found.stability.inconsistent), (1, 1));
}

#[test]
fn scores_are_means_over_common_samples() {
    let scores = |scores: [u8; 3]| {
        let scored = Criterion::ALL.into_iter().zip(scores);
        Verdict::Scores(scored.map(|(criterion, score)| Score { criterion, score }).collect())
    };
    let of_arm = |sample, arm: &str, given| (trial(Protocol::Pointwise, sample, &[arm], 0), scores(given));
    let found = of(vec![
        of_arm(0, "a", [5, 4, 3]),
        of_arm(0, "b", [1, 1, 1]),
        of_arm(0, "c", [2, 2, 5]),
        of_arm(1, "a", [3, 3, 3]),
        of_arm(1, "b", [2, 3, 4]),
        of_arm(1, "c", [2, 2, 5]),
        of_arm(2, "a", [1, 1, 1]),
    ]);
    assert_eq!((found.common_samples, found.scores.len()), (2, 3));
    let means: Vec<f64> = found.scores.iter().map(|arm| value(&arm.overall)).collect();
    assert_eq!(means, [3.5, 2.0, 3.0]);
    close(value(&found.scores[0].criteria[0].mean), 4.0);
    assert!(found.tests.is_none() && found.pairs.is_none());
}

#[test]
fn repeats_of_one_order_are_no_orders() {
    let mut trials = Vec::new();
    for (sample, verdicts) in [["abc", "abc", "abc"], ["abc", "acb", "abc"]].into_iter().enumerate() {
        for (repeat, verdict) in (0..).zip(verdicts) {
            let arms: Vec<&str> = verdict.split("").filter(|arm| !arm.is_empty()).collect();
            trials.push((
                trial(Protocol::Ranking, sample, &["a", "b", "c"], repeat),
                ranking(&arms),
            ));
        }
    }
    let records = run(trials);
    let analysis = analyze(&records);
    let found = &analysis.preference[0];
    assert_eq!(found.stability.compared, 0, "there is one order");
    assert_eq!(counts(&found.repeats_agree), (1, 2));
    assert_eq!(counts(&found.follows_shown_order), (5, 6));
    assert_eq!(found.follows_shown_order.samples, Some(2));
    // Two samples, one ranking each: 1 / 36, not 6 trials.
    assert_eq!(counts(&found.follows_in_first_ranking), (2, 2));
    let said = analysis.conclusions.join("\n");
    assert!(
        said.contains("2 of 2 (100.0%") && said.contains("corrected p = 0.028"),
        "{said}"
    );
}

#[test]
fn a_judge_with_a_favourite_order_does_not_follow_places() {
    // Four orders of four samples each, always ranked a, b, c: exactly as often shown as any judge would see it.
    let orders = [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]];
    let trials = (0..12).flat_map(|sample| {
        orders
            .iter()
            .map(move |shown| (trial(Protocol::Ranking, sample, shown, 0), ranking(&["a", "b", "c"])))
    });
    let analysis = analyze(&run(trials.collect()));
    let said = analysis.conclusions.join("\n");
    assert!(
        !said.contains("follows the order") && !said.contains("moves its rank"),
        "{said}"
    );
    assert!(!flagged(&analysis, FlagKind::FollowsShownOrder, Some("alder"), None));
    assert_eq!(analysis.preference[0].stability.stable, 12);
}

#[test]
fn a_judge_that_follows_places_either_way_is_found() {
    let orders = [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]];
    for last_first in [false, true] {
        let trials = (0..12).flat_map(|sample| {
            orders.iter().map(move |shown| {
                let mut ranked = *shown;
                // The first sample goes its own way, so that variances are not nothing.
                if last_first != (sample == 0) {
                    ranked.reverse();
                }
                (trial(Protocol::Ranking, sample, shown, 0), ranking(&ranked))
            })
        });
        let analysis = analyze(&run(trials.collect()));
        let said = analysis.conclusions.join("\n");
        assert!(
            said.contains("moves its rank by more than chance") && said.contains("over 12 samples"),
            "{said}"
        );
        assert_eq!(analysis.preference[0].stability.inconsistent, 12);
    }
}

#[test]
fn a_panel_is_no_further_judge() {
    let alone = records();
    let mut with_panel = alone.clone();
    with_panel.study.judges.push(JudgeFacts {
        name: "jury".to_owned(),
        model: String::new(),
        view: String::new(),
        panel: vec!["alder".to_owned(), "birch".to_owned()],
        person: false,
    });
    let copies: Vec<Judgment> = alone
        .judgments
        .iter()
        .filter(|judgment| judgment.judge == "alder")
        .map(|judgment| Judgment {
            judge: "jury".to_owned(),
            call: None,
            ..judgment.clone()
        })
        .collect();
    with_panel.judgments.extend(copies);
    // An imported arm of which no model is known is not what a panel runs on.
    for records in [&alone, &with_panel] {
        assert!(!records.study.arms.iter().any(|arm| arm.model.is_empty()));
    }
    with_panel.study.arms[0].model = String::new();
    let (alone, with_panel) = (analyze(&alone), analyze(&with_panel));
    for (one, other) in alone.verification.iter().zip(&with_panel.verification) {
        assert_eq!(one, other, "p of a judge does not depend on the panels it sits on");
    }
    assert_eq!(alone.correlations, with_panel.correlations);
    assert!(!flagged(&with_panel, FlagKind::SelfJudging, Some("jury"), None));
    let said = with_panel.conclusions.join("\n");
    assert!(
        said.contains("By panels, verification") && said.contains("2 pairs of arm and panel"),
        "{said}"
    );
    assert!(said.contains("of 2 pairs of arm and judge"), "{said}");
}

#[test]
fn trials_without_arms_break_nothing() {
    let mut records = records();
    for task in [Task::Verification, Task::Simulation, Task::Preference] {
        let mut empty = trial(Protocol::Ranking, 0, &[], 0);
        empty.task = task;
        let empty = empty.identified();
        records.judgments.push(Judgment {
            trial: empty.id.clone(),
            judge: "alder".to_owned(),
            call: None,
            raw: None,
            outcome: Outcome::Verdict(Verdict::Correct(true)),
            asked: None,
            repair: None,
            confidence: None,
        });
        records.trials.push(empty);
    }
    analyze(&records);
}

#[test]
fn places_that_decide_are_found_in_every_form() {
    let first_is_best = (0..10).flat_map(|sample| {
        [["a", "b", "c"], ["c", "a", "b"]].map(|shown| {
            let verdict = Verdict::BestWorst {
                best: shown[0].to_owned(),
                worst: shown[2].to_owned(),
            };
            (trial(Protocol::BestWorst, sample, &shown, 0), verdict)
        })
    });
    let analysis = analyze(&run(first_is_best.collect()));
    let said = analysis.conclusions.join("\n");
    assert!(
        said.contains("What is shown first is chosen as the best too often. It was in 100.0%"),
        "{said}"
    );
    assert!(flagged(&analysis, FlagKind::PositionBias, Some("alder"), None));

    let mut pairs = Vec::new();
    for sample in 0..10 {
        for shown in [["a", "b"], ["b", "a"], ["b", "c"], ["c", "b"], ["a", "c"], ["c", "a"]] {
            // One sample in ten goes the other way.
            let ranked = if sample == 0 { [shown[1], shown[0]] } else { shown };
            pairs.push((trial(Protocol::Pairwise, sample, &shown, 0), ranking(&ranked)));
        }
    }
    let analysis = analyze(&run(pairs));
    let said = analysis.conclusions.join("\n");
    assert!(
        said.contains("moves its rank by more than chance") && said.contains("won 90.0% of its pairs"),
        "{said}"
    );
    assert!(flagged(&analysis, FlagKind::PositionBias, Some("alder"), None));
    let stability = &analysis.preference[0].stability;
    assert_eq!((stability.compared, stability.inconsistent), (30, 30));
}

#[test]
fn two_judges_agree_as_counted() {
    let analysis = analyze(&records());
    // Of preference both judges rank; alder has 13 readable rankings and birch all 14: on f1 to f4 alder follows the
    // place, else it puts pos first, and birch always puts sql first.
    let of = |task: Task| analysis.agreement.iter().find(|found| found.task == task).unwrap();
    let pair = &of(Task::Preference).pairs[0];
    assert_eq!((pair.first.as_str(), pair.second.as_str()), ("alder", "birch"));
    assert_eq!(counts(&pair.agreement), (4, 13));
    assert_eq!(pair.agreement.samples, Some(7));
    // alder says sql in 4 of 13, birch always.
    close(*pair.chance.as_ref().unwrap(), 4.0 / 13.0);
    close(*pair.kappa.as_ref().unwrap(), 0.0);
    let cells: Vec<(&str, &str, u64)> = pair
        .confusion
        .iter()
        .map(|cell| (cell.first.as_str(), cell.second.as_str(), cell.trials))
        .collect();
    assert_eq!(cells, [("pos", "sql", 9), ("sql", "sql", 4)]);
    // Krippendorff's: 9 of 13 units differ; of 26 values 9 are pos and 17 sql.
    let alpha = of(Task::Preference).alpha.as_ref().unwrap();
    close(alpha.value, 1.0 - (9.0 / 13.0) / (2.0 * 9.0 * 17.0 / (26.0 * 25.0)));
    assert_eq!((alpha.trials, alpha.judges), (13, 2));
    // Birch was not asked to verify.
    assert!(analysis.agreement.iter().all(|found| found.task != Task::Verification));
}

#[test]
fn arms_are_compared_on_the_same_trials() {
    let analysis = analyze(&records());
    let of = |task: Task| {
        let mut found = analysis.arm_pairs.iter();
        found
            .find(|found| found.task == task && found.judge == "alder")
            .unwrap()
    };
    // Verification on the seven common samples: pos is right on 3, sql on all.
    let found = of(Task::Verification);
    let difference = found.pairs[0].difference.as_ref().unwrap();
    assert_eq!(
        (counts(&difference.first), counts(&difference.second)),
        ((3, 7), (7, 7))
    );
    assert_eq!((difference.first_ahead, difference.second_ahead), (0, 4));
    close(difference.p, 0.125);
    close(*difference.p_corrected.as_ref().unwrap(), 0.125);
    // With two conditions Cochran's Q is (b - c)^2 / (b + c).
    close(found.all.as_ref().unwrap().statistic, 4.0);
    // 2 asin(sqrt(3/7)) - pi.
    assert!(
        (difference.effect + 1.714_143_895_7).abs() < 1e-9,
        "{}",
        difference.effect
    );
}

#[test]
fn what_was_left_out_could_change_so_much() {
    let analysis = analyze(&records());
    let mut found = analysis.sensitivity.iter();
    let pos = found
        .find(|entry| entry.task == Task::Simulation && entry.judge == "alder" && entry.arm == "pos")
        .unwrap();
    assert_eq!(pos.unread, 1);
    assert_eq!((counts(&pos.common), counts(&pos.all_readable)), ((4, 6), (5, 7)));
    assert_eq!((counts(&pos.unread_wrong), counts(&pos.unread_right)), ((5, 8), (6, 8)));
    assert_eq!(counts(&pos.without_repaired), (4, 6));

    // A verdict that was read only after asking again.
    let mut repaired = records();
    let first = repaired
        .trials
        .iter()
        .find(|trial| trial.task == Task::Simulation && trial.sample == "f1" && trial.arms == ["pos"])
        .unwrap()
        .id
        .clone();
    for judgment in repaired.judgments.iter_mut().filter(|judgment| judgment.trial == first) {
        judgment.repair = Some(tabjury::judge::Repair {
            was: tabjury::judge::NoVerdict::Unparsed,
            detail: "no verdict".to_owned(),
            call: Some("again".to_owned()),
            raw: Some("Answer: TRUE".to_owned()),
            failure: None,
        });
    }
    let analysis = analyze(&repaired);
    let mut found = analysis.sensitivity.iter();
    let pos = found
        .find(|entry| entry.judge == "alder" && entry.arm == "pos")
        .unwrap();
    assert_eq!((counts(&pos.common), counts(&pos.without_repaired)), ((4, 6), (3, 5)));
    assert!(analysis.flags.iter().any(|flag| flag.kind == FlagKind::Repaired));
}

#[test]
fn preference_and_help_are_correlated_within_samples_too() {
    let analysis = analyze(&records());
    let verification = analysis
        .correlations
        .iter()
        .find(|found| found.task == Task::Verification)
        .unwrap();
    assert_eq!(verification.without_arm.len(), 2);
    assert!(verification.without_arm[0].pearson.is_err(), "one cell is left");
    // Before alder, mean ranks differ on f5, q1 and q2 alone (pos first), and of these sql is the right one on f5 and q2
    // while pos is not, and both are on q1: two samples vary in both, and oppose.
    let within = verification
        .within_samples
        .iter()
        .find(|within| within.judge == "alder")
        .unwrap();
    let found = within.correlation.as_ref().unwrap();
    assert_eq!((found.samples, found.points), (2, 4));
    close(found.r, -1.0);
}

#[test]
fn one_simulated_answer_where_the_model_is_wrong_is_held_against_the_control() {
    let analysis = analyze(&records());
    let pos = crate::simulation(&analysis, "alder", "pos");
    // f5 alone is common and wrong: alder says FALSE with the explanation and without; the model said TRUE.
    let lift = &pos.lift_where_wrong.as_ref().unwrap().lift;
    assert_eq!((counts(&lift.first), counts(&lift.second)), ((0, 1), (0, 1)));
    // Agreement with the model on 4 of 6 against agreement with the right answer on 5 of 6.
    let gold = pos.prediction_over_gold.as_ref().unwrap();
    assert_eq!((counts(&gold.first), counts(&gold.second)), ((4, 6), (5, 6)));
    close(gold.difference, -1.0 / 6.0);
}
