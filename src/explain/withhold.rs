//! What a page leaves out so that its judge stays blind: the answer, where it is withheld, and on every page the names
//! that the model's own text gives away.
//!
//! A pass over the finished view, so that it holds for every format alike: a table that states the answer is not
//! shown, and in text the place is taken by [`WITHHELD`]. What counts as stating it is [`super::answer_forms`]'s
//! to say, what counts as a name [`super::telling_names`]'. Whether it worked is for [`super::leak`] to find out, which
//! reads the written page.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;
use std::sync::LazyLock;

use regex::Regex;

use super::answer_forms::{self, AnswerForms, names_a_verdict, verdict_of};
use super::marked_table::TableView;
use super::own_texts::OwnTexts;
use super::sql_constants::{comes_from_first_table, given_constants, is_quantity};
use super::sql_pieces::{PieceKind, pieces};
use super::telling_names::TellingNames;
use super::text_words::{contains, is_small_number, joined, words as words_of};
use super::view::{PageView, Rationale, ResultView, StepView};
use super::{AnswerVisibility, words};
use crate::dataset::Sample;
use crate::table::Table;
use crate::trace::Trace;

/// Stands where text was left out.
pub(super) const WITHHELD: &str = "[withheld]";

/// What a page must not tell, by the true sample and trace.
pub(super) struct Blind<'a> {
    /// The sample.
    pub(super) sample: &'a Sample,
    /// What was done on it.
    pub(super) trace: &'a Trace,
    /// What every page of the sample has.
    pub(super) own: Rc<OwnTexts<'a>>,
    /// The names.
    pub(super) names: TellingNames<'a>,
    /// The answer, where the page withholds it.
    pub(super) forms: Option<AnswerForms>,
    /// What the question offers to choose from, once it was looked for.
    choice: OnceCell<Option<Choice>>,
    /// Whether the first table states the answer, once it was looked at.
    first_table_states_it: OnceCell<bool>,
}

impl<'a> Blind<'a> {
    /// With the names that a study knows.
    pub(super) fn new(
        own: &Rc<OwnTexts<'a>>,
        sample: &'a Sample,
        trace: &'a Trace,
        names: &[String],
        visibility: AnswerVisibility,
    ) -> Self {
        Self {
            sample,
            trace,
            own: Rc::clone(own),
            names: TellingNames::new(Rc::clone(own), sample, trace, names),
            forms: trace
                .answer
                .as_ref()
                .filter(|_| visibility == AnswerVisibility::Withheld)
                .and_then(|answer| AnswerForms::of(answer, &sample.question, |words| own.has_cell_of(words)))
                .map(|forms| if rounds(trace) { forms.rounded() } else { forms }),
            choice: OnceCell::new(),
            first_table_states_it: OnceCell::new(),
        }
    }

    /// What the question offers to choose from, of which the answer is one.
    pub(super) fn choice(&self, forms: &AnswerForms) -> Option<&Choice> {
        self.choice.get_or_init(|| Choice::of(forms, self.sample)).as_ref()
    }

    /// Whether the first table, which is on every page, states the answer.
    pub(super) fn first_table_states_it(&self, forms: &AnswerForms) -> bool {
        *self
            .first_table_states_it
            .get_or_init(|| fills_first_table(forms, &self.sample.table))
    }

    /// Takes out of a view what it may not tell; gives the number of places.
    pub(super) fn conceal(&self, view: &mut PageView) -> usize {
        let mut places = self.conceal_names(view);
        if let Some(forms) = &self.forms {
            let concealer = Concealer { forms, blind: self };
            places += concealer.conceal(view);
            view.renew_legend();
        }
        places
    }

    fn conceal_names(&self, view: &mut PageView) -> usize {
        let mut texts: Vec<&mut String> = Vec::new();
        for step in &mut view.steps {
            texts.push(&mut step.words);
            texts.extend(step.program.iter_mut());
            texts.extend(step.error.iter_mut());
            texts.extend(step.notes.iter_mut());
            for failed in &mut step.failed_tries {
                texts.push(&mut failed.error);
                texts.extend(failed.program.iter_mut());
            }
            let result = match &mut step.result {
                Some(ResultView::Table(table)) => Some(table.as_mut()),
                _ => None,
            };
            for table in step.input.iter_mut().chain(result).filter(|table| table.index > 0) {
                texts.extend(table.texts().filter(|text| !self.own.is_cell(text)));
            }
        }
        if let Some(Rationale::Words(text)) = &mut view.rationale {
            texts.push(text);
        }
        texts.extend(view.closing.notice_reason.iter_mut());
        let mut places = texts
            .into_iter()
            .map(|text| replace(text, |text| self.names.found_in(text)))
            .sum();
        if let Some(imported) = &mut view.imported {
            places += imported.replace(|text| self.names.found_in(text));
        }
        places
    }
}

/// Whether a program of the trace rounds to whole numbers, as far as its words tell.
fn rounds(trace: &Trace) -> bool {
    let programs = trace.steps.iter().filter_map(|step| step.program.as_ref());
    programs
        .map(|program| program.text.to_ascii_lowercase())
        .any(|text| text.contains("round") || text.contains(" as int"))
}

struct Concealer<'b, 'a> {
    forms: &'b AnswerForms,
    blind: &'b Blind<'a>,
}

impl Concealer<'_, '_> {
    fn conceal(&self, view: &mut PageView) -> usize {
        let own_words = |text: &str| self.forms.said_in_step(text);
        let program = |text: &str| said_in_program(self.forms, text);
        let mut places = 0;
        for step in &mut view.steps {
            places += self.conceal_tables(step);
            places += if step.is_made {
                replace(&mut step.words, |text| {
                    told_by_note(self.forms, text, self.blind.sample)
                })
            } else {
                replace(&mut step.words, own_words)
            };
            for text in step.program.iter_mut() {
                places += replace(text, program);
            }
            for failed in &mut step.failed_tries {
                for text in failed.program.iter_mut() {
                    places += replace(text, program);
                }
                places += replace(&mut failed.error, own_words);
            }
            for text in step.error.iter_mut().filter(|text| *text != words::NO_REASON) {
                places += replace(text, own_words);
            }
            for text in step.notes.iter_mut().chain(step.change.iter_mut()) {
                places += replace(text, |text| told_by_note(self.forms, text, self.blind.sample));
            }
        }
        if let Some(step) = view.steps.last_mut() {
            places += self.conceal_choice(step);
        }
        if let Some(Rationale::Words(text)) = &mut view.rationale {
            places += replace(text, |text| self.forms.said_in(text));
        }
        if let Some(imported) = &mut view.imported {
            places += imported.conceal(self.forms, self.blind.sample, &self.blind.own);
        }
        if let Some(text) = &mut view.closing.notice_reason {
            places += replace(text, |text| self.forms.said_in(text));
        }
        places
    }

    /// Leaves out the tables of a step that state the answer.
    fn conceal_tables(&self, step: &mut StepView) -> usize {
        let mut places = 0;
        if step.input.as_ref().is_some_and(|table| self.states_answer(table)) {
            step.input = None;
            step.marked = false;
            step.notes.insert(0, words::INPUT_WITHHELD.to_owned());
            places += 1;
        }
        if let Some(ResultView::Table(table)) = &step.result
            && self.states_answer(table)
        {
            step.result = Some(ResultView::Withheld);
            places += 1;
        }
        places
    }

    /// Whether a step's result states the answer: a column holds it and nothing else, or is named by it, or what was
    /// computed says it in words or in pieces.
    fn states_answer(&self, shown: &TableView) -> bool {
        let trace = self.blind.trace;
        let Some(table) = trace.tables.get(shown.index).filter(|_| shown.index > 0) else {
            return false;
        };
        // By this step or by one before it, or not known how.
        let is_computed = |column: usize| !comes_from_first_table(trace, shown.index, column);
        let computed = || (0..table.columns.len()).filter(|column| is_computed(*column));
        is_told_in_pieces(self.forms, &table.rows, computed)
            || (0..table.columns.len()).any(|column| {
                let name = table.columns.get(column).map_or("", |column| &column.display);
                let is_own_name = self.blind.sample.table.columns.iter().any(|own| own.display == name);
                self.forms.fill(cells(table, column), is_computed(column))
                    && !self.blind.first_table_states_it(self.forms)
                    || !is_own_name && is_told_by_name(self.forms, name)
                    || (is_computed(column) && self.is_put_in_words(table, column))
                    || (*self.forms == AnswerForms::Verdict && gives_verdict(trace, table, shown.index, column))
            })
    }

    fn is_put_in_words(&self, table: &Table, column: usize) -> bool {
        cells(table, column)
            .flatten()
            .any(|cell| puts_in_words(self.forms, cell))
    }

    /// The last step of a chain that compares what the question offers must not pick out the answer alone.
    fn conceal_choice(&self, step: &mut StepView) -> usize {
        let Some(choice) = self.blind.choice(self.forms) else {
            return 0;
        };
        let texts = [Some(step.words.as_str()), step.program.as_deref()];
        if !choice.is_made_by(texts.into_iter().flatten()) {
            return 0;
        }
        let mut places = replace(&mut step.words, |text| choice.sentences(text));
        for text in step.program.iter_mut() {
            places += replace(text, |text| choice.places(text));
        }
        places
    }
}

/// The cells of a column.
fn cells(table: &Table, column: usize) -> impl Iterator<Item = Option<&str>> + Clone {
    table
        .rows
        .iter()
        .map(move |row| row.get(column).and_then(|cell| cell.as_deref()))
}

/// Whether a text of more than a value states the answer.
fn states(forms: &AnswerForms, text: &str) -> bool {
    match forms {
        AnswerForms::Verdict => !forms.said_in_step(text).is_empty(),
        _ => !forms.stated_in(text).is_empty(),
    }
}

/// Whether a cell is more than a value, by words or by a sign that leads to one, and states the answer.
pub(super) fn puts_in_words(forms: &AnswerForms, cell: &str) -> bool {
    (words_of(cell).len() > 1 || has_leading_sign(cell)) && states(forms, cell)
}

/// Whether a text has a sign that leads to a value as words do: `→ 3`.
pub(super) fn has_leading_sign(text: &str) -> bool {
    text.contains(['=', '→', '⇒', '≈'])
}

/// Whether a result of one row gives a verdict in a column that was computed, in whatever way: 1, yes, T.
fn gives_verdict(trace: &Trace, table: &Table, index: usize, column: usize) -> bool {
    let [row] = table.rows.as_slice() else {
        return false;
    };
    row.get(column)
        .and_then(|cell| cell.as_deref())
        .is_some_and(answer_forms::gives_verdict)
        && !is_quantity(trace, index, column)
}

/// What a question offers to choose from, of which the answer is one.
pub(super) struct Choice {
    answer: Vec<String>,
    others: Vec<Vec<String>>,
}

impl Choice {
    /// `None` where the question does not name the answer beside another cell of the same column.
    pub(super) fn of(forms: &AnswerForms, sample: &Sample) -> Option<Self> {
        let answer = forms.only_value()?;
        let asked = words_of(&sample.question);
        if is_small_number(answer) || !contains(&asked, answer) {
            return None;
        }
        let mut others: BTreeSet<Vec<String>> = BTreeSet::new();
        for column in 0..sample.table.columns.len() {
            let values: BTreeSet<Vec<String>> = cells(&sample.table, column).flatten().map(words_of).collect();
            if values.contains(answer) {
                others.extend(
                    values
                        .into_iter()
                        .filter(|value| value != answer && contains(&asked, value)),
                );
            }
        }
        (!others.is_empty()).then(|| Self {
            answer: answer.to_vec(),
            others: others.into_iter().collect(),
        })
    }

    /// Whether the texts name the answer and none of the others.
    pub(super) fn is_made_by<'a>(&self, texts: impl Iterator<Item = &'a str>) -> bool {
        let texts: Vec<Vec<String>> = texts.map(words_of).collect();
        let names = |value: &Vec<String>| texts.iter().any(|text| contains(text, value));
        names(&self.answer) && !self.others.iter().any(names)
    }

    fn places(&self, text: &str) -> Vec<Range<usize>> {
        super::text_words::runs(&super::text_words::tokens(text), &self.answer)
    }

    fn sentences(&self, text: &str) -> Vec<Range<usize>> {
        super::text_words::sentences(text)
            .into_iter()
            .filter(|sentence| !self.places(text.get(sentence.clone()).unwrap_or_default()).is_empty())
            .collect()
    }
}

/// Whether the first table alone has a column that holds the answer and nothing else.
pub(super) fn fills_first_table(forms: &AnswerForms, table: &Table) -> bool {
    (0..table.columns.len()).any(|column| forms.fill(cells(table, column), false))
}

/// Whether the name of a column tells the answer: has it, or states it.
pub(super) fn is_told_by_name(forms: &AnswerForms, name: &str) -> bool {
    forms.is_named_by(name)
        || *forms == AnswerForms::Verdict && names_a_verdict(name)
        || *forms != AnswerForms::Verdict && !forms.said_in_step(&name.replace('_', " ")).is_empty()
}

/// Whether what was computed in a result of one row is the answer in pieces, a cell each.
pub(super) fn is_told_in_pieces<Columns: Iterator<Item = usize>>(
    forms: &AnswerForms,
    rows: &[Vec<Option<String>>],
    computed: impl Fn() -> Columns,
) -> bool {
    let [row] = rows else {
        return false;
    };
    let cells: Vec<&str> = computed().filter_map(|column| row.get(column)?.as_deref()).collect();
    cells.len() > 1 && forms.is_named_by(&cells.join(" "))
}

/// Words that sentences of ours are made of. An answer of these alone is told by none of them.
const OUR_WORDS: &[&str] = &[
    "a",
    "after",
    "all",
    "an",
    "and",
    "any",
    "reason",
    "answer",
    "answered",
    "answers",
    "are",
    "as",
    "at",
    "be",
    "before",
    "beside",
    "by",
    "cells",
    "chain",
    "choose",
    "column",
    "columns",
    "compared",
    "compares",
    "computed",
    "computes",
    "condition",
    "could",
    "decides",
    "declined",
    "depends",
    "did",
    "drawn",
    "each",
    "earlier",
    "elsewhere",
    "end",
    "error",
    "every",
    "everything",
    "examined",
    "explanation",
    "explanations",
    "facts",
    "failed",
    "fewer",
    "file",
    "finds",
    "first",
    "for",
    "from",
    "give",
    "given",
    "goes",
    "had",
    "has",
    "have",
    "here",
    "highlighted",
    "highlights",
    "holds",
    "how",
    "imported",
    "in",
    "input",
    "is",
    "it",
    "its",
    "itself",
    "keeps",
    "kept",
    "last",
    "least",
    "left",
    "letters",
    "made",
    "maker",
    "makes",
    "many",
    "marked",
    "marks",
    "matches",
    "matter",
    "matters",
    "means",
    "meets",
    "met",
    "model",
    "more",
    "name",
    "names",
    "new",
    "next",
    "no",
    "none",
    "not",
    "nothing",
    "number",
    "of",
    "on",
    "one",
    "only",
    "or",
    "order",
    "ordered",
    "orders",
    "other",
    "others",
    "out",
    "own",
    "page",
    "part",
    "picked",
    "program",
    "programs",
    "put",
    "ran",
    "reads",
    "rest",
    "result",
    "results",
    "row",
    "rows",
    "run",
    "runs",
    "s",
    "same",
    "save",
    "says",
    "script",
    "several",
    "show",
    "shown",
    "shows",
    "single",
    "so",
    "some",
    "sql",
    "sqlite",
    "stands",
    "state",
    "states",
    "step",
    "steps",
    "such",
    "table",
    "tables",
    "text",
    "that",
    "the",
    "them",
    "there",
    "these",
    "they",
    "this",
    "those",
    "to",
    "together",
    "too",
    "traced",
    "tries",
    "try",
    "typed",
    "under",
    "unlike",
    "used",
    "uses",
    "value",
    "was",
    "were",
    "what",
    "where",
    "whether",
    "which",
    "whole",
    "whose",
    "why",
    "with",
    "withheld",
    "without",
    "words",
    "would",
    "yes",
];

/// Where a sentence of ours tells the answer: not by row numbers, the first table's size and the names of its columns,
/// which every page has, nor by what it counts as not shown.
pub(super) fn told_by_note(forms: &AnswerForms, text: &str, sample: &Sample) -> Vec<Range<usize>> {
    let mut told = forms.said_in_step(&without_places(text, sample));
    told.retain(|place| {
        let words = words_of(text.get(place.clone()).unwrap_or_default());
        // A name in quotation marks is none of our words.
        let before = text.get(..place.start).unwrap_or_default();
        let is_quoted = before.rfind('“') > before.rfind('”');
        is_quoted || !words.iter().all(|word| OUR_WORDS.contains(&word.as_str()))
    });
    told
}

/// A sentence of ours with blanks for what [`told_by_note`] leaves aside, as many bytes long.
pub(super) fn without_places(text: &str, sample: &Sample) -> String {
    static PLACES: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?x) \brows?\s[0-9]+(?:[\s,–]+[0-9]+)*
            | \band\s[0-9]+\smore\b
            | \bsteps?\s[0-9]+\b
            | \b[0-9]+\s(?:rows?|columns?|characters?)\s(?:not\sshown|more)\b",
        )
        .ok()
    });
    let mut kept = text.to_owned();
    let mut blank = |phrase: &str| {
        if kept.contains(phrase) {
            kept = kept.replace(phrase, &" ".repeat(phrase.len()));
        }
    };
    let table = &sample.table;
    // Names stand in quotation marks; few sentences have any, and a table may have many names.
    for column in table.columns.iter().filter(|_| text.contains('“')) {
        let name = super::marked_table::column_name(column);
        blank(&format!("{} is “{name}”", column.sql));
        blank(&format!("“{name}”"));
    }
    if let Some(places) = PLACES.as_ref() {
        for found in places.find_iter(text) {
            blank(found.as_str());
        }
    }
    for size in [
        words::count(table.rows.len(), "row"),
        words::count(table.columns.len(), "column"),
    ] {
        // Not the end of another number.
        let at_word = |at: usize| {
            !kept
                .get(..at)
                .is_some_and(|before| before.ends_with(|c: char| c.is_ascii_digit()))
        };
        let found: Vec<usize> = kept
            .match_indices(&size)
            .map(|(at, _)| at)
            .filter(|at| at_word(*at))
            .collect();
        for at in found {
            kept.replace_range(at..at + size.len(), &" ".repeat(size.len()));
        }
    }
    kept
}

/// Where a program says the answer: a value as the words of a step name it, or as the only constant it gives out; of a
/// verdict the constants of a program that knows only one.
pub(super) fn said_in_program(forms: &AnswerForms, text: &str) -> Vec<Range<usize>> {
    let given = given_constants(text);
    match forms {
        AnswerForms::Verdict => {
            let (mut constants, has_both) = verdict_constants(text);
            let certain = [constant_truths(text), verdict_names(text)].concat();
            if has_both {
                return joined(certain);
            }
            constants.extend(certain);
            let verdicts: Vec<bool> = given.iter().filter_map(|constant| verdict_of(&constant.text)).collect();
            if verdicts.len() == given.len() && verdicts.windows(2).all(|pair| pair[0] == pair[1]) {
                constants.extend(given.into_iter().map(|constant| constant.place));
            }
            joined(constants)
        }
        _ => {
            let mut places = forms.named_in_step(text);
            if given.iter().all(|constant| forms.is_value(&constant.text)) {
                places.extend(given.into_iter().map(|constant| constant.place));
            }
            joined(places)
        }
    }
}

/// Where a program holds two constants against each other, or asks for none, so that its verdict is settled before it runs:
/// `1 = 1`, `WHEN 1 THEN`. In `WHERE 1 = 1` nothing is settled.
fn constant_truths(program: &str) -> Vec<Range<usize>> {
    static SETTLED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?ix) (?:^|[^\w.'])(?P<equation>(?:[0-9]+|'[^']*')\s*(?:==?|<>|!=|<=?|>=?)\s*(?:[0-9]+|'[^']*'))(?:[^\w.']|$)
            | \bWHEN\s+(?P<constant>[0-9]+|TRUE|FALSE)\s+THEN\b",
        )
        .ok()
    });
    let Some(settled) = SETTLED.as_ref() else {
        return Vec::new();
    };
    let is_idle = |at: usize| {
        let before = program.get(..at).unwrap_or_default().trim_end().as_bytes();
        ["WHERE", "AND", "ON", "HAVING"].iter().any(|word| {
            let last = before.len().checked_sub(word.len()).and_then(|from| before.get(from..));
            last.is_some_and(|last| last.eq_ignore_ascii_case(word.as_bytes()))
        })
    };
    let places = settled.captures_iter(program).filter_map(|found| {
        let place = found.name("equation").or_else(|| found.name("constant"))?;
        Some(place.range())
    });
    places.filter(|place| !is_idle(place.start)).collect()
}

/// The names that a program gives its columns and that state a verdict.
fn verdict_names(program: &str) -> Vec<Range<usize>> {
    static NAMED: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#"(?i)\bAS\s+("[^"]*"|`[^`]*`|\[[^\]]*\]|[a-z_]\w*)"#).ok());
    let Some(named) = NAMED.as_ref() else {
        return Vec::new();
    };
    let names = named.captures_iter(program).filter_map(|found| found.get(1));
    names
        .filter(|name| names_a_verdict(name.as_str()))
        .map(|name| name.range())
        .collect()
}

/// The constants of a program that are verdicts, and whether both are among them. `'TR' || 'UE'` is one.
fn verdict_constants(program: &str) -> (Vec<Range<usize>>, bool) {
    let mut at = 0;
    let mut constants: Vec<(String, Range<usize>)> = Vec::new();
    let mut between = String::new();
    for piece in pieces(program) {
        let place = at..at + piece.text.len();
        at = place.end;
        if piece.kind != PieceKind::Text {
            between.push_str(&piece.text);
            continue;
        }
        let text = words_of(&piece.text).concat();
        match constants.last_mut() {
            Some((all, whole)) if between.trim() == "||" => {
                all.push_str(&text);
                whole.end = place.end;
            }
            _ => constants.push((text, place)),
        }
        between.clear();
    }
    constants.retain(|(text, _)| matches!(text.as_str(), "true" | "false"));
    let verdicts: BTreeSet<&str> = constants.iter().map(|(text, _)| text.as_str()).collect();
    let has_both = verdicts.len() == 2;
    (constants.into_iter().map(|(_, place)| place).collect(), has_both)
}

/// Puts [`WITHHELD`] in the place of each range; gives how many there were. What is left may tell something anew.
pub(super) fn replace(text: &mut String, find: impl Fn(&str) -> Vec<Range<usize>>) -> usize {
    in_rounds(|| replace_once(text, find(text)))
}

/// Replaces until nothing is found, four times at most; gives how many places there were in all.
pub(super) fn in_rounds(mut replace_once: impl FnMut() -> usize) -> usize {
    const ROUNDS: usize = 4;
    (0..ROUNDS)
        .map(|_| replace_once())
        .take_while(|places| *places > 0)
        .sum()
}

/// The places that are not within a mark of ours already.
pub(super) fn unmarked(mut places: Vec<Range<usize>>, text: &str) -> Vec<Range<usize>> {
    let marks = marks(text);
    places.retain(|place| {
        let behind = marks.partition_point(|mark| mark.start <= place.start);
        behind.checked_sub(1).is_none_or(|at| marks[at].end < place.end)
    });
    places
}

/// Of places in order and apart, those that reach into a range.
pub(super) fn reaching_into<'p>(
    places: &'p [Range<usize>],
    range: &Range<usize>,
) -> impl Iterator<Item = &'p Range<usize>> {
    let (start, end) = (range.start, range.end);
    let first = places.partition_point(|place| place.end <= start);
    places[first..].iter().take_while(move |place| place.start < end)
}

/// Where a text has [`WITHHELD`] already, in bytes.
pub(super) fn marks(text: &str) -> Vec<Range<usize>> {
    text.match_indices(WITHHELD)
        .map(|(at, mark)| at..at + mark.len())
        .collect()
}

fn replace_once(text: &mut String, places: Vec<Range<usize>>) -> usize {
    let places = unmarked(places, text);
    if places.is_empty() {
        return 0;
    }
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for place in &places {
        kept.push_str(text.get(from..place.start).unwrap_or_default());
        kept.push_str(WITHHELD);
        from = place.end;
    }
    kept.push_str(text.get(from..).unwrap_or_default());
    *text = kept;
    places.len()
}
