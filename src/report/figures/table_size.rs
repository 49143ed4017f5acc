//! Accuracy by how large the table is.

use crate::dataset::groups;
use crate::report::analysis::Analysis;

use super::{Axis, Behind, Figure, FigureRow, Form, Unit, shares};

/// Sizes in their order; others that a data file names follow by name.
const SIZES: [&str; 3] = ["small", "medium", "large"];

/// The figure, if samples of two sizes or more were answered.
pub(super) fn figure(analysis: &Analysis) -> Option<Figure> {
    let mut sizes: Vec<&str> = analysis
        .answerers
        .iter()
        .flat_map(|answerer| &answerer.groups)
        .filter(|group| group.label == groups::SIZE)
        .map(|group| group.value.as_str())
        .collect();
    let rank = |size: &str| SIZES.iter().position(|known| *known == size).unwrap_or(SIZES.len());
    sizes.sort_by(|one, other| (rank(one), one).cmp(&(rank(other), other)));
    sizes.dedup();
    if sizes.len() < 2 {
        return None;
    }
    let mut rows = Vec::new();
    for (series, answerer) in analysis.answerers.iter().enumerate() {
        for (place, size) in sizes.iter().enumerate() {
            let group = answerer
                .groups
                .iter()
                .find(|group| group.label == groups::SIZE && group.value == **size);
            let Some(group) = group else { continue };
            rows.push(FigureRow {
                label: format!("{} · {size}", answerer.answerer),
                series,
                place: (place as f64 + 1.0, 0.0),
                value: group.accuracy.share.clone(),
                interval: group.accuracy.interval.clone().ok(),
                n: group.accuracy.n,
                behind: Behind::Answers(series),
            });
        }
    }
    let known = sizes.iter().any(|size| SIZES.contains(size));
    Some(Figure {
        name: "table-size".to_owned(),
        title: "How often each method is right, by the size of the table".to_owned(),
        summary: format!(
            "With intervals.{}",
            if known {
                " Unless a data file says otherwise, tables of fewer than 50 cells are small, those of fewer than 100 medium."
            } else {
                ""
            }
        ),
        section: "answers",
        row_name: "answerer and size",
        unit: Unit::Share,
        counted: "samples",
        series: analysis
            .answerers
            .iter()
            .map(|answerer| answerer.answerer.clone())
            .collect(),
        rows,
        form: Form::Curves {
            axis: shares("accuracy"),
            across: Axis {
                name: "size of the table".to_owned(),
                low: 0.5,
                high: sizes.len() as f64 + 0.5,
                step: 1.0,
            },
            places: sizes.iter().map(|size| (*size).to_owned()).collect(),
            diagonal: false,
        },
    })
}
