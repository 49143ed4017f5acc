//! Names that SQLite refuses without saying where they stand: those of ON and USING, and of an ORDER BY over a compound.
//! The statement is read as names and signs, and the name is looked for in the clause that the refusal is about.

use super::names::{Name, identifier_at, skip_blanks};

/// The clause that a name stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clause {
    On,
    Using,
    OrderBy,
    Other,
}

/// What a refusal names, and the clause it is about.
#[derive(Debug, PartialEq, Eq)]
enum Wanted<'a> {
    /// A name with what qualifies it.
    In(Clause, &'a str),
    /// A name of ORDER BY by the place of its term, from 1.
    Term(usize),
}

/// Keywords behind which another clause begins.
const CLAUSES: &[(&str, Clause)] = &[
    ("on", Clause::On),
    ("using", Clause::Using),
    ("order", Clause::OrderBy),
    ("select", Clause::Other),
    ("from", Clause::Other),
    ("join", Clause::Other),
    ("left", Clause::Other),
    ("right", Clause::Other),
    ("full", Clause::Other),
    ("inner", Clause::Other),
    ("cross", Clause::Other),
    ("natural", Clause::Other),
    ("where", Clause::Other),
    ("group", Clause::Other),
    ("having", Clause::Other),
    ("window", Clause::Other),
    ("partition", Clause::Other),
    ("limit", Clause::Other),
    ("union", Clause::Other),
    ("except", Clause::Other),
    ("intersect", Clause::Other),
];

impl<'a> Wanted<'a> {
    /// Of SQLite's message.
    fn of(message: &'a str) -> Option<Self> {
        let using = || {
            let rest = message.strip_prefix("cannot join using column ")?;
            let (name, _) = rest.rsplit_once(" - ")?;
            Some(Self::In(Clause::Using, name))
        };
        let term = || {
            let (term, _) = message.split_once(" ORDER BY term does not match any column")?;
            let digits: String = term.chars().take_while(char::is_ascii_digit).collect();
            digits.parse().ok().map(Self::Term)
        };
        let on = message.strip_prefix("no such column: ");
        on.map(|name| Self::In(Clause::On, name)).or_else(using).or_else(term)
    }
}

/// The last part of the first name that a refusal without a place may be about, if it is none of those that `is_known` tells.
pub(super) fn refused_name(statement: &str, message: &str, is_known: impl Fn(&Name) -> bool) -> Option<Name> {
    let all = || Reader::new(statement).names();
    match Wanted::of(message)? {
        Wanted::In(clause, text) => all()
            .find(|found| found.clause == clause && found.whole == text && !is_known(&found.name))
            .map(|found| found.name),
        // A term is held against the results before the names in these are: the same name there comes first.
        Wanted::Term(term) => {
            let is_term = |found: &Found| found.clause == Clause::OrderBy && found.depth == 0 && found.term == term;
            let text = all().find(is_term)?.name.text;
            all()
                .find(|found| found.name.text == text && !found.is_alias && !is_known(&found.name))
                .map(|found| found.name)
        }
    }
}

/// A name with what it stands in.
struct Found {
    /// Its last part.
    name: Name,
    /// All of it, parted by full stops.
    whole: String,
    clause: Clause,
    /// How many brackets it stands in.
    depth: usize,
    /// Of which term of its clause it is, from 1.
    term: usize,
    /// Whether it stands behind AS.
    is_alias: bool,
}

struct Reader<'a> {
    statement: &'a str,
    position: usize,
    /// The clause in each open bracket and outside of all, where one began there, with its terms so far.
    clauses: Vec<(Option<Clause>, usize)>,
    is_behind_as: bool,
}

impl<'a> Reader<'a> {
    fn new(statement: &'a str) -> Self {
        Self {
            statement,
            position: 0,
            clauses: vec![(None, 1)],
            is_behind_as: false,
        }
    }

    fn names(mut self) -> impl Iterator<Item = Found> {
        std::iter::from_fn(move || self.next_name())
    }

    /// The next name that is no keyword of a clause.
    fn next_name(&mut self) -> Option<Found> {
        loop {
            self.position = skip_blanks(self.statement, self.position);
            let rest = self.statement.get(self.position..)?;
            let first = rest.chars().next()?;
            if first == '\'' {
                self.skip_text();
            } else if first.is_ascii_digit() {
                let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '_'));
                self.position += length.unwrap_or(rest.len());
            } else if let Some(name) = identifier_at(self.statement, self.position) {
                if let Some(found) = self.name_or_clause(name) {
                    return Some(found);
                }
            } else {
                self.sign(first);
            }
        }
    }

    fn name_or_clause(&mut self, first: Name) -> Option<Found> {
        self.position = first.end;
        if first.quote.is_none() && first.text.eq_ignore_ascii_case("as") {
            self.is_behind_as = true;
            return None;
        }
        if first.quote.is_none() && first.text.eq_ignore_ascii_case("by") {
            return None;
        }
        let keyword = CLAUSES
            .iter()
            .find(|(word, _)| first.quote.is_none() && first.text.eq_ignore_ascii_case(word));
        if let Some((_, clause)) = keyword {
            if let Some(open) = self.clauses.last_mut() {
                *open = (Some(*clause), 1);
            }
            return None;
        }
        let mut whole = first.text.clone();
        let mut name = first;
        while let Some(next) = self.part_behind(name.end) {
            whole = format!("{whole}.{}", next.text);
            self.position = next.end;
            name = Name {
                qualified: true,
                ..next
            };
        }
        Some(Found {
            name,
            whole,
            clause: self
                .clauses
                .iter()
                .rev()
                .find_map(|(clause, _)| *clause)
                .unwrap_or(Clause::Other),
            depth: self.clauses.len() - 1,
            term: self.clauses.last().map_or(1, |(_, term)| *term),
            is_alias: std::mem::take(&mut self.is_behind_as),
        })
    }

    /// The name behind a full stop.
    fn part_behind(&self, end: usize) -> Option<Name> {
        let dot = skip_blanks(self.statement, end);
        self.statement.get(dot..)?.strip_prefix('.')?;
        identifier_at(self.statement, skip_blanks(self.statement, dot + 1))
    }

    fn sign(&mut self, sign: char) {
        self.position += sign.len_utf8();
        match sign {
            '(' => self.clauses.push((None, 1)),
            ')' if self.clauses.len() > 1 => {
                self.clauses.pop();
            }
            ',' => {
                if let Some((_, term)) = self.clauses.last_mut() {
                    *term += 1;
                }
            }
            _ => {}
        }
    }

    /// Moves behind a text in single quotes.
    fn skip_text(&mut self) {
        let mut rest = self.statement[self.position + 1..].char_indices().peekable();
        while let Some((at, sign)) = rest.next() {
            if sign == '\'' && rest.next_if(|(_, next)| *next == '\'').is_none() {
                self.position += at + 2;
                return;
            }
        }
        self.position = self.statement.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_in_the_clause_that_the_refusal_is_about() {
        let at = |statement: &str, message: &str| refused_name(statement, message, |_| false).map(|name| name.start);
        let joined =
            r#"SELECT a."x y", 'ON a."x y"' FROM t a JOIN t b ON (1 < 2 AND a . "x y" = b."x y") WHERE a."x y" = 2"#;
        let place = joined.find("a . ").unwrap() + 4;
        assert_eq!(at(joined, "no such column: a.x y"), Some(place));
        assert_eq!(at(joined, "no such column: c.x y"), None);
        let over_subquery = r#"SELECT 1 FROM t JOIN u ON (SELECT "z" FROM v) = "z""#;
        assert_eq!(at(over_subquery, "no such column: z"), over_subquery.rfind("\"z\""));
        let using = r#"SELECT "x y" FROM t JOIN u USING (n, "x y")"#;
        let message = "cannot join using column x y - column not present in both tables";
        assert_eq!(at(using, message), using.rfind("\"x y\""));
        let compound = r#"SELECT "a" FROM t UNION SELECT "a" FROM t ORDER BY n, "a" DESC"#;
        let message = "2nd ORDER BY term does not match any column in the result set";
        assert_eq!(at(compound, message), compound.find("\"a\""));
        let named = r#"SELECT n AS "a" FROM t UNION SELECT 1 FROM t ORDER BY n, "a" DESC"#;
        assert_eq!(at(named, message), named.rfind("\"a\""));
        assert_eq!(at(using, "some other refusal"), None);
        assert_eq!(at("SELECT 'open", "no such column: a"), None);
    }

    #[test]
    fn a_name_that_was_seen_to_is_passed_over() {
        let statement = r#"SELECT 1 FROM t a JOIN t b ON a."n" = b."n" AND a."n" > 1"#;
        let first = refused_name(statement, "no such column: a.n", |_| false).unwrap();
        let second = refused_name(statement, "no such column: a.n", |name| name.start == first.start).unwrap();
        assert!(second.start > first.start && second.qualified);
    }
}
