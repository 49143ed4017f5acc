//! Where a sentence of tabjury's own tells the answer: it is made of words that every page has and of names and numbers that
//! every reader sees, none of which tells anything.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::dataset::Sample;
use crate::explain::answer_forms::AnswerForms;
use crate::explain::text_words::words as words_of;
use crate::explain::{marked_table, words};

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
pub(in crate::explain) fn told_by_note(forms: &AnswerForms, text: &str, sample: &Sample) -> Vec<Range<usize>> {
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
pub(in crate::explain) fn without_places(text: &str, sample: &Sample) -> String {
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
        let name = marked_table::column_name(column);
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
