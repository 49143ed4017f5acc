//! Which columns a statement names, by the scoping rules of SQL: aliases, subqueries and common table expressions are
//! followed to the table; what `*` carries along is not named.

use std::collections::BTreeSet;
use std::ops::Range;

use sqlparser::ast::{
    Expr, GroupByExpr, Ident, JoinConstraint, JoinOperator, LimitClause, OrderBy, OrderByKind, Query, Select,
    SelectItem, SelectItemQualifiedWildcardKind, SetExpr, SetOperator, SetQuantifier, TableFactor, TableWithJoins,
    Visit,
};

use super::aliases::ordinal;
use super::expressions::{join_constraint, look_into};
use super::from::names_schema;
use crate::engine::TABLE_NAME;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reads {
    /// Columns of the table that the statement names.
    pub(super) named: BTreeSet<usize>,
    /// Columns by which DISTINCT, UNION, INTERSECT or EXCEPT tell rows apart, named or not.
    pub(super) compared: BTreeSet<usize>,
    /// Columns that USING or NATURAL joins by, of which SQLite does not tell.
    pub(super) joined: BTreeSet<usize>,
    /// Relations that stand in a FROM, anywhere in the statement.
    pub(super) relations: usize,
    /// Columns that an ORDER BY names, itself or through an alias.
    pub(super) ordered: BTreeSet<usize>,
    /// For each column of the result the column of the table that it carries unchanged.
    pub(super) carried: Vec<Option<usize>>,
    /// For each column of the result whether it may hold a NULL that no cell gave: an outer join or a subquery found no row.
    pub(super) filled: Vec<bool>,
    /// Whether a `*` carries columns along.
    pub(super) has_star: bool,
    /// Whether a name could not be followed.
    pub(super) has_unknown: bool,
}

/// Follows every name of a statement.
pub(super) fn reads(query: &Query, base: &[String]) -> Reads {
    let mut resolver = Resolver {
        base,
        expressions: Vec::new(),
        found: Reads::default(),
    };
    let shown = resolver.query(query, None);
    resolver.found.filled = shown.iter().map(|column| column.is_filled).collect();
    resolver.found.carried = shown.into_iter().map(|column| column.carried).collect();
    resolver.found
}

/// A column that a relation or a SELECT shows.
#[derive(Clone, Debug)]
struct Shown {
    name: String,
    /// The column of the table that it carries unchanged.
    carried: Option<usize>,
    /// Whether it is NULL where an outer join or a subquery finds no row.
    is_filled: bool,
    /// Columns of the table that it is made of.
    made_of: BTreeSet<usize>,
}

struct Relation {
    name: String,
    columns: Vec<Shown>,
    /// Whether its columns are known; those of table functions are not.
    is_known: bool,
    /// Columns joined by USING or NATURAL with one before, which a `*` shows only once; in lower case.
    joined: BTreeSet<String>,
}

struct Scope<'outer> {
    relations: Vec<Relation>,
    /// The SELECT's own columns, which WHERE, GROUP BY, HAVING and ORDER BY may name by alias.
    aliases: Vec<Shown>,
    outer: Option<&'outer Scope<'outer>>,
}

struct Resolver<'base> {
    base: &'base [String],
    /// Common table expressions in scope, the innermost last.
    expressions: Vec<(String, Vec<Shown>)>,
    found: Reads,
}

impl Resolver<'_> {
    fn query(&mut self, query: &Query, outer: Option<&Scope<'_>>) -> Vec<Shown> {
        let in_scope = self.expressions.len();
        for expression in query.with.iter().flat_map(|with| &with.cte_tables) {
            let name = expression.alias.name.value.clone();
            let renamed = |mut shown: Vec<Shown>| {
                for (column, alias) in shown.iter_mut().zip(&expression.alias.columns) {
                    column.name.clone_from(&alias.name.value);
                }
                shown
            };
            // A recursive one sees itself with the columns of its first SELECT.
            let unknown_before = self.found.has_unknown;
            let first = renamed(self.first_select(&expression.query.body, outer));
            self.found.has_unknown = unknown_before;
            let place = self.expressions.len();
            self.expressions.push((name, first));
            let shown = renamed(self.query(&expression.query, outer));
            self.expressions.truncate(place + 1);
            self.expressions[place].1 = shown;
        }
        let shown = self.body(&query.body, query.order_by.as_ref(), outer);
        let empty = Scope {
            relations: Vec::new(),
            aliases: Vec::new(),
            outer,
        };
        match &query.limit_clause {
            Some(LimitClause::LimitOffset { limit, offset, .. }) => {
                self.expression(limit, &empty);
                self.expression(offset, &empty);
            }
            Some(LimitClause::OffsetCommaLimit { offset, limit }) => {
                self.expression(offset, &empty);
                self.expression(limit, &empty);
            }
            None => {}
        }
        self.expressions.truncate(in_scope);
        shown
    }

    fn first_select(&mut self, body: &SetExpr, outer: Option<&Scope<'_>>) -> Vec<Shown> {
        match body {
            SetExpr::SetOperation { left, .. } => self.first_select(left, outer),
            other => self.body(other, None, outer),
        }
    }

    fn body(&mut self, body: &SetExpr, order_by: Option<&OrderBy>, outer: Option<&Scope<'_>>) -> Vec<Shown> {
        match body {
            SetExpr::Select(select) => self.select(select, order_by, outer),
            SetExpr::Query(query) => {
                let shown = self.query(query, outer);
                self.order_by(order_by, Vec::new(), shown, outer)
            }
            SetExpr::SetOperation {
                left,
                right,
                op,
                set_quantifier,
            } => {
                let mut shown = self.body(left, None, outer);
                let other = self.body(right, None, outer);
                if !(matches!(op, SetOperator::Union) && matches!(set_quantifier, SetQuantifier::All)) {
                    self.tell_apart_by(&shown);
                    self.tell_apart_by(&other);
                }
                for (column, other) in shown.iter_mut().zip(other) {
                    if column.carried != other.carried {
                        column.carried = None;
                    }
                    column.is_filled |= other.is_filled;
                    column.made_of.extend(other.made_of);
                }
                self.order_by(order_by, Vec::new(), shown, outer)
            }
            SetExpr::Values(values) => {
                let scope = Scope {
                    relations: Vec::new(),
                    aliases: Vec::new(),
                    outer,
                };
                self.expression(values, &scope);
                let width = values.rows.first().map_or(0, |row| row.content.len());
                (1..=width)
                    .map(|number| Shown {
                        name: format!("column{number}"),
                        carried: None,
                        is_filled: false,
                        made_of: BTreeSet::new(),
                    })
                    .collect()
            }
            _ => {
                self.found.has_unknown = true;
                Vec::new()
            }
        }
    }

    fn select(&mut self, select: &Select, order_by: Option<&OrderBy>, outer: Option<&Scope<'_>>) -> Vec<Shown> {
        let mut scope = Scope {
            relations: Vec::new(),
            aliases: Vec::new(),
            outer,
        };
        for from in &select.from {
            self.from(from, &mut scope);
        }
        let mut shown = Vec::new();
        for item in &select.projection {
            match item {
                SelectItem::Wildcard(_) => {
                    self.found.has_star = true;
                    for relation in &scope.relations {
                        let is_shown = |column: &&Shown| !relation.joined.contains(&column.name.to_ascii_lowercase());
                        shown.extend(relation.columns.iter().filter(is_shown).cloned());
                    }
                }
                SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
                    self.found.has_star = true;
                    let name = name.to_string();
                    let name = name.trim_matches(['"', '`', '[', ']']);
                    let named = scope
                        .relations
                        .iter()
                        .filter(|relation| relation.name.eq_ignore_ascii_case(name));
                    shown.extend(named.flat_map(|relation| relation.columns.clone()));
                }
                SelectItem::UnnamedExpr(expression) => {
                    let column = self.shown(expression, expression.to_string(), &scope);
                    shown.push(column);
                }
                SelectItem::ExprWithAlias { expr, alias } => {
                    let column = self.shown(expr, alias.value.clone(), &scope);
                    shown.push(column);
                }
                _ => self.found.has_unknown = true,
            }
        }
        if select.distinct.is_some() {
            self.tell_apart_by(&shown);
        }
        scope.aliases = shown.clone();
        self.expression(&select.selection, &scope);
        if let GroupByExpr::Expressions(expressions, _) = &select.group_by {
            for expression in expressions {
                match ordinal(expression).and_then(|number| shown.get(number - 1)) {
                    Some(shown) => self.found.named.extend(&shown.made_of),
                    None => {
                        self.expression(expression, &scope);
                    }
                }
            }
        }
        self.expression(&select.having, &scope);
        for window in &select.named_window {
            self.expression(window, &scope);
        }
        self.order_by(order_by, scope.relations, shown, outer)
    }

    /// Rows are told apart by these columns, those of a `*` too.
    fn tell_apart_by(&mut self, shown: &[Shown]) {
        self.found
            .compared
            .extend(shown.iter().flat_map(|column| &column.made_of));
    }

    fn shown(&mut self, expression: &Expr, name: String, scope: &Scope<'_>) -> Shown {
        let (carried, name) = match expression {
            Expr::Identifier(ident) => (self.resolve(std::slice::from_ref(ident), scope), last(&name, ident)),
            Expr::CompoundIdentifier(idents) => (
                self.resolve(idents, scope),
                idents.last().map_or(name.clone(), |ident| last(&name, ident)),
            ),
            Expr::Nested(inner) => (Some(self.shown(inner, name.clone(), scope)), name),
            Expr::Subquery(query) => {
                let mut first = self.query(query, Some(scope)).into_iter().next();
                if let Some(first) = &mut first {
                    first.is_filled |= !scope.relations.is_empty();
                }
                (first, name)
            }
            _ => (None, name),
        };
        let made_of = self.expression(expression, scope);
        Shown {
            name,
            is_filled: carried.as_ref().is_some_and(|shown| shown.is_filled),
            carried: carried.and_then(|shown| shown.carried),
            made_of,
        }
    }

    /// An ORDER BY names an alias first, then a column.
    fn order_by(
        &mut self,
        order_by: Option<&OrderBy>,
        relations: Vec<Relation>,
        shown: Vec<Shown>,
        outer: Option<&Scope<'_>>,
    ) -> Vec<Shown> {
        let scope = Scope {
            relations,
            aliases: shown,
            outer,
        };
        if let Some(OrderByKind::Expressions(terms)) = order_by.map(|order_by| &order_by.kind) {
            for term in terms {
                let bare = match &term.expr {
                    Expr::Collate { expr, .. } => expr,
                    other => other,
                };
                let by_alias = match bare {
                    Expr::Identifier(name) => scope
                        .aliases
                        .iter()
                        .find(|shown| shown.name.eq_ignore_ascii_case(&name.value)),
                    other => ordinal(other).and_then(|number| scope.aliases.get(number - 1)),
                };
                let columns = match by_alias {
                    Some(shown) => shown.made_of.clone(),
                    None => self.expression(&term.expr, &scope),
                };
                self.found.named.extend(&columns);
                self.found.ordered.extend(columns);
            }
        }
        scope.aliases
    }

    /// Adds the relations of a FROM to a scope, and follows the names that join them.
    fn from(&mut self, from: &TableWithJoins, scope: &mut Scope<'_>) {
        let first = scope.relations.len();
        self.factor(&from.relation, scope);
        for join in &from.joins {
            let before = scope.relations.len();
            self.factor(&join.relation, scope);
            let filled = filled_by(&join.join_operator, first, before, scope.relations.len());
            for column in scope.relations[filled]
                .iter_mut()
                .flat_map(|relation| &mut relation.columns)
            {
                column.is_filled = true;
            }
            match join_constraint(&join.join_operator) {
                Some(JoinConstraint::On(condition)) => {
                    self.expression(condition, scope);
                }
                Some(JoinConstraint::Using(names)) => {
                    for name in names.iter().flat_map(|name| &name.0) {
                        if let Some(ident) = name.as_ident() {
                            self.join_by(&ident.value, scope);
                        }
                    }
                }
                Some(JoinConstraint::Natural) => {
                    let Some((newest, before)) = scope.relations.split_last() else {
                        continue;
                    };
                    let shared: Vec<String> = newest
                        .columns
                        .iter()
                        .map(|column| column.name.clone())
                        .filter(|name| {
                            before
                                .iter()
                                .flat_map(|relation| &relation.columns)
                                .any(|column| column.name.eq_ignore_ascii_case(name))
                        })
                        .collect();
                    for name in shared {
                        self.join_by(&name, scope);
                    }
                }
                Some(JoinConstraint::None) => {}
                Some(JoinConstraint::UsingAlias(..)) | None => self.found.has_unknown = true,
            }
        }
    }

    fn join_by(&mut self, name: &str, scope: &mut Scope<'_>) {
        if let Some(newest) = scope.relations.last_mut() {
            newest.joined.insert(name.to_ascii_lowercase());
        }
        for column in scope.relations.iter().flat_map(|relation| &relation.columns) {
            if column.name.eq_ignore_ascii_case(name) {
                self.found.named.extend(&column.made_of);
                self.found.joined.extend(&column.made_of);
            }
        }
    }

    fn factor(&mut self, factor: &TableFactor, scope: &mut Scope<'_>) {
        self.found.relations += 1;
        match factor {
            TableFactor::Table { name, alias, args, .. } => {
                let table = name
                    .0
                    .last()
                    .and_then(|part| part.as_ident())
                    .map_or_else(String::new, |ident| ident.value.clone());
                if let Some(args) = args {
                    self.expression(args, scope);
                }
                let is_of_schema = names_schema(name);
                let known = self
                    .expressions
                    .iter()
                    .rev()
                    .find(|(name, _)| !is_of_schema && name.eq_ignore_ascii_case(&table))
                    .map(|(_, columns)| columns.clone())
                    .or_else(|| table.eq_ignore_ascii_case(TABLE_NAME).then(|| self.base_columns()));
                scope.relations.push(Relation {
                    name: alias.as_ref().map_or(table, |alias| alias.name.value.clone()),
                    is_known: known.is_some(),
                    joined: BTreeSet::new(),
                    columns: known.unwrap_or_default(),
                });
            }
            TableFactor::Derived { subquery, alias, .. } => {
                let columns = self.query(subquery, scope.outer);
                scope.relations.push(Relation {
                    name: alias
                        .as_ref()
                        .map_or_else(String::new, |alias| alias.name.value.clone()),
                    columns,
                    is_known: true,
                    joined: BTreeSet::new(),
                });
            }
            TableFactor::NestedJoin { table_with_joins, .. } => self.from(table_with_joins, scope),
            _ => self.found.has_unknown = true,
        }
    }

    fn base_columns(&self) -> Vec<Shown> {
        self.base
            .iter()
            .enumerate()
            .map(|(index, name)| Shown {
                name: name.clone(),
                carried: Some(index),
                is_filled: false,
                made_of: BTreeSet::from([index]),
            })
            .collect()
    }

    /// Follows the names in an expression, its subqueries too; gives the columns of the table that its own names reach.
    fn expression(&mut self, expression: &impl Visit, scope: &Scope<'_>) -> BTreeSet<usize> {
        let parts = look_into(expression);
        let mut reached = BTreeSet::new();
        for name in &parts.names {
            if let Some(shown) = self.resolve(name, scope) {
                reached.extend(shown.made_of);
            }
        }
        for subquery in &parts.subqueries {
            let shown = self.query(&subquery.query, Some(scope));
            // EXISTS asks for rows, whatever is in them.
            if !subquery.is_exists {
                reached.extend(shown.into_iter().flat_map(|shown| shown.made_of));
            }
        }
        self.found.has_unknown |= parts.has_table_operand;
        self.found.named.extend(&reached);
        reached
    }

    /// The column that a name means: of the innermost scope that has it, before that scope's aliases.
    fn resolve(&mut self, name: &[Ident], scope: &Scope<'_>) -> Option<Shown> {
        let (column, table) = match name {
            [column] => (column, None),
            [.., table, column] => (column, Some(table)),
            [] => return None,
        };
        let mut current = Some(scope);
        let mut some_unknown = false;
        while let Some(scope) = current {
            for relation in &scope.relations {
                some_unknown |= !relation.is_known;
                if table.is_some_and(|table| !relation.name.eq_ignore_ascii_case(&table.value)) {
                    continue;
                }
                let found = relation
                    .columns
                    .iter()
                    .find(|shown| shown.name.eq_ignore_ascii_case(&column.value));
                if let Some(found) = found {
                    return Some(found.clone());
                }
            }
            if table.is_none()
                && let Some(alias) = scope
                    .aliases
                    .iter()
                    .find(|shown| shown.name.eq_ignore_ascii_case(&column.value))
            {
                return Some(alias.clone());
            }
            current = scope.outer;
        }
        let is_row_number = ["rowid", "oid", "_rowid_"]
            .iter()
            .any(|name| column.value.eq_ignore_ascii_case(name));
        self.found.has_unknown |= !is_row_number && !some_unknown;
        None
    }
}

/// The relations that a join fills up with NULLs where it finds no row, of those from `first` on, when the ones it adds are
/// `before..after`.
pub(super) fn filled_by(operator: &JoinOperator, first: usize, before: usize, after: usize) -> Range<usize> {
    match operator {
        JoinOperator::Left(_) | JoinOperator::LeftOuter(_) => before..after,
        JoinOperator::Right(_) | JoinOperator::RightOuter(_) => first..before,
        JoinOperator::FullOuter(_) => first..after,
        _ => after..after,
    }
}

/// The name that SQLite gives a column that is only named: the name itself, unless an alias stands.
fn last(name: &str, ident: &Ident) -> String {
    if name.ends_with(&ident.to_string()) {
        ident.value.clone()
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlparser::ast::Statement;
    use sqlparser::dialect::SQLiteDialect;
    use sqlparser::parser::Parser;

    fn read(statement: &str) -> (String, String) {
        let base: Vec<String> = ["a", "b", "c d", "e"].map(str::to_owned).to_vec();
        let parsed = Parser::parse_sql(&SQLiteDialect {}, statement).unwrap();
        let [Statement::Query(query)] = parsed.as_slice() else {
            panic!("no query")
        };
        let found = reads(query, &base);
        assert!(!found.has_unknown, "{statement}");
        let text = |columns: BTreeSet<usize>| {
            columns
                .into_iter()
                .map(|index| base[index].as_str())
                .collect::<Vec<_>>()
                .join(",")
        };
        (text(found.named), text(found.ordered))
    }

    #[test]
    fn names_are_followed_to_the_table() {
        for (statement, named, ordered) in [
            ("SELECT * FROM table_sql", "", ""),
            ("SELECT * FROM table_sql WHERE A = 'b'", "a", ""),
            ("SELECT t.\"c d\" FROM table_sql AS t ORDER BY 1 DESC", "c d", "c d"),
            (
                "SELECT a AS x, COUNT(*) n FROM table_sql GROUP BY x ORDER BY n, x",
                "a",
                "a",
            ),
            ("SELECT a AS b FROM table_sql ORDER BY b", "a", "a"),
            ("SELECT x FROM (SELECT a AS x, b FROM table_sql) WHERE x > 1", "a,b", ""),
            ("SELECT b FROM (SELECT * FROM table_sql) t", "b", ""),
            (
                "WITH c(x, y) AS (SELECT a, MAX(b) FROM table_sql GROUP BY a) SELECT y FROM c ORDER BY y",
                "a,b",
                "b",
            ),
            (
                "SELECT * FROM table_sql t WHERE a > (SELECT AVG(u.a) FROM table_sql u WHERE u.b = t.e)",
                "a,b,e",
                "",
            ),
            ("SELECT * FROM table_sql JOIN table_sql AS u USING (e)", "e", ""),
            ("SELECT * FROM table_sql WHERE rowid = 2", "", ""),
            (
                "SELECT RANK() OVER w FROM table_sql WINDOW w AS (PARTITION BY b ORDER BY e)",
                "b,e",
                "",
            ),
            (
                "SELECT a FROM table_sql UNION SELECT b FROM table_sql ORDER BY 1",
                "a,b",
                "a,b",
            ),
            (
                "SELECT a FROM table_sql LIMIT (SELECT MAX(e) FROM table_sql)",
                "a,e",
                "",
            ),
        ] {
            assert_eq!(read(statement), (named.to_owned(), ordered.to_owned()), "{statement}");
        }
    }
}
