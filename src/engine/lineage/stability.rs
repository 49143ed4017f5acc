//! What becomes of a value when rows are taken out: whether a condition or an ORDER BY that rejected it might then keep
//! it.
//!
//! A row that a filter rejects does not matter: without it, it is rejected all the same. A *group* that HAVING or a
//! surrounding query rejects does matter where fewer rows could make it pass: with `HAVING COUNT(*) < 3`, or
//! `ORDER BY COUNT(*) LIMIT 1`. With `HAVING COUNT(*) > 3` they cannot.
//!
//! Whatever is not proven here to stay counts as changing.

use std::ops::ControlFlow;

use sqlparser::ast::{BinaryOperator, Expr, Function, Ident, UnaryOperator, Value, Visit, Visitor};

use super::aliases::Term;
use super::expressions::{Parts, is_aggregate, look_into, name_of};

/// How a value changes when rows are taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stability {
    /// Not at all: a value of a row of the table, what a group goes by.
    Same,
    /// It becomes less or NULL: COUNT and MAX.
    Falls,
    /// It becomes more or NULL: MIN.
    Rises,
    /// It may become anything: SUM, AVG, a column taken from some row, what a subquery gives, a name that is not known.
    Any,
}

impl Stability {
    /// Of a value that is now this one, now the other.
    pub(super) fn or(self, other: Self) -> Self {
        if self == other { self } else { Self::Any }
    }
}

/// Says of names how stable they are.
pub(super) struct Stabilities<'a> {
    /// Of a name with its qualifier.
    pub(super) of_name: &'a dyn Fn(&[Ident]) -> Stability,
    /// Expressions that groups go by, as SQL: the same in all rows of a group.
    pub(super) groups: &'a [String],
}

impl Stabilities<'_> {
    /// Of an expression.
    pub(super) fn of(&self, expression: &Expr) -> Stability {
        if self.groups.contains(&expression.to_string()) {
            return Stability::Same;
        }
        match expression {
            Expr::Nested(inner) => self.of(inner),
            Expr::Identifier(name) => (self.of_name)(std::slice::from_ref(name)),
            Expr::CompoundIdentifier(names) => (self.of_name)(names),
            Expr::Function(function) if function.over.is_none() && is_aggregate(function) => {
                match name_of(function).as_str() {
                    "count" if are_simple(function) => Stability::Falls,
                    "max" if are_simple(function) => Stability::Falls,
                    "min" if are_simple(function) => Stability::Rises,
                    _ => Stability::Any,
                }
            }
            other => self.of_parts(&look_into(other)),
        }
    }

    fn of_parts(&self, parts: &Parts) -> Stability {
        let is_same = parts.aggregates.is_empty()
            && !parts.has_window
            && parts.subqueries.is_empty()
            && !parts.has_table_operand
            && parts.names.iter().all(|name| (self.of_name)(name) == Stability::Same);
        if is_same { Stability::Same } else { Stability::Any }
    }

    /// Whether everything that is named stays as it is; subqueries are looked at by others.
    pub(super) fn are_names_same(&self, parts: &Parts) -> bool {
        parts.names.iter().all(|name| (self.of_name)(name) == Stability::Same)
    }

    /// Whether a condition that rejected a row or group rejects it with fewer rows, too.
    pub(super) fn stays_rejected(&self, condition: &Expr) -> bool {
        match condition {
            Expr::Nested(inner) => self.stays_rejected(inner),
            Expr::BinaryOp {
                left,
                op: BinaryOperator::And | BinaryOperator::Or,
                right,
            } => self.stays_rejected(left) && self.stays_rejected(right),
            Expr::BinaryOp { left, op, right } => {
                let (value, wants_more) = match (op, is_number(left), is_number(right)) {
                    (BinaryOperator::Gt | BinaryOperator::GtEq, false, true) => (left, true),
                    (BinaryOperator::Lt | BinaryOperator::LtEq, false, true) => (left, false),
                    (BinaryOperator::Gt | BinaryOperator::GtEq, true, false) => (right, false),
                    (BinaryOperator::Lt | BinaryOperator::LtEq, true, false) => (right, true),
                    _ => return self.of(condition) == Stability::Same,
                };
                match self.of(value) {
                    Stability::Same => true,
                    Stability::Falls => wants_more,
                    Stability::Rises => !wants_more,
                    Stability::Any => false,
                }
            }
            other => self.of(other) == Stability::Same,
        }
    }

    /// Whether a row or group that an ORDER BY put behind others stays or goes further back with fewer rows.
    pub(super) fn stays_behind(&self, ordering: &[Term]) -> bool {
        ordering.iter().all(|term| match self.of(&term.expression) {
            Stability::Same => true,
            // A MIN or MAX of no value is NULL, which goes first when ascending.
            Stability::Falls => term.is_descending && term.nulls_first != Some(true),
            Stability::Rises => !term.is_descending && term.nulls_first == Some(false),
            Stability::Any => false,
        })
    }
}

fn is_number(expression: &Expr) -> bool {
    match expression {
        Expr::Value(value) => matches!(value.value, Value::Number(..)),
        Expr::UnaryOp {
            op: UnaryOperator::Minus | UnaryOperator::Plus,
            expr,
        } => is_number(expr),
        _ => false,
    }
}

/// Whether nothing in a function's arguments depends on other rows, and the order that MIN and MAX go by is that of
/// comparisons.
fn are_simple(function: &Function) -> bool {
    let parts = look_into(&function.args);
    parts.subqueries.is_empty()
        && parts.aggregates.is_empty()
        && !parts.has_window
        && function.filter.is_none()
        && !has_collation(&function.args)
}

/// Whether a COLLATE stands in it, outside of subqueries.
pub(super) fn has_collation(node: &impl Visit) -> bool {
    struct Looker(usize);
    impl Visitor for Looker {
        type Break = ();
        fn pre_visit_query(&mut self, _: &sqlparser::ast::Query) -> ControlFlow<()> {
            self.0 += 1;
            ControlFlow::Continue(())
        }
        fn post_visit_query(&mut self, _: &sqlparser::ast::Query) -> ControlFlow<()> {
            self.0 -= 1;
            ControlFlow::Continue(())
        }
        fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<()> {
            if self.0 == 0 && matches!(expression, Expr::Collate { .. }) {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        }
    }
    node.visit(&mut Looker(0)).is_break()
}
