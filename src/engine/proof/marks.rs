//! The marks that are to be proven, what each claims in the table as it is, which values take that away, and which changes
//! of other cells and rows may be made first.

use std::collections::BTreeSet;

use rusqlite::types::Value as SqlValue;

use super::Undecided;
use super::completeness::Search;
use super::session::{Change, Question, as_work, row_number};
use crate::trace::lineage::CellPosition;
use crate::trace::{Lineage, RowSources};

/// A marked cell, in one of its roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mark {
    pub(super) cell: CellPosition,
    pub(super) is_witness: bool,
}

impl Mark {
    /// All condition cells and witness cells; a cell that is both twice.
    pub(super) fn all(lineage: &Lineage) -> Vec<Self> {
        let of = |cells: &[CellPosition], is_witness| {
            let marks = cells.iter().map(|cell| Self {
                cell: *cell,
                is_witness,
            });
            marks.collect::<BTreeSet<Self>>()
        };
        let mut all = of(&lineage.condition_cells, false);
        all.extend(of(&lineage.witness_cells, true));
        all.into_iter().collect()
    }
}

/// What is further from the middle than a value of an argument.
pub(super) struct Beyond {
    extreme: usize,
    value: SqlValue,
    /// Such rows.
    rows: BTreeSet<usize>,
    /// Result rows that come from one of them.
    results: BTreeSet<usize>,
    /// For each group of sources whether a result row comes from it and from none of them.
    open_groups: Vec<bool>,
}

/// Where the sources of result rows are turned round.
pub(super) struct Results {
    /// For each row the result rows that it is a source of by itself.
    own: Vec<Vec<usize>>,
    /// For each row the groups of sources that it is in.
    groups: Vec<Vec<usize>>,
    /// For each group its result rows.
    of_groups: Vec<Vec<usize>>,
    /// Sources in all.
    size: usize,
}

impl Results {
    fn of(sources: &RowSources, rows: usize) -> Self {
        let mut turned = Self {
            own: vec![Vec::new(); rows],
            groups: vec![Vec::new(); rows],
            of_groups: vec![Vec::new(); sources.groups.len()],
            size: 0,
        };
        for result in 0..sources.len() {
            for source in sources.own(result) {
                push(&mut turned.own, *source, result);
            }
            for group in sources.groups_of(result) {
                push(&mut turned.of_groups, *group, result);
            }
            turned.size += 1 + sources.own(result).len() + sources.groups_of(result).len();
        }
        for (group, rows) in sources.groups.iter().enumerate() {
            for row in rows {
                push(&mut turned.groups, *row, group);
            }
            turned.size += rows.len();
        }
        turned
    }

    /// All sources of the result rows that a row is a source of.
    fn beside(&self, sources: &RowSources, row: usize) -> BTreeSet<usize> {
        let of_groups = self.groups[row].iter().flat_map(|group| &self.of_groups[*group]);
        sources.union_of(self.own[row].iter().chain(of_groups).copied())
    }
}

/// A lineage that is wrong may speak of rows that are not there.
fn push(lists: &mut [Vec<usize>], place: usize, value: usize) {
    if let Some(list) = lists.get_mut(place) {
        list.push(value);
    }
}

/// What a mark claims in the table as it is.
pub(super) struct Held {
    /// Positions of conditions that count for the cell's row, or of arguments that have a value there, with that value.
    known: Vec<(usize, SqlValue)>,
    /// Whether it may be for what cannot be asked.
    is_unknown: bool,
}

impl Held {
    /// Positions of what is held and can be asked.
    pub(super) fn positions(&self) -> impl Iterator<Item = usize> {
        self.known.iter().map(|(position, _)| *position)
    }
}

impl Search<'_, '_> {
    /// What the mark claims; `None` where that is nothing.
    pub(super) fn held(&mut self, mark: Mark) -> Result<Option<Held>, Undecided> {
        let CellPosition { row, column } = mark.cell;
        let roles = self.lineage.roles(row, column);
        let is_marked = roles.kept_row || roles.aggregate_member || roles.deciding_row;
        if !is_marked || self.table.get(row).is_none_or(|cells| column >= cells.len()) {
            return Ok(None);
        }
        let current = self.value(mark.cell);
        let of = vec![SqlValue::Integer(row_number(row))];
        let (mut places, mut questions) = (Vec::new(), Vec::new());
        let is_unknown = if mark.is_witness {
            for (place, extreme) in self.claims.extremes.iter_mut().enumerate() {
                if extreme.columns.contains(&column) {
                    places.push(place);
                    questions.push(Question {
                        statement: &mut extreme.value,
                        of: of.clone(),
                    });
                }
            }
            self.claims.unknown_extremes.contains(&column)
        } else {
            for (place, condition) in self.claims.conditions.iter_mut().enumerate() {
                if condition.columns.contains(&column) {
                    places.push(place);
                    questions.push(Question {
                        statement: &mut condition.counts,
                        of: of.clone(),
                    });
                }
            }
            self.claims.unknown_conditions.contains(&column)
        };
        let mut known: Vec<(usize, SqlValue)> = Vec::new();
        if !questions.is_empty() {
            let place = (row, column);
            let answers = self
                .session
                .ask(&Change::default(), place, &[current], &mut questions, self.budget)?;
            known = places.into_iter().zip(answers.into_iter().flatten()).collect();
        }
        if mark.is_witness {
            known.retain(|(_, value)| *value != SqlValue::Null);
            if self.claims.is_plain {
                let mut most = Vec::new();
                for (place, value) in known {
                    if self.is_furthest(row, place, &value)? {
                        most.push((place, value));
                    }
                }
                known = most;
            }
        } else {
            known.retain(|(_, answer)| *answer == SqlValue::Integer(1));
        }
        let held = Held { known, is_unknown };
        Ok((held.is_unknown || !held.known.is_empty()).then_some(held))
    }

    /// Those of the values that take the mark's claim away, under a contingency.
    pub(super) fn taking_away(
        &mut self,
        mark: Mark,
        held: &Held,
        contingency: &Change,
        values: &[SqlValue],
    ) -> Result<Vec<SqlValue>, Undecided> {
        let CellPosition { row, column } = mark.cell;
        let current = self.value(mark.cell);
        if values.is_empty() {
            return Ok(Vec::new());
        }
        let unknown = |value: &SqlValue| held.is_unknown && (*value == SqlValue::Null || current == SqlValue::Null);
        if held.known.is_empty() {
            return Ok(values.iter().filter(|value| unknown(value)).cloned().collect());
        }
        let number = SqlValue::Integer(row_number(row));
        let mut questions: Vec<Question<'_, '_>> = if mark.is_witness {
            let extremes = self.claims.extremes.iter_mut().enumerate();
            extremes
                .filter_map(|(place, extreme)| {
                    let (_, value) = held.known.iter().find(|(known, _)| *known == place)?;
                    Some(Question {
                        statement: &mut extreme.is_nearer,
                        of: vec![number.clone(), value.clone()],
                    })
                })
                .collect()
        } else {
            let conditions = self.claims.conditions.iter_mut().enumerate();
            conditions
                .filter(|(place, _)| held.known.iter().any(|(known, _)| known == place))
                .map(|(_, condition)| Question {
                    statement: &mut condition.counts,
                    of: vec![number.clone()],
                })
                .collect()
        };
        let mut asked = vec![current.clone()];
        asked.extend_from_slice(values);
        let answers = self
            .session
            .ask(contingency, (row, column), &asked, &mut questions, self.budget)?;
        let Some((now, others)) = answers.split_first() else {
            return Ok(Vec::new());
        };
        let yes = SqlValue::Integer(1);
        let takes = |answers: &Vec<SqlValue>| {
            now.iter().zip(answers).any(|(now, answer)| {
                if mark.is_witness {
                    *answer == yes
                } else {
                    *now == yes && *answer != yes
                }
            })
        };
        let taking = values
            .iter()
            .zip(others)
            .filter(|(value, answers)| takes(answers) || unknown(value));
        Ok(taking.map(|(value, _)| value.clone()).collect())
    }

    /// Those of the values with which a condition that the mark claims no longer holds beside one of the rows that it holds
    /// beside now: `t.a > 1 AND u.b = 2 OR t.a <= 1 AND u.b = 3` holds beside some row whatever `t.a` is.
    pub(super) fn losing_a_row_beside(
        &mut self,
        mark: Mark,
        held: &Held,
        values: &[SqlValue],
    ) -> Result<Vec<SqlValue>, Undecided> {
        let CellPosition { row, column } = mark.cell;
        let conditions = self.claims.conditions.iter_mut().enumerate();
        let mut questions: Vec<Question<'_, '_>> = conditions
            .filter(|(place, _)| held.known.iter().any(|(known, _)| known == place))
            .filter_map(|(_, condition)| condition.beside.as_mut())
            .map(|statement| Question {
                statement,
                of: vec![SqlValue::Integer(row_number(row))],
            })
            .collect();
        if questions.is_empty() {
            return Ok(Vec::new());
        }
        let mut asked = vec![self.table[row][column].clone()];
        asked.extend_from_slice(values);
        let answers = self
            .session
            .ask(&Change::default(), (row, column), &asked, &mut questions, self.budget)?;
        let rows = |answer: &SqlValue| match answer {
            SqlValue::Text(text) => text.split(',').map(str::to_owned).collect::<BTreeSet<String>>(),
            _ => BTreeSet::new(),
        };
        let Some((now, others)) = answers.split_first() else {
            return Ok(Vec::new());
        };
        let now: Vec<BTreeSet<String>> = now.iter().map(rows).collect();
        let loses = |then: &Vec<SqlValue>| now.iter().zip(then).any(|(now, then)| !now.is_subset(&rows(then)));
        let losing = values.iter().zip(others).filter(|(_, then)| loses(then));
        Ok(losing.map(|(value, _)| value.clone()).collect())
    }

    /// A value that takes the mark's claim away while another condition on the same cell, which did not count, comes to
    /// count: `c IS NULL OR c IS NOT NULL` holds whatever the cell is, by one or the other.
    pub(super) fn taken_over(
        &mut self,
        mark: Mark,
        held: &Held,
        values: &[SqlValue],
    ) -> Result<Option<SqlValue>, Undecided> {
        let CellPosition { row, column } = mark.cell;
        let (mut places, mut questions) = (Vec::new(), Vec::new());
        for (place, condition) in self.claims.conditions.iter_mut().enumerate() {
            if condition.columns.contains(&column) {
                places.push(place);
                questions.push(Question {
                    statement: &mut condition.counts,
                    of: vec![SqlValue::Integer(row_number(row))],
                });
            }
        }
        let mut asked = vec![self.table[row][column].clone()];
        asked.extend_from_slice(values);
        let answers = self
            .session
            .ask(&Change::default(), (row, column), &asked, &mut questions, self.budget)?;
        let Some((now, others)) = answers.split_first() else {
            return Ok(None);
        };
        let counts = |answer: &SqlValue| *answer == SqlValue::Integer(1);
        let is_held = |place: &usize| held.positions().any(|held| held == *place);
        let is_taken_over = |then: &Vec<SqlValue>| {
            let each = || places.iter().zip(now.iter().zip(then));
            each().any(|(place, (now, then))| is_held(place) && counts(now) && !counts(then))
                && each().any(|(place, (now, then))| !is_held(place) && !counts(now) && counts(then))
        };
        let found = values.iter().zip(others).find(|(_, then)| is_taken_over(then));
        Ok(found.map(|(value, _)| value.clone()))
    }

    /// Whether of some result row's sources none is further from the middle.
    fn is_furthest(&mut self, row: usize, extreme: usize, value: &SqlValue) -> Result<bool, Undecided> {
        self.look_beyond(extreme, value)?;
        let (Some(beyond), Some(results)) = (&self.beyond, &self.results) else {
            return Ok(true);
        };
        let is_open = |result: &usize| !beyond.results.contains(result);
        Ok(results.own[row].iter().any(is_open) || results.groups[row].iter().any(|group| beyond.open_groups[*group]))
    }

    /// Finds what is further from the middle than the value, unless that was asked last.
    fn look_beyond(&mut self, extreme: usize, value: &SqlValue) -> Result<(), Undecided> {
        let sources = &self.lineage.sources;
        let results = self
            .results
            .get_or_insert_with(|| Results::of(sources, self.table.len()));
        let is_known = |beyond: &Beyond| beyond.extreme == extreme && beyond.value == *value;
        if self.beyond.as_ref().is_some_and(is_known) {
            return Ok(());
        }
        self.budget.take_work(as_work(results.size))?;
        let question = &mut self.claims.extremes[extreme].beyond;
        let rows = self
            .session
            .ask_rows(question, std::slice::from_ref(value), self.budget)?;
        let rows: BTreeSet<usize> = rows.into_iter().collect();
        let has_further = |of: &[usize]| of.iter().any(|row| rows.contains(row));
        let groups: Vec<bool> = sources.groups.iter().map(|group| has_further(group)).collect();
        let blocked = |result: &usize| {
            has_further(sources.own(*result))
                || sources
                    .groups_of(*result)
                    .iter()
                    .any(|group| groups.get(*group) == Some(&true))
        };
        let blocked: BTreeSet<usize> = (0..sources.len()).filter(blocked).collect();
        let mut open_groups = vec![false; sources.groups.len()];
        for result in (0..sources.len()).filter(|result| !blocked.contains(result)) {
            for group in sources.groups_of(result) {
                if let Some(open) = open_groups.get_mut(*group) {
                    *open = true;
                }
            }
        }
        self.beyond = Some(Beyond {
            extreme,
            value: value.clone(),
            rows,
            results: blocked,
            open_groups,
        });
        Ok(())
    }

    /// Rows that stay when a witness is looked at: those of its own result rows that are further from the middle; of an
    /// argument that cannot be asked, all that are no witnesses.
    pub(super) fn not_to_be_taken_out(&mut self, mark: Mark, held: &Held) -> Result<BTreeSet<usize>, Undecided> {
        self.budget.take_work(as_work(self.table.len()))?;
        if held.known.is_empty() {
            let is_witness = |row: &usize| self.lineage.witness_rows.binary_search(row).is_ok();
            return Ok((0..self.table.len()).filter(|row| !is_witness(row)).collect());
        }
        let mut kept = BTreeSet::new();
        for (extreme, value) in &held.known {
            self.look_beyond(*extreme, value)?;
            let (Some(beyond), Some(results)) = (&self.beyond, &self.results) else {
                continue;
            };
            let beside = results.beside(&self.lineage.sources, mark.cell.row);
            kept.extend(beside.intersection(&beyond.rows));
        }
        Ok(kept)
    }

    /// The contingency that helped last, made to fit another cell: its row stays, the other's goes instead.
    pub(super) fn last_for(&self, cell: CellPosition) -> Option<Change> {
        let (row, last) = self.last.as_ref()?;
        let mut change = last.clone();
        let others = change.deleted.len();
        change.deleted.retain(|deleted| *deleted != cell.row);
        if change.deleted.len() < others {
            change.deleted.push(*row);
        }
        // The same conditions of the row, with the same values.
        for ((changed, _), _) in &mut change.cells {
            if *changed == *row {
                *changed = cell.row;
            }
        }
        change.cells.retain(|(place, _)| *place != (cell.row, cell.column));
        (change.size() > 0).then_some(change)
    }

    /// Deleting all rows that are not marked, which could take its place, and each other row that is in the result or decided.
    pub(super) fn other_rows(&self, row: usize) -> Vec<Change> {
        let rows: BTreeSet<usize> = self
            .lineage
            .rows
            .iter()
            .chain(&self.lineage.deciding_rows)
            .copied()
            .collect();
        let outside: Vec<usize> = (0..self.table.len())
            .filter(|other| *other != row && !rows.contains(other))
            .collect();
        let marked = rows.iter().filter(|other| **other != row);
        std::iter::once(outside)
            .filter(|outside| !outside.is_empty())
            .chain(marked.map(|other| vec![*other]))
            .map(Change::deleting)
            .collect()
    }

    /// Each other examined cell of the row with each value that it may have instead, one at a time.
    pub(super) fn own_values(&self, cell: CellPosition) -> Vec<Change> {
        let columns = self.lineage.columns.iter().filter(|column| **column != cell.column);
        let each = columns.flat_map(|column| {
            let current = &self.table[cell.row][*column];
            let values = self.values.alternatives(*column, current).into_iter();
            values.map(|value| Change::cell(cell.row, *column, value))
        });
        each.collect()
    }

    /// Each other row taken out, with each value that another marked cell of the row may have; where these are few.
    pub(super) fn row_and_value(&self, cell: CellPosition) -> Vec<Change> {
        const MOST_ROWS: usize = 20;
        const MOST: usize = 400;
        let rows = self.other_rows(cell.row);
        if rows.len() > MOST_ROWS {
            return Vec::new();
        }
        let is_marked = |change: &Change| {
            let mut places = change.cells.iter().map(|(place, _)| *place);
            places.any(|(row, column)| self.lineage.roles(row, column).condition_cell)
        };
        let values = self.own_values(cell).into_iter().filter(is_marked);
        let both = values.flat_map(|value| rows.iter().map(move |row| row.and(&value)));
        both.take(MOST).collect()
    }

    /// Changing each other examined cell of the row; marked ones first.
    pub(super) fn own_row(&self, cell: CellPosition) -> Vec<Change> {
        let mut columns: Vec<usize> = self.lineage.columns.clone();
        columns.retain(|column| *column != cell.column);
        columns.sort_by_key(|column| !self.lineage.roles(cell.row, *column).condition_cell);
        columns
            .into_iter()
            .filter_map(|column| self.emptied(cell.row, column))
            .collect()
    }

    /// Changing each cell of other rows that is marked in the same role.
    pub(super) fn other_marked(&self, mark: Mark) -> Vec<Change> {
        self.marks
            .iter()
            .filter(|other| {
                other.cell.row != mark.cell.row && (other.is_witness == mark.is_witness || !mark.is_witness)
            })
            .filter_map(|other| self.emptied(other.cell.row, other.cell.column))
            .collect()
    }

    /// Blanking a cell, or filling a blank one.
    fn emptied(&self, row: usize, column: usize) -> Option<Change> {
        let current = self.table.get(row)?.get(column)?;
        let value = self.values.alternatives(column, current).into_iter().next()?;
        Some(Change::cell(row, column, value))
    }
}
