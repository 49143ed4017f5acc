//! A statement may call a column by the name its file gave it (`"to par"`) as well as by its SQL name (`to_par`).
//!
//! SQLite decides which names need help: only a name that SQLite itself cannot resolve, at the place where it says so,
//! is replaced by the SQL name of the column that has it as its original or display name. A name that SQLite resolves
//! (an SQL name, an alias) is never touched; no SQL name is what the file calls another column. Where the file calls a
//! column by a name of SQLite's row number, names are tried on a table that has no row numbers, so that it is the column; the
//! names of the row number that no column has stay what they are to SQLite.

use super::EngineError;
use super::join_names::refused_name;
use super::sqlite::{Database, quoted};
use crate::table::Column;

/// A statement with every column name one that SQLite knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Resolved {
    /// What runs.
    pub(super) run: String,
    /// The same with double-quoted text (where that is allowed) written in single quotes, for the parser.
    pub(super) parse: String,
}

struct Edit {
    start: usize,
    end: usize,
    run: String,
    parse: String,
    /// What stands there while names are tried.
    tried: String,
}

impl Edit {
    fn of(name: &Name, run: String, parse: String) -> Self {
        let tried = parse.clone();
        Self {
            start: name.start,
            end: name.end,
            run,
            parse,
            tried,
        }
    }

    /// A name that stays as it is written; a column stands for it where there are no row numbers.
    fn of_row_number(name: &Name, statement: &str, columns: &[Column]) -> Self {
        let written = statement[name.start..name.end].to_owned();
        let tried = columns
            .first()
            .map_or_else(|| written.clone(), |column| quoted(&column.sql));
        Self {
            tried,
            ..Self::of(name, written.clone(), written)
        }
    }
}

/// Resolves names until SQLite accepts the statement or says something else is wrong with it.
pub(super) fn resolve(
    database: &Database,
    columns: &[Column],
    statement: &str,
    double_quoted_strings: bool,
) -> Result<Resolved, EngineError> {
    let numberless = columns
        .iter()
        .any(|column| is_row_number(&column.original) || is_row_number(&column.display))
        .then(|| database.without_row_numbers())
        .transpose()?;
    let names = numberless.as_ref().unwrap_or(database);
    let mut edits: Vec<Edit> = Vec::new();
    loop {
        let parse = apply(statement, &edits, |edit| &edit.parse);
        let refusal = match names.check(&apply(statement, &edits, |edit| &edit.tried)) {
            Ok(_) => {
                let run = apply(statement, &edits, |edit| &edit.run);
                return Ok(Resolved { run, parse });
            }
            Err(refusal) => refusal,
        };
        let placed = refusal
            .unknown_column_at
            .and_then(|offset| original_offset(&edits, offset))
            .and_then(|offset| name_at(statement, offset));
        let unplaced = || {
            let is_known = |name: &Name| edits.iter().any(|edit| edit.start == name.start);
            refused_name(statement, refusal.message.as_deref()?, is_known)
        };
        let Some(name) = placed.or_else(unplaced) else {
            return Err(refusal.error);
        };
        if edits.iter().any(|edit| edit.start == name.start) {
            // What SQLite has to say of the statement as it is written.
            return Err(database.check(&parse).err().map_or(refusal.error, |own| own.error));
        }
        edits.push(match columns_named(columns, &name.text).as_slice() {
            [column] => Edit::of(&name, quoted(&column.sql), quoted(&column.sql)),
            [] if is_row_number(&name.text) && numberless.is_some() => Edit::of_row_number(&name, statement, columns),
            [] if double_quoted_strings && name.quote == Some('"') && !name.qualified => Edit::of(
                &name,
                statement[name.start..name.end].to_owned(),
                format!("'{}'", name.text.replace('\'', "''")),
            ),
            [] => return Err(refusal.error),
            several => {
                let names: Vec<&str> = several.iter().map(|column| column.sql.as_str()).collect();
                return Err(EngineError::Statement {
                    message: format!("ambiguous column name: {} (use one of {})", name.text, names.join(", ")),
                });
            }
        });
        edits.sort_by_key(|edit| edit.start);
    }
}

/// Whether SQLite takes this name for the row number, if no column has it.
fn is_row_number(name: &str) -> bool {
    ["rowid", "oid", "_rowid_"]
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known))
}

/// The first word of a statement, comments apart; empty when it begins with something else.
pub(super) fn first_word(statement: &str) -> &str {
    let start = skip_blanks(statement, 0);
    let rest = &statement[start..];
    let end = rest
        .find(|character: char| !(character.is_alphanumeric() || character == '_'))
        .unwrap_or(rest.len());
    &rest[..end]
}

/// Whether there is nothing but blanks, comments and semicolons.
pub(super) fn is_blank(statement: &str) -> bool {
    let mut position = skip_blanks(statement, 0);
    while statement[position..].starts_with(';') {
        position = skip_blanks(statement, position + 1);
    }
    position == statement.len()
}

/// Position after blanks and comments.
pub(super) fn skip_blanks(text: &str, mut position: usize) -> usize {
    loop {
        let rest = &text[position..];
        let trimmed =
            rest.trim_start_matches(|character: char| character.is_ascii_whitespace() || character == '\u{feff}');
        position += rest.len() - trimmed.len();
        if trimmed.starts_with("--") {
            position += trimmed.find('\n').map_or(trimmed.len(), |index| index + 1);
        } else if trimmed.starts_with("/*") {
            position += trimmed.find("*/").map_or(trimmed.len(), |index| index + 2);
        } else {
            return position;
        }
    }
}

fn apply<'edit>(statement: &str, edits: &'edit [Edit], text: impl Fn(&'edit Edit) -> &'edit String) -> String {
    let mut out = String::with_capacity(statement.len());
    let mut position = 0;
    for edit in edits {
        out.push_str(&statement[position..edit.start]);
        out.push_str(text(edit));
        position = edit.end;
    }
    out.push_str(&statement[position..]);
    out
}

/// Where a byte of the edited statement stands in the original one.
fn original_offset(edits: &[Edit], offset: usize) -> Option<usize> {
    let mut grown = 0_isize;
    for edit in edits {
        let start = edit.start.checked_add_signed(grown)?;
        if offset < start {
            break;
        }
        if offset < start + edit.tried.len() {
            return Some(edit.start);
        }
        grown += isize::try_from(edit.tried.len()).ok()? - isize::try_from(edit.end - edit.start).ok()?;
    }
    offset.checked_add_signed(-grown)
}

/// A name of a statement.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Name {
    /// Where it begins, in bytes.
    pub(super) start: usize,
    /// Where it ends.
    pub(super) end: usize,
    /// Without its quotes.
    pub(super) text: String,
    /// What it is quoted with.
    pub(super) quote: Option<char>,
    /// Whether a table is named before it.
    pub(super) qualified: bool,
}

/// The column name at an offset: of `t."a b"`, the last part.
fn name_at(statement: &str, offset: usize) -> Option<Name> {
    let mut name = identifier_at(statement, offset)?;
    loop {
        let dot = skip_blanks(statement, name.end);
        if !statement[dot..].starts_with('.') {
            return Some(name);
        }
        let mut next = identifier_at(statement, skip_blanks(statement, dot + 1))?;
        next.qualified = true;
        name = next;
    }
}

/// The name that begins at a byte.
pub(super) fn identifier_at(statement: &str, start: usize) -> Option<Name> {
    let rest = statement.get(start..)?;
    let first = rest.chars().next()?;
    let close = match first {
        '"' => Some('"'),
        '`' => Some('`'),
        '[' => Some(']'),
        _ => None,
    };
    let Some(close) = close else {
        let length = rest
            .find(|character: char| {
                !(character.is_ascii_alphanumeric() || character == '_' || character == '$' || !character.is_ascii())
            })
            .unwrap_or(rest.len());
        return (length > 0).then(|| Name {
            start,
            end: start + length,
            text: rest[..length].to_owned(),
            quote: None,
            qualified: false,
        });
    };
    let mut text = String::new();
    let mut characters = rest.char_indices().skip(1).peekable();
    while let Some((index, character)) = characters.next() {
        if character != close {
            text.push(character);
        } else if close != ']' && characters.peek().is_some_and(|(_, next)| *next == close) {
            text.push(close);
            characters.next();
        } else {
            return Some(Name {
                start,
                end: start + index + close.len_utf8(),
                text,
                quote: Some(first),
                qualified: false,
            });
        }
    }
    None
}

/// The columns that have this name outside SQL: as it stands if any has, else without regard to case and line breaks.
fn columns_named<'columns>(columns: &'columns [Column], name: &str) -> Vec<&'columns Column> {
    // In a result a column's name for people is the one it was given there: `code AS "No"`.
    let shown: Vec<&Column> = columns.iter().filter(|column| column.display == name).collect();
    if shown.len() == 1 {
        return shown;
    }
    let exact: Vec<&Column> = columns
        .iter()
        .filter(|column| column.original == name || column.display == name)
        .collect();
    if !exact.is_empty() {
        return exact;
    }
    let folded = fold(name);
    columns
        .iter()
        .filter(|column| fold(&column.original) == folded || fold(&column.display) == folded)
        .collect()
}

fn fold(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_of_a_qualified_name_is_the_column() {
        let name = name_at(r#"SELECT t . "a ""b" FROM t"#, 7).unwrap();
        assert_eq!((name.text.as_str(), name.qualified), ("a \"b", true));
        assert_eq!(&r#"SELECT t . "a ""b" FROM t"#[name.start..name.end], r#""a ""b""#);
        assert_eq!(name_at("[x y]", 0).unwrap().text, "x y");
        assert_eq!(name_at("größe > 2", 0).unwrap().text, "größe");
        assert_eq!(name_at("\"open", 0), None);
    }

    #[test]
    fn first_word_looks_past_comments() {
        assert_eq!(first_word(" -- SELECT\n /* x */ With a as"), "With");
        assert_eq!(first_word("-- only this"), "");
    }

    #[test]
    fn offsets_map_back_through_edits() {
        let edits = vec![
            Edit {
                start: 7,
                end: 10,
                run: String::new(),
                parse: String::new(),
                tried: "\"longer\"".into(),
            },
            Edit {
                start: 12,
                end: 20,
                run: String::new(),
                parse: String::new(),
                tried: "x".into(),
            },
        ];
        assert_eq!(original_offset(&edits, 3), Some(3));
        assert_eq!(original_offset(&edits, 9), Some(7));
        assert_eq!(original_offset(&edits, 16), Some(11));
        assert_eq!(original_offset(&edits, 18), Some(20));
    }
}
