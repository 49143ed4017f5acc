//! Data sets: upstream files in, samples out; and the official scoring of answers.

pub mod custom;
pub mod denotation;
mod error;
pub mod fetaqa;
pub mod groups;
mod json;
pub mod sample;
pub mod score;
mod select;
pub mod source;
pub mod tabfact;
mod text_file;
pub mod wikitq;

use std::collections::BTreeSet;
use std::path::Path;

pub use error::DatasetError;
pub use sample::{Answer, DatasetKind, Gold, QuestionKind, Sample};
pub use score::{Score, answers_agree, score};
pub use select::load;
pub use source::{Selection, Source};

/// Notes the id of a sample, refusing one that is noted already.
fn check_new_id(ids: &mut BTreeSet<String>, file: &Path, line: usize, id: &str) -> Result<(), DatasetError> {
    if ids.insert(id.to_owned()) {
        return Ok(());
    }
    Err(DatasetError::DuplicateId {
        file: file.to_owned(),
        line,
        id: id.to_owned(),
    })
}
