//! Marks that a tracer made wrong once: the engine does not make them any more, and the proof finds them where they are made
//! by hand.

use super::*;

/// Columns 0 k, 1 g, 2 h, 3 x, 4 y; rows 0 to 7.
fn grades() -> Table {
    let rows = [
        ["1", "a", "p", "2", ""],
        ["2", "c", "p", "2", "3"],
        ["3", "b", "q", "2", "-1"],
        ["4", "a", "", "5", "3"],
        ["5", "b", "", "1", "-1"],
        ["6", "c", "q", "2", ""],
        ["7", "b", "q", "7", "4"],
        ["8", "c", "p", "1", "4"],
    ];
    Table::from_text(
        ["k", "g", "h", "x", "y"],
        rows.map(|row| row.map(str::to_owned).to_vec()),
    )
    .unwrap()
}

fn positions(cells: &[CellPosition]) -> Vec<(usize, usize)> {
    cells.iter().map(|cell| (cell.row, cell.column)).collect()
}

/// The engine's marks are these and pass, and with another beside them that one is found.
fn assert_conditions(statement: &str, right: &[(usize, usize)], wrong: (usize, usize)) {
    let lineage = run(&grades(), statement).lineage;
    assert_eq!(positions(&lineage.condition_cells), right, "{statement}");
    let proof = marked(&grades(), statement, |_| {});
    assert!(
        matches!(proof.soundness, Soundness::Sound { .. }),
        "{statement}: {proof:?}"
    );
    assert_eq!(incomplete(&proof), [], "{statement}");
    let proof = marked(&grades(), statement, |lineage| {
        lineage.condition_cells.extend(cells(&[wrong]));
        lineage.condition_cells.sort_unstable();
    });
    assert_eq!(incomplete(&proof), [wrong], "{statement}: {:?}", proof.completeness);
}

#[test]
fn a_witness_is_what_the_argument_is_made_of() {
    for (statement, right, wrong) in [
        // Where y is given, x is not looked at; where it is not, y gives nothing.
        (
            "SELECT g, max(coalesce(y, x)) FROM table_sql GROUP BY g",
            vec![(3, 4), (6, 4), (7, 4)],
            (6, 3),
        ),
        ("SELECT min(ifnull(y, k)) FROM table_sql", vec![(2, 4), (4, 4)], (2, 0)),
        (
            "SELECT min(ifnull(y, k)) FROM table_sql WHERE k = 6",
            vec![(5, 0)],
            (5, 4),
        ),
        // The condition of a branch is no part of the value.
        (
            "SELECT max(CASE WHEN h = 'p' THEN x ELSE k END) FROM table_sql",
            vec![(6, 0)],
            (6, 3),
        ),
        (
            "SELECT max(CASE WHEN h = 'p' THEN x ELSE k END) FROM table_sql",
            vec![(6, 0)],
            (6, 2),
        ),
        ("SELECT max(iif(h = 'p', x, k)) FROM table_sql", vec![(6, 0)], (6, 3)),
        (
            "SELECT max(iif(h = 'p', k, x) + y) FROM table_sql",
            vec![(7, 0), (7, 4)],
            (7, 3),
        ),
    ] {
        let lineage = run(&grades(), statement).lineage;
        assert_eq!(positions(&lineage.witness_cells), right, "{statement}");
        let proof = marked(&grades(), statement, |_| {});
        assert!(
            matches!(proof.soundness, Soundness::Sound { .. }),
            "{statement}: {proof:?}"
        );
        assert_eq!(incomplete(&proof), [], "{statement}");
        let proof = marked(&grades(), statement, |lineage| {
            lineage.witness_cells.extend(cells(&[wrong]));
            lineage.witness_cells.sort_unstable();
        });
        assert_eq!(incomplete(&proof), [wrong], "{statement}: {:?}", proof.completeness);
    }
}

#[test]
fn having_reads_a_column_of_the_row_that_the_group_takes() {
    for (statement, right, wrong) in [
        (
            "SELECT g, y FROM table_sql GROUP BY g HAVING y > 2",
            vec![(1, 4)],
            (7, 4),
        ),
        (
            "SELECT g, max(x), y FROM table_sql GROUP BY g HAVING y > 2",
            vec![(1, 4), (3, 4), (6, 4)],
            (7, 4),
        ),
        (
            "SELECT g FROM table_sql GROUP BY g HAVING count(*) > 2 AND (x > 6 OR y > 2)",
            vec![(1, 4)],
            (7, 4),
        ),
        // The key of a group is every row's.
        (
            "SELECT g FROM table_sql GROUP BY g HAVING g = 'a'",
            vec![(0, 1), (3, 1)],
            (3, 4),
        ),
        (
            "SELECT k % 2 FROM table_sql WHERE g = 'a' GROUP BY k % 2 HAVING k % 2 = 1",
            vec![(0, 0), (0, 1)],
            (0, 3),
        ),
    ] {
        assert_conditions(statement, &right, wrong);
    }
}

#[test]
fn in_an_empty_list_nothing_is_whatever_stands_around_it() {
    let empty = "(SELECT x FROM table_sql WHERE k > 99)";
    for condition in [
        format!("(x NOT IN {empty}) IS TRUE"),
        format!("(x NOT IN {empty}) = 1"),
        format!("iif(x NOT IN {empty}, 1, 0)"),
        format!("CASE WHEN x NOT IN {empty} THEN 1 END IS NOT NULL"),
        format!("(x IN {empty}) IS FALSE"),
        format!("(x IN {empty}) IS NOT TRUE"),
        format!("(x IN {empty}) = 0"),
        "(x NOT IN ()) IS TRUE".to_owned(),
        "(x NOT IN (SELECT k FROM table_sql WHERE 1 = 0)) IS TRUE".to_owned(),
    ] {
        for k in [2, 8] {
            let statement = format!("SELECT k FROM table_sql WHERE k = {k} AND {condition}");
            let row = k - 1;
            assert_conditions(&statement, &[(row, 0)], (row, 3));
        }
    }
}

#[test]
fn a_step_without_lineage_is_a_finding() {
    let mut trace = chain();
    trace.steps[2].lineage = None;
    let proofs = prove_trace(&Engine::default(), &trace, &ProofSettings::default());
    let summary = ProofSummary::of(&proofs);
    assert_eq!((summary.steps, summary.not_reproduced), (3, 1), "{proofs:?}");
    assert!(summary.has_findings());
}

#[test]
fn of_several_parts_those_are_marked_that_make_it_so() {
    for (condition, row, right, wrong) in [
        // x = 1 fails, k = 8 holds.
        (
            "CASE WHEN x > 2 THEN 'hi' WHEN k > 6 THEN 'mid' ELSE 'lo' END IN ('hi', 'mid')",
            7,
            vec![0],
            3,
        ),
        ("CASE WHEN x > 2 OR k > 6 THEN 'y' ELSE 'n' END = 'y'", 7, vec![0], 3),
        ("(x > 2 OR y > 2) IS TRUE", 7, vec![4], 3),
        ("(x > 2 OR y > 2) = 1", 7, vec![4], 3),
        ("iif(x > 2 OR y > 2, 1, 0)", 7, vec![4], 3),
        ("(x > 2 AND y > 2) IS NOT TRUE", 7, vec![3], 4),
        ("(x > 2 AND y > 2) IS FALSE", 7, vec![3], 4),
        ("8 IN (x, k)", 7, vec![0], 3),
        ("h IN ('p', g)", 7, vec![2], 1),
        // Below y = 4, and not above k = 8.
        ("x NOT BETWEEN y AND k", 7, vec![3, 4], 2),
        ("(g, x) > ('b', 2)", 7, vec![1], 3),
        ("(g, x) <> ('c', 2)", 7, vec![3], 1),
        ("NOT (g, x) = ('c', 2)", 7, vec![3], 1),
        ("coalesce(y, x, k) IS NOT NULL", 0, vec![3], 4),
        ("CASE WHEN x > 2 THEN 'hi' ELSE 'lo' END = 'lo'", 7, vec![3], 4),
        ("CASE h WHEN 'p' THEN x ELSE k END < 2", 7, vec![2, 3], 4),
    ] {
        let statement = format!("SELECT k FROM table_sql WHERE rowid = {} AND {condition}", row + 1);
        let right: Vec<(usize, usize)> = right.into_iter().map(|column| (row, column)).collect();
        assert_conditions(&statement, &right, (row, wrong));
    }
}
