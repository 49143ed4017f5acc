//! A table with its marks, cut to the rows worth showing. Plain text throughout: how a mark looks is for the writers.

use std::collections::BTreeSet;

use super::visible_text::{has_right_to_left, visible, visible_line};
use super::words::{self, Counts};
use crate::table::{Cell, Column, Table};
use crate::trace::lineage::CellPosition;
use crate::trace::{Lineage, RowSources};

/// Tables up to so many rows are shown whole; of longer ones the marked rows with their neighbours, start and end.
pub(super) const ROWS_AT_A_GLANCE: usize = 60;

/// Tables with up to so many columns are shown whole; of wider ones the marked columns, the first ones and the last.
pub(super) const COLUMNS_AT_A_GLANCE: usize = 30;

/// What is left out at a glance can be opened in tables of up to so many rows ...
pub(super) const ROWS_WHOLE: usize = 500;

/// ... and so many cells.
pub(super) const CELLS_WHOLE: usize = 10_000;

/// Characters of one cell that are shown. Where the cells of a table would still hold more than [`TABLE_CHARACTERS`],
/// the next limit holds for all of them.
const CELL_CHARACTERS: [usize; 3] = [2_000, 400, 80];

/// Characters of a table's cells above which each cell is cut shorter.
const TABLE_CHARACTERS: usize = 200_000;

/// What of a table is marked; positions are 0-based and all inside the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks {
    /// Rows the result comes from.
    pub(super) rows: BTreeSet<usize>,
    /// Rows among them that hold the smallest or largest value the result gives.
    pub(super) witness_rows: BTreeSet<usize>,
    /// Rows outside them that a condition compared with.
    pub(super) deciding_rows: BTreeSet<usize>,
    /// Columns read.
    pub(super) columns: BTreeSet<usize>,
    /// Columns ordered by.
    pub(super) order_columns: BTreeSet<usize>,
    /// Cells that meet the step's condition.
    pub(super) condition_cells: BTreeSet<CellPosition>,
    /// Rows examined and found not to match.
    pub(super) examined_rows: BTreeSet<usize>,
}

impl Marks {
    /// The marks that a step's lineage puts on its input.
    pub(super) fn of(lineage: &Lineage, input: &Table) -> Self {
        let rows_in_table = |rows: &[usize]| -> BTreeSet<usize> {
            rows.iter().copied().filter(|row| *row < input.rows.len()).collect()
        };
        let columns_in_table = |columns: &[usize]| -> BTreeSet<usize> {
            columns
                .iter()
                .copied()
                .filter(|column| *column < input.columns.len())
                .collect()
        };
        Self {
            rows: rows_in_table(&lineage.rows),
            witness_rows: rows_in_table(&lineage.witness_rows),
            deciding_rows: rows_in_table(&lineage.deciding_rows),
            columns: columns_in_table(&lineage.columns),
            order_columns: columns_in_table(&lineage.order_columns),
            condition_cells: lineage
                .condition_cells
                .iter()
                .copied()
                .filter(|cell| cell.row < input.rows.len() && cell.column < input.columns.len())
                .collect(),
            examined_rows: rows_in_table(&lineage.examined_rows),
        }
    }

    /// Whether nothing is marked.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
            && self.deciding_rows.is_empty()
            && self.columns.is_empty()
            && self.order_columns.is_empty()
            && self.condition_cells.is_empty()
            && self.examined_rows.is_empty()
    }
}

/// Where a table came from, when it is a step's result.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Provenance<'a> {
    /// For every row the rows of the first table it comes from; empty when not known.
    pub(super) origins: Option<&'a RowSources>,
    /// Columns the step computed.
    pub(super) new_columns: &'a [usize],
}

/// What of a table the step on it leaves behind; positions are 0-based.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Dropped {
    /// Rows that no row of the result comes from.
    pub(super) rows: BTreeSet<usize>,
    /// Columns that the result does not carry.
    pub(super) columns: BTreeSet<usize>,
}

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

/// The rows of a long table that are shown at a glance: the marked ones and their neighbours, start and end; if that
/// is still too much, the first and last of those.
fn rows_at_a_glance(row_count: usize, marks: &Marks) -> BTreeSet<usize> {
    const START: usize = 3;
    const END: usize = 5;
    let marked: BTreeSet<usize> = marks
        .rows
        .iter()
        .chain(&marks.deciding_rows)
        .chain(marks.condition_cells.iter().map(|cell| &cell.row))
        .copied()
        .collect();
    let mut shown: BTreeSet<usize> = if marked.is_empty() {
        (0..row_count).collect()
    } else {
        marked
            .iter()
            .flat_map(|row| row.saturating_sub(1)..=(row + 1))
            .chain(0..START)
            .chain([row_count - 1])
            .filter(|row| *row < row_count)
            .collect()
    };
    if shown.len() > ROWS_AT_A_GLANCE {
        let ordered: Vec<usize> = shown.into_iter().collect();
        let last_of_start = ROWS_AT_A_GLANCE - END;
        let first_of_end = ordered.len() - END;
        shown = ordered
            .into_iter()
            .enumerate()
            .filter(|(place, _)| *place < last_of_start || *place >= first_of_end)
            .map(|(_, row)| row)
            .collect();
    }
    // A line that says "1 row not shown" takes the room of the row.
    let lonely: Vec<usize> = (1..row_count.saturating_sub(1))
        .filter(|row| !shown.contains(row) && shown.contains(&(row - 1)) && shown.contains(&(row + 1)))
        .collect();
    shown.extend(lonely);
    shown
}

/// The columns of a wide table that are shown at a glance: the marked ones and new ones, the first ones and the last.
fn columns_at_a_glance(headers: &[HeaderView], marks: &Marks) -> Vec<Slot> {
    let count = headers.len();
    if count <= COLUMNS_AT_A_GLANCE {
        return (0..count).map(Slot::Column).collect();
    }
    let with_conditions = marks.condition_cells.iter().map(|cell| cell.column);
    let telling: BTreeSet<usize> = (0..count)
        .filter(|column| headers.get(*column).is_some_and(|header| header.used || header.new))
        .chain(with_conditions)
        .take(COLUMNS_AT_A_GLANCE - 2)
        .collect();
    let mut shown: BTreeSet<usize> = telling.iter().copied().chain([0, count - 1]).collect();
    for column in 0..count {
        if shown.len() >= COLUMNS_AT_A_GLANCE {
            break;
        }
        shown.insert(column);
    }
    let mut slots = Vec::new();
    let mut next = 0;
    for column in shown {
        if column > next {
            slots.push(Slot::Gap(column - next));
        }
        slots.push(Slot::Column(column));
        next = column + 1;
    }
    slots
}

/// What a cut is made from.
struct Cutter<'a> {
    table: &'a Table,
    headers: &'a [HeaderView],
    marks: &'a Marks,
    dropped: &'a Dropped,
    origins: Option<&'a RowSources>,
    counts: Counts,
}

impl Cutter<'_> {
    fn cut(&self, rows: &BTreeSet<usize>, columns: Vec<Slot>) -> Cut {
        let limit = self.cell_limit(rows, &columns);
        let origins = self.origins.filter(|origins| {
            (0..origins.len()).any(|row| {
                let nearest = origins.nearest(row);
                !nearest.is_empty() && nearest.as_slice() != [row]
            })
        });
        let mut lines = Vec::with_capacity(rows.len());
        let mut next = 0;
        for &index in rows {
            push_gap(&mut lines, next, index, self.marks, self.counts);
            next = index + 1;
            let Some(cells) = self.table.rows.get(index) else {
                continue;
            };
            let cells = columns.iter().map(|slot| match *slot {
                Slot::Column(column) => {
                    let cell = cells.get(column).unwrap_or(&None);
                    self.cell(cell, CellPosition { row: index, column }, limit)
                }
                Slot::Gap(_) => CellView::gap(),
            });
            lines.push(Line::Row(RowView {
                number: index + 1,
                origin: origins.and_then(|origins| origin(&origins.nearest(index), self.counts)),
                role: row_role(self.marks, index),
                dropped: self.dropped.rows.contains(&index),
                cells: cells.collect(),
            }));
        }
        push_gap(&mut lines, next, self.table.rows.len(), self.marks, self.counts);
        Cut { columns, lines }
    }

    /// How many characters of each cell to show, so that the cut stays within [`TABLE_CHARACTERS`] if any limit does it.
    fn cell_limit(&self, rows: &BTreeSet<usize>, columns: &[Slot]) -> usize {
        let lengths: Vec<usize> = rows
            .iter()
            .filter_map(|row| self.table.rows.get(*row))
            .flat_map(|cells| columns.iter().map(move |slot| (cells, slot)))
            .filter_map(|(cells, slot)| match slot {
                Slot::Column(column) => cells.get(*column)?.as_deref().map(str::len),
                Slot::Gap(_) => None,
            })
            .collect();
        let fits = |limit: &usize| lengths.iter().map(|length| *length.min(limit)).sum::<usize>() <= TABLE_CHARACTERS;
        let [.., least] = CELL_CHARACTERS;
        CELL_CHARACTERS.into_iter().find(fits).unwrap_or(least)
    }

    fn cell(&self, cell: &Cell, place: CellPosition, limit: usize) -> CellView {
        let mut text = cell.as_deref().map(visible);
        let mut cut = 0;
        if let Some(text) = &mut text
            && text.len() > limit
            && let Some((end, _)) = text.char_indices().nth(limit)
        {
            cut = text.get(end..).unwrap_or_default().chars().count();
            text.truncate(end);
        }
        let header = self.headers.get(place.column);
        CellView {
            text,
            cut,
            gap: false,
            column_used: header.is_some_and(|header| header.used),
            condition: self.marks.condition_cells.contains(&place),
            dropped: header.is_some_and(|header| header.dropped),
            right_to_left: cell.as_deref().is_some_and(has_right_to_left),
        }
    }
}

impl CellView {
    /// The place of columns left out.
    fn gap() -> Self {
        Self {
            text: Some("…".to_owned()),
            cut: 0,
            gap: true,
            column_used: false,
            condition: false,
            dropped: false,
            right_to_left: false,
        }
    }
}

fn row_role(marks: &Marks, row: usize) -> RowRole {
    if marks.rows.contains(&row) {
        // Where every used row is a witness (a single row, a tie of all), the star would say nothing.
        if marks.witness_rows.contains(&row) && marks.witness_rows.len() < marks.rows.len() {
            RowRole::Witness
        } else {
            RowRole::Used
        }
    } else if marks.deciding_rows.contains(&row) {
        RowRole::Deciding
    } else if marks.examined_rows.contains(&row) {
        RowRole::Examined
    } else {
        RowRole::Unmarked
    }
}

fn push_gap(lines: &mut Vec<Line>, from: usize, to: usize, marks: &Marks, counts: Counts) {
    if from < to {
        let used = marks.rows.range(from..to).count();
        let mut words = format!("{} not shown", words::count(to - from, "row"));
        match counts {
            _ if used == 0 => {}
            Counts::Said => words.push_str(&format!(", {used} of them used")),
            Counts::Withheld => words.push_str(", some of them used"),
        }
        lines.push(Line::Gap { words });
    }
}

fn origin(rows: &[usize], counts: Counts) -> Option<OriginView> {
    const LISTED: usize = 3;
    if rows.is_empty() {
        return None;
    }
    let listed = words::row_numbers(rows);
    Some(OriginView {
        short: if rows.len() <= LISTED {
            listed.clone()
        } else {
            match counts {
                Counts::Said => words::count(rows.len(), "row"),
                Counts::Withheld => "several rows".to_owned(),
            }
        },
        long: if rows.len() == 1 {
            format!("row {listed} of the first table")
        } else {
            format!("rows {listed} of the first table")
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(rows: &[usize]) -> Marks {
        Marks {
            rows: rows.iter().copied().collect(),
            ..Marks::default()
        }
    }

    #[test]
    fn marked_rows_of_a_long_table_keep_their_neighbours() {
        let shown: Vec<usize> = rows_at_a_glance(200, &marks(&[50, 120])).into_iter().collect();
        assert_eq!(shown, [0, 1, 2, 49, 50, 51, 119, 120, 121, 199]);
    }

    #[test]
    fn a_single_row_is_not_left_out() {
        let shown = rows_at_a_glance(200, &marks(&[5]));
        assert!(shown.contains(&3));
        assert!(!shown.contains(&7));
    }

    #[test]
    fn a_long_table_never_shows_much_more_than_the_limit() {
        let every: Vec<usize> = (0..400).collect();
        assert_eq!(rows_at_a_glance(400, &marks(&every)).len(), ROWS_AT_A_GLANCE);
        assert_eq!(rows_at_a_glance(400, &Marks::default()).len(), ROWS_AT_A_GLANCE);
        let every_fourth: Vec<usize> = (0..400).step_by(4).collect();
        assert!(rows_at_a_glance(400, &marks(&every_fourth)).len() <= 2 * ROWS_AT_A_GLANCE);
    }

    #[test]
    fn origins_are_short_beside_the_row_and_long_in_full() {
        let one = origin(&[6], Counts::Said).unwrap();
        assert_eq!(
            (one.short.as_str(), one.long.as_str()),
            ("7", "row 7 of the first table")
        );
        let many = origin(&[0, 1, 2, 8], Counts::Said).unwrap();
        assert_eq!(
            (many.short.as_str(), many.long.as_str()),
            ("4 rows", "rows 1–3, 9 of the first table")
        );
        assert_eq!(origin(&[0, 1, 2, 8], Counts::Withheld).unwrap().short, "several rows");
        assert_eq!(origin(&[], Counts::Said), None);
    }
}
