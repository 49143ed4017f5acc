//! Completeness: every marked condition cell and witness cell matters.
//!
//! A cell matters when some other value in it alters the result beyond carrying that value along. Where none does by
//! itself, a contingency is looked for, as in the definition of actual causes by Halpern and Pearl ("Causes and
//! explanations: a structural-model approach", 2005): other cells and rows are changed first, which leaves the result as
//! it is, and then the cell alters it. Last, contingencies that do alter the result are taken: there the cell matters
//! with other values than the table's.

use std::collections::BTreeSet;

use rand::RngExt;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;
use rusqlite::types::Value as SqlValue;

use super::compare::{alters, beyond_carried, cell_change, recorded};
use super::session::{Budget, Change, Session};
use super::values::Values;
use super::{Undecided, generator};
use crate::engine::sqlite::Outcome;
use crate::trace::Lineage;
use crate::trace::lineage::CellPosition;
use crate::trace::proof::{Completeness, ExplainedCell, Explanation};

/// Explained cells and cells without explanation that a record lists.
const MOST_LISTED: usize = 20;
/// Random contingencies that leave the result as it is.
const RANDOM_ORDERS: usize = 16;
/// Random contingencies that may alter it.
const RANDOM_CONTEXTS: usize = 160;
/// Values of the cell tried in each of the latter.
const MOST_IN_CONTEXT: usize = 10;
/// Values of a cell with which the statement is traced again.
const MOST_RETRACED: usize = 8;
/// Elements up to which a contingency is made smaller one by one.
const MOST_TO_DROP: usize = 40;

/// Tries to make every marked cell matter.
pub(super) fn completeness(
    session: &mut Session<'_>,
    lineage: &Lineage,
    values: &Values,
    seed: &[u8],
    budget: &mut Budget,
    retrace: &Retrace<'_>,
) -> Completeness {
    if !lineage.is_exact() {
        return Completeness::NotClaimed;
    }
    let mut cells: Vec<CellPosition> = lineage.condition_cells.clone();
    cells.extend(&lineage.witness_cells);
    cells.sort_unstable();
    cells.dedup();
    let table = session.values.clone();
    let mut search = Search {
        session,
        lineage,
        values,
        budget,
        table,
        marked: cells.clone(),
        random: generator(seed, "completeness"),
        last: None,
        retrace,
        traced_first: None,
    };
    let mut alone = 0;
    let (mut explained, mut unexplained, mut pending) = (Vec::new(), Vec::new(), Vec::new());
    // The cheap ones first, so that a bound met in a search leaves few cells open.
    for (place, cell) in cells.iter().enumerate() {
        if !search.is_in_a_marked_row(*cell) {
            unexplained.push(*cell);
            continue;
        }
        match search.alters_alone(*cell) {
            Ok(true) => alone += 1,
            Ok(false) => pending.push(*cell),
            Err(reason) => {
                let open = cells.len() - place + pending.len();
                return finished(alone, explained, unexplained, Some((reason, open)));
            }
        }
    }
    for (place, cell) in pending.iter().enumerate() {
        match search.explain(*cell) {
            Ok(Some(explanation)) => explained.push(explanation),
            Ok(None) => unexplained.push(*cell),
            Err(reason) => return finished(alone, explained, unexplained, Some((reason, pending.len() - place))),
        }
    }
    finished(alone, explained, unexplained, None)
}

fn finished(
    alone: usize,
    mut explained: Vec<ExplainedCell>,
    mut unexplained: Vec<CellPosition>,
    open: Option<(Undecided, usize)>,
) -> Completeness {
    if !unexplained.is_empty() {
        let count = unexplained.len();
        unexplained.truncate(MOST_LISTED);
        return Completeness::Incomplete {
            count,
            cells: unexplained,
        };
    }
    if let Some((reason, open)) = open {
        return Completeness::Undecided { reason, open };
    }
    if explained.is_empty() {
        return Completeness::Complete { cells: alone };
    }
    let count = explained.len();
    let by_tracing = explained.iter().filter(|cell| cell.reason.is_by_tracing()).count();
    explained.truncate(MOST_LISTED);
    Completeness::Explained {
        alone,
        explained: count,
        by_tracing,
        cells: explained,
    }
}

struct Search<'run, 'db> {
    session: &'run mut Session<'db>,
    lineage: &'run Lineage,
    values: &'run Values,
    budget: &'run mut Budget,
    table: Vec<Vec<SqlValue>>,
    /// All condition and witness cells.
    marked: Vec<CellPosition>,
    random: ChaCha8Rng,
    /// The contingency that helped last, and for which row: cells of other rows are often alike.
    last: Option<(usize, Change)>,
    retrace: &'run Retrace<'run>,
    /// The lineage traced again on the table as it is, once it is asked for.
    traced_first: Option<Option<Lineage>>,
}

/// The lineage of the statement on the table with some cells changed.
pub(super) type Retrace<'a> = dyn Fn(&[((usize, usize), SqlValue)]) -> Option<Lineage> + 'a;

impl Search<'_, '_> {
    fn is_in_a_marked_row(&self, cell: CellPosition) -> bool {
        let CellPosition { row, column } = cell;
        let roles = self.lineage.roles(row, column);
        row < self.table.len()
            && column < self.table[row].len()
            && (roles.kept_row || roles.aggregate_member || roles.deciding_row)
    }

    fn value(&self, cell: CellPosition) -> SqlValue {
        self.table[cell.row][cell.column].clone()
    }

    fn run(&mut self, change: &Change) -> Result<Outcome, Undecided> {
        self.session.run(change, self.budget)
    }

    fn alters_alone(&mut self, cell: CellPosition) -> Result<bool, Undecided> {
        let before = Outcome::Rows(self.session.baseline.clone());
        Ok(self.altering(cell, &Change::default(), &before, usize::MAX)?.is_some())
    }

    /// The first value of the cell that alters what the contingency gives.
    fn altering(
        &mut self,
        cell: CellPosition,
        contingency: &Change,
        before: &Outcome,
        most: usize,
    ) -> Result<Option<SqlValue>, Undecided> {
        let current = self.value(cell);
        for value in self.values.alternatives(cell.column, &current).into_iter().take(most) {
            let change = contingency.and(&Change::cell(cell.row, cell.column, value.clone()));
            let after = self.run(&change)?;
            if alters(before, &after, self.lineage, cell.column, &current, &value) {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    /// Whether a contingency leaves the result as it is; with the result, if so.
    fn leaves_it(&mut self, contingency: &Change) -> Result<Option<Outcome>, Undecided> {
        let after = self.run(contingency)?;
        let baseline = &self.session.baseline;
        let is_left = beyond_carried(baseline, &after, self.lineage, &self.table, contingency).is_none();
        Ok(is_left.then_some(after))
    }

    /// A reason why the cell does not matter alone; `None` when none was found.
    fn explain(&mut self, cell: CellPosition) -> Result<Option<ExplainedCell>, Undecided> {
        if let Some(change) = self.last_for(cell)
            && let Some(found) = self.with_contingency(cell, &change)?
        {
            return Ok(Some(found));
        }
        let rows = self.other_rows(cell.row);
        let own = self.own_row(cell);
        let others = self.other_marked(cell);
        let plans: [Vec<&[Change]>; 5] = [
            vec![&own],
            vec![&rows],
            vec![&own, &rows],
            vec![&rows, &own],
            vec![&others, &own],
        ];
        for plan in plans {
            if let Some(found) = self.greedy(cell, &plan)? {
                return Ok(Some(found));
            }
        }
        for _ in 0..RANDOM_ORDERS {
            let mixed = self.shuffled(cell, &[&own, &rows, &others]);
            if let Some(found) = self.greedy(cell, &[&mixed])? {
                return Ok(Some(found));
            }
        }
        let own_base = self.as_many_as_leave_it(Change::default(), &own)?;
        if let Some(found) = self.in_other_contexts(cell, &own_base)? {
            return Ok(Some(found));
        }
        self.loses_its_mark(cell)
    }

    /// Whether the cell is marked for its value at all: traced again with another value, it is not.
    fn loses_its_mark(&mut self, cell: CellPosition) -> Result<Option<ExplainedCell>, Undecided> {
        let is_marked = |lineage: &Lineage| {
            let roles = lineage.roles(cell.row, cell.column);
            lineage.is_exact() && (roles.condition_cell || roles.witness)
        };
        let is_used = |lineage: &Lineage| {
            let roles = lineage.roles(cell.row, cell.column);
            roles.kept_row || roles.aggregate_member || roles.deciding_row
        };
        let first = self.traced_first.get_or_insert_with(|| (self.retrace)(&[]));
        if !first.as_ref().is_some_and(is_marked) {
            return Ok(None);
        }
        let current = self.value(cell);
        let mut implied = None;
        for value in self
            .values
            .alternatives(cell.column, &current)
            .into_iter()
            .take(MOST_RETRACED)
        {
            self.budget.take_run()?;
            let Some(lineage) = (self.retrace)(&[((cell.row, cell.column), value.clone())]) else {
                continue;
            };
            if !lineage.is_exact() || is_marked(&lineage) {
                continue;
            }
            if !is_used(&lineage) {
                let reason = Explanation::ResultIsIndifferent;
                return Ok(Some(self.explained(cell, reason, &Change::default(), &value)));
            }
            implied.get_or_insert(value);
        }
        let is_witness = self.lineage.witness_cells.binary_search(&cell).is_ok();
        let reason = if is_witness {
            Explanation::ResultIsIndifferent
        } else {
            Explanation::ConditionIsImplied
        };
        Ok(implied.map(|value| self.explained(cell, reason, &Change::default(), &value)))
    }

    /// Makes as many of the changes, in this order, as leave the result as it is, then tries the cell.
    fn greedy(&mut self, cell: CellPosition, plan: &[&[Change]]) -> Result<Option<ExplainedCell>, Undecided> {
        let mut contingency = Change::default();
        for changes in plan {
            contingency = self.as_many_as_leave_it(contingency, changes)?;
        }
        if contingency.size() == 0 {
            return Ok(None);
        }
        self.with_contingency(cell, &contingency)
    }

    fn as_many_as_leave_it(&mut self, base: Change, changes: &[Change]) -> Result<Change, Undecided> {
        if changes.is_empty() {
            return Ok(base);
        }
        let all = changes.iter().fold(base.clone(), |all, change| all.and(change));
        if self.leaves_it(&all)?.is_some() {
            return Ok(all);
        }
        if changes.len() == 1 {
            return Ok(base);
        }
        let (first, second) = changes.split_at(changes.len() / 2);
        let base = self.as_many_as_leave_it(base, first)?;
        self.as_many_as_leave_it(base, second)
    }

    fn with_contingency(
        &mut self,
        cell: CellPosition,
        contingency: &Change,
    ) -> Result<Option<ExplainedCell>, Undecided> {
        let Some(before) = self.leaves_it(contingency)? else {
            return Ok(None);
        };
        let Some(value) = self.altering(cell, contingency, &before, usize::MAX)? else {
            return Ok(None);
        };
        let contingency = self.made_small(cell, contingency.clone(), &value)?;
        self.last = Some((cell.row, contingency.clone()));
        let is_own = contingency.cells.iter().any(|((row, _), _)| *row == cell.row);
        let is_others =
            !contingency.deleted.is_empty() || contingency.cells.iter().any(|((row, _), _)| *row != cell.row);
        let reason = match (is_own, is_others) {
            (true, false) => Explanation::AnotherConditionHolds,
            (false, _) => Explanation::AnotherRowGivesIt,
            (true, true) => Explanation::SeveralTogether,
        };
        Ok(Some(self.explained(cell, reason, &contingency, &value)))
    }

    /// Drops from a contingency what it does not take.
    fn made_small(&mut self, cell: CellPosition, mut change: Change, value: &SqlValue) -> Result<Change, Undecided> {
        let current = self.value(cell);
        let mut place = 0;
        let begun = change.size();
        while begun <= MOST_TO_DROP && place < change.size() && change.size() > 1 {
            let mut fewer = change.clone();
            if place < fewer.cells.len() {
                fewer.cells.remove(place);
            } else {
                fewer.deleted.remove(place - fewer.cells.len());
            }
            let is_enough = match self.leaves_it(&fewer)? {
                Some(before) => {
                    let both = fewer.and(&Change::cell(cell.row, cell.column, value.clone()));
                    let after = self.run(&both)?;
                    alters(&before, &after, self.lineage, cell.column, &current, value)
                }
                None => false,
            };
            if is_enough {
                change = fewer;
            } else {
                place += 1;
            }
        }
        Ok(change)
    }

    /// The contingency that helped last, made to fit another cell: its row stays, the other's goes instead.
    fn last_for(&self, cell: CellPosition) -> Option<Change> {
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

    /// Deleting each other row that is in the result or decided.
    fn other_rows(&self, row: usize) -> Vec<Change> {
        let rows: BTreeSet<usize> = self
            .lineage
            .rows
            .iter()
            .chain(&self.lineage.deciding_rows)
            .copied()
            .collect();
        rows.into_iter()
            .filter(|other| *other != row)
            .map(|other| Change::deleting(vec![other]))
            .collect()
    }

    /// Changing each other examined cell of the row, in a few ways; marked ones first.
    fn own_row(&self, cell: CellPosition) -> Vec<Change> {
        let mut columns: Vec<usize> = self.lineage.columns.clone();
        columns.retain(|column| *column != cell.column);
        let is_marked = |column: &usize| {
            let place = CellPosition {
                row: cell.row,
                column: *column,
            };
            self.marked.binary_search(&place).is_err()
        };
        columns.sort_by_key(is_marked);
        columns
            .into_iter()
            .filter_map(|column| self.emptied(cell.row, column))
            .collect()
    }

    /// Changing each condition and witness cell of other rows.
    fn other_marked(&self, cell: CellPosition) -> Vec<Change> {
        self.marked
            .iter()
            .filter(|other| other.row != cell.row)
            .filter_map(|other| self.emptied(other.row, other.column))
            .collect()
    }

    /// Blanking a cell, or filling a blank one.
    fn emptied(&self, row: usize, column: usize) -> Option<Change> {
        let current = self.table.get(row)?.get(column)?;
        let value = self.values.alternatives(column, current).into_iter().next()?;
        Some(Change::cell(row, column, value))
    }

    /// The changes in random order, cells with random values.
    fn shuffled(&mut self, cell: CellPosition, lists: &[&[Change]]) -> Vec<Change> {
        let mut mixed: Vec<Change> = Vec::new();
        for list in lists {
            mixed.extend(list.iter().filter(|_| self.random.random_bool(0.7)).cloned());
        }
        for change in &mut mixed {
            for ((row, column), value) in &mut change.cells {
                let current = &self.table[*row][*column];
                if let Some(other) = self.values.alternatives(*column, current).choose(&mut self.random) {
                    *value = other.clone();
                }
            }
        }
        mixed.retain(|change| !change.deleted.contains(&cell.row));
        mixed.shuffle(&mut self.random);
        mixed
    }

    /// With other values in examined cells the cell matters: random contingencies that may alter the result.
    fn in_other_contexts(&mut self, cell: CellPosition, own_base: &Change) -> Result<Option<ExplainedCell>, Undecided> {
        let columns = self.lineage.columns.clone();
        let others: Vec<usize> = (0..self.table.len()).filter(|row| *row != cell.row).collect();
        for round in 0..RANDOM_CONTEXTS {
            // Every other time with the other conditions of its row out of the way.
            let mut contingency = if round % 2 == 1 {
                own_base.clone()
            } else {
                Change::default()
            };
            let most = 1 + round / 20;
            for _ in 0..self.random.random_range(1..=most) {
                let row = if self.random.random_bool(0.5) {
                    Some(&cell.row)
                } else {
                    others.choose(&mut self.random)
                };
                let (Some(row), Some(column)) = (row.copied(), columns.choose(&mut self.random).copied()) else {
                    continue;
                };
                if (row, column) == (cell.row, cell.column) {
                    continue;
                }
                let alternatives = self.values.alternatives(column, &self.table[row][column]);
                if let Some(value) = alternatives.choose(&mut self.random) {
                    contingency.cells.push(((row, column), value.clone()));
                }
            }
            if round % 4 == 3
                && let Some(row) = others.choose(&mut self.random)
            {
                contingency.deleted.push(*row);
            }
            if contingency.size() == 0 {
                continue;
            }
            let before = self.run(&contingency)?;
            if let Some(value) = self.altering(cell, &contingency, &before, MOST_IN_CONTEXT)? {
                let found = self.explained(cell, Explanation::SameEitherWay, &contingency, &value);
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn explained(
        &self,
        cell: CellPosition,
        reason: Explanation,
        contingency: &Change,
        value: &SqlValue,
    ) -> ExplainedCell {
        ExplainedCell {
            cell,
            reason,
            contingency: recorded(contingency, &self.table),
            change: cell_change(cell.row, cell.column, value, &self.table),
        }
    }
}
