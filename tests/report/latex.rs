//! The tables for LaTeX: a strict reading of what is written, and, where there is a TeX, its own.

use std::process::Command;

use tabjury::report::{Analysis, analyze, latex_tables};

use crate::made_up::records;

const HOSTILE: [&str; 4] = [
    "\\input{/etc/passwd} \\end{tabular} ^^5c",
    "[2cm] & $x_1^2$ #1 %",
    "* ~{}\"`' -- ?` <|>",
    "Zoë Ąß 表 \u{202e}\u{7} ﬁ İ ķ",
];

fn hostile(name: &str) -> Analysis {
    let json = serde_json::to_string(&analyze(&records())).unwrap();
    let name = serde_json::to_string(name).unwrap();
    let json = json
        .replace("\"pos\"", &name)
        .replace("\"alder\"", &name)
        .replace("\"pos-larch\"", &name);
    serde_json::from_str(&json).unwrap()
}

/// Commands that may stand in a table, and nothing else.
const COMMANDS: &[&str] = &[
    "usepackage",
    "begin",
    "end",
    "centering",
    "caption",
    "label",
    "small",
    "toprule",
    "midrule",
    "bottomrule",
    "\\",
    "textbackslash",
    "{",
    "}",
    "$",
    "&",
    "#",
    "%",
    "_",
    "textasciitilde",
    "textasciicircum",
    "textless",
    "textgreater",
    "textbar",
    "char",
    "textperiodcentered",
    "ldots",
    "times",
    "pm",
    "ss",
    "i",
    "'",
    "`",
    "^",
    "\"",
    "~",
    "=",
    "c",
    "v",
    ".",
    "r",
];

/// Panics unless the file is a float with a table of rules, whose rows are all as wide and hold no command of their own.
fn assert_strict(path: &str, text: &str) {
    assert!(
        text.chars()
            .all(|letter| letter == '\n' || letter == ' ' || letter.is_ascii_graphic()),
        "{path} is not plain ASCII"
    );
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("% Needs \\usepackage{booktabs}."), "{path}");
    assert_eq!(lines.next(), Some("\\begin{table}"), "{path}");
    assert!(text.ends_with("\\bottomrule\n\\end{tabular}\n\\end{table}\n"), "{path}");
    assert_eq!(
        (text.matches("\\begin{").count(), text.matches("\\end{").count()),
        (2, 2),
        "{path}"
    );
    let (mut depth, mut widths, mut width, mut math) = (0_i32, Vec::new(), 0, false);
    let letters: Vec<char> = text
        .lines()
        .skip(1)
        .flat_map(|line| line.chars().chain(['\n']))
        .collect();
    let mut at = 0;
    while at < letters.len() {
        match letters[at] {
            '\\' => {
                let mut end = at + 1;
                while letters[end].is_ascii_alphabetic() {
                    end += 1;
                }
                let end = end.max(at + 2);
                let command: String = letters[at + 1..end].iter().collect();
                assert!(COMMANDS.contains(&command.as_str()), "{path}: \\{command}");
                if command == "\\" {
                    assert_eq!(letters[end], '\n', "{path}: a row goes on");
                    assert!(!['[', '*'].contains(&letters[end + 1]), "{path}: an argument of a row");
                    widths.push(width);
                    width = 0;
                }
                at = end;
                continue;
            }
            '{' => depth += 1,
            '}' => depth -= 1,
            '&' => width += 1,
            '$' => math = !math,
            '%' | '#' | '_' | '^' | '~' | '"' | '<' | '>' | '|' => panic!("{path}: raw {}", letters[at]),
            _ => {}
        }
        assert!(depth >= 0, "{path}: braces");
        at += 1;
    }
    assert!(depth == 0 && !math, "{path}: braces or dollars are open");
    assert!(widths.windows(2).all(|two| two[0] == two[1]), "{path}: {widths:?}");
}

#[test]
fn every_table_is_what_a_strict_reader_takes() {
    let mut analyses = vec![analyze(&records())];
    analyses.extend(HOSTILE.map(hostile));
    for analysis in &analyses {
        let files = latex_tables(analysis);
        assert_eq!(files.len(), 6);
        for (path, bytes) in &files[..5] {
            assert_strict(path, std::str::from_utf8(bytes).unwrap());
        }
    }
    let preference = String::from_utf8(latex_tables(&analyses[0])[1].1.clone()).unwrap();
    assert!(preference.contains("alder & pos & "), "{preference}");
}

/// Whether there is a TeX; `TABJURY_REQUIRE_TEX=1` demands it.
fn has_tex() -> bool {
    let found = Command::new("pdflatex").arg("--version").output().is_ok();
    let required = std::env::var_os("TABJURY_REQUIRE_TEX").is_some_and(|value| value == "1");
    assert!(found || !required, "no pdflatex (TABJURY_REQUIRE_TEX is set)");
    if !found {
        println!("skipped: no pdflatex (Debian: texlive-latex-base texlive-latex-recommended)");
    }
    found
}

#[test]
fn tex_compiles_every_table() {
    if !has_tex() {
        return;
    }
    for analysis in [analyze(&records())].into_iter().chain(HOSTILE.map(hostile)) {
        let directory = tempfile::tempdir().unwrap();
        for (path, bytes) in latex_tables(&analysis) {
            std::fs::write(directory.path().join(path.strip_prefix("tables/").unwrap()), bytes).unwrap();
        }
        let output = Command::new("pdflatex")
            .args([
                "-halt-on-error",
                "-interaction=nonstopmode",
                "-no-shell-escape",
                "all_tables.tex",
            ])
            .current_dir(directory.path())
            .output()
            .unwrap();
        let log = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{}", &log[log.len().saturating_sub(2_000)..]);
        assert!(
            log.contains("Output written on all_tables.pdf") && !log.contains("Missing character"),
            "{log}"
        );
    }
}
