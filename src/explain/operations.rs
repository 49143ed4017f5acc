//! A statement as a chain of operations on a table, in the manner of Chain-of-Table (Wang et al., ICLR 2024): rows and
//! columns selected, columns added, groups made, values aggregated, rows sorted. What is more than one SELECT over the
//! table alone is one operation, `query`, with the statement as its argument.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Distinct, Expr, GroupByExpr, LimitClause, OrderByKind, Query, Select, SelectItem, SetExpr, Statement, TableFactor,
    Visit, Visitor, visit_expressions,
};
use sqlparser::dialect::SQLiteDialect;
use sqlparser::parser::Parser;

/// Statements up to so many bytes nest so little that their tree fits any stack.
const SHALLOW_BYTES: usize = 300;

/// Stack of the thread that reads a longer one; memory is only taken for what is used.
const STACK_BYTES: usize = 64 << 20;

/// The operations of a statement, in the order in which they act, each as `f_name(arguments)`.
pub(super) fn of(statement: &str) -> Vec<String> {
    let read = with_query(statement, read).flatten();
    read.unwrap_or_else(|| vec![operation("query", statement.trim().trim_end_matches(';').trim_end())])
}

/// What `read` makes of a statement that is one query; `None` for any other text.
pub(super) fn with_query<T: Send>(statement: &str, read: impl Fn(&Query) -> T + Sync) -> Option<T> {
    let parsed = || {
        let statements = Parser::parse_sql(&SQLiteDialect {}, statement).ok()?;
        match statements.as_slice() {
            [Statement::Query(query)] => Some(read(query)),
            _ => None,
        }
    };
    if statement.len() <= SHALLOW_BYTES {
        return parsed();
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, parsed);
        match thread {
            // A panic is a defect of ours and never the statement's fault: it goes on here.
            Ok(thread) => thread.join().unwrap_or_else(|fault| std::panic::resume_unwind(fault)),
            Err(_) => None,
        }
    })
}

fn operation(name: &str, arguments: impl std::fmt::Display) -> String {
    format!("f_{name}({arguments})")
}

fn read(query: &Query) -> Option<Vec<String>> {
    let SetExpr::Select(select) = query.body.as_ref() else {
        return None;
    };
    if query.with.is_some() || !reads_the_table_alone(select) || goes_beyond(query) {
        return None;
    }
    let mut operations = Vec::new();
    if let Some(condition) = &select.selection {
        operations.push(operation("select_row", condition));
    }
    let GroupByExpr::Expressions(groups, modifiers) = &select.group_by else {
        return None;
    };
    if !modifiers.is_empty() {
        return None;
    }
    if !groups.is_empty() {
        operations.push(operation("group_by", list(groups)));
    }
    let items = &select.projection;
    let mut selected = None;
    if groups.is_empty() && !items.iter().any(is_aggregated) {
        let computed: Vec<&SelectItem> = items.iter().filter(|item| is_computed(item)).collect();
        if !computed.is_empty() {
            operations.push(operation("add_column", list(&computed)));
        }
        if !items.iter().any(is_wildcard) {
            selected = Some(items.iter().map(name_of).collect::<Vec<_>>());
        }
    } else {
        let beside_groups: Vec<&SelectItem> = items.iter().filter(|item| !is_a_group(item, groups)).collect();
        if !beside_groups.is_empty() {
            operations.push(operation("aggregate", list(&beside_groups)));
        }
    }
    if let Some(condition) = &select.having {
        operations.push(operation("select_row", condition));
    }
    if let Some(order) = &query.order_by {
        let OrderByKind::Expressions(keys) = &order.kind else {
            return None;
        };
        operations.push(operation("sort_by", list(keys)));
    }
    // SQL makes rows distinct before it cuts them off.
    let mut selection = selected.map(|names| operation("select_column", names.join(", ")));
    match &select.distinct {
        Some(Distinct::Distinct) => {
            operations.extend(selection.take());
            operations.push(operation("distinct", ""));
        }
        Some(Distinct::On(_)) => return None,
        Some(Distinct::All) | None => {}
    }
    operations.extend(limit(query.limit_clause.as_ref())?);
    operations.extend(selection);
    if operations.is_empty() {
        operations.push(operation("select_row", "all"));
    }
    Some(operations)
}

fn list<T: std::fmt::Display>(parts: &[T]) -> String {
    parts.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

fn reads_the_table_alone(select: &Select) -> bool {
    matches!(select.from.as_slice(), [only] if only.joins.is_empty()
        && matches!(&only.relation, TableFactor::Table { name, args: None, .. }
            if name.to_string().trim_matches(['"', '`', '[', ']']).eq_ignore_ascii_case("table_sql")))
}

/// Whether there is a query inside the query, or a window.
fn goes_beyond(query: &Query) -> bool {
    struct Beyond {
        queries: usize,
    }
    impl Visitor for Beyond {
        type Break = ();

        fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
            self.queries += 1;
            if self.queries > 1 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        }

        fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<()> {
            match expression {
                Expr::Function(function) if function.over.is_some() => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        }
    }
    query.visit(&mut Beyond { queries: 0 }).is_break()
}

fn limit(clause: Option<&LimitClause>) -> Option<Option<String>> {
    let (limit, offset) = match clause {
        None => return Some(None),
        Some(LimitClause::LimitOffset {
            limit,
            offset,
            limit_by,
        }) if limit_by.is_empty() => (limit.as_ref(), offset.as_ref().map(|offset| &offset.value)),
        Some(LimitClause::OffsetCommaLimit { offset, limit }) => (Some(limit), Some(offset)),
        Some(LimitClause::LimitOffset { .. }) => return None,
    };
    Some(match (limit, offset) {
        (Some(limit), None) => Some(operation("select_row", format!("first {limit}"))),
        (Some(limit), Some(offset)) => Some(operation("select_row", format!("{limit} after the first {offset}"))),
        (None, Some(offset)) => Some(operation("select_row", format!("all after the first {offset}"))),
        (None, None) => None,
    })
}

fn expression(item: &SelectItem) -> Option<&Expr> {
    match item {
        SelectItem::UnnamedExpr(expression) | SelectItem::ExprWithAlias { expr: expression, .. } => Some(expression),
        _ => None,
    }
}

fn is_wildcard(item: &SelectItem) -> bool {
    expression(item).is_none()
}

fn is_computed(item: &SelectItem) -> bool {
    expression(item).is_some_and(|expression| !matches!(expression, Expr::Identifier(_) | Expr::CompoundIdentifier(_)))
}

/// The name under which a later operation knows what an item gives.
fn name_of(item: &SelectItem) -> String {
    match item {
        SelectItem::ExprWithAlias { alias, .. } if is_computed(item) => alias.to_string(),
        item => item.to_string(),
    }
}

fn is_a_group(item: &SelectItem, groups: &[Expr]) -> bool {
    expression(item).is_some_and(|expression| groups.contains(expression))
}

fn is_aggregated(item: &SelectItem) -> bool {
    expression(item).is_some_and(|expression| {
        visit_expressions(expression, |inner| match inner {
            Expr::Function(function) => {
                let name = function.name.to_string().to_ascii_lowercase();
                let is_aggregate = matches!(
                    name.as_str(),
                    "count" | "sum" | "avg" | "total" | "group_concat" | "string_agg"
                ) || (matches!(name.as_str(), "min" | "max")
                    && !function.args.to_string().contains(','));
                if is_aggregate {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            }
            _ => ControlFlow::Continue(()),
        })
        .is_break()
    })
}

#[cfg(test)]
mod tests {
    use super::{of, with_query};

    fn chain(statement: &str) -> String {
        of(statement).join(" > ")
    }

    #[test]
    fn statements_become_operations_in_the_order_they_act() {
        for (statement, expected) in [
            (
                "SELECT * FROM table_sql WHERE built < 1900;",
                "f_select_row(built < 1900)",
            ),
            ("SELECT * FROM table_sql", "f_select_row(all)"),
            (
                "SELECT name, built AS b FROM table_sql",
                "f_select_column(name, built AS b)",
            ),
            (
                "SELECT *, units * price AS revenue FROM table_sql",
                "f_add_column(units * price AS revenue)",
            ),
            (
                "SELECT a + 1 AS b, c FROM table_sql ORDER BY b DESC LIMIT 1",
                "f_add_column(a + 1 AS b) > f_sort_by(b DESC) > f_select_row(first 1) > f_select_column(b, c)",
            ),
            (
                "SELECT rep, SUM(x) AS total FROM table_sql WHERE r = 'N' GROUP BY rep HAVING total > 3 ORDER BY total",
                "f_select_row(r = 'N') > f_group_by(rep) > f_aggregate(SUM(x) AS total) > f_select_row(total > 3) > \
                 f_sort_by(total)",
            ),
            (
                "SELECT CASE WHEN COUNT(*) = 2 THEN 'TRUE' ELSE 'FALSE' END AS v FROM table_sql",
                "f_aggregate(CASE WHEN COUNT(*) = 2 THEN 'TRUE' ELSE 'FALSE' END AS v)",
            ),
            (
                "SELECT DISTINCT line FROM table_sql LIMIT 2 OFFSET 1",
                "f_select_column(line) > f_distinct() > f_select_row(2 after the first 1)",
            ),
            (
                "SELECT max(a, b) AS m FROM table_sql",
                "f_add_column(max(a, b) AS m) > f_select_column(m)",
            ),
        ] {
            assert_eq!(chain(statement), expected);
        }
    }

    #[test]
    fn what_is_more_than_one_select_is_a_query() {
        for statement in [
            "SELECT a FROM table_sql UNION SELECT b FROM table_sql",
            "WITH t AS (SELECT 1) SELECT * FROM t",
            "SELECT * FROM table_sql WHERE a = (SELECT MAX(a) FROM table_sql)",
            "SELECT a, ROW_NUMBER() OVER (ORDER BY a) FROM table_sql",
            "SELECT * FROM table_sql AS t JOIN table_sql AS u ON t.a = u.a",
            "SELECT 1",
            "not sql at all",
            "",
        ] {
            assert_eq!(of(statement), [format!("f_query({statement})")]);
        }
    }

    #[test]
    fn a_deep_statement_does_not_end_the_program() {
        let deep = format!("SELECT * FROM table_sql WHERE a = {}", vec!["1"; 9_000].join("+"));
        assert_eq!(of(&deep).len(), 1);
    }
    #[test]
    fn a_fault_of_ours_is_not_the_statements() {
        let long = format!("SELECT * FROM table_sql WHERE a = {}", vec!["1"; 900].join("+"));
        let caught = std::panic::catch_unwind(|| with_query::<()>(&long, |_| panic!("a defect")));
        let fault = caught.expect_err("the panic goes on");
        assert_eq!(fault.downcast_ref::<&str>(), Some(&"a defect"));
    }
}
