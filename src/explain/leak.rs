//! The leak check: whether a finished page tells its judge what it must not. It reads the page's own text and the
//! samples, not the view that the page was made from, so that a fault in making pages is found here. The rule, also in
//! docs/formats.md:
//!
//! - **Answer** (pages that withhold it): a value in the model's words, in a step's words or in a program, as
//!   [`super::answer_forms`] finds it; a table other than the first with a column that holds the answer and nothing else,
//!   or with a computed column named by it. What the question, the caption and the first table have is on every page
//!   of the sample alike, and no leak.
//! - **Name** (every page): the method or the model in text of the model's, where the sample itself does not have it.
//! - **Imported** (every page of an explanation made elsewhere): words that tell the right answer or whether the answer is
//!   right, such as `ground truth` or `false positive`, where the sample itself does not have them.
//! - **Secret** (every page): the bytes of the page depend on the gold answer, on whether the answer is right, or on a
//!   name: of the sample, its table file, the method, the model, the answerer.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer_forms::{AnswerForms, contains, is_small_number, words as words_of};
use super::imported::view as imported;
use super::withhold;
use super::{AnswerVisibility, Format, Written, words};
use crate::dataset::{Gold, Sample};
use crate::trace::{AnswerSource, Trace};

/// Something that a page tells and must not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Leak {
    /// What it tells.
    pub what: LeakKind,
    /// Where, such as `Markdown line 14`.
    pub place: String,
}

/// What a page tells and must not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LeakKind {
    /// The answer, on a page that withholds it.
    Answer,
    /// The name of the method or model.
    Name,
    /// Something that no page may depend on: gold answer, correctness, names of samples and files.
    Secret,
}

impl LeakKind {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Answer => "the withheld answer",
            Self::Name => "the name of the method or model",
            Self::Secret => "the gold answer or a name",
        }
    }
}

/// Every leak of a page in Markdown: its answer, if it is withheld, and names.
pub(super) fn in_markdown(
    markdown: &str,
    sample: &Sample,
    trace: &Trace,
    format: Format,
    visibility: AnswerVisibility,
) -> Vec<Leak> {
    let forms = trace
        .answer
        .as_ref()
        .filter(|_| visibility == AnswerVisibility::Withheld)
        .and_then(AnswerForms::of);
    let mut leaks = Vec::new();
    let is_imported = trace.imported.is_some() && format != Format::None;
    let imported = is_imported.then(|| ImportedCheck::new(forms.as_ref(), sample, trace));
    for block in blocks(markdown) {
        if let Some(check) = imported.as_ref().filter(|_| format == Format::Imported) {
            let place = || format!("Markdown line {}", block.line);
            leaks.extend(
                check
                    .of(&block.kind)
                    .into_iter()
                    .map(|what| Leak { what, place: place() }),
            );
            continue;
        }
        if imported.as_ref().is_some_and(|check| check.outcome_in(&block.kind)) {
            leaks.push(Leak {
                what: LeakKind::Secret,
                place: format!("Markdown line {}", block.line),
            });
        }
        let mut say = |what, line: usize| {
            leaks.push(Leak {
                what,
                place: format!("Markdown line {line}"),
            });
        };
        match &block.kind {
            BlockKind::Table { is_first, header, rows } => {
                if let Some(forms) = forms.as_ref().filter(|_| !is_first)
                    && table_states(forms, sample, header, rows)
                {
                    say(LeakKind::Answer, block.line);
                }
            }
            BlockKind::Program(text) => {
                if forms
                    .as_ref()
                    .is_some_and(|forms| !withhold::said_in_program(forms, text, &sample.question).is_empty())
                {
                    say(LeakKind::Answer, block.line);
                }
            }
            BlockKind::Said(text) => {
                if forms.as_ref().is_some_and(|forms| !forms.said_in(text).is_empty()) {
                    say(LeakKind::Answer, block.line);
                }
                if !withhold::names_in(text, sample, trace).is_empty() {
                    say(LeakKind::Name, block.line);
                }
            }
            BlockKind::Prose(text) => {
                if forms
                    .as_ref()
                    .is_some_and(|forms| !forms.said_in_step(text, &sample.question).is_empty())
                {
                    say(LeakKind::Answer, block.line);
                }
                if text.starts_with("### ") && !withhold::names_in(text, sample, trace).is_empty() {
                    say(LeakKind::Name, block.line);
                }
            }
        }
    }
    leaks
}

/// What a page made elsewhere may not say, beside what every page may not.
struct ImportedCheck<'a> {
    forms: Option<&'a AnswerForms>,
    sample: &'a Sample,
    trace: &'a Trace,
    own_cells: BTreeSet<Vec<String>>,
    own_words: Vec<String>,
}

/// Words that tell the right answer, or whether the answer is right.
const OUTCOMES: &[&[&str]] = &[
    &["ground", "truth"],
    &["gold", "answer"],
    &["gold", "label"],
    &["gold", "standard"],
    &["reference", "answer"],
    &["expected", "answer"],
    &["actual", "answer"],
    &["actual", "label"],
    &["true", "label"],
    &["correct", "answer"],
    &["correct", "prediction"],
    &["incorrect", "prediction"],
    &["wrong", "prediction"],
    &["true", "positive"],
    &["true", "negative"],
    &["false", "positive"],
    &["false", "negative"],
];

impl<'a> ImportedCheck<'a> {
    fn new(forms: Option<&'a AnswerForms>, sample: &'a Sample, trace: &'a Trace) -> Self {
        Self {
            forms,
            sample,
            trace,
            own_cells: imported::own_cells(sample),
            own_words: withhold::words_of_sample(sample),
        }
    }

    fn of(&self, block: &BlockKind) -> Vec<LeakKind> {
        let mut found = Vec::new();
        let mut say = |what, is_told: bool| found.extend(is_told.then_some(what));
        match block {
            // The sample's own.
            BlockKind::Table { is_first: true, .. } => {}
            BlockKind::Table { header, rows, .. } => {
                let all: Vec<Vec<&str>> = std::iter::once(header)
                    .chain(rows)
                    .map(|row| row.iter().map(String::as_str).collect())
                    .collect();
                let told = self
                    .forms
                    .map(|forms| imported::told_by_table(forms, self.sample, &self.own_cells, &all, 1));
                say(
                    LeakKind::Answer,
                    told.is_some_and(|told| told.everything || !told.cells.is_empty()),
                );
                let cells = || all.iter().flatten();
                say(LeakKind::Name, cells().any(|text| self.names(text)));
                say(LeakKind::Secret, cells().any(|text| self.tells_outcome(text)));
            }
            BlockKind::Program(text) => {
                let said = self
                    .forms
                    .map(|forms| imported::said_in_code(forms, text, &self.sample.question));
                say(LeakKind::Answer, said.is_some_and(|said| !said.is_empty()));
                say(LeakKind::Name, self.names(text));
                say(LeakKind::Secret, self.tells_outcome(text));
            }
            BlockKind::Said(text) | BlockKind::Prose(text) => {
                // A heading of the explanation begins with a sign of its own.
                if matches!(block, BlockKind::Prose(_)) && is_answer_of_page(text) {
                    return found;
                }
                let said = self.forms.map(|forms| imported::said_in_text(forms, text));
                say(LeakKind::Answer, said.is_some_and(|said| !said.is_empty()));
                say(LeakKind::Name, self.names(text));
                say(LeakKind::Secret, self.tells_outcome(text));
            }
        }
        found
    }

    /// Whether words of steps, programs or an explanation tell the right answer, or whether the answer is right.
    fn outcome_in(&self, block: &BlockKind) -> bool {
        match block {
            BlockKind::Table { .. } => false,
            BlockKind::Prose(text) if is_answer_of_page(text) => false,
            BlockKind::Program(text) | BlockKind::Said(text) | BlockKind::Prose(text) => self.tells_outcome(text),
        }
    }

    fn names(&self, text: &str) -> bool {
        !withhold::names_in(text, self.sample, self.trace).is_empty()
    }

    fn tells_outcome(&self, text: &str) -> bool {
        let words = words_of(text);
        OUTCOMES.iter().any(|outcome| {
            let outcome: Vec<String> = outcome.iter().map(|word| (*word).to_owned()).collect();
            contains(&words, &outcome) && !contains(&self.own_words, &outcome)
        })
    }
}

/// The lines that end every page: the answer as the page itself gives it or withholds it, and where it came from.
fn is_answer_of_page(text: &str) -> bool {
    text.starts_with("Answer: ") || text == words::source(Some(AnswerSource::Imported))
}

/// Whether the page is another one when nothing but its secrets is.
pub(super) fn of_secrets(
    page: &Written,
    sample: &Sample,
    trace: &Trace,
    format: Format,
    visibility: AnswerVisibility,
) -> Option<Leak> {
    let mut other_sample = sample.clone();
    other_sample.id = "another-sample".to_owned();
    other_sample.table_id = "another/table.csv".to_owned();
    other_sample.groups.clear();
    other_sample.gold = Some(match &sample.gold {
        Some(Gold::Verdict(verdict)) => Gold::Verdict(!verdict),
        _ => Gold::Text("another answer".to_owned()),
    });
    let mut other_trace = trace.clone();
    other_trace.sample.clone_from(&other_sample.id);
    for name in [
        &mut other_trace.answerer,
        &mut other_trace.method,
        &mut other_trace.model,
    ] {
        *name = "another-name".to_owned();
    }
    if let Some(imported) = &mut other_trace.imported {
        "another-name".clone_into(&mut imported.name);
        "another-file".clone_into(&mut imported.file);
        imported.method = None;
        imported.model = None;
    }
    // Names in the model's own text are concealed, or `Name`'s to say, by the true names in both.
    let other = Written::new(&other_sample, &other_trace, format, visibility, (sample, trace));
    differing_line(&page.markdown, &other.markdown)
        .map(|line| format!("Markdown line {line}"))
        .or_else(|| differing_line(&page.html, &other.html).map(|line| format!("HTML line {line}")))
        .map(|place| Leak {
            what: LeakKind::Secret,
            place,
        })
}

/// The first line, counted from one, in which two texts differ.
fn differing_line(ours: &str, theirs: &str) -> Option<usize> {
    let same = ours
        .lines()
        .zip(theirs.lines())
        .take_while(|(ours, theirs)| ours == theirs)
        .count();
    (ours != theirs).then_some(same + 1)
}

/// A part of a page in Markdown.
struct Block {
    /// 1-based line that it begins on.
    line: usize,
    kind: BlockKind,
}

enum BlockKind {
    Table {
        /// Whether it is the sample's own.
        is_first: bool,
        header: Vec<String>,
        rows: Vec<Vec<String>>,
    },
    Program(String),
    /// The model's own words.
    Said(String),
    Prose(String),
}

/// Takes a page in Markdown apart, by what its writer promises: a program stands in a fence, the model's words in a
/// quote, a table's lines begin with `|`, and no text can forge any of them.
fn blocks(markdown: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut fence: Option<String> = None;
    let mut line_before = "";
    for (index, text) in markdown.lines().enumerate() {
        let line = index + 1;
        if let Some(open) = &fence {
            if text == open.as_str() {
                fence = None;
            } else if let Some(Block {
                kind: BlockKind::Program(program),
                ..
            }) = blocks.last_mut()
            {
                program.push_str(text);
                program.push('\n');
            }
            continue;
        }
        let kind = if text.starts_with("```") {
            let ticks = text.chars().take_while(|c| *c == '`').count();
            fence = Some("`".repeat(ticks));
            Some(BlockKind::Program(String::new()))
        } else if text.starts_with('|') {
            row_of_table(&mut blocks, text, line_before)
        } else if let Some(said) = text.strip_prefix('>') {
            Some(BlockKind::Said(unescaped(said)))
        } else if text.is_empty() || is_ours(text) {
            None
        } else {
            Some(BlockKind::Prose(unescaped(text)))
        };
        blocks.extend(kind.map(|kind| Block { line, kind }));
        line_before = text;
    }
    blocks
}

/// Lines that every page of the sample has, and lines of ours that count rows and name columns.
fn is_ours(text: &str) -> bool {
    const STARTS: &[&str] = &[
        "Statement: ",
        "Question: ",
        "Table: ",
        "Column names in programs: ",
        "Marks: ",
        "The table (",
        "The table goes from ",
        words::PART,
        "Table after step ",
        "Result. Table after step ",
        "The explanation’s table ",
        "The same as: ",
        "Result. The same as: ",
    ];
    const LINES: &[&str] = &[
        words::INPUT_WITHHELD,
        words::RESULT_WITHHELD,
        words::PART_WITHHELD,
        words::TABLE_WITHHELD,
        words::IMPORTED,
        words::IMPORTED_WITH_MARKS,
        words::NOTHING_IMPORTED,
    ];
    STARTS.iter().any(|start| text.starts_with(start)) || LINES.contains(&text)
}

/// Adds a row to the table block above, or begins one.
fn row_of_table(blocks: &mut [Block], text: &str, line_before: &str) -> Option<BlockKind> {
    let cells = cells_of(text);
    match blocks.last_mut() {
        Some(Block {
            kind: BlockKind::Table { rows, .. },
            ..
        }) if line_before.starts_with('|') => {
            if !text.starts_with("|-|") && !text.starts_with("|…") {
                rows.push(cells);
            }
            None
        }
        _ => Some(BlockKind::Table {
            is_first: line_before.starts_with("The table ("),
            header: cells,
            rows: Vec::new(),
        }),
    }
}

/// The cells of a row of a table, without the number in front and the marks.
fn cells_of(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_escaped = false;
    for character in line.chars() {
        if character == '|' && !is_escaped {
            cells.push(String::new());
        } else if let Some(cell) = cells.last_mut() {
            cell.push(character);
        }
        is_escaped = character == '\\' && !is_escaped;
    }
    // Before the first and after the last bar there is nothing; then comes the row's number.
    cells
        .iter()
        .skip(2)
        .take(cells.len().saturating_sub(3))
        .map(|cell| unescaped(cell))
        .collect()
}

/// Markdown back to text, as far as words and numbers go.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut is_escaped = false;
    for character in text.trim().chars() {
        if character == '\\' && !is_escaped {
            is_escaped = true;
            continue;
        }
        is_escaped = false;
        plain.push(character);
    }
    plain.replace("<br>", "\n").replace("&lt;", "<").replace("&amp;", "&")
}

/// Whether a table of a page states the answer.
fn table_states(forms: &AnswerForms, sample: &Sample, header: &[String], rows: &[Vec<String>]) -> bool {
    let own: Vec<Vec<String>> = sample
        .table
        .columns
        .iter()
        .map(|column| words_of(&column.display))
        .collect();
    header.iter().enumerate().any(|(column, name)| {
        let name = words_of(name);
        let is_computed = !own.iter().any(|own| name.starts_with(own));
        let cells = || {
            rows.iter()
                .map(|row| row.get(column).map(String::as_str).filter(|cell| *cell != "_NULL_"))
        };
        forms.fill(cells(), is_computed) && !withhold::fills_first_table(forms, sample)
            || (is_computed && names_answer(forms, &name))
    })
}

/// Whether a computed column is named by the answer.
pub(super) fn names_answer(forms: &AnswerForms, name: &[String]) -> bool {
    match forms {
        AnswerForms::Verdict => false,
        AnswerForms::Values(values) => values
            .iter()
            .any(|value| !is_small_number(value) && contains(name, value)),
    }
}
