//! A trace as a chain that can be read in a terminal: steps, programs, and tables with what each step used marked by
//! signs. Colour is added where the terminal has it and never says anything alone.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr;

use crate::dataset::{Answer, QuestionKind, Sample};
use crate::explain::view::values_shown;
use crate::explain::visible_text::{visible, visible_line};
use crate::explain::words::more_values;
use crate::table::Table;
use crate::trace::lineage::{Exactness, Reading};
use crate::trace::{AnswerFailure, AnswerSource, FailedAttempt, Lineage, Step, Trace};

/// Rows of a table that are shown; marked rows come before others when there are more.
const ROWS_SHOWN: usize = 30;
/// Widest cell, in terminal columns, where the terminal does not ask for less.
const WIDEST_CELL: usize = 40;
/// Narrowest cell that long tables are squeezed to.
const NARROWEST_CELL: usize = 8;

/// How the terminal wants it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    /// Whether to colour.
    pub(super) colour: bool,
    /// Columns of the terminal; `None` for a file or pipe.
    pub(super) width: Option<usize>,
}

impl Look {
    fn paint(self, code: &str, text: &str) -> String {
        if self.colour {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    fn heading(self, text: &str) -> String {
        self.paint("1", text)
    }
}

/// The whole chain, question first and answer last.
pub(super) fn render(sample: &Sample, trace: &Trace, look: Look) -> String {
    let mut text = String::new();
    let asked = match sample.kind {
        QuestionKind::FactVerification => "Statement",
        QuestionKind::ShortAnswer | QuestionKind::FreeForm => "Question",
    };
    let caption = sample.caption.as_deref().unwrap_or(&sample.table_id);
    let _ = writeln!(text, "Table: {} ({})", visible_line(caption), size(&sample.table));
    let _ = writeln!(text, "{asked}: {}", visible_line(&sample.question));
    for (index, step) in trace.steps.iter().enumerate() {
        let _ = writeln!(text);
        write_step(&mut text, trace, index, step, look);
    }
    if trace.steps.is_empty() {
        let _ = writeln!(text);
        write_table(&mut text, &sample.table, None, look);
    }
    if let Some(rationale) = &trace.rationale {
        let _ = writeln!(text, "\n{}", look.heading("In the model's words:"));
        for line in visible(rationale).lines() {
            let _ = writeln!(text, "  {line}");
        }
    }
    let _ = writeln!(text, "\n{}", answer(trace, look));
    let _ = writeln!(text, "{}", counters(trace));
    text
}

/// Rows and columns in words.
pub(super) fn size(table: &Table) -> String {
    format!(
        "{} x {}",
        counted(table.rows.len(), "row"),
        counted(table.columns.len(), "column")
    )
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn write_step(text: &mut String, trace: &Trace, index: usize, step: &Step, look: Look) {
    // Of a chain that ended early nobody can tell how many steps it was to have.
    let is_whole = trace.steps.iter().all(|step| step.output.is_some());
    let of_all = if is_whole {
        format!(" of {}", trace.steps.len())
    } else {
        String::new()
    };
    let head = format!("Step {}{of_all}", index + 1);
    let description = step.description.as_deref().map(visible_line);
    let head = description.map_or_else(|| head.clone(), |words| format!("{head}: {words}"));
    let _ = writeln!(text, "{}", look.heading(&head));
    for attempt in &step.failed_attempts {
        write_attempt(text, attempt);
    }
    if let Some(program) = &step.program {
        let _ = writeln!(text, "  ran:");
        write_program(text, &program.text);
    }
    if let Some(input) = trace.tables.get(step.input) {
        write_table(text, input, step.lineage.as_ref(), look);
        if let Some(lineage) = &step.lineage {
            write_marks(text, input, lineage);
        }
    }
    let Some((index_of_output, output)) = step.output.and_then(|at| Some((at, trace.tables.get(at)?))) else {
        let _ = writeln!(text, "  failed: there is no result");
        return;
    };
    let read_on = trace.steps[index + 1..]
        .iter()
        .any(|later| later.input == index_of_output);
    if read_on {
        let _ = writeln!(text, "  result: {}, shown in the step that reads it", size(output));
    } else {
        let _ = writeln!(text, "  result: {}", size(output));
        write_table(text, output, None, look);
    }
}

fn write_attempt(text: &mut String, attempt: &FailedAttempt) {
    let _ = writeln!(text, "  tried and failed ({}):", visible_line(&attempt.error));
    write_program(text, &attempt.program);
}

fn write_program(text: &mut String, program: &str) {
    for line in visible(program).lines() {
        let _ = writeln!(text, "    {line}");
    }
}

/// What the signs in the table above mean, in words, so that no sign has to be guessed.
fn write_marks(text: &mut String, input: &Table, lineage: &Lineage) {
    let mut parts = Vec::new();
    if !lineage.rows.is_empty() {
        parts.push(format!(
            "> {} of {} used",
            lineage.rows.len(),
            counted(input.rows.len(), "row")
        ));
    }
    if !lineage.deciding_rows.is_empty() {
        let rows = counted(lineage.deciding_rows.len(), "row");
        parts.push(format!("~ {rows} looked at to decide"));
    }
    if !lineage.examined_rows.is_empty() {
        let rows = counted(lineage.examined_rows.len(), "row");
        parts.push(format!("? {rows} examined, none matches"));
    }
    match lineage.reading {
        Reading::Rows => {}
        Reading::EmptyTable => parts.push("the table has no rows".to_owned()),
        Reading::NoTable => parts.push("the program does not read the table".to_owned()),
    }
    if !lineage.columns.is_empty() {
        let names: Vec<String> = lineage
            .columns
            .iter()
            .filter_map(|column| input.columns.get(*column))
            .map(|column| visible_line(&column.display))
            .collect();
        parts.push(format!("*reads* {}", names.join(", ")));
    }
    if !lineage.condition_cells.is_empty() {
        parts.push("a condition holds in [cells]".to_owned());
    }
    if !parts.is_empty() {
        let _ = writeln!(text, "  {}", parts.join("; "));
    }
    if let Exactness::AtLeast { reason } = &lineage.exactness {
        let _ = writeln!(text, "  the marks may be too many: {}", visible_line(reason));
    }
}

/// Positions of the rows to show: all, or the marked ones and then the first others, in order.
fn rows_shown(count: usize, marked: &BTreeSet<usize>) -> BTreeSet<usize> {
    if count <= ROWS_SHOWN {
        return (0..count).collect();
    }
    let others = (0..count).filter(|row| !marked.contains(row));
    marked.iter().copied().chain(others).take(ROWS_SHOWN).collect()
}

fn write_table(text: &mut String, table: &Table, lineage: Option<&Lineage>, look: Look) {
    let rows: BTreeSet<usize> = lineage
        .iter()
        .flat_map(|lineage| lineage.rows.iter().copied())
        .collect();
    let columns: BTreeSet<usize> = lineage
        .iter()
        .flat_map(|lineage| lineage.columns.iter().copied())
        .collect();
    let cells: BTreeSet<(usize, usize)> = lineage
        .iter()
        .flat_map(|lineage| lineage.condition_cells.iter().map(|cell| (cell.row, cell.column)))
        .collect();
    let shown = rows_shown(table.rows.len(), &rows);
    let widest = widest_cell(table.columns.len(), look);

    let head: Vec<String> = table
        .columns
        .iter()
        .enumerate()
        .map(|(column, names)| {
            let sign = if columns.contains(&column) { "*" } else { "" };
            let name = shortened(&visible_line(&names.display), widest);
            format!("{sign}{name}{sign}")
        })
        .collect();
    let body: Vec<(usize, Vec<String>)> = shown
        .iter()
        .map(|row| {
            let cells = table.rows[*row].iter().enumerate().map(|(column, cell)| {
                let content = match cell {
                    Some(content) => shortened(&visible_line(content), widest),
                    None => "NULL".to_owned(),
                };
                if cells.contains(&(*row, column)) {
                    format!("[{content}]")
                } else {
                    content
                }
            });
            (*row, cells.collect())
        })
        .collect();
    let widths: Vec<usize> = head
        .iter()
        .enumerate()
        .map(|(column, name)| {
            let cells = body.iter().map(|(_, cells)| cells[column].width());
            cells.chain([name.width()]).max().unwrap_or(0)
        })
        .collect();

    let names = head.iter().zip(&widths).map(|(name, width)| padded(name, *width));
    let _ = writeln!(text, "    | {} |", names.collect::<Vec<_>>().join(" | "));
    let rules: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    let _ = writeln!(text, "    | {} |", rules.join(" | "));
    let mut expected = 0;
    for (row, contents) in &body {
        write_gap(text, row - expected);
        expected = row + 1;
        let sign = lineage.map_or(" ", |lineage| row_sign(lineage, *row));
        let contents = contents
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(column, (content, width))| {
                let content = padded(content, *width);
                if cells.contains(&(*row, column)) {
                    look.paint("30;42", &content)
                } else if rows.contains(row) {
                    look.paint("33", &content)
                } else {
                    content
                }
            });
        let _ = writeln!(text, "  {sign} | {} |", contents.collect::<Vec<_>>().join(" | "));
    }
    write_gap(text, table.rows.len() - expected);
}

fn row_sign(lineage: &Lineage, row: usize) -> &'static str {
    // Positions are ascending, as the contract of lineage says.
    let among = |rows: &[usize]| rows.binary_search(&row).is_ok();
    if among(&lineage.rows) {
        ">"
    } else if among(&lineage.deciding_rows) {
        "~"
    } else if among(&lineage.examined_rows) {
        "?"
    } else {
        " "
    }
}

fn write_gap(text: &mut String, rows: usize) {
    if rows > 0 {
        let _ = writeln!(text, "    ({} not shown)", counted(rows, "row"));
    }
}

fn widest_cell(columns: usize, look: Look) -> usize {
    let Some(width) = look.width else {
        return WIDEST_CELL;
    };
    let signs = 6 + 3 * columns;
    let fair = width.saturating_sub(signs) / columns.max(1);
    fair.clamp(NARROWEST_CELL, WIDEST_CELL)
}

fn shortened(text: &str, widest: usize) -> String {
    if text.width() <= widest {
        return text.to_owned();
    }
    let mut kept = String::new();
    for character in text.chars() {
        kept.push(character);
        if kept.width() > widest - 1 {
            kept.pop();
            break;
        }
    }
    kept.push('…');
    kept
}

fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

fn answer_text(answer: &Answer) -> String {
    let Answer::Values(values) = answer else {
        return visible_line(&answer.display());
    };
    let shown = values_shown(values);
    let values_left = more_values(values.len() - shown.len());
    visible_line(&shown.join("; ")) + &values_left
}

fn answer(trace: &Trace, look: Look) -> String {
    let Some(answer) = &trace.answer else {
        let reason = trace
            .failure
            .as_ref()
            .map_or_else(|| "not said why".to_owned(), failure);
        return format!("{} {reason}", look.heading("No answer:"));
    };
    let shown = look.heading(&format!("Answer: {}", answer_text(answer)));
    match trace.answer_source {
        Some(AnswerSource::Program) => format!("{shown} (the last step's result)"),
        Some(AnswerSource::Fallback) => {
            let reason = trace
                .fallback_reason
                .as_ref()
                .map_or_else(String::new, |reason| format!(": {}", failure(reason)));
            format!("{shown} (from a fallback; NO STEP ABOVE YIELDS IT{reason})")
        }
        Some(AnswerSource::Imported) => format!("{shown} (imported with its explanation)"),
        Some(AnswerSource::Model) | None => format!("{shown} (written by the model)"),
    }
}

/// A failure in words.
pub(super) fn failure(failure: &AnswerFailure) -> String {
    let words = match failure {
        AnswerFailure::Unparsed { expected } => format!("the model's text holds no {expected}"),
        AnswerFailure::Truncated => "the token limit cut the model's text".to_owned(),
        AnswerFailure::NotGiven => "none was imported".to_owned(),
        AnswerFailure::Refused { message } => format!("the model declined: {message}"),
        AnswerFailure::Program { message } => format!("the program failed: {message}"),
        AnswerFailure::NoResult { message } => format!("the result holds no answer: {message}"),
        AnswerFailure::TooManySteps { limit } => format!("more than {limit} steps"),
        AnswerFailure::Call { error } => error.to_string(),
    };
    visible_line(&words)
}

fn counters(trace: &Trace) -> String {
    let counters = &trace.counters;
    let tokens = match counters.input_tokens + counters.output_tokens {
        0 => String::new(),
        _ => format!(", {} + {} tokens", counters.input_tokens, counters.output_tokens),
    };
    format!(
        "({}{tokens}, {})",
        counted(usize::try_from(counters.requests).unwrap_or(usize::MAX), "model call"),
        counted(
            usize::try_from(counters.executions).unwrap_or(usize::MAX),
            "program run"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Look = Look {
        colour: false,
        width: None,
    };

    fn example<T: serde::de::DeserializeOwned>(kind: &str) -> T {
        let path = format!("{}/docs/examples/{kind}.json", env!("CARGO_MANIFEST_DIR"));
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    }

    #[test]
    fn the_example_reads_as_a_chain() {
        let text = render(&example("sample"), &example("trace"), PLAIN);
        insta::assert_snapshot!(text);
    }

    #[test]
    fn colour_adds_nothing_but_colour() {
        let look = Look {
            colour: true,
            width: None,
        };
        let (sample, trace) = (example("sample"), example("trace"));
        let coloured = render(&sample, &trace, look);
        assert_ne!(coloured, render(&sample, &trace, PLAIN));
        let codes = regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap();
        assert_eq!(codes.replace_all(&coloured, ""), render(&sample, &trace, PLAIN));
    }

    #[test]
    fn hostile_cells_cannot_reach_the_terminal() {
        let mut sample: Sample = example("sample");
        let mut trace: Trace = example("trace");
        let hostile = "\u{1b}[2J\u{1b}]0;owned\u{7}\n| fake | row |\r\u{202e}";
        sample.question = hostile.to_owned();
        trace.tables[0].rows[0][0] = Some(hostile.to_owned());
        trace.tables[0].columns[1].display = hostile.to_owned();
        trace.steps[0].description = Some(hostile.to_owned());
        trace.steps[0].failed_attempts[0].error = hostile.to_owned();
        trace.rationale = Some(hostile.to_owned());
        trace.answer = Some(crate::dataset::Answer::Text(hostile.to_owned()));
        let text = render(&sample, &trace, PLAIN);
        assert!(
            !text.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'),
            "{text}"
        );
        assert!(!text.lines().any(|line| line.starts_with("| fake")), "{text}");
    }

    #[test]
    fn a_fallback_is_said_out_loud() {
        let mut trace: Trace = example("trace");
        trace.answer_source = Some(AnswerSource::Fallback);
        trace.fallback_reason = Some(AnswerFailure::NoResult {
            message: "no rows".to_owned(),
        });
        let text = render(&example("sample"), &trace, PLAIN);
        assert!(
            text.contains("NO STEP ABOVE YIELDS IT: the result holds no answer: no rows"),
            "{text}"
        );
        trace.answer = None;
        trace.failure = Some(AnswerFailure::Truncated);
        let text = render(&example("sample"), &trace, PLAIN);
        assert!(
            text.contains("No answer: the token limit cut the model's text"),
            "{text}"
        );
    }

    #[test]
    fn long_tables_keep_their_marked_rows() {
        let marked: BTreeSet<usize> = [70, 90].into();
        let shown = rows_shown(100, &marked);
        assert_eq!(shown.len(), ROWS_SHOWN);
        assert!(shown.contains(&70) && shown.contains(&90) && shown.contains(&27) && !shown.contains(&28));
        assert_eq!(rows_shown(3, &BTreeSet::new()).len(), 3);
    }

    #[test]
    fn wide_characters_keep_columns_straight() {
        assert_eq!(padded("東京", 6), "東京  ");
        assert_eq!(shortened("東京都千代田区", 6), "東京…");
        assert_eq!(shortened("abcdef", 6), "abcdef");
    }
}
