//! From a source of a study file to its samples.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::{DatasetError, Sample, Selection, Source, custom, fetaqa, tabfact, wikitq};

/// Reads a source and takes what it selects. Relative paths start at `base_dir`, the directory of the study file; `seed`
/// is the study's, for `shuffle`.
///
/// The order is that of the file (for TabFact, of the list of table ids), or drawn from the seed. What is given by
/// `ids` and `groups` is taken first, then shuffled, then cut to `limit`.
pub fn load(source: &Source, base_dir: &Path, seed: u64) -> Result<Vec<Sample>, DatasetError> {
    let path = source_path(source, base_dir);
    let (samples, selection) = match source {
        Source::Tabfact { split, select, .. } => (load_tabfact(&path, split.as_deref())?, select),
        Source::Wikitq { split, select, .. } => (wikitq::load(&path, split)?, select),
        Source::Fetaqa { select, .. } => (fetaqa::load(&path)?, select),
        Source::Custom { select, .. } => (custom::load(&path)?, select),
    };
    select(samples, selection, &path, seed)
}

fn source_path(source: &Source, base_dir: &Path) -> PathBuf {
    match source {
        Source::Tabfact { path, .. } | Source::Wikitq { path, .. } | Source::Fetaqa { path, .. } => base_dir.join(path),
        Source::Custom { questions, .. } => base_dir.join(questions),
    }
}

fn load_tabfact(path: &Path, split: Option<&str>) -> Result<Vec<Sample>, DatasetError> {
    let rows = path.extension().is_some_and(|extension| extension == "jsonl");
    let wrong = |problem: &str, next_step: &str| DatasetError::Split {
        path: path.to_owned(),
        problem: problem.to_owned(),
        next_step: next_step.to_owned(),
    };
    match (rows, split) {
        (true, None) => tabfact::load_chain_of_table(path),
        (true, Some(_)) => Err(wrong("a .jsonl file has no splits", "leave `split` out")),
        (false, Some(split)) => tabfact::load(path, split),
        (false, None) => Err(wrong("no split is named", "add `split`, such as \"small_test\"")),
    }
}

fn select(samples: Vec<Sample>, selection: &Selection, path: &Path, seed: u64) -> Result<Vec<Sample>, DatasetError> {
    let empty = |problem: String, next_step: &str| DatasetError::Empty {
        path: path.to_owned(),
        problem,
        next_step: next_step.to_owned(),
    };
    if samples.is_empty() {
        return Err(empty("holds no samples".to_owned(), "a study needs at least one"));
    }
    if selection.limit == Some(0) {
        return Err(empty(
            "a limit of 0 selects no samples".to_owned(),
            "raise `limit` or leave it out",
        ));
    }
    let count = samples.len();
    let wanted_ids: Option<BTreeSet<&str>> = selection
        .ids
        .as_ref()
        .map(|ids| ids.iter().map(String::as_str).collect());
    if let Some(wanted) = &wanted_ids {
        let known: BTreeSet<&str> = samples.iter().map(|sample| sample.id.as_str()).collect();
        if let Some(missing) = wanted.difference(&known).next() {
            let problem = format!("none of its {count} samples has the id `{missing}`");
            return Err(empty(problem, "correct `ids`"));
        }
    }
    let mut taken: Vec<Sample> = samples
        .into_iter()
        .filter(|sample| {
            wanted_ids.as_ref().is_none_or(|ids| ids.contains(sample.id.as_str()))
                && selection
                    .groups
                    .iter()
                    .all(|(name, label)| sample.groups.get(name) == Some(label))
        })
        .collect();
    if taken.is_empty() {
        let wanted: Vec<String> = selection
            .groups
            .iter()
            .map(|(name, label)| format!("{name} = {label}"))
            .collect();
        let with = if wanted.is_empty() {
            "is among `ids`".to_owned()
        } else {
            format!("has {}", wanted.join(" and "))
        };
        return Err(empty(
            format!("none of its {count} samples {with}"),
            "correct `ids` and `groups` of `select`",
        ));
    }
    if selection.shuffle {
        let mut generator = generator(seed, taken.iter().map(|sample| sample.id.as_str()));
        taken.shuffle(&mut generator);
    }
    taken.truncate(selection.limit.unwrap_or(usize::MAX));
    Ok(taken)
}

/// The source of randomness of the order: ChaCha8 keyed by the BLAKE3 of seed, purpose and ids.
fn generator<'ids>(seed: u64, ids: impl Iterator<Item = &'ids str>) -> ChaCha8Rng {
    let mut hasher = blake3::Hasher::new_derive_key("tabjury dataset 1 samples");
    hasher.update(&seed.to_le_bytes());
    for id in ids {
        hasher.update(&(id.len() as u64).to_le_bytes());
        hasher.update(id.as_bytes());
    }
    ChaCha8Rng::from_seed(*hasher.finalize().as_bytes())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::dataset::{DatasetKind, QuestionKind};
    use crate::table::Table;

    fn samples(count: usize) -> Vec<Sample> {
        let sample = |number: usize| Sample {
            id: format!("q{number}"),
            dataset: DatasetKind::Custom,
            kind: QuestionKind::ShortAnswer,
            table_id: "t".to_owned(),
            caption: None,
            table: Table::default(),
            question: "?".to_owned(),
            gold: None,
            groups: BTreeMap::from([(
                "size".to_owned(),
                if number.is_multiple_of(2) { "small" } else { "large" }.to_owned(),
            )]),
        };
        (0..count).map(sample).collect()
    }

    fn selected(selection: &Selection, seed: u64) -> Result<Vec<String>, DatasetError> {
        let taken = select(samples(20), selection, Path::new("q.jsonl"), seed)?;
        Ok(taken.into_iter().map(|sample| sample.id).collect())
    }

    #[test]
    fn everything_given_must_hold() {
        let selection = Selection {
            limit: Some(2),
            ids: Some(["q7", "q4", "q2", "q0"].map(str::to_owned).to_vec()),
            groups: BTreeMap::from([("size".to_owned(), "small".to_owned())]),
            shuffle: false,
        };
        assert_eq!(selected(&selection, 0).unwrap(), ["q0", "q2"]);
    }

    #[test]
    fn the_seed_gives_the_order() {
        let selection = Selection {
            shuffle: true,
            ..Selection::default()
        };
        let order = selected(&selection, 1).unwrap();
        assert_eq!(order, selected(&selection, 1).unwrap());
        assert_ne!(order, selected(&selection, 2).unwrap());
        assert_ne!(order, selected(&Selection::default(), 1).unwrap());
        let mut sorted = order.clone();
        sorted.sort();
        let mut all = selected(&Selection::default(), 1).unwrap();
        all.sort();
        assert_eq!(sorted, all);
    }

    #[test]
    fn an_empty_selection_is_an_error_with_a_next_step() {
        let none = |selection: Selection| selected(&selection, 0).unwrap_err().to_string();
        let groups = BTreeMap::from([("size".to_owned(), "huge".to_owned())]);
        assert_eq!(
            none(Selection {
                groups,
                ..Selection::default()
            }),
            "q.jsonl: none of its 20 samples has size = huge; correct `ids` and `groups` of `select`"
        );
        let ids = Some(vec!["q99".to_owned()]);
        assert!(
            none(Selection {
                ids,
                ..Selection::default()
            })
            .contains("the id `q99`")
        );
        assert!(
            none(Selection {
                limit: Some(0),
                ..Selection::default()
            })
            .contains("limit of 0")
        );
        let error = select(Vec::new(), &Selection::default(), Path::new("q.jsonl"), 0).unwrap_err();
        assert!(error.to_string().contains("holds no samples"));
    }
}
