//! Words that are never a column's SQL name.

/// Words that SQLite takes for a column, but a parser of the wider language for something else.
const READ_OTHERWISE: &[&str] = &["any", "interval", "some", "top", "trim"];

/// Every keyword of SQLite (`sqlite3_keyword_name`, 3.50), sorted; and `within`, `true`, `false`, which read as
/// something else than a column in some builds or places.
const SQL_KEYWORDS: &[&str] = &[
    "abort",
    "action",
    "add",
    "after",
    "all",
    "alter",
    "always",
    "analyze",
    "and",
    "as",
    "asc",
    "attach",
    "autoincrement",
    "before",
    "begin",
    "between",
    "by",
    "cascade",
    "case",
    "cast",
    "check",
    "collate",
    "column",
    "commit",
    "conflict",
    "constraint",
    "create",
    "cross",
    "current",
    "current_date",
    "current_time",
    "current_timestamp",
    "database",
    "default",
    "deferrable",
    "deferred",
    "delete",
    "desc",
    "detach",
    "distinct",
    "do",
    "drop",
    "each",
    "else",
    "end",
    "escape",
    "except",
    "exclude",
    "exclusive",
    "exists",
    "explain",
    "fail",
    "false",
    "filter",
    "first",
    "following",
    "for",
    "foreign",
    "from",
    "full",
    "generated",
    "glob",
    "group",
    "groups",
    "having",
    "if",
    "ignore",
    "immediate",
    "in",
    "index",
    "indexed",
    "initially",
    "inner",
    "insert",
    "instead",
    "intersect",
    "into",
    "is",
    "isnull",
    "join",
    "key",
    "last",
    "left",
    "like",
    "limit",
    "match",
    "materialized",
    "natural",
    "no",
    "not",
    "nothing",
    "notnull",
    "null",
    "nulls",
    "of",
    "offset",
    "on",
    "or",
    "order",
    "others",
    "outer",
    "over",
    "partition",
    "plan",
    "pragma",
    "preceding",
    "primary",
    "query",
    "raise",
    "range",
    "recursive",
    "references",
    "regexp",
    "reindex",
    "release",
    "rename",
    "replace",
    "restrict",
    "returning",
    "right",
    "rollback",
    "row",
    "rows",
    "savepoint",
    "select",
    "set",
    "table",
    "temp",
    "temporary",
    "then",
    "ties",
    "to",
    "transaction",
    "trigger",
    "true",
    "unbounded",
    "union",
    "unique",
    "update",
    "using",
    "vacuum",
    "values",
    "view",
    "virtual",
    "when",
    "where",
    "window",
    "with",
    "within",
    "without",
];

/// Names under which every SQLite table already has its hidden row number.
const ROW_NUMBER_NAMES: &[&str] = &["_rowid_", "oid", "rowid"];

/// Whether `name` (lower case) needs another name before it can stand unquoted as a column.
pub(super) fn is_reserved(name: &str) -> bool {
    SQL_KEYWORDS.binary_search(&name).is_ok() || ROW_NUMBER_NAMES.contains(&name) || READ_OTHERWISE.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        assert!(SQL_KEYWORDS.is_sorted());
    }

    /// Every keyword of any SQL dialect, as a header, has to give a name that both the engine and the parser take for a
    /// column wherever a column can stand.
    #[test]
    fn every_keyword_works_as_a_header() {
        let statements = [
            "SELECT {} FROM t ORDER BY {} DESC",
            "SELECT a, MAX({}) FROM t WHERE {} = 1 AND {} LIKE 'x' GROUP BY {}",
            "SELECT {} + 1, {} || 'x', CAST({} AS INTEGER) AS b FROM t WHERE {} IN ('x') AND {} IS NOT NULL",
            "SELECT CASE WHEN {} > (SELECT AVG({}) FROM t) THEN {} END FROM t",
        ];
        let database = rusqlite::Connection::open_in_memory().unwrap();
        for keyword in sqlparser::keywords::ALL_KEYWORDS {
            let name = &crate::table::columns::name_columns(vec![keyword.to_lowercase()])[0].sql;
            database.execute_batch(&format!("CREATE TABLE t (a, {name})")).unwrap();
            for statement in statements {
                let statement = statement.replace("{}", name);
                database.prepare(&statement).unwrap();
                sqlparser::parser::Parser::parse_sql(&sqlparser::dialect::SQLiteDialect {}, &statement).unwrap();
            }
            database.execute_batch("DROP TABLE t").unwrap();
        }
    }
}
