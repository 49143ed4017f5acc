//! The flag that explanations were made elsewhere.

use super::{FlagKind, Flags, Severity, counted};
use crate::report::analysis::Analysis;
use crate::report::records::StudyFacts;

impl Flags {
    pub(super) fn imported_judgments(&mut self, study: &StudyFacts) {
        let Some(imported) = &study.imported_judgments else {
            return;
        };
        let mut message = format!(
            "The judgments were recorded elsewhere ({} of {}) and imported. The log does not have: {}.",
            counted(imported.rows, "row"),
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
                " Spelled as the mapping does not say: {}.",
                counted(imported.unread_predictions, "judged answer")
            ));
        }
        for (count, what) in [
            (imported.unread_gold, "right answer"),
            (imported.unread_labels, "label of an answer"),
        ] {
            if count > 0 {
                message.push_str(&format!(
                    " Spelled as the mapping does not say: {}.",
                    counted(count, what)
                ));
            }
        }
        if imported.rankings_without_arms > 0 {
            message.push_str(&format!(
                " {} could not be read, and of which arms is not known: under no arm.",
                counted(imported.rankings_without_arms, "ranking")
            ));
        }
        if imported.conflicting_gold > 0 {
            message.push_str(&format!(
                " Of {} two rows have different right answers, so that none is taken.",
                counted(imported.conflicting_gold, "sample")
            ));
        }
        if imported.labels_against_scoring > 0 {
            message.push_str(&format!(
                " In {} a judged answer is called right or wrong where the data set's own scoring says otherwise; the \
                 log's word is taken.",
                counted(imported.labels_against_scoring, "row")
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
                    "Made elsewhere and imported: {} of {}. How their answers came about, what they \
                     took and whether their highlights are true is not known here: they have no lineage, nothing of them \
                     is proven, and their cost is missing, not nothing.",
                    counted(answerer.imported, "explanation"),
                    answerer.arms.join(", ")
                ),
            );
        }
    }
}
