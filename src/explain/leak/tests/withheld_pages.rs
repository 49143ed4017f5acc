//! What a prediction, our own words, figures before rounding and verdicts in cells and names are on a page.

use std::sync::LazyLock;

use regex::Regex;

use super::*;
use crate::explain::answer_forms::{AnswerForms, names_a_verdict};
use crate::explain::text_words::words;
use crate::explain::withhold;
use crate::trace::FailedAttempt;
use crate::trace::imported::{Imported, ImportedBlock, ImportedPage, ImportedRun, Removed};

#[test]
fn a_prediction_that_is_called_as_a_model_is_no_name() {
    let sample = who();
    for prediction in ["OpenAI", "ChatGPT", "model", "spruce", "fir-answerer-2"] {
        let trace = trace(&sample, values(&[prediction]));
        let names = [names(), vec!["answer".to_owned(), "table".to_owned()]].concat();
        for format in [
            Format::AttributionChain,
            Format::StepThrough,
            Format::Facts,
            Format::None,
        ] {
            let page = PagesOfSample::new(&sample, &names).render(&trace, format, AnswerVisibility::Shown);
            assert_eq!(page.facts.leaks, [], "{prediction} {format:?}");
            assert!(
                page.markdown.contains(&format!("Answer: {prediction}")),
                "{}",
                page.markdown
            );
        }
    }
    let mut sentence = trace(&sample, Answer::Text("As ChatGPT I say Dee.".to_owned()));
    let shown = |trace: &Trace| {
        let page = PagesOfSample::new(&sample, &names()).render(trace, Format::None, AnswerVisibility::Shown);
        page.facts.leaks.len()
    };
    assert_eq!(shown(&sentence), 2);
    sentence.answer = Some(Answer::Text("ChatGPT".to_owned()));
    assert_eq!(shown(&sentence), 0);
}

#[test]
fn our_own_words_and_marks_are_no_answer() {
    let sample = who();
    for answer in [
        "Steps",
        "Next",
        "Previous",
        "All steps",
        "First",
        "withheld",
        "Withheld",
        "Copy",
    ] {
        let mut trace = trace(&sample, values(&[answer]));
        trace.steps[0].description = Some(format!("Keep {answer}, which is {answer}."));
        for format in [Format::AttributionChain, Format::StepThrough, Format::ProgramListing] {
            let page = PagesOfSample::new(&sample, &names()).render(&trace, format, Withheld);
            assert_eq!(page.facts.leaks, [], "{answer} {format:?}");
            assert!(
                !page.markdown.contains("[[withheld]]") && !page.markdown.contains("[[[["),
                "{}",
                page.markdown
            );
        }
    }
}

/// Whatever word of ours is the answer, no sentence of ours tells it, and none is left out, which would tell it too.
#[test]
fn no_word_of_a_page_of_its_own_is_an_answer() {
    let sample = who();
    let mut plain = trace(&sample, values(&["Petrel"]));
    plain.answer_source = Some(AnswerSource::Fallback);
    plain.steps[0].description = Some("Keep Fay.".to_owned());
    plain.steps[0].failed_attempts = vec![
        FailedAttempt {
            program: "SELEC".to_owned(),
            error: "xyzzy".to_owned(),
        };
        2
    ];
    plain.steps[1].description = None;
    let mut failed = plain.steps[1].clone();
    (failed.output, failed.lineage) = (None, None);
    let mut reading_nothing = plain.steps[1].clone();
    reading_nothing.lineage.as_mut().unwrap().reading = Reading::NoTable;
    let mut not_kept = plain.steps[1].clone();
    not_kept.lineage = None;
    plain.steps.extend([failed, reading_nothing, not_kept]);
    for format in Format::ALL {
        let render = |trace: &Trace| PagesOfSample::new(&sample, &[]).render(trace, format, Withheld);
        let page = render(&plain);
        let mut ours: Vec<String> = ('a'..='z').map(String::from).collect();
        for placed in html_parts::parts(&page.html) {
            if let Part::Line(text) = placed.part {
                // Numbers are told by where they stand, not by what they are.
                ours.extend(words(&text).into_iter().filter(|word| word.parse::<f64>().is_err()));
            }
        }
        ours.retain(|word| !["fay", "xyzzy", "eva", "n"].contains(&word.as_str()));
        let mut trace = plain.clone();
        trace.answer = Some(Answer::Values(ours.clone()));
        let found = render(&trace);
        assert_eq!(found.facts.leaks, [], "{format:?}\n{}", found.html);
        let lines = |html: &str| -> Vec<String> {
            let parts = html_parts::parts(html).into_iter();
            let lines = parts.filter_map(|placed| match placed.part {
                Part::Line(text) => Some(text),
                _ => None,
            });
            lines
                .filter(|line| !line.contains("xyzzy") && !line.contains("script") && line != "Copy")
                .collect()
        };
        assert_eq!(lines(&found.html), lines(&page.html), "{format:?}");
    }
}

/// How much a page leaves out is no answer, whatever it is folded by.
#[test]
fn what_folding_says_is_no_answer() {
    static COUNTED: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"… (\d+) |(\d+) columns? not shown|(?:here|facts)[^.]*?\.").unwrap());
    let mut sample = who();
    sample.table = Table::from_text(
        (0..260).map(|at| format!("c{at}")),
        [(0..260).map(|_| "x".to_owned()).collect()],
    )
    .unwrap();
    let long = |characters: usize| format!("{} ", "g".repeat(499)).repeat(characters / 500 + 1);
    let mut trace = trace(&sample, values(&["Petrel"]));
    trace.rationale = Some(long(20_400));
    let mut step = trace.steps[0].clone();
    step.description = Some(long(20_500));
    step.program.as_mut().unwrap().text = format!("SELECT {} FROM table_sql", long(20_600));
    (step.output, step.lineage) = (None, None);
    let try_with = |error: String| FailedAttempt {
        program: "SELECT a".to_owned(),
        error,
    };
    step.failed_attempts = vec![try_with("no".to_owned()); 150];
    step.failed_attempts.push(try_with(long(20_700)));
    let mut long_chain = vec![step.clone()];
    step.failed_attempts.truncate(1);
    step.description = Some("Go.".to_owned());
    step.program.as_mut().unwrap().text = "SELECT x FROM table_sql".to_owned();
    long_chain.extend(vec![step; 180]);
    trace.steps = long_chain;
    let run = |text: String| ImportedRun { text, marked: false };
    let mut blocks = vec![
        ImportedBlock::Heading { text: long(20_800) },
        ImportedBlock::Code { text: long(20_900) },
        ImportedBlock::Text {
            runs: vec![run(long(21_000)), run("and on".to_owned())],
            item: false,
        },
        ImportedBlock::Text {
            runs: vec![run(long(21_100))],
            item: true,
        },
    ];
    blocks.extend(vec![
        ImportedBlock::Heading {
            text: "See.".to_owned()
        };
        2_150
    ]);
    trace.imported = Some(Imported {
        name: "other".to_owned(),
        file: "other".to_owned(),
        method: None,
        model: None,
        page: Some(ImportedPage {
            blocks,
            withheld: None,
            removed: Removed::default(),
        }),
    });
    for format in Format::ALL {
        let render = |trace: &Trace| PagesOfSample::new(&sample, &[]).render(trace, format, Withheld);
        trace.answer = Some(values(&["Petrel"]));
        let page = render(&trace);
        let numbers = |text: &str| -> Vec<String> {
            let found = COUNTED.find_iter(text);
            let numbers = found.flat_map(|found| words(found.as_str()));
            numbers
                .filter(|word| word.parse::<u32>().is_ok_and(|number| number > 100))
                .collect()
        };
        let mut counted = numbers(&page.html);
        counted.extend(numbers(&page.markdown));
        counted.sort();
        counted.dedup();
        assert!(!counted.is_empty(), "{format:?}");
        trace.answer = Some(Answer::Values(counted.clone()));
        let page = render(&trace);
        assert_eq!(page.facts.leaks, [], "{format:?} {counted:?}");
        assert_eq!(page.facts.places_withheld, 0, "{format:?} {counted:?}");
    }
}

/// A query that lists a column of names: each cell is taken apart once, not once a value.
#[test]
fn an_answer_of_very_many_values_is_found_all_the_same() {
    let names: Vec<String> = (0..500).map(|at| format!("Keeper {at} of Skerry")).collect();
    let mut sample = who();
    sample.table = Table::from_text(["Place"], vec![vec!["x".to_owned()]]).unwrap();
    let mut trace = trace(&sample, Answer::Values(names.clone()));
    let column = |names: &[String]| {
        Table::from_text(["n"], names.iter().map(|name| vec![name.clone()]).collect::<Vec<_>>()).unwrap()
    };
    for (cells, states_it) in [(&names[..], true), (&names[..499], false)] {
        trace.tables[1] = column(cells);
        let page = PagesOfSample::new(&sample, &[]).render(&trace, Format::AttributionChain, Withheld);
        assert_eq!(page.facts.leaks, []);
        assert_eq!(!page.markdown.contains("Keeper 1 of Skerry"), states_it);
    }
}

/// A value with a comma may be what the question offers as well.
#[test]
fn a_choice_may_look_like_a_list() {
    let mut sample = sample(QuestionKind::ShortAnswer, "Who sold more, Smith, John or Doe, Jane?");
    sample.table = table(&["Rep", "Units"], &[&["Smith, John", "3"], &["Doe, Jane", "4"]]);
    let mut trace = trace(&sample, values(&["Smith, John"]));
    trace.steps.truncate(1);
    trace.steps[0].description = Some("Keep the row of Smith, John.".to_owned());
    let page = PagesOfSample::new(&sample, &names()).render(&trace, Format::AttributionChain, Withheld);
    assert_eq!(page.facts.leaks, []);
    assert!(!page.markdown.contains("the row of Smith"), "{}", page.markdown);
}

/// What is one cell of the table is one value, whatever signs are in it.
#[test]
fn a_cell_is_no_list_unless_its_items_are_cells() {
    let mut sample = sample(QuestionKind::ShortAnswer, "Where is it?");
    sample.table = table(
        &["Place"],
        &[&["Washington, D.C."], &["Skua, Tern"], &["Skua"], &["Tern"]],
    );
    for (answer, words, expected) in [
        (
            "Washington, D.C.",
            "George Washington said so.",
            "George Washington said so.",
        ),
        ("Washington, D.C.", "In Washington DC.", "In [withheld]."),
        ("Skua, Tern", "The Skua came.", "The [withheld] came."),
        ("Oslo, Bergen", "He saw Bergen.", "He saw [withheld]."),
    ] {
        let mut trace = trace(&sample, values(&[answer]));
        trace.rationale = Some(words.to_owned());
        let page = PagesOfSample::new(&sample, &names()).render(&trace, Format::FreeText, Withheld);
        assert_eq!(page.facts.leaks, []);
        let escaped = expected.replace('[', "\\[").replace(']', "\\]");
        assert!(
            page.markdown.contains(&escaped) || page.markdown.contains(expected),
            "{answer}: {}",
            page.markdown
        );
    }
}

/// The pages that withhold the answer, one a format.
fn withheld_pages(sample: &Sample, trace: &Trace) -> Vec<String> {
    [Format::AttributionChain, Format::ProgramListing, Format::Facts]
        .into_iter()
        .map(|format| {
            let page = PagesOfSample::new(sample, &names()).render(trace, format, Withheld);
            assert_eq!(page.facts.leaks, [], "{}", page.markdown);
            page.markdown
        })
        .collect()
}

#[test]
fn a_figure_one_step_before_it_was_rounded_is_the_answer() {
    let sample = how_many();
    for (answer, program, exact, is_told) in [
        ("36.67", "SELECT ROUND(m, 2) FROM table_sql", "36.666666666666664", true),
        ("102.3", "SELECT ROUND(m, 1) FROM table_sql", "102.33333333333333", true),
        ("37", "SELECT ROUND(m) FROM table_sql", "36.666666666666664", true),
        ("37", "SELECT MAX(m) FROM table_sql", "36.666666666666664", false),
        ("3", "SELECT ROUND(m) FROM table_sql", "3.4", false),
    ] {
        let mut trace = trace(&sample, values(&[answer]));
        trace.tables[2] = table(&["m"], &[&[exact]]);
        trace.steps[1].program.as_mut().unwrap().text = "SELECT AVG(units) AS m FROM table_sql".to_owned();
        trace.tables.push(table(&["r"], &[&[answer]]));
        let of_one = lineage(RowRole::Member, &[0], &[vec![3, 4, 5]], vec![None], &[0]);
        trace.steps.push(step("Round it.", program, 2, of_one));
        for page in withheld_pages(&sample, &trace) {
            assert!(!(is_told && page.contains(exact)), "{answer}: {page}");
        }
        let page = PagesOfSample::new(&sample, &names()).render(&trace, Format::AttributionChain, Withheld);
        assert_eq!(page.markdown.contains(exact), !is_told, "{answer}: {}", page.markdown);
    }
}

#[test]
fn a_computed_cell_or_name_that_states_a_verdict_is_withheld() {
    let sample = statement();
    for (program, name, cell) in [
        ("SELECT AVG(units = 30) AS ok FROM table_sql", "ok", "1.0"),
        ("SELECT 1.0 * (MAX(units) = 50) AS ok FROM table_sql", "ok", "1.0"),
        ("SELECT COUNT(*) AS claim_is_true FROM table_sql", "claim_is_true", "1"),
        (
            "SELECT MAX(units) AS \"statement is supported\" FROM table_sql",
            "statement is supported",
            "50",
        ),
        ("SELECT MAX(units) AS \"TRUE\" FROM table_sql", "TRUE", "50"),
        ("SELECT x(units) AS v FROM table_sql", "v", "matches the claim"),
        ("SELECT x(units) AS v FROM table_sql", "v", "Yes, 55 > 35"),
        ("SELECT x(units) AS v FROM table_sql", "v", "The condition is met"),
        ("SELECT x(units) AS v FROM table_sql", "v", "confirmed by row 3"),
        ("SELECT x(units) AS v FROM table_sql", "v", "Eva is first, as claimed"),
        ("SELECT x(units) AS v FROM table_sql", "v", "positive"),
        ("SELECT 1=1 AS v FROM table_sql", "v", "1"),
    ] {
        let mut trace = trace(&sample, Answer::Verdict(true));
        trace.tables[2] = table(&[name], &[&[cell]]);
        trace.steps[1].program.as_mut().unwrap().text = program.to_owned();
        for page in withheld_pages(&sample, &trace) {
            assert!(!page.contains(cell) || cell.len() < 4, "{program}: {page}");
            assert!(!page.contains(&format!("|1|{cell}|")), "{program}: {page}");
            assert!(
                !page.contains("1=1") && !page.contains("statement is supported"),
                "{program}: {page}"
            );
            assert!(
                !page.contains("TRUE") && !page.contains("claim_is_true"),
                "{program}: {page}"
            );
        }
    }
    let forms = AnswerForms::Verdict;
    let said = |program: &str| withhold::said_in_program(&forms, program).len();
    assert_eq!(said("SELECT CASE WHEN 1=1 THEN 'TRUE' ELSE 'FALSE' END"), 1);
    assert_eq!(
        said("SELECT CASE WHEN n = 1 THEN 'TRUE' ELSE 'FALSE' END AS v FROM t WHERE 1=1"),
        0
    );
    for name in [
        "is_claim_true",
        "whether the claim holds",
        "claim",
        "is_supported",
        "right",
        "no",
        "sentence_length",
    ] {
        assert!(!names_a_verdict(name), "{name}");
    }
}
