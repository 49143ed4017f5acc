//! What a mark claims, asked of SQLite: whether a condition of the statement holds for a row, and what the argument of a
//! MIN or MAX is there.
//!
//! The proof reads the statement by itself here and does not ask the tracer: a condition is taken apart at AND, OR and
//! NOT, names are followed through aliases to the table's columns, and each part becomes a question about one row. A part
//! that cannot be asked by itself (a name of a common table expression's own columns, say) is *unknown*: of it is only
//! known that NULL in the cell takes it away, or any value where the cell is NULL.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::ops::ControlFlow;

use rusqlite::Statement;
use sqlparser::ast::{Expr, Ident, Select, Visit, VisitMut, Visitor, VisitorMut};
use sqlparser::dialect::SQLiteDialect;
use sqlparser::parser::Parser;

use super::conditions::{Part, Reading, Stated, StatedExtreme, read};
use super::groups::{Gate, taken_rows};
use super::looks::Look;
use crate::engine::sqlite::{Database, quoted};
use crate::engine::{EngineError, TABLE_NAME};

/// Conditions of a statement that become questions; of more, the rest is unknown.
const MOST_QUESTIONS: usize = 200;
/// Sides of outer joins that are asked of with and without a row, in one question.
const MOST_FILLED: usize = 3;
/// Aliases of aliases that are followed.
const MOST_ROUNDS: usize = 4;
/// What the table is called in a question where a name without a qualifier stands beside others.
const OWN_NAME: &str = "own_row";

/// A condition that may hold for a row.
pub(super) struct Condition<'db> {
    /// The table's columns that it names for that row, ascending.
    pub(super) columns: Vec<usize>,
    /// Whether it counts for row `?1`: it holds, and so do the parts around it that it needs.
    pub(super) counts: Statement<'db>,
    /// Whether it holds by itself, where it speaks of that row alone.
    pub(super) holds: Option<Statement<'db>>,
    /// The rows beside which it counts for row `?1`, where it speaks of two: one text of them all.
    pub(super) beside: Option<Statement<'db>>,
    /// As the statement writes it.
    text: String,
}

impl Condition<'_> {
    /// Whether it stands inside another, as a CASE in a comparison.
    pub(super) fn is_inside(&self, other: &Self) -> bool {
        self.text.len() < other.text.len() && other.text.contains(&self.text)
    }
}

/// The argument of a MIN or MAX.
pub(super) struct Extreme<'db> {
    /// The table's columns that its value is made of, ascending.
    pub(super) columns: Vec<usize>,
    /// Its value in row `?1`, where that is made of these columns.
    pub(super) value: Statement<'db>,
    /// Whether in row `?1` it is NULL or nearer the middle than `?2`.
    pub(super) is_nearer: Statement<'db>,
    /// The rows in which it is further from the middle than `?1`.
    pub(super) beyond: Statement<'db>,
}

/// What a statement's marks may claim.
#[derive(Default)]
pub(super) struct Claims<'db> {
    pub(super) conditions: Vec<Condition<'db>>,
    pub(super) extremes: Vec<Extreme<'db>>,
    /// Columns that unknown conditions name.
    pub(super) unknown_conditions: BTreeSet<usize>,
    /// Columns that unknown arguments name.
    pub(super) unknown_extremes: BTreeSet<usize>,
    /// Whether it is one SELECT from the table alone, no FILTER in it: then the rows of a result row are those that its
    /// aggregates saw.
    pub(super) is_plain: bool,
}

impl<'db> Claims<'db> {
    /// Of a statement over a table with these columns.
    pub(super) fn of(database: &'db Database, statement: &str, row_id: &str) -> Self {
        let width = database.column_names().len();
        let everything = || Self {
            unknown_conditions: (0..width).collect(),
            unknown_extremes: (0..width).collect(),
            ..Self::default()
        };
        let Ok(parsed) = Parser::parse_sql(&SQLiteDialect {}, statement) else {
            return everything();
        };
        let [sqlparser::ast::Statement::Query(query)] = parsed.as_slice() else {
            return everything();
        };
        let reading = read(query);
        let mut claims = Self {
            is_plain: reading.is_plain,
            ..Self::default()
        };
        let asker = Asker {
            database,
            row_id,
            with: query.with.as_ref().map_or_else(String::new, |with| format!("{with} ")),
            reading: &reading,
        };
        for (place, condition) in reading.conditions.iter().enumerate() {
            asker.condition(condition, place < MOST_QUESTIONS, &mut claims);
        }
        for (place, extreme) in reading.extremes.iter().enumerate() {
            for look in &extreme.looks {
                asker.extreme(extreme, look, place < MOST_QUESTIONS, &mut claims);
            }
        }
        claims
    }
}

/// Makes questions.
struct Asker<'db, 'read> {
    database: &'db Database,
    row_id: &'read str,
    /// The statement's common table expressions.
    with: String,
    reading: &'read Reading,
}

/// An expression over the table's own columns.
struct Resolved {
    expression: Expr,
    /// For each qualifier in small letters (nothing where there is none) the table's columns named with it.
    columns: BTreeMap<String, BTreeSet<usize>>,
    /// Whether every name was followed to where it comes from.
    is_known: bool,
    /// Whether some name was an alias.
    has_followed: bool,
}

/// What stands around a condition of a SELECT with groups.
#[derive(Clone, Copy, Default)]
struct Around<'read> {
    group: Option<&'read Select>,
    gate: Option<&'read Gate>,
}

/// What came of a question.
enum Made<T> {
    Question(T),
    /// It stands among groups or windows: nothing that one row's cells would make true.
    OfGroups,
    Unknown,
}

impl<'db> Asker<'db, '_> {
    fn condition(&self, stated: &Stated, is_asked: bool, claims: &mut Claims<'db>) {
        let mut is_first = true;
        let mut known: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for look in &stated.looks {
            let mut named: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
            for name in &look.names {
                for (qualifier, columns) in self.resolve(name).columns {
                    named.entry(qualifier).or_default().extend(columns);
                }
            }
            for (qualifier, columns) in &mut named {
                let known = known.entry(qualifier.clone()).or_default();
                columns.retain(|column| !known.contains(column));
                if look.within.is_empty() {
                    known.extend(columns.iter());
                }
            }
            named.retain(|_, columns| !columns.is_empty());
            let mut parts = stated.parts.clone();
            parts.extend(look.within.iter().cloned());
            let around = Around {
                group: stated.group.as_deref(),
                gate: stated.gate.as_ref().filter(|gate| self.is_known(gate)),
            };
            self.claim(&parts, around, named, (is_asked, std::mem::take(&mut is_first)), claims);
        }
    }

    /// Whether what a gate says can be told of each aggregate.
    fn is_known(&self, gate: &Gate) -> bool {
        gate.of.has_gates(|query| {
            self.database
                .stands_alone(&format!("{}SELECT * FROM ({query})", self.with))
        })
    }

    /// Makes what a condition claims of these columns a question; `is_whole` where whether it holds is asked too.
    fn claim(
        &self,
        parts: &[Part],
        around: Around<'_>,
        named: BTreeMap<String, BTreeSet<usize>>,
        (is_asked, is_whole): (bool, bool),
        claims: &mut Claims<'db>,
    ) {
        let Some(own) = parts.first() else { return };
        let resolved: Vec<Resolved> = parts.iter().map(|part| self.resolve(&part.expression)).collect();
        let mut qualifiers: BTreeSet<String> = BTreeSet::new();
        for part in &resolved {
            qualifiers.extend(part.columns.keys().cloned());
        }
        let is_known = is_asked && resolved.iter().all(|part| part.is_known);
        for (qualifier, columns) in named {
            let made = if is_known {
                let all: Vec<(String, &str)> = parts
                    .iter()
                    .zip(&resolved)
                    .map(|(part, resolved)| (written(&resolved.expression, &qualifiers), part.wanted))
                    .collect();
                let mut counts = self.asked(&all, around, &qualifiers, &qualifier);
                if around.gate.is_some() && matches!(counts, Made::Unknown) {
                    let around = Around { gate: None, ..around };
                    counts = self.asked(&all, around, &qualifiers, &qualifier);
                }
                let holds = (is_whole && qualifiers.len() == 1)
                    .then(|| self.asked(&all[..1], Around::default(), &qualifiers, &qualifier));
                let beside = match self.beside(&all, &qualifiers, &qualifier) {
                    Some(Made::Question(beside)) => Some(beside),
                    _ => None,
                };
                match (counts, holds) {
                    (Made::Question(counts), Some(Made::Question(holds))) => {
                        Made::Question((counts, Some(holds), beside))
                    }
                    (Made::Question(counts), _) => Made::Question((counts, None, beside)),
                    (Made::OfGroups, _) => Made::OfGroups,
                    (Made::Unknown, _) => Made::Unknown,
                }
            } else {
                self.unknown(&own.expression)
            };
            match made {
                Made::Question((counts, holds, beside)) => claims.conditions.push(Condition {
                    columns: columns.into_iter().collect(),
                    counts,
                    holds,
                    beside,
                    text: own.expression.to_string(),
                }),
                // An alias of an aggregate beside columns of the row's own: `e = top`.
                Made::OfGroups if resolved.iter().any(|part| part.has_followed) => {
                    let own = names_of(&own.expression);
                    let own = own.iter().filter_map(|(_, name)| self.column(name));
                    claims.unknown_conditions.extend(own);
                }
                Made::OfGroups => {}
                Made::Unknown => claims.unknown_conditions.extend(columns),
            }
        }
    }

    /// What cannot be asked still must not speak of groups.
    fn unknown<T>(&self, expression: &Expr) -> Made<T> {
        let alone = format!("SELECT 1 FROM {TABLE_NAME} WHERE ({expression})");
        match self.database.prepare_question(&alone) {
            Err(EngineError::Statement { message }) if message.starts_with("misuse of") => Made::OfGroups,
            _ => Made::Unknown,
        }
    }

    /// Asks whether parts hold for a row; of a SELECT with groups, whether its group takes that row, or looks at the
    /// aggregate, too.
    fn asked(
        &self,
        parts: &[(String, &str)],
        around: Around<'_>,
        qualifiers: &BTreeSet<String>,
        qualifier: &str,
    ) -> Made<Statement<'db>> {
        let mut conditions: Vec<String> = parts
            .iter()
            .map(|(sql, wanted)| format!("(({sql}) IS {wanted})"))
            .collect();
        let gate = around.gate.map(|gate| gate.question(inmost(qualifier), self.row_id));
        conditions.extend(gate);
        if let Some(group) = around.group {
            conditions.push(format!("?1 IN ({})", taken_rows(group, inmost(qualifier), self.row_id)));
        }
        let filled: Vec<&String> = qualifiers
            .iter()
            .filter(|name| *name != qualifier && self.reading.filled.contains_key(inmost(name)))
            .take(MOST_FILLED)
            .collect();
        // With every choice of those that an outer join may have found no row for.
        let ways: Vec<String> = (0..1_usize << filled.len())
            .map(|choice| {
                let is_empty = |name: &String| filled.iter().position(|filled| *filled == name);
                let is_empty = |name: &&String| is_empty(name).is_some_and(|place| choice >> place & 1 == 1);
                let (empty, found): (Vec<&String>, Vec<&String>) = qualifiers.iter().partition(is_empty);
                let tables: Vec<String> = found.iter().map(|name| table_as(name, qualifiers)).collect();
                let mut from = tables.join(", ");
                let mut conditions = conditions.clone();
                for name in empty {
                    from.push_str(&format!(" LEFT JOIN {} ON 0", table_as(name, qualifiers)));
                    conditions.extend(self.finds_none(name, qualifier, qualifiers));
                }
                format!(
                    "EXISTS (SELECT 1 FROM {from} WHERE {}.{} = ?1 AND {})",
                    quoted(called(qualifier, qualifiers)),
                    self.row_id,
                    conditions.join(" AND ")
                )
            })
            .collect();
        self.prepared(&format!("{}SELECT {}", self.with, ways.join(" OR ")))
    }

    /// Asks for the rows of the other table beside which parts hold for a row, where there is one other.
    fn beside(
        &self,
        parts: &[(String, &str)],
        qualifiers: &BTreeSet<String>,
        qualifier: &str,
    ) -> Option<Made<Statement<'db>>> {
        let row = |name: &str| format!("{}.{}", quoted(called(name, qualifiers)), self.row_id);
        let mut others = qualifiers.iter().filter(|name| *name != qualifier);
        let (Some(other), None) = (others.next(), others.next()) else {
            return None;
        };
        let tables: Vec<String> = qualifiers.iter().map(|name| table_as(name, qualifiers)).collect();
        let conditions: Vec<String> = parts
            .iter()
            .map(|(sql, wanted)| format!("(({sql}) IS {wanted})"))
            .collect();
        Some(self.prepared(&format!(
            "{}SELECT group_concat({}) FROM {} WHERE {} = ?1 AND {}",
            self.with,
            row(other),
            tables.join(", "),
            row(qualifier),
            conditions.join(" AND ")
        )))
    }

    /// That an outer join finds no row of this name for the row that is asked about, where its condition speaks of the two
    /// alone.
    fn finds_none(&self, name: &str, qualifier: &str, qualifiers: &BTreeSet<String>) -> Option<String> {
        let condition = self.reading.filled.get(name)?.unless.as_ref()?;
        let speaks_of_them = |(named, column): &(String, String)| {
            (named.eq_ignore_ascii_case(name) || named.eq_ignore_ascii_case(qualifier)) && self.column(column).is_some()
        };
        (!qualifier.is_empty() && names_of(condition).iter().all(speaks_of_them)).then(|| {
            format!(
                "NOT EXISTS (SELECT 1 FROM {} WHERE {condition})",
                table_as(name, qualifiers)
            )
        })
    }

    /// Makes a MIN or MAX a question, for the columns that its argument is made of where the parts hold.
    fn extreme(&self, stated: &StatedExtreme, look: &Look, is_asked: bool, claims: &mut Claims<'db>) {
        let resolved = self.resolve(&stated.argument);
        let named = look.names.iter().map(|name| self.resolve(name).columns);
        let columns: BTreeSet<usize> = named.flat_map(|named| named.into_values().flatten()).collect();
        let within: Vec<(Resolved, &str)> = look
            .within
            .iter()
            .map(|part| (self.resolve(&part.expression), part.wanted))
            .collect();
        let mut qualifiers: BTreeSet<String> = resolved.columns.keys().cloned().collect();
        qualifiers.extend(within.iter().flat_map(|(part, _)| part.columns.keys().cloned()));
        let is_known = is_asked && resolved.is_known && within.iter().all(|(part, _)| part.is_known);
        let (Some(qualifier), 1, true) = (qualifiers.first(), qualifiers.len(), is_known) else {
            claims.unknown_extremes.extend(columns);
            return;
        };
        let (with, table) = (&self.with, table_as(qualifier, &qualifiers));
        let row = format!("{}.{}", quoted(called(qualifier, &qualifiers)), self.row_id);
        let sql = written(&resolved.expression, &qualifiers);
        let here: Vec<String> = within
            .iter()
            .map(|(part, wanted)| format!(" AND (({}) IS {wanted})", written(&part.expression, &qualifiers)))
            .collect();
        let here = here.concat();
        let valued = |gate: &str| format!("{with}SELECT ({sql}) FROM {table} WHERE {row} = ?1{here}{gate}");
        let gate = stated.gate.as_ref().filter(|gate| self.is_known(gate));
        let gate = gate.map(|gate| format!(" AND {}", gate.question(inmost(qualifier), self.row_id)));
        let mut value = self.prepared(&valued(gate.as_deref().unwrap_or_default()));
        if gate.is_some() && !matches!(value, Made::Question(_)) {
            value = self.prepared(&valued(""));
        }
        let (nearer, further) = if stated.is_max { ("<", ">") } else { (">", "<") };
        let made = (
            value,
            self.prepared(&format!(
                "{with}SELECT ({sql}) IS NULL OR ({sql}) {nearer} ?2 FROM {table} WHERE {row} = ?1"
            )),
            self.prepared(&format!("{with}SELECT {row} FROM {table} WHERE ({sql}) {further} ?1")),
        );
        match made {
            (Made::Question(value), Made::Question(is_nearer), Made::Question(beyond)) => {
                claims.extremes.push(Extreme {
                    columns: columns.into_iter().collect(),
                    value,
                    is_nearer,
                    beyond,
                });
            }
            _ => claims.unknown_extremes.extend(columns),
        }
    }

    fn prepared(&self, question: &str) -> Made<Statement<'db>> {
        match self.database.prepare_question(question) {
            Ok(statement) => Made::Question(statement),
            Err(EngineError::Statement { message }) if message.starts_with("misuse of") => Made::OfGroups,
            Err(_) => Made::Unknown,
        }
    }

    /// Follows the names of an expression to the table's columns.
    fn resolve(&self, expression: &Expr) -> Resolved {
        let mut expression = expression.clone();
        let (mut is_known, mut has_followed) = (true, false);
        let mut also = BTreeSet::new();
        for _ in 0..MOST_ROUNDS {
            let mut follower = Follower {
                asker: self,
                depth: 0,
                has_followed: false,
                is_known: true,
                also: &mut also,
            };
            let ControlFlow::Continue(()) = VisitMut::visit(&mut expression, &mut follower);
            is_known &= follower.is_known;
            if !follower.has_followed {
                break;
            }
            has_followed = true;
        }
        let mut columns: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for (qualifier, name) in names_of(&expression) {
            match self.column(&name) {
                Some(column) => {
                    columns
                        .entry(qualifier.to_ascii_lowercase())
                        .or_default()
                        .insert(column);
                }
                None if is_row_id(&name) => {
                    columns.entry(qualifier.to_ascii_lowercase()).or_default();
                }
                None => {
                    is_known = false;
                    also.extend(0..self.database.column_names().len());
                }
            }
        }
        if !is_known {
            columns.entry(String::new()).or_default().extend(also);
        }
        Resolved {
            expression,
            columns,
            is_known,
            has_followed,
        }
    }

    fn column(&self, name: &str) -> Option<usize> {
        self.database
            .column_names()
            .iter()
            .position(|column| column.eq_ignore_ascii_case(name))
    }

    /// What an alias stands for; an error where that is not one thing, with the columns it may be.
    fn alias(&self, name: &str) -> Result<Option<&Expr>, BTreeSet<usize>> {
        let Some(found) = self.reading.aliases.get(&name.to_ascii_lowercase()) else {
            return Ok(None);
        };
        let others: Vec<&Expr> = found
            .iter()
            .filter(|expression| !last_name(expression).is_some_and(|last| last.eq_ignore_ascii_case(name)))
            .collect();
        let own = self.column(name);
        match (others.as_slice(), own) {
            ([], _) => Ok(None),
            ([one], None) if found.len() == 1 => Ok(Some(one)),
            _ => {
                let named = others.iter().flat_map(|expression| names_of(expression));
                let mut columns: BTreeSet<usize> = named.filter_map(|(_, name)| self.column(&name)).collect();
                columns.extend(own);
                Err(columns)
            }
        }
    }
}

/// Puts what aliases stand for in their place, at the expression's own level.
struct Follower<'go, 'db, 'read> {
    asker: &'go Asker<'db, 'read>,
    depth: usize,
    has_followed: bool,
    is_known: bool,
    /// Columns that an alias of several meanings may be.
    also: &'go mut BTreeSet<usize>,
}

impl VisitorMut for Follower<'_, '_, '_> {
    type Break = Infallible;

    fn pre_visit_query(&mut self, _: &mut sqlparser::ast::Query) -> ControlFlow<Infallible> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut sqlparser::ast::Query) -> ControlFlow<Infallible> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expression: &mut Expr) -> ControlFlow<Infallible> {
        if self.depth > 0 {
            return ControlFlow::Continue(());
        }
        let Some((qualifier, name)) = name_of(expression) else {
            return ControlFlow::Continue(());
        };
        match self.asker.alias(&name) {
            Ok(None) => {}
            Ok(Some(meant)) => {
                let mut meant = meant.clone();
                let qualifiers: BTreeSet<String> =
                    names_of(&meant).into_iter().map(|(qualifier, _)| qualifier).collect();
                self.is_known &= qualifiers.len() <= 1;
                // What comes from two relations inside is of two rows outside.
                let qualifier = match qualifiers.first() {
                    Some(inside) if !inside.is_empty() => format!("{qualifier}.{inside}"),
                    _ => qualifier,
                };
                let ControlFlow::Continue(()) = VisitMut::visit(
                    &mut meant,
                    &mut Requalify {
                        qualifier: &qualifier,
                        depth: 0,
                        only_bare: false,
                    },
                );
                *expression = Expr::Nested(Box::new(meant));
                self.has_followed = true;
            }
            Err(columns) => {
                self.is_known = false;
                self.also.extend(columns);
            }
        }
        ControlFlow::Continue(())
    }
}

/// Gives names at the expression's own level another qualifier.
struct Requalify<'name> {
    qualifier: &'name str,
    depth: usize,
    only_bare: bool,
}

impl VisitorMut for Requalify<'_> {
    type Break = Infallible;

    fn pre_visit_query(&mut self, _: &mut sqlparser::ast::Query) -> ControlFlow<Infallible> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut sqlparser::ast::Query) -> ControlFlow<Infallible> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expression: &mut Expr) -> ControlFlow<Infallible> {
        if self.depth > 0 || (self.only_bare && !matches!(expression, Expr::Identifier(_))) {
            return ControlFlow::Continue(());
        }
        let Some((_, name)) = name_of(expression) else {
            return ControlFlow::Continue(());
        };
        let name = Ident::with_quote('"', name);
        *expression = if self.qualifier.is_empty() {
            Expr::Identifier(name)
        } else {
            Expr::CompoundIdentifier(vec![Ident::with_quote('"', self.qualifier), name])
        };
        ControlFlow::Continue(())
    }
}

/// What a relation is called where it stands: names of aliases are followed to it.
fn inmost(qualifier: &str) -> &str {
    qualifier.rsplit('.').next().unwrap_or(qualifier)
}

/// The expression as a question writes it: where other qualifiers stand beside it, a bare name has one too.
fn written(expression: &Expr, qualifiers: &BTreeSet<String>) -> String {
    if qualifiers.len() < 2 || !qualifiers.contains("") {
        return expression.to_string();
    }
    let mut expression = expression.clone();
    let ControlFlow::Continue(()) = VisitMut::visit(
        &mut expression,
        &mut Requalify {
            qualifier: OWN_NAME,
            depth: 0,
            only_bare: true,
        },
    );
    expression.to_string()
}

fn called<'name>(qualifier: &'name str, qualifiers: &BTreeSet<String>) -> &'name str {
    match (qualifier, qualifiers.len()) {
        ("", 1) => TABLE_NAME,
        ("", _) => OWN_NAME,
        (name, _) => name,
    }
}

fn table_as(qualifier: &str, qualifiers: &BTreeSet<String>) -> String {
    match called(qualifier, qualifiers) {
        TABLE_NAME => TABLE_NAME.to_owned(),
        name => format!("{TABLE_NAME} AS {}", quoted(name)),
    }
}

fn name_of(expression: &Expr) -> Option<(String, String)> {
    match expression {
        Expr::Identifier(name) => Some((String::new(), name.value.clone())),
        Expr::CompoundIdentifier(names) => match names.as_slice() {
            [.., table, column] => Some((table.value.clone(), column.value.clone())),
            _ => None,
        },
        _ => None,
    }
}

fn last_name(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Nested(inner) => last_name(inner),
        other => name_of(other).map(|(_, name)| name),
    }
}

fn is_row_id(name: &str) -> bool {
    ["rowid", "_rowid_", "oid"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(name))
}

/// The names at an expression's own level, each with its qualifier.
fn names_of(expression: &Expr) -> Vec<(String, String)> {
    struct Names {
        depth: usize,
        found: Vec<(String, String)>,
    }
    impl Visitor for Names {
        type Break = Infallible;
        fn pre_visit_query(&mut self, _: &sqlparser::ast::Query) -> ControlFlow<Infallible> {
            self.depth += 1;
            ControlFlow::Continue(())
        }
        fn post_visit_query(&mut self, _: &sqlparser::ast::Query) -> ControlFlow<Infallible> {
            self.depth -= 1;
            ControlFlow::Continue(())
        }
        fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<Infallible> {
            if self.depth == 0 {
                self.found.extend(name_of(expression));
            }
            ControlFlow::Continue(())
        }
    }
    let mut names = Names {
        depth: 0,
        found: Vec::new(),
    };
    let ControlFlow::Continue(()) = expression.visit(&mut names);
    names.found
}
