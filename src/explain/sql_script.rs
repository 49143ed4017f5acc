//! The programs of a listing as one script that runs by itself: it makes the table as the engine types it, then every
//! step's result as a table of its own. Each step's statement stands as it ran and reads `table_sql`, which is made anew
//! before it from the result it ran on, its columns typed by their cells as the engine types them.

use std::fmt::Write;

use super::material::Material;
use super::own_texts::OwnTexts;
use super::sql_pieces::{PieceKind, pieces, without_comments};
use super::view::StepView;
use super::visible_text::{visible, visible_line};
use super::words;
use crate::table::value::typed_value;
use crate::table::{ColumnType, Table, Value};

/// Bytes of the table's rows that a script holds; a larger table is to be loaded from its file.
pub(super) const SCRIPT_DATA_BYTES: usize = 64 << 10;

/// A script, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Script {
    /// Its text.
    Runs(String),
    /// Why there is none, as a sentence.
    Missing(&'static str),
}

impl Script {
    /// What its page calls it.
    pub(super) fn heading(&self) -> &'static str {
        if self.needs_table() { BESIDE_TABLE } else { BY_ITSELF }
    }

    /// Whether the rows of the table are not in it.
    pub(super) fn needs_table(&self) -> bool {
        matches!(self, Self::Runs(text) if text.starts_with(BEGINS_BESIDE_TABLE))
    }
}

const BEGINS_BESIDE_TABLE: &str = "-- Runs beside table.csv, which has the rows of the table: sqlite3 < script.sql";

/// The heading of a script that holds the table.
pub(super) const BY_ITSELF: &str = "A script that runs by itself";

/// The heading of one that does not.
pub(super) const BESIDE_TABLE: &str = "A script that runs beside the file of the table";

/// How the one is run, as the template says it.
pub(super) const RUN_BY_ITSELF: &str =
    "It makes the table and every step’s result in SQLite: save it as script.sql and run sqlite3 < script.sql.";

/// How the other is run.
pub(super) const RUN_BESIDE_TABLE: &str = "It makes every step’s result in SQLite: save it as script.sql beside the table as \
                                           table.csv and run sqlite3 < script.sql.";

/// Writes the script of the steps that a page shows; `None` when no step has a result.
pub(super) fn write(material: &Material<'_>, own: &OwnTexts<'_>, shown: &[StepView]) -> Option<Script> {
    let ran: Vec<(usize, &StepView)> = shown
        .iter()
        .filter_map(|view| {
            let index = view.number.checked_sub(1)?;
            material.steps.get(index)?.output.map(|_| (index, view))
        })
        .collect();
    let last = ran.last()?.0;
    let mut script = Scripted {
        text: own.script().to_owned(),
        loaded: 0,
    };
    // A step may go back to the table after another one has replaced it.
    if ran
        .iter()
        .skip(1)
        .any(|(index, _)| material.steps.get(*index).is_some_and(|step| step.input == 0))
    {
        script
            .text
            .push_str("CREATE TABLE table_sql_0 AS SELECT * FROM table_sql;\n");
    }
    for (index, view) in ran {
        let step = material.steps.get(index)?;
        let Some(program) = &step.program else {
            return Some(Script::Missing("A step’s program was not kept, so there is no script."));
        };
        if view.program.as_deref() != Some(visible(&without_comments(&program.text)).as_str()) {
            return Some(Script::Missing("Part of a program is withheld, so there is no script."));
        }
        let statement = without_comments(program.ran.as_ref().unwrap_or(&program.text));
        if statement.replace("\r\n", "\n") != visible(&statement) {
            return Some(Script::Missing(
                "A program holds characters that cannot be shown, so there is no script.",
            ));
        }
        let result = step.output.and_then(|output| material.table_at(output));
        let Some((input, result)) = material.table_at(step.input).zip(result) else {
            return Some(Script::Missing(
                "A table between the steps was not kept, so there is no script.",
            ));
        };
        if step.input != script.loaded {
            let maker = material.steps.iter().position(|maker| maker.output == Some(step.input));
            script.load(input, maker.map_or(0, |maker| maker + 1));
            script.loaded = step.input;
        }
        script.run(view, &statement, result);
    }
    let _ = writeln!(script.text, "\nSELECT * FROM table_sql_{};", last + 1);
    Some(Script::Runs(script.text))
}

/// How every script of a sample begins: it makes the sample's own table.
pub(super) fn first_table(table: &Table) -> String {
    let mut script = Scripted {
        text: String::new(),
        loaded: 0,
    };
    let heading = if script.make_first_table(table) {
        "-- Runs by itself: sqlite3 < script.sql"
    } else {
        BEGINS_BESIDE_TABLE
    };
    format!("{heading}\n\n{}", script.text)
}

struct Scripted {
    text: String,
    /// Which of the trace's tables `table_sql` is.
    loaded: usize,
}

impl Scripted {
    /// Whether the table's rows are in the script.
    fn make_first_table(&mut self, table: &Table) -> bool {
        let types = table.column_types();
        let _ = writeln!(self.text, "CREATE TABLE table_sql ({});", definitions(table, &types));
        let mut rows = String::new();
        for row in &table.rows {
            let values: Vec<String> = row
                .iter()
                .zip(&types)
                .map(|(cell, column_type)| literal(&typed_value(cell, *column_type)))
                .collect();
            let _ = write!(
                rows,
                "{}\n({})",
                if rows.is_empty() { "" } else { "," },
                values.join(", ")
            );
            if rows.len() > SCRIPT_DATA_BYTES {
                let _ = writeln!(
                    self.text,
                    "-- The table’s {} are too much for this page. Load them from a file with the same columns:\n\
                     .bail on\n.import --csv --skip 1 table.csv table_sql",
                    words::count(table.rows.len(), "row")
                );
                for column in empty_number_columns(table, &types) {
                    let _ = writeln!(self.text, "UPDATE table_sql SET {column} = NULLIF({column}, '');");
                }
                for column in infinite_columns(table, &types) {
                    let _ = writeln!(
                        self.text,
                        "UPDATE table_sql SET {column} = IIF({column} LIKE '%-%', -9e999, 9e999) \
                         WHERE typeof({column}) = 'text' AND {column} LIKE '%inf%';"
                    );
                }
                return false;
            }
        }
        if !rows.is_empty() {
            let _ = writeln!(self.text, "INSERT INTO table_sql VALUES{rows};");
        }
        true
    }

    /// Makes `table_sql` anew from a step's result.
    fn load(&mut self, table: &Table, number: usize) {
        let types = table.column_types();
        let from = format!("table_sql_{number}");
        let empty = empty_number_columns(table, &types);
        let names = names(table);
        let selected = if empty.is_empty() {
            format!("SELECT * FROM {from}")
        } else {
            let values: Vec<String> = names
                .iter()
                .map(|name| {
                    if empty.contains(name) {
                        format!("NULLIF({name}, '')")
                    } else {
                        name.clone()
                    }
                })
                .collect();
            format!(
                "WITH result ({}) AS (SELECT * FROM {from}) SELECT {} FROM result",
                names.join(", "),
                values.join(", ")
            )
        };
        let _ = write!(
            self.text,
            "\n-- The next step reads this, each column typed by its cells.\nDROP TABLE table_sql;\n\
             CREATE TABLE table_sql ({});\nINSERT INTO table_sql {selected};\n",
            definitions(table, &types),
        );
    }

    /// A result's columns have no type, or texts of digits would become numbers in a union with a column of these.
    fn run(&mut self, view: &StepView, statement: &str, result: &Table) {
        let words = visible_line(&view.words);
        let _ = write!(self.text, "\n-- Step {}", view.number);
        if !words.is_empty() {
            let _ = write!(self.text, ": {words}");
        }
        if statement.to_ascii_lowercase().contains("regexp") {
            self.text
                .push_str("\n-- REGEXP needs a SQLite that has it, as its shell does.");
        }
        let _ = writeln!(
            self.text,
            "\nCREATE TABLE table_sql_{0} ({1});\nINSERT INTO table_sql_{0}\n{2};",
            view.number,
            names(result).join(", "),
            without_end(statement)
        );
    }
}

/// The columns by their quoted names.
fn names(table: &Table) -> Vec<String> {
    table.columns.iter().map(|column| quoted(&column.sql)).collect()
}

fn definitions(table: &Table, types: &[ColumnType]) -> String {
    let columns: Vec<String> = table
        .columns
        .iter()
        .zip(types)
        .map(|(column, column_type)| format!("{} {}", quoted(&column.sql), column_type.sql()))
        .collect();
    columns.join(", ")
}

/// Columns of numbers with empty cells, which have no value for the engine, by their quoted names.
fn empty_number_columns(table: &Table, types: &[ColumnType]) -> Vec<String> {
    number_columns_with(table, types, str::is_empty)
}

/// Columns of numbers with cells such as `inf`, which SQLite would leave as texts.
fn infinite_columns(table: &Table, types: &[ColumnType]) -> Vec<String> {
    number_columns_with(table, types, |cell| cell.contains(['n', 'N']))
}

/// Columns of numbers with a cell that is so, by their quoted names.
fn number_columns_with(table: &Table, types: &[ColumnType], is_so: impl Fn(&str) -> bool) -> Vec<String> {
    let has = |index: usize| {
        let mut cells = table.rows.iter().filter_map(|row| row.get(index)?.as_deref());
        cells.any(&is_so)
    };
    table
        .columns
        .iter()
        .zip(types)
        .enumerate()
        .filter(|(index, (_, column_type))| **column_type != ColumnType::Text && has(*index))
        .map(|(_, (column, _))| quoted(&column.sql))
        .collect()
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A value as SQL has it. What a page could not show as it is stands there by its number.
fn literal(value: &Value) -> String {
    let text = match value {
        Value::Null => return "NULL".to_owned(),
        Value::Integer(number) => return number.to_string(),
        Value::Real(number) if number.is_infinite() => {
            return if *number > 0.0 { "9e999" } else { "-9e999" }.to_owned();
        }
        Value::Real(number) => return format!("{number:?}"),
        Value::Text(text) => text,
    };
    let mut parts: Vec<String> = Vec::new();
    let mut plain = String::new();
    for character in text.chars() {
        if character == '\'' {
            plain.push_str("''");
            continue;
        }
        let alone = character.to_string();
        if visible(&alone) == alone {
            plain.push(character);
            continue;
        }
        if !plain.is_empty() {
            parts.push(format!("'{}'", std::mem::take(&mut plain)));
        }
        parts.push(format!("char({})", u32::from(character)));
    }
    if !plain.is_empty() || parts.is_empty() {
        parts.push(format!("'{plain}'"));
    }
    parts.join(" || ")
}

/// A statement without what ends it: semicolons, blanks and comments behind it.
fn without_end(statement: &str) -> String {
    let mut kept = pieces(statement);
    while let Some(last) = kept.last_mut() {
        let rest = match last.kind {
            PieceKind::Comment => "",
            PieceKind::Plain => last.text.trim_end_matches(|c: char| c == ';' || c.is_whitespace()),
            _ => break,
        };
        if !rest.is_empty() {
            let length = rest.len();
            last.text.truncate(length);
            break;
        }
        kept.pop();
    }
    kept.into_iter().map(|piece| piece.text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_so_that_they_survive_a_page() {
        assert_eq!(literal(&Value::Text("it's\n".to_owned())), "'it''s\n'");
        assert_eq!(
            literal(&Value::Text("a\0b\r".to_owned())),
            "'a' || char(0) || 'b' || char(13)"
        );
        assert_eq!(literal(&Value::Text("\u{202e}".to_owned())), "char(8238)");
        assert_eq!(literal(&Value::Text(String::new())), "''");
        assert_eq!(literal(&Value::Real(f64::NEG_INFINITY)), "-9e999");
        assert_eq!(literal(&Value::Real(3.0)), "3.0");
    }

    #[test]
    fn a_statement_loses_its_end_alone() {
        assert_eq!(without_end("SELECT ';' ; -- all\n ;"), "SELECT ';'");
        assert_eq!(without_end("SELECT 1 /* x */"), "SELECT 1");
        assert_eq!(without_end("SELECT a -- b\nFROM t;\n"), "SELECT a -- b\nFROM t");
    }
}
