//! Which rows each row of a result comes from.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// For every row of a result the rows of another table that it comes from. What several result rows come from together,
/// as all rows do where each is divided by one total, is listed once, as a group: listed for each of them, it would grow
/// with the square of the table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RowSources {
    /// For every result row the rows that it alone comes from, or that are few, ascending.
    pub rows: Vec<Vec<usize>>,
    /// Rows that result rows come from together, each list ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Vec<usize>>,
    /// For every result row the positions in `groups` that it comes from besides, ascending; empty where there are no
    /// groups.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_groups: Vec<Vec<usize>>,
}

impl RowSources {
    /// Rows that are their own sources, as those of a trace's first table.
    pub fn each_from_itself(count: usize) -> Self {
        (0..count).map(|row| vec![row]).collect()
    }

    /// Every one of `count` result rows from all the same rows.
    pub fn all_from(count: usize, rows: Vec<usize>) -> Self {
        if count == 0 || rows.is_empty() {
            return (0..count).map(|_| Vec::new()).collect();
        }
        Self {
            rows: vec![Vec::new(); count],
            groups: vec![rows],
            in_groups: vec![vec![0]; count],
        }
    }

    /// Result rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no result row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// All rows that a result row comes from, ascending; none for a row that is not there.
    pub fn of(&self, row: usize) -> Vec<usize> {
        let groups = self.groups_of(row);
        let own = self.own(row);
        if groups.is_empty() {
            return own.to_vec();
        }
        let mut all: Vec<usize> = groups
            .iter()
            .filter_map(|group| self.groups.get(*group))
            .flatten()
            .chain(own)
            .copied()
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The rows that a result row comes from by itself, without its groups.
    pub fn own(&self, row: usize) -> &[usize] {
        self.rows.get(row).map_or(&[], Vec::as_slice)
    }

    /// The rows that tell a result row from others: its own, or all where it has none of its own.
    pub fn nearest(&self, row: usize) -> Vec<usize> {
        match self.own(row) {
            [] => self.of(row),
            own => own.to_vec(),
        }
    }

    /// All rows that any result row comes from.
    pub fn union(&self) -> BTreeSet<usize> {
        self.union_of(0..self.len())
    }

    /// All rows that any of these result rows comes from.
    pub fn union_of(&self, rows: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
        let (mut all, mut groups) = (BTreeSet::new(), BTreeSet::<usize>::new());
        for row in rows {
            all.extend(self.own(row));
            groups.extend(self.groups_of(row));
        }
        all.extend(groups.into_iter().filter_map(|group| self.groups.get(group)).flatten());
        all
    }

    /// These sources taken back through those of the table they are rows of.
    pub fn through(&self, before: &Self) -> Self {
        if before.groups.is_empty() && self.groups.is_empty() {
            return self
                .rows
                .iter()
                .map(|rows| merged(rows, |row| before.own(row)))
                .collect();
        }
        let of_groups: Vec<Vec<usize>> = self
            .groups
            .iter()
            .map(|rows| merged(rows, |row| before.groups_of(row)))
            .collect();
        let in_groups = (0..self.len())
            .map(|row| {
                let mut positions = merged(self.own(row), |row| before.groups_of(row));
                for group in self.groups_of(row) {
                    positions.push(before.groups.len() + group);
                    positions.extend(of_groups.get(*group).into_iter().flatten());
                }
                positions.sort_unstable();
                positions.dedup();
                positions
            })
            .collect();
        let own_of = |rows: &Vec<usize>| merged(rows, |row| before.own(row));
        Self {
            rows: self.rows.iter().map(own_of).collect(),
            groups: before
                .groups
                .iter()
                .cloned()
                .chain(self.groups.iter().map(own_of))
                .collect(),
            in_groups,
        }
    }

    /// The positions in `groups` that a result row comes from.
    pub fn groups_of(&self, row: usize) -> &[usize] {
        self.in_groups.get(row).map_or(&[], Vec::as_slice)
    }
}

impl FromIterator<Vec<usize>> for RowSources {
    /// One list a result row, and no groups.
    fn from_iter<I: IntoIterator<Item = Vec<usize>>>(rows: I) -> Self {
        Self {
            rows: rows.into_iter().collect(),
            groups: Vec::new(),
            in_groups: Vec::new(),
        }
    }
}

/// The lists of these rows as one, ascending.
fn merged<'a>(rows: &[usize], list_of: impl Fn(usize) -> &'a [usize]) -> Vec<usize> {
    if let [row] = rows {
        return list_of(*row).to_vec();
    }
    let mut all: Vec<usize> = rows.iter().flat_map(|row| list_of(*row)).copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(lists: &[&[usize]]) -> RowSources {
        lists.iter().map(|list| list.to_vec()).collect()
    }

    #[test]
    fn groups_are_part_of_what_a_row_comes_from() {
        let sources = RowSources {
            rows: vec![vec![4], vec![]],
            groups: vec![vec![0, 2], vec![1, 4], vec![9]],
            in_groups: vec![vec![0, 1], vec![1]],
        };
        assert_eq!(sources.of(0), [0, 1, 2, 4]);
        assert_eq!(sources.of(1), [1, 4]);
        assert_eq!(sources.of(2), [0; 0]);
        assert_eq!(sources.nearest(0), [4]);
        assert_eq!(sources.nearest(1), [1, 4]);
        assert_eq!(
            sources.union(),
            BTreeSet::from([0, 1, 2, 4]),
            "no row is in the last group"
        );
    }

    #[test]
    fn taken_back_through_any_step_a_row_comes_from_what_its_sources_come_from() {
        let grouped = |rows: Vec<Vec<usize>>, groups: Vec<Vec<usize>>, in_groups: Vec<Vec<usize>>| RowSources {
            rows,
            groups,
            in_groups,
        };
        let steps = [
            plain(&[&[0], &[1, 2], &[], &[0, 3]]),
            grouped(
                vec![vec![0], vec![3], vec![], vec![1]],
                vec![vec![1, 2], vec![0]],
                vec![vec![0], vec![0, 1], vec![], vec![1]],
            ),
            RowSources::all_from(4, vec![0, 1, 2, 3]),
            RowSources::each_from_itself(4),
        ];
        for before in &steps {
            for after in &steps {
                let composed = after.through(before);
                assert_eq!(composed.len(), after.len());
                for row in 0..after.len() {
                    let expected: BTreeSet<usize> =
                        after.of(row).into_iter().flat_map(|source| before.of(source)).collect();
                    assert_eq!(
                        composed.of(row),
                        expected.into_iter().collect::<Vec<_>>(),
                        "row {row} of {after:?} through {before:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn without_groups_only_the_lists_are_written() {
        let text = serde_json::to_string(&plain(&[&[0], &[1, 2]])).unwrap();
        assert_eq!(text, r#"{"rows":[[0],[1,2]]}"#);
        assert_eq!(
            serde_json::from_str::<RowSources>(&text).unwrap(),
            plain(&[&[0], &[1, 2]])
        );
    }
}
