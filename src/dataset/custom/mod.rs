//! A user's own tables and questions.
//!
//! The questions file is `.jsonl` (an object a line), `.csv` (RFC 4180) or `.tsv` (no quoting), with a header in the latter
//! two. Fields:
//!
//! - `id`: unique in the file;
//! - `table`: a table file, relative to the questions file and below its directory;
//! - `question` or `statement`;
//! - for a question `answer`: one value, or a JSON list of values; with `kind` = `free_form`, a sentence;
//! - for a statement `label`: `true` or `false` (also 1 and 0, `entailed` and `refuted`);
//! - `caption`, optional; and group labels: an object `groups` in `.jsonl`, columns `groups.NAME` in the other two.
//!
//! A question or statement without `answer` or `label` has no gold answer. In `.csv` and `.tsv` an empty field is a field
//! left out. An answer is never split at commas: `["oak", "elm"]` is two values, `oak, elm` is one.

mod table_file;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;

use crate::table::Table;

use super::groups;
use super::json::parse_line;
use super::text_file::{lines, read_text};
use super::{DatasetError, DatasetKind, Gold, QuestionKind, Sample, check_new_id};

pub use table_file::{Record, read_records, read_table};

const SHAPE: &str =
    "an object with id, table, question or statement, answer or label, and if you like kind, caption and groups";

/// Reads a questions file and every table it names, in file order.
pub fn load(questions: &Path) -> Result<Vec<Sample>, DatasetError> {
    let mut tables = Tables::new(questions);
    let mut ids = BTreeSet::new();
    let mut samples = Vec::new();
    for (line, entry) in read_entries(questions)? {
        let wrong = |problem: &str, next_step: &str| DatasetError::malformed(questions, line, problem, next_step);
        if entry.id.is_empty() {
            return Err(wrong("has no id", "give every question an id of its own"));
        }
        check_new_id(&mut ids, questions, line, &entry.id)?;
        let (question, kind, gold) = asked(&entry).map_err(|(problem, next_step)| wrong(problem, next_step))?;
        let table = tables.read(line, &entry.table)?;
        let mut labels = groups::labels(table, None);
        labels.extend(entry.groups);
        samples.push(Sample {
            id: entry.id,
            dataset: DatasetKind::Custom,
            kind,
            table_id: entry.table,
            caption: entry.caption,
            table: table.clone(),
            question,
            gold,
            groups: labels,
        });
    }
    Ok(samples)
}

/// What is asked, and the right answer where there is one.
fn asked(entry: &Entry) -> Result<(String, QuestionKind, Option<Gold>), (&'static str, &'static str)> {
    let is_empty = |text: &Option<String>| text.as_ref().is_some_and(|text| text.trim().is_empty());
    if is_empty(&entry.question) || is_empty(&entry.statement) {
        return Err(("asks nothing: its text is empty", "write the question or statement"));
    }
    let question = match (&entry.question, &entry.statement) {
        (Some(question), None) => question,
        (None, Some(statement)) => {
            if entry.answer.is_some() || entry.kind.is_some() {
                return Err((
                    "a statement has a `label`, no `answer` and no `kind`",
                    "write label = true or false",
                ));
            }
            let gold = entry
                .label
                .as_ref()
                .map(|label| label.verdict().map(Gold::Verdict))
                .transpose()?;
            return Ok((statement.clone(), QuestionKind::FactVerification, gold));
        }
        (Some(_), Some(_)) => return Err(("has a question and a statement", "keep one of them")),
        (None, None) => return Err(("has neither a question nor a statement", "write one of them")),
    };
    if entry.label.is_some() {
        return Err((
            "a question has an `answer` and no `label`",
            "rename the field, or ask a statement",
        ));
    }
    match (entry.kind.unwrap_or(AskedKind::ShortAnswer), &entry.answer) {
        (AskedKind::FreeForm, Some(AnswerField::Values(_))) => Err((
            "the answer of a free-form question is one sentence",
            "write it as a text, not as a list",
        )),
        (AskedKind::FreeForm, answer) => {
            let gold = answer.as_ref().map(|answer| Gold::Text(answer.values().concat()));
            Ok((question.clone(), QuestionKind::FreeForm, gold))
        }
        (AskedKind::ShortAnswer, Some(AnswerField::Values(values))) if values.is_empty() => Err((
            "the list of answers is empty",
            "write the values, or leave the answer out when it is not known",
        )),
        (AskedKind::ShortAnswer, answer) => {
            let gold = answer.as_ref().map(|answer| Gold::Values {
                values: answer.values(),
                canon: Vec::new(),
            });
            Ok((question.clone(), QuestionKind::ShortAnswer, gold))
        }
    }
}

/// One line of a questions file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: String,
    table: String,
    question: Option<String>,
    statement: Option<String>,
    answer: Option<AnswerField>,
    label: Option<LabelField>,
    kind: Option<AskedKind>,
    caption: Option<String>,
    #[serde(default)]
    groups: BTreeMap<String, String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum AskedKind {
    ShortAnswer,
    FreeForm,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Scalar {
    Text(String),
    Number(serde_json::Number),
}

impl Scalar {
    fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "an answer is a text, a number or a list of them")]
enum AnswerField {
    Value(Scalar),
    Values(Vec<Scalar>),
}

impl AnswerField {
    fn values(&self) -> Vec<String> {
        match self {
            Self::Value(value) => vec![value.text()],
            Self::Values(values) => values.iter().map(Scalar::text).collect(),
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a label is true or false")]
enum LabelField {
    Truth(bool),
    Word(Scalar),
}

impl LabelField {
    fn verdict(&self) -> Result<bool, (&'static str, &'static str)> {
        let word = match self {
            Self::Truth(truth) => return Ok(*truth),
            Self::Word(word) => word.text().to_ascii_lowercase(),
        };
        match word.as_str() {
            "true" | "1" | "entailed" => Ok(true),
            "false" | "0" | "refuted" => Ok(false),
            _ => Err(("the label is neither true nor false", "write true or false")),
        }
    }
}

fn read_entries(questions: &Path) -> Result<Vec<(usize, Entry)>, DatasetError> {
    if table_file::has_ending(questions, &["jsonl", "ndjson"]) {
        let text = read_text(questions)?;
        return lines(&text)
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(number, line)| Ok((number, parse_line(questions, number, line, SHAPE)?)))
            .collect();
    }
    let mut records = table_file::read_records(questions)?.into_iter();
    let Some((header_line, header)) = records.next() else {
        return Ok(Vec::new());
    };
    records
        .map(|(line, fields)| {
            if fields.len() != header.len() {
                let problem = format!("has {} fields, but the header has {}", fields.len(), header.len());
                return Err(DatasetError::malformed(
                    questions,
                    line,
                    problem,
                    "give every line all fields",
                ));
            }
            let mut entry = Entry {
                id: String::new(),
                table: String::new(),
                question: None,
                statement: None,
                answer: None,
                label: None,
                kind: None,
                caption: None,
                groups: BTreeMap::new(),
            };
            for (name, field) in header.iter().zip(fields) {
                entry.set(name, field).map_err(|(problem, in_header)| {
                    let line = if in_header { header_line } else { line };
                    DatasetError::malformed(questions, line, problem, format!("write {SHAPE}"))
                })?;
            }
            Ok((line, entry))
        })
        .collect()
}

impl Entry {
    /// Sets the field of a column; an error says what is wrong, and whether it is the column's name.
    fn set(&mut self, name: &str, field: String) -> Result<(), (String, bool)> {
        let group = name.strip_prefix("groups.").filter(|group| !group.is_empty());
        let known = [
            "id",
            "table",
            "question",
            "statement",
            "answer",
            "label",
            "kind",
            "caption",
        ]
        .contains(&name);
        if !known && group.is_none() {
            return Err((format!("has a column {name:?}, which means nothing here"), true));
        }
        if field.is_empty() {
            return Ok(());
        }
        match (name, group) {
            (_, Some(group)) => {
                self.groups.insert(group.to_owned(), field);
            }
            ("id", _) => self.id = field,
            ("table", _) => self.table = field,
            ("question", _) => self.question = Some(field),
            ("statement", _) => self.statement = Some(field),
            ("label", _) => self.label = Some(LabelField::Word(Scalar::Text(field))),
            ("caption", _) => self.caption = Some(field),
            ("kind", _) => {
                self.kind = Some(match field.as_str() {
                    "short_answer" => AskedKind::ShortAnswer,
                    "free_form" => AskedKind::FreeForm,
                    _ => return Err((format!("the kind is {field:?}, not short_answer or free_form"), false)),
                });
            }
            _ => {
                let list = field
                    .starts_with('[')
                    .then(|| serde_json::from_str::<Vec<Scalar>>(&field).ok())
                    .flatten();
                self.answer = Some(match list {
                    Some(values) => AnswerField::Values(values),
                    None => AnswerField::Value(Scalar::Text(field)),
                });
            }
        }
        Ok(())
    }
}

/// The tables that a questions file names, each read once.
struct Tables<'file> {
    questions: &'file Path,
    directory: PathBuf,
    read: BTreeMap<String, Table>,
}

impl<'file> Tables<'file> {
    fn new(questions: &'file Path) -> Self {
        let parent = questions.parent().filter(|parent| !parent.as_os_str().is_empty());
        Self {
            questions,
            directory: parent.unwrap_or(Path::new(".")).to_owned(),
            read: BTreeMap::new(),
        }
    }

    fn read(&mut self, line: usize, name: &str) -> Result<&Table, DatasetError> {
        if !self.read.contains_key(name) {
            let file = self.find(line, name)?;
            let table = read_table(&file).map_err(|error| error.named_by(self.questions, line))?;
            self.read.insert(name.to_owned(), table);
        }
        Ok(&self.read[name])
    }

    /// The path of a table, which has to lie below the directory of the questions, symbolic links followed.
    fn find(&self, line: usize, name: &str) -> Result<PathBuf, DatasetError> {
        let outside = || {
            DatasetError::malformed(
                self.questions,
                line,
                format!("the table `{name}` is no path below the directory of the questions"),
                "name the table relative to the questions file, without `..`",
            )
        };
        let below = |component| matches!(component, Component::Normal(_) | Component::CurDir);
        if name.is_empty() || name.contains('\0') || !Path::new(name).components().all(below) {
            return Err(outside());
        }
        let file = self.directory.join(name);
        // A file that is not there gets its own error when it is read.
        if let (Ok(directory), Ok(real)) = (self.directory.canonicalize(), file.canonicalize())
            && !real.starts_with(directory)
        {
            return Err(outside());
        }
        Ok(file)
    }
}
