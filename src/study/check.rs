//! Checks of a study against its samples, before any call.

use std::collections::BTreeMap;

use crate::dataset::{QuestionKind, Sample};
use crate::method;

use super::load::{Study, StudyError};

/// Refuses samples with one id, and methods that are not defined for what the samples ask.
pub(super) fn samples(study: &Study, samples: &[Sample]) -> Result<(), StudyError> {
    let wrong = |message: String| StudyError::Meaning {
        path: study.path.clone(),
        message,
    };
    let mut seen = BTreeMap::new();
    for sample in samples {
        if let Some(earlier) = seen.insert(sample.id.as_str(), sample) {
            return Err(wrong(format!(
                "two samples are called `{}` (tables {:?} and {:?}): everything is keyed by the id, so take one of them out",
                sample.id, earlier.table_id, sample.table_id
            )));
        }
    }
    for arm in &study.file.arms {
        let Some(descriptor) = arm.method.as_deref().and_then(method::find) else {
            continue;
        };
        let Some(odd) = samples.iter().find(|sample| !descriptor.kinds.contains(&sample.kind)) else {
            continue;
        };
        return Err(wrong(format!(
            "arm `{}`: the method `{}` is not defined for {} (sample `{}` asks for it); it is defined for {}",
            arm.name,
            descriptor.name,
            in_words(odd.kind),
            odd.id,
            descriptor
                .kinds
                .iter()
                .copied()
                .map(in_words)
                .collect::<Vec<_>>()
                .join(" and ")
        )));
    }
    Ok(())
}

fn in_words(kind: QuestionKind) -> &'static str {
    match kind {
        QuestionKind::FactVerification => "statements to verify",
        QuestionKind::ShortAnswer => "questions with short answers",
        QuestionKind::FreeForm => "questions answered by a sentence",
    }
}
