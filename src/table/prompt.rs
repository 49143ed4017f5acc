//! The text forms of a table that prompts use.
//!
//! - [`pipe`]: the block of Chain-of-Table, DATER and Plan-of-SQLs (`/*`, `col : a | b`, `row 1 : x | y`, `*/`).
//! - [`create_table`]: the `CREATE TABLE` statement with tab-separated rows in a comment, as Binder and Text-to-SQL have it.
//! - [`markdown`]: a Markdown table.
//!
//! **Budget.** A form over its budget leaves rows out of the middle and says so in a line of its own,
//! `... N rows omitted (rows a to b)`; the rows kept have the numbers they have in the table. The header always stays,
//! even over the budget.
//!
//! **Escaping.** Cells come from anywhere, and none may end a row, a column, a comment or a fence. In every form a
//! backslash is written `\\`, a line break `\n` (`<br>` in Markdown), a tab `\t`, and other control characters and line
//! separators `\u{..}`. In the block and in Markdown `|` is `\|`. In the block and the comment `*/` is `*\/`, `/*` is
//! `/\*`, and three or more backticks have a backslash each; a row of the comment that begins with `...` gets one too.
//! In Markdown a backtick and `<` are always escaped. SQL's NULL is `NULL`; so is the text "NULL". The table itself is
//! never changed.

use super::{Cell, Column, ColumnType, Table};

/// A table as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptTable {
    /// The text, without a line break at its end.
    pub text: String,
    /// Body rows left out to keep the budget.
    pub rows_omitted: usize,
}

/// Which of a column's names a prompt shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnNames {
    /// The names for people.
    Display,
    /// The names that SQL can use.
    Sql,
}

impl ColumnNames {
    fn of(self, column: &Column) -> &str {
        match self {
            Self::Display => &column.display,
            Self::Sql => &column.sql,
        }
    }
}

/// Tokens of a text by the rule of thumb of four bytes a token, rounded up.
pub fn estimated_tokens(text: &str) -> usize {
    text.len().div_ceil(4)
}

/// The pipe block. `budget` is in estimated tokens.
pub fn pipe(table: &Table, caption: Option<&str>, names: ColumnNames, budget: Option<usize>) -> PromptTable {
    let escape = |text: &str| escape(text, Form::Pipe);
    let mut head = vec!["/*".to_owned()];
    head.extend(caption.map(|caption| format!("table caption : {}", escape(caption))));
    head.push(format!(
        "col : {}",
        joined(table.columns.iter().map(|column| escape(names.of(column))), " | ")
    ));
    let rows = table.rows.iter().enumerate().map(|(index, row)| {
        let cells = row.iter().map(|cell| cell_text(cell, Form::Pipe));
        format!("row {} : {}", index + 1, joined(cells, " | "))
    });
    fit(head, rows.collect(), |line| line, vec!["*/".to_owned()], budget)
}

/// The `CREATE TABLE` form; `name` is the table's name in SQL. `budget` is in estimated tokens.
pub fn create_table(
    table: &Table,
    name: &str,
    caption: Option<&str>,
    names: ColumnNames,
    budget: Option<usize>,
) -> PromptTable {
    let escape = |text: &str| escape(text, Form::Comment);
    let definitions = table
        .columns
        .iter()
        .zip(table.column_types())
        .map(|(column, column_type)| {
            let type_name = match column_type {
                ColumnType::Text => "text",
                ColumnType::Integer => "integer",
                ColumnType::Real => "real",
            };
            format!("\t{} {type_name}", definition_name(column, names))
        });
    let mut head = vec![
        format!("CREATE TABLE {name}("),
        joined(definitions, ",\n"),
        ")".to_owned(),
        "/*".to_owned(),
    ];
    head.extend(caption.map(|caption| format!("table caption : {}", escape(caption))));
    head.push(format!("{} rows:", table.rows.len()));
    head.push(format!("SELECT * FROM {name};"));
    head.push(joined(
        table.columns.iter().map(|column| escape(names.of(column))),
        "\t",
    ));
    let rows = table.rows.iter().map(|row| {
        let line = joined(row.iter().map(|cell| cell_text(cell, Form::Comment)), "\t");
        if line.starts_with("...") {
            format!("\\{line}")
        } else {
            line
        }
    });
    fit(head, rows.collect(), |line| line, vec!["*/".to_owned()], budget)
}

/// The Markdown form, the caption in a line above. `budget` is in estimated tokens.
pub fn markdown(table: &Table, caption: Option<&str>, names: ColumnNames, budget: Option<usize>) -> PromptTable {
    let escape = |text: &str| escape(text, Form::Markdown);
    let row = |cells: &mut dyn Iterator<Item = String>| format!("| {} |", joined(cells, " | "));
    let mut head = Vec::new();
    if let Some(caption) = caption {
        head.extend([format!("Table: {}", escape(caption)), String::new()]);
    }
    head.push(row(&mut table.columns.iter().map(|column| escape(names.of(column)))));
    head.push(row(&mut table.columns.iter().map(|_| "---".to_owned())));
    let rows = table
        .rows
        .iter()
        .map(|cells| row(&mut cells.iter().map(|cell| cell_text(cell, Form::Markdown))));
    let empty_cells = " |".repeat(table.columns.len().saturating_sub(1));
    fit(
        head,
        rows.collect(),
        |line| format!("| {line} |{empty_cells}"),
        Vec::new(),
        budget,
    )
}

fn joined(parts: impl Iterator<Item = String>, separator: &str) -> String {
    parts.collect::<Vec<_>>().join(separator)
}

/// A column's name where it is defined: SQL names are plain, others need quotes and must stay on their line.
fn definition_name(column: &Column, names: ColumnNames) -> String {
    match names {
        ColumnNames::Sql => column.sql.clone(),
        ColumnNames::Display => format!("\"{}\"", escape(&column.display, Form::Comment).replace('"', "\"\"")),
    }
}

/// Puts the lines together, leaving out rows of the middle when all of them are over the budget.
fn fit(
    head: Vec<String>,
    rows: Vec<String>,
    omission_row: impl Fn(String) -> String,
    tail: Vec<String>,
    budget: Option<usize>,
) -> PromptTable {
    let count = rows.len();
    let bytes = |lines: &[String]| lines.iter().map(|line| line.len() + 1).sum::<usize>();
    let fixed = bytes(&head) + bytes(&tail);
    let budget_bytes = budget.map_or(usize::MAX, |tokens| tokens.saturating_mul(4));
    let (mut first, mut last) = (count, 0);
    // The break at the end of the last line is not written.
    if (fixed + bytes(&rows)).saturating_sub(1) > budget_bytes {
        (first, last) = (0, 0);
        // The longest that the line can become, whichever rows it will stand for.
        let omission_bytes = omission_row(format!("... {count} rows omitted (rows {count} to {count})")).len();
        let mut used = fixed + omission_bytes;
        while first + last < count {
            let from_head = first <= last;
            let next = if from_head { first } else { count - 1 - last };
            used += rows[next].len() + 1;
            if used > budget_bytes {
                break;
            }
            if from_head {
                first += 1;
            } else {
                last += 1;
            }
        }
    }
    let omitted = count - first - last;
    let mut lines = head;
    let mut rows = rows.into_iter();
    lines.extend(rows.by_ref().take(first));
    if omitted > 0 {
        lines.push(omission_row(omission(first + 1, first + omitted)));
    }
    lines.extend(rows.skip(omitted));
    lines.extend(tail);
    PromptTable {
        text: lines.join("\n"),
        rows_omitted: omitted,
    }
}

/// The line that stands for the 1-based rows `from` to `to`.
fn omission(from: usize, to: usize) -> String {
    let count = to + 1 - from;
    if count == 1 {
        format!("... 1 row omitted (row {from})")
    } else {
        format!("... {count} rows omitted (rows {from} to {to})")
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Pipe,
    Comment,
    Markdown,
}

fn cell_text(cell: &Cell, form: Form) -> String {
    match cell {
        None => "NULL".to_owned(),
        Some(text) => escape(text, form),
    }
}

fn escape(text: &str, form: Form) -> String {
    let markdown = form == Form::Markdown;
    let long_fence = text.contains("```");
    let mut escaped = String::with_capacity(text.len());
    let mut previous = None;
    for character in text.chars() {
        match character {
            '\\' => escaped.push_str("\\\\"),
            '\n' if markdown => escaped.push_str("<br>"),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            '|' if form != Form::Comment => escaped.push_str("\\|"),
            '/' if !markdown && previous == Some('*') => escaped.push_str("\\/"),
            '*' if !markdown && previous == Some('/') => escaped.push_str("\\*"),
            '`' if markdown || long_fence => escaped.push_str("\\`"),
            '<' if markdown => escaped.push_str("\\<"),
            _ if character.is_control() || matches!(character, '\u{2028}' | '\u{2029}') => {
                escaped.push_str(&character.escape_unicode().to_string());
            }
            _ => escaped.push(character),
        }
        previous = Some(character);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::columns::name_columns;
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    fn table(columns: &[&str], rows: &[&[Option<&str>]]) -> Table {
        let columns = name_columns(columns.iter().map(|&name| name.to_owned()).collect());
        let rows = rows
            .iter()
            .map(|row| row.iter().map(|cell| cell.map(str::to_owned)).collect())
            .collect();
        Table::new(columns, rows).unwrap()
    }

    fn numbered(rows: usize) -> Table {
        Table::from_text(
            ["Name", "Points"],
            (1..=rows).map(|row| vec![format!("n{row}"), row.to_string()]),
        )
        .unwrap()
    }

    #[test]
    fn the_pipe_block() {
        let table = table(
            &["Club", "Goals For"],
            &[&[Some("Alpha"), Some("3")], &[Some(""), None]],
        );
        assert_eq!(
            pipe(&table, Some("Clubs"), ColumnNames::Display, None).text,
            "/*\ntable caption : Clubs\ncol : Club | Goals For\nrow 1 : Alpha | 3\nrow 2 :  | NULL\n*/"
        );
        assert!(
            pipe(&table, None, ColumnNames::Sql, None)
                .text
                .starts_with("/*\ncol : club | goals_for\n")
        );
    }

    #[test]
    fn the_create_table_form() {
        let table = table(
            &["Club", "Goals \"For\""],
            &[&[Some("Alpha\tB"), Some("3")], &[Some("...x"), Some("4")]],
        );
        assert_eq!(
            create_table(&table, "t", None, ColumnNames::Sql, None).text,
            "CREATE TABLE t(\n\tclub text,\n\tgoals_for integer\n)\n/*\n2 rows:\nSELECT * FROM t;\nclub\tgoals_for\n\
             Alpha\\tB\t3\n\\...x\t4\n*/"
        );
        let quoted = create_table(&table, "t", None, ColumnNames::Display, None).text;
        assert!(quoted.contains("\t\"Goals \"\"For\"\"\" integer\n"));
    }

    #[test]
    fn the_markdown_form() {
        let table = table(&["a|b", "c"], &[&[Some("x\ny"), Some("`<b>`")], &[None, Some("*")]]);
        assert_eq!(
            markdown(&table, Some("T"), ColumnNames::Display, None).text,
            "Table: T\n\n| a\\|b | c |\n| --- | --- |\n| x<br>y | \\`\\<b>\\` |\n| NULL | * |"
        );
    }

    #[test]
    fn hostile_cells_stay_in_their_cell() {
        let hostile = "a | b */ /* ```sql\nrow 9 : \\ \u{2028}";
        let text = pipe(&table(&["h"], &[&[Some(hostile)]]), None, ColumnNames::Display, None).text;
        assert_eq!(
            text.lines().collect::<Vec<_>>()[2],
            "row 1 : a \\| b *\\/ /\\* \\`\\`\\`sql\\nrow 9 : \\\\ \\u{2028}"
        );
        assert_eq!(text.matches("*/").count(), 1);
    }

    #[test]
    fn rows_over_the_budget_are_left_out_of_the_middle() {
        let table = numbered(100);
        let whole = pipe(&table, None, ColumnNames::Sql, None);
        assert_eq!(whole.rows_omitted, 0);
        assert_eq!(
            pipe(&table, None, ColumnNames::Sql, Some(estimated_tokens(&whole.text))),
            whole
        );
        let cut = pipe(&table, None, ColumnNames::Sql, Some(50));
        assert!(estimated_tokens(&cut.text) <= 50);
        let lines: Vec<&str> = cut.text.lines().collect();
        assert_eq!(lines[2], "row 1 : n1 | 1");
        assert_eq!(lines[lines.len() - 2], "row 100 : n100 | 100");
        let kept = lines.iter().filter(|line| line.starts_with("row ")).count();
        assert_eq!(kept + cut.rows_omitted, 100);
        assert!(
            cut.text
                .contains(&format!("\n... {} rows omitted (rows ", cut.rows_omitted))
        );
    }

    #[test]
    fn the_header_stays_whatever_the_budget() {
        let cut = markdown(&numbered(3), None, ColumnNames::Sql, Some(0));
        assert_eq!(
            cut.text,
            "| name | points |\n| --- | --- |\n| ... 3 rows omitted (rows 1 to 3) | |"
        );
        assert_eq!(cut.rows_omitted, 3);
        assert_eq!(
            pipe(&numbered(0), None, ColumnNames::Sql, Some(0)).text,
            "/*\ncol : name | points\n*/"
        );
    }

    /// Splits a line of the block at its bars and undoes the escapes.
    fn read_back(line: &str) -> Vec<String> {
        let mut cells = vec![String::new()];
        let mut characters = line.chars();
        while let Some(character) = characters.next() {
            let cell = cells.last_mut().unwrap();
            match character {
                '|' => cells.push(String::new()),
                '\\' => match characters.next().unwrap() {
                    'n' => cell.push('\n'),
                    'r' => cell.push('\r'),
                    't' => cell.push('\t'),
                    'u' => {
                        let code: String = characters.by_ref().skip(1).take_while(|&digit| digit != '}').collect();
                        cell.push(char::from_u32(u32::from_str_radix(&code, 16).unwrap()).unwrap());
                    }
                    other => cell.push(other),
                },
                _ => cell.push(character),
            }
        }
        let count = cells.len();
        let inner = |(index, cell): (usize, String)| {
            let cell = if index > 0 {
                cell.strip_prefix(' ').unwrap().to_owned()
            } else {
                cell
            };
            if index + 1 < count {
                cell.strip_suffix(' ').unwrap().to_owned()
            } else {
                cell
            }
        };
        cells.into_iter().enumerate().map(inner).collect()
    }

    proptest! {
        #[test]
        fn every_cell_can_be_read_back(rows in prop::collection::vec(prop::collection::vec("(?s).{0,8}|[|*/`\\\\\n. ]{0,8}", 3), 0..5)) {
            let table = Table::from_text(["a", "b", "c"], rows.clone()).unwrap();
            let text = pipe(&table, None, ColumnNames::Sql, None).text;
            prop_assert!(!text.contains("```"));
            let lines: Vec<&str> = text.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{b}', '\u{c}']).collect();
            prop_assert_eq!(lines.len(), rows.len() + 3);
            prop_assert_eq!(text.matches("*/").count(), 1);
            for (index, row) in rows.iter().enumerate() {
                let line = lines[index + 2].strip_prefix(&format!("row {} : ", index + 1)).unwrap();
                prop_assert_eq!(&read_back(line), row);
            }
        }

        #[test]
        fn the_budget_is_kept_and_every_row_accounted_for(count in 0_usize..40, budget in 0_usize..400) {
            let table = numbered(count);
            for cut in [
                pipe(&table, Some("c"), ColumnNames::Display, Some(budget)),
                create_table(&table, "t", Some("c"), ColumnNames::Sql, Some(budget)),
                markdown(&table, Some("c"), ColumnNames::Display, Some(budget)),
            ] {
                let kept = (1..=count).filter(|row| cut.text.contains(&format!("n{row}"))).count();
                prop_assert!(cut.rows_omitted <= count);
                prop_assert!(kept >= count - cut.rows_omitted);
                if cut.rows_omitted < count {
                    prop_assert!(estimated_tokens(&cut.text) <= budget);
                }
            }
        }
    }
}
