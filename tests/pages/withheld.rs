//! Pages that withhold the answer: it is not there, and where it is all the same, the page's facts say so.

use tabjury::dataset::{Answer, Sample};
use tabjury::explain::{AnswerVisibility, Format, render};
use tabjury::trace::Trace;

use crate::traces;

#[test]
fn a_withheld_answer_and_its_table_are_not_there() {
    let (sample, trace) = traces::lighthouses();
    let page = render(&sample, &trace, Format::AttributionChain, AnswerVisibility::Withheld);
    assert!(page.html.contains("The answer is withheld on this page."));
    assert!(!page.html.contains("verification_result"));
    assert!(!page.facts.withheld_answer_visible);

    let (sample, trace) = traces::ferries();
    for format in [Format::AttributionChain, Format::ProgramListing] {
        let page = render(&sample, &trace, format, AnswerVisibility::Withheld);
        assert_eq!(page.html.matches("Corvin").count(), 1, "in the first table alone");
        assert!(!page.facts.withheld_answer_visible);
        let shown = render(&sample, &trace, format, AnswerVisibility::Shown);
        assert_eq!(shown.html.matches("Corvin").count(), 3);
        assert!(!shown.facts.withheld_answer_visible, "only said of pages that withhold");
    }
}

/// Whether a withheld page of the trace, after a change, is said to hold the answer.
fn leaks(made_up: (Sample, Trace), format: Format, change: impl FnOnce(&mut Sample, &mut Trace)) -> bool {
    let (mut sample, mut trace) = made_up;
    change(&mut sample, &mut trace);
    render(&sample, &trace, format, AnswerVisibility::Withheld)
        .facts
        .withheld_answer_visible
}

#[test]
fn an_answer_that_still_stands_in_a_withheld_page_is_counted() {
    use Format::{AttributionChain, FreeText, ProgramListing};
    // The rationale says it.
    let says = |words: &'static str| move |_: &mut Sample, trace: &mut Trace| trace.rationale = Some(words.to_owned());
    assert!(leaks(traces::own_words(), FreeText, says("So corvin, it is.")));
    assert!(!leaks(traces::own_words(), FreeText, says("Corvinus did it.")));
    assert!(leaks(
        traces::lighthouses(),
        FreeText,
        says("Hence the statement is true.")
    ));
    assert!(!leaks(
        traces::lighthouses(),
        FreeText,
        says("Hence the statement is false.")
    ));
    // A computed cell of an earlier step says it.
    let early = |_: &mut Sample, trace: &mut Trace| {
        trace.tables[2] = traces::table(&["verification_result"], &[&[" true"]]);
        trace.steps[1].lineage.as_mut().unwrap().produced_columns = vec![0];
    };
    assert!(leaks(traces::lighthouses(), AttributionChain, early));
    assert!(leaks(traces::lighthouses(), ProgramListing, early));
    // A cell carried along from the first table does not.
    assert!(!leaks(traces::lighthouses(), AttributionChain, |_, trace| {
        trace.tables[2].rows[0][3] = Some("TRUE".to_owned());
    }));
    // A rule is no claim; a constant is.
    let selects = |text: &'static str| {
        move |_: &mut Sample, trace: &mut Trace| trace.steps[2].program.as_mut().unwrap().text = text.to_owned()
    };
    assert!(leaks(
        traces::lighthouses(),
        ProgramListing,
        selects("select 'TRUE' as v")
    ));
    assert!(!leaks(
        traces::lighthouses(),
        ProgramListing,
        selects("SELECT 'FALSE' AS v")
    ));
    assert!(!leaks(
        traces::lighthouses(),
        ProgramListing,
        selects("SELECT CASE WHEN 1 THEN 'TRUE' ELSE 'FALSE' END")
    ));
    // The words of a step say it, unless the question does as well.
    let plans = |_: &mut Sample, trace: &mut Trace| trace.steps[0].description = Some("Return 'Corvin'.".to_owned());
    assert!(leaks(traces::ferries(), AttributionChain, plans));
    assert!(!leaks(traces::ferries(), AttributionChain, |sample, trace| {
        sample.question = "was it Corvin or Ilsa?".to_owned();
        plans(sample, trace);
    }));
    // The steps narrow a column down to it.
    let (sample, mut trace) = traces::lighthouses();
    trace.answer = Some(Answer::Values(vec!["Old Hessel".into(), "Morrow Point".into()]));
    assert!(leaks((sample.clone(), trace.clone()), AttributionChain, |_, _| ()));
    trace.answer = Some(Answer::Values(vec!["Old Hessel".into()]));
    assert!(!leaks((sample, trace), AttributionChain, |_, _| ()));
}
