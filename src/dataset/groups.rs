//! Group labels, as PoTable (Table I) defines them.

use std::collections::BTreeMap;

use crate::table::Table;

/// The label of how hard a question is.
pub const DIFFICULTY: &str = "difficulty";

/// The label of how large a table is.
pub const SIZE: &str = "size";

/// `small` below 50 body cells, `medium` below 100, else `large`; empty cells count, the header does not.
pub fn size_label(table: &Table) -> &'static str {
    match table.cell_count() {
        0..50 => "small",
        50..100 => "medium",
        _ => "large",
    }
}

/// `simple` or `complex`.
pub(super) fn difficulty_label(simple: bool) -> &'static str {
    if simple { "simple" } else { "complex" }
}

/// The labels of a sample of this table.
pub(super) fn labels(table: &Table, simple: Option<bool>) -> BTreeMap<String, String> {
    let mut labels = BTreeMap::from([(SIZE.to_owned(), size_label(table).to_owned())]);
    if let Some(simple) = simple {
        labels.insert(DIFFICULTY.to_owned(), difficulty_label(simple).to_owned());
    }
    labels
}
