//! Deleting rows outside the marks, by brute force and apart from the proof.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tabjury::engine::{Engine, Execution};
use tabjury::table::Table;
use tabjury::trace::RowSources;

/// Deletes the rows that are not marked: each, each pair, all, all but one, and random halves.
fn deletions(outside: &[usize], random: &mut ChaCha8Rng) -> Vec<Vec<usize>> {
    let mut found = vec![outside.to_vec()];
    for (place, row) in outside.iter().enumerate() {
        found.push(vec![*row]);
        found.push(outside.iter().copied().filter(|other| other != row).collect());
        found.extend(outside[place + 1..].iter().map(|other| vec![*row, *other]));
    }
    for _ in 0..12 {
        found.push(outside.iter().copied().filter(|_| random.random_bool(0.5)).collect());
    }
    found
}

/// The first deletion of rows outside the marks that alters the result. Rows get other numbers (`rowid`) by it.
pub(crate) fn refuted_by_deletion(table: &Table, statement: &str, execution: &Execution) -> Option<Vec<usize>> {
    let engine = Engine::default();
    let types = engine.types_of(table);
    let lineage = &execution.lineage;
    let is_marked = |row: &usize| {
        let marked = [&lineage.rows, &lineage.deciding_rows, &lineage.examined_rows];
        marked.iter().any(|rows| rows.contains(row))
    };
    let outside: Vec<usize> = (0..table.rows.len()).filter(|row| !is_marked(row)).collect();
    let mut random = ChaCha8Rng::seed_from_u64(7);
    deletions(&outside, &mut random).into_iter().find(|deleted| {
        let mut fewer = table.clone();
        let mut row = 0;
        fewer.rows.retain(|_| {
            row += 1;
            !deleted.contains(&(row - 1))
        });
        let after = engine
            .run_typed(&fewer, &types, &RowSources::default(), statement)
            .unwrap();
        after.table.rows != execution.table.rows
    })
}
