//! The study file, the plan of work, and the run directory.

pub mod file;
