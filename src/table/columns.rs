//! Column names: the original, the one shown to people, and the one SQL can use.
//!
//! The SQL name is made from the original alone and by these rules, in order:
//!
//! 1. compatibility decomposition (NFKD) without combining marks, lower case; a few letters that have no decomposition
//!    are spelled out (`ß` is `ss`, `ø` is `o`); other letters outside `a-z` are dropped;
//! 2. blanks, line breaks and signs become `_`; runs of `_` become one, and none stands at an edge;
//! 3. at most 64 characters; nothing left: `column_N`, with the 1-based place of the column;
//! 4. a digit in front gets `c_` before it; a keyword of SQLite or a name of its row number gets `_col` behind it;
//! 5. the first column of a name keeps it; later ones get the first free `_2`, `_3`, ...;
//! 6. a name that is, but for case, what the file calls another column goes to that column alone: of `Net Price` and
//!    `net_price` the first becomes `net_price_2`, so that `"net_price"` can only mean the second. (Of columns that the file
//!    calls exactly the same, rule 5 decides.)

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::reserved::is_reserved;

/// Longest SQL name before a number is put behind it, in characters: some headers are whole paragraphs.
const LONGEST_SQL_NAME: usize = 64;

/// The three names of a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Exactly as the source has it; may be empty, repeated, or hold line breaks.
    pub original: String,
    /// For people: the original on one line, or `column N` when it is empty.
    pub display: String,
    /// For SQL: a plain lower-case identifier, unique in its table without regard to case, never a keyword.
    pub sql: String,
}

/// Names every column. The same headers always give the same names.
pub fn name_columns(originals: Vec<String>) -> Vec<Column> {
    let bases: Vec<String> = (0..)
        .zip(&originals)
        .map(|(index, name)| base_name(name, index))
        .collect();
    let displays: Vec<String> = (0..)
        .zip(&originals)
        .map(|(index, original)| display_name(original, index))
        .collect();
    let sql_names = sql_names(&bases, &displays);
    originals
        .into_iter()
        .zip(displays)
        .zip(sql_names)
        .map(|((original, display), sql)| Column { original, display, sql })
        .collect()
}

/// Names the columns of a computed table. `results` pairs the name that the engine gave each result column with the
/// input column it was carried from unchanged, if it was.
///
/// A carried column keeps its original and display name; when the program renamed it (`year AS y`), the display name
/// is the new one, because later steps speak of it so. SQL names always follow the engine's names.
pub fn name_computed_columns(results: &[(String, Option<&Column>)]) -> Vec<Column> {
    let bases: Vec<String> = (0..)
        .zip(results)
        .map(|(index, (name, _))| base_name(name, index))
        .collect();
    let displays: Vec<String> = results
        .iter()
        .zip(&bases)
        .enumerate()
        .map(|(index, ((name, carried), base))| match carried {
            Some(carried) if name.eq_ignore_ascii_case(&carried.sql) || *base == carried.sql => carried.display.clone(),
            _ => display_name(name, index),
        })
        .collect();
    let sql_names = sql_names(&bases, &displays);
    results
        .iter()
        .zip(displays)
        .zip(sql_names)
        .map(|(((name, carried), display), sql)| Column {
            original: carried.map_or_else(|| name.clone(), |carried| carried.original.clone()),
            display,
            sql,
        })
        .collect()
}

/// The original on one line: every run of blanks, line breaks and control characters is one blank, none at an edge.
fn display_name(original: &str, index: usize) -> String {
    let line = original
        .split(|character: char| character.is_whitespace() || character.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    if line.is_empty() {
        format!("column {}", index + 1)
    } else {
        line
    }
}

/// Makes names unique; `displays` are what people call each column.
fn sql_names(bases: &[String], displays: &[String]) -> Vec<String> {
    // For every display name without regard to case, the columns that have it.
    let mut called: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (column, display) in displays.iter().enumerate() {
        called.entry(display.to_ascii_lowercase()).or_default().push(column);
    }
    let means_another = |name: &str, column: usize| {
        called
            .get(name)
            .is_some_and(|others| others.iter().any(|other| displays[*other] != displays[column]))
    };
    // A base name always belongs to its first column, so that `a, a, a_2` leaves the third column its own name.
    let mut taken: BTreeSet<String> = bases.iter().cloned().collect();
    let mut given = BTreeSet::new();
    (0..)
        .zip(bases)
        .map(|(column, base)| {
            if !given.contains(base) && !means_another(base, column) {
                given.insert(base.clone());
                return base.clone();
            }
            let mut number = 2_usize;
            loop {
                let candidate = format!("{base}_{number}");
                if !is_reserved(&candidate) && !means_another(&candidate, column) && taken.insert(candidate.clone()) {
                    return candidate;
                }
                number += 1;
            }
        })
        .collect()
}

/// The SQL name before it is made unique.
fn base_name(original: &str, index: usize) -> String {
    let mut name = identifier(original);
    if name.is_empty() {
        name = format!("column_{}", index + 1);
    }
    if name.starts_with(|character: char| character.is_ascii_digit()) {
        name.insert_str(0, "c_");
    }
    if is_reserved(&name) {
        name.push_str("_col");
    }
    name
}

/// Letters, digits and single `_` of `text`; may be empty or begin with a digit.
fn identifier(text: &str) -> String {
    let mut spelled = String::with_capacity(text.len());
    for character in text.nfkd().flat_map(char::to_lowercase) {
        match character {
            'a'..='z' | '0'..='9' => spelled.push(character),
            'ß' => spelled.push_str("ss"),
            'æ' => spelled.push_str("ae"),
            'œ' => spelled.push_str("oe"),
            'þ' => spelled.push_str("th"),
            'ø' => spelled.push('o'),
            'đ' | 'ð' => spelled.push('d'),
            'ł' => spelled.push('l'),
            'ı' => spelled.push('i'),
            // Soft hyphens, joiners, marks of direction and byte-order marks stand inside words.
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}' | '\u{feff}' => {}
            _ if is_combining_mark(character) || character.is_alphanumeric() => {}
            _ => spelled.push('_'),
        }
    }
    let words: Vec<&str> = spelled.split('_').filter(|word| !word.is_empty()).collect();
    let mut name = words.join("_");
    name.truncate(LONGEST_SQL_NAME);
    name.truncate(name.trim_end_matches('_').len());
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    fn names(originals: &[&str]) -> Vec<String> {
        name_columns(originals.iter().map(|&name| name.to_owned()).collect())
            .into_iter()
            .map(|column| column.sql)
            .collect()
    }

    #[test]
    fn plain_identifiers() {
        let given = [
            "Team",
            "goals  for",
            "Pop. (km²)",
            "1st leg",
            "a\nb",
            "\"quoted\"",
            "São_Paulo",
            "№",
            "men's",
        ];
        let named = [
            "team",
            "goals_for",
            "pop_km2",
            "c_1st_leg",
            "a_b",
            "quoted",
            "sao_paulo",
            "no_col",
            "men_s",
        ];
        assert_eq!(names(&given), named);
    }

    #[test]
    fn nothing_left_is_numbered() {
        assert_eq!(
            names(&["", "#", "東京", "\u{a0}\n", "%"]),
            ["column_1", "column_2", "column_3", "column_4", "column_5"]
        );
    }

    #[test]
    fn keywords_and_row_numbers() {
        let given = ["order", "Group", "rowid", "oid", "_rowid_", "true", "order_col"];
        let named = [
            "order_col_2",
            "group_col",
            "rowid_col",
            "oid_col",
            "rowid_col_2",
            "true_col",
            "order_col",
        ];
        assert_eq!(names(&given), named);
    }

    #[test]
    fn repeated_names_are_checked_again() {
        assert_eq!(names(&["a", "a", "a_2", "a "]), ["a", "a_3", "a_2", "a_4"]);
        assert_eq!(names(&["column 2", ""]), ["column_2", "column_2_2"]);
    }

    /// SQLite takes a quoted name without regard to case: what the file calls one column must not be another's name.
    #[test]
    fn what_the_file_calls_a_column_is_no_other_columns_name() {
        assert_eq!(names(&["Net Price", "net_price"]), ["net_price_2", "net_price"]);
        assert_eq!(names(&["Name", "name"]), ["name_2", "name_3"]);
        assert_eq!(names(&["order", "order_col"]), ["order_col_2", "order_col"]);
        assert_eq!(names(&["a", "A_2", "A", "a "]), ["a_3", "a_2", "a_4", "a_5"]);
        let input = name_columns(vec!["Price".to_owned(), "Units".to_owned()]);
        let columns = name_computed_columns(&[
            ("price".to_owned(), Some(&input[1])),
            ("price".to_owned(), Some(&input[0])),
        ]);
        assert_eq!(
            (columns[0].sql.as_str(), columns[1].sql.as_str()),
            ("price_2", "price_3")
        );
    }

    #[test]
    fn display_is_one_line() {
        let columns = name_columns(vec!["Goals\n for\t".to_owned(), " \u{a0}".to_owned()]);
        assert_eq!(columns[0].display, "Goals for");
        assert_eq!(columns[0].original, "Goals\n for\t");
        assert_eq!(columns[1].display, "column 2");
    }

    #[test]
    fn carried_columns_keep_their_names() {
        let input = name_columns(vec!["Goals\nFor".to_owned(), "Team".to_owned()]);
        let results = [
            ("goals_for".to_owned(), Some(&input[0])),
            ("Squad".to_owned(), Some(&input[1])),
            ("COUNT(*)".to_owned(), None),
        ];
        let columns = name_computed_columns(&results);
        assert_eq!(columns[0], input[0]);
        assert_eq!(
            (columns[1].original.as_str(), columns[1].display.as_str()),
            ("Team", "Squad")
        );
        assert_eq!(
            (columns[2].display.as_str(), columns[2].sql.as_str()),
            ("COUNT(*)", "count")
        );
        assert_eq!(columns[1].sql, "squad");
    }

    #[test]
    fn a_column_carried_twice_is_told_apart() {
        let input = name_columns(vec!["Year".to_owned()]);
        let columns = name_computed_columns(&[
            ("year".to_owned(), Some(&input[0])),
            ("year".to_owned(), Some(&input[0])),
        ]);
        assert_eq!((columns[0].sql.as_str(), columns[1].sql.as_str()), ("year", "year_2"));
        assert_eq!(columns[1].display, "Year");
    }

    proptest! {
        #[test]
        fn every_header_works_as_a_table(originals in prop::collection::vec("(?s).{0,12}|[a-c_0-2 ]{0,4}", 1..12)) {
            let columns = name_columns(originals.clone());
            prop_assert_eq!(&columns, &name_columns(originals.clone()));
            let mut seen = BTreeSet::new();
            for (column, original) in columns.iter().zip(&originals) {
                prop_assert_eq!(&column.original, original);
                prop_assert!(!column.display.is_empty() && !column.display.contains(char::is_control));
                prop_assert!(column.sql.starts_with(|first: char| first.is_ascii_lowercase()));
                prop_assert!(column.sql.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'));
                prop_assert!(!is_reserved(&column.sql));
                prop_assert!(seen.insert(column.sql.clone()));
            }
            let list = columns.iter().map(|column| column.sql.as_str()).collect::<Vec<_>>().join(", ");
            let database = rusqlite::Connection::open_in_memory().unwrap();
            database.execute_batch(&format!("CREATE TABLE t ({list}); SELECT {list} FROM t")).unwrap();
        }
    }
}
