//! A report in a browser: it opens from disk without a request, filters and sorts, and passes the accessibility checker, with
//! the lists and trial pages that it leads to.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::devtools::{Browser, DESKTOP, Look, Tab};
use crate::{VIOLATIONS, assert_quiet, axe};

/// So many that their trials are listed on pages of their own.
const SAMPLES: usize = 700;

const MAPPING: &str = r#"
name = "made-up"
task = "verification"
dataset = "tabfact"
sample = { field = "sample" }
arm = { field = "arm" }
judge = { value = "<img src=x onerror=alert(1)>" }
verdict = { field = "said", is_true = ["correct"], is_false = ["incorrect"] }
prediction = { field = "prediction", is_true = ["true"], is_false = ["false"] }
gold = { field = "gold", is_true = ["true"], is_false = ["false"] }
control_arms = ["without"]

[methods]
table = "Table"
"<b>words</b>" = "Words"
without = "no explanation"
"#;

/// The report of a log of which every fifth verdict is wrong, and every twentieth no verdict.
fn report(directory: &Path) -> PathBuf {
    let mut log = "sample,arm,prediction,gold,said\n".to_owned();
    for sample in 0..SAMPLES {
        for (number, arm) in ["table", "<b>words</b>", "without"].iter().enumerate() {
            let (prediction, gold) = (sample % 3 > 0, sample % 2 > 0);
            let said = match (sample + number) % 20 {
                0 => "perhaps",
                5 | 10 | 15 => ["correct", "incorrect"][usize::from(prediction == gold)],
                _ => ["incorrect", "correct"][usize::from(prediction == gold)],
            };
            writeln!(log, "s{sample},{arm},{prediction},{gold},{said}").unwrap();
        }
    }
    fs::write(directory.join("log.csv"), log).unwrap();
    fs::write(directory.join("mapping.toml"), MAPPING).unwrap();
    let imported = Command::new(env!("CARGO_BIN_EXE_tabjury"))
        .current_dir(directory)
        .args([
            "import",
            "--judgments",
            "log.csv",
            "--mapping",
            "mapping.toml",
            "--out",
            "run",
        ])
        .output()
        .unwrap();
    let run = directory.join("run");
    assert!(run.join("report.html").exists(), "{imported:?}");
    run
}

/// The list of trials of the first arm.
fn list(run: &Path) -> PathBuf {
    let mut lists: Vec<PathBuf> = fs::read_dir(run.join("lists"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("verification"))
        .collect();
    lists.sort();
    lists.remove(0)
}

fn column(tab: &mut Tab<'_>, number: usize) -> Vec<String> {
    let texts = tab.value(&format!(
        "[...document.querySelector('.list table').tBodies[0].rows].filter((row) => row.offsetHeight > 0)\
         .map((row) => row.cells[{number}].textContent.trim())"
    ));
    serde_json::from_value(texts).unwrap()
}

fn sort_by(tab: &mut Tab<'_>, number: usize) -> Value {
    tab.value(&format!(
        "(() => {{ const head = document.querySelector('.list table').tHead.rows[0].cells[{number}]; \
         head.querySelector('button').click(); return head.getAttribute('aria-sort'); }})()"
    ))
}

fn filter(tab: &mut Tab<'_>, words: &str) -> Value {
    tab.value(&format!(
        "(() => {{ const line = document.querySelector('.list .filter'); const input = line.querySelector('input'); \
         input.value = {}; input.dispatchEvent(new Event('input')); \
         return new Promise((done) => setTimeout(() => done(line.querySelector('output').textContent), 400)); }})()",
        json!(words)
    ))
}

#[test]
fn a_list_of_trials_filters_and_sorts() {
    let Some(mut browser) = Browser::start("a_list_of_trials_filters_and_sorts") else {
        return;
    };
    let directory = TempDir::new().unwrap();
    let run = report(directory.path());
    let path = list(&run);
    let mut tab = browser.open(&path, DESKTOP);
    let (samples, verdicts) = (1, 5);
    let as_written = column(&mut tab, samples);
    assert_eq!(as_written.len(), SAMPLES);
    let numbers = |texts: Vec<String>| -> Vec<usize> { texts.iter().map(|text| text[1..].parse().unwrap()).collect() };
    assert_eq!(sort_by(&mut tab, samples), json!("ascending"));
    assert_eq!(numbers(column(&mut tab, samples)), (0..SAMPLES).collect::<Vec<_>>());
    assert_eq!(sort_by(&mut tab, samples), json!("descending"));
    assert_eq!(
        numbers(column(&mut tab, samples)),
        (0..SAMPLES).rev().collect::<Vec<_>>()
    );
    assert_eq!(sort_by(&mut tab, samples), Value::Null);
    assert_eq!(column(&mut tab, samples), as_written);

    let said = column(&mut tab, verdicts);
    let incorrect = said.iter().filter(|said| *said == "incorrect").count();
    assert!((1..SAMPLES).contains(&incorrect), "{said:?}");
    assert_eq!(
        filter(&mut tab, "INCORRECT"),
        json!(format!("{incorrect} of {SAMPLES}"))
    );
    assert_eq!(column(&mut tab, verdicts), vec!["incorrect"; incorrect]);
    // What is filtered stays so when it is sorted.
    sort_by(&mut tab, samples);
    assert_eq!(column(&mut tab, verdicts).len(), incorrect);
    assert_eq!(filter(&mut tab, "no such word"), json!(format!("0 of {SAMPLES}")));
    assert_eq!(filter(&mut tab, "  "), json!(""));
    assert_eq!(column(&mut tab, samples).len(), SAMPLES);
    // By keys as well.
    tab.value("document.querySelector('.list th:nth-child(2) button').focus()");
    tab.press("Tab", 0);
    assert_eq!(tab.value("document.activeElement.closest('th').cellIndex"), json!(2));
    assert_quiet(&mut tab, &path);
    drop(tab);

    // Without scripts it is a table as it was written.
    let look = Look {
        scripts: false,
        ..DESKTOP
    };
    let mut tab = browser.open(&path, look);
    assert_eq!(column(&mut tab, samples), as_written);
}

#[test]
fn a_report_opens_from_disk_and_passes_the_accessibility_checker() {
    let test = "a_report_opens_from_disk_and_passes_the_accessibility_checker";
    let (Some(axe), Some(mut browser)) = (axe(test), Browser::start(test)) else {
        return;
    };
    let directory = TempDir::new().unwrap();
    let run = report(directory.path());
    let trial = fs::read_dir(run.join("trials"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    for path in [run.join("report.html"), list(&run), trial] {
        for dark in [false, true] {
            let mut tab = browser.open(&path, Look { dark, ..DESKTOP });
            tab.value("document.querySelectorAll('details').forEach((details) => details.open = true)");
            assert_quiet(&mut tab, &path);
            let wide = tab.value("document.documentElement.scrollWidth <= innerWidth");
            assert_eq!(wide, json!(true), "{} scrolls sideways", path.display());
            tab.value(&axe);
            assert_eq!(tab.value(VIOLATIONS), json!([]), "{} dark: {dark}", path.display());
        }
        let mut tab = browser.open(&path, Look { width: 390, ..DESKTOP });
        let wide = tab.value("document.documentElement.scrollWidth <= innerWidth");
        assert_eq!(wide, json!(true), "{} scrolls sideways on a phone", path.display());
    }
}
