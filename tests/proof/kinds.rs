//! What a mark claims, kind by kind: the tracer marks it there and nowhere else, and the proof finds one that says more.

use tabjury::table::Table;
use tabjury::trace::proof::Completeness;

use super::{cells, deals, incomplete, marked};

/// A statement, the condition cells that are right, and one whose claim does not hold.
struct Kind {
    statement: &'static str,
    right: Vec<(usize, usize)>,
    wrong: (usize, usize),
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
