//! Random statements over random tables: rows and cells outside the marks are deleted and changed, and the result must stay.

use std::collections::BTreeMap;

use proptest::prelude::*;
use tabjury::engine::{Engine, Execution};
use tabjury::table::{Cell, Table};
use tabjury::trace::RowSources;
use tabjury::trace::lineage::Exactness;

use super::{deletions, run};

/// The same table in SQLite without guard or lineage.
fn plain(table: &Table, statement: &str) -> Result<Vec<Vec<Cell>>, rusqlite::Error> {
    let connection = rusqlite::Connection::open_in_memory()?;
    connection.execute_batch("CREATE TABLE table_sql (a INTEGER, b TEXT, c REAL, d TEXT)")?;
    for row in &table.rows {
        connection.execute(
            "INSERT INTO table_sql VALUES (?1, ?2, NULLIF(?3, ''), ?4)",
            rusqlite::params_from_iter(row),
        )?;
    }
    let mut prepared = connection.prepare(statement)?;
    let width = prepared.column_count();
    let rows = prepared.query_map([], |row| {
        (0..width)
            .map(|index| {
                Ok(match row.get_ref(index)? {
                    rusqlite::types::ValueRef::Null => None,
                    rusqlite::types::ValueRef::Integer(number) => Some(number.to_string()),
                    rusqlite::types::ValueRef::Real(number) => Some(format!("{number:?}")),
                    rusqlite::types::ValueRef::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
                    rusqlite::types::ValueRef::Blob(_) => None,
                })
            })
            .collect()
    })?;
    rows.collect()
}

/// A table whose columns are an integer, a text, a real that may be missing, and a text; types stay as they are when
/// rows are deleted, because the last row, which no statement sees apart from the others, is never deleted.
fn tables() -> impl Strategy<Value = Table> {
    let row = (
        0..5_i32,
        prop_oneof![Just("x"), Just("y"), Just("Z"), Just("it's")],
        prop_oneof![Just("1.5"), Just("2.0"), Just("-3.25"), Just("")],
        prop_oneof![Just("p"), Just("q"), Just("10"), Just("é")],
    );
    proptest::collection::vec(row, 0..7).prop_map(|rows| {
        let mut rows: Vec<Vec<String>> = rows
            .into_iter()
            .map(|(a, b, c, d)| vec![a.to_string(), b.to_owned(), c.to_owned(), d.to_owned()])
            .collect();
        rows.push(["2", "x", "2.5", "p"].map(str::to_owned).to_vec());
        Table::from_text(["a", "b", "c", "d"], rows).unwrap()
    })
}

/// Conditions on a row alone.
fn row_conditions() -> BoxedStrategy<String> {
    prop_oneof![
        (0..5_i32, prop_oneof!["=", "<", ">=", "<>"]).prop_map(|(number, operator)| format!("a {operator} {number}")),
        prop_oneof![Just("x"), Just("y"), Just("it''s")].prop_map(|text| format!("b = '{text}'")),
        prop_oneof![
            Just("b LIKE 'X%'"),
            Just("c IS NULL"),
            Just("c > 1.5"),
            Just("d IN ('p', '10')"),
            Just("a BETWEEN 1 AND 3"),
            Just("length(d) > a"),
            Just("d GLOB '[pq]'"),
        ]
        .prop_map(str::to_owned),
    ]
    .boxed()
}

/// Conditions that look at other rows too.
fn subquery_conditions() -> BoxedStrategy<String> {
    prop_oneof![
        Just("a = (SELECT MAX(a) FROM table_sql WHERE b <> 'y')"),
        Just("c > (SELECT AVG(c) FROM table_sql)"),
        Just("a IN (SELECT a FROM table_sql WHERE c IS NOT NULL)"),
        Just("b NOT IN (SELECT b FROM table_sql WHERE a > 2)"),
        Just("EXISTS (SELECT 1 FROM table_sql AS u WHERE u.a > t.a AND u.b = t.b)"),
        Just("NOT EXISTS (SELECT 1 FROM table_sql AS u WHERE u.a < t.a AND u.d = t.d)"),
        Just("a > (SELECT AVG(u.a) FROM table_sql AS u WHERE u.b = t.b)"),
        Just("a = (SELECT u.a FROM table_sql AS u WHERE u.b = t.b ORDER BY u.a DESC LIMIT 1)"),
        Just("a IN (SELECT u.a + 1 FROM table_sql AS u WHERE u.d = t.d)"),
        Just("(SELECT COUNT(*) FROM (SELECT DISTINCT b FROM table_sql)) > a"),
    ]
    .prop_map(str::to_owned)
    .boxed()
}

fn combined(leaf: BoxedStrategy<String>) -> impl Strategy<Value = String> {
    leaf.prop_recursive(2, 6, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(left, right)| format!("({left} AND {right})")),
            (inner.clone(), inner.clone()).prop_map(|(left, right)| format!("({left} OR {right})")),
            inner.prop_map(|condition| format!("NOT ({condition})")),
        ]
    })
}

fn conditions() -> impl Strategy<Value = String> {
    combined(prop_oneof![row_conditions(), subquery_conditions()].boxed())
}

fn statements() -> impl Strategy<Value = String> {
    let filter = prop_oneof![
        1 => Just(String::new()),
        4 => conditions().prop_map(|condition| format!(" WHERE {condition}")),
    ];
    let order = prop_oneof![
        Just(""),
        Just(" ORDER BY 1"),
        Just(" ORDER BY 1 DESC LIMIT 2"),
        Just(" LIMIT 3"),
        Just(" ORDER BY 1 LIMIT 1 OFFSET 1"),
    ];
    let shape = prop_oneof![
        Just("SELECT * FROM table_sql AS t{w}{o}"),
        Just("SELECT b, a FROM table_sql AS t{w}{o}"),
        Just("SELECT a + 1, upper(b), CASE WHEN a > 2 THEN d END FROM table_sql AS t{w}{o}"),
        Just("SELECT DISTINCT b FROM table_sql AS t{w}{o}"),
        Just("SELECT DISTINCT a, d FROM table_sql AS t{w}{o}"),
        Just("SELECT COUNT(*) FROM table_sql AS t{w}"),
        Just("SELECT SUM(c), COUNT(d) FROM table_sql AS t{w}"),
        Just("SELECT SUM(c) FROM table_sql AS t{w}"),
        Just("SELECT MAX(a), MIN(c) FROM table_sql AS t{w}"),
        Just("SELECT MAX(a) FROM table_sql AS t{w}"),
        Just("SELECT b, COUNT(*), SUM(a) FROM table_sql AS t{w} GROUP BY b{o}"),
        Just("SELECT b, MAX(c) FROM table_sql AS t{w} GROUP BY b HAVING COUNT(*) > 1{o}"),
        Just("SELECT DISTINCT COUNT(*) FROM table_sql AS t{w} GROUP BY b{o}"),
        Just("SELECT x, n FROM (SELECT b AS x, COUNT(*) AS n FROM table_sql AS t{w} GROUP BY b) WHERE n > 1{o}"),
        Just("WITH k AS (SELECT * FROM table_sql AS t{w}) SELECT a, d FROM k WHERE a > 1{o}"),
        Just("WITH k AS (SELECT * FROM table_sql AS t{w}) SELECT COUNT(*) FROM k JOIN k AS m ON k.a = m.a"),
        Just("SELECT t.a, u.b FROM table_sql AS t JOIN table_sql AS u ON t.a = u.a AND t.rowid < u.rowid{w2}{o}"),
        Just("SELECT t.d, u.d FROM table_sql AS t LEFT JOIN table_sql AS u ON t.a = u.a + 1{w2}{o}"),
        Just("SELECT a, (SELECT COUNT(*) FROM table_sql AS u WHERE u.b = t.b) FROM table_sql AS t{w}{o}"),
        Just("SELECT a, (SELECT MAX(c) FROM table_sql) FROM table_sql AS t{w}{o}"),
        Just("SELECT b FROM table_sql AS t{w} UNION SELECT d FROM table_sql{o}"),
        Just("SELECT a FROM table_sql AS t{w} UNION ALL SELECT length(b) FROM table_sql{o}"),
        Just("SELECT b FROM table_sql AS t{w} EXCEPT SELECT b FROM table_sql WHERE a > 3{o}"),
        Just("SELECT a FROM table_sql AS t{w} INTERSECT SELECT a FROM table_sql WHERE b = 'x'{o}"),
        Just("SELECT a, SUM(a) OVER (PARTITION BY b ORDER BY a, d) FROM table_sql AS t{w}{o}"),
        Just("SELECT CASE WHEN (SELECT COUNT(*) FROM table_sql AS t{w}) > 2 THEN 'TRUE' ELSE 'FALSE' END"),
        Just("SELECT SUM(CASE WHEN b = 'x' THEN a ELSE 0 END) FROM table_sql AS t{w}"),
        Just("SELECT COUNT(*) FILTER (WHERE a > 1), AVG(c) FROM table_sql AS t{w}"),
        Just("SELECT COUNT(DISTINCT b) FROM table_sql AS t{w}"),
    ];
    (shape, filter, order).prop_map(|(shape, filter, order)| {
        let qualified = if filter.contains("SELECT") || filter.is_empty() {
            String::new()
        } else {
            let mut text = filter.clone();
            for column in ["a", "b", "c", "d"] {
                for before in [" ", "("] {
                    for after in [" ", ")"] {
                        text = text.replace(
                            &format!("{before}{column}{after}"),
                            &format!("{before}t.{column}{after}"),
                        );
                    }
                }
            }
            text
        };
        shape
            .replace("{w2}", &qualified)
            .replace("{w}", &filter)
            .replace("{o}", order)
    })
}

fn without_row(table: &Table, row: usize) -> Table {
    let mut fewer = table.clone();
    fewer.rows.remove(row);
    fewer
}

/// The rows with numbers in one spelling, so that a real column that became whole compares equal.
fn rows(execution: &Execution) -> Vec<Vec<Cell>> {
    same_spelling(execution.table.rows.clone())
}

fn same_spelling(mut rows: Vec<Vec<Cell>>) -> Vec<Vec<Cell>> {
    for cell in rows.iter_mut().flatten().flatten() {
        if let Some(whole) = cell.strip_suffix(".0") {
            *cell = whole.to_owned();
        }
    }
    rows
}

/// The same cases each time; `PROPTEST_CASES` and `PROPTEST_RNG_SEED` ask for others.
fn configuration() -> ProptestConfig {
    let mut configuration = ProptestConfig {
        failure_persistence: None,
        max_global_rejects: 10_000,
        ..ProptestConfig::default()
    };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        configuration.cases = 200;
    }
    if std::env::var_os("PROPTEST_RNG_SEED").is_none() {
        configuration.rng_seed = proptest::test_runner::RngSeed::Fixed(20_250);
    }
    configuration
}

proptest! {
    #![proptest_config(configuration())]

    #[test]
    fn lineage_is_sound_by_brute_force(table in tables(), statement in statements()) {
        let recorded = plain(&table, &statement);
        let own = RowSources::each_from_itself(table.rows.len());
        let engine = Engine::default();
        let found = engine.run(&table, &own, &statement);
        let execution = match (recorded, found) {
            (Ok(recorded), Ok(execution)) => {
                prop_assert_eq!(rows(&execution), same_spelling(recorded), "{}", &statement);
                execution
            }
            (recorded, found) => {
                prop_assert!(recorded.is_err() && found.is_err(), "{}: {:?} {:?}", &statement, recorded, found);
                return Ok(());
            }
        };
        let lineage = &execution.lineage;
        prop_assert_eq!(&lineage.exactness, &Exactness::Exact, "{}", &statement);
        prop_assert!(lineage.has_marks());
        prop_assert_eq!(lineage.sources.len(), execution.table.rows.len());
        if !statement.contains("rowid") {
            let refuted = deletions::refuted_by_deletion(&table, &statement, &execution);
            prop_assert_eq!(refuted, None, "{}: rows are not marked, yet matter", &statement);
        }
        for row in 0..table.rows.len() - 1 {
            for column in 0..4 {
                if lineage.rows.contains(&row) || lineage.columns.contains(&column) {
                    continue;
                }
                let mut changed = table.clone();
                changed.rows[row][column] = Some(if column == 0 || column == 2 { "4.5" } else { "changed" }.to_owned());
                if column == 0 {
                    changed.rows[row][column] = Some("9".to_owned());
                }
                let after = engine.run(&changed, &RowSources::default(), &statement).unwrap();
                prop_assert_eq!(rows(&after), rows(&execution), "{}: cell {}.{} is not marked, yet matters", &statement, row, column);
            }
        }
    }

    #[test]
    fn every_kept_row_of_a_filter_is_needed(table in tables(), condition in combined(row_conditions())) {
        let statement = format!("SELECT * FROM table_sql AS t WHERE {condition}");
        let execution = run(&table, &statement);
        let by_case: BTreeMap<usize, Vec<usize>> =
            (0..execution.lineage.sources.len()).map(|row| (row, execution.lineage.sources.of(row))).collect();
        for (position, source) in by_case {
            prop_assert_eq!(source.len(), 1);
            let back = same_spelling(vec![table.rows[source[0]].clone()]);
            let kept = same_spelling(vec![execution.table.rows[position].clone()]);
            for (found, expected) in kept[0].iter().zip(&back[0]) {
                prop_assert_eq!(found.as_deref().unwrap_or_default(), expected.as_deref().unwrap_or_default());
            }
        }
        for row in &execution.lineage.rows {
            if *row + 1 < table.rows.len() {
                let fewer = run(&without_row(&table, *row), &statement);
                prop_assert_ne!(fewer.table.rows.len(), execution.table.rows.len());
            }
        }
    }
}
