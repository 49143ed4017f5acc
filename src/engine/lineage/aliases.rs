//! What a name of a result column and an ordinal stand for, by SQLite's rules: in WHERE, ON, GROUP BY and HAVING a column
//! of the FROM goes before a name of the result; of an ORDER BY, a term that is only a name means the result's first.

use std::convert::Infallible;
use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, GroupByExpr, Ident, OrderBy, OrderByKind, OrderBySort, Query, Select, SelectItem, UnaryOperator, Value,
    VisitMut, VisitorMut,
};

use super::layout::Layout;

/// One term of an ORDER BY, with names and ordinals of result columns followed to their expressions.
#[derive(Clone, Debug)]
pub(super) struct Term {
    pub(super) expression: Expr,
    pub(super) is_descending: bool,
    pub(super) nulls_first: Option<bool>,
}

/// Puts expressions in the place of names of result columns in WHERE, ON and HAVING, so that they can be asked without
/// the result beside them.
pub(super) fn follow_aliases(select: &mut Select, layout: &Layout) {
    let mut follower = Follower {
        named: named(&select.projection),
        layout,
        query_depth: 0,
        followed_depth: 0,
    };
    if follower.named.is_empty() {
        return;
    }
    let ControlFlow::Continue(()) = select.selection.visit(&mut follower);
    let ControlFlow::Continue(()) = select.having.visit(&mut follower);
    let ControlFlow::Continue(()) = select.from.visit(&mut follower);
}

/// The terms of a GROUP BY; `None` for the number of a column that a `*` of several relations shows.
pub(super) fn group_terms(select: &Select, layout: &Layout) -> Option<Vec<Expr>> {
    let GroupByExpr::Expressions(terms, _) = &select.group_by else {
        return Some(Vec::new());
    };
    let terms = terms.iter().map(|term| {
        let Some(number) = ordinal(term) else {
            let mut term = term.clone();
            follow(&mut term, &select.projection, layout);
            return Some(term);
        };
        let shown = by_number(number, &select.projection).cloned();
        let shown = shown.or_else(|| behind_a_star(number, &select.projection, layout))?;
        Some(in_place_of_ordinal(term, &shown))
    });
    terms.collect()
}

/// A term with what its ordinal stands for: what is put around it stays.
fn in_place_of_ordinal(term: &Expr, shown: &Expr) -> Expr {
    match term {
        Expr::Nested(inner) => Expr::Nested(Box::new(in_place_of_ordinal(inner, shown))),
        Expr::Collate { expr, collation } => Expr::Collate {
            expr: Box::new(Expr::Nested(Box::new(in_place_of_ordinal(expr, shown)))),
            collation: collation.clone(),
        },
        _ => shown.clone(),
    }
}

/// The column that a number stands for in a result with `*`, where one relation says what the `*` shows.
fn behind_a_star(number: usize, projection: &[SelectItem], layout: &Layout) -> Option<Expr> {
    let [relation] = layout.relations.as_slice() else {
        return None;
    };
    let mut shown = Vec::new();
    for item in projection {
        match item {
            SelectItem::UnnamedExpr(expression) | SelectItem::ExprWithAlias { expr: expression, .. } => {
                shown.push(expression.clone());
            }
            SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..) => {
                let columns = relation.columns.iter();
                shown.extend(columns.map(|(name, _)| Expr::Identifier(Ident::with_quote('"', name))));
            }
            _ => return None,
        }
    }
    shown.get(number.checked_sub(1)?).cloned()
}

/// The terms of an ORDER BY; empty when there is none, `None` for a form that is not SQLite's.
pub(super) fn order_terms(order_by: Option<&OrderBy>, select: &Select, layout: &Layout) -> Option<Vec<Term>> {
    let Some(order_by) = order_by else {
        return Some(Vec::new());
    };
    let OrderByKind::Expressions(terms) = &order_by.kind else {
        return None;
    };
    let terms = terms.iter().map(|term| {
        let named = match &term.expr {
            Expr::Identifier(name) => by_name(&name.value, &select.projection).cloned(),
            other => ordinal(other)
                .and_then(|number| by_number(number, &select.projection))
                .map(|shown| in_place_of_ordinal(other, shown)),
        };
        let expression = match (named, &term.expr) {
            (Some(shown), _) => shown,
            (None, Expr::Collate { expr, collation }) => {
                let named = match &**expr {
                    Expr::Identifier(name) => by_name(&name.value, &select.projection),
                    _ => None,
                };
                let mut inner = named.unwrap_or(expr).clone();
                follow(&mut inner, &select.projection, layout);
                Expr::Collate {
                    expr: Box::new(Expr::Nested(Box::new(inner))),
                    collation: collation.clone(),
                }
            }
            (None, other) => {
                let mut followed = other.clone();
                follow(&mut followed, &select.projection, layout);
                followed
            }
        };
        Term {
            expression,
            is_descending: matches!(term.options.sort, Some(OrderBySort::Desc)),
            nulls_first: term.options.nulls_first,
        }
    });
    Some(terms.collect())
}

fn follow(expression: &mut Expr, projection: &[SelectItem], layout: &Layout) {
    let mut follower = Follower {
        named: named(projection),
        layout,
        query_depth: 0,
        followed_depth: 0,
    };
    let ControlFlow::Continue(()) = expression.visit(&mut follower);
}

/// The result's named expressions.
fn named(projection: &[SelectItem]) -> Vec<(Ident, Expr)> {
    projection
        .iter()
        .filter_map(|item| match item {
            SelectItem::ExprWithAlias { expr, alias } => Some((alias.clone(), expr.clone())),
            _ => None,
        })
        .collect()
}

fn by_name<'a>(name: &str, projection: &'a [SelectItem]) -> Option<&'a Expr> {
    projection.iter().find_map(|item| match item {
        SelectItem::ExprWithAlias { expr, alias } if alias.value.eq_ignore_ascii_case(name) => Some(expr),
        _ => None,
    })
}

/// The expression that a number stands for, where no `*` before it makes the count another.
fn by_number(number: usize, projection: &[SelectItem]) -> Option<&Expr> {
    let before = projection.get(..number)?;
    before
        .iter()
        .map(|item| match item {
            SelectItem::UnnamedExpr(expression) | SelectItem::ExprWithAlias { expr: expression, .. } => {
                Some(expression)
            }
            _ => None,
        })
        .collect::<Option<Vec<&Expr>>>()?
        .last()
        .copied()
}

/// The 1-based number of a result column that a term of GROUP BY or ORDER BY is: SQLite reads an integer so in parentheses,
/// behind a plus and before a COLLATE too, and in hexadecimal (which the parser does not tell from a blob).
pub(super) fn ordinal(term: &Expr) -> Option<usize> {
    match term {
        Expr::Nested(inner) | Expr::Collate { expr: inner, .. } => ordinal(inner),
        Expr::UnaryOp {
            op: UnaryOperator::Plus,
            expr,
        } => ordinal(expr),
        Expr::Value(value) => match &value.value {
            Value::Number(number, _) => number.parse().ok().filter(|number| *number > 0),
            Value::HexStringLiteral(digits) => usize::from_str_radix(digits, 16).ok().filter(|number| *number > 0),
            _ => None,
        },
        _ => None,
    }
}

struct Follower<'layout> {
    named: Vec<(Ident, Expr)>,
    layout: &'layout Layout,
    query_depth: usize,
    /// Inside an expression that was put in: its names are the FROM's.
    followed_depth: usize,
}

impl VisitorMut for Follower<'_> {
    type Break = Infallible;

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<Infallible> {
        self.query_depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<Infallible> {
        self.query_depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expression: &mut Expr) -> ControlFlow<Infallible> {
        if self.query_depth > 0 {
            return ControlFlow::Continue(());
        }
        if self.followed_depth > 0 {
            self.followed_depth += 1;
            return ControlFlow::Continue(());
        }
        if let Expr::Identifier(name) = expression
            && self.layout.columns_named(None, &name.value).is_empty()
            && let Some((_, shown)) = self
                .named
                .iter()
                .find(|(alias, _)| alias.value.eq_ignore_ascii_case(&name.value))
        {
            *expression = Expr::Nested(Box::new(shown.clone()));
            self.followed_depth = 1;
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, _: &mut Expr) -> ControlFlow<Infallible> {
        if self.query_depth == 0 {
            self.followed_depth = self.followed_depth.saturating_sub(1);
        }
        ControlFlow::Continue(())
    }
}
