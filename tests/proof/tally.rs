//! Proofs counted by kind of statement.

use std::collections::BTreeMap;

use tabjury::engine::proof::{ProofSettings, ProvenStep, prove_step};
use tabjury::engine::{Engine, Execution};
use tabjury::table::Table;
use tabjury::trace::RowSources;
use tabjury::trace::lineage::Exactness;
use tabjury::trace::proof::{Completeness, ProofSummary, Replay, Soundness, StepProof};

use super::deletions::refuted_by_deletion;
use super::generator::{Generated, generated};

/// Counts of one kind, and what was found wrong.
#[derive(Default)]
pub(crate) struct Tally {
    /// By kind, and by feature.
    pub(crate) kinds: BTreeMap<&'static str, ProofSummary>,
    /// All of them.
    pub(crate) all: ProofSummary,
    /// Statements that SQLite refuses, as a name that two joined tables have.
    pub(crate) refused: BTreeMap<&'static str, usize>,
    /// Statements without a row.
    pub(crate) empty: usize,
    /// Results whose cells alone explain them, with cells explained by reason.
    pub(crate) reasons: BTreeMap<String, usize>,
    /// Not reproduced, unsound, incomplete.
    pub(crate) findings: Vec<String>,
}

impl Tally {
    /// Proves `count` statements from a seed.
    pub(crate) fn of(seed: u64, count: usize, settings: &ProofSettings) -> Self {
        let mut tally = Self::default();
        let mut number = 0;
        while tally.all.steps < count {
            tally.prove(&generated(seed, number), number, settings);
            number += 1;
        }
        tally
    }

    /// Proves the statements of a seed with these numbers.
    #[allow(dead_code, reason = "the tests prove all of a seed")]
    pub(crate) fn of_numbers(seed: u64, numbers: &[u64], settings: &ProofSettings) -> Self {
        let mut tally = Self::default();
        for number in numbers {
            tally.prove(&generated(seed, *number), *number, settings);
        }
        tally
    }

    /// Only deletes rows outside the marks of some statements, which is much faster.
    #[allow(dead_code, reason = "the tests prove whole")]
    pub(crate) fn of_rows(seed: u64, numbers: std::ops::Range<u64>) -> Self {
        let mut tally = Self::default();
        for number in numbers {
            let Generated {
                kind, table, statement, ..
            } = generated(seed, number);
            let own = RowSources::each_from_itself(table.rows.len());
            match Engine::default().run(&table, &own, &statement) {
                Ok(execution) => tally.delete(kind, &table, &statement, &execution, number),
                Err(error) if error.to_string().contains("ambiguous") => *tally.refused.entry(kind).or_default() += 1,
                Err(error) => tally
                    .findings
                    .push(format!("{number} {kind}: {statement}\n    {error}")),
            }
        }
        tally
    }

    fn delete(&mut self, kind: &str, table: &Table, statement: &str, execution: &Execution, number: u64) {
        let has_row_numbers = statement.contains("rowid");
        if !has_row_numbers && let Some(deleted) = refuted_by_deletion(table, statement, execution) {
            self.findings.push(format!(
                "{number} {kind}: {statement}\n    {:?}\n    without {deleted:?}; marked {:?} and {:?}",
                table.rows, execution.lineage.rows, execution.lineage.deciding_rows
            ));
        }
        if let Exactness::AtLeast { reason } = &execution.lineage.exactness {
            *self.reasons.entry(reason.clone()).or_default() += 1;
        }
    }

    fn prove(&mut self, generated: &Generated, number: u64, settings: &ProofSettings) {
        let engine = Engine::default();
        let Generated {
            kind,
            features,
            table,
            statement,
        } = generated;
        let own = RowSources::each_from_itself(table.rows.len());
        let execution = match engine.run(table, &own, statement) {
            Ok(execution) => execution,
            Err(error) => {
                assert!(error.to_string().contains("ambiguous"), "{statement}: {error}");
                *self.refused.entry(kind).or_default() += 1;
                return;
            }
        };
        self.empty += usize::from(execution.table.rows.is_empty());
        self.delete(kind, table, statement, &execution, number);
        let proof = prove_step(
            &engine,
            &ProvenStep {
                id: "generated",
                step: usize::try_from(number).unwrap_or_default(),
                input: table,
                statement,
                table: &execution.table,
                lineage: &execution.lineage,
            },
            settings,
        );
        for feature in features {
            self.kinds.entry(feature).or_default().add(&proof);
        }
        self.add(
            kind,
            &proof,
            &format!("{number} {kind}: {statement}\n    {:?}", table.rows),
        );
    }

    /// Counts a proof, keeps what is wrong, and why cells are explained.
    pub(crate) fn add(&mut self, kind: &'static str, proof: &StepProof, what: &str) {
        self.all.add(proof);
        self.kinds.entry(kind).or_default().add(proof);
        if let Completeness::Explained { cells, .. } = &proof.completeness {
            for cell in cells {
                *self.reasons.entry(format!("{:?}", cell.reason)).or_default() += 1;
            }
        }
        let is_wrong = proof.replay != Replay::Same
            || !matches!(proof.soundness, Soundness::Sound { .. })
            || matches!(
                proof.completeness,
                Completeness::Incomplete { .. } | Completeness::Undecided { .. }
            );
        if is_wrong {
            self.findings.push(format!(
                "{what}\n    {:?}\n    {:?}\n    {:?}",
                proof.replay, proof.soundness, proof.completeness
            ));
        }
    }

    /// Fails where fewer than these shares are sound, and complete or explained (of those whose lineage claims to be), or
    /// more are sound because nothing lies outside their marks.
    pub(crate) fn assert_proven(&self, sound: f64, vacuous: f64, complete: f64) {
        let share = |part: usize, whole: usize| {
            f64::from(u32::try_from(part).unwrap()) / f64::from(u32::try_from(whole.max(1)).unwrap())
        };
        let all = &self.all;
        let findings = self.findings.join("\n");
        assert!(all.steps > 0);
        assert!(!findings.contains("    without ["), "{findings}");
        assert!(share(all.sound_in_all(), all.steps) >= sound, "{findings}");
        // Where everything is marked nothing can be tried: a tracer that marks too much would be sound that way.
        assert!(
            share(all.sound_vacuous, all.steps) <= vacuous,
            "{} of {} have nothing outside their marks",
            all.sound_vacuous,
            all.steps
        );
        let claimed = all.steps - all.not_claimed;
        assert!(
            share(all.complete + all.explained + all.explained_by_tracing, claimed) >= complete,
            "{findings}"
        );
    }

    /// One line a kind.
    pub(crate) fn table(&self) -> String {
        let mut text = format!(
            "{:<30} {:>6} {:>6} {:>8} {:>8} {:>8} {:>8} {:>9} {:>10} {:>10} {:>12} {:>9}\n",
            "kind",
            "steps",
            "sound",
            "sampled",
            "vacuous",
            "unsound",
            "complete",
            "explained",
            "by tracing",
            "incomplete",
            "conservative",
            "undecided"
        );
        for (kind, counts) in self
            .kinds
            .iter()
            .map(|(kind, counts)| (*kind, counts))
            .chain([("ALL", &self.all)])
        {
            text.push_str(&format!(
                "{kind:<30} {:>6} {:>6} {:>8} {:>8} {:>8} {:>8} {:>9} {:>10} {:>10} {:>12} {:>9}\n",
                counts.steps,
                counts.sound,
                counts.sound_sampled,
                counts.sound_vacuous,
                counts.unsound,
                counts.complete,
                counts.explained,
                counts.explained_by_tracing,
                counts.incomplete,
                counts.not_claimed,
                counts.soundness_undecided + counts.completeness_undecided + counts.not_reproduced
            ));
        }
        text.push_str(&format!(
            "{} without a row; refused {:?}; cells explained and statements conservative by reason {:?}; {} runs\n",
            self.empty, self.refused, self.reasons, self.all.runs
        ));
        text
    }
}
