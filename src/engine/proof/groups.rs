//! Groups of a SELECT: their keys, and names that stand beside those, which SQLite reads in one row of each group.

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::rc::Rc;

use sqlparser::ast::{Expr, GroupByExpr, Ident, Query, Select, SelectItem, Visit, Visitor};

use super::conditions::{Part, is_aggregate};

/// A SELECT that may compute aggregates.
#[derive(Clone, Debug)]
pub(super) struct Grouped {
    pub(super) select: Select,
    pub(super) ordered_by: Vec<Expr>,
}

/// What must be so of a group for it to look at an aggregate: the branch that this stands in is taken.
#[derive(Clone, Debug)]
pub(super) struct Gate {
    pub(super) of: Rc<Grouped>,
    pub(super) parts: Vec<Part>,
}

impl Gate {
    /// SQL that is true where row `?1` is in a group that looks at the aggregate; `row_id` is asked of the table with this
    /// qualifier.
    pub(super) fn question(&self, qualifier: &str, row_id: &str) -> String {
        const HAS_IT: &str = "has_the_row";
        let mut select = self.of.select.clone();
        select.distinct = None;
        let row = column(qualifier, row_id);
        // Written as it stands: what has no quotes is printed so.
        select.projection.push(SelectItem::ExprWithAlias {
            expr: Expr::Identifier(Ident::new(format!("sum({row} = ?1)"))),
            alias: Ident::new(HAS_IT),
        });
        let parts = self
            .parts
            .iter()
            .map(|part| format!("(({}) IS {})", part.expression, part.wanted));
        let having = select.having.iter().map(|having| format!("({having})"));
        let all: Vec<String> = having.chain(parts).collect();
        select.having = Some(Expr::Identifier(Ident::new(all.join(" AND "))));
        format!("EXISTS (SELECT 1 FROM ({select}) WHERE {HAS_IT} > 0)")
    }
}

impl Grouped {
    /// Whether it is known for each aggregate whether a group looks at it: no column is taken from a row that a MIN or MAX
    /// tells, and no subquery depends on one.
    pub(super) fn has_gates(&self, stands_alone: impl Fn(&Query) -> bool) -> bool {
        let mut names = NamesBeside::of(keys(&self.select));
        let mut aliases = Vec::new();
        for item in &self.select.projection {
            match item {
                SelectItem::UnnamedExpr(shown) => names.look(shown),
                SelectItem::ExprWithAlias { expr, alias } => {
                    names.look(expr);
                    aliases.push(Expr::Identifier(alias.clone()));
                }
                _ => return false,
            }
        }
        // What an alias stands for was looked at.
        names.keys.extend(aliases);
        for expression in self.select.having.iter().chain(&self.ordered_by) {
            names.look(expression);
        }
        !names.has_found && names.subqueries.iter().all(stands_alone)
    }
}

/// Whether a SELECT has a GROUP BY.
pub(super) fn has_groups(select: &Select) -> bool {
    !matches!(&select.group_by, GroupByExpr::Expressions(terms, _) if terms.is_empty())
}

/// Whether an expression names a column outside of aggregates that is no key of the groups.
pub(super) fn names_beside_keys(expression: &Expr, select: &Select) -> bool {
    let mut names = NamesBeside::of(keys(select));
    names.look(expression);
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
    let mut select = select.clone();
    select.distinct = None;
    select.projection.push(SelectItem::ExprWithAlias {
        expr: column(qualifier, row_id),
        alias: Ident::new(TAKEN),
    });
    format!("SELECT {TAKEN} FROM ({select})")
}

fn column(qualifier: &str, name: &str) -> Expr {
    let name = Ident::with_quote('"', name);
    if qualifier.is_empty() {
        Expr::Identifier(name)
    } else {
        Expr::CompoundIdentifier(vec![Ident::with_quote('"', qualifier), name])
    }
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
    /// Subqueries outside of aggregates.
    subqueries: Vec<Query>,
}

impl NamesBeside {
    fn of(keys: Vec<Expr>) -> Self {
        Self {
            keys,
            passed: 0,
            queries: 0,
            has_found: false,
            subqueries: Vec::new(),
        }
    }

    fn look(&mut self, expression: &Expr) {
        let ControlFlow::Continue(()) = expression.visit(self);
    }
}

impl Visitor for NamesBeside {
    type Break = Infallible;

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<Infallible> {
        if self.queries == 0 && self.passed == 0 {
            self.subqueries.push(query.clone());
        }
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
