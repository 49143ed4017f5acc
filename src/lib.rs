//! tabjury finds out whether an explanation of a Table QA answer helps anyone.
//!
//! The modules follow the line that data takes, from left to right:
//!
//! - [`table`]: tables as text with a typed view beside them, and the text forms that prompts use.
//! - [`dataset`]: TabFact, WikiTQ, FeTaQA and a user's own files, read into samples; official answer scoring.
//! - [`model`]: asking a language model: requests, providers, the call store, limits and cost.
//! - [`engine`]: running what models write, guarded.
//! - [`trace`]: what a method did on a sample, and the lineage of each step.
//! - [`method`]: one file a Table QA method, from a sample to a trace.
//! - [`explain`]: a trace in a format, as a page for people and for models.
//! - [`judge`]: trials, the prompts put before judges, and the verdicts read from what they answer.
//! - [`human`]: the same trials answered by people.
//! - [`stats`]: pure functions of numbers, each with its formula and source.
//! - [`report`]: judgments into an analysis, tables and a page.
//! - [`study`]: the study file, the plan of work, and the run directory.
//! - [`cli`]: the commands; the only place that prints.

pub mod cli;
pub mod dataset;
pub mod engine;
pub mod explain;
pub mod human;
pub mod judge;
pub mod method;
pub mod model;
pub mod report;
pub mod stats;
pub mod study;
pub mod table;
pub mod trace;
