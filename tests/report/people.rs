//! Model judges beside people, of synthetic studies: agreement counted by hand, and estimates that hold.

use std::collections::BTreeMap;

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use tabjury::judge::{Judgment, Outcome, Task, Verdict};
use tabjury::report::people::{PeopleAnalysis, PeopleQuantity};
use tabjury::report::{RunRecords, analyze};

use crate::outputs;
use crate::synthetic::{ABLE, Character, study};

const PEOPLE: [&str; 3] = ["Ada", "Bo", "Cy"];

/// What people say is what the judge `like` says, but for every `slips`th verdict; of the first `samples` samples.
fn with_people(mut records: RunRecords, like: &str, slips: u32, samples: usize, seed: u64) -> RunRecords {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let trials: BTreeMap<String, String> = records
        .trials
        .iter()
        .map(|trial| (trial.id.clone(), trial.sample.clone()))
        .collect();
    let judged: Vec<Judgment> = records
        .judgments
        .iter()
        .filter(|judgment| judgment.judge == like)
        .filter(|judgment| trials[&judgment.trial][1..].parse::<usize>().unwrap() < samples)
        .cloned()
        .collect();
    for person in PEOPLE {
        let mut facts = records.study.judges[0].clone();
        facts.name = person.to_owned();
        facts.person = true;
        records.study.judges.push(facts);
        for judgment in &judged {
            let mut own = judgment.clone();
            own.judge = person.to_owned();
            let slips = random.next_u32() % slips == 0;
            if let Outcome::Verdict(Verdict::Correct(said)) = &mut own.outcome {
                *said ^= slips;
            }
            records.judgments.push(own);
        }
    }
    records
}

fn verification(records: &RunRecords) -> PeopleAnalysis {
    let analysis = analyze(records);
    let found = analysis
        .people
        .into_iter()
        .find(|found| found.task == Task::Verification);
    found.unwrap()
}

/// What a judge, or most of the people, said "correct" to, by trial.
fn said(records: &RunRecords, judges: &[&str]) -> BTreeMap<String, Vec<bool>> {
    let mut found: BTreeMap<String, Vec<bool>> = BTreeMap::new();
    for judgment in &records.judgments {
        if let (true, Outcome::Verdict(Verdict::Correct(said))) =
            (judges.contains(&judgment.judge.as_str()), &judgment.outcome)
        {
            found.entry(judgment.trial.clone()).or_default().push(*said);
        }
    }
    found
}

#[test]
fn a_judge_is_held_against_the_majority_of_people() {
    let guesser = Character {
        ability: [0.5; 4],
        ..ABLE
    };
    let records = with_people(study(&[("able", ABLE), ("guesser", guesser)], 120, 3), "able", 6, 40, 5);
    let found = verification(&records);
    assert_eq!(found.people, PEOPLE);
    assert_eq!((found.trials, found.samples, found.tied), (160, 40, 0));
    let people = said(&records, &PEOPLE);
    for pair in &found.agreement {
        let judge = said(&records, &[&pair.first]);
        let same = people.iter().filter(|(trial, said)| {
            let yes = said.iter().filter(|said| **said).count();
            judge[*trial] == [2 * yes > said.len()]
        });
        assert_eq!(
            (pair.agreement.successes, pair.agreement.n),
            (same.count() as u64, 160),
            "{}",
            pair.first
        );
        assert_eq!(pair.second, "people");
        let by_arm: u64 = pair.arms.iter().map(|arm| arm.agreement.successes).sum();
        assert_eq!((pair.arms.len(), by_arm), (4, pair.agreement.successes));
    }
    let kappa = |judge: &str| {
        let pair = found.agreement.iter().find(|pair| pair.first == judge).unwrap();
        pair.kappa_interval.clone().unwrap()
    };
    assert!(kappa("able").low > 0.6 && kappa("guesser").low < 0.0 && kappa("guesser").high < 0.4);
    let analysis = analyze(&records);
    let sentence = analysis
        .conclusions
        .iter()
        .find(|said| said.starts_with("Agreement with people in verification"))
        .unwrap();
    let (beyond, not) = sentence.split_once(" Not shown to be beyond chance: ").unwrap();
    assert!(
        beyond.contains("160 trials judged by 3 people") && beyond.contains("able on "),
        "{sentence}"
    );
    assert!(
        not.starts_with("guesser on ") && !beyond.contains("guesser"),
        "{sentence}"
    );

    let files = outputs(&records);
    let text = |name: &str| String::from_utf8(files[name].clone()).unwrap();
    assert!(text("report.html").contains("id=\"people\""));
    assert_eq!(text("tables/people.csv").lines().count(), 1 + 2 * (5 + 1));
    // Three arms and two quantities in verification, three arms in preference; of two judges.
    assert_eq!(text("tables/people_estimates.csv").lines().count(), 1 + 2 * (6 + 3));
}

#[test]
fn people_who_are_tied_have_no_verdict_and_are_counted() {
    let mut records = with_people(study(&[("able", ABLE)], 30, 3), "able", 4, 30, 5);
    records.judgments.retain(|judgment| judgment.judge != "Cy");
    let people = said(&records, &PEOPLE);
    let tied = people.values().filter(|said| said[0] != said[1]).count() as u64;
    let found = verification(&records);
    assert!(tied > 0);
    assert_eq!((found.trials, found.tied), (120, tied));
    assert_eq!(found.agreement[0].agreement.n, 120 - tied);
    // Few people do not tell how a judge errs.
    let few = verification(&with_people(study(&[("able", ABLE)], 30, 3), "able", 4, 20, 5));
    let reason = |found: &PeopleAnalysis| found.estimates[0].powered.clone().unwrap_err().reason;
    assert!(reason(&few).contains("fewer than 100"), "{}", reason(&few));
    // A judge without further samples leaves nothing to estimate from.
    let estimate = &found.estimates[0];
    assert_eq!(estimate.further_samples, 0);
    assert!(estimate.powered.as_ref().unwrap_err().reason.contains("no sample"));
}

#[test]
fn people_who_are_all_of_one_mind_have_no_interval_and_the_report_says_why() {
    // People are right in every verification, so that their accuracy does not vary.
    let certain = Character {
        ability: [1.0; 4],
        ..ABLE
    };
    let records = with_people(study(&[("able", certain)], 130, 3), "able", u32::MAX, 110, 5);
    let found = verification(&records);
    let accuracy = &found.estimates[0];
    assert_eq!(accuracy.people_only.value, Ok(1.0));
    let reason = accuracy.people_only.interval.clone().unwrap_err().reason;
    assert!(!reason.is_empty());
    let files = outputs(&records);
    let text = |name: &str| String::from_utf8(files[name].clone()).unwrap();
    let table = text("tables/people_estimates.csv");
    let column = table
        .lines()
        .next()
        .unwrap()
        .split(',')
        .position(|name| name == "people_undefined_because")
        .unwrap();
    let mut rows = csv::Reader::from_reader(table.as_bytes());
    let row = rows
        .records()
        .map(Result::unwrap)
        .find(|row| &row[3] == "accuracy")
        .unwrap();
    assert_eq!((&row[4], &row[5], &row[column]), ("1", "", reason.as_str()));
    let page = text("report.html");
    assert!(page.contains(&format!("no interval: {reason}")), "{reason}");
}

#[test]
fn without_people_nothing_is_said_of_them() {
    let records = study(&[("able", ABLE)], 20, 3);
    let analysis = analyze(&records);
    assert!(analysis.people.is_empty());
    assert!(!analysis.conclusions.iter().any(|said| said.contains("people")));
    assert!(
        !String::from_utf8(outputs(&records)["report.html"].clone())
            .unwrap()
            .contains("id=\"people\"")
    );
}

/// Of studies whose people are like the judge but for a few slips: how many intervals of the accuracy hold what a person
/// comes to, and the mean width beside people alone.
fn covered(ability: f64, slips: u32, studies: u64) -> (u32, u32, f64) {
    let character = Character {
        ability: [ability; 4],
        ..ABLE
    };
    let (mut held, mut intervals, mut widths) = (0, 0, 0.0);
    for seed in 0..studies {
        let mut records = with_people(
            study(&[("judge", character)], 400, 50 + seed),
            "judge",
            slips,
            110,
            seed,
        );
        records.trials.retain(|trial| trial.task == Task::Verification);
        records.study.tasks = vec![Task::Verification];
        // Slips turn right verdicts into wrong ones and the other way round.
        let slip = 1.0 / f64::from(slips);
        let truth = ability * (1.0 - slip) + (1.0 - ability) * slip;
        for found in verification(&records).estimates {
            if found.quantity == PeopleQuantity::Accuracy {
                let powered = found.powered.unwrap();
                held += u32::from(powered.interval.low <= truth && truth <= powered.interval.high);
                widths += powered.width_ratio.unwrap();
                intervals += 1;
            }
        }
    }
    (held, intervals, widths / f64::from(intervals))
}

#[test]
fn estimates_by_people_and_a_judge_hold_and_are_narrower() {
    let (held, of, width) = covered(0.7, 12, 6);
    assert!(f64::from(held) >= 0.85 * f64::from(of), "{held} of {of}");
    assert!(width < 0.75, "{width}");
}
