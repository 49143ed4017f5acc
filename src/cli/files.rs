//! Output files that the user named: whole or not at all, and never in the place of what was read.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::exit::{Exit, Failure};
use super::printer::to_stdout;

/// Writes a file beside its place and renames it there, so that a reader never meets half of it. A link stays a link, and
/// what it leads to is written; a device or pipe is written to as it stands. `-` is stdout.
pub(super) fn write(path: &Path, content: &[u8]) -> Result<(), Failure> {
    if is_stdout(path) {
        return to_stdout(content);
    }
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(Failure::message(
            Exit::BadInput,
            format!("cannot write {}: it is a directory", path.display()),
            "name a file",
        )),
        Ok(found) if found.is_file() => match path.canonicalize() {
            Ok(place) => replace(&place, content),
            Err(error) => Err(not_written(path, error)),
        },
        // No renaming onto a device or pipe, nor onto a link that leads nowhere yet.
        Ok(_) => pass_on(path, content),
        Err(_) if fs::symlink_metadata(path).is_ok() => pass_on(path, content),
        Err(_) => replace(path, content),
    }
}

/// Whether a path on the command line stands for stdout.
pub(super) fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

fn pass_on(path: &Path, content: &[u8]) -> Result<(), Failure> {
    fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .open(path)
        .and_then(|mut file| file.write_all(content))
        .map_err(|error| not_written(path, error))
}

fn not_written(path: &Path, error: std::io::Error) -> Failure {
    Failure::new(
        Exit::BadInput,
        anyhow::Error::new(error).context(format!("cannot write {}", path.display())),
        "check permissions and free space, or name another file",
    )
}

fn replace(path: &Path, content: &[u8]) -> Result<(), Failure> {
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
        not_written(path, error)
    })
}

/// A file on the command line: the option that names it, and its path.
pub(super) type Named<'a> = (&'a str, &'a Path);

/// Refuses outputs that would replace a file that is read, or each other, before anything is done.
pub(super) fn keep_apart(inputs: &[Named<'_>], outputs: &[Named<'_>]) -> Result<(), Failure> {
    for (index, (option, path)) in outputs.iter().enumerate() {
        let places = places(path);
        let meets = |(_, other): &&Named<'_>| !places.is_disjoint(&self::places(other));
        if let Some((input, _)) = inputs.iter().find(meets) {
            return Err(Failure::message(
                Exit::Usage,
                format!(
                    "{option} {} would overwrite the file that {input} reads",
                    path.display()
                ),
                format!("name another file with {option}"),
            ));
        }
        if let Some((other, _)) = outputs[..index].iter().find(meets) {
            return Err(Failure::message(
                Exit::Usage,
                format!("{other} and {option} name the same file, {}", path.display()),
                format!("name another file with {option}"),
            ));
        }
    }
    Ok(())
}

/// Refuses outputs inside a directory that must stay as it is.
pub(super) fn keep_out_of(directory: &Path, outputs: &[Named<'_>]) -> Result<(), Failure> {
    let Ok(directory) = directory.canonicalize() else {
        return Ok(());
    };
    refuse_inside(&directory, outputs, "the run directory")
}

/// Refuses outputs inside the folder that pages are read from.
pub(super) fn keep_out_of_pages(folder: &Path, outputs: &[Named<'_>]) -> Result<(), Failure> {
    match folder.canonicalize() {
        Ok(folder) => refuse_inside(&folder, outputs, "the folder of the pages"),
        Err(_) => Ok(()),
    }
}

fn refuse_inside(directory: &Path, outputs: &[Named<'_>], what: &str) -> Result<(), Failure> {
    let inside =
        |(_, path): &&Named<'_>| !is_stdout(path) && places(path).iter().any(|place| place.starts_with(directory));
    let Some((option, path)) = outputs.iter().find(inside) else {
        return Ok(());
    };
    Err(Failure::message(
        Exit::Usage,
        format!("{option} {} lies in {what}, which is not changed", path.display()),
        format!("name a file elsewhere with {option}"),
    ))
}

/// Where a path leads: the entry itself, and what a link there leads to.
fn places(path: &Path) -> BTreeSet<PathBuf> {
    let mut places = BTreeSet::new();
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if let (Ok(parent), Some(name)) = (parent.canonicalize(), path.file_name()) {
        places.insert(parent.join(name));
    }
    places.extend(path.canonicalize());
    places
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

    #[cfg(unix)]
    #[test]
    fn links_devices_and_pipes_stay_what_they_are() {
        use std::os::unix::fs::{FileTypeExt, symlink};

        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::write(at("page.html"), "old").unwrap();
        symlink(at("page.html"), at("link")).unwrap();
        write(&at("link"), b"new").unwrap();
        assert!(at("link").is_symlink());
        assert_eq!(fs::read_to_string(at("page.html")).unwrap(), "new");
        symlink(at("later.html"), at("ahead")).unwrap();
        write(&at("ahead"), b"first").unwrap();
        assert!(at("ahead").is_symlink());
        assert_eq!(fs::read_to_string(at("later.html")).unwrap(), "first");

        write(Path::new("/dev/null"), b"gone").unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        if Path::new("/dev/full").exists() {
            assert!(write(Path::new("/dev/full"), b"too much").is_err());
            assert!(fs::metadata("/dev/full").unwrap().file_type().is_char_device());
        }
        assert!(write(directory.path(), b"").is_err());
    }

    #[test]
    fn outputs_never_replace_inputs_or_each_other() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::write(at("table.csv"), "a\n").unwrap();
        fs::create_dir(at("below")).unwrap();
        let input = at("table.csv");
        let round_about = at("below/../table.csv");
        let refused = |outputs: &[Named<'_>]| keep_apart(&[("--table", &input)], outputs).is_err();
        assert!(refused(&[("--html", &input)]));
        assert!(refused(&[("--html", &round_about)]));
        assert!(refused(&[("--html", &at("new")), ("--json", &at("below/../new"))]));
        assert!(!refused(&[("--html", &at("new")), ("--json", &at("below/new"))]));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&input, at("link.csv")).unwrap();
            assert!(refused(&[("--html", &at("link.csv"))]));
            let through = keep_apart(&[("--table", &at("link.csv"))], &[("--html", &input)]);
            assert!(through.is_err());
        }
        assert!(keep_out_of(&at("below"), &[("--html", &at("below/page.html"))]).is_err());
        assert!(keep_out_of(&at("below"), &[("--html", &at("below.html"))]).is_ok());
    }

    #[test]
    fn a_missing_parent_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let failure = write(&directory.path().join("absent/page.html"), b"x").unwrap_err();
        assert_eq!(failure.exit, Exit::BadInput);
        assert!(failure.display().contains("absent"), "{}", failure.display());
    }
}
