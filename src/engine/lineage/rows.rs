//! Row values beside a subquery: of `(a, b) NOT IN (SELECT ...)` those elements make it so that differ from the rows there.

use sqlparser::ast::{BinaryOperator, Expr, InTarget};
use sqlparser::dialect::SQLiteDialect;
use sqlparser::parser::Parser;

use super::conditions::Wanted;

/// The elements of a row value that is to be none of a subquery's rows, or not its one row; each with SQL that says that it
/// differs in one of them.
pub(super) fn differing_elements(condition: &Expr, wanted: Wanted) -> Option<Vec<(Expr, Expr)>> {
    let (row, query, wanted) = match condition {
        Expr::In {
            expr,
            target: InTarget::Subquery(query),
            negated,
            ..
        } => {
            let wanted = if *negated { wanted.negated() } else { wanted };
            (&**expr, query.to_string(), wanted)
        }
        Expr::BinaryOp {
            left,
            op: op @ (BinaryOperator::Eq | BinaryOperator::NotEq),
            right,
        } => {
            let (row, query) = match (&**left, &**right) {
                (row, Expr::Subquery(query)) | (Expr::Subquery(query), row) => (row, query),
                _ => return None,
            };
            let wanted = if *op == BinaryOperator::NotEq {
                wanted.negated()
            } else {
                wanted
            };
            (row, format!("SELECT * FROM ({query}) LIMIT 1"), wanted)
        }
        _ => return None,
    };
    let (Expr::Tuple(elements), Wanted::False | Wanted::NotTrue) = (row, wanted) else {
        return None;
    };
    let names: Vec<String> = (0..elements.len()).map(|place| format!("asked_{place}")).collect();
    let each = elements.iter().zip(&names).map(|(element, name)| {
        let text = format!(
            "EXISTS (WITH asked_rows ({}) AS ({query}) SELECT 1 FROM asked_rows WHERE (({element}) = {name}) {})",
            names.join(", "),
            wanted.sql()
        );
        let mut parser = Parser::new(&SQLiteDialect {}).try_with_sql(&text).ok()?;
        Some((element.clone(), parser.parse_expr().ok()?))
    });
    each.collect()
}

/// A condition that names what an element names, and holds for any value.
pub(super) fn whatever_it_is(element: Expr) -> Expr {
    Expr::IsNotDistinctFrom(Box::new(element.clone()), Box::new(element))
}
