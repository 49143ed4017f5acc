//! The conditions of CASE and IIF, each with what must be so for it to be asked at all: the branches before it were not
//! taken, the branch that it stands in was, and the row is one that the aggregate around it counts. And the names of an
//! expression, each with what must be so for SQLite to look at it.

use std::convert::Infallible;
use std::ops::ControlFlow;

use sqlparser::ast::{BinaryOperator, CaseWhen, Expr, Function, Ident, InTarget, Query, Visit, Visitor};

use super::conditions::Wanted;
use super::expressions::{arguments, is_aggregate, name_of};

/// A condition of a CASE or IIF.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub(super) condition: Expr,
    /// What must be so for it to be asked.
    pub(super) within: Vec<(Expr, Wanted)>,
}

/// A call of an aggregate function.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) function: Function,
    /// For each place where it stands what must be so there for its value to be looked at.
    pub(super) ways: Vec<Vec<(Expr, Wanted)>>,
}

/// The aggregate functions that an expression calls, or anything that holds expressions; not in its subqueries. Of
/// `CASE WHEN COUNT(*) > 2 THEN SUM(a) ELSE MAX(b) END` each group looks at one of SUM and MAX.
pub(super) fn calls(node: &impl Visit) -> Vec<Call> {
    let mut finder = Finder::default();
    finder.look(node);
    finder.calls
}

/// The conditions of CASE and IIF in an expression, or in anything that holds expressions; not in its subqueries.
pub(super) fn branches(node: &impl Visit) -> Vec<Branch> {
    let mut finder = Finder::default();
    finder.look(node);
    finder.found
}

/// Names of columns that an expression looks at under the same conditions. An operand of IN is looked at where the list
/// is not empty.
#[derive(Clone, Debug)]
pub(super) struct LookedAt {
    /// Each with its qualifiers.
    pub(super) names: Vec<Vec<Ident>>,
    /// What must be so: branches that are taken or not, arguments of COALESCE that are NULL.
    pub(super) within: Vec<(Expr, Wanted)>,
}

/// The names of an expression at its own level: `(CASE WHEN a > 2 THEN b END) > 5` looks at `a` always, at `b` where that
/// branch is taken.
pub(super) fn looked_at(expression: &Expr) -> Vec<LookedAt> {
    let mut finder = Finder::default();
    finder.look(expression);
    grouped(finder.names)
}

fn grouped(names: Vec<LookedAt>) -> Vec<LookedAt> {
    let mut groups: Vec<LookedAt> = Vec::new();
    for one in names {
        match groups.iter_mut().find(|group| group.within == one.within) {
            Some(group) => group.names.extend(one.names),
            None => groups.push(one),
        }
    }
    groups
}

/// The names that an expression's value is made of: of CASE and IIF those of the branch that is taken and not of its
/// condition, of COALESCE those of the argument that is given.
pub(super) fn made_of(expression: &Expr) -> Vec<LookedAt> {
    let mut finder = Finder {
        is_of_value: true,
        ..Finder::default()
    };
    finder.look(expression);
    grouped(finder.names)
}

/// Whether its CASE and COALESCE have more branches than are followed: each branch says that none before it was taken, so that
/// what is asked grows with the square of their number.
pub(super) fn has_too_many(query: &Query) -> bool {
    struct Squares(usize);
    impl Visitor for Squares {
        type Break = Infallible;
        fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<Infallible> {
            let branches = match expression {
                Expr::Case { conditions, .. } => conditions.len(),
                Expr::Function(function) if matches!(name_of(function).as_str(), "coalesce" | "ifnull") => {
                    arguments(function).len()
                }
                _ => 0,
            };
            self.0 = self.0.saturating_add(branches * branches);
            ControlFlow::Continue(())
        }
    }
    let mut squares = Squares(0);
    let ControlFlow::Continue(()) = query.visit(&mut squares);
    squares.0 > MOST_BRANCHES * MOST_BRANCHES
}

/// Branches of one CASE that are followed; of several, as many as their squares allow.
pub(super) const MOST_BRANCHES: usize = 100;

/// A subquery, and for each place where it stands what must be so there for it to be looked at.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) query: Query,
    pub(super) ways: Vec<Vec<(Expr, Wanted)>>,
}

/// The subqueries of an expression, or of anything that holds expressions; not those in the arguments of aggregates.
pub(super) fn subqueries(node: &impl Visit) -> Vec<Asked> {
    let mut finder = Finder::default();
    finder.look(node);
    finder.subqueries
}

#[derive(Default)]
struct Finder {
    found: Vec<Branch>,
    subqueries: Vec<Asked>,
    names: Vec<LookedAt>,
    calls: Vec<Call>,
    within: Vec<(Expr, Wanted)>,
    /// Whether only names are wanted that the value is made of.
    is_of_value: bool,
    query_depth: usize,
    /// Inside an expression that has been looked at already.
    passed_depth: usize,
}

impl Finder {
    fn look(&mut self, node: &impl Visit) {
        let ControlFlow::Continue(()) = node.visit(self);
    }

    /// Looks with more that must be so.
    fn look_within(&mut self, node: &impl Visit, within: &[(Expr, Wanted)]) {
        let mut inner = Self {
            within: within.to_vec(),
            is_of_value: self.is_of_value,
            ..Self::default()
        };
        inner.look(node);
        self.found.append(&mut inner.found);
        self.names.append(&mut inner.names);
        for call in inner.calls {
            for way in call.ways {
                self.call(&call.function, way);
            }
        }
        for asked in inner.subqueries {
            for way in asked.ways {
                self.subquery(&asked.query, way);
            }
        }
    }

    fn subquery(&mut self, query: &Query, way: Vec<(Expr, Wanted)>) {
        match self.subqueries.iter_mut().find(|asked| asked.query == *query) {
            Some(asked) => asked.ways.push(way),
            None => self.subqueries.push(Asked {
                query: query.clone(),
                ways: vec![way],
            }),
        }
    }

    fn call(&mut self, function: &Function, way: Vec<(Expr, Wanted)>) {
        match self.calls.iter_mut().find(|call| call.function == *function) {
            Some(call) if call.ways.contains(&way) => {}
            Some(call) => call.ways.push(way),
            None => self.calls.push(Call {
                function: function.clone(),
                ways: vec![way],
            }),
        }
    }

    fn name(&mut self, name: Vec<Ident>) {
        self.names.push(LookedAt {
            names: vec![name],
            within: self.within.clone(),
        });
    }

    /// COALESCE looks at an argument where all before it are NULL.
    fn first_given(&mut self, arguments: &[&Expr]) {
        let mut within = self.within.clone();
        for argument in arguments {
            let is_given = Expr::IsNotNull(Box::new(as_operand(argument)));
            if self.is_of_value {
                let mut given = within.clone();
                given.push((is_given.clone(), Wanted::True));
                self.look_within(*argument, &given);
            } else {
                self.look_within(*argument, &within);
            }
            within.push((is_given, Wanted::NotTrue));
        }
    }

    fn choice(&mut self, operand: Option<&Expr>, conditions: &[(Expr, &Expr)], otherwise: Option<&Expr>) {
        let mut within = self.within.clone();
        if let Some(operand) = operand
            && !self.is_of_value
        {
            self.look_within(operand, &within);
        }
        for (condition, result) in conditions {
            if !self.is_of_value {
                self.look_within(condition, &within);
            }
            self.found.push(Branch {
                condition: condition.clone(),
                within: within.clone(),
            });
            let mut taken = within.clone();
            taken.push((condition.clone(), Wanted::True));
            self.look_within(*result, &taken);
            within.push((condition.clone(), Wanted::NotTrue));
        }
        if let Some(otherwise) = otherwise {
            self.look_within(otherwise, &within);
        }
    }

    fn aggregate(&mut self, function: &Function) {
        self.call(function, self.within.clone());
        let mut inner = Self::default();
        inner
            .within
            .extend(function.filter.iter().map(|filter| ((**filter).clone(), Wanted::True)));
        inner.look(&function.args);
        let mut in_filter = Self::default();
        in_filter.look(&function.filter);
        for part in [&mut inner, &mut in_filter] {
            self.found.append(&mut part.found);
            self.names.append(&mut part.names);
        }
    }
}

impl Visitor for Finder {
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
        if self.passed_depth > 0 {
            self.passed_depth += 1;
            return ControlFlow::Continue(());
        }
        match expression {
            Expr::Case {
                operand,
                conditions,
                else_result,
                ..
            } => {
                let conditions: Vec<(Expr, &Expr)> = conditions
                    .iter()
                    .map(|CaseWhen { condition, result }| (equals(operand.as_deref(), condition), result))
                    .collect();
                self.choice(operand.as_deref(), &conditions, else_result.as_deref());
                self.passed_depth = 1;
            }
            Expr::Function(function) if function.over.is_none() && is_aggregate(function) => {
                self.aggregate(function);
                self.passed_depth = 1;
            }
            Expr::Function(function) if matches!(name_of(function).as_str(), "iif" | "if") => {
                let arguments = arguments(function);
                let branches: Vec<(Expr, &Expr)> = arguments
                    .chunks_exact(2)
                    .map(|branch| (branch[0].clone(), branch[1]))
                    .collect();
                if !branches.is_empty() {
                    let otherwise = arguments.chunks_exact(2).remainder().first().copied();
                    self.choice(None, &branches, otherwise);
                    self.passed_depth = 1;
                }
            }
            Expr::Function(function) if matches!(name_of(function).as_str(), "coalesce" | "ifnull") => {
                self.first_given(&arguments(function));
                self.passed_depth = 1;
            }
            Expr::Subquery(query) | Expr::Exists { subquery: query, .. } => self.subquery(query, self.within.clone()),
            // In an empty list nothing is, whatever is looked for.
            Expr::In { expr, target, .. } => match target {
                InTarget::Subquery(query) => {
                    self.subquery(query, self.within.clone());
                    let mut within = self.within.clone();
                    within.push((rows_of(query), Wanted::True));
                    self.look_within(&**expr, &within);
                    self.passed_depth = 1;
                }
                InTarget::List(values) if values.is_empty() => self.passed_depth = 1,
                _ => {}
            },
            Expr::Identifier(name) => self.name(vec![name.clone()]),
            Expr::CompoundIdentifier(names) => self.name(names.clone()),
            _ => {}
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

/// As it is written before an operator.
pub(super) fn as_operand(expression: &Expr) -> Expr {
    match expression {
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Function(_) | Expr::Value(_) | Expr::Nested(_) => {
            expression.clone()
        }
        other => Expr::Nested(Box::new(other.clone())),
    }
}

fn rows_of(query: &Query) -> Expr {
    Expr::Exists {
        subquery: Box::new(query.clone()),
        negated: false,
    }
}

/// What `CASE operand WHEN value` asks.
pub(super) fn equals(operand: Option<&Expr>, condition: &Expr) -> Expr {
    let Some(operand) = operand else {
        return condition.clone();
    };
    Expr::BinaryOp {
        left: Box::new(Expr::Nested(Box::new(operand.clone()))),
        op: BinaryOperator::Eq,
        right: Box::new(Expr::Nested(Box::new(condition.clone()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlparser::dialect::SQLiteDialect;
    use sqlparser::parser::Parser;

    #[test]
    fn a_branch_is_asked_only_where_those_before_it_are_not_taken() {
        let expression = Parser::new(&SQLiteDialect {})
            .try_with_sql(
                "SUM(CASE a WHEN 1 THEN IIF(b, 2, 3) WHEN 4 THEN 5 END) FILTER (WHERE c) + CASE WHEN d THEN 1 END",
            )
            .unwrap()
            .parse_expr()
            .unwrap();
        let found: Vec<String> = branches(&expression)
            .iter()
            .map(|branch| {
                let within: Vec<String> = branch
                    .within
                    .iter()
                    .map(|(part, wanted)| format!("{part} {}", wanted.sql()))
                    .collect();
                format!("{} [{}]", branch.condition, within.join(", "))
            })
            .collect();
        assert_eq!(
            found,
            [
                "(a) = (1) [c IS TRUE]",
                "b [c IS TRUE, (a) = (1) IS TRUE]",
                "(a) = (4) [c IS TRUE, (a) = (1) IS NOT TRUE]",
                "d []",
            ]
        );
    }

    #[test]
    fn an_aggregate_is_looked_at_where_its_branch_is_taken() {
        let expression = Parser::new(&SQLiteDialect {})
            .try_with_sql(
                "CASE max(a) WHEN 3 THEN min(b) ELSE iif(count(*) > 2, sum(a), 0, avg(a), coalesce(min(b), max(c) + max(a))) END",
            )
            .unwrap()
            .parse_expr()
            .unwrap();
        let found: Vec<String> = calls(&expression)
            .iter()
            .map(|call| {
                let way = |way: &Vec<(Expr, Wanted)>| {
                    let parts = way.iter().map(|(part, wanted)| format!("{part} {}", wanted.sql()));
                    parts.collect::<Vec<_>>().join(", ")
                };
                let ways: Vec<String> = call.ways.iter().map(way).collect();
                format!("{} [{}]", call.function, ways.join(" / "))
            })
            .collect();
        let otherwise = "(max(a)) = (3) IS NOT TRUE";
        let last = format!("{otherwise}, count(*) > 2 IS NOT TRUE, 0 IS NOT TRUE");
        assert_eq!(
            found,
            [
                format!("max(a) [ / {last}, min(b) IS NOT NULL IS NOT TRUE]"),
                format!("min(b) [(max(a)) = (3) IS TRUE / {last}]"),
                format!("count(*) [{otherwise}]"),
                format!("sum(a) [{otherwise}, count(*) > 2 IS TRUE]"),
                format!("avg(a) [{otherwise}, count(*) > 2 IS NOT TRUE, 0 IS TRUE]"),
                format!("max(c) [{last}, min(b) IS NOT NULL IS NOT TRUE]"),
            ]
        );
    }

    #[test]
    fn a_name_is_looked_at_where_its_branch_is_taken() {
        let expression = Parser::new(&SQLiteDialect {})
            .try_with_sql("CASE a WHEN 1 THEN b WHEN c THEN coalesce(d, 2, e) ELSE a END + f > (SELECT g)")
            .unwrap()
            .parse_expr()
            .unwrap();
        let found: Vec<String> = looked_at(&expression)
            .iter()
            .map(|group| {
                let names: Vec<String> = group.names.iter().map(|name| name[0].to_string()).collect();
                let within: Vec<String> = group
                    .within
                    .iter()
                    .map(|(part, wanted)| format!("{part} {}", wanted.sql()))
                    .collect();
                format!("{} [{}]", names.join(" "), within.join(", "))
            })
            .collect();
        assert_eq!(
            found,
            [
                "a a f []",
                "b [(a) = (1) IS TRUE]",
                "a c [(a) = (1) IS NOT TRUE]",
                "d [(a) = (1) IS NOT TRUE, (a) = (c) IS TRUE]",
                "e [(a) = (1) IS NOT TRUE, (a) = (c) IS TRUE, d IS NOT NULL IS NOT TRUE, 2 IS NOT NULL IS NOT TRUE]",
                "a [(a) = (1) IS NOT TRUE, (a) = (c) IS NOT TRUE]",
            ]
        );
    }
}
