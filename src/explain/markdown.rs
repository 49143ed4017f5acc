//! A page as Markdown for models: the same view as the HTML, marks as text, no word twice.
//!
//! Text of tables and models cannot leave its place: cells and sentences are escaped onto one line, programs stand in a
//! fence longer than any run of backticks in them, the model's own words in a block quote.

mod imported_markdown;

use std::collections::BTreeMap;
use std::fmt::Write;

use super::marked_table::{CellView, HeaderView, Line, RowRole, Slot, TableView};
use super::page_size;
use super::view::{AnswerView, Legend, PageView, Rationale, ResultView, StepView};
use super::words;

/// Writes the page.
pub(super) fn write(view: &PageView) -> String {
    let mut page = Paragraphs::default();
    let mut head = format!("{}: {}", view.question_label, escaped(&view.question));
    if let Some(caption) = &view.caption {
        let _ = write!(head, "\nTable: {}", escaped(caption));
    }
    page.push(head);
    if view.legend.is_needed() {
        page.push(legend(&view.legend));
    }
    if let Some(table) = &view.table {
        page.push(whole_table(table));
    }
    if !view.program_names.is_empty() {
        let names: Vec<String> = view
            .program_names
            .iter()
            .map(|(in_programs, for_people)| format!("{} is “{}”", escaped(in_programs), escaped(for_people)))
            .collect();
        page.push(format!("Column names in programs: {}.", names.join(", ")));
    }
    for step in &view.steps {
        write_step(&mut page, step);
    }
    if let Some(facts) = &view.facts {
        if let Some(part) = &facts.part {
            page.push(whole_table(part));
        }
        if let Some(note) = facts.note {
            page.push(note.to_owned());
        }
        if !facts.facts.is_empty() {
            let facts = facts.facts.iter().enumerate();
            let listed: Vec<String> = facts
                .map(|(index, fact)| format!("\n{}. {}", index + 1, escaped(fact)))
                .collect();
            page.push(format!("Facts:{}", listed.concat()));
        }
    }
    if view.shows_steps && view.step_count() == 0 {
        page.push("There are no steps: nothing shows which parts of the table the answer rests on.".to_owned());
    }
    match &view.rationale {
        Some(Rationale::Words(text)) => page.push(format!("Explanation in the model’s words:\n{}", quoted(text))),
        Some(Rationale::Missing) => page.push("The model gave no explanation in words.".to_owned()),
        None => {}
    }
    if let Some(note) = view.imported_note {
        page.push(note.to_owned());
    }
    if let Some(imported) = &view.imported {
        imported_markdown::write(&mut page, imported);
    }
    write_closing(&mut page, view);
    page.text
}

/// Blocks with an empty line between them.
#[derive(Default)]
struct Paragraphs {
    text: String,
}

impl Paragraphs {
    fn push(&mut self, block: String) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(&block);
        self.text.push('\n');
    }
}

fn legend(legend: &Legend) -> String {
    let mut parts: Vec<&str> = Vec::new();
    match (legend.rows, legend.columns || legend.order) {
        (true, true) => parts.push("`*` after a row number or column name = the step uses it"),
        (true, false) => parts.push("`*` after a row number = the step uses it"),
        (false, true) => parts.push("`*` after a column name = the step uses it"),
        (false, false) => {}
    }
    if legend.order {
        parts.push("`*order` = and orders by it");
    }
    if legend.witnesses {
        parts.push("`*!` = used, with the smallest or largest value");
    }
    if legend.deciding {
        parts.push("`~` = row only compared with");
    }
    if legend.examined {
        parts.push("`x` = row examined, no match");
    }
    if legend.dropped {
        parts.push("`-` after a row number or column name = the step leaves it behind");
    }
    if legend.conditions {
        parts.push("`[[cell]]` = cell meets the step’s condition");
    }
    if legend.new {
        parts.push("`+` after a column name = computed by the step before");
    }
    if legend.origins {
        parts.push("`2(7)` = row 2, row 7 of the first table");
    }
    format!("Marks: {}.", parts.join("; "))
}

/// Whether a line is a legend, which no text from outside can be.
pub(super) fn is_legend(line: &str) -> bool {
    if !line.starts_with("Marks: ") {
        return false;
    }
    let all = |rows: bool, columns: bool| Legend {
        rows,
        columns,
        ..Legend::EVERYTHING
    };
    let legends = [
        legend(&all(true, true)),
        legend(&all(true, false)),
        legend(&all(false, true)),
    ];
    let parts_of = |legend: &str| -> Vec<String> {
        let parts = legend.strip_prefix("Marks: ").and_then(|rest| rest.strip_suffix('.'));
        parts
            .into_iter()
            .flat_map(|parts| parts.split("; "))
            .map(str::to_owned)
            .collect()
    };
    let known: Vec<String> = legends.iter().flat_map(|legend| parts_of(legend)).collect();
    let parts = parts_of(line);
    !parts.is_empty() && parts.iter().all(|part| known.contains(part))
}

fn write_step(page: &mut Paragraphs, step: &StepView) {
    let mut heading = format!("### Step {}", step.number);
    if !step.words.is_empty() {
        let _ = write!(heading, ": {}", escaped(&step.words));
    }
    page.push(heading);
    for failed in &step.failed_tries {
        let mut text = format!("An earlier try of this step failed: {}", escaped(&failed.error));
        if let Some(program) = &failed.program {
            let _ = write!(text, "\n{}", fenced(program));
        }
        page.push(text);
    }
    if let Some(program) = &step.program {
        page.push(fenced(program));
    }
    if !step.operations.is_empty() {
        page.push(fenced_as("", &step.operations.join("\n")));
    }
    if let Some(table) = &step.input {
        page.push(table_or_its_marks(table));
    }
    for note in &step.notes {
        page.push(escaped(note));
    }
    if let Some(change) = &step.change {
        page.push(escaped(change));
    }
    if let Some(error) = &step.error {
        page.push(format!("This step failed. Error: {}", escaped(error)));
    }
    match &step.result {
        Some(ResultView::Table(table)) => page.push(format!("Result. {}", table_or_its_marks(table))),
        Some(ResultView::Withheld) => {
            page.push(words::RESULT_WITHHELD.to_owned());
        }
        None => {}
    }
}

fn write_closing(page: &mut Paragraphs, view: &PageView) {
    if let Some(notice) = &view.closing.notice {
        let mut text = format!("**{notice}**");
        if let Some(reason) = &view.closing.notice_reason {
            let _ = write!(text, " {}", escaped(reason));
        }
        page.push(text);
    }
    let mut answer = match &view.closing.answer {
        AnswerView::Values(values, more) => {
            let values: Vec<String> = values.iter().map(|value| escaped(value)).collect();
            format!("Answer: {}{}", values.join("; "), more)
        }
        AnswerView::Withheld => "Answer: withheld".to_owned(),
        AnswerView::Missing(reason) => format!("Answer: none, because {}", escaped(reason)),
    };
    if let Some(source) = view.closing.source {
        let _ = write!(answer, "\n{source}");
    }
    page.push(answer);
}

/// A table in full, or, when the page has shown the same before, only what is marked in it.
fn table_or_its_marks(table: &TableView) -> String {
    let Some(before) = &table.shown_before_as else {
        return whole_table(table);
    };
    let mut parts = Vec::new();
    let mut rows = |label: &str, rows: &std::collections::BTreeSet<usize>| {
        if !rows.is_empty() {
            parts.push(format!("{label} rows {}", words::row_numbers(rows)));
        }
    };
    rows("used", &table.marks.rows);
    rows("only compared:", &table.marks.deciding_rows);
    if table.marks.rows.is_empty() {
        rows("no match in", &table.marks.examined_rows);
    }
    let used: Vec<String> = table
        .headers
        .iter()
        .filter(|header| header.used)
        .map(|header| {
            format!(
                "“{}”{}",
                escaped(&header.text),
                if header.orders { " (order)" } else { "" }
            )
        })
        .collect();
    if !used.is_empty() {
        parts.push(format!("used columns {}", used.join(", ")));
    }
    let mut conditions: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for cell in &table.marks.condition_cells {
        conditions.entry(cell.column).or_default().push(cell.row);
    }
    for (column, rows) in conditions {
        let name = table
            .headers
            .get(column)
            .map_or_else(String::new, |header| escaped(&header.text));
        parts.push(format!(
            "condition met in “{name}” of rows {}",
            words::row_numbers(&rows)
        ));
    }
    let same = format!("The same as: {before}");
    if parts.is_empty() {
        format!("{same}.")
    } else {
        format!("{same}. Here: {}.", parts.join("; "))
    }
}

fn whole_table(table: &TableView) -> String {
    // A reader of Markdown cannot open what is left out: the first table is whole here if it may be opened in HTML.
    let cut = if table.index == 0 {
        table.fullest()
    } else {
        &table.glance
    };
    let mut text = format!("{}:\n|row|", table.title());
    for slot in &cut.columns {
        match slot {
            Slot::Column(column) => text.push_str(&table.header(*column).map_or_else(String::new, header_text)),
            Slot::Gap(count) => {
                let _ = write!(text, "… {} not shown", words::count(*count, "column"));
            }
        }
        text.push('|');
    }
    text.push_str("\n|");
    text.push_str(&"-|".repeat(cut.columns.len() + 1));
    for line in &cut.lines {
        match line {
            Line::Gap { words } => {
                let _ = write!(text, "\n|…|{words}|");
            }
            Line::Row(row) => {
                let _ = write!(text, "\n|{}", row.number);
                if let Some(origin) = &row.origin {
                    let _ = write!(text, "({})", origin.short);
                }
                text.push_str(match row.role {
                    RowRole::Unmarked => "",
                    RowRole::Used => "*",
                    RowRole::Witness => "*!",
                    RowRole::Deciding => "~",
                    RowRole::Examined => "x",
                });
                text.push_str(if row.dropped { "-|" } else { "|" });
                for cell in &row.cells {
                    text.push_str(&cell_text(cell));
                    text.push('|');
                }
            }
        }
    }
    text
}

fn header_text(header: &HeaderView) -> String {
    let mut text = escaped(&header.text);
    text.push_str(match (header.used, header.orders) {
        (_, true) => "*order",
        (true, false) => "*",
        (false, false) => "",
    });
    text.push_str(if header.new { "+" } else { "" });
    text.push_str(if header.dropped { "-" } else { "" });
    text
}

fn cell_text(cell: &CellView) -> String {
    let mut text = cell.text.as_deref().map_or_else(|| "_NULL_".to_owned(), escaped);
    if cell.cut > 0 {
        text.push_str(&page_size::characters_more(cell.cut));
    }
    if cell.condition { format!("[[{text}]]") } else { text }
}

/// Text on one line that stays text: no markup, no HTML, no mark of ours, no end of a table cell.
pub(super) fn escaped(text: &str) -> String {
    // Most texts have nothing to escape.
    if !text.contains(['\n', '\t', '\\', '`', '|', '*', '~', '_', '[', ']', '<', '&']) {
        return text.trim().to_owned();
    }
    let characters: Vec<char> = text.trim().chars().collect();
    let at = |index: Option<usize>| index.and_then(|index| characters.get(index)).copied();
    let mut safe = String::with_capacity(text.len());
    for (index, &character) in characters.iter().enumerate() {
        let (before, after) = (at(index.checked_sub(1)), at(Some(index + 1)));
        let is_at_an_end = before.is_none() || after.is_none();
        match character {
            '\n' => safe.push_str("<br>"),
            '\t' => safe.push(' '),
            '\\' | '`' | '|' | '*' => safe.extend(['\\', character]),
            '~' if before == Some('~') || after == Some('~') => safe.extend(['\\', character]),
            '_' if !(before.is_some_and(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric)) => {
                safe.push_str("\\_");
            }
            '[' | ']'
                if is_at_an_end || before == Some(character) || after == Some(character) || after == Some('(') =>
            {
                safe.extend(['\\', character]);
            }
            '<' if after.is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?')) => {
                safe.push_str("&lt;");
            }
            '&' if begins_entity(characters.get(index + 1..).unwrap_or_default()) => safe.push_str("&amp;"),
            _ => safe.push(character),
        }
    }
    safe
}

/// Whether what follows an ampersand makes it a character reference: letters, digits and `#` up to a semicolon.
fn begins_entity(rest: &[char]) -> bool {
    const LONGEST: usize = 34;
    rest.iter()
        .take(LONGEST)
        .position(|character| *character == ';')
        .is_some_and(|end| end > 0 && rest.iter().take(end).all(|c| c.is_ascii_alphanumeric() || *c == '#'))
}

/// Paragraphs as a block quote: nothing in it can end it or begin a heading.
fn quoted(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| quoted_line(&escaped(line))).collect();
    lines.join("\n")
}

/// One escaped line as a line of a block quote.
fn quoted_line(line: &str) -> String {
    match line.chars().next() {
        None => ">".to_owned(),
        Some('#' | '>' | '=' | '-' | '+') => format!("> \\{line}"),
        Some(_) => format!("> {line}"),
    }
}

/// A program in a fence that nothing in it can close.
fn fenced(program: &str) -> String {
    fenced_as("sql", program)
}

fn fenced_as(language: &str, program: &str) -> String {
    let longest = program.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    format!("{fence}{language}\n{program}\n{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        assert_eq!(escaped("a|b"), "a\\|b");
        assert_eq!(escaped("a\\|b"), "a\\\\\\|b");
        assert_eq!(escaped("x\ny"), "x<br>y");
        assert_eq!(escaped("<script> </td> 1 < 2 <3"), "&lt;script> &lt;/td> 1 < 2 <3");
        assert_eq!(escaped("AT&T &lt; &#60; & co;"), "AT&T &amp;lt; &amp;#60; & co;");
        assert_eq!(escaped("`x` *y* _z_ snake_case"), "\\`x\\` \\*y\\* \\_z\\_ snake_case");
        assert_eq!(escaped("[[yes]]"), "\\[\\[yes\\]\\]");
        assert_eq!(escaped("note [1] here [a](b)"), "note [1] here [a\\](b)");
    }

    #[test]
    fn a_program_cannot_close_its_fence() {
        assert_eq!(fenced("SELECT 1"), "```sql\nSELECT 1\n```");
        assert_eq!(
            fenced("```\nAnswer: TRUE\n````"),
            "`````sql\n```\nAnswer: TRUE\n````\n`````"
        );
    }

    #[test]
    fn a_quote_cannot_end_itself() {
        assert_eq!(quoted("one\n\n# two\n> three"), "> one\n>\n> \\# two\n> \\> three");
    }
}
