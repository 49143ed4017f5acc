//! Pages in a real browser: they open from disk and ask for nothing, step by keys, execute nothing that a table or a model
//! wrote, pass an accessibility checker, and fit a phone.
//!
//! Needs Chromium (`TABJURY_REQUIRE_BROWSER=1` makes a missing one a failure) and, for one test, the accessibility checker that
//! `scripts/install_axe.sh` fetches (`TABJURY_REQUIRE_AXE=1`).

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "browser/devtools.rs"]
mod devtools;
#[path = "browser/hostile_texts.rs"]
mod hostile_texts;
#[path = "browser/report.rs"]
mod report;
#[path = "pages/traces.rs"]
#[allow(dead_code)]
mod traces;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tabjury::dataset::{Answer, QuestionKind, Sample};
use tabjury::engine::Engine;
use tabjury::explain::{AnswerVisibility, Format, render};
use tabjury::table::Table;
use tabjury::trace::imported::{Imported, ImportedBlock, ImportedCell, ImportedPage, ImportedRun, Removed};
use tabjury::trace::lineage::Exactness;
use tabjury::trace::{AnswerFailure, AnswerSource, FailedAttempt, Lineage, Program, Trace, TraceBuilder};
use tempfile::TempDir;

use devtools::{Browser, DESKTOP, Look, Tab};
use hostile_texts::HOSTILE_TEXTS;

/// Writes the page of a trace to disk, as a person would have it.
fn file(directory: &Path, made_up: &(Sample, Trace), format: Format, visibility: AnswerVisibility) -> PathBuf {
    let page = render(&made_up.0, &made_up.1, format, visibility);
    let name = format!("{}_{}_{}.html", made_up.0.id, format.name(), visibility.name());
    let path = directory.join(name);
    fs::write(&path, page.html).unwrap();
    path
}

/// Every hostile text in every place of a page.
fn hostile() -> (Sample, Trace) {
    let texts: Vec<&str> = HOSTILE_TEXTS.iter().map(|(text, _)| *text).collect();
    let all = texts.join(" ");
    let rows: Vec<&[&str]> = texts.chunks(4).collect();
    let mut sample = traces::sample(
        QuestionKind::ShortAnswer,
        &all,
        &all,
        traces::table(&[texts[0], texts[2], texts[9], &all], &rows),
    );
    sample.id = "hostile".to_owned();
    let used: Vec<usize> = vec![0, 2];
    let mut first = traces::step(
        &all,
        &all,
        0,
        1,
        Lineage {
            exactness: Exactness::AtLeast { reason: all.clone() },
            ..traces::kept(&used, &[0, 2], &[], &used)
        },
    );
    first.failed_attempts.push(FailedAttempt {
        program: all.clone(),
        error: all.clone(),
    });
    let second = traces::failed_step("", &all, 1, &all);
    let kept = used.iter().map(|row| sample.table.rows[*row].clone()).collect();
    let result = Table::new(sample.table.columns.clone(), kept).unwrap();
    let mut trace = traces::trace(
        &sample,
        vec![result],
        vec![first, second],
        Answer::Values(texts.iter().map(|text| (*text).to_owned()).collect()),
        AnswerSource::Fallback,
    );
    trace.rationale = Some(texts.join("\n"));
    trace.imported = Some(imported(&texts, &all));
    trace.fallback_reason = Some(AnswerFailure::Program { message: all });
    (sample, trace)
}

/// Every hostile text in every part of an imported page.
fn imported(texts: &[&str], all: &str) -> Imported {
    let run = |text: &str, marked| ImportedRun {
        text: text.to_owned(),
        marked,
    };
    let cell = |text: &&str, header| ImportedCell {
        text: (*text).to_owned(),
        header,
        marked: text.len().is_multiple_of(2),
    };
    let runs: Vec<ImportedRun> = texts
        .iter()
        .map(|text| run(text, text.len().is_multiple_of(2)))
        .collect();
    let rows = [true, false].map(|header| texts.iter().map(|text| cell(text, header)).collect());
    Imported {
        name: all.to_owned(),
        model: Some(all.to_owned()),
        method: None,
        file: "page.html".to_owned(),
        page: Some(ImportedPage {
            blocks: vec![
                ImportedBlock::Heading { text: all.to_owned() },
                ImportedBlock::Text {
                    runs: runs.clone(),
                    item: false,
                },
                ImportedBlock::Text { runs, item: true },
                ImportedBlock::Code { text: texts.join("\n") },
                ImportedBlock::Table { rows: rows.to_vec() },
            ],
            withheld: None,
            removed: Removed::default(),
        }),
    }
}

/// Words of 5 kB, letters from right to left, emoji, empty cells and names twice over.
fn odd() -> (Sample, Trace) {
    let word = "Donaudampfschiff".repeat(320);
    let mut sample = traces::sample(
        QuestionKind::ShortAnswer,
        &format!("who said {word}?"),
        &word,
        traces::table(
            &["مدينة", "Year", "Year", "", "🚢 ship", &word],
            &[
                &["الرياض", "", "1990", "", "👩\u{200d}🚀", &word],
                &[&word, "1", "", "שלום עולם", "", "x"],
            ],
        ),
    );
    sample.id = "odd".to_owned();
    let first = traces::step(
        &format!("Select {word}."),
        &format!("SELECT * FROM table_sql WHERE year = '{word}'"),
        0,
        1,
        traces::kept(&[0], &[1], &[(0, 1)], &[0]),
    );
    let second = traces::step("", "SELECT * FROM table_sql", 1, 2, traces::kept(&[0], &[], &[], &[0]));
    let result = Table::new(sample.table.columns.clone(), vec![sample.table.rows[0].clone()]).unwrap();
    let trace = traces::trace(
        &sample,
        vec![result.clone(), result],
        vec![first, second],
        Answer::Values(vec![word]),
        AnswerSource::Program,
    );
    (sample, trace)
}

fn named(name: &str, mut made_up: (Sample, Trace)) -> (Sample, Trace) {
    made_up.0.id = name.to_owned();
    made_up
}

fn made_up() -> Vec<(Sample, Trace)> {
    vec![
        named("lighthouses", traces::lighthouses()),
        named("ferries", traces::ferries()),
        named("fallback", traces::fallback()),
        named("own_words", traces::own_words()),
        deals(),
        named("long", traces::long(150)),
        odd(),
        hostile(),
    ]
}

/// Opened from disk, nothing was asked for but the file, and nothing was complained about.
fn assert_quiet(tab: &mut Tab<'_>, path: &Path) {
    let ran = tab.value("window.ran");
    let stopped = tab.value("window.stopped");
    let observed = tab.observed();
    assert_eq!(observed.requests, [format!("file://{}", path.display())]);
    assert_eq!(observed.complaints, Vec::<String>::new(), "{}", path.display());
    assert_eq!((ran, stopped), (json!(0), json!([])), "{}", path.display());
}

#[test]
fn pages_open_from_disk_ask_for_nothing_and_fit_a_phone() {
    let Some(mut browser) = Browser::start("pages_open_from_disk_ask_for_nothing_and_fit_a_phone") else {
        return;
    };
    let directory = TempDir::new().unwrap();
    for made_up in made_up() {
        for format in Format::ALL {
            for visibility in AnswerVisibility::ALL {
                let path = file(directory.path(), &made_up, format, visibility);
                let mut tab = browser.open(&path, Look { width: 390, ..DESKTOP });
                let widths = tab.value("[document.documentElement.scrollWidth, innerWidth]");
                assert_eq!(widths, json!([390, 390]), "{}", path.display());
                assert_quiet(&mut tab, &path);
            }
        }
    }
}

#[test]
fn hostile_texts_execute_nothing_and_show_literally() {
    let Some(mut browser) = Browser::start("hostile_texts_execute_nothing_and_show_literally") else {
        return;
    };
    let directory = TempDir::new().unwrap();
    let hostile = hostile();
    let shown: Vec<&str> = HOSTILE_TEXTS.iter().map(|(_, shown)| *shown).collect();
    for format in Format::ALL {
        for visibility in AnswerVisibility::ALL {
            let path = file(directory.path(), &hostile, format, visibility);
            let mut tab = browser.open(&path, DESKTOP);
            let cells = tab
                .value("[...document.querySelector('table').querySelectorAll('td')].map((cell) => cell.textContent)");
            assert_eq!(cells, json!(shown), "{}", format.name());
            let own = json!([
                "A", "ASIDE", "BDI", "BODY", "BUTTON", "CAPTION", "CODE", "DETAILS", "DIV", "H1", "H2", "H3", "HEAD",
                "HEADER", "HTML", "LI", "MAIN", "MARK", "META", "NAV", "OL", "P", "PRE", "SCRIPT", "SECTION", "SMALL",
                "SPAN", "STRONG", "STYLE", "SUMMARY", "TABLE", "TBODY", "TD", "TH", "THEAD", "TITLE", "TR", "UL",
            ]);
            let foreign = tab.value(&format!(
                "(() => {{ const own = new Set({own}); return [...document.querySelectorAll('*')].map((element) => \
                 element.tagName).filter((name) => !own.has(name)); }})()"
            ));
            assert_eq!(foreign, json!([]), "{}", format.name());
            // Everything opened, hovered and clicked.
            tab.value(
                "document.querySelectorAll('details').forEach((d) => d.open = true);
                 document.querySelectorAll('td, th, bdi, code, p').forEach((element) => { for (const kind of ['mouseover', \
                 'click', 'focus']) element.dispatchEvent(new MouseEvent(kind, { bubbles: true })); });",
            );
            assert_quiet(&mut tab, &path);
        }
    }
}

/// What the tests above look for is found where it is: markup that slipped in is stopped by the policy, and runs
/// without one.
#[test]
fn markup_that_slips_in_is_stopped_and_seen() {
    let Some(mut browser) = Browser::start("markup_that_slips_in_is_stopped_and_seen") else {
        return;
    };
    let directory = TempDir::new().unwrap();
    let (sample, trace) = traces::lighthouses();
    let page = render(&sample, &trace, Format::StepThrough, AnswerVisibility::Shown).html;
    let slipped = page.replacen(
        "Morrow Point",
        "<img src=x onerror=alert(1)><script>alert(2)</script>",
        1,
    );
    let path = directory.path().join("slipped.html");
    fs::write(&path, &slipped).unwrap();
    let mut tab = browser.open(&path, DESKTOP);
    assert_eq!(tab.value("window.ran"), json!(0));
    assert!(tab.value("window.stopped.length").as_u64() >= Some(2));
    assert!(!tab.observed().complaints.is_empty());
    assert_eq!(seen(&mut tab), json!([1]), "the page's own script runs all the same");
    drop(tab);
    fs::write(&path, slipped.replace("http-equiv", "name")).unwrap();
    let mut tab = browser.open(&path, DESKTOP);
    assert_eq!(
        tab.value("new Promise((done) => setTimeout(() => done(window.ran), 200))"),
        json!(2)
    );
    assert_eq!(tab.observed().requests.len(), 2);
}

/// The numbers of the steps that can be seen.
fn seen(tab: &mut Tab<'_>) -> Value {
    tab.value(
        "[...document.querySelectorAll('section.step')].map((step, index) => step.offsetHeight > 0 ? index + 1 : 0)\
         .filter((number) => number > 0)",
    )
}

#[test]
fn the_script_of_a_listing_can_be_copied() {
    let Some(mut browser) = Browser::start("the_script_of_a_listing_can_be_copied") else {
        return;
    };
    let directory = TempDir::new().unwrap();
    let path = file(
        directory.path(),
        &traces::lighthouses(),
        Format::ProgramListing,
        AnswerVisibility::Shown,
    );
    let mut tab = browser.open(&path, DESKTOP);
    tab.value("document.querySelector('details').open = true");
    let said = tab.value(
        "document.querySelector('button.copy').click();
         new Promise((done) => setTimeout(() => done(document.querySelector('[role=status]').textContent), 300))",
    );
    assert!(
        said == json!("Copied.") || said == json!("Selected: copy it with Ctrl+C."),
        "{said}"
    );
    assert_quiet(&mut tab, &path);
}

#[test]
fn keys_and_buttons_go_from_step_to_step() {
    let Some(mut browser) = Browser::start("keys_and_buttons_go_from_step_to_step") else {
        return;
    };
    let directory = TempDir::new().unwrap();
    let lighthouses = traces::lighthouses();
    let path = file(
        directory.path(),
        &lighthouses,
        Format::StepThrough,
        AnswerVisibility::Shown,
    );
    let mut tab = browser.open(&path, DESKTOP);
    let progress = "document.getElementById('progress').textContent";
    let rows = "[...document.querySelectorAll('section.step')].find((step) => step.offsetHeight > 0)\
                .querySelectorAll('tbody tr').length";
    assert_eq!(seen(&mut tab), json!([1]));
    assert_eq!(tab.value(progress), json!("Step 1 of 3"));
    assert_eq!(tab.value(rows), json!(6));
    let answer = "document.querySelector('section.answer').offsetHeight > 0";
    assert_eq!(tab.value(answer), json!(false), "the last step gives it");
    for (key, modifiers, step) in [
        ("ArrowRight", 0, 2),
        ("ArrowLeft", 0, 1),
        ("ArrowLeft", 0, 1),
        ("End", 0, 3),
        ("ArrowRight", 0, 3),
        ("Home", 0, 1),
        ("ArrowRight", 1, 1),
        ("ArrowRight", 2, 1),
        ("End", 4, 1),
        ("ArrowRight", 8, 1),
        ("ArrowRight", 0, 2),
    ] {
        tab.press(key, modifiers);
        assert_eq!(seen(&mut tab), json!([step]), "{key} with {modifiers}");
        assert_eq!(tab.value(progress), json!(format!("Step {step} of 3")));
        assert_eq!(tab.value(answer), json!(step == 3));
    }
    assert_eq!(tab.value(rows), json!(4), "the table has shrunk");
    // Not while something is typed.
    tab.value("document.body.append(document.createElement('input')); document.querySelector('input').focus()");
    tab.press("ArrowRight", 0);
    assert_eq!(seen(&mut tab), json!([2]));
    tab.value("document.querySelector('input').remove()");
    for (button, steps) in [
        ("next", json!([3])),
        ("next", json!([3])),
        ("previous", json!([2])),
        ("first", json!([1])),
        ("all", json!([1, 2, 3])),
        ("next", json!([1, 2, 3])),
        ("all", json!([1])),
    ] {
        tab.value(&format!("document.querySelector('[data-go={button}]').click()"));
        assert_eq!(seen(&mut tab), steps, "{button}");
        assert_eq!(tab.value(answer), json!(steps.as_array().unwrap().contains(&json!(3))));
    }
    tab.value("document.querySelector('a.skip').click()");
    assert_eq!((seen(&mut tab), tab.value(answer)), (json!([3]), json!(true)));
    assert_eq!(
        tab.value("document.getElementById('progress').getAttribute('role')"),
        json!("status")
    );
    // In print every step stands there.
    tab.ask("Emulation.setEmulatedMedia", &json!({ "media": "print" }));
    assert_eq!(seen(&mut tab), json!([1, 2, 3]));
    assert_eq!(tab.value(answer), json!(true));
    assert_eq!(tab.value("document.getElementById('stepper').offsetHeight"), json!(0));
    drop(tab);

    // A chain that failed is opened at the step that did.
    let (sample, mut trace) = traces::lighthouses();
    trace.steps[1].output = None;
    let path = file(
        directory.path(),
        &(sample, trace),
        Format::StepThrough,
        AnswerVisibility::Shown,
    );
    let mut tab = browser.open(&path, DESKTOP);
    assert_eq!(seen(&mut tab), json!([2]));
    drop(tab);

    // A table that scrolls sideways keeps its keys.
    let wide: Vec<String> = (0..30)
        .map(|column| format!("a long name of column {column}"))
        .collect();
    let (mut sample, mut trace) = lighthouses;
    sample.table = Table::from_text(wide, [vec!["1".to_owned(); 30]]).unwrap();
    trace.tables[0] = sample.table.clone();
    trace.steps[0].lineage = Some(traces::kept(&[0], &[0], &[], &[0]));
    let path = file(
        directory.path(),
        &(sample, trace),
        Format::StepThrough,
        AnswerVisibility::Shown,
    );
    let mut tab = browser.open(&path, DESKTOP);
    tab.value("document.querySelector('.scroll').focus()");
    tab.press("ArrowRight", 0);
    assert_eq!(seen(&mut tab), json!([1]));
    tab.value("document.activeElement.blur()");
    tab.press("ArrowRight", 0);
    assert_eq!(seen(&mut tab), json!([2]));
    drop(tab);

    // Without scripts it is the whole chain.
    let path = file(
        directory.path(),
        &traces::lighthouses(),
        Format::StepThrough,
        AnswerVisibility::Shown,
    );
    let mut tab = browser.open(
        &path,
        Look {
            scripts: false,
            ..DESKTOP
        },
    );
    assert_eq!(seen(&mut tab), json!([1, 2, 3]));
    assert_eq!(tab.value("document.getElementById('stepper').offsetHeight"), json!(0));
}

/// Pictures of every format on a phone and on a desktop, written to the directory `TABJURY_PICTURES` where it is set.
#[test]
fn pictures_are_taken() {
    let Some(pictures) = std::env::var_os("TABJURY_PICTURES") else {
        return;
    };
    let Some(mut browser) = Browser::start("pictures_are_taken") else {
        return;
    };
    let directory = TempDir::new().unwrap();
    let deals = deals();
    for format in Format::ALL {
        let path = file(directory.path(), &deals, format, AnswerVisibility::Shown);
        for look in [DESKTOP, Look { width: 390, ..DESKTOP }, Look { dark: true, ..DESKTOP }] {
            let mut tab = browser.open(&path, look);
            tab.value("document.querySelector('[data-go=next]')?.click()");
            let dark = if look.dark { "_dark" } else { "" };
            let name = format!("{}_{}{dark}.png", format.name(), look.width);
            fs::write(Path::new(&pictures).join(name), tab.picture(2400)).unwrap();
        }
    }
}

/// The example plan as a page shows it.
fn deals() -> (Sample, Trace) {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/deals");
    let plan: Value = serde_json::from_str(&fs::read_to_string(example.join("plan.json")).unwrap()).unwrap();
    let table = tabjury::dataset::custom::read_table(&example.join("deals.csv")).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let (question, caption) = (text(&plan["question"]), text(&plan["caption"]));
    let mut sample = traces::sample(QuestionKind::ShortAnswer, &question, &caption, table);
    sample.id = "deals".to_owned();
    let engine = Engine::default();
    let mut builder = TraceBuilder::new(&sample, "by hand", "by hand", "none", json!({}));
    for step in plan["steps"].as_array().unwrap() {
        let statement = text(&step["sql"]);
        builder.open_step(Some(text(&step["nl"])));
        let done = engine.run(builder.table(), builder.origins(), &statement).unwrap();
        builder.complete_step(Program::sql(&statement, done.ran), done.table, done.lineage);
    }
    let answer = Answer::Values(vec![text(&plan["answer"])]);
    let trace = builder.finish(Ok((answer, AnswerSource::Program)));
    (sample, trace)
}

/// What the accessibility checker finds wrong, each rule with the elements that break it.
const VIOLATIONS: &str = "axe.run(document, { resultTypes: ['violations'] }).then((found) => found.violations\
                          .map((rule) => [rule.id, rule.nodes.slice(0, 3).map((node) => node.html.slice(0, 200) + ' ' + \
                          node.failureSummary)]))";

fn axe(test: &str) -> Option<String> {
    let checkers = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/axe");
    let found = fs::read_dir(&checkers).ok().and_then(|entries| {
        let mut scripts: Vec<PathBuf> = entries
            .flatten()
            .map(|entry| entry.path().join("node_modules/axe-core/axe.min.js"))
            .filter(|path| path.is_file())
            .collect();
        scripts.sort();
        scripts.pop()
    });
    let Some(path) = found else {
        let required = std::env::var_os("TABJURY_REQUIRE_AXE").is_some_and(|value| value == "1");
        assert!(
            !required,
            "{test}: run scripts/install_axe.sh (TABJURY_REQUIRE_AXE is set)"
        );
        println!("skipped: {test}: no accessibility checker (scripts/install_axe.sh fetches it)");
        return None;
    };
    Some(fs::read_to_string(path).unwrap())
}

#[test]
fn an_accessibility_checker_finds_nothing() {
    let test = "an_accessibility_checker_finds_nothing";
    let (Some(axe), Some(mut browser)) = (axe(test), Browser::start(test)) else {
        return;
    };
    let directory = TempDir::new().unwrap();
    let mut checked = 0;
    for made_up in [named("lighthouses", traces::lighthouses()), odd(), hostile()] {
        for format in Format::ALL {
            for visibility in AnswerVisibility::ALL {
                let path = file(directory.path(), &made_up, format, visibility);
                for dark in [false, true] {
                    let mut tab = browser.open(&path, Look { dark, ..DESKTOP });
                    tab.value("document.querySelectorAll('details').forEach((details) => details.open = true)");
                    tab.value(&axe);
                    for all in [false, true] {
                        if all {
                            tab.value("document.querySelector('[data-go=all]')?.click()");
                        }
                        let violations = tab.value(VIOLATIONS);
                        assert_eq!(violations, json!([]), "{} dark: {dark}", path.display());
                        checked += 1;
                        if format != Format::StepThrough {
                            break;
                        }
                    }
                }
            }
        }
    }
    println!("{checked} views of pages without a violation");
}
