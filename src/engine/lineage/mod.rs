//! Finding the lineage of a statement that ran.
//!
//! SQLite decides what a statement gives. The parser explains it, and whatever it explains is asked of SQLite again:
//! a *provenance query* gives the statement's own result with the hidden row ids of the rows it came from beside it.
//! Only when the visible part equals the result row by row is the lineage called exact; otherwise the answer is the
//! conservative one, with the reason.
//!
//! The row ids never enter the statement itself, so `DISTINCT *`, `UNION` and grouping by every column mean what they
//! meant. The rules, in the words of [`crate::trace::lineage`]:
//!
//! - **Columns**: those the statement names anywhere (literals and aliases followed to what they stand for); SQLite's own
//!   list of reads, unless a `*` puts every column in it. The row id is no column. Where rows are told apart (DISTINCT,
//!   UNION, INTERSECT, EXCEPT), those that `*` carries along are *compared columns*. So they are in a join for which SQLite
//!   makes an index of its own: that holds them too, and puts rows with equal keys in their order.
//! - **Rows** of a projection, filter, order or limit: the row kept, or one of each joined table. Of an aggregate: its
//!   members; a row whose every argument is NULL is none, unless `COUNT(*)`, grouping or a bare column counts it. Of
//!   DISTINCT, UNION and INTERSECT: all rows that are equal. Of a subquery in the result's own expressions: the rows it
//!   comes from, a scalar one's first row only.
//! - **Witnesses**: members that attain a MIN or MAX, and the cells that its argument names there.
//! - **Deciding rows**: what a subquery in WHERE, HAVING, ON or ORDER BY looked at (for any row, if it depends on the
//!   row), what windows looked at, what an OFFSET passed over, the right side of EXCEPT. Beyond these, a query is taken to
//!   stay what it is without the rows that are not marked only where that follows from how it is built: filters and inner
//!   joins of rows that only go (see `standing.rs`). Everything else puts all its rows here, unless it is proven that
//!   fewer rows cannot make a difference (see `deciding.rs` and `stability.rs`).
//! - **Condition cells**: WHERE, ON, FILTER, CASE and IIF conditions, and those of HAVING that speak of a row, are taken
//!   apart at AND, OR and NOT. A cell is marked when its row is kept and a condition that names its column holds for that
//!   row by itself (under NOT: fails); of an OR only the true side, and of `(a AND b) OR c` `a` only where `b` holds too;
//!   of a CASE only the branch that is taken. A condition on a column that a subquery computed marks nothing, one on a
//!   column that it carried marks the cell it was carried from.
//! - **Order columns**: of every ORDER BY, an alias followed to its expression.
//! - **Carried columns**: result columns that are a column of the table under whatever name, through subqueries too; of a
//!   compound SELECT, where all its SELECTs show the same one.

mod aliases;
mod block;
mod branches;
mod conditions;
mod deciding;
mod expressions;
mod from;
mod layout;
mod provenance;
mod reads;
mod rows;
mod stability;
mod standing;
mod tested;
mod tracer;

use std::collections::BTreeSet;
use std::rc::Rc;

use sqlparser::ast::{Query, Statement};
use sqlparser::dialect::SQLiteDialect;
use sqlparser::parser::Parser;

use super::sqlite::{Database, ResultSet};
use crate::trace::lineage::{CellPosition, Exactness, Reading, RowRole};
use crate::trace::{Lineage, RowSources};
use tracer::Tracer;

/// What is known of a statement that ran.
pub(super) struct Ran<'run> {
    /// The database it ran on.
    pub(super) database: &'run Database,
    /// Its text, with names that SQLite knows.
    pub(super) statement: &'run str,
    /// What it gave.
    pub(super) result: &'run Rc<ResultSet>,
    /// Rows of the table.
    pub(super) row_count: usize,
    /// Columns of the table that SQLite says it reads, those that `*` carries along too.
    pub(super) columns_read: &'run BTreeSet<usize>,
    /// For each row of the table the rows of the trace's first table it comes from.
    pub(super) origins: &'run RowSources,
}

/// The lineage of a statement.
pub(super) fn trace(ran: &Ran<'_>) -> Lineage {
    let query = match parse(ran.statement) {
        Ok(query) => query,
        Err(reason) => {
            let carried = ran.result.carried.clone();
            return ran.conservative(ran.columns_read.clone(), BTreeSet::new(), carried, reason);
        }
    };
    let found = reads::reads(&query, ran.database.column_names());
    let carried = carried(ran.result, &found);
    if found.has_star && found.has_unknown {
        let reason = "a name in it could not be followed".to_owned();
        return ran.conservative(ran.columns_read.clone(), found.ordered, carried, reason);
    }
    // SQLite's list is right unless a `*` puts every column in it.
    let mut columns: BTreeSet<usize> = if found.has_star {
        found.named.intersection(ran.columns_read).copied().collect()
    } else {
        ran.columns_read.clone()
    };
    columns.extend(&found.joined);
    let mut compared = found.compared;
    if found.relations > 1 && ran.database.makes_an_index(ran.statement) {
        compared.extend(ran.columns_read);
    }
    let compared: Vec<usize> = compared.difference(&columns).copied().collect();
    let ordered: BTreeSet<usize> = found.ordered.intersection(&columns).copied().collect();
    let mut tracer = Tracer::new(ran.database, ran.row_count);
    let traced = if branches::has_too_many(&query) {
        Err(format!(
            "CASE with more than {} branches, or several that come to as many, are not traced",
            branches::MOST_BRANCHES
        ))
    } else {
        tracer.query(&query, Some(ran.result))
    };
    let traced = match traced {
        Ok(traced) => traced,
        Err(reason) => return ran.conservative(columns, ordered, carried, reason),
    };
    let mut cells = tracer.deciding_cells;
    let all = provenance::altogether(&traced.provenance);
    cells.extend(&all.cells);
    let sources = provenance::row_sources(traced.provenance);
    let deciding_rows: Vec<usize> = tracer
        .deciding
        .iter()
        .filter(|row| all.rows.binary_search(row).is_err())
        .copied()
        .collect();
    let reading = ran.reading();
    Lineage {
        exactness: Exactness::Exact,
        reading,
        row_role: if tracer.is_combined {
            RowRole::Member
        } else {
            RowRole::Kept
        },
        examined_rows: ran.examined(all.rows.is_empty()),
        rows: all.rows,
        witness_rows: all.witnesses,
        witness_cells: all.witness_cells,
        deciding_rows,
        columns: columns.into_iter().collect(),
        compared_columns: compared,
        condition_cells: cells.into_iter().collect::<Vec<CellPosition>>(),
        order_columns: ordered.into_iter().collect(),
        produced_columns: produced(&carried),
        carried_columns: carried,
        origins: sources.through(ran.origins),
        sources,
    }
}

/// For each column of a result the column of the table that it carries unchanged, if both SQLite and the parser say so:
/// SQLite looks at the first SELECT of a compound only.
fn carried(result: &ResultSet, found: &reads::Reads) -> Vec<Option<usize>> {
    (0..result.names.len())
        .map(|index| {
            let by_sqlite = result.carried.get(index).copied().flatten()?;
            (found.carried.get(index) == Some(&Some(by_sqlite))).then_some(by_sqlite)
        })
        .collect()
}

fn produced(carried: &[Option<usize>]) -> Vec<usize> {
    (0..carried.len()).filter(|index| carried[*index].is_none()).collect()
}

fn parse(statement: &str) -> Result<Query, String> {
    let mut parsed = Parser::parse_sql(&SQLiteDialect {}, statement)
        .map_err(|_| "the parser does not know its syntax".to_owned())?;
    match (parsed.pop(), parsed.is_empty()) {
        (Some(Statement::Query(query)), true) => Ok(*query),
        _ => Err("the parser sees no single query in it".to_owned()),
    }
}

impl Ran<'_> {
    /// Every row, with the reason why no better is known.
    fn conservative(
        &self,
        columns: BTreeSet<usize>,
        ordered: BTreeSet<usize>,
        carried: Vec<Option<usize>>,
        reason: String,
    ) -> Lineage {
        let reading = self.reading();
        let every_row: Vec<usize> = if reading == Reading::Rows {
            (0..self.row_count).collect()
        } else {
            Vec::new()
        };
        let is_empty = self.result.rows.is_empty();
        let compared = self.columns_read.difference(&columns).copied().collect();
        let sources = RowSources::all_from(self.result.rows.len(), every_row.clone());
        Lineage {
            exactness: Exactness::AtLeast { reason },
            reading,
            row_role: RowRole::Member,
            examined_rows: self.examined(is_empty),
            rows: if is_empty { Vec::new() } else { every_row },
            witness_rows: Vec::new(),
            witness_cells: Vec::new(),
            deciding_rows: Vec::new(),
            columns: columns.into_iter().collect(),
            compared_columns: compared,
            condition_cells: Vec::new(),
            order_columns: ordered.into_iter().collect(),
            produced_columns: produced(&carried),
            carried_columns: carried,
            origins: sources.through(self.origins),
            sources,
        }
    }

    fn reading(&self) -> Reading {
        let reads = parse(self.statement).map_or_else(
            |_| self.database.reads_table(self.statement),
            |query| tracer::reads_table(self.database, self.statement, &query),
        );
        if !reads {
            Reading::NoTable
        } else if self.row_count == 0 {
            Reading::EmptyTable
        } else {
            Reading::Rows
        }
    }

    fn examined(&self, nothing_kept: bool) -> Vec<usize> {
        if nothing_kept && self.reading() == Reading::Rows {
            (0..self.row_count).collect()
        } else {
            Vec::new()
        }
    }
}
