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
    assert_eq!(page.facts.leaks, []);

    let (sample, trace) = traces::ferries();
    for format in [Format::AttributionChain, Format::ProgramListing] {
        let page = render(&sample, &trace, format, AnswerVisibility::Withheld);
        // A listing has the first table in its script as well.
        let first_tables = if format == Format::ProgramListing { 2 } else { 1 };
        assert_eq!(
            page.html.matches("Corvin").count(),
            first_tables,
            "in the first table alone"
        );
        assert_eq!(page.facts.leaks, []);
        let shown = render(&sample, &trace, format, AnswerVisibility::Shown);
        assert_eq!(shown.html.matches("Corvin").count(), 2 + first_tables);
        assert_eq!((shown.facts.places_withheld, shown.facts.leaks.len()), (0, 0));
    }
}

/// How many places a withheld page of the trace, after a change, leaves out. It never leaks.
fn left_out(made_up: (Sample, Trace), format: Format, change: impl FnOnce(&mut Sample, &mut Trace)) -> usize {
    let (mut sample, mut trace) = made_up;
    change(&mut sample, &mut trace);
    let page = render(&sample, &trace, format, AnswerVisibility::Withheld);
    assert_eq!(page.facts.leaks, [], "{}", page.markdown);
    page.facts.places_withheld
}

#[test]
fn what_states_a_withheld_answer_is_left_out() {
    use Format::{AttributionChain, FreeText, ProgramListing};
    // The rationale says it.
    let says = |words: &'static str| move |_: &mut Sample, trace: &mut Trace| trace.rationale = Some(words.to_owned());
    assert_eq!(left_out(traces::own_words(), FreeText, says("So corvin, it is.")), 1);
    assert_eq!(left_out(traces::own_words(), FreeText, says("Corvinus did it.")), 0);
    // Whichever verdict it was: what is left out does not tell.
    for said in [
        "Rows matter. Hence the statement is true.",
        "Rows matter. So it is false.",
        "No, it has two.",
        "The table refutes the claim.",
    ] {
        assert_eq!(left_out(traces::lighthouses(), FreeText, says(said)), 1, "{said}");
    }
    // A computed column of a step's result has it and nothing else.
    let early = |_: &mut Sample, trace: &mut Trace| {
        trace.tables[2] = traces::table(&["verification_result"], &[&[" true"]]);
        trace.steps[1].lineage.as_mut().unwrap().produced_columns = vec![0];
    };
    assert_eq!(left_out(traces::lighthouses(), AttributionChain, early), 1);
    assert_eq!(left_out(traces::lighthouses(), ProgramListing, early), 1);
    // A cell carried along from the first table does not.
    let carried = |_: &mut Sample, trace: &mut Trace| trace.tables[2].rows[0][3] = Some("TRUE".to_owned());
    assert_eq!(left_out(traces::lighthouses(), AttributionChain, carried), 0);
    // A rule is no claim; a constant is.
    let selects = |text: &'static str| {
        move |_: &mut Sample, trace: &mut Trace| trace.steps[2].program.as_mut().unwrap().text = text.to_owned()
    };
    let of_program = |text| left_out(traces::lighthouses(), ProgramListing, selects(text));
    assert_eq!(of_program("select 'TRUE' as v"), 1);
    assert_eq!(of_program("SELECT 'FALSE' AS v"), 1);
    assert_eq!(of_program("SELECT CASE WHEN n THEN 'TRUE' END"), 1);
    assert_eq!(of_program("SELECT CASE WHEN n THEN 'TRUE' ELSE 'FALSE' END"), 0);
    // So is a rule of which the condition is settled.
    assert_eq!(of_program("SELECT CASE WHEN 1 THEN 'TRUE' ELSE 'FALSE' END"), 1);
    // The words of a step say it; what the question says as well has to be stated.
    let plans = |_: &mut Sample, trace: &mut Trace| trace.steps[0].description = Some("Return 'Corvin'.".to_owned());
    assert_eq!(left_out(traces::ferries(), AttributionChain, plans), 1);
    let asks = |sample: &mut Sample, trace: &mut Trace| {
        sample.question = "was it Corvin or Ilsa?".to_owned();
        plans(sample, trace);
    };
    assert_eq!(left_out(traces::ferries(), AttributionChain, asks), 1, "it is stated");
    let compares = |sample: &mut Sample, trace: &mut Trace| {
        sample.question = "was it Corvin or Ilsa?".to_owned();
        trace.steps[0].description = Some("Compare Corvin with Ilsa.".to_owned());
    };
    assert_eq!(left_out(traces::ferries(), AttributionChain, compares), 0);
}

#[test]
fn a_table_narrowed_down_to_the_answer_is_left_out() {
    let (sample, mut trace) = traces::lighthouses();
    trace.answer = Some(Answer::Values(vec!["Old Hessel".into(), "Morrow Point".into()]));
    let page = render(&sample, &trace, Format::AttributionChain, AnswerVisibility::Withheld);
    assert!(page.facts.places_withheld > 0);
    assert!(
        page.markdown.contains("states the answer, which is withheld"),
        "{}",
        page.markdown
    );
    assert!(page.facts.steps_marked < page.facts.steps);
    assert_eq!(page.facts.leaks, []);
    trace.answer = Some(Answer::Values(vec!["Old Hessel".into()]));
    assert_eq!(left_out((sample, trace), Format::AttributionChain, |_, _| ()), 0);
}

#[test]
fn names_of_method_and_model_are_left_out_of_every_page() {
    let named = |_: &mut Sample, trace: &mut Trace| {
        trace.method = "chain_of_thought".to_owned();
        trace.model = "oakmoss-7b".to_owned();
        trace.rationale = Some("As Oakmoss 7B I go by chain of thought: Ilsa runs late.".to_owned());
    };
    assert_eq!(left_out(traces::own_words(), Format::FreeText, named), 2);
    let (mut sample, mut trace) = traces::own_words();
    named(&mut sample, &mut trace);
    let page = render(&sample, &trace, Format::FreeText, AnswerVisibility::Shown);
    assert!(
        page.markdown.contains("Ilsa runs late") && !page.markdown.contains("Oakmoss"),
        "{}",
        page.markdown
    );
    assert_eq!((page.facts.places_withheld, page.facts.leaks.len()), (2, 0));
}
