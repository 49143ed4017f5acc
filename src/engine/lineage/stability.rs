//! What becomes of a group when rows are taken out of it: whether a condition or an ORDER BY that rejected the group
//! might then keep it.
//!
//! A row that a filter rejects does not matter: without it, it is rejected all the same. A *group* that HAVING or a
//! surrounding query rejects does matter where fewer rows could make it pass: with `HAVING COUNT(*) < 3`, or
//! `ORDER BY COUNT(*) LIMIT 1`. With `HAVING COUNT(*) > 3` they cannot. The rows of groups of the former kind decided.

use sqlparser::ast::{
    BinaryOperator, Expr, Function, GroupByExpr, OrderBy, OrderByKind, OrderBySort, Select, SelectItem, Value,
};

use super::expressions::{Parts, look_into, name_of};

/// How a value of a group changes when rows are taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stability {
    /// Not at all: what the group goes by.
    Same,
    /// It becomes less or NULL: COUNT and MAX.
    Falls,
    /// It becomes more or NULL: MIN.
    Rises,
    /// It may become anything: SUM, AVG, a column taken from some row, what a subquery gives.
    Any,
}

/// Says of names how stable they are.
pub(super) struct Stabilities<'a> {
    /// Of a name with its qualifier.
    pub(super) of_name: &'a dyn Fn(&[sqlparser::ast::Ident]) -> Stability,
}

impl Stabilities<'_> {
    /// Of an expression.
    pub(super) fn of(&self, expression: &Expr) -> Stability {
        match expression {
            Expr::Nested(inner) => self.of(inner),
            Expr::Identifier(name) => (self.of_name)(std::slice::from_ref(name)),
            Expr::CompoundIdentifier(names) => (self.of_name)(names),
            Expr::Function(function) if function.over.is_none() => match name_of(function).as_str() {
                "count" if are_simple(function) => Stability::Falls,
                "max" if is_of_one(function) && are_simple(function) => Stability::Falls,
                "min" if is_of_one(function) && are_simple(function) => Stability::Rises,
                _ => self.of_parts(&look_into(expression)),
            },
            other => self.of_parts(&look_into(other)),
        }
    }

    fn of_parts(&self, parts: &Parts) -> Stability {
        let is_same = parts.aggregates.is_empty()
            && !parts.has_window
            && parts.subqueries.is_empty()
            && parts.names.iter().all(|name| (self.of_name)(name) == Stability::Same);
        if is_same { Stability::Same } else { Stability::Any }
    }

    /// Whether a condition that rejected a group rejects it with fewer rows, too.
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

    /// Whether a group that an ORDER BY put behind a LIMIT stays there with fewer rows. An ordinal or an alias is
    /// followed to its expression.
    pub(super) fn stays_behind(&self, order_by: &OrderBy, projection: &[SelectItem]) -> bool {
        let OrderByKind::Expressions(terms) = &order_by.kind else {
            return false;
        };
        terms.iter().all(|term| {
            let stability = shown(&term.expr, projection).map_or_else(|| self.of(&term.expr), |shown| self.of(shown));
            let is_descending = matches!(term.options.sort, Some(OrderBySort::Desc));
            match stability {
                Stability::Same => true,
                // A MIN or MAX of no value is NULL, which goes first when ascending.
                Stability::Falls => is_descending && term.options.nulls_first != Some(true),
                Stability::Rises => !is_descending && term.options.nulls_first == Some(false),
                Stability::Any => false,
            }
        })
    }
}

/// The expression that an ordinal or an alias stands for.
fn shown<'a>(term: &Expr, projection: &'a [SelectItem]) -> Option<&'a Expr> {
    match term {
        Expr::Value(value) => {
            let number: usize = value.value.to_string().parse().ok()?;
            match projection.get(number.checked_sub(1)?)? {
                SelectItem::UnnamedExpr(expression) | SelectItem::ExprWithAlias { expr: expression, .. } => {
                    Some(expression)
                }
                _ => None,
            }
        }
        Expr::Identifier(name) => alias(&name.value, projection),
        _ => None,
    }
}

/// The expression that has an alias.
pub(super) fn alias<'a>(name: &str, projection: &'a [SelectItem]) -> Option<&'a Expr> {
    projection.iter().find_map(|item| match item {
        SelectItem::ExprWithAlias { expr, alias } if alias.value.eq_ignore_ascii_case(name) => Some(expr),
        _ => None,
    })
}

/// The names that a SELECT groups by; through ordinals and aliases, too.
pub(super) fn group_names(select: &Select) -> Vec<String> {
    let GroupByExpr::Expressions(terms, _) = &select.group_by else {
        return Vec::new();
    };
    terms
        .iter()
        .filter_map(|term| match shown(term, &select.projection).unwrap_or(term) {
            Expr::Identifier(name) => Some(name.value.to_ascii_lowercase()),
            Expr::CompoundIdentifier(names) => names.last().map(|name| name.value.to_ascii_lowercase()),
            _ => None,
        })
        .collect()
}

fn is_number(expression: &Expr) -> bool {
    matches!(expression, Expr::Value(value) if matches!(value.value, Value::Number(..)))
}

fn is_of_one(function: &Function) -> bool {
    super::expressions::is_aggregate(function)
}

/// Whether nothing in a function's arguments depends on other rows.
fn are_simple(function: &Function) -> bool {
    let parts = look_into(&function.args);
    parts.subqueries.is_empty() && parts.aggregates.is_empty() && !parts.has_window && function.filter.is_none()
}
