//! Data sets: upstream files in, samples out; and the official scoring of answers.

pub mod sample;
pub mod source;

pub use sample::{Answer, DatasetKind, Gold, QuestionKind, Sample};
pub use source::{Selection, Source};
