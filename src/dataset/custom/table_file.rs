//! Table files of a user: `.csv` (RFC 4180), `.tsv` (no quoting) and `.jsonl` (arrays or objects).

use std::path::Path;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::table::Table;

use super::super::DatasetError;
use super::super::json::{Members, parse_line};
use super::super::text_file::{lines, read_text, table_of_records};

/// A line of a table or of questions: its fields, and the 1-based line they begin on.
pub type Record = (usize, Vec<String>);

/// Whether a file's name has one of these endings, in any case.
pub(super) fn has_ending(file: &Path, endings: &[&str]) -> bool {
    let ending = file
        .extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or_default();
    endings.iter().any(|known| known.eq_ignore_ascii_case(ending))
}

/// Reads a table file; its first line is the header.
///
/// `.csv`: RFC 4180, fields parted by commas, quoted with `"` where needed, `""` for a quote inside; CRLF or LF; lines
/// without anything are passed over. `.tsv`: fields parted by tabs, a quote is an ordinary character; CRLF or LF.
/// `.jsonl`: an array of cells a line, the first the header; or an object a line, all with the same names in any order,
/// the first of which is the header. Cells are texts, numbers (kept as they are written), true or false; null is an empty text.
pub fn read_table(file: &Path) -> Result<Table, DatasetError> {
    let records = if has_ending(file, &["jsonl", "ndjson"]) {
        json_records(file)?
    } else {
        read_records(file)?
    };
    table_of_records(file, records)
}

/// The records of a `.csv` or `.tsv` file, header included, as [`read_table`] reads them.
pub fn read_records(file: &Path) -> Result<Vec<Record>, DatasetError> {
    let (is_csv, is_tsv) = (has_ending(file, &["csv"]), has_ending(file, &["tsv"]));
    if !is_csv && !is_tsv {
        return Err(DatasetError::malformed(
            file,
            1,
            "the name does not say what the file is",
            "give it the ending .csv, .tsv or .jsonl",
        ));
    }
    let text = read_text(file)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if is_tsv {
        let fields = |line: &str| {
            line.strip_suffix('\r')
                .unwrap_or(line)
                .split('\t')
                .map(str::to_owned)
                .collect()
        };
        return Ok(lines(text).map(|(number, line)| (number, fields(line))).collect());
    }
    if let Some((line, problem)) = quoting_problem(text) {
        let next_step = "quote the whole field, and write a quote inside it twice (RFC 4180)";
        return Err(DatasetError::malformed(file, line, problem, next_step));
    }
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut records = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| {
            let line = error.position().map_or(1, csv::Position::line);
            DatasetError::malformed(
                file,
                usize::try_from(line).unwrap_or(usize::MAX),
                error.to_string(),
                "write CSV as RFC 4180 has it",
            )
        })?;
        records.push((0, record.iter().map(str::to_owned).collect()));
    }
    for (record, line) in records.iter_mut().zip(record_lines(text)) {
        record.0 = line;
    }
    Ok(records)
}

/// Where the lenient reader would guess: a quoted field that never closes, or goes on after its closing quote.
fn quoting_problem(text: &str) -> Option<(usize, &'static str)> {
    let mut state = Place::FieldStart;
    let mut line = 1;
    let mut opened = 1;
    for character in text.chars() {
        state = state.next(character);
        match state {
            Place::AfterQuote if !matches!(character, '"') => {
                return Some((line, "text follows the closing quote of a field"));
            }
            Place::Opened => opened = line,
            _ => {}
        }
        line += usize::from(character == '\n');
    }
    matches!(state, Place::Opened | Place::Quoted).then_some((opened, "the quoted field that begins here never ends"))
}

/// The lines on which the records of a CSV text begin; empty lines have none.
fn record_lines(text: &str) -> Vec<usize> {
    let mut state = Place::FieldStart;
    let mut line = 1;
    let mut starts = Vec::new();
    let mut in_record = false;
    for character in text.chars() {
        state = state.next(character);
        let ends = state == Place::FieldStart && matches!(character, '\n' | '\r');
        if !in_record && !ends {
            starts.push(line);
        }
        in_record = !ends;
        line += usize::from(character == '\n');
    }
    starts
}

/// Where in a CSV text a reader is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    FieldStart,
    Plain,
    Opened,
    Quoted,
    AfterQuote,
}

impl Place {
    /// The place after one more character. A closing quote followed by anything but a quote, a comma or a line end stays
    /// [`Place::AfterQuote`].
    fn next(self, character: char) -> Self {
        match (self, character) {
            (Self::FieldStart, '"') => Self::Opened,
            (Self::Opened | Self::Quoted, '"') => Self::AfterQuote,
            (Self::Opened | Self::Quoted, _) => Self::Quoted,
            (Self::AfterQuote, '"') => Self::Quoted,
            (_, ',' | '\n' | '\r') => Self::FieldStart,
            (Self::AfterQuote, _) => Self::AfterQuote,
            _ => Self::Plain,
        }
    }
}

/// A cell's text; of a number its digits as they are written.
struct JsonCell(String);

impl<'de> Deserialize<'de> for JsonCell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Box::<RawValue>::deserialize(deserializer)?;
        match written.get() {
            "null" => Ok(Self(String::new())),
            text if text.starts_with('"') => serde_json::from_str(text).map(Self).map_err(D::Error::custom),
            text if text.starts_with(['{', '[']) => {
                Err(D::Error::custom("a cell is a text, a number, true, false or null"))
            }
            number_or_truth => Ok(Self(number_or_truth.to_owned())),
        }
    }
}

fn json_records(file: &Path) -> Result<Vec<Record>, DatasetError> {
    let text = read_text(file)?;
    let filled = |(_, line): &(usize, &str)| !line.trim().is_empty();
    let first = lines(&text)
        .find(filled)
        .map(|(_, line)| line.trim_start())
        .unwrap_or_default();
    if !first.starts_with('{') {
        let cells = |line: Vec<JsonCell>| line.into_iter().map(|JsonCell(text)| text).collect();
        return lines(&text)
            .filter(filled)
            .map(|(number, line)| {
                Ok((
                    number,
                    cells(parse_line(
                        file,
                        number,
                        line,
                        "an array of cells, as in the first line",
                    )?),
                ))
            })
            .collect();
    }
    let mut records: Vec<Record> = Vec::new();
    for (number, line) in lines(&text).filter(filled) {
        let Members(members) = parse_line::<Members<JsonCell>>(file, number, line, "an object, as in the first line")?;
        if records.is_empty() {
            records.push((number, members.iter().map(|(name, _)| name.clone()).collect()));
        }
        let mut members: Vec<Option<(String, JsonCell)>> = members.into_iter().map(Some).collect();
        let header = &records[0].1;
        let mut cells = Vec::with_capacity(header.len());
        for name in header {
            let member = members
                .iter_mut()
                .find(|member| member.as_ref().is_some_and(|(found, _)| found == name));
            match member.and_then(Option::take) {
                Some((_, JsonCell(text))) => cells.push(text),
                None => {
                    let problem = format!("has no {name:?}, which the first line has");
                    return Err(DatasetError::malformed(
                        file,
                        number,
                        problem,
                        "give every line the same names",
                    ));
                }
            }
        }
        if let Some((name, _)) = members.into_iter().flatten().next() {
            let problem = format!("has {name:?}, which the first line has not");
            return Err(DatasetError::malformed(
                file,
                number,
                problem,
                "give every line the same names",
            ));
        }
        records.push((number, cells));
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    #[test]
    fn a_csv_that_a_lenient_reader_would_guess_at_is_refused() {
        assert_eq!(quoting_problem("a,b\n\"x\"\"y\",\"two\nlines\"\n"), None);
        assert_eq!(quoting_problem("a,5\" disc\n"), None);
        assert_eq!(quoting_problem("a\n\"b\"c\n").map(|(line, _)| line), Some(2));
        assert_eq!(quoting_problem("a\nb\n\"c\nd\n").map(|(line, _)| line), Some(3));
        assert_eq!(quoting_problem("a\n\"").map(|(line, _)| line), Some(2));
        assert_eq!(quoting_problem("\"\"\"\"\n"), None);
    }

    #[test]
    fn numbers_of_json_stay_as_they_are_written() {
        let cells: Vec<JsonCell> =
            serde_json::from_str(r#"["a\u00e9", 123456789012345678901234567890, 1.10, -1e2, true, null]"#).unwrap();
        let texts: Vec<String> = cells.into_iter().map(|JsonCell(text)| text).collect();
        assert_eq!(
            texts,
            ["aé", "123456789012345678901234567890", "1.10", "-1e2", "true", ""]
        );
        assert!(serde_json::from_str::<JsonCell>("[1]").is_err());
    }

    #[test]
    fn lines_of_records() {
        assert_eq!(record_lines("a,b\r\n\"x\ny\",z\n\n,\nlast"), [1, 2, 5, 6]);
    }

    proptest! {
        #[test]
        fn every_record_has_a_line(rows in prop::collection::vec(prop::collection::vec("[a\",\n\r é]{0,5}", 2), 0..6)) {
            let mut writer = csv::Writer::from_writer(Vec::new());
            for row in &rows {
                writer.write_record(row).unwrap();
            }
            let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
            prop_assert_eq!(quoting_problem(&text), None);
            prop_assert_eq!(record_lines(&text).len(), rows.len());
        }
    }
}
