//! Which columns of the tables hold text. All others hold numbers, so that a column has one type whatever a run has in it.

/// Columns that hold text wherever they stand, `true` and `false` among it.
const TEXT: [&str; 52] = [
    "against",
    "and_judge",
    "and_said",
    "answer",
    "answer_from_marks",
    "answer_without_marks",
    "answerer",
    "arm",
    "arms",
    "at_least",
    "base_class",
    "by",
    "call",
    "caveat",
    "constant_verdict",
    "control_of",
    "detail",
    "failure",
    "guess_right",
    "judge",
    "kind",
    "label",
    "measure",
    "message",
    "method",
    "model",
    "necessary",
    "not_applicable",
    "options",
    "over",
    "panel",
    "people_undefined_because",
    "prediction",
    "prediction_right",
    "purpose",
    "reason",
    "right",
    "said",
    "sample",
    "severity",
    "source",
    "state",
    "success",
    "sufficient",
    "task",
    "test",
    "trial",
    "undefined_because",
    "unread",
    "value",
    "verdict",
    "without_arm",
];

/// Columns that hold numbers in these tables, though elsewhere the same name is of a text.
const NUMBERS: [(&str, &str); 8] = [
    ("correlations", "arms"),
    ("faithfulness", "at_least"),
    ("faithfulness", "necessary"),
    ("faithfulness", "not_applicable"),
    ("faithfulness", "sufficient"),
    ("preference_forms", "value"),
    ("sensitivity", "unread"),
    ("verification", "right"),
];

/// A column that holds text in this table, though elsewhere the same name is of a number.
const TEXT_HERE: (&str, &str) = ("proofs", "imported");

/// Whether a column of a table, named without directory and ending, holds text.
pub(super) fn is_text(table: &str, column: &str) -> bool {
    (table, column) == TEXT_HERE || TEXT.contains(&column) && !NUMBERS.contains(&(table, column))
}
