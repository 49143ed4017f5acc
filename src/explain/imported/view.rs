//! What a page shows of an explanation that was made elsewhere, and what it must leave out of it.
//!
//! The rule, also in docs/formats.md: a text or program is left out of where it says the answer, as a model's own words
//! are; a number that counts steps, rows and the like is none. A cell that the sample's own table has too says it only
//! beside a label such as "answer"; a table with a column that holds the answer and nothing else is left out whole.

use std::ops::Range;

use crate::dataset::Sample;
use crate::explain::answer_forms::AnswerForms;
use crate::explain::own_texts::OwnTexts;
use crate::explain::text_words::{is_small_number, words as words_of};
use crate::explain::visible_text::{visible, visible_line};
use crate::explain::withhold::{self, WITHHELD};
use crate::explain::words::count;
use crate::trace::imported::{ImportedBlock, ImportedCell, ImportedRun};

/// An imported explanation as a page shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::explain) struct ImportedView {
    /// Its parts in reading order.
    pub(in crate::explain) parts: Vec<ImportedPart>,
}

/// A part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::explain) enum ImportedPart {
    /// A heading.
    Heading(String),
    /// A paragraph.
    Paragraph(Vec<ImportedRun>),
    /// A list, one entry an item.
    List(Vec<Vec<ImportedRun>>),
    /// Preformatted text.
    Code(String),
    /// A table.
    Table(ImportedTable),
    /// A table that states the answer, which is withheld.
    WithheldTable,
}

/// A table of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::explain) struct ImportedTable {
    /// 1-based, among the tables of the explanation.
    pub(in crate::explain) number: usize,
    /// The names of its columns, where its first row has nothing but headings.
    pub(in crate::explain) header: Option<Vec<ImportedCell>>,
    /// The other rows, all as long as the longest.
    pub(in crate::explain) rows: Vec<Vec<ImportedCell>>,
    /// Columns.
    pub(in crate::explain) columns: usize,
}

impl ImportedTable {
    fn new(number: usize, mut rows: Vec<Vec<ImportedCell>>) -> Self {
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        for row in &mut rows {
            for cell in row.iter_mut() {
                cell.text = visible_line(&cell.text);
            }
            row.resize_with(columns, || ImportedCell {
                text: String::new(),
                header: false,
                marked: false,
            });
        }
        let is_header = |row: &Vec<ImportedCell>| row.iter().all(|cell| cell.header || cell.text.is_empty());
        let header = (rows.len() > 1 && rows.first().is_some_and(is_header)).then(|| rows.remove(0));
        Self {
            number,
            header,
            rows,
            columns,
        }
    }

    /// Its size in words.
    pub(in crate::explain) fn size(&self) -> String {
        format!("{}, {}", count(self.rows.len(), "row"), count(self.columns, "column"))
    }

    /// What it is called on the page.
    pub(in crate::explain) fn name(&self) -> String {
        format!("The explanation’s table {}", self.number)
    }

    fn all_rows(&mut self) -> impl Iterator<Item = &mut Vec<ImportedCell>> {
        self.header.iter_mut().chain(&mut self.rows)
    }
}

impl ImportedView {
    /// What a page shows of these blocks.
    pub(in crate::explain) fn of(blocks: &[ImportedBlock]) -> Self {
        let mut parts: Vec<ImportedPart> = Vec::new();
        let mut tables = 0;
        for block in blocks {
            match block {
                ImportedBlock::Heading { text } => parts.push(ImportedPart::Heading(visible_line(text))),
                ImportedBlock::Code { text } => parts.push(ImportedPart::Code(visible(text))),
                ImportedBlock::Text { runs, item } => {
                    let runs = runs.iter().map(shown_run).collect();
                    match (parts.last_mut(), item) {
                        (Some(ImportedPart::List(items)), true) => items.push(runs),
                        (_, true) => parts.push(ImportedPart::List(vec![runs])),
                        (_, false) => parts.push(ImportedPart::Paragraph(runs)),
                    }
                }
                ImportedBlock::Table { rows } => {
                    tables += 1;
                    parts.push(ImportedPart::Table(ImportedTable::new(tables, rows.clone())));
                }
            }
        }
        Self { parts }
    }

    /// Whether anything in it is highlighted.
    pub(in crate::explain) fn has_marks(&self) -> bool {
        let marked = |runs: &Vec<ImportedRun>| runs.iter().any(|run| run.marked);
        self.parts.iter().any(|part| match part {
            ImportedPart::Paragraph(runs) => marked(runs),
            ImportedPart::List(items) => items.iter().any(marked),
            ImportedPart::Table(table) => table.header.iter().chain(&table.rows).flatten().any(|cell| cell.marked),
            ImportedPart::Heading(_) | ImportedPart::Code(_) | ImportedPart::WithheldTable => false,
        })
    }

    /// Puts [`WITHHELD`] wherever `find` finds something; gives the number of places.
    pub(in crate::explain) fn replace(&mut self, find: impl Fn(&str) -> Vec<Range<usize>>) -> usize {
        let mut places = 0;
        for part in &mut self.parts {
            places += match part {
                ImportedPart::Heading(text) | ImportedPart::Code(text) => withhold::replace(text, &find),
                ImportedPart::Paragraph(runs) => replace_in_runs(runs, &find),
                ImportedPart::List(items) => {
                    let within = items.iter_mut().map(|item| replace_in_runs(item, &find));
                    within.sum::<usize>() + replace_across(items, &find)
                }
                ImportedPart::Table(table) => table
                    .all_rows()
                    .flatten()
                    .map(|cell| withhold::replace(&mut cell.text, &find))
                    .sum(),
                ImportedPart::WithheldTable => 0,
            };
        }
        places
    }

    /// Takes the answer out; gives the number of places.
    pub(in crate::explain) fn conceal(&mut self, forms: &AnswerForms, sample: &Sample, own: &OwnTexts<'_>) -> usize {
        let find = |text: &str| said_in_text(forms, text);
        let mut places = 0;
        for part in &mut self.parts {
            match part {
                ImportedPart::Heading(text) => places += withhold::replace(text, find),
                ImportedPart::Code(text) => {
                    places += withhold::replace(text, |text| said_in_code(forms, text));
                }
                ImportedPart::Paragraph(runs) => places += replace_in_runs(runs, &find),
                ImportedPart::List(items) => {
                    places += items.iter_mut().map(|item| replace_in_runs(item, &find)).sum::<usize>();
                    places += replace_across(items, &find);
                }
                ImportedPart::Table(table) => {
                    let rows: Vec<Vec<&str>> = table.header.iter().chain(&table.rows).map(|row| texts(row)).collect();
                    let told = told_by_table(forms, sample, own, &rows, usize::from(table.header.is_some()));
                    if told.everything {
                        *part = ImportedPart::WithheldTable;
                        places += 1;
                        continue;
                    }
                    for (row, column) in told.cells {
                        let Some(cell) = table.all_rows().nth(row).and_then(|row| row.get_mut(column)) else {
                            continue;
                        };
                        places += withhold::replace(&mut cell.text, find);
                    }
                }
                ImportedPart::WithheldTable => {}
            }
        }
        places
    }
}

fn shown_run(run: &ImportedRun) -> ImportedRun {
    ImportedRun {
        text: visible(&run.text).replace('\n', " "),
        marked: run.marked,
    }
}

fn texts(row: &[ImportedCell]) -> Vec<&str> {
    row.iter().map(|cell| cell.text.as_str()).collect()
}

/// Replaces in a paragraph as if it were one text: what is found may begin in one run and end in another.
fn replace_in_runs(runs: &mut Vec<ImportedRun>, find: &impl Fn(&str) -> Vec<Range<usize>>) -> usize {
    withhold::in_rounds(|| {
        let text = text_of(runs);
        cut(runs, &withhold::unmarked(find(&text), &text))
    })
}

fn text_of(runs: &[ImportedRun]) -> String {
    runs.iter().map(|run| run.text.as_str()).collect()
}

/// The same of what goes on from one item of a list into the next, as a reader of the whole list takes it.
fn replace_across(items: &mut [Vec<ImportedRun>], find: &impl Fn(&str) -> Vec<Range<usize>>) -> usize {
    withhold::in_rounds(|| replace_across_once(items, find))
}

fn replace_across_once(items: &mut [Vec<ImportedRun>], find: &impl Fn(&str) -> Vec<Range<usize>>) -> usize {
    const BEFORE_ITEM: &str = "\n- ";
    let mut all = String::new();
    let starts: Vec<usize> = items
        .iter()
        .map(|item| {
            all.push_str(BEFORE_ITEM);
            let start = all.len();
            all.push_str(&text_of(item));
            start
        })
        .collect();
    let found = withhold::unmarked(find(&all), &all);
    let mut places = 0;
    for (item, start) in items.iter_mut().zip(starts) {
        let end = start + text_of(item).len();
        let cuts: Vec<Range<usize>> = withhold::reaching_into(&found, &(start..end))
            .map(|place| place.start.max(start) - start..place.end.min(end) - start)
            .collect();
        places += cut(item, &cuts);
    }
    places
}

/// Puts [`WITHHELD`] in the place of each range of the text of runs.
fn cut(runs: &mut Vec<ImportedRun>, places: &[Range<usize>]) -> usize {
    if places.is_empty() {
        return 0;
    }
    let text = text_of(runs);
    let mut kept: Vec<ImportedRun> = Vec::new();
    let mut keep = |text: &str, marked: bool| match kept.last_mut() {
        Some(last) if last.marked == marked => last.text.push_str(text),
        _ if text.is_empty() => {}
        _ => kept.push(ImportedRun {
            text: text.to_owned(),
            marked,
        }),
    };
    let mut start = 0;
    for run in runs.iter() {
        let end = start + run.text.len();
        let mut from = start;
        for place in withhold::reaching_into(places, &(start..end)) {
            keep(text.get(from..place.start.max(from)).unwrap_or_default(), run.marked);
            if place.start >= start {
                keep(WITHHELD, run.marked);
            }
            from = place.end.min(end);
        }
        keep(text.get(from..end).unwrap_or_default(), run.marked);
        start = end;
    }
    *runs = kept;
    places.len()
}

/// What stands beside an answer.
const LABELS: &[&str] = &[
    "answer",
    "answers",
    "claim",
    "conclusion",
    "final",
    "label",
    "output",
    "predicted",
    "prediction",
    "predictions",
    "result",
    "statement",
    "verdict",
];

fn is_label(text: &str) -> bool {
    words_of(text).iter().any(|word| LABELS.contains(&word.as_str()))
}

/// Where a text of an imported explanation says the answer.
pub(in crate::explain) fn said_in_text(forms: &AnswerForms, text: &str) -> Vec<Range<usize>> {
    forms.said_apart_from_counting(text)
}

/// Where preformatted text says it, line by line: a line with a label as a text does, any other as a program does. Of a
/// verdict, a line that has both is a rule and no claim.
pub(in crate::explain) fn said_in_code(forms: &AnswerForms, text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split('\n') {
        let said = match forms {
            AnswerForms::Verdict if has_both(line) || has_both(text) && !is_label(line) => Vec::new(),
            AnswerForms::Verdict => said_in_text(forms, line),
            _ if is_label(line) => said_in_text(forms, line),
            _ => withhold::said_in_program(forms, line),
        };
        found.extend(said.into_iter().map(|place| place.start + start..place.end + start));
        start += line.len() + 1;
    }
    found
}

fn has_both(text: &str) -> bool {
    let words = words_of(text);
    ["true", "false"]
        .iter()
        .all(|verdict| words.iter().any(|word| word == verdict))
}

/// What a table of an imported explanation tells of the answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::explain) struct TableTells {
    /// A column holds the answer and nothing else.
    pub(in crate::explain) everything: bool,
    /// The cells that say it: row (headings count as rows), column.
    pub(in crate::explain) cells: Vec<(usize, usize)>,
}

/// What a table tells. The first `headings` of its rows are headings.
pub(in crate::explain) fn told_by_table(
    forms: &AnswerForms,
    sample: &Sample,
    own: &OwnTexts<'_>,
    rows: &[Vec<&str>],
    headings: usize,
) -> TableTells {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let fills = |column: usize| {
        let cells = rows.iter().skip(headings).map(|row| row.get(column).copied());
        forms.fill(cells, true)
    };
    if (0..columns).any(fills) && !withhold::fills_first_table(forms, &sample.table) {
        return TableTells {
            everything: true,
            cells: Vec::new(),
        };
    }
    let mut told = TableTells::default();
    for (row, cells) in rows.iter().enumerate() {
        // Of a wide row, read once and only where it matters.
        let mut labels: Option<Vec<usize>> = None;
        for (column, text) in cells.iter().enumerate() {
            if said_in_text(forms, text).is_empty() {
                continue;
            }
            let labels = labels.get_or_insert_with(|| {
                let labelled = cells.iter().enumerate().filter(|(_, text)| is_label(text));
                labelled.map(|(column, _)| column).collect()
            });
            let is_labelled = labels.iter().any(|label| *label != column);
            let words = words_of(text);
            let is_plain = match forms {
                AnswerForms::Verdict => matches!(words.as_slice(), [only] if matches!(only.as_str(), "true" | "false")),
                _ => is_small_number(&words),
            };
            if !(is_plain || own.cells_and_names().contains(&words)) || is_labelled {
                told.cells.push((row, column));
            }
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use pretty_assertions::assert_eq;

    use super::*;
    use crate::dataset::{Answer, DatasetKind, QuestionKind};
    use crate::explain::imported::read_html;
    use crate::table::Table;

    fn sample(question: &str) -> Sample {
        let rows = [["Heron", "3"], ["Osprey", "5"], ["Grebe", "9"]];
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect();
        Sample {
            id: "b-1".to_owned(),
            dataset: DatasetKind::Custom,
            kind: QuestionKind::ShortAnswer,
            table_id: "boats.csv".to_owned(),
            caption: None,
            table: Table::from_text(vec!["Boat".to_owned(), "Crew".to_owned()], rows).unwrap(),
            question: question.to_owned(),
            gold: None,
            groups: BTreeMap::new(),
        }
    }

    /// The texts of a page, each part on a line, as the answer leaves them.
    fn concealed(html: &str, answer: &Answer) -> Vec<String> {
        let mut view = ImportedView::of(&read_html(html).unwrap());
        let forms = AnswerForms::of(answer, "", |_| false).unwrap();
        let sample = sample("Which boat?");
        view.conceal(&forms, &sample, &OwnTexts::new(&sample));
        let joined = |runs: &[ImportedRun]| {
            let texts = runs.iter().map(|run| {
                if run.marked {
                    format!("<{}>", run.text)
                } else {
                    run.text.clone()
                }
            });
            texts.collect::<String>()
        };
        let shown = |part: &ImportedPart| match part {
            ImportedPart::Heading(text) | ImportedPart::Code(text) => text.clone(),
            ImportedPart::Paragraph(runs) => joined(runs),
            ImportedPart::List(items) => items.iter().map(|item| joined(item)).collect::<Vec<_>>().join(" / "),
            ImportedPart::Table(table) => {
                let rows = table.header.iter().chain(&table.rows).map(|row| texts(row).join("|"));
                rows.collect::<Vec<_>>().join(" / ")
            }
            ImportedPart::WithheldTable => "no table".to_owned(),
        };
        view.parts.iter().map(shown).collect()
    }

    fn values(texts: &[&str]) -> Answer {
        Answer::Values(texts.iter().map(|&text| text.to_owned()).collect())
    }

    #[test]
    fn text_says_the_answer_across_its_highlights() {
        let heron = values(&["Old Heron"]);
        assert_eq!(
            concealed(
                "<h2>Old-Heron</h2><p>the <mark>old</mark> heron, <mark>x Old Heron y</mark></p><ul><li>a<li>Old Heron</ul>",
                &heron
            ),
            ["[withheld]", "the <[withheld]>, <x [withheld] y>", "a / [withheld]"]
        );
        assert_eq!(
            concealed("<ul><li>the old</li><li>heron, <mark>here</mark></li></ul>", &heron),
            ["the [withheld] / [withheld], <here>"]
        );
        assert_eq!(
            concealed(
                "<p>It is withheld.</p><ul><li>withheld</li></ul>",
                &values(&["withheld"])
            ),
            ["It is [withheld].", "[withheld]"]
        );
        // What is left of a text may tell something anew, in a paragraph as in a heading.
        let eights = values(&["888888"]);
        assert_eq!(
            concealed("<h2>x88888888888888888</h2>", &eights),
            concealed("<p>x88888888888888888</p>", &eights)
        );
        let three = values(&["3"]);
        assert_eq!(
            concealed("<h2>Step 3: rows 3</h2><p>So three boats, step 3 says.</p>", &three),
            ["Step 3: rows 3", "So [withheld] boats, step 3 says."]
        );
        let verdict = Answer::Verdict(false);
        assert_eq!(
            concealed(
                "<p>Nine is most. So it is <b>TR</b>UE, I say. Done.</p><h3>Prediction: FALSE</h3>",
                &verdict
            ),
            ["Nine is most. [withheld] Done.", "[withheld]"]
        );
    }

    #[test]
    fn tables_that_state_the_answer_are_left_out() {
        let grebe = values(&["Grebe"]);
        let cell = "<table><tr><th>Boat<th>Crew<tr><td>Grebe<td>9<tr><td>Heron<td>3</table>";
        assert_eq!(concealed(cell, &grebe), ["Boat|Crew / Grebe|9 / Heron|3"]);
        assert_eq!(
            concealed("<table><tr><th>Boat<tr><td>Grebe</table>", &grebe),
            ["no table"]
        );
        assert_eq!(concealed("<table><tr><td>x<td>Grebe!</table>", &grebe), ["no table"]);
        let labelled = "<table><tr><td>Final answer<td>Grebe<tr><td>Boat<td>Heron<tr><td>Note<td>Grebe wins</table>";
        assert_eq!(
            concealed(labelled, &grebe),
            ["Final answer|[withheld] / Boat|Heron / Note|[withheld] wins"]
        );
        let three = values(&["3"]);
        let counted = "<table><tr><td>1<td>a<tr><td>3<td>b<tr><td>result<td>3</table>";
        assert_eq!(concealed(counted, &three), ["1|a / 3|b / result|[withheld]"]);
        let verdict = Answer::Verdict(true);
        let mixed = "<table><tr><td>a<td>TRUE<tr><td>b<td>FALSE<tr><td>verdict<td>TRUE</table>";
        assert_eq!(concealed(mixed, &verdict), ["a|TRUE / b|FALSE / verdict|[withheld]"]);
        assert_eq!(
            concealed("<table><tr><td>a<td>TRUE<tr><td>b<td>TRUE</table>", &verdict),
            ["no table"]
        );
    }

    #[test]
    fn preformatted_text_is_read_line_by_line() {
        let three = values(&["3"]);
        assert_eq!(
            concealed("<pre>SELECT 3\nAnswer: 3\nlimit 3</pre>", &three),
            ["SELECT [withheld]\nAnswer: [withheld]\nlimit 3"]
        );
        let verdict = Answer::Verdict(true);
        assert_eq!(
            concealed(
                "<pre>CASE WHEN x THEN 'TRUE' ELSE 'FALSE' END\nPrediction: TRUE</pre>",
                &verdict
            ),
            ["CASE WHEN x THEN 'TRUE' ELSE 'FALSE' END\n[withheld]"]
        );
        assert_eq!(concealed("<pre>x = 1\n=> True</pre>", &verdict), ["x = 1\n[withheld]"]);
    }

    #[test]
    fn ragged_tables_are_filled_up() {
        let view = ImportedView::of(&read_html("<table><tr><th>a<tr><td>1<td>2<td>3</table>").unwrap());
        let ImportedPart::Table(table) = &view.parts[0] else {
            panic!("{view:?}");
        };
        assert_eq!(
            (table.columns, table.rows.len(), table.size().as_str()),
            (3, 1, "1 row, 3 columns")
        );
        assert_eq!(table.header.as_ref().map(Vec::len), Some(3));
    }
}
