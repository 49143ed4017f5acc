//! Statements whose result may hang on rows that are not in it: what was passed over, dropped, made one, or not found.

use super::Grammar;

/// The kinds of statements that are made here.
pub(super) const KINDS: [&str; 21] = [
    "ordered inside, cut outside",
    "distinct ordered by another",
    "compound of groups",
    "compound of joins",
    "join of groups",
    "alias in where",
    "name clash in group by",
    "having of two relations",
    "correlated with offset",
    "correlated over groups",
    "subquery in on",
    "collation",
    "chained outer joins",
    "counted where nothing is joined",
    "ordered by a subquery",
    "scalar of groups",
    "groups of groups",
    "case chain",
    "having with its limits",
    "filtered twice",
    "not traced",
];

impl Grammar {
    fn cut(&mut self) -> String {
        let count = self.one(&["1", "1", "2", "3"]);
        let offset = if self.chance(0.2) {
            format!(" OFFSET {}", self.below(3))
        } else {
            String::new()
        };
        format!(" LIMIT {count}{offset}")
    }

    fn maybe_cut(&mut self) -> String {
        if self.chance(0.6) { self.cut() } else { String::new() }
    }

    fn direction(&mut self) -> &'static str {
        self.one(&["", " DESC", " DESC", " ASC NULLS LAST", " DESC NULLS FIRST"])
    }

    /// A whole query of groups with columns `x` and `n`, without ORDER BY.
    fn groups(&mut self) -> String {
        let key = self.one(&["b", "f", "a", "e", "upper(b)"]);
        let aggregate = self.aggregate("t.");
        let filter = self.filter();
        let having = if self.chance(0.25) {
            let bound = self.one(&["COUNT(*) > 1", "COUNT(*) < 3", "SUM(a) > 1", "MIN(a) > 0", "MAX(a) < 3"]);
            format!(" HAVING {bound}")
        } else {
            String::new()
        };
        format!("SELECT {key} AS x, {aggregate} AS n FROM table_sql AS t{filter} GROUP BY {key}{having}")
    }

    /// One SELECT of a compound, of two columns.
    fn arm(&mut self) -> String {
        match self.below(7) {
            0 | 1 => self.groups(),
            2 => {
                let (aggregate, filter) = (self.aggregate("t."), self.filter());
                let name = self.one(&["'x'", "'y'", "'Z'"]);
                format!("SELECT {name} AS x, {aggregate} AS n FROM table_sql AS t{filter}")
            }
            3 => {
                let name = self.one(&["'x'", "'north'", "'y'"]);
                format!("SELECT {name}, {}", self.below(4))
            }
            4 => {
                let number = self.below(4);
                format!("SELECT b, {number} FROM table_sql AS t{}", self.filter())
            }
            5 => format!("SELECT DISTINCT f, a FROM table_sql AS t{}", self.filter()),
            _ => format!("SELECT b, a FROM table_sql AS t{}", self.filter()),
        }
    }

    fn outer_arm(&mut self) -> String {
        let on = self.one(&["u.a = t.a + 1", "u.d = t.f", "u.b = t.b AND u.a > t.a"]);
        let filter = self.plain_filter("t.");
        format!("SELECT t.b, u.b FROM table_sql AS t LEFT JOIN table_sql AS u ON {on}{filter}")
    }

    pub(super) fn form(&mut self, kind: &str) -> String {
        match kind {
            "ordered inside, cut outside" => self.ordered_inside(),
            "distinct ordered by another" => {
                let shown = self.one(&["b", "f", "b, f", "upper(b)", "a"]);
                let order = self.one(&["a", "e", "e, a", "c", "a + e", "d"]);
                let (filter, direction, cut) = (self.filter(), self.direction(), self.maybe_cut());
                if self.chance(0.4) {
                    let outer = self.cut();
                    format!(
                        "SELECT * FROM (SELECT DISTINCT {shown} FROM table_sql AS t{filter} ORDER BY {order}){outer}"
                    )
                } else {
                    format!("SELECT DISTINCT {shown} FROM table_sql AS t{filter} ORDER BY {order}{direction}{cut}")
                }
            }
            "compound of groups" => {
                let (first, second) = (self.arm(), self.arm());
                let operator = self.one(&["UNION", "UNION ALL", "INTERSECT", "EXCEPT"]);
                let third = if self.chance(0.2) {
                    format!(" {} {}", self.one(&["UNION", "EXCEPT", "INTERSECT"]), self.arm())
                } else {
                    String::new()
                };
                let order = if self.chance(0.6) {
                    format!(
                        " ORDER BY {}{}{}",
                        self.one(&["2", "1", "2, 1"]),
                        self.direction(),
                        self.maybe_cut()
                    )
                } else {
                    self.maybe_cut()
                };
                let compound = format!("{first} {operator} {second}{third}{order}");
                match self.below(4) {
                    0 => format!("SELECT COUNT(*) FROM ({compound})"),
                    1 => format!("SELECT * FROM ({compound}){}", self.cut()),
                    _ => compound,
                }
            }
            "compound of joins" => {
                let first = self.outer_arm();
                let second = match self.below(3) {
                    0 => "SELECT b, NULL FROM table_sql WHERE a < 3".to_owned(),
                    1 => self.outer_arm(),
                    _ => "SELECT b, f FROM table_sql".to_owned(),
                };
                let operator = self.one(&["INTERSECT", "INTERSECT", "EXCEPT", "UNION"]);
                let cut = self.maybe_cut();
                if self.chance(0.3) {
                    format!("{second} {operator} {first}{cut}")
                } else {
                    format!("{first} {operator} {second}{cut}")
                }
            }
            "join of groups" => {
                let (first, second) = (self.groups(), self.groups().replacen(" AS x", " AS z", 1));
                let join = self.one(&["JOIN", "LEFT JOIN", "JOIN"]);
                let on = self.one(&[
                    "USING (n)",
                    "ON p.n = q.n",
                    "ON p.n < q.n",
                    "ON p.x = q.z",
                    "ON p.n = q.n + 1",
                ]);
                let (join, on) = if self.chance(0.2) {
                    ("NATURAL JOIN", "")
                } else {
                    (join, on)
                };
                let shown = self.one(&["p.x, q.z", "*", "COUNT(*)", "p.n, q.z"]);
                let order = self.maybe_cut();
                if self.chance(0.3) {
                    let on = self.one(&[
                        "USING (a)",
                        "ON t.a = q.n",
                        "ON t.f = q.x AND t.a < q.n",
                        "ON t.b = q.x",
                    ]);
                    let groups = self
                        .groups()
                        .replacen(" AS n", " AS a", usize::from(on.starts_with("USING")));
                    return format!("SELECT t.b, q.x FROM table_sql AS t {join} ({groups}) AS q {on}{order}")
                        .replace("NATURAL JOIN", "JOIN");
                }
                format!("SELECT {shown} FROM ({first}) AS p {join} ({second}) AS q {on}{order}")
            }
            "alias in where" => {
                let operator = self.one(&["<", ">", "=", "<=", ">="]);
                let number = self.number();
                match self.below(5) {
                    0 => format!(
                        "SELECT f, a * 2 AS k FROM table_sql AS t WHERE k {operator} {number}{}",
                        self.maybe_cut()
                    ),
                    1 => format!(
                        "SELECT x, n AS k FROM ({}) WHERE k {operator} {number}{}",
                        self.groups(),
                        self.maybe_cut()
                    ),
                    2 => format!(
                        "SELECT b, (SELECT COUNT(*) FROM table_sql AS u WHERE u.f = t.f) AS k FROM table_sql AS t WHERE k {operator} {number}"
                    ),
                    3 => format!(
                        "SELECT f AS k, COUNT(*) AS m FROM table_sql AS t{} GROUP BY k HAVING m {operator} {number} ORDER BY k{}",
                        self.filter(),
                        self.maybe_cut()
                    ),
                    _ => format!(
                        "SELECT b, ROW_NUMBER() OVER (ORDER BY e, rowid) AS r, a + 1 AS k FROM table_sql AS t WHERE k {operator} {number}"
                    ),
                }
            }
            "name clash in group by" => {
                let clash = self.one(&[
                    "a AS f, COUNT(*) AS n {r} GROUP BY f HAVING a > 2",
                    "a AS f, COUNT(*) AS n {r} GROUP BY f HAVING f > 'n'",
                    "upper(b) AS b, SUM(a) AS n {r} GROUP BY b HAVING b >= 'x'",
                    "f AS b, MAX(a) AS n {r} GROUP BY 1 HAVING b = 'x'",
                    "a AS b, b AS a, COUNT(*) AS n {r} GROUP BY a HAVING b <> 'x'",
                    "e AS a, COUNT(*) AS n {r} GROUP BY 1 ORDER BY a",
                    "f AS a, MIN(e) AS n {r} GROUP BY a ORDER BY a",
                ]);
                let filter = self.filter();
                let text = format!(
                    "SELECT {}",
                    clash.replace("{r}", &format!("FROM table_sql AS t{filter}"))
                );
                let cut = self.maybe_cut();
                if text.contains("ORDER BY") || cut.is_empty() {
                    format!("{text}{cut}")
                } else {
                    format!(
                        "{text} ORDER BY {}{}{cut}",
                        self.one(&["n", "1", "a", "b"]),
                        self.direction()
                    )
                }
            }
            "having of two relations" => {
                let join = self.one(&["JOIN", "LEFT JOIN"]);
                let on = self.one(&["t.a = u.a", "t.a < u.a", "t.f = u.f", "t.a = u.e"]);
                let key = self.one(&["t.b", "u.b", "t.f"]);
                let having = self.one(&[
                    "u.b = 'x'",
                    "t.b <> 'x'",
                    "u.f > 'n'",
                    "COUNT(u.a) < 2",
                    "MAX(u.a) > 2",
                    "MIN(u.a) > 1",
                ]);
                let filter = self.plain_filter("t.");
                let order = if self.chance(0.5) {
                    format!(
                        " ORDER BY {}{}{}",
                        self.one(&["u.b", "t.f", "COUNT(*)", "1"]),
                        self.direction(),
                        self.maybe_cut()
                    )
                } else {
                    self.maybe_cut()
                };
                format!(
                    "SELECT {key}, COUNT(*) FROM table_sql AS t {join} table_sql AS u ON {on}{filter} GROUP BY {key} HAVING {having}{order}"
                )
            }
            "correlated with offset" => {
                let link = self.one(&["u.b = t.b", "u.f = t.f", "u.a >= t.a"]);
                let inner = format!(
                    "SELECT u.a FROM table_sql AS u WHERE {link} ORDER BY u.a{} LIMIT 1 OFFSET {}",
                    self.direction(),
                    self.below(3)
                );
                let filter = self.plain_filter("t.");
                match self.below(3) {
                    0 => format!("SELECT b, ({inner}) AS n FROM table_sql AS t{filter}"),
                    1 => format!("SELECT b FROM table_sql AS t WHERE t.a = ({inner})"),
                    _ => format!("SELECT b FROM table_sql AS t WHERE t.a IN ({inner}) OR t.e > 10"),
                }
            }
            "correlated over groups" => {
                let groups = self.groups();
                let link = self.one(&[
                    "g.x = t.b",
                    "g.x = t.f AND g.n < 4",
                    "g.n > t.a",
                    "g.x = t.b AND g.n >= t.a",
                ]);
                let shown = self.one(&["b", "COUNT(*)", "f, a"]);
                match self.below(4) {
                    0 => format!(
                        "SELECT {shown} FROM table_sql AS t WHERE EXISTS (SELECT 1 FROM ({groups}) AS g WHERE {link})"
                    ),
                    1 => format!(
                        "SELECT {shown} FROM table_sql AS t WHERE t.a NOT IN (SELECT g.n FROM ({groups}) AS g WHERE {link})"
                    ),
                    2 => format!(
                        "SELECT {shown} FROM table_sql AS t WHERE t.a < (SELECT MAX(g.n) FROM ({groups}) AS g WHERE {link})"
                    ),
                    _ => format!(
                        "SELECT b, (SELECT g.x FROM ({groups}) AS g WHERE {link} ORDER BY g.n LIMIT 1) AS k FROM table_sql AS t{}",
                        self.filter()
                    ),
                }
            }
            "subquery in on" => {
                let join = self.one(&["JOIN", "JOIN", "LEFT JOIN"]);
                let on = self.one(&[
                    "u.a = (SELECT MAX(v.a) FROM table_sql AS v WHERE v.b = t.b)",
                    "u.a = (SELECT SUM(v.a) FROM table_sql AS v WHERE v.f = t.f)",
                    "u.a = t.a AND NOT EXISTS (SELECT 1 FROM table_sql AS v WHERE v.b = t.b AND v.a < 1)",
                    "u.b = t.b AND t.a IN (SELECT v.a FROM table_sql AS v WHERE v.e > u.e)",
                    "u.a = (SELECT MAX(a) FROM table_sql)",
                ]);
                let (filter, cut) = (self.plain_filter("t."), self.maybe_cut());
                format!("SELECT t.b, u.f FROM table_sql AS t {join} table_sql AS u ON {on}{filter}{cut}")
            }
            "collation" => {
                let text = self.one(&[
                    "MAX(b COLLATE NOCASE) FROM {t}",
                    "f, MIN(b COLLATE NOCASE) FROM {t} GROUP BY f",
                    "DISTINCT b COLLATE NOCASE FROM {t}",
                    "b COLLATE NOCASE FROM {t} UNION SELECT f FROM table_sql",
                    "MAX(k) FROM (SELECT b COLLATE NOCASE AS k FROM {t})",
                    "b FROM {t} ORDER BY b COLLATE NOCASE LIMIT 2",
                    "b COLLATE NOCASE, COUNT(*) FROM {t} GROUP BY b COLLATE NOCASE HAVING b <> 'Z'",
                    "b FROM {t} GROUP BY b COLLATE NOCASE HAVING MAX(b) = 'x' ORDER BY COUNT(*) LIMIT 1",
                    "COUNT(DISTINCT b COLLATE NOCASE) FROM {t}",
                ]);
                let filter = self.filter();
                format!("SELECT {}", text.replace("{t}", &format!("table_sql AS t{filter}")))
            }
            "chained outer joins" => {
                let text = self.one(&[
                    "t.b FROM table_sql t LEFT JOIN table_sql u ON u.a = t.a + 1 JOIN table_sql v ON u.b IS NULL AND v.a = t.a",
                    "t.b, v.b FROM table_sql t LEFT JOIN table_sql u ON u.a = t.a + 1 LEFT JOIN table_sql v ON v.b = u.b",
                    "t.b FROM table_sql t LEFT JOIN table_sql u ON u.a = t.a + 1, table_sql v WHERE v.b = coalesce(u.b, 'x')",
                    "t.b, u.b FROM table_sql t FULL JOIN table_sql u ON u.a = t.a + 1",
                    "t.b, u.b FROM table_sql t RIGHT JOIN table_sql u ON u.a = t.a + 1",
                    "t.b FROM table_sql t LEFT JOIN table_sql u ON u.a = t.e JOIN table_sql v USING (f)",
                    "t.b FROM table_sql t LEFT JOIN (table_sql u JOIN table_sql v ON u.a = v.a + 1) ON u.b = t.b",
                    "k.b FROM (SELECT t.b, u.f AS g FROM table_sql t LEFT JOIN table_sql u ON u.a = t.a + 1) k WHERE k.g IS NULL",
                    "k.b FROM (SELECT t.b, u.f AS g FROM table_sql t LEFT JOIN table_sql u ON u.a = t.a + 1) k",
                ]);
                format!("SELECT {text}{}", self.maybe_cut())
            }
            "counted where nothing is joined" => {
                let shown = self.one(&[
                    "COUNT(*) FILTER (WHERE u.b IS NULL)",
                    "SUM(coalesce(u.a, 5))",
                    "COUNT(CASE WHEN u.a IS NULL THEN 1 END)",
                    "COUNT(u.a), COUNT(*)",
                    "MAX(coalesce(u.a, 9))",
                ]);
                let on = self.one(&["u.a = t.a + 1", "u.d = t.f", "u.b = t.b AND u.a > t.a"]);
                let filter = self.plain_filter("t.");
                let group = self.one(&["", "", " GROUP BY u.f", " GROUP BY t.f"]);
                let cut = if group.is_empty() {
                    String::new()
                } else {
                    self.maybe_cut()
                };
                format!("SELECT {shown} FROM table_sql AS t LEFT JOIN table_sql AS u ON {on}{filter}{group}{cut}")
            }
            "ordered by a subquery" => {
                let aggregate = self.aggregate("u.");
                let link = self.one(&["u.b = t.b", "u.a > t.a", "u.f = t.f"]);
                let (filter, direction, cut) = (self.filter(), self.direction(), self.maybe_cut());
                let inner = format!("(SELECT {aggregate} FROM table_sql AS u WHERE {link})");
                match self.below(4) {
                    0 => format!("SELECT f, {inner} AS n FROM table_sql AS t{filter} ORDER BY n{direction}{cut}"),
                    1 => format!("SELECT f, {inner} FROM table_sql AS t{filter} ORDER BY 2{direction}, rowid{cut}"),
                    2 => format!("SELECT f FROM table_sql AS t{filter} ORDER BY {inner}{direction}{cut}"),
                    _ => format!(
                        "SELECT * FROM (SELECT f, {inner} AS n FROM table_sql AS t{filter} ORDER BY n{direction}) WHERE n < 5{cut}"
                    ),
                }
            }
            "scalar of groups" => {
                let (groups, direction) = (self.groups(), self.direction());
                let cut = if self.chance(0.4) { self.cut() } else { String::new() };
                let inner = format!("SELECT x FROM ({groups}) ORDER BY n{direction}{cut}");
                let inner = if self.chance(0.4) {
                    format!("SELECT x FROM ({groups} ORDER BY n{direction})")
                } else {
                    inner
                };
                match self.below(3) {
                    0 => format!("SELECT a, e FROM table_sql AS t WHERE t.b = ({inner})"),
                    1 => format!("SELECT CASE WHEN ({inner}) = 'x' THEN 'TRUE' ELSE 'FALSE' END AS v"),
                    _ => format!("SELECT COUNT(*) FROM table_sql AS t WHERE t.b IN ({inner})"),
                }
            }
            "groups of groups" => {
                let (aggregate, filter) = (self.aggregate("t."), self.filter());
                let inner = format!("SELECT f, b, {aggregate} AS s FROM table_sql AS t{filter} GROUP BY f, b");
                let outer = self.one(&["MAX(s)", "COUNT(*)", "MIN(s)", "SUM(s)", "COUNT(s)"]);
                let having = self.one(&[
                    "",
                    "",
                    " HAVING COUNT(*) > 1",
                    " HAVING MAX(s) > 2",
                    " HAVING SUM(s) < 4",
                ]);
                let order = format!(" ORDER BY {outer}{}{}", self.direction(), self.maybe_cut());
                let key = self.one(&["f", "b", "s"]);
                format!("SELECT {key}, {outer} FROM ({inner}) GROUP BY {key}{having}{order}")
            }
            "case chain" => {
                let (first, second, filter) = (self.condition("t.", 1), self.condition("t.", 1), self.filter());
                let value = self.one(&["'x'", "'Z'", "d"]);
                match self.below(5) {
                    0 => format!(
                        "SELECT a, CASE WHEN {first} THEN b WHEN {second} THEN 'other' ELSE f END AS k FROM table_sql AS t{filter}"
                    ),
                    1 => format!(
                        "SELECT CASE b WHEN {value} THEN 1 WHEN 'y' THEN 2 ELSE a END AS k FROM table_sql AS t{filter}"
                    ),
                    2 => format!(
                        "SELECT f FROM table_sql AS t{filter} ORDER BY CASE WHEN {first} THEN 0 ELSE 1 END, rowid{}",
                        self.maybe_cut()
                    ),
                    3 => format!(
                        "SELECT CASE WHEN {first} THEN 'in' WHEN {second} THEN 'mid' END AS k, COUNT(*) FROM table_sql AS t{filter} GROUP BY k"
                    ),
                    _ => format!(
                        "SELECT SUM(CASE WHEN {first} THEN CASE WHEN {second} THEN a ELSE 1 END END) FILTER (WHERE a > 0) FROM table_sql AS t{filter}"
                    ),
                }
            }
            "having with its limits" => {
                let term = self.one(&["b", "f", "e"]);
                let having = self.one(&[
                    "COUNT(*) > 1",
                    "COUNT(*) < 2",
                    "3 > COUNT(*)",
                    "MAX(a) > -1",
                    "MIN(a) > 1",
                    "MIN(a) < 2",
                    "SUM(a) > 2",
                    "NOT COUNT(*) > 1",
                    "COUNT(*) = 2",
                    "COUNT(DISTINCT a) >= 2 AND MIN(a) < 0",
                    "AVG(a) < 1 OR COUNT(*) > 2",
                    "COUNT(*) = (SELECT MAX(m) FROM (SELECT COUNT(*) AS m FROM table_sql GROUP BY f))",
                ]);
                let (aggregate, filter) = (self.aggregate("t."), self.filter());
                let order = if self.chance(0.5) {
                    format!(
                        " ORDER BY {}{}",
                        self.one(&["2", "COUNT(*)", "MAX(a)", "MIN(e)", "1"]),
                        self.direction()
                    )
                } else {
                    String::new()
                };
                let cut = self.maybe_cut();
                let text = format!(
                    "SELECT {term} AS x, {aggregate} AS n FROM table_sql AS t{filter} GROUP BY {term} HAVING {having}{order}{cut}"
                );
                if self.chance(0.3) {
                    return format!("SELECT COUNT(*), MAX(x) FROM ({text}) WHERE n IS NOT NULL");
                }
                text
            }
            "filtered twice" => {
                let inner = match self.below(4) {
                    0 => self.groups(),
                    1 => format!(
                        "SELECT t.b AS x, u.a AS n FROM table_sql AS t JOIN table_sql AS u ON t.a = u.a{}",
                        self.plain_filter("t.")
                    ),
                    2 => format!(
                        "SELECT t.b AS x, u.a AS n FROM table_sql AS t LEFT JOIN table_sql AS u ON t.a = u.e{}",
                        self.plain_filter("t.")
                    ),
                    _ => format!("SELECT DISTINCT b AS x, a AS n FROM table_sql AS t{}", self.filter()),
                };
                let middle = format!(
                    "SELECT x, n FROM ({inner}) WHERE n {} {}",
                    self.one(&["<", ">", "<>"]),
                    self.number()
                );
                let outer = self.one(&[
                    "SELECT * FROM ({m}) WHERE x <> 'x'",
                    "SELECT DISTINCT n FROM ({m}) ORDER BY n DESC LIMIT 1",
                    "SELECT x FROM ({m}) ORDER BY n LIMIT 1",
                    "SELECT x, COUNT(*) FROM ({m}) GROUP BY x HAVING COUNT(*) > 1",
                    "SELECT t.a FROM table_sql AS t JOIN ({m}) AS m ON m.x = t.b AND m.n > t.a",
                    "SELECT MAX(n) FROM ({m}) WHERE x > 'm'",
                    "WITH m AS ({m}) SELECT p.x FROM m AS p JOIN m AS q ON p.n < q.n LIMIT 2",
                ]);
                outer.replace("{m}", &middle)
            }
            _ => {
                let filter = self.filter();
                let text = self.one(&[
                    "b FROM {t} AND a ISNULL",
                    "f, RANK() OVER (ORDER BY COUNT(*)) FROM {t} GROUP BY f",
                    "b FROM {t} AND EXISTS (SELECT f FROM table_sql AS u GROUP BY f HAVING COUNT(*) > t.a)",
                    "b FROM {t} AND t.a = (SELECT MAX(k.a) FROM (SELECT a FROM table_sql AS u WHERE u.f = t.f) AS k)",
                    "b FROM {t} AND t.a IN (SELECT u.a FROM table_sql AS u WHERE u.f = t.f UNION SELECT 2)",
                ]);
                let filter = if filter.is_empty() {
                    " WHERE a > 0".to_owned()
                } else {
                    filter
                };
                format!("SELECT {}", text.replace("{t}", &format!("table_sql AS t{filter}")))
            }
        }
    }

    fn ordered_inside(&mut self) -> String {
        let (groups, direction, cut) = (self.groups(), self.direction(), self.cut());
        let plain = format!(
            "SELECT b AS x, a AS n FROM table_sql AS t{} ORDER BY {}{}",
            self.filter(),
            self.one(&["e", "n", "c", "f"]),
            self.direction()
        );
        let ordered = if self.chance(0.7) {
            format!(
                "{groups} ORDER BY {}{direction}",
                self.one(&["n", "n", "2", "COUNT(*)", "SUM(a)"])
            )
        } else {
            plain
        };
        match self.below(6) {
            0 => format!("SELECT x FROM ({ordered}){cut}"),
            1 => format!("WITH k AS ({ordered}) SELECT x, n FROM k{cut}"),
            2 => format!("SELECT x FROM (SELECT * FROM ({ordered}) WHERE n > 0){cut}"),
            3 => format!("SELECT DISTINCT x FROM ({ordered}){cut}"),
            4 => format!("SELECT k.x FROM ({ordered}) AS k JOIN table_sql AS t ON t.b = k.x{cut}"),
            _ => format!("SELECT x, n FROM ({ordered}{}){cut}", self.maybe_cut()),
        }
    }
}
