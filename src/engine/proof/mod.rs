//! Proving a lineage by perturbation: a step's statement is run again and again on its table with cells and rows changed,
//! and the result must stay where nothing is marked, and must be able to change where a condition or a witness is.
//!
//! What is claimed and what is not, and what lies outside the marks, is written down in `docs/lineage.md`; the records are
//! those of [`crate::trace::proof`]. No model is asked. Every choice follows from the seed, the id and the step; the bounds
//! on runs and work are the same everywhere, and the clock is only behind them.
//!
//! The typed table is what is changed: columns keep the types that the engine read from the recorded cells, so that a
//! blank in a column of whole numbers is a NULL among whole numbers.

mod claims;
mod compare;
mod completeness;
mod conditions;
mod groups;
mod looks;
mod marks;
mod meaning;
mod session;
mod soundness;
mod values;

use std::time::Duration;

use super::sqlite::Database;
use super::{Engine, EngineError, Execution, names, on_deep_stack, result};
use crate::table::{ColumnType, Table};
use crate::trace::proof::{Completeness, Replay, Soundness, StepProof, Undecided};
use crate::trace::{Lineage, RowSources, Trace};
use claims::Claims;
use completeness::Retrace;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use session::{Budget, Change, Session, WORK_OF_A_CHANGE, as_work};
use values::Values;

/// The bounds of a proof, and its seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofSettings {
    /// What every random choice follows from, with the step's id.
    pub seed: u64,
    /// Runs of a step's statement.
    pub runs: usize,
    /// SQLite instructions of a step's runs, changed cells counted in.
    pub work: u64,
    /// The clock far behind both, for a step: only a machine that hangs meets it, and what it cuts off says so.
    pub time: Duration,
}

impl Default for ProofSettings {
    /// Every cell and row of a table of some hundred cells by itself; of larger ones all together and a choice.
    fn default() -> Self {
        Self {
            seed: 0,
            runs: 60_000,
            work: 400_000_000,
            time: Duration::from_secs(1200),
        }
    }
}

/// A step to be proven.
#[derive(Clone, Copy, Debug)]
pub struct ProvenStep<'step> {
    /// Names the step's trace, as sample and answerer do; random choices follow from it.
    pub id: &'step str,
    /// 0-based position of the step in it.
    pub step: usize,
    /// The table that the statement ran on.
    pub input: &'step Table,
    /// The statement.
    pub statement: &'step str,
    /// What it gave.
    pub table: &'step Table,
    /// The lineage to be proven.
    pub lineage: &'step Lineage,
}

/// Proves the lineage of one step. The statement is not traced again: `lineage` is tested as it is given.
pub fn prove_step(engine: &Engine, step: &ProvenStep<'_>, settings: &ProofSettings) -> StepProof {
    on_deep_stack(|| Ok(prove(engine, step, settings))).unwrap_or_else(|error| undecided(step.step, &error))
}

/// Proves every SQL step of a trace that has a result, and runs each again on its recorded table first. One whose lineage
/// is missing is not reproduced.
pub fn prove_trace(engine: &Engine, trace: &Trace, settings: &ProofSettings) -> Vec<StepProof> {
    let id = format!("{}\u{0}{}", trace.answerer, trace.sample);
    let mut origins = vec![RowSources::default(); trace.tables.len()];
    if let (Some(first), Some(table)) = (origins.first_mut(), trace.tables.first()) {
        *first = RowSources::each_from_itself(table.rows.len());
    }
    let mut proofs = Vec::new();
    let mut newest = 0;
    for (position, step) in trace.steps.iter().enumerate() {
        let expected = newest;
        newest = step.output.unwrap_or(newest);
        let (program, output, lineage) = match (&step.program, step.output, &step.lineage) {
            (Some(program), Some(output), Some(lineage)) => (program, output, lineage),
            // One that did not run, or ran elsewhere.
            (None, None, None) => continue,
            (_, _, None) if trace.imported.is_some() => continue,
            (_, _, None) => {
                proofs.push(not_reproduced(position, "the step has no lineage"));
                continue;
            }
            (_, _, Some(_)) => {
                proofs.push(not_reproduced(
                    position,
                    "the step has a lineage and no program or no result",
                ));
                continue;
            }
        };
        let (Some(input), Some(table)) = (trace.tables.get(step.input), trace.tables.get(output)) else {
            proofs.push(not_reproduced(position, "the trace lacks a table of this step"));
            continue;
        };
        if step.input != expected || output <= step.input {
            proofs.push(not_reproduced(
                position,
                "it did not run on what the step before gave, or on the first table",
            ));
            continue;
        }
        let again = engine.run(input, &origins[step.input], &program.text);
        if let Some(place) = origins.get_mut(output) {
            place.clone_from(&lineage.origins);
        }
        proofs.push(match what_differs(again, table, lineage) {
            Some(what) => not_reproduced(position, &what),
            None => prove_step(
                engine,
                &ProvenStep {
                    id: &id,
                    step: position,
                    input,
                    statement: &program.text,
                    table,
                    lineage,
                },
                settings,
            ),
        });
    }
    proofs
}

fn what_differs(again: Result<Execution, EngineError>, table: &Table, lineage: &Lineage) -> Option<String> {
    match again {
        Err(error) => Some(format!("run again, the statement fails: {error}")),
        Ok(execution) if execution.table != *table => Some("run again, the statement gives another table".to_owned()),
        Ok(execution) if execution.lineage != *lineage => {
            Some("traced again, the statement has another lineage".to_owned())
        }
        Ok(_) => None,
    }
}

fn prove(engine: &Engine, step: &ProvenStep<'_>, settings: &ProofSettings) -> StepProof {
    let types = engine.types_of(step.input);
    let opened = Database::load(step.input, &types, &engine.limits).and_then(|database| {
        let columns = &step.input.columns;
        let resolved = names::resolve(&database, columns, step.statement, engine.double_quoted_strings)?;
        database.set_double_quoted_strings(engine.double_quoted_strings)?;
        let first = database.run(&resolved.run)?;
        database.set_double_quoted_strings(false)?;
        Ok((database, resolved, result::to_table(first, columns)?))
    });
    let (database, resolved, table) = match opened {
        Ok(opened) => opened,
        Err(error) => return not_reproduced(step.step, &format!("run again, the statement fails: {error}")),
    };
    if table != *step.table {
        return not_reproduced(step.step, "run again, the statement gives another table");
    }
    let mut session = match Session::open(&database, &resolved.run, engine.double_quoted_strings) {
        Ok(session) => session,
        Err(error) => return undecided(step.step, &error),
    };
    let seed = [
        settings.seed.to_le_bytes().as_slice(),
        &(step.step as u64).to_le_bytes(),
        step.id.as_bytes(),
    ]
    .concat();
    let values = Values::new(&types, &session.values, &resolved.parse);
    let mut budget = Budget::new(settings);
    let mut first_half = budget.split();
    let soundness = soundness::soundness(&mut session, step.lineage, &values, &seed, settings, &mut first_half);
    budget.merge(&first_half);
    let completeness = if step.lineage.is_exact() {
        let retracing = bounded(engine, session.steps);
        let trace = |change: &Change| trace_again(&retracing, step, &types, change);
        let cells = step.input.rows.len() * step.input.columns.len();
        let retrace = Retrace {
            trace: &trace,
            work: WORK_OF_A_CHANGE * as_work(cells) + RUNS_OF_A_TRACE * session.steps,
        };
        let mut claims = Claims::of(&database, &resolved.parse, session.row_id);
        completeness::completeness(
            &mut session,
            &mut claims,
            step.lineage,
            &values,
            &seed,
            &mut budget,
            &retrace,
        )
    } else {
        Completeness::NotClaimed
    };
    StepProof {
        step: step.step,
        replay: Replay::Same,
        soundness,
        completeness,
        runs: session.runs,
    }
}

/// The lineage of the statement on a changed table, in the rows of the table as it is.
fn trace_again(engine: &Engine, step: &ProvenStep<'_>, types: &[ColumnType], change: &Change) -> Option<Lineage> {
    let mut table = step.input.clone();
    for ((row, column), value) in &change.cells {
        *table.rows.get_mut(*row)?.get_mut(*column)? = values::as_cell(value);
    }
    let kept: Vec<usize> = (0..table.rows.len())
        .filter(|row| !change.deleted.contains(row))
        .collect();
    table.rows = kept.iter().map(|row| std::mem::take(&mut table.rows[*row])).collect();
    let execution = engine
        .run_typed(&table, types, &RowSources::default(), step.statement)
        .ok()?;
    let mut lineage = execution.lineage;
    if change.deleted.is_empty() {
        return Some(lineage);
    }
    let before = |rows: &mut Vec<usize>| {
        for row in rows {
            *row = kept.get(*row).copied().unwrap_or(usize::MAX);
        }
    };
    before(&mut lineage.rows);
    before(&mut lineage.deciding_rows);
    lineage.sources.rows.iter_mut().for_each(before);
    lineage.sources.groups.iter_mut().for_each(before);
    for cell in lineage.condition_cells.iter_mut().chain(&mut lineage.witness_cells) {
        cell.row = kept.get(cell.row).copied().unwrap_or(usize::MAX);
    }
    Some(lineage)
}

/// Runs of the statement that tracing it takes, at most and about.
const RUNS_OF_A_TRACE: u64 = 5;
/// Instructions that any statement may take when it is traced again.
const STEPS_TO_TRACE: u64 = 1_000_000;

/// The engine for tracing again: what it may take follows from what the statement took, never from the clock.
fn bounded(engine: &Engine, steps: u64) -> Engine {
    let mut bounded = engine.clone();
    bounded.limits.steps = engine
        .limits
        .steps
        .min(STEPS_TO_TRACE.saturating_add(steps.saturating_mul(RUNS_OF_A_TRACE)));
    bounded.limits.time = engine.limits.time.saturating_mul(10);
    bounded
}

fn not_reproduced(step: usize, what: &str) -> StepProof {
    let reason = Undecided::NotReproduced;
    StepProof {
        step,
        replay: Replay::Different { what: what.to_owned() },
        soundness: Soundness::Undecided { reason: reason.clone() },
        completeness: Completeness::Undecided { reason, open: 0 },
        runs: 0,
    }
}

fn undecided(step: usize, error: &EngineError) -> StepProof {
    let reason = Undecided::NotPossible {
        message: error.to_string(),
    };
    StepProof {
        step,
        replay: Replay::Same,
        soundness: Soundness::Undecided { reason: reason.clone() },
        completeness: Completeness::Undecided { reason, open: 0 },
        runs: 0,
    }
}

/// The source of randomness of one purpose: ChaCha8 keyed by the BLAKE3 of purpose and seed.
fn generator(seed: &[u8], purpose: &str) -> ChaCha8Rng {
    let mut hasher = blake3::Hasher::new_derive_key("tabjury lineage proof 1 random choice");
    hasher.update(&(purpose.len() as u64).to_le_bytes());
    hasher.update(purpose.as_bytes());
    hasher.update(seed);
    ChaCha8Rng::from_seed(*hasher.finalize().as_bytes())
}
