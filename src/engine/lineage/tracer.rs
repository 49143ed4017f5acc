//! Takes a query apart into SELECT blocks, from the inside out: common table expressions and subqueries of a FROM are
//! traced first and kept as tables, so that a block only ever joins tables whose rows have known provenance.

use std::collections::BTreeSet;
use std::rc::Rc;

use rusqlite::types::Value as SqlValue;
use sqlparser::ast::{Query, SetExpr, SetOperator, SetQuantifier, TableAlias, Visit, Visitor};

use super::block::skipped_rows;
use super::carried;
use super::from::names_schema;
use super::layout::{Reader, Relation, Source};
use super::provenance::{Provenance, Shared, altogether, match_rows, merge_equal, row_key, visit_shared};
use super::reads::reads;
use super::stability::has_collation;
use super::standing::Standing;
use crate::engine::EngineError;
use crate::engine::members::{OWN_PREFIX, TOO_MANY};
use crate::engine::sqlite::{Database, ResultSet, quoted};
use crate::trace::lineage::CellPosition;

/// Why a statement is not traced exactly, in words that follow "because".
pub(super) type Untraced = String;

/// A query's result and what each row comes from.
#[derive(Clone, Debug)]
pub(super) struct Traced {
    pub(super) result: Rc<ResultSet>,
    pub(super) provenance: Vec<Provenance>,
    /// What may become of the rows that are not marked.
    pub(super) standing: Standing,
}

/// Rows of a compound SELECT, or of one of its parts.
struct Candidates {
    rows: Vec<(Vec<SqlValue>, Provenance)>,
    standing: Standing,
}

/// A common table expression in scope.
#[derive(Clone)]
struct TableExpression {
    alias: TableAlias,
    query: Query,
    definition: String,
    kept: Option<usize>,
}

/// A result kept as a table.
struct Kept {
    table: String,
    columns: Vec<(String, Option<usize>)>,
    standing: Standing,
    provenance: Vec<Provenance>,
}

impl Traced {
    /// A result that does not come from the table.
    fn of_nothing(result: Rc<ResultSet>) -> Self {
        Self {
            provenance: vec![Provenance::default(); result.rows.len()],
            standing: Standing::fixed(result.names.len()),
            result,
        }
    }
}

/// Traces one statement.
pub(super) struct Tracer<'db> {
    pub(super) database: &'db Database,
    /// Rows of the table.
    pub(super) row_count: usize,
    expressions: Vec<TableExpression>,
    kept: Vec<Kept>,
    /// Rows that decided, so far.
    pub(super) deciding: BTreeSet<usize>,
    /// Numbers of what is shared whose rows are in `deciding`.
    pub(super) decided_together: BTreeSet<usize>,
    shared_count: usize,
    /// Cells of conditions inside subqueries that decided.
    pub(super) deciding_cells: BTreeSet<CellPosition>,
    /// Whether result rows combine several rows.
    pub(super) is_combined: bool,
}

impl<'db> Tracer<'db> {
    pub(super) fn new(database: &'db Database, row_count: usize) -> Self {
        Self {
            database,
            row_count,
            expressions: Vec::new(),
            kept: Vec::new(),
            deciding: BTreeSet::new(),
            decided_together: BTreeSet::new(),
            shared_count: 0,
            deciding_cells: BTreeSet::new(),
            is_combined: false,
        }
    }

    /// Notes that what a row comes from decided.
    pub(super) fn decided_by(&mut self, provenance: &Provenance) {
        self.deciding.extend(&provenance.rows);
        visit_shared(&provenance.shared, &mut self.decided_together, &mut |shared| {
            self.deciding.extend(&shared.provenance.rows);
        });
    }

    /// Makes what many rows will come from one thing, unless it is small.
    pub(super) fn share(&mut self, provenance: Provenance) -> Provenance {
        if provenance.is_small() {
            return provenance;
        }
        let number = self.shared_count;
        self.shared_count += 1;
        Provenance {
            shared: vec![Rc::new(Shared { number, provenance })],
            ..Provenance::default()
        }
    }

    /// Traces a query that stands alone; `result` is what it gives, where that is known.
    pub(super) fn query(&mut self, query: &Query, result: Option<&Rc<ResultSet>>) -> Result<Traced, Untraced> {
        let in_scope = self.expressions.len();
        for expression in query.with.iter().flat_map(|with| &with.cte_tables) {
            self.expressions.push(TableExpression {
                alias: expression.alias.clone(),
                query: (*expression.query).clone(),
                definition: expression.to_string(),
                kept: None,
            });
        }
        let traced = self.query_in_scope(query, result);
        self.expressions.truncate(in_scope);
        traced
    }

    fn query_in_scope(&mut self, query: &Query, result: Option<&Rc<ResultSet>>) -> Result<Traced, Untraced> {
        let mut query = query.clone();
        query.with = None;
        let text = if matches!(&*query.body, SetExpr::Values(_)) {
            // VALUES alone takes no ORDER BY or LIMIT.
            let (mut bare, order_by, limit) = (query.clone(), query.order_by.take(), query.limit_clause.take());
            (bare.order_by, bare.limit_clause) = (None, None);
            let tail = [
                order_by.map(|order_by| format!(" {order_by}")),
                limit.map(|limit| format!(" {limit}")),
            ];
            let tail: String = tail.into_iter().flatten().collect();
            self.with_definitions(&format!("SELECT * FROM ({bare}){tail}"))
        } else {
            self.with_definitions(&query.to_string())
        };
        let result = match result {
            Some(result) => Rc::clone(result),
            None => Rc::new(self.database.trace(&text).map_err(untraced)?),
        };
        if !reads_table(self.database, &text, &query) {
            return Ok(Traced::of_nothing(result));
        }
        let (provenance, standing) = match &*query.body {
            SetExpr::Select(select) => {
                self.block(select, query.order_by.as_ref(), query.limit_clause.as_ref(), &result)?
            }
            SetExpr::Query(inner) if query.order_by.is_none() && query.limit_clause.is_none() => {
                let traced = self.query(inner, Some(&result))?;
                (traced.provenance, traced.standing)
            }
            SetExpr::SetOperation { .. } => self.compound(&query, &result)?,
            _ => return Err("a query of this form is not traced".to_owned()),
        };
        Ok(Traced {
            result,
            provenance,
            standing,
        })
    }

    /// A compound SELECT with its ORDER BY and LIMIT.
    fn compound(&mut self, query: &Query, result: &ResultSet) -> Result<(Vec<Provenance>, Standing), Untraced> {
        let Candidates { rows, mut standing } = self.set_operation(query, &query.body)?;
        let is_ordered = query.order_by.is_some();
        let has_offset = skipped_rows(query.limit_clause.as_ref()).is_some();
        let is_limited = query.limit_clause.is_some();
        let stays_cut = standing.is_monotone() && (is_ordered || standing.order_stays);
        if is_limited && (has_offset || !stays_cut) {
            // Which rows an OFFSET passes over cannot be told from here: all but those kept.
            self.pin(&rows);
            standing = Standing::fixed(standing.columns.len());
        } else {
            standing.order_stays &= !is_ordered || standing.are_values_same();
            standing.is_cut |= is_limited;
        }
        let provenance = match_rows(&result.rows, rows).ok_or_else(differs)?;
        Ok((provenance, standing))
    }

    /// The rows of a compound SELECT before its ORDER BY and LIMIT.
    fn set_operation(&mut self, query: &Query, body: &SetExpr) -> Result<Candidates, Untraced> {
        let SetExpr::SetOperation {
            op,
            set_quantifier,
            left,
            right,
        } = body
        else {
            let mut arm = query.clone();
            *arm.body = body.clone();
            arm.order_by = None;
            arm.limit_clause = None;
            let traced = self.query(&arm, None)?;
            let rows = Rc::unwrap_or_clone(traced.result).rows;
            return Ok(Candidates {
                rows: rows.into_iter().zip(traced.provenance).collect(),
                standing: traced.standing,
            });
        };
        let all = matches!(set_quantifier, SetQuantifier::All);
        if !all && (shows_collation(left) || shows_collation(right)) {
            return Err("rows told apart by another collation are not traced".to_owned());
        }
        let left = self.set_operation(query, left)?;
        let right = self.set_operation(query, right)?;
        let mut standing = left.standing.and(&right.standing);
        let width = standing.columns.len();
        let keys = |rows: &[(Vec<SqlValue>, Provenance)]| -> BTreeSet<_> {
            rows.iter().map(|(row, _)| row_key(row)).collect()
        };
        // What INTERSECT and EXCEPT drop stays dropped only where rows do not come to be equal or unequal to others.
        if matches!(op, SetOperator::Intersect) && !standing.is_monotone() {
            self.pin(&left.rows);
            self.pin(&right.rows);
            standing = Standing::fixed(width);
        }
        let mut rows = left.rows;
        match op {
            SetOperator::Union => {
                rows.extend(right.rows);
                if all {
                    return Ok(Candidates { rows, standing });
                }
                if !standing.is_monotone() {
                    standing = Standing::unknown(width);
                }
            }
            SetOperator::Intersect => {
                let (in_left, in_right) = (keys(&rows), keys(&right.rows));
                rows.extend(right.rows);
                rows.retain(|(row, _)| {
                    let key = row_key(row);
                    in_left.contains(&key) && in_right.contains(&key)
                });
            }
            SetOperator::Except | SetOperator::Minus => {
                let in_right = keys(&right.rows);
                self.pin(&right.rows);
                standing = left.standing;
                if !standing.is_monotone() {
                    self.pin(&rows);
                    standing = Standing::fixed(width);
                }
                rows.retain(|(row, _)| !in_right.contains(&row_key(row)));
            }
        }
        // Rows that are told apart come in the order of their values.
        standing.order_stays |= standing.are_values_same();
        self.is_combined = true;
        Ok(Candidates {
            rows: merge_equal(rows),
            standing,
        })
    }

    /// All these rows decide, so that nothing becomes of them.
    fn pin(&mut self, rows: &[(Vec<SqlValue>, Provenance)]) {
        for (_, provenance) in rows {
            self.decided_by(provenance);
        }
    }

    /// A relation for a table name of a FROM: the table, or a common table expression, which is traced at its first
    /// use. Gives the kept table's name for the latter.
    pub(super) fn relation_named(
        &mut self,
        table: &str,
        alias: Option<&TableAlias>,
    ) -> Result<(Relation, Option<String>), Untraced> {
        let found = self
            .expressions
            .iter()
            .rposition(|expression| expression.alias.name.value.eq_ignore_ascii_case(table));
        if let Some(place) = found {
            let kept = self.kept_expression(place)?;
            let (name, sql_name) = names(table, alias);
            let relation = Relation {
                sql_name,
                name,
                source: Source::Kept(kept),
                columns: self.kept[kept].columns.clone(),
            };
            return Ok((relation, Some(self.kept[kept].table.clone())));
        }
        Ok((self.table_itself(table, alias)?, None))
    }

    /// The table, whatever common table expression has its name.
    pub(super) fn table_itself(&self, table: &str, alias: Option<&TableAlias>) -> Result<Relation, Untraced> {
        if !table.eq_ignore_ascii_case(crate::engine::TABLE_NAME) {
            return Err(format!("the table function {table} is not traced"));
        }
        let columns = self
            .database
            .column_names()
            .iter()
            .enumerate()
            .map(|(index, name)| (name.clone(), Some(index)))
            .collect();
        let (name, sql_name) = names(table, alias);
        Ok(Relation {
            sql_name,
            name,
            source: Source::Table,
            columns,
        })
    }

    /// Traces a common table expression, with only those before it in scope.
    fn kept_expression(&mut self, place: usize) -> Result<usize, Untraced> {
        if let Some(kept) = self.expressions[place].kept {
            return Ok(kept);
        }
        let expression = self.expressions[place].clone();
        let after = self.expressions.split_off(place);
        let kept = if mentions(&expression.query, &expression.alias.name.value, Schemas::Never) {
            self.kept_recursive(&expression)
        } else {
            let names: Vec<String> = expression
                .alias
                .columns
                .iter()
                .map(|column| column.name.value.clone())
                .collect();
            self.kept_query(&expression.query, &names)
        };
        self.expressions.extend(after);
        self.expressions[place].kept = Some(kept.clone()?);
        kept
    }

    /// A recursive one is kept only when it never looks at the table: then its rows come from nowhere.
    fn kept_recursive(&mut self, expression: &TableExpression) -> Result<usize, Untraced> {
        let name = &expression.alias.name;
        let text = self.with_definition(&expression.definition, &format!("SELECT * FROM {name}"));
        if self.database.reads_table(&text) {
            return Err("a recursive common table expression over the table is not traced".to_owned());
        }
        let result = Rc::new(self.database.trace(&text).map_err(untraced)?);
        self.keep(&text, &Traced::of_nothing(result), &[])
    }

    /// Traces a subquery of a FROM and keeps it; `names` rename its columns.
    pub(super) fn kept_query(&mut self, query: &Query, names: &[String]) -> Result<usize, Untraced> {
        if shows_collation(&query.body) {
            return Err("a collation that a subquery hands on is not traced".to_owned());
        }
        let text = if names.is_empty() {
            self.with_definitions(&query_without_definitions(query, self))
        } else {
            let list: Vec<String> = names.iter().map(|name| quoted(name)).collect();
            let renamed = format!("{OWN_PREFIX}renamed ({}) AS ({query})", list.join(", "));
            self.with_definition(&renamed, &format!("SELECT * FROM {OWN_PREFIX}renamed"))
        };
        if !self.database.stands_alone(&text) {
            return Err("a subquery that depends on what stands outside it is not traced".to_owned());
        }
        let traced = self.query(query, None)?;
        self.keep(&text, &traced, names)
    }

    fn keep(&mut self, text: &str, traced: &Traced, names: &[String]) -> Result<usize, Untraced> {
        let table = format!("{OWN_PREFIX}kept_{}", self.kept.len());
        self.database.keep(&table, text).map_err(untraced)?;
        let kept = self
            .database
            .trace(&format!("SELECT * FROM {table} ORDER BY rowid"))
            .or_else(|_| self.database.trace(&format!("SELECT * FROM {table}")))
            .map_err(untraced)?;
        if kept.rows != traced.result.rows {
            return Err(differs());
        }
        let names = if names.is_empty() { &kept.names } else { names };
        let carried = super::parse(text).map_or_else(
            |_| vec![None; names.len()],
            |query| {
                let found = reads(&query, self.database.column_names());
                let carried = carried(&traced.result, &found).into_iter().enumerate();
                // A NULL of an outer join is no cell of the row that it stands beside.
                carried
                    .map(|(index, column)| column.filter(|_| found.filled.get(index) == Some(&false)))
                    .collect()
            },
        );
        let provenance = traced
            .provenance
            .iter()
            .map(|provenance| self.share(provenance.clone()))
            .collect();
        self.kept.push(Kept {
            table,
            standing: traced.standing.clone(),
            columns: names.iter().cloned().zip(carried).collect(),
            provenance,
        });
        Ok(self.kept.len() - 1)
    }

    /// What may become of a kept result.
    pub(super) fn standing_of_kept(&self, kept: usize) -> Standing {
        self.kept
            .get(kept)
            .map_or_else(|| Standing::unknown(0), |kept| kept.standing.clone())
    }

    /// All rows that a kept result comes from.
    pub(super) fn rows_of_kept(&self, kept: usize) -> Vec<usize> {
        altogether(self.kept.get(kept).map_or(&[][..], |kept| &kept.provenance)).rows
    }

    /// The kept result at this position, as a relation under the given name.
    pub(super) fn kept_relation(&self, kept: usize, alias: Option<&TableAlias>) -> (Relation, String) {
        let table = self.kept[kept].table.clone();
        let (name, sql_name) = alias.map_or_else(
            || (table.clone(), table.clone()),
            |alias| (alias.name.value.clone(), alias.name.to_string()),
        );
        let relation = Relation {
            sql_name,
            name,
            source: Source::Kept(kept),
            columns: self.kept[kept].columns.clone(),
        };
        (relation, table)
    }

    /// Reads hidden columns with what is kept so far.
    pub(super) fn with_reader<T>(&self, read: impl FnOnce(&Reader<'_>) -> T) -> T {
        read(&Reader {
            members: self.database.members(),
            kept: &|kept, row| self.kept.get(kept).and_then(|kept| kept.provenance.get(row)),
        })
    }

    /// A query behind the common table expressions in scope.
    pub(super) fn with_definitions(&self, query: &str) -> String {
        self.definitions(None, query)
    }

    fn with_definition(&self, definition: &str, query: &str) -> String {
        self.definitions(Some(definition), query)
    }

    fn definitions(&self, another: Option<&str>, query: &str) -> String {
        let mut seen = BTreeSet::new();
        let mut definitions: Vec<&str> = Vec::new();
        // An inner name hides an outer one of the same spelling.
        for expression in self.expressions.iter().rev() {
            if seen.insert(expression.alias.name.value.to_ascii_lowercase()) {
                definitions.push(&expression.definition);
            }
        }
        definitions.reverse();
        definitions.extend(another);
        if definitions.is_empty() {
            return query.to_owned();
        }
        format!("WITH RECURSIVE {} {query}", definitions.join(", "))
    }
}

/// The text of a query whose own common table expressions, if any, go before those in scope.
fn query_without_definitions(query: &Query, tracer: &Tracer<'_>) -> String {
    if query.with.is_none() || tracer.expressions.is_empty() {
        return query.to_string();
    }
    // A WITH cannot follow a WITH, but it may stand in brackets.
    format!("SELECT * FROM ({query})")
}

/// The reason where tracing met a limit.
const TOO_MUCH: &str = "tracing it takes more work than is allowed";

/// What an error of a statement of ours means to whoever asks for the lineage: that statement is none that they know.
pub(super) fn untraced(error: EngineError) -> Untraced {
    match error {
        EngineError::Limit { .. } => TOO_MUCH.to_owned(),
        EngineError::Statement { message } if message.contains(TOO_MANY) => TOO_MUCH.to_owned(),
        EngineError::Statement { .. } | EngineError::NotAllowed { .. } => {
            "a part of it cannot be looked at by itself".to_owned()
        }
    }
}

pub(super) fn differs() -> Untraced {
    "followed part by part, it gives another result than as a whole".to_owned()
}

/// Whether a query looks at the table. SQLite does not tell of the columns that USING joins by, so that a COUNT over such
/// a join seems to read nothing; then its FROM names the table, unless a common table expression has taken that name.
pub(super) fn reads_table(database: &Database, text: &str, query: &Query) -> bool {
    let names_it =
        || mentions(query, crate::engine::TABLE_NAME, Schemas::Also) && !defines(query, crate::engine::TABLE_NAME);
    database.reads_table(text) || names_it()
}

/// Whether a common table expression of this name stands in a query.
fn defines(query: &Query, name: &str) -> bool {
    struct Definition<'name>(&'name str);
    impl Visitor for Definition<'_> {
        type Break = ();
        fn pre_visit_query(&mut self, query: &Query) -> std::ops::ControlFlow<()> {
            let mut expressions = query.with.iter().flat_map(|with| &with.cte_tables);
            if expressions.any(|expression| expression.alias.name.value.eq_ignore_ascii_case(self.0)) {
                std::ops::ControlFlow::Break(())
            } else {
                std::ops::ControlFlow::Continue(())
            }
        }
    }
    query.visit(&mut Definition(name)).is_break()
}

/// Whether a column of a query has a collation of its own, which whoever uses the query compares by.
fn shows_collation(body: &SetExpr) -> bool {
    match body {
        SetExpr::Select(select) => has_collation(&select.projection),
        SetExpr::SetOperation { left, right, .. } => shows_collation(left) || shows_collation(right),
        SetExpr::Query(query) => shows_collation(&query.body),
        _ => false,
    }
}

/// How a relation of a FROM is called: by itself, and in SQL.
fn names(table: &str, alias: Option<&TableAlias>) -> (String, String) {
    alias.map_or_else(
        || (table.to_owned(), quoted(table)),
        |alias| (alias.name.value.clone(), alias.name.to_string()),
    )
}

/// Whether a name behind that of a schema counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Schemas {
    Also,
    Never,
}

/// Whether a query reads from a table of this name.
fn mentions(query: &Query, name: &str, schemas: Schemas) -> bool {
    struct Mention<'name>(&'name str, Schemas);
    impl Visitor for Mention<'_> {
        type Break = ();
        fn pre_visit_relation(&mut self, relation: &sqlparser::ast::ObjectName) -> std::ops::ControlFlow<()> {
            let is_it = relation
                .0
                .last()
                .and_then(|part| part.as_ident())
                .is_some_and(|ident| ident.value.eq_ignore_ascii_case(self.0));
            if is_it && (self.1 == Schemas::Also || !names_schema(relation)) {
                std::ops::ControlFlow::Break(())
            } else {
                std::ops::ControlFlow::Continue(())
            }
        }
    }
    query.visit(&mut Mention(name, schemas)).is_break()
}
