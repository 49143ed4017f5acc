//! The conditions of a statement, each with the parts around it that it needs; the arguments of its MIN and MAX; and what
//! its aliases stand for. Read off the statement's text alone, apart from the tracer.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::rc::Rc;

use sqlparser::ast::{
    Expr, Function, Join, JoinConstraint, JoinOperator, OrderBy, OrderByKind, Query, Select, SelectItem, SetExpr,
    TableFactor, TableWithJoins, Visit, Visitor,
};

use super::groups::{Gate, Grouped, has_groups, is_key, names_beside_keys};
use super::looks::{Look, asked, made_of, pairs};
use super::meaning::{Truths, arguments, as_operand, take_apart};
use crate::engine::TABLE_NAME;

/// A part of a condition, and what is wanted of it: `TRUE`, `NOT TRUE` and their like, as they stand behind IS.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    pub(super) expression: Expr,
    pub(super) wanted: &'static str,
}

/// A condition that is tested by itself.
#[derive(Clone, Debug)]
pub(super) struct Stated {
    /// First the condition itself, then what must hold around it for it to count.
    pub(super) parts: Vec<Part>,
    /// The names that it looks at.
    pub(super) looks: Vec<Look>,
    /// Where it stands outside of the aggregates of a SELECT with groups and goes by more than their keys: that SELECT. It is
    /// tested on one row of each group alone.
    pub(super) group: Option<Rc<Select>>,
    /// Where it stands in an aggregate that not every group looks at.
    pub(super) gate: Option<Gate>,
}

/// A MIN or MAX.
#[derive(Clone, Debug)]
pub(super) struct StatedExtreme {
    pub(super) is_max: bool,
    pub(super) argument: Expr,
    /// The names that the argument's value is made of.
    pub(super) looks: Vec<Look>,
    /// Where not every group looks at it.
    pub(super) gate: Option<Gate>,
}

/// What a statement says.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) conditions: Vec<Stated>,
    pub(super) extremes: Vec<StatedExtreme>,
    /// By name in small letters.
    pub(super) aliases: BTreeMap<String, Vec<Expr>>,
    /// By name in small letters: what an outer join fills up with NULLs where it finds no row.
    pub(super) filled: BTreeMap<String, Filled>,
    /// Whether it is one SELECT from one table, without FILTER.
    pub(super) is_plain: bool,
}

/// A side of an outer join that may be NULLs.
#[derive(Clone, Debug, Default)]
pub(super) struct Filled {
    /// What it is joined by, where that is all that says whether it is: the table itself on the right of a LEFT JOIN, and of
    /// this name once.
    pub(super) unless: Option<Expr>,
}

/// Reads a statement.
pub(super) fn read(query: &Query) -> Reading {
    let mut reader = Reader {
        reading: Reading {
            is_plain: true,
            ..Reading::default()
        },
        queries: 0,
        within: Vec::new(),
        inside: BTreeMap::new(),
        of_groups: BTreeMap::new(),
        groups: Vec::new(),
        keys: BTreeSet::new(),
        selects: BTreeMap::new(),
        standing: Vec::new(),
        gates: Vec::new(),
    };
    let ControlFlow::Continue(()) = query.visit(&mut reader);
    reader.reading.is_plain &= reader.queries == 1;
    reader.reading
}

struct Reader {
    reading: Reading,
    queries: usize,
    /// For each query that is being read, the parts that must hold where the visitor stands.
    within: Vec<Vec<Part>>,
    /// By the address of a branch's result: the parts that must hold for it to be taken.
    inside: BTreeMap<usize, Vec<Part>>,
    /// By the address of an expression that a SELECT computes for each group: that SELECT.
    of_groups: BTreeMap<usize, Rc<Select>>,
    /// The SELECT with groups whose expression is being read; nothing inside an aggregate, a subquery or a key of the groups.
    groups: Vec<Option<Rc<Select>>>,
    /// The addresses of the keys that are being read.
    keys: BTreeSet<usize>,
    /// By the address of an expression that a SELECT computes or orders by: that SELECT.
    selects: BTreeMap<usize, Rc<Grouped>>,
    /// The SELECTs whose expressions are being read.
    standing: Vec<Rc<Grouped>>,
    /// Of the aggregates that are being read.
    gates: Vec<Option<Gate>>,
}

pub(super) fn address(expression: &Expr) -> usize {
    std::ptr::from_ref(expression).addr()
}

impl Visitor for Reader {
    type Break = Infallible;

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<Infallible> {
        self.queries += 1;
        // What speaks of no row of the query around it can be asked inside, too: a branch that is not taken looks at nothing.
        let around = self.around().iter().filter(|part| speaks_of_no_row(&part.expression));
        let around: Vec<Part> = around.cloned().collect();
        self.within.push(around);
        self.groups.push(None);
        self.gates.push(None);
        self.body(&query.body, query.order_by.as_ref());
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<Infallible> {
        self.within.pop();
        self.groups.pop();
        self.gates.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<Infallible> {
        if let Some(parts) = self.inside.get(&address(expression)) {
            let parts = parts.clone();
            self.around().extend(parts);
        }
        if let Some(select) = self.selects.get(&address(expression)) {
            self.standing.push(Rc::clone(select));
        }
        if let Some(select) = self.of_groups.get(&address(expression)) {
            self.groups.push(Some(Rc::clone(select)));
        }
        if is_aggregate(expression) {
            self.groups.push(None);
            // What must be so around an aggregate is asked of the group, and not of a row.
            let parts = self.around().clone();
            let gate = self.standing.last().filter(|_| !parts.is_empty()).map(|grouped| Gate {
                of: Rc::clone(grouped),
                parts,
            });
            self.gates.push(gate);
            self.within.push(Vec::new());
        } else if let Some(Some(select)) = self.groups.last()
            && is_key(expression, select)
        {
            self.keys.insert(address(expression));
            self.groups.push(None);
        }
        match expression {
            Expr::Case {
                operand,
                conditions,
                else_result,
                ..
            } => {
                let branches = conditions.iter().map(|when| (&when.condition, &when.result));
                self.choice(operand.as_deref(), branches, else_result.as_deref());
            }
            Expr::Function(function) => self.function(function),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expression: &Expr) -> ControlFlow<Infallible> {
        if is_aggregate(expression) || self.keys.remove(&address(expression)) {
            self.groups.pop();
        }
        if is_aggregate(expression) {
            self.gates.pop();
            self.within.pop();
        }
        if self.selects.remove(&address(expression)).is_some() {
            self.standing.pop();
        }
        if self.of_groups.remove(&address(expression)).is_some() {
            self.groups.pop();
        }
        if let Some(parts) = self.inside.remove(&address(expression)) {
            let around = self.around();
            around.truncate(around.len().saturating_sub(parts.len()));
        }
        ControlFlow::Continue(())
    }
}

impl Reader {
    fn around(&mut self) -> &mut Vec<Part> {
        if self.within.is_empty() {
            self.within.push(Vec::new());
        }
        let last = self.within.len() - 1;
        &mut self.within[last]
    }

    fn body(&mut self, body: &SetExpr, order_by: Option<&OrderBy>) {
        match body {
            SetExpr::Select(select) => {
                self.computes(select, order_by);
                self.select(select);
            }
            SetExpr::SetOperation { left, right, .. } => {
                self.reading.is_plain = false;
                self.body(left, None);
                self.body(right, None);
            }
            _ => {}
        }
    }

    /// Notes what a SELECT computes, and orders by.
    fn computes(&mut self, select: &Select, order_by: Option<&OrderBy>) {
        let ordered_by: Vec<&Expr> = match order_by.map(|order_by| &order_by.kind) {
            Some(OrderByKind::Expressions(terms)) => terms.iter().map(|term| &term.expr).collect(),
            _ => Vec::new(),
        };
        let grouped = Rc::new(Grouped {
            select: select.clone(),
            ordered_by: ordered_by.iter().map(|term| (*term).clone()).collect(),
        });
        let shown = select.projection.iter().filter_map(|item| match item {
            SelectItem::UnnamedExpr(shown) | SelectItem::ExprWithAlias { expr: shown, .. } => Some(shown),
            _ => None,
        });
        for expression in shown.chain(&select.having).chain(ordered_by) {
            self.selects.insert(address(expression), Rc::clone(&grouped));
        }
    }

    fn select(&mut self, select: &Select) {
        for item in &select.projection {
            if let SelectItem::ExprWithAlias { expr, alias } = item {
                let meanings = self
                    .reading
                    .aliases
                    .entry(alias.value.to_ascii_lowercase())
                    .or_default();
                if !meanings.contains(expr) {
                    meanings.push(expr.clone());
                }
            }
        }
        let [from] = select.from.as_slice() else {
            self.reading.is_plain = false;
            for from in &select.from {
                self.joined(from);
            }
            return self.filters(select);
        };
        self.reading.is_plain &= from.joins.is_empty();
        self.joined(from);
        self.filters(select);
    }

    fn filters(&mut self, select: &Select) {
        if let Some(condition) = &select.selection {
            self.take(condition, true, Vec::new());
        }
        if select.having.is_none() && !has_groups(select) {
            return;
        }
        let group = Rc::new(select.clone());
        if let Some(condition) = &select.having {
            self.groups.push(Some(Rc::clone(&group)));
            self.take(condition, true, Vec::new());
            self.groups.pop();
            self.of_groups.insert(address(condition), Rc::clone(&group));
        }
        for item in &select.projection {
            if let SelectItem::UnnamedExpr(shown) | SelectItem::ExprWithAlias { expr: shown, .. } = item {
                self.of_groups.insert(address(shown), Rc::clone(&group));
            }
        }
    }

    fn joined(&mut self, from: &TableWithJoins) {
        let relations = std::iter::once(&from.relation).chain(from.joins.iter().map(|join| &join.relation));
        for relation in relations {
            if let TableFactor::NestedJoin { table_with_joins, .. } = relation {
                self.reading.is_plain = false;
                self.joined(table_with_joins);
            }
        }
        let mut before = vec![&from.relation];
        for join in &from.joins {
            self.outer(join, &before);
            before.push(&join.relation);
            if let Some(JoinConstraint::On(condition)) = constraint(&join.join_operator) {
                self.take(condition, true, Vec::new());
            }
        }
    }

    /// Notes what an outer join may fill up.
    fn outer(&mut self, join: &Join, before: &[&TableFactor]) {
        let (fills_before, fills_its_own) = match &join.join_operator {
            JoinOperator::Left(_) | JoinOperator::LeftOuter(_) => (false, true),
            JoinOperator::Right(_) | JoinOperator::RightOuter(_) => (true, false),
            JoinOperator::FullOuter(_) => (true, true),
            _ => return,
        };
        let condition = match constraint(&join.join_operator) {
            Some(JoinConstraint::On(condition)) if !fills_before => Some(condition.clone()),
            _ => None,
        };
        let own = fills_its_own.then_some((&join.relation, condition));
        let others = before.iter().filter(|_| fills_before).map(|factor| (*factor, None));
        for (factor, condition) in own.into_iter().chain(others) {
            let (name, is_table) = match factor {
                TableFactor::Table { name, alias, .. } => (
                    alias
                        .as_ref()
                        .map_or_else(|| name.to_string(), |alias| alias.name.value.clone()),
                    name.to_string().trim_matches('"').eq_ignore_ascii_case(TABLE_NAME),
                ),
                TableFactor::Derived { alias: Some(alias), .. } => (alias.name.value.clone(), false),
                _ => continue,
            };
            let name = name.trim_matches('"').to_ascii_lowercase();
            let is_known_already = self.reading.filled.contains_key(&name);
            let unless = condition.filter(|_| is_table && !is_known_already);
            self.reading.filled.insert(name, Filled { unless });
        }
    }

    fn choice<'a>(
        &mut self,
        operand: Option<&Expr>,
        branches: impl Iterator<Item = (&'a Expr, &'a Expr)>,
        otherwise: Option<&Expr>,
    ) {
        let mut before: Vec<Part> = Vec::new();
        for (condition, result) in branches {
            self.inside.insert(address(condition), before.clone());
            let condition = asked(operand, condition);
            self.take(&condition, false, before.clone());
            let mut taken = before.clone();
            taken.push(part(&condition, "TRUE"));
            self.inside.insert(address(result), taken);
            before.push(part(&condition, "NOT TRUE"));
        }
        if let Some(otherwise) = otherwise {
            self.inside.insert(address(otherwise), before);
        }
    }

    fn function(&mut self, function: &Function) {
        let name = function.name.to_string().trim_matches('"').to_ascii_lowercase();
        let arguments = arguments(function);
        if let Some(filter) = &function.filter {
            self.reading.is_plain = false;
            self.take(filter, false, Vec::new());
        }
        match (name.as_str(), arguments.as_slice()) {
            ("min" | "max", [one]) if function.over.is_none() => {
                self.reading.extremes.push(StatedExtreme {
                    is_max: name == "max",
                    argument: (*one).clone(),
                    looks: made_of(one),
                    gate: self.gates.last().cloned().flatten(),
                });
            }
            ("iif" | "if", [_, _, ..]) => {
                let (branches, otherwise) = pairs(&arguments);
                self.choice(None, branches, otherwise);
            }
            ("coalesce" | "ifnull", arguments) => {
                let mut before: Vec<Part> = Vec::new();
                for argument in arguments {
                    self.inside.insert(address(argument), before.clone());
                    before.push(part(&Expr::IsNull(Box::new(as_operand(argument))), "TRUE"));
                }
            }
            _ => {}
        }
    }

    fn take(&mut self, condition: &Expr, is_given: bool, within: Vec<Part>) {
        let mut all = self.around().clone();
        all.extend(within);
        let begun = self.reading.conditions.len();
        take_apart(condition, Truths::TRUE, is_given, &all, &mut self.reading.conditions);
        if let Some(Some(gate)) = self.gates.last() {
            for stated in &mut self.reading.conditions[begun..] {
                stated.gate = Some(gate.clone());
            }
        }
        if let Some(Some(select)) = self.groups.last() {
            for stated in &mut self.reading.conditions[begun..] {
                let goes_by_more = |part: &Part| names_beside_keys(&part.expression, select);
                stated.group = stated.parts.iter().any(goes_by_more).then(|| Rc::clone(select));
            }
        }
    }
}

/// Whether an expression is made of subqueries and constants alone.
fn speaks_of_no_row(expression: &Expr) -> bool {
    struct Rows(usize);
    impl Visitor for Rows {
        type Break = ();
        fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
            self.0 += 1;
            ControlFlow::Continue(())
        }
        fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
            self.0 -= 1;
            ControlFlow::Continue(())
        }
        fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<()> {
            let is_name = matches!(expression, Expr::Identifier(_) | Expr::CompoundIdentifier(_));
            let is_window = matches!(expression, Expr::Function(function) if function.over.is_some());
            if self.0 == 0 && (is_name || is_window || is_aggregate(expression)) {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        }
    }
    expression.visit(&mut Rows(0)).is_continue()
}

/// Whether a function gathers rows; what has the same name and several arguments, as MIN, does not.
pub(super) fn is_aggregate(expression: &Expr) -> bool {
    let Expr::Function(function) = expression else {
        return false;
    };
    let name = function.name.to_string().trim_matches('"').to_ascii_lowercase();
    const GATHERING: [&str; 16] = [
        "count",
        "sum",
        "total",
        "avg",
        "group_concat",
        "string_agg",
        "median",
        "percentile",
        "percentile_cont",
        "percentile_disc",
        "json_group_array",
        "json_group_object",
        "jsonb_group_array",
        "jsonb_group_object",
        "min",
        "max",
    ];
    let is_extreme = matches!(name.as_str(), "min" | "max");
    function.over.is_none() && GATHERING.contains(&name.as_str()) && (!is_extreme || arguments(function).len() == 1)
}

pub(super) fn part(expression: &Expr, wanted: &'static str) -> Part {
    Part {
        expression: expression.clone(),
        wanted,
    }
}

fn constraint(operator: &JoinOperator) -> Option<&JoinConstraint> {
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
    use sqlparser::dialect::SQLiteDialect;
    use sqlparser::parser::Parser;

    use super::*;

    fn conditions(statement: &str) -> Vec<String> {
        let parsed = Parser::parse_sql(&SQLiteDialect {}, statement).unwrap();
        let [sqlparser::ast::Statement::Query(query)] = parsed.as_slice() else {
            panic!("no query")
        };
        read(query)
            .conditions
            .iter()
            .map(|stated| {
                let parts: Vec<String> = stated
                    .parts
                    .iter()
                    .map(|part| format!("{} {}", part.expression, part.wanted))
                    .collect();
                parts.join("; ")
            })
            .collect()
    }

    #[test]
    fn a_later_branch_counts_where_no_earlier_was_taken() {
        assert_eq!(
            conditions("SELECT CASE WHEN a > 1 THEN CASE b WHEN 2 THEN 3 END WHEN c THEN 4 END FROM t"),
            ["a > 1 TRUE", "c TRUE; a > 1 NOT TRUE", "(b) = (2) TRUE; a > 1 TRUE",]
        );
        assert_eq!(
            conditions("SELECT iif(a, (SELECT 1 FROM t WHERE b), CASE WHEN c THEN 1 END) FROM t"),
            ["a TRUE", "b TRUE", "c TRUE; a NOT TRUE"]
        );
    }

    #[test]
    fn a_side_of_or_counts_with_what_it_needs() {
        assert_eq!(
            conditions("SELECT 1 FROM t JOIN u ON NOT (t.a OR u.b) WHERE (c AND d) OR e"),
            [
                "t.a FALSE",
                "u.b FALSE",
                "c TRUE; c AND d TRUE",
                "d TRUE; c AND d TRUE",
                "e TRUE",
            ]
        );
    }
}
