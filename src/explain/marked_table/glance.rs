//! What of a long or wide table is shown at a glance.

use std::collections::BTreeSet;

use super::{COLUMNS_AT_A_GLANCE, HeaderView, Marks, ROWS_AT_A_GLANCE, Slot};

/// The rows of a long table that are shown at a glance: the marked ones and their neighbours, start and end; if that
/// is still too much, the first and last of those.
pub(super) fn rows_at_a_glance(row_count: usize, marks: &Marks) -> BTreeSet<usize> {
    const START: usize = 3;
    const END: usize = 5;
    const LAST_OF_START: usize = ROWS_AT_A_GLANCE - END;
    let marked = outermost(
        [
            &mut marks.rows.iter().copied() as &mut dyn DoubleEndedIterator<Item = usize>,
            &mut marks.deciding_rows.iter().copied(),
            &mut marks.condition_cells.iter().map(|cell| cell.row),
        ],
        ROWS_AT_A_GLANCE,
    );
    let mut shown: BTreeSet<usize> = if marked.is_empty() {
        let end = row_count.saturating_sub(END).max(LAST_OF_START);
        (0..LAST_OF_START.min(row_count)).chain(end..row_count).collect()
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
        let first_of_end = ordered.len() - END;
        shown = ordered
            .into_iter()
            .enumerate()
            .filter(|(place, _)| *place < LAST_OF_START || *place >= first_of_end)
            .map(|(_, row)| row)
            .collect();
    }
    // A line that says "1 row not shown" takes the room of the row.
    let ordered: Vec<usize> = shown.iter().copied().collect();
    let lonely = ordered
        .windows(2)
        .filter(|pair| pair[0] + 2 == pair[1])
        .map(|pair| pair[0] + 1);
    shown.extend(lonely);
    shown
}

/// The first and the last of some ascending rows, each once: of many marked rows no others can be shown.
fn outermost<const N: usize>(marked: [&mut dyn DoubleEndedIterator<Item = usize>; N], most: usize) -> BTreeSet<usize> {
    let mut kept = BTreeSet::new();
    for rows in marked {
        let (mut first, mut last) = (BTreeSet::new(), BTreeSet::new());
        while first.len() <= most
            && let Some(row) = rows.next()
        {
            first.insert(row);
        }
        while last.len() <= most
            && let Some(row) = rows.next_back()
        {
            last.insert(row);
        }
        kept.extend(first.into_iter().chain(last));
    }
    kept
}

/// The columns of a wide table that are shown at a glance: the marked ones and new ones, the first ones and the last.
pub(super) fn columns_at_a_glance(headers: &[HeaderView], marks: &Marks) -> Vec<Slot> {
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
}
