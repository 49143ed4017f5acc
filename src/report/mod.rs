//! Judgments into an analysis, tables and a page.
//!
//! [`records`] is what a run hands in; everything here is a pure function of it. Nothing in this room reads a file,
//! asks a model or looks at the clock. [`analysis::analyze`] makes the figures, one file a part of them; [`flags`]
//! says which of them need a warning.

pub mod agreement;
mod agreement_tables;
pub mod analysis;
pub mod answers;
pub mod arm_pairs;
pub mod cells;
mod check_tables;
pub mod compare;
pub mod conclusions;
pub mod confidence;
mod confidence_tables;
pub mod control;
pub mod correlation;
mod correlation_tables;
mod csv_table;
pub mod difference;
pub mod discernment;
pub mod faithfulness;
mod faithfulness_tables;
pub mod figures;
pub mod flag_kinds;
pub mod flags;
pub mod html;
pub mod index;
pub mod inference;
pub mod latex;
mod latex_table;
pub mod left_out;
mod markdown_table;
pub mod names;
pub mod pages;
#[cfg(feature = "parquet")]
pub mod parquet_tables;
pub mod people;
mod people_tables;
pub mod preference;
mod preference_tables;
pub mod published;
pub mod quantities;
pub mod records;
mod rounding;
pub mod run_check;
pub mod sensitivity;
pub mod simulation;
pub mod suspects;
#[cfg(feature = "parquet")]
mod table_types;
pub mod tables;
mod test_table;
pub mod usage;
pub mod verification;

pub use analysis::{Analysis, SCHEMA_VERSION, analyze};
pub use html::{report_html, report_pages};
pub use latex::latex_tables;
#[cfg(feature = "parquet")]
pub use parquet_tables::parquet_tables;
pub use records::{
    ArmFacts, CallLookup, CallMessage, CallTokens, CallUsage, CallView, ImportedJudgments, JudgeFacts, ModelFacts,
    ModelPrice, PageRecord, RunRecords, StudyFacts,
};
pub use tables::csv_tables;

/// A table or page that could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A table.
    #[error("table {name} could not be written: {message}")]
    Table {
        /// Its file name.
        name: String,
        /// Why.
        message: String,
    },
    /// A page of the report.
    #[error("report page {name} could not be rendered: {message}")]
    Page {
        /// Its file name.
        name: String,
        /// Why.
        message: String,
    },
}
