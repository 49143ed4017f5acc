//! Verification against not looking and against no explanation, as a CSV table.

use super::analysis::Analysis;
use super::beyond_chance::ChanceTest;
use super::csv_table::{CsvTable, figure, proportion_cells};

/// One row an arm and judge.
pub(super) fn tests(analysis: &Analysis) -> CsvTable {
    let mut table = CsvTable::new(&[
        &["judge", "arm", "is_control", "accuracy", "low", "high", "right", "n"],
        &["base_rate", "above_base_rate", "base_rate_p", "base_rate_p_corrected"],
        &["constant_rate", "above_constant", "constant_p", "constant_p_corrected"],
        &["control_rate", "control_n", "control_is_paired"],
        &["above_control", "control_p", "control_p_corrected"],
    ]);
    let cells = |test: &ChanceTest| [test.difference, test.p, test.p_corrected].map(|value| value.to_string());
    for test in &analysis.verification_tests {
        let mut row = vec![test.judge.clone(), test.arm.clone(), test.is_control.to_string()];
        row.extend(proportion_cells(&test.accuracy));
        row.push(figure(&test.base_rate.share));
        row.extend(cells(&test.against_base_rate));
        row.push(figure(&test.better_constant.share));
        row.extend(cells(&test.against_constant));
        row.push(figure(&test.control.share));
        row.push(test.control.n.to_string());
        row.push(test.control_is_paired.to_string());
        match &test.against_control {
            Ok(found) => row.extend(cells(found)),
            Err(_) => row.extend([const { String::new() }; 3]),
        }
        table.rows.push(row);
    }
    table
}
