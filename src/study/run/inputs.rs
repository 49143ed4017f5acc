//! What each stage is made from, as a fingerprint: outputs made from anything else are made again or refused.

use super::{RunError, Running, Stage};
use crate::study::directory::fingerprint;
use crate::study::explain::telling_names;
use crate::study::judge;

impl Running<'_> {
    pub(super) fn answer_inputs(&self) -> Result<String, RunError> {
        let answerers: Vec<_> = self
            .study
            .answerers()?
            .iter()
            .map(|who| {
                (
                    who.name.clone(),
                    who.method_name,
                    who.method.settings(),
                    self.models.identity(&who.model),
                )
            })
            .collect();
        let imports = self.imports.digests();
        let made_here = fingerprint(&(self.samples.as_ref(), answerers, &self.study.file.engine));
        Ok(if imports.is_empty() {
            made_here
        } else {
            fingerprint(&(made_here, imports))
        })
    }

    pub(super) fn explain_inputs(&self) -> Result<String, RunError> {
        let arms: Vec<_> = self
            .arms
            .iter()
            .map(|arm| (&arm.name, &arm.answerer, arm.format))
            .collect();
        Ok(fingerprint(&(
            self.answer_inputs()?,
            arms,
            &self.study.file.control,
            telling_names(self.study),
        )))
    }

    pub(super) fn judge_inputs(&self) -> Result<String, RunError> {
        let judges: Vec<_> = self
            .study
            .file
            .judges
            .iter()
            .map(|judge| (judge, self.models.identity(&judge.model)))
            .collect();
        let file = &self.study.file;
        let prompts = judge::own_prompts(self.study);
        Ok(fingerprint(&(
            self.explain_inputs()?,
            judges,
            (&file.tasks.preference, &file.tasks.simulation, &file.tasks.verification),
            prompts,
            file.study.seed,
        )))
    }

    pub(super) fn faithfulness_inputs(&self) -> Result<String, RunError> {
        Ok(fingerprint(&(
            self.answer_inputs()?,
            &self.study.file.tasks.faithfulness,
        )))
    }

    pub(super) fn report_inputs(&self) -> String {
        let judged = self.manifest.stages.get(&Stage::Judge);
        let measured = self.manifest.stages.get(&Stage::Faithfulness);
        fingerprint(&(judged, measured, &self.study.file.study, &self.study.file.report))
    }
}
