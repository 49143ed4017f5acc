//! Flags on what a check of the run found, and on what it left open.

use super::{FlagKind, Flags, Severity, counted};
use crate::report::analysis::Analysis;

impl Flags {
    pub(super) fn check(&mut self, analysis: &Analysis) {
        let Some(check) = &analysis.check else {
            return;
        };
        if let Some((first, others)) = check.findings.split_first() {
            let others = match others.len() {
                0 => String::new(),
                more => format!(" ({more} more below)"),
            };
            self.add(
                Severity::Severe,
                FlagKind::CheckFindings,
                (None, None, None),
                format!("The check of this run found: {first}{others}."),
            );
        }
        if check.unproven > 0 {
            let first = check
                .cautions
                .first()
                .map_or_else(String::new, |first| format!(" The first: {first}."));
            self.add(
                Severity::Caution,
                FlagKind::Unproven,
                (None, None, None),
                format!(
                    "The check leaves something open of {} of {}: their marks are claims that it neither proved nor \
                     refuted.{first}",
                    check.unproven,
                    counted(check.steps, "step")
                ),
            );
        }
    }
}
