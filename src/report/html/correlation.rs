//! The section on whether preference goes along with help.

use crate::judge::Task;
use crate::report::analysis::Analysis;
use crate::report::flags::task_name;
use crate::stats::{Interval, Stat, Undefined};

use super::chart::{Scatter, ScatterValue};
use super::view::{Block, CellView, Section, TableView, p_value, two_decimals};

/// The section, if there is anything to correlate.
pub(super) fn section(analysis: &Analysis) -> Option<Section> {
    if analysis.correlations.is_empty() {
        return None;
    }
    let mut table = TableView::new(
        "Pearson's correlation of inverted mean rank with accuracy, over cells of judge and arm",
        &["accuracy in", "#r", "#interval", "#p", "#cells", "#judges", "#arms"],
    );
    let mut blocks = Vec::new();
    for correlation in &analysis.correlations {
        let (r, interval, p) = match &correlation.pearson {
            Ok(pearson) => (
                CellView::number(two_decimals(pearson.r).replace('-', "−")),
                match &pearson.interval {
                    Ok(interval) => CellView::number(
                        format!("{} to {}", two_decimals(interval.low), two_decimals(interval.high)).replace('-', "−"),
                    ),
                    Err(undefined) => CellView::figure(&Err(undefined.clone()), two_decimals),
                },
                CellView::number(p_value(pearson.p)),
            ),
            Err(undefined) => {
                let none = CellView::figure(&Err(undefined.clone()), two_decimals);
                (none.clone().detail(&undefined.reason), none.clone(), none)
            }
        };
        table.rows.push(vec![
            CellView::head(task_name(correlation.task)).to(format!("#{}", task_name(correlation.task))),
            r,
            interval,
            p,
            CellView::count(correlation.points.len()),
            CellView::count(correlation.judges),
            CellView::count(correlation.arms),
        ]);
    }
    blocks.push(Block::Table(table));
    for correlation in &analysis.correlations {
        if correlation.points.is_empty() {
            continue;
        }
        let judges: Vec<String> = analysis
            .study
            .judges
            .iter()
            .map(|judge| judge.name.clone())
            .filter(|judge| correlation.points.iter().any(|point| point.judge == *judge))
            .collect();
        let values: Vec<ScatterValue> = correlation
            .points
            .iter()
            .map(|point| ScatterValue {
                x: point.mean_rank,
                y: point.accuracy,
                label: point.arm.clone(),
                series: judges.iter().position(|judge| *judge == point.judge).unwrap_or(0),
            })
            .collect();
        let what = match correlation.task {
            Task::Verification => "verification accuracy",
            _ => "simulation accuracy",
        };
        blocks.push(Block::Scatter(Scatter::of_ranks(
            format!("Mean rank against {what}, one mark a judge and arm"),
            what,
            judges,
            &values,
        )));
    }
    for correlation in &analysis.correlations {
        let (task, caveat) = (task_name(correlation.task), &correlation.caveat);
        blocks.push(Block::Text(format!("With {task}: {caveat}")));
    }
    let mut table = TableView::new(
        "How far it rests on one arm, and whether it holds within samples",
        &["accuracy in", "over", "#r", "#interval", "#p", "#n"],
    );
    for correlation in &analysis.correlations {
        let task = task_name(correlation.task);
        let mut add = |over: String, found: Result<(f64, &Stat<Interval>, f64, usize), &Undefined>| {
            let mut row = vec![CellView::head(task), CellView::text(over)];
            match found {
                Ok((r, interval, p, n)) => row.extend([
                    CellView::number(two_decimals(r).replace('-', "−")),
                    match interval {
                        Ok(interval) => CellView::number(
                            format!("{} to {}", two_decimals(interval.low), two_decimals(interval.high))
                                .replace('-', "−"),
                        ),
                        Err(undefined) => CellView::figure(&Err(undefined.clone()), two_decimals),
                    },
                    CellView::number(p_value(p)),
                    CellView::count(n),
                ]),
                Err(undefined) => {
                    row.push(CellView::figure(&Err(undefined.clone()), two_decimals).detail(&undefined.reason));
                    row.extend(vec![CellView::number("–"); 3]);
                }
            }
            table.rows.push(row);
        };
        for without in &correlation.without_arm {
            let found = without
                .pearson
                .as_ref()
                .map(|found| (found.r, &found.interval, found.p, found.n));
            add(format!("cells without {}", without.arm), found);
        }
        for within in &correlation.within_samples {
            let found = within.correlation.as_ref();
            let found = found.map(|found| (found.r, &found.interval, found.p, found.samples));
            add(
                format!("explanations of one sample, before {}; n is samples", within.judge),
                found,
            );
        }
    }
    blocks.push(Block::Table(table));
    Some(Section {
        id: "correlation",
        title: "Does preference go along with help?".to_owned(),
        intro: vec![
            "If judges prefer what helps them, arms with a better rank also have a higher accuracy. r is 1 when they go \
             together exactly, 0 when they have nothing to do with each other, −1 when they oppose each other. The rank \
             is inverted, so that better is higher on both sides."
                .to_owned(),
        ],
        terms: Vec::new(),
        blocks,
    })
}
