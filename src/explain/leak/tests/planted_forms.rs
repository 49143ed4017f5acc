//! Answers in any form, planted into a model's words, names of columns and computed cells: left out of the page, and found on a
//! page that has them.

use super::*;
use crate::explain::answer_forms::planted_forms;

/// Every planted form is left out of a page, and found on a page that has it.
#[test]
fn planted_forms_are_concealed_and_found() {
    let mut wrong = Vec::new();
    for (answer, text) in planted_forms::telling() {
        let sample = match answer {
            Answer::Verdict(_) => statement(),
            _ => sample(QuestionKind::ShortAnswer, "Which is it?"),
        };
        let mut trace = trace(&sample, answer);
        let quote = text.replace('\n', "\n> ");
        let (kinds, _) = planted(
            &sample,
            &trace,
            Format::FreeText,
            &format!("> {}", escaped_lines(&quote)),
        );
        if !kinds.contains(&LeakKind::Answer) {
            wrong.push(format!("{:?}: {text:?} is not found", trace.answer));
        }
        trace.rationale = Some(text.to_owned());
        let page = PagesOfSample::new(&sample, &names()).render(&trace, Format::FreeText, Withheld);
        if page.facts.places_withheld == 0 || !page.facts.leaks.is_empty() {
            wrong.push(format!("{:?}: {text:?} is shown: {:?}", trace.answer, page.facts.leaks));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn escaped_lines(text: &str) -> String {
    let lines = text.split("\n> ").map(|line| escaped(&visible(line)));
    lines.collect::<Vec<_>>().join("\n> ")
}

/// A column that is called by the answer leaves neither program nor header to tell it.
#[test]
fn a_column_named_by_the_answer_is_left_out() {
    let sample = who();
    for (header, cells, alias) in [
        ("Petrel!", ["3", "4"], "\"Petrel!\""),
        ("the_petrel", ["3", "4"], "the_petrel"),
        ("thePetrel", ["3", "4"], "thePetrel"),
        ("n", ["xPetrel", "the petrels"], "n"),
    ] {
        let mut trace = trace(&sample, values(&["Petrel"]));
        trace.tables[1] = table(&[header, "Region"], &[&[cells[0], "East"], &[cells[1], "East"]]);
        trace.steps[0].program.as_mut().unwrap().text = format!("SELECT units AS {alias}, region FROM table_sql");
        for format in Format::ALL {
            let page = PagesOfSample::new(&sample, &names()).render(&trace, format, Withheld);
            assert_eq!(page.facts.leaks, [], "{header} {format:?}\n{}", page.markdown);
            let told = format!("{}{}", page.markdown, page.html).to_lowercase();
            assert!(!told.contains("petrel"), "{header} {format:?}\n{}", page.markdown);
        }
    }
}

/// A verdict that a step computes before the last is left out, in whatever words.
#[test]
fn a_computed_verdict_is_left_out() {
    let sample = statement();
    for cell in [
        "yes",
        "0",
        "T",
        "supported",
        "Refuted",
        "not correct",
        "The claim is right",
        "✓",
        "FALSE",
        "verified",
    ] {
        let mut trace = trace(&sample, Answer::Verdict(true));
        trace.tables[1] = table(&["r"], &[&[cell]]);
        trace.steps[0].program.as_mut().unwrap().text = "SELECT max(units) = 50 AS r FROM table_sql".to_owned();
        trace.steps[0].lineage.as_mut().unwrap().produced_columns = vec![0];
        trace.steps[0].lineage.as_mut().unwrap().carried_columns = vec![None];
        let page = PagesOfSample::new(&sample, &names()).render(&trace, Format::AttributionChain, Withheld);
        assert_eq!(page.facts.leaks, [], "{cell}\n{}", page.markdown);
        assert!(
            !page.markdown.contains(&format!("|{}|", escaped(cell))),
            "{cell}\n{}",
            page.markdown
        );
    }
}
