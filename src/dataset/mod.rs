//! Data sets: upstream files in, samples out; and the official scoring of answers.

pub mod denotation;
mod error;
pub mod groups;
pub mod sample;
pub mod score;
pub mod source;
mod text_file;
pub mod wikitq;

pub use error::DatasetError;
pub use sample::{Answer, DatasetKind, Gold, QuestionKind, Sample};
pub use score::{Score, answers_agree, score};
pub use source::{Selection, Source};
