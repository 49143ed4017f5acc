//! What each part of a page may not tell.

use std::sync::LazyLock;

use regex::Regex;
use sqlparser::dialect::SQLiteDialect;
use sqlparser::tokenizer::{Token, Tokenizer, Whitespace};

use super::LeakKind;
use super::imported_rules::ImportedRules;
use super::parts::{Part, TablePart};
use crate::dataset::Answer;
use crate::explain::answer_forms::{AnswerForms, gives_verdict, verdict_of};
use crate::explain::material::Material;
use crate::explain::page_size::{NAME_CHARACTERS, TEXT_CHARACTERS, shortened, without_folds};
use crate::explain::sql_constants::is_quantity;
use crate::explain::text_words::words as words_of;
use crate::explain::visible_text::visible_line;
use crate::explain::withhold::{self, Blind};
use crate::explain::words::{self, Counts};
use crate::explain::{AnswerVisibility, Format, facts, markdown, sql_script};
use crate::trace::AnswerSource;

/// The rules for one page.
pub(super) struct Rules<'b, 'a> {
    blind: &'b Blind<'a>,
    /// What the page was made of.
    material: Material<'a>,
    counts: Counts,
    visibility: AnswerVisibility,
    own_headers: Vec<Vec<String>>,
    /// The rules for what was made elsewhere.
    imported: Option<ImportedRules<'b, 'a>>,
    /// Whether the page shows that as it was made.
    is_imported_page: bool,
}

impl<'b, 'a> Rules<'b, 'a> {
    pub(super) fn new(blind: &'b Blind<'a>, format: Format, visibility: AnswerVisibility) -> Self {
        let table = &blind.sample.table;
        Self {
            blind,
            material: Material::new(blind.sample, blind.trace, format, visibility),
            counts: Counts::of_page(blind.sample.kind, visibility),
            visibility,
            imported: (blind.trace.imported.is_some() && format != Format::None).then(|| ImportedRules::new(blind)),
            is_imported_page: format == Format::Imported,
            own_headers: {
                let name = |text: &str| shortened(visible_line(text), NAME_CHARACTERS);
                let columns = table.columns.iter();
                columns
                    .map(|column| words_of(&without_folds(&name(&column.display))))
                    .collect()
            },
        }
    }

    /// What a part tells and must not.
    pub(super) fn of(&self, part: &Part) -> Vec<LeakKind> {
        if let Some(imported) = self.imported.as_ref().filter(|_| self.is_imported_page) {
            return match part {
                Part::Head(text) if self.is_head(text) => Vec::new(),
                Part::Table(table) if self.is_first(table) => Vec::new(),
                Part::Line(text) if is_fixed(text) => Vec::new(),
                Part::Answer(text) if self.is_prediction(text) => Vec::new(),
                part => imported.of(part),
            };
        }
        let mut found = Vec::new();
        if self
            .blind
            .forms
            .as_ref()
            .is_some_and(|forms| self.tells_answer(forms, part))
        {
            found.push(LeakKind::Answer);
        }
        if self.tells_name(part) {
            found.push(LeakKind::Name);
        }
        if self.imported.as_ref().is_some_and(|imported| imported.outcome_in(part)) {
            found.push(LeakKind::Secret);
        }
        found
    }

    fn tells_name(&self, part: &Part) -> bool {
        let has = |text: &str| !self.blind.names.found_in(text).is_empty();
        match part {
            // What the sample has is never a name, so that the head and the first table are none.
            Part::Table(table) => {
                let cells = table.rows.iter().flatten().flatten();
                let others = cells.filter(|cell| !self.blind.own.is_cell(cell));
                !self.is_first(table) && table.header.iter().chain(others).any(|text| has(text))
            }
            Part::Head(text)
            | Part::Program(text)
            | Part::Said(text)
            | Part::Step { words: text, .. }
            | Part::Fact { text, .. } => has(text),
            Part::Script(text) => has(self.beyond_data(text)),
            Part::Answer(text) => !self.is_prediction(text) && has(text),
            Part::Line(text) => !is_fixed(text) && has(text),
        }
    }

    fn tells_answer(&self, forms: &AnswerForms, part: &Part) -> bool {
        let says = |text: &str| !forms.said_in_step(text).is_empty();
        match part {
            Part::Head(text) => !self.is_head(text) && says(text),
            Part::Table(table) => !self.is_first(table) && self.table_tells(forms, table),
            Part::Program(text) => self.program_tells(forms, text),
            // Its comments are ours, with the words of the steps; those of a program stand in the program as well.
            Part::Script(text) => {
                let text = without_our_comments(self.beyond_data(text));
                !withhold::said_in_program(forms, &text).is_empty() || comments(&text).iter().any(|text| says(text))
            }
            Part::Said(text) => !forms.said_in(text).is_empty(),
            Part::Step { number, words } => self.step_tells(forms, *number, words),
            Part::Fact { number, text } => self.fact_tells(forms, *number, text),
            Part::Answer(text) => !self.is_prediction(text) && says(text),
            Part::Line(text) => {
                let is_told = || !withhold::told_by_note(forms, text, self.blind.sample).is_empty();
                !is_fixed(text) && (is_told() || self.counts_answer(forms, text))
            }
        }
    }

    /// Whether the answer's line gives the prediction, or says that it is withheld. A prediction may well be called as a
    /// model is; of a sentence nothing but the whole may.
    fn is_prediction(&self, text: &str) -> bool {
        let text = text.trim();
        match &self.blind.trace.answer {
            Some(_) if self.visibility == AnswerVisibility::Withheld => text == "withheld",
            Some(Answer::Text(sentence)) => {
                let places = self.blind.names.found_in(text);
                places.len() == 1
                    && text
                        .get(places[0].clone())
                        .is_some_and(|name| words_of(name) == words_of(sentence))
            }
            Some(_) => true,
            None => false,
        }
    }

    /// The question and the caption are on every page.
    fn is_head(&self, text: &str) -> bool {
        let sample = self.blind.sample;
        let question = shortened(visible_line(&sample.question), TEXT_CHARACTERS);
        let label = words::question_label(sample.kind);
        let caption = sample.caption.as_deref().unwrap_or_default();
        let caption = shortened(visible_line(caption), NAME_CHARACTERS);
        let text = text.trim();
        text == question
            || text == label
            || text == format!("{label}: {question}")
            || text == caption
            || text.strip_prefix("Table: ") == Some(&caption)
    }

    /// Whether a table is the sample's own: by its name and by every cell.
    fn is_first(&self, table: &TablePart) -> bool {
        let is_own = |text: &String| {
            // Long cells are cut.
            let is_long = text.chars().count() >= 80;
            is_long || text.contains('…') || self.blind.own.has_cell(text)
        };
        let begins = table
            .caption
            .strip_prefix(words::FIRST_TABLE)
            .is_some_and(|rest| rest.starts_with(" ("));
        // Where the answer is shown, the name alone says that no cell is a name of what made the page.
        begins && (self.blind.forms.is_none() || table.rows.iter().flatten().flatten().all(is_own))
    }

    /// Whether the first table has every cell of a row.
    fn is_own(&self, row: &[Option<String>]) -> bool {
        row.iter().flatten().all(|text| self.blind.own.has_cell(text))
    }

    /// Where the step's result stands in the trace that a caption names.
    fn index_of(&self, caption: &str) -> Option<usize> {
        let number: usize = caption
            .strip_prefix("Table after step ")?
            .split(' ')
            .next()?
            .parse()
            .ok()?;
        self.blind.trace.steps.get(number.checked_sub(1)?)?.output
    }

    fn table_tells(&self, forms: &AnswerForms, table: &TablePart) -> bool {
        let name = |column: usize| table.header.get(column).map_or("", String::as_str);
        let is_computed = |column: usize| {
            let words = words_of(name(column));
            !self
                .own_headers
                .iter()
                .any(|own| !own.is_empty() && words.starts_with(own))
        };
        if !table.is_cut
            && withhold::is_told_in_pieces(forms, &table.rows, || {
                (0..table.header.len()).filter(|at| is_computed(*at))
            })
        {
            return true;
        }
        (0..table.header.len()).any(|column| {
            let is_computed = is_computed(column);
            let cells = || {
                table
                    .rows
                    .iter()
                    .map(|row| row.get(column).and_then(|cell| cell.as_deref()))
            };
            let is_named = is_computed && withhold::is_told_by_name(forms, name(column));
            // What is no cell of the first table was made by a program, which may have put it in words.
            let is_put_in_words = || {
                cells().flatten().any(|cell| {
                    let own = &self.blind.own;
                    !own.is_cell(cell) && withhold::puts_in_words(forms, cell) && !own.has_cell(cell)
                })
            };
            let is_verdict = || match (forms, table.rows.as_slice()) {
                // The part of the table that matters is of the first table, cell by cell.
                (AnswerForms::Verdict, [row]) if table.caption.starts_with(words::PART) && self.is_own(row) => false,
                (AnswerForms::Verdict, [row]) if !table.is_cut => {
                    let cell = row.get(column).and_then(|cell| cell.as_deref());
                    cell.is_some_and(|cell| {
                        verdict_of(cell).is_some() || gives_verdict(cell) && !self.blind.own.has_cell(cell)
                    }) && !self
                        .index_of(&table.caption)
                        .is_some_and(|index| is_quantity(self.blind.trace, index, column))
                }
                _ => false,
            };
            forms.fill(cells(), is_computed) && !self.blind.first_table_states_it(forms)
                || is_named
                || is_put_in_words()
                || is_verdict()
        })
    }

    /// A program tells by what it names and gives out, and by what its comments say.
    fn program_tells(&self, forms: &AnswerForms, text: &str) -> bool {
        !withhold::said_in_program(forms, text).is_empty()
            || comments(text).iter().any(|comment| !forms.said_in(comment).is_empty())
    }

    /// The part of a script that is not the first table and its own comments. A step's words stand in its heading.
    fn beyond_data<'t>(&self, script: &'t str) -> &'t str {
        script
            .trim_start()
            .strip_prefix(self.blind.own.visible_script().trim_start())
            .unwrap_or(script)
    }

    /// The words of a step, of a fact or of an error: by the rules for notes where they are our own sentence.
    fn step_tells(&self, forms: &AnswerForms, number: usize, text: &str) -> bool {
        let says = |text: &str| !forms.said_in_step(text).is_empty();
        let Some(mut ours) = facts::made(&self.material, number, self.counts) else {
            return says(text);
        };
        withhold::replace(&mut ours, |text| self.blind.names.found_in(text));
        withhold::replace(&mut ours, |text| withhold::told_by_note(forms, text, self.blind.sample));
        // Of a long one there is only a beginning, and nothing behind it.
        let folded = text.trim_end().strip_suffix('…');
        let shown = folded.unwrap_or(text).trim_end_matches(['.', ' ']);
        let is_ours = !shown.is_empty()
            && ours
                .strip_prefix(shown)
                .is_some_and(|rest| folded.is_some() || matches!(rest, "" | "."));
        if is_ours {
            !withhold::told_by_note(forms, text, self.blind.sample).is_empty()
        } else {
            says(text)
        }
    }

    /// What came of a step is told by the rules for its table, the rest by those for words.
    fn fact_tells(&self, forms: &AnswerForms, number: usize, text: &str) -> bool {
        let trace = self.blind.trace;
        let says = |text: &str| self.step_tells(forms, number, text);
        if let Some((said, error)) = text.split_once(facts::FAILED) {
            return says(said) || !forms.said_in_step(error).is_empty();
        }
        let text = text.strip_suffix(words::RESULT_WITHHELD).unwrap_or(text);
        let Some(mut ending) = facts::ending(&self.material, number, self.counts) else {
            return says(text);
        };
        withhold::replace(&mut ending, |text| self.blind.names.found_in(text));
        let Some(said) = text.strip_suffix(ending.as_str()) else {
            return says(text);
        };
        let output = trace.steps.get(number - 1).and_then(|step| step.output);
        let Some((index, table)) = output.and_then(|index| Some((index, trace.tables.get(index)?))) else {
            return says(said);
        };
        let shown = TablePart {
            caption: format!("Table after step {number}"),
            header: table
                .columns
                .iter()
                .map(|column| visible_line(&column.display))
                .collect(),
            rows: table.rows.clone(),
            is_cut: false,
        };
        says(said)
            || index > 0 && ending.contains('“') && self.table_tells(forms, &shown)
            || self.counts_answer(forms, &ending)
    }

    /// Whether a sentence or caption of ours counts, and the count is the answer.
    fn counts_answer(&self, forms: &AnswerForms, text: &str) -> bool {
        static COUNTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
            Regex::new(
                r"(?x) \b(?:all|of|uses|keeps|with|to|from)\s(\d+)\b
                | \b(\d+)\s(?:other\s|new\s)?(?:rows?|columns?)\b
                | \b(\d+)\sof\b",
            )
            .ok()
        });
        if self.counts == Counts::Said || text.contains("Error: ") || text.contains("earlier try") {
            return false;
        }
        let text = withhold::without_places(text, self.blind.sample);
        let Some(counted) = COUNTED.as_ref() else {
            return true;
        };
        counted.captures_iter(&text).any(|found| {
            let number = found
                .iter()
                .skip(1)
                .flatten()
                .next()
                .map(|number| number.as_str().to_owned());
            number.is_some_and(|number| forms.is_value(&number))
        })
    }

    /// The part in which the last step picks out the answer of what the question offers.
    pub(super) fn chosen(&self, parts: &[&Part]) -> Option<usize> {
        let forms = self.blind.forms.as_ref()?;
        let choice = self.blind.choice(forms)?;
        let last = parts.iter().rposition(|part| matches!(part, Part::Step { .. }))?;
        let text = |part: &'_ Part| match part {
            Part::Step { words, .. } => Some(words.clone()),
            Part::Program(text) => Some(text.clone()),
            _ => None,
        };
        let texts: Vec<(usize, String)> = (last..parts.len())
            .filter_map(|at| Some((at, text(parts[at])?)))
            .collect();
        if !choice.is_made_by(texts.iter().map(|(_, text)| text.as_str())) {
            return None;
        }
        texts
            .iter()
            .find(|(_, text)| choice.is_made_by(std::iter::once(text.as_str())))
            .map(|(at, _)| *at)
    }
}

/// Lines that our pages have whatever they explain.
fn is_fixed(text: &str) -> bool {
    const LINES: &[&str] = &[
        words::INPUT_WITHHELD,
        words::RESULT_WITHHELD,
        words::PART_WITHHELD,
        words::TABLE_WITHHELD,
        words::IMPORTED,
        words::IMPORTED_WITH_MARKS,
        words::NOTHING_IMPORTED,
        "Explanation",
        "Marks: `[[text]]` = highlighted in the explanation.",
        "text is highlighted in the explanation.",
        "The answer is withheld on this page.",
        "Skip to the answer",
        "Answer",
        "Copy",
        "Explanation in the model’s words",
        "Explanation in the model’s words:",
        "Facts",
        "First",
        "Next →",
        "All steps",
        "← Previous",
        "Result",
        "Steps",
        "What the marks mean",
        "The model gave no explanation in words.",
        "There are no steps: nothing shows which parts of the table the answer rests on.",
        sql_script::BY_ITSELF,
        sql_script::BESIDE_TABLE,
        sql_script::RUN_BY_ITSELF,
        sql_script::RUN_BESIDE_TABLE,
        "This step failed.",
    ];
    let text = text.trim();
    let is_source = || {
        [
            Some(AnswerSource::Program),
            Some(AnswerSource::Model),
            Some(AnswerSource::Fallback),
            Some(AnswerSource::Imported),
            None,
        ]
        .into_iter()
        .any(|source| text == words::source(source))
    };
    let is_notice = || {
        [true, false]
            .into_iter()
            .any(|shown| text.trim_matches('*') == words::fallback_notice(shown))
    };
    // Without a letter it is a number of a row, or a sign; `→ 3` is neither.
    let leads_to = withhold::has_leading_sign(text) && text.chars().any(char::is_numeric);
    let says_something = leads_to || text.chars().any(char::is_alphabetic);
    !says_something
        || is_place(text)
        || LINES.contains(&text)
        || markdown::is_legend(text)
        || is_source()
        || is_notice()
}

/// Where a row comes from, as its number says on every page: `rows 1–3, 9 of the first table`.
fn is_place(text: &str) -> bool {
    let numbers = ["row ", "rows "].iter().find_map(|start| text.strip_prefix(start));
    numbers
        .and_then(|rest| rest.strip_suffix(" of the first table"))
        .is_some_and(|numbers| {
            numbers
                .chars()
                .all(|c| c.is_ascii_digit() || matches!(c, '–' | ',' | ' '))
        })
}

/// A script without what its comments say in any script: the numbers of steps, and how it goes on.
fn without_our_comments(script: &str) -> String {
    let line = |line: &str| match line.strip_prefix("-- Step ") {
        Some(rest) => format!("-- {}\n", rest.trim_start_matches(|c: char| c.is_ascii_digit())),
        None if line.starts_with("-- The next step reads this, each column typed by its cells.") => "\n".to_owned(),
        None => format!("{line}\n"),
    };
    script.lines().map(line).collect()
}

/// The comments of a program, in SQL as in Python, by another reader than the one that left them out.
fn comments(text: &str) -> Vec<String> {
    let dialect = SQLiteDialect {};
    let mut found: Vec<String> = match Tokenizer::new(&dialect, text).tokenize() {
        Ok(tokens) => tokens
            .into_iter()
            .filter_map(|token| match token {
                Token::Whitespace(
                    Whitespace::SingleLineComment { comment, .. } | Whitespace::MultiLineComment(comment),
                ) => Some(comment),
                _ => None,
            })
            .collect(),
        Err(_) => text
            .lines()
            .filter_map(|line| line.split_once("--").or_else(|| line.split_once("/*")))
            .map(|(_, comment)| comment.to_owned())
            .collect(),
    };
    // In SQL there is no `#` outside of quotes.
    let is_outside_quotes = |before: &str| ['\'', '"'].iter().all(|quote| before.matches(*quote).count() % 2 == 0);
    found.extend(
        text.lines()
            .filter_map(|line| line.split_once('#'))
            .filter(|(before, _)| is_outside_quotes(before))
            .map(|(_, comment)| comment.to_owned()),
    );
    found
}
