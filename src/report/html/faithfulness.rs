//! The section on whether answers follow from what is marked.

use crate::report::analysis::Analysis;
use crate::report::faithfulness::FaithfulnessAnalysis;
use crate::report::index::Index;

use super::anchors;
use super::links::{href, pages_of_trace};
use super::view::{Block, CellView, Folded, Section, TableView, excerpt, percent};

/// The section; none where the task was not run.
pub(super) fn section(analysis: &Analysis, index: &Index) -> Option<Section> {
    if analysis.faithfulness.is_empty() {
        return None;
    }
    let mut table = TableView::new(
        "Answers from what is marked, and without it",
        &[
            "answerer",
            "#measured",
            "#sufficient",
            "#necessary",
            "#changed",
            "#vanished",
            "#FALSE that stays",
            "#cells marked",
            "#not applicable",
        ],
    );
    let mut lists = Vec::new();
    for (number, entry) in analysis.faithfulness.iter().enumerate() {
        let to = format!("#{}", anchors::faithfulness(number));
        table.rows.push(row(entry, &to));
        lists.push(Block::Folded(list(number, entry, index)));
    }
    let mut blocks = vec![Block::Table(table)];
    blocks.extend(lists);
    Some(Section {
        id: "faithfulness",
        title: "Faithfulness: do answers follow from what is marked?".to_owned(),
        intro: vec![
            "No judge has a part in this. The programs of each answer are run again: on the marked cells alone, all else \
             taken out of the table (sufficiency), and on the table without the marked cells (necessity)."
                .to_owned(),
            "It says that the marks are those cells from which these programs make this answer. It does not say that the \
             programs do what the question asks, that the answer is right, or that a reader understands it. An answer \
             FALSE is often not necessary: what is not there proves nothing, and FALSE stays FALSE."
                .to_owned(),
        ],
        terms: vec![
            (
                "sufficient",
                "The marked cells alone give the same answer. Where every cell is marked nothing was taken away; these are \
                 counted beside it.",
            ),
            (
                "necessary",
                "Without the marked cells the answer becomes another one, or none.",
            ),
            (
                "FALSE that stays",
                "Answers FALSE, not necessary, that stay FALSE without the marked cells.",
            ),
            (
                "undecided",
                "A limit or a failed call ended the measurement; it counts neither way.",
            ),
            (
                "cells marked",
                "Share of the table's cells that some step reads in a row it uses, or that the answer stands in; a mean \
                 over answers. The fewer, the more sufficiency says.",
            ),
            (
                "not applicable",
                "No programs made the answer, or they do not give it again on the very same table.",
            ),
        ],
        blocks,
    })
}

fn row(entry: &FaithfulnessAnalysis, to: &str) -> Vec<CellView> {
    let noted = |cell: CellView, count: u64, words: &str| {
        if count > 0 {
            cell.detail(format!("{count} {words}"))
        } else {
            cell
        }
    };
    let mut sufficient = CellView::proportion(&entry.sufficient).to(to);
    if entry.everything_marked > 0 {
        sufficient.detail = format!("{}, {} all marked", sufficient.detail, entry.everything_marked);
    }
    let mut measured = noted(CellView::count(entry.measured), entry.asked_again, "by asking again");
    if entry.undecided > 0 {
        let also = if measured.detail.is_empty() { "" } else { ", " };
        measured.detail = format!("{}{also}{} undecided", measured.detail, entry.undecided);
    }
    vec![
        CellView::head(&entry.answerer),
        measured,
        sufficient,
        CellView::proportion(&entry.necessary).to(to),
        CellView::count(entry.changed),
        CellView::count(entry.vanished),
        CellView::count(entry.false_without_marks),
        noted(
            CellView::figure(&entry.marked_share.value, percent),
            entry.at_least,
            "at least these",
        ),
        CellView::count(entry.not_applicable.values().sum::<u64>()).to(to),
    ]
}

fn list(number: usize, entry: &FaithfulnessAnalysis, index: &Index) -> Folded {
    let mut table = TableView::new("", &["sample", "what it lacks", "in detail", "pages"]);
    for listed in &entry.listed {
        let mut pages = CellView::default();
        if let Some(trace) = index.trace(&listed.sample, &entry.answerer) {
            for (arm, page) in pages_of_trace(index, trace) {
                pages
                    .links
                    .extend(href(&page.html).map(|address| (arm.to_owned(), address)));
            }
        }
        table.rows.push(vec![
            CellView::head(&listed.sample),
            CellView::text(listed.lack.name()),
            CellView::text(excerpt(&listed.detail, 160)),
            pages,
        ]);
    }
    Folded {
        id: anchors::faithfulness(number),
        summary: format!(
            "{}: what is not sufficient, not necessary, or was not measured ({})",
            entry.answerer,
            table.rows.len()
        ),
        table,
    }
}
