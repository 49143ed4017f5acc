//! `tabjury import`: explanations made elsewhere, into a file that a study's arm can name.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::arguments::ImportArguments;
use super::exit::{Exit, Failure};
use super::files;
use super::printer::Printer;
use super::run::{bad_study, failed};
use crate::dataset::{Sample, Selection, Source};
use crate::explain::words;
use crate::study::import::judgments::{JudgmentImport, import_judgments};
use crate::study::import::{ImportFrom, ImportSummary, Maker, all_samples, import};
use crate::study::{RunError, Study};

/// Names that a line lists.
const LISTED: usize = 5;

/// Runs the command.
pub(super) fn run(arguments: &ImportArguments, printer: &Printer) -> Result<Exit, Failure> {
    if let (Some(log), Some(mapping)) = (&arguments.judgments, &arguments.mapping) {
        return judgments(log, mapping, &arguments.out, printer);
    }
    let data = arguments.data.as_deref().unwrap_or_default();
    let mut inputs: Vec<files::Named<'_>> = Vec::new();
    inputs.extend(arguments.answers.as_deref().map(|path| ("--answers", path)));
    inputs.extend(arguments.traces.as_deref().map(|path| ("--traces", path)));
    inputs.extend(study_of(data).map(|path| ("--data", path)));
    let out = [("--out", arguments.out.as_path())];
    let printer = &printer.beside(&out);
    files::keep_apart(&inputs, &out)?;
    if let Some(folder) = &arguments.html {
        files::keep_out_of_pages(folder, &out)?;
    }
    let maker = Maker {
        name: named("--name", arguments.name.as_deref().unwrap_or_default())?,
        model: match &arguments.model {
            Some(model) => Some(named("--model", model)?),
            None => None,
        },
    };
    let samples = samples(arguments, data)?;
    let from = from(arguments)?;
    let result = import(&samples, &maker, &from).map_err(|error| failed(RunError::Import(error)))?;
    let mut bytes = Vec::new();
    for trace in &result.traces {
        serde_json::to_writer(&mut bytes, trace)
            .map_err(|error| Failure::new(Exit::Other, error, super::REPORT_DEFECT))?;
        bytes.push(b'\n');
    }
    files::write(&arguments.out, &bytes)?;
    printer.data(&report(&result.summary))?;
    printer.say(&format!(
        "{} has them; an arm of a study shows them with `import = \"...\"`, the path from the study file",
        arguments.out.display()
    ));
    Ok(Exit::Success)
}

fn judgments(log: &Path, mapping: &Path, out: &Path, printer: &Printer) -> Result<Exit, Failure> {
    if files::is_stdout(out) {
        return Err(Failure::message(
            Exit::Usage,
            "--out is `-`, and judgments are imported into a run directory",
            "name a directory",
        ));
    }
    files::keep_out_of(out, &[("--judgments", log), ("--mapping", mapping)])?;
    let imported = import_judgments(log, mapping, out).map_err(failed)?;
    printer.data(&judgment_report(&imported))?;
    if let Some(report) = &imported.summary.report {
        printer.say(&format!("report: {}", report.display()));
    }
    Ok(Exit::Success)
}

fn judgment_report(imported: &JudgmentImport) -> String {
    let facts = &imported.facts;
    let judgments = imported.summary.judgments;
    let mut text = format!(
        "imported: {} of {}, from {}; {} without a verdict\nthe log does not have: {}\n",
        words::count(judgments.total, "judgment"),
        words::count(imported.samples, "sample"),
        words::count(imported.rows, "row"),
        judgments.failed,
        facts.absent.join("; ")
    );
    for (count, what) in [
        (
            facts.unread_predictions,
            "spelled as the mapping does not say: judged answers",
        ),
        (facts.unread_gold, "spelled as the mapping does not say: right answers"),
        (
            facts.unread_labels,
            "spelled as the mapping does not say: words on whether an answer is right",
        ),
        (
            facts.rankings_without_arms,
            "rankings that could not be read and of which it is not known whose they are: they stand under no arm",
        ),
        (
            facts.conflicting_gold,
            "samples with different right answers in different rows, none of which is taken",
        ),
        (
            facts.labels_against_scoring,
            "rows that call an answer right or wrong against the data set's own scoring",
        ),
    ] {
        if count > 0 {
            let _ = writeln!(text, "{what}: {count}");
        }
    }
    text
}

fn named(option: &str, name: &str) -> Result<String, Failure> {
    const LONGEST: usize = 100;
    let name = name.trim();
    if !name.is_empty() && name.chars().count() <= LONGEST && !name.chars().any(char::is_control) {
        return Ok(name.to_owned());
    }
    Err(Failure::message(
        Exit::Usage,
        format!("{option} is {name:?}"),
        format!("name it with 1 to {LONGEST} characters on one line"),
    ))
}

fn from(arguments: &ImportArguments) -> Result<ImportFrom, Failure> {
    match (&arguments.html, &arguments.answers, &arguments.traces) {
        (Some(folder), Some(answers), None) => Ok(ImportFrom::Pages {
            folder: folder.clone(),
            answers: answers.clone(),
        }),
        (None, None, Some(file)) => Ok(ImportFrom::Traces {
            file: file.clone(),
            answerer: arguments.answerer.clone(),
        }),
        // The command line does not let this through.
        _ => Err(Failure::message(
            Exit::Usage,
            "there is nothing to import",
            "name pages with --html and --answers, or traces with --traces",
        )),
    }
}

/// The study file that `--data` names, if it names one.
fn study_of(data: &str) -> Option<&Path> {
    let path = Path::new(data);
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
        .then_some(path)
}

fn samples(arguments: &ImportArguments, data: &str) -> Result<Vec<Sample>, Failure> {
    let (sources, base) = match study_of(data) {
        Some(path) => {
            if arguments.split.is_some() {
                return Err(Failure::message(
                    Exit::Usage,
                    "--split is for KIND:PATH; a study names its splits itself",
                    "leave --split out",
                ));
            }
            let study = Study::load(path).map_err(bad_study)?;
            (study.file.samples, study.base)
        }
        None => (vec![source(arguments, data)?], PathBuf::new()),
    };
    let mut samples: Vec<Sample> = Vec::new();
    for source in &sources {
        samples.extend(all_samples(source, &base).map_err(|error| failed(RunError::Dataset(error)))?);
    }
    // Two sources of a study may hold one sample; which it selects is the study's own affair.
    let mut ids = std::collections::BTreeSet::new();
    samples.retain(|sample| ids.insert(sample.id.clone()));
    Ok(samples)
}

fn source(arguments: &ImportArguments, data: &str) -> Result<Source, Failure> {
    let wrong = |problem: String, next: &str| Err(Failure::message(Exit::Usage, problem, next));
    let form = "name a study file, or KIND:PATH, such as `custom:questions.jsonl` or `tabfact:DIR` with --split";
    let Some((kind, path)) = data.split_once(':') else {
        return wrong(format!("--data {data:?} is neither a study file nor KIND:PATH"), form);
    };
    let (path, split, select) = (PathBuf::from(path), arguments.split.clone(), Selection::default());
    match (kind, split) {
        ("tabfact", split) => Ok(Source::Tabfact { path, split, select }),
        ("wikitq", Some(split)) => Ok(Source::Wikitq { path, split, select }),
        ("wikitq", None) => wrong(
            "wikitq has splits, and --split names none".to_owned(),
            "add --split, such as pristine-unseen-tables",
        ),
        ("fetaqa" | "custom", Some(_)) => wrong(format!("{kind} has no splits"), "leave --split out"),
        ("fetaqa", None) => Ok(Source::Fetaqa { path, select }),
        ("custom", None) => Ok(Source::Custom {
            questions: path,
            select,
        }),
        _ => wrong(format!("--data: there is no data set `{kind}`"), form),
    }
}

fn report(summary: &ImportSummary) -> String {
    let mut text = format!(
        "imported: {} ({} in the data)\n",
        words::count(summary.explanations, "explanation"),
        words::count(summary.samples, "sample")
    );
    if summary.without_prediction > 0 {
        let _ = writeln!(
            text,
            "without a prediction: {}; they count as wrong",
            summary.without_prediction
        );
    }
    if summary.pages > 0 {
        let removed: Vec<String> = summary
            .removed
            .counts()
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .map(|(name, count)| format!("{name} ({count})"))
            .collect();
        let removed = if removed.is_empty() {
            "nothing".to_owned()
        } else {
            removed.join(", ")
        };
        let _ = writeln!(
            text,
            "pages: {}, and {} more for when the answer is withheld\ntaken out of them: {removed}",
            summary.pages, summary.withheld_pages
        );
    }
    if summary.lineages_dropped + summary.calls_dropped > 0 {
        let _ = writeln!(
            text,
            "dropped, because nothing here can vouch for it: the lineage of {}, {} with tokens",
            words::count(summary.lineages_dropped, "step"),
            words::count(summary.calls_dropped, "call")
        );
    }
    if !summary.unnamed_pages.is_empty() {
        let _ = writeln!(
            text,
            "left in the folder, named by no line: {}, {}",
            words::count(summary.unnamed_pages.len(), "page"),
            some_of(&summary.unnamed_pages)
        );
    }
    if !summary.leaks.is_empty() {
        let _ = writeln!(
            text,
            "pages that tell what they must not, so that a run refuses them: {}",
            summary.leaks.len()
        );
        for leak in summary.leaks.iter().take(LISTED) {
            let _ = writeln!(text, "  {leak}");
        }
    }
    text
}

fn some_of(names: &[String]) -> String {
    let mut text = names.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > LISTED {
        let _ = write!(text, " and {} more", names.len() - LISTED);
    }
    text
}
