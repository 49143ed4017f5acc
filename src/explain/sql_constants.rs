//! What a statement says by itself, whatever the table: the constants that it gives out, and whether a column of a result
//! is a verdict.

use std::ops::Range;

use sqlparser::ast::{
    BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Query, SelectItem, SetExpr,
};

use super::operations::with_query;
use super::sql_pieces::{PieceKind, pieces};
use crate::trace::Trace;

/// A constant that a statement gives out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Constant {
    /// Where it stands, in bytes.
    pub(super) place: Range<usize>,
    /// Its text, without quotes.
    pub(super) text: String,
}

/// A word, sign or literal of a statement.
struct Lexeme {
    /// In capitals where it is a word.
    text: String,
    is_literal: bool,
    place: Range<usize>,
}

/// What stands between two brackets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// What a SELECT gives.
    Given,
    /// Its other clauses, arguments, conditions.
    Other,
    /// A query of which no value is given out.
    Sealed,
}

/// The constants that a statement gives out as they are: in what a SELECT gives, also as what a CASE there gives. None
/// is given out by a condition, an argument, EXISTS or IN.
pub(super) fn given_constants(statement: &str) -> Vec<Constant> {
    let lexemes = lexemes(statement);
    let word = |index: Option<usize>| {
        index
            .and_then(|index| lexemes.get(index))
            .map_or("", |lexeme| &lexeme.text)
    };
    let mut open = vec![Part::Other];
    let mut found = Vec::new();
    for (index, lexeme) in lexemes.iter().enumerate() {
        let before = word(index.checked_sub(1));
        let part = open.last().copied().unwrap_or(Part::Other);
        let is_constant = lexeme.is_literal || matches!(lexeme.text.as_str(), "TRUE" | "FALSE");
        if is_constant {
            let begins = matches!(before, "SELECT" | "DISTINCT" | "ALL" | "THEN" | "ELSE" | "," | "-");
            let goes_on = matches!(
                word(Some(index + 1)),
                "=" | "<"
                    | ">"
                    | "!"
                    | "+"
                    | "-"
                    | "*"
                    | "/"
                    | "%"
                    | "|"
                    | "&"
                    | "IS"
                    | "IN"
                    | "LIKE"
                    | "BETWEEN"
                    | "NOT"
                    | "GLOB"
            );
            if part == Part::Given && begins && !goes_on {
                found.push(Constant {
                    text: lexeme.text.clone(),
                    place: lexeme.place.clone(),
                });
            }
            continue;
        }
        match lexeme.text.as_str() {
            "(" => open.push(match before {
                "EXISTS" | "IN" => Part::Sealed,
                "VALUES" => Part::Given,
                _ => Part::Other,
            }),
            ")" => {
                open.pop();
            }
            "SELECT" if part == Part::Other => set(&mut open, Part::Given),
            "FROM" | "WHERE" | "GROUP" | "HAVING" | "ORDER" | "LIMIT" | "WINDOW" | "UNION" | "EXCEPT" | "INTERSECT"
                if part == Part::Given =>
            {
                set(&mut open, Part::Other);
            }
            _ => {}
        }
    }
    found
}

fn set(open: &mut [Part], part: Part) {
    if let Some(last) = open.last_mut() {
        *last = part;
    }
}

fn lexemes(statement: &str) -> Vec<Lexeme> {
    let mut found = Vec::new();
    let mut start = 0;
    for piece in pieces(statement) {
        let place = start..start + piece.text.len();
        start = place.end;
        match piece.kind {
            PieceKind::Comment => {}
            PieceKind::Text => found.push(Lexeme {
                text: piece.text.trim_matches('\'').replace("''", "'"),
                is_literal: true,
                place,
            }),
            PieceKind::Number => found.push(Lexeme {
                text: piece.text,
                is_literal: true,
                place,
            }),
            PieceKind::Keyword => found.push(Lexeme {
                text: piece.text.to_ascii_uppercase(),
                is_literal: false,
                place,
            }),
            PieceKind::Plain => {
                let mut rest = piece.text.as_str();
                while let Some(first) = rest.chars().next() {
                    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
                    let length = match first {
                        _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                        '"' | '`' | '[' => {
                            let close = if first == '[' { ']' } else { first };
                            rest.char_indices()
                                .skip(1)
                                .find(|(_, c)| *c == close)
                                .map_or(rest.len(), |(at, c)| at + c.len_utf8())
                        }
                        _ => first.len_utf8(),
                    };
                    let (text, after) = rest.split_at(length);
                    let at = place.end - rest.len();
                    if !first.is_whitespace() {
                        found.push(Lexeme {
                            text: text.to_uppercase(),
                            is_literal: false,
                            place: at..at + length,
                        });
                    }
                    rest = after;
                }
            }
        }
    }
    found
}

/// Whether a result's column is one of the first table, carried along unchanged.
pub(super) fn comes_from_first_table(trace: &Trace, table: usize, column: usize) -> bool {
    maker(trace, table, column) == Maker::FirstTable
}

/// Whether a result's column is a quantity or carried along from the first table, and so no verdict though it holds 1 or
/// 0. What cannot be told is none.
pub(super) fn is_quantity(trace: &Trace, table: usize, column: usize) -> bool {
    match maker(trace, table, column) {
        Maker::FirstTable => true,
        Maker::Step {
            program: Some(program),
            table,
            column,
        } => {
            let named = trace.tables.get(table).and_then(|table| table.columns.get(column));
            let name = named.map_or("", |column| column.original.as_str());
            with_query(program, |query| gives_quantity(query, column, name)).unwrap_or(false)
        }
        Maker::Step { program: None, .. } | Maker::Unknown => false,
    }
}

/// What a column's values come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Maker<'a> {
    FirstTable,
    /// The step that computed it, and where in its result it stands.
    Step {
        program: Option<&'a str>,
        table: usize,
        column: usize,
    },
    Unknown,
}

fn maker(trace: &Trace, mut table: usize, mut column: usize) -> Maker<'_> {
    // A trace from elsewhere may go round in circles.
    for _ in 0..=trace.steps.len() {
        if table == 0 {
            return Maker::FirstTable;
        }
        let Some(step) = trace.steps.iter().find(|step| step.output == Some(table)) else {
            return Maker::Unknown;
        };
        let Some(lineage) = &step.lineage else {
            return Maker::Unknown;
        };
        let is_computed = lineage.produced_columns.contains(&column);
        match lineage
            .carried_columns
            .get(column)
            .copied()
            .flatten()
            .filter(|_| !is_computed)
        {
            Some(source) => (table, column) = (step.input, source),
            None => {
                let program = step.program.as_ref().map(|program| program.text.as_str());
                return Maker::Step { program, table, column };
            }
        }
    }
    Maker::Unknown
}

/// Whether the query's result has a quantity in a column, by its place or, behind a wildcard, by its name.
fn gives_quantity(query: &Query, column: usize, name: &str) -> bool {
    let SetExpr::Select(select) = query.body.as_ref() else {
        return false;
    };
    let has_wildcard = select.projection.iter().any(|item| expression(item).is_none());
    let item = if has_wildcard {
        select.projection.iter().find(
            |item| matches!(item, SelectItem::ExprWithAlias { alias, .. } if alias.value.eq_ignore_ascii_case(name)),
        )
    } else {
        select.projection.get(column)
    };
    item.and_then(expression).is_some_and(is_quantity_expression)
}

fn expression(item: &SelectItem) -> Option<&Expr> {
    match item {
        SelectItem::UnnamedExpr(expression) | SelectItem::ExprWithAlias { expr: expression, .. } => Some(expression),
        _ => None,
    }
}

fn is_quantity_expression(expression: &Expr) -> bool {
    const MEASURES: &[&str] = &[
        "count",
        "sum",
        "total",
        "avg",
        "length",
        "abs",
        "round",
        "row_number",
        "rank",
        "dense_rank",
        "instr",
    ];
    match expression {
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } | Expr::UnaryOp { expr: inner, .. } => {
            is_quantity_expression(inner) && !matches!(expression, Expr::UnaryOp { op, .. } if op.to_string() == "NOT")
        }
        Expr::BinaryOp { op, left, right } => {
            let reckons = matches!(
                op,
                BinaryOperator::Plus
                    | BinaryOperator::Minus
                    | BinaryOperator::Multiply
                    | BinaryOperator::Divide
                    | BinaryOperator::Modulo
            );
            reckons && !compares(left) && !compares(right)
        }
        Expr::Function(function) => {
            let name = function.name.to_string().to_ascii_lowercase();
            let extremes = matches!(name.as_str(), "min" | "max") && is_of_column(&function.args);
            let of_comparison = matches!(name.as_str(), "sum" | "total" | "avg" | "round" | "abs")
                && arguments(&function.args).any(|argument| match name.as_str() {
                    "sum" | "total" => compares(argument),
                    _ => compares(argument) || matches!(argument, Expr::Case { .. }),
                });
            MEASURES.contains(&name.as_str()) && !of_comparison || extremes
        }
        Expr::Subquery(query) => gives_quantity(query, 0, ""),
        _ => false,
    }
}

/// Whether an expression is 1 where something is so and 0 where it is not, or reckons with or sums up such.
fn compares(expression: &Expr) -> bool {
    match expression {
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => compares(inner),
        Expr::UnaryOp { expr, op } => op.to_string() == "NOT" || compares(expr),
        Expr::BinaryOp { op, left, right } => match op {
            BinaryOperator::Eq
            | BinaryOperator::NotEq
            | BinaryOperator::Lt
            | BinaryOperator::LtEq
            | BinaryOperator::Gt
            | BinaryOperator::GtEq
            | BinaryOperator::And
            | BinaryOperator::Or => true,
            _ => compares(left) || compares(right),
        },
        Expr::Function(function) => {
            let name = function.name.to_string().to_ascii_lowercase();
            matches!(name.as_str(), "sum" | "total" | "avg" | "min" | "max" | "round" | "abs")
                && arguments(&function.args).any(compares)
        }
        Expr::IsNull(_)
        | Expr::IsNotNull(_)
        | Expr::In { .. }
        | Expr::Between { .. }
        | Expr::Like { .. }
        | Expr::Exists { .. } => true,
        _ => false,
    }
}

fn arguments(arguments: &FunctionArguments) -> impl Iterator<Item = &Expr> {
    let list = match arguments {
        FunctionArguments::List(list) => list.args.as_slice(),
        _ => &[],
    };
    list.iter().filter_map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(argument)) => Some(argument),
        _ => None,
    })
}

fn is_of_column(arguments: &FunctionArguments) -> bool {
    let FunctionArguments::List(list) = arguments else {
        return false;
    };
    list.args.iter().all(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(argument)) => {
            matches!(argument, Expr::Identifier(_) | Expr::CompoundIdentifier(_)) || is_quantity_expression(argument)
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(statement: &str) -> Vec<String> {
        given_constants(statement)
            .into_iter()
            .map(|constant| {
                assert!(statement[constant.place.clone()].contains(&constant.text));
                constant.text
            })
            .collect()
    }

    #[test]
    fn constants_given_out_are_told_from_those_compared_with() {
        for (statement, expected) in [
            ("SELECT 3 AS answer FROM t WHERE a = 4", vec!["3"]),
            ("SELECT a, 'Dee' FROM t", vec!["Dee"]),
            ("SELECT CASE WHEN a > 2 THEN 'x' ELSE 'y' END v FROM t", vec!["x", "y"]),
            ("SELECT SUM(CASE WHEN a > 2 THEN 1 ELSE 0 END), 7 FROM t", vec!["7"]),
            ("SELECT COUNT(*) = 3 FROM t", vec![]),
            ("SELECT 3 = COUNT(*) FROM t", vec![]),
            (
                "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM t) AND b IN (SELECT 2)",
                vec![],
            ),
            (
                "SELECT 'North' r UNION ALL SELECT 'East' -- 'no'",
                vec!["North", "East"],
            ),
            ("SELECT true", vec!["TRUE"]),
            ("SELECT a FROM t ORDER BY a LIMIT 1", vec![]),
        ] {
            let found: Vec<String> = given_constants(statement)
                .into_iter()
                .map(|constant| constant.text)
                .collect();
            assert_eq!(found, expected, "{statement}");
        }
        assert_eq!(given("SELECT 5, 'it'"), ["5", "it"]);
    }

    #[test]
    fn a_count_is_a_quantity_and_a_comparison_is_none() {
        let is_quantity =
            |statement: &str| with_query(statement, |query| gives_quantity(query, 0, "n")).unwrap_or(false);
        for statement in [
            "SELECT COUNT(*) FROM t",
            "SELECT *, SUM(a) AS n FROM t",
            "SELECT CAST(MAX(a) AS INTEGER) - 1 FROM t",
            "SELECT (SELECT COUNT(*) FROM t)",
            "SELECT AVG(a) * 100 FROM t",
            "SELECT SUM(CASE WHEN a THEN 1 ELSE 0 END) FROM t",
        ] {
            assert!(is_quantity(statement), "{statement}");
        }
        for statement in [
            "SELECT COUNT(*) = 1 FROM t",
            "SELECT MAX(a > 2) FROM t",
            "SELECT NOT COUNT(*) FROM t",
            "SELECT EXISTS (SELECT 1)",
            "SELECT CASE WHEN a THEN 1 ELSE 0 END FROM t",
            "SELECT AVG(a = 2) FROM t",
            "SELECT SUM(a > 2) FROM t",
            "SELECT 1.0 * (MAX(a) = 55) FROM t",
            "SELECT (MAX(a) = 55) * 100 FROM t",
            "SELECT ROUND(AVG(a LIKE 'x'), 1) FROM t",
            "SELECT AVG(CASE WHEN a THEN 1 ELSE 0 END) FROM t",
            "SELECT 1",
            "no statement",
        ] {
            assert!(!is_quantity(statement), "{statement}");
        }
    }
}
