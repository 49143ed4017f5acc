//! How long a step with lineage takes against its bare query: the same statement by SQLite alone, on the same rows.
//!
//! ```text
//! cargo run --release --example bench_lineage
//! cargo run --release --example bench_lineage -- --rows 1000000 --repeats 5
//! ```
//!
//! Each figure is the median of the repeats, taken in turn. `whole` sets a step from the table to its result and lineage
//! against loading the same rows into SQLite and querying them; `query` leaves the loading out of both.

use std::time::{Duration, Instant};

use anyhow::ensure;
use clap::Parser;
use rusqlite::Connection;
use rusqlite::types::Value as SqlValue;
use tabjury::engine::Engine;
use tabjury::table::Table;
use tabjury::trace::RowSources;

/// Measures steps with lineage against bare queries.
#[derive(Parser)]
struct Arguments {
    /// Rows of the table; may be given several times.
    #[arg(long, default_values_t = [1_000, 100_000, 1_000_000])]
    rows: Vec<usize>,
    /// Repeats of each measurement.
    #[arg(long, default_value_t = 3)]
    repeats: usize,
}

const STATEMENTS: &[(&str, &str)] = &[
    ("keep all", "SELECT * FROM table_sql"),
    (
        "filter",
        "SELECT * FROM table_sql WHERE region = 'North' AND units > 40",
    ),
    ("narrow filter", "SELECT rep, units FROM table_sql WHERE code = 'c77'"),
    ("count", "SELECT COUNT(*) FROM table_sql WHERE region = 'North'"),
    ("largest", "SELECT rep, MAX(price) FROM table_sql"),
    (
        "group",
        "SELECT rep, SUM(units) AS total FROM table_sql GROUP BY rep ORDER BY total DESC",
    ),
    ("distinct", "SELECT DISTINCT region, rep FROM table_sql"),
    (
        "order, limit",
        "SELECT * FROM table_sql ORDER BY price DESC, code LIMIT 10",
    ),
    ("compute", "SELECT *, units * price AS revenue FROM table_sql"),
    (
        "verdict",
        "SELECT CASE WHEN (SELECT COUNT(*) FROM table_sql WHERE units = 3) > 5 THEN 'TRUE' ELSE 'FALSE' END",
    ),
];

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    println!(
        "{:<14} {:>9} {:>11} {:>11} {:>7} {:>11} {:>11} {:>7}",
        "statement", "rows", "bare whole", "step whole", "ratio", "bare query", "step query", "ratio"
    );
    for &rows in &arguments.rows {
        let table = table(rows)?;
        let origins = RowSources::each_from_itself(rows);
        for (name, statement) in STATEMENTS {
            measure(name, statement, &table, &origins, arguments.repeats)?;
        }
    }
    Ok(())
}

fn measure(name: &str, statement: &str, table: &Table, origins: &RowSources, repeats: usize) -> anyhow::Result<()> {
    let engine = Engine::default();
    let (mut loads, mut queries, mut steps, mut empty_steps) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..repeats.max(1) {
        let begun = Instant::now();
        let connection = loaded(table)?;
        let load = begun.elapsed();
        let begun = Instant::now();
        let bare = query(&connection, statement)?;
        queries.push(begun.elapsed());
        // A step frees its database too.
        let begun = Instant::now();
        drop(connection);
        loads.push(load + begun.elapsed());
        let begun = Instant::now();
        let execution = engine.run(table, origins, statement)?;
        steps.push(begun.elapsed());
        ensure!(
            execution.lineage.is_exact(),
            "{name}: {:?}",
            execution.lineage.exactness
        );
        ensure!(execution.table.rows.len() == bare.len(), "{name}: another result");
        drop(execution);
        let begun = Instant::now();
        engine.run(table, origins, "SELECT 1")?;
        empty_steps.push(begun.elapsed());
    }
    let [load, bare, step, empty] = [loads, queries, steps, empty_steps].map(median);
    let without_load = step.saturating_sub(empty);
    println!(
        "{name:<14} {:>9} {:>8.1} ms {:>8.1} ms {:>7.2} {:>8.1} ms {:>8.1} ms {:>7.2}",
        table.rows.len(),
        milliseconds(load + bare),
        milliseconds(step),
        step.as_secs_f64() / (load + bare).as_secs_f64(),
        milliseconds(bare),
        milliseconds(without_load),
        without_load.as_secs_f64() / bare.as_secs_f64(),
    );
    Ok(())
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Rows that repeat with different periods, so that groups, duplicates and ties are of every size.
fn table(rows: usize) -> anyhow::Result<Table> {
    let regions = ["North", "South", "East", "West", "Centre"];
    let cells = (0..rows).map(|row| {
        vec![
            regions[row % regions.len()].to_owned(),
            format!("Rep {}", row * 7 % 101),
            (row * 13 % 89).to_string(),
            format!("{}.5", row * 31 % 997),
            format!("c{}", row % 5_003),
        ]
    });
    Ok(Table::from_text(["Region", "Rep", "Units", "Price", "Code"], cells)?)
}

/// The same rows in a database of their own, by one prepared statement in one transaction.
fn loaded(table: &Table) -> anyhow::Result<Connection> {
    let mut connection = Connection::open_in_memory()?;
    connection.execute_batch("CREATE TABLE table_sql (region TEXT, rep TEXT, units INTEGER, price REAL, code TEXT)")?;
    let transaction = connection.transaction()?;
    {
        let mut insert = transaction.prepare("INSERT INTO table_sql VALUES (?, ?, ?, ?, ?)")?;
        for row in &table.rows {
            insert.execute(rusqlite::params_from_iter(row))?;
        }
    }
    transaction.commit()?;
    Ok(connection)
}

fn query(connection: &Connection, statement: &str) -> anyhow::Result<Vec<Vec<SqlValue>>> {
    let mut prepared = connection.prepare(statement)?;
    let width = prepared.column_count();
    let rows = prepared.query_map([], |row| (0..width).map(|index| row.get(index)).collect())?;
    Ok(rows.collect::<Result<_, _>>()?)
}
