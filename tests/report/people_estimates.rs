//! What people and a judge say together: values by hand, and many synthetic studies whose intervals hold what was planted.

use tabjury::judge::{CONTROL_ARM, NoVerdict, Outcome, Protocol, Task, Verdict};
use tabjury::report::RunRecords;
use tabjury::report::people::{PeopleAnalysis, PeopleEstimate, PeopleQuantity, Powered};

use crate::close;
use crate::coverage::mean_rank;
use crate::people::{add_people, of_people, say, with_people};
use crate::studies::{Study, said_true, trial};
use crate::synthetic::{ABLE, ARMS, Character, study};

fn of<'f>(found: &'f PeopleAnalysis, arm: &str, quantity: PeopleQuantity) -> &'f PeopleEstimate {
    let same = |estimate: &&PeopleEstimate| estimate.arm == arm && estimate.quantity == quantity;
    found.estimates.iter().find(same).unwrap()
}

/// One answer, all of which are right, before the judge, Ada and Bo: who was asked, and what they said.
fn page(made: &mut Study, sample: usize, arm: &str, said: [Option<bool>; 3]) {
    let mut page = trial(Task::Verification, sample, &[arm], Protocol::Ranking, 0);
    page.prediction = Some(said_true(true));
    if arm == CONTROL_ARM {
        page.control_of = vec!["a".to_owned(), "b".to_owned()];
    }
    made.add(page, Verdict::Correct(true));
    say(made, &said.map(|said| said.map(Verdict::Correct)));
}

#[test]
fn a_sample_is_the_mean_of_those_who_judged_it_and_arms_are_of_the_same_samples() {
    let mut made = Study::new(Task::Verification, &["a", "b"]);
    add_people(&mut made, &["Ada", "Bo"]);
    for sample in 0..8 {
        made.sample(sample, true);
        // Both see a, Bo on even samples alone; b is seen by Ada on the first six.
        let bo = (sample % 2 == 0).then_some(false);
        page(&mut made, sample, "a", [(sample != 5).then_some(true), Some(true), bo]);
        page(
            &mut made,
            sample,
            "b",
            [Some(true), (sample < 6).then_some(sample < 3), None],
        );
        // Ada sees the control of four samples; Bo, who is wrong on a, of one.
        let bo = (sample == 0).then_some(true);
        page(
            &mut made,
            sample,
            CONTROL_ARM,
            [Some(false), (sample < 4).then_some(false), bo],
        );
    }
    let found = of_people(&made.records, Task::Verification);
    // On samples 0 to 5: a half on 0, 2 and 4, else 1; the two later ones have no b.
    let accuracy = of(&found, "a", PeopleQuantity::Accuracy);
    assert_eq!(accuracy.people_only.n, 6);
    close(*accuracy.people_only.value.as_ref().unwrap(), 4.5 / 6.0);
    // The judge lacks sample 5 of a, and so does not count on it with b either; it goes on to samples 6 and 7.
    for arm in ["a", "b"] {
        let accuracy = of(&found, arm, PeopleQuantity::Accuracy);
        assert_eq!(
            (
                accuracy.people_only.n,
                accuracy.shared_samples,
                accuracy.further_samples
            ),
            (6, 5, 2),
            "{arm}"
        );
    }
    // Lifts of one person each: on sample 0 Ada's 1 and Bo's -1, on the three others Ada's 1.
    let lift = of(&found, "a", PeopleQuantity::Lift);
    assert_eq!(lift.people_only.n, 4);
    close(*lift.people_only.value.as_ref().unwrap(), 3.0 / 4.0);
}

#[test]
fn a_lift_of_people_who_saw_arm_or_control_alone_is_undefined_with_its_reason() {
    let mut made = Study::new(Task::Verification, &["a", "b"]);
    add_people(&mut made, &["Ada", "Bo"]);
    for sample in 0..10 {
        made.sample(sample, true);
        page(&mut made, sample, "a", [Some(true), Some(sample % 2 == 0), None]);
        page(&mut made, sample, "b", [Some(true), Some(sample % 2 == 0), None]);
        page(
            &mut made,
            sample,
            CONTROL_ARM,
            [Some(false), None, Some(sample % 3 == 0)],
        );
    }
    let found = of_people(&made.records, Task::Verification);
    let lift = of(&found, "a", PeopleQuantity::Lift);
    let reason = lift.people_only.value.clone().unwrap_err().reason;
    assert!(
        reason.contains("no person judged a trial of the arm and its control"),
        "{reason}"
    );
}

#[test]
fn people_who_judged_one_arm_alone_have_an_estimate_of_it() {
    let mut made = Study::new(Task::Verification, &["a", "b"]);
    add_people(&mut made, &["Ada", "Bo"]);
    for sample in 0..10 {
        made.sample(sample, true);
        page(&mut made, sample, "a", [Some(true), Some(sample % 2 == 0), None]);
        page(&mut made, sample, "b", [Some(true), None, None]);
    }
    let found = of_people(&made.records, Task::Verification);
    let accuracy = of(&found, "a", PeopleQuantity::Accuracy);
    assert_eq!((accuracy.people_only.n, accuracy.shared_samples), (10, 10));
    assert!(found.estimates.iter().all(|found| found.arm == "a"));
}

#[test]
fn no_interval_reaches_beyond_what_is_possible() {
    let nearly = Character {
        ability: [0.99; 4],
        ..ABLE
    };
    let records = with_people(study(&[("judge", nearly)], 300, 4), "judge", 400, 120, 2);
    let mut cut = 0;
    for task in [Task::Verification, Task::Preference] {
        for found in of_people(&records, task).estimates {
            let (least, most) = match found.quantity {
                PeopleQuantity::Accuracy => (0.0, 1.0),
                PeopleQuantity::Lift => (-1.0, 1.0),
                PeopleQuantity::MeanRank => (1.0, 3.0),
            };
            let powered = found.powered.as_ref().map(|powered| &powered.interval);
            for interval in [found.people_only.interval.as_ref(), powered].into_iter().flatten() {
                assert!(interval.low >= least && interval.high <= most, "{found:?}");
                cut += u32::from(interval.high == most);
            }
        }
    }
    assert!(cut > 0, "some interval had to be cut");
}

#[test]
fn a_judge_that_lacks_what_people_judged_is_held_against_all_that_they_judged() {
    let mut records = with_people(study(&[("judge", ABLE)], 260, 6), "judge", 8, 240, 2);
    let trials: Vec<(String, String)> = records
        .trials
        .iter()
        .map(|trial| (trial.id.clone(), trial.sample.clone()))
        .collect();
    // The judge's verdicts on half of people's samples cannot be read.
    for (id, sample) in trials {
        let number: usize = sample[1..].parse().unwrap();
        if number < 240 && number.is_multiple_of(2) {
            let mut judgments = records.judgments.iter_mut();
            let own = judgments
                .find(|judgment| judgment.trial == id && judgment.judge == "judge")
                .unwrap();
            own.outcome = Outcome::None {
                state: NoVerdict::Unparsed,
                detail: String::new(),
            };
        }
    }
    let found = of_people(&records, Task::Verification);
    let accuracy = of(&found, "useful", PeopleQuantity::Accuracy);
    assert_eq!(
        (
            accuracy.people_only.n,
            accuracy.shared_samples,
            accuracy.further_samples
        ),
        (240, 120, 20)
    );
    // Twenty further samples are worth less than the 120 that are lost.
    let width = *accuracy.powered.as_ref().unwrap().width_ratio.as_ref().unwrap();
    assert!(width > 1.0, "{width}");
}

const LIKE_PEOPLE: Character = Character {
    ability: [0.6, 0.7, 0.85, 0.5],
    ..ABLE
};
const GUESSER: Character = Character {
    ability: [0.5; 4],
    ..ABLE
};
/// One of so many of people's verdicts is turned around.
const SLIPS: u32 = 12;

/// What a person comes to with an arm, whom a judge of this character is like but for slips.
fn truth(quantity: PeopleQuantity, arm: usize) -> f64 {
    let slip = 1.0 / f64::from(SLIPS);
    let turned = |value: f64, other: f64| value * (1.0 - slip) + other * slip;
    let accuracy = |page: usize| {
        let ability = LIKE_PEOPLE.ability[page];
        turned(ability, 1.0 - ability)
    };
    let rank = mean_rank(&LIKE_PEOPLE, arm);
    match quantity {
        PeopleQuantity::Accuracy => accuracy(arm + 1),
        PeopleQuantity::Lift => accuracy(arm + 1) - accuracy(0),
        PeopleQuantity::MeanRank => turned(rank, 4.0 - rank),
    }
}

#[derive(Default)]
struct Tally {
    held: u32,
    intervals: u32,
    widths: f64,
}

impl Tally {
    fn add(&mut self, powered: &Powered, truth: f64) {
        self.held += u32::from(powered.interval.low <= truth && truth <= powered.interval.high);
        self.widths += powered.width_ratio.as_ref().unwrap();
        self.intervals += 1;
    }

    fn covers(&self) -> f64 {
        f64::from(self.held) / f64::from(self.intervals)
    }

    fn width(&self) -> f64 {
        self.widths / f64::from(self.intervals)
    }
}

/// By judge (like people, and one that guesses) and quantity.
fn tallies(studies: u64) -> [[Tally; 3]; 2] {
    let mut found: [[Tally; 3]; 2] = Default::default();
    for seed in 0..studies {
        let judges = [("like-people", LIKE_PEOPLE), ("guesser", GUESSER)];
        let records: RunRecords = with_people(study(&judges, 330, 50 + seed), "like-people", SLIPS, 110, seed);
        for task in [Task::Preference, Task::Verification] {
            for estimate in of_people(&records, task).estimates {
                let judge = judges.iter().position(|(name, _)| *name == estimate.judge).unwrap();
                let arm = ARMS.iter().position(|name| *name == estimate.arm).unwrap();
                let quantity = match estimate.quantity {
                    PeopleQuantity::Accuracy => 0,
                    PeopleQuantity::Lift => 1,
                    PeopleQuantity::MeanRank => 2,
                };
                found[judge][quantity].add(estimate.powered.as_ref().unwrap(), truth(estimate.quantity, arm));
            }
        }
    }
    for (judge, tallies) in ["like people", "guesser"].iter().zip(&found) {
        for (quantity, tally) in ["accuracy", "lift", "mean rank"].iter().zip(tallies) {
            println!(
                "{judge:<12} {quantity:<10} {:>5.1} % of {:<5} width {:.3}",
                100.0 * tally.covers(),
                tally.intervals,
                tally.width()
            );
        }
    }
    found
}

fn assert_they_hold(found: &[[Tally; 3]; 2], slack: f64) {
    for tally in found.iter().flatten() {
        assert!(tally.covers() > 0.93 - slack, "{}", tally.covers());
    }
    let [like_people, guesser] = found;
    for tally in like_people {
        assert!(tally.width() < 0.8, "{}", tally.width());
    }
    // In verification it knows nothing of what people say; in preference all like the same arms.
    for tally in &guesser[..2] {
        assert!((tally.width() - 1.0).abs() < 0.01, "{}", tally.width());
    }
}

#[test]
fn estimates_by_people_and_a_judge_hold_and_a_guesser_makes_none_narrower() {
    assert_they_hold(&tallies(10), 0.08);
}

/// Run with `cargo test --test report -- --ignored --nocapture many_estimates`.
#[test]
#[ignore = "takes minutes"]
fn many_estimates_by_people_and_a_judge_hold() {
    assert_they_hold(&tallies(60), 0.03);
}
