//! Statements by a grammar over generated tables, from a seed: what the proof of lineage is tried on.
//!
//! The tables are small and full of ties, duplicates and blanks, so that statements meet their odd cases. The columns are
//! always the same: `a` whole, in half of the tables also below zero, `b` text, `c` real or blank, `d` text and digits,
//! `e` whole, `f` text.

#[path = "forms.rs"]
mod forms;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tabjury::table::Table;

/// One statement and the table it runs on.
#[derive(Clone, Debug)]
pub(crate) struct Generated {
    /// What kind of statement it is.
    pub(crate) kind: &'static str,
    /// What stands in it besides.
    pub(crate) features: Vec<&'static str>,
    /// The table.
    pub(crate) table: Table,
    /// The statement.
    pub(crate) statement: String,
}

/// The statement of a number.
pub(crate) fn generated(seed: u64, number: u64) -> Generated {
    let mut bytes = [0_u8; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&number.to_le_bytes());
    let mut grammar = Grammar {
        random: ChaCha8Rng::from_seed(bytes),
        features: Vec::new(),
    };
    let table = grammar.table();
    let (kind, statement) = grammar.statement(usize::try_from(number).unwrap_or(0));
    grammar.features.sort_unstable();
    grammar.features.dedup();
    Generated {
        kind,
        features: grammar.features,
        table,
        statement,
    }
}

struct Grammar {
    random: ChaCha8Rng,
    features: Vec<&'static str>,
}

impl Grammar {
    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of.choose(&mut self.random).copied().unwrap_or_default()
    }

    fn chance(&mut self, probability: f64) -> bool {
        self.random.random_bool(probability)
    }

    fn below(&mut self, end: i32) -> i32 {
        self.random.random_range(0..end)
    }

    fn table(&mut self) -> Table {
        let count = if self.chance(0.06) {
            self.random.random_range(0..3)
        } else {
            self.random.random_range(4..=10)
        };
        // Below zero, a sum falls when a row comes in.
        let negative = self.chance(0.5);
        let mut rows: Vec<Vec<String>> = Vec::new();
        for _ in 0..count {
            if !rows.is_empty() && self.chance(0.12) {
                let again = self.random.random_range(0..rows.len());
                rows.push(rows[again].clone());
                continue;
            }
            rows.push(vec![
                if negative { self.below(8) - 3 } else { self.below(5) }.to_string(),
                self.one(&["x", "y", "Z", "it's"]).to_owned(),
                self.one(&["1.5", "2.0", "-3.25", "", "7.0"]).to_owned(),
                self.one(&["p", "q", "10", "é", ""]).to_owned(),
                (self.below(4) * 10).to_string(),
                self.one(&["north", "south", "east"]).to_owned(),
            ]);
        }
        Table::from_text(["a", "b", "c", "d", "e", "f"], rows).unwrap()
    }

    fn number(&mut self) -> String {
        self.one(&["0", "1", "2", "3", "4", "1.5", "10"]).to_owned()
    }

    /// A numeric expression of a relation's columns; `t` is its prefix, such as `t.`.
    fn numeric(&mut self, t: &str) -> String {
        let number = self.number();
        match self.below(12) {
            0..=3 => format!("{t}a"),
            4 => format!("{t}c"),
            5 | 6 => format!("{t}e"),
            7 => format!("{t}a + {number}"),
            8 => format!("{t}a * {t}c"),
            9 => format!("length({t}d)"),
            10 => format!("coalesce({t}c, 0)"),
            _ => format!("abs({t}c)"),
        }
    }

    fn textual(&mut self, t: &str) -> String {
        match self.below(7) {
            0..=2 => format!("{t}b"),
            3 => format!("{t}d"),
            4 => format!("{t}f"),
            5 => format!("upper({t}b)"),
            _ => format!("{t}b || {t}d"),
        }
    }

    fn column(&mut self) -> &'static str {
        self.one(&["a", "b", "c", "d", "e", "f"])
    }

    fn atom(&mut self, t: &str) -> String {
        let numeric = self.numeric(t);
        let textual = self.textual(t);
        let number = self.number();
        let operator = self.one(&["=", "<", ">", "<=", ">=", "<>", ">=", "<="]);
        match self.below(22) {
            0..=4 => format!("{numeric} {operator} {number}"),
            5 | 6 => {
                let text = self.one(&["x", "y", "Z", "it''s"]);
                format!("{t}b = '{text}'")
            }
            7 => format!("{t}b <> 'x'"),
            8 => format!("{numeric} BETWEEN 1 AND 3"),
            9 => format!("{t}d IN ('p', '10')"),
            10 => format!("{t}a NOT IN (1, 2)"),
            11 => format!("{t}b LIKE 'X%'"),
            12 => format!("{t}f NOT LIKE '%th'"),
            13 => format!("{t}d GLOB '[pq]'"),
            14 => format!("{t}c IS NULL"),
            15 => format!("{t}c IS NOT NULL"),
            16 => format!("{t}a > {t}c"),
            17 => format!("{t}d REGEXP '^[0-9]+$'"),
            18 => format!("{textual} >= 'p'"),
            19 => format!("CAST({t}d AS INTEGER) > {t}a"),
            20 => format!("(CASE WHEN {t}a > 2 THEN {t}e ELSE 0 END) > 5"),
            _ => format!("substr({t}f, 1, 1) = 's'"),
        }
    }

    /// A condition on a row alone.
    fn condition(&mut self, t: &str, depth: usize) -> String {
        if depth == 0 || self.chance(0.45) {
            return self.atom(t);
        }
        let first = self.condition(t, depth - 1);
        let second = self.condition(t, depth - 1);
        match self.below(5) {
            0 | 1 => format!("({first} AND {second})"),
            2 | 3 => {
                self.features.push("or");
                format!("({first} OR {second})")
            }
            _ => {
                self.features.push("not");
                format!("NOT ({first})")
            }
        }
    }

    /// A condition that looks at other rows too; the outer relation is `t`.
    fn subquery_condition(&mut self) -> String {
        let inner = self.condition("", 1);
        let inner_u = self.condition("u.", 1);
        let operator = self.one(&["=", "<", ">="]);
        let aggregate = self.one(&["MAX(a)", "MIN(a)", "AVG(a)", "COUNT(*)"]);
        match self.below(12) {
            0 | 1 => {
                self.features.push("scalar subquery");
                format!("t.a {operator} (SELECT {aggregate} FROM table_sql WHERE {inner})")
            }
            2 => {
                self.features.push("scalar subquery");
                format!("t.e > (SELECT a FROM table_sql WHERE {inner} ORDER BY e, a LIMIT 1)")
            }
            3 => {
                self.features.push("in subquery");
                format!("t.a IN (SELECT a FROM table_sql WHERE {inner})")
            }
            4 => {
                self.features.push("in subquery");
                format!("t.b NOT IN (SELECT b FROM table_sql WHERE {inner})")
            }
            5 => {
                self.features.push("exists");
                format!("EXISTS (SELECT 1 FROM table_sql WHERE {inner})")
            }
            6 => {
                self.features.push("exists");
                format!("NOT EXISTS (SELECT * FROM table_sql WHERE {inner})")
            }
            7 => {
                self.features.extend(["exists", "correlated"]);
                format!("EXISTS (SELECT 1 FROM table_sql AS u WHERE u.b = t.b AND {inner_u})")
            }
            8 => {
                self.features.extend(["exists", "correlated"]);
                "NOT EXISTS (SELECT 1 FROM table_sql AS u WHERE u.a > t.a AND u.f = t.f)".to_owned()
            }
            9 => {
                self.features.extend(["scalar subquery", "correlated"]);
                format!("t.a {operator} (SELECT AVG(u.a) FROM table_sql AS u WHERE u.b = t.b)")
            }
            10 => {
                self.features.extend(["scalar subquery", "correlated"]);
                "t.a = (SELECT u.a FROM table_sql AS u WHERE u.f = t.f ORDER BY u.a DESC LIMIT 1)".to_owned()
            }
            _ => {
                self.features.extend(["in subquery", "correlated"]);
                format!("t.e IN (SELECT u.e FROM table_sql AS u WHERE u.d = t.d AND {inner_u})")
            }
        }
    }

    /// ` WHERE ...` of a relation `t`, or nothing.
    fn filter(&mut self) -> String {
        match self.below(10) {
            0 | 1 => String::new(),
            2..=6 => format!(" WHERE {}", self.condition("t.", 2)),
            7 => {
                let (first, second) = (self.subquery_condition(), self.condition("t.", 1));
                let glue = self.one(&["AND", "OR"]);
                format!(" WHERE {first} {glue} {second}")
            }
            _ => format!(" WHERE {}", self.subquery_condition()),
        }
    }

    /// ` WHERE ...` without subqueries.
    fn plain_filter(&mut self, t: &str) -> String {
        if self.chance(0.25) {
            return String::new();
        }
        format!(" WHERE {}", self.condition(t, 2))
    }

    /// ` ORDER BY ... LIMIT ...`, or a part of it; terms are ordinals up to `width`, or the names given.
    fn order(&mut self, width: i32, names: &[&str]) -> String {
        let mut text = String::new();
        if self.chance(0.6) {
            let mut terms = Vec::new();
            for _ in 0..=self.below(2) {
                let term = if names.is_empty() || self.chance(0.4) {
                    (1 + self.below(width)).to_string()
                } else {
                    self.one(names).to_owned()
                };
                let direction = self.one(&["", " ASC", " DESC", " DESC NULLS LAST"]);
                terms.push(format!("{term}{direction}"));
            }
            text = format!(" ORDER BY {}", terms.join(", "));
            self.features.push("order by");
        }
        if self.chance(0.5) {
            let count = self.one(&["1", "2", "3", "4", "5", "0"]);
            text.push_str(&format!(" LIMIT {count}"));
            self.features.push("limit");
            if self.chance(0.3) {
                text.push_str(&format!(" OFFSET {}", self.below(3)));
                self.features.push("offset");
            }
        }
        text
    }

    fn aggregate(&mut self, t: &str) -> String {
        let numeric = self.numeric(t);
        let column = self.column();
        match self.below(12) {
            0 | 1 => "COUNT(*)".to_owned(),
            2 => format!("COUNT({t}{column})"),
            3 => format!("COUNT(DISTINCT {t}{column})"),
            4 => format!("SUM({numeric})"),
            5 => format!("AVG({numeric})"),
            6 => format!("TOTAL({numeric})"),
            7 | 8 => format!("MAX({numeric})"),
            9 => format!("MIN({numeric})"),
            10 => format!("GROUP_CONCAT({t}{column})"),
            _ => {
                self.features.push("filter clause");
                let condition = self.condition(t, 1);
                format!("SUM({t}a) FILTER (WHERE {condition})")
            }
        }
    }

    fn projection(&mut self) -> &'static str {
        self.one(&["*", "t.*", "b, a", "t.f", "d AS who, a", "f, e, c"])
    }

    fn statement(&mut self, number: usize) -> (&'static str, String) {
        const KINDS: [&str; 25] = [
            "filter",
            "order and limit",
            "distinct",
            "aggregate",
            "bare column with min or max",
            "group by",
            "having",
            "self join",
            "join using",
            "left join",
            "subquery in from",
            "common table expression",
            "scalar subquery shown",
            "correlated subquery shown",
            "union",
            "union all",
            "except",
            "intersect",
            "window",
            "window filtered outside",
            "case verdict",
            "sum of case",
            "computed columns",
            "group by all columns",
            "nested aggregates",
        ];
        let Some(kind) = KINDS.get(number % (KINDS.len() + forms::KINDS.len())).copied() else {
            let kind = forms::KINDS[(number % (KINDS.len() + forms::KINDS.len())) - KINDS.len()];
            return (kind, self.form(kind));
        };
        let text = match kind {
            "filter" => {
                let (columns, filter) = (self.projection(), self.filter());
                format!("SELECT {columns} FROM table_sql AS t{filter}")
            }
            "order and limit" => {
                let (columns, filter) = (self.projection(), self.filter());
                let order = self.order(1, &["a", "b", "c", "e DESC, a", "a + c", "length(d)"]);
                format!("SELECT {columns} FROM table_sql AS t{filter}{order}")
            }
            "distinct" => {
                let columns = self.one(&["*", "b", "a, f", "f, e", "a % 2", "upper(b), d"]);
                let (filter, order) = (self.filter(), self.order(1, &[]));
                format!("SELECT DISTINCT {columns} FROM table_sql AS t{filter}{order}")
            }
            "aggregate" => {
                let (first, second, filter) = (self.aggregate("t."), self.aggregate("t."), self.filter());
                format!("SELECT {first}, {second} FROM table_sql AS t{filter}")
            }
            "bare column with min or max" => {
                let bare = self.column();
                let numeric = self.numeric("t.");
                let (extreme, filter) = (self.one(&["MAX", "MIN"]), self.filter());
                let group = if self.chance(0.4) { " GROUP BY f" } else { "" };
                format!("SELECT {bare}, {extreme}({numeric}) FROM table_sql AS t{filter}{group}")
            }
            "group by" => {
                let terms = self.one(&["b", "f", "a, f", "a % 2", "upper(b)", "c"]);
                let (first, filter) = (self.aggregate("t."), self.filter());
                let order = self.order(2, &[]);
                format!("SELECT {terms}, {first} FROM table_sql AS t{filter} GROUP BY {terms}{order}")
            }
            "having" => {
                let term = self.one(&["b", "f", "e"]);
                let (first, second, filter) = (self.aggregate("t."), self.aggregate("t."), self.filter());
                let bound = self.one(&["> 1", ">= 2", "= 1", "IS NOT NULL", "< 3"]);
                let own = self.one(&["", " AND f <> 'north'", " OR b = 'x'"]);
                let order = self.order(2, &[term]);
                format!(
                    "SELECT {term}, {first} FROM table_sql AS t{filter} GROUP BY {term} HAVING {second} {bound}{own}{order}"
                )
            }
            "self join" => {
                let on = self.one(&[
                    "t.a = u.a AND t.rowid < u.rowid",
                    "t.b = u.b",
                    "t.e > u.e AND t.f = u.f",
                    "t.d = u.f",
                ]);
                let columns = self.one(&["t.b, u.e", "*", "t.*", "COUNT(*)", "DISTINCT t.f, u.b"]);
                let (filter, order) = (self.plain_filter("t."), self.order(1, &[]));
                if self.chance(0.3) {
                    let filter = filter.replacen(" WHERE ", " AND ", 1);
                    format!("SELECT {columns} FROM table_sql t, table_sql u WHERE {on}{filter}{order}")
                } else {
                    format!("SELECT {columns} FROM table_sql AS t JOIN table_sql AS u ON {on}{filter}{order}")
                }
            }
            "join using" => {
                let names = self.one(&["a", "b", "f, a", "e"]);
                let columns = self.one(&["*", "t.d, u.c", "t.b, u.b", "COUNT(*)", "u.*"]);
                let (filter, order) = (self.plain_filter("t."), self.order(1, &[]));
                let join = self.one(&["JOIN", "LEFT JOIN"]);
                format!("SELECT {columns} FROM table_sql AS t {join} table_sql AS u USING ({names}){filter}{order}")
            }
            "left join" => {
                let on = self.one(&["t.a = u.a + 1", "t.d = u.f", "t.b = u.b AND u.a > 2", "t.e < u.e"]);
                let columns = self.one(&["t.b, u.d", "*", "t.f, COUNT(u.a)", "u.f"]);
                let group = if columns.contains("COUNT") { " GROUP BY t.f" } else { "" };
                let filter = if self.chance(0.3) {
                    " WHERE u.a IS NULL".to_owned()
                } else {
                    self.plain_filter("t.")
                };
                let order = self.order(1, &[]);
                format!("SELECT {columns} FROM table_sql AS t LEFT JOIN table_sql AS u ON {on}{filter}{group}{order}")
            }
            "subquery in from" => {
                let filter = self.filter();
                let inner = match self.below(5) {
                    0 => format!("SELECT b AS x, COUNT(*) AS n FROM table_sql AS t{filter} GROUP BY b"),
                    1 => format!("SELECT DISTINCT f AS x, a AS n FROM table_sql AS t{filter}"),
                    2 => format!("SELECT f AS x, MAX(a) AS n FROM table_sql AS t{filter} GROUP BY f"),
                    3 => format!("SELECT d AS x, a AS n FROM table_sql AS t{filter} ORDER BY e LIMIT 4"),
                    _ => format!("SELECT b AS x, a * 2 AS n FROM table_sql AS t{filter}"),
                };
                let outer = self.one(&[
                    "x, n FROM ({q}) WHERE n > 1",
                    "COUNT(*), MAX(n) FROM ({q})",
                    "x FROM ({q}) AS q WHERE q.x <> 'x' OR n = 2",
                    "SUM(n) FROM ({q}) WHERE x IS NOT NULL",
                    "* FROM ({q})",
                ]);
                let order = if outer.starts_with('C') || outer.starts_with('S') {
                    String::new()
                } else {
                    self.order(1, &["n"])
                };
                format!("SELECT {}{order}", outer.replace("{q}", &inner))
            }
            "common table expression" => {
                let filter = self.filter();
                let rest = self.one(&[
                    "k AS (SELECT * FROM table_sql AS t{w}) SELECT a, d FROM k WHERE a > 1",
                    "k AS (SELECT * FROM table_sql AS t{w}) SELECT COUNT(*) FROM k JOIN k AS m ON k.a = m.a",
                    "k(x, n) AS (SELECT f, COUNT(*) FROM table_sql AS t{w} GROUP BY f) SELECT x FROM k WHERE n = (SELECT MAX(n) FROM k)",
                    "k AS (SELECT a, f FROM table_sql AS t{w}), m AS (SELECT f, SUM(a) AS s FROM k GROUP BY f) SELECT * FROM m WHERE s > 2",
                    "k AS (SELECT MAX(e) AS top FROM table_sql AS t{w}) SELECT b, f FROM table_sql, k WHERE e = top",
                    "k AS (SELECT b FROM table_sql AS t{w} UNION SELECT f FROM table_sql) SELECT COUNT(*) FROM k WHERE b > 'p'",
                ]);
                format!("WITH {}", rest.replace("{w}", &filter))
            }
            "scalar subquery shown" => {
                let inner = self.condition("", 1);
                let aggregate = self.aggregate("");
                let filter = self.filter();
                match self.below(3) {
                    0 => format!(
                        "SELECT a, (SELECT {aggregate} FROM table_sql WHERE {inner}) FROM table_sql AS t{filter}"
                    ),
                    1 => format!(
                        "SELECT (SELECT {aggregate} FROM table_sql WHERE {inner}) - (SELECT COUNT(*) FROM table_sql AS t{filter})"
                    ),
                    _ => format!("SELECT (SELECT b FROM table_sql WHERE {inner} ORDER BY a DESC LIMIT 1) AS who"),
                }
            }
            "correlated subquery shown" => {
                let aggregate = self.aggregate("u.");
                let link = self.one(&["u.b = t.b", "u.a > t.a", "u.f = t.f AND u.a <= t.a"]);
                let (filter, order) = (self.plain_filter("t."), self.order(1, &[]));
                format!(
                    "SELECT f, (SELECT {aggregate} FROM table_sql AS u WHERE {link}) AS n FROM table_sql AS t{filter}{order}"
                )
            }
            "union" | "union all" | "except" | "intersect" => {
                let columns = self.one(&["b", "f", "a", "a, f", "*", "d", "f, e"]);
                let others = if self.chance(0.3) && !columns.contains([',', '*']) {
                    self.column()
                } else {
                    columns
                };
                let (first, second) = (self.plain_filter(""), self.plain_filter(""));
                let order = self.order(1, &[]);
                let operator = kind.to_uppercase();
                format!(
                    "SELECT {columns} FROM table_sql{first} {operator} SELECT {others} FROM table_sql{second}{order}"
                )
            }
            "window" | "window filtered outside" => {
                let window = self.one(&[
                    "ROW_NUMBER() OVER (ORDER BY a, rowid)",
                    "RANK() OVER (ORDER BY e DESC)",
                    "DENSE_RANK() OVER (PARTITION BY f ORDER BY a)",
                    "SUM(a) OVER (PARTITION BY b)",
                    "COUNT(*) OVER ()",
                    "LAG(a) OVER (ORDER BY e, rowid)",
                    "MAX(c) OVER (PARTITION BY f)",
                    "SUM(a) OVER (ORDER BY rowid ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)",
                ]);
                let filter = self.filter();
                if kind == "window" {
                    let order = self.order(2, &["a"]);
                    format!("SELECT b, {window} AS n FROM table_sql AS t{filter}{order}")
                } else {
                    format!("SELECT b, f FROM (SELECT b, f, {window} AS n FROM table_sql AS t{filter}) WHERE n <= 2")
                }
            }
            "case verdict" => {
                let (filter, aggregate) = (self.filter(), self.aggregate("t."));
                let bound = self.one(&["> 2", "= 1", "<> 0", ">= 3", "IS NULL", "= 'x'"]);
                if self.chance(0.5) {
                    format!(
                        "SELECT CASE WHEN {aggregate} {bound} THEN 'TRUE' ELSE 'FALSE' END FROM table_sql AS t{filter}"
                    )
                } else {
                    format!(
                        "SELECT CASE WHEN (SELECT {aggregate} FROM table_sql AS t{filter}) {bound} THEN 'TRUE' ELSE 'FALSE' END AS v"
                    )
                }
            }
            "sum of case" => {
                let (condition, filter) = (self.condition("t.", 1), self.plain_filter("t."));
                let value = self.one(&["1", "a", "e", "c"]);
                let otherwise = self.one(&["0", "NULL", "-1"]);
                if self.chance(0.3) {
                    format!(
                        "SELECT f, SUM(IIF({condition}, {value}, {otherwise})) FROM table_sql AS t{filter} GROUP BY f"
                    )
                } else {
                    format!(
                        "SELECT SUM(CASE WHEN {condition} THEN {value} ELSE {otherwise} END) FROM table_sql AS t{filter}"
                    )
                }
            }
            "computed columns" => {
                let (first, second) = (self.numeric("t."), self.textual("t."));
                let condition = self.condition("t.", 1);
                let (filter, order) = (self.filter(), self.order(2, &["a"]));
                format!(
                    "SELECT {first} AS n, {second} AS s, CASE WHEN {condition} THEN t.d END AS k FROM table_sql AS t{filter}{order}"
                )
            }
            "group by all columns" => {
                let filter = self.filter();
                let columns = self.one(&["*", "a, b, c, d, e, f", "*, COUNT(*) AS n"]);
                format!("SELECT {columns} FROM table_sql AS t{filter} GROUP BY a, b, c, d, e, f")
            }
            _ => {
                let (filter, aggregate) = (self.filter(), self.aggregate("t."));
                let outer = self.one(&["AVG(n)", "MAX(n)", "COUNT(*)", "SUM(n > 1)"]);
                format!("SELECT {outer} FROM (SELECT f, {aggregate} AS n FROM table_sql AS t{filter} GROUP BY f)")
            }
        };
        (kind, text)
    }
}
