//! The run directory: where a study's outputs live, each written whole or not at all.
//!
//! ```text
//! RUN/run.json          what made the outputs: versions and a fingerprint of each stage's inputs
//! RUN/study.toml        the study file as it was
//! RUN/calls.sqlite      the call store; the only thing a resumed run needs
//! RUN/samples.jsonl  traces.jsonl  pages.jsonl  trials.jsonl  judgments.jsonl  faithfulness.jsonl
//! RUN/pages/ARM/...     pages as HTML and Markdown
//! RUN/analysis.json  tables/*.csv  report.html  trials/*.html
//! RUN/check.json        what `tabjury check` found
//! RUN/imported.json     in place of the study file, where judgments were imported
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::run::Stage;

/// The samples.
pub const SAMPLES: &str = "samples.jsonl";
/// The traces.
pub const TRACES: &str = "traces.jsonl";
/// What the pages are like.
pub const PAGES: &str = "pages.jsonl";
/// The trials.
pub const TRIALS: &str = "trials.jsonl";
/// The judgments.
pub const JUDGMENTS: &str = "judgments.jsonl";
/// Whether answers follow from what is marked.
pub const FAITHFULNESS: &str = "faithfulness.jsonl";
/// What is said of judgments recorded elsewhere, in place of a study file.
pub const IMPORTED: &str = "imported.json";
/// The analysis.
pub const ANALYSIS: &str = "analysis.json";
/// What a check of the run found.
pub const CHECK: &str = "check.json";
/// The study file as it was.
pub const STUDY: &str = "study.toml";
/// The call store.
pub const CALLS: &str = "calls.sqlite";

/// Version of the layout of a run directory.
pub const SCHEMA_VERSION: u32 = 1;

const MANIFEST: &str = "run.json";

/// A run directory that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum DirectoryError {
    /// The file system refused.
    #[error("cannot {action} {path}: {source}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A record is not what it should be.
    #[error("{path}:{line}: {message}; run the study again to write it anew")]
    Record {
        /// The file.
        path: PathBuf,
        /// 1-based line.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// It holds what no run wrote.
    #[error(
        "{path} is no run directory and holds `{name}`, which a run might replace; name a new or empty directory with --out"
    )]
    Foreign {
        /// The directory.
        path: PathBuf,
        /// One thing in it.
        name: String,
    },
    /// A later tabjury wrote it.
    #[error(
        "{path} was written by a later tabjury (layout {version}); read it with that one, or begin a run elsewhere"
    )]
    Newer {
        /// The directory.
        path: PathBuf,
        /// Its layout.
        version: u32,
    },
    /// It is no run directory.
    #[error("{path} is not a run directory: it has no run.json; name a directory that `tabjury run` wrote")]
    NotARun {
        /// The directory.
        path: PathBuf,
    },
}

/// What made the outputs of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of the layout, 1.
    pub schema_version: u32,
    /// Version of tabjury.
    pub tabjury: String,
    /// The study's name.
    pub study: String,
    /// For each stage whose outputs are here: BLAKE3 of all that they were made from.
    pub stages: BTreeMap<Stage, String>,
    /// For each file of records: BLAKE3 of its bytes, so that one that lost lines is not taken for whole.
    pub records: BTreeMap<String, String>,
    /// For each answerer whose explanations were made elsewhere: BLAKE3 of the file that they were imported from.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub imports: BTreeMap<String, String>,
}

/// A run directory.
#[derive(Clone, Debug)]
pub struct RunDirectory {
    root: PathBuf,
}

impl RunDirectory {
    /// Makes the directory if it is not there. One that holds anything else than a run is refused: a run replaces whole
    /// directories inside it.
    pub fn create(root: &Path) -> Result<Self, DirectoryError> {
        fs::create_dir_all(root).map_err(io("make the run directory", root))?;
        if root.join(MANIFEST).is_file() {
            return Ok(Self { root: root.to_owned() });
        }
        for entry in fs::read_dir(root).map_err(io("look into", root))? {
            let name = entry.map_err(io("look into", root))?.file_name();
            let name = name.to_string_lossy();
            // A run killed at its very beginning leaves these.
            if !name.starts_with(CALLS) && name != format!(".{MANIFEST}.new") {
                return Err(DirectoryError::Foreign {
                    path: root.to_owned(),
                    name: name.into_owned(),
                });
            }
        }
        Ok(Self { root: root.to_owned() })
    }

    /// Opens a directory that a run wrote.
    pub fn open(root: &Path) -> Result<Self, DirectoryError> {
        if !root.join(MANIFEST).is_file() {
            return Err(DirectoryError::NotARun { path: root.to_owned() });
        }
        Ok(Self { root: root.to_owned() })
    }

    /// The directory itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A path inside it.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// What made the outputs; the default when nothing has been made.
    pub fn manifest(&self) -> Result<Manifest, DirectoryError> {
        let path = self.path(MANIFEST);
        if !path.is_file() {
            return Ok(Manifest::default());
        }
        let text = fs::read_to_string(&path).map_err(io("read", &path))?;
        let manifest: Manifest = serde_json::from_str(&text).map_err(|error| record(&path, error.line(), &error))?;
        if manifest.schema_version > SCHEMA_VERSION {
            return Err(DirectoryError::Newer {
                path: self.root.clone(),
                version: manifest.schema_version,
            });
        }
        Ok(manifest)
    }

    /// Writes what made the outputs.
    pub fn write_manifest(&self, manifest: &Manifest) -> Result<(), DirectoryError> {
        self.write_json(MANIFEST, manifest)
    }

    /// Writes a file whole: to a name beside it first, then renamed.
    pub fn write(&self, relative: &str, bytes: &[u8]) -> Result<(), DirectoryError> {
        write_whole(&self.path(relative), bytes)
    }

    /// Writes one JSON document, indented, with a final newline.
    pub fn write_json<T: Serialize>(&self, relative: &str, value: &T) -> Result<(), DirectoryError> {
        let path = self.path(relative);
        let mut text = serde_json::to_string_pretty(value).map_err(|error| record(&path, error.line(), &error))?;
        text.push('\n');
        self.write(relative, text.as_bytes())
    }

    /// Reads one JSON document; `None` when there is no such file.
    pub fn read_json<T: DeserializeOwned>(&self, relative: &str) -> Result<Option<T>, DirectoryError> {
        let path = self.path(relative);
        if !path.is_file() {
            return Ok(None);
        }
        let text = fs::read_to_string(&path).map_err(io("read", &path))?;
        let value = serde_json::from_str(&text).map_err(|error| record(&path, error.line(), &error))?;
        Ok(Some(value))
    }

    /// The files of a directory inside the run and of those in it, ascending, named from the run's root; none where it is
    /// not there.
    pub fn files_in(&self, relative: &str) -> Result<Vec<String>, DirectoryError> {
        let mut found = Vec::new();
        let mut open = vec![relative.to_owned()];
        while let Some(relative) = open.pop() {
            let path = self.path(&relative);
            if !path.is_dir() {
                continue;
            }
            for entry in fs::read_dir(&path).map_err(io("look into", &path))? {
                let entry = entry.map_err(io("look into", &path))?;
                let name = format!("{relative}/{}", entry.file_name().to_string_lossy());
                if entry.file_type().map_err(io("look into", &path))?.is_dir() {
                    open.push(name);
                } else {
                    found.push(name);
                }
            }
        }
        found.sort_unstable();
        Ok(found)
    }

    /// Writes one record a line.
    pub fn write_records<T: Serialize>(&self, relative: &str, records: &[T]) -> Result<(), DirectoryError> {
        let path = self.path(relative);
        let mut bytes = Vec::new();
        for (index, value) in records.iter().enumerate() {
            serde_json::to_writer(&mut bytes, value).map_err(|error| record(&path, index + 1, &error))?;
            bytes.push(b'\n');
        }
        self.write(relative, &bytes)
    }

    /// Reads one record a line.
    pub fn read_records<T: DeserializeOwned>(&self, relative: &str) -> Result<Vec<T>, DirectoryError> {
        let path = self.path(relative);
        let text = fs::read_to_string(&path).map_err(io("read", &path))?;
        let lines = text.split('\n').enumerate().filter(|(_, line)| !line.is_empty());
        lines
            .map(|(index, line)| serde_json::from_str(line).map_err(|error| record(&path, index + 1, &error)))
            .collect()
    }

    /// BLAKE3 of a file.
    pub fn digest(&self, relative: &str) -> Result<String, DirectoryError> {
        let path = self.path(relative);
        let bytes = fs::read(&path).map_err(io("read", &path))?;
        Ok(blake3::hash(&bytes).to_hex().to_string())
    }

    /// Reads a file.
    pub fn read_bytes(&self, relative: &str) -> Result<Vec<u8>, DirectoryError> {
        let path = self.path(relative);
        fs::read(&path).map_err(io("read", &path))
    }

    /// Reads a text file.
    pub fn read_text(&self, relative: &str) -> Result<String, DirectoryError> {
        let path = self.path(relative);
        fs::read_to_string(&path).map_err(io("read", &path))
    }

    /// Replaces a directory inside the run by these files.
    pub fn replace_directory(&self, relative: &str, files: &[(String, Vec<u8>)]) -> Result<(), DirectoryError> {
        let mut replacement = self.replacement(relative)?;
        for (name, bytes) in files {
            replacement.add(name, bytes)?;
        }
        replacement.put_in_place()
    }

    /// Begins to replace a directory inside the run, so that nothing of an earlier run stays behind.
    pub fn replacement(&self, relative: &str) -> Result<Replacement, DirectoryError> {
        let replacement = Replacement {
            target: self.path(relative),
            fresh: self.path(&format!(".{relative}.new")),
            stale: self.path(&format!(".{relative}.old")),
            parents: BTreeSet::new(),
        };
        // A kill between the two moves of `put_in_place` left the old directory under its other name.
        if !replacement.target.exists() && replacement.stale.exists() {
            fs::rename(&replacement.stale, &replacement.target).map_err(io("put back", &replacement.stale))?;
        }
        for left_over in [&replacement.fresh, &replacement.stale] {
            if left_over.exists() {
                fs::remove_dir_all(left_over).map_err(io("remove", left_over))?;
            }
        }
        fs::create_dir_all(&replacement.fresh).map_err(io("make", &replacement.fresh))?;
        Ok(replacement)
    }
}

/// A directory that is written beside the one it will replace, and then moved to its place. Under its name there is never
/// a mixture; a kill between the two moves leaves nothing there, and the next run puts the old one back first.
pub struct Replacement {
    target: PathBuf,
    fresh: PathBuf,
    stale: PathBuf,
    parents: BTreeSet<PathBuf>,
}

impl Replacement {
    /// Writes a file of it.
    pub fn add(&mut self, name: &str, bytes: &[u8]) -> Result<(), DirectoryError> {
        let path = self.fresh.join(name);
        if let Some(parent) = path.parent().filter(|parent| self.parents.insert(parent.to_path_buf())) {
            fs::create_dir_all(parent).map_err(io("make", parent))?;
        }
        fs::write(&path, bytes).map_err(io("write", &path))
    }

    /// Puts it where the old one was.
    pub fn put_in_place(self) -> Result<(), DirectoryError> {
        let Self {
            target, fresh, stale, ..
        } = self;
        if target.exists() {
            fs::rename(&target, &stale).map_err(io("move away", &target))?;
        }
        fs::rename(&fresh, &target).map_err(io("put in place", &target))?;
        if stale.exists() {
            fs::remove_dir_all(&stale).map_err(io("remove", &stale))?;
        }
        Ok(())
    }
}

/// Writes a file whole or not at all.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), DirectoryError> {
    let parent = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(io("make", parent))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let fresh = parent.join(format!(".{name}.new"));
    let mut file = fs::File::create(&fresh).map_err(io("write", &fresh))?;
    file.write_all(bytes)
        .and_then(|()| file.sync_data())
        .map_err(io("write", &fresh))?;
    fs::rename(&fresh, path).map_err(io("put in place", path))
}

fn io<'a>(action: &'static str, path: &'a Path) -> impl FnOnce(std::io::Error) -> DirectoryError + 'a {
    move |source| DirectoryError::Io {
        action,
        path: path.to_owned(),
        source,
    }
}

fn record(path: &Path, line: usize, error: &serde_json::Error) -> DirectoryError {
    DirectoryError::Record {
        path: path.to_owned(),
        line,
        message: error.to_string(),
    }
}

/// A file name for an id: its plain letters for a person, and a hash so that no two ids meet and none can leave the
/// directory. At most 57 bytes.
pub fn file_name(id: &str) -> String {
    let plain: String = id
        .chars()
        .map(|letter| {
            if letter.is_ascii_alphanumeric() || letter == '-' {
                letter
            } else {
                '_'
            }
        })
        .take(40)
        .collect();
    let hash = blake3::hash(id.as_bytes()).to_hex();
    format!("{plain}-{}", &hash.as_str()[..12])
}

/// BLAKE3 of a value's JSON, in hexadecimal; the same value always gives the same text.
pub fn fingerprint<T: Serialize>(value: &T) -> String {
    match serde_json::to_vec(value) {
        Ok(bytes) => blake3::hash(&bytes).to_hex().to_string(),
        Err(error) => format!("unprintable: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_stay_inside_and_apart() {
        let names: Vec<String> = ["a/b", "a_b", "../../etc/passwd", "", "A_b"]
            .into_iter()
            .map(file_name)
            .collect();
        let distinct: BTreeSet<&String> = names.iter().collect();
        assert_eq!(distinct.len(), names.len());
        assert!(
            names.iter().all(|name| !name.contains('/') && !name.contains('.')),
            "{names:?}"
        );
    }

    #[test]
    fn replacing_a_directory_leaves_nothing_behind() {
        let root = tempfile::tempdir().unwrap();
        let run = RunDirectory::create(root.path()).unwrap();
        run.replace_directory("pages", &[("a/one.html".into(), b"1".to_vec())])
            .unwrap();
        run.replace_directory("pages", &[("b/two.html".into(), b"2".to_vec())])
            .unwrap();
        assert!(!root.path().join("pages/a").exists());
        assert_eq!(fs::read(root.path().join("pages/b/two.html")).unwrap(), b"2");
        let names: Vec<_> = fs::read_dir(root.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(names, ["pages"]);
    }

    #[test]
    fn a_broken_record_names_its_line() {
        let root = tempfile::tempdir().unwrap();
        let run = RunDirectory::create(root.path()).unwrap();
        run.write("trials.jsonl", b"1\n2\n{\n").unwrap();
        let error = run.read_records::<u32>("trials.jsonl").unwrap_err().to_string();
        assert!(error.contains("trials.jsonl:3:"), "{error}");
    }
}
