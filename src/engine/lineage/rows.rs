//! Row values beside a subquery: of `(a, b) NOT IN (SELECT ...)` those elements make it so that differ from the rows there.

use sqlparser::ast::{BinaryOperator, Expr, InTarget};
use sqlparser::dialect::SQLiteDialect;
use sqlparser::parser::Parser;

use super::conditions::Wanted;

/// The elements of a row value that is to be none of a subquery's rows, or not its one row; each with SQL that says that it
/// differs in one of them.
pub(super) fn differing_elements(condition: &Expr, wanted: Wanted) -> Option<Vec<(Expr, Expr)>> {
    let (row, query, wanted, differs) = match condition {
        Expr::In {
            expr,
            target: InTarget::Subquery(query),
            negated,
            ..
        } => {
            let wanted = if *negated { wanted.negated() } else { wanted };
            (&**expr, query.to_string(), wanted, None)
        }
        Expr::BinaryOp { left, op, right } => {
            let (is_negated, differs) = match op {
                BinaryOperator::Eq => (false, None),
                BinaryOperator::NotEq => (true, None),
                BinaryOperator::Is => (false, Some(DISTINCT)),
                BinaryOperator::IsNot => (true, Some(DISTINCT)),
                _ => return None,
            };
            let wanted = if is_negated { wanted.negated() } else { wanted };
            let (row, query) = beside_row(left, right, differs.is_some())?;
            (row, query, wanted, differs)
        }
        Expr::IsDistinctFrom(left, right) => {
            let (row, query) = beside_row(left, right, true)?;
            (row, query, wanted.negated(), Some(DISTINCT))
        }
        Expr::IsNotDistinctFrom(left, right) => {
            let (row, query) = beside_row(left, right, true)?;
            (row, query, wanted, Some(DISTINCT))
        }
        _ => return None,
    };
    let (Expr::Tuple(elements), Wanted::False | Wanted::NotTrue) = (row, wanted) else {
        return None;
    };
    let names: Vec<String> = (0..elements.len()).map(|place| format!("asked_{place}")).collect();
    let each = elements.iter().zip(&names).map(|(element, name)| {
        let differs = differs.map_or_else(
            || format!("(({element}) = {name}) {}", wanted.sql()),
            |distinct| format!("({element}) {distinct} {name}"),
        );
        let text = format!(
            "EXISTS (WITH asked_rows ({}) AS ({query}) SELECT 1 FROM asked_rows WHERE {differs})",
            names.join(", ")
        );
        let mut parser = Parser::new(&SQLiteDialect {}).try_with_sql(&text).ok()?;
        Some((element.clone(), parser.parse_expr().ok()?))
    });
    each.collect()
}

/// What is asked of two values that may be NULL and are so equal.
const DISTINCT: &str = "IS DISTINCT FROM";

/// A row value and the one row of a subquery that it is compared with; `is_filled` where a subquery without a row counts as
/// one of NULLs.
fn beside_row<'row>(left: &'row Expr, right: &'row Expr, is_filled: bool) -> Option<(&'row Expr, String)> {
    let (row, query) = match (left, right) {
        (row, Expr::Subquery(query)) | (Expr::Subquery(query), row) => (row, query),
        _ => return None,
    };
    let first = format!("SELECT * FROM ({query}) LIMIT 1");
    let query = if is_filled {
        format!("SELECT asked_row.* FROM (SELECT 1) LEFT JOIN ({first}) AS asked_row")
    } else {
        first
    };
    Some((row, query))
}

/// A condition that names what an element names, and holds for any value.
pub(super) fn whatever_it_is(element: Expr) -> Expr {
    Expr::IsNotDistinctFrom(Box::new(element.clone()), Box::new(element))
}
