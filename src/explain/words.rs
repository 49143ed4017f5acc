//! The sentences a page makes up itself. They name columns and rows of the step's own table, counted from 1, and never
//! a method, a model or an arm.

use std::cmp::Ordering;
use std::fmt::Display;

use crate::dataset::QuestionKind;
use crate::table::Table;
use crate::trace::lineage::{Exactness, Reading, RowRole};
use crate::trace::{AnswerFailure, AnswerSource, Lineage};

use super::AnswerVisibility;
use super::marked_table::{Marks, column_name};
use super::visible_text::visible_line;

/// What stands before the text of the question.
pub(super) fn question_label(kind: QuestionKind) -> &'static str {
    match kind {
        QuestionKind::FactVerification => "Statement",
        QuestionKind::ShortAnswer | QuestionKind::FreeForm => "Question",
    }
}

/// The name of the sample's own table.
pub(super) const FIRST_TABLE: &str = "The table";

/// `1 row`, `12 rows`; `2 earlier tries`. For the sentences of pages, reports and the terminal alike.
pub(crate) fn count(number: impl Display, noun: &str) -> String {
    let number = number.to_string();
    match noun.strip_suffix("ry") {
        _ if number == "1" => format!("1 {noun}"),
        Some(stem) => format!("{number} {stem}ries"),
        None => format!("{number} {noun}s"),
    }
}

/// Whether a page says how many rows and columns there are. Where an answer can be a number, a page that withholds it
/// counts nothing but the first table, whatever the answer is: a count that is the answer would state it, and a count
/// left out only then would too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counts {
    /// It does.
    Said,
    /// It does not.
    Withheld,
}

impl Counts {
    /// What a page of this kind of question does.
    pub(super) fn of_page(kind: QuestionKind, answer: AnswerVisibility) -> Self {
        match (answer, kind) {
            (AnswerVisibility::Shown, _) | (_, QuestionKind::FactVerification) => Self::Said,
            (AnswerVisibility::Withheld, QuestionKind::ShortAnswer | QuestionKind::FreeForm) => Self::Withheld,
        }
    }
}

/// Runs of row numbers that a sentence lists; the rest it counts.
const RUNS_LISTED: usize = 40;

/// 0-based rows as 1-based numbers, neighbours drawn together: `1–3, 7`.
pub(super) fn row_numbers<'a>(rows: impl IntoIterator<Item = &'a usize>) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for row in rows {
        match runs.last_mut() {
            Some((_, end)) if *end + 1 == *row => *end = *row,
            _ => runs.push((*row, *row)),
        }
    }
    let unsaid: usize = runs.iter().skip(RUNS_LISTED).map(|(start, end)| end - start + 1).sum();
    let mut parts: Vec<String> = runs
        .into_iter()
        .take(RUNS_LISTED)
        .map(|(start, end)| match end - start {
            0 => format!("{}", start + 1),
            1 => format!("{}, {}", start + 1, end + 1),
            _ => format!("{}–{}", start + 1, end + 1),
        })
        .collect();
    if unsaid > 0 {
        parts.push(format!("and {unsaid} more"));
    }
    parts.join(", ")
}

/// Names of columns in quotation marks, the last after "and".
pub(super) fn column_names<'a>(table: &Table, columns: impl IntoIterator<Item = &'a usize>) -> String {
    let names: Vec<String> = columns
        .into_iter()
        .filter_map(|column| table.columns.get(*column))
        .map(|column| format!("“{}”", column_name(column)))
        .collect();
    enumeration(&names)
}

fn enumeration(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [only] => only.clone(),
        [start @ .., last] => format!("{} and {last}", start.join(", ")),
    }
}

/// Behind the values of an answer that are shown.
pub(crate) fn more_values(more: usize) -> String {
    if more == 0 {
        return String::new();
    }
    format!(" (and {}, not shown here)", count(more, "more value"))
}

/// What a step without words did, as one plain sentence; only what its lineage says.
pub(super) fn made_sentence(
    lineage: Option<&Lineage>,
    marks: &Marks,
    input: &Table,
    output: Option<&Table>,
    counts: Counts,
) -> String {
    let (Some(lineage), Some(output)) = (lineage, output) else {
        return match output {
            Some(_) => "The program ran; what it used was not kept.".to_owned(),
            None => "The program did not run.".to_owned(),
        };
    };
    let at_least = match lineage.exactness {
        Exactness::Exact => "",
        Exactness::AtLeast { .. } => "at least ",
    };
    let mut parts = Vec::new();
    if !marks.columns.is_empty() {
        let noun = if marks.columns.len() == 1 { "column" } else { "columns" };
        parts.push(format!(
            "reads {at_least}the {noun} {}",
            column_names(input, &marks.columns)
        ));
    }
    let (used, total) = (marks.rows.len(), input.rows.len());
    let verb = match lineage.row_role {
        RowRole::Kept => "keeps",
        RowRole::Member => "uses",
    };
    if used > 0 && used == total {
        let rows = match counts {
            Counts::Withheld => "every row".to_owned(),
            Counts::Said if total == 1 => "the only row".to_owned(),
            Counts::Said => format!("all {total} rows"),
        };
        parts.push(format!("{verb} {rows}"));
    } else if used > 0 {
        parts.push(match counts {
            Counts::Said => format!("{verb} {at_least}{used} of {}", count(total, "row")),
            Counts::Withheld => format!("{verb} {at_least}some of the rows"),
        });
    } else if !marks.examined_rows.is_empty() {
        parts.push("finds no row that matches".to_owned());
    }
    if !marks.deciding_rows.is_empty() {
        parts.push(match counts {
            Counts::Said => format!("compares with {}", count(marks.deciding_rows.len(), "other row")),
            Counts::Withheld => "compares with other rows".to_owned(),
        });
    }
    if !marks.order_columns.is_empty() {
        parts.push(format!("orders by {}", column_names(input, &marks.order_columns)));
    }
    if !lineage.produced_columns.is_empty() {
        parts.push(format!(
            "computes {}",
            computed_columns(output, &lineage.produced_columns, counts)
        ));
    }
    if parts.is_empty() {
        "The program uses nothing of a table.".to_owned()
    } else {
        format!("The program {}.", enumeration(&parts))
    }
}

/// Computed columns by name; without a name of its own, a column is called by its whole expression, which says nothing
/// to a reader that the program below does not say better.
fn computed_columns(output: &Table, columns: &[usize], counts: Counts) -> String {
    const LONGEST_NAME: usize = 40;
    let named = columns
        .iter()
        .filter_map(|column| output.columns.get(*column))
        .all(|column| column.display.chars().count() <= LONGEST_NAME);
    match (named, columns.len()) {
        (true, _) => column_names(output, columns),
        (false, 1) => "a new column".to_owned(),
        (false, _) if counts == Counts::Withheld => "new columns".to_owned(),
        (false, count) => format!("{count} new columns"),
    }
}

/// What becomes of a step's table.
pub(super) fn change(input: &Table, output: &Table, counts: Counts) -> String {
    let size = |table: &Table| {
        let (rows, columns) = (table.rows.len(), table.columns.len());
        format!("{} and {}", count(rows, "row"), count(columns, "column"))
    };
    if let Some(stays) = what_stays(input, output) {
        return match counts {
            Counts::Withheld => format!("{stays}."),
            Counts::Said => format!("{stays}: {}.", size(output)),
        };
    }
    if counts == Counts::Withheld {
        let compared = |input: usize, output: usize, noun: &str| match output.cmp(&input) {
            Ordering::Less => format!("fewer {noun}"),
            Ordering::Equal => format!("as many {noun}"),
            Ordering::Greater => format!("more {noun}"),
        };
        return format!(
            "After it the table has {} and {}.",
            compared(input.rows.len(), output.rows.len(), "rows"),
            compared(input.columns.len(), output.columns.len(), "columns")
        );
    }
    format!("The table goes from {} to {}.", size(input), size(output))
}

/// What is to be said where the sizes before and after are the same, which by themselves would say nothing.
fn what_stays(input: &Table, output: &Table) -> Option<&'static str> {
    if (input.rows.len(), input.columns.len()) != (output.rows.len(), output.columns.len()) {
        return None;
    }
    let names = |table: &Table| {
        let names = table.columns.iter().map(column_name);
        names.collect::<Vec<_>>()
    };
    let in_one_order = |table: &Table| {
        let mut rows: Vec<_> = table.rows.iter().collect();
        rows.sort();
        rows.into_iter().cloned().collect::<Vec<_>>()
    };
    Some(if names(input) == names(output) && input.rows == output.rows {
        "The table stays as it is"
    } else if names(input) == names(output) && in_one_order(input) == in_one_order(output) {
        "The rows are the same, in another order"
    } else {
        "The table is as large as before, with other cells"
    })
}

/// What the marks of a step leave unsaid: what could not be traced, what was examined in vain, what used nothing.
pub(super) fn notes_on_marks(
    lineage: Option<&Lineage>,
    marks: &Marks,
    input: &Table,
    output: Option<&Table>,
    counts: Counts,
) -> Vec<String> {
    let Some(output) = output else {
        return Vec::new();
    };
    let mut notes = Vec::new();
    let Some(lineage) = lineage else {
        notes.push("What this step used was not kept, so nothing is marked.".to_owned());
        return notes;
    };
    if let Exactness::AtLeast { reason } = &lineage.exactness {
        let reason = visible_line(reason);
        notes.push(if marks.is_empty() {
            format!("What this step used could not be traced: {reason}.")
        } else {
            format!("At least these rows and columns were used; not everything could be traced: {reason}.")
        });
    }
    if !lineage.compared_columns.is_empty() {
        notes.push(format!(
            "Whole rows are compared or put in order here, so that the result also depends on the {} {}.",
            if lineage.compared_columns.len() == 1 {
                "column"
            } else {
                "columns"
            },
            column_names(input, &lineage.compared_columns)
        ));
    }
    let mut note = if lineage.reading == Reading::NoTable {
        "This step reads no table: its result would be the same for any table.".to_owned()
    } else if lineage.reading == Reading::EmptyTable || input.rows.is_empty() {
        "The table has no rows before this step.".to_owned()
    } else if marks.rows.is_empty() && !marks.examined_rows.is_empty() {
        examined_in_vain(marks, input, counts)
    } else if marks.is_empty() && lineage.exactness == Exactness::Exact {
        "This step used no row and no column of the table.".to_owned()
    } else {
        String::new()
    };
    if output.rows.is_empty() {
        let space = if note.is_empty() { "" } else { " " };
        note.push_str(space);
        note.push_str("The result has no rows.");
    }
    if !note.is_empty() {
        notes.push(note);
    }
    notes
}

fn examined_in_vain(marks: &Marks, input: &Table, counts: Counts) -> String {
    let examined = marks.examined_rows.len();
    let rows = if examined == input.rows.len() && counts == Counts::Withheld {
        "every row was".to_owned()
    } else if examined == 1 && input.rows.len() == 1 {
        "the only row was".to_owned()
    } else if examined == input.rows.len() {
        format!("all {examined} rows were")
    } else if examined == 1 {
        format!("row {} was", row_numbers(&marks.examined_rows))
    } else {
        format!("rows {} were", row_numbers(&marks.examined_rows))
    };
    let columns = match marks.columns.len() {
        0 => String::new(),
        1 => format!(" in the column {}", column_names(input, &marks.columns)),
        _ => format!(" in the columns {}", column_names(input, &marks.columns)),
    };
    format!("No row matches: {rows} examined{columns}, and none meets the condition.")
}

/// In the place of a step's input that states a withheld answer.
pub(super) const INPUT_WITHHELD: &str = "The table this step ran on states the answer, which is withheld.";

/// In the place of a result that states a withheld answer.
pub(super) const RESULT_WITHHELD: &str = "The result of this step states the answer, which is withheld.";

/// What the part of the table that matters is called.
pub(super) const PART: &str = "The part of the table that matters";

/// In the place of the part of the table that matters.
pub(super) const PART_WITHHELD: &str = "The part of the table that matters states the answer, which is withheld.";

/// That an explanation was made elsewhere.
pub(super) const IMPORTED: &str = "This explanation was made elsewhere and imported: nothing in it was traced.";

/// The same, with highlights.
pub(super) const IMPORTED_WITH_MARKS: &str = "This explanation was made elsewhere and imported: nothing in it was traced, and its highlights are its maker’s own.";

/// That an explanation was made elsewhere.
pub(super) fn imported(has_marks: bool) -> &'static str {
    if has_marks { IMPORTED_WITH_MARKS } else { IMPORTED }
}

/// In the place of a table of an imported explanation.
pub(super) const TABLE_WITHHELD: &str = "A table here states the answer, which is withheld.";

/// In the place of an imported explanation that a trace does not have.
pub(super) const NOTHING_IMPORTED: &str = "No page was imported for this.";

/// The notice that the steps did not produce the answer.
pub(super) fn fallback_notice(steps_shown: bool) -> &'static str {
    if steps_shown {
        "The steps above did not produce this answer; the model answered without them."
    } else {
        "No step of a program produced this answer; the model answered without one."
    }
}

/// Why the model answered without the steps.
pub(super) fn fallback_reason(reason: &AnswerFailure) -> String {
    format!("Why: {}.", failure(reason))
}

/// Where the answer came from.
pub(super) fn source(source: Option<AnswerSource>) -> &'static str {
    match source {
        Some(AnswerSource::Program) => "It comes from the last step’s table.",
        Some(AnswerSource::Model | AnswerSource::Fallback) => "It comes from the model itself.",
        Some(AnswerSource::Imported) => "It was given together with the explanation.",
        None => "Where it came from was not kept.",
    }
}

/// Why there is no answer, without a full stop. Leaves out what could name a model: endpoints' and models' own words.
pub(super) fn failure(failure: &AnswerFailure) -> String {
    match failure {
        AnswerFailure::Unparsed { expected } => {
            format!(
                "no answer could be read from the model’s text (looked for: {})",
                visible_line(expected)
            )
        }
        AnswerFailure::Truncated => "the model’s text was cut off by its length limit".to_owned(),
        AnswerFailure::Refused { .. } => "the model declined to answer".to_owned(),
        AnswerFailure::Program { message } => format!("the program failed: {}", unstopped(message)),
        AnswerFailure::NoResult { message } => {
            format!("the last step’s table holds no answer: {}", unstopped(message))
        }
        AnswerFailure::TooManySteps { limit } => format!("there was no answer after {}", count(*limit, "step")),
        AnswerFailure::Call { .. } => "the model could not be asked, or gave no answer".to_owned(),
        AnswerFailure::NotGiven => "none was given with the explanation".to_owned(),
    }
}

/// In the place of an error or a failure of which nothing is known.
pub(super) const NO_REASON: &str = "no reason was kept";

/// A message on one line without its own full stop, to stand before one of ours.
fn unstopped(message: &str) -> String {
    visible_line(message).trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_becomes_of_a_table_says_something_at_one_size_too() {
        let table = |names: [&str; 2], rows: [[&str; 2]; 2]| {
            let rows = rows.map(|row| row.map(str::to_owned).to_vec());
            Table::from_text(names.map(str::to_owned).to_vec(), rows).unwrap()
        };
        let before = table(["Rep", "Units"], [["Ann", "3"], ["Bo", "5"]]);
        let ordered = table(["Rep", "Units"], [["Bo", "5"], ["Ann", "3"]]);
        let other = table(["Rep", "Twice"], [["Ann", "6"], ["Bo", "10"]]);
        let fewer = Table::from_text(vec!["Rep".to_owned()], [vec!["Ann".to_owned()]]).unwrap();
        for (after, said, withheld) in [
            (
                &before,
                "The table stays as it is: 2 rows and 2 columns.",
                "The table stays as it is.",
            ),
            (
                &ordered,
                "The rows are the same, in another order: 2 rows and 2 columns.",
                "The rows are the same, in another order.",
            ),
            (
                &other,
                "The table is as large as before, with other cells: 2 rows and 2 columns.",
                "The table is as large as before, with other cells.",
            ),
            (
                &fewer,
                "The table goes from 2 rows and 2 columns to 1 row and 1 column.",
                "After it the table has fewer rows and fewer columns.",
            ),
        ] {
            assert_eq!(change(&before, after, Counts::Said), said);
            assert_eq!(change(&before, after, Counts::Withheld), withheld);
        }
    }

    #[test]
    fn rows_are_counted_from_one_and_drawn_together() {
        assert_eq!(row_numbers(&[0, 1, 2, 6, 8, 9]), "1–3, 7, 9, 10");
        assert_eq!(row_numbers(&[]), "");
        let every_other: Vec<usize> = (0..1000).step_by(2).collect();
        assert!(row_numbers(&every_other).ends_with("77, 79, and 460 more"));
    }

    #[test]
    fn nouns_have_their_plural() {
        assert_eq!(
            (count(1, "earlier try"), count(2, "earlier try"), count(0, "row")),
            (
                "1 earlier try".to_owned(),
                "2 earlier tries".to_owned(),
                "0 rows".to_owned()
            )
        );
    }

    #[test]
    fn failures_name_no_model() {
        let error = crate::model::CallError::TooLong {
            model: "secret-model-7b".to_owned(),
            message: "secret-model-7b takes 8192 tokens".to_owned(),
        };
        assert!(!failure(&AnswerFailure::Call { error }).contains("secret"));
        let refused = AnswerFailure::Refused {
            message: "As secret-model-7b I decline".to_owned(),
        };
        assert!(!failure(&refused).contains("secret"));
    }
}
