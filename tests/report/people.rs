//! Model judges beside people, of synthetic studies: agreement counted by hand, and estimates that hold.

use std::collections::BTreeMap;

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use tabjury::judge::{Judgment, Outcome, Protocol, Task, Verdict};
use tabjury::report::index::Index;
use tabjury::report::people::{self, PeopleAnalysis};
use tabjury::report::{RunRecords, analyze};

use crate::outputs;
use crate::studies::{Study, said_true, trial};
use crate::synthetic::{ABLE, Character, study};

pub(crate) const PEOPLE: [&str; 3] = ["Ada", "Bo", "Cy"];

/// What people say is what the judge `like` says, but for every `slips`th verdict, which is turned around; of the first
/// `samples` samples.
pub(crate) fn with_people(mut records: RunRecords, like: &str, slips: u32, samples: usize, seed: u64) -> RunRecords {
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
            match &mut own.outcome {
                Outcome::Verdict(Verdict::Correct(said)) => *said ^= slips,
                Outcome::Verdict(Verdict::Ranking(arms)) if slips => arms.reverse(),
                _ => {}
            }
            records.judgments.push(own);
        }
    }
    records
}

/// What the report has of people in a task.
pub(crate) fn of_people(records: &RunRecords, task: Task) -> PeopleAnalysis {
    let found = people::analyze(&Index::new(records));
    found.into_iter().find(|found| found.task == task).unwrap()
}

fn verification(records: &RunRecords) -> PeopleAnalysis {
    of_people(records, Task::Verification)
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

/// People by name beside the judge of a made-up study.
pub(crate) fn add_people(study: &mut Study, names: &[&str]) {
    for name in names {
        let mut facts = study.records.study.judges[0].clone();
        (facts.name, facts.person) = ((*name).to_owned(), true);
        study.records.study.judges.push(facts);
    }
}

/// What each judge of the study says of the trial that was added last; nothing where it was not asked.
pub(crate) fn say(study: &mut Study, verdicts: &[Option<Verdict>]) {
    let judges = study.records.study.judges.len();
    assert_eq!(judges, verdicts.len());
    let first = study.records.judgments.len() - judges;
    let own = study.records.judgments.split_off(first);
    for (mut judgment, verdict) in own.into_iter().zip(verdicts) {
        if let Some(verdict) = verdict {
            judgment.outcome = Outcome::Verdict(verdict.clone());
            study.records.judgments.push(judgment);
        }
    }
}

#[test]
fn most_people_are_counted_by_what_is_compared() {
    // Three of five put a first, though b has the better mean rank; in every other sample all put a first and agree on
    // nothing else; in the last, two and two are of two minds, and one ties them.
    let mut made = Study::new(Task::Preference, &["a", "b", "c", "d"]);
    add_people(&mut made, &["Ada", "Bo", "Cy", "Di", "Ed"]);
    let ranked = |arms: &str| Some(Verdict::Ranking(arms.chars().map(String::from).collect()));
    let tie = Verdict::TiedRanking(
        [&["a", "b"][..], &["c", "d"]]
            .map(|arms| arms.iter().map(|arm| (*arm).to_owned()).collect())
            .to_vec(),
    );
    for sample in 0..9 {
        made.sample(sample, true);
        let mut page = trial(Task::Preference, sample, &["a", "b", "c", "d"], Protocol::Ranking, 0);
        page.ties = sample == 8;
        made.add(page, Verdict::Ranking(Vec::new()));
        let people = match sample {
            8 => [
                ranked("abcd"),
                ranked("acbd"),
                ranked("bacd"),
                ranked("bcad"),
                Some(tie.clone()),
            ],
            _ if sample % 2 == 0 => ["abcd", "abcd", "abcd", "bcda", "bcda"].map(ranked),
            _ => ["abcd", "acbd", "adcb", "abdc", "acdb"].map(ranked),
        };
        let judge = ranked(if sample < 6 { "abcd" } else { "bacd" });
        say(&mut made, &[[judge].as_slice(), &people].concat());
    }
    let found = of_people(&made.records, Task::Preference);
    assert_eq!((found.trials, found.tied, found.samples), (9, 1, 9));
    let pair = &found.agreement[0];
    assert_eq!((pair.agreement.successes, pair.agreement.n), (6, 8));
}

#[test]
fn who_agrees_with_people_beyond_chance_is_corrected_over_judges() {
    let guesser = Character {
        ability: [0.5; 4],
        ..ABLE
    };
    let names: Vec<String> = (0..12).map(|number| format!("guesser-{number:02}")).collect();
    let mut judges = vec![("able", ABLE)];
    judges.extend(names.iter().map(|name| (name.as_str(), guesser)));
    let mut alone = 0;
    for seed in 0..5 {
        let mut records = with_people(study(&judges, 30, 8 + seed), "able", 5, 30, seed);
        records.trials.retain(|trial| trial.task == Task::Verification);
        records.study.tasks = vec![Task::Verification];
        let found = verification(&records);
        let own = found.agreement.iter().filter(|pair| pair.first != "able");
        alone += own
            .filter(|pair| pair.kappa_interval.as_ref().is_ok_and(|interval| interval.low > 0.0))
            .count();
        assert_eq!(found.beyond_chance, ["able"]);
    }
    assert!(
        alone > 0,
        "no guesser's own interval is above 0, so that there is nothing to correct"
    );

    // Who says what people say on every trial has no interval, and is not said to be no better than chance.
    let records = with_people(
        study(&[("able", ABLE), ("guesser", guesser)], 30, 3),
        "able",
        u32::MAX,
        30,
        5,
    );
    let said = people::analyze(&Index::new(&records));
    let said = said.iter().find(|found| found.task == Task::Verification).unwrap();
    let sentence = tabjury::report::conclusions::beside_people(said).unwrap();
    let (before, unknown) = sentence.split_once(" Not known, for there is no interval: ").unwrap();
    assert!(
        unknown.starts_with("able on 100.0% of 120 trials") && !before.contains("able on"),
        "{sentence}"
    );
}

#[test]
fn a_judge_without_a_trial_that_people_have_is_said_to_have_none() {
    let mut made = Study::new(Task::Verification, &["a"]);
    add_people(&mut made, &["Ada"]);
    for sample in 0..10 {
        made.sample(sample, true);
        let mut page = trial(Task::Verification, sample, &["a"], Protocol::Ranking, 0);
        page.prediction = Some(said_true(true));
        made.add(page, Verdict::Correct(true));
        let said = Some(Verdict::Correct(sample % 3 == 0));
        say(&mut made, &if sample < 5 { [said, None] } else { [None, said] });
    }
    let found = of_people(&made.records, Task::Verification);
    assert_eq!((found.agreement.len(), found.agreement[0].agreement.n), (1, 0));
    let sentence = tabjury::report::conclusions::beside_people(&found).unwrap();
    assert!(
        sentence.contains("alder has a verdict on no trial that people have one on"),
        "{sentence}"
    );
    // Samples of both sides are there, and none of them is shared.
    assert_eq!(
        (found.estimates[0].people_only.n, found.estimates[0].shared_samples),
        (5, 0)
    );
    outputs(&made.records);
}
