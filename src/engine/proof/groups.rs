//! Groups of a SELECT: their keys, and names that stand beside those, which SQLite reads in one row of each group.

use std::convert::Infallible;
use std::ops::ControlFlow;

use sqlparser::ast::{Expr, GroupByExpr, Ident, Query, Select, SelectItem, Visit, Visitor};

use super::conditions::is_aggregate;

/// Whether a SELECT has a GROUP BY.
pub(super) fn has_groups(select: &Select) -> bool {
    !matches!(&select.group_by, GroupByExpr::Expressions(terms, _) if terms.is_empty())
}

/// Whether an expression names a column outside of aggregates that is no key of the groups.
pub(super) fn names_beside_keys(expression: &Expr, select: &Select) -> bool {
    let mut names = NamesBeside {
        keys: keys(select),
        passed: 0,
        queries: 0,
        has_found: false,
    };
    let ControlFlow::Continue(()) = expression.visit(&mut names);
    names.has_found
}

/// Whether an expression is one that the groups of a SELECT go by: every row of a group has the same.
pub(super) fn is_key(expression: &Expr, select: &Select) -> bool {
    keys(select).iter().any(|key| are_same(key, expression))
}

/// The row that each group takes columns outside of aggregates from, as a query of one column; `row_id` is asked of the
/// table with this qualifier. The SELECT's own columns stay: a MIN or MAX among them says which row that is.
pub(super) fn taken_rows(select: &Select, qualifier: &str, row_id: &str) -> String {
    const TAKEN: &str = "row_that_is_taken";
    let name = Ident::with_quote('"', row_id);
    let row = if qualifier.is_empty() {
        Expr::Identifier(name)
    } else {
        Expr::CompoundIdentifier(vec![Ident::with_quote('"', qualifier), name])
    };
    let mut select = select.clone();
    select.distinct = None;
    select.projection.push(SelectItem::ExprWithAlias {
        expr: row,
        alias: Ident::new(TAKEN),
    });
    format!("SELECT {TAKEN} FROM ({select})")
}

/// What the groups go by, with each name that it has in the result.
fn keys(select: &Select) -> Vec<Expr> {
    let GroupByExpr::Expressions(terms, _) = &select.group_by else {
        return Vec::new();
    };
    let mut keys: Vec<Expr> = Vec::new();
    for term in terms {
        keys.push(term.clone());
        let shown = term
            .to_string()
            .parse()
            .ok()
            .and_then(|number: usize| number.checked_sub(1));
        for (place, item) in select.projection.iter().enumerate() {
            let (expression, alias) = match item {
                SelectItem::UnnamedExpr(expression) => (expression, None),
                SelectItem::ExprWithAlias { expr, alias } => (expr, Some(Expr::Identifier(alias.clone()))),
                _ => continue,
            };
            let is_it = shown == Some(place) || are_same(expression, term);
            if is_it || alias.as_ref().is_some_and(|alias| are_same(alias, term)) {
                keys.push(expression.clone());
                keys.extend(alias);
            }
        }
    }
    keys
}

fn are_same(first: &Expr, second: &Expr) -> bool {
    match (first, second) {
        (Expr::Nested(first), second) | (second, Expr::Nested(first)) => are_same(first, second),
        _ => match (name(first), name(second)) {
            (Some((first_table, first)), Some((second_table, second))) => {
                let is_same_table = match (first_table, second_table) {
                    (Some(first), Some(second)) => first.value.eq_ignore_ascii_case(&second.value),
                    _ => true,
                };
                is_same_table && first.value.eq_ignore_ascii_case(&second.value)
            }
            _ => first.to_string() == second.to_string(),
        },
    }
}

fn name(expression: &Expr) -> Option<(Option<&Ident>, &Ident)> {
    match expression {
        Expr::Identifier(name) => Some((None, name)),
        Expr::CompoundIdentifier(names) => match names.as_slice() {
            [.., table, column] => Some((Some(table), column)),
            _ => None,
        },
        _ => None,
    }
}

struct NamesBeside {
    keys: Vec<Expr>,
    passed: usize,
    queries: usize,
    has_found: bool,
}

impl Visitor for NamesBeside {
    type Break = Infallible;

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<Infallible> {
        self.queries += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<Infallible> {
        self.queries -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<Infallible> {
        if self.queries > 0 {
            return ControlFlow::Continue(());
        }
        let is_key = || self.keys.iter().any(|key| are_same(key, expression));
        if self.passed > 0 || is_aggregate(expression) || is_key() {
            self.passed += 1;
        } else {
            self.has_found |= name(expression).is_some();
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, _: &Expr) -> ControlFlow<Infallible> {
        if self.queries == 0 {
            self.passed = self.passed.saturating_sub(1);
        }
        ControlFlow::Continue(())
    }
}
