//! The report as HTML: `report.html` with every figure and the lists of trials behind them (long lists on
//! pages of their own), and one page a trial and judge with page, prompt, raw answer and verdict. All of it opens from disk,
//! reads without scripts, which only filter and sort, and escapes everything: names, tables, prompts and answers are text, whatever they say.

mod agreement;
mod anchors;
mod answers;
mod beyond_chance;
mod chart;
mod checks;
mod correlation;
mod faithfulness;
mod figures;
mod left_out;
mod links;
mod lists;
mod overview;
mod people;
mod preference;
mod preference_forms;
mod resources;
mod simulation;
mod trials;
mod verification;
mod view;

use std::sync::LazyLock;

use askama::Template;

use super::ReportError;
use super::analysis::Analysis;
use super::figures::{Figure, Ink};
use super::index::Index;
use super::records::{CallLookup, RunRecords, StudyFacts};
use crate::explain::content_policy;
use overview::FlagGroup;
use view::{Block, Section};

/// The name of the report's file.
pub const REPORT: &str = "report.html";

/// The style of the report and of its trial pages.
#[derive(Template)]
#[template(path = "report_page_style.css", escape = "none")]
struct ReportStyle;

/// What filters and sorts long tables. Without it the report says the same.
#[derive(Template)]
#[template(path = "report_script.js", escape = "none")]
struct ReportScript;

static CONTENT_POLICY: LazyLock<String> =
    LazyLock::new(|| content_policy::policy(&content_policy::rendered(&ReportStyle), None));

static SCRIPTED_CONTENT_POLICY: LazyLock<String> = LazyLock::new(|| {
    let script = content_policy::rendered(&ReportScript);
    content_policy::policy(&content_policy::rendered(&ReportStyle), Some(&script))
});

/// What a trial page allows a browser to load and run.
pub(crate) fn content_policy() -> &'static str {
    &CONTENT_POLICY
}

/// The same for a trial page that shows pictures of the run, which are files beside it.
pub(crate) fn content_policy_with_pictures() -> String {
    CONTENT_POLICY.replace("img-src data:", "img-src 'self' file:")
}

/// The same for the report and its lists, which have a script.
pub(crate) fn scripted_content_policy() -> &'static str {
    &SCRIPTED_CONTENT_POLICY
}

/// The report itself.
#[derive(Template)]
#[template(path = "report.html")]
struct ReportPage<'a> {
    title: &'a str,
    name: &'a str,
    note: Option<&'a str>,
    conclusions: &'a [String],
    scripted: bool,
    facts: Vec<(&'static str, String)>,
    flags: Vec<FlagGroup>,
    sections: Vec<Section>,
    tables: Vec<String>,
    latex: Vec<String>,
}

/// All files of the report as (path relative to the run directory, bytes): `report.html` first.
pub fn report_html(
    analysis: &Analysis,
    records: &RunRecords,
    calls: &dyn CallLookup,
) -> Result<Vec<(String, Vec<u8>)>, ReportError> {
    let mut files = Vec::new();
    report_pages(analysis, records, calls, |path, bytes| {
        files.push((path, bytes));
        Ok::<(), ReportError>(())
    })?;
    Ok(files)
}

/// The same, handed on one file at a time, so that a large report never stands in memory as a whole.
pub fn report_pages<E: From<ReportError>>(
    analysis: &Analysis,
    records: &RunRecords,
    calls: &dyn CallLookup,
    mut write: impl FnMut(String, Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    let index = Index::new(records);
    let paths = links::TrialPaths::new(&records.study);
    let figures = super::figures::figures(analysis);
    let mut page = report_page(analysis, &index, &paths, &figures);
    let lists = lists::take_out(&mut page.sections);
    let report = page.render().map_err(|error| ReportError::Page {
        name: REPORT.to_owned(),
        message: error.to_string(),
    })?;
    write(REPORT.to_owned(), report.into_bytes())?;
    for figure in &figures {
        write(figure.path(), figure.svg(Ink::Print).into_bytes())?;
    }
    for list in lists {
        for (path, bytes) in list.pages(page.title)? {
            write(path, bytes)?;
        }
    }
    for (number, judge) in records.study.judges.iter().enumerate() {
        for scored in index.all_scored(&judge.name) {
            let (path, bytes) = trials::trial_page(&index, &paths, calls, scored, number)?;
            write(path, bytes)?;
        }
    }
    Ok(())
}

fn report_page<'a>(
    analysis: &'a Analysis,
    index: &Index,
    paths: &links::TrialPaths,
    figures: &[Figure],
) -> ReportPage<'a> {
    let study = &analysis.study;
    let list = |counts: &std::collections::BTreeMap<String, usize>| {
        counts
            .iter()
            .map(|(name, count)| format!("{count} {}", name.replace('_', " ")))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut sections = Vec::new();
    sections.extend(overview::glance(analysis));
    sections.push(overview::setup(analysis));
    if study.imported_judgments.is_none() {
        sections.push(answers::section(analysis, index));
    }
    sections.extend(preference::section(analysis, index, paths));
    sections.extend(simulation::section(analysis, index, paths));
    sections.extend(verification::section(analysis, index, paths));
    sections.extend(faithfulness::section(analysis, index));
    sections.extend(correlation::section(analysis));
    sections.extend(agreement::agreement(analysis));
    sections.extend(people::section(analysis));
    sections.extend(agreement::sensitivity(analysis));
    sections.extend(left_out::section(analysis));
    sections.extend(resources::pages(analysis));
    sections.push(checks::section(analysis));
    sections.extend(resources::calls(analysis));
    figures::place(&mut sections, figures, analysis);
    ReportPage {
        title: study.title.as_deref().unwrap_or(&study.name),
        name: &study.name,
        conclusions: &analysis.conclusions,
        note: study.note.as_deref().filter(|note| !note.trim().is_empty()),
        scripted: analysis.scripted,
        facts: vec![
            (
                "Samples",
                format!("{} ({})", analysis.samples.total, list(&analysis.samples.questions)),
            ),
            ("Arms", study.arms.len().to_string()),
            ("Judges", judges_and_panels(study)),
            ("Intervals", view::percent(study.confidence).replace(".0%", "%")),
            ("Seed", study.seed.to_string()),
        ],
        flags: overview::flag_groups(&analysis.flags),
        sections,
        tables: super::tables::TABLES.iter().map(|name| (*name).to_owned()).collect(),
        latex: super::latex::TABLES.iter().map(|name| (*name).to_owned()).collect(),
    }
}
/// How many judges there are, and how many panels of them.
fn judges_and_panels(study: &StudyFacts) -> String {
    let panels = study.judges.iter().filter(|judge| !judge.panel.is_empty()).count();
    let judges = study.judges.len() - panels;
    match panels {
        0 => judges.to_string(),
        panels => format!("{judges} and {}", super::flags::counted(panels, "panel")),
    }
}
