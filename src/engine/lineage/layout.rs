//! The hidden columns that a provenance query puts beside a statement's own, and how to read them back.

use std::collections::BTreeSet;

use rusqlite::types::Value as SqlValue;
use sqlparser::ast::{Expr, Ident};

use super::conditions::Wanted;
use super::provenance::{Provenance, altogether, is_less};
use super::tested::all_hold;
use crate::engine::members::{Group, MEMBERS, MemberStore};
use crate::trace::lineage::CellPosition;

/// Where the rows of a relation come from.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// The table itself.
    Table,
    /// A kept result, by its position.
    Kept(usize),
}

/// A relation of a FROM as a provenance query sees it.
#[derive(Clone, Debug)]
pub(super) struct Relation {
    /// The name its columns are qualified with, as SQL.
    pub(super) sql_name: String,
    /// The same as text.
    pub(super) name: String,
    /// Where its rows come from.
    pub(super) source: Source,
    /// Its columns, and the column of the table that each carries.
    pub(super) columns: Vec<(String, Option<usize>)>,
}

impl Relation {
    /// SQL for the hidden row id; `None` when columns have taken all three of its names.
    pub(super) fn row_id(&self) -> Option<String> {
        let free = ["rowid", "_rowid_", "oid"]
            .into_iter()
            .find(|name| !self.columns.iter().any(|(column, _)| column.eq_ignore_ascii_case(name)))?;
        Some(format!("{}.{free}", self.sql_name))
    }
}

/// A condition and the columns it names, each as (relation, column).
#[derive(Clone, Debug)]
pub(super) struct Test {
    /// SQL that is 1 where the condition holds in its own right.
    pub(super) sql: String,
    /// The columns.
    pub(super) columns: Vec<(usize, usize)>,
    /// Those of the query around it, whose row it depends on.
    pub(super) outside: Vec<(usize, usize)>,
    /// Whether it is tested on one row of each group alone: that which SQLite takes columns outside of aggregates from.
    pub(super) of_group: bool,
    /// The gate of the aggregate that it stands in.
    pub(super) gate: Option<usize>,
}

/// What an aggregate takes from a row.
#[derive(Clone, Debug)]
pub(super) struct Argument {
    /// SQL for it; NULL where the aggregate passes the row over.
    pub(super) sql: String,
    /// For MIN (`false`) and MAX (`true`): the rows that attain it are witnesses.
    pub(super) extreme: Option<bool>,
    /// The columns that its value is made of in every row, each as (relation, column).
    pub(super) columns: Vec<(usize, usize)>,
    /// Its gate, where not every group looks at the aggregate.
    pub(super) gate: Option<usize>,
}

/// Columns that the argument of a MIN or MAX is made of in some rows: those of a branch of CASE, of an argument of COALESCE.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Position of the argument.
    pub(super) argument: usize,
    /// SQL that is 1 where it is made of them, and the columns.
    pub(super) test: Test,
}

/// What a subquery that depends on the row adds to it.
#[derive(Clone, Debug)]
pub(super) struct Dependent {
    /// SQL whose value is the number of a group of members.
    pub(super) sql: String,
    /// How a member of that group is read.
    pub(super) layout: Layout,
    /// Whether the row's result comes from them (or is only decided by them).
    pub(super) is_source: bool,
    /// Whether it stands in an ON.
    pub(super) in_join: bool,
    /// Whether it is asked of the row, and not of a group for one of its rows.
    pub(super) of_row: bool,
}

/// The hidden columns, in this order: row ids, tests, aggregates' arguments, parts of those, dependents.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    pub(super) relations: Vec<Relation>,
    pub(super) tests: Vec<Test>,
    pub(super) arguments: Vec<Argument>,
    pub(super) parts: Vec<Part>,
    pub(super) dependents: Vec<Dependent>,
    /// SQL that is 1 for a group that looks at an aggregate: the branch is taken that it stands in.
    pub(super) gates: Vec<String>,
    /// Whether each group looks at every aggregate, for these say which row it takes other columns from.
    pub(super) has_no_gates: bool,
    /// Relations that an outer join fills up with NULLs where it finds no row.
    pub(super) outer: BTreeSet<usize>,
    /// Whether each row counts, even where every argument is NULL.
    pub(super) every_row_counts: bool,
    /// Whether a column outside the aggregates is taken from some row, even where no row counts.
    pub(super) needs_a_row: bool,
}

/// Reads hidden columns back.
pub(super) struct Reader<'run> {
    /// Groups of members.
    pub(super) members: &'run MemberStore,
    /// What the rows of kept results come from.
    pub(super) kept: &'run dyn Fn(usize, usize) -> Option<&'run Provenance>,
}

/// Hidden columns of one row, read.
#[derive(Clone, Debug, Default)]
pub(super) struct Read {
    /// What the row comes from.
    pub(super) provenance: Provenance,
    /// What decided: its rows, and what it shares.
    pub(super) deciding: Provenance,
    /// Columns of the query around it whose cells made a condition hold, each as (relation, column).
    pub(super) outside: BTreeSet<(usize, usize)>,
}

/// What is known of the group of a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct InGroup<'group> {
    /// Whether the group takes columns outside of aggregates from the row.
    pub(super) is_taken: bool,
    /// For each gate whether it is open.
    pub(super) gates: &'group [SqlValue],
}

impl InGroup<'_> {
    /// Of a row that is in no group.
    pub(super) const NONE: Self = InGroup {
        is_taken: true,
        gates: &[],
    };

    fn is_open(self, gate: Option<usize>) -> bool {
        gate.is_none_or(|gate| self.gates.get(gate) == Some(&SqlValue::Integer(1)))
    }

    fn has(self, test: &Test) -> bool {
        (self.is_taken || !test.of_group) && self.is_open(test.gate)
    }
}

impl Layout {
    /// The gate of an aggregate that is looked at in one of these ways; `None` where every group looks at it.
    pub(super) fn gate(&mut self, ways: &[Vec<(Expr, Wanted)>]) -> Option<usize> {
        if self.has_no_gates || ways.iter().any(Vec::is_empty) {
            return None;
        }
        let each: Vec<String> = ways.iter().map(all_hold).collect();
        let gate = format!("({})", each.join(" OR "));
        let known = self.gates.iter().position(|known| *known == gate);
        Some(known.unwrap_or_else(|| {
            self.gates.push(gate);
            self.gates.len() - 1
        }))
    }

    /// The hidden columns as SQL; `None` when a relation has no name left for its row id.
    pub(super) fn columns(&self) -> Option<Vec<String>> {
        let mut columns = self
            .relations
            .iter()
            .map(Relation::row_id)
            .collect::<Option<Vec<String>>>()?;
        columns.extend(self.tests.iter().map(|test| test.sql.clone()));
        columns.extend(self.arguments.iter().map(|argument| argument.sql.clone()));
        columns.extend(self.parts.iter().map(|part| part.test.sql.clone()));
        columns.extend(self.dependents.iter().map(|dependent| dependent.sql.clone()));
        Some(columns)
    }

    /// A call that gathers the hidden columns of a group's rows, the gates, and the row ids of the one that the group takes,
    /// where a condition goes by that.
    pub(super) fn of_groups(&self) -> Option<Vec<String>> {
        let mut columns = vec![format!("{MEMBERS}({})", self.columns()?.join(", "))];
        columns.extend(self.gates.iter().cloned());
        if self.tests.iter().any(|test| test.of_group) {
            for relation in &self.relations {
                columns.push(relation.row_id()?);
            }
        }
        Some(columns)
    }

    /// The columns of relations that a name means: all relations' that have it, so that those joined by USING count.
    pub(super) fn columns_named(&self, table: Option<&str>, column: &str) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for (place, relation) in self.relations.iter().enumerate() {
            if table.is_some_and(|table| !relation.name.eq_ignore_ascii_case(table)) {
                continue;
            }
            if let Some(index) = relation
                .columns
                .iter()
                .position(|(name, _)| name.eq_ignore_ascii_case(column))
            {
                found.push((place, index));
            }
        }
        found
    }

    /// The relations that a name with its qualifiers may speak of; `None` when it speaks of none of them.
    pub(super) fn relations_of(&self, name: &[Ident]) -> Option<Vec<usize>> {
        let found: Vec<usize> = match name {
            [.., table, _] => (0..self.relations.len())
                .filter(|place| self.relations[*place].name.eq_ignore_ascii_case(&table.value))
                .collect(),
            _ => self.columns_of(name).iter().map(|(relation, _)| *relation).collect(),
        };
        (!found.is_empty()).then_some(found)
    }

    /// The columns of relations that a name with its qualifiers means.
    pub(super) fn columns_of(&self, name: &[Ident]) -> Vec<(usize, usize)> {
        match name {
            [column] => self.columns_named(None, &column.value),
            [.., table, column] => self.columns_named(Some(&table.value), &column.value),
            [] => Vec::new(),
        }
    }

    /// Reads the hidden columns of one row.
    pub(super) fn read(&self, values: &[SqlValue], group: InGroup<'_>, reader: &Reader<'_>) -> Read {
        if let ([relation], []) = (self.relations.as_slice(), self.dependents.as_slice())
            && matches!(relation.source, Source::Table)
        {
            return self.read_single(values, group);
        }
        let mut read = Read::default();
        let (row_ids, rest) = values.split_at(self.relations.len().min(values.len()));
        let (tests, rest) = rest.split_at(self.tests.len().min(rest.len()));
        let dependents = &rest[(self.arguments.len() + self.parts.len()).min(rest.len())..];
        let rows: Vec<Option<usize>> = row_ids.iter().map(|value| row_number(Some(value))).collect();
        for (relation, row) in self.relations.iter().zip(&rows) {
            let Some(row) = *row else { continue };
            match relation.source {
                Source::Table => read.provenance.rows.push(row),
                Source::Kept(kept) => {
                    if let Some(provenance) = (reader.kept)(kept, row) {
                        read.provenance.absorb(provenance);
                    }
                }
            }
        }
        for (test, value) in self.tests.iter().zip(tests) {
            if *value != SqlValue::Integer(1) || !group.has(test) {
                continue;
            }
            read.outside.extend(&test.outside);
            for (relation, column) in &test.columns {
                read.provenance
                    .cells
                    .extend(self.cell(*relation, *column, rows[*relation], reader));
            }
        }
        for (dependent, value) in self.dependents.iter().zip(dependents) {
            let Some((position, gates)) = members_of(value) else {
                continue;
            };
            let inner = dependent
                .layout
                .read_group(reader.members.take(position), &gates, &[], reader);
            read.deciding.absorb(&inner.deciding);
            if dependent.of_row {
                for (relation, column) in &inner.outside {
                    let row = rows.get(*relation).copied().flatten();
                    read.provenance.cells.extend(self.cell(*relation, *column, row, reader));
                }
            }
            if dependent.is_source {
                read.provenance.absorb(&inner.provenance);
            } else {
                read.provenance.cells.extend(&inner.provenance.cells);
                read.deciding.absorb(&inner.provenance);
            }
        }
        read.provenance.settle();
        read
    }

    /// Reads the hidden columns of one row of the table alone: by far the most frequent, and there may be a million.
    fn read_single(&self, values: &[SqlValue], group: InGroup<'_>) -> Read {
        let mut read = Read::default();
        let Some(row) = row_number(values.first()) else {
            return read;
        };
        read.provenance.rows = vec![row];
        for (test, value) in self.tests.iter().zip(values.iter().skip(1)) {
            if *value == SqlValue::Integer(1) && group.has(test) {
                read.outside.extend(&test.outside);
                let columns = test
                    .columns
                    .iter()
                    .filter_map(|(_, column)| self.relations[0].columns[*column].1);
                let cells = columns.map(|column| CellPosition { row, column });
                read.provenance.cells.extend(cells);
            }
        }
        read.provenance.settle();
        read
    }

    /// The cell of the table behind a relation's cell, if there is exactly one.
    fn cell(&self, relation: usize, column: usize, row: Option<usize>, reader: &Reader<'_>) -> Option<CellPosition> {
        let relation = self.relations.get(relation)?;
        let (_, carried) = relation.columns.get(column)?;
        let column = (*carried)?;
        match relation.source {
            Source::Table => Some(CellPosition { row: row?, column }),
            Source::Kept(kept) => match (reader.kept)(kept, row?)? {
                Provenance { rows, shared, .. } if shared.is_empty() && rows.len() == 1 => {
                    rows.first().map(|row| CellPosition { row: *row, column })
                }
                _ => None,
            },
        }
    }

    /// Reads a group: its members that count, together, and the witnesses of each MIN and MAX. `gates` say which aggregates
    /// it looks at, `taken` are the row ids of the member that it takes.
    pub(super) fn read_group(&self, group: Group, gates: &[SqlValue], taken: &[SqlValue], reader: &Reader<'_>) -> Read {
        let of_group = InGroup { is_taken: false, gates };
        let is_looked_at = |argument: &Argument| of_group.is_open(argument.gate);
        let first = self.relations.len() + self.tests.len();
        let given = |values: &[SqlValue], index: usize| {
            values
                .get(first + index)
                .filter(|value| **value != SqlValue::Null && is_looked_at(&self.arguments[index]))
                .cloned()
        };
        let extremes: Vec<Option<SqlValue>> = self
            .arguments
            .iter()
            .enumerate()
            .map(|(index, argument)| {
                let is_max = argument.extreme?;
                group
                    .iter()
                    .filter_map(|values| given(values, index))
                    .reduce(|best, value| {
                        let is_better = if is_max {
                            is_less(&best, &value)
                        } else {
                            is_less(&value, &best)
                        };
                        if is_better { value } else { best }
                    })
            })
            .collect();
        let counts = |values: &[SqlValue]| (0..self.arguments.len()).any(|index| given(values, index).is_some());
        let every_row = self.every_row_counts
            || self.arguments.is_empty()
            || (self.needs_a_row && !group.iter().any(|values| counts(values)));
        let mut together = Read::default();
        for values in &group {
            if !every_row && !counts(values) {
                continue;
            }
            let is_taken = !taken.is_empty() && values.starts_with(taken);
            let read = self.read(values, InGroup { is_taken, ..of_group }, reader);
            together.outside.extend(&read.outside);
            for (index, extreme) in extremes.iter().enumerate() {
                let attains = extreme.as_ref().is_some_and(|extreme| {
                    given(values, index).is_some_and(|value| !is_less(&value, extreme) && !is_less(extreme, &value))
                });
                if !attains {
                    continue;
                }
                together
                    .provenance
                    .witnesses
                    .extend(altogether([&read.provenance]).rows);
                let is_made_of = |(place, part): &(usize, &Part)| {
                    part.argument == index
                        && values.get(first + self.arguments.len() + place) == Some(&SqlValue::Integer(1))
                };
                let parts = self.parts.iter().enumerate().filter(is_made_of);
                let some = parts.flat_map(|(_, part)| &part.test.columns);
                for (relation, column) in self.arguments[index].columns.iter().chain(some) {
                    let row = row_number(values.get(*relation));
                    let cell = self.cell(*relation, *column, row, reader);
                    together.provenance.witness_cells.extend(cell);
                }
            }
            together.provenance.absorb(&read.provenance);
            together.deciding.absorb(&read.deciding);
        }
        together.provenance.settle();
        together
    }
}

/// The number of a group of members that a subquery gathered, and its gates.
fn members_of(value: &SqlValue) -> Option<(i64, Vec<SqlValue>)> {
    match value {
        SqlValue::Integer(position) => Some((*position, Vec::new())),
        SqlValue::Text(text) => {
            let mut numbers = text.split(',').map(str::parse);
            let position = numbers.next()?.ok()?;
            let gates: Result<Vec<i64>, _> = numbers.collect();
            Some((position, gates.ok()?.into_iter().map(SqlValue::Integer).collect()))
        }
        _ => None,
    }
}

/// The 0-based row of a hidden row id; `None` where an outer join found no row.
fn row_number(id: Option<&SqlValue>) -> Option<usize> {
    match id {
        Some(SqlValue::Integer(id)) => usize::try_from(*id).ok()?.checked_sub(1),
        _ => None,
    }
}
