//! Figures in the sections that they belong to, each with its values in a table under it: that table is what a reader has
//! who does not see the drawing, and every value in it links to the trials behind it.

use std::collections::BTreeSet;

use crate::judge::Task;
use crate::report::analysis::Analysis;
use crate::report::figures::{Behind, Figure, FigureRow, Ink, Unit};
use crate::stats::{Interval, Undefined};

use super::anchors;
use super::view::{Block, CellView, FigureView, Section, TableView, percent, points, two_decimals};

/// Puts each figure into its section.
pub(super) fn place(sections: &mut [Section], figures: &[Figure], analysis: &Analysis) {
    let known: BTreeSet<String> = sections
        .iter()
        .flat_map(|section| &section.blocks)
        .filter_map(|block| match block {
            Block::Folded(folded) => Some(folded.id.clone()),
            _ => None,
        })
        .collect();
    for section in sections {
        let own: Vec<Block> = figures
            .iter()
            .filter(|figure| figure.section == section.id)
            .map(|figure| Block::Figure(view(figure, analysis, &known)))
            .collect();
        // What is at a glance begins with its tables, the others with what they are about.
        let at = if section.id == "glance" {
            section.blocks.len()
        } else {
            0
        };
        section.blocks.splice(at..at, own);
    }
}

fn view(figure: &Figure, analysis: &Analysis, known: &BTreeSet<String>) -> FigureView {
    let counted = format!("#{}", figure.counted);
    let mut table = TableView::new("", &[figure.row_name, "#value", "#interval", &counted, "listed"]);
    for row in &figure.rows {
        let mut label = CellView::head(&row.label);
        if figure.unit == Unit::Difference {
            label.detail = figure.series.get(row.series).cloned().unwrap_or_default();
        }
        table.rows.push(vec![
            label,
            CellView::figure(&row.value, written(figure.unit)),
            interval(figure.unit, row.interval.as_ref()),
            CellView::count(row.n),
            listed(row, analysis, known),
        ]);
    }
    FigureView {
        title: figure.title.clone(),
        summary: figure.summary.clone(),
        svg: figure.svg(Ink::Page),
        path: figure.path(),
        table,
    }
}

fn written(unit: Unit) -> fn(f64) -> String {
    match unit {
        Unit::Rank => two_decimals,
        Unit::Share => percent,
        Unit::Difference => points,
        Unit::Coefficient => |value| two_decimals(value).replace('-', "−"),
    }
}

fn interval(unit: Unit, interval: Option<&Interval>) -> CellView {
    let write = written(unit);
    match interval {
        Some(interval) => CellView::number(format!("{} to {}", write(interval.low), write(interval.high))),
        None => CellView::figure(&Err(Undefined::because("no interval")), write),
    }
}

/// Links to the lists behind a value, those that there are.
fn listed(row: &FigureRow, analysis: &Analysis, known: &BTreeSet<String>) -> CellView {
    let candidates: Vec<(String, String)> = match row.behind {
        Behind::Answers(answerer) => vec![("answers".to_owned(), anchors::answers(answerer))],
        Behind::Trials {
            task: Task::Preference,
            judge,
            ..
        } => vec![("trials".to_owned(), anchors::trials(Task::Preference, judge, None))],
        Behind::Trials {
            task,
            judge,
            arm: Some(arm),
        } => vec![("trials".to_owned(), anchors::trials(task, judge, Some(arm)))],
        Behind::Trials { task, judge, arm: None } => analysis
            .study
            .arms
            .iter()
            .enumerate()
            .map(|(number, arm)| (arm.name.clone(), anchors::trials(task, judge, Some(number))))
            .collect(),
    };
    CellView {
        links: candidates
            .into_iter()
            .filter(|(_, id)| known.contains(id))
            .map(|(text, id)| (text, format!("#{id}")))
            .collect(),
        ..CellView::default()
    }
}
