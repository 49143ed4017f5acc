//! Finding the one SQL statement in a model's text.
//!
//! In order:
//!
//! 1. complete code fences: the **last** one that begins with `SELECT` or `WITH`, because models that correct
//!    themselves, or repeat an example first, put the statement they mean last; with none of that kind, the last fence
//!    that holds anything, so that the engine's guard names what is wrong with it;
//! 2. a fence that is opened and never closed: what follows it;
//! 3. a fence that is closed and never opened, or no fence: from the first line that begins with `SELECT` or `WITH` to
//!    the closing fence, a blank line, or a line that ends in `;`.
//!
//! The words of the task given back are no statement, although "Select rows where ..." begins like one. A text cut by
//! the token limit counts only if its fence was closed.

use crate::trace::AnswerFailure;

/// Why a text holds no statement. The words are fit for the model that is asked to repair it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum SqlReadError {
    /// Nothing in it begins like a query.
    #[error("the answer held no SQL statement that begins with SELECT or WITH")]
    Missing,
    /// The token limit cut it.
    #[error("the answer was cut off before the SQL statement was complete")]
    Truncated,
    /// It gives the task's words back.
    #[error("the answer repeated the task in words and held no SQL statement")]
    Echo,
}

impl From<SqlReadError> for AnswerFailure {
    fn from(error: SqlReadError) -> Self {
        match error {
            SqlReadError::Truncated => Self::Truncated,
            SqlReadError::Missing | SqlReadError::Echo => Self::Unparsed {
                expected: "one SQL statement that begins with SELECT or WITH".to_owned(),
            },
        }
    }
}

/// The statement in `text`, without fences, without comments around it, and without the closing semicolon.
/// `asked` is what the model was to express; a text that only says it again is an echo.
pub(super) fn read_sql(text: &str, truncated: bool, asked: &str) -> Result<String, SqlReadError> {
    let fences = Fences::of(text);
    let complete: Vec<String> = fences.complete.iter().map(|code| without_comments(code)).collect();
    let query = complete.iter().rev().find(|code| begins_a_query(code));
    let any_code = complete.iter().rev().find(|code| !code.is_empty());
    if let Some(code) = query {
        // A later fence that was cut off may be better, but it cannot be read.
        return checked(code, asked);
    }
    let open = fences.open.map(without_comments).filter(|code| !code.is_empty());
    let unfinished = match &open {
        Some(code) if begins_a_query(code) => Some(code.clone()),
        _ => bare_statement(text).map(|code| without_comments(&code)),
    };
    if let Some(code) = unfinished {
        return if truncated {
            Err(SqlReadError::Truncated)
        } else {
            checked(&code, asked)
        };
    }
    match any_code {
        Some(code) => checked(code, asked),
        None if truncated => Err(SqlReadError::Truncated),
        None if is_echo(text, asked) => Err(SqlReadError::Echo),
        None => open.map_or(Err(SqlReadError::Missing), |code| checked(&code, asked)),
    }
}

/// The code between ``` marks.
struct Fences<'a> {
    complete: Vec<&'a str>,
    open: Option<&'a str>,
}

impl<'a> Fences<'a> {
    const MARK: &'static str = "```";

    fn of(text: &'a str) -> Self {
        let mut complete = Vec::new();
        let mut open: Option<usize> = None;
        for (mark, _) in text.match_indices(Self::MARK) {
            match open.take() {
                Some(start) => complete.push(&text[start..mark]),
                None => open = Some(start_of_code(text, mark + Self::MARK.len())),
            }
        }
        Self {
            complete,
            open: open.map(|start| &text[start..]),
        }
    }
}

/// Where the code of a fence begins: behind the name of its language, if it has one.
fn start_of_code(text: &str, behind_mark: usize) -> usize {
    const LANGUAGES: [&str; 7] = ["sql", "sqlite", "sqlite3", "text", "plaintext", "mysql", "postgresql"];
    let rest = &text[behind_mark..];
    let word = rest.trim_start_matches([' ', '\t']);
    let length = word.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(word.len());
    if LANGUAGES.contains(&word[..length].to_ascii_lowercase().as_str()) {
        behind_mark + (rest.len() - word.len()) + length
    } else {
        behind_mark
    }
}

fn begins_a_query(code: &str) -> bool {
    ["select", "with"].iter().any(|word| {
        code.get(..word.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(word))
            && code[word.len()..]
                .chars()
                .next()
                .is_some_and(|next| next.is_whitespace() || "(*\"'`-+".contains(next))
    })
}

fn bare_statement(text: &str) -> Option<String> {
    let mut statement: Vec<&str> = Vec::new();
    for line in text.lines() {
        if statement.is_empty() {
            let rest = behind_label(line).trim_start_matches([' ', '\t', '`']);
            if !begins_a_query(rest) {
                continue;
            }
            statement.push(rest);
        } else if line.trim().is_empty() || line.trim_start().starts_with(Fences::MARK) {
            break;
        } else {
            statement.push(line);
        }
        if line.trim_end().trim_end_matches('`').ends_with(';') || line.contains(Fences::MARK) {
            break;
        }
    }
    let joined = statement.join("\n");
    let code = joined.split(Fences::MARK).next().unwrap_or_default();
    (!code.is_empty()).then(|| code.trim().trim_end_matches('`').to_owned())
}

/// The line behind a label such as `SQL:` or `**The SQL query is:**`.
fn behind_label(line: &str) -> &str {
    const WORDS: [&str; 8] = ["sql", "sqlite", "query", "statement", "command", "the", "is", "answer"];
    let Some((label, rest)) = line.split_once(':') else {
        return line;
    };
    let is_label = label
        .split(|c: char| c.is_whitespace() || "*_#".contains(c))
        .filter(|word| !word.is_empty())
        .all(|word| WORDS.contains(&word.to_ascii_lowercase().as_str()));
    if is_label {
        rest.trim_start_matches(['*', '_', ' ', '\t'])
    } else {
        line
    }
}

/// Drops comment lines before and after the statement, and semicolons at its end; comments inside it stay.
fn without_comments(code: &str) -> String {
    let mut lines: Vec<&str> = code.lines().collect();
    let is_comment = |line: &str| line.trim().is_empty() || line.trim_start().starts_with("--");
    while lines.first().is_some_and(|line| is_comment(line)) {
        lines.remove(0);
    }
    while lines.last().is_some_and(|line| is_comment(line)) {
        lines.pop();
    }
    let code = lines.join("\n");
    code.trim()
        .trim_end_matches(|c: char| c == ';' || c.is_whitespace())
        .to_owned()
}

fn checked(code: &str, asked: &str) -> Result<String, SqlReadError> {
    if code.is_empty() {
        Err(SqlReadError::Missing)
    } else if is_echo(code, asked) {
        Err(SqlReadError::Echo)
    } else {
        Ok(code.to_owned())
    }
}

fn is_echo(text: &str, asked: &str) -> bool {
    let words = |text: &str| {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect::<Vec<_>>()
    };
    let asked = words(asked);
    !asked.is_empty() && words(text) == asked
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    const STEP: &str = "Select rows where the 'route' is 'Lamp Island'.";

    fn read(text: &str) -> Result<String, SqlReadError> {
        read_sql(text, false, STEP)
    }

    #[test]
    fn one_fence_with_and_without_a_language() {
        let wanted = Ok("SELECT 1".to_owned());
        assert_eq!(read("```sql\nSELECT 1;\n```"), wanted);
        assert_eq!(read("Here it is:\n```\nSELECT 1\n```\nIt counts."), wanted);
        assert_eq!(read("``` SQLite\nSELECT 1\n```"), wanted);
        assert_eq!(read("```sql SELECT 1; ```"), wanted);
        assert_eq!(read("```SELECT 1```"), wanted);
    }

    #[test]
    fn open_and_closing_fences_alone() {
        assert_eq!(read("```sql\nSELECT 1"), Ok("SELECT 1".to_owned()));
        assert_eq!(read("SELECT 1;\n```"), Ok("SELECT 1".to_owned()));
        assert_eq!(read("SELECT 1\n```\nThis counts."), Ok("SELECT 1".to_owned()));
        assert_eq!(
            read("SELECT 1\nFROM table_sql```"),
            Ok("SELECT 1\nFROM table_sql".to_owned())
        );
    }

    #[test]
    fn bare_text_with_prose_around() {
        assert_eq!(
            read("The query is\n\nSQL: SELECT a\nFROM table_sql\nWHERE b = 1;\nThis keeps one row."),
            Ok("SELECT a\nFROM table_sql\nWHERE b = 1".to_owned())
        );
        assert_eq!(
            read("with t as (select 1) select * from t\n\nDone."),
            Ok("with t as (select 1) select * from t".to_owned())
        );
        assert_eq!(read("Use `SELECT 1` here"), Err(SqlReadError::Missing));
        assert_eq!(read("`SELECT 1;`"), Ok("SELECT 1".to_owned()));
        assert_eq!(read("Selecting the rows is easy."), Err(SqlReadError::Missing));
    }

    #[test]
    fn the_last_complete_query_wins() {
        assert_eq!(
            read("```sql\nSELECT 1\n```\nNo, better:\n```sql\nSELECT 2\n```\nwhich gives\n```\nname | 2\n```"),
            Ok("SELECT 2".to_owned())
        );
    }

    #[test]
    fn what_the_guard_must_see_is_passed_on() {
        assert_eq!(
            read("```sql\nDROP TABLE table_sql;\n```"),
            Ok("DROP TABLE table_sql".to_owned())
        );
        assert_eq!(
            read("SELECT 1; DROP TABLE table_sql"),
            Ok("SELECT 1; DROP TABLE table_sql".to_owned())
        );
    }

    #[test]
    fn comments_around_the_statement_go() {
        assert_eq!(
            read("```sql\n-- the step\nSELECT 1 -- one\n, 2\n-- the step again\n```"),
            Ok("SELECT 1 -- one\n, 2".to_owned())
        );
        assert_eq!(read("```sql\n-- nothing\n```"), Err(SqlReadError::Missing));
    }

    #[test]
    fn the_task_given_back_is_an_echo() {
        assert_eq!(read(STEP), Err(SqlReadError::Echo));
        assert_eq!(
            read("```sql\nselect rows where the 'route' is 'Lamp Island'\n```"),
            Err(SqlReadError::Echo)
        );
        assert_eq!(read_sql("", false, ""), Err(SqlReadError::Missing));
    }

    #[test]
    fn a_cut_text_counts_only_when_its_fence_is_closed() {
        assert_eq!(read_sql("```sql\nSELECT 1", true, STEP), Err(SqlReadError::Truncated));
        assert_eq!(read_sql("SELECT 1", true, STEP), Err(SqlReadError::Truncated));
        assert_eq!(read_sql("I think that", true, STEP), Err(SqlReadError::Truncated));
        assert_eq!(
            read_sql("```sql\nSELECT 1\n```\nThis statement", true, STEP),
            Ok("SELECT 1".to_owned())
        );
    }

    #[test]
    fn text_that_is_not_ascii_does_not_panic() {
        assert_eq!(read("séléct ✓\nwíth"), Err(SqlReadError::Missing));
        assert_eq!(
            read("```sql\nSELECT 'ü' AS \"é\"\n```"),
            Ok("SELECT 'ü' AS \"é\"".to_owned())
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn any_text_is_read_without_panic(
            text in "(?s)(```|sql|SELECT|with|--|;|:|`|\n| |ß|\\PC){0,40}",
            truncated in any::<bool>(),
        ) {
            if let Ok(statement) = read_sql(&text, truncated, "SELECT") {
                prop_assert!(!statement.is_empty() && !statement.contains("```"));
            }
        }
    }
}
