//! The analysis, tables and report of a made-up run whose figures were computed by hand.

#![allow(clippy::unwrap_used, reason = "what a test builds or finds has to be there")]

mod support;

#[path = "report/compare.rs"]
mod compare;
#[path = "report/coverage.rs"]
mod coverage;
#[path = "report/figures.rs"]
mod figures;
#[path = "report/held.rs"]
mod held;
#[path = "report/latex.rs"]
mod latex;
#[path = "report/lists.rs"]
mod lists;
#[path = "report/made_up.rs"]
mod made_up;
#[path = "report/pages.rs"]
mod pages;
#[cfg(feature = "parquet")]
#[path = "report/parquet.rs"]
mod parquet;
#[path = "report/people.rs"]
mod people;
#[path = "report/people_estimates.rs"]
mod people_estimates;
#[path = "report/planted.rs"]
mod planted;
#[path = "report/published.rs"]
mod published;
#[path = "report/shown.rs"]
mod shown;
#[path = "report/strata.rs"]
mod strata;
#[path = "report/studies.rs"]
mod studies;
#[path = "report/synthetic.rs"]
mod synthetic;

use std::collections::{BTreeMap, BTreeSet};

use made_up::{call_views, records};
use proptest::prelude::*;
use tabjury::explain::AnswerVisibility;
use tabjury::judge::{NoVerdict, Task};
use tabjury::report::flags::{FlagKind, Severity};
use tabjury::report::preference::PreferenceAnalysis;
use tabjury::report::quantities::Proportion;
use tabjury::report::simulation::SimulationArm;
use tabjury::report::verification::VerificationArm;
use tabjury::report::{Analysis, RunRecords, analyze, csv_tables, latex_tables, report_html};
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
    let totals = sql.effort.totals.unwrap();
    assert_eq!((totals.executions_failed, totals.repairs), (1, 1));
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
    // f1 to f4 follow the place, f5 and q1 do not; q2 has one readable order.
    let stability = &alder.stability;
    assert_eq!(
        (
            stability.compared,
            stability.stable,
            stability.unstable,
            stability.inconsistent
        ),
        (6, 2, 0, 4)
    );
    assert_eq!(alder.repeats_agree.n, 0, "nothing was drawn twice");
    // A flag goes by the p that is corrected over judges, as the sentence at the head does.
    let places = alder.tests.as_ref().unwrap().places.as_ref().unwrap();
    assert!(places.p < 0.05 && places.p_corrected >= 0.05, "{places:?}");
    assert!(!flagged(&analysis, FlagKind::PositionBias, Some("alder"), None));
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
        (counts(&control.lift.first), counts(&control.lift.second)),
        ((4, 6), (4, 6))
    );
    close(control.lift.difference, 0.0);
    assert_eq!((control.lift.first_ahead, control.lift.second_ahead), (1, 1));
    close(control.lift.p, 1.0);

    // The one control guess of a sample is held against each arm's own answer: f2 differs between the arms.
    let sql = simulation(&analysis, "alder", "sql");
    assert_eq!(counts(&sql.accuracy), (5, 6));
    assert_eq!(counts(&sql.gold_agreement), (6, 6));
    let control = sql.control.as_ref().unwrap();
    assert_eq!(counts(&control.lift.second), (4, 6));
    assert_eq!((control.lift.first_ahead, control.lift.second_ahead), (1, 0));
    close(control.lift.difference, 1.0 / 6.0);

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
    close(pos.against_base_rate.as_ref().unwrap().difference, -2.0 / 7.0);
    assert_eq!((counts(&pos.sensitivity), counts(&pos.specificity)), ((3, 5), (0, 2)));
    close(*pos.discernment.balanced_accuracy.value.as_ref().unwrap(), 0.3);
    assert_eq!(counts(&pos.yes_share), (5, 7));
    assert_eq!(counts(&pos.accuracy_all_readable), (4, 8));
    // Controls are paired by the prediction they show: on f2, f5, q1 and q2 each arm has its own.
    let control = pos.control.as_ref().unwrap();
    assert_eq!(counts(&control.lift.second), (5, 7));
    close(control.lift.difference, -2.0 / 7.0);
    assert_eq!((control.lift.first_ahead, control.lift.second_ahead), (0, 2));
    close(control.lift.p, 0.5);
    // Two arms before one judge: the smaller p, 0.5 of pos, is doubled.
    close(*control.lift.p_corrected.as_ref().unwrap(), 1.0);
    let sql = verification(&analysis, "alder", "sql");
    assert_eq!((counts(&sql.accuracy), counts(&sql.base_rate)), ((7, 7), (6, 7)));
    close(*sql.discernment.balanced_accuracy.value.as_ref().unwrap(), 1.0);
    let control = sql.control.as_ref().unwrap();
    assert_eq!(counts(&control.lift.second), (6, 7));
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
    close(pos.against_base_rate.as_ref().unwrap().difference, 0.0);
    close(pos.against_constant.as_ref().unwrap().difference, -3.0 / 7.0);
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
    files.extend(latex_tables(&analysis));
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
