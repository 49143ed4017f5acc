//! What the tests that read data from outside the repository share.

#![allow(dead_code)]

use std::path::{Path, PathBuf};

/// The data directory: `TABJURY_DATA`, or `../shared/data`. `None` when it is missing, after a line that says so; with
/// `TABJURY_REQUIRE_DATA=1` a missing directory fails the test.
pub(crate) fn data_dir(test: &str) -> Option<PathBuf> {
    existing(test, from_environment("TABJURY_DATA", data_default()))
}

/// The directory of reference vectors: `TABJURY_REFERENCE`, or `reference` inside the data directory.
pub(crate) fn reference_dir(test: &str) -> Option<PathBuf> {
    let data = from_environment("TABJURY_DATA", data_default());
    existing(test, from_environment("TABJURY_REFERENCE", data.join("reference")))
}

fn data_default() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data")
}

fn from_environment(name: &str, default: PathBuf) -> PathBuf {
    std::env::var_os(name).map_or(default, PathBuf::from)
}

fn existing(test: &str, directory: PathBuf) -> Option<PathBuf> {
    if directory.is_dir() {
        return Some(directory);
    }
    assert!(
        std::env::var_os("TABJURY_REQUIRE_DATA").is_none_or(|value| value != "1"),
        "{test}: no data at {} (TABJURY_REQUIRE_DATA is set)",
        directory.display()
    );
    println!("skipped: {test}: no data at {} (set TABJURY_DATA)", directory.display());
    None
}
