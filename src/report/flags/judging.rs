//! Flags on how was judged: another protocol than the default one, a judge of the answering model's family, repaired
//! verdicts.

use std::collections::{BTreeMap, BTreeSet};

use super::{FlagKind, Flags, Severity, counted, same_model, task_name};
use crate::judge::family::family;
use crate::judge::{Judgment, Task, Trial};
use crate::report::analysis::Analysis;
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
        self.family_unknown(study);
        for judge in &study.judges {
            self.same_family(study, judge);
            self.asked_as_text(study, index, judge);
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

    /// Models whose identifier tells no family: nothing is known of whether a judge is of the answering model's.
    fn family_unknown(&mut self, study: &StudyFacts) {
        let identifier = |model: &str| match study.model(model) {
            Some(known) if known.scripted => None,
            Some(known) => known.identifier.clone(),
            None => Some(model.to_owned()).filter(|model| !model.is_empty()),
        };
        let judging = study.judges.iter().map(|judge| judge.model.as_str());
        let answering = study.arms.iter().map(|arm| arm.model.as_str());
        if study.judges.iter().all(|judge| study.model(&judge.model).is_none()) {
            // Recorded elsewhere: the names of judges in a log need not be models at all.
            return;
        }
        let unknown: BTreeSet<String> = judging
            .chain(answering)
            .filter_map(identifier)
            .filter(|identifier| family(identifier).is_none())
            .collect();
        if unknown.is_empty() {
            return;
        }
        let names: Vec<&str> = unknown.iter().map(String::as_str).collect();
        self.add(
            Severity::Caution,
            FlagKind::FamilyUnknown,
            (None, None, None),
            format!(
                "The family is not known of: {}. Whether a judge is of the family of a model that answered cannot be told \
                 where one of these judges or answers.",
                names.join(", ")
            ),
        );
    }

    /// What was judged holds texts that speak to the judge.
    pub(super) fn suspects(&mut self, analysis: &Analysis) {
        let shown = match analysis.study.imported_judgments {
            None => "It was shown as it stands, between the fences of the prompt.",
            Some(_) => "Only the answers of the log were looked at: it has no pages and no questions.",
        };
        for arm in &analysis.suspects {
            let by = |counts: &BTreeMap<String, usize>| {
                let counts: Vec<String> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
                counts.join(", ")
            };
            self.add(
                Severity::Caution,
                FlagKind::Suspects,
                (None, None, Some(&arm.arm)),
                format!(
                    "{} of {} that show {} hold text that speaks to the judge or has the form of a verdict (in: {}; \
                     by rule: {}). {} Read such trials before trusting their verdicts.",
                    arm.suspect_trials,
                    counted(arm.trials, "trial"),
                    arm.arm,
                    by(&arm.by_part),
                    by(&arm.by_rule),
                    shown
                ),
            );
        }
    }

    /// How often the endpoint took not the form that the study asks for.
    fn asked_as_text(&mut self, study: &StudyFacts, index: &Index, judge: &JudgeFacts) {
        let tasks: BTreeSet<Task> = study.tasks.iter().copied().collect();
        let asked: Vec<bool> = tasks
            .into_iter()
            .flat_map(|task| index.scored(task, &judge.name))
            .filter_map(|scored| scored.judgment?.asked)
            .map(|asked| asked.refused)
            .collect();
        let refused = asked.iter().filter(|refused| **refused).count();
        if refused > 0 {
            self.add(
                Severity::Caution,
                FlagKind::AskedAsText,
                (None, Some(&judge.name), None),
                format!(
                    "The study asks {} for JSON, and its endpoint refused that: {refused} of {} trials were asked for in \
                     text.",
                    judge.name,
                    asked.len()
                ),
            );
        }
    }

    fn repaired(&mut self, study: &StudyFacts, index: &Index, judge: &JudgeFacts) {
        for task in study.tasks.iter().copied().collect::<BTreeSet<_>>() {
            let scored = index.scored(task, &judge.name);
            let asked: Vec<(&Trial, &Judgment)> = scored
                .iter()
                .filter_map(|scored| Some((scored.trial, scored.judgment?)))
                .filter(|(_, judgment)| judgment.repair.is_some())
                .collect();
            if asked.is_empty() {
                continue;
            }
            let given = asked.iter().filter(|(_, judgment)| judgment.is_repaired()).count();
            let failed = asked
                .iter()
                .filter(|(_, judgment)| judgment.repair.as_ref().is_some_and(|repair| repair.failure.is_some()))
                .count();
            let mut by_arm: BTreeMap<&str, usize> = BTreeMap::new();
            for (trial, _) in &asked {
                for arm in trial.arms.iter().filter(|_| trial.arms.len() == 1) {
                    *by_arm.entry(arm).or_default() += 1;
                }
            }
            let arms: Vec<String> = by_arm.iter().map(|(arm, count)| format!("{arm} {count}")).collect();
            let by_arm = match arms.as_slice() {
                [] => String::new(),
                arms => format!(" By arm: {}.", arms.join(", ")),
            };
            self.add(
                Severity::Caution,
                FlagKind::Repaired,
                (Some(task), Some(&judge.name), None),
                format!(
                    "{} of {} of {} in {} held no verdict that could be read, and it was asked again: {given} gave \
                     one then, {} did not, {failed} of the requests failed.{by_arm}",
                    asked.len(),
                    counted(scored.len(), "answer"),
                    judge.name,
                    task_name(task),
                    asked.len() - given - failed
                ),
            );
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
