//! Sentences and flags on what is held against something else, of made-up studies that a reviewer would try.

use tabjury::dataset::Answer;
use tabjury::judge::{CONTROL_ARM, Protocol, Task, Verdict};
use tabjury::report::JudgeFacts;
use tabjury::report::flags::{FlagKind, Severity};

use crate::studies::{Study, flags, said_true, trial};
use crate::{close, outputs};

#[test]
fn a_difference_of_trials_is_not_said_to_be_better_by_counting_samples() {
    // Ten draws of sixty samples: ahead by 10 on 6, behind by 1 on 24.
    let mut study = Study::new(Task::Verification, &["a"]);
    for sample in 0..60 {
        study.sample(sample, true);
        for repeat in 0..10 {
            let (with, without) = match sample {
                0..6 => (true, false),
                6..30 => (repeat < 9, true),
                _ => (true, true),
            };
            for (arm, said) in [("a", with), (CONTROL_ARM, without)] {
                let mut page = trial(Task::Verification, sample, &[arm], Protocol::Ranking, repeat);
                page.prediction = Some(said_true(true));
                if arm == CONTROL_ARM {
                    page.control_of = vec!["a".to_owned()];
                }
                study.add(page, Verdict::Correct(said));
            }
        }
    }
    let (analysis, said) = study.analysis();
    let lift = &analysis.verification[0].arms[0].control.as_ref().unwrap().lift;
    close(lift.difference, 0.06);
    assert_eq!((lift.first_ahead, lift.second_ahead), (6, 24));
    close(lift.p, 0.190_287_822_857_491_77);
    assert!(
        said.contains("Verification with an explanation beats the one without by more than chance in 0 of 1 pair")
            && said.contains("(sign-flip test over samples, Holm-corrected)")
            && said.contains("corrected p = 0.190"),
        "{said}"
    );
}

#[test]
fn a_judge_that_always_guesses_the_more_frequent_answer_is_said_to_beat_nothing_but_the_control() {
    // 40 samples, on 30 the model says TRUE; the judge always says TRUE, and without an explanation FALSE on every other.
    let mut study = Study::new(Task::Simulation, &["a"]);
    for sample in 0..40 {
        study.sample(sample, true);
        let prediction = Some(said_true(sample % 4 != 0));
        study.guess(sample, "a", prediction, said_true(true));
        study.guess(sample, CONTROL_ARM, None, said_true(sample % 2 == 0));
    }
    let (analysis, said) = study.analysis();
    assert!(
        said.contains(
            "Simulation beats always guessing the model's more frequent answer by more than chance in 0 of 1 pair of arm \
             and judge (McNemar's exact test, Holm-corrected). Closest: a before alder: 30 of 40 (75.0%) against 30 of 40 \
             (75.0%) by \"TRUE\", "
        ),
        "{said}"
    );
    let found = flags(&analysis, FlagKind::BelowMajority);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, Severity::Caution);
    assert!(
        found[0].1.contains("30 of 40 trials") && found[0].1.contains("no more often right"),
        "{found:?}"
    );
    assert!(
        said.contains("Simulation with an explanation beats the one without by more than chance in 1 of 1 pair"),
        "{said}"
    );
}

#[test]
fn a_base_rate_within_a_kind_has_its_sentence_and_its_row() {
    // Half are statements, guessed right always against 20 of 30 TRUE; half are questions, of which no answer can be given
    // always.
    let mut study = Study::new(Task::Simulation, &["a"]);
    for sample in 0..60 {
        study.sample(sample, true);
        if sample % 2 == 0 {
            let prediction = said_true(sample % 3 != 0);
            study.guess(sample, "a", Some(prediction.clone()), prediction);
        } else {
            let values = |value: &str| Answer::Values(vec![value.to_owned()]);
            study.guess(sample, "a", Some(values("x")), values("y"));
        }
    }
    let (_, said) = study.analysis();
    assert!(
        said.contains("beats always guessing the model's more frequent answer by more than chance in 1 of 1")
            && said.contains("30 of 30 (100.0%) against 20 of 30 (66.7%) by \"TRUE\", on fact verification"),
        "{said}"
    );
    let files = outputs(&study.records);
    let (_, tests) = files.iter().find(|(name, _)| name.ends_with("tests.csv")).unwrap();
    let tests = String::from_utf8_lossy(tests);
    assert!(tests.contains("more_frequent_answer_on_fact_verification"), "{tests}");
}

#[test]
fn harm_where_the_model_is_wrong_is_said() {
    // The model is right on 60 samples, all foreseen with the explanation and half without it, and wrong on 40, foreseen
    // on 5 with it and on 25 without.
    let mut study = Study::new(Task::Simulation, &["a", "b"]);
    for sample in 0..100 {
        let gold = sample % 2 == 0;
        study.sample(sample, gold);
        let right = sample < 60;
        let prediction = gold == right;
        let guess = |agrees: bool| said_true(prediction == agrees);
        study.guess(sample, "a", Some(said_true(prediction)), guess(right || sample < 65));
        // The other arm's model is never wrong.
        study.guess(sample, "b", Some(said_true(gold)), said_true(gold));
        study.guess(
            sample,
            CONTROL_ARM,
            None,
            guess(if right { sample % 4 < 2 } else { sample >= 75 }),
        );
    }
    let (analysis, said) = study.analysis();
    let arms = &analysis.simulation[0].arms;
    let lift = &arms[0].lift_where_wrong.as_ref().unwrap().lift;
    close(lift.difference, -0.5);
    assert_eq!(
        arms[1].lift_where_wrong.as_ref().unwrap_err().reason,
        "no answer is known to be wrong"
    );
    let wrong = said.split("Where the model is wrong").nth(1).unwrap();
    assert!(
        wrong.contains("beats the one without by more than chance in 0 of 1 pair of arm and judge, and falls behind by more than chance in 1"),
        "{said}"
    );
    assert!(
        wrong.contains("Behind: a before alder: 5 of 40 (12.5%) against 25 of 40 (62.5%), −50.0 points (95% interval")
            && wrong.contains("corrected p < 0.001")
            && wrong.contains("Not tested: 1 (no answer is known to be wrong)."),
        "{said}"
    );
}

#[test]
fn one_order_claims_no_effect_of_places() {
    for protocol in [Protocol::Ranking, Protocol::BestWorst, Protocol::Pairwise] {
        let arms: &[&str] = if protocol == Protocol::Pairwise {
            &["a", "b"]
        } else {
            &["a", "b", "c"]
        };
        let mut study = Study::new(Task::Preference, arms);
        for sample in 0..40 {
            study.sample(sample, true);
            // The first is the best, the others are ranked by chance.
            let mut order: Vec<String> = arms.iter().map(|arm| (*arm).to_owned()).collect();
            if order.len() > 2 && sample % 2 == 0 {
                order.swap(1, 2);
            }
            let verdict = match protocol {
                Protocol::BestWorst => Verdict::BestWorst {
                    best: order[0].clone(),
                    worst: order[2].clone(),
                },
                _ => Verdict::Ranking(order),
            };
            study.add(trial(Task::Preference, sample, arms, protocol, 0), verdict);
        }
        let (analysis, said) = study.analysis();
        assert!(analysis.preference[0].one_order);
        assert!(
            flags(&analysis, FlagKind::PositionBias).is_empty(),
            "{protocol:?}: {:?}",
            analysis.flags
        );
        assert!(
            !said.contains("moves its rank") && !said.contains("too often"),
            "{protocol:?}: {said}"
        );
        assert!(
            said.contains("place and explanation cannot be told apart"),
            "{protocol:?}: {said}"
        );
    }
}

#[test]
fn choices_of_what_stands_first_have_a_corrected_p_over_judges() {
    let mut study = Study::new(Task::Preference, &["a", "b", "c"]);
    let judge = study.records.study.judges[0].clone();
    study.records.study.judges.push(JudgeFacts {
        name: "birch".to_owned(),
        ..judge
    });
    let orders = [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]];
    for sample in 0..12 {
        study.sample(sample, true);
        // One order a sample; what stands first is the best on 9 of 12 and the last on the others.
        let shown = orders[sample % 3];
        let best = if sample < 9 { 0 } else { 2 };
        let verdict = Verdict::BestWorst {
            best: shown[best].to_owned(),
            worst: shown[1].to_owned(),
        };
        study.add(trial(Task::Preference, sample, &shown, Protocol::BestWorst, 0), verdict);
    }
    let (analysis, said) = study.analysis();
    for judge in &analysis.preference {
        assert!(!judge.one_order);
        let test = judge.best_worst.as_ref().unwrap().first_place.as_ref().unwrap();
        // P(X >= 9 or as unlikely) for 12 draws of a third: 9 or more is 0.003868, below none is as unlikely as 9 (0.003339).
        let chance = |k: u32| {
            let ways = (0..k).fold(1.0, |ways, i| ways * f64::from(12 - i) / f64::from(i + 1));
            ways * (1.0_f64 / 3.0).powi(k as i32) * (2.0_f64 / 3.0).powi(12 - k as i32)
        };
        let p: f64 = (0..=12).map(chance).filter(|p| *p <= chance(9) * (1.0 + 1e-9)).sum();
        close(test.p, p);
        close(test.p_corrected, 2.0 * p);
    }
    assert!(
        said.contains("chosen as the best too often. It was in 75.0% (mean over 12 samples")
            && said.contains("chance gives 33.3%; exact binomial test over 12 samples, corrected p = 0.0"),
        "{said}"
    );

    // A judge whose choice does not depend on places chooses what stands first in a third of each sample's orders.
    let mut study = Study::new(Task::Preference, &["a", "b", "c"]);
    for sample in 0..12 {
        study.sample(sample, true);
        for shown in orders {
            let verdict = Verdict::BestWorst {
                best: "b".to_owned(),
                worst: "c".to_owned(),
            };
            study.add(trial(Task::Preference, sample, &shown, Protocol::BestWorst, 0), verdict);
        }
    }
    let (analysis, said) = study.analysis();
    assert!(
        said.contains("No effect of being shown first was found") && said.contains("corrected p = 1.000"),
        "{said}"
    );
    assert!(flags(&analysis, FlagKind::PositionBias).is_empty());
}

#[test]
fn nemenyis_p_stands_beside_the_ranks_it_is_of() {
    // Three arms in two orders each; on 40 samples a is narrowly ahead of b, on 20 far behind: mean ranks and ranks within
    // samples point in opposite directions.
    let mut study = Study::new(Task::Preference, &["a", "b", "c"]);
    let orders = [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]];
    for sample in 0..60 {
        study.sample(sample, true);
        for (turn, shown) in orders.iter().enumerate() {
            let ranked = match (sample < 40, turn) {
                (true, 0 | 1) => ["a", "b", "c"],
                (true, _) => ["b", "a", "c"],
                (false, _) => ["b", "c", "a"],
            };
            let ranked = Verdict::Ranking(ranked.map(str::to_owned).to_vec());
            study.add(trial(Task::Preference, sample, shown, Protocol::Ranking, 0), ranked);
        }
    }
    let (analysis, _) = study.analysis();
    let pair = &analysis.preference[0].tests.as_ref().unwrap().nemenyi[0];
    assert_eq!((pair.first.as_str(), pair.second.as_str()), ("a", "b"));
    // (40 (4/3 - 5/3) + 20 (3 - 1)) / 60, and (40 (1 - 2) + 20 (3 - 1)) / 60 = 0, of which p is 1.
    close(pair.difference, (-40.0 / 3.0 + 40.0) / 60.0);
    close(pair.within_samples, 0.0);
    close(pair.p, 1.0);
}
