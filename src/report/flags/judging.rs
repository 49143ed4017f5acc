//! Flags on how was judged: another protocol than the default one, a judge of the answering model's family, repaired
//! verdicts.

use std::collections::BTreeSet;

use super::{FlagKind, Flags, Severity, same_model, task_name};
use crate::judge::family::family;
use crate::report::index::Index;
use crate::report::records::{JudgeFacts, StudyFacts};

impl Flags {
    pub(super) fn judging(&mut self, study: &StudyFacts, index: &Index) {
        if !study.protocol.is_empty() {
            self.add(
                Severity::Caution,
                FlagKind::Protocol,
                (None, None, None),
                format!(
                    "The protocol is not the default one, so figures of other studies may not compare. {}",
                    study.protocol.join(" ")
                ),
            );
        }
        for judge in &study.judges {
            self.same_family(study, judge);
            self.repaired(study, index, judge);
        }
    }

    fn same_family(&mut self, study: &StudyFacts, judge: &JudgeFacts) {
        let Some(own) = family_of(study, &judge.model) else {
            return;
        };
        let arms: Vec<&str> = study
            .arms
            .iter()
            .filter(|arm| !same_model(study, judge, &arm.model) && family_of(study, &arm.model) == Some(own))
            .map(|arm| arm.name.as_str())
            .collect();
        if arms.is_empty() {
            return;
        }
        self.add(
            Severity::Caution,
            FlagKind::SameFamily,
            (None, Some(&judge.name), None),
            format!(
                "Judge {} runs on a model of the {own} family, and so does what answered in {}. A model may favour the \
                 words of its family.",
                judge.name,
                arms.join(", ")
            ),
        );
    }

    fn repaired(&mut self, study: &StudyFacts, index: &Index, judge: &JudgeFacts) {
        for task in study.tasks.iter().copied().collect::<BTreeSet<_>>() {
            let scored = index.scored(task, &judge.name);
            let asked_again = scored
                .iter()
                .filter(|scored| scored.judgment.is_some_and(|judgment| judgment.repair.is_some()))
                .count();
            let repaired = scored
                .iter()
                .filter(|scored| scored.judgment.is_some_and(crate::judge::Judgment::is_repaired))
                .count();
            if asked_again > 0 {
                self.add(
                    Severity::Caution,
                    FlagKind::Repaired,
                    (Some(task), Some(&judge.name), None),
                    format!(
                        "{} was asked again for {asked_again} of {} verdicts in {} that could not be read; {repaired} of \
                         them count as given then.",
                        judge.name,
                        scored.len(),
                        task_name(task)
                    ),
                );
            }
        }
    }
}

/// The family of a model of the study, or of the identifier that an imported arm names.
fn family_of(study: &StudyFacts, model: &str) -> Option<&'static str> {
    match study.model(model) {
        Some(known) if known.scripted => None,
        Some(known) => known.identifier.as_deref().and_then(family),
        None => family(model),
    }
}
