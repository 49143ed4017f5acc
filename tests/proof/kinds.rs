//! What a mark claims, kind by kind: the tracer marks it there and nowhere else, and the proof finds one that says more.

use tabjury::table::Table;
use tabjury::trace::lineage::Exactness;
use tabjury::trace::proof::{Completeness, Soundness};

use super::{cells, deals, incomplete, marked, run};

/// A statement, the condition cells that are right, and one whose claim does not hold.
struct Kind {
    statement: &'static str,
    right: Vec<(usize, usize)>,
    wrong: (usize, usize),
}

/// The witness cells that are right, and one whose claim does not hold.
fn gives(statement: &str, right: &[(usize, usize)], wrong: (usize, usize)) {
    let as_traced = marked(&deals(), statement, |lineage| {
        assert_eq!(lineage.witness_cells, cells(right), "{statement}");
    });
    assert!(
        matches!(
            as_traced.completeness,
            Completeness::Complete { .. } | Completeness::Explained { .. }
        ),
        "{statement}: {:?}",
        as_traced.completeness
    );
    assert!(
        matches!(as_traced.soundness, Soundness::Sound { .. }),
        "{statement}: {:?}",
        as_traced.soundness
    );
    let one_more = marked(&deals(), statement, |lineage| {
        lineage.witness_cells.extend(cells(&[wrong]));
        lineage.witness_cells.sort_unstable();
        lineage.witness_rows.push(wrong.0);
        lineage.witness_rows.sort_unstable();
        lineage.witness_rows.dedup();
    });
    assert_eq!(incomplete(&one_more), [wrong], "{statement}");
}

fn holds_to(table: &Table, kinds: Vec<Kind>) {
    for Kind {
        statement,
        right,
        wrong,
    } in kinds
    {
        let as_traced = marked(table, statement, |lineage| {
            assert_eq!(lineage.condition_cells, cells(&right), "{statement}");
        });
        assert!(
            matches!(
                as_traced.completeness,
                Completeness::Complete { .. } | Completeness::Explained { .. }
            ),
            "{statement}: {:?}",
            as_traced.completeness
        );
        let one_more = marked(table, statement, |lineage| {
            lineage.condition_cells.extend(cells(&[wrong]));
            lineage.condition_cells.sort_unstable();
        });
        assert_eq!(incomplete(&one_more), [wrong], "{statement}");
    }
}

#[test]
fn a_cell_of_a_branch_that_is_not_taken_makes_nothing_true() {
    holds_to(
        &deals(),
        vec![
            Kind {
                statement: "SELECT rep FROM table_sql WHERE (CASE region WHEN 'North' THEN units WHEN 'South' THEN 0 ELSE 99 END) < 15",
                right: vec![(0, 0), (0, 2), (1, 0), (5, 0)],
                wrong: (1, 2),
            },
            Kind {
                statement: "SELECT rep FROM table_sql WHERE NOT (IIF(region = 'North', units, IIF(region = 'South', 0, 99)) > 15)",
                right: vec![(0, 0), (0, 2), (1, 0), (5, 0)],
                wrong: (5, 2),
            },
            Kind {
                statement: "SELECT rep FROM table_sql WHERE coalesce(NULLIF(region, 'North'), note) <> 'q'",
                right: vec![(0, 0), (0, 3), (1, 0), (2, 0), (2, 3), (3, 0), (4, 0), (4, 3), (5, 0)],
                wrong: (1, 3),
            },
        ],
    );
}

#[test]
fn a_cell_that_is_not_in_an_empty_list_makes_nothing_true() {
    holds_to(
        &deals(),
        vec![
            Kind {
                statement: "SELECT rep FROM table_sql WHERE region NOT IN (SELECT region FROM table_sql WHERE 1 = 0)",
                right: vec![],
                wrong: (0, 0),
            },
            Kind {
                statement: "SELECT rep FROM table_sql WHERE NOT (region IN (SELECT region FROM table_sql WHERE 1 = 0))",
                right: vec![],
                wrong: (5, 0),
            },
            Kind {
                statement: "SELECT rep FROM table_sql WHERE region NOT IN ()",
                right: vec![],
                wrong: (1, 0),
            },
        ],
    );
    // For the other rows nobody of their region sold so much more.
    let statement = "SELECT rep FROM table_sql AS t WHERE t.rep NOT IN \
                     (SELECT u.note FROM table_sql AS u WHERE u.region = t.region AND u.units > t.units + 9)";
    let proof = marked(&deals(), statement, |lineage| {
        let of_rep = lineage.condition_cells.iter().filter(|cell| cell.column == 1);
        assert_eq!(of_rep.map(|cell| cell.row).collect::<Vec<usize>>(), [0]);
        lineage.condition_cells.extend(cells(&[(1, 1)]));
        lineage.condition_cells.sort_unstable();
    });
    assert!(incomplete(&proof).contains(&(1, 1)), "{:?}", proof.completeness);
}

#[test]
fn a_null_of_an_outer_join_is_no_cell_of_the_row_beside_it() {
    // Only the row of 7 units finds one of three more; beside the others there is none.
    holds_to(
        &deals(),
        vec![
            Kind {
                statement: "SELECT k.who FROM (SELECT t.rep AS who, u.note AS g FROM table_sql AS t \
                            LEFT JOIN table_sql AS u ON u.units = t.units + 3) AS k WHERE k.g IS NULL",
                right: vec![],
                wrong: (0, 3),
            },
            Kind {
                statement: "SELECT k.who FROM (SELECT rep AS who, (SELECT u.note FROM table_sql AS u \
                            WHERE u.units = t.units + 3) AS g FROM table_sql AS t) AS k WHERE k.g IS NULL",
                right: vec![],
                wrong: (0, 3),
            },
        ],
    );
}

#[test]
fn an_aggregate_of_a_branch_that_is_not_taken_gives_nothing() {
    for (statement, right, wrong) in [
        (
            "SELECT CASE WHEN 1 THEN max(units) ELSE min(rep) END FROM table_sql",
            vec![(2, 2)],
            (0, 1),
        ),
        (
            "SELECT CASE WHEN count(*) > 5 THEN max(units) ELSE min(units) END FROM table_sql",
            vec![(2, 2)],
            (5, 2),
        ),
        // Each group for itself.
        (
            "SELECT region, CASE WHEN count(*) > 1 THEN sum(units) ELSE max(rep) END FROM table_sql GROUP BY region",
            vec![(3, 1)],
            (5, 1),
        ),
        (
            "SELECT region FROM table_sql GROUP BY region HAVING iif(count(*) > 2, sum(units) > 50, max(note) > 'a')",
            vec![(1, 3), (3, 3), (5, 3)],
            (0, 3),
        ),
        (
            "SELECT region, count(*) AS n FROM table_sql GROUP BY region \
             HAVING CASE n WHEN 3 THEN sum(units) > 50 ELSE max(note) > 'a' END",
            vec![(1, 3), (3, 3), (5, 3)],
            (0, 3),
        ),
        (
            "SELECT region FROM table_sql GROUP BY region \
             ORDER BY CASE WHEN count(*) > 2 THEN min(units) ELSE max(note) END LIMIT 1",
            vec![(0, 2)],
            (0, 3),
        ),
        (
            "SELECT region, coalesce(max(nullif(units, 7)), min(rep)) FROM table_sql GROUP BY region",
            vec![(1, 2), (2, 2), (3, 1)],
            (0, 1),
        ),
        // A condition is looked at where none before it holds.
        (
            "SELECT CASE WHEN max(units) > 20 THEN 'big' WHEN min(rep) < 'B' THEN 'low' END FROM table_sql",
            vec![(2, 2)],
            (0, 1),
        ),
        (
            "SELECT CASE WHEN max(units) > 30 THEN 'big' WHEN min(rep) < 'B' THEN 'low' END FROM table_sql",
            vec![(0, 1), (2, 2), (4, 1)],
            (1, 1),
        ),
        (
            "SELECT iif(count(*) > 9, 0, count(*) > 5, max(units), min(rep)) FROM table_sql",
            vec![(2, 2)],
            (0, 1),
        ),
        (
            "SELECT t.region, CASE WHEN count(*) > 2 THEN max(u.units) ELSE 0 END FROM table_sql AS t \
             JOIN table_sql AS u ON t.rowid = u.rowid GROUP BY t.region",
            vec![(2, 2)],
            (1, 2),
        ),
    ] {
        gives(statement, &right, wrong);
    }
    // By the largest units it is said which row's rep is shown, whatever branch is taken.
    let lineage = run(
        &deals(),
        "SELECT rep, CASE WHEN count(*) > 9 THEN max(units) ELSE 0 END FROM table_sql",
    )
    .lineage;
    assert_eq!(lineage.witness_cells, cells(&[(2, 2)]));
    // Beside each row of its own.
    let statement = "SELECT rep, (SELECT CASE WHEN count(*) > 2 THEN max(u.units) ELSE min(u.note) END \
                     FROM table_sql AS u WHERE u.region = t.region) FROM table_sql AS t";
    let lineage = run(&deals(), statement).lineage;
    assert_eq!(lineage.exactness, Exactness::Exact);
    assert_eq!(lineage.witness_cells, cells(&[(1, 3), (2, 2), (3, 3), (5, 3)]));
}

#[test]
fn a_row_is_no_member_for_an_aggregate_that_is_not_looked_at() {
    for statement in [
        "SELECT CASE WHEN 1 THEN count(nullif(units, 3)) ELSE count(*) END FROM table_sql",
        "SELECT CASE WHEN 0 THEN count(*) ELSE sum(nullif(units, 3)) END FROM table_sql",
        "SELECT coalesce(max(nullif(units, 3)), max(units)) FROM table_sql",
    ] {
        let proof = marked(&deals(), statement, |lineage| {
            assert_eq!(lineage.rows, [0, 1, 2, 3, 4], "{statement}");
        });
        assert!(
            matches!(proof.soundness, Soundness::Sound { .. }),
            "{statement}: {:?}",
            proof.soundness
        );
    }
}

#[test]
fn a_condition_of_an_aggregate_counts_where_that_is_looked_at() {
    holds_to(
        &deals(),
        vec![
            Kind {
                statement: "SELECT CASE WHEN count(*) > 9 THEN sum(CASE WHEN note = 'p' THEN units END) \
                            ELSE sum(CASE WHEN note = 'q' THEN units END) END FROM table_sql",
                right: vec![(1, 3), (5, 3)],
                wrong: (0, 3),
            },
            Kind {
                statement: "SELECT iif(max(units) > 99, count(*) FILTER (WHERE note = 'p'), count(*) FILTER (WHERE note = 'q')) \
                            FROM table_sql",
                right: vec![(1, 3), (5, 3)],
                wrong: (0, 3),
            },
            Kind {
                statement: "SELECT region, CASE WHEN count(*) > 2 THEN sum(iif(units > 15, 1, 0)) ELSE sum(iif(note = 'q', 1, 0)) END \
                            FROM table_sql GROUP BY region",
                right: vec![(1, 3), (2, 2), (4, 2), (5, 3)],
                wrong: (0, 3),
            },
        ],
    );
}

#[test]
fn a_cell_of_an_on_counts_beside_the_row_that_it_lets_in() {
    // With other units another row is joined.
    holds_to(
        &deals(),
        vec![Kind {
            statement: "SELECT t.rep, u.rep FROM table_sql AS t JOIN table_sql AS u \
                        ON CASE WHEN t.units > 9 THEN u.note = 'q' AND u.units = 5 ELSE u.note = 'r' END",
            right: vec![(0, 2), (1, 2), (1, 3), (2, 2), (3, 2), (3, 3), (4, 2), (5, 2)],
            wrong: (0, 3),
        }],
    );
}

#[test]
fn a_subquery_that_depends_on_the_row_marks_the_row_too() {
    holds_to(
        &deals(),
        vec![
            Kind {
                statement: "SELECT rep FROM table_sql AS t WHERE EXISTS \
                            (SELECT 1 FROM table_sql AS u WHERE u.units = t.units + 3)",
                right: vec![(0, 2), (3, 2)],
                wrong: (1, 2),
            },
            Kind {
                statement: "SELECT rep, (SELECT u.rep FROM table_sql AS u WHERE u.units = t.units + 3) FROM table_sql AS t",
                right: vec![(0, 2), (3, 2)],
                wrong: (1, 2),
            },
            Kind {
                statement: "SELECT rep FROM table_sql AS t WHERE \
                            (SELECT count(*) FROM table_sql AS u WHERE u.note = t.note AND u.units > t.units) > 1",
                right: vec![(0, 2), (0, 3), (2, 2), (2, 3), (4, 2), (4, 3)],
                wrong: (1, 3),
            },
            Kind {
                statement: "SELECT rep FROM table_sql AS t WHERE EXISTS (SELECT 1 FROM table_sql AS u WHERE t.units = 7)",
                right: vec![(3, 2)],
                wrong: (1, 2),
            },
        ],
    );
}

#[test]
fn values_are_a_list_of_rows() {
    holds_to(
        &deals(),
        vec![
            Kind {
                statement: "SELECT rep FROM table_sql WHERE (note, units) IN (VALUES ('p', 10), ('q', 3))",
                right: vec![(0, 2), (0, 3), (5, 2), (5, 3)],
                wrong: (1, 3),
            },
            Kind {
                statement: "SELECT rep FROM table_sql WHERE units IN (VALUES (10), (3))",
                right: vec![(0, 2), (5, 2)],
                wrong: (1, 2),
            },
            Kind {
                statement: "SELECT rep FROM table_sql WHERE units = (VALUES (10), (3))",
                right: vec![(0, 2)],
                wrong: (5, 2),
            },
        ],
    );
}

#[test]
fn a_subquery_of_a_branch_that_is_not_taken_gives_nothing() {
    gives(
        "SELECT CASE WHEN (SELECT count(*) FROM table_sql WHERE units > 5) > 3 THEN (SELECT max(units) FROM table_sql) \
         ELSE (SELECT min(rep) FROM table_sql) END",
        &[(2, 2)],
        (0, 1),
    );
    holds_to(
        &deals(),
        vec![
            Kind {
                statement: "SELECT CASE WHEN EXISTS (SELECT 1 FROM table_sql WHERE note = 'r') THEN 'r' \
                            WHEN EXISTS (SELECT 1 FROM table_sql WHERE region = 'South') THEN 's' END",
                right: vec![(3, 3)],
                wrong: (1, 0),
            },
            Kind {
                statement: "SELECT rep FROM table_sql WHERE coalesce((SELECT units FROM table_sql WHERE rep = 'Dot'), \
                            (SELECT units FROM table_sql WHERE rep = 'Eve')) = units",
                right: vec![(3, 1), (3, 2)],
                wrong: (5, 1),
            },
        ],
    );
}
