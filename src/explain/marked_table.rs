//! A table with its marks, cut to the rows worth showing. Plain text throughout: how a mark looks is for the writers.

mod cut;
mod glance;
mod marks;

use cut::Cutter;
use glance::{columns_at_a_glance, rows_at_a_glance};
pub(super) use marks::{Dropped, Marks, Provenance};

use super::visible_text::visible_line;
use super::words::{self, Counts};
use crate::table::{Column, Table};

/// Tables up to so many rows are shown whole; of longer ones the marked rows with their neighbours, start and end.
pub(super) const ROWS_AT_A_GLANCE: usize = 60;

/// Tables with up to so many columns are shown whole; of wider ones the marked columns, the first ones and the last.
pub(super) const COLUMNS_AT_A_GLANCE: usize = 30;

/// What is left out at a glance can be opened in tables of up to so many rows ...
pub(super) const ROWS_WHOLE: usize = 500;

/// ... and so many cells.
pub(super) const CELLS_WHOLE: usize = 10_000;

/// A table to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TableView {
    /// Its place in [`crate::trace::Trace::tables`]; 0 is the sample's own.
    pub(super) index: usize,
    /// What it is, such as `Table after step 2`.
    pub(super) name: String,
    /// Every column's header, left to right, shown or not.
    pub(super) headers: Vec<HeaderView>,
    /// What is shown at a glance.
    pub(super) glance: Cut,
    /// Every row and column, when `glance` leaves some out and the table is small enough ([`ROWS_WHOLE`],
    /// [`CELLS_WHOLE`]).
    pub(super) whole: Option<Cut>,
    /// Rows of the table, shown or not.
    pub(super) row_count: usize,
    /// The marks, for a writer that names them instead of showing the table.
    pub(super) marks: Marks,
    /// Whether the page has shown the same table before, under this name.
    pub(super) shown_before_as: Option<String>,
    /// Whether its size is said.
    counts: Counts,
}

/// The part of a table that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// The columns, gaps between them.
    pub(super) columns: Vec<Slot>,
    /// The rows, gaps between them; each row has a cell for every entry of `columns`.
    pub(super) lines: Vec<Line>,
}

/// A column, or the place of columns left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// The column at this place in the table.
    Column(usize),
    /// So many columns left out.
    Gap(usize),
}

/// A header cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HeaderView {
    /// The column's name for people.
    pub(super) text: String,
    /// Whether the step read the column, to order by it or else.
    pub(super) used: bool,
    /// Whether the step ordered by the column.
    pub(super) orders: bool,
    /// Whether the step before computed the column.
    pub(super) new: bool,
    /// Whether the step leaves the column behind.
    pub(super) dropped: bool,
}

/// A row, or the place of rows left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A row.
    Row(RowView),
    /// Rows left out.
    Gap {
        /// How many rows are not shown, and how many of them are used, in words.
        words: String,
    },
}

/// A row to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RowView {
    /// 1-based, in this table.
    pub(super) number: usize,
    /// The rows of the first table it comes from, when its number does not say so.
    pub(super) origin: Option<OriginView>,
    /// What the step made of it.
    pub(super) role: RowRole,
    /// Whether the step leaves it behind.
    pub(super) dropped: bool,
    /// Its cells, left to right.
    pub(super) cells: Vec<CellView>,
}

impl RowView {
    /// The class of its look; empty for none.
    pub(super) fn class(&self) -> &'static str {
        match (self.dropped, self.role) {
            (true, RowRole::Deciding) => "compared dropped",
            (true, RowRole::Examined) => "examined dropped",
            (true, _) => "dropped",
            (false, role) => role.class(),
        }
    }
}

/// What a step made of a row of its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowRole {
    /// Nothing.
    Unmarked,
    /// The result comes from it.
    Used,
    /// The result comes from it, and it holds the smallest or largest value the result gives.
    Witness,
    /// A condition compared with it, but the result does not come from it.
    Deciding,
    /// It was examined and did not match.
    Examined,
}

impl RowRole {
    /// The class of its look; empty for none.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Unmarked => "",
            Self::Used => "used",
            Self::Witness => "used witness",
            Self::Deciding => "compared",
            Self::Examined => "examined",
        }
    }

    /// The sign beside the row's number, with its word.
    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::Unmarked => "",
            Self::Used => "▸ used",
            Self::Witness => "▸ used ★",
            Self::Deciding => "▹ compared",
            Self::Examined => "○ no match",
        }
    }
}

/// Rows of the first table, 1-based, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OriginView {
    /// For the row's header cell, such as `7` or `12 rows`.
    pub(super) short: String,
    /// In full, such as `row 7 of the first table`.
    pub(super) long: String,
}

/// A cell to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CellView {
    /// Its text; `None` is NULL.
    pub(super) text: Option<String>,
    /// Characters of the text that are not shown.
    pub(super) cut: usize,
    /// Whether it stands for columns left out.
    pub(super) gap: bool,
    /// Whether its column is used.
    pub(super) column_used: bool,
    /// Whether it meets the step's condition.
    pub(super) condition: bool,
    /// Whether its column is left behind unused by the step.
    pub(super) dropped: bool,
    /// Whether it holds letters written from right to left.
    pub(super) right_to_left: bool,
}

impl CellView {
    /// The class of its look; empty for none.
    pub(super) fn class(&self) -> &'static str {
        match self {
            Self { gap: true, .. } => "gap",
            Self { condition: true, .. } => "met",
            Self { column_used: true, .. } => "read",
            Self { dropped: true, .. } => "dropped",
            _ => "",
        }
    }
}

impl TableView {
    /// A table under a name, with marks and with what the step leaves behind.
    pub(super) fn new(
        index_of_table: usize,
        name: String,
        table: &Table,
        marks: Marks,
        dropped: &Dropped,
        provenance: Provenance<'_>,
        counts: Counts,
    ) -> Self {
        let headers: Vec<HeaderView> = table
            .columns
            .iter()
            .enumerate()
            .map(|(index, column)| HeaderView {
                text: header_name(index_of_table, column),
                used: marks.columns.contains(&index) || marks.order_columns.contains(&index),
                orders: marks.order_columns.contains(&index),
                new: provenance.new_columns.contains(&index),
                dropped: dropped.columns.contains(&index),
            })
            .collect();
        let (row_count, column_count) = (table.rows.len(), headers.len());
        let cutter = Cutter {
            table,
            headers: &headers,
            marks: &marks,
            dropped,
            origins: provenance.origins,
            counts,
        };
        let is_whole = row_count <= ROWS_AT_A_GLANCE && column_count <= COLUMNS_AT_A_GLANCE;
        let may_open = row_count <= ROWS_WHOLE && table.cell_count() <= CELLS_WHOLE;
        let glance_rows = if row_count <= ROWS_AT_A_GLANCE {
            (0..row_count).collect()
        } else {
            rows_at_a_glance(row_count, &marks)
        };
        let glance = cutter.cut(&glance_rows, columns_at_a_glance(&headers, &marks));
        let whole = (!is_whole && may_open).then(|| {
            let every_column = (0..column_count).map(Slot::Column).collect();
            cutter.cut(&(0..row_count).collect(), every_column)
        });
        Self {
            index: index_of_table,
            name,
            glance,
            whole,
            headers,
            row_count,
            marks,
            shown_before_as: None,
            counts,
        }
    }

    /// Every text of the table itself that it shows: names of columns and cells.
    pub(super) fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        let cuts = [Some(&mut self.glance), self.whole.as_mut()];
        let cells = cuts
            .into_iter()
            .flatten()
            .flat_map(|cut| &mut cut.lines)
            .filter_map(|line| match line {
                Line::Row(row) => Some(&mut row.cells),
                Line::Gap { .. } => None,
            })
            .flatten()
            .filter_map(|cell| cell.text.as_mut());
        self.headers.iter_mut().map(|header| &mut header.text).chain(cells)
    }

    /// Takes out where rows and columns came from, for a format that shows tables as they are.
    pub(super) fn without_provenance(&mut self) {
        for header in &mut self.headers {
            header.new = false;
        }
        let cuts = [Some(&mut self.glance), self.whole.as_mut()];
        for line in cuts.into_iter().flatten().flat_map(|cut| &mut cut.lines) {
            if let Line::Row(row) = line {
                row.origin = None;
            }
        }
    }

    /// Takes out what the step leaves behind, where that would tell a withheld result.
    pub(super) fn without_dropped(&mut self) {
        for header in &mut self.headers {
            header.dropped = false;
        }
        let cuts = [Some(&mut self.glance), self.whole.as_mut()];
        for line in cuts.into_iter().flatten().flat_map(|cut| &mut cut.lines) {
            if let Line::Row(row) = line {
                row.dropped = false;
                row.cells.iter_mut().for_each(|cell| cell.dropped = false);
            }
        }
    }

    /// The most of it that there is to show.
    pub(super) fn fullest(&self) -> &Cut {
        self.whole.as_ref().unwrap_or(&self.glance)
    }

    /// Its name, with its size where that is said. The first table's is said on every page.
    pub(super) fn title(&self) -> String {
        if self.says_size() {
            format!("{} ({})", self.name, self.size())
        } else {
            self.name.clone()
        }
    }

    /// What to click on to see the whole of it.
    pub(super) fn invitation(&self) -> String {
        if self.says_size() {
            format!("Show all {}", self.size())
        } else {
            "Show every row".to_owned()
        }
    }

    fn says_size(&self) -> bool {
        self.counts == Counts::Said || self.name == words::FIRST_TABLE
    }

    /// `1 row` or `12 rows`, and how many columns where not all are shown.
    fn size(&self) -> String {
        let rows = words::count(self.row_count, "row");
        if self.headers.len() > COLUMNS_AT_A_GLANCE {
            format!("{rows}, {}", words::count(self.headers.len(), "column"))
        } else {
            rows
        }
    }

    /// A column's header.
    pub(super) fn header(&self, column: usize) -> Option<&HeaderView> {
        self.headers.get(column)
    }
}

/// A column's name for people, on one line.
pub(super) fn column_name(column: &Column) -> String {
    visible_line(&column.display)
}

/// A column's name in a table's header. A result's column without a name of its own is called by its whole expression:
/// its beginning tells it apart, and the step has the rest.
fn header_name(index_of_table: usize, column: &Column) -> String {
    const LONGEST: usize = 60;
    const BEGINNING: usize = 40;
    let name = column_name(column);
    if index_of_table == 0 || name.chars().count() <= LONGEST {
        return name;
    }
    let beginning: String = name.chars().take(BEGINNING).collect();
    format!("{}…", beginning.trim_end())
}
