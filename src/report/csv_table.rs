//! One CSV table: cells as text, what a spreadsheet would run defused, and how figures are written into it.

use crate::stats::{Interval, Stat};

use super::ReportError;
use super::quantities::{Mean, Proportion};

/// A header and rows of cells.
pub(super) struct CsvTable {
    /// Names of the columns.
    pub(super) header: Vec<&'static str>,
    /// As wide as the header.
    pub(super) rows: Vec<Vec<String>>,
}

impl CsvTable {
    /// No rows yet.
    pub(super) fn new(header: &[&[&'static str]]) -> Self {
        Self {
            header: header.concat(),
            rows: Vec::new(),
        }
    }

    /// As CSV.
    pub(super) fn into_bytes(self, name: &str) -> Result<Vec<u8>, ReportError> {
        let failed = |message: String| ReportError::Table {
            name: name.to_owned(),
            message,
        };
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer
            .write_record(&self.header)
            .map_err(|error| failed(error.to_string()))?;
        for row in &self.rows {
            writer
                .write_record(row.iter().map(|cell| defuse(cell)))
                .map_err(|error| failed(error.to_string()))?;
        }
        writer.into_inner().map_err(|error| failed(error.to_string()))
    }
}

/// Puts an apostrophe before text that a spreadsheet would take for a formula; numbers stay as they are.
fn defuse(cell: &str) -> String {
    let risky = cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']);
    let number = cell.parse::<f64>().is_ok_and(f64::is_finite);
    if risky && !number {
        format!("'{cell}")
    } else {
        cell.to_owned()
    }
}

/// A figure; empty where it is undefined.
pub(super) fn figure(value: &Stat<f64>) -> String {
    value.as_ref().map(|value| value.to_string()).unwrap_or_default()
}

/// Both ends of an interval.
pub(super) fn ends(interval: &Stat<Interval>) -> [String; 2] {
    match interval {
        Ok(interval) => [interval.low.to_string(), interval.high.to_string()],
        Err(_) => [String::new(), String::new()],
    }
}

/// Why a figure is undefined, or else why it has no interval; empty where it has both.
pub(super) fn why_incomplete(value: &Stat<f64>, interval: &Stat<Interval>) -> String {
    let undefined = value.as_ref().err().or(interval.as_ref().err());
    undefined.map(|undefined| undefined.reason.clone()).unwrap_or_default()
}

/// Share, interval, successes and n.
pub(super) fn proportion_cells(proportion: &Proportion) -> Vec<String> {
    let [low, high] = ends(&proportion.interval);
    vec![
        figure(&proportion.share),
        low,
        high,
        proportion.successes.to_string(),
        proportion.n.to_string(),
    ]
}

/// Mean, interval and n.
pub(super) fn mean_cells(mean: &Mean) -> Vec<String> {
    let [low, high] = ends(&mean.interval);
    vec![figure(&mean.value), low, high, mean.n.to_string()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_defused_and_numbers_kept() {
        for risky in ["=1+1", "+cmd", "-x", "@SUM(A1)", "\t=1", "-", "=0", "-inf"] {
            assert_eq!(defuse(risky), format!("'{risky}"));
        }
        for plain in ["-1", "-0.25", "+3", "a=b", "", "1e-9", "'x"] {
            assert_eq!(defuse(plain), plain);
        }
    }
}
