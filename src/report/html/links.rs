//! Paths between the files of a report. Every one is relative, made of safe characters, and stays below the directory
//! of the report.

use std::collections::BTreeSet;

use crate::explain::AnswerVisibility;
use crate::report::index::Index;
use crate::report::records::{PageRecord, StudyFacts};
use crate::trace::Trace;

/// A link to a path that a run gave, or `None` when it is not a plain relative path: then it is not linked at all.
pub(super) fn href(path: &str) -> Option<String> {
    if path.is_empty()
        || path
            .split('/')
            .any(|segment| segment.is_empty() || segment == "." || segment == "..")
    {
        return None;
    }
    let mut encoded = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => encoded.push(byte as char),
            b'\\' | b':' => return None,
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    Some(encoded)
}

/// File names of trial pages: `trials/<trial>-<judge>.html`.
#[derive(Debug)]
pub(super) struct TrialPaths {
    judges: Vec<String>,
}

impl TrialPaths {
    /// With one name a judge, different from each other also where a file system takes `A` and `a` for the same.
    pub(super) fn new(study: &StudyFacts) -> Self {
        let mut taken = BTreeSet::new();
        let judges = (1..)
            .zip(&study.judges)
            .map(|(number, judge)| {
                let own = safe(&judge.name).unwrap_or_else(|| format!("judge-{number}"));
                let mut name = own.clone();
                while !taken.insert(name.clone()) {
                    name = format!("{name}-{number}");
                }
                name
            })
            .collect();
        Self { judges }
    }

    /// The page of a trial before a judge, given by its place in the study.
    pub(super) fn page(&self, trial: &str, judge: usize) -> String {
        let trial = safe(trial).unwrap_or_else(|| blake3::hash(trial.as_bytes()).to_hex().to_string());
        let judge = self.judges.get(judge).map_or("judge", String::as_str);
        format!("trials/{trial}-{judge}.html")
    }
}

/// Lower case, if nothing but letters, digits, `-` and `_`.
fn safe(name: &str) -> Option<String> {
    let plain = |character: char| character.is_ascii_alphanumeric() || character == '-' || character == '_';
    ((1..=64).contains(&name.len()) && name.chars().all(plain)).then(|| name.to_ascii_lowercase())
}

/// The page of an arm on a sample; for a control that shows an answer, the one of this prediction.
pub(super) fn find_page<'a>(
    index: &Index<'a>,
    sample: &str,
    arm: &str,
    answer: AnswerVisibility,
    prediction: Option<&crate::dataset::Answer>,
) -> Option<&'a PageRecord> {
    let pages = index.pages(sample, arm, answer);
    pages
        .iter()
        .copied()
        .find(|page| prediction.is_some() && page.prediction.as_ref() == prediction)
        .or_else(|| {
            pages
                .first()
                .copied()
                .filter(|_| pages.len() == 1 || prediction.is_none())
        })
}

/// Pages that show a trace, as (arm, page), the answer shown.
pub(super) fn pages_of_trace<'a>(index: &Index<'a>, trace: &Trace) -> Vec<(&'a str, &'a PageRecord)> {
    let arms = index
        .records
        .study
        .arms
        .iter()
        .filter(|arm| arm.answerer == trace.answerer);
    arms.filter_map(|arm| {
        let page = find_page(
            index,
            &trace.sample,
            &arm.name,
            AnswerVisibility::Shown,
            trace.answer.as_ref(),
        )?;
        Some((arm.name.as_str(), page))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::records::JudgeFacts;

    #[test]
    fn only_plain_relative_paths_are_linked() {
        assert_eq!(href("pages/a-1.html").as_deref(), Some("pages/a-1.html"));
        assert_eq!(
            href("pages/a b#?\"<.html").as_deref(),
            Some("pages/a%20b%23%3F%22%3C.html")
        );
        for bad in [
            "",
            "/etc/passwd",
            "../x",
            "a/../x",
            "javascript:alert(1)",
            "a\\b",
            "a//b",
            "./a",
        ] {
            assert_eq!(href(bad), None, "{bad}");
        }
    }

    #[test]
    fn trial_pages_are_safe_and_distinct() {
        let judge = |name: &str| JudgeFacts {
            name: name.to_owned(),
            model: "m".to_owned(),
            view: "markdown".to_owned(),
            panel: Vec::new(),
            person: false,
        };
        let study = StudyFacts {
            name: "s".to_owned(),
            title: None,
            note: None,
            seed: 0,
            confidence: 0.95,
            arms: Vec::new(),
            judges: ["A", "a", "../x", "a-2", "judge-3"].map(judge).to_vec(),
            models: Vec::new(),
            tasks: Vec::new(),
            control: true,
            imported_judgments: None,
            protocol: Vec::new(),
        };
        let paths = TrialPaths::new(&study);
        let pages: BTreeSet<String> = (0..5).map(|judge| paths.page("00ff", judge)).collect();
        assert_eq!(pages.len(), 5, "{pages:?}");
        for page in pages.iter().chain([&paths.page("../../x", 0)]) {
            assert_eq!(href(page).as_deref(), Some(page.as_str()));
        }
    }
}
