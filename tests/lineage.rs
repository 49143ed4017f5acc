//! Lineage: what is marked for statements of every kind, and that it is right by brute force: rows and cells outside the
//! marks are deleted and changed, and the result must stay; the result itself is compared with plain SQLite.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "lineage/brute_force.rs"]
mod brute_force;
#[path = "proof/deletions.rs"]
mod deletions;

use tabjury::engine::proof::{ProofSettings, ProvenStep, prove_step};
use tabjury::engine::{Engine, Execution};
use tabjury::table::Table;
use tabjury::trace::lineage::{Exactness, Reading, RowRole};
use tabjury::trace::proof::Soundness;
use tabjury::trace::{Lineage, RowSources};

fn table(header: &[&str], rows: &[&[&str]]) -> Table {
    let rows = rows
        .iter()
        .map(|row| row.iter().map(|cell| (*cell).to_owned()).collect::<Vec<String>>());
    Table::from_text(header.iter().copied(), rows).unwrap()
}

/// Rows 0 to 7.
fn deals() -> Table {
    table(
        &["Region", "Rep", "Units", "Price", "Boss"],
        &[
            &["North", "Alice", "10", "15", "Eve"],
            &["South", "Bob", "5", "30", "Eve"],
            &["North", "Carol", "22", "20", "Alice"],
            &["East", "Dan", "7", "9", "Bob"],
            &["North", "Alice", "20", "15", "Eve"],
            &["South", "Eve", "3", "30", ""],
            &["North", "Alice", "10", "15", "Eve"],
            &["West", "Fay", "22", "", "Alice"],
        ],
    )
}

fn run(table: &Table, statement: &str) -> Execution {
    let own = RowSources::each_from_itself(table.rows.len());
    match Engine::default().run(table, &own, statement) {
        Ok(execution) => execution,
        Err(error) => panic!("{statement}: {error}"),
    }
}

/// `rows | deciding | witnesses | columns | condition cells | order columns | sources`, whole rows of the step.
fn summary(lineage: &Lineage) -> String {
    let list = |values: &[usize]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let condition_cells: Vec<String> = lineage
        .condition_cells
        .iter()
        .map(|cell| format!("{}.{}", cell.row, cell.column))
        .collect();
    let sources: Vec<String> = (0..lineage.sources.len())
        .map(|row| list(&lineage.sources.of(row)))
        .collect();
    [
        list(&lineage.rows),
        list(&lineage.deciding_rows),
        list(&lineage.witness_rows),
        list(&lineage.columns),
        condition_cells.join(" "),
        list(&lineage.order_columns),
        sources.join(","),
    ]
    .join("|")
}

/// Whether nothing outside the marks matters, by the proof and by deleting rows.
fn is_proven(table: &Table, statement: &str, execution: &Execution) -> bool {
    let step = ProvenStep {
        id: "deals",
        step: 0,
        input: table,
        statement,
        table: &execution.table,
        lineage: &execution.lineage,
    };
    let proof = prove_step(&Engine::default(), &step, &ProofSettings::default());
    matches!(proof.soundness, Soundness::Sound { .. })
        && (statement.contains("rowid") || deletions::refuted_by_deletion(table, statement, execution).is_none())
}

#[test]
fn marks_of_statements_of_every_kind() {
    // Columns: 0 region, 1 rep, 2 units, 3 price, 4 boss.
    let mut faults = Vec::new();
    for (statement, expected) in [
        (
            "SELECT * FROM table_sql WHERE region = 'North'",
            "0 2 4 6|||0|0.0 2.0 4.0 6.0||0,2,4,6",
        ),
        (
            "SELECT rep FROM table_sql WHERE units > 9 AND price < 18",
            "0 4 6|||1 2 3|0.2 0.3 4.2 4.3 6.2 6.3||0,4,6",
        ),
        (
            "SELECT * FROM table_sql WHERE region = 'East' OR units = 3",
            "3 5|||0 2|3.0 5.2||3,5",
        ),
        (
            "SELECT * FROM table_sql WHERE NOT (region = 'North' OR units < 7)",
            "3 7|||0 2|3.0 3.2 7.0 7.2||3,7",
        ),
        (
            "SELECT * FROM table_sql WHERE rep LIKE 'a%' AND units BETWEEN 15 AND 21",
            "4|||1 2|4.1 4.2||4",
        ),
        (
            "SELECT * FROM table_sql WHERE region IN ('East', 'West')",
            "3 7|||0|3.0 7.0||3,7",
        ),
        ("SELECT rep FROM table_sql WHERE price IS NULL", "7|||1 3|7.3||7"),
        (
            "SELECT rep FROM table_sql WHERE price * units > 400",
            "2|||1 2 3|2.2 2.3||2",
        ),
        (
            "SELECT * FROM table_sql ORDER BY units DESC, rep LIMIT 2",
            "2 7|||1 2||1 2|2,7",
        ),
        ("SELECT * FROM table_sql LIMIT 2", "0 1||||||0,1"),
        ("SELECT * FROM table_sql ORDER BY units LIMIT 1 OFFSET 1", "1|5||2||2|1"),
        (
            "SELECT COUNT(*) FROM table_sql WHERE region = 'South'",
            "1 5|||0|1.0 5.0||1 5",
        ),
        ("SELECT SUM(price) FROM table_sql WHERE units > 20", "2|||2 3|2.2||2"),
        (
            "SELECT COUNT(price) FROM table_sql",
            "0 1 2 3 4 5 6|||3|||0 1 2 3 4 5 6",
        ),
        (
            "SELECT MAX(units) FROM table_sql",
            "0 1 2 3 4 5 6 7||2 7|2|||0 1 2 3 4 5 6 7",
        ),
        (
            "SELECT rep, MIN(units) FROM table_sql WHERE region = 'North'",
            "0 2 4 6||0 6|0 1 2|0.0 2.0 4.0 6.0||0 2 4 6",
        ),
        (
            "SELECT rep, SUM(units) AS total FROM table_sql GROUP BY rep HAVING COUNT(*) > 1 ORDER BY total DESC",
            "0 4 6|||1 2||2|0 4 6",
        ),
        (
            "SELECT region, COUNT(*) FROM table_sql GROUP BY region ORDER BY 2 DESC, 1 LIMIT 2",
            "0 1 2 4 5 6|||0||0|0 2 4 6,1 5",
        ),
        (
            "SELECT DISTINCT rep, units FROM table_sql WHERE region = 'North'",
            "0 2 4 6|||0 1 2|0.0 2.0 4.0 6.0||0 6,2,4",
        ),
        (
            "SELECT DISTINCT * FROM table_sql WHERE rep = 'Alice'",
            "0 4 6|||1|0.1 4.1 6.1||0 6,4",
        ),
        (
            "SELECT CASE WHEN COUNT(*) = 2 THEN 'TRUE' ELSE 'FALSE' END FROM table_sql WHERE region = 'South'",
            "1 5|||0|1.0 5.0||1 5",
        ),
        (
            "SELECT CASE WHEN (SELECT units FROM table_sql WHERE rep = 'Dan') = 7 THEN 'TRUE' ELSE 'FALSE' END",
            "3|||1 2|3.1||3",
        ),
        (
            "SELECT rep FROM table_sql WHERE units = (SELECT MAX(units) FROM table_sql WHERE region = 'North')",
            "2 7|0 4 6||0 1 2|0.0 2.0 2.2 4.0 6.0 7.2||2,7",
        ),
        (
            "SELECT rep FROM table_sql WHERE boss IN (SELECT rep FROM table_sql WHERE region = 'South')",
            "0 1 3 4 6|5||0 1 4|0.4 1.0 1.4 3.4 4.4 5.0 6.4||0,1,3,4,6",
        ),
        (
            "SELECT rep FROM table_sql t WHERE EXISTS (SELECT 1 FROM table_sql u WHERE u.boss = t.rep AND u.units > 20)",
            "0 4 6|2 7||1 2 4|0.1 2.2 2.4 4.1 6.1 7.2 7.4||0,4,6",
        ),
        (
            "SELECT rep, (SELECT COUNT(*) FROM table_sql u WHERE u.boss = t.rep) FROM table_sql t WHERE region = 'South'",
            "0 1 3 4 5 6|||0 1 4|0.4 1.0 1.1 1.4 3.4 4.4 5.0 5.1 6.4||1 3,0 1 4 5 6",
        ),
        (
            "SELECT AVG(n) FROM (SELECT COUNT(*) AS n FROM table_sql WHERE units > 9 GROUP BY region)",
            "0 2 4 6 7|||0 2|0.2 2.2 4.2 6.2 7.2||0 2 4 6 7",
        ),
        (
            "WITH north AS (SELECT * FROM table_sql WHERE region = 'North') SELECT rep FROM north WHERE units > 15",
            "2 4|||0 1 2|2.0 2.2 4.0 4.2||2,4",
        ),
        (
            "WITH c(r, s) AS (SELECT rep, SUM(units) FROM table_sql GROUP BY rep) SELECT r FROM c ORDER BY s DESC LIMIT 1",
            "0 4 6|1 2 3 5 7||1 2||2|0 4 6",
        ),
        (
            "SELECT a.rep, b.rep FROM table_sql a JOIN table_sql b ON a.boss = b.rep WHERE a.region = 'East'",
            "1 3|||0 1 4|1.1 3.0 3.4||1 3",
        ),
        (
            "SELECT a.rep, b.rep FROM table_sql a LEFT JOIN table_sql b ON a.boss = b.rep WHERE a.units < 6",
            "1 5|||1 2 4|1.2 1.4 5.1 5.2||1 5,5",
        ),
        (
            "SELECT rep FROM table_sql WHERE region = 'East' UNION SELECT rep FROM table_sql WHERE units = 10",
            "0 3 6|||0 1 2|0.2 3.0 6.2||0 6,3",
        ),
        (
            "SELECT rep FROM table_sql EXCEPT SELECT boss FROM table_sql",
            "2 3 7|0 1 4 5 6||1 4|||2,3,7",
        ),
        (
            "SELECT COUNT(*) FROM table_sql AS t JOIN table_sql AS u USING (price) WHERE t.units < 6",
            "1 5|||2 3|1.2 5.2||1 5",
        ),
        ("SELECT region FROM table_sql INTERSECT SELECT 'West'", "7|||0|||7"),
        (
            "SELECT rep, RANK() OVER (ORDER BY units DESC) FROM table_sql WHERE region = 'South'",
            "1 5|||0 1 2|1.0 5.0||1,5",
        ),
        (
            "SELECT rep FROM (SELECT rep, ROW_NUMBER() OVER (ORDER BY units) AS n FROM table_sql) WHERE n = 1",
            "5|0 1 2 3 4 6 7||1 2|||5",
        ),
        (
            "SELECT SUM(CASE WHEN region = 'North' THEN 1 ELSE 0 END) FROM table_sql",
            "0 1 2 3 4 5 6 7|||0|0.0 2.0 4.0 6.0||0 1 2 3 4 5 6 7",
        ),
        (
            "SELECT SUM(CASE WHEN units > 20 THEN 0 WHEN price = 15 THEN 1 END) FROM table_sql",
            "0 2 4 6 7|||2 3|0.3 2.2 4.3 6.3 7.2||0 2 4 6 7",
        ),
        (
            "SELECT rep, CASE region WHEN 'North' THEN CASE WHEN units > 20 THEN 'top' END ELSE 'far' END FROM table_sql",
            "0 1 2 3 4 5 6 7|||0 1 2|0.0 2.0 2.2 4.0 6.0||0,1,2,3,4,5,6,7",
        ),
        (
            "SELECT rep FROM table_sql ORDER BY CASE WHEN region = 'West' THEN 0 ELSE 1 END, rep LIMIT 2",
            "0 7|||0 1|7.0|0 1|7,0",
        ),
        (
            "SELECT CASE WHEN units > 20 THEN 'many' END AS k, COUNT(*) FROM table_sql GROUP BY k",
            "0 1 2 3 4 5 6 7|||2|2.2 7.2||0 1 3 4 5 6,2 7",
        ),
        (
            "SELECT rep, units * price AS paid FROM table_sql WHERE paid > 310",
            "2|||1 2 3|2.2 2.3||2",
        ),
        (
            "SELECT region FROM (SELECT region, SUM(units) AS s FROM table_sql GROUP BY region ORDER BY s DESC) LIMIT 1",
            "0 2 4 6|1 3 5 7||0 2||2|0 2 4 6",
        ),
        (
            "SELECT region FROM (SELECT region, COUNT(*) AS n FROM table_sql GROUP BY region ORDER BY n DESC) LIMIT 1",
            "0 2 4 6|||0|||0 2 4 6",
        ),
        (
            "SELECT DISTINCT region FROM table_sql ORDER BY units LIMIT 1",
            "1 5|0 2 3 4 6 7||0 2||2|1 5",
        ),
        (
            "SELECT region, COUNT(*) FROM table_sql GROUP BY region EXCEPT SELECT 'South', 2",
            "0 2 3 4 6 7|1 5||0|||3,0 2 4 6,7",
        ),
        (
            "SELECT COUNT(*) FILTER (WHERE region = 'East') FROM table_sql",
            "3|||0|3.0||3",
        ),
        (
            "SELECT COUNT(DISTINCT region) FROM table_sql WHERE units < 6",
            "1 5|||0 2|1.2 5.2||1 5",
        ),
        (
            "SELECT Rep AS region FROM table_sql ORDER BY region LIMIT 1",
            "0|||1||1|0",
        ),
        ("SELECT \"Units\" FROM table_sql WHERE rowid = 3", "2|||2|||2"),
        (
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 3) SELECT x, rep FROM n JOIN table_sql t ON t.units = n.x",
            "5|||1 2|5.2||5",
        ),
    ] {
        let execution = run(&deals(), statement);
        assert_eq!(execution.lineage.exactness, Exactness::Exact, "{statement}");
        if !is_proven(&deals(), statement, &execution) {
            faults.push(format!("{statement}\n  is not sound"));
        }
        let found = summary(&execution.lineage);
        if found != expected {
            faults.push(format!("{statement}\n  found    {found}\n  expected {expected}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn carried_columns_and_witness_cells() {
    for (statement, carried, witnesses) in [
        ("SELECT * FROM table_sql", "0 1 2 3 4", ""),
        ("SELECT (rep) AS who, units + 0, +price FROM table_sql", "1 - -", ""),
        (
            "SELECT rep, MIN(units) FROM table_sql WHERE region = 'North'",
            "1 -",
            "0.2 6.2",
        ),
        (
            "SELECT region, MAX(units * price) FROM table_sql GROUP BY region",
            "0 -",
            "1.2 1.3 2.2 2.3 3.2 3.3",
        ),
        (
            "SELECT MAX(n) FROM (SELECT units AS n FROM table_sql WHERE price = 30)",
            "-",
            "1.2",
        ),
        ("SELECT MAX(n) FROM (SELECT units + 1 AS n FROM table_sql)", "-", ""),
        ("SELECT boss FROM table_sql ORDER BY units LIMIT 1", "4", ""),
        ("SELECT (SELECT rep FROM table_sql WHERE units = 3)", "1", ""),
        ("SELECT rep FROM table_sql UNION SELECT boss FROM table_sql", "-", ""),
        (
            "SELECT rep, boss FROM table_sql UNION SELECT rep, region FROM table_sql",
            "1 -",
            "",
        ),
        (
            "SELECT who FROM (SELECT rep AS who FROM table_sql UNION ALL SELECT boss FROM table_sql)",
            "-",
            "",
        ),
        (
            "SELECT * FROM table_sql JOIN table_sql AS u USING (rep)",
            "0 1 2 3 4 0 2 3 4",
            "",
        ),
        (
            "WITH c(r, s) AS (SELECT rep, SUM(units) FROM table_sql GROUP BY 1) SELECT s, r FROM c",
            "- 1",
            "",
        ),
    ] {
        let lineage = run(&deals(), statement).lineage;
        let shown: Vec<String> = lineage
            .carried_columns
            .iter()
            .map(|column| column.map_or_else(|| "-".to_owned(), |column| column.to_string()))
            .collect();
        assert_eq!(shown.join(" "), carried, "{statement}");
        let cells: Vec<String> = lineage
            .witness_cells
            .iter()
            .map(|cell| format!("{}.{}", cell.row, cell.column))
            .collect();
        assert_eq!(cells.join(" "), witnesses, "{statement}");
        let produced: Vec<usize> = (0..shown.len()).filter(|index| shown[*index] == "-").collect();
        assert_eq!(lineage.produced_columns, produced, "{statement}");
    }
}

#[test]
fn conditions_on_a_compound_mark_only_what_it_carries() {
    let statement = "SELECT who FROM (SELECT rep AS who FROM table_sql UNION ALL SELECT boss FROM table_sql) \
                     WHERE who = 'Bob'";
    let lineage = run(&deals(), statement).lineage;
    assert_eq!(lineage.rows, [1, 3]);
    // Row 3 has its Bob in the column of bosses, which the column of the compound does not always carry.
    assert_eq!(lineage.condition_cells, []);
}

#[test]
fn no_match_says_what_was_examined() {
    let all: Vec<usize> = (0..8).collect();
    for statement in [
        "SELECT * FROM table_sql WHERE region = 'Centre'",
        "SELECT COUNT(*) FROM table_sql WHERE region = 'Centre'",
        "SELECT CASE WHEN (SELECT units FROM table_sql WHERE rep = 'Zed') = 7 THEN 'TRUE' ELSE 'FALSE' END",
        "SELECT * FROM table_sql LIMIT 0",
    ] {
        let lineage = run(&deals(), statement).lineage;
        assert_eq!(
            (lineage.rows.as_slice(), &lineage.examined_rows),
            (&[][..], &all),
            "{statement}"
        );
        assert!(lineage.is_exact() && lineage.has_marks());
    }
    let nothing = run(&deals(), "SELECT 1 + 1").lineage;
    assert_eq!(nothing.reading, Reading::NoTable);
    assert!(nothing.is_exact() && !nothing.has_marks());
}

#[test]
fn what_is_not_traced_is_said_and_marks_everything() {
    let all: Vec<usize> = (0..8).collect();
    for (statement, reason) in [
        (
            "SELECT rep FROM table_sql WHERE price ISNULL",
            "the parser does not know its syntax",
        ),
        (
            "SELECT region, RANK() OVER (ORDER BY COUNT(*)) FROM table_sql GROUP BY region",
            "a window over groups is not traced",
        ),
        (
            "WITH RECURSIVE c(r) AS (SELECT 'Eve' UNION SELECT rep FROM table_sql JOIN c ON boss = r) SELECT r FROM c",
            "a recursive common table expression over the table is not traced",
        ),
        (
            "SELECT MAX(rep COLLATE NOCASE) FROM table_sql",
            "a MIN or MAX by another collation is not traced",
        ),
        (
            "SELECT DISTINCT rep COLLATE NOCASE FROM table_sql",
            "rows told apart by another collation are not traced",
        ),
        (
            "SELECT MAX(r) FROM (SELECT rep COLLATE NOCASE AS r FROM table_sql)",
            "a collation that a subquery hands on is not traced",
        ),
        (
            "SELECT rep FROM table_sql t WHERE units = (SELECT MAX(units) FROM (SELECT * FROM table_sql WHERE region = t.region))",
            "a subquery that depends on what stands outside it is not traced",
        ),
        (
            "WITH a AS (SELECT * FROM b), b AS (SELECT * FROM table_sql) SELECT * FROM a",
            "a subquery that depends on what stands outside it is not traced",
        ),
        (
            "SELECT rep FROM table_sql t WHERE units = (SELECT u.units FROM table_sql u WHERE u.region = t.region LIMIT 1 OFFSET 1)",
            "a subquery with OFFSET that depends on the row is not traced",
        ),
        (
            "SELECT t.rep FROM table_sql t LEFT JOIN table_sql u ON u.units = (SELECT MAX(v.units) FROM table_sql v WHERE v.rep = t.boss)",
            "a subquery in the ON of such a join that depends on the row is not traced",
        ),
        (
            "SELECT value FROM table_sql, json_each('[1]')",
            "the table function json_each is not traced",
        ),
    ] {
        let lineage = run(&deals(), statement).lineage;
        let Exactness::AtLeast { reason: found } = &lineage.exactness else {
            panic!("{statement} is traced")
        };
        assert!(found.starts_with(reason), "{statement}: {found}");
        assert_eq!(lineage.rows, all);
    }
}

#[test]
fn origins_go_back_to_the_first_table() {
    let first = deals();
    let own = RowSources::each_from_itself(8);
    let engine = Engine::default();
    let north = engine
        .run(&first, &own, "SELECT * FROM table_sql WHERE region = 'North'")
        .unwrap();
    assert_eq!(north.lineage.origins.rows, [[0], [2], [4], [6]]);
    assert_eq!(north.lineage.row_role, RowRole::Kept);
    let totals = engine
        .run(
            &north.table,
            &north.lineage.origins,
            "SELECT rep, SUM(units) AS total FROM table_sql GROUP BY rep",
        )
        .unwrap();
    assert_eq!(totals.lineage.sources.rows, [vec![0, 2, 3], vec![1]]);
    assert_eq!(totals.lineage.origins.rows, [vec![0, 4, 6], vec![2]]);
    assert_eq!(totals.lineage.row_role, RowRole::Member);
    let best = engine
        .run(
            &totals.table,
            &totals.lineage.origins,
            "SELECT rep FROM table_sql ORDER BY total DESC LIMIT 1",
        )
        .unwrap();
    assert_eq!(best.lineage.origins.rows, [[0, 4, 6]]);
    assert_eq!(best.table.columns[0].original, "Rep");
}

/// A common table expression may take the table's name; then the table is not read.
#[test]
fn a_hidden_table_is_not_read() {
    let one = run(&deals(), "WITH table_sql AS (SELECT 1 AS k) SELECT k FROM table_sql");
    assert_eq!(one.lineage.reading, Reading::NoTable);
    assert!(one.lineage.examined_rows.is_empty());
}

/// A share of a total: every row comes from all rows, which are listed once and not for each.
#[test]
fn what_every_row_comes_from_is_listed_once() {
    let count = 3_000;
    let cells = (0..count).map(|row| vec![format!("rep {}", row % 7), (row % 50).to_string()]);
    let table = Table::from_text(["Rep", "Units"], cells).unwrap();
    let statements = [
        "SELECT rep, units * 100.0 / (SELECT SUM(units) FROM table_sql) AS share FROM table_sql",
        "SELECT t.rep, units * 100.0 / s AS share FROM table_sql t, (SELECT SUM(units) AS s FROM table_sql)",
        "WITH g AS (SELECT rep, SUM(units) AS s FROM table_sql GROUP BY rep) \
         SELECT table_sql.rep, units * 100.0 / s AS share FROM table_sql JOIN g ON g.rep = table_sql.rep",
    ];
    for statement in statements {
        let shares = run(&table, statement);
        let lineage = &shares.lineage;
        assert!(lineage.is_exact(), "{statement}: {:?}", lineage.exactness);
        assert_eq!(lineage.rows.len(), count);
        assert_eq!(lineage.sources.own(12), [12]);
        let expected = if statement.starts_with("WITH") {
            (0..count).filter(|row| row % 7 == 5).collect()
        } else {
            (0..count).collect::<Vec<_>>()
        };
        assert_eq!(lineage.sources.of(12), expected, "{statement}");
        let listed: usize = lineage
            .sources
            .rows
            .iter()
            .chain(&lineage.sources.groups)
            .map(Vec::len)
            .sum();
        assert!(listed <= 3 * count, "{statement}: {listed} entries");

        let largest = Engine::default()
            .run(
                &shares.table,
                &lineage.origins,
                "SELECT rep, share FROM table_sql WHERE rep = 'rep 5' ORDER BY share DESC LIMIT 3",
            )
            .unwrap();
        let origins = &largest.lineage.origins;
        assert!(origins.nearest(0)[0] % 7 == 5 && origins.nearest(0).len() == 1);
        assert_eq!(origins.of(0), expected, "{statement}");
    }
}
