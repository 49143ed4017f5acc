//! The conditions of a SELECT that are tested on rows, as SQL beside its result.

use std::convert::Infallible;
use std::ops::ControlFlow;

use sqlparser::ast::{Expr, Ident, Query, Select, Visit, Visitor};

use super::branches::{branches, calls, looked_at};
use super::conditions::{Atom, Wanted, atoms, ways_through};
use super::expressions::{is_aggregate, look_into};
use super::layout::{Layout, Test};
use super::tracer::Untraced;

/// Ways through the CASE and IIF of one condition that are told apart: eight of two each.
const MOST_WAYS: usize = 256;

/// SQL that is 1 where an atom counts: it holds as wanted, and so do the parts around it. Parts that speak of a group
/// cannot be asked of a row.
fn holds(atom: &Atom) -> String {
    let around = atom.within.iter().filter(|(part, _)| {
        let parts = look_into(part);
        parts.aggregates.is_empty() && !parts.has_window
    });
    all_hold(std::iter::once(&(atom.condition.clone(), atom.wanted)).chain(around))
}

/// SQL that is 1 where all parts are as wanted.
pub(super) fn all_hold<'part>(parts: impl IntoIterator<Item = &'part (Expr, Wanted)>) -> String {
    let all: Vec<String> = parts
        .into_iter()
        .map(|(part, wanted)| format!("(({part}) {})", wanted.sql()))
        .collect();
    format!("({})", all.join(" AND "))
}

/// Takes a condition apart, unless it has so many ways through it that each would have to be a test of its own.
fn atoms_of(
    condition: &Expr,
    is_given: bool,
    within: &[(Expr, Wanted)],
    found: &mut Vec<Atom>,
) -> Result<(), Untraced> {
    if ways_through(condition) > MOST_WAYS {
        return Err(format!(
            "a condition with more than {MOST_WAYS} ways through its CASE is not traced"
        ));
    }
    atoms(condition, is_given, within, found);
    Ok(())
}

/// Where the conditions stand that are tested on rows.
pub(super) struct Tested<'select> {
    pub(super) select: &'select Select,
    pub(super) joins: &'select [Expr],
    pub(super) groups: &'select [Expr],
    pub(super) ordered_by: &'select [Expr],
    pub(super) is_aggregate: bool,
    /// The relations of the query around it, where it depends on their row.
    pub(super) outside: Option<&'select Layout>,
}

impl Tested<'_> {
    /// The conditions that are tested on rows: of WHERE and ON, of HAVING where it speaks of columns, and of CASE, IIF and
    /// FILTER where they are computed for each row.
    pub(super) fn collect(&self, layout: &mut Layout) -> Result<(), Untraced> {
        let mut found = Vec::new();
        if let Some(condition) = &self.select.selection {
            atoms_of(condition, true, &[], &mut found)?;
        }
        for condition in self.joins {
            // A row that an outer join filled up is there although its ON does not hold.
            atoms_of(condition, layout.outer.is_empty(), &[], &mut found)?;
        }
        for branch in branches(&self.groups.to_vec()) {
            atoms_of(&branch.condition, false, &branch.within, &mut found)?;
        }
        let ordered_by = self.ordered_by.to_vec();
        if !self.is_aggregate {
            let computed = [branches(&self.select.projection), branches(&ordered_by)];
            for branch in computed.iter().flatten() {
                atoms_of(&branch.condition, false, &branch.within, &mut found)?;
            }
        }
        self.as_tests(&found, (false, None), layout);
        let called = [
            calls(&self.select.projection),
            calls(&self.select.having),
            calls(&ordered_by),
        ];
        for call in called.iter().flatten() {
            let mut found = Vec::new();
            for branch in branches(&Expr::Function(call.function.clone())) {
                atoms_of(&branch.condition, false, &branch.within, &mut found)?;
            }
            if let Some(filter) = &call.function.filter {
                atoms_of(filter, false, &[], &mut found)?;
            }
            let gate = layout.gate(&call.ways);
            self.as_tests(&found, (false, gate), layout);
        }
        let mut of_groups = Vec::new();
        if let Some(condition) = &self.select.having {
            atoms_of(condition, true, &[], &mut of_groups)?;
        }
        self.as_tests(&of_groups, (true, None), layout);
        Ok(())
    }

    /// Makes conditions hidden columns, each for what it looks at; those of an aggregate with its gate.
    fn as_tests(&self, found: &[Atom], (in_having, gate): (bool, Option<usize>), layout: &mut Layout) {
        for atom in found {
            let of_group = in_having && self.reads_one_row(atom, layout);
            let parts = look_into(&atom.condition);
            if !parts.aggregates.is_empty() || parts.has_window {
                continue;
            }
            let (mut known, mut known_outside) = (Vec::new(), Vec::new());
            for looked_at in looked_at(&atom.condition) {
                let mut columns: Vec<(usize, usize)> = Vec::new();
                let mut outside: Vec<(usize, usize)> = Vec::new();
                for name in &looked_at.names {
                    match (layout.columns_of(name), self.outside) {
                        (own, Some(around)) if own.is_empty() => outside.extend(around.columns_of(name)),
                        (own, _) => columns.extend(own),
                    }
                }
                columns.retain(|column| !known.contains(column));
                outside.retain(|column| !known_outside.contains(column));
                if columns.is_empty() && outside.is_empty() {
                    continue;
                }
                if looked_at.within.is_empty() {
                    known.extend(&columns);
                    known_outside.extend(&outside);
                }
                let mut atom = atom.clone();
                atom.within.extend(looked_at.within);
                layout.tests.push(Test {
                    sql: holds(&atom),
                    columns,
                    outside,
                    of_group,
                    gate,
                });
            }
        }
    }

    /// Whether a condition of HAVING goes by a column that its group takes from one row: one that stands outside of
    /// aggregates and is no key of the group.
    fn reads_one_row(&self, atom: &Atom, layout: &Layout) -> bool {
        let around = atom.within.iter().map(|(part, _)| part);
        let mut parts = std::iter::once(&atom.condition).chain(around);
        parts.any(|part| names_beside(part, self.groups, layout))
    }
}

/// Whether it names a column outside of aggregates that is no key of the groups.
pub(super) fn names_beside(node: &impl Visit, keys: &[Expr], layout: &Layout) -> bool {
    let mut beside = Beside {
        layout,
        keys,
        query_depth: 0,
        passed_depth: 0,
        has_found: false,
    };
    let ControlFlow::Continue(()) = node.visit(&mut beside);
    beside.has_found
}

/// Looks for names of columns beside the keys of a group.
struct Beside<'look> {
    layout: &'look Layout,
    keys: &'look [Expr],
    query_depth: usize,
    /// Inside a key or an aggregate.
    passed_depth: usize,
    has_found: bool,
}

impl Beside<'_> {
    fn is_key(&self, expression: &Expr) -> bool {
        let text = without_brackets(expression).to_string();
        self.keys.iter().any(|key| match (named(expression), named(key)) {
            (Some(name), Some(key)) => self.layout.columns_of(name) == self.layout.columns_of(key),
            _ => without_brackets(key).to_string() == text,
        })
    }
}

fn named(expression: &Expr) -> Option<&[Ident]> {
    match without_brackets(expression) {
        Expr::Identifier(name) => Some(std::slice::from_ref(name)),
        Expr::CompoundIdentifier(names) => Some(names),
        _ => None,
    }
}

fn without_brackets(expression: &Expr) -> &Expr {
    match expression {
        Expr::Nested(inner) => without_brackets(inner),
        other => other,
    }
}

impl Visitor for Beside<'_> {
    type Break = Infallible;

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<Infallible> {
        self.query_depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<Infallible> {
        self.query_depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<Infallible> {
        if self.query_depth > 0 {
            return ControlFlow::Continue(());
        }
        let is_passed = || match expression {
            Expr::Function(function) => function.over.is_none() && is_aggregate(function),
            _ => false,
        };
        if self.passed_depth > 0 || is_passed() || self.is_key(expression) {
            self.passed_depth += 1;
        } else if let Some(name) = named(expression) {
            self.has_found |= !self.layout.columns_of(name).is_empty();
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, _: &Expr) -> ControlFlow<Infallible> {
        if self.query_depth == 0 {
            self.passed_depth = self.passed_depth.saturating_sub(1);
        }
        ControlFlow::Continue(())
    }
}
