//! `tabjury compare`: a run beside what papers print, or what follows from the printed numbers alone.

use serde::Serialize;

use super::arguments::CompareArguments;
use super::exit::{Exit, Failure};
use super::files;
use super::printer::Printer;
use super::run::failed_on_run;
use crate::explain::visible_text::visible;
use crate::report::{compare, published};
use crate::study::compared_run;

/// Runs the command.
pub(super) fn run(arguments: &CompareArguments, printer: &Printer) -> Result<Exit, Failure> {
    let outputs: Vec<files::Named<'_>> = [("--json", &arguments.json), ("--markdown", &arguments.markdown)]
        .into_iter()
        .filter_map(|(option, path)| Some((option, path.as_deref()?)))
        .collect();
    files::keep_apart(&[], &outputs)?;
    let printer = &printer.beside(&outputs);
    let numbers = published::numbers().map_err(|error| Failure::new(Exit::Other, error, super::REPORT_DEFECT))?;
    let Some(run) = &arguments.run else {
        let checks = published::recompute(&numbers);
        return hand_out(arguments, &checks, &published::text::markdown(&checks), printer);
    };
    files::keep_out_of(run, &outputs)?;
    let (analysis, protocol) = compared_run(run).map_err(failed_on_run)?;
    let comparison = compare::compare(&analysis, &protocol, &numbers);
    hand_out(arguments, &comparison, &compare::text::markdown(&comparison), printer)
}

fn hand_out<T: Serialize>(
    arguments: &CompareArguments,
    value: &T,
    markdown: &str,
    printer: &Printer,
) -> Result<Exit, Failure> {
    if let Some(path) = &arguments.json {
        let mut bytes =
            serde_json::to_vec_pretty(value).map_err(|error| Failure::new(Exit::Other, error, super::REPORT_DEFECT))?;
        bytes.push(b'\n');
        files::write(path, &bytes)?;
    }
    if let Some(path) = &arguments.markdown {
        files::write(path, markdown.as_bytes())?;
    }
    printer.data(&visible(markdown))?;
    Ok(Exit::Success)
}
