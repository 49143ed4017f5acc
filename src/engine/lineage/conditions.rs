//! Takes conditions apart, down to what is tested by itself: at AND, OR and NOT; through IS TRUE and its like, and a comparison
//! with a number, of what is true or false; at the branches of CASE and IIF; and at the comparisons that BETWEEN, lists and
//! row values stand for. One rule holds for all: of several parts that could each make it so, those that do.

use std::convert::Infallible;
use std::ops::ControlFlow;

use sqlparser::ast::{BinaryOperator, CaseWhen, Expr, InTarget, Query, UnaryOperator, Value, VisitMut, VisitorMut};

use super::branches::{as_operand, equals};
use super::expressions::{arguments, look_into, name_of};
use super::rows;

/// What is asked of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// That it holds.
    True,
    /// That it fails.
    False,
    /// That it is neither.
    Null,
    /// That it fails or is NULL.
    NotTrue,
    /// That it holds or is NULL.
    NotFalse,
    /// That it holds or fails.
    NotNull,
}

impl Wanted {
    const ALL: [Self; 6] = [
        Self::True,
        Self::False,
        Self::Null,
        Self::NotTrue,
        Self::NotFalse,
        Self::NotNull,
    ];

    /// The operator that asks it.
    pub(super) fn sql(self) -> &'static str {
        match self {
            Self::True => "IS TRUE",
            Self::False => "IS FALSE",
            Self::Null => "IS NULL",
            Self::NotTrue => "IS NOT TRUE",
            Self::NotFalse => "IS NOT FALSE",
            Self::NotNull => "IS NOT NULL",
        }
    }

    /// Which of true, false and NULL it takes.
    fn takes(self) -> [bool; 3] {
        match self {
            Self::True => [true, false, false],
            Self::False => [false, true, false],
            Self::Null => [false, false, true],
            Self::NotTrue => [false, true, true],
            Self::NotFalse => [true, false, true],
            Self::NotNull => [true, true, false],
        }
    }

    /// `None` where it takes all or nothing.
    fn of(takes: [bool; 3]) -> Option<Self> {
        Self::ALL.into_iter().find(|wanted| wanted.takes() == takes)
    }

    /// What is asked of `a` where this is asked of `NOT a`.
    pub(super) fn negated(self) -> Self {
        let [holds, fails, null] = self.takes();
        Self::of([fails, holds, null]).unwrap_or(self)
    }

    /// The contrary.
    fn other(self) -> Self {
        Self::of(self.takes().map(|takes| !takes)).unwrap_or(self)
    }
}

/// A condition that is tested by itself.
#[derive(Clone, Debug)]
pub(super) struct Atom {
    pub(super) condition: Expr,
    /// What the whole asks of it.
    pub(super) wanted: Wanted,
    /// Parts around it that must hold too for it to count, each with what is wanted of it: of `(a AND b) OR c`, `a` counts
    /// only where `b` holds.
    pub(super) within: Vec<(Expr, Wanted)>,
}

/// Takes a condition apart. `is_given` says that the whole holds for every row that is looked at, as WHERE does for a row
/// kept; `within` are parts around it that must hold too.
pub(super) fn atoms(condition: &Expr, is_given: bool, within: &[(Expr, Wanted)], found: &mut Vec<Atom>) {
    take_apart(condition, Wanted::True, is_given, within, found);
}

fn take_apart(condition: &Expr, wanted: Wanted, is_given: bool, within: &[(Expr, Wanted)], found: &mut Vec<Atom>) {
    match condition {
        Expr::Nested(inner)
        | Expr::UnaryOp {
            op: UnaryOperator::Plus,
            expr: inner,
        } => return take_apart(inner, wanted, is_given, within, found),
        Expr::UnaryOp {
            op: UnaryOperator::Not,
            expr,
        } => return take_apart(expr, wanted.negated(), is_given, within, found),
        Expr::BinaryOp {
            left,
            op: op @ (BinaryOperator::And | BinaryOperator::Or),
            right,
        } if !matches!(wanted, Wanted::Null | Wanted::NotNull) => {
            // All parts must be so: each is given where the whole is. Or some part: none is given.
            let of_and = matches!(wanted, Wanted::True | Wanted::NotFalse);
            let needs_all = (*op == BinaryOperator::And) == of_and;
            let mut within = within.to_vec();
            if needs_all && !is_given {
                within.push((condition.clone(), wanted));
            }
            take_apart(left, wanted, needs_all, &within, found);
            take_apart(right, wanted, needs_all, &within, found);
            return;
        }
        Expr::BinaryOp { left, op, right } if wanted == Wanted::Null => {
            if let Some(asked) = asked_where_null(left, op, right) {
                let mut within = within.to_vec();
                within.push((condition.clone(), wanted));
                for (part, wanted) in asked {
                    take_apart(&part, wanted, false, &within, found);
                }
                return;
            }
        }
        _ => {}
    }
    if let Some((inner, wanted)) = asked_of_inner(condition, wanted) {
        if let Some(wanted) = wanted {
            take_apart(inner, wanted, is_given, within, found);
        }
        return;
    }
    if let Some(meant) = meant_by(condition) {
        return take_apart(&meant, wanted, is_given, within, found);
    }
    if let Some(elements) = rows::differing_elements(condition, wanted) {
        for (element, differs) in elements {
            let mut within = within.to_vec();
            if !is_given {
                within.push((condition.clone(), wanted));
            }
            within.push((differs, Wanted::True));
            found.push(Atom {
                condition: rows::whatever_it_is(element),
                wanted: Wanted::True,
                within,
            });
        }
        return;
    }
    if let Some(choice) = choice_in(condition) {
        return choose(condition, &choice, wanted, within, found);
    }
    if let Some((given, is_given_wanted)) = whether_given(condition, wanted) {
        let mut within = within.to_vec();
        if !is_given && !is_given_wanted {
            within.push((condition.clone(), wanted));
        }
        for argument in given {
            let argument = as_operand(&argument);
            let is_null = Expr::IsNull(Box::new(argument.clone()));
            let one = if is_given_wanted {
                Expr::IsNotNull(Box::new(argument))
            } else {
                is_null.clone()
            };
            take_apart(&one, Wanted::True, false, &within, found);
            within.push((is_null, Wanted::True));
        }
        return;
    }
    // `a IS a` is so whatever it is.
    if !is_self_comparison(condition) {
        found.push(Atom {
            condition: condition.clone(),
            wanted,
            within: within.to_vec(),
        });
    }
}

/// Whether a condition asks of something whether it is itself.
fn is_self_comparison(condition: &Expr) -> bool {
    match condition {
        Expr::BinaryOp {
            left,
            op: BinaryOperator::Is,
            right,
        }
        | Expr::IsNotDistinctFrom(left, right) => left == right,
        _ => false,
    }
}

/// What of its parts makes a condition NULL: of AND and OR a part that is NULL, and one that leaves it to the others; of a
/// comparison a side that is NULL, for the other side does not matter then.
fn asked_where_null(left: &Expr, op: &BinaryOperator, right: &Expr) -> Option<Vec<(Expr, Wanted)>> {
    let sides = [left, right];
    match op {
        BinaryOperator::And | BinaryOperator::Or => {
            let neutral = match op {
                BinaryOperator::And => Wanted::True,
                _ => Wanted::False,
            };
            let each = |side: &&Expr| [Wanted::Null, neutral].map(|wanted| ((*side).clone(), wanted));
            Some(sides.iter().flat_map(each).collect())
        }
        BinaryOperator::Eq
        | BinaryOperator::NotEq
        | BinaryOperator::Lt
        | BinaryOperator::LtEq
        | BinaryOperator::Gt
        | BinaryOperator::GtEq
            if !sides.iter().any(|side| is_row(side)) && sides.iter().all(|side| has_names(side)) =>
        {
            let is_null = |side: &&Expr| (Expr::IsNull(Box::new(as_operand(side))), Wanted::True);
            Some(sides.iter().map(is_null).collect())
        }
        _ => None,
    }
}

/// Whether an expression has a column in it.
fn has_names(expression: &Expr) -> bool {
    !look_into(expression).names.is_empty()
}

/// Whether an expression is true, false or NULL and nothing else.
fn is_logical(expression: &Expr) -> bool {
    match expression {
        Expr::Nested(inner)
        | Expr::UnaryOp {
            op: UnaryOperator::Plus,
            expr: inner,
        } => is_logical(inner),
        Expr::UnaryOp {
            op: UnaryOperator::Not, ..
        }
        | Expr::IsTrue(_)
        | Expr::IsNotTrue(_)
        | Expr::IsFalse(_)
        | Expr::IsNotFalse(_)
        | Expr::IsNull(_)
        | Expr::IsNotNull(_)
        | Expr::IsDistinctFrom(..)
        | Expr::IsNotDistinctFrom(..)
        | Expr::Between { .. }
        | Expr::In { .. }
        | Expr::Like { .. }
        | Expr::Exists { .. } => true,
        Expr::BinaryOp { op, .. } => matches!(
            op,
            BinaryOperator::Is
                | BinaryOperator::IsNot
                | BinaryOperator::And
                | BinaryOperator::Or
                | BinaryOperator::Eq
                | BinaryOperator::NotEq
                | BinaryOperator::Lt
                | BinaryOperator::LtEq
                | BinaryOperator::Gt
                | BinaryOperator::GtEq
        ),
        _ => false,
    }
}

/// What a test of a truth value asks of that; `None` inside where it asks nothing, for it turns out the same either way.
fn asked_of_inner(condition: &Expr, wanted: Wanted) -> Option<(&Expr, Option<Wanted>)> {
    let [holds, fails, null] = wanted.takes();
    let (inner, positive) = match condition {
        Expr::IsTrue(inner) => (inner, Wanted::True),
        Expr::IsNotTrue(inner) => (inner, Wanted::NotTrue),
        Expr::IsFalse(inner) => (inner, Wanted::False),
        Expr::IsNotFalse(inner) => (inner, Wanted::NotFalse),
        Expr::IsNull(inner) if is_logical(inner) => (inner, Wanted::Null),
        Expr::IsNotNull(inner) if is_logical(inner) => (inner, Wanted::NotNull),
        Expr::BinaryOp { left, op, right } => {
            let (inner, number, is_turned) = match (number(left), number(right)) {
                (None, Some(number)) if is_logical(left) => (left, number, false),
                (Some(number), None) if is_logical(right) => (right, number, true),
                _ => return None,
            };
            let compare = |truth: f64| {
                let (first, second) = if is_turned { (number, truth) } else { (truth, number) };
                Some(match op {
                    BinaryOperator::Eq => first == second,
                    BinaryOperator::NotEq => first != second,
                    BinaryOperator::Lt => first < second,
                    BinaryOperator::LtEq => first <= second,
                    BinaryOperator::Gt => first > second,
                    BinaryOperator::GtEq => first >= second,
                    _ => return None,
                })
            };
            let takes = |is_so: bool| if is_so { holds } else { fails };
            let of_inner = [takes(compare(1.0)?), takes(compare(0.0)?), null];
            return Some((inner, Wanted::of(of_inner)));
        }
        _ => return None,
    };
    let of_inner = positive.takes().map(|is_so| if is_so { holds } else { fails });
    Some((inner, Wanted::of(of_inner)))
}

fn number(expression: &Expr) -> Option<f64> {
    match expression {
        Expr::Nested(inner) => number(inner),
        Expr::Value(value) => match &value.value {
            Value::Number(number, _) => number.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

/// The comparisons that BETWEEN, a list or row values stand for, where more than one side has columns.
fn meant_by(condition: &Expr) -> Option<Expr> {
    match condition {
        Expr::Between {
            expr,
            negated,
            low,
            high,
        } if !is_row(expr) && (has_names(low) || has_names(high)) => {
            let both = binary(
                binary((**expr).clone(), BinaryOperator::GtEq, (**low).clone()),
                BinaryOperator::And,
                binary((**expr).clone(), BinaryOperator::LtEq, (**high).clone()),
            );
            Some(turned(both, *negated))
        }
        Expr::In {
            expr,
            target: InTarget::List(values),
            negated,
            ..
        } if !is_row(expr) && values.iter().any(has_names) => {
            let each = values
                .iter()
                .map(|value| binary((**expr).clone(), BinaryOperator::Eq, plain(value)));
            let any = each.reduce(|all, one| binary(all, BinaryOperator::Or, one))?;
            Some(turned(any, *negated))
        }
        Expr::BinaryOp { left, op, right } => of_rows(left, op, right),
        Expr::IsDistinctFrom(left, right) => of_rows(left, &BinaryOperator::IsNot, right),
        Expr::IsNotDistinctFrom(left, right) => of_rows(left, &BinaryOperator::Is, right),
        _ => None,
    }
}

/// A comparison of two row values, as one of their elements.
fn of_rows(left: &Expr, op: &BinaryOperator, right: &Expr) -> Option<Expr> {
    let (Expr::Tuple(left), Expr::Tuple(right)) = (left, right) else {
        return None;
    };
    if left.len() != right.len() || left.len() < 2 {
        return None;
    }
    let pairs = || left.iter().map(as_value).zip(right.iter().map(as_value));
    let each = |op: &BinaryOperator, joined: BinaryOperator| {
        let each = pairs().map(|(left, right)| binary(left, op.clone(), right));
        each.reduce(|all, one| binary(all, joined.clone(), one))
    };
    match op {
        BinaryOperator::Eq | BinaryOperator::Is => each(op, BinaryOperator::And),
        BinaryOperator::NotEq | BinaryOperator::IsNot => each(op, BinaryOperator::Or),
        BinaryOperator::Lt | BinaryOperator::LtEq | BinaryOperator::Gt | BinaryOperator::GtEq => {
            let strict = match op {
                BinaryOperator::LtEq => BinaryOperator::Lt,
                BinaryOperator::GtEq => BinaryOperator::Gt,
                op => op.clone(),
            };
            let mut from_last = pairs().rev();
            let (last_left, last_right) = from_last.next()?;
            let last = binary(last_left, op.clone(), last_right);
            Some(from_last.fold(last, |rest, (left, right)| {
                let are_equal = binary(left.clone(), BinaryOperator::Eq, right.clone());
                binary(
                    binary(left, strict.clone(), right),
                    BinaryOperator::Or,
                    binary(are_equal, BinaryOperator::And, rest),
                )
            }))
        }
        _ => None,
    }
}

/// An element as it is compared: TRUE beside IS, alone, would be a test of a truth value.
fn as_value(element: &Expr) -> Expr {
    match element {
        Expr::Value(value) => match value.value {
            Value::Boolean(is_true) => Expr::value(Value::Number(u8::from(is_true).to_string(), false)),
            _ => element.clone(),
        },
        other => other.clone(),
    }
}

fn is_row(expression: &Expr) -> bool {
    matches!(expression, Expr::Tuple(_) | Expr::Subquery(_))
}

fn binary(left: Expr, op: BinaryOperator, right: Expr) -> Expr {
    let nested = |expression: Expr| match expression {
        Expr::BinaryOp { .. } => Expr::Nested(Box::new(expression)),
        other => other,
    };
    Expr::BinaryOp {
        left: Box::new(nested(left)),
        op,
        right: Box::new(nested(right)),
    }
}

fn turned(condition: Expr, is_negated: bool) -> Expr {
    if !is_negated {
        return condition;
    }
    Expr::UnaryOp {
        op: UnaryOperator::Not,
        expr: Box::new(Expr::Nested(Box::new(condition))),
    }
}

/// A value without the type of its column, as an element of a list or the result of a CASE is compared.
fn plain(value: &Expr) -> Expr {
    match value {
        Expr::Value(_) => value.clone(),
        other => Expr::Nested(Box::new(Expr::UnaryOp {
            op: UnaryOperator::Plus,
            expr: Box::new(Expr::Nested(Box::new(other.clone()))),
        })),
    }
}

/// A CASE or IIF.
struct Choice {
    /// As it stands.
    whole: Expr,
    /// The conditions, each with its result.
    branches: Vec<(Expr, Expr)>,
    otherwise: Expr,
}

fn choice(expression: &Expr) -> Option<Choice> {
    let nothing = || Expr::value(Value::Null);
    match expression {
        Expr::Case {
            operand,
            conditions,
            else_result,
            ..
        } => Some(Choice {
            whole: expression.clone(),
            branches: conditions
                .iter()
                .map(|CaseWhen { condition, result }| (equals(operand.as_deref(), condition), result.clone()))
                .collect(),
            otherwise: else_result.as_deref().cloned().unwrap_or_else(nothing),
        }),
        Expr::Function(function) if matches!(name_of(function).as_str(), "iif" | "if") => {
            let arguments = arguments(function);
            let pairs = arguments.chunks_exact(2);
            let otherwise = pairs
                .remainder()
                .first()
                .map_or_else(nothing, |otherwise| (*otherwise).clone());
            let branches: Vec<(Expr, Expr)> = pairs.map(|branch| (branch[0].clone(), branch[1].clone())).collect();
            (!branches.is_empty()).then(|| Choice {
                whole: expression.clone(),
                branches,
                otherwise,
            })
        }
        _ => None,
    }
}

/// How many ways there are to go through the CASE and IIF at a condition's own level.
pub(super) fn ways_through(condition: &Expr) -> usize {
    let mut copy = condition.clone();
    let mut choices = Choices::default();
    let ControlFlow::Continue(()) = VisitMut::visit(&mut copy, &mut choices);
    choices.ways
}

/// The first CASE or IIF at a condition's own level, where none speaks of groups.
fn choice_in(condition: &Expr) -> Option<Choice> {
    let parts = look_into(condition);
    if !parts.aggregates.is_empty() || parts.has_window {
        return None;
    }
    let mut copy = condition.clone();
    let mut choices = Choices::default();
    let ControlFlow::Continue(()) = VisitMut::visit(&mut copy, &mut choices);
    choices.first
}

/// Finds the CASE and IIF at an expression's own level, or puts something in the place of one.
struct Choices {
    queries: usize,
    first: Option<Choice>,
    /// Branches of each, one more for what is left, multiplied.
    ways: usize,
    /// What is replaced, and by what.
    replaced: Option<(Expr, Expr)>,
}

impl Default for Choices {
    fn default() -> Self {
        Self {
            queries: 0,
            first: None,
            ways: 1,
            replaced: None,
        }
    }
}

impl VisitorMut for Choices {
    type Break = Infallible;

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<Infallible> {
        self.queries += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<Infallible> {
        self.queries -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expression: &mut Expr) -> ControlFlow<Infallible> {
        if self.queries > 0 || self.replaced.is_some() {
            return ControlFlow::Continue(());
        }
        if let Some(choice) = choice(expression) {
            self.ways = self.ways.saturating_mul(choice.branches.len() + 1);
            self.first.get_or_insert(choice);
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expression: &mut Expr) -> ControlFlow<Infallible> {
        if self.queries == 0
            && let Some((whole, by)) = &self.replaced
            && expression == whole
        {
            *expression = by.clone();
        }
        ControlFlow::Continue(())
    }
}

fn with(condition: &Expr, whole: &Expr, by: &Expr) -> Expr {
    if condition == whole {
        return by.clone();
    }
    let mut replaced = condition.clone();
    let mut choices = Choices {
        replaced: Some((whole.clone(), plain(by))),
        ..Choices::default()
    };
    let ControlFlow::Continue(()) = VisitMut::visit(&mut replaced, &mut choices);
    replaced
}

/// A condition with a CASE in it asks: of the branch that is taken, its condition, and what the whole asks with its result;
/// of a branch before that, its condition only where the whole would not be so with that result.
fn choose(condition: &Expr, choice: &Choice, wanted: Wanted, within: &[(Expr, Wanted)], found: &mut Vec<Atom>) {
    let mut before = within.to_vec();
    for (branch, result) in &choice.branches {
        let taken = with(condition, &choice.whole, result);
        let mut if_taken = before.clone();
        if_taken.push((taken.clone(), wanted));
        take_apart(branch, Wanted::True, false, &if_taken, found);
        let mut if_not = before.clone();
        if_not.push((condition.clone(), wanted));
        if_not.push((taken.clone(), wanted.other()));
        take_apart(branch, Wanted::NotTrue, false, &if_not, found);
        let mut inside = before.clone();
        inside.push((branch.clone(), Wanted::True));
        take_apart(&taken, wanted, false, &inside, found);
        before.push((branch.clone(), Wanted::NotTrue));
    }
    let otherwise = with(condition, &choice.whole, &choice.otherwise);
    take_apart(&otherwise, wanted, false, &before, found);
}

/// The arguments of a COALESCE of which is asked whether it is NULL, and whether it is to be given; one that is given is
/// enough.
fn whether_given(condition: &Expr, wanted: Wanted) -> Option<(Vec<Expr>, bool)> {
    let [holds, fails, _] = wanted.takes();
    let (inner, is_positive) = match condition {
        Expr::IsNotNull(inner) => (inner, true),
        Expr::IsNull(inner) => (inner, false),
        _ => return None,
    };
    let mut inner = &**inner;
    while let Expr::Nested(nested) = inner {
        inner = nested;
    }
    match inner {
        Expr::Function(function) if holds != fails && matches!(name_of(function).as_str(), "coalesce" | "ifnull") => {
            let given = arguments(function).into_iter().cloned().collect();
            Some((given, is_positive == holds))
        }
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

    fn apart(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        atoms(&expression(text), true, &[], &mut found);
        found
            .iter()
            .map(|atom| {
                let within: Vec<String> = atom
                    .within
                    .iter()
                    .map(|(part, wanted)| format!("{part} {}", wanted.sql()))
                    .collect();
                format!("{} {} [{}]", atom.condition, atom.wanted.sql(), within.join("; "))
            })
            .collect()
    }

    #[test]
    fn a_test_of_a_truth_value_is_asked_of_its_parts() {
        assert_eq!(
            apart("(a > 1 AND b) IS NOT TRUE"),
            ["a > 1 IS NOT TRUE []", "b IS NOT TRUE []"]
        );
        assert_eq!(
            apart("(a = 1 OR b = 2) = 0"),
            ["a = 1 IS FALSE []", "b = 2 IS FALSE []"]
        );
        assert_eq!(apart("1 <= (a IN (2))"), ["a IN (2) IS TRUE []"]);
        assert_eq!(apart("((a = 1) IS TRUE) IS NOT NULL"), [""; 0]);
    }

    #[test]
    fn lists_and_rows_are_comparisons() {
        assert_eq!(apart("2 IN (a, b)"), ["2 = (+(a)) IS TRUE []", "2 = (+(b)) IS TRUE []"]);
        assert_eq!(
            apart("a NOT BETWEEN b AND c"),
            ["a >= b IS FALSE []", "a <= c IS FALSE []"]
        );
        assert_eq!(
            apart("(a, b) NOT IN (SELECT c, d FROM t)"),
            ["a", "b"].map(|name| {
                let place = if name == "a" { 0 } else { 1 };
                format!(
                    "{name} IS NOT DISTINCT FROM {name} IS TRUE [EXISTS (WITH asked_rows (asked_0, asked_1) AS (SELECT c, d \
                     FROM t) SELECT 1 FROM asked_rows WHERE (({name}) = asked_{place}) IS FALSE) IS TRUE]"
                )
            })
        );
        assert_eq!(
            apart("(a, b) > (1, 2)"),
            [
                "a > 1 IS TRUE []",
                "a = 1 IS TRUE [(a = 1) AND (b > 2) IS TRUE]",
                "b > 2 IS TRUE [(a = 1) AND (b > 2) IS TRUE]",
            ]
        );
        assert_eq!(
            apart("coalesce(a, b) IS NOT NULL"),
            ["a IS NOT NULL IS TRUE []", "b IS NOT NULL IS TRUE [a IS NULL IS TRUE]"]
        );
    }

    #[test]
    fn a_branch_counts_where_it_makes_it_so() {
        assert_eq!(
            apart("CASE WHEN a THEN b ELSE 2 END > 1"),
            [
                "a IS TRUE [(+(b)) > 1 IS TRUE]",
                "a IS NOT TRUE [CASE WHEN a THEN b ELSE 2 END > 1 IS TRUE; (+(b)) > 1 IS NOT TRUE]",
                "(+(b)) > 1 IS TRUE [a IS TRUE]",
                "2 > 1 IS TRUE [a IS NOT TRUE]",
            ]
        );
    }

    #[test]
    fn not_turns_what_is_wanted() {
        let mut found = Vec::new();
        atoms(&expression("a = 1 AND NOT (b = 2 OR NOT c = 3)"), true, &[], &mut found);
        let wanted: Vec<(String, Wanted)> = found
            .iter()
            .map(|atom| (atom.condition.to_string(), atom.wanted))
            .collect();
        assert_eq!(
            wanted,
            [
                ("a = 1".to_owned(), Wanted::True),
                ("b = 2".to_owned(), Wanted::False),
                ("c = 3".to_owned(), Wanted::True)
            ]
        );
    }
}
