//! Pages of recorded chains: every chain of the SQL corpus, run by the engine, gives valid pages with its marks.

use std::collections::BTreeMap;
use std::fs;

use scraper::Html;
use serde_json::{Value, json};
use tabjury::dataset::{Answer, DatasetKind, QuestionKind, Sample};
use tabjury::engine::Engine;
use tabjury::explain::{AnswerVisibility, Format, render};
use tabjury::table::Table;
use tabjury::trace::{AnswerFailure, AnswerSource, Program, Trace, TraceBuilder};

use crate::script;
use crate::support::data_dir;

fn texts(value: &Value) -> Vec<String> {
    let text = |item: &Value| item.as_str().map_or_else(|| item.to_string(), str::to_owned);
    value.as_array().into_iter().flatten().map(text).collect()
}

fn sample(row: &Value) -> Sample {
    let is_statement = row["dataset"] == "tabfact";
    Sample {
        id: row["id"].as_str().unwrap().to_owned(),
        dataset: DatasetKind::Custom,
        kind: if is_statement {
            QuestionKind::FactVerification
        } else {
            QuestionKind::ShortAnswer
        },
        table_id: row["table_context"].as_str().unwrap_or_default().to_owned(),
        caption: row["caption"].as_str().map(str::to_owned),
        table: Table::from_text(
            texts(&row["table_columns"]),
            row["table_rows"].as_array().unwrap().iter().map(texts),
        )
        .unwrap(),
        question: row["question"].as_str().unwrap().to_owned(),
        gold: None,
        groups: Default::default(),
    }
}

/// The chain as the engine runs it; its answer is the first column of the last table.
fn replayed(row: &Value, sample: &Sample) -> Trace {
    let engine = Engine::default();
    let mut builder = TraceBuilder::new(sample, "replay", "replay", "none", json!({}));
    for step in row["steps"].as_array().unwrap() {
        let statement = step["sql"].as_str().unwrap_or_default();
        builder.open_step(step["nl"].as_str().map(str::to_owned));
        match engine.run(builder.table(), builder.origins(), statement) {
            Ok(execution) => {
                let program = Program::sql(statement, execution.ran);
                builder.complete_step(program, execution.table, execution.lineage);
            }
            Err(error) => {
                builder.fail_attempt(statement, &error.to_string(), true);
                break;
            }
        }
    }
    builder.abandon_step();
    let failed = builder.steps().last().is_none_or(|step| step.output.is_none());
    let values: Vec<String> = builder
        .table()
        .rows
        .iter()
        .filter_map(|row| row.first().cloned().flatten())
        .collect();
    let outcome = if failed {
        builder.set_fallback_reason(AnswerFailure::Program {
            message: "the last step failed".to_owned(),
        });
        Ok((Answer::Values(vec!["by itself".to_owned()]), AnswerSource::Fallback))
    } else {
        let answer = match (sample.kind, values.first().map(String::as_str)) {
            (QuestionKind::FactVerification, first) => Answer::Verdict(first == Some("TRUE")),
            _ => Answer::Values(values),
        };
        Ok((answer, AnswerSource::Program))
    };
    builder.finish(outcome)
}

/// Pages, bytes of HTML and bytes of Markdown by kind of chain and format.
type Sizes = BTreeMap<(String, Format), (usize, usize, usize)>;

/// Mean bytes of the released pages (recorded_runs/README.md) by kind of chain and the format that is like theirs.
const RELEASED: [(&str, Format, usize); 4] = [
    ("tabfact-pos", Format::AttributionChain, 10_814),
    ("wikitq-pos", Format::AttributionChain, 11_951),
    ("tabfact-t2s", Format::ProgramListing, 3_225),
    ("tabfact-pos", Format::None, 3_022),
];

fn print_sizes(sizes: &Sizes) {
    for ((kind, format), (pages, html, markdown)) in sizes {
        let (html, markdown) = (html / pages, markdown / pages);
        let released = RELEASED
            .iter()
            .find(|(of_kind, of_format, _)| of_kind == kind && of_format == format)
            .map(|(_, _, bytes)| {
                let share = |ours: usize| 100.0 * ours as f64 / *bytes as f64;
                format!(
                    "; released HTML {bytes}: {:.0} % as HTML, {:.0} % as Markdown",
                    share(html),
                    share(markdown)
                )
            })
            .unwrap_or_default();
        println!("{kind} {format:?}, {pages} pages: {html} bytes of HTML, {markdown} of Markdown{released}");
    }
}

#[test]
fn recorded_chains_give_valid_pages_with_their_marks() {
    let Some(data) = data_dir("recorded_chains_give_valid_pages_with_their_marks") else {
        return;
    };
    let corpus = fs::read_to_string(data.join("sql_corpus/corpus.jsonl")).unwrap();
    let (mut steps, mut left_out, mut withheld, mut scripts) = (0, 0, 0, 0);
    let mut leaking: Vec<String> = Vec::new();
    let mut sizes = Sizes::new();
    let mut places: BTreeMap<(bool, Format), (usize, usize)> = BTreeMap::new();
    for line in corpus.lines().filter(|line| !line.trim().is_empty()) {
        let row: Value = serde_json::from_str(line).unwrap();
        let sample = sample(&row);
        let trace = replayed(&row, &sample);
        let chain = render(&sample, &trace, Format::AttributionChain, AnswerVisibility::Shown);
        assert!(Html::parse_document(&chain.html).errors.is_empty(), "{}", sample.id);
        let lineages = || trace.steps.iter().filter_map(|step| step.lineage.as_ref());
        assert_eq!(chain.facts.steps, trace.steps.len(), "{}", sample.id);
        assert_eq!(
            chain.facts.steps_marked,
            lineages().filter(|lineage| lineage.has_marks()).count(),
            "{}",
            sample.id
        );
        assert_eq!(
            chain.facts.steps_inexact,
            lineages().filter(|lineage| !lineage.is_exact()).count(),
            "{}",
            sample.id
        );
        assert_eq!(
            chain.facts.answer_not_from_steps,
            trace.answer_source == Some(AnswerSource::Fallback),
            "{}",
            sample.id
        );
        steps += trace.steps.len();
        let listing = render(&sample, &trace, Format::ProgramListing, AnswerVisibility::Withheld);
        assert!(Html::parse_document(&listing.html).errors.is_empty(), "{}", sample.id);
        let hidden = render(&sample, &trace, Format::AttributionChain, AnswerVisibility::Withheld);
        for format in Format::ALL {
            for visibility in [AnswerVisibility::Shown, AnswerVisibility::Withheld] {
                let page = render(&sample, &trace, format, visibility);
                leaking.extend(
                    page.facts
                        .leaks
                        .iter()
                        .map(|leak| format!("{} {format:?} {visibility:?}: {leak:?}\n{}", sample.id, page.markdown)),
                );
                if visibility == AnswerVisibility::Withheld {
                    let places = places
                        .entry((sample.kind == QuestionKind::FactVerification, format))
                        .or_default();
                    *places = (places.0 + 1, places.1 + page.facts.places_withheld);
                }
                if visibility == AnswerVisibility::Shown {
                    let kind = row["id"]
                        .as_str()
                        .unwrap()
                        .split("-test")
                        .next()
                        .unwrap()
                        .split("-nu")
                        .next()
                        .unwrap();
                    let kind = kind.splitn(3, '-').take(2).collect::<Vec<_>>().join("-");
                    let size = sizes.entry((kind, format)).or_default();
                    *size = (size.0 + 1, size.1 + page.html.len(), size.2 + page.markdown.len());
                }
            }
        }
        if let Some(script) = script::on_page(&sample, &trace, AnswerVisibility::Shown) {
            // SQLite leaves REGEXP to its host.
            if !script.contains("REGEXP needs") {
                script::assert_same_tables(&script, &trace);
                scripts += 1;
            }
        }
        if trace.answer_source == Some(AnswerSource::Program) {
            withheld += 1;
            left_out += usize::from(hidden.facts.places_withheld > 0);
            let last = format!("Table after step {} ", trace.steps.len());
            assert!(chain.html.contains(&last), "{}", sample.id);
            assert!(!hidden.html.contains(&last), "{}", sample.id);
        }
    }
    assert_eq!(leaking.len(), 0, "{}", leaking.join("\n\n"));
    assert!(steps > 0 && scripts > 0);
    println!("{scripts} scripts gave every table of their chains");
    print_sizes(&sizes);
    for ((is_statement, format), (pages, places)) in &places {
        let kind = if *is_statement { "statements" } else { "questions" };
        println!("{kind} {format:?}: {places} places withheld on {pages} pages");
    }
    println!(
        "{steps} steps; {left_out} of {withheld} pages that withhold the answer leave out more than the last table"
    );
}
