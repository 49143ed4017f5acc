//! What every page of a sample has - its question, its caption, its table - worked out once for all pages of the sample: what
//! stands there tells a judge nothing. Each part is made when it is first asked for, so that a page of a long table is
//! not made to wait for what it does not need.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};

use super::sql_script;
use super::text_words::words;
use super::visible_text::visible;
use crate::dataset::Sample;
use crate::table::Table;

/// The texts of a sample that stand on its every page.
pub(super) struct OwnTexts<'a> {
    question: &'a str,
    caption: Option<&'a str>,
    table: &'a Table,
    /// Cells letter for letter, without the blanks around them.
    letters: OnceCell<HashSet<&'a str>>,
    /// The words of each cell, as a page shows it.
    cells: OnceCell<HashSet<Vec<String>>>,
    /// The words of each cell and of each column's name.
    cells_and_names: OnceCell<BTreeSet<Vec<String>>>,
    /// The words of everything, in order, and where each word stands.
    all: OnceCell<AllWords>,
    /// Runs of words that were looked for, and whether they were there.
    looked_for: RefCell<HashMap<Vec<String>, bool>>,
    /// How a script of its steps begins.
    script: OnceCell<String>,
    /// The same as a page shows it.
    visible_script: OnceCell<String>,
}

/// The words of a sample.
struct AllWords {
    all: Vec<String>,
    places: HashMap<String, Vec<usize>>,
}

impl<'a> OwnTexts<'a> {
    /// The texts of a sample.
    pub(super) fn new(sample: &'a Sample) -> Self {
        Self {
            question: &sample.question,
            caption: sample.caption.as_deref(),
            table: &sample.table,
            letters: OnceCell::new(),
            cells: OnceCell::new(),
            cells_and_names: OnceCell::new(),
            all: OnceCell::new(),
            looked_for: RefCell::default(),
            script: OnceCell::new(),
            visible_script: OnceCell::new(),
        }
    }

    /// Whether a cell of the table is this text, letter for letter but for the blanks around it.
    pub(super) fn is_cell(&self, text: &str) -> bool {
        self.letters
            .get_or_init(|| self.cell_texts().map(str::trim).collect())
            .contains(text.trim())
    }

    /// Whether a cell of the table has the words of this text and no others.
    pub(super) fn has_cell(&self, text: &str) -> bool {
        // Most are as the table has them, and then nobody has to take the whole of it apart.
        self.is_cell(text) || self.has_cell_of(&words(text))
    }

    /// Whether a cell of the table has these words and no others.
    pub(super) fn has_cell_of(&self, words_of_cell: &[String]) -> bool {
        self.cells
            .get_or_init(|| self.cell_texts().map(|cell| words(&visible(cell))).collect())
            .contains(words_of_cell)
    }

    /// The words of each cell and of each column's name.
    pub(super) fn cells_and_names(&self) -> &BTreeSet<Vec<String>> {
        self.cells_and_names.get_or_init(|| {
            let names = self.table.columns.iter().map(|column| column.display.as_str());
            names.chain(self.cell_texts()).map(words).collect()
        })
    }

    /// Whether the question, the caption, the names of the columns and the cells, one after the other, have these words in
    /// one run.
    pub(super) fn has_words(&self, run: &[String]) -> bool {
        let Some(first) = run.first() else {
            return false;
        };
        if let Some(known) = self.looked_for.borrow().get(run) {
            return *known;
        }
        let AllWords { all, places } = self.all.get_or_init(|| self.all_words());
        let has = places.get(first).is_some_and(|places| {
            places
                .iter()
                .any(|at| all.get(*at..*at + run.len()).is_some_and(|here| here == run))
        });
        self.looked_for.borrow_mut().insert(run.to_vec(), has);
        has
    }

    /// How a script of steps on the sample begins: it makes the table.
    pub(super) fn script(&self) -> &str {
        self.script.get_or_init(|| sql_script::first_table(self.table))
    }

    /// The same as a page shows it.
    pub(super) fn visible_script(&self) -> &str {
        self.visible_script.get_or_init(|| visible(self.script()))
    }

    fn cell_texts(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.table.rows.iter().flatten().filter_map(|cell| cell.as_deref())
    }

    fn all_words(&self) -> AllWords {
        let texts = [Some(self.question), self.caption];
        let names = self.table.columns.iter().map(|column| column.display.as_str());
        let all: Vec<String> = texts
            .into_iter()
            .flatten()
            .chain(names)
            .chain(self.cell_texts())
            .flat_map(words)
            .collect();
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, word) in all.iter().enumerate() {
            match places.get_mut(word) {
                Some(places) => places.push(at),
                None => {
                    places.insert(word.clone(), vec![at]);
                }
            }
        }
        AllWords { all, places }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_sample_has_is_found_whatever_its_spelling() {
        let path = format!("{}/docs/examples/sample.json", env!("CARGO_MANIFEST_DIR"));
        let mut sample: Sample = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        sample.question = "Who sailed first?".to_owned();
        sample.caption = Some("Boats of 1,204".to_owned());
        sample.table =
            Table::from_text(["Boat", "Won"], [vec!["Nor’easter ".to_owned(), "1,200.50".to_owned()]]).unwrap();
        let own = OwnTexts::new(&sample);
        for (text, expected) in [
            ("Nor’easter", true),
            ("1200.5", true),
            ("1200", false),
            ("Boat", false),
            ("", false),
        ] {
            assert_eq!(own.has_cell(text), expected, "{text}");
        }
        for (text, expected) in [
            ("sailed first", true),
            ("1204 boat", true),
            ("first sailed", false),
            ("easter 1200.5", true),
            ("1200.5 x", false),
            ("", false),
        ] {
            assert_eq!(own.has_words(&words(text)), expected, "{text}");
            assert_eq!(own.has_words(&words(text)), expected, "{text}, asked again");
        }
        assert!(own.cells_and_names().contains(&words("WON")));
    }
}
