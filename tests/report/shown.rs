//! What was shown decides what can be said: controls among what is ranked or tested, trials that show fewer arms than there
//! are, and pairs of which one is shown first more often.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use tabjury::judge::{CONTROL_ARM, Protocol, Task, Verdict};
use tabjury::report::flags::{FlagKind, Severity};
use tabjury::report::preference::ArmPair;
use tabjury::report::{Analysis, ImportedJudgments};

use crate::studies::{Study, flags, said_true, trial};
use crate::{close, outputs};

fn ranking(arms: &[&str]) -> Verdict {
    Verdict::Ranking(arms.iter().map(|arm| (*arm).to_owned()).collect())
}

#[test]
fn a_control_that_was_ranked_is_no_explanation_that_helps() {
    // Whether a or b is preferred goes along with nothing; the control is always last, and never of any help.
    let mut study = Study::new(Task::Preference, &["a", "b"]);
    study.records.study.tasks.push(Task::Verification);
    for sample in 0..64 {
        study.sample(sample, true);
        let order = if sample % 2 == 0 {
            ["a", "b", CONTROL_ARM]
        } else {
            ["b", "a", CONTROL_ARM]
        };
        let shown = trial(Task::Preference, sample, &["a", "b", CONTROL_ARM], Protocol::Ranking, 0);
        study.add(shown, ranking(&order));
        for (arm, right) in [("a", sample & 2 == 0), ("b", sample & 4 == 0), (CONTROL_ARM, false)] {
            let mut page = trial(Task::Verification, sample, &[arm], Protocol::Ranking, 0);
            page.prediction = Some(said_true(true));
            if arm == CONTROL_ARM {
                page.control_of = vec!["a".to_owned(), "b".to_owned()];
            }
            study.add(page, Verdict::Correct(right));
        }
    }
    let (analysis, _) = study.analysis();
    let correlation = &analysis.correlations[0];
    let found = correlation.within_samples[0].correlation.as_ref().unwrap();
    close(found.r, 0.0);
    assert_eq!(correlation.points.len(), 2);

    // A control between two explanations moves them apart no further than one behind them.
    let r = |between: bool| {
        let mut study = Study::new(Task::Preference, &["a", "b", "c"]);
        study.records.study.tasks.push(Task::Verification);
        for sample in 0..30 {
            study.sample(sample, true);
            let order: Vec<&str> = match (between, sample % 3) {
                (true, 0) => vec!["a", CONTROL_ARM, "b", "c"],
                (true, 1) => vec!["b", "c", CONTROL_ARM, "a"],
                (_, 0) => vec!["a", "b", "c", CONTROL_ARM],
                (_, 1) => vec!["b", "c", "a", CONTROL_ARM],
                (_, _) => vec!["c", "b", "a", CONTROL_ARM],
            };
            let shown = trial(
                Task::Preference,
                sample,
                &["a", "b", "c", CONTROL_ARM],
                Protocol::Ranking,
                0,
            );
            study.add(shown, ranking(&order));
            for (arm, right) in [("a", sample % 3 == 0), ("b", sample % 2 == 0), ("c", sample % 5 < 2)] {
                let mut page = trial(Task::Verification, sample, &[arm], Protocol::Ranking, 0);
                page.prediction = Some(said_true(true));
                study.add(page, Verdict::Correct(right));
            }
        }
        let (analysis, _) = study.analysis();
        analysis.correlations[0].within_samples[0]
            .correlation
            .as_ref()
            .unwrap()
            .r
    };
    close(r(true), r(false));
}

/// A log whose arm `plain` is the control of `a`.
fn imported() -> ImportedJudgments {
    ImportedJudgments {
        source: "log.jsonl".to_owned(),
        rows: 40,
        own_samples: false,
        shown_order_known: true,
        control_arms: vec!["plain".to_owned()],
        controls: [("a".to_owned(), "plain".to_owned())].into(),
        absent: Vec::new(),
        unread_predictions: 0,
        unread_gold: 0,
        unread_labels: 0,
        rankings_without_arms: 0,
        conflicting_gold: 0,
        labels_against_scoring: 0,
    }
}

#[test]
fn a_recorded_control_has_no_corrected_p() {
    let mut study = Study::new(Task::Verification, &["a", "plain"]);
    study.records.study.imported_judgments = Some(imported());
    for sample in 0..20 {
        study.sample(sample, sample % 4 != 0);
        for (arm, right) in [("a", sample % 5 != 0), ("plain", sample % 2 == 0)] {
            let mut page = trial(Task::Verification, sample, &[arm], Protocol::Ranking, 0);
            page.prediction = Some(said_true(true));
            study.add(page, Verdict::Correct(right == (sample % 4 != 0)));
        }
    }
    let (analysis, _) = study.analysis();
    let [a, plain] = analysis.verification[0].arms.as_slice() else {
        panic!("two arms");
    };
    for (own, corrected) in [(a, true), (plain, false)] {
        for test in [&own.against_base_rate, &own.against_constant] {
            let test = test.as_ref().unwrap();
            assert_eq!(test.p_corrected.is_ok(), corrected, "{}: {test:?}", own.arm);
        }
    }
    let files = outputs(&study.records);
    let (_, tests) = files.iter().find(|(name, _)| name.ends_with("tests.csv")).unwrap();
    let tests = String::from_utf8_lossy(tests);
    let plain: Vec<&str> = tests
        .lines()
        .filter(|line| line.contains(",plain,always_correct,"))
        .collect();
    assert_eq!(plain.len(), 1, "{tests}");
    assert!(
        plain[0].contains(",,") && plain[0].contains("p is not corrected"),
        "{plain:?}"
    );
}

#[test]
fn a_recorded_control_is_in_no_test_of_pairs_of_arms() {
    // The explanations differ on four samples, all one way; the control is wrong on all.
    let mut study = Study::new(Task::Verification, &["a", "b", "plain"]);
    let mut log = imported();
    log.controls.insert("b".to_owned(), "plain".to_owned());
    study.records.study.imported_judgments = Some(log);
    for sample in 0..20 {
        study.sample(sample, true);
        for (arm, right) in [("a", sample % 5 != 0), ("b", true), ("plain", false)] {
            let mut page = trial(Task::Verification, sample, &[arm], Protocol::Ranking, 0);
            page.prediction = Some(said_true(true));
            study.add(page, Verdict::Correct(right));
        }
    }
    let (analysis, _) = study.analysis();
    let [found] = analysis.arm_pairs.as_slice() else {
        panic!("one judge and task");
    };
    let [pair] = found.pairs.as_slice() else {
        panic!("one pair: {:?}", found.pairs);
    };
    assert_eq!((pair.first.as_str(), pair.second.as_str()), ("a", "b"));
    // 2 / 2^4, which a family with the two pairs of the control would make three times as large.
    let difference = pair.difference.as_ref().unwrap();
    close(difference.p, 0.125);
    close(*difference.p_corrected.as_ref().unwrap(), 0.125);
    // (0 - 4)^2 / 4; with the control it would be far larger.
    close(found.all.as_ref().unwrap().statistic, 4.0);
    // What explanations add to the control is a family of its own.
    let lifts = &analysis.verification[0].arms;
    let corrected = |arm: usize| {
        let control = lifts[arm].control.as_ref();
        control.ok().map(|control| control.lift.p_corrected.is_ok())
    };
    assert_eq!([0, 1, 2].map(corrected), [Some(true), Some(true), None]);
}

#[test]
fn what_is_first_by_chance_depends_on_how_many_were_shown() {
    // Half of the trials show two arms, half four; what stands first is the best as often as by chance in each.
    let mut study = Study::new(Task::Preference, &["a", "b", "c", "d"]);
    let orders = [
        ["a", "b", "c", "d"],
        ["b", "d", "a", "c"],
        ["c", "a", "d", "b"],
        ["d", "c", "b", "a"],
    ];
    for sample in 0..80 {
        study.sample(sample, true);
        let shown = if sample < 40 { 2 } else { 4 };
        let order = &orders[sample / 4 % 4][..shown];
        let verdict = Verdict::BestWorst {
            best: order[sample % shown].to_owned(),
            worst: order[(sample + 1) % shown].to_owned(),
        };
        study.add(trial(Task::Preference, sample, order, Protocol::BestWorst, 0), verdict);
    }
    let (analysis, said) = study.analysis();
    let choices = analysis.preference[0].best_worst.as_ref().unwrap();
    let test = choices.first_place.as_ref().unwrap();
    close(test.chance, 0.375);
    close(test.p, 1.0);
    let shares: Vec<f64> = choices
        .best_by_place
        .iter()
        .map(|place| *place.value.as_ref().unwrap())
        .collect();
    assert_eq!(shares, [0.375, 0.375, 0.25, 0.25]);
    assert_eq!(choices.chance_by_place, [0.375, 0.375, 0.25, 0.25]);
    assert!(
        flags(&analysis, FlagKind::PositionBias).is_empty(),
        "{:?}",
        analysis.flags
    );
    assert!(said.contains("chance gives 37.5%"), "{said}");
}

/// Three arms on forty samples in these orders, ranked by what the judge makes of the order.
fn ranked(
    orders: &[[&'static str; 3]],
    mut judge: impl FnMut(usize, [&'static str; 3]) -> [&'static str; 3],
) -> Analysis {
    let mut study = Study::new(Task::Preference, &["a", "b", "c"]);
    for sample in 0..40 {
        study.sample(sample, true);
        for shown in orders {
            let ranked = judge(sample, *shown);
            study.add(
                trial(Task::Preference, sample, shown, Protocol::Ranking, 0),
                ranking(&ranked),
            );
        }
    }
    study.analysis().0
}

#[test]
fn pairs_that_were_shown_in_one_order_more_often_say_so_where_places_decide() {
    let cyclic = [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]];
    let all = [
        ["a", "b", "c"],
        ["b", "c", "a"],
        ["c", "a", "b"],
        ["c", "b", "a"],
        ["a", "c", "b"],
        ["b", "a", "c"],
    ];
    let pairs = |analysis: &Analysis| -> Vec<ArmPair> { analysis.preference[0].pairs.as_ref().unwrap().pairs.clone() };

    // A judge that mostly follows places: every pair differs, and every pair has its caveat.
    let mut dice = ChaCha8Rng::seed_from_u64(5);
    let mut follows = |_: usize, shown: [&'static str; 3]| {
        if dice.next_u32() % 5 == 0 {
            [shown[1], shown[0], shown[2]]
        } else {
            shown
        }
    };
    let analysis = ranked(&cyclic, &mut follows);
    let found = pairs(&analysis);
    assert!(found.iter().any(|pair| pair.p < 0.05), "{found:?}");
    assert_eq!(found[0].first_shown_earlier, Some(80));
    let caveat = found[0].caveat.as_ref().unwrap();
    assert!(
        caveat.contains("a was shown before b in 80 of 120 comparisons, and places decide before this judge"),
        "{caveat}"
    );
    assert!(found.iter().all(|pair| pair.caveat.is_some()), "{found:?}");
    let raised = flags(&analysis, FlagKind::UnbalancedPairs);
    assert_eq!((raised.len(), raised[0].0), (1, Severity::Severe), "{raised:?}");

    // In all orders the same judge's pairs are balanced.
    let analysis = ranked(&all, &mut follows);
    assert!(pairs(&analysis).iter().all(|pair| pair.caveat.is_none()));
    assert!(flags(&analysis, FlagKind::UnbalancedPairs).is_empty());

    // A judge that goes by the explanations, with another opinion on each sample: no place decides.
    let analysis = ranked(&cyclic, |sample, _| all[sample * 7 % 6]);
    assert!(
        pairs(&analysis).iter().all(|pair| pair.caveat.is_none()),
        "{:?}",
        pairs(&analysis)
    );

    // One order alone: whether places decide cannot be tested.
    let analysis = ranked(&[["a", "b", "c"]], |sample, _| all[sample * 7 % 6]);
    let caveat = pairs(&analysis)[0].caveat.clone().unwrap();
    assert!(
        caveat.contains("a was shown before b in 40 of 40 comparisons") && caveat.contains("could not be tested"),
        "{caveat}"
    );
    assert_eq!(flags(&analysis, FlagKind::UnbalancedPairs)[0].0, Severity::Caution);
}
