//! What stands in an expression, without going down into its subqueries.

use std::convert::Infallible;
use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, InTarget, JoinConstraint, JoinOperator,
    Query, Visit, Visitor,
};

/// How an expression uses a subquery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SubqueryUse {
    /// Its first row's value.
    Scalar,
    /// Any of its rows: EXISTS or IN.
    Rows,
}

/// A subquery of an expression.
#[derive(Clone, Debug)]
pub(super) struct Subquery {
    pub(super) usage: SubqueryUse,
    pub(super) query: Query,
    /// Whether only the existence of a row is asked.
    pub(super) is_exists: bool,
    /// Whether it stands inside the argument of an aggregate function.
    pub(super) in_aggregate: bool,
}

/// The parts of expressions at their own level.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    /// Names of columns, each with its qualifiers.
    pub(super) names: Vec<Vec<Ident>>,
    /// Whether a name stands outside every aggregate function.
    pub(super) has_bare_name: bool,
    /// Subqueries.
    pub(super) subqueries: Vec<Subquery>,
    /// Calls of aggregate functions, windows apart.
    pub(super) aggregates: Vec<Function>,
    /// Whether a window function is called.
    pub(super) has_window: bool,
    /// Whether it has `x IN table`.
    pub(super) has_table_operand: bool,
}

/// Looks at the parts of an expression, or of anything that holds expressions.
pub(super) fn look_into(node: &impl Visit) -> Parts {
    let mut looker = Looker::default();
    let ControlFlow::Continue(()) = node.visit(&mut looker);
    looker.parts
}

#[derive(Default)]
struct Looker {
    parts: Parts,
    query_depth: usize,
    aggregate_depth: usize,
}

impl Visitor for Looker {
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
        let in_aggregate = self.aggregate_depth > 0;
        let is_exists = matches!(expression, Expr::Exists { .. });
        let mut subquery = |usage, query: &Query| {
            self.parts.subqueries.push(Subquery {
                usage,
                is_exists,
                query: query.clone(),
                in_aggregate,
            });
        };
        match expression {
            Expr::Identifier(name) => {
                self.parts.names.push(vec![name.clone()]);
                self.parts.has_bare_name |= !in_aggregate;
            }
            Expr::CompoundIdentifier(names) => {
                self.parts.names.push(names.clone());
                self.parts.has_bare_name |= !in_aggregate;
            }
            Expr::Subquery(query) => subquery(SubqueryUse::Scalar, query),
            Expr::Exists { subquery: query, .. } => subquery(SubqueryUse::Rows, query),
            Expr::In { target, .. } => match target {
                InTarget::Subquery(query) => subquery(SubqueryUse::Rows, query),
                InTarget::Table { .. } => self.parts.has_table_operand = true,
                InTarget::List(_) | InTarget::Unnest(_) => {}
            },
            Expr::Function(function) => {
                if function.over.is_some() {
                    self.parts.has_window = true;
                } else if is_aggregate(function) {
                    self.parts.aggregates.push(function.clone());
                    self.aggregate_depth += 1;
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expression: &Expr) -> ControlFlow<Infallible> {
        if self.query_depth == 0
            && let Expr::Function(function) = expression
            && function.over.is_none()
            && is_aggregate(function)
        {
            self.aggregate_depth -= 1;
        }
        ControlFlow::Continue(())
    }
}

/// The function's name in lower case.
pub(super) fn name_of(function: &Function) -> String {
    function.name.to_string().trim_matches('"').to_ascii_lowercase()
}

/// Whether SQLite computes it over rows (without a window).
pub(super) fn is_aggregate(function: &Function) -> bool {
    match name_of(function).as_str() {
        "min" | "max" => argument_count(function) == 1,
        "count" | "sum" | "total" | "avg" | "group_concat" | "string_agg" | "median" | "percentile"
        | "percentile_cont" | "percentile_disc" | "json_group_array" | "json_group_object" | "jsonb_group_array"
        | "jsonb_group_object" => true,
        _ => false,
    }
}

fn argument_count(function: &Function) -> usize {
    match &function.args {
        FunctionArguments::List(list) => list.args.len(),
        FunctionArguments::None | FunctionArguments::Subquery(_) => 0,
    }
}

/// The first argument, unless it is `*` or there is none.
pub(super) fn first_argument(function: &Function) -> Option<&Expr> {
    arguments(function).first().copied()
}

/// The arguments; none where one of them is `*`.
pub(super) fn arguments(function: &Function) -> Vec<&Expr> {
    let FunctionArguments::List(list) = &function.args else {
        return Vec::new();
    };
    let each = list.args.iter().map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(argument)) => Some(argument),
        _ => None,
    });
    each.collect::<Option<Vec<&Expr>>>().unwrap_or_default()
}

/// What a join goes by; `None` for operators SQLite does not have.
pub(super) fn join_constraint(operator: &JoinOperator) -> Option<&JoinConstraint> {
    match operator {
        JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::Left(constraint)
        | JoinOperator::LeftOuter(constraint)
        | JoinOperator::Right(constraint)
        | JoinOperator::RightOuter(constraint)
        | JoinOperator::FullOuter(constraint)
        | JoinOperator::CrossJoin(constraint) => Some(constraint),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlparser::dialect::SQLiteDialect;
    use sqlparser::parser::Parser;

    fn expression(text: &str) -> Expr {
        Parser::new(&SQLiteDialect {})
            .try_with_sql(text)
            .unwrap()
            .parse_expr()
            .unwrap()
    }

    #[test]
    fn names_in_subqueries_and_literals_do_not_count() {
        let parts = look_into(&expression(
            "a > 'b' AND t.\"c d\" IN (SELECT e FROM x WHERE f = 1) AND SUM(g) FILTER (WHERE h) > MIN(i, 2)",
        ));
        let names: Vec<String> = parts
            .names
            .iter()
            .map(|name| name.last().unwrap().value.clone())
            .collect();
        assert_eq!(names, ["a", "c d", "g", "h", "i"]);
        assert_eq!(parts.subqueries.len(), 1);
        assert_eq!(parts.aggregates.len(), 1, "MIN of two arguments is no aggregate");
    }
}
