//! TabFact (Chen et al. 2020), as its repository has it, and the rows of its small test set that Chain-of-Table ships.
//!
//! A split is a list of table ids in `data/` with the statements of `tokenized_data/`: tokenized, lower-cased and
//! lemmatized. Chain-of-Table's `test.jsonl` has raw statements over the same tables, whose cells went through a number
//! parser. Both are read as they are.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;

use crate::table::Table;

use super::groups;
use super::json::{Members, line_of_member, parse_file, parse_line};
use super::text_file::{lines, on_line, read_text, table_of_records};
use super::{DatasetError, DatasetKind, Gold, QuestionKind, Sample};

/// The splits of the repository: name, list of ids in `data/`, statements in `tokenized_data/`.
const SPLITS: [(&str, &str, &str); 5] = [
    ("test", "test_id.json", "test_examples.json"),
    ("val", "val_id.json", "val_examples.json"),
    ("small_test", "small_test_id.json", "test_examples.json"),
    ("simple_test", "simple_test_id.json", "test_examples.json"),
    ("complex_test", "complex_test_id.json", "test_examples.json"),
];

const UPSTREAM: &str = "take all files from the same version of the upstream repository";

/// The statements of one table: statements, labels (1 entailed, 0 refuted) and caption.
type Statements = (Vec<String>, Vec<u8>, String);

/// Reads a split of the repository in `root`, table by table in the order of its list of ids.
pub fn load(root: &Path, split: &str) -> Result<Vec<Sample>, DatasetError> {
    let Some((_, ids_name, examples_name)) = SPLITS.iter().find(|(name, ..)| *name == split) else {
        return Err(DatasetError::Split {
            path: root.to_owned(),
            problem: format!("`{split}` is no split of TabFact"),
            next_step: format!("name one of {}", SPLITS.map(|(name, ..)| name).join(", ")),
        });
    };
    let examples_file = root.join("tokenized_data").join(examples_name);
    let examples_text = read_text(&examples_file)?;
    let Members(examples) = parse_file::<Members<Statements>>(
        &examples_file,
        &examples_text,
        "an object of table id to [[statements], [labels 0 or 1], caption]",
    )?;
    let ids_file = root.join("data").join(ids_name);
    let ids = read_ids(&ids_file)?;
    let channels = Channels::read(&root.join("data"))?;
    let at = |table_id: &str| line_of_member(&examples_text, table_id);
    let mut samples = Vec::new();
    let mut seen = BTreeSet::new();
    for table_id in &ids.ids {
        if !seen.insert(table_id) {
            let problem = format!("names the table {table_id} twice");
            return Err(DatasetError::malformed(
                &ids_file,
                ids.line(table_id),
                problem,
                "name every table once",
            ));
        }
        let mut entries = examples.iter().filter(|(id, _)| id == table_id);
        let (statements, labels, caption) = match (entries.next(), entries.next()) {
            (Some((_, statements)), None) => statements,
            (None, _) => {
                let problem = format!(
                    "names the table {table_id}, of which {} has no statements",
                    examples_file.display()
                );
                return Err(DatasetError::malformed(
                    &ids_file,
                    ids.line(table_id),
                    problem,
                    UPSTREAM,
                ));
            }
            (Some(_), Some(_)) => {
                let problem = format!("has the table {table_id} twice");
                return Err(DatasetError::malformed(&examples_file, at(table_id), problem, UPSTREAM));
            }
        };
        if statements.len() != labels.len() {
            let problem = format!(
                "{table_id} has {} statements, but {} labels",
                statements.len(),
                labels.len()
            );
            return Err(DatasetError::malformed(&examples_file, at(table_id), problem, UPSTREAM));
        }
        let table_file = table_path(root, table_id).ok_or_else(|| {
            DatasetError::malformed(
                &ids_file,
                ids.line(table_id),
                format!("`{table_id}` is no file name"),
                UPSTREAM,
            )
        })?;
        let table = read_table(&table_file).map_err(|error| error.named_by(&ids_file, ids.line(table_id)))?;
        for (index, (statement, label)) in statements.iter().zip(labels).enumerate() {
            let Some(entailed) = entailed(*label) else {
                let problem = format!("{table_id} has the label {label}");
                return Err(DatasetError::malformed(
                    &examples_file,
                    at(table_id),
                    problem,
                    "labels are 0 or 1",
                ));
            };
            samples.push(sample(
                format!("{table_id}#{index}"),
                table_id,
                caption,
                statement,
                entailed,
                &table,
                &channels,
            ));
        }
    }
    Ok(samples)
}

/// Reads Chain-of-Table's `test.jsonl` (or another file of that form) in file order. Statements are labelled simple or
/// complex when `simple_ids.json` and `complex_ids.json` lie beside the file or in the repository around it (`../data`).
pub fn load_chain_of_table(file: &Path) -> Result<Vec<Sample>, DatasetError> {
    #[derive(Deserialize)]
    struct Row {
        statement: String,
        label: u8,
        table_caption: String,
        table_text: Vec<Vec<String>>,
        table_id: String,
    }
    let beside = file.parent().unwrap_or(Path::new(""));
    let mut channels = Channels::read(beside)?;
    if channels.is_empty() {
        channels = Channels::read(&beside.join("..").join("data"))?;
    }
    let text = read_text(file)?;
    let mut samples = Vec::new();
    for (number, line) in lines(&text) {
        let shape = "one object with statement, label, table_caption, table_text and table_id";
        let row: Row = parse_line(file, number, line, shape)?;
        let Some(entailed) = entailed(row.label) else {
            return Err(DatasetError::malformed(
                file,
                number,
                format!("has the label {}", row.label),
                "labels are 0 or 1",
            ));
        };
        let table = table_of_records(file, row.table_text.into_iter().map(|record| (number, record)))
            .map_err(|error| on_line(error, number, "the table"))?;
        samples.push(sample(
            format!("test-{}", number - 1),
            &row.table_id,
            &row.table_caption,
            &row.statement,
            entailed,
            &table,
            &channels,
        ));
    }
    Ok(samples)
}

/// Reads a table file `data/all_csv/ID`: cells parted by `#`, no quoting and no escaping, nothing trimmed; a line ends
/// at a line feed, with or without a carriage return before it.
pub fn read_table(file: &Path) -> Result<Table, DatasetError> {
    let text = read_text(file)?;
    let records = lines(&text).map(|(number, line)| {
        let line = line.strip_suffix('\r').unwrap_or(line);
        (number, line.split('#').map(str::to_owned).collect())
    });
    table_of_records(file, records)
}

fn table_path(root: &Path, table_id: &str) -> Option<PathBuf> {
    let mut components = Path::new(table_id).components();
    match (components.next(), components.next()) {
        (Some(Component::Normal(name)), None) => Some(root.join("data").join("all_csv").join(name)),
        _ => None,
    }
}

fn entailed(label: u8) -> Option<bool> {
    match label {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

fn sample(
    id: String,
    table_id: &str,
    caption: &str,
    statement: &str,
    entailed: bool,
    table: &Table,
    channels: &Channels,
) -> Sample {
    Sample {
        id,
        dataset: DatasetKind::Tabfact,
        kind: QuestionKind::FactVerification,
        table_id: table_id.to_owned(),
        caption: (!caption.is_empty()).then(|| caption.to_owned()),
        table: table.clone(),
        question: statement.to_owned(),
        gold: Some(Gold::Verdict(entailed)),
        groups: groups::labels(table, channels.is_simple(table_id)),
    }
}

/// A list of table ids, with its text for the lines of errors.
struct Ids {
    ids: Vec<String>,
    text: String,
}

impl Ids {
    fn line(&self, id: &str) -> usize {
        line_of_member(&self.text, id)
    }
}

fn read_ids(file: &Path) -> Result<Ids, DatasetError> {
    let text = read_text(file)?;
    let ids = parse_file(file, &text, "a list of table ids")?;
    Ok(Ids { ids, text })
}

/// Which tables are of the simple and which of the complex channel.
#[derive(Default)]
struct Channels {
    simple: BTreeSet<String>,
    complex: BTreeSet<String>,
}

impl Channels {
    /// Reads `simple_ids.json` and `complex_ids.json` of a directory; without either, no table has a channel.
    fn read(directory: &Path) -> Result<Self, DatasetError> {
        let (simple, complex) = (directory.join("simple_ids.json"), directory.join("complex_ids.json"));
        if !simple.is_file() || !complex.is_file() {
            return Ok(Self::default());
        }
        Ok(Self {
            simple: read_ids(&simple)?.ids.into_iter().collect(),
            complex: read_ids(&complex)?.ids.into_iter().collect(),
        })
    }

    fn is_empty(&self) -> bool {
        self.simple.is_empty() && self.complex.is_empty()
    }

    fn is_simple(&self, table_id: &str) -> Option<bool> {
        match (self.simple.contains(table_id), self.complex.contains(table_id)) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        }
    }
}
