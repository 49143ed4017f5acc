//! Many synthetic studies: intervals hold what was planted as often as they say, biases are found where they were planted
//! and hardly elsewhere, and balanced orders keep them out of the ranks.

use std::collections::BTreeMap;

use tabjury::report::{Analysis, analyze};
use tabjury::stats::{Interval, Stat};

use crate::synthetic::{ARMS, Character, RIGHT, UTILITIES, arm, study};

const HONEST: Character = Character {
    ability: [0.7, 0.7, 0.9, 0.5],
    yes: 0.0,
    places: [0.0; 3],
    length: 0.0,
};
const YES_SAYER: Character = Character {
    ability: [0.7; 4],
    yes: 0.5,
    ..HONEST
};
const FOLLOWS_PLACES: Character = Character {
    ability: [0.7; 4],
    places: [1.2, 0.0, -1.2],
    ..HONEST
};
const LIKES_LENGTH: Character = Character {
    ability: [0.7; 4],
    length: 1.5,
    ..HONEST
};

const JUDGES: [(&str, Character); 4] = [
    ("honest", HONEST),
    ("yes-sayer", YES_SAYER),
    ("follows-places", FOLLOWS_PLACES),
    ("likes-length", LIKES_LENGTH),
];

/// Chances of calling a right answer right, and a wrong one wrong.
fn sides(character: &Character, page: usize) -> (f64, f64) {
    let (ability, yes) = (character.ability[page], character.yes);
    (yes + (1.0 - yes) * ability, (1.0 - yes) * ability)
}

fn accuracy(character: &Character, page: usize) -> f64 {
    let (right, wrong) = sides(character, page);
    RIGHT * right + (1.0 - RIGHT) * wrong
}

/// The mean rank over the orders of the square: one, and the chance of every other arm to be put before it. With Gumbel noise
/// that chance is logistic in the utilities (Luce 1959).
pub(crate) fn mean_rank(character: &Character, of: usize) -> f64 {
    let mut sum = 0.0;
    for turn in 0..3 {
        let utility = |arm: usize| UTILITIES[arm] + character.places[(arm + 3 - turn) % 3];
        let before = (0..3).filter(|other| *other != of).map(|other| {
            let behind = utility(of) - utility(other);
            1.0 / (1.0 + behind.exp())
        });
        sum += 1.0 + before.sum::<f64>();
    }
    sum / 3.0
}

/// How often something was so, of how many.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    so: u32,
    of: u32,
}

impl Tally {
    fn add(&mut self, so: bool) {
        self.so += u32::from(so);
        self.of += 1;
    }

    fn share(self) -> f64 {
        f64::from(self.so) / f64::from(self.of)
    }
}

/// By what is counted.
#[derive(Debug, Default)]
struct Tallies(BTreeMap<String, Tally>);

impl Tallies {
    fn add(&mut self, what: &str, so: bool) {
        self.0.entry(what.to_owned()).or_default().add(so);
    }

    fn covers(&mut self, what: &str, interval: &Stat<Interval>, truth: f64) {
        let covered = interval
            .as_ref()
            .is_ok_and(|interval| interval.low <= truth && truth <= interval.high);
        self.add(&format!("{what} interval covers"), covered);
    }

    fn share(&self, what: &str) -> f64 {
        self.0[what].share()
    }
}

fn count(analysis: &Analysis, tallies: &mut Tallies) {
    let level = analysis.study.confidence;
    for (judge, character) in &JUDGES {
        for (number, name) in ARMS.iter().enumerate() {
            let found = arm(analysis, judge, name);
            let (with, without) = (accuracy(character, number + 1), accuracy(character, 0));
            tallies.covers("accuracy", &found.accuracy.interval, with);
            let (right, wrong) = sides(character, number + 1);
            let balanced = &found.discernment.balanced_accuracy.interval;
            tallies.covers("balanced accuracy", balanced, (right + wrong) / 2.0);
            let lift = &found.control.as_ref().unwrap().lift;
            tallies.covers("lift", &lift.interval, with - without);
            let differs = lift.is_better(level) || lift.is_worse(level);
            let what = if (with - without).abs() < 1e-9 {
                "no lift"
            } else {
                "a lift"
            };
            tallies.add(&format!("{what} is called one"), differs);
        }
        let lifts = |better: bool| {
            ARMS.iter().any(|name| {
                let lift = &arm(analysis, judge, name).control.as_ref().unwrap().lift;
                if better {
                    lift.is_better(level)
                } else {
                    lift.is_worse(level)
                }
            })
        };
        if *judge != "honest" {
            tallies.add(
                "any of a useless judge's lifts is called one",
                lifts(true) || lifts(false),
            );
        }
        let criterion = arm(analysis, judge, ARMS[0]).discernment.criterion.interval.clone();
        let leans = criterion.is_ok_and(|interval| interval.high < 0.0);
        let what = if character.yes > 0.0 { "a yes-sayer" } else { "another" };
        tallies.add(&format!("{what} leans to yes"), leans);

        let found = analysis.preference.iter().find(|found| found.judge == *judge).unwrap();
        // Its lengths are of this study's pages, so that the expected rank of an arm is not known in closed form.
        if character.length == 0.0 {
            for (number, arm) in found.arms.iter().enumerate() {
                tallies.covers("mean rank", &arm.mean_rank.interval, mean_rank(character, number));
            }
        }
        let tests = found.tests.as_ref().unwrap();
        let places = tests.places.as_ref().unwrap().p < 1.0 - level;
        let length = tests.length.as_ref().unwrap();
        let planted = |is: bool| if is { "planted" } else { "absent" };
        let has_places = character.places[0] > 0.0;
        tallies.add(&format!("{} places are found", planted(has_places)), places);
        let has_length = character.length > 0.0;
        tallies.add(
            &format!("{} length is found", planted(has_length)),
            length.p < 1.0 - level && length.r < 0.0,
        );
        let ranks: Vec<f64> = found
            .arms
            .iter()
            .map(|arm| *arm.mean_rank.value.as_ref().unwrap())
            .collect();
        tallies.add(
            &format!("the best is first where bias of places is {}", planted(has_places)),
            ranks[1] < ranks[0] && ranks[0] < ranks[2],
        );
    }
}

fn tallies(studies: u64, samples: usize) -> Tallies {
    let mut tallies = Tallies::default();
    for seed in 0..studies {
        count(&analyze(&study(&JUDGES, samples, 1_000 + seed)), &mut tallies);
    }
    for (what, tally) in &tallies.0 {
        println!(
            "{what:<60} {:>6} of {:<6} {:>6.1} %",
            tally.so,
            tally.of,
            100.0 * tally.share()
        );
    }
    tallies
}

/// Every share is where it has to be; `slack` is for the few studies of a quick test.
fn assert_as_planted(tallies: &Tallies, slack: f64) {
    for what in ["accuracy", "balanced accuracy", "lift", "mean rank"] {
        let covered = tallies.share(&format!("{what} interval covers"));
        assert!((covered - 0.95).abs() <= 0.02 + slack, "{what}: {covered}");
    }
    for what in [
        "no lift is called one",
        "any of a useless judge's lifts is called one",
        "absent places are found",
        "absent length is found",
        "another leans to yes",
    ] {
        assert!(tallies.share(what) <= 0.06 + slack, "{what}: {}", tallies.share(what));
    }
    for what in [
        "a yes-sayer leans to yes",
        "planted places are found",
        "planted length is found",
        "the best is first where bias of places is planted",
        "the best is first where bias of places is absent",
    ] {
        assert!(tallies.share(what) >= 0.95 - slack, "{what}: {}", tallies.share(what));
    }
    let (found, called) = (
        tallies.share("a lift is called one"),
        tallies.share("no lift is called one"),
    );
    assert!(found > 5.0 * called, "{found} {called}");
}

#[test]
fn some_studies_are_as_planted() {
    assert_as_planted(&tallies(8, 100), 0.06);
}

/// Run with `cargo test --test report -- --ignored --nocapture many_studies`; its figures are in docs/statistics.md.
#[test]
#[ignore = "takes minutes"]
fn many_studies_are_as_planted() {
    assert_as_planted(&tallies(150, 100), 0.0);
}
