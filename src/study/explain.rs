//! The explain stage: every trace as the pages that the tasks need, and the control pages beside them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use crate::dataset::{Answer, Sample};
use crate::explain::{AnswerVisibility, Format, Leak, Page, PagesOfSample};
use crate::judge::CONTROL_ARM;
use crate::method;
use crate::model::ModelEntry;
use crate::report::PageRecord;
use crate::trace::Trace;

use super::directory::{DirectoryError, RunDirectory, file_name};
use super::file::OnLeak;
use super::load::{Arm, Study};

/// Which page: the arm, the sample, whether the answer is shown, and (of a control) which answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PageKey {
    pub(super) arm: String,
    pub(super) sample: String,
    pub(super) answer: AnswerVisibility,
    pub(super) control_answer: Option<Answer>,
}

/// The pages of a study by what they show.
pub(super) type Pages = BTreeMap<PageKey, Arc<Page>>;

/// The pages with what the run directory and the analysis need to know of them.
#[derive(Default)]
pub(super) struct Explained {
    pub(super) records: Vec<PageRecord>,
    pub(super) pages: Pages,
}

/// What a study calls things that tell what made a page: arms, methods with their titles, models with their identifiers,
/// and files.
pub(super) fn telling_names(study: &Study) -> Vec<String> {
    let file_of = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let mut names: BTreeSet<String> = BTreeSet::new();
    for arm in &study.file.arms {
        names.insert(arm.name.clone());
        names.extend(arm.import.as_deref().and_then(file_of));
        if let Some(method) = &arm.method {
            names.insert(method.clone());
            names.extend(method::find(method).map(|method| method.title.to_owned()));
        }
    }
    for model in &study.file.models {
        names.insert(model.name().to_owned());
        match model {
            ModelEntry::Openai { model, .. } => names.extend([model.clone()]),
            ModelEntry::Script { file, .. } => names.extend(file_of(file)),
        }
    }
    names.into_iter().collect()
}

/// The directory of pages inside a run.
pub(super) const PAGES_DIRECTORY: &str = "pages";

/// Renders every page of a study.
pub(super) fn explain(
    samples: &[Sample],
    arms: &[Arm],
    traces: &[Trace],
    names: &[String],
    control: bool,
) -> Explained {
    let mut explained = Explained::default();
    let by_key: BTreeMap<(&str, &str), &Trace> = traces
        .iter()
        .map(|trace| ((trace.sample.as_str(), trace.answerer.as_str()), trace))
        .collect();
    for sample in samples {
        let pages = PagesOfSample::new(sample, names);
        let shown: Vec<(&Arm, &Trace)> = arms
            .iter()
            .filter_map(|arm| {
                by_key
                    .get(&(sample.id.as_str(), arm.answerer.as_str()))
                    .map(|trace| (arm, *trace))
            })
            .collect();
        for (arm, trace) in &shown {
            for visibility in AnswerVisibility::ALL {
                explained.add(&arm.name, &pages, trace, arm.format, visibility);
            }
        }
        if control {
            explained.add_controls(&pages, shown.iter().map(|(_, trace)| *trace));
        }
    }
    explained
}

impl Explained {
    /// One control page without an answer, and one for each distinct answer that an arm gave.
    fn add_controls<'a>(&mut self, pages: &PagesOfSample<'a>, traces: impl Iterator<Item = &'a Trace>) {
        let mut by_answer: BTreeMap<&Answer, &Trace> = BTreeMap::new();
        let mut any = None;
        for trace in traces {
            any = any.or(Some(trace));
            if let Some(answer) = &trace.answer {
                by_answer.entry(answer).or_insert(trace);
            }
        }
        if let Some(trace) = any {
            self.add(CONTROL_ARM, pages, trace, Format::None, AnswerVisibility::Withheld);
        }
        for trace in by_answer.into_values() {
            self.add(CONTROL_ARM, pages, trace, Format::None, AnswerVisibility::Shown);
        }
    }

    fn add<'a>(
        &mut self,
        arm: &str,
        pages: &PagesOfSample<'a>,
        trace: &'a Trace,
        format: Format,
        visibility: AnswerVisibility,
    ) {
        let sample = pages.sample();
        let page = pages.render(trace, format, visibility);
        let is_control = arm == CONTROL_ARM;
        let prediction = match (is_control, visibility) {
            (true, AnswerVisibility::Withheld) => None,
            _ => trace.answer.clone(),
        };
        let control_answer = prediction.clone().filter(|_| is_control);
        let stem = page_stem(arm, &sample.id, visibility, control_answer.as_ref());
        self.records.push(PageRecord {
            sample: sample.id.clone(),
            arm: arm.to_owned(),
            answer: visibility,
            prediction,
            facts: page.facts.clone(),
            html: format!("{PAGES_DIRECTORY}/{stem}.html"),
            markdown: format!("{PAGES_DIRECTORY}/{stem}.md"),
        });
        let key = PageKey {
            arm: arm.to_owned(),
            sample: sample.id.clone(),
            answer: visibility,
            control_answer,
        };
        self.pages.insert(key, Arc::new(page));
    }

    /// The files of the pages, by their path inside the directory of pages.
    pub(super) fn files(&self) -> Vec<(String, Vec<u8>)> {
        let inside = |path: &str| {
            let path = path.strip_prefix(PAGES_DIRECTORY).unwrap_or(path);
            path.strip_prefix('/').unwrap_or(path).to_owned()
        };
        self.records
            .iter()
            .zip(self.in_order())
            .flat_map(|(record, page)| {
                [
                    (inside(&record.html), page.html.clone().into_bytes()),
                    (inside(&record.markdown), page.markdown.clone().into_bytes()),
                ]
            })
            .collect()
    }

    /// Every leak of a page, by the page's file.
    pub(super) fn leaks(&self) -> impl Iterator<Item = (&PageRecord, &Leak)> {
        self.records
            .iter()
            .flat_map(|record| record.facts.leaks.iter().map(move |leak| (record, leak)))
    }

    /// Before any trial is asked: pages that tell what they must not, in words, unless the study only flags them.
    pub(super) fn refuse_leaks(&self, on_leak: OnLeak) -> Result<(), String> {
        const NAMED: usize = 5;
        let leaks: Vec<String> = self.leaks().map(|(record, leak)| leak_words(record, leak)).collect();
        if leaks.is_empty() || on_leak == OnLeak::Flag {
            return Ok(());
        }
        let rest = match leaks.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        Err(format!(
            "no trial was asked, because pages tell what they must not: {}{rest}",
            leaks.iter().take(NAMED).cloned().collect::<Vec<_>>().join("; ")
        ))
    }

    fn in_order(&self) -> impl Iterator<Item = &Arc<Page>> {
        self.records.iter().filter_map(|record| self.pages.get(&key_of(record)))
    }
}

/// A leak in words: what, and on which page of which arm and sample.
pub(super) fn leak_words(record: &PageRecord, leak: &Leak) -> String {
    format!(
        "{} of arm `{}`, sample `{}`: {} ({})",
        record.markdown,
        record.arm,
        record.sample,
        leak.what.words(),
        leak.place
    )
}

/// Reads the pages back that an earlier explain stage wrote.
pub(super) fn read_pages(run: &RunDirectory, records: Vec<PageRecord>) -> Result<Explained, DirectoryError> {
    let mut pages = Pages::new();
    for record in &records {
        let page = Page {
            html: run.read_text(&record.html)?,
            markdown: run.read_text(&record.markdown)?,
            facts: record.facts.clone(),
        };
        pages.insert(key_of(record), Arc::new(page));
    }
    Ok(Explained { records, pages })
}

fn key_of(record: &PageRecord) -> PageKey {
    PageKey {
        arm: record.arm.clone(),
        sample: record.sample.clone(),
        answer: record.answer,
        control_answer: record.prediction.clone().filter(|_| record.arm == CONTROL_ARM),
    }
}

/// `ARM/SAMPLE.shown`, `ARM/SAMPLE.withheld`, and for a control that shows an answer its hash besides.
fn page_stem(arm: &str, sample: &str, visibility: AnswerVisibility, control_answer: Option<&Answer>) -> String {
    let shown = visibility.name();
    let which = control_answer
        .map(|answer| format!("-{}", &super::directory::fingerprint(answer)[..8]))
        .unwrap_or_default();
    format!("{arm}/{}.{shown}{which}", file_name(sample))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::explain::LeakKind;

    #[test]
    fn a_page_that_leaks_is_refused_or_flagged() {
        let example = |kind: &str| {
            let path = format!("{}/docs/examples/{kind}.json", env!("CARGO_MANIFEST_DIR"));
            std::fs::read_to_string(path).unwrap()
        };
        let sample: Sample = serde_json::from_str(&example("sample")).unwrap();
        let trace: Trace = serde_json::from_str(&example("trace")).unwrap();
        let mut explained = Explained::default();
        for arm in ["fir", "oak"] {
            explained.add(
                arm,
                &PagesOfSample::new(&sample, &[]),
                &trace,
                Format::AttributionChain,
                AnswerVisibility::Withheld,
            );
        }
        assert_eq!(explained.refuse_leaks(OnLeak::Refuse), Ok(()));
        explained.records[1].facts.leaks.push(Leak {
            what: LeakKind::Answer,
            place: "Markdown line 14".to_owned(),
        });
        let said = explained.refuse_leaks(OnLeak::Refuse).unwrap_err();
        for part in [
            "pages/oak/",
            "arm `oak`",
            &sample.id,
            "the withheld answer (Markdown line 14)",
        ] {
            assert!(said.contains(part), "{said}");
        }
        assert_eq!(explained.refuse_leaks(OnLeak::Flag), Ok(()));
    }
}
