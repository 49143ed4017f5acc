//! The flag that explanations were made elsewhere.

use super::{FlagKind, Flags, Severity};
use crate::report::analysis::Analysis;

impl Flags {
    pub(super) fn imported(&mut self, analysis: &Analysis) {
        for answerer in analysis.answerers.iter().filter(|answerer| answerer.imported > 0) {
            self.add(
                Severity::Caution,
                FlagKind::ImportedExplanations,
                (None, None, Some(&answerer.answerer)),
                format!(
                    "The {} explanations of {} were made elsewhere and imported. How their answers came about, what they \
                     took and whether their highlights are true is not known here: they have no lineage, nothing of them \
                     is proven, and their cost is missing, not nothing.",
                    answerer.imported,
                    answerer.arms.join(", ")
                ),
            );
        }
    }
}
