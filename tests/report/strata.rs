//! What is independent of each other is samples, and what is by chance depends on what a trial offers: made-up studies
//! whose judges know nothing, and what the report must not say of them.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use tabjury::dataset::{Answer, QuestionKind};
use tabjury::judge::{Confidence, NoVerdict, Outcome, Protocol, Task, Verdict};
use tabjury::report::flags::FlagKind;
use tabjury::report::{JudgeFacts, analyze};

use crate::studies::{Study, flags, said_true, trial};
use crate::{close, counts, outputs};

/// A fair coin.
struct Coin(ChaCha8Rng);

impl Coin {
    fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    fn heads(&mut self) -> bool {
        self.0.next_u32() & 1 == 1
    }
}

#[test]
fn a_judge_with_an_opinion_on_each_sample_has_no_flag_of_the_order_of_options() {
    // Each sample is seen five times in one order, and what the judge thinks of it, it says each time.
    let mut raised = 0;
    for seed in 0..40 {
        let mut coin = Coin::new(seed);
        let mut study = Study::new(Task::Verification, &["a"]);
        for sample in 0..20 {
            study.sample(sample, true);
            let said = coin.heads();
            for repeat in 0..5 {
                let mut page = trial(Task::Verification, sample, &["a"], Protocol::Ranking, repeat);
                page.prediction = Some(said_true(true));
                page.options = ["correct", "incorrect"].map(str::to_owned).to_vec();
                if sample % 2 == 0 {
                    page.options.reverse();
                }
                study.add(page, Verdict::Correct(said));
            }
        }
        let analysis = analyze(&study.records);
        raised += flags(&analysis, FlagKind::OptionBias).len();
    }
    assert!(raised <= 5, "{raised} of 40");

    // A judge that takes the first option on every sample still has it.
    let mut study = Study::new(Task::Verification, &["a"]);
    for sample in 0..10 {
        study.sample(sample, true);
        for repeat in 0..6 {
            let mut page = trial(Task::Verification, sample, &["a"], Protocol::Ranking, repeat);
            page.prediction = Some(said_true(true));
            page.options = ["correct", "incorrect"].map(str::to_owned).to_vec();
            if sample % 2 == 0 {
                page.options.reverse();
            }
            let first = page.options[0] == "correct";
            study.add(page, Verdict::Correct(first));
        }
    }
    let (analysis, _) = study.analysis();
    let found = flags(&analysis, FlagKind::OptionBias);
    // 2 / 2^10.
    let test = analysis.verification[0].options.test.as_ref().unwrap();
    close(test.p, 2.0 / 1024.0);
    assert!(
        found[0].1.contains("60 of 60 verdicts")
            && found[0]
                .1
                .contains("sign-flip test over 10 samples, corrected p = 0.002"),
        "{found:?}"
    );
}

#[test]
fn the_worst_and_the_best_case_are_of_what_could_be_scored() {
    let unread = |study: &mut Study| {
        let last = study.records.judgments.last_mut().unwrap();
        last.outcome = Outcome::None {
            state: NoVerdict::Unparsed,
            detail: String::new(),
        };
    };
    // Verification: 10 right verdicts, 2 unread on answers that are known, 5 unread on answers that are not.
    let mut study = Study::new(Task::Verification, &["a"]);
    for sample in 0..17 {
        study.sample(sample, true);
        if sample >= 12 {
            study.records.samples[sample].gold = None;
        }
        let mut page = trial(Task::Verification, sample, &["a"], Protocol::Ranking, 0);
        page.prediction = Some(said_true(true));
        study.add(page, Verdict::Correct(true));
        if sample >= 10 {
            unread(&mut study);
        }
    }
    let (analysis, _) = study.analysis();
    let found = &analysis.sensitivity[0];
    assert_eq!(found.unread, 2);
    assert_eq!(
        (counts(&found.unread_wrong), counts(&found.unread_right)),
        ((10, 12), (12, 12))
    );

    // Simulation: 10 guesses that agree, one unread, three unread without an answer of the model, four of free-form answers.
    let mut study = Study::new(Task::Simulation, &["a"]);
    for sample in 0..18 {
        study.sample(sample, true);
        let prediction = (!(11..14).contains(&sample)).then(|| said_true(true));
        study.guess(sample, "a", prediction, said_true(true));
        if sample >= 14 {
            study.records.trials.last_mut().unwrap().kind = QuestionKind::FreeForm;
        }
        if sample >= 10 {
            unread(&mut study);
        }
    }
    let (analysis, _) = study.analysis();
    let found = &analysis.sensitivity[0];
    assert_eq!(
        (found.unread, counts(&found.unread_wrong), counts(&found.unread_right)),
        (1, (10, 11), (11, 11))
    );
}

#[test]
fn shares_of_repeated_samples_are_as_wide_as_samples_make_them() {
    // Twenty samples, eight equal draws each: every interval is as wide as of twenty trials, more or less.
    let study_of = |repeats: u32| {
        let mut study = Study::new(Task::Simulation, &["a", "b"]);
        for sample in 0..20 {
            study.sample(sample, sample % 3 != 0);
            for repeat in 0..repeats {
                for arm in ["a", "b", "none"] {
                    let mut page = trial(Task::Simulation, sample, &[arm], Protocol::Ranking, repeat);
                    page.prediction = (arm != "none").then(|| said_true(sample % 4 != 0));
                    if arm == "none" {
                        page.control_of = vec!["a".to_owned(), "b".to_owned()];
                    }
                    study.add(page, Verdict::Guess(said_true(sample % 2 == 0)));
                }
            }
        }
        study.analysis().0
    };
    let (one, eight) = (study_of(1), study_of(8));
    let of = |analysis: &tabjury::report::Analysis| {
        let judge = &analysis.simulation[0];
        let arm = &judge.arms[0];
        let sensitivity = &analysis.sensitivity[0];
        [
            judge.control_gold_agreement.clone(),
            arm.base_rate.as_ref().unwrap().proportion.clone(),
            arm.accuracy.clone(),
            arm.where_model_right.clone(),
            sensitivity.common.clone(),
            sensitivity.all_readable.clone(),
            sensitivity.unread_wrong.clone(),
            sensitivity.without_repaired.clone(),
        ]
    };
    for (one, eight) in of(&one).iter().zip(&of(&eight)) {
        assert_eq!(eight.n, 8 * one.n);
        assert_eq!(one.samples, None);
        assert_eq!(eight.samples, Some(one.n));
        let width = |share: &tabjury::report::quantities::Proportion| {
            let interval = share.interval.as_ref().unwrap();
            interval.high - interval.low
        };
        // Wilson's is what it was.
        let wilson = tabjury::stats::proportion::wilson(one.successes, one.n, 0.95).unwrap();
        assert_eq!(one.interval, Ok(wilson));
        assert!(width(eight) > 0.75 * width(one), "{one:?} {eight:?}");
    }
}

#[test]
fn confidence_is_held_against_samples() {
    let study_of = |repeats: u32| {
        let mut study = Study::new(Task::Verification, &["a"]);
        for sample in 0..24 {
            let right = sample % 3 != 0;
            study.sample(sample, right);
            for repeat in 0..repeats {
                let mut page = trial(Task::Verification, sample, &["a"], Protocol::Ranking, repeat);
                page.prediction = Some(said_true(true));
                study.add(page, Verdict::Correct(true));
                let positive = if sample % 2 == 0 { 0.55 } else { 0.75 } + if right { 0.1 } else { 0.02 };
                study.records.judgments.last_mut().unwrap().confidence =
                    Some(Confidence::TokenProbabilities { positive, told: 1.0 });
            }
        }
        study.analysis().0.confidence[0].clone()
    };
    let (one, five) = (study_of(1), study_of(5));
    close(*one.area.as_ref().unwrap(), *five.area.as_ref().unwrap());
    let (narrow, wide) = (one.area_interval.unwrap(), five.area_interval.unwrap());
    close(narrow.low, wide.low);
    close(narrow.high, wide.high);
    for (one, five) in one.bins.iter().zip(&five.bins) {
        assert_eq!(five.count, 5 * one.count);
        let width = |interval: &tabjury::stats::Stat<tabjury::stats::Interval>| {
            let interval = interval.as_ref().unwrap();
            interval.high - interval.low
        };
        assert!(width(&five.interval) > 0.7 * width(&one.interval), "{one:?} {five:?}");
    }
}

/// A study of two judges that flip coins, with a verdict of each of them on every trial.
fn coin_flippers(task: Task, seed: u64) -> Study {
    let mut coin = Coin::new(seed + if task == Task::Preference { 0 } else { 1_000 });
    let mut study = Study::new(task, &["a", "b", "c", "d"]);
    let judge = study.records.study.judges[0].clone();
    study.records.study.judges.push(JudgeFacts {
        name: "birch".to_owned(),
        ..judge
    });
    for sample in 0..60 {
        study.sample(sample, true);
        for repeat in 0..2 {
            let page = match (task, sample % 2 == 0) {
                (Task::Preference, true) => trial(task, sample, &["a", "b"], Protocol::Pairwise, repeat),
                (Task::Preference, false) => trial(task, sample, &["c", "d"], Protocol::Pairwise, repeat),
                (_, statement) => {
                    let mut page = trial(task, sample, &["a"], Protocol::Ranking, repeat);
                    page.prediction = Some(said_true(true));
                    if !statement {
                        page.kind = QuestionKind::ShortAnswer;
                        page.prediction = Some(Answer::Values(vec!["1".to_owned()]));
                    }
                    page
                }
            };
            let shown: Vec<String> = page.arms.clone();
            let statement = page.kind == QuestionKind::FactVerification;
            let verdicts = [coin.heads(), coin.heads()].map(|heads| match task {
                Task::Preference if heads => Verdict::Ranking(shown.iter().rev().cloned().collect()),
                Task::Preference => Verdict::Ranking(shown.clone()),
                _ if statement => Verdict::Guess(said_true(heads)),
                _ => Verdict::Guess(Answer::Values(vec![u8::from(heads).to_string()])),
            });
            study.add(page, verdicts[0].clone());
            study.records.judgments.last_mut().unwrap().outcome = Outcome::Verdict(verdicts[1].clone());
        }
    }
    study
}

#[test]
fn judges_that_flip_coins_have_no_agreement_beyond_chance() {
    for task in [Task::Preference, Task::Simulation] {
        let (mut kappas, mut alphas, mut missed) = (0.0, 0.0, [0, 0]);
        let studies = 60;
        for seed in 0..studies {
            let analysis = analyze(&coin_flippers(task, seed).records);
            let agreement = &analysis.agreement[0];
            let pair = &agreement.pairs[0];
            let alpha = agreement.alpha.as_ref().unwrap();
            assert_eq!(pair.strata, 2);
            assert!((pair.chance.as_ref().unwrap() - 0.5).abs() < 0.03, "{pair:?}");
            kappas += pair.kappa.as_ref().unwrap() / studies as f64;
            alphas += alpha.value / studies as f64;
            for (missed, interval) in missed.iter_mut().zip([&pair.kappa_interval, &alpha.interval]) {
                let interval = interval.as_ref().unwrap();
                *missed += usize::from(interval.low > 0.0 || interval.high < 0.0);
            }
        }
        // 120 trials a study: a kappa has a standard error of 0.09, and the mean of sixty 0.012.
        assert!(
            kappas.abs() < 0.04 && alphas.abs() < 0.04,
            "{task:?}: {kappas} {alphas}"
        );
        // Of sixty 95% intervals three miss, and more than nine once in a thousand times.
        assert!(missed.iter().all(|missed| *missed <= 9), "{task:?}: {missed:?}");
        println!(
            "{task:?}: mean kappa {kappas:.4}, mean alpha {alphas:.4}, intervals without 0: {missed:?} of {studies}"
        );
    }
}

#[test]
fn agreement_stands_by_arm() {
    // Both say the same of all trials of a, and of half of those of b.
    let mut study = Study::new(Task::Verification, &["a", "b"]);
    let judge = study.records.study.judges[0].clone();
    study.records.study.judges.push(JudgeFacts {
        name: "birch".to_owned(),
        ..judge
    });
    for sample in 0..40 {
        study.sample(sample, true);
        for arm in ["a", "b"] {
            let mut page = trial(Task::Verification, sample, &[arm], Protocol::Ranking, 0);
            page.prediction = Some(said_true(true));
            let first = sample % 2 == 0;
            let second = if arm == "b" { sample % 4 < 2 } else { first };
            study.add(page, Verdict::Correct(first));
            study.records.judgments.last_mut().unwrap().outcome = Outcome::Verdict(Verdict::Correct(second));
        }
    }
    let (analysis, _) = study.analysis();
    let pair = &analysis.agreement[0].pairs[0];
    assert_eq!(pair.strata, 1);
    let arms: Vec<_> = pair
        .arms
        .iter()
        .map(|arm| (arm.arm.as_str(), counts(&arm.agreement)))
        .collect();
    assert_eq!(arms, [("a", (40, 40)), ("b", (20, 40))]);
    close(*pair.arms[0].kappa.as_ref().unwrap(), 1.0);
    close(*pair.arms[1].kappa.as_ref().unwrap(), 0.0);
    close(*pair.arms[1].chance.as_ref().unwrap(), 0.5);
    close(*pair.kappa.as_ref().unwrap(), 0.5);
    let files = outputs(&study.records);
    let (_, table) = files
        .iter()
        .find(|(name, _)| name.ends_with("tables/agreement.csv"))
        .unwrap();
    let table = String::from_utf8_lossy(table);
    assert!(table.contains("verification,alder,birch,b,0.5,"), "{table}");
}
