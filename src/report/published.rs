//! The numbers that papers print, kept in `results/published`, and what can be recomputed from them alone.
//!
//! [`numbers`] reads the tables, which are part of the program. [`recompute`] looks for what follows from them: the
//! correlations ([`correlations`]), which percentages can come from which counts ([`counts`]), groups back to counts
//! ([`groups`]), what contradicts what ([`contradictions`]), and what always saying "correct" would reach
//! ([`base_rates`]). [`text`] writes it for people. Nothing here looks at a run; that is [`super::compare`].

pub mod base_rates;
pub mod contradictions;
pub mod correlations;
pub mod counts;
pub mod groups;
pub mod text;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Confidence level of the intervals of what is recomputed; no paper prints one.
pub const LEVEL: f64 = 0.95;

const FILES: [(&str, &str); 5] = [
    (
        "question_answering.csv",
        include_str!("../../results/published/question_answering.csv"),
    ),
    ("groups.csv", include_str!("../../results/published/groups.csv")),
    ("judges.csv", include_str!("../../results/published/judges.csv")),
    ("efficiency.csv", include_str!("../../results/published/efficiency.csv")),
    ("released.csv", include_str!("../../results/published/released.csv")),
];

/// The table of what is counted in released data instead of printed.
pub const RELEASED: &str = "released data";

/// One number with the place it stands in. Empty fields are what its table does not say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PublishedNumber {
    /// The paper.
    pub source: String,
    /// Its table, or the part of the text; [`RELEASED`] for what is counted in its released data.
    pub table: String,
    /// The row's label.
    pub row: String,
    /// The column's label.
    pub column: String,
    /// The method.
    pub method: String,
    /// What was changed in it, or how it was run.
    pub setting: String,
    /// The model that answers; for judges' figures the judge, `Human` for people.
    pub model: String,
    /// The data set and split.
    pub dataset: String,
    /// What was measured, with its unit at the end; after a colon the group, as `label=value`.
    pub measure: String,
    /// As printed, without separators of thousands.
    #[serde(rename = "value")]
    pub printed: String,
    /// Samples it is over, where the paper prints that.
    pub n: Option<u64>,
}

/// Tables of published numbers that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PublishedError {
    /// A line is not what it should be.
    #[error("results/published/{file}, line {line}: {problem}")]
    Line {
        /// The file.
        file: String,
        /// 1-based line.
        line: u64,
        /// What is wrong.
        problem: String,
    },
}

impl PublishedNumber {
    /// The number.
    pub fn value(&self) -> f64 {
        // Checked when it was read.
        self.printed.parse().unwrap_or(f64::NAN)
    }

    /// Digits printed after the point.
    pub fn decimals(&self) -> usize {
        self.printed.split_once('.').map_or(0, |(_, digits)| digits.len())
    }

    /// What rounding can have moved it by: half of its last digit.
    pub fn rounding(&self) -> f64 {
        0.5 * 10_f64.powi(-(self.decimals() as i32))
    }

    /// What was measured, without the group.
    pub fn quantity(&self) -> &str {
        self.measure
            .split_once(':')
            .map_or(self.measure.as_str(), |(quantity, _)| quantity)
    }

    /// The group of samples, as label and value.
    pub fn group(&self) -> Option<(&str, &str)> {
        self.measure.split_once(':')?.1.split_once('=')
    }

    /// Whether it is counted in released data instead of printed.
    pub fn is_released(&self) -> bool {
        self.table == RELEASED
    }

    /// Whether it is a share in percent.
    pub fn is_percentage(&self) -> bool {
        self.quantity().ends_with("_percent")
    }

    /// Where it stands, in words.
    pub fn place(&self) -> String {
        let mut place = self.source.clone();
        let numbered = self.table.starts_with(|letter: char| letter.is_ascii_digit())
            || self.table.chars().all(|letter| "IVX".contains(letter));
        place.push_str(if numbered { ", Table " } else { ", " });
        place.push_str(&self.table);
        if !self.row.is_empty() || !self.column.is_empty() {
            let cell: Vec<&str> = [self.row.as_str(), self.column.as_str()]
                .into_iter()
                .filter(|label| !label.is_empty())
                .collect();
            place.push_str(&format!(" ({})", cell.join("; ")));
        }
        place
    }
}

/// Every published number, in the order of the files.
pub fn numbers() -> Result<Vec<PublishedNumber>, PublishedError> {
    let mut numbers = Vec::new();
    for (file, text) in FILES {
        numbers.extend(read(file, text)?);
    }
    Ok(numbers)
}

fn read(file: &str, text: &str) -> Result<Vec<PublishedNumber>, PublishedError> {
    let mut numbers = Vec::new();
    for (index, line) in csv::Reader::from_reader(text.as_bytes()).deserialize().enumerate() {
        let wrong = |line: u64, problem: String| PublishedError::Line {
            file: file.to_owned(),
            line,
            problem,
        };
        let number: PublishedNumber = line.map_err(|error| {
            let line = error.position().map_or(index as u64 + 2, csv::Position::line);
            wrong(line, error.to_string())
        })?;
        if !number.printed.parse::<f64>().is_ok_and(f64::is_finite) {
            return Err(wrong(
                index as u64 + 2,
                format!("its value {:?} is no number", number.printed),
            ));
        }
        numbers.push(number);
    }
    Ok(numbers)
}

/// What follows from the published numbers alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PublishedChecks {
    /// How many numbers there are, those of [`RELEASED`] apart.
    pub printed: usize,
    /// How many are counted in released data.
    pub released: usize,
    /// The printed correlations, recomputed.
    pub correlations: Vec<correlations::PublishedCorrelation>,
    /// Which printed percentages can come from so many samples.
    pub counts: Vec<counts::CountCheck>,
    /// Percentages printed beside the counts they are of.
    pub fractions: Vec<counts::FractionCheck>,
    /// Accuracies of groups, turned back into counts.
    pub groups: Vec<groups::GroupCheck>,
    /// Verification beside what always saying "correct" would reach, by the released answers.
    pub base_rates: Vec<base_rates::BaseRateCheck>,
    /// What cannot be true together.
    pub contradictions: Vec<contradictions::Contradiction>,
}

/// Recomputes what can be recomputed.
pub fn recompute(numbers: &[PublishedNumber]) -> PublishedChecks {
    let released = numbers.iter().filter(|number| number.is_released()).count();
    let counts = counts::check(numbers);
    let fractions = counts::check_fractions(numbers);
    let groups = groups::check(numbers);
    PublishedChecks {
        printed: numbers.len() - released,
        released,
        correlations: correlations::recompute(numbers),
        base_rates: base_rates::check(numbers),
        contradictions: contradictions::find(numbers, &counts, &fractions, &groups),
        counts,
        fractions,
        groups,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_knows_its_digits_and_its_place() {
        let text = "source,table,row,column,method,setting,model,dataset,measure,value,n\n\
                    A paper,IV,one,two,M,,,D,accuracy_percent:size=small,63.00,573\n\
                    A paper,text,,,M,,,D,samples,707,\n";
        let numbers = read("made_up.csv", text).unwrap();
        let first = &numbers[0];
        assert_eq!((first.value(), first.decimals(), first.n), (63.0, 2, Some(573)));
        assert!((first.rounding() - 0.005).abs() < 1e-15);
        assert_eq!(
            (first.quantity(), first.group()),
            ("accuracy_percent", Some(("size", "small")))
        );
        assert_eq!(first.place(), "A paper, Table IV (one; two)");
        assert_eq!(
            (numbers[1].place().as_str(), numbers[1].rounding()),
            ("A paper, text", 0.5)
        );
    }

    #[test]
    fn what_is_no_number_names_file_and_line() {
        let text = "source,table,row,column,method,setting,model,dataset,measure,value,n\n\
                    A,1,,,M,,,D,samples,7,\nA,1,,,M,,,D,samples,\"8,308\",\n";
        let error = read("made_up.csv", text).unwrap_err().to_string();
        assert!(
            error.contains("made_up.csv, line 3") && error.contains("8,308"),
            "{error}"
        );
    }
}
