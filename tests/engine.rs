//! The guard: what statements may not do, what limits stop them, and that a result is what SQLite gives.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::time::{Duration, Instant};

use tabjury::engine::{Engine, EngineError, Execution, Limits};
use tabjury::table::{Cell, Column, ColumnType, Table};
use tabjury::trace::RowSources;

fn table(header: &[&str], rows: &[&[&str]]) -> Table {
    Table::from_text(
        header.iter().copied(),
        rows.iter()
            .map(|row| row.iter().map(|cell| (*cell).to_owned()).collect::<Vec<String>>()),
    )
    .unwrap()
}

fn deals() -> Table {
    table(
        &["Region", "Rep", "Units", "Unit Price"],
        &[
            &["North", "Alice", "10", "15.0"],
            &["South", "Bob", "5", "30.0"],
            &["North", "Carol", "22", "20.0"],
            &["East", "Dan", "7", "9.5"],
        ],
    )
}

fn run(table: &Table, statement: &str) -> Result<Execution, EngineError> {
    let own = RowSources::each_from_itself(table.rows.len());
    Engine::default().run(table, &own, statement)
}

fn cells(execution: &Execution) -> Vec<Vec<&str>> {
    execution
        .table
        .rows
        .iter()
        .map(|row| {
            row.iter()
                .map(|cell: &Cell| cell.as_deref().unwrap_or("NULL"))
                .collect()
        })
        .collect()
}

fn value(table: &Table, statement: &str) -> String {
    match run(table, statement) {
        Ok(execution) => cells(&execution)[0][0].to_owned(),
        Err(error) => panic!("{statement}: {error}"),
    }
}

#[test]
fn whatever_is_not_a_select_is_refused() {
    let path = std::env::temp_dir().join(format!("tabjury-guard-{}.db", std::process::id()));
    let path = path.display();
    for statement in [
        format!("ATTACH '{path}' AS x"),
        format!("VACUUM INTO '{path}'"),
        "VACUUM".to_owned(),
        "PRAGMA table_info(table_sql)".to_owned(),
        "PRAGMA hard_heap_limit = 1".to_owned(),
        "PRAGMA query_only = OFF".to_owned(),
        "ALTER TABLE table_sql ADD COLUMN x".to_owned(),
        "UPDATE table_sql SET units = 0".to_owned(),
        "DELETE FROM table_sql".to_owned(),
        "INSERT INTO table_sql VALUES (1, 2, 3, 4)".to_owned(),
        "WITH c AS (SELECT 1) INSERT INTO table_sql SELECT 1, 2, 3, 4 FROM c".to_owned(),
        "WITH c AS (SELECT 1) DELETE FROM table_sql".to_owned(),
        "CREATE TABLE t AS SELECT * FROM table_sql".to_owned(),
        "CREATE TEMP VIEW v AS SELECT 1".to_owned(),
        "DROP TABLE table_sql".to_owned(),
        "BEGIN".to_owned(),
        "SAVEPOINT s".to_owned(),
        "REINDEX".to_owned(),
        "ANALYZE".to_owned(),
        "EXPLAIN SELECT 1".to_owned(),
        "EXPLAIN QUERY PLAN SELECT * FROM table_sql".to_owned(),
        "VALUES (1)".to_owned(),
        "SELECT 1; SELECT 2".to_owned(),
        "SELECT 1; DROP TABLE table_sql".to_owned(),
        "SELECT * FROM sqlite_master".to_owned(),
        "SELECT COUNT(*) FROM sqlite_schema".to_owned(),
        "SELECT * FROM temp.sqlite_master".to_owned(),
        "SELECT (SELECT name FROM sqlite_master)".to_owned(),
        "SELECT * FROM pragma_table_info('table_sql')".to_owned(),
        "SELECT COUNT(*) FROM pragma_database_list".to_owned(),
        "SELECT * FROM dbstat".to_owned(),
        "SELECT load_extension('x')".to_owned(),
        "SELECT random()".to_owned(),
        "SELECT hex(randomblob(4))".to_owned(),
        "SELECT * FROM table_sql ORDER BY random()".to_owned(),
        "SELECT current_timestamp".to_owned(),
        "SELECT sqlite_version()".to_owned(),
        "SELECT sqlite_compileoption_used('x')".to_owned(),
        "SELECT last_insert_rowid()".to_owned(),
        "SELECT zeroblob(1000000000)".to_owned(),
        "SELECT tabjury_members(1)".to_owned(),
        String::new(),
        " ; ".to_owned(),
        "-- nothing".to_owned(),
    ] {
        let error = run(&deals(), &statement).expect_err(&statement);
        assert!(
            matches!(error, EngineError::NotAllowed { .. }),
            "{statement}: {error:?}"
        );
    }
    assert!(!std::path::Path::new(&path.to_string()).exists());
}

#[test]
fn functions_that_do_not_exist_here_are_errors() {
    for statement in [
        "SELECT writefile('/tmp/x', 'y')",
        "SELECT readfile('/etc/passwd')",
        "SELECT * FROM generate_series(1, 10)",
        "SELECT * FROM tabjury_kept_0",
        "SELECT ?",
        "SELECT :name",
    ] {
        assert!(run(&deals(), statement).is_err(), "{statement}");
    }
}

#[test]
fn the_clock_and_the_time_zone_are_denied_whatever_names_them() {
    let clock = table(&["when"], &[&["now"], &["2020-01-02"]]);
    for statement in [
        "SELECT date('now')",
        "SELECT date()",
        "SELECT strftime('%Y')",
        "SELECT julianday('NOW')",
        "SELECT datetime('2020-01-01', 'localtime')",
        "SELECT date('n' || 'ow')",
        "SELECT date('now' || char(0))",
        "SELECT date(CAST('now' AS BLOB))",
        "SELECT datetime('subsec')",
        "SELECT unixepoch('SubSecond')",
        "SELECT timediff('2020-01-01', 'subsec')",
        "SELECT strftime('%s', 'subsec')",
        "SELECT datetime('2020-01-01', CAST('localtime' AS BLOB))",
        "SELECT datetime('2020-01-01', 'utc' || char(0) || 'x')",
        "SELECT date(when_col) FROM table_sql",
    ] {
        let message = run(&clock, statement).expect_err(statement).to_string();
        assert!(message.contains("same result each time"), "{statement}: {message}");
    }
    assert_eq!(
        value(&clock, "SELECT date('2020-01-31', '+1 month', 'start of month')"),
        "2020-03-01"
    );
    assert_eq!(
        value(&clock, "SELECT strftime('%f', '2020-01-31 01:02:03.25', 'subsec')"),
        "03.250"
    );
    assert_eq!(
        value(&clock, "SELECT julianday('2020-01-02') - julianday('2020-01-01')"),
        "1.0"
    );
    assert_eq!(
        value(
            &clock,
            "SELECT strftime('%Y', when_col) FROM table_sql WHERE when_col <> 'now'"
        ),
        "2020"
    );
}

#[test]
fn runaway_statements_meet_a_limit() {
    let engine = Engine {
        limits: Limits {
            time: Duration::from_millis(1500),
            rows: 1000,
            bytes: 100_000,
            statement_bytes: 20_000,
            steps: 5_000_000,
        },
        ..Engine::default()
    };
    let many: Vec<Vec<String>> = (0..200).map(|row| vec![row.to_string()]).collect();
    let many = Table::from_text(["n"], many).unwrap();
    let long = format!("SELECT 1 -- {}", "x".repeat(1 << 20));
    let nested = format!("SELECT {}1{}", "(".repeat(5000), ")".repeat(5000));
    let deep = format!("SELECT {}1", "1+".repeat(5000));
    let negated = format!("SELECT {} 1", "NOT ".repeat(3000));
    for (statement, limit) in [
        (
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT COUNT(*) FROM c",
            "steps",
        ),
        (
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c",
            "rows",
        ),
        (
            "SELECT COUNT(*) FROM table_sql a, table_sql b, table_sql c, table_sql d, table_sql e",
            "steps",
        ),
        ("SELECT a.n FROM table_sql a, table_sql b", "rows"),
        ("SELECT printf('%.*c', 900000000, 'x')", "bytes"),
        (
            "SELECT replace(printf('%.*c', 100000, 'x'), 'x', printf('%.*c', 100000, 'y'))",
            "bytes",
        ),
        ("SELECT printf('%.*c', 300000, 'x') FROM table_sql", "bytes"),
        (
            "WITH RECURSIVE c(x, s) AS (SELECT 1, 'a' UNION ALL SELECT x + 1, s || s FROM c WHERE x < 60) SELECT COUNT(*) FROM c ORDER BY s",
            "bytes",
        ),
        (long.as_str(), "statement"),
    ] {
        let start = Instant::now();
        let error = engine
            .run(&many, &RowSources::default(), statement)
            .expect_err(&statement[..60.min(statement.len())]);
        let is_limit = matches!(error, EngineError::Limit { limit: found, .. } if found == limit || found == "time");
        assert!(is_limit, "{}: {error:?}", &statement[..60.min(statement.len())]);
        assert!(start.elapsed() < Duration::from_secs(10));
    }
    for statement in [&nested, &deep, &negated] {
        let _ = engine.run(&many, &RowSources::default(), statement);
    }
    let time = Engine {
        limits: Limits {
            time: Duration::from_millis(50),
            steps: u64::MAX,
            ..Limits::default()
        },
        ..Engine::default()
    };
    let error = time
        .run(
            &many,
            &RowSources::default(),
            "SELECT COUNT(*) FROM table_sql a, table_sql b, table_sql c, table_sql d, table_sql e",
        )
        .unwrap_err();
    assert!(matches!(error, EngineError::Limit { limit: "time", .. }), "{error:?}");
}

#[test]
fn a_misspelt_column_is_an_error_with_the_columns_that_exist() {
    let message = run(&deals(), "SELECT * FROM table_sql WHERE \"Regon\" = 'North'")
        .unwrap_err()
        .to_string();
    assert_eq!(
        message,
        "no such column: \"Regon\" - should this be a string literal in single-quotes? \
         (table_sql has: region, rep, units, unit_price)"
    );
    let message = run(&deals(), "SELECT * FROM deals").unwrap_err().to_string();
    assert_eq!(message, "no such table: deals (the only table is table_sql)");
}

#[test]
fn a_parameter_is_an_error_that_says_what_to_write() {
    for statement in [
        "SELECT ?",
        "SELECT ?1",
        "SELECT * FROM table_sql WHERE rep = :rep",
        "SELECT @a",
        "SELECT $a",
    ] {
        let message = run(&deals(), statement).unwrap_err().to_string();
        assert_eq!(
            message, "a statement here has no parameters: write the value itself in place of ?, :name, @name or $name",
            "{statement}"
        );
    }
}

#[test]
fn double_quoted_text_is_text_only_when_asked_for() {
    let statement = "SELECT \"Rep\", \"it's\" FROM table_sql WHERE \"Region\" = \"North\" AND \"Unit Price\" > 15";
    assert!(run(&deals(), statement).is_err());
    let engine = Engine {
        double_quoted_strings: true,
        ..Engine::default()
    };
    let execution = engine.run(&deals(), &RowSources::default(), statement).unwrap();
    assert_eq!(cells(&execution), [["Carol", "it's"]]);
    assert_eq!(execution.lineage.columns, [0, 1, 3], "text is no column");
    assert!(execution.lineage.is_exact(), "{:?}", execution.lineage.exactness);
}

#[test]
fn a_column_may_be_called_by_its_name_in_the_file() {
    let golf = table(
        &["to par", "To  Par", "score\n(total)", "größe", "from", "to_par"],
        &[
            &["+3", "a", "1", "x", "f", "second"],
            &["+4", "b", "2", "y", "g", "third"],
        ],
    );
    for (statement, expected) in [
        ("SELECT \"score\n(total)\" FROM table_sql WHERE \"größe\" = 'y'", "2"),
        (
            "SELECT t.\"score (total)\" FROM table_sql AS t ORDER BY t.\"score (total)\" DESC",
            "2",
        ),
        ("SELECT [from] FROM table_sql", "f"),
        ("SELECT größe FROM table_sql", "x"),
        (
            "SELECT x FROM (SELECT `größe` AS x, * FROM table_sql) WHERE \"from\" = 'g'",
            "y",
        ),
        (
            "WITH c AS (SELECT \"from\" FROM table_sql) SELECT MAX(\"from\") FROM c",
            "g",
        ),
        (
            "SELECT \"from\" || 'from' || \"from\" FROM table_sql -- \"from\"",
            "ffromf",
        ),
        ("SELECT 'größe' FROM table_sql", "größe"),
        (
            "SELECT \"größe\" AS \"to par\" FROM table_sql WHERE \"to par\" = 'y'",
            "y",
        ),
    ] {
        assert_eq!(value(&golf, statement), expected, "{statement}");
        assert!(run(&golf, statement).unwrap().lineage.is_exact(), "{statement}");
    }
    assert_eq!(
        value(&golf, "SELECT to_par FROM table_sql"),
        "second",
        "what the file calls a column is that column"
    );
    let execution = run(&golf, "SELECT größe, units FROM table_sql");
    assert!(execution.unwrap_err().to_string().starts_with("no such column: units"));
    let carried = run(&golf, "SELECT \"score (total)\", 1 + 1 FROM table_sql").unwrap();
    assert_eq!(carried.table.columns[0].original, "score\n(total)");
    assert_eq!(carried.lineage.produced_columns, [1]);
    let twice = table(&["a b", "a b"], &[&["1", "2"]]);
    let message = run(&twice, "SELECT \"a b\" FROM table_sql").unwrap_err().to_string();
    assert_eq!(message, "ambiguous column name: a b (use one of a_b, a_b_2)");
}

/// A quoted name is the column that the file calls so, whatever SQLite would make of it.
#[test]
fn a_name_of_the_file_never_reads_another_column() {
    let prices = table(
        &["Item", "Net Price", "net_price", "oid", "RowID"],
        &[&["a", "10", "99", "7", "70"], &["b", "20", "88", "5", "50"]],
    );
    for (statement, expected) in [
        (r#"SELECT SUM("net_price") FROM table_sql"#, "187"),
        (r#"SELECT SUM("Net Price") FROM table_sql"#, "30"),
        ("SELECT SUM(net_price) FROM table_sql", "187"),
        (r#"SELECT "oid" FROM table_sql WHERE item = 'b'"#, "5"),
        ("SELECT MAX(rowid) FROM table_sql", "70"),
        ("SELECT t.RowID FROM table_sql t WHERE t.oid = 7", "70"),
        // The name that no column has is SQLite's row number still.
        ("SELECT MAX(_rowid_) FROM table_sql", "2"),
        // SQLite does not say where these stand.
        (
            r#"SELECT a."Net Price" FROM table_sql a JOIN table_sql b ON a."Net Price" > b."Net Price" AND a.rowid < b.rowid"#,
            "20",
        ),
        (
            r#"SELECT SUM(u.oid) FROM table_sql JOIN table_sql u USING ("Net Price", item)"#,
            "12",
        ),
        (
            r#"SELECT "Net Price" FROM table_sql UNION SELECT oid FROM table_sql ORDER BY "Net Price" LIMIT 1"#,
            "5",
        ),
        (
            "SELECT t.rowid FROM table_sql t WHERE t._rowid_ = 2 ORDER BY _RowId_",
            "50",
        ),
    ] {
        assert_eq!(value(&prices, statement), expected, "{statement}");
    }
    for (statement, named) in [
        ("SELECT _rowid_, missing FROM table_sql", "missing"),
        (
            "SELECT s._rowid_ FROM (SELECT item FROM table_sql) s, table_sql",
            "s._rowid_",
        ),
    ] {
        let error = run(&prices, statement).unwrap_err().to_string();
        assert!(error.contains(&format!("no such column: {named} (")), "{error}");
    }

    let cased = table(&["Name", "name"], &[&["first", "second"]]);
    assert_eq!(value(&cased, r#"SELECT "Name" FROM table_sql"#), "first");
    assert_eq!(value(&cased, r#"SELECT "name" FROM table_sql"#), "second");

    // The same of names that an earlier step gave.
    let step = run(
        &prices,
        r#"SELECT "Net Price" * 2 AS "Sum Net", 7 AS sum_net, 90 AS rowid FROM table_sql"#,
    )
    .unwrap();
    assert_eq!(value(&step.table, r#"SELECT SUM("sum_net") FROM table_sql"#), "14");
    assert_eq!(value(&step.table, r#"SELECT SUM("Sum Net") FROM table_sql"#), "60");
    assert_eq!(value(&step.table, r#"SELECT MAX("rowid") FROM table_sql"#), "90");
}

#[test]
fn hostile_column_names_load_and_can_be_read() {
    let names = [
        "",
        "",
        "select",
        "\"",
        "a\"b",
        "'; DROP TABLE table_sql; --",
        "line\nbreak",
        "rowid",
        "_rowid_",
        "oid",
        "ROWID",
        "%s{}",
        "🦀",
        "a",
        "A",
        "table_sql",
        "[x]",
        "`",
        "\0nul",
        "日本語",
        "c\u{301}afe\u{301}",
        "1",
        "*",
        "count(*)",
        "\u{202e}rtl",
    ];
    let row: Vec<String> = (0..names.len()).map(|index| format!("v{index}")).collect();
    let hostile = Table::from_text(names, [row.clone()]).unwrap();
    let all = run(&hostile, "SELECT * FROM table_sql").unwrap();
    assert_eq!(all.table.rows[0], row.into_iter().map(Some).collect::<Vec<Cell>>());
    assert_eq!(all.lineage.sources.rows, [[0]]);
    for (index, column) in hostile.columns.iter().enumerate() {
        let statement = format!("SELECT {0} FROM table_sql WHERE {0} IS NOT NULL", column.sql);
        let execution = run(&hostile, &statement).unwrap();
        assert_eq!(cells(&execution), [[format!("v{index}").as_str()]], "{statement}");
        assert_eq!(execution.lineage.columns, [index]);
        assert!(execution.lineage.is_exact(), "{statement}");
    }
    // Names that did not come from the table room: nothing in them runs, and a row id is found or the lineage says so.
    let raw = |name: &str| Column {
        original: name.to_owned(),
        display: name.to_owned(),
        sql: name.to_owned(),
    };
    let row_ids = Table::new(
        ["rowid", "oid", "_rowid_"].map(raw).to_vec(),
        vec![vec![Some("7".to_owned()), None, Some(String::new())]],
    )
    .unwrap();
    let execution = run(&row_ids, "SELECT rowid FROM table_sql").unwrap();
    assert_eq!(cells(&execution), [["7"]]);
    assert!(!execution.lineage.is_exact());
    assert_eq!(execution.lineage.rows, [0]);
    let injected = Table::new(
        vec![raw("x\" TEXT); DROP TABLE table_sql; --")],
        vec![vec![Some("1".to_owned())]],
    )
    .unwrap();
    assert_eq!(value(&injected, "SELECT * FROM table_sql"), "1");
    let nul = Table::new(vec![raw("a\0b")], vec![vec![Some("1".to_owned())]]).unwrap();
    assert!(run(&nul, "SELECT * FROM table_sql").is_err());
}

#[test]
fn empty_tables_and_tables_without_columns_are_no_surprise() {
    let empty = table(&["a", "b"], &[]);
    let execution = run(&empty, "SELECT COUNT(*), SUM(a) FROM table_sql WHERE b = 'x'").unwrap();
    assert_eq!(cells(&execution), [["0", "NULL"]]);
    assert_eq!(execution.lineage.reading, tabjury::trace::lineage::Reading::EmptyTable);
    let nothing = Table::default();
    let message = run(&nothing, "SELECT 1").unwrap_err().to_string();
    assert_eq!(message, "table_sql has no columns");
}

#[test]
fn statements_may_end_in_semicolons_and_comments() {
    for statement in [
        "SELECT COUNT(*) FROM table_sql;",
        "SELECT COUNT(*) FROM table_sql;\n-- Count the rows.",
        "SELECT COUNT(*) FROM table_sql; /* and */ ; ;",
        "-- First:\nSELECT COUNT(*) FROM table_sql",
        "\n\n/* x */ select count(*) from TABLE_SQL",
        "SELECT COUNT(*) FROM table_sql -- no newline",
    ] {
        assert_eq!(value(&deals(), statement), "4", "{statement}");
        assert!(run(&deals(), statement).unwrap().lineage.is_exact(), "{statement}");
    }
}

#[test]
fn functions_that_published_programs_use_are_there() {
    for (expression, expected) in [
        ("ROUND(SQRT(16), 1)", "4.0"),
        ("POW(2, 3)", "8.0"),
        ("median(units)", "8.5"),
        ("SUM(CASE WHEN rep REGEXP '^[AB]' THEN 1 ELSE 0 END)", "2"),
        ("group_concat(rep)", "Alice,Bob,Carol,Dan"),
        ("10 / 4", "2"),
        ("10 / 4.0", "2.5"),
        ("1e16", "1e+16"),
        ("MAX(unit_price)", "30.0"),
        ("IIF(COUNT(*) > 3, 'TRUE', 'FALSE')", "TRUE"),
    ] {
        let statement = format!("SELECT {expression} FROM table_sql");
        assert_eq!(value(&deals(), &statement), expected, "{statement}");
    }
    let message = run(&deals(), "SELECT rep REGEXP '(' FROM table_sql")
        .unwrap_err()
        .to_string();
    assert!(message.contains("REGEXP pattern"), "{message}");
    let message = run(&deals(), "SELECT CAST(rep AS BLOB) AS raw FROM table_sql")
        .unwrap_err()
        .to_string();
    assert_eq!(message, "the result's column raw holds binary data, which has no text");
}

#[test]
fn all_text_columns_compare_as_text() {
    let engine = Engine {
        typed_columns: false,
        ..Engine::default()
    };
    let execution = engine
        .run(&deals(), &RowSources::default(), "SELECT MAX(units) FROM table_sql")
        .unwrap();
    assert_eq!(cells(&execution), [["7"]]);
}

#[test]
fn long_chains_of_conditions_run_and_are_traced() {
    let chain: Vec<String> = (0..990).map(|number| format!("units={number}")).collect();
    let statement = format!("SELECT rep FROM table_sql WHERE {}", chain.join(" OR "));
    let execution = run(&deals(), &statement).unwrap();
    assert_eq!(cells(&execution).len(), 4);
    assert!(execution.lineage.is_exact(), "{:?}", execution.lineage.exactness);
    assert_eq!(execution.lineage.condition_cells.len(), 4);
}

#[test]
fn deeply_nested_queries_neither_crash_nor_go_unmarked() {
    let mut nested = "SELECT * FROM table_sql".to_owned();
    let mut scalar = "SELECT MAX(units) FROM table_sql".to_owned();
    for _ in 0..120 {
        nested = format!("SELECT * FROM ({nested})");
        scalar = format!("SELECT ({scalar})");
    }
    let union = vec!["SELECT rep FROM table_sql"; 60].join(" UNION ALL ");
    for statement in [nested, scalar, union] {
        if let Ok(execution) = run(&deals(), &statement) {
            assert!(execution.lineage.has_marks());
        }
    }
}

#[test]
fn given_types_stay_when_cells_are_blanked() {
    let table = Table::from_text(
        ["name", "units"],
        [["a", "3"], ["b", ""]].map(|row| row.map(str::to_owned).to_vec()),
    )
    .unwrap();
    let engine = Engine::default();
    let statement = "SELECT units / 2, typeof(units) FROM table_sql";
    let read = |types: &[ColumnType]| {
        let execution = engine
            .run_typed(&table, types, &RowSources::default(), statement)
            .unwrap();
        execution
            .table
            .rows
            .into_iter()
            .map(|row| {
                row.into_iter()
                    .map(Option::unwrap_or_default)
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(read(&engine.types_of(&table)), ["1.5 real", " null"]);
    assert_eq!(read(&[ColumnType::Text, ColumnType::Integer]), ["1 integer", " null"]);
    assert_eq!(read(&[]), ["1 text", "0 text"]);
}
