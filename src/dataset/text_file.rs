//! Text files as the data sets have them: UTF-8, and lines that end at a line feed and nowhere else. Cells hold other
//! line separators (U+2028, U+0085, a lone carriage return), which are text.

use std::path::Path;

use crate::table::Table;

use super::DatasetError;

/// The whole text of a file, a byte-order mark at its start included.
pub(super) fn read_text(file: &Path) -> Result<String, DatasetError> {
    let bytes = std::fs::read(file).map_err(|source| DatasetError::Unreadable {
        file: file.to_owned(),
        source,
        next_step: "check the path".to_owned(),
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        DatasetError::malformed(
            file,
            line_at(before, before.len()),
            "is not UTF-8",
            "convert the file to UTF-8",
        )
    })
}

/// The 1-based line that holds this byte.
pub(super) fn line_at(text: &[u8], byte: usize) -> usize {
    1 + text[..byte].iter().filter(|&&byte| byte == b'\n').count()
}

/// The lines of a text with their 1-based numbers. The line feed at the very end closes the last line.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let some = (!text.is_empty()).then(|| text.split('\n'));
    some.into_iter()
        .flatten()
        .enumerate()
        .map(|(index, line)| (index + 1, line))
}

/// Builds a table from records that each know their line; the first is the header.
pub(super) fn table_of_records(
    file: &Path,
    records: impl IntoIterator<Item = (usize, Vec<String>)>,
) -> Result<Table, DatasetError> {
    let mut records = records.into_iter();
    let Some((_, header)) = records.next() else {
        return Err(DatasetError::malformed(
            file,
            1,
            "there is no table, not even a header",
            "a table needs a header line",
        ));
    };
    let (lines, rows): (Vec<usize>, Vec<Vec<String>>) = records.unzip();
    Table::from_text(header, rows).map_err(|ragged| {
        let line = lines.get(ragged.row - 1).copied().unwrap_or_default();
        DatasetError::malformed(
            file,
            line,
            format!(
                "the row has {} cells, but the header has {}",
                ragged.found, ragged.expected
            ),
            "give every row as many cells as the header",
        )
    })
}

/// An error about a part of a line (`part` says which), on that line.
pub(super) fn on_line(error: DatasetError, line: usize, part: &str) -> DatasetError {
    match error {
        DatasetError::Malformed {
            file,
            problem,
            next_step,
            ..
        } => DatasetError::Malformed {
            file,
            line,
            problem: format!("{part}: {problem}"),
            next_step,
        },
        other => other,
    }
}
