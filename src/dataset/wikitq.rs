//! WikiTableQuestions (Pasupat and Liang 2015), version 1.0.2, as its repository has it.
//!
//! A split is `data/NAME.tsv`; its questions name tables `csv/NNN-csv/M.csv`. Canonical forms of the gold values come from
//! `tagged/data/NAME.tagged`, or from `tagged/data/training.tagged` for the parts of the training set. Where neither is
//! there, gold values have no canonical form and are scored as the official evaluator reads raw text: then the gold
//! value `1,234` is matched by `1,234` and not by `1234`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use crate::table::Table;

use super::groups;
use super::text_file::{lines, read_text, table_of_records};
use super::{DatasetError, DatasetKind, Gold, QuestionKind, Sample, check_new_id};

/// Questions shorter than this many Unicode code points are simple (PoTable, Table I).
const SIMPLE_BELOW: usize = 50;

const UPSTREAM: &str = "get the file from the upstream repository again";

/// Reads the split `data/NAME.tsv` of the data set in `root`, in file order.
pub fn load(root: &Path, split: &str) -> Result<Vec<Sample>, DatasetError> {
    if split.is_empty() || split.contains(['/', '\\', '\0']) {
        return Err(DatasetError::Split {
            path: root.to_owned(),
            problem: format!("`{split}` is no split"),
            next_step: "name a file in data/ without its ending, such as `pristine-unseen-tables`".to_owned(),
        });
    }
    let file = root.join("data").join(format!("{split}.tsv"));
    let text = read_text(&file)?;
    let canon = canonical_values(root, split)?;
    let mut tables: BTreeMap<String, Table> = BTreeMap::new();
    let mut ids = BTreeSet::new();
    let mut samples = Vec::new();
    for record in Records::new(&file, &text, &["id", "utterance", "context", "targetValue"])? {
        let (line, [id, utterance, context, target]) = record?;
        let (id, context) = (unescape(id), unescape(context));
        check_new_id(&mut ids, &file, line, &id)?;
        if !tables.contains_key(&context) {
            let table = read_table_csv(&table_path(root, &file, line, &context)?)
                .map_err(|error| error.named_by(&file, line))?;
            tables.insert(context.clone(), table);
        }
        let table = tables[&context].clone();
        let values = unescape_list(target);
        let canon = match &canon {
            None => Vec::new(),
            Some((tagged, canon)) => match canon.get(&id) {
                Some(canon) if canon.len() == values.len() => canon.clone(),
                found => {
                    let problem = match found {
                        None => format!("has no line for `{id}` of {}", file.display()),
                        Some(_) => format!("the values of `{id}` are not those of {}", file.display()),
                    };
                    return Err(DatasetError::malformed(
                        tagged,
                        1,
                        problem,
                        "take both files from the same version",
                    ));
                }
            },
        };
        let question = unescape(utterance);
        samples.push(Sample {
            id,
            dataset: DatasetKind::Wikitq,
            kind: QuestionKind::ShortAnswer,
            table_id: context,
            caption: None,
            groups: groups::labels(&table, Some(question.chars().count() < SIMPLE_BELOW)),
            table,
            question,
            gold: Some(Gold::Values { values, canon }),
        });
    }
    Ok(samples)
}

/// Where a question's table is; only below `root`.
fn table_path(root: &Path, file: &Path, line: usize, context: &str) -> Result<PathBuf, DatasetError> {
    let path = Path::new(context);
    if path
        .components()
        .all(|component| matches!(component, Component::Normal(_)))
        && !context.is_empty()
    {
        return Ok(root.join(path));
    }
    Err(DatasetError::malformed(
        file,
        line,
        format!("`{context}` is no path below the data set"),
        "name the table as csv/NNN-csv/M.csv",
    ))
}

type CanonicalValues = BTreeMap<String, Vec<String>>;

/// The canonical values of a split by question, with the file they are from, where there is one.
fn canonical_values(root: &Path, split: &str) -> Result<Option<(PathBuf, CanonicalValues)>, DatasetError> {
    let tagged = root.join("tagged").join("data");
    let own = tagged.join(format!("{split}.tagged"));
    let training = tagged.join("training.tagged");
    let of_training = split.starts_with("random-split-") || split.starts_with("training");
    let file = if own.is_file() {
        own
    } else if of_training && training.is_file() {
        training
    } else {
        return Ok(None);
    };
    let values = read_tagged(&file)?
        .into_iter()
        .map(|question| (question.id, question.canon))
        .collect();
    Ok(Some((file, values)))
}

/// A line of a `.tagged` file of questions, as far as scoring needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaggedQuestion {
    /// The question's id.
    pub id: String,
    /// `targetValue`.
    pub values: Vec<String>,
    /// `targetCanon`, as long as `values`.
    pub canon: Vec<String>,
}

/// Reads a `.tagged` file of questions, in file order.
pub fn read_tagged(file: &Path) -> Result<Vec<TaggedQuestion>, DatasetError> {
    let text = read_text(file)?;
    let mut questions = Vec::new();
    for record in Records::new(file, &text, &["id", "targetValue", "targetCanon"])? {
        let (line, [id, values, canon]) = record?;
        let question = TaggedQuestion {
            id: unescape(id),
            values: unescape_list(values),
            canon: unescape_list(canon),
        };
        if question.values.len() != question.canon.len() {
            let problem = format!(
                "targetValue has {} items, but targetCanon has {}",
                question.values.len(),
                question.canon.len()
            );
            return Err(DatasetError::malformed(file, line, problem, UPSTREAM));
        }
        questions.push(question);
    }
    Ok(questions)
}

/// Reads a table file `csv/NNN-csv/M.csv`: every cell in double quotes, with `\"` and `\\` inside them.
pub fn read_table_csv(file: &Path) -> Result<Table, DatasetError> {
    let text = read_text(file)?;
    let records = QuotedRecords {
        text: &text,
        at: 0,
        line: 1,
    };
    let records = records
        .collect::<Result<Vec<_>, _>>()
        .map_err(|(line, problem)| DatasetError::malformed(file, line, problem, UPSTREAM))?;
    table_of_records(file, records)
}

/// Reads a table file `csv/NNN-csv/M.tsv`: cells parted by tabs, with `\n`, `\\` and `\p` for line break, backslash and
/// bar. It is not always equal to the `.csv`, which has lost no-break spaces.
pub fn read_table_tsv(file: &Path) -> Result<Table, DatasetError> {
    let text = read_text(file)?;
    table_of_records(
        file,
        lines(&text).map(|(line, record)| (line, record.split('\t').map(unescape).collect())),
    )
}

/// Undoes the escapes of a TSV field in one pass from left to right; chained replacements would take the `\n` of `\\n`
/// for a line break. A backslash before anything else stands for itself.
pub fn unescape(field: &str) -> String {
    let mut text = String::with_capacity(field.len());
    let mut characters = field.chars().peekable();
    while let Some(character) = characters.next() {
        let meant = match (character, characters.peek()) {
            ('\\', Some('n')) => '\n',
            ('\\', Some('p')) => '|',
            ('\\', Some('\\')) => '\\',
            _ => {
                text.push(character);
                continue;
            }
        };
        characters.next();
        text.push(meant);
    }
    text
}

/// The items of a list field, parted by `|`.
pub fn unescape_list(field: &str) -> Vec<String> {
    field.split('|').map(unescape).collect()
}

/// The wanted fields of a TSV file with a header; every line has as many fields as the header.
struct Records<'text, const WANTED: usize> {
    file: &'text Path,
    rest: Box<dyn Iterator<Item = (usize, &'text str)> + 'text>,
    fields: usize,
    places: [usize; WANTED],
}

impl<'text, const WANTED: usize> Records<'text, WANTED> {
    fn new(file: &'text Path, text: &'text str, wanted: &[&str; WANTED]) -> Result<Self, DatasetError> {
        let mut rest = lines(text);
        let header: Vec<&str> = rest
            .next()
            .map(|(_, line)| line.split('\t').collect())
            .unwrap_or_default();
        let mut places = [0; WANTED];
        for (place, name) in places.iter_mut().zip(wanted) {
            *place = header.iter().position(|field| field == name).ok_or_else(|| {
                let next_step = format!("begin the file with a header line that has {}", wanted.join(", "));
                DatasetError::malformed(file, 1, format!("the header has no field `{name}`"), next_step)
            })?;
        }
        Ok(Self {
            file,
            rest: Box::new(rest),
            fields: header.len(),
            places,
        })
    }
}

impl<'text, const WANTED: usize> Iterator for Records<'text, WANTED> {
    type Item = Result<(usize, [&'text str; WANTED]), DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        let (line, record) = self.rest.next()?;
        let fields: Vec<&str> = record.split('\t').collect();
        if fields.len() != self.fields {
            let problem = format!("has {} fields, but the header has {}", fields.len(), self.fields);
            return Some(Err(DatasetError::malformed(self.file, line, problem, UPSTREAM)));
        }
        Some(Ok((line, self.places.map(|place| fields[place]))))
    }
}

/// The line on which a record begins, and its cells.
type Record = (usize, Vec<String>);

/// The line on which reading stopped, and why.
type Stop = (usize, String);

/// The records of a table's `.csv`.
struct QuotedRecords<'text> {
    text: &'text str,
    at: usize,
    line: usize,
}

impl Iterator for QuotedRecords<'_> {
    type Item = Result<Record, Stop>;

    fn next(&mut self) -> Option<Self::Item> {
        (self.at < self.text.len()).then(|| self.record())
    }
}

impl QuotedRecords<'_> {
    fn record(&mut self) -> Result<Record, Stop> {
        let first_line = self.line;
        let mut cells = Vec::new();
        loop {
            cells.push(self.cell()?);
            match self.take() {
                Some(',') => {}
                Some('\n') | None => return Ok((first_line, cells)),
                Some(other) => return Err(self.stop(format!("{other:?} follows the closing quote of a cell"))),
            }
        }
    }

    fn cell(&mut self) -> Result<String, Stop> {
        let begins = self.line;
        match self.take() {
            Some('"') => {}
            _ => return Err(self.stop("a cell does not begin with a double quote".to_owned())),
        }
        let mut cell = String::new();
        loop {
            match self.take() {
                Some('"') => return Ok(cell),
                Some('\\') => match self.take() {
                    Some(escaped @ ('"' | '\\')) => cell.push(escaped),
                    Some(other) => cell.extend(['\\', other]),
                    None => return Err((begins, "the cell that begins here has no closing quote".to_owned())),
                },
                Some(other) => cell.push(other),
                None => return Err((begins, "the cell that begins here has no closing quote".to_owned())),
            }
        }
    }

    fn take(&mut self) -> Option<char> {
        let character = self.text[self.at..].chars().next()?;
        self.at += character.len_utf8();
        if character == '\n' {
            self.line += 1;
        }
        Some(character)
    }

    fn stop(&self, problem: String) -> Stop {
        let passed_break = self.text[..self.at].ends_with('\n');
        (self.line - usize::from(passed_break), problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    fn quoted(text: &str) -> Result<Vec<Record>, Stop> {
        QuotedRecords { text, at: 0, line: 1 }.collect()
    }

    #[test]
    fn quoted_cells() {
        let cells = |cells: &[&str]| cells.iter().map(|&cell| cell.to_owned()).collect::<Vec<_>>();
        let text = "\"a\",\"\"\n\"say \\\"hi\\\"\\\\\",\"two\nlines\"\n\"x\",\"\\n\"";
        let records = vec![
            (1, cells(&["a", ""])),
            (2, cells(&["say \"hi\"\\", "two\nlines"])),
            (4, cells(&["x", "\\n"])),
        ];
        assert_eq!(quoted(text), Ok(records));
    }

    #[test]
    fn what_is_not_quoted_is_refused_with_its_line() {
        assert_eq!(quoted("\"a\"\nb\n").unwrap_err().0, 2);
        assert_eq!(quoted("\"a\"\n\"b\"\"c\"\n").unwrap_err().0, 2);
        assert_eq!(quoted("\"a\"\n\"b\n\n").unwrap_err().0, 2);
        assert_eq!(quoted("\"a\",\n").unwrap_err().0, 1);
        assert_eq!(quoted("\"a\"\r\n").unwrap_err().0, 1);
    }

    #[test]
    fn one_pass_unescape() {
        assert_eq!(unescape(r"a\\nb\pc\n\q\"), "a\\nb|c\n\\q\\");
        assert_eq!(unescape_list(r"a\p|b||"), ["a|", "b", "", ""]);
    }

    proptest! {
        #[test]
        fn unescape_undoes_escape(text in "(?s).{0,20}|[\\\\np|\n]{0,12}") {
            let escaped = text.replace('\\', "\\\\").replace('\n', "\\n").replace('|', "\\p");
            prop_assert_eq!(unescape(&escaped), text);
        }

        #[test]
        fn quoted_cells_come_back(rows in prop::collection::vec(prop::collection::vec("(?s).{0,6}|[\\\\\",\n]{0,6}", 2), 1..4)) {
            let quote = |cell: &String| format!("\"{}\"", cell.replace('\\', "\\\\").replace('"', "\\\""));
            let text: String = rows.iter().map(|row| format!("{}\n", row.iter().map(quote).collect::<Vec<_>>().join(","))).collect();
            let read: Vec<Vec<String>> = quoted(&text).unwrap().into_iter().map(|(_, cells)| cells).collect();
            prop_assert_eq!(read, rows);
        }
    }
}
