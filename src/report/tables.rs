//! The analysis as CSV tables, for pandas, R and spreadsheets. An undefined figure is an empty cell; `analysis.json`
//! says why. Text that a spreadsheet would run as a formula is defused.

use crate::dataset::Answer;
use crate::stats::Stat;
use crate::trace::{AnswerSource, Counters, Trace};

use super::agreement_tables;
use super::analysis::Analysis;
use super::answers::{failure_words, trace_right};
use super::confidence_tables;
use super::control::ControlComparison;
use super::correlation_tables;
use super::csv_table::{CsvTable, ends, figure, proportion_cells};
use super::difference::Difference;
use super::discernment::{Discernment, Estimate};
use super::faithfulness_tables;
use super::flags::{Severity, task_name};
use super::index::Index;
use super::names::{reading_name, source_name, state_name, verdict_text};
use super::people_tables;
use super::preference_tables;
use super::quantities::Readings;
use super::records::RunRecords;
use super::simulation::MajorityClass;
use super::test_table;
use super::{ReportError, check_tables};

/// Paths of all tables, relative to the run directory, in the order in which [`csv_tables`] gives them.
pub const TABLES: [&str; 28] = [
    "tables/answerers.csv",
    "tables/answers.csv",
    "tables/groups.csv",
    "tables/preference.csv",
    "tables/preference_places.csv",
    "tables/preference_pairs.csv",
    "tables/preference_forms.csv",
    "tables/simulation.csv",
    "tables/simulation_kinds.csv",
    "tables/verification.csv",
    "tables/tests.csv",
    "tables/faithfulness.csv",
    "tables/faithfulness_traces.csv",
    "tables/agreement.csv",
    "tables/agreement_verdicts.csv",
    "tables/people.csv",
    "tables/people_estimates.csv",
    "tables/confidence.csv",
    "tables/calibration.csv",
    "tables/sensitivity.csv",
    "tables/left_out.csv",
    "tables/correlations.csv",
    "tables/correlation_points.csv",
    "tables/pages.csv",
    "tables/proofs.csv",
    "tables/calls.csv",
    "tables/flags.csv",
    "tables/judgments.csv",
];

/// Every table as (path relative to the run directory, bytes), in a fixed order.
pub fn csv_tables(analysis: &Analysis, records: &RunRecords) -> Result<Vec<(String, Vec<u8>)>, ReportError> {
    tables(analysis, records)
        .into_iter()
        .map(|(name, table)| Ok((name.to_owned(), table.into_bytes(name)?)))
        .collect()
}

/// Every table with its path, in the order of [`TABLES`].
pub(super) fn tables(analysis: &Analysis, records: &RunRecords) -> Vec<(&'static str, CsvTable)> {
    let index = Index::new(records);
    let tables = [
        answerers(analysis),
        answers(&index),
        groups(analysis),
        preference_tables::ranks(analysis),
        preference_tables::places(analysis),
        preference_tables::pairs(analysis),
        preference_tables::forms(analysis),
        simulation(analysis),
        simulation_kinds(analysis),
        verification(analysis),
        test_table::tests(analysis),
        faithfulness_tables::figures(analysis),
        faithfulness_tables::traces(&index),
        agreement_tables::agreement(analysis),
        agreement_tables::verdicts(analysis),
        people_tables::agreement(analysis),
        people_tables::estimates(analysis),
        confidence_tables::figures(analysis),
        confidence_tables::bins(analysis),
        agreement_tables::sensitivity(analysis),
        left_out(analysis),
        correlation_tables::correlations(analysis),
        correlation_tables::points(analysis),
        pages(analysis),
        check_tables::proofs(analysis),
        calls(analysis),
        flags(analysis),
        judgments(&index),
    ];
    TABLES.into_iter().zip(tables).collect()
}

pub(super) const READINGS: &[&str] = &["trials", "asked", "readable", "coverage", "unread"];

pub(super) fn readings_cells(readings: &Readings) -> Vec<String> {
    let unread: Vec<String> = readings
        .unread
        .iter()
        .map(|(state, count)| format!("{} {count}", state_name(*state)))
        .collect();
    vec![
        readings.trials.to_string(),
        readings.asked.to_string(),
        readings.readable.to_string(),
        figure(&readings.coverage),
        unread.join("; "),
    ]
}

const CONTROL: &[&str] = &[
    "control_n",
    "with_explanation",
    "without_explanation",
    "lift",
    "right_with_only",
    "right_without_only",
    "lift_low",
    "lift_high",
    "lift_p",
    "lift_p_corrected",
];

fn control_cells(control: &Stat<ControlComparison>) -> Vec<String> {
    let Ok(control) = control else {
        return vec![String::new(); CONTROL.len()];
    };
    let lift = &control.lift;
    let mut cells = vec![
        lift.first.n.to_string(),
        figure(&lift.first.share),
        figure(&lift.second.share),
        lift.difference.to_string(),
        lift.first_ahead.to_string(),
        lift.second_ahead.to_string(),
    ];
    cells.extend(ends(&lift.interval));
    cells.extend([lift.p.to_string(), figure(&lift.p_corrected)]);
    cells
}

fn answerers(analysis: &Analysis) -> CsvTable {
    let mut table = CsvTable::new(&[
        &[
            "answerer", "arms", "method", "model", "accuracy", "low", "high", "correct", "n", "unscored", "not_run",
        ],
        &[
            "failed",
            "from_program",
            "from_model",
            "from_fallback",
            "imported",
            "questions",
            "requests",
            "requests_failed",
        ],
        &[
            "texts_sampled",
            "input_tokens",
            "output_tokens",
            "requests_without_usage",
            "executions",
        ],
        &["executions_failed", "repairs", "cost_dollars"],
    ]);
    for answerer in &analysis.answerers {
        let from = |source: AnswerSource| {
            answerer
                .sources
                .iter()
                .find(|entry| entry.source == source)
                .map_or(0, |entry| entry.answers)
                .to_string()
        };
        let totals = answerer.effort.totals.as_ref();
        let total = |of: fn(&Counters) -> u64| totals.map(|totals| of(totals).to_string()).unwrap_or_default();
        let mut row = vec![
            answerer.answerer.clone(),
            answerer.arms.join("+"),
            answerer.method_title.clone(),
            answerer.model.clone(),
        ];
        row.extend(proportion_cells(&answerer.accuracy));
        row.extend([answerer.unscored.to_string(), answerer.not_run.to_string()]);
        row.push(answerer.failed_samples.len().to_string());
        row.extend([
            from(AnswerSource::Program),
            from(AnswerSource::Model),
            from(AnswerSource::Fallback),
            answerer.imported.to_string(),
            answerer.effort.questions.to_string(),
            total(|totals| totals.requests),
            total(|totals| totals.requests_failed),
            total(|totals| totals.samples),
            total(|totals| totals.input_tokens),
            total(|totals| totals.output_tokens),
            total(|totals| totals.requests_without_usage),
            total(|totals| totals.executions),
            total(|totals| totals.executions_failed),
            total(|totals| totals.repairs),
        ]);
        row.push(figure(&answerer.effort.cost));
        table.rows.push(row);
    }
    table
}

fn answers(index: &Index) -> CsvTable {
    let mut table = CsvTable::new(&[&[
        "sample",
        "answerer",
        "answer",
        "right",
        "source",
        "failure",
        "detail",
        "executions",
        "repairs",
    ]]);
    let mut answerers: Vec<&str> = Vec::new();
    for arm in &index.records.study.arms {
        if !answerers.contains(&arm.answerer.as_str()) {
            answerers.push(&arm.answerer);
        }
    }
    for answerer in answerers {
        for trace in index.samples.keys().filter_map(|sample| index.trace(sample, answerer)) {
            let (failure, detail) = match &trace.answer {
                Some(_) => ("", String::new()),
                None => failure_words(trace.failure.as_ref()),
            };
            table.rows.push(vec![
                trace.sample.clone(),
                trace.answerer.clone(),
                answer_text(trace.answer.as_ref()),
                truth(trace_right(index, trace)),
                trace.answer_source.map(source_name).unwrap_or_default().to_owned(),
                failure.to_owned(),
                detail,
                counted(trace, trace.counters.executions),
                counted(trace, trace.counters.repairs),
            ]);
        }
    }
    table
}

/// A counter of a trace; empty where nothing is known of it.
fn counted(trace: &Trace, count: u64) -> String {
    match trace.imported {
        None => count.to_string(),
        Some(_) => String::new(),
    }
}

fn groups(analysis: &Analysis) -> CsvTable {
    let mut table = CsvTable::new(&[&["answerer", "label", "value", "accuracy", "low", "high", "correct", "n"]]);
    for answerer in &analysis.answerers {
        for group in &answerer.groups {
            let mut row = vec![answerer.answerer.clone(), group.label.clone(), group.value.clone()];
            row.extend(proportion_cells(&group.accuracy));
            table.rows.push(row);
        }
    }
    table
}

fn simulation(analysis: &Analysis) -> CsvTable {
    let mut table = CsvTable::new(&[
        &[
            "judge",
            "arm",
            "accuracy",
            "low",
            "high",
            "agreeing",
            "n",
            "base_rate",
            "base_class",
        ],
        &[
            "gold_agreement",
            "gold_n",
            "where_model_wrong",
            "wrong_n",
            "where_model_right",
            "right_n",
        ],
        &["accuracy_all_readable", "all_readable_n"],
        DISCERNMENT,
        CONTROL,
        READINGS,
    ]);
    for judge in &analysis.simulation {
        for arm in &judge.arms {
            let mut row = vec![judge.judge.clone(), arm.arm.clone()];
            row.extend(proportion_cells(&arm.accuracy));
            row.extend(base_cells(&arm.base_rate));
            for proportion in [
                &arm.gold_agreement,
                &arm.where_model_wrong,
                &arm.where_model_right,
                &arm.accuracy_all_readable,
            ] {
                row.extend([figure(&proportion.share), proportion.n.to_string()]);
            }
            row.extend(discernment_cells(arm.discernment.as_ref().ok()));
            row.extend(control_cells(&arm.control));
            row.extend(readings_cells(&arm.readings));
            table.rows.push(row);
        }
    }
    table
}

const DISCERNMENT: &[&str] = &[
    "balanced_accuracy",
    "balanced_low",
    "balanced_high",
    "kappa",
    "kappa_low",
    "kappa_high",
    "matthews",
    "matthews_low",
    "matthews_high",
    "d_prime",
    "d_prime_low",
    "d_prime_high",
    "criterion",
    "criterion_low",
    "criterion_high",
];

fn discernment_cells(found: Option<&Discernment>) -> Vec<String> {
    let Some(found) = found else {
        return vec![String::new(); DISCERNMENT.len()];
    };
    let estimates = [
        &found.balanced_accuracy,
        &found.kappa,
        &found.matthews,
        &found.d_prime,
        &found.criterion,
    ];
    let cells = |estimate: &Estimate| {
        let [low, high] = ends(&estimate.interval);
        [figure(&estimate.value), low, high]
    };
    estimates.into_iter().flat_map(cells).collect()
}

fn difference(found: &Stat<Difference>) -> String {
    found
        .as_ref()
        .map(|found| found.difference.to_string())
        .unwrap_or_default()
}

/// The share of the most frequent answer, and that answer.
fn base_cells(base_rate: &Stat<MajorityClass>) -> [String; 2] {
    match base_rate {
        Ok(base) => [figure(&base.proportion.share), base.class.clone()],
        Err(_) => [String::new(), String::new()],
    }
}

fn simulation_kinds(analysis: &Analysis) -> CsvTable {
    let mut table = CsvTable::new(&[
        &["judge", "arm", "kind", "accuracy", "low", "high", "agreeing", "n"],
        &["base_rate", "base_class"],
    ]);
    for judge in &analysis.simulation {
        for arm in &judge.arms {
            for kind in &arm.kinds {
                let mut row = vec![judge.judge.clone(), arm.arm.clone(), kind.kind.clone()];
                row.extend(proportion_cells(&kind.accuracy));
                row.extend(base_cells(&kind.base_rate));
                table.rows.push(row);
            }
        }
    }
    table
}

fn left_out(analysis: &Analysis) -> CsvTable {
    let mut table = CsvTable::new(&[&["task", "judge", "sample", "arm", "reason", "detail"]]);
    for entry in &analysis.left_out {
        table.rows.push(vec![
            task_name(entry.task).to_owned(),
            entry.judge.clone(),
            entry.sample.clone(),
            entry.arm.clone().unwrap_or_default(),
            entry.reason.name().to_owned(),
            entry.detail.clone(),
        ]);
    }
    table
}

fn verification(analysis: &Analysis) -> CsvTable {
    let mut table = CsvTable::new(&[
        &[
            "judge",
            "arm",
            "accuracy",
            "low",
            "high",
            "right",
            "n",
            "base_rate",
            "above_base_rate",
            "constant_verdict",
            "constant_rate",
            "above_constant",
        ],
        &["sensitivity", "specificity", "yes_share"],
        DISCERNMENT,
        &["true_positive", "false_positive", "true_negative", "false_negative"],
        &["accuracy_all_readable", "all_readable_n"],
        CONTROL,
        READINGS,
    ]);
    for judge in &analysis.verification {
        for arm in &judge.arms {
            let mut row = vec![judge.judge.clone(), arm.arm.clone()];
            row.extend(proportion_cells(&arm.accuracy));
            row.extend([
                figure(&arm.base_rate.share),
                difference(&arm.against_base_rate),
                arm.constant.verdict.clone(),
                figure(&arm.constant.proportion.share),
                difference(&arm.against_constant),
                figure(&arm.sensitivity.share),
                figure(&arm.specificity.share),
                figure(&arm.yes_share.share),
            ]);
            row.extend(discernment_cells(Some(&arm.discernment)));
            let confusion = &arm.confusion;
            row.extend(
                [
                    confusion.true_positive,
                    confusion.false_positive,
                    confusion.true_negative,
                    confusion.false_negative,
                ]
                .map(|count| count.to_string()),
            );
            row.extend([
                figure(&arm.accuracy_all_readable.share),
                arm.accuracy_all_readable.n.to_string(),
            ]);
            row.extend(control_cells(&arm.control));
            row.extend(readings_cells(&arm.readings));
            table.rows.push(row);
        }
    }
    table
}

fn pages(analysis: &Analysis) -> CsvTable {
    let mut table = CsvTable::new(&[
        &[
            "arm",
            "answer",
            "pages",
            "steps_per_page",
            "steps",
            "steps_marked",
            "steps_inexact",
        ],
        &[
            "answer_not_from_steps",
            "places_withheld_per_page",
            "leaking",
            "html_bytes_per_page",
            "markdown_bytes_per_page",
        ],
        &[
            "markdown_bytes_most",
            "html_tokens_per_page",
            "markdown_tokens_per_page",
        ],
    ]);
    for pages in &analysis.pages {
        table.rows.push(vec![
            pages.arm.clone(),
            pages.answer.name().to_owned(),
            pages.pages.to_string(),
            figure(&pages.steps_per_page),
            pages.steps_marked.n.to_string(),
            pages.steps_marked.successes.to_string(),
            pages.steps_inexact.successes.to_string(),
            pages.answer_not_from_steps.successes.to_string(),
            figure(&pages.places_withheld_per_page),
            pages.leaking.successes.to_string(),
            figure(&pages.html_bytes_per_page),
            figure(&pages.markdown_bytes_per_page),
            pages.markdown_bytes_most.to_string(),
            figure(&pages.html_tokens_per_page),
            figure(&pages.markdown_tokens_per_page),
        ]);
    }
    table
}

fn calls(analysis: &Analysis) -> CsvTable {
    let mut table = CsvTable::new(&[&[
        "model",
        "purpose",
        "calls",
        "failed",
        "without_usage",
        "input_tokens",
        "output_tokens",
        "cost_dollars",
    ]]);
    for call in &analysis.calls {
        let usage = &call.usage;
        let mut row = vec![usage.model.clone(), usage.purpose.clone()];
        row.extend(
            [
                usage.calls,
                usage.failed,
                usage.without_usage,
                usage.input_tokens,
                usage.output_tokens,
            ]
            .map(|count| count.to_string()),
        );
        row.push(figure(&call.cost));
        table.rows.push(row);
    }
    table
}

fn flags(analysis: &Analysis) -> CsvTable {
    let mut table = CsvTable::new(&[&["severity", "kind", "task", "judge", "arm", "message"]]);
    for flag in &analysis.flags {
        table.rows.push(vec![
            match flag.severity {
                Severity::Severe => "severe".to_owned(),
                Severity::Caution => "caution".to_owned(),
            },
            flag.kind.name().to_owned(),
            flag.task.map(task_name).unwrap_or_default().to_owned(),
            flag.judge.clone().unwrap_or_default(),
            flag.arm.clone().unwrap_or_default(),
            flag.message.clone(),
        ]);
    }
    table
}

fn judgments(index: &Index) -> CsvTable {
    let mut table = CsvTable::new(&[
        &[
            "trial",
            "judge",
            "task",
            "sample",
            "arms",
            "options",
            "repeat",
            "turn",
            "control_of",
            "prediction",
        ],
        &["prediction_right", "state", "verdict", "success", "guess_right", "call"],
    ]);
    for judge in &index.records.study.judges {
        for scored in index.all_scored(&judge.name) {
            let trial = scored.trial;
            table.rows.push(vec![
                trial.id.clone(),
                judge.name.clone(),
                task_name(trial.task).to_owned(),
                trial.sample.clone(),
                trial.arms.join("+"),
                trial.options.join("+"),
                trial.repeat.to_string(),
                trial.turn.to_string(),
                trial.control_of.join("+"),
                answer_text(trial.prediction.as_ref()),
                truth(scored.prediction_right),
                reading_name(scored).to_owned(),
                scored.verdict().map(verdict_text).unwrap_or_default(),
                truth(scored.success()),
                truth(scored.guess_right()),
                scored
                    .judgment
                    .and_then(|judgment| judgment.call.clone())
                    .unwrap_or_default(),
            ]);
        }
    }
    table
}

fn truth(value: Option<bool>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

fn answer_text(answer: Option<&Answer>) -> String {
    answer.map(Answer::display).unwrap_or_default()
}
