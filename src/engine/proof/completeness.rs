//! Completeness: every mark of a condition cell or witness cell matters.
//!
//! A mark claims that a condition holds for a cell, or that a MIN or MAX gives it. It counts through values alone that take
//! this claim away (the condition is no longer true; the value is nearer the middle, or NULL): one of them must alter the
//! result beyond being carried along. Where none does by itself, a contingency is looked for, as in the definition of
//! actual causes by Halpern and Pearl ("Causes and explanations: a structural-model approach", 2005): other cells and rows
//! are changed first, which leaves the result as it is, makes no condition of the row true that was not and brings nothing
//! into the result's lineage, and then the cell alters it. Last, contingencies that do alter the result are taken, but leave
//! its lineage as it is: from the same rows, by the same conditions, other values come out, and there the cell matters.

use std::rc::Rc;

use rand::RngExt;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;
use rusqlite::types::Value as SqlValue;

use super::claims::Claims;
use super::compare::{alters, beyond_carried, cell_change, recorded};
use super::marks::{Beyond, Held, Mark, Results};
use super::session::{Budget, Change, Question, Session, row_number};
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
/// Values of a cell that are looked at first; most cells matter with one of these.
const FIRST_VALUES: usize = 3;

/// The lineage of the statement on a changed table.
type Trace<'a> = dyn Fn(&Change) -> Option<Lineage> + 'a;

/// How the statement is traced again, and what that is counted as.
pub(super) struct Retrace<'a> {
    pub(super) trace: &'a Trace<'a>,
    pub(super) work: u64,
}

/// Tries to make every marked cell matter.
pub(super) fn completeness<'db>(
    session: &mut Session<'db>,
    claims: &mut Claims<'db>,
    lineage: &Lineage,
    values: &Values,
    seed: &[u8],
    budget: &mut Budget,
    retrace: &Retrace<'_>,
) -> Completeness {
    if !lineage.is_exact() {
        return Completeness::NotClaimed;
    }
    let marks = Mark::all(lineage);
    let mut search = Search {
        table: session.values.clone(),
        baseline: Rc::new(Outcome::Rows(session.baseline.clone())),
        session,
        claims,
        lineage,
        values,
        budget,
        marks: marks.clone(),
        random: generator(seed, "completeness"),
        last: None,
        retrace,
        traced_first: None,
        truths: None,
        beyond: None,
        results: None,
    };
    let mut alone = 0;
    let (mut explained, mut unexplained, mut pending) = (Vec::new(), Vec::new(), Vec::new());
    // The cheap ones first, so that a bound met in a search leaves few cells open.
    for (place, mark) in marks.iter().enumerate() {
        match search.alters_alone(*mark) {
            Ok(Alone::Alters) => alone += 1,
            Ok(Alone::HoldsNothing) => unexplained.push(mark.cell),
            Ok(Alone::TakesMore(held)) => pending.push((*mark, held)),
            Err(reason) => {
                let open = marks.len() - place + pending.len();
                return finished(alone, explained, unexplained, Some((reason, open)));
            }
        }
    }
    for (place, (mark, held)) in pending.iter().enumerate() {
        match search.explain(*mark, held) {
            Ok(Some(explanation)) => explained.push(explanation),
            Ok(None) => unexplained.push(mark.cell),
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

/// What a change of one cell alone showed.
enum Alone {
    Alters,
    /// No condition holds for it and no MIN or MAX gives it.
    HoldsNothing,
    TakesMore(Held),
}

pub(super) struct Search<'run, 'db> {
    pub(super) session: &'run mut Session<'db>,
    pub(super) claims: &'run mut Claims<'db>,
    pub(super) lineage: &'run Lineage,
    pub(super) values: &'run Values,
    pub(super) budget: &'run mut Budget,
    pub(super) table: Vec<Vec<SqlValue>>,
    baseline: Rc<Outcome>,
    pub(super) marks: Vec<Mark>,
    pub(super) random: ChaCha8Rng,
    /// The contingency that helped a condition last, and for which row: cells of other rows are often alike.
    pub(super) last: Option<(usize, Change)>,
    retrace: &'run Retrace<'run>,
    /// The lineage traced again on the table as it is, once it is asked for.
    traced_first: Option<Option<Rc<Lineage>>>,
    /// Of a row, which conditions hold in the table as it is.
    truths: Option<(usize, Vec<SqlValue>)>,
    /// What is further from the middle than the value of an argument that was looked at last.
    pub(super) beyond: Option<Beyond>,
    /// The result rows of each row, once they are asked for.
    pub(super) results: Option<Results>,
}

impl Search<'_, '_> {
    pub(super) fn value(&self, cell: CellPosition) -> SqlValue {
        self.table[cell.row][cell.column].clone()
    }

    fn run(&mut self, change: &Change) -> Result<Outcome, Undecided> {
        self.session.run(change, self.budget)
    }

    fn alters_alone(&mut self, mark: Mark) -> Result<Alone, Undecided> {
        let Some(held) = self.held(mark)? else {
            return Ok(Alone::HoldsNothing);
        };
        let before = self.baseline.clone();
        let altering = self.altering(mark, &held, &Change::default(), &before, usize::MAX)?;
        if altering.is_some() || self.alters_beside_a_row(mark, &held)? {
            return Ok(Alone::Alters);
        }
        Ok(Alone::TakesMore(held))
    }

    /// Whether a value alters the result with which the claim still holds, but no longer beside a row that it held beside.
    /// It may bring in nothing, or what alters the result might be another row that it comes to hold beside.
    fn alters_beside_a_row(&mut self, mark: Mark, held: &Held) -> Result<bool, Undecided> {
        if mark.is_witness {
            return Ok(false);
        }
        let (cell, before) = (mark.cell, self.baseline.clone());
        let current = self.value(cell);
        let others = self.values.alternatives(cell.column, &current);
        let mut traced = 0;
        for value in self.losing_a_row_beside(mark, held, &others)? {
            let change = Change::cell(cell.row, cell.column, value.clone());
            let after = self.run(&change)?;
            if traced < MOST_RETRACED && alters(&before, &after, self.lineage, cell.column, &current, &value) {
                traced += 1;
                if self.only_takes_away(&change)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The first value that takes the mark's claim away and alters what the contingency gives.
    fn altering(
        &mut self,
        mark: Mark,
        held: &Held,
        contingency: &Change,
        before: &Outcome,
        most: usize,
    ) -> Result<Option<SqlValue>, Undecided> {
        let Mark { cell, .. } = mark;
        let current = self.value(cell);
        let mut others = self.values.alternatives(cell.column, &current);
        others.truncate(most);
        let (first, rest) = others.split_at(others.len().min(FIRST_VALUES));
        for part in [first, rest] {
            for value in self.taking_away(mark, held, contingency, part)? {
                let change = contingency.and(&Change::cell(cell.row, cell.column, value.clone()));
                let after = self.run(&change)?;
                if alters(before, &after, self.lineage, cell.column, &current, &value) {
                    return Ok(Some(value));
                }
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
    fn explain(&mut self, mark: Mark, held: &Held) -> Result<Option<ExplainedCell>, Undecided> {
        if mark.is_witness {
            return self.explain_witness(mark, held);
        }
        let cell = mark.cell;
        if let Some(change) = self.last_for(cell)
            && let Some(found) = self.with_contingency(mark, held, &change)?
        {
            return Ok(Some(found));
        }
        let rows = self.other_rows(cell.row);
        let own = self.own_row(cell);
        let others = self.other_marked(mark);
        let plans: [Vec<&[Change]>; 5] = [
            vec![&own],
            vec![&rows],
            vec![&own, &rows],
            vec![&rows, &own],
            vec![&others, &own],
        ];
        for plan in plans {
            if let Some(found) = self.greedy(mark, held, &plan)? {
                return Ok(Some(found));
            }
        }
        for change in self.own_values(cell) {
            if let Some(found) = self.with_contingency(mark, held, &change)? {
                return Ok(Some(found));
            }
        }
        for _ in 0..RANDOM_ORDERS {
            let mixed = self.shuffled(cell, &[&own, &rows, &others]);
            if let Some(found) = self.greedy(mark, held, &[&mixed])? {
                return Ok(Some(found));
            }
        }
        for change in self.row_and_value(cell) {
            if let Some(found) = self.with_contingency(mark, held, &change)? {
                return Ok(Some(found));
            }
        }
        if let Some(found) = self.in_other_contexts(mark, held)? {
            return Ok(Some(found));
        }
        self.loses_its_mark(mark, held)
    }

    /// A MIN or MAX gives other rows the same: rows nearer the middle, ties, and those of other results may be taken out,
    /// rows further from it may not, for then any member would become a witness.
    fn explain_witness(&mut self, mark: Mark, held: &Held) -> Result<Option<ExplainedCell>, Undecided> {
        let kept = self.not_to_be_taken_out(mark, held)?;
        let may_go = |change: &Change| {
            let changed = change.cells.iter().map(|((row, _), _)| row);
            changed.chain(&change.deleted).all(|row| !kept.contains(row))
        };
        let [mut rows, mut others] = [self.other_rows(mark.cell.row), self.other_marked(mark)];
        rows.retain(may_go);
        others.retain(may_go);
        let plans: [Vec<&[Change]>; 3] = [vec![&rows], vec![&others], vec![&others, &rows]];
        for plan in plans {
            if let Some(found) = self.greedy(mark, held, &plan)? {
                return Ok(Some(found));
            }
        }
        self.loses_its_mark(mark, held)
    }

    /// Whether the cell is marked for its value at all: traced again with a value that takes its claim away, it is not.
    fn loses_its_mark(&mut self, mark: Mark, held: &Held) -> Result<Option<ExplainedCell>, Undecided> {
        let cell = mark.cell;
        let is_marked = |lineage: &Lineage| {
            let roles = lineage.roles(cell.row, cell.column);
            lineage.is_exact()
                && if mark.is_witness {
                    roles.witness
                } else {
                    roles.condition_cell
                }
        };
        if !self.traced_first()?.is_some_and(|first| is_marked(&first)) {
            return Ok(None);
        }
        let current = self.value(cell);
        let others = self.values.alternatives(cell.column, &current);
        let taking = self.taking_away(mark, held, &Change::default(), &others)?;
        let mut implied = None;
        for value in taking.into_iter().take(MOST_RETRACED) {
            let change = Change::cell(cell.row, cell.column, value.clone());
            let Some(lineage) = self.traced_again(&change)? else {
                continue;
            };
            if !lineage.is_exact() || is_marked(&lineage) {
                continue;
            }
            let roles = lineage.roles(cell.row, cell.column);
            if !(roles.kept_row || roles.aggregate_member || roles.deciding_row) {
                let reason = Explanation::ResultIsIndifferent;
                return Ok(Some(self.explained(cell, reason, &Change::default(), &value)));
            }
            implied.get_or_insert(value);
        }
        let reason = if mark.is_witness {
            Explanation::ResultIsIndifferent
        } else {
            implied = match implied {
                None => self.taken_over(mark, held, &others)?,
                found => found,
            };
            Explanation::ConditionIsImplied
        };
        Ok(implied.map(|value| self.explained(cell, reason, &Change::default(), &value)))
    }

    /// The lineage traced again on the table as it is; traced once.
    fn traced_first(&mut self) -> Result<Option<Rc<Lineage>>, Undecided> {
        if self.traced_first.is_none() {
            let first = self.traced_again(&Change::default())?;
            self.traced_first = Some(first.map(Rc::new));
        }
        Ok(self.traced_first.clone().flatten())
    }

    fn traced_again(&mut self, change: &Change) -> Result<Option<Lineage>, Undecided> {
        self.budget.take_run(self.retrace.work)?;
        Ok((self.retrace.trace)(change))
    }

    /// Whether a contingency only takes away: traced again with it, no row is used and no condition cell marked that was
    /// not before. Otherwise the cell may matter there for something that it does not do in the table as it is, such as a
    /// row that it is joined to there alone. Rows that are merely taken out need no asking.
    fn only_takes_away(&mut self, contingency: &Change) -> Result<bool, Undecided> {
        if contingency.cells.is_empty() {
            return Ok(true);
        }
        let Some(first) = self.traced_first()?.filter(|first| first.is_exact()) else {
            return Ok(true);
        };
        let Some(then) = self.traced_again(contingency)?.filter(Lineage::is_exact) else {
            return Ok(false);
        };
        let is_used =
            |row: &usize| first.rows.binary_search(row).is_ok() || first.deciding_rows.binary_search(row).is_ok();
        let was_marked = |cell: &CellPosition| first.condition_cells.binary_search(cell).is_ok();
        Ok(then.rows.iter().all(is_used) && then.condition_cells.iter().all(was_marked))
    }

    /// Whether a contingency leaves what the result comes from as it is, and what made it so: only values are others.
    fn leaves_its_lineage(&mut self, contingency: &Change) -> Result<bool, Undecided> {
        let Some(first) = self.traced_first()?.filter(|first| first.is_exact()) else {
            return Ok(false);
        };
        let then = self.traced_again(contingency)?;
        Ok(then.is_some_and(|then| {
            then.is_exact()
                && then.rows == first.rows
                && then.deciding_rows == first.deciding_rows
                && then.sources == first.sources
                && then.condition_cells == first.condition_cells
        }))
    }

    /// Makes as many of the changes, in this order, as leave the result as it is, then tries the cell.
    fn greedy(&mut self, mark: Mark, held: &Held, plan: &[&[Change]]) -> Result<Option<ExplainedCell>, Undecided> {
        let mut contingency = Change::default();
        for changes in plan {
            contingency = self.as_many_as_leave_it(contingency, changes)?;
        }
        if contingency.size() == 0 {
            return Ok(None);
        }
        self.with_contingency(mark, held, &contingency)
    }

    fn as_many_as_leave_it(&mut self, base: Change, changes: &[Change]) -> Result<Change, Undecided> {
        if changes.is_empty() {
            return Ok(base);
        }
        let mut all = base.clone();
        for change in changes {
            all.cells.extend(change.cells.iter().cloned());
            all.deleted.extend(&change.deleted);
        }
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
        mark: Mark,
        held: &Held,
        contingency: &Change,
    ) -> Result<Option<ExplainedCell>, Undecided> {
        let cell = mark.cell;
        let Some(before) = self.leaves_it(contingency)? else {
            return Ok(None);
        };
        if !mark.is_witness && self.turns(mark, held, contingency, Turn::On)? {
            return Ok(None);
        }
        let Some(value) = self.altering(mark, held, contingency, &before, usize::MAX)? else {
            return Ok(None);
        };
        let contingency = self.made_small(mark, held, contingency.clone(), &value)?;
        if !self.only_takes_away(&contingency)? {
            return Ok(None);
        }
        if !mark.is_witness {
            self.last = Some((cell.row, contingency.clone()));
        }
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
    fn made_small(
        &mut self,
        mark: Mark,
        held: &Held,
        mut change: Change,
        value: &SqlValue,
    ) -> Result<Change, Undecided> {
        let cell = mark.cell;
        let current = self.value(cell);
        let mut place = 0;
        let begun = change.size();
        while begun <= MOST_TO_DROP && place < change.size() && change.size() > 1 {
            let fewer = change.without(place);
            let is_enough = match self.leaves_it(&fewer)? {
                Some(before)
                    if !self
                        .taking_away(mark, held, &fewer, std::slice::from_ref(value))?
                        .is_empty() =>
                {
                    let both = fewer.and(&Change::cell(cell.row, cell.column, value.clone()));
                    let after = self.run(&both)?;
                    alters(&before, &after, self.lineage, cell.column, &current, value)
                        && (mark.is_witness || !self.turns(mark, held, &fewer, Turn::On)?)
                }
                _ => false,
            };
            if is_enough {
                change = fewer;
            } else {
                place += 1;
            }
        }
        Ok(change)
    }

    /// Whether a contingency makes a condition of the mark's row true that was not, or turns any of them at all. What stands
    /// inside the mark's own condition, as a CASE in a comparison, is part of it and no other condition.
    fn turns(&mut self, mark: Mark, held: &Held, contingency: &Change, turn: Turn) -> Result<bool, Undecided> {
        let row = mark.cell.row;
        let is_of_the_row = contingency.cells.iter().any(|((changed, _), _)| *changed == row);
        if !is_of_the_row {
            return Ok(false);
        }
        let before = match &self.truths {
            Some((known, truths)) if *known == row => truths.clone(),
            _ => {
                let truths = self.truths_of(mark.cell, &Change::default())?;
                self.truths = Some((row, truths.clone()));
                truths
            }
        };
        let after = self.truths_of(mark.cell, contingency)?;
        let conditions = &self.claims.conditions;
        let others = conditions.iter().filter(|condition| condition.holds.is_some());
        let holds = |truth: &SqlValue| *truth == SqlValue::Integer(1);
        let mut turned = others
            .zip(before.iter().zip(&after))
            .filter(|(_, (before, after))| match turn {
                Turn::On => !holds(before) && holds(after),
                Turn::Any => holds(before) != holds(after),
            });
        Ok(turned.any(|(condition, _)| !held.positions().any(|own| condition.is_inside(&conditions[own]))))
    }

    fn truths_of(&mut self, cell: CellPosition, change: &Change) -> Result<Vec<SqlValue>, Undecided> {
        let current = self.value(cell);
        let of = vec![SqlValue::Integer(row_number(cell.row))];
        let conditions = self.claims.conditions.iter_mut();
        let mut questions: Vec<Question<'_, '_>> = conditions
            .filter_map(|condition| condition.holds.as_mut())
            .map(|statement| Question {
                statement,
                of: of.clone(),
            })
            .collect();
        let place = (cell.row, cell.column);
        let answers = self
            .session
            .ask(change, place, &[current], &mut questions, self.budget)?;
        Ok(answers.into_iter().next().unwrap_or_default())
    }

    /// With other values in examined cells the cell matters: random contingencies that may alter the result, but turn no
    /// condition of the row, nor anything that the result comes from.
    fn in_other_contexts(&mut self, mark: Mark, held: &Held) -> Result<Option<ExplainedCell>, Undecided> {
        let cell = mark.cell;
        let columns = self.lineage.columns.clone();
        let others: Vec<usize> = (0..self.table.len()).filter(|row| *row != cell.row).collect();
        for round in 0..RANDOM_CONTEXTS {
            let mut contingency = Change::default();
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
            if contingency.size() == 0 || self.turns(mark, held, &contingency, Turn::Any)? {
                continue;
            }
            let before = self.run(&contingency)?;
            if let Some(value) = self.altering(mark, held, &contingency, &before, MOST_IN_CONTEXT)?
                && self.leaves_its_lineage(&contingency)?
            {
                let found = self.explained(cell, Explanation::SameEitherWay, &contingency, &value);
                return Ok(Some(found));
            }
        }
        Ok(None)
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

/// What a contingency may not do to the conditions of a cell's row.
#[derive(Clone, Copy)]
enum Turn {
    /// Make one true that was not.
    On,
    /// Make any true or untrue.
    Any,
}
