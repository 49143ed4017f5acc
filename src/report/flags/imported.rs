//! The flag that explanations were made elsewhere.

use super::{FlagKind, Flags, Severity};
use crate::report::analysis::Analysis;
use crate::report::records::StudyFacts;

impl Flags {
    pub(super) fn imported_judgments(&mut self, study: &StudyFacts) {
        let Some(imported) = &study.imported_judgments else {
            return;
        };
        let mut message = format!(
            "The judgments were recorded elsewhere ({} rows of {}) and imported. The log does not have: {}.",
            imported.rows,
            imported.source,
            imported.absent.join("; ")
        );
        if imported.own_samples {
            message.push_str(
                " Each arm was judged on samples of its own, and its figures are over these: two arms cannot be compared.",
            );
        }
        if imported.unread_predictions > 0 {
            message.push_str(&format!(
                " {} judged answers are spelled as the mapping does not say.",
                imported.unread_predictions
            ));
        }
        for (count, what) in [
            (imported.unread_gold, "right answers"),
            (imported.unread_labels, "words on whether an answer is right"),
        ] {
            if count > 0 {
                message.push_str(&format!(" {count} {what} are spelled as the mapping does not say."));
            }
        }
        if imported.rankings_without_arms > 0 {
            message.push_str(&format!(
                " {} rankings could not be read, and of which arms they are is not known: they stand under no arm.",
                imported.rankings_without_arms
            ));
        }
        if imported.conflicting_gold > 0 {
            message.push_str(&format!(
                " Of {} samples two rows have different right answers, so that none is taken.",
                imported.conflicting_gold
            ));
        }
        if imported.labels_against_scoring > 0 {
            message.push_str(&format!(
                " {} rows call a judged answer right or wrong where the data set's own scoring says otherwise; the log's \
                 word is taken.",
                imported.labels_against_scoring
            ));
        }
        self.add(
            Severity::Caution,
            FlagKind::ImportedJudgments,
            (None, None, None),
            message,
        );
    }

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
