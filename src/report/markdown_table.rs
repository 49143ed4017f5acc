//! Tables in Markdown, padded so that they read as tables on a terminal too.

use crate::explain::visible_text::visible;

/// A table; columns whose name begins with `#` hold numbers.
pub(super) struct MarkdownTable {
    header: Vec<String>,
    numeric: Vec<bool>,
    rows: Vec<Vec<String>>,
}

impl MarkdownTable {
    /// No rows yet.
    pub(super) fn new(header: &[&str]) -> Self {
        Self {
            numeric: header.iter().map(|name| name.starts_with('#')).collect(),
            header: header
                .iter()
                .map(|name| name.trim_start_matches('#').to_owned())
                .collect(),
            rows: Vec::new(),
        }
    }

    /// A row, as wide as the header.
    pub(super) fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows
            .push(cells.into_iter().map(|cell| cell_text(&cell.into())).collect());
    }

    /// The table, ending with a line break; nothing where it has no rows.
    pub(super) fn finish(self) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let widths: Vec<usize> = (0..self.header.len())
            .map(|column| {
                let cells = self.rows.iter().chain([&self.header]);
                let widest = cells.filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
                widest.max().unwrap_or(0).max(3)
            })
            .collect();
        let line = |row: &[String]| {
            let mut text = String::from("|");
            for (column, width) in widths.iter().enumerate() {
                let cell = row.get(column).map(String::as_str).unwrap_or_default();
                let padding = " ".repeat(width - cell.chars().count());
                if self.numeric[column] {
                    text.push_str(&format!(" {padding}{cell} |"));
                } else {
                    text.push_str(&format!(" {cell}{padding} |"));
                }
            }
            text.push('\n');
            text
        };
        let rule: Vec<String> = widths
            .iter()
            .zip(&self.numeric)
            .map(|(width, numeric)| {
                let dashes = "-".repeat(width - 1);
                if *numeric {
                    format!("{dashes}:")
                } else {
                    format!("{dashes}-")
                }
            })
            .collect();
        let mut text = line(&self.header);
        text.push_str(&line(&rule));
        for row in &self.rows {
            text.push_str(&line(row));
        }
        text
    }
}

/// One line, without what would end the cell, begin markup or move a cursor.
fn cell_text(text: &str) -> String {
    let line = visible(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let mut cell = String::with_capacity(line.len());
    for letter in line.chars() {
        if matches!(letter, '|' | '\\' | '<' | '`' | '[' | '*') && !(letter == '<' && line.starts_with("< ")) {
            cell.push('\\');
        }
        cell.push(letter);
    }
    cell
}

/// `[0.388, 0.937]`, in words that need no escape.
pub(super) fn interval_words(low: f64, high: f64, digits: usize) -> String {
    format!("{low:.digits$} to {high:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stay_in_their_cell() {
        let mut table = MarkdownTable::new(&["name", "#n"]);
        table.row(["a|b\nc", "1"]);
        table.row(["<b>", "20"]);
        assert_eq!(
            table.finish(),
            "| name   |   n |\n| ------ | --: |\n| a\\|b c |   1 |\n| \\<b>   |  20 |\n"
        );
        assert_eq!(MarkdownTable::new(&["x"]).finish(), "");
    }
}
