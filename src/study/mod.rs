//! The study file, the plan of work, and the run directory.
//!
//! [`file`] is the schema, [`load`] reads and checks it, [`directory`] is where a run lives, [`run`] does the stages in
//! order, each in a file of its own. Resuming a run is running it again: every answer already given comes from the
//! call store, and every output is made anew from those answers and replaced whole.

mod analyze;
mod answer;
mod ask;
mod check;
mod check_run;
mod compare;
pub mod directory;
pub mod estimate;
mod explain;
mod faithfulness;
pub mod file;
pub mod import;
mod judge;
pub mod load;
mod models;
pub mod observe;
mod picture;
mod preset;
pub mod run;
mod stored;
mod summary;
mod watch;
mod work;

pub use check_run::{CheckOptions, check_run};
pub use compare::compared_run;
pub use load::{Study, StudyError};
pub use observe::{Observer, Progress, Silent};
pub use run::{Options, RunError, Stage, load_samples, report, run};
pub use stored::{StoredTrace, StoredTraceError, stored_trace};
pub use summary::{Summary, Tally};
