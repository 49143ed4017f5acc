//! Rows that decide what a SELECT gives without being in its result.

use sqlparser::ast::{GroupByExpr, Ident, LimitClause, OrderBy};

use super::block::{Prepared, no_row_id, query_text, raw_item, skipped_rows};
use super::expressions::look_into;
use super::layout::{Layout, Source};
use super::stability::{Stabilities, Stability, alias, group_names};
use super::tracer::{Tracer, Untraced, untraced};

impl Tracer<'_> {
    /// Rows that an OFFSET passes over decide which row is the first one kept.
    fn note_skipped(
        &mut self,
        prepared: &Prepared,
        order_by: Option<&OrderBy>,
        limit: Option<&LimitClause>,
    ) -> Result<(), Untraced> {
        let Some(skipped) = skipped_rows(limit) else {
            return Ok(());
        };
        let layout = &prepared.layout;
        let mut asked = prepared.select.clone();
        let columns = if prepared.is_aggregate {
            vec![layout.gathered().ok_or_else(no_row_id)?]
        } else {
            layout.columns().ok_or_else(no_row_id)?
        };
        let hidden_count = columns.len();
        asked.projection.extend(columns.into_iter().map(raw_item));
        let text = if prepared.is_distinct {
            // Which duplicates are passed over cannot be told from here: all rows but those kept.
            asked.distinct = None;
            query_text(&asked, order_by, None)
        } else {
            format!("{} LIMIT ({skipped})", query_text(&asked, order_by, None))
        };
        let answer = self.database.trace(&self.with_definitions(&text)).map_err(untraced)?;
        for mut row in answer.rows {
            let hidden = row.split_off(row.len().saturating_sub(hidden_count));
            let read = self.read_hidden(prepared, &hidden);
            self.decided_by(&read.provenance);
        }
        Ok(())
    }

    /// Rows that decide without being kept: what windows look at, what subqueries in conditions look at for any row, what
    /// an outer join found for rows that were rejected then, and groups that were rejected but might not be if they were
    /// smaller.
    pub(super) fn note_deciding(
        &mut self,
        prepared: &Prepared,
        order_by: Option<&OrderBy>,
        limit: Option<&LimitClause>,
    ) -> Result<(), Untraced> {
        self.note_skipped(prepared, order_by, limit)?;
        self.note_unstable(prepared, order_by, limit);
        for probe in self.probes(prepared, order_by, limit) {
            let mut asked = prepared.select.clone();
            asked.distinct = None;
            asked.group_by = GroupByExpr::Expressions(Vec::new(), Vec::new());
            asked.having = None;
            asked.named_window = Vec::new();
            if !probe.is_filtered {
                asked.selection = None;
            }
            let columns = probe.layout.columns().ok_or_else(no_row_id)?;
            asked.projection = columns.into_iter().map(raw_item).collect();
            let answer = self
                .database
                .trace(&self.with_definitions(&asked.to_string()))
                .map_err(untraced)?;
            for row in &answer.rows {
                let read = self.with_reader(|reader| probe.layout.read(row, reader));
                self.decided_by(&read.provenance);
                self.decided_by(&read.deciding);
            }
        }
        Ok(())
    }

    fn probes(&self, prepared: &Prepared, order_by: Option<&OrderBy>, limit: Option<&LimitClause>) -> Vec<Probe> {
        let relations = &prepared.layout.relations;
        let mut probes = Vec::new();
        if prepared.has_window || has_unstable_groups(prepared, order_by, limit) {
            probes.push(Probe {
                layout: Layout {
                    relations: relations.clone(),
                    ..Layout::default()
                },
                is_filtered: true,
            });
        }
        if may_be_filled_up(prepared, order_by, limit) {
            probes.push(Probe {
                layout: Layout {
                    relations: prepared
                        .layout
                        .outer
                        .iter()
                        .map(|place| relations[*place].clone())
                        .collect(),
                    ..Layout::default()
                },
                is_filtered: false,
            });
        }
        for dependent in &prepared.layout.dependents {
            if !dependent.is_source {
                probes.push(Probe {
                    layout: Layout {
                        dependents: vec![dependent.clone()],
                        ..Layout::default()
                    },
                    is_filtered: false,
                });
            }
        }
        probes
    }

    /// Rows of a kept result decide together where it was cut, or where a value of it that would be another with fewer
    /// rows is looked at.
    fn note_unstable(&mut self, prepared: &Prepared, order_by: Option<&OrderBy>, limit: Option<&LimitClause>) {
        let layout = &prepared.layout;
        let of_name = |name: &[Ident]| {
            let of_one = |(relation, column): (usize, usize)| match layout.relations[relation].source {
                Source::Table => Stability::Same,
                Source::Kept(kept) => self.stability(kept, column),
            };
            layout
                .columns_of(name)
                .into_iter()
                .map(of_one)
                .reduce(|first, second| if first == second { first } else { Stability::Any })
                .unwrap_or(Stability::Same)
        };
        let stabilities = Stabilities { of_name: &of_name };
        let select = &prepared.select;
        let mut is_stable = select
            .selection
            .iter()
            .chain(&prepared.joins)
            .all(|condition| stabilities.stays_rejected(condition));
        if let (Some(order_by), Some(_)) = (order_by, limit) {
            is_stable &= prepared.is_aggregate || stabilities.stays_behind(order_by, &select.projection);
        }
        if prepared.is_aggregate {
            let mut parts = vec![look_into(&select.projection), look_into(&select.group_by)];
            parts.push(look_into(&select.having));
            is_stable &= parts
                .iter()
                .flat_map(|parts| &parts.names)
                .all(|name| of_name(name) == Stability::Same);
        }
        let decided: Vec<usize> = layout
            .relations
            .iter()
            .filter_map(|relation| match relation.source {
                Source::Kept(kept) if !is_stable || self.is_cut(kept) => Some(self.rows_of_kept(kept)),
                _ => None,
            })
            .flatten()
            .collect();
        self.deciding.extend(decided);
    }
}

/// A query that is asked only for the rows that it looks at.
struct Probe {
    layout: Layout,
    /// Whether WHERE holds for them.
    is_filtered: bool,
}

/// Whether a group that HAVING or a LIMIT rejects might be kept with fewer rows.
fn has_unstable_groups(prepared: &Prepared, order_by: Option<&OrderBy>, limit: Option<&LimitClause>) -> bool {
    if !prepared.is_aggregate {
        return false;
    }
    let select = &prepared.select;
    let group_names = group_names(select);
    let of_name = |name: &[Ident]| {
        let is_grouped = name
            .last()
            .is_some_and(|name| group_names.contains(&name.value.to_ascii_lowercase()));
        if is_grouped { Stability::Same } else { Stability::Any }
    };
    let plain = Stabilities { of_name: &of_name };
    // HAVING may name a result column.
    let of_alias = |name: &[Ident]| match name {
        [name] if of_name(std::slice::from_ref(name)) == Stability::Any => {
            alias(&name.value, &select.projection).map_or(Stability::Any, |shown| plain.of(shown))
        }
        name => of_name(name),
    };
    let stabilities = Stabilities { of_name: &of_alias };
    let by_having = select
        .having
        .as_ref()
        .is_some_and(|having| !stabilities.stays_rejected(having));
    let by_limit = match (order_by, limit) {
        (Some(order_by), Some(_)) => !stabilities.stays_behind(order_by, &select.projection),
        _ => false,
    };
    by_having || by_limit
}

/// Whether a row that an outer join would fill up with NULLs, if it found none, might be kept then though it is not now.
fn may_be_filled_up(prepared: &Prepared, order_by: Option<&OrderBy>, limit: Option<&LimitClause>) -> bool {
    let layout = &prepared.layout;
    if layout.outer.is_empty() {
        return false;
    }
    let parts = look_into(&prepared.select.selection);
    let names_outer = |name: &Vec<Ident>| {
        let columns = layout.columns_of(name);
        columns.iter().any(|(relation, _)| layout.outer.contains(relation))
    };
    parts.names.iter().any(names_outer)
        || !parts.subqueries.is_empty()
        || prepared.select.having.is_some()
        || (order_by.is_some() && limit.is_some())
}
