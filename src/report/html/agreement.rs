//! The sections on whether judges agree with each other, and on what the figures would be if what was left out counted.

use crate::report::agreement::JudgePair;
use crate::report::analysis::Analysis;
use crate::report::flags::{counted, task_name};
use crate::stats::{Interval, Stat};

use super::view::{Block, CellView, Section, TableView, percent, two_decimals};

/// Agreement, if two judges were asked in some task.
pub(super) fn agreement(analysis: &Analysis) -> Option<Section> {
    if analysis.agreement.is_empty() {
        return None;
    }
    let mut blocks = Vec::new();
    for task in &analysis.agreement {
        blocks.push(Block::Heading(task_name(task.task).to_owned()));
        let mut table = TableView::new(
            format!("Compared: {}", task.compared),
            &[
                "judge",
                "and",
                "#the same",
                "#by chance",
                "#kappa",
                "said by the one / the other, trials",
            ],
        );
        for pair in &task.pairs {
            table.rows.push(row(pair));
        }
        blocks.push(Block::Table(table));
        blocks.extend(by_arm(&task.pairs).map(Block::Table));
        blocks.push(Block::Text(match &task.alpha {
            Ok(alpha) => format!(
                "Krippendorff's alpha of {} over {}: {}{}.",
                counted(alpha.judges, "judge"),
                counted(alpha.trials, "trial"),
                two_decimals(alpha.value),
                alpha.interval.as_ref().map_or(String::new(), |interval| format!(
                    " ({} interval {} to {})",
                    percent(interval.level).replace(".0%", "%"),
                    two_decimals(interval.low),
                    two_decimals(interval.high)
                ))
            ),
            Err(undefined) => format!("Krippendorff's alpha is not defined: {}.", undefined.reason),
        }));
    }
    Some(Section {
        id: "agreement",
        title: "Agreement: do judges say the same?".to_owned(),
        intro: vec![
            "Two judges on the trials that both gave a readable verdict on. Where one answer is frequent, judges agree \
             often by chance alone: kappa is what is left beyond that. Panels are made of judges and stand apart."
                .to_owned(),
        ],
        terms: vec![
            (
                "by chance",
                "The share on which they would say the same if neither looked, from how often each says what on trials that \
                 offer the same answers.",
            ),
            (
                "kappa",
                "Cohen's: 0 is agreement as by chance, 1 perfect. The interval is from a bootstrap over samples.",
            ),
        ],
        blocks,
    })
}

/// Agreement on the trials of each arm; none where a trial shows several.
fn by_arm(pairs: &[JudgePair]) -> Option<TableView> {
    let mut table = TableView::new("By arm", &["judge", "and", "arm", "#the same", "#by chance", "#kappa"]);
    for pair in pairs {
        for arm in &pair.arms {
            table.rows.push(vec![
                CellView::head(&pair.first),
                CellView::text(&pair.second),
                CellView::text(&arm.arm),
                CellView::proportion(&arm.agreement),
                CellView::figure(&arm.chance, percent),
                kappa(&arm.kappa, &arm.kappa_interval),
            ]);
        }
    }
    (!table.rows.is_empty()).then_some(table)
}

pub(super) fn kappa(value: &Stat<f64>, interval: &Stat<Interval>) -> CellView {
    let cell = CellView::figure(value, two_decimals);
    match (value, interval) {
        (_, Ok(interval)) => cell.detail(format!(
            "{} to {}",
            two_decimals(interval.low),
            two_decimals(interval.high)
        )),
        (Ok(_), Err(undefined)) => cell.detail(format!("no interval: {}", undefined.reason)),
        (Err(_), Err(_)) => cell,
    }
}

fn row(pair: &JudgePair) -> Vec<CellView> {
    let confusion: Vec<String> = pair
        .confusion
        .iter()
        .map(|cell| format!("{} / {}: {}", cell.first, cell.second, cell.trials))
        .collect();
    vec![
        CellView::head(&pair.first),
        CellView::text(&pair.second),
        CellView::proportion(&pair.agreement),
        CellView::figure(&pair.chance, percent),
        kappa(&pair.kappa, &pair.kappa_interval),
        CellView::text(confusion.join("; ")),
    ]
}

/// Sensitivity to what was left out, if anything was judged by itself.
pub(super) fn sensitivity(analysis: &Analysis) -> Option<Section> {
    if analysis.sensitivity.is_empty() {
        return None;
    }
    let mut table = TableView::new(
        "Accuracy",
        &[
            "task",
            "judge",
            "arm",
            "#common samples",
            "#all readable",
            "#unread",
            "#unread as wrong",
            "#unread as right",
            "#without verdicts asked for again",
        ],
    );
    for entry in &analysis.sensitivity {
        table.rows.push(vec![
            CellView::head(task_name(entry.task)),
            CellView::text(&entry.judge),
            CellView::text(&entry.arm),
            CellView::part(&entry.common),
            CellView::part(&entry.all_readable),
            CellView::count(entry.unread),
            CellView::part(&entry.unread_wrong),
            CellView::part(&entry.unread_right),
            CellView::part(&entry.without_repaired),
        ]);
    }
    Some(Section {
        id: "sensitivity",
        title: "Sensitivity: what if what was left out counted?".to_owned(),
        intro: vec![
            "Judgments that could not be read count nowhere else. Here they count against the arm, and for it: what lies \
             between is what they could change. Beside it every readable judgment of an arm, whether or not the other arms \
             have the sample, and the figures without verdicts that were read only after asking again."
                .to_owned(),
        ],
        terms: Vec::new(),
        blocks: vec![Block::Table(table)],
    })
}
