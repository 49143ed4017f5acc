//! The tables that a paper prints, for LaTeX. Every accuracy stands beside what doing without looking would reach and beside
//! its control; an undefined figure is a dash.

use crate::stats::{Interval, Stat};

use super::analysis::Analysis;
use super::control::ControlComparison;
use super::flags::task_name;
use super::latex_table::LatexTable;
use super::quantities::Proportion;
use super::rounding::{percent, rounded, signed_points};

/// Paths of all files, relative to the run directory, in the order in which [`latex_tables`] gives them.
pub const TABLES: [&str; 6] = [
    "tables/answers.tex",
    "tables/preference.tex",
    "tables/simulation.tex",
    "tables/verification.tex",
    "tables/agreement.tex",
    "tables/all_tables.tex",
];

/// A document that shows all tables.
const DOCUMENT: &str = "% All tables of the run: pdflatex all_tables.tex, in this directory.\n\\documentclass{article}\n\
                        \\usepackage[margin=1.5cm,landscape]{geometry}\n\\usepackage{booktabs}\n\\begin{document}\n\
                        \\input{answers}\n\\input{preference}\n\\input{simulation}\n\\input{verification}\n\
                        \\input{agreement}\n\\end{document}\n";

/// Every file as (path relative to the run directory, bytes), in a fixed order.
pub fn latex_tables(analysis: &Analysis) -> Vec<(String, Vec<u8>)> {
    let files = [
        answers(analysis),
        preference(analysis),
        simulation(analysis),
        verification(analysis),
        agreement(analysis),
        DOCUMENT.to_owned(),
    ];
    TABLES
        .iter()
        .zip(files)
        .map(|(path, text)| ((*path).to_owned(), text.into_bytes()))
        .collect()
}

const UNDEFINED: &str = "–";

fn figure(value: &Stat<f64>, write: impl Fn(f64) -> String) -> String {
    value
        .as_ref()
        .map_or_else(|_| UNDEFINED.to_owned(), |value| write(*value))
}

fn ends(interval: &Stat<Interval>, write: impl Fn(f64) -> String) -> String {
    interval.as_ref().map_or_else(
        |_| UNDEFINED.to_owned(),
        |interval| format!("{} to {}", write(interval.low), write(interval.high)),
    )
}

/// Without its percent sign: the heading has it.
fn share(value: f64) -> String {
    percent(value).trim_end_matches('%').to_owned()
}

fn two(value: f64) -> String {
    rounded(value, 2).replace('-', "−")
}

fn p_value(p: f64) -> String {
    if p < 0.001 { "<0.001".to_owned() } else { rounded(p, 3) }
}

/// Share, interval and n.
fn proportion(of: &Proportion) -> [String; 3] {
    [figure(&of.share, share), ends(&of.interval, share), of.n.to_string()]
}

/// The control's share, lift, interval and corrected p.
fn control(of: &Stat<ControlComparison>) -> [String; 4] {
    match of {
        Ok(found) => [
            figure(&found.lift.second.share, share),
            signed_points(found.lift.difference),
            ends(&found.lift.interval, signed_points),
            figure(&found.lift.p_corrected, p_value),
        ],
        Err(_) => [UNDEFINED; 4].map(str::to_owned),
    }
}

fn level(analysis: &Analysis) -> String {
    format!(
        "{}% intervals",
        rounded(100.0 * analysis.study.confidence, 1).trim_end_matches(".0")
    )
}

fn answers(analysis: &Analysis) -> String {
    let mut table = LatexTable::new(
        "answers",
        &format!(
            "How often each method is right, in percent, with {}. A missing answer counts as wrong.",
            level(analysis)
        ),
        &["answerer", "#right (%)", "#interval", "#samples", "#no answer"],
    );
    for answerer in &analysis.answerers {
        let mut row = vec![answerer.answerer.clone()];
        row.extend(proportion(&answerer.accuracy));
        row.push(answerer.failed_samples.len().to_string());
        table.row(row);
    }
    table.finish()
}

fn preference(analysis: &Analysis) -> String {
    let mut table = LatexTable::new(
        "preference",
        &format!(
            "Mean rank of each explanation (1 is best) and the share of first ranks, with {} over samples.",
            level(analysis)
        ),
        &[
            "judge",
            "arm",
            "#mean rank",
            "#interval",
            "#first (%)",
            "#interval",
            "#samples",
        ],
    );
    for judge in &analysis.preference {
        for arm in &judge.arms {
            table.row([
                judge.judge.clone(),
                arm.arm.clone(),
                figure(&arm.mean_rank.value, two),
                ends(&arm.mean_rank.interval, two),
                figure(&arm.first.value, share),
                ends(&arm.first.interval, share),
                arm.mean_rank.n.to_string(),
            ]);
        }
    }
    table.finish()
}

fn simulation(analysis: &Analysis) -> String {
    let mut table = LatexTable::new(
        "simulation",
        &format!(
            "Simulation: guesses that agree with the model's answer, in percent, with {}; beside them what always guessing \
             the more frequent answer reaches, and the same judge without an explanation. Lift in percentage points, p \
             corrected (Holm).",
            level(analysis)
        ),
        &[
            "judge",
            "arm",
            "#agree (%)",
            "#interval",
            "#n",
            "#base (%)",
            "#without (%)",
            "#lift",
            "#interval",
            "#p",
        ],
    );
    for judge in &analysis.simulation {
        for arm in &judge.arms {
            let mut row = vec![judge.judge.clone(), arm.arm.clone()];
            row.extend(proportion(&arm.accuracy));
            row.push(match &arm.base_rate {
                Ok(base) => figure(&base.proportion.share, share),
                Err(_) => UNDEFINED.to_owned(),
            });
            row.extend(control(&arm.control));
            table.row(row);
        }
    }
    table.finish()
}

fn verification(analysis: &Analysis) -> String {
    let mut table = LatexTable::new(
        "verification",
        &format!(
            "Verification: right verdicts, in percent, with {}; beside them what always saying \"correct\" reaches, balanced \
             accuracy, and the same judge without an explanation. Lift in percentage points, p corrected (Holm).",
            level(analysis)
        ),
        &[
            "judge",
            "arm",
            "#right (%)",
            "#interval",
            "#n",
            "#base (%)",
            "#balanced (%)",
            "#without (%)",
            "#lift",
            "#interval",
            "#p",
        ],
    );
    for judge in &analysis.verification {
        for arm in &judge.arms {
            let mut row = vec![judge.judge.clone(), arm.arm.clone()];
            row.extend(proportion(&arm.accuracy));
            row.push(figure(&arm.base_rate.share, share));
            row.push(figure(&arm.discernment.balanced_accuracy.value, share));
            row.extend(control(&arm.control));
            table.row(row);
        }
    }
    table.finish()
}

fn agreement(analysis: &Analysis) -> String {
    let mut table = LatexTable::new(
        "agreement",
        &format!(
            "Agreement of every two judges on the same trials, in percent, beside what chance gives, and Cohen's kappa with {}.",
            level(analysis)
        ),
        &[
            "task",
            "judge",
            "and judge",
            "#agree (%)",
            "#chance (%)",
            "#kappa",
            "#interval",
            "#trials",
        ],
    );
    for task in &analysis.agreement {
        for pair in &task.pairs {
            table.row([
                task_name(task.task).to_owned(),
                pair.first.clone(),
                pair.second.clone(),
                figure(&pair.agreement.share, share),
                figure(&pair.chance, share),
                figure(&pair.kappa, two),
                ends(&pair.kappa_interval, two),
                pair.agreement.n.to_string(),
            ]);
        }
    }
    table.finish()
}
