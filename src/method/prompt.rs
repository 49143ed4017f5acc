//! Rendering the prompts: the embedded templates, and what every one of them is given.
//!
//! A prompt is task, demonstrations, table, question, instructions and cue, in this order. Texts that come from tables,
//! questions or a model are put on one line before they go in; tables go in through [`crate::table::prompt`], which
//! keeps cells from ending their own row or block. Templates never see a text as a template.

use std::sync::LazyLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, Error, UndefinedBehavior, Value, context};

use super::demonstrations::{Demonstration, demonstrations, step_demonstrations};
use crate::dataset::{Answer, QuestionKind, Sample};
use crate::engine::TABLE_NAME;
use crate::table::prompt::{ColumnNames, create_table, pipe};
use crate::table::{ColumnType, Table};
use crate::trace::FailedAttempt;

/// Example values of a column that a prompt shows.
const EXAMPLE_VALUES: usize = 3;
/// Longest example value, in characters.
const LONGEST_EXAMPLE: usize = 40;
/// Longest failed statement or error that a repair prompt quotes, in characters.
const LONGEST_QUOTE: usize = 2_000;

macro_rules! templates {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../templates/prompts/", $name)))),*]
    };
}

/// Every template by its path under `templates/prompts/`.
const TEMPLATES: &[(&str, &str)] = templates![
    "shared/answer_form.txt",
    "shared/repair.txt",
    "shared/sql_rules.txt",
    "shared/system.txt",
    "shared/task.txt",
    "chain_of_thought/answer.txt",
    "end_to_end/answer.txt",
    "few_shot/answer.txt",
    "pos/next_step.txt",
    "pos/plan.txt",
    "pos/planning_rules.txt",
    "pos/sentence.txt",
    "pos/sql.txt",
    "self_explanation/answer.txt",
    "text_to_sql/sql.txt",
];

/// The two messages of a call.
pub(super) struct Messages {
    /// Standing instructions.
    pub(super) system: String,
    /// Everything else.
    pub(super) user: String,
}

/// Renders the template of this name.
pub(super) fn render(template: &str, values: Value) -> Result<Messages, Error> {
    static ENVIRONMENT: LazyLock<Result<Environment<'static>, String>> = LazyLock::new(|| {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        let syntax = SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .build()
            .map_err(|error| format!("{error:#}"))?;
        environment.set_syntax(syntax);
        for (name, source) in TEMPLATES {
            environment
                .add_template(name, source)
                .map_err(|error| format!("{error:#}"))?;
        }
        Ok(environment)
    });
    let environment = ENVIRONMENT
        .as_ref()
        .map_err(|message| Error::new(minijinja::ErrorKind::SyntaxError, message.clone()))?;
    Ok(Messages {
        system: environment.get_template("shared/system.txt")?.render(context! {})?,
        user: environment.get_template(template)?.render(values)?,
    })
}

/// What a prompt says of a question: its kind, label, words, and the table under the names people know.
/// `budget` is in estimated tokens and holds for the table alone.
pub(super) fn question(sample: &Sample, table: &Table, budget: usize) -> Value {
    context! {
        kind => kind_name(sample.kind),
        label => label(sample.kind),
        question => one_line(&sample.question),
        table => pipe(table, sample.caption.as_deref(), ColumnNames::Display, Some(budget)).text,
        row_count => table.rows.len(),
    }
}

/// The demonstrations of a kind, at most so many, with their tables as [`question`] has them.
pub(super) fn shots(kind: QuestionKind, at_most: usize) -> Vec<Value> {
    let all = demonstrations(kind).iter();
    all.take(at_most)
        .map(|shot| {
            shot_context(
                shot,
                pipe(&shot.table, Some(&shot.caption), ColumnNames::Display, None).text,
            )
        })
        .collect()
}

/// The same with `CREATE TABLE` statements for tables.
pub(super) fn sql_shots(kind: QuestionKind) -> Vec<Value> {
    demonstrations(kind)
        .iter()
        .filter(|shot| shot.sql.is_some())
        .map(|shot| shot_context(shot, definition(&shot.table, Some(&shot.caption), None)))
        .collect()
}

fn shot_context(shot: &Demonstration, table: String) -> Value {
    context! {
        table,
        row_count => shot.table.rows.len(),
        question => shot.question.as_str(),
        answer => written(&shot.answer),
        reasoning => shot.reasoning.as_str(),
        plan => shot.plan.iter().map(|step| step.step.clone()).collect::<Vec<_>>(),
        sql => shot.sql.as_deref().unwrap_or_default(),
    }
}

/// The single steps with their SQL.
pub(super) fn step_shots() -> Vec<Value> {
    step_demonstrations()
        .iter()
        .map(|shown| {
            let steps = shown.steps.iter();
            let steps: Vec<Value> = steps
                .map(|step| context! { step => step.step.as_str(), sql => step.sql.as_str() })
                .collect();
            context! {
                table => pipe(&shown.table, Some(&shown.caption), ColumnNames::Sql, None).text,
                schema => schema(&shown.table),
                row_count => shown.table.rows.len(),
                steps,
            }
        })
        .collect()
}

/// A table for a prompt that asks for SQL: under the names SQL can use, with types and example values.
pub(super) fn sql_table(table: &Table, caption: Option<&str>, budget: usize) -> Value {
    context! {
        table => pipe(table, caption, ColumnNames::Sql, Some(budget)).text,
        schema => schema(table),
        row_count => table.rows.len(),
        table_name => TABLE_NAME,
    }
}

/// A table as a `CREATE TABLE` statement with its rows in a comment.
pub(super) fn definition(table: &Table, caption: Option<&str>, budget: Option<usize>) -> String {
    create_table(table, TABLE_NAME, caption, ColumnNames::Sql, budget).text
}

/// One line a column: SQL name, the name people know where it differs, type, example values.
pub(super) fn schema(table: &Table) -> Vec<String> {
    table
        .columns
        .iter()
        .enumerate()
        .map(|(index, column)| {
            let column_type = table.column_type(index);
            let type_name = match column_type {
                ColumnType::Text => "text",
                ColumnType::Integer => "integer",
                ColumnType::Real => "real",
            };
            let shown = if column.display == column.sql {
                String::new()
            } else {
                format!(" (called {} in words)", quoted(&column.display))
            };
            let mut examples: Vec<String> = Vec::new();
            for cell in table.rows.iter().filter_map(|row| row[index].as_deref()) {
                let example = match column_type {
                    ColumnType::Text => quoted(cell),
                    _ => one_line(cell),
                };
                if !cell.trim().is_empty() && !examples.contains(&example) {
                    examples.push(example);
                }
                if examples.len() == EXAMPLE_VALUES {
                    break;
                }
            }
            let examples = if examples.is_empty() {
                String::new()
            } else {
                format!(", such as {}", examples.join(", "))
            };
            format!("{}{shown}: {type_name}{examples}", column.sql)
        })
        .collect()
}

/// The failed tries at a statement, for a repair prompt.
pub(super) fn attempts(failed: &[FailedAttempt]) -> Vec<Value> {
    failed
        .iter()
        .map(|attempt| {
            context! {
                program => cut(&attempt.program.replace("```", "'''"), LONGEST_QUOTE),
                error => cut(&one_line(&attempt.error), LONGEST_QUOTE),
            }
        })
        .collect()
}

/// A text on one line and without the marks of tables and code, so that it cannot begin or end a part of a prompt.
pub(super) fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    line.replace("```", "'''").replace("*/", "* /").replace("/*", "/ *")
}

fn quoted(text: &str) -> String {
    format!("'{}'", cut(&one_line(text), LONGEST_EXAMPLE).replace('\'', "''"))
}

fn cut(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// An answer as demonstrations write it and readers expect it.
fn written(answer: &Answer) -> String {
    match answer {
        Answer::Values(values) => {
            let values: Vec<String> = values
                .iter()
                .map(|value| serde_json::Value::from(value.as_str()).to_string())
                .collect();
            format!("[{}]", values.join(", "))
        }
        _ => answer.display(),
    }
}

fn kind_name(kind: QuestionKind) -> &'static str {
    match kind {
        QuestionKind::FactVerification => "fact_verification",
        QuestionKind::ShortAnswer => "short_answer",
        QuestionKind::FreeForm => "free_form",
    }
}

fn label(kind: QuestionKind) -> &'static str {
    match kind {
        QuestionKind::FactVerification => "Statement",
        QuestionKind::ShortAnswer | QuestionKind::FreeForm => "Question",
    }
}
