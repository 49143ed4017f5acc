//! The analysis, tables and report of a made-up run whose figures were computed by hand.

#![allow(clippy::unwrap_used, reason = "what a test builds or finds has to be there")]

#[path = "report/made_up.rs"]
mod made_up;

use std::collections::{BTreeMap, BTreeSet};

use made_up::{call_views, records};
use proptest::prelude::*;
use scraper::{Html, Selector};
use tabjury::dataset::Answer;
use tabjury::explain::AnswerVisibility;
use tabjury::judge::{NoVerdict, Task, Verdict};
use tabjury::report::flags::{FlagKind, Severity};
use tabjury::report::preference::PreferenceAnalysis;
use tabjury::report::quantities::Proportion;
use tabjury::report::simulation::SimulationArm;
use tabjury::report::verification::VerificationArm;
use tabjury::report::{Analysis, RunRecords, analyze, csv_tables, report_html};
use tabjury::trace::AnswerSource;

fn close(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-9, "{value} is not {expected}");
}

fn near(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-5, "{value} is not {expected}");
}

fn counts(proportion: &Proportion) -> (u64, u64) {
    (proportion.successes, proportion.n)
}

fn preference<'a>(analysis: &'a Analysis, judge: &str) -> &'a PreferenceAnalysis {
    analysis.preference.iter().find(|entry| entry.judge == judge).unwrap()
}

fn simulation<'a>(analysis: &'a Analysis, judge: &str, arm: &str) -> &'a SimulationArm {
    let of_judge = analysis.simulation.iter().find(|entry| entry.judge == judge).unwrap();
    of_judge.arms.iter().find(|entry| entry.arm == arm).unwrap()
}

fn verification<'a>(analysis: &'a Analysis, judge: &str, arm: &str) -> &'a VerificationArm {
    let of_judge = analysis.verification.iter().find(|entry| entry.judge == judge).unwrap();
    of_judge.arms.iter().find(|entry| entry.arm == arm).unwrap()
}

fn flagged(analysis: &Analysis, kind: FlagKind, judge: Option<&str>, arm: Option<&str>) -> bool {
    analysis
        .flags
        .iter()
        .any(|flag| flag.kind == kind && flag.judge.as_deref() == judge && flag.arm.as_deref() == arm)
}

#[test]
fn answers_are_scored_and_failures_listed() {
    let analysis = analyze(&records());
    let [pos, sql] = analysis.answerers.as_slice() else {
        panic!("two answerers")
    };
    assert_eq!(counts(&pos.accuracy), (6, 8));
    let interval = pos.accuracy.interval.as_ref().unwrap();
    near(interval.low, 0.409_275);
    near(interval.high, 0.928_521);
    let sources: Vec<_> = pos
        .sources
        .iter()
        .map(|entry| (entry.source, entry.answers, entry.accuracy.successes))
        .collect();
    assert_eq!(sources, [(AnswerSource::Program, 7, 6), (AnswerSource::Fallback, 1, 0)]);
    assert!(pos.failed_samples.is_empty());
    // `12.0` denotes the gold answer `12`; the failed sample counts as wrong and is listed.
    assert_eq!(counts(&sql.accuracy), (6, 8));
    assert_eq!(sql.failures, BTreeMap::from([("program".to_owned(), 1)]));
    assert_eq!(sql.failed_samples[0].sample, "f6");
    let groups: Vec<_> = pos
        .groups
        .iter()
        .map(|group| (group.label.as_str(), group.value.as_str(), counts(&group.accuracy)))
        .collect();
    assert_eq!(
        groups,
        [
            ("dataset", "custom", (6, 8)),
            ("question", "fact_verification", (5, 6)),
            ("question", "short_answer", (1, 2)),
            ("size", "large", (3, 5)),
            ("size", "small", (3, 3)),
        ]
    );
    close(*sql.effort.executions_per_question.as_ref().unwrap(), 2.0);
    assert_eq!((sql.effort.totals.executions_failed, sql.effort.totals.repairs), (1, 1));
    assert!(sql.effort.cost.as_ref().unwrap_err().reason.contains("larch"));
    assert!(flagged(&analysis, FlagKind::MissingAnswers, None, Some("sql-larch")));
}

#[test]
fn mean_ranks_are_averaged_within_samples_and_places_are_shown() {
    let analysis = analyze(&records());
    let alder = preference(&analysis, "alder");
    assert_eq!((alder.rankings, alder.common_samples, alder.samples), (13, 7, 8));
    assert_eq!(alder.readings.unread, BTreeMap::from([(NoVerdict::Ambiguous, 1)]));
    assert_eq!(alder.samples_with_missing_orders, 1);
    // f1 to f4 give 1.5 each, f5, q1 and q2 (in its one readable order) 1.
    let pos = &alder.arms[0].mean_rank;
    close(*pos.value.as_ref().unwrap(), 9.0 / 7.0);
    let interval = pos.interval.as_ref().unwrap();
    near(interval.low, 1.038_539);
    near(interval.high, 1.532_890);
    close(*alder.arms[1].mean_rank.value.as_ref().unwrap(), 12.0 / 7.0);
    // First in 1 of 2 orders of f1 to f4, else in all: the two orders of a sample are not two independent draws.
    let first = &alder.arms[0].first;
    assert_eq!((alder.arms[0].first_rankings, first.n), (9, 7));
    close(*first.value.as_ref().unwrap(), 5.0 / 7.0);
    let interval = first.interval.as_ref().unwrap();
    near(interval.low, 0.467_110);
    near(interval.high, 0.961_461);
    let by_place: Vec<(u64, usize, f64)> = alder.arms[0]
        .by_place
        .iter()
        .map(|place| (place.rankings, place.first.n, *place.first.value.as_ref().unwrap()))
        .collect();
    assert_eq!(by_place, [(7, 7, 1.0), (6, 6, 2.0 / 6.0)]);
    let first_place = &alder.places[0];
    assert_eq!((first_place.rankings, first_place.first.n), (13, 7));
    close(*first_place.first.value.as_ref().unwrap(), 6.0 / 7.0);
    assert_eq!(counts(&alder.follows_shown_order), (11, 13));
    close(alder.follows_shown_order_by_chance, 0.5);
    assert_eq!(counts(&alder.stable_first), (2, 6));
    assert!(flagged(&analysis, FlagKind::PositionBias, Some("alder"), None));
    assert!(flagged(&analysis, FlagKind::FollowsShownOrder, Some("alder"), None));
    let birch = preference(&analysis, "birch");
    close(*birch.arms[0].mean_rank.value.as_ref().unwrap(), 2.0);
    assert!(
        birch.arms[0]
            .mean_rank
            .interval
            .as_ref()
            .unwrap_err()
            .reason
            .contains("no variation")
    );
    assert!(!flagged(&analysis, FlagKind::PositionBias, Some("birch"), None));
}

#[test]
fn simulation_is_over_common_samples_and_beside_its_control() {
    let analysis = analyze(&records());
    let alder = &analysis.simulation[0];
    assert_eq!((alder.common_samples, alder.samples), (6, 8));
    let pos = simulation(&analysis, "alder", "pos");
    assert_eq!(
        (pos.readings.trials, pos.readings.asked, pos.readings.readable),
        (8, 8, 7)
    );
    assert_eq!(pos.readings.unread, BTreeMap::from([(NoVerdict::Unparsed, 1)]));
    close(*pos.readings.coverage.as_ref().unwrap(), 7.0 / 8.0);
    assert_eq!(counts(&pos.accuracy), (4, 6));
    assert_eq!(counts(&pos.accuracy_all_readable), (5, 7));
    assert_eq!(counts(&pos.gold_agreement), (5, 6));
    assert_eq!(counts(&pos.where_model_wrong), (0, 1));
    assert_eq!(counts(&pos.where_model_right), (4, 5));
    assert!(pos.base_rate.is_err());
    assert_eq!(counts(&pos.kinds[0].accuracy), (3, 5));
    let base = pos.kinds[0].base_rate.as_ref().unwrap();
    assert_eq!((base.class.as_str(), counts(&base.proportion)), ("TRUE", (4, 5)));
    // 3 of 5 statements against 4 of 5, although the questions among the samples have no such base rate.
    assert!(flagged(&analysis, FlagKind::BelowMajority, Some("alder"), Some("pos")));
    assert!(!flagged(&analysis, FlagKind::BelowMajority, Some("alder"), Some("sql")));
    let control = pos.control.as_ref().unwrap();
    assert_eq!(
        (counts(&control.with_explanation), counts(&control.without_explanation)),
        ((4, 6), (4, 6))
    );
    close(*control.lift.as_ref().unwrap(), 0.0);
    let test = control.mcnemar.as_ref().unwrap();
    assert_eq!((test.first_only, test.second_only), (1, 1));
    close(test.p, 1.0);

    // The one control guess of a sample is held against each arm's own answer: f2 differs between the arms.
    let sql = simulation(&analysis, "alder", "sql");
    assert_eq!(counts(&sql.accuracy), (5, 6));
    assert_eq!(counts(&sql.gold_agreement), (6, 6));
    let control = sql.control.as_ref().unwrap();
    assert_eq!(counts(&control.without_explanation), (4, 6));
    let test = control.mcnemar.as_ref().unwrap();
    assert_eq!((test.first_only, test.second_only), (1, 0));
    close(*control.lift.as_ref().unwrap(), 1.0 / 6.0);

    let birch = simulation(&analysis, "birch", "pos");
    assert_eq!(counts(&birch.accuracy), (6, 7));
    assert!(birch.control.is_err());
    assert!(flagged(&analysis, FlagKind::NoControl, Some("birch"), Some("pos")));
    assert!(flagged(&analysis, FlagKind::LowCoverage, Some("alder"), Some("pos")));
    assert!(flagged(&analysis, FlagKind::FewCommonSamples, Some("alder"), None));
}

#[test]
fn verification_never_stands_without_its_base_rate() {
    let analysis = analyze(&records());
    assert_eq!(analysis.verification[0].common_samples, 7);
    let pos = verification(&analysis, "alder", "pos");
    assert_eq!(counts(&pos.accuracy), (3, 7));
    let interval = pos.accuracy.interval.as_ref().unwrap();
    near(interval.low, 0.158_220);
    near(interval.high, 0.749_542);
    assert_eq!(counts(&pos.base_rate), (5, 7));
    close(*pos.above_base_rate.as_ref().unwrap(), -2.0 / 7.0);
    assert_eq!((counts(&pos.sensitivity), counts(&pos.specificity)), ((3, 5), (0, 2)));
    close(*pos.balanced_accuracy.as_ref().unwrap(), 0.3);
    assert_eq!(counts(&pos.yes_share), (5, 7));
    assert_eq!(counts(&pos.accuracy_all_readable), (4, 8));
    // Controls are paired by the prediction they show: on f2, f5, q1 and q2 each arm has its own.
    let control = pos.control.as_ref().unwrap();
    assert_eq!(counts(&control.without_explanation), (5, 7));
    close(*control.lift.as_ref().unwrap(), -2.0 / 7.0);
    let test = control.mcnemar.as_ref().unwrap();
    assert_eq!((test.first_only, test.second_only), (0, 2));
    close(test.p, 0.5);
    let sql = verification(&analysis, "alder", "sql");
    assert_eq!((counts(&sql.accuracy), counts(&sql.base_rate)), ((7, 7), (6, 7)));
    close(*sql.balanced_accuracy.as_ref().unwrap(), 1.0);
    let control = sql.control.as_ref().unwrap();
    assert_eq!(counts(&control.without_explanation), (6, 7));
    assert!(flagged(&analysis, FlagKind::BelowBaseRate, Some("alder"), Some("pos")));
    assert!(flagged(&analysis, FlagKind::NoLift, Some("alder"), Some("pos")));
    assert!(!flagged(&analysis, FlagKind::BelowBaseRate, Some("alder"), Some("sql")));
    let options = &analysis.verification[0].options;
    // 27 trials, of which those of f1, f3, f5 and q1 show `correct` first: 3 + 3 + 4 + 4.
    assert_eq!(counts(&options.correct_first), (14, 27));
    assert!(!flagged(&analysis, FlagKind::UnbalancedOptions, Some("alder"), None));
    // Not asked at all: no figures, and said so.
    let birch = verification(&analysis, "birch", "pos");
    assert!(birch.accuracy.share.is_err() && birch.readings.coverage.is_err());
    assert!(flagged(&analysis, FlagKind::NotJudged, Some("birch"), None));
    assert!(!flagged(&analysis, FlagKind::NoControl, Some("birch"), None));
}

#[test]
fn what_is_left_out_is_listed_with_its_reason() {
    let analysis = analyze(&records());
    let listed = |task: Task, judge: &str| -> Vec<(&str, &str, &str, &str)> {
        analysis
            .left_out
            .iter()
            .filter(|entry| entry.task == task && entry.judge == judge)
            .map(|entry| {
                let arm = entry.arm.as_deref().unwrap_or("all");
                (entry.sample.as_str(), arm, entry.reason.name(), entry.detail.as_str())
            })
            .collect()
    };
    assert_eq!(
        listed(Task::Preference, "alder"),
        [("f6", "sql", "no_answer", "program")]
    );
    assert_eq!(
        listed(Task::Simulation, "alder"),
        [
            ("f6", "pos", "unread", "unparsed"),
            ("f6", "sql", "no_answer", "program"),
            ("q2", "sql", "unread", "refused"),
        ]
    );
    assert_eq!(
        listed(Task::Verification, "alder"),
        [("f6", "sql", "no_answer", "program")]
    );
    assert_eq!(listed(Task::Verification, "birch").len(), 2 * 8);
    // What is common and what is left out add up to the samples of the study.
    for judge in &analysis.simulation {
        let left_out: BTreeSet<&str> = listed(Task::Simulation, &judge.judge)
            .into_iter()
            .map(|entry| entry.0)
            .collect();
        assert_eq!(judge.common_samples + left_out.len(), 8);
    }
}

#[test]
fn a_task_that_came_to_no_trial_is_not_passed_over() {
    let mut records = records();
    for trace in &mut records.traces {
        if trace.method == "sql" {
            trace.answer = None;
        }
    }
    records
        .trials
        .retain(|trial| trial.task != Task::Preference && !trial.arms.contains(&"sql".to_owned()));
    let analysis = analyze(&records);
    assert!(analysis.preference.is_empty());
    let flag = analysis
        .flags
        .iter()
        .find(|flag| flag.kind == FlagKind::TaskWithoutTrials)
        .unwrap();
    assert_eq!((flag.severity, flag.task), (Severity::Severe, Some(Task::Preference)));
    assert!(flag.message.contains("sql lacks an answer to 8"), "{}", flag.message);
    assert!(flagged(&analysis, FlagKind::ArmWithoutTrials, None, Some("sql")));
    let left_out = analysis.left_out.iter();
    assert_eq!(left_out.filter(|entry| entry.task == Task::Preference).count(), 2 * 8);
    let report = String::from_utf8(outputs(&records).remove("report.html").unwrap()).unwrap();
    assert!(report.contains("A task has no trials") && report.contains("id=\"left-out-preference-1\""));
}

#[test]
fn a_control_that_is_mostly_unread_is_flagged() {
    let mut records = records();
    assert!(!flagged(
        &analyze(&records),
        FlagKind::LowCoverage,
        Some("alder"),
        Some("none")
    ));
    let controls: BTreeSet<String> = records
        .trials
        .iter()
        .filter(|trial| trial.arms == ["none"] && ["f1", "f2"].contains(&trial.sample.as_str()))
        .map(|trial| trial.id.clone())
        .collect();
    for judgment in &mut records.judgments {
        if controls.contains(&judgment.trial) {
            judgment.outcome = tabjury::judge::Outcome::None {
                state: NoVerdict::Refused,
                detail: "the judge declined".to_owned(),
            };
        }
    }
    let analysis = analyze(&records);
    for task in [Task::Simulation, Task::Verification] {
        for (kind, arm) in [(FlagKind::LowCoverage, "none"), (FlagKind::FewPairs, "pos")] {
            assert!(
                analysis.flags.iter().any(|flag| flag.kind == kind
                    && flag.task == Some(task)
                    && flag.judge.as_deref() == Some("alder")
                    && flag.arm.as_deref() == Some(arm)),
                "{task:?} {kind:?}"
            );
        }
    }
    // The control was never put before birch.
    assert!(flagged(&analysis, FlagKind::NotJudged, Some("birch"), Some("none")));
}

#[test]
fn free_form_guesses_are_not_scored() {
    let mut records = records();
    for trial in &mut records.trials {
        if trial.sample == "q1" {
            trial.kind = tabjury::dataset::QuestionKind::FreeForm;
        }
    }
    let analysis = analyze(&records);
    let alder = &analysis.simulation[0];
    // Both arms and the control.
    assert_eq!((alder.unscored, alder.common_samples), (3, 5));
    assert_eq!(counts(&simulation(&analysis, "alder", "pos").accuracy), (3, 5));
    assert!(flagged(&analysis, FlagKind::Unscored, Some("alder"), None));
    assert!(
        analysis
            .left_out
            .iter()
            .any(|entry| entry.sample == "q1" && entry.reason.name() == "free_form")
    );
    outputs(&records);
}

#[test]
fn accuracy_is_held_against_the_better_constant_verdict() {
    let mut records = records();
    for sample in &mut records.samples {
        if ["f1", "f2", "f3"].contains(&sample.id.as_str()) {
            sample.gold = Some(tabjury::dataset::Gold::Verdict(false));
        }
    }
    let analysis = analyze(&records);
    let pos = verification(&analysis, "alder", "pos");
    assert_eq!((counts(&pos.accuracy), counts(&pos.base_rate)), ((2, 7), (2, 7)));
    assert_eq!(
        (pos.constant.verdict.as_str(), counts(&pos.constant.proportion)),
        ("incorrect", (5, 7))
    );
    close(*pos.above_base_rate.as_ref().unwrap(), 0.0);
    close(*pos.above_constant.as_ref().unwrap(), -3.0 / 7.0);
    let flag = analysis
        .flags
        .iter()
        .find(|flag| flag.kind == FlagKind::BelowBaseRate && flag.arm.as_deref() == Some("pos"))
        .unwrap();
    assert_eq!(flag.severity, Severity::Severe);
    assert!(
        flag.message.contains("Always saying \"incorrect\" would be right on 5"),
        "{}",
        flag.message
    );
}

#[test]
fn flags_name_their_kind_in_the_table_as_in_json() {
    let analysis = analyze(&records());
    let tables: BTreeMap<String, Vec<u8>> = csv_tables(&analysis, &records()).unwrap().into_iter().collect();
    let mut rows = csv::Reader::from_reader(tables["tables/flags.csv"].as_slice());
    let kinds: Vec<String> = rows.records().map(|row| row.unwrap()[1].to_owned()).collect();
    let expected: Vec<String> = analysis
        .flags
        .iter()
        .map(|flag| serde_json::to_value(flag.kind).unwrap().as_str().unwrap().to_owned())
        .collect();
    assert!(!kinds.is_empty());
    assert_eq!(kinds, expected);
}

#[test]
fn one_option_order_is_flagged() {
    let mut records = records();
    for trial in &mut records.trials {
        if trial.task == Task::Verification {
            trial.options = vec!["correct".to_owned(), "incorrect".to_owned()];
        }
    }
    assert!(flagged(
        &analyze(&records),
        FlagKind::UnbalancedOptions,
        Some("alder"),
        None
    ));
}

#[test]
fn correlation_is_over_cells_of_judge_and_arm() {
    let analysis = analyze(&records());
    let [simulation, verification] = analysis.correlations.as_slice() else {
        panic!("two correlations")
    };
    assert_eq!((simulation.points.len(), simulation.judges, simulation.arms), (4, 2, 2));
    let pearson = simulation.pearson.as_ref().unwrap();
    near(pearson.r, 0.196_210);
    // With four points Student's t has two degrees of freedom, and p is 1 - |r|.
    near(pearson.p, 0.803_790);
    assert_eq!(pearson.n, 4);
    assert_eq!((verification.task, verification.points.len()), (Task::Verification, 2));
    assert!(verification.pearson.as_ref().unwrap_err().reason.contains('2'));
}

#[test]
fn cost_that_is_not_known_stays_unknown() {
    let analysis = analyze(&records());
    let [larch, willow] = analysis.calls.as_slice() else {
        panic!("two models")
    };
    assert!(larch.cost.as_ref().unwrap_err().reason.contains("no price"));
    let calls = willow.usage.calls as f64;
    close(
        *willow.cost.as_ref().unwrap(),
        calls * (500.0 * 2.0 + 10.0 * 10.0) / 1e6,
    );
    assert!(analysis.total_cost.is_err());
}

#[test]
fn pages_that_mislead_are_flagged() {
    let analysis = analyze(&records());
    let sql = analysis
        .pages
        .iter()
        .find(|pages| pages.arm == "sql" && pages.answer == AnswerVisibility::Withheld)
        .unwrap();
    assert_eq!(counts(&sql.leaking), (1, 7));
    assert_eq!(counts(&sql.steps_marked), (21, 28));
    assert!(flagged(&analysis, FlagKind::PageLeak, None, Some("sql")));
    assert!(flagged(&analysis, FlagKind::AnswerNotFromSteps, None, Some("pos")));
    assert!(flagged(&analysis, FlagKind::UnmarkedSteps, None, Some("pos")));
    assert!(flagged(&analysis, FlagKind::SelfJudging, Some("birch"), None));
    assert!(!flagged(&analysis, FlagKind::SelfJudging, Some("alder"), None));
    let severe = analysis
        .flags
        .iter()
        .take_while(|flag| flag.severity == Severity::Severe)
        .count();
    assert!(
        severe > 0
            && analysis.flags[severe..]
                .iter()
                .all(|flag| flag.severity == Severity::Caution)
    );
}

/// Every output as one map.
fn outputs(records: &RunRecords) -> BTreeMap<String, Vec<u8>> {
    let analysis = analyze(records);
    let json = serde_json::to_vec_pretty(&analysis).unwrap();
    // A number that is not finite would be written as null and not come back.
    serde_json::from_slice::<Analysis>(&json).unwrap();
    let mut files: BTreeMap<String, Vec<u8>> = csv_tables(&analysis, records).unwrap().into_iter().collect();
    for (name, bytes) in &files {
        for record in csv::Reader::from_reader(bytes.as_slice()).records() {
            for field in &record.unwrap() {
                assert!(!["NaN", "inf", "-inf"].contains(&field), "{name}: {field}");
            }
        }
    }
    files.extend(report_html(&analysis, records, &call_views(records)).unwrap());
    files.insert("analysis.json".to_owned(), json);
    files
}

#[test]
fn nothing_and_almost_nothing_can_be_analysed() {
    let whole = records();
    let mut empty = whole.clone();
    for clear in 0..5 {
        match clear {
            0 => empty.calls.clear(),
            1 => empty.judgments.clear(),
            2 => empty.pages.clear(),
            3 => empty.trials.clear(),
            _ => {
                empty.samples.clear();
                empty.traces.clear();
            }
        }
        outputs(&empty);
    }
    empty.study.arms.clear();
    empty.study.judges.clear();
    outputs(&empty);
    let mut without_gold = whole.clone();
    for sample in &mut without_gold.samples {
        sample.gold = None;
    }
    let analysis = analyze(&without_gold);
    assert_eq!(analysis.answerers[0].unscored, 8);
    assert_eq!(analysis.verification[0].without_truth, 27);
    outputs(&without_gold);
    let mut lost_samples = whole;
    lost_samples.samples.truncate(1);
    outputs(&lost_samples);
}

fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut state = seed | 1;
    for index in (1..items.len()).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        items.swap(index, (state >> 33) as usize % (index + 1));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(8) })]
    #[test]
    fn the_order_of_the_records_never_shows(seed: u64) {
        let mut shuffled = records();
        shuffle(&mut shuffled.samples, seed);
        shuffle(&mut shuffled.traces, seed);
        shuffle(&mut shuffled.pages, seed);
        shuffle(&mut shuffled.trials, seed);
        shuffle(&mut shuffled.judgments, seed);
        shuffle(&mut shuffled.calls, seed);
        prop_assert!(outputs(&shuffled) == outputs(&records()));
    }
}

fn parse(name: &str, bytes: &[u8]) -> Html {
    let html = Html::parse_document(std::str::from_utf8(bytes).unwrap());
    assert!(html.errors.is_empty(), "{name}: {:?}", html.errors);
    html
}

fn attributes(html: &Html, selector: &str, name: &str) -> Vec<String> {
    let selector = Selector::parse(selector).unwrap();
    html.select(&selector)
        .filter_map(|element| element.attr(name).map(str::to_owned))
        .collect()
}

fn text(html: &Html, selector: &str) -> Vec<String> {
    let selector = Selector::parse(selector).unwrap();
    html.select(&selector).map(|element| element.text().collect()).collect()
}

#[test]
fn every_link_resolves_and_every_number_reaches_its_trials() {
    let records = records();
    let files = outputs(&records);
    let documents: BTreeMap<&str, Html> = files
        .iter()
        .filter(|(name, _)| name.ends_with(".html"))
        .map(|(name, bytes)| (name.as_str(), parse(name, bytes)))
        .collect();
    assert_eq!(documents.len(), 1 + 2 * records.trials.len());
    let mut known: BTreeSet<String> = files.keys().cloned().collect();
    known.extend(
        records
            .pages
            .iter()
            .flat_map(|page| [page.html.clone(), page.markdown.clone()]),
    );
    let mut reached = BTreeSet::new();
    for (name, html) in &documents {
        for href in attributes(html, "a[href]", "href") {
            let (path, fragment) = href.split_once('#').unwrap_or((&href, ""));
            let mut segments: Vec<&str> = name.split('/').collect();
            segments.pop();
            for segment in path.split('/').filter(|segment| !segment.is_empty()) {
                match segment {
                    ".." => assert!(segments.pop().is_some(), "{name}: {href} leaves the run"),
                    segment => segments.push(segment),
                }
            }
            let target = if path.is_empty() {
                (*name).to_owned()
            } else {
                segments.join("/")
            };
            assert!(known.contains(&target), "{name}: {href} leads nowhere");
            if !fragment.is_empty() {
                let ids = attributes(&documents[target.as_str()], "[id]", "id");
                assert!(ids.iter().any(|id| id == fragment), "{name}: {href} has no such place");
            }
            reached.insert(target);
        }
        let ids = attributes(html, "[id]", "id");
        assert_eq!(
            ids.iter().collect::<BTreeSet<_>>().len(),
            ids.len(),
            "{name}: an id stands twice"
        );
    }
    for name in documents.keys() {
        assert!(reached.contains(*name), "{name} is linked from nowhere");
    }
    for page in &records.pages {
        assert!(reached.contains(&page.html), "{} is linked from nowhere", page.html);
    }
    // Headline figures lead to their trials.
    let report = &documents["report.html"];
    let figures = attributes(report, "#glance td a", "href");
    assert!(figures.contains(&"#verification-1-1".to_owned()), "{figures:?}");
    assert!(
        text(report, "#verification .notice")
            .iter()
            .any(|notice| notice.contains("pos"))
    );
    assert!(text(report, "header").concat().contains("say nothing about any model"));
    // Each correlation with its own caveat: the tasks have different cells.
    let correlation = text(report, "#correlation").concat();
    assert!(correlation.contains("With simulation: 4 cells") && correlation.contains("With verification: 2 cells"));
    assert!(
        text(report, "#preference")
            .concat()
            .contains("judged in several orders")
    );
}

#[test]
fn a_trial_page_holds_prompt_raw_answer_and_verdict() {
    let records = records();
    let files = outputs(&records);
    let trial = records
        .trials
        .iter()
        .find(|trial| trial.task == Task::Verification && trial.arms == ["pos"] && trial.sample == "f1")
        .unwrap();
    let name = format!("trials/{}-alder.html", trial.id);
    let html = parse(&name, &files[&name]);
    let page = text(&html, "main").concat();
    for wanted in [
        format!("I looked at the page. My verdict: {}", trial.id),
        format!("Here is the page of trial {}.", trial.id),
        "Verdict: incorrect".to_owned(),
        "The verdict is wrong".to_owned(),
        "correct, incorrect".to_owned(),
        "TRUE (right)".to_owned(),
    ] {
        assert!(page.contains(&wanted), "{wanted:?} is missing");
    }
    let links = attributes(&html, "a", "href");
    assert!(links.contains(&"../pages/f1/pos-shown.html".to_owned()), "{links:?}");
    assert!(page.contains("the control: the same without an explanation"));
}

#[test]
fn scripted_models_are_announced() {
    let mut records = records();
    let report = |records: &RunRecords| String::from_utf8(outputs(records).remove("report.html").unwrap()).unwrap();
    assert!(!report(&records).contains("Scripted answers"));
    records.study.models[1].scripted = true;
    assert!(report(&records).contains("Scripted answers"));
}

#[test]
fn hostile_text_stays_text() {
    const HOSTILE: &str = "</code></pre></table><script>alert(1)</script><img src=x onerror=alert(2)>\
                           {{ 7*7 }} {% include \"x\" %} &lt;b&gt; \u{202e}\u{0}\" onmouseover=\"alert(3)\" 'x";
    let mut records = records();
    records.study.title = Some(HOSTILE.to_owned());
    records.study.note = Some(HOSTILE.to_owned());
    records.study.arms[0].method_title = HOSTILE.to_owned();
    records.study.judges[0].view = HOSTILE.to_owned();
    for sample in &mut records.samples {
        sample.question = HOSTILE.to_owned();
        sample.caption = Some(HOSTILE.to_owned());
    }
    for page in &mut records.pages {
        page.html = "javascript:alert(1)".to_owned();
        page.markdown = "../../secret".to_owned();
    }
    for judgment in &mut records.judgments {
        judgment.raw = Some(format!("=cmd {HOSTILE}"));
        if let tabjury::judge::Outcome::Verdict(Verdict::Guess(guess)) = &mut judgment.outcome {
            *guess = Answer::Text(format!("=HYPERLINK(\"http://example.org\") {HOSTILE}"));
        }
    }
    let files = outputs(&records);
    let mut raw_seen = 0;
    for (name, bytes) in files.iter().filter(|(name, _)| name.ends_with(".html")) {
        let source = std::str::from_utf8(bytes).unwrap();
        assert!(!source.contains(['\u{202e}', '\0']), "{name} holds raw controls");
        let html = Html::parse_document(source);
        for forbidden in ["script", "img", "iframe", "[onerror]", "[onmouseover]"] {
            assert!(text(&html, forbidden).is_empty(), "{name} holds {forbidden}");
        }
        for href in attributes(&html, "[href]", "href") {
            assert!(
                !href.contains("javascript") && !href.contains("secret"),
                "{name}: {href}"
            );
        }
        raw_seen += text(&html, "pre")
            .iter()
            .filter(|text| text.starts_with("=cmd </code></pre>"))
            .count();
    }
    assert_eq!(raw_seen, records.judgments.len());
    let judgments = String::from_utf8(files["tables/judgments.csv"].clone()).unwrap();
    assert!(
        judgments.contains("'=HYPERLINK") && !judgments.contains(",=HYPERLINK") && !judgments.contains("\"=HYPERLINK")
    );
}

#[derive(serde::Deserialize)]
struct PublishedNumber {
    source: String,
    table: String,
    method: String,
    model: String,
    dataset: String,
    measure: String,
    value: f64,
}

fn published(name: &str) -> Vec<PublishedNumber> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("results/published")
        .join(name);
    csv::Reader::from_path(path)
        .unwrap()
        .deserialize()
        .map(Result::unwrap)
        .collect()
}

#[test]
fn published_numbers_are_tidy_and_unique() {
    for name in ["question_answering.csv", "groups.csv", "judges.csv", "efficiency.csv"] {
        let mut seen = BTreeSet::new();
        for number in published(name) {
            assert!(
                number.value.is_finite() && number.value >= 0.0,
                "{name}: {}",
                number.value
            );
            assert!(
                !number.measure.contains("percent") || number.value <= 100.0,
                "{name}: {}",
                number.value
            );
            let key = [
                number.source,
                number.table,
                number.method,
                number.model,
                number.dataset,
                number.measure,
            ];
            assert!(!key[5].is_empty() && !key[0].is_empty(), "{name}: {key:?}");
            assert!(seen.insert(key.clone()), "{name}: {key:?} stands twice");
        }
        assert!(!seen.is_empty(), "{name} is empty");
    }
}

#[test]
fn published_correlations_follow_from_the_published_tables() {
    let numbers = published("judges.csv");
    let cells = |table: &str, measure: &str| -> BTreeMap<(String, String), f64> {
        let of_table = numbers.iter().filter(|number| {
            number.table == table
                && number.measure == measure
                && number.dataset == "TabFact"
                && number.model.starts_with("GPT")
        });
        of_table
            .map(|number| ((number.model.clone(), number.method.clone()), number.value))
            .collect()
    };
    let ranks: Vec<f64> = cells("1a", "mean_rank").values().map(|rank| -rank).collect();
    assert_eq!(ranks.len(), 12);
    for (table, task) in [("1b", "simulation"), ("2", "verification")] {
        let accuracies: Vec<f64> = cells(table, &format!("{task}_accuracy_percent"))
            .into_values()
            .collect();
        let printed = |what: &str| {
            let measure = format!("preference_{task}_pearson_{what}");
            numbers.iter().find(|number| number.measure == measure).unwrap().value
        };
        let pearson = tabjury::stats::correlation::pearson(&ranks, &accuracies, 0.95).unwrap();
        assert!((pearson.r - printed("r")).abs() < 5e-5, "{task}: r = {}", pearson.r);
        assert!((pearson.p - printed("p")).abs() < 5e-5, "{task}: p = {}", pearson.p);
    }
}
