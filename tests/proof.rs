//! The perturbation proof: that it finds a lineage that is wrong, that recorded and generated statements pass it, and that
//! it gives the same each time.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "support/corpus.rs"]
mod corpus;
#[path = "proof/deletions.rs"]
mod deletions;
#[path = "proof/generator.rs"]
mod generator;
#[path = "proof/kinds.rs"]
mod kinds;
mod support;
#[path = "proof/tally.rs"]
mod tally;
#[path = "proof/wrong_marks.rs"]
mod wrong_marks;

use std::time::Duration;
use tabjury::dataset::{Answer, DatasetKind, QuestionKind, Sample};
use tabjury::engine::proof::{ProofSettings, ProvenStep, prove_step, prove_trace};
use tabjury::engine::{Engine, Execution};
use tabjury::table::Table;
use tabjury::trace::lineage::{CellPosition, Exactness};
use tabjury::trace::proof::{
    Completeness, Difference, Explanation, ProofSummary, Replay, Soundness, StepProof, Undecided,
};
use tabjury::trace::{AnswerSource, Lineage, Program, RowSources, Trace, TraceBuilder};

/// Rows 0 to 5; columns 0 region, 1 rep, 2 units, 3 note.
fn deals() -> Table {
    let rows = [
        ["North", "Ada", "10", "p"],
        ["South", "Ben", "5", "q"],
        ["North", "Cid", "22", "p"],
        ["East", "Dot", "7", "r"],
        ["North", "Ada", "20", "p"],
        ["South", "Eve", "3", "q"],
    ];
    Table::from_text(
        ["Region", "Rep", "Units", "Note"],
        rows.map(|row| row.map(str::to_owned).to_vec()),
    )
    .unwrap()
}

fn run(table: &Table, statement: &str) -> Execution {
    let own = RowSources::each_from_itself(table.rows.len());
    Engine::default().run(table, &own, statement).unwrap()
}

fn prove_with(statement: &str, settings: &ProofSettings, change: impl FnOnce(&mut Lineage)) -> StepProof {
    let table = deals();
    marked_with(&table, statement, settings, change)
}

/// The proof of a statement whose lineage is changed by hand.
fn marked_with(
    table: &Table,
    statement: &str,
    settings: &ProofSettings,
    change: impl FnOnce(&mut Lineage),
) -> StepProof {
    let mut execution = run(table, statement);
    change(&mut execution.lineage);
    let step = ProvenStep {
        id: "made up",
        step: 0,
        input: table,
        statement,
        table: &execution.table,
        lineage: &execution.lineage,
    };
    prove_step(&Engine::default(), &step, settings)
}

fn prove(statement: &str) -> StepProof {
    prove_with(statement, &ProofSettings::default(), |_| {})
}

fn wrong(statement: &str, change: impl FnOnce(&mut Lineage)) -> StepProof {
    prove_with(statement, &ProofSettings::default(), change)
}

#[test]
fn right_lineage_is_proven() {
    for (statement, cells) in [
        ("SELECT * FROM table_sql WHERE region = 'North'", 3),
        ("SELECT rep FROM table_sql WHERE units > 9 AND note = 'p'", 6),
        ("SELECT MAX(units) FROM table_sql", 1),
        ("SELECT COUNT(*) FROM table_sql WHERE units < 6", 2),
        ("SELECT rep FROM table_sql ORDER BY units DESC LIMIT 2", 0),
        ("SELECT rep FROM table_sql WHERE region = 'West'", 0),
        (
            "SELECT COUNT(*) FROM table_sql AS t JOIN table_sql AS u USING (region)",
            0,
        ),
        (
            "SELECT COUNT(*) FROM table_sql AS t LEFT JOIN table_sql AS u USING (rep) ORDER BY 1 LIMIT 3",
            0,
        ),
    ] {
        let proof = prove(statement);
        assert_eq!(proof.replay, Replay::Same);
        assert!(
            matches!(proof.soundness, Soundness::Sound { exhaustive: true, .. }),
            "{statement}: {:?}",
            proof.soundness
        );
        assert_eq!(proof.completeness, Completeness::Complete { cells }, "{statement}");
    }
}

#[test]
fn what_does_not_matter_alone_is_explained() {
    for (statement, reason) in [
        (
            "SELECT * FROM table_sql WHERE region = 'East' OR units = 7",
            Explanation::AnotherConditionHolds,
        ),
        (
            "SELECT DISTINCT note FROM table_sql WHERE region = 'North'",
            Explanation::AnotherRowGivesIt,
        ),
        (
            "SELECT CASE WHEN COUNT(*) > 1 THEN 'TRUE' ELSE 'FALSE' END FROM table_sql WHERE region = 'North'",
            Explanation::AnotherRowGivesIt,
        ),
        (
            "SELECT rep FROM table_sql WHERE EXISTS (SELECT 1 FROM table_sql WHERE note = 'q')",
            Explanation::AnotherRowGivesIt,
        ),
        (
            "SELECT SUM(CASE WHEN rep = 'Dot' THEN units - 7 ELSE 0 END) FROM table_sql",
            Explanation::SameEitherWay,
        ),
        (
            "SELECT CASE WHEN (SELECT COUNT(*) FROM table_sql WHERE region = 'North') < 0 THEN 1 END",
            Explanation::ResultIsIndifferent,
        ),
        (
            "SELECT rep FROM table_sql WHERE note = 'r' OR rowid > 0",
            Explanation::ConditionIsImplied,
        ),
    ] {
        let proof = prove(statement);
        assert!(
            matches!(proof.soundness, Soundness::Sound { .. }),
            "{statement}: {:?}",
            proof.soundness
        );
        match &proof.completeness {
            Completeness::Explained { cells, .. } => {
                assert!(cells.iter().any(|cell| cell.reason == reason), "{statement}: {cells:?}");
            }
            other => panic!("{statement}: {other:?}"),
        }
    }
}

#[test]
fn a_column_left_out_is_found() {
    let proof = wrong("SELECT rep FROM table_sql WHERE region = 'North'", |lineage| {
        lineage.columns.retain(|column| *column != 0);
    });
    let Soundness::Unsound { counter_examples } = proof.soundness else {
        panic!("{:?}", proof.soundness)
    };
    // Made small: one cell is enough.
    assert!(
        counter_examples
            .iter()
            .all(|example| example.perturbation.changed.len() == 1)
    );
    assert!(
        counter_examples
            .iter()
            .all(|example| example.perturbation.changed[0].column == 0)
    );
}

#[test]
fn a_deciding_row_left_out_is_found() {
    let statement =
        "SELECT rep FROM table_sql WHERE units = (SELECT MIN(units) + 2 FROM table_sql WHERE region = 'South')";
    assert_eq!(run(&deals(), statement).lineage.deciding_rows, [5]);
    let proof = wrong(statement, |lineage| lineage.deciding_rows.clear());
    let Soundness::Unsound { counter_examples } = proof.soundness else {
        panic!("{:?}", proof.soundness)
    };
    assert_eq!(counter_examples[0].perturbation.deleted_rows, [5]);
    // South's least is 5 without it, and 7 is Dot's.
    assert_eq!(
        counter_examples[0].difference,
        Difference::Cell {
            row: 0,
            column: 0,
            before: "'Ben'".to_owned(),
            after: "'Dot'".to_owned()
        }
    );
}

#[test]
fn a_member_left_out_is_found() {
    let proof = wrong("SELECT SUM(units) FROM table_sql WHERE region = 'North'", |lineage| {
        lineage.rows.retain(|row| *row != 4);
        lineage.sources.rows[0].retain(|row| *row != 4);
    });
    assert!(matches!(proof.soundness, Soundness::Unsound { .. }));
}

#[test]
fn a_wrong_source_of_a_carried_cell_is_found() {
    let proof = wrong("SELECT * FROM table_sql WHERE units < 6", |lineage| {
        lineage.sources.rows.swap(0, 1);
    });
    assert!(matches!(proof.soundness, Soundness::Unsound { .. }));
    let proof = wrong(
        "SELECT rep AS who, upper(note) FROM table_sql WHERE units < 6",
        |lineage| {
            lineage.columns.retain(|column| *column != 3);
            lineage.carried_columns[1] = Some(3);
        },
    );
    assert!(matches!(proof.soundness, Soundness::Unsound { .. }));
}

#[test]
fn marked_cells_that_decide_nothing_are_found() {
    let statement = "SELECT rep FROM table_sql WHERE region = 'North'";
    for extra in [
        // A column that is not read, a cell whose condition fails, a row that does not exist.
        CellPosition { row: 0, column: 3 },
        CellPosition { row: 1, column: 0 },
        CellPosition { row: 9, column: 0 },
    ] {
        let proof = wrong(statement, |lineage| {
            lineage.condition_cells.push(extra);
            lineage.condition_cells.sort_unstable();
        });
        assert_eq!(
            proof.completeness,
            Completeness::Incomplete {
                count: 1,
                cells: vec![extra]
            }
        );
    }
    let extra = CellPosition { row: 0, column: 3 };
    let proof = wrong("SELECT MAX(units) FROM table_sql", |lineage| {
        lineage.witness_cells.insert(0, extra)
    });
    assert!(matches!(proof.completeness, Completeness::Incomplete { count: 1, .. }));
}

/// Names in mixed case, so that a collation decides which is largest.
fn names() -> Table {
    let rows = [["ann", "3"], ["Bob", "9"], ["carl", "5"], ["Dora", "2"]];
    Table::from_text(["Name", "Units"], rows.map(|row| row.map(str::to_owned).to_vec())).unwrap()
}

fn marked(table: &Table, statement: &str, change: impl FnOnce(&mut Lineage)) -> StepProof {
    marked_with(table, statement, &ProofSettings::default(), change)
}

fn cells(positions: &[(usize, usize)]) -> Vec<CellPosition> {
    positions
        .iter()
        .map(|(row, column)| CellPosition {
            row: *row,
            column: *column,
        })
        .collect()
}

/// What is incomplete of a proof; nothing where it is complete or explained.
fn incomplete(proof: &StepProof) -> Vec<(usize, usize)> {
    match &proof.completeness {
        Completeness::Incomplete { cells, .. } => cells.iter().map(|cell| (cell.row, cell.column)).collect(),
        Completeness::Complete { .. } | Completeness::Explained { .. } => Vec::new(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_member_that_is_no_witness_is_found() {
    for statement in [
        "SELECT MAX(units) FROM table_sql",
        // Here every member alters the result, and none but the largest is its MAX.
        "SELECT MAX(units), SUM(units) FROM table_sql",
        "SELECT MAX(units) > 4 FROM table_sql",
    ] {
        let every = cells(&[(0, 2), (1, 2), (2, 2), (3, 2), (4, 2), (5, 2)]);
        let proof = wrong(statement, |lineage| lineage.witness_cells = every);
        assert_eq!(
            incomplete(&proof),
            [(0, 2), (1, 2), (3, 2), (4, 2), (5, 2)],
            "{statement}"
        );
    }
    let statement = "SELECT region, MIN(units) FROM table_sql GROUP BY region HAVING MIN(units) < 40";
    let proof = wrong(statement, |lineage| {
        lineage.witness_cells = cells(&[(0, 2), (1, 2), (3, 2), (5, 2)])
    });
    assert_eq!(incomplete(&proof), [(1, 2)]);
    let statement = "SELECT (SELECT MAX(units) FROM table_sql WHERE region = 'North') > 4";
    let proof = wrong(statement, |lineage| lineage.witness_cells = cells(&[(2, 2), (4, 2)]));
    assert_eq!(incomplete(&proof), [(4, 2)]);
}

#[test]
fn a_collation_says_which_is_largest() {
    let statement = "SELECT MAX(name COLLATE NOCASE) FROM table_sql";
    for (row, is_wrong) in [(2, true), (3, false)] {
        let proof = marked(&names(), statement, |lineage| {
            lineage.exactness = Exactness::Exact;
            lineage.witness_rows = vec![row];
            lineage.witness_cells = cells(&[(row, 0)]);
        });
        assert_eq!(
            !incomplete(&proof).is_empty(),
            is_wrong,
            "{row}: {:?}",
            proof.completeness
        );
    }
}

#[test]
fn a_condition_that_fails_or_was_not_asked_is_found() {
    for (statement, right, wrong_cell) in [
        // The side of OR that fails.
        (
            "SELECT rep FROM table_sql WHERE region = 'North' OR units = 7",
            vec![(0, 0), (2, 0), (3, 2), (4, 0)],
            (0, 2),
        ),
        // A later WHEN, where an earlier one was taken; both hold.
        (
            "SELECT CASE WHEN units > 8 THEN 'many' WHEN note = 'p' THEN 'p' END FROM table_sql",
            vec![(0, 2), (2, 2), (4, 2)],
            (0, 3),
        ),
        (
            "SELECT CASE WHEN units > 8 THEN 'x' WHEN note = 'p' THEN 'x' END FROM table_sql",
            vec![(0, 2), (2, 2), (4, 2)],
            (0, 3),
        ),
        // One half of an AND whose other half fails.
        (
            "SELECT rep FROM table_sql WHERE (region = 'North' AND units > 15) OR note = 'p'",
            vec![(0, 3), (2, 0), (2, 2), (2, 3), (4, 0), (4, 2), (4, 3)],
            (0, 0),
        ),
        // Through an alias.
        (
            "SELECT who FROM (SELECT rep AS who, units AS n FROM table_sql) WHERE who = 'Ada' OR n = 7",
            vec![(0, 1), (3, 2), (4, 1)],
            (0, 2),
        ),
    ] {
        for is_wrong in [false, true] {
            let proof = marked(&deals(), statement, |lineage| {
                let mut all = cells(&right);
                if is_wrong {
                    all.extend(cells(&[wrong_cell]));
                    all.sort_unstable();
                }
                lineage.condition_cells = all;
            });
            let expected = if is_wrong { vec![wrong_cell] } else { Vec::new() };
            assert_eq!(incomplete(&proof), expected, "{statement}: {:?}", proof.completeness);
        }
    }
}

#[test]
fn a_statement_that_fails_shows_nothing() {
    // Any other number overflows; that is no way to show that the condition matters.
    let statement = "SELECT abs(CASE WHEN units = 10 THEN 1 ELSE -9223372036854775808 END) FROM table_sql WHERE rep = 'Ada' AND units < 15";
    let proof = marked(&deals(), statement, |lineage| {
        lineage.condition_cells = cells(&[(0, 2)]);
    });
    // It still matters: WHERE lets the row go.
    assert!(
        matches!(proof.completeness, Completeness::Complete { cells: 1 }),
        "{:?}",
        proof.completeness
    );
    let statement =
        "SELECT abs(CASE WHEN units = 10 THEN 1 ELSE -9223372036854775808 END) FROM table_sql WHERE rowid = 1";
    let proof = marked(&deals(), statement, |lineage| {
        lineage.condition_cells = cells(&[(0, 2)]);
    });
    assert!(
        !matches!(proof.completeness, Completeness::Complete { .. }),
        "{:?}",
        proof.completeness
    );
}

#[test]
fn a_counter_example_is_kept_when_the_bound_is_met() {
    let statement = "SELECT rep FROM table_sql WHERE region = 'North'";
    for runs in 2..40 {
        let few = ProofSettings {
            runs,
            ..ProofSettings::default()
        };
        let proof = prove_with(statement, &few, |lineage| {
            lineage.columns.clear();
        });
        let is_found = matches!(proof.soundness, Soundness::Unsound { .. });
        let is_open = matches!(proof.soundness, Soundness::Undecided { .. });
        assert!(is_found || is_open, "{runs}: {:?}", proof.soundness);
        // The first change of a whole column shows it, whatever is left to make it small with.
        assert!(is_found || runs < 12, "{runs}: {:?}", proof.soundness);
    }
}

#[test]
fn a_lineage_that_marks_everything_is_sound_in_an_empty_sense_alone() {
    let proof = wrong("SELECT rep FROM table_sql WHERE region = 'North'", |lineage| {
        lineage.deciding_rows = (0..6).filter(|row| !lineage.rows.contains(row)).collect();
        lineage.columns = vec![0, 1, 2, 3];
    });
    let mut summary = ProofSummary::default();
    summary.add(&proof);
    assert_eq!((summary.sound, summary.sound_sampled, summary.sound_vacuous), (0, 0, 1));
}

/// Whether this much work is enough for many runs on a column of one value.
fn is_enough(rows: usize, work: u64) -> bool {
    let table = Table::from_text(
        ["Year", "Rep", "Units"],
        (0..rows).map(|row| vec!["2020".to_owned(), format!("r{}", row % 7), (row % 100).to_string()]),
    )
    .unwrap();
    let settings = ProofSettings {
        runs: 60,
        work,
        ..ProofSettings::default()
    };
    let proof = marked_with(&table, "SELECT rep FROM table_sql WHERE units = 5", &settings, |_| {});
    match proof.soundness {
        Soundness::Sound { exhaustive, .. } => !exhaustive,
        Soundness::Undecided { reason } => {
            assert_eq!(reason, Undecided::Work, "{rows} rows");
            false
        }
        Soundness::Unsound { .. } => panic!("{proof:?}"),
    }
}

#[test]
fn a_column_of_one_value_takes_work_in_proportion() {
    let mut of_a_row = 1_000;
    while !is_enough(500, 500 * of_a_row) {
        of_a_row *= 2;
    }
    // Work is counted, not measured: four times the rows take four times as much, give or take what each run begins with.
    assert!(is_enough(2_000, 2_000 * of_a_row));
    assert!(!is_enough(2_000, 2_000 * of_a_row / 4), "the bound counts nothing");
}

#[test]
fn bounds_leave_a_proof_undecided() {
    let statement = "SELECT rep FROM table_sql WHERE region = 'North'";
    let few = ProofSettings {
        runs: 4,
        ..ProofSettings::default()
    };
    let proof = prove_with(statement, &few, |_| {});
    assert_eq!(
        proof.soundness,
        Soundness::Undecided {
            reason: Undecided::Runs
        }
    );
    assert!(matches!(
        proof.completeness,
        Completeness::Undecided {
            reason: Undecided::Runs,
            open: 1..
        }
    ));
    let late = ProofSettings {
        time: Duration::ZERO,
        ..ProofSettings::default()
    };
    let proof = prove_with(statement, &late, |_| {});
    assert_eq!(
        proof.soundness,
        Soundness::Undecided {
            reason: Undecided::Time
        }
    );
}

#[test]
fn conservative_lineage_is_tested_for_soundness_alone() {
    let proof = prove("SELECT rep FROM table_sql WHERE units ISNULL OR region = 'North'");
    assert!(
        matches!(proof.soundness, Soundness::Sound { vacuous: false, .. }),
        "{:?}",
        proof.soundness
    );
    assert_eq!(proof.completeness, Completeness::NotClaimed);
}

#[test]
fn the_same_seed_gives_the_same_proof() {
    let statement = "SELECT DISTINCT rep FROM table_sql WHERE region = 'North' OR note = 'q'";
    let proofs = [prove(statement), prove(statement)];
    assert_eq!(proofs[0], proofs[1]);
    let json = serde_json::to_string(&proofs[0]).unwrap();
    assert_eq!(serde_json::from_str::<StepProof>(&json).unwrap(), proofs[0]);
}

fn chain() -> Trace {
    let sample = Sample {
        id: "made-up".to_owned(),
        dataset: DatasetKind::Custom,
        kind: QuestionKind::ShortAnswer,
        table_id: "made-up".to_owned(),
        caption: None,
        table: deals(),
        question: "who sold most in the north?".to_owned(),
        gold: None,
        groups: Default::default(),
    };
    let mut builder = TraceBuilder::new(&sample, "made-up", "pos", "none", serde_json::Value::Null);
    for statement in [
        "SELECT * FROM table_sql WHERE region = 'North'",
        "SELECT rep, SUM(units) AS total FROM table_sql GROUP BY rep",
        "SELECT rep FROM table_sql ORDER BY total DESC LIMIT 1",
    ] {
        builder.open_step(None);
        let execution = Engine::default()
            .run(builder.table(), builder.origins(), statement)
            .unwrap();
        builder.complete_step(
            Program::sql(statement, execution.ran),
            execution.table,
            execution.lineage,
        );
    }
    builder.finish(Ok((Answer::Values(vec!["Ada".to_owned()]), AnswerSource::Program)))
}

#[test]
fn every_step_of_a_trace_is_replayed_and_proven() {
    let mut trace = chain();
    let proofs = prove_trace(&Engine::default(), &trace, &ProofSettings::default());
    let summary = ProofSummary::of(&proofs);
    assert_eq!(
        (summary.steps, summary.sound_in_all(), summary.complete),
        (3, 3, 3),
        "{proofs:?}"
    );
    assert!(!summary.has_findings());
    // A stored step that does not give what is stored is a finding of its own.
    let table = trace.steps[1].output.unwrap();
    trace.tables[table].rows[0][1] = Some("31".to_owned());
    trace.steps[0].lineage.as_mut().unwrap().condition_cells.pop();
    let proofs = prove_trace(&Engine::default(), &trace, &ProofSettings::default());
    let summary = ProofSummary::of(&proofs);
    assert_eq!((summary.steps, summary.not_reproduced), (3, 2));
    assert!(summary.has_findings());
}

#[test]
fn a_step_that_did_not_run_on_what_the_step_before_gave_is_found() {
    let mut trace = chain();
    // The first table and its lineage are right by themselves, and still it is not what the chain says.
    let own = RowSources::each_from_itself(trace.tables[0].rows.len());
    let statement = "SELECT rep, SUM(units) AS total FROM table_sql GROUP BY rep";
    let execution = Engine::default().run(&trace.tables[0], &own, statement).unwrap();
    let place = trace.steps[1].output.unwrap();
    trace.tables[place] = execution.table;
    trace.steps[1].lineage = Some(execution.lineage);
    trace.steps[1].input = 0;
    let proofs = prove_trace(&Engine::default(), &trace, &ProofSettings::default());
    let Replay::Different { what } = &proofs[1].replay else {
        panic!("{:?}", proofs[1])
    };
    assert!(what.contains("what the step before gave"), "{what}");
}

#[test]
fn recorded_steps_are_proven() {
    let Some(samples) = corpus::samples("recorded_steps_are_proven") else {
        return;
    };
    let engine = corpus::engine();
    let mut tally = tally::Tally::default();
    for sample in &samples {
        let mut table = sample.table();
        for (position, step) in sample.steps.iter().enumerate() {
            let own = RowSources::each_from_itself(table.rows.len());
            let Ok(execution) = engine.run(&table, &own, &step.sql) else {
                break;
            };
            let proof = prove_step(
                &engine,
                &ProvenStep {
                    id: &sample.id,
                    step: position,
                    input: &table,
                    statement: &step.sql,
                    table: &execution.table,
                    lineage: &execution.lineage,
                },
                &ProofSettings::default(),
            );
            tally.add("recorded", &proof, &format!("{} {position}: {}", sample.id, step.sql));
            table = execution.table;
        }
    }
    println!("{}\n{}", tally.findings.join("\n"), tally.table());
    tally.assert_proven(1.0, 0.3, 0.99);
}

/// 125, or what TABJURY_PROVEN_STATEMENTS says.
fn statements() -> usize {
    std::env::var("TABJURY_PROVEN_STATEMENTS").map_or(125, |count| count.parse().unwrap())
}

/// Small tables of the same columns, with sums that fall, groups of several sizes, ties and equal texts in other letters.
fn small_tables() -> Vec<Table> {
    let table = |rows: &[[&str; 4]]| {
        let rows = rows.iter().map(|row| row.map(str::to_owned).to_vec());
        Table::from_text(["Rep", "Region", "Units", "Price"], rows).unwrap()
    };
    vec![
        table(&[
            ["Alice", "North", "1", "10"],
            ["Bob", "North", "2", "20"],
            ["Alice", "South", "5", "5"],
            ["Carol", "South", "9", "7"],
            ["Dan", "East", "3", "3"],
            ["Dan", "East", "-7", "4"],
            ["Eve", "East", "8", "6"],
            ["Eve", "West", "30", "2"],
        ]),
        table(&[
            ["Ann", "North", "1", "10"],
            ["Ben", "North", "2", "20"],
            ["Cid", "South", "3", "5"],
            ["Dee", "South", "9", "7"],
            ["Eva", "East", "30", "3"],
            ["Eva", "East", "-40", "4"],
            ["Eva", "East", "5", "4"],
        ]),
        table(&[
            ["a", "N", "0", "0"],
            ["A", "E", "0", "2"],
            ["C", "E", "0", "1"],
            ["B", "E", "-2", "1"],
            ["B", "S", "2", "1"],
            ["c", "S", "3", "2"],
            ["b", "N", "1", "3"],
        ]),
    ]
}

#[test]
fn statements_that_look_past_their_result_are_sound() {
    let statements = include_str!("fixtures/lineage/unsound_once.sql");
    let mut wrong = Vec::new();
    for statement in statements.lines().filter(|line| !line.starts_with("--")) {
        for table in small_tables() {
            let own = RowSources::each_from_itself(table.rows.len());
            let execution = Engine::default().run(&table, &own, statement).unwrap();
            if let Some(deleted) = deletions::refuted_by_deletion(&table, statement, &execution) {
                wrong.push(format!("{statement}\n  without {deleted:?} of {:?}", table.rows));
            }
            let step = ProvenStep {
                id: "small",
                step: 0,
                input: &table,
                statement,
                table: &execution.table,
                lineage: &execution.lineage,
            };
            let proof = prove_step(&Engine::default(), &step, &ProofSettings::default());
            if !matches!(proof.soundness, Soundness::Sound { .. }) {
                wrong.push(format!("{statement}\n  {:?}", proof.soundness));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A part of what `examples/prove_generated.rs` proves.
#[test]
fn generated_statements_are_proven() {
    let tally = tally::Tally::of(1, statements(), &ProofSettings::default());
    println!("{}\n{}", tally.findings.join("\n"), tally.table());
    tally.assert_proven(1.0, 0.3, 0.99);
}
