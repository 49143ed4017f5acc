//! The provenance of one SELECT: its own result with hidden columns beside it, asked of SQLite in one query.

use rusqlite::types::Value as SqlValue;
use sqlparser::ast::{
    Expr, Function, GroupByExpr, Ident, LimitClause, OrderBy, Query, Select, SelectItem, SetExpr, Value,
};

use super::aliases::{Term, follow_aliases, group_terms, order_terms};
use super::branches::{Asked, Call, calls, made_of, subqueries};
use super::conditions::Wanted;
use super::expressions::{Subquery, SubqueryUse, first_argument, look_into, name_of};
use super::from::{Joined, on_conditions};
use super::layout::{Argument, Dependent, InGroup, Layout, Part, Read, Test};
use super::provenance::{Provenance, altogether, match_rows, merge_equal};
use super::stability::{Stability, has_collation};
use super::standing::Standing;
use super::tested::{Tested, all_hold, names_beside};
use super::tracer::{Tracer, Untraced, differs, untraced};
use crate::engine::members::{MEMBERS, OWN_PREFIX};
use crate::engine::sqlite::ResultSet;

/// A SELECT made ready: its FROM names tables and kept results only.
pub(super) struct Prepared {
    pub(super) select: Select,
    pub(super) layout: Layout,
    /// Conditions that its FROM joins by, and what else it joins by.
    pub(super) joins: Vec<Expr>,
    pub(super) joined: Joined,
    /// The terms of its GROUP BY and ORDER BY, names and ordinals of result columns followed.
    pub(super) groups: Vec<Expr>,
    pub(super) ordering: Vec<Term>,
    /// What subqueries in the SELECT's own expressions add to every row.
    pub(super) common: Provenance,
    pub(super) is_aggregate: bool,
    pub(super) has_window: bool,
    pub(super) is_distinct: bool,
}

impl Tracer<'_> {
    /// What each row of a SELECT's result comes from, and what may become of them.
    pub(super) fn block(
        &mut self,
        select: &Select,
        order_by: Option<&OrderBy>,
        limit: Option<&LimitClause>,
        result: &ResultSet,
    ) -> Result<(Vec<Provenance>, Standing), Untraced> {
        let prepared = self.prepare(select, order_by, limit, None)?;
        let mut standing = self.note_deciding(&prepared, order_by, limit)?;
        let width = result.names.len();
        if standing.columns.len() != width {
            standing.columns = vec![Stability::Any; width];
        }
        let provenance = self.beside_result(&prepared, order_by, limit, result)?;
        Ok((provenance, standing))
    }

    /// What each row of a result comes from, by hidden columns beside it.
    fn beside_result(
        &mut self,
        prepared: &Prepared,
        order_by: Option<&OrderBy>,
        limit: Option<&LimitClause>,
        result: &ResultSet,
    ) -> Result<Vec<Provenance>, Untraced> {
        self.is_combined |= prepared.is_aggregate || prepared.is_distinct;
        let hidden = if prepared.is_aggregate {
            prepared.layout.of_groups().ok_or_else(no_row_id)?
        } else {
            prepared.layout.columns().ok_or_else(no_row_id)?
        };
        let mut asked = prepared.select.clone();
        let hidden_count = hidden.len();
        asked.projection.extend(hidden.into_iter().map(raw_item));
        let text = if prepared.is_distinct {
            asked.distinct = None;
            asked.to_string()
        } else {
            query_text(&asked, order_by, limit)
        };
        let text = self.with_definitions(&text);
        if !prepared.is_distinct {
            let beside = self.database.hidden_beside(&text, &result.rows).map_err(untraced)?;
            if let Some(hidden) = beside {
                return Ok(hidden
                    .iter()
                    .map(|hidden| self.provenance_of(prepared, hidden))
                    .collect());
            }
        }
        let answer = self.database.trace(&text).map_err(untraced)?;
        let candidates: Vec<(Vec<_>, Provenance)> = answer
            .rows
            .into_iter()
            .map(|mut row| {
                let hidden = row.split_off(row.len().saturating_sub(hidden_count));
                let provenance = self.provenance_of(prepared, &hidden);
                (row, provenance)
            })
            .collect();
        if prepared.is_distinct {
            return match_rows(&result.rows, merge_equal(candidates)).ok_or_else(differs);
        }
        // A join with kept tables may come in another order; without a LIMIT it still has the same rows.
        if limit.is_some() || candidates.len() != result.rows.len() {
            return Err(differs());
        }
        match_rows(&result.rows, candidates).ok_or_else(differs)
    }

    /// What a result row comes from, by its hidden columns; what decided it is noted.
    fn provenance_of(&mut self, prepared: &Prepared, hidden: &[SqlValue]) -> Provenance {
        let read = self.read_hidden(prepared, hidden);
        self.decided_by(&read.deciding);
        let mut provenance = read.provenance;
        if prepared.common != Provenance::default() {
            provenance.absorb(&prepared.common);
            provenance.settle();
        }
        provenance
    }

    pub(super) fn read_hidden(&self, prepared: &Prepared, hidden: &[SqlValue]) -> Read {
        self.with_reader(|reader| match (prepared.is_aggregate, hidden.first()) {
            (true, Some(SqlValue::Integer(position))) => {
                let group = self.database.members().take(*position);
                let (gates, taken) = hidden[1..].split_at(prepared.layout.gates.len().min(hidden.len() - 1));
                prepared.layout.read_group(group, gates, taken, reader)
            }
            _ => prepared.layout.read(hidden, InGroup::NONE, reader),
        })
    }

    fn prepare(
        &mut self,
        select: &Select,
        order_by: Option<&OrderBy>,
        limit: Option<&LimitClause>,
        outside: Option<&Layout>,
    ) -> Result<Prepared, Untraced> {
        let mut select = select.clone();
        let mut layout = Layout::default();
        let mut joined = Joined::default();
        for from in &mut select.from {
            self.join_relations(from, &mut layout, &mut joined)?;
        }
        follow_aliases(&mut select, &layout);
        let joins = on_conditions(&select.from);
        let groups = group_terms(&select, &layout)
            .ok_or("GROUP BY with the number of a column behind the * of a join is not traced")?;
        let ordering = order_terms(order_by, &select, &layout).ok_or("an ORDER BY of this form is not traced")?;
        if select.distinct.is_some() && has_collation(&select.projection) {
            return Err("rows told apart by another collation are not traced".to_owned());
        }
        let ordered_by = ordered_by(&ordering, &select, limit.is_some());
        let projection = look_into(&select.projection);
        let having = look_into(&select.having);
        let ordering_parts = look_into(&ordered_by);
        let on = look_into(&joins);
        let filters = [
            look_into(&select.selection),
            look_into(&groups),
            look_into(&limit.cloned()),
            look_into(&select.named_window),
        ];
        let all_parts = || filters.iter().chain([&on, &projection, &having, &ordering_parts]);
        if all_parts().any(|parts| parts.has_table_operand) {
            return Err("IN with the name of a table is not traced".to_owned());
        }
        let is_grouped = has_group_terms(&select);
        let is_aggregate = is_grouped || all_parts().any(|parts| !parts.aggregates.is_empty());
        let has_window = all_parts().any(|parts| parts.has_window);
        if is_aggregate && has_window {
            return Err("a window over groups is not traced".to_owned());
        }
        let asked = [
            subqueries(&select.projection),
            subqueries(&select.having),
            subqueries(&ordered_by),
            subqueries(&select.selection),
        ];
        let asked: Vec<Asked> = asked.into_iter().flatten().collect();
        let mut common = Provenance::default();
        let no_relations = layout.relations.is_empty();
        let of_groups = [&projection, &having, &ordering_parts];
        let with_branches = [&projection, &having, &ordering_parts, &filters[0]];
        for parts in of_groups.into_iter().chain([&on]).chain(&filters) {
            let place = Place {
                of_groups: is_aggregate && of_groups.iter().any(|computed| std::ptr::eq(parts, *computed)),
                is_source: std::ptr::eq(parts, &projection) || no_relations,
                in_join: std::ptr::eq(parts, &on),
                is_aggregate,
            };
            for subquery in &parts.subqueries {
                let has_branches = with_branches.iter().any(|known| std::ptr::eq(parts, *known));
                if has_branches && self.is_passed_over(subquery, &asked) {
                    continue;
                }
                self.subquery(subquery, place, &mut layout, &mut common)?;
            }
        }
        common.settle();
        let common = self.share(common);
        if is_aggregate {
            layout.every_row_counts = is_grouped;
            // One that a MIN or MAX takes other columns' row from is looked at wherever it stands.
            layout.has_no_gates = layout.dependents.iter().any(|dependent| !dependent.of_row)
                || names_beside(&select.projection, &groups, &layout)
                || names_beside(&select.having, &groups, &layout)
                || names_beside(&ordered_by, &groups, &layout)
                || select.projection.iter().any(is_wildcard);
            let called = [
                (calls(&select.projection), projection.has_bare_name),
                (calls(&select.having), having.has_bare_name),
                (calls(&ordered_by), ordering_parts.has_bare_name),
            ];
            for (calls, has_bare_name) in &called {
                aggregate_arguments(calls, *has_bare_name, &mut layout)?;
            }
            // Of several MIN and MAX it is not said which one gives a column that stands outside of them its row.
            let extremes = layout.arguments.iter().filter(|argument| argument.extreme.is_some());
            layout.every_row_counts |= layout.needs_a_row && extremes.count() > 1;
        }
        let tested = Tested {
            select: &select,
            joins: &joins,
            groups: &groups,
            ordered_by: &ordered_by,
            is_aggregate,
            outside,
        };
        tested.collect(&mut layout)?;
        Ok(Prepared {
            is_distinct: select.distinct.is_some(),
            select,
            layout,
            joins,
            joined,
            groups,
            ordering,
            common,
            is_aggregate,
            has_window,
        })
    }

    /// Whether a subquery stands in branches alone that are not taken, whatever the row is.
    fn is_passed_over(&self, subquery: &Subquery, asked: &[Asked]) -> bool {
        let mut ways = asked
            .iter()
            .filter(|asked| asked.query == subquery.query)
            .flat_map(|asked| &asked.ways)
            .peekable();
        if subquery.in_aggregate || ways.peek().is_none() {
            return false;
        }
        let speaks_of_no_row = |part: &Expr| {
            let parts = look_into(part);
            parts.names.is_empty() && parts.aggregates.is_empty() && !parts.has_window
        };
        ways.all(|way| {
            let constant: Vec<&(Expr, Wanted)> = way.iter().filter(|(part, _)| speaks_of_no_row(part)).collect();
            if constant.is_empty() {
                return false;
            }
            let text = self.with_definitions(&format!("SELECT {}", all_hold(constant)));
            let answer = self.database.trace(&text);
            answer.is_ok_and(|answer| answer.rows.first().and_then(|row| row.first()) == Some(&SqlValue::Integer(0)))
        })
    }

    /// Traces a subquery of an expression: by itself if it stands alone, else beside each row.
    fn subquery(
        &mut self,
        subquery: &Subquery,
        place: Place,
        layout: &mut Layout,
        common: &mut Provenance,
    ) -> Result<(), Untraced> {
        let is_source = place.is_source;
        let text = self.with_definitions(&format!("SELECT * FROM ({})", subquery.query));
        if self.database.stands_alone(&text) {
            let combined_before = self.is_combined;
            let traced = match subquery.usage {
                SubqueryUse::Scalar => self.query(&first_row(&subquery.query), None)?,
                SubqueryUse::Rows => self.query(&subquery.query, None)?,
            };
            if !is_source {
                self.is_combined = combined_before;
            }
            let used = match subquery.usage {
                SubqueryUse::Scalar => 1,
                SubqueryUse::Rows => traced.provenance.len(),
            };
            for provenance in traced.provenance.iter().take(used) {
                if is_source {
                    common.absorb(provenance);
                } else {
                    self.decided_by(provenance);
                    self.deciding_cells.extend(altogether([provenance]).cells);
                }
            }
            return Ok(());
        }
        if place.is_aggregate && is_source && !subquery.in_aggregate {
            return Err("a subquery that depends on a group is not traced".to_owned());
        }
        let (sql, inner) = self.dependent_members(subquery, layout)?;
        layout.dependents.push(Dependent {
            sql,
            layout: inner,
            is_source,
            in_join: place.in_join,
            of_row: !place.of_groups || subquery.in_aggregate,
        });
        Ok(())
    }

    /// A scalar subquery that gathers the rows which a dependent subquery uses.
    fn dependent_members(&mut self, subquery: &Subquery, outside: &Layout) -> Result<(String, Layout), Untraced> {
        let query = &subquery.query;
        let SetExpr::Select(select) = &*query.body else {
            return Err("a compound subquery that depends on the row is not traced".to_owned());
        };
        if query.with.is_some() {
            return Err("a subquery with common table expressions that depends on the row is not traced".to_owned());
        }
        if skipped_rows(query.limit_clause.as_ref()).is_some() {
            return Err("a subquery with OFFSET that depends on the row is not traced".to_owned());
        }
        let limit = query.limit_clause.as_ref();
        let prepared = self.prepare(select, query.order_by.as_ref(), limit, Some(outside))?;
        if aggregates_outside(&prepared) {
            return Err("an aggregate of the surrounding query inside a subquery is not traced".to_owned());
        }
        if !prepared.layout.dependents.is_empty() {
            return Err("a subquery that depends on the row inside another is not traced".to_owned());
        }
        let is_grouped = prepared.is_aggregate
            && (prepared.layout.every_row_counts && has_group_terms(select) || select.having.is_some());
        if is_grouped || prepared.has_window {
            return Err("a subquery with groups or windows that depends on the row is not traced".to_owned());
        }
        let is_limited = subquery.usage == SubqueryUse::Scalar || query.limit_clause.is_some();
        self.note_deciding_inside(&prepared, is_limited, outside);
        self.decided_by(&prepared.common);
        let columns = prepared.layout.columns().ok_or_else(no_row_id)?;
        let mut asked = prepared.select.clone();
        asked.distinct = None;
        asked.having = None;
        // Of duplicates made one, all decide which is the first.
        let is_cut = is_limited && !prepared.is_aggregate && !prepared.is_distinct;
        let sql = if is_cut {
            let names: Vec<String> = (0..columns.len()).map(|index| format!("{OWN_PREFIX}{index}")).collect();
            asked.projection.extend(
                columns
                    .iter()
                    .zip(&names)
                    .map(|(column, name)| raw_item(format!("{column} AS {name}"))),
            );
            let mut text = query_text(&asked, query.order_by.as_ref(), query.limit_clause.as_ref());
            if query.limit_clause.is_none() {
                text.push_str(" LIMIT 1");
            }
            format!("(SELECT {MEMBERS}({}) FROM ({text}))", names.join(", "))
        } else {
            let mut members = format!("{MEMBERS}({})", columns.join(", "));
            for gate in &prepared.layout.gates {
                members.push_str(&format!(" || ',' || {gate}"));
            }
            asked.projection = vec![raw_item(members)];
            format!("({asked})")
        };
        Ok((sql, prepared.layout))
    }
}

/// Where a subquery stands.
#[derive(Clone, Copy)]
struct Place {
    /// Whether the result comes from its rows (or is only decided by them).
    is_source: bool,
    /// In an ON.
    in_join: bool,
    /// In a SELECT with groups.
    is_aggregate: bool,
    /// In what that computes of its groups.
    of_groups: bool,
}

fn is_wildcard(item: &SelectItem) -> bool {
    matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..))
}

/// A scalar subquery gives its first row, whatever comes after it.
fn first_row(query: &Query) -> Query {
    if let SetExpr::Query(inner) = &*query.body
        && query.with.is_none()
        && query.order_by.is_none()
        && query.limit_clause.is_none()
    {
        return first_row(inner);
    }
    let mut first = query.clone();
    if first.limit_clause.is_none() {
        first.limit_clause = Some(LimitClause::LimitOffset {
            limit: Some(Expr::value(Value::Number("1".to_owned(), false))),
            offset: None,
            limit_by: Vec::new(),
        });
    }
    first
}

/// The expressions that an ORDER BY goes by beside those that the result shows. Where a LIMIT cuts, those count too: by
/// them rows are passed over.
fn ordered_by(ordering: &[Term], select: &Select, is_limited: bool) -> Vec<Expr> {
    let is_shown = |expression: &Expr| {
        let text = expression.to_string();
        select.projection.iter().any(|item| match item {
            SelectItem::UnnamedExpr(shown) | SelectItem::ExprWithAlias { expr: shown, .. } => shown.to_string() == text,
            _ => false,
        })
    };
    ordering
        .iter()
        .map(|term| &term.expression)
        .filter(|expression| is_limited && !look_into(*expression).subqueries.is_empty() || !is_shown(expression))
        .cloned()
        .collect()
}

/// Whether a subquery has an aggregate that SQLite computes in the query around it: one in its WHERE, or of columns that
/// are all outside.
fn aggregates_outside(prepared: &Prepared) -> bool {
    let select = &prepared.select;
    let of_groups = [look_into(&select.projection), look_into(&select.having)];
    let is_outside = |function: &Function| {
        let parts = look_into(&function.args);
        let is_inside = |name: &Vec<Ident>| prepared.layout.relations_of(name).is_some();
        !parts.names.is_empty() && !parts.names.iter().any(is_inside)
    };
    !look_into(&select.selection).aggregates.is_empty()
        || of_groups.iter().flat_map(|parts| &parts.aggregates).any(is_outside)
}

/// The OFFSET of a LIMIT.
pub(super) fn skipped_rows(limit: Option<&LimitClause>) -> Option<&Expr> {
    match limit? {
        LimitClause::LimitOffset { offset, .. } => offset.as_ref().map(|offset| &offset.value),
        LimitClause::OffsetCommaLimit { offset, .. } => Some(offset),
    }
}

pub(super) fn has_group_terms(select: &Select) -> bool {
    !matches!(&select.group_by, GroupByExpr::Expressions(terms, _) if terms.is_empty())
}

pub(super) fn no_row_id() -> Untraced {
    "columns have taken every name of the row id".to_owned()
}

pub(super) fn raw_item(sql: String) -> SelectItem {
    // An identifier without quotes is printed as it stands.
    SelectItem::UnnamedExpr(Expr::Identifier(Ident::new(sql)))
}

pub(super) fn query_text(select: &Select, order_by: Option<&OrderBy>, limit: Option<&LimitClause>) -> String {
    let mut text = select.to_string();
    if let Some(order_by) = order_by {
        text.push_str(&format!(" {order_by}"));
    }
    if let Some(limit) = limit {
        text.push_str(&format!(" {limit}"));
    }
    text
}

/// What the aggregates of a SELECT take from a row. `COUNT(*)` takes every row, and so does a column that stands
/// outside of them, unless a MIN or MAX says which row it is taken from.
fn aggregate_arguments(calls: &[Call], has_bare_name: bool, layout: &mut Layout) -> Result<(), Untraced> {
    let mut has_extreme = false;
    for Call { function, ways } in calls {
        let name = name_of(function);
        let extreme = match name.as_str() {
            "min" => Some(false),
            "max" => Some(true),
            _ => None,
        };
        has_extreme |= extreme.is_some();
        if extreme.is_some() && has_collation(&function.args) {
            return Err("a MIN or MAX by another collation is not traced".to_owned());
        }
        let gate = layout.gate(ways);
        if name.starts_with("json") {
            // These take NULL as a value.
            layout.every_row_counts = true;
        }
        let filter = function.filter.as_ref();
        let argument = match (first_argument(function), filter) {
            (Some(argument), _) => argument.to_string(),
            (None, Some(_)) => "1".to_owned(),
            (None, None) if gate.is_some() => "1".to_owned(),
            (None, None) => {
                layout.every_row_counts = true;
                continue;
            }
        };
        let taken = if extreme.is_some() {
            format!("({argument})")
        } else {
            format!("CASE WHEN ({argument}) IS NOT NULL THEN 1 END")
        };
        let sql = filter.map_or_else(
            || taken.clone(),
            |filter| format!("CASE WHEN {filter} THEN {taken} END"),
        );
        let mut columns = Vec::new();
        let made_of = first_argument(function).filter(|_| extreme.is_some()).map(made_of);
        for names in made_of.into_iter().flatten() {
            let named: Vec<_> = names.names.iter().flat_map(|name| layout.columns_of(name)).collect();
            if names.within.is_empty() {
                columns.extend(named);
            } else if !named.is_empty() {
                let test = Test {
                    sql: all_hold(&names.within),
                    columns: named,
                    outside: Vec::new(),
                    of_group: false,
                    gate,
                };
                let argument = layout.arguments.len();
                layout.parts.push(Part { argument, test });
            }
        }
        layout.arguments.push(Argument {
            sql,
            extreme,
            columns,
            gate,
        });
    }
    if has_bare_name {
        layout.needs_a_row = true;
        layout.every_row_counts |= !has_extreme;
    }
    Ok(())
}
