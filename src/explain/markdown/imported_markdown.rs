//! An imported explanation in Markdown. Its paragraphs stand in a quote, as a model's own words do, its preformatted text
//! in a fence; `[[...]]` is what its maker highlighted.

use std::fmt::Write;

use super::{Paragraphs, escaped, fenced_as, quoted_line};
use crate::explain::imported::view::{ImportedPart, ImportedTable, ImportedView};
use crate::explain::words;
use crate::trace::imported::{ImportedCell, ImportedRun};

/// Writes the parts.
pub(super) fn write(page: &mut Paragraphs, view: &ImportedView) {
    if view.has_marks() {
        page.push("Marks: `[[text]]` = highlighted in the explanation.".to_owned());
    }
    if view.parts.is_empty() {
        page.push(words::NOTHING_IMPORTED.to_owned());
    }
    for part in &view.parts {
        page.push(match part {
            ImportedPart::Heading(text) => format!("### {}", escaped(text)),
            ImportedPart::Paragraph(runs) => quoted_line(&runs_text(runs)),
            ImportedPart::List(items) => {
                let items: Vec<String> = items.iter().map(|item| format!("> - {}", runs_text(item))).collect();
                items.join("\n")
            }
            ImportedPart::Code(text) => fenced_as("", text),
            ImportedPart::Table(table) => table_text(table),
            ImportedPart::WithheldTable => words::TABLE_WITHHELD.to_owned(),
        });
    }
}

fn runs_text(runs: &[ImportedRun]) -> String {
    let mut text = String::new();
    for run in runs {
        // Escaping takes the blanks at the ends away.
        let blank = |first: bool| {
            let end = if first {
                run.text.chars().next()
            } else {
                run.text.chars().next_back()
            };
            if end == Some(' ') { " " } else { "" }
        };
        let inner = escaped(&run.text);
        let (before, after) = (blank(true), blank(false));
        let _ = match run.marked && !inner.is_empty() {
            true => write!(text, "{before}[[{inner}]]{after}"),
            false => write!(text, "{before}{inner}{after}"),
        };
    }
    text.trim().to_owned()
}

fn table_text(table: &ImportedTable) -> String {
    let mut text = format!("{} ({}):\n|row|", table.name(), table.size());
    match &table.header {
        Some(header) => header.iter().for_each(|cell| push_cell(&mut text, cell)),
        None => text.push_str(&"|".repeat(table.columns)),
    }
    text.push_str("\n|");
    text.push_str(&"-|".repeat(table.columns + 1));
    for (index, row) in table.rows.iter().enumerate() {
        let _ = write!(text, "\n|{}|", index + 1);
        row.iter().for_each(|cell| push_cell(&mut text, cell));
    }
    text
}

fn push_cell(text: &mut String, cell: &ImportedCell) {
    let inner = escaped(&cell.text);
    let _ = match cell.marked {
        true => write!(text, "[[{inner}]]|"),
        false => write!(text, "{inner}|"),
    };
}
