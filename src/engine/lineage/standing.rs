//! What may become of a query's rows when rows of the table that are not marked are deleted, so that a surrounding query
//! knows which of them it can pass over without marking them.
//!
//! In every query whose result's rows are all marked, and the rows that decided with them, nothing changes: that holds
//! always. A surrounding query that uses only some of the rows needs more: that the others only go, and stay what they
//! were while they are there. Where that is not proven by how the query is built, all its rows decide.

use super::stability::Stability;

/// What may become of a query's rows.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    /// Of each column's values, in rows of which some source is deleted.
    pub(super) columns: Vec<Stability>,
    /// No row appears: each goes, or is one that was there, with values as `columns` has it.
    pub(super) rows_only_go: bool,
    /// Rows stay in their order, or move back.
    pub(super) order_stays: bool,
    /// A LIMIT cut it: for a row that goes another one comes in.
    pub(super) is_cut: bool,
}

impl Standing {
    /// Nothing becomes of them: they do not come from the table, or all that they come from is marked.
    pub(super) fn fixed(width: usize) -> Self {
        Self {
            columns: vec![Stability::Same; width],
            rows_only_go: true,
            order_stays: true,
            is_cut: false,
        }
    }

    /// Anything.
    pub(super) fn unknown(width: usize) -> Self {
        Self {
            columns: vec![Stability::Any; width],
            rows_only_go: false,
            order_stays: false,
            is_cut: true,
        }
    }

    /// Whether every value stays what it is.
    pub(super) fn are_values_same(&self) -> bool {
        self.columns.iter().all(|column| *column == Stability::Same)
    }

    /// Whether rows only go, and stay what they were while they are there.
    pub(super) fn is_monotone(&self) -> bool {
        self.rows_only_go && !self.is_cut && self.are_values_same()
    }

    /// Of the rows of two queries together.
    pub(super) fn and(&self, other: &Self) -> Self {
        let width = self.columns.len();
        let columns = if other.columns.len() == width {
            let both = self.columns.iter().zip(&other.columns);
            both.map(|(first, second)| first.or(*second)).collect()
        } else {
            vec![Stability::Any; width]
        };
        Self {
            columns,
            rows_only_go: self.rows_only_go && other.rows_only_go,
            order_stays: self.order_stays && other.order_stays,
            is_cut: self.is_cut || other.is_cut,
        }
    }
}
