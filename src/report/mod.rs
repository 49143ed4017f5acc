//! Judgments into an analysis, tables and a page.
//!
//! [`records`] is what a run hands in; everything here is a pure function of it. Nothing in this room reads a file,
//! asks a model or looks at the clock.

pub mod records;

pub use records::{
    ArmFacts, CallLookup, CallUsage, CallView, JudgeFacts, ModelFacts, ModelPrice, PageRecord, RunRecords, StudyFacts,
};
