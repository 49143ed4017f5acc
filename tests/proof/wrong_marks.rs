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
        ("x NOT BETWEEN y AND k", 7, vec![3, 4], 0),
        ("NOT (x BETWEEN y AND k)", 7, vec![3, 4], 0),
        ("(x BETWEEN y AND k) = 0", 7, vec![3, 4], 0),
        ("(x BETWEEN y AND k OR h = 'p') IS TRUE", 7, vec![2], 0),
        ("x BETWEEN y AND k", 4, vec![0, 3, 4], 1),
        ("8 IN (x, k, y)", 7, vec![0], 4),
        ("8 NOT IN (x, y)", 7, vec![3, 4], 0),
        // What is NULL, and what leaves it so.
        ("(y = x) IS NULL", 5, vec![4], 3),
        ("(y IN (1, x)) IS NULL", 5, vec![4], 3),
        ("(y NOT IN (-1, 2, x)) IS NULL", 5, vec![4], 3),
        ("(y = 1 OR x = 7) IS NULL", 5, vec![3, 4], 2),
        ("(y = 1 AND x = 2) IS NULL", 5, vec![3, 4], 2),
        ("x IS x", 7, vec![], 3),
        ("k = CASE WHEN x = -1 THEN x ELSE k END", 7, vec![0, 3], 4),
        // Only the element that differs from those rows.
        ("(g, x) NOT IN (SELECT 'c', k + 10 FROM table_sql)", 7, vec![3], 1),
        ("NOT ((g, x) IN (SELECT 'c', k + 10 FROM table_sql))", 7, vec![3], 1),
        ("(g, x) NOT IN (SELECT 'b', x FROM table_sql)", 7, vec![1, 3], 2),
        ("(g, x) NOT IN (SELECT h, 1 FROM table_sql)", 7, vec![1], 3),
        ("(g, x) IN (SELECT 'c', k FROM table_sql)", 7, vec![1, 3], 2),
        ("(g, x) <> (SELECT 'c', k + 10 FROM table_sql)", 7, vec![3], 1),
        ("(g, x) NOT IN (SELECT g, x FROM table_sql WHERE 1 = 0)", 7, vec![], 1),
        ("(g, x) > ('b', 2)", 7, vec![1], 3),
        ("(g, x) <> ('c', 2)", 7, vec![3], 1),
        ("NOT (g, x) = ('c', 2)", 7, vec![3], 1),
        ("(g, x) IS NOT ('c', 2)", 7, vec![3], 1),
        ("(g, x) IS DISTINCT FROM ('c', 2)", 7, vec![3], 1),
        ("NOT (g, x) IS ('c', 2)", 7, vec![3], 1),
        ("((g, x) IS NOT DISTINCT FROM ('c', 2)) = 0", 7, vec![3], 1),
        ("(g, x) IS NOT (h, 1)", 7, vec![1, 2], 3),
        ("(g, x) IS NOT ('c', TRUE)", 1, vec![3], 1),
        ("(g, x) IS ('c', TRUE)", 7, vec![1, 3], 2),
        ("(g, x) IS NOT (SELECT 'c', k + 10 FROM table_sql)", 7, vec![3], 1),
        (
            "(g, x) IS DISTINCT FROM (SELECT 'c', k + 10 FROM table_sql)",
            7,
            vec![3],
            1,
        ),
        ("NOT (g, x) IS (SELECT 'c', k + 10 FROM table_sql)", 7, vec![3], 1),
        (
            "((g, x) IS NOT DISTINCT FROM (SELECT 'c', 11)) IS NOT TRUE",
            7,
            vec![3],
            1,
        ),
        (
            "(g, x) IS NOT (SELECT g, x FROM table_sql WHERE 1 = 0)",
            7,
            vec![1, 3],
            2,
        ),
        ("(g, y) IS (SELECT 'c', 4)", 7, vec![1, 4], 3),
        ("coalesce(y, x, k) IS NOT NULL", 0, vec![3], 4),
        ("CASE WHEN x > 2 THEN 'hi' ELSE 'lo' END = 'lo'", 7, vec![3], 4),
        ("CASE h WHEN 'p' THEN x ELSE k END < 2", 7, vec![2, 3], 4),
    ] {
        let statement = format!("SELECT k FROM table_sql WHERE rowid = {} AND {condition}", row + 1);
        let right: Vec<(usize, usize)> = right.into_iter().map(|column| (row, column)).collect();
        assert_conditions(&statement, &right, (row, wrong));
    }
}

#[test]
fn a_row_value_in_a_branch_is_marked_where_it_differs() {
    // (c, 1) is neither (a, 2) nor (c, 2).
    for condition in [
        "CASE WHEN (g, x) IN (SELECT g, x FROM table_sql WHERE k < 3) THEN 0 ELSE 1 END",
        "NOT (g, x) IN (SELECT g, x FROM table_sql WHERE k < 3)",
    ] {
        let statement = format!("SELECT k FROM table_sql WHERE rowid = 8 AND {condition}");
        assert_conditions(&statement, &[(0, 0), (1, 0), (7, 1), (7, 3)], (7, 2));
    }
}

#[test]
fn a_condition_of_a_key_is_every_rows() {
    for statement in [
        "SELECT CASE WHEN x > 2 THEN 'in' WHEN NOT (y IS NULL) THEN 'mid' END AS n, count(*) FROM table_sql GROUP BY n",
        "SELECT count(*), CASE WHEN x > 2 THEN 'in' WHEN NOT (y IS NULL) THEN 'mid' END FROM table_sql GROUP BY 2",
    ] {
        let right = [(1, 4), (2, 4), (3, 3), (4, 4), (6, 3), (7, 4)];
        assert_conditions(statement, &right, (6, 4));
    }
}

#[test]
fn five_case_in_a_condition_are_told_apart() {
    // y is not above 5, and if it were, the sum would be above 0 all the same.
    let each = ["x", "k", "y", "x", "k"].map(|name| format!("CASE WHEN {name} > 5 THEN 1 ELSE 0 END"));
    let statement = format!("SELECT k FROM table_sql WHERE rowid = 7 AND {} > 0", each.join(" + "));
    assert_conditions(&statement, &[(6, 0), (6, 3)], (6, 4));
}

#[test]
fn case_with_more_branches_than_are_followed_says_so() {
    let of = |branches: usize| {
        let whens: Vec<String> = (0..branches)
            .map(|number| format!("WHEN k = {number} THEN 'n{number}'"))
            .collect();
        format!("SELECT CASE {} END FROM table_sql", whens.join(" "))
    };
    assert_eq!(run(&grades(), &of(100)).lineage.exactness, Exactness::Exact);
    for statement in [
        of(101),
        format!(
            "{} WHERE {}",
            of(80),
            "coalesce(".to_owned() + &"y, ".repeat(70) + "1) > 0"
        ),
    ] {
        let Exactness::AtLeast { reason } = run(&grades(), &statement).lineage.exactness else {
            panic!("it is said to be exact")
        };
        assert!(reason.contains("branches"), "{reason}");
    }
    let ways = ["CASE WHEN x > 5 THEN 1 ELSE 0 END"; 9].join(" + ");
    let Exactness::AtLeast { reason } = run(&grades(), &format!("SELECT k FROM table_sql WHERE {ways} > 0"))
        .lineage
        .exactness
    else {
        panic!("it is said to be exact")
    };
    assert!(reason.contains("ways through"), "{reason}");
}

#[test]
fn what_holds_whatever_a_cell_is_is_explained() {
    for statement in [
        "SELECT k FROM table_sql WHERE 1",
        "SELECT k FROM table_sql WHERE x = x",
        "SELECT k FROM table_sql WHERE y IS NULL OR y IS NOT NULL",
        "SELECT sum(CASE WHEN y IS NOT NULL OR coalesce(y, 0) = 0 THEN x ELSE -1 END) FROM table_sql",
        "SELECT k FROM table_sql WHERE NOT (y IS NOT NULL) OR y IS NOT NULL",
        "SELECT count(*) FROM (SELECT max(x) AS most FROM table_sql GROUP BY g)",
        "SELECT g FROM (SELECT g, min(x) AS least FROM table_sql GROUP BY g)",
        "SELECT g FROM table_sql GROUP BY g HAVING max(x) = max(x)",
    ] {
        let proof = marked(&grades(), statement, |_| {});
        assert!(
            matches!(proof.soundness, Soundness::Sound { .. }),
            "{statement}: {proof:?}"
        );
        assert_eq!(incomplete(&proof), [], "{statement}: {:?}", proof.completeness);
        // What no condition says is no mark all the same.
        let proof = marked(&grades(), statement, |lineage| {
            lineage.condition_cells.extend(cells(&[(1, 2)]));
            lineage.condition_cells.sort_unstable();
        });
        assert_eq!(incomplete(&proof), [(1, 2)], "{statement}: {:?}", proof.completeness);
    }
}

#[test]
fn a_branch_that_an_outer_join_fills_up_is_no_false_alarm() {
    for (statement, right, wrong) in [
        // Beside rows that find none, the branch is taken for a NULL that is nobody's cell.
        (
            "SELECT t.k FROM table_sql AS t LEFT JOIN table_sql AS u ON t.k = u.y \
             WHERE CASE WHEN u.k IS NULL THEN t.x ELSE u.x END > 4",
            vec![(2, 0), (3, 0), (3, 3), (3, 4), (6, 3), (6, 4)],
            (4, 3),
        ),
        (
            "SELECT t.k FROM table_sql AS t LEFT JOIN table_sql AS u ON t.k = u.y + 4 \
             WHERE CASE WHEN u.k IS NULL THEN t.h ELSE 'found' END = 'q'",
            vec![(5, 2)],
            (6, 2),
        ),
    ] {
        assert_conditions(statement, &right, wrong);
    }
}

#[test]
fn a_contingency_that_brings_in_what_was_not_used_excuses_nothing() {
    // No row is joined to the third; with another y of it, or another k elsewhere, one would be.
    for shown in ["t.k", "DISTINCT t.g", "count(DISTINCT t.g)"] {
        let statement =
            format!("SELECT {shown} FROM table_sql AS t JOIN table_sql AS u ON t.k = u.y WHERE u.h <> 'zz'");
        let right = [
            (1, 2),
            (1, 4),
            (2, 0),
            (3, 0),
            (3, 2),
            (3, 4),
            (6, 2),
            (6, 4),
            (7, 2),
            (7, 4),
        ];
        assert_conditions(&statement, &right, (2, 2));
    }
    // A sum of nothing: with another x, and the same rows from the same conditions, it matters.
    let statement = "SELECT sum(CASE WHEN g = 'c' AND k = 2 THEN x - 2 ELSE 0 END) FROM table_sql";
    let proof = marked(&grades(), statement, |_| {});
    let Completeness::Explained { cells, .. } = &proof.completeness else {
        panic!("{proof:?}")
    };
    assert!(
        cells.iter().all(|cell| cell.reason == Explanation::SameEitherWay),
        "{cells:?}"
    );
}
