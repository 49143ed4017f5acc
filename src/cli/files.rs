//! Output files that the user named: whole or not at all.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::exit::{Exit, Failure};

/// Writes a file beside its place and renames it there, so that a reader never meets half of it.
pub(super) fn write(path: &Path, content: &[u8]) -> Result<(), Failure> {
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if !parent.is_dir() {
        return Err(Failure::message(
            Exit::BadInput,
            format!(
                "cannot write {}: there is no directory {}",
                path.display(),
                parent.display()
            ),
            format!("create it (mkdir -p {}) or name another file", parent.display()),
        ));
    }
    let temporary = temporary_name(path);
    let written = fs::File::create(&temporary)
        .and_then(|mut file| file.write_all(content).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&temporary, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&temporary);
        Failure::new(
            Exit::BadInput,
            anyhow::Error::new(error).context(format!("cannot write {}", path.display())),
            "check permissions and free space, or name another file",
        )
    })
}

fn temporary_name(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_written_whole_and_leaves_nothing_beside_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("page.html");
        fs::write(&path, "old").unwrap();
        write(&path, b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_missing_parent_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let failure = write(&directory.path().join("absent/page.html"), b"x").unwrap_err();
        assert_eq!(failure.exit, Exit::BadInput);
        assert!(failure.display().contains("absent"), "{}", failure.display());
    }
}
