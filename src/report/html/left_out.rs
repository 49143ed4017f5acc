//! The section that lists which samples the figures leave out, and why.

use std::collections::{BTreeMap, BTreeSet};

use crate::judge::Task;
use crate::report::analysis::Analysis;
use crate::report::flags::{counted, task_name};
use crate::report::left_out::LeftOut;

use super::view::{Block, CellView, Folded, Section, TableView};

/// The section, if anything was left out.
pub(super) fn section(analysis: &Analysis) -> Option<Section> {
    if analysis.left_out.is_empty() {
        return None;
    }
    let mut counts = TableView::new("", &["task", "judge", "#left out", "for want of"]);
    let mut lists = Vec::new();
    for task in [Task::Preference, Task::Simulation, Task::Verification] {
        for (number, judge) in analysis.study.judges.iter().enumerate() {
            let left_out: Vec<&LeftOut> = analysis
                .left_out
                .iter()
                .filter(|entry| entry.task == task && entry.judge == judge.name)
                .collect();
            if left_out.is_empty() {
                continue;
            }
            let samples: BTreeSet<&str> = left_out.iter().map(|entry| entry.sample.as_str()).collect();
            let id = format!("left-out-{}-{}", task_name(task), number + 1);
            counts.rows.push(vec![
                CellView::head(task_name(task)),
                CellView::text(&judge.name),
                CellView::number(format!("{} of {}", samples.len(), analysis.samples.total)).to(format!("#{id}")),
                CellView::text(reasons(&left_out)),
            ]);
            let mut table = TableView::new("", &["sample", "arm", "why"]);
            for entry in left_out {
                table.rows.push(vec![
                    CellView::head(&entry.sample),
                    CellView::text(entry.arm.as_deref().unwrap_or("all")),
                    CellView::text(words(entry)).detail(&entry.detail),
                ]);
            }
            lists.push(Block::Folded(Folded {
                id,
                summary: format!(
                    "{}, {}: {} left out",
                    task_name(task),
                    judge.name,
                    counted(samples.len() as u64, "sample")
                ),
                table,
            }));
        }
    }
    let mut blocks = vec![Block::Table(counts)];
    blocks.extend(lists);
    Some(Section {
        id: "left-out",
        title: "What was left out".to_owned(),
        intro: vec![
            "Arms are compared on the samples on which each has a usable verdict. Every other sample stands here, with \
             what it lacks."
                .to_owned(),
        ],
        terms: Vec::new(),
        blocks,
    })
}

fn words(entry: &LeftOut) -> String {
    entry.reason.name().replace('_', " ")
}

/// `pos: no answer 3; all: unread 1`.
fn reasons(left_out: &[&LeftOut]) -> String {
    let mut counts: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for entry in left_out {
        let arm = entry.arm.as_deref().unwrap_or("all");
        *counts.entry((arm, words(entry))).or_default() += 1;
    }
    let parts: Vec<String> = counts
        .into_iter()
        .map(|((arm, reason), count)| format!("{arm}: {reason} {count}"))
        .collect();
    parts.join("; ")
}
