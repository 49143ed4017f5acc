//! The script of a program listing, really run: it gives the tables that the trace has.

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use scraper::Html;
use serde_json::json;
use tabjury::dataset::{Answer, Sample};
use tabjury::engine::Engine;
use tabjury::explain::{AnswerVisibility, Format, render};
use tabjury::table::{Cell, Table};
use tabjury::trace::{AnswerSource, Program, Trace, TraceBuilder};

use crate::{all_made_up, select, text, traces};

/// The script on the page, as a reader copies it.
pub(crate) fn on_page(sample: &Sample, trace: &Trace, visibility: AnswerVisibility) -> Option<String> {
    let page = render(sample, trace, Format::ProgramListing, visibility);
    let document = Html::parse_document(&page.html);
    select(&document, "pre.script").first().map(|script| text(*script))
}

fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(format!("{number:?}")),
        ValueRef::Text(text) | ValueRef::Blob(text) => Some(String::from_utf8(text.to_vec()).unwrap()),
    }
}

fn same_cell(one: &Cell, other: &Cell) -> bool {
    let number = |cell: &Cell| cell.as_ref().and_then(|text| text.parse::<f64>().ok());
    one == other || number(one).zip(number(other)).is_some_and(|(one, other)| one == other)
}

/// Runs a script in a database of its own; the rows of a step's table.
pub(crate) fn rows_after(script: &str, step: usize) -> Vec<Vec<Cell>> {
    let database = Connection::open_in_memory().unwrap();
    // As in SQLite's shell, a name that is none is no text.
    for setting in [DbConfig::SQLITE_DBCONFIG_DQS_DML, DbConfig::SQLITE_DBCONFIG_DQS_DDL] {
        database.set_db_config(setting, false).unwrap();
    }
    database.execute_batch(script).unwrap();
    let mut statement = database.prepare(&format!("SELECT * FROM table_sql_{step}")).unwrap();
    let width = statement.column_count();
    let rows = statement
        .query_map([], |row| {
            Ok((0..width).map(|index| cell(row.get_ref_unwrap(index))).collect())
        })
        .unwrap();
    rows.map(Result::unwrap).collect()
}

/// Every step's table as the script makes it is the trace's.
pub(crate) fn assert_same_tables(script: &str, trace: &Trace) {
    for (index, step) in trace.steps.iter().enumerate() {
        let Some(output) = step.output else { continue };
        let expected: &Table = &trace.tables[output];
        let rows = rows_after(script, index + 1);
        assert_eq!(rows.len(), expected.rows.len(), "{script}");
        for (row, expected) in rows.iter().zip(&expected.rows) {
            assert!(
                row.len() == expected.len() && row.iter().zip(expected).all(|(one, other)| same_cell(one, other)),
                "step {}: {row:?} is not {expected:?}\n{script}",
                index + 1
            );
        }
    }
}

#[test]
fn the_script_gives_the_tables_of_the_trace() {
    let mut scripts = 0;
    for (name, (sample, trace)) in all_made_up() {
        let script = on_page(&sample, &trace, AnswerVisibility::Shown);
        match name {
            // Its programs are no SQL, and hold characters that a page cannot show.
            "hostile" => assert_eq!(script, None),
            "own_words" => assert_eq!(script, None),
            _ => {
                scripts += 1;
                assert_same_tables(&script.unwrap(), &trace);
            }
        }
    }
    assert_eq!(scripts, 4);
}

/// Tables between steps are typed by their cells, and steps may go back to an earlier table.
#[test]
fn tables_between_steps_are_typed_anew() {
    let (mut sample, mut trace) = traces::ferries();
    sample.table = traces::table(
        &["To par", "n", "note"],
        &[
            &["a 7", "10", "it's"],
            &["b 30", "", "line\nbreak"],
            &["c 100", "9", "bell\u{7}"],
        ],
    );
    let parts = traces::table(&["part", "n"], &[&["7", "10.0"], &["30", ""], &["100", "9.0"]]);
    let mut parts = parts;
    parts.rows[1][1] = None;
    let keep_all = traces::kept(&[0, 1, 2], &[], &[], &[0, 1, 2]);
    trace.tables = vec![
        sample.table.clone(),
        parts,
        // As numbers, 100 comes last; as texts it would come first.
        traces::table(&["part"], &[&["7"], &["30"], &["100"]]),
        traces::table(&["note"], &[&["it's"]]),
        traces::table(&["m"], &[&["100"]]),
    ];
    trace.steps = vec![
        traces::step(
            "Cut.",
            "SELECT SUBSTR(\"To par\", 3) AS part, n FROM table_sql;",
            0,
            1,
            keep_all.clone(),
        ),
        traces::step(
            "Sort.",
            "SELECT part FROM table_sql ORDER BY part -- as numbers",
            1,
            2,
            keep_all.clone(),
        ),
        traces::step(
            "Back.",
            "SELECT note FROM table_sql WHERE n = 10",
            0,
            3,
            keep_all.clone(),
        ),
        traces::step(
            "On.",
            "WITH t AS (SELECT MAX(part) AS m FROM table_sql) SELECT m FROM t",
            2,
            4,
            keep_all,
        ),
    ];
    trace.steps[0].program.as_mut().unwrap().ran =
        Some("SELECT SUBSTR(\"to_par\", 3) AS part, n FROM table_sql;".to_owned());
    let script = on_page(&sample, &trace, AnswerVisibility::Shown).unwrap();
    assert_same_tables(&script, &trace);
    assert!(script.contains("|| char(7)"), "{script}");
}

/// Names of the file stand in the script as SQLite knows them, and words of SQL that columns are called by stay words of SQL.
#[test]
fn a_script_computes_what_the_engine_did() {
    let columns = ["No", "Unit Price", "Range", "Replace", "True", "code", "rowid"];
    let table = traces::table(
        &columns,
        &[
            &["1", "10", "7", "a", "3", "007", "30"],
            &["2", "20", "8", "b", "4", "A1", "40"],
        ],
    );
    for statements in [
        [
            "SELECT SUM(\"Unit Price\") AS \"Unit Price\" FROM table_sql",
            "SELECT * FROM table_sql",
        ],
        [
            "SELECT code, \"Unit Price\" * 2 AS \"Unit Price\" FROM table_sql",
            "SELECT \"Unit Price\" + 1 FROM table_sql",
        ],
        [
            "SELECT code AS \"No\", t.\"No\" AS b FROM table_sql t ORDER BY t.\"Unit Price\" DESC",
            "SELECT \"No\" FROM table_sql",
        ],
        [
            "SELECT replace(code, 'A', \"Replace\") AS z, true, false FROM table_sql",
            "SELECT z FROM table_sql",
        ],
        [
            "SELECT code, SUM(\"Range\") OVER (ORDER BY code RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS s FROM table_sql",
            "SELECT s FROM table_sql",
        ],
        [
            "SELECT \"No\" AS label FROM table_sql UNION ALL SELECT code FROM table_sql",
            "SELECT COUNT(*) AS n FROM table_sql WHERE label = '007'",
        ],
        [
            "SELECT a.rowid, b.code FROM table_sql a JOIN table_sql b ON a.rowid < b.rowid",
            "WITH c AS (SELECT code FROM table_sql) SELECT * FROM c",
        ],
    ] {
        let mut sample = traces::ferries().0;
        sample.table = table.clone();
        let mut builder = TraceBuilder::new(&sample, "by hand", "by hand", "none", json!({}));
        for statement in statements {
            builder.open_step(Some("Go on.".to_owned()));
            let done = Engine::default()
                .run(builder.table(), builder.origins(), statement)
                .unwrap();
            builder.complete_step(Program::sql(statement, done.ran), done.table, done.lineage);
        }
        let answer = Answer::Values(vec!["none of these".to_owned()]);
        let trace = builder.finish(Ok((answer, AnswerSource::Program)));
        let script = on_page(&sample, &trace, AnswerVisibility::Shown).unwrap();
        assert_same_tables(&script, &trace);
    }
}

#[test]
fn a_script_that_withholds_says_no_more_than_its_page() {
    let (sample, trace) = traces::ferries();
    let script = on_page(&sample, &trace, AnswerVisibility::Withheld).unwrap();
    assert_eq!(script.matches("Corvin").count(), 1, "in the first table alone");
    let (sample, mut trace) = traces::ferries();
    trace.steps[0].program.as_mut().unwrap().text = "SELECT 'Corvin' FROM table_sql".to_owned();
    assert_eq!(on_page(&sample, &trace, AnswerVisibility::Withheld), None);
    let page = render(&sample, &trace, Format::ProgramListing, AnswerVisibility::Withheld);
    assert!(
        page.html
            .contains("Part of a program is withheld, so there is no script.")
    );
}

#[test]
fn a_large_table_is_left_out_of_the_script() {
    let (sample, trace) = traces::long(20_000);
    let script = on_page(&sample, &trace, AnswerVisibility::Shown).unwrap();
    assert!(script.len() < 2_000);
    assert!(script.starts_with("-- Runs beside table.csv") && !script.contains("Runs by itself"));
    let html = render(&sample, &trace, Format::ProgramListing, AnswerVisibility::Shown).html;
    assert!(
        html.contains("A script that runs beside the file of the table") && html.contains("<code>table.csv</code>")
    );
    assert!(!html.contains("runs by itself"));
    assert!(script.contains("20000 rows are too much for this page"));
    assert!(script.contains(".import --csv --skip 1 table.csv table_sql"));
    assert!(!script.contains("9e999"));
}

/// What SQLite's shell leaves as a text in a column of numbers is made a number, as the engine has it.
#[test]
fn what_a_shell_loads_is_typed_as_the_engine_types_it() {
    let (mut sample, mut trace) = traces::long(20_000);
    sample.table.columns.truncate(1);
    sample.table.rows.iter_mut().for_each(|row| row.truncate(1));
    for (row, cell) in ["-inf", "", "Infinity", "7"].into_iter().enumerate() {
        sample.table.rows[row] = vec![Some(cell.to_owned())];
    }
    for row in &mut sample.table.rows[4..] {
        row[0] = Some("1234567.5".to_owned());
    }
    trace.tables[0] = sample.table.clone();
    let script = on_page(&sample, &trace, AnswerVisibility::Shown).unwrap();
    let database = Connection::open_in_memory().unwrap();
    let column = &sample.table.columns[0].sql;
    let loaded = format!(
        "CREATE TABLE table_sql (\"{column}\" REAL); INSERT INTO table_sql VALUES ('-inf'), (''), ('Infinity'), ('7');"
    );
    database.execute_batch(&loaded).unwrap();
    let updates: Vec<&str> = script.lines().filter(|line| line.starts_with("UPDATE")).collect();
    database.execute_batch(&updates.join("\n")).unwrap();
    let mut statement = database.prepare("SELECT * FROM table_sql").unwrap();
    let values = statement.query_map([], |row| row.get::<_, Option<f64>>(0)).unwrap();
    let values: Vec<Option<f64>> = values.map(Result::unwrap).collect();
    assert_eq!(values, [Some(f64::NEG_INFINITY), None, Some(f64::INFINITY), Some(7.0)]);
}
