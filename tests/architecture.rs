//! The direction of dependency: which room may use which, and what only some rooms may touch.
//!
//! The checker reads the text of `src/`, so that a wrong edge fails here even while everything compiles. Comments,
//! string literals and `#[cfg(test)]` items do not count: a test may stand in for the rooms around its own.

#![allow(clippy::expect_used, reason = "a test that fails says why")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A room and the rooms it may use. ARCHITECTURE.md prints the same table.
const ALLOWED: &[(&str, &[&str])] = &[
    ("table", &[]),
    ("stats", &[]),
    ("model", &[]),
    ("dataset", &["table"]),
    ("trace", &["dataset", "table", "model"]),
    ("engine", &["table", "trace"]),
    ("method", &["dataset", "table", "model", "engine", "trace"]),
    ("explain", &["dataset", "table", "trace"]),
    ("judge", &["dataset", "table", "trace", "model", "explain"]),
    ("human", &["dataset", "table", "trace", "explain", "judge"]),
    ("report", &["stats", "judge", "trace", "explain", "dataset"]),
    (
        "study",
        &[
            "table", "stats", "model", "dataset", "trace", "engine", "method", "explain", "judge", "human", "report",
        ],
    ),
    (
        "cli",
        &[
            "table", "stats", "model", "dataset", "trace", "engine", "method", "explain", "judge", "human", "report",
            "study",
        ],
    ),
];

/// Something only some rooms may touch: the paths and macros that reach it, what it is, and the rooms.
struct Reserved {
    spellings: &'static [&'static str],
    what: &'static str,
    rooms: &'static [&'static str],
}

const RESERVED: &[Reserved] = &[
    Reserved {
        spellings: &[
            "print!",
            "println!",
            "eprint!",
            "eprintln!",
            "dbg!",
            "io::stdout",
            "io::stderr",
            "indicatif",
        ],
        what: "printing",
        rooms: &["cli"],
    },
    Reserved {
        spellings: &["process::exit", "ExitCode"],
        what: "exit codes",
        rooms: &["cli"],
    },
    Reserved {
        spellings: &["reqwest", "hyper", "TcpStream"],
        what: "HTTP",
        rooms: &["model"],
    },
    Reserved {
        spellings: &["std::fs", "tokio::fs", "File::open", "File::create"],
        what: "files",
        rooms: &["dataset", "study", "model", "cli"],
    },
    Reserved {
        spellings: &["std::env"],
        what: "the environment",
        rooms: &["model", "cli"],
    },
    Reserved {
        spellings: &["SystemTime"],
        what: "the calendar",
        rooms: &["model", "cli"],
    },
];

/// Replaces comments and the inside of string and character literals by spaces; keeps line breaks.
fn without_comments_and_literals(source: &str) -> String {
    let characters: Vec<char> = source.chars().collect();
    let mut kept = String::with_capacity(source.len());
    let mut at = 0;
    let blank = |kept: &mut String, character: char| kept.push(if character == '\n' { '\n' } else { ' ' });
    while at < characters.len() {
        let rest = &characters[at..];
        let previous_is_word = at > 0 && (characters[at - 1].is_alphanumeric() || characters[at - 1] == '_');
        let end = if rest.starts_with(&['/', '/']) {
            Some(rest.iter().position(|c| *c == '\n').unwrap_or(rest.len()))
        } else if rest.starts_with(&['/', '*']) {
            Some(block_comment_length(rest))
        } else if !previous_is_word && raw_string_hashes(rest).is_some() {
            raw_string_length(rest)
        } else if rest[0] == '"' {
            Some(quoted_length(rest, '"'))
        } else if rest[0] == '\'' && (rest.get(1) == Some(&'\\') || rest.get(2) == Some(&'\'')) {
            Some(quoted_length(rest, '\''))
        } else {
            None
        };
        match end {
            Some(length) => {
                rest[..length].iter().for_each(|c| blank(&mut kept, *c));
                at += length;
            }
            None => {
                kept.push(rest[0]);
                at += 1;
            }
        }
    }
    kept
}

fn block_comment_length(rest: &[char]) -> usize {
    let (mut depth, mut at) = (0usize, 0usize);
    while at < rest.len() {
        if rest[at..].starts_with(&['/', '*']) {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with(&['*', '/']) {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

/// Number of `#` of a raw string that starts here, the `r` or `br` included in the look.
fn raw_string_hashes(rest: &[char]) -> Option<(usize, usize)> {
    let prefix = match rest {
        ['r', ..] => 1,
        ['b', 'r', ..] => 2,
        _ => return None,
    };
    let hashes = rest[prefix..].iter().take_while(|c| **c == '#').count();
    (rest.get(prefix + hashes) == Some(&'"')).then_some((prefix, hashes))
}

fn raw_string_length(rest: &[char]) -> Option<usize> {
    let (prefix, hashes) = raw_string_hashes(rest)?;
    let closing: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
    let start = prefix + hashes + 1;
    let end = (start..rest.len()).find(|at| rest[*at..].starts_with(&closing));
    Some(end.map_or(rest.len(), |at| at + closing.len()))
}

fn quoted_length(rest: &[char], quote: char) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            '\\' => at += 2,
            c if c == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// Blanks every item under `#[cfg(test)]`, up to its closing brace or semicolon.
fn without_test_items(code: &str) -> String {
    let mut kept = code.to_owned();
    while let Some(start) = kept.find("#[cfg(test)]") {
        let tail = &kept[start..];
        let mut depth = 0usize;
        let mut length = tail.len();
        for (offset, character) in tail.char_indices() {
            match character {
                '{' => depth += 1,
                '}' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        length = offset + 1;
                        break;
                    }
                }
                ';' if depth == 0 => {
                    length = offset + 1;
                    break;
                }
                _ => {}
            }
        }
        let blanked: String = tail[..length]
            .chars()
            .map(|c| if c == '\n' { '\n' } else { ' ' })
            .collect();
        kept = format!("{}{blanked}{}", &kept[..start], &tail[length..]);
    }
    kept
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Every place where `spelling` stands as whole words; whitespace within a path does not matter.
fn occurrences(code: &str, spelling: &str) -> Vec<usize> {
    let starts_as_word = spelling.chars().next().is_some_and(is_word);
    let ends_as_word = spelling.chars().next_back().is_some_and(is_word);
    code.match_indices(spelling)
        .filter(|(at, _)| !starts_as_word || !code[..*at].chars().next_back().is_some_and(is_word))
        .filter(|(at, _)| !ends_as_word || !code[at + spelling.len()..].chars().next().is_some_and(is_word))
        .map(|(at, _)| at)
        .collect()
}

fn line_of(code: &str, at: usize) -> usize {
    code[..at].matches('\n').count() + 1
}

/// The first segments of a path tail: `x::y` gives `x`; `{x::y, z}` gives `x` and `z`.
fn first_segments(tail: &str) -> Vec<String> {
    let tail = tail.trim_start();
    let word = |text: &str| {
        text.trim_start()
            .chars()
            .take_while(|c| is_word(*c))
            .collect::<String>()
    };
    let Some(group) = tail.strip_prefix('{') else {
        return vec![word(tail)];
    };
    let (mut depth, mut members, mut current) = (0usize, Vec::new(), String::new());
    for character in group.chars() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                members.push(std::mem::take(&mut current));
                continue;
            }
            _ => {}
        }
        current.push(character);
    }
    members.push(current);
    members
        .iter()
        .map(|member| word(member))
        .filter(|name| !name.is_empty())
        .collect()
}

/// Every place that names a path, grouped imports such as `std::{fs, io}` too.
fn uses(code: &str, path: &str) -> Vec<usize> {
    let mut found = occurrences(code, path);
    if let Some((parent, name)) = path.rsplit_once("::") {
        let group = format!("{parent}::{{");
        found.extend(occurrences(code, &group).into_iter().filter(|at| {
            first_segments(&code[at + group.len() - 1..])
                .iter()
                .any(|member| member == name)
        }));
    }
    found
}

/// A file's module path: `src/a/b.rs` and `src/a/b/mod.rs` are `[a, b]`.
fn module_path(relative: &Path) -> Vec<String> {
    let mut path: Vec<String> = relative
        .with_extension("")
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    if path.last().is_some_and(|last| last == "mod") {
        path.pop();
    }
    path
}

/// Rooms that this file names, each with the line: `crate::x`, `crate::{x, y}`, and `super::` as far as the root.
fn edges(code: &str, module: &[String]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for start in ["crate::", "tabjury::"] {
        for at in occurrences(code, start) {
            for room in first_segments(&code[at + start.len()..]) {
                found.push((line_of(code, at), room));
            }
        }
    }
    let climb = "super::".repeat(module.len());
    for at in occurrences(code, &climb) {
        let before_is_path = code[..at].ends_with("::");
        let tail = &code[at + climb.len()..];
        if !before_is_path && !tail.starts_with("super::") {
            for room in first_segments(tail) {
                found.push((line_of(code, at), room));
            }
        }
    }
    found
}

/// Everything wrong with one file of `src/`, given its path relative to it.
fn violations(relative: &Path, source: &str) -> Vec<String> {
    let module = module_path(relative);
    let Some(room) = module.first().filter(|_| relative.components().count() > 1) else {
        return Vec::new();
    };
    let code = without_test_items(&without_comments_and_literals(source));
    let shown = relative.display();
    let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| name == room) else {
        return vec![format!("{shown}: room `{room}` is not in the table of rooms")];
    };
    let rooms: BTreeSet<&str> = ALLOWED.iter().map(|(name, _)| *name).collect();
    let mut wrong: Vec<String> = edges(&code, &module)
        .into_iter()
        .filter(|(_, target)| rooms.contains(target.as_str()) && target != room && !allowed.contains(&target.as_str()))
        .map(|(line, target)| format!("src/{shown}:{line}: `{room}` may not use `{target}`"))
        .collect();
    for reserved in RESERVED
        .iter()
        .filter(|reserved| !reserved.rooms.contains(&room.as_str()))
    {
        for spelling in reserved.spellings {
            for at in uses(&code, spelling) {
                wrong.push(format!(
                    "src/{shown}:{}: `{spelling}`: {} belongs to {}",
                    line_of(&code, at),
                    reserved.what,
                    reserved.rooms.join(", "),
                ));
            }
        }
    }
    wrong
}

fn source_files(directory: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(directory)
        .expect("src is readable")
        .map(|entry| entry.expect("entry").path())
        .collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            source_files(&entry, found);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            found.push(entry);
        }
    }
}

/// Files that a `#[cfg(test)] mod name;` brings in: they are test code as a whole.
fn test_only_files(root: &Path, files: &[PathBuf]) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for file in files {
        let source = std::fs::read_to_string(file).expect("source is UTF-8");
        let code = without_comments_and_literals(&source);
        for at in occurrences(&code, "#[cfg(test)]") {
            let item = code[at + "#[cfg(test)]".len()..].trim_start();
            if let Some(name) = item.strip_prefix("mod ").and_then(|rest| rest.split_once(';')) {
                let directory = root.join(module_path(file.strip_prefix(root).expect("below src")).join("/"));
                found.insert(directory.join(format!("{}.rs", name.0.trim())));
            }
        }
    }
    found
}

#[test]
fn no_room_uses_what_it_may_not() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    source_files(&root, &mut files);
    assert!(files.len() > ALLOWED.len(), "src holds at least one file a room");
    let test_only = test_only_files(&root, &files);
    let wrong: Vec<String> = files
        .iter()
        .filter(|file| !test_only.contains(*file))
        .flat_map(|file| {
            let source = std::fs::read_to_string(file).expect("source is UTF-8");
            violations(file.strip_prefix(&root).expect("below src"), &source)
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_allowed_edges_have_no_cycle() {
    let graph: BTreeMap<&str, &[&str]> = ALLOWED.iter().copied().collect();
    for (room, _) in ALLOWED {
        let mut seen = BTreeSet::new();
        let mut next: Vec<&str> = graph[room].to_vec();
        while let Some(at) = next.pop() {
            assert_ne!(at, *room, "`{room}` reaches itself");
            if seen.insert(at) {
                next.extend(graph[at]);
            }
        }
    }
}

#[test]
fn every_room_is_listed_in_the_library_and_the_document() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = std::fs::read_to_string(root.join("src/lib.rs")).expect("lib.rs");
    let document = std::fs::read_to_string(root.join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    for (room, allowed) in ALLOWED {
        assert!(library.contains(&format!("pub mod {room};")), "lib.rs lacks {room}");
        let row = document
            .lines()
            .find(|line| line.starts_with(&format!("| `{room}` |")))
            .unwrap_or_else(|| panic!("ARCHITECTURE.md has no row for `{room}`"));
        for target in *allowed {
            let all = matches!(*room, "study" | "cli");
            assert!(all || row.contains(&format!("`{target}`")), "{row} lacks `{target}`");
        }
    }
}

fn planted(path: &str, source: &str) -> Vec<String> {
    violations(Path::new(path), source)
}

#[test]
fn a_planted_wrong_edge_is_found() {
    let found = planted("table/mod.rs", "//! Head.\n\nuse crate::model::Model;\n");
    assert_eq!(found, ["src/table/mod.rs:3: `table` may not use `model`"]);
    assert_eq!(
        planted("stats/mod.rs", "use crate::{\n  stats::x,\n  judge::{Trial, y},\n};").len(),
        1
    );
    assert_eq!(
        planted("engine/sqlite.rs", "fn f() { crate::judge::read::g(); }").len(),
        1
    );
    assert_eq!(planted("model/openai.rs", "use super::super::study::Study;").len(), 1);
    assert_eq!(planted("model/mod.rs", "use super::{study, table};").len(), 2);
    assert_eq!(planted("unheard/mod.rs", "").len(), 1);
}

#[test]
fn a_planted_reserved_thing_is_found() {
    assert_eq!(planted("judge/read.rs", "fn f() { println!(\"x\"); }").len(), 1);
    assert_eq!(planted("method/pos.rs", "use reqwest::Client;").len(), 1);
    assert_eq!(
        planted("explain/page.rs", "fn f() { std::fs::write(\"a\", b\"b\"); }").len(),
        1
    );
    assert_eq!(planted("explain/page.rs", "use std::{fmt, fs};").len(), 1);
    assert_eq!(planted("method/pos.rs", "fn f() { std::env::var(\"KEY\"); }").len(), 1);
}

#[test]
fn right_edges_comments_literals_and_tests_pass() {
    let nothing: Vec<String> = Vec::new();
    assert_eq!(
        planted("dataset/csv.rs", "use crate::table::Table;\nuse super::Sample;\n"),
        nothing
    );
    assert_eq!(
        planted("table/mod.rs", "//! See [`crate::model`].\n/* crate::judge /* x */ */"),
        nothing
    );
    assert_eq!(
        planted("table/mod.rs", "const A: &str = \"crate::model\\\" println!\";"),
        nothing
    );
    assert_eq!(
        planted("table/mod.rs", "const A: &str = r#\"crate::model \" println!\"#;"),
        nothing
    );
    assert_eq!(
        planted(
            "table/mod.rs",
            "#[cfg(test)]\nmod tests { use crate::model::Model; fn f() { println!(); } }"
        ),
        nothing
    );
    assert_eq!(
        planted("cli/run.rs", "use crate::study::Study; fn f() { println!(); }"),
        nothing
    );
    assert_eq!(planted("lib.rs", "pub mod cli;"), nothing);
}

#[test]
fn code_after_a_test_module_still_counts() {
    let source = "#[cfg(test)]\nmod tests { fn f() {} }\nuse crate::model::Model;";
    assert_eq!(
        planted("table/mod.rs", source),
        ["src/table/mod.rs:3: `table` may not use `model`"]
    );
    let source = "const QUOTE: char = '\"';\nuse crate::model::Model;";
    assert_eq!(
        planted("table/mod.rs", source),
        ["src/table/mod.rs:2: `table` may not use `model`"]
    );
}
