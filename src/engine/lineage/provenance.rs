//! What a result row comes from, and how rows are told apart.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use rusqlite::types::Value as SqlValue;

use crate::trace::RowSources;
use crate::trace::lineage::CellPosition;

/// What one result row comes from. Sets as ascending lists: most hold one row, and there may be a million of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Provenance {
    /// Rows of the table.
    pub(super) rows: Vec<usize>,
    /// Cells whose condition holds.
    pub(super) cells: Vec<CellPosition>,
    /// Rows among `rows` that attain a MIN or MAX.
    pub(super) witnesses: Vec<usize>,
    /// The cells they attain it with.
    pub(super) witness_cells: Vec<CellPosition>,
    /// What other result rows come from, too.
    pub(super) shared: Vec<Rc<Shared>>,
}

/// What many result rows come from together, kept once: copied into each, it would grow with the square of the table.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shared {
    /// Its number among those of a statement.
    pub(super) number: usize,
    pub(super) provenance: Provenance,
}

impl Provenance {
    /// Adds what another row comes from.
    pub(super) fn absorb(&mut self, other: &Self) {
        self.absorb_own(other);
        self.shared.extend(other.shared.iter().map(Rc::clone));
    }

    fn absorb_own(&mut self, other: &Self) {
        self.rows.extend(&other.rows);
        self.cells.extend(&other.cells);
        self.witnesses.extend(&other.witnesses);
        self.witness_cells.extend(&other.witness_cells);
    }

    /// Whether it may be copied into every row that it is part of.
    pub(super) fn is_small(&self) -> bool {
        const FEW: usize = 8;
        self.rows.len() + self.cells.len() + self.witness_cells.len() <= FEW
    }

    /// Puts the lists in order, each entry once.
    pub(super) fn settle(&mut self) {
        settle(&mut self.rows);
        settle(&mut self.cells);
        settle(&mut self.witnesses);
        settle(&mut self.witness_cells);
        if self.shared.len() > 1 {
            self.shared.sort_unstable_by_key(|shared| shared.number);
            self.shared.dedup_by_key(|shared| shared.number);
        }
    }
}

/// Visits what is shared, each once, with what is shared within it.
pub(super) fn visit_shared(shared: &[Rc<Shared>], seen: &mut BTreeSet<usize>, visit: &mut impl FnMut(&Rc<Shared>)) {
    for one in shared {
        if seen.insert(one.number) {
            visit(one);
            visit_shared(&one.provenance.shared, seen, visit);
        }
    }
}

/// What result rows come from, all in one and nothing shared.
pub(super) fn altogether<'a>(parts: impl IntoIterator<Item = &'a Provenance>) -> Provenance {
    let mut all = Provenance::default();
    let mut seen = BTreeSet::new();
    for part in parts {
        all.absorb_own(part);
        visit_shared(&part.shared, &mut seen, &mut |shared| {
            all.absorb_own(&shared.provenance)
        });
    }
    all.settle();
    all
}

/// For each result row the rows it comes from; what is shared becomes groups, in the order of its first use.
pub(super) fn row_sources(result: Vec<Provenance>) -> RowSources {
    let mut sources = RowSources::default();
    if result.iter().all(|provenance| provenance.shared.is_empty()) {
        sources.rows = result.into_iter().map(|provenance| provenance.rows).collect();
        return sources;
    }
    let mut places: BTreeMap<usize, usize> = BTreeMap::new();
    for provenance in result {
        let mut in_groups = Vec::new();
        visit_shared(&provenance.shared, &mut BTreeSet::new(), &mut |shared| {
            let place = *places.entry(shared.number).or_insert_with(|| {
                sources.groups.push(shared.provenance.rows.clone());
                sources.groups.len() - 1
            });
            in_groups.push(place);
        });
        in_groups.sort_unstable();
        sources.rows.push(provenance.rows);
        sources.in_groups.push(in_groups);
    }
    sources
}

fn settle<T: Ord>(list: &mut Vec<T>) {
    if !list.is_sorted_by(|first, second| first < second) {
        list.sort_unstable();
        list.dedup();
    }
}

/// A row as DISTINCT, GROUP BY and UNION tell rows apart: NULLs are equal, and 1 is 1.0.
pub(super) type RowKey = Vec<ValueKey>;

/// A value of a [`RowKey`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ValueKey {
    /// NULL.
    Null,
    /// A whole number, written as integer or real.
    Whole(i64),
    /// Another number, by its bits.
    Fraction(u64),
    /// Text.
    Text(String),
    /// Binary data.
    Blob(Vec<u8>),
}

/// The key of a row.
pub(super) fn row_key(row: &[SqlValue]) -> RowKey {
    row.iter()
        .map(|value| match value {
            SqlValue::Null => ValueKey::Null,
            SqlValue::Integer(number) => ValueKey::Whole(*number),
            SqlValue::Real(number) => whole(*number).map_or(ValueKey::Fraction(number.to_bits()), ValueKey::Whole),
            SqlValue::Text(text) => ValueKey::Text(text.clone()),
            SqlValue::Blob(bytes) => ValueKey::Blob(bytes.clone()),
        })
        .collect()
}

/// The integer that a real equals.
fn whole(number: f64) -> Option<i64> {
    // 2^63 is the first real too large for an i64; within the bounds a cast of a whole number is exact.
    let bounded = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&number);
    #[allow(clippy::cast_possible_truncation)]
    (bounded && number.fract() == 0.0).then_some(number as i64)
}

/// Gives each expected row the provenance of the next candidate equal to it; `None` when one has no candidate.
pub(super) fn match_rows(
    expected: &[Vec<SqlValue>],
    candidates: Vec<(Vec<SqlValue>, Provenance)>,
) -> Option<Vec<Provenance>> {
    let mut waiting: BTreeMap<RowKey, VecDeque<Provenance>> = BTreeMap::new();
    for (row, provenance) in candidates {
        waiting.entry(row_key(&row)).or_default().push_back(provenance);
    }
    expected
        .iter()
        .map(|row| waiting.get_mut(&row_key(row)).and_then(VecDeque::pop_front))
        .collect()
}

/// Makes equal rows one, with the provenance of all.
pub(super) fn merge_equal(candidates: Vec<(Vec<SqlValue>, Provenance)>) -> Vec<(Vec<SqlValue>, Provenance)> {
    let mut places: BTreeMap<RowKey, usize> = BTreeMap::new();
    let mut merged: Vec<(Vec<SqlValue>, Provenance)> = Vec::new();
    for (row, provenance) in candidates {
        match places.entry(row_key(&row)) {
            std::collections::btree_map::Entry::Occupied(place) => merged[*place.get()].1.absorb(&provenance),
            std::collections::btree_map::Entry::Vacant(place) => {
                place.insert(merged.len());
                merged.push((row, provenance));
            }
        }
    }
    for (_, provenance) in &mut merged {
        provenance.settle();
    }
    merged
}

/// Whether a value of a MIN or MAX goes before another; numbers before text before binary data, as SQLite has it.
pub(super) fn is_less(first: &SqlValue, second: &SqlValue) -> bool {
    fn rank(value: &SqlValue) -> u8 {
        match value {
            SqlValue::Null => 0,
            SqlValue::Integer(_) | SqlValue::Real(_) => 1,
            SqlValue::Text(_) => 2,
            SqlValue::Blob(_) => 3,
        }
    }
    match (first, second) {
        (SqlValue::Integer(first), SqlValue::Integer(second)) => first < second,
        (SqlValue::Real(first), SqlValue::Real(second)) => first < second,
        #[allow(clippy::cast_precision_loss)]
        (SqlValue::Integer(first), SqlValue::Real(second)) => (*first as f64) < *second,
        #[allow(clippy::cast_precision_loss)]
        (SqlValue::Real(first), SqlValue::Integer(second)) => *first < (*second as f64),
        (SqlValue::Text(first), SqlValue::Text(second)) => first.as_bytes() < second.as_bytes(),
        (SqlValue::Blob(first), SqlValue::Blob(second)) => first < second,
        (first, second) => rank(first) < rank(second),
    }
}
