//! Whether a withheld answer still stands in a page. The rule, also in docs/formats.md:
//!
//! - Where every page of the sample has it anyway, it is no leak: the question, the caption, the first table.
//! - A verdict stands in the page if a cell that a step computed is that word alone, if the rationale has the word, or
//!   if a program selects it as a constant (`SELECT 'TRUE' ...`). `THEN 'TRUE' ELSE 'FALSE'` is a rule, not a claim.
//! - Any other answer stands in the page if each of its values is found, as a whole run of words and numbers, in a
//!   computed cell, in the rationale, as the constant a program selects, or in the words of a step. Words of a step
//!   do not count where the question has the value too, or where it is a number below 100 (`row 1`).
//! - It stands there as well if a shown result has a column, carried along, that holds the answer's values and nothing
//!   else: the steps have narrowed the table down to the answer.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization;

use super::sql_pieces::{PieceKind, pieces};
use super::view::{PageView, Rationale, ResultView};
use crate::dataset::{Answer, Sample};
use crate::table::Table;
use crate::trace::Trace;

/// Words and numbers of a text, in order, normalized.
type Tokens = Vec<String>;

/// Whether the trace's answer stands in a page that withholds it. False when there is no answer.
pub(super) fn answer_visible(view: &PageView, sample: &Sample, trace: &Trace) -> bool {
    let values: Vec<Tokens> = match &trace.answer {
        None => return false,
        Some(answer @ Answer::Verdict(_)) => vec![tokens(&answer.display())],
        Some(Answer::Values(values)) => values.iter().map(|value| tokens(value)).collect(),
        Some(Answer::Text(text)) => vec![tokens(text)],
    };
    if values.is_empty() || values.iter().all(Vec::is_empty) {
        return false;
    }
    let is_verdict = matches!(trace.answer, Some(Answer::Verdict(_)));
    let results = shown_results(view, trace);
    if !is_verdict && results.iter().any(|result| result.narrowed_to(&values)) {
        return true;
    }
    let computed: Vec<Tokens> = results.iter().flat_map(ShownResult::computed_cells).collect();
    let mut said: Vec<Tokens> = constants(view);
    if let Some(Rationale::Words(words)) = &view.rationale {
        said.push(tokens(words));
    }
    let question = tokens(&sample.question);
    let step_words: Vec<Tokens> = view.steps.iter().map(|step| tokens(&step.words)).collect();
    values.iter().filter(|value| !value.is_empty()).all(|value| {
        if is_verdict {
            return computed.contains(value) || said.iter().any(|text| contains(text, value));
        }
        computed.iter().chain(&said).any(|text| contains(text, value))
            || (!contains(&question, value)
                && !is_small_number(value)
                && step_words.iter().any(|text| contains(text, value)))
    })
}

/// A result that the page shows, with what its step computed.
struct ShownResult<'a> {
    table: &'a Table,
    /// `None`: not known, so any column may be.
    computed_columns: Option<&'a [usize]>,
}

impl ShownResult<'_> {
    fn is_computed(&self, column: usize) -> bool {
        self.computed_columns.is_none_or(|computed| computed.contains(&column))
    }

    fn computed_cells(&self) -> impl Iterator<Item = Tokens> {
        self.table.rows.iter().flat_map(|row| {
            row.iter()
                .enumerate()
                .filter(|(column, _)| self.is_computed(*column))
                .filter_map(|(_, cell)| cell.as_deref().map(tokens))
        })
    }

    /// Whether a column holds these values and nothing else.
    fn narrowed_to(&self, values: &[Tokens]) -> bool {
        let wanted: BTreeSet<&Tokens> = values.iter().collect();
        (0..self.table.columns.len()).any(|column| {
            let cells: Vec<Tokens> = self
                .table
                .rows
                .iter()
                .filter_map(|row| row.get(column)?.as_deref().map(tokens))
                .collect();
            cells.iter().collect::<BTreeSet<_>>() == wanted
        })
    }
}

fn shown_results<'a>(view: &PageView, trace: &'a Trace) -> Vec<ShownResult<'a>> {
    let mut shown: BTreeSet<usize> = BTreeSet::new();
    for step in &view.steps {
        shown.extend(step.input.iter().map(|table| table.index));
        if let Some(ResultView::Table(table)) = &step.result {
            shown.insert(table.index);
        }
    }
    shown.remove(&0);
    shown
        .into_iter()
        .filter_map(|index| {
            Some(ShownResult {
                table: trace.tables.get(index)?,
                computed_columns: trace
                    .steps
                    .iter()
                    .find(|step| step.output == Some(index))
                    .and_then(|step| step.lineage.as_ref())
                    .map(|lineage| lineage.produced_columns.as_slice()),
            })
        })
        .collect()
}

/// The constants that shown programs select first of all.
fn constants(view: &PageView) -> Vec<Tokens> {
    view.steps
        .iter()
        .filter_map(|step| step.program.as_deref())
        .filter_map(|program| {
            let pieces = pieces(program);
            let mut telling = pieces
                .iter()
                .filter(|piece| piece.kind != PieceKind::Comment && !piece.text.trim().is_empty());
            let starts = telling
                .next()
                .is_some_and(|piece| piece.text.eq_ignore_ascii_case("select"));
            let selected = telling.next().filter(|_| starts)?;
            matches!(selected.kind, PieceKind::Text | PieceKind::Number).then(|| tokens(&selected.text))
        })
        .collect()
}

/// Small letters after compatibility normalization; numbers without thousands commas and trailing zeros.
fn tokens(text: &str) -> Tokens {
    let normalized: Vec<char> = text.nfkc().flat_map(char::to_lowercase).collect();
    let mut found = Vec::new();
    let mut token = String::new();
    for (index, &character) in normalized.iter().enumerate() {
        let inside_number = |separator| {
            character == separator
                && !token.is_empty()
                && token.chars().all(|c| c.is_ascii_digit() || c == '.')
                && normalized.get(index + 1).is_some_and(char::is_ascii_digit)
        };
        if character.is_alphanumeric() || (inside_number('.') && !token.contains('.')) {
            token.push(character);
        } else if !inside_number(',') {
            finish(&mut found, &mut token);
        }
    }
    finish(&mut found, &mut token);
    found
}

fn finish(found: &mut Tokens, token: &mut String) {
    if token.contains('.') {
        token.truncate(token.trim_end_matches('0').trim_end_matches('.').len());
    }
    if !token.is_empty() {
        found.push(std::mem::take(token));
    }
}

fn contains(text: &Tokens, value: &Tokens) -> bool {
    !value.is_empty() && text.windows(value.len()).any(|window| window == value.as_slice())
}

fn is_small_number(value: &Tokens) -> bool {
    matches!(value.as_slice(), [only] if only.parse::<f64>().is_ok_and(|number| number < 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_words_and_numbers() {
        assert_eq!(
            tokens("Won 1,234.50 points, in 2004."),
            ["won", "1234.5", "points", "in", "2004"]
        );
        assert_eq!(tokens("3.0"), ["3"]);
        assert_eq!(tokens("3-1 (a.b)"), ["3", "1", "a", "b"]);
        assert_eq!(tokens("— !"), Tokens::new());
    }

    #[test]
    fn a_value_is_found_as_a_whole_run_only() {
        let text = tokens("the winner was Ana Lindqvist in 12 races");
        assert!(contains(&text, &tokens("ana lindqvist")));
        assert!(!contains(&text, &tokens("Ana Lind")));
        assert!(!contains(&text, &tokens("2")));
        assert!(!contains(&text, &Tokens::new()));
    }
}
