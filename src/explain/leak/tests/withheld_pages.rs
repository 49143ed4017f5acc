//! What a prediction, our own words, figures before rounding and verdicts in cells and names are on a page.

use super::*;
use crate::explain::answer_forms::{AnswerForms, names_a_verdict};
use crate::explain::withhold;

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
    let said = |program: &str| withhold::said_in_program(&forms, program, "").len();
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
