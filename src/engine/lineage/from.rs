//! The FROM of a SELECT, with its subqueries and common table expressions replaced by kept tables.

use sqlparser::ast::{
    Expr, Ident, JoinConstraint, JoinOperator, ObjectName, ObjectNamePart, TableAlias, TableFactor, TableWithJoins,
};

use super::expressions::join_constraint;
use super::layout::{Layout, Relation};
use super::reads::filled_by;
use super::tracer::{Tracer, Untraced};
use crate::engine::members::OWN_PREFIX;

/// What a FROM joins by, besides the conditions of ON.
#[derive(Clone, Debug, Default)]
pub(super) struct Joined {
    /// Names of columns that USING and NATURAL join by.
    pub(super) names: Vec<String>,
    /// How many joins have an ON, USING or NATURAL.
    pub(super) constraints: usize,
}

impl Tracer<'_> {
    /// Replaces the subqueries and common table expressions of a FROM by kept tables.
    pub(super) fn join_relations(
        &mut self,
        from: &mut TableWithJoins,
        layout: &mut Layout,
        joined: &mut Joined,
    ) -> Result<(), Untraced> {
        let first = layout.relations.len();
        self.factor(&mut from.relation, layout, joined)?;
        for join in &mut from.joins {
            let before = layout.relations.len();
            self.factor(&mut join.relation, layout, joined)?;
            let after = layout.relations.len();
            layout
                .outer
                .extend(filled_by(&join.join_operator, first, before, after));
            match join_constraint(&join.join_operator) {
                Some(JoinConstraint::On(_)) => joined.constraints += 1,
                Some(JoinConstraint::Using(names)) => {
                    joined.constraints += 1;
                    let names = names
                        .iter()
                        .flat_map(|name| &name.0)
                        .filter_map(ObjectNamePart::as_ident);
                    joined.names.extend(names.map(|name| name.value.clone()));
                }
                Some(JoinConstraint::Natural) => {
                    joined.constraints += 1;
                    let (left, right) = layout.relations.split_at(before.min(layout.relations.len()));
                    let left: Vec<&String> = column_names(left).collect();
                    joined.names.extend(
                        column_names(right)
                            .filter(|name| left.iter().any(|other| other.eq_ignore_ascii_case(name)))
                            .cloned(),
                    );
                }
                Some(JoinConstraint::None) => {}
                Some(JoinConstraint::UsingAlias(..)) | None => {
                    return Err("a join of this form is not traced".to_owned());
                }
            }
        }
        Ok(())
    }

    fn factor(&mut self, factor: &mut TableFactor, layout: &mut Layout, joined: &mut Joined) -> Result<(), Untraced> {
        match factor {
            TableFactor::Table {
                name,
                alias,
                args: None,
                ..
            } => {
                let table = name
                    .0
                    .last()
                    .and_then(ObjectNamePart::as_ident)
                    .map_or_else(String::new, |ident| ident.value.clone());
                let shown = alias.as_ref().map_or(&table, |alias| &alias.name.value);
                if alias.is_none()
                    && layout
                        .relations
                        .iter()
                        .any(|relation| relation.name.eq_ignore_ascii_case(shown))
                {
                    // The same table again: only the first can be named, but each has row ids of its own.
                    *alias = Some(own_alias(layout.relations.len()));
                }
                let (mut relation, kept) = if names_schema(name) {
                    (self.table_itself(&table, alias.as_ref())?, None)
                } else {
                    self.relation_named(&table, alias.as_ref())?
                };
                if let Some(kept) = kept {
                    *name = ObjectName::from(vec![Ident::new(kept)]);
                    if alias.is_none() {
                        let named = alias.insert(own_alias(0));
                        named.name = Ident::with_quote('"', table);
                        relation.sql_name = named.name.to_string();
                    }
                }
                layout.relations.push(relation);
                Ok(())
            }
            TableFactor::Derived {
                lateral: false,
                subquery,
                alias,
                ..
            } => {
                let kept = self.kept_query(subquery, &[])?;
                let (relation, table) = self.kept_relation(kept, alias.as_ref());
                *factor = table_factor(table, alias.clone());
                layout.relations.push(relation);
                Ok(())
            }
            TableFactor::NestedJoin {
                table_with_joins,
                alias: None,
            } => self.join_relations(table_with_joins, layout, joined),
            TableFactor::Table { name, .. } => Err(format!("the table function {name} is not traced")),
            _ => Err("a FROM of this form is not traced".to_owned()),
        }
    }
}

/// Whether a schema stands before the name of a table (`main.table_sql`): then no common table expression is meant.
pub(super) fn names_schema(name: &ObjectName) -> bool {
    name.0.len() > 1
}

fn column_names(relations: &[Relation]) -> impl Iterator<Item = &String> {
    relations
        .iter()
        .flat_map(|relation| relation.columns.iter().map(|(name, _)| name))
}

/// The conditions of ON in a FROM.
pub(super) fn on_conditions(from: &[TableWithJoins]) -> Vec<Expr> {
    let mut found = Vec::new();
    for from in from {
        collect_conditions(from, &mut found);
    }
    found
}

fn collect_conditions(from: &TableWithJoins, found: &mut Vec<Expr>) {
    let within = |factor: &TableFactor, found: &mut Vec<Expr>| {
        if let TableFactor::NestedJoin { table_with_joins, .. } = factor {
            collect_conditions(table_with_joins, found);
        }
    };
    within(&from.relation, found);
    for join in &from.joins {
        within(&join.relation, found);
        if let Some(JoinConstraint::On(condition)) = join_constraint(&join.join_operator) {
            found.push(condition.clone());
        }
    }
}

/// The FROM with every pair of rows, whatever it joins by; for inner joins by ON.
pub(super) fn every_pair(from: &mut [TableWithJoins]) {
    for from in from {
        let within = |factor: &mut TableFactor| {
            if let TableFactor::NestedJoin { table_with_joins, .. } = factor {
                every_pair(std::slice::from_mut(&mut **table_with_joins));
            }
        };
        within(&mut from.relation);
        for join in &mut from.joins {
            within(&mut join.relation);
            join.join_operator = JoinOperator::CrossJoin(JoinConstraint::None);
        }
    }
}

fn own_alias(number: usize) -> TableAlias {
    TableAlias {
        explicit: true,
        name: Ident::new(format!("{OWN_PREFIX}alias_{number}")),
        columns: Vec::new(),
        at: None,
    }
}

fn table_factor(table: String, alias: Option<TableAlias>) -> TableFactor {
    TableFactor::Table {
        name: ObjectName::from(vec![Ident::new(table)]),
        alias,
        args: None,
        with_hints: Vec::new(),
        version: None,
        with_ordinality: false,
        partitions: Vec::new(),
        json_path: None,
        sample: None,
        index_directives: Vec::new(),
        inheritance: None,
    }
}
