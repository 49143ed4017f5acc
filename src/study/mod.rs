//! The study file, the plan of work, and the run directory.
//!
//! [`file`] is the schema, [`load`] reads and checks it, [`directory`] is where a run lives, [`run`] does the stages in
//! order, each in a file of its own. Resuming a run is running it again: every answer already given comes from the
//! call store, and every output is made anew from those answers and replaced whole.

pub mod analyze;
pub mod answer;
pub mod directory;
pub mod estimate;
pub mod explain;
pub mod file;
pub mod judge;
pub mod load;
pub mod observe;
pub mod run;

pub use load::{Study, StudyError};
pub use observe::{Observer, Progress, Silent};
pub use run::{Options, RunError, Stage, Summary, run};
