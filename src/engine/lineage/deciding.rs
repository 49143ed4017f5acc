//! Rows that decide what a SELECT gives without being in its result.
//!
//! A SELECT is *monotone* where it filters, computes and joins rows that only go: rows that it rejected stay rejected
//! when others are deleted, and need no mark. Everything else is looked at here, and unless it is proven not to matter
//! (see `stability.rs`), all rows that it concerns decide: those of a kept result, those an outer join finds, those that
//! pass WHERE.

use std::collections::BTreeSet;

use rusqlite::types::Value as SqlValue;
use sqlparser::ast::{Expr, GroupByExpr, Ident, LimitClause, OrderBy, Select, SelectItem};

use super::aliases::Term;
use super::block::{Prepared, no_row_id, query_text, raw_item, skipped_rows};
use super::expressions::{Parts, look_into};
use super::from::every_pair;
use super::layout::{InGroup, Layout, Read, Source};
use super::provenance::visit_shared;
use super::stability::{Stabilities, Stability, has_collation};
use super::standing::Standing;
use super::tracer::{Tracer, Untraced, untraced};

/// What was marked of a SELECT's input, so that nothing becomes of it.
#[derive(Default)]
struct Pinned {
    /// Kept results whose rows all decide, by the relation's place.
    relations: BTreeSet<usize>,
    /// Whether all rows that an outer join finds decide.
    outer: bool,
    /// Whether all rows that pass FROM and WHERE decide.
    input: bool,
}

impl Tracer<'_> {
    /// Notes the rows that decide without being kept, and says what may become of the others.
    pub(super) fn note_deciding(
        &mut self,
        prepared: &Prepared,
        order_by: Option<&OrderBy>,
        limit: Option<&LimitClause>,
    ) -> Result<Standing, Untraced> {
        let is_limited = limit.is_some();
        self.note_skipped(prepared, order_by, limit)?;
        let mut pinned = Pinned {
            relations: self.pin_relations(prepared, is_limited, None),
            ..Pinned::default()
        };
        pinned.outer = self.note_filled_up(prepared, is_limited)?;
        if prepared.has_window || self.has_unstable_groups(prepared, is_limited, &pinned) {
            self.note_input(prepared)?;
            pinned.input = true;
        }
        self.note_dependents(prepared)?;
        Ok(self.standing(prepared, is_limited, &pinned))
    }

    /// The same of a correlated subquery, which cannot be asked by itself: what would have to be asked decides whole.
    /// `outside` are the relations of the query that it stands in.
    pub(super) fn note_deciding_inside(&mut self, prepared: &Prepared, is_limited: bool, outside: &Layout) {
        self.pin_relations(prepared, is_limited, Some(outside));
        if may_be_filled_up(prepared, is_limited) {
            self.pin_outer(&prepared.layout);
        }
    }

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
            layout.of_groups().ok_or_else(no_row_id)?
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
        let text = self.with_definitions(&text);
        self.note_each(&text, |tracer, row| {
            let hidden = &row[row.len().saturating_sub(hidden_count)..];
            tracer.read_hidden(prepared, hidden)
        })
    }

    /// Rows of kept results decide together where a row of them that is not used might come to be used: where they may
    /// become anything, or where a value that changes with fewer rows is looked at.
    fn pin_relations(&mut self, prepared: &Prepared, is_limited: bool, outside: Option<&Layout>) -> BTreeSet<usize> {
        let layout = &prepared.layout;
        let nothing = BTreeSet::new();
        let of_name = |name: &[Ident]| self.of_name(prepared, &nothing, outside, name);
        let stabilities = Stabilities {
            of_name: &of_name,
            groups: &[],
        };
        let select = &prepared.select;
        let mut conditions = select.selection.iter().chain(&prepared.joins);
        let mut is_stable = conditions.all(|condition| stabilities.stays_rejected(condition));
        is_stable &= prepared.joined.names.iter().all(|name| {
            let columns = layout.columns_named(None, name);
            columns
                .iter()
                .all(|place| self.of_column(layout, &nothing, *place) == Stability::Same)
        });
        if prepared.is_aggregate {
            let named = [
                look_into(&select.projection),
                look_into(&prepared.groups),
                look_into(&select.having),
                ordering_parts(&prepared.ordering),
            ];
            is_stable &= layout.dependents.is_empty() && named.iter().all(|parts| stabilities.are_names_same(parts));
        } else if is_limited {
            is_stable &= stabilities.stays_behind(&prepared.ordering);
        }
        let mut pinned = BTreeSet::new();
        for (place, relation) in layout.relations.iter().enumerate() {
            let Source::Kept(kept) = relation.source else { continue };
            let standing = self.standing_of_kept(kept);
            let stays = standing.rows_only_go
                && !standing.is_cut
                && (standing.order_stays || !is_limited)
                && (standing.are_values_same() || is_stable);
            if !stays {
                pinned.insert(place);
            }
        }
        for place in &pinned {
            if let Source::Kept(kept) = layout.relations[*place].source {
                let rows = self.rows_of_kept(kept);
                self.deciding.extend(rows);
            }
        }
        pinned
    }

    /// What becomes of the column that a name means. A name of the query outside stands for one row's value.
    fn of_name(
        &self,
        prepared: &Prepared,
        pinned: &BTreeSet<usize>,
        outside: Option<&Layout>,
        name: &[Ident],
    ) -> Stability {
        let layout = &prepared.layout;
        let columns = layout.columns_of(name);
        if columns.is_empty() {
            let is_outside = outside.is_some_and(|outside| outside.relations_of(name).is_some());
            let is_row_id = name.last().is_some_and(|name| is_row_id(&name.value))
                && layout
                    .relations
                    .iter()
                    .all(|relation| matches!(relation.source, Source::Table));
            return if is_row_id || is_outside {
                Stability::Same
            } else {
                Stability::Any
            };
        }
        columns
            .into_iter()
            .map(|column| self.of_column(layout, pinned, column))
            .reduce(Stability::or)
            .unwrap_or(Stability::Any)
    }

    fn of_column(&self, layout: &Layout, pinned: &BTreeSet<usize>, (place, column): (usize, usize)) -> Stability {
        match layout.relations[place].source {
            Source::Table => Stability::Same,
            Source::Kept(_) if pinned.contains(&place) => Stability::Same,
            Source::Kept(kept) => {
                let standing = self.standing_of_kept(kept);
                standing.columns.get(column).copied().unwrap_or(Stability::Any)
            }
        }
    }

    /// Rows that an outer join finds decide where a row filled up with NULLs, if it found none, might be kept that is not
    /// there now. Gives whether they all do.
    fn note_filled_up(&mut self, prepared: &Prepared, is_limited: bool) -> Result<bool, Untraced> {
        let layout = &prepared.layout;
        if layout.outer.is_empty() {
            return Ok(true);
        }
        if !may_be_filled_up(prepared, is_limited) {
            return Ok(false);
        }
        if prepared.joined.constraints > 1 || layout.relations.len() > 2 {
            // What it finds may be rejected by another join before it could be asked.
            self.pin_outer(layout);
            return Ok(true);
        }
        let found = Layout {
            relations: layout
                .outer
                .iter()
                .map(|place| layout.relations[*place].clone())
                .collect(),
            ..Layout::default()
        };
        let mut asked = asked_for(&prepared.select, &found)?;
        asked.selection = None;
        self.note_layout(&asked, &found)?;
        Ok(true)
    }

    /// All rows of the relations that an outer join fills up.
    fn pin_outer(&mut self, layout: &Layout) {
        for place in &layout.outer {
            match layout.relations[*place].source {
                Source::Table => self.deciding.extend(0..self.row_count),
                Source::Kept(kept) => {
                    let rows = self.rows_of_kept(kept);
                    self.deciding.extend(rows);
                }
            }
        }
    }

    /// All rows that pass FROM and WHERE decide.
    fn note_input(&mut self, prepared: &Prepared) -> Result<(), Untraced> {
        let found = Layout {
            relations: prepared.layout.relations.clone(),
            ..Layout::default()
        };
        let asked = asked_for(&prepared.select, &found)?;
        self.note_layout(&asked, &found)
    }

    /// What correlated subqueries of conditions look at, for any row: for those of ON, for any pair of rows.
    fn note_dependents(&mut self, prepared: &Prepared) -> Result<(), Untraced> {
        for dependent in prepared
            .layout
            .dependents
            .iter()
            .filter(|dependent| !dependent.is_source)
        {
            let found = Layout {
                dependents: vec![dependent.clone()],
                ..Layout::default()
            };
            let mut asked = asked_for(&prepared.select, &found)?;
            asked.selection = None;
            if dependent.in_join {
                if !prepared.layout.outer.is_empty() || !prepared.joined.names.is_empty() {
                    return Err("a subquery in the ON of such a join that depends on the row is not traced".to_owned());
                }
                every_pair(&mut asked.from);
            }
            self.note_layout(&asked, &found)?;
        }
        Ok(())
    }

    fn note_layout(&mut self, asked: &Select, found: &Layout) -> Result<(), Untraced> {
        let text = self.with_definitions(&asked.to_string());
        self.note_each(&text, |tracer, row| {
            tracer.with_reader(|reader| found.read(row, InGroup::NONE, reader))
        })
    }

    /// Rows that decided, by each row that a statement gives.
    fn note_each(&mut self, text: &str, read: impl Fn(&Self, &[SqlValue]) -> Read) -> Result<(), Untraced> {
        let mut rows = BTreeSet::new();
        let mut together = self.decided_together.clone();
        let each = |row: &[SqlValue]| {
            let read = read(self, row);
            for decided in [&read.provenance, &read.deciding] {
                rows.extend(&decided.rows);
                visit_shared(&decided.shared, &mut together, &mut |shared| {
                    rows.extend(&shared.provenance.rows);
                });
            }
        };
        self.database.trace_each(text, each).map_err(untraced)?;
        self.deciding.append(&mut rows);
        self.decided_together = together;
        Ok(())
    }

    /// Whether a group that HAVING or a LIMIT rejects might be kept with fewer rows; so of duplicates made one, which go
    /// by the first of them.
    fn has_unstable_groups(&self, prepared: &Prepared, is_limited: bool, pinned: &Pinned) -> bool {
        let select = &prepared.select;
        if prepared.is_distinct && is_limited && !prepared.ordering.iter().all(|term| is_shown(term, prepared)) {
            return true;
        }
        if !prepared.is_aggregate {
            return false;
        }
        let of_name = |name: &[Ident]| self.of_group_name(prepared, pinned, name);
        let groups = group_texts(prepared);
        let stabilities = Stabilities {
            of_name: &of_name,
            groups: &groups,
        };
        let by_having = select
            .having
            .as_ref()
            .is_some_and(|having| !stabilities.stays_rejected(having));
        by_having || is_limited && !stabilities.stays_behind(&prepared.ordering)
    }

    /// What becomes of a column in a group: it stays where the group goes by it.
    fn of_group_name(&self, prepared: &Prepared, pinned: &Pinned, name: &[Ident]) -> Stability {
        let layout = &prepared.layout;
        let columns = layout.columns_of(name);
        // Of columns that USING made one, an outer join takes the one that is there.
        if columns.len() > 1 && !layout.outer.is_empty() {
            return Stability::Any;
        }
        let Some(column) = columns.first() else {
            return Stability::Any;
        };
        let is_group = prepared.groups.iter().any(|term| match bare(term) {
            Expr::Identifier(name) => layout.columns_of(std::slice::from_ref(name)).first() == Some(column),
            Expr::CompoundIdentifier(names) => layout.columns_of(names).first() == Some(column),
            _ => false,
        });
        if is_group {
            self.of_column(layout, &pinned.relations, *column)
        } else {
            Stability::Any
        }
    }

    fn standing(&self, prepared: &Prepared, is_limited: bool, pinned: &Pinned) -> Standing {
        let layout = &prepared.layout;
        let of_relations = |name: &[Ident]| self.of_name(prepared, &pinned.relations, None, name);
        let of_groups = |name: &[Ident]| self.of_group_name(prepared, pinned, name);
        let of_input = |_: &[Ident]| Stability::Same;
        let groups = group_texts(prepared);
        let stabilities = if pinned.input {
            Stabilities {
                of_name: &of_input,
                groups: &[],
            }
        } else if prepared.is_aggregate {
            Stabilities {
                of_name: &of_groups,
                groups: &groups,
            }
        } else {
            Stabilities {
                of_name: &of_relations,
                groups: &[],
            }
        };
        let of_shown = |expression: &Expr| {
            let parts = look_into(expression);
            if pinned.input {
                let stays = parts.subqueries.is_empty();
                return if stays { Stability::Same } else { Stability::Any };
            }
            stabilities.of(expression)
        };
        let columns = prepared
            .select
            .projection
            .iter()
            .map(|item| match item {
                SelectItem::UnnamedExpr(expression) | SelectItem::ExprWithAlias { expr: expression, .. } => {
                    vec![of_shown(expression)]
                }
                // Without groups, `*` shows the relations' columns as they are.
                _ if prepared.is_aggregate && !pinned.input => Vec::new(),
                SelectItem::QualifiedWildcard(name, _) => {
                    let name = name.to_string();
                    let name = name.trim_end_matches(".*").trim_matches(['"', '`', '[', ']']);
                    self.of_all(layout, pinned, Some(name))
                }
                _ if prepared.joined.names.is_empty() => self.of_all(layout, pinned, None),
                _ => Vec::new(),
            })
            .collect::<Vec<Vec<Stability>>>()
            .concat();
        let relations_stay = layout
            .relations
            .iter()
            .enumerate()
            .all(|(place, relation)| match relation.source {
                Source::Kept(kept) if !pinned.relations.contains(&place) => self.standing_of_kept(kept).order_stays,
                _ => true,
            });
        let is_ordered_by_shown =
            !prepared.is_distinct || prepared.ordering.iter().all(|term| is_shown(term, prepared));
        Standing {
            columns,
            rows_only_go: pinned.input || pinned.outer,
            order_stays: pinned.input
                || relations_stay && is_ordered_by_shown && stabilities.stays_behind(&prepared.ordering),
            is_cut: is_limited && !pinned.input,
        }
    }

    /// Of all columns of the relations, or of one of them.
    fn of_all(&self, layout: &Layout, pinned: &Pinned, name: Option<&str>) -> Vec<Stability> {
        let named = layout
            .relations
            .iter()
            .enumerate()
            .filter(|(_, relation)| name.is_none_or(|name| relation.name.eq_ignore_ascii_case(name)));
        named
            .flat_map(|(place, relation)| (0..relation.columns.len()).map(move |column| (place, column)))
            .map(|column| {
                if pinned.input {
                    Stability::Same
                } else {
                    self.of_column(layout, &pinned.relations, column)
                }
            })
            .collect()
    }
}

/// A SELECT asked for hidden columns of the rows that pass its FROM and WHERE.
fn asked_for(select: &Select, found: &Layout) -> Result<Select, Untraced> {
    let mut asked = select.clone();
    asked.distinct = None;
    asked.group_by = GroupByExpr::Expressions(Vec::new(), Vec::new());
    asked.having = None;
    asked.named_window = Vec::new();
    asked.projection = found
        .columns()
        .ok_or_else(no_row_id)?
        .into_iter()
        .map(raw_item)
        .collect();
    Ok(asked)
}

/// Whether a row that an outer join would fill up with NULLs, if it found none, might be kept then though it is not now.
/// Not where nothing rejects rows but conditions on the other relations.
fn may_be_filled_up(prepared: &Prepared, is_limited: bool) -> bool {
    let layout = &prepared.layout;
    if layout.outer.is_empty() {
        return false;
    }
    let filter = look_into(&prepared.select.selection);
    let names_outer = |name: &Vec<Ident>| {
        layout
            .relations_of(name)
            .is_none_or(|relations| relations.iter().any(|relation| layout.outer.contains(relation)))
    };
    filter.names.iter().any(names_outer)
        || !filter.subqueries.is_empty()
        || prepared.joined.constraints > 1
        || prepared.select.having.is_some()
        || (prepared.is_aggregate && !layout.every_row_counts)
        || (is_limited && (!prepared.ordering.is_empty() || !prepared.groups.is_empty()))
}

/// Whether an ORDER BY term is made of what the result shows: then rows that show the same are equal in it.
fn is_shown(term: &Term, prepared: &Prepared) -> bool {
    let text = term.expression.to_string();
    let shown = &prepared.select.projection;
    let is_item = shown.iter().any(|item| match item {
        SelectItem::UnnamedExpr(expression) | SelectItem::ExprWithAlias { expr: expression, .. } => {
            expression.to_string() == text
        }
        _ => false,
    });
    if is_item {
        return true;
    }
    let layout = &prepared.layout;
    let parts = look_into(&term.expression);
    let is_column_shown = |name: &Vec<Ident>| {
        let Some(column) = layout.columns_of(name).first().copied() else {
            return false;
        };
        shown.iter().any(|item| match item {
            SelectItem::UnnamedExpr(expression) | SelectItem::ExprWithAlias { expr: expression, .. } => {
                match bare(expression) {
                    Expr::Identifier(name) => layout.columns_of(std::slice::from_ref(name)).first() == Some(&column),
                    Expr::CompoundIdentifier(names) => layout.columns_of(names).first() == Some(&column),
                    _ => false,
                }
            }
            SelectItem::QualifiedWildcard(name, _) => {
                let name = name.to_string();
                let name = name.trim_end_matches(".*").trim_matches(['"', '`', '[', ']']);
                layout.relations[column.0].name.eq_ignore_ascii_case(name)
            }
            _ => layout.outer.is_empty(),
        })
    };
    parts.subqueries.is_empty()
        && parts.aggregates.is_empty()
        && !parts.has_window
        && parts.names.iter().all(is_column_shown)
}

fn ordering_parts(ordering: &[Term]) -> Parts {
    let expressions: Vec<Expr> = ordering.iter().map(|term| term.expression.clone()).collect();
    look_into(&expressions)
}

/// Terms of a GROUP BY as SQL; those with a collation of their own make equal what is not.
fn group_texts(prepared: &Prepared) -> Vec<String> {
    prepared
        .groups
        .iter()
        .filter(|term| !has_collation(*term) && look_into(*term).subqueries.is_empty())
        .map(ToString::to_string)
        .collect()
}

fn bare(expression: &Expr) -> &Expr {
    match expression {
        Expr::Nested(inner) => bare(inner),
        other => other,
    }
}

fn is_row_id(name: &str) -> bool {
    ["rowid", "_rowid_", "oid"]
        .iter()
        .any(|row_id| name.eq_ignore_ascii_case(row_id))
}
