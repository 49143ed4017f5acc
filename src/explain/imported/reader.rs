//! Puts the tags and texts of sanitised markup together into blocks of plain text.

use super::markup::{APART, BADGES, BLOCKS, HEADINGS};
use crate::trace::imported::{ImportedBlock, ImportedCell, ImportedRun};

/// Widest and highest cell that is believed, in columns and rows.
pub(super) const WIDEST_CELL: usize = 100;

/// Most cells of a page, those that others span among them.
pub(super) const MOST_CELLS: usize = 200_000;

/// Puts the pieces together.
#[derive(Default)]
pub(super) struct Reader {
    blocks: Vec<ImportedBlock>,
    /// Open elements, with whether each highlights what is in it.
    open: Vec<(String, bool)>,
    runs: Vec<ImportedRun>,
    code: Option<String>,
    /// The rows of the outermost open table; a table within a cell is text of that cell.
    table: Option<Vec<Vec<ImportedCell>>>,
    tables_open: usize,
    /// Cells of no text that follow the open cell, which spans their columns.
    spanned: usize,
    /// By column: in how many more rows a cell above reaches down, and whether it is marked.
    from_above: Vec<(usize, ImportedCell)>,
    /// Whether a badge ended and nothing came since.
    after_badge: bool,
    /// Cells of all tables.
    pub(super) cells: usize,
}

impl Reader {
    pub(super) fn open(&mut self, name: &str, attributes: &[(&str, String)]) {
        let after_badge = std::mem::take(&mut self.after_badge);
        if APART.contains(&name) || after_badge && BADGES.contains(&name) {
            self.space();
        }
        let highlighted = name == "mark" || attributes.iter().any(|(_, value)| value == "highlight");
        if matches!(name, "br" | "hr") {
            self.pause();
            return;
        }
        match name {
            "table" => {
                self.pause();
                self.tables_open += 1;
                if self.tables_open == 1 {
                    self.table = Some(Vec::new());
                }
            }
            "tr" if self.tables_open == 1 => self.begin_row(),
            "td" | "th" if self.tables_open == 1 => {
                let marked = highlighted || self.is_marked();
                self.end_span();
                self.put_from_above();
                let span = |wanted: &str| {
                    let value = attributes.iter().find(|(name, _)| *name == wanted);
                    let span = value.and_then(|(_, value)| value.trim().parse().ok());
                    span.unwrap_or(1_usize).clamp(1, WIDEST_CELL)
                };
                let (width, height) = (span("colspan"), span("rowspan"));
                self.put_cell(
                    ImportedCell {
                        text: String::new(),
                        header: name == "th",
                        marked,
                    },
                    width,
                    height,
                );
            }
            "pre" if self.table.is_none() => {
                self.pause();
                self.code = Some(String::new());
            }
            "td" | "th" => self.pause(),
            "tbody" | "thead" | "tfoot" => {}
            _ if breaks(name) => self.pause(),
            _ => {}
        }
        self.open.push((name.to_owned(), highlighted));
    }

    pub(super) fn close(&mut self, name: &str) {
        self.after_badge = BADGES.contains(&name);
        if APART.contains(&name) {
            self.space();
        }
        match name {
            "table" => {
                self.pause();
                self.tables_open = self.tables_open.saturating_sub(1);
                if self.tables_open == 0 {
                    self.end_table();
                }
            }
            "tr" if self.tables_open == 1 => self.end_span(),
            "pre" => self.end_code(),
            _ if HEADINGS.contains(&name) && self.table.is_none() => self.end_heading(),
            _ if breaks(name) => self.pause(),
            _ => {}
        }
        // Sanitised markup is well-formed: the newest element of this name is the one that ends.
        if let Some(place) = self.open.iter().rposition(|(open, _)| open == name) {
            self.open.truncate(place);
        }
    }

    pub(super) fn text(&mut self, text: &str) {
        self.after_badge = false;
        let marked = self.is_marked();
        if let Some(code) = &mut self.code {
            code.push_str(text);
        } else if let Some(rows) = &mut self.table {
            let blank = text.trim().is_empty();
            match rows.last_mut().and_then(|row| row.last_mut()) {
                Some(cell) => {
                    cell.text.push_str(text);
                    cell.marked |= marked && !blank;
                }
                // A caption, before the first row.
                None if !blank => self.runs.push(run(text, marked)),
                None => {}
            }
        } else {
            self.runs.push(run(text, marked));
        }
    }

    fn is_marked(&self) -> bool {
        self.open.iter().any(|(_, marked)| *marked)
    }

    /// Puts a cell at the end of the row. A page with too many is refused, so what comes then is not kept.
    fn put_cell(&mut self, cell: ImportedCell, width: usize, height: usize) {
        self.cells += width;
        let Some(row) = self.table.as_mut().and_then(|rows| rows.last_mut()) else {
            return;
        };
        if self.cells > MOST_CELLS {
            return;
        }
        if height > 1 {
            let end = row.len() + width;
            if self.from_above.len() < end {
                self.from_above.resize(end, (0, cell.clone()));
            }
            self.from_above[row.len()..end].fill((height - 1, cell.clone()));
        }
        self.spanned = width - 1;
        row.push(cell);
    }

    /// Puts the empty cells that cells above reach down to, as far as they follow each other.
    fn put_from_above(&mut self) {
        let Some(row) = self.table.as_mut().and_then(|rows| rows.last_mut()) else {
            return;
        };
        while let Some((left, cell)) = self.from_above.get_mut(row.len()).filter(|(left, _)| *left > 0)
            && self.cells <= MOST_CELLS
        {
            *left -= 1;
            self.cells += 1;
            row.push(cell.clone());
        }
    }

    fn end_row(&mut self) {
        self.end_span();
        self.put_from_above();
    }

    fn begin_row(&mut self) {
        self.end_row();
        if let Some(rows) = &mut self.table {
            rows.push(Vec::new());
        }
    }

    /// Puts the empty cells behind the one that spans them.
    fn end_span(&mut self) {
        let spanned = std::mem::take(&mut self.spanned);
        if let Some(row) = self.table.as_mut().and_then(|rows| rows.last_mut())
            && let Some(cell) = row.last().cloned()
        {
            let empty = ImportedCell {
                text: String::new(),
                ..cell
            };
            row.extend(std::iter::repeat_n(empty, spanned));
        }
    }

    /// A blank between what stands in one line; none in preformatted text, and none at the beginning.
    fn space(&mut self) {
        if self.code.is_some() {
            return;
        }
        if let Some(rows) = &mut self.table {
            if let Some(cell) = rows.last_mut().and_then(|row| row.last_mut()) {
                cell.text.push(' ');
            }
        } else if let Some(last) = self.runs.last_mut() {
            last.text.push(' ');
        }
    }

    /// What stands before and after is apart: a paragraph ends, or a blank parts the words of a cell.
    fn pause(&mut self) {
        if let Some(code) = &mut self.code {
            code.push('\n');
        } else if let Some(rows) = &mut self.table {
            if let Some(cell) = rows.last_mut().and_then(|row| row.last_mut()) {
                cell.text.push(' ');
            }
        } else {
            let item = self.open.iter().any(|(name, _)| name == "li");
            self.end_text(item);
        }
    }

    fn end_text(&mut self, item: bool) {
        let runs = tidied(std::mem::take(&mut self.runs));
        if !runs.is_empty() {
            self.blocks.push(ImportedBlock::Text { runs, item });
        }
    }

    fn end_heading(&mut self) {
        let runs = tidied(std::mem::take(&mut self.runs));
        if !runs.is_empty() {
            let text = runs.into_iter().map(|run| run.text).collect();
            self.blocks.push(ImportedBlock::Heading { text });
        }
    }

    fn end_code(&mut self) {
        let Some(code) = self.code.take() else { return };
        let text = code.trim_matches('\n').trim_end().to_owned();
        if !text.is_empty() {
            self.blocks.push(ImportedBlock::Code { text });
        }
    }

    fn end_table(&mut self) {
        self.end_row();
        self.from_above.clear();
        let mut rows = self.table.take().unwrap_or_default();
        // The caption came first, and was kept for here.
        self.end_text(false);
        for cell in rows.iter_mut().flatten() {
            cell.text = one_line(&cell.text);
        }
        rows.retain(|row| !row.is_empty());
        if !rows.is_empty() {
            self.blocks.push(ImportedBlock::Table { rows });
        }
    }

    pub(super) fn finish(mut self) -> Vec<ImportedBlock> {
        self.end_code();
        if self.table.is_some() {
            self.end_table();
        }
        self.end_text(false);
        self.blocks
    }
}

/// Whether what stands before and after an element of this name is apart.
fn breaks(name: &str) -> bool {
    BLOCKS.contains(&name) || HEADINGS.contains(&name) || matches!(name, "li" | "caption" | "pre")
}

pub(super) fn run(text: &str, marked: bool) -> ImportedRun {
    ImportedRun {
        text: text.to_owned(),
        marked,
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs with single blanks, none at the ends of the paragraph, and neighbours of one kind joined.
fn tidied(runs: Vec<ImportedRun>) -> Vec<ImportedRun> {
    let mut tidy: Vec<ImportedRun> = Vec::new();
    for run in runs {
        let mut text = String::new();
        for letter in run.text.chars() {
            let before = text
                .chars()
                .next_back()
                .or_else(|| tidy.last()?.text.chars().next_back());
            if !letter.is_whitespace() {
                text.push(letter);
            } else if before.is_some_and(|before| before != ' ') {
                text.push(' ');
            }
        }
        match tidy.last_mut() {
            Some(last) if last.marked == run.marked => last.text.push_str(&text),
            _ if text.is_empty() => {}
            _ => tidy.push(ImportedRun {
                text,
                marked: run.marked,
            }),
        }
    }
    if let Some(last) = tidy.last_mut() {
        last.text.truncate(last.text.trim_end().len());
    }
    tidy.retain(|run| !run.text.is_empty());
    tidy
}
