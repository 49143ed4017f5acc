//! Synthetic judges over synthetic arms: what was planted in them is what the report says, and what was not is not said.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use tabjury::dataset::{Answer, Gold, QuestionKind};
use tabjury::explain::AnswerVisibility;
use tabjury::judge::{CONTROL_ARM, Judgment, Outcome, Protocol, Task, Trial, Verdict};
use tabjury::report::flags::FlagKind;
use tabjury::report::{Analysis, ArmFacts, JudgeFacts, PageRecord, RunRecords, analyze};

use crate::flagged;
use crate::made_up::records;

struct Chance(ChaCha8Rng);

impl Chance {
    /// In (0, 1).
    fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    fn happens(&mut self, p: f64) -> bool {
        self.uniform() < p
    }
}

/// What a judge is like.
#[derive(Clone, Copy)]
pub(crate) struct Character {
    /// The chance of a right verdict without an explanation, and with each arm.
    pub(crate) ability: [f64; 4],
    /// The chance that a verdict is "correct" whatever it looked at.
    pub(crate) yes: f64,
    /// What each place adds to the utility of what stands there, from the first.
    pub(crate) places: [f64; 3],
    /// What the longest page has in utility over one of middle length.
    pub(crate) length: f64,
}

pub(crate) const ARMS: [&str; 3] = ["plain", "useful", "misleading"];
/// Utilities of the arms: the useful one is liked best, the misleading one least.
pub(crate) const UTILITIES: [f64; 3] = [0.0, 0.8, -0.8];
const SAMPLES: usize = 120;
/// Three of ten answers are wrong.
pub(crate) const RIGHT: f64 = 0.7;

fn trial(task: Task, sample: usize, arms: Vec<String>, turn: u32) -> Trial {
    Trial {
        id: String::new(),
        task,
        sample: format!("s{sample:03}"),
        kind: QuestionKind::FactVerification,
        labels: arms.clone(),
        arms,
        options: Vec::new(),
        prediction: None,
        control_of: Vec::new(),
        recorded_right: None,
        repeat: 0,
        turn,
        protocol: Protocol::Ranking,
        ties: false,
        descriptions: Vec::new(),
        suspects: Vec::new(),
    }
}

/// The length of an arm's page on a sample, between -1 and 1, whatever the arm.
fn length(seed: u64, sample: usize, arm: usize) -> f64 {
    let place = (sample * ARMS.len() + arm) as u64;
    let mut chance = Chance(ChaCha8Rng::seed_from_u64(
        seed.wrapping_mul(1_000_003).wrapping_add(place),
    ));
    2.0 * chance.uniform() - 1.0
}

fn page(like: &PageRecord, seed: u64, sample: usize, arm: usize) -> PageRecord {
    let mut page = like.clone();
    page.sample = format!("s{sample:03}");
    page.arm = ARMS[arm].to_owned();
    page.answer = AnswerVisibility::Shown;
    page.facts.leaks = Vec::new();
    page.facts.markdown_tokens = (500.0 + 400.0 * length(seed, sample, arm)) as usize;
    page.facts.html_tokens = page.facts.markdown_tokens;
    page
}

pub(crate) fn study(characters: &[(&str, Character)], samples: usize, seed: u64) -> RunRecords {
    let mut chance = Chance(ChaCha8Rng::seed_from_u64(seed));
    let mut records = records();
    let (arm, judge, sample) = (
        records.study.arms[0].clone(),
        records.study.judges[0].clone(),
        records.samples[0].clone(),
    );
    records.study.arms = ARMS
        .map(|name| ArmFacts {
            name: name.to_owned(),
            ..arm.clone()
        })
        .to_vec();
    records.study.judges = characters
        .iter()
        .map(|(name, _)| JudgeFacts {
            name: (*name).to_owned(),
            ..judge.clone()
        })
        .collect();
    records.study.tasks = vec![Task::Preference, Task::Verification];
    let like = records.pages[0].clone();
    (records.traces, records.pages, records.judgments) = (Vec::new(), Vec::new(), Vec::new());
    records.samples = Vec::new();
    records.trials = Vec::new();
    let mut verdicts: Vec<Judgment> = Vec::new();
    for number in 0..samples {
        let mut own = sample.clone();
        own.id = format!("s{number:03}");
        let right = chance.happens(RIGHT);
        own.gold = Some(Gold::Verdict(right));
        records.samples.push(own);
        let mut pages: Vec<Trial> = Vec::new();
        for arm in [CONTROL_ARM].iter().chain(&ARMS) {
            let mut page = trial(Task::Verification, number, vec![(*arm).to_owned()], 0);
            page.prediction = Some(Answer::Verdict(true));
            let first = ["correct", "incorrect"];
            page.options = if number % 2 == 0 { first } else { [first[1], first[0]] }
                .map(str::to_owned)
                .to_vec();
            if *arm == CONTROL_ARM {
                page.control_of = ARMS.map(str::to_owned).to_vec();
            }
            pages.push(page.identified());
        }
        for (judge, character) in characters {
            for (page, ability) in pages.iter().zip(character.ability) {
                let said = chance.happens(character.yes) || chance.happens(ability) == right;
                verdicts.push(judgment(page, judge, Verdict::Correct(said)));
            }
        }
        records.trials.extend(pages);
        records
            .pages
            .extend((0..ARMS.len()).map(|arm| page(&like, seed, number, arm)));
        // Every order of a square in which each arm stands in every place.
        for turn in 0..3 {
            let shown: Vec<String> = (0..3).map(|place| ARMS[(place + turn) % 3].to_owned()).collect();
            let page = trial(Task::Preference, number, shown.clone(), turn as u32).identified();
            for (judge, character) in characters {
                let mut utilities: Vec<(f64, String)> = shown
                    .iter()
                    .enumerate()
                    .map(|(place, arm)| {
                        let of = ARMS.iter().position(|name| name == arm).unwrap();
                        let noise = -(-chance.uniform().ln()).ln();
                        let liked = UTILITIES[of] + character.length * length(seed, number, of);
                        (liked + character.places[place] + noise, arm.clone())
                    })
                    .collect();
                utilities.sort_by(|one, other| other.0.total_cmp(&one.0));
                let ranked = utilities.into_iter().map(|(_, arm)| arm).collect();
                verdicts.push(judgment(&page, judge, Verdict::Ranking(ranked)));
            }
            records.trials.push(page);
        }
    }
    records.judgments = verdicts;
    records
}

fn judgment(trial: &Trial, judge: &str, verdict: Verdict) -> Judgment {
    Judgment {
        trial: trial.id.clone(),
        judge: judge.to_owned(),
        call: None,
        raw: None,
        outcome: Outcome::Verdict(verdict),
        asked: None,
        repair: None,
        confidence: None,
    }
}

pub(crate) const ABLE: Character = Character {
    ability: [0.75, 0.75, 0.95, 0.4],
    yes: 0.0,
    places: [0.0; 3],
    length: 0.0,
};
const YES_SAYER: Character = Character {
    ability: [0.5; 4],
    yes: 0.9,
    places: [0.0; 3],
    length: 0.0,
};
const FIRST_COMES_FIRST: Character = Character {
    ability: [0.75; 4],
    yes: 0.0,
    places: [2.0, 0.0, -2.0],
    length: 0.0,
};

/// A study of two judges with seven trials a sample.
pub(crate) fn many_trials(samples: usize) -> RunRecords {
    study(&[("able", ABLE), ("yes", YES_SAYER)], samples, 7)
}

pub(crate) fn arm<'a>(
    analysis: &'a Analysis,
    judge: &str,
    arm: &str,
) -> &'a tabjury::report::verification::VerificationArm {
    let found = analysis.verification.iter().find(|found| found.judge == judge).unwrap();
    found.arms.iter().find(|found| found.arm == arm).unwrap()
}

#[test]
fn planted_ability_and_biases_are_reported_as_planted() {
    let characters = [("able", ABLE), ("yes-sayer", YES_SAYER), ("first", FIRST_COMES_FIRST)];
    let analysis = analyze(&study(&characters, SAMPLES, 11));
    let said = analysis.conclusions.join("\n");

    // The one useful arm helps the one judge that looks, and the misleading one sets it back; the plain one does neither.
    let level = analysis.study.confidence;
    let lift = |judge: &str, of: &str| arm(&analysis, judge, of).control.as_ref().unwrap().lift.clone();
    assert!(lift("able", "useful").is_better(level) && lift("able", "misleading").is_worse(level));
    for judge in ["able", "yes-sayer", "first"] {
        let plain = lift(judge, "plain");
        assert!(!plain.is_better(level) && !plain.is_worse(level), "{judge}");
    }
    assert!(
        said.contains("Verification with an explanation beats the one without by more than chance in 1 of 9"),
        "{said}"
    );
    assert!(
        said.contains("Better: useful before able") && said.contains("Behind: misleading before able"),
        "{said}"
    );

    // A judge that says "correct" to nearly all has an accuracy near the base rate and tells nothing apart.
    let found = &arm(&analysis, "yes-sayer", "plain").discernment;
    let balanced = found.balanced_accuracy.interval.as_ref().unwrap();
    assert!(balanced.low < 0.5 && balanced.high > 0.5, "{balanced:?}");
    assert!(
        found.criterion.interval.as_ref().unwrap().high < -0.5,
        "{:?}",
        found.criterion
    );
    let able = &arm(&analysis, "able", "useful").discernment;
    assert!(
        able.balanced_accuracy.interval.as_ref().unwrap().low > 0.85 && able.kappa.interval.as_ref().unwrap().low > 0.6
    );

    // Places move the ranks of one judge alone, and the design takes them out: all rank the arms as they are.
    for judge in &analysis.preference {
        let biased = judge.judge == "first";
        let places = judge.tests.as_ref().unwrap().places.as_ref().unwrap();
        assert_eq!(places.p_corrected < 0.05, biased, "{}: {places:?}", judge.judge);
        assert_eq!(
            flagged(&analysis, FlagKind::PositionBias, Some(&judge.judge), None),
            biased
        );
        let ranks: Vec<f64> = judge
            .arms
            .iter()
            .map(|arm| *arm.mean_rank.value.as_ref().unwrap())
            .collect();
        assert!(ranks[1] < ranks[0] && ranks[0] < ranks[2], "{}: {ranks:?}", judge.judge);
        assert!(judge.tests.as_ref().unwrap().arms_differ.as_ref().unwrap().p < 0.01);
        let strengths = &judge.pairs.as_ref().unwrap().arms;
        assert!(
            strengths[1].strength.interval.as_ref().unwrap().low > 0.0,
            "{}",
            judge.judge
        );
        assert!(
            strengths[2].strength.interval.as_ref().unwrap().high < 0.0,
            "{}",
            judge.judge
        );
    }
    assert!(said.contains(
        "Preference, judge first: The place where an explanation is shown moves its rank by more than chance"
    ));
    assert_eq!(said.matches("No effect of the place was found").count(), 2, "{said}");
}

#[test]
fn where_nothing_is_planted_little_is_found() {
    // Three arms before a judge with the same ability with and without: of 12 studies hardly one may say otherwise.
    let guesser = Character {
        ability: [0.75; 4],
        yes: 0.0,
        places: [0.0; 3],
        length: 0.0,
    };
    let (mut better_or_worse, mut covered, mut places) = (0, 0, 0);
    for seed in 0..12 {
        let analysis = analyze(&study(&[("judge", guesser)], SAMPLES, 100 + seed));
        let level = analysis.study.confidence;
        let lifts = ARMS.map(|of| arm(&analysis, "judge", of).control.as_ref().unwrap().lift.clone());
        better_or_worse += u32::from(lifts.iter().any(|lift| lift.is_better(level) || lift.is_worse(level)));
        covered += lifts
            .iter()
            .filter(|lift| {
                lift.interval
                    .as_ref()
                    .is_ok_and(|interval| interval.low <= 0.0 && interval.high >= 0.0)
            })
            .count();
        let tests = analysis.preference[0].tests.as_ref().unwrap();
        places += u32::from(tests.places.as_ref().unwrap().p < 0.05);
    }
    assert!(better_or_worse <= 2 && places <= 3, "{better_or_worse} {places}");
    assert!(covered >= 31, "{covered} of 36 intervals cover");
}

/// A benchmark: `cargo test --profile dist --test report -- --ignored --nocapture fifty_thousand` prints the seconds.
#[test]
#[ignore = "a benchmark, for optimised code"]
fn fifty_thousand_judgments_are_analysed() {
    let characters = [("able", ABLE), ("yes-sayer", YES_SAYER), ("first", FIRST_COMES_FIRST)];
    let records = study(&characters, 2_400, 5);
    let started = std::time::Instant::now();
    let analysis = analyze(&records);
    println!(
        "{} judgments: {:.2} s",
        records.judgments.len(),
        started.elapsed().as_secs_f64()
    );
    assert!(records.judgments.len() > 50_000);
    assert_eq!((analysis.preference.len(), analysis.verification.len()), (3, 3));
}
