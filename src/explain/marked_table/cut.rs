//! A part of a table as it is shown: its rows with their marks, cells cut where they are endless, and what is left out
//! in between.

use std::collections::BTreeSet;

use super::{CellView, Cut, Dropped, HeaderView, Line, Marks, OriginView, RowRole, RowView, Slot};
use crate::explain::visible_text::{has_right_to_left, visible};
use crate::explain::words::{self, Counts};
use crate::table::{Cell, Table};
use crate::trace::RowSources;
use crate::trace::lineage::CellPosition;

/// Characters of one cell that are shown. Where the cells of a table would still hold more than [`TABLE_CHARACTERS`],
/// the next limit holds for all of them.
const CELL_CHARACTERS: [usize; 3] = [2_000, 400, 80];

/// Characters of a table's cells above which each cell is cut shorter.
const TABLE_CHARACTERS: usize = 200_000;

/// What a cut is made from.
pub(super) struct Cutter<'a> {
    pub(super) table: &'a Table,
    pub(super) headers: &'a [HeaderView],
    pub(super) marks: &'a Marks,
    pub(super) dropped: &'a Dropped,
    pub(super) origins: Option<&'a RowSources>,
    pub(super) counts: Counts,
}

impl Cutter<'_> {
    /// The part of the table that these rows and columns are.
    pub(super) fn cut(&self, rows: &BTreeSet<usize>, columns: Vec<Slot>) -> Cut {
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
                Slot::Column(column) => cells.get(*column)?.as_deref().map(|cell| cell.chars().count()),
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
