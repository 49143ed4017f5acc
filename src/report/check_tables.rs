//! The CSV table of what a check proved.

use super::analysis::Analysis;
use super::csv_table::CsvTable;

/// One row an arm; none when the run was not checked.
pub(super) fn proofs(analysis: &Analysis) -> CsvTable {
    let mut table = CsvTable::new(&[
        &[
            "arm",
            "answerer",
            "imported",
            "steps",
            "not_reproduced",
            "sound",
            "sound_sampled",
            "sound_nothing_outside",
        ],
        &["unsound", "soundness_undecided", "complete", "explained"],
        &[
            "explained_by_tracing",
            "incomplete",
            "not_claimed",
            "completeness_undecided",
            "runs",
        ],
    ]);
    let table_width = table.header.len();
    let arms = analysis.check.iter().flat_map(|check| &check.arms);
    table.rows.extend(arms.map(|arm| {
        let proofs = &arm.summary;
        let mut row = vec![arm.arm.clone(), arm.answerer.clone(), arm.imported.to_string()];
        if arm.imported {
            row.push(arm.steps.to_string());
            row.resize(table_width, String::new());
            return row;
        }
        row.extend(
            [
                arm.steps,
                proofs.not_reproduced,
                proofs.sound,
                proofs.sound_sampled,
                proofs.sound_vacuous,
                proofs.unsound,
                proofs.soundness_undecided,
                proofs.complete,
                proofs.explained,
                proofs.explained_by_tracing,
                proofs.incomplete,
                proofs.not_claimed,
                proofs.completeness_undecided,
                proofs.runs,
            ]
            .map(|count| count.to_string()),
        );
        row
    }));
    table
}
