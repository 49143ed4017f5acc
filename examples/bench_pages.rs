//! How many pages are made a second, by format: HTML, Markdown and the leak check, on one thread.
//!
//! ```console
//! cargo run --release --example bench_pages
//! ```

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use tabjury::dataset::{Answer, DatasetKind, QuestionKind, Sample};
use tabjury::engine::Engine;
use tabjury::explain::{AnswerVisibility, Format, PagesOfSample};
use tabjury::table::Table;
use tabjury::trace::{AnswerSource, Program, Trace, TraceBuilder};

/// How long each format is measured.
const ROUND: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("bench_pages: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Result<(), String> {
    for rows in [20, 500, 100_000] {
        let (sample, trace) = gauges(rows)?;
        println!("a table of {rows} rows and 6 columns, a chain of 3 steps");
        let pages_of_sample = PagesOfSample::new(&sample, &[]);
        for format in Format::ALL {
            let name = format.name();
            let begun = Instant::now();
            let (mut pages, mut html, mut markdown, mut tokens) = (0_u32, 0, 0, 0);
            while begun.elapsed() < ROUND {
                let page = pages_of_sample.render(&trace, format, AnswerVisibility::Withheld);
                (html, markdown) = (page.facts.html_bytes, page.facts.markdown_bytes);
                tokens = page.facts.markdown_tokens;
                pages += 1;
            }
            let rate = f64::from(pages) / begun.elapsed().as_secs_f64();
            println!(
                "  {name:18} {rate:9.1} pages/s  {html:7} bytes of HTML, {markdown:6} of Markdown ({tokens} tokens)"
            );
        }
    }
    Ok(())
}

/// A made-up table and the chain that counts in it.
fn gauges(rows: usize) -> Result<(Sample, Trace), String> {
    let cells = (0..rows).map(|row| {
        vec![
            format!("Station {row}"),
            ["north", "south", "delta"][row % 3].to_owned(),
            (row * 7 % 101).to_string(),
            (1900 + row % 120).to_string(),
            "open".to_owned(),
            format!("keeper no. {}", row * 31 % 977),
        ]
    });
    let table = Table::from_text(["Station", "Arm", "Level", "Built", "State", "Keeper"], cells)
        .map_err(|error| error.to_string())?;
    let sample = Sample {
        id: "gauges".to_owned(),
        dataset: DatasetKind::Custom,
        kind: QuestionKind::ShortAnswer,
        table_id: "gauges".to_owned(),
        caption: Some("Gauges of the river Ost".to_owned()),
        table,
        question: "how many old stations of the north arm have a high level?".to_owned(),
        gold: None,
        groups: BTreeMap::new(),
    };
    let engine = Engine::default();
    let mut builder = TraceBuilder::new(&sample, "bench", "bench", "none", serde_json::json!({}));
    for (words, statement) in [
        (
            "Select rows where the arm is north.",
            "SELECT * FROM table_sql WHERE arm = 'north'",
        ),
        (
            "Select rows where the level is over 90 and built before 1930.",
            "SELECT station, level, built FROM table_sql WHERE level > 90 AND built < 1930",
        ),
        ("Count them.", "SELECT COUNT(*) AS stations FROM table_sql"),
    ] {
        builder.open_step(Some(words.to_owned()));
        let done = engine
            .run(builder.table(), builder.origins(), statement)
            .map_err(|error| error.to_string())?;
        builder.complete_step(Program::sql(statement, done.ran), done.table, done.lineage);
    }
    let answer = builder
        .table()
        .rows
        .first()
        .and_then(|row| row.first().cloned().flatten());
    let answer = Answer::Values(answer.into_iter().collect());
    Ok((sample, builder.finish(Ok((answer, AnswerSource::Program)))))
}
