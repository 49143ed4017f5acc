//! Takes a condition of a statement apart, down to what a mark may claim by itself: at AND, OR and NOT, through tests of
//! truth values, and at the comparisons that BETWEEN, lists and row values stand for. Written apart from the tracer, which has
//! rules of its own for the same: where the two disagree about a row, the proof finds it.

use sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, InTarget, Query, UnaryOperator,
    Value,
};
use sqlparser::dialect::SQLiteDialect;
use sqlparser::parser::Parser;

use super::conditions::{Part, Stated, part};
use super::looks::{Look, looks};

/// Which of true, false and NULL a condition is wanted to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Truths {
    holds: bool,
    fails: bool,
    is_null: bool,
}

impl Truths {
    pub(super) const TRUE: Self = Self::of(true, false, false);

    const fn of(holds: bool, fails: bool, is_null: bool) -> Self {
        Self { holds, fails, is_null }
    }

    /// What stands behind IS to ask it; nothing where all or none is wanted.
    fn word(self) -> Option<&'static str> {
        match (self.holds, self.fails, self.is_null) {
            (true, false, false) => Some("TRUE"),
            (false, true, false) => Some("FALSE"),
            (false, false, true) => Some("NULL"),
            (false, true, true) => Some("NOT TRUE"),
            (true, false, true) => Some("NOT FALSE"),
            (true, true, false) => Some("NOT NULL"),
            (true, true, true) | (false, false, false) => None,
        }
    }

    fn turned(self) -> Self {
        Self::of(self.fails, self.holds, self.is_null)
    }
}

/// Takes a condition apart. Of `(a AND b) OR c`, `a` counts only where `b` holds as well; of a condition that is given, as
/// WHERE is for a row that was kept, it does anyway.
pub(super) fn take_apart(condition: &Expr, wanted: Truths, is_given: bool, within: &[Part], found: &mut Vec<Stated>) {
    let Some(word) = wanted.word() else { return };
    let around = || {
        let mut within = within.to_vec();
        if !is_given {
            within.push(part(condition, word));
        }
        within
    };
    match condition {
        Expr::Nested(inner)
        | Expr::UnaryOp {
            op: UnaryOperator::Plus,
            expr: inner,
        } => return take_apart(inner, wanted, is_given, within, found),
        Expr::UnaryOp {
            op: UnaryOperator::Not,
            expr,
        } => return take_apart(expr, wanted.turned(), is_given, within, found),
        Expr::BinaryOp {
            left,
            op: op @ (BinaryOperator::And | BinaryOperator::Or),
            right,
        } if wanted.holds != wanted.fails => {
            let needs_all = (*op == BinaryOperator::And) == wanted.holds;
            let within = if needs_all { around() } else { within.to_vec() };
            take_apart(left, wanted, needs_all, &within, found);
            return take_apart(right, wanted, needs_all, &within, found);
        }
        _ => {}
    }
    if let Some((inner, of_inner)) = of_truth_value(condition, wanted) {
        return take_apart(inner, of_inner, is_given, within, found);
    }
    if let Some(meant) = comparisons(condition) {
        return take_apart(&meant, wanted, is_given, within, found);
    }
    if let Some(elements) = differing_elements(condition, wanted) {
        for (element, differs) in elements {
            let mut parts = vec![part(condition, word), part(&differs, "TRUE")];
            parts.extend_from_slice(within);
            found.push(stated(parts, looks(&element)));
        }
        return;
    }
    if let Some((arguments, is_one_enough)) = given_arguments(condition, wanted) {
        let mut within = if is_one_enough { within.to_vec() } else { around() };
        for argument in arguments {
            let is_null = Expr::IsNull(Box::new(as_operand(argument)));
            let one = if is_one_enough {
                Expr::IsNotNull(Box::new(as_operand(argument)))
            } else {
                is_null.clone()
            };
            take_apart(&one, Truths::TRUE, false, &within, found);
            within.push(part(&is_null, "TRUE"));
        }
        return;
    }
    let mut parts = vec![part(condition, word)];
    parts.extend_from_slice(within);
    found.push(stated(parts, looks(condition)));
}

fn stated(parts: Vec<Part>, looks: Vec<Look>) -> Stated {
    Stated {
        parts,
        looks,
        group: None,
        gate: None,
    }
}

/// Whether an expression is true, false or NULL, whatever its parts are.
fn is_truth_value(expression: &Expr) -> bool {
    match expression {
        Expr::Nested(inner) => is_truth_value(inner),
        Expr::UnaryOp { op, .. } => *op == UnaryOperator::Not,
        Expr::IsTrue(_)
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
        Expr::BinaryOp { op, .. } => {
            use BinaryOperator::{And, Is, IsNot, Or};
            matches!(op, And | Or | Is | IsNot) || compared(op, 0.0, 0.0).is_some()
        }
        _ => false,
    }
}

fn compared(op: &BinaryOperator, first: f64, second: f64) -> Option<bool> {
    match op {
        BinaryOperator::Eq => Some(first == second),
        BinaryOperator::NotEq => Some(first != second),
        BinaryOperator::Lt => Some(first < second),
        BinaryOperator::LtEq => Some(first <= second),
        BinaryOperator::Gt => Some(first > second),
        BinaryOperator::GtEq => Some(first >= second),
        _ => None,
    }
}

/// What a test of a truth value, or its comparison with a number, wants of it.
fn of_truth_value(condition: &Expr, wanted: Truths) -> Option<(&Expr, Truths)> {
    let Truths { holds, fails, .. } = wanted;
    let takes = |is_so| if is_so { holds } else { fails };
    let of = |[of_true, of_false, of_null]: [bool; 3]| Truths::of(takes(of_true), takes(of_false), takes(of_null));
    match condition {
        Expr::IsTrue(inner) => Some((&**inner, of([true, false, false]))),
        Expr::IsNotTrue(inner) => Some((&**inner, of([false, true, true]))),
        Expr::IsFalse(inner) => Some((&**inner, of([false, true, false]))),
        Expr::IsNotFalse(inner) => Some((&**inner, of([true, false, true]))),
        Expr::IsNull(inner) if is_truth_value(inner) => Some((&**inner, of([false, false, true]))),
        Expr::IsNotNull(inner) if is_truth_value(inner) => Some((&**inner, of([true, true, false]))),
        Expr::BinaryOp { left, op, right } => {
            let (inner, of_true, of_false) = match (number(left), number(right)) {
                (None, Some(number)) if is_truth_value(left) => {
                    (left, compared(op, 1.0, number)?, compared(op, 0.0, number)?)
                }
                (Some(number), None) if is_truth_value(right) => {
                    (right, compared(op, number, 1.0)?, compared(op, number, 0.0)?)
                }
                _ => return None,
            };
            Some((&**inner, Truths::of(takes(of_true), takes(of_false), wanted.is_null)))
        }
        _ => None,
    }
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

/// The comparisons that BETWEEN, a list and row values stand for, where they have several sides that name columns.
fn comparisons(condition: &Expr) -> Option<Expr> {
    let has_names = |expression: &Expr| !looks(expression).is_empty();
    let is_row = |expression: &Expr| matches!(expression, Expr::Tuple(_) | Expr::Subquery(_));
    match condition {
        Expr::Between {
            expr,
            negated,
            low,
            high,
        } if !is_row(expr) && (has_names(low) || has_names(high)) => {
            let text = format!("(({expr}) >= ({low})) AND (({expr}) <= ({high}))");
            parsed(&negated_text(&text, *negated))
        }
        Expr::In {
            expr,
            target: InTarget::List(values),
            negated,
            ..
        } if !is_row(expr) && values.iter().any(has_names) => {
            // Elements of a list are compared without the type of their column.
            let element = |value: &Expr| match value {
                Expr::Value(_) => value.to_string(),
                other => format!("+({other})"),
            };
            let any: Vec<String> = values
                .iter()
                .map(|value| format!("(({expr}) = ({}))", element(value)))
                .collect();
            parsed(&negated_text(&any.join(" OR "), *negated))
        }
        Expr::BinaryOp { .. } | Expr::IsDistinctFrom(..) | Expr::IsNotDistinctFrom(..) => {
            let (left, op, right) = sides(condition)?;
            match (left, right) {
                (Expr::Tuple(left), Expr::Tuple(right)) if left.len() == right.len() && left.len() > 1 => {
                    parsed(&of_rows(left, op, right)?)
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// The two sides of a comparison, and what it is; IS DISTINCT FROM is another name of IS NOT.
fn sides(condition: &Expr) -> Option<(&Expr, &BinaryOperator, &Expr)> {
    match condition {
        Expr::BinaryOp { left, op, right } => Some((left, op, right)),
        Expr::IsDistinctFrom(left, right) => Some((left, &BinaryOperator::IsNot, right)),
        Expr::IsNotDistinctFrom(left, right) => Some((left, &BinaryOperator::Is, right)),
        _ => None,
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

/// A comparison of row values, in words of its elements.
fn of_rows(left: &[Expr], op: &BinaryOperator, right: &[Expr]) -> Option<String> {
    // TRUE beside IS, alone, would test a truth value.
    let plain = |element: &Expr| match element {
        Expr::Value(value) => match value.value {
            Value::Boolean(is_true) => u8::from(is_true).to_string(),
            _ => element.to_string(),
        },
        other => other.to_string(),
    };
    let pair = |op: &str, place: usize| format!("(({}) {op} ({}))", plain(&left[place]), plain(&right[place]));
    let each = |op: &str, joined: &str| {
        let all: Vec<String> = (0..left.len()).map(|place| pair(op, place)).collect();
        all.join(joined)
    };
    let strict = match op {
        BinaryOperator::Eq => return Some(each("=", " AND ")),
        BinaryOperator::NotEq => return Some(each("<>", " OR ")),
        BinaryOperator::Is => return Some(each("IS NOT DISTINCT FROM", " AND ")),
        BinaryOperator::IsNot => return Some(each("IS DISTINCT FROM", " OR ")),
        BinaryOperator::Lt | BinaryOperator::LtEq => "<",
        BinaryOperator::Gt | BinaryOperator::GtEq => ">",
        _ => return None,
    };
    let last = left.len() - 1;
    let mut text = pair(&op.to_string(), last);
    for place in (0..last).rev() {
        text = format!("({} OR ({} AND {text}))", pair(strict, place), pair("=", place));
    }
    Some(text)
}

/// The elements of a row value that is not among the rows of a subquery, or not its row: each with what says that it
/// differs there, for one that is the same in all of them decides nothing.
fn differing_elements(condition: &Expr, wanted: Truths) -> Option<Vec<(Expr, Expr)>> {
    if let Expr::In {
        expr,
        target: InTarget::Subquery(query),
        negated,
        ..
    } = condition
    {
        let wanted = if *negated { wanted.turned() } else { wanted };
        let differs = |element: &str, name: &str| Some(format!("(({element}) = {name}) IS {}", wanted.word()?));
        return elements_of(expr, &query.to_string(), wanted, differs);
    }
    let (left, op, right) = sides(condition)?;
    let wanted = match op {
        BinaryOperator::Eq | BinaryOperator::Is => wanted,
        BinaryOperator::NotEq | BinaryOperator::IsNot => wanted.turned(),
        _ => return None,
    };
    let (row, query): (&Expr, &Query) = match (left, right) {
        (row, Expr::Subquery(query)) | (Expr::Subquery(query), row) => (row, query),
        _ => return None,
    };
    let first = format!("SELECT * FROM ({query}) LIMIT 1");
    if matches!(op, BinaryOperator::Eq | BinaryOperator::NotEq) {
        let differs = |element: &str, name: &str| Some(format!("(({element}) = {name}) IS {}", wanted.word()?));
        return elements_of(row, &first, wanted, differs);
    }
    // Where the subquery has no row, IS compares with NULLs.
    let filled = format!("SELECT asked_row.* FROM (SELECT 1) LEFT JOIN ({first}) AS asked_row");
    elements_of(row, &filled, wanted, |element, name| {
        Some(format!("({element}) IS DISTINCT FROM {name}"))
    })
}

fn elements_of(
    row: &Expr,
    query: &str,
    wanted: Truths,
    differs: impl Fn(&str, &str) -> Option<String>,
) -> Option<Vec<(Expr, Expr)>> {
    let Expr::Tuple(elements) = row else { return None };
    if !wanted.fails || wanted.holds {
        return None;
    }
    let names: Vec<String> = (0..elements.len()).map(|place| format!("asked_{place}")).collect();
    let each = elements.iter().zip(&names).map(|(element, name)| {
        let differs = differs(&element.to_string(), name)?;
        let asked = parsed(&format!(
            "EXISTS (WITH asked_rows ({}) AS ({query}) SELECT 1 FROM asked_rows WHERE {differs})",
            names.join(", ")
        ))?;
        Some((element.clone(), asked))
    });
    each.collect()
}

/// The arguments of a COALESCE of which is asked whether it is NULL; whether one that is given is enough.
fn given_arguments(condition: &Expr, wanted: Truths) -> Option<(Vec<&Expr>, bool)> {
    let (mut inner, is_positive) = match condition {
        Expr::IsNotNull(inner) => (&**inner, true),
        Expr::IsNull(inner) => (&**inner, false),
        _ => return None,
    };
    while let Expr::Nested(nested) = inner {
        inner = nested;
    }
    let Expr::Function(function) = inner else { return None };
    let name = function.name.to_string().trim_matches('"').to_ascii_lowercase();
    let is_one = wanted.holds != wanted.fails && matches!(name.as_str(), "coalesce" | "ifnull");
    is_one.then(|| (arguments(function), is_positive == wanted.holds))
}

/// The arguments of a function that are expressions.
pub(super) fn arguments(function: &Function) -> Vec<&Expr> {
    let argument = |argument| match argument {
        &FunctionArg::Unnamed(FunctionArgExpr::Expr(ref expression)) => Some(expression),
        _ => None,
    };
    match &function.args {
        FunctionArguments::List(list) => list.args.iter().filter_map(argument).collect(),
        FunctionArguments::None | FunctionArguments::Subquery(_) => Vec::new(),
    }
}

fn negated_text(text: &str, is_negated: bool) -> String {
    if is_negated {
        format!("NOT ({text})")
    } else {
        text.to_owned()
    }
}

fn parsed(text: &str) -> Option<Expr> {
    Parser::new(&SQLiteDialect {})
        .try_with_sql(text)
        .ok()?
        .parse_expr()
        .ok()
}
