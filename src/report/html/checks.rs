//! The section on what `tabjury check` found: whether lineage is proven, and whether pages leak.

use crate::explain::words::count;
use crate::report::analysis::Analysis;
use crate::report::run_check::{ArmProof, CheckAnalysis, Count, Weight};

use super::view::{Block, CellView, Section, TableView};

/// Open steps that are named.
const MOST_CAUTIONS: usize = 20;

/// The section. A run that was not checked says so: its marks are as yet claims.
pub(super) fn section(analysis: &Analysis) -> Section {
    let mut blocks = Vec::new();
    match &analysis.check {
        None => blocks.push(Block::Text(
            "This run was not checked. `tabjury check RUN` proves the lineage of every step and looks for leaks; then \
             `tabjury report RUN` shows here what it found."
                .to_owned(),
        )),
        Some(check) => write(check, &mut blocks),
    }
    Section {
        id: "checks",
        title: "What a machine proved of the explanations".to_owned(),
        intro: vec![
            "The marks of a step say which rows and cells its result rests on. The check runs the step’s own statement \
             again with the table changed: what is not marked must not matter, and what is marked as deciding must. No \
             model is asked."
                .to_owned(),
        ],
        terms: vec![
            (
                "sound",
                "No change outside the marks altered the result, except for cells carried along unchanged; every cell and \
                 row outside was tried by itself.",
            ),
            (
                "sampled",
                "Sound, but too much lies outside the marks to try each cell and row by itself: all together, whole \
                 columns, and a seeded choice were.",
            ),
            (
                "nothing outside",
                "Every row is marked and every column is read, so that nothing could be tried.",
            ),
            (
                "complete",
                "For every marked condition and every smallest or largest value, a change of that cell alone that makes the \
                 condition untrue, or the value nearer the middle, alters the result.",
            ),
            (
                "explained",
                "As complete, but some cells matter only together with others, such as two conditions joined by OR; \
                 the check found which.",
            ),
            (
                "by tracing",
                "As explained, but some cells with no better reason than that the step, traced again with another value in \
                 them, no longer marks them.",
            ),
            (
                "incomplete",
                "For some mark nothing was found that makes it matter: it may be wrong.",
            ),
            (
                "not claimed",
                "The page says “at least these”: the statement could not be traced exactly.",
            ),
            (
                "sound undecided, complete undecided",
                "A bound on runs, work or time was met before the proof could tell whether the step is sound, or complete.",
            ),
        ],
        blocks,
    }
}

fn write(check: &CheckAnalysis, blocks: &mut Vec<Block>) {
    for finding in &check.findings {
        blocks.push(Block::Notice(finding.clone()));
    }
    blocks.push(Block::Text(format!(
        "Checked: {}; found: {}, {} that a trace does not give, {} of no page. Of {} with a statement something is open of \
         {}. At most {} a step, seed {}.",
        count(check.pages.checked, "page"),
        count(check.pages.leaks.len(), "leak"),
        count(check.pages.changed.len(), "file"),
        count(check.pages.unknown.len(), "file"),
        count(check.steps, "step"),
        check.unproven,
        count(check.runs_per_step, "run"),
        check.seed
    )));
    let mut table = TableView::default();
    for arm in &check.arms {
        let counts = arm.counts();
        if table.columns.is_empty() {
            let names: Vec<String> = counts.iter().map(|entry| format!("#{}", entry.name)).collect();
            let headings: Vec<&str> = std::iter::once("arm").chain(names.iter().map(String::as_str)).collect();
            table = TableView::new("", &headings);
        }
        let mut row = vec![CellView::head(&arm.arm)];
        if arm.imported {
            row.push(CellView::count(arm.steps).detail(ArmProof::NOTHING_TO_PROVE.to_owned()));
            row.resize_with(table.columns.len(), || CellView::number("–"));
            table.rows.push(row);
            continue;
        }
        row.extend(counts.map(
            |Count {
                 count: number, weight, ..
             }| {
                let cell = CellView::count(number);
                if weight != Weight::Fact && number > 0 {
                    cell.class("number bad")
                } else {
                    cell
                }
            },
        ));
        table.rows.push(row);
    }
    blocks.push(Block::Table(table));
    for caution in check.cautions.iter().take(MOST_CAUTIONS) {
        blocks.push(Block::Text(caution.clone()));
    }
    if check.cautions.len() > MOST_CAUTIONS {
        blocks.push(Block::Text(format!(
            "{} more stand in check.json.",
            check.cautions.len() - MOST_CAUTIONS
        )));
    }
}
