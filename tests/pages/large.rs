//! Pages of tables that are long, wide or full of endless words: light, and never silently cut.

use scraper::Html;
use tabjury::dataset::{Answer, Sample};
use tabjury::explain::{AnswerVisibility, Format, render};
use tabjury::table::Table;
use tabjury::trace::imported::{Imported, ImportedBlock, ImportedPage, Removed};
use tabjury::trace::{FailedAttempt, Trace};

use crate::{chain, select, select_in, text, traces};

/// The trace of a filter on a table of so many rows and columns of this text, which reads the column before the last.
fn filtered(rows: usize, columns: usize, cell: &str) -> (Sample, Trace) {
    let header: Vec<String> = (1..=columns).map(|column| format!("Column {column}")).collect();
    let row = vec![cell.to_owned(); columns];
    let (mut sample, mut trace) = traces::long(3);
    sample.table = Table::from_text(header, (0..rows).map(|_| row.clone())).unwrap();
    let kept: Vec<usize> = (0..rows).step_by(2).collect();
    let result = kept.iter().map(|row| sample.table.rows[*row].clone()).collect();
    let result = Table::new(sample.table.columns.clone(), result).unwrap();
    let cells: Vec<(usize, usize)> = kept.iter().map(|row| (*row, columns - 2)).collect();
    trace.tables = vec![sample.table.clone(), result];
    let lineage = traces::kept(&kept, &[columns - 2], &cells, &kept);
    trace.steps = vec![traces::step("Select rows.", "SELECT * FROM table_sql", 0, 1, lineage)];
    (sample, trace)
}

#[test]
fn a_table_of_a_hundred_thousand_rows_gives_a_light_page() {
    let (sample, trace) = traces::long(100_000);
    for format in Format::ALL {
        let name = format.name();
        let page = render(&sample, &trace, format, AnswerVisibility::Shown);
        println!(
            "{name}: {} bytes of HTML, {} of Markdown",
            page.html.len(),
            page.markdown.len()
        );
        assert!(page.html.len() < 100_000 && page.markdown.len() < 50_000, "{name}");
        assert!(
            page.html.contains("rows not shown") && page.markdown.contains("rows not shown"),
            "{name}"
        );
    }
}

#[test]
fn an_answer_of_a_whole_table_is_counted_and_not_written_out() {
    let (sample, mut trace) = filtered(3_000, 3, "x");
    trace.answer = Some(Answer::Values((0..3_000).map(|value| format!("v{value}")).collect()));
    let page = chain(&(sample.clone(), trace.clone()));
    let document = Html::parse_document(&page.html);
    let answer = text(select(&document, ".answer .value")[0]);
    assert!(answer.starts_with("v0; v1; "), "{answer}");
    assert!(
        answer.ends_with("v199 (and 2800 more values, not shown here)"),
        "{answer}"
    );
    assert!(page.markdown.contains("v199 (and 2800 more values, not shown here)"));
    trace.answer = Some(Answer::Values(vec!["w".repeat(150_000), "x".to_owned()]));
    let page = chain(&(sample, trace));
    assert!(
        page.markdown
            .contains("w … 130000 characters more (and 1 more value, not shown here)")
    );
}

#[test]
fn a_wide_table_shows_the_marked_columns_and_counts_the_rest() {
    let made_up = filtered(44, 500, "x");
    let page = chain(&made_up);
    let document = Html::parse_document(&page.html);
    let table = select(&document, ".step table")[0];
    let headers: Vec<String> = select_in(table, "thead th").into_iter().map(text).collect();
    assert_eq!(headers.len(), 1 + 30 + 1, "the rows' numbers, 30 columns, a gap");
    assert!(headers.contains(&"Column 499▾ used".to_owned()), "{headers:?}");
    assert!(headers.contains(&"… 470 columns not shown".to_owned()), "{headers:?}");
    assert!(
        page.markdown
            .contains("|… 470 columns not shown|Column 499*|Column 500|")
    );
    assert!(page.markdown.contains("The table (44 rows, 500 columns):"));
    for row in select_in(table, "tbody tr") {
        assert_eq!(row.child_elements().count(), headers.len());
    }
    assert!(
        select(&document, "details").is_empty(),
        "11,000 cells and more are too many to open"
    );
    for format in Format::ALL {
        let name = format.name();
        let page = render(&made_up.0, &made_up.1, format, AnswerVisibility::Shown);
        println!(
            "{name}: {} bytes of HTML, {} of Markdown",
            page.html.len(),
            page.markdown.len()
        );
        assert!(page.html.len() < 200_000, "{name}: {}", page.html.len());
    }

    let page = chain(&filtered(40, 60, "x"));
    let document = Html::parse_document(&page.html);
    let whole = select(&document, ".step > details table")[0];
    assert_eq!(select_in(whole, "thead th").len(), 61);
    assert!(page.markdown.contains("|Column 31|"), "whole where it may be opened");
}

#[test]
fn endless_words_are_cut_and_counted() {
    let page = chain(&filtered(4, 4, &"Donaudampfschiff".repeat(320)));
    assert!(page.html.contains("… 3120 characters more"));
    let page = chain(&filtered(60, 30, &"Donaudampfschiff".repeat(320)));
    println!("{} bytes of HTML, {} of Markdown", page.html.len(), page.markdown.len());
    assert!(
        page.html.len() < 2 * 1_000_000,
        "two tables of 1 MB at most: {}",
        page.html.len()
    );
    assert!(page.html.contains("… 5040 characters more"));
}

#[test]
fn the_largest_table_of_the_field_gives_a_light_page() {
    let made_up = filtered(517, 21, "a cell of usual length");
    for format in Format::ALL {
        let name = format.name();
        let page = render(&made_up.0, &made_up.1, format, AnswerVisibility::Shown);
        println!(
            "{name}: {} bytes of HTML, {} of Markdown",
            page.html.len(),
            page.markdown.len()
        );
        assert!(page.html.len() < 300_000, "{name}: {}", page.html.len());
    }
}

/// A page has a bound whatever a sample and its trace hold, and says how much it leaves out.
#[test]
fn a_page_of_anything_endless_is_folded_and_counted() {
    const MOST_BYTES: usize = 6_000_000;
    let endless = |letters: &str| letters.repeat(100_000 / letters.len());
    let (mut sample, mut trace) = filtered(40, 40, "x");
    sample.question = endless("why ");
    sample.caption = Some(endless("on "));
    for (column, name) in [(0, "first "), (38, "marked ")] {
        sample.table.columns[column].display = name.repeat(500);
    }
    sample.table.rows[0][0] = Some(endless("<&"));
    trace.tables[0] = sample.table.clone();
    trace.rationale = Some(endless("since "));
    let mut step = trace.steps[0].clone();
    step.description = Some(endless("go "));
    let program = format!(
        "SELECT * FROM table_sql -- {}\n WHERE {}",
        endless("y"),
        "a = 1 AND ".repeat(5_000)
    );
    step.program.as_mut().unwrap().text = program.clone();
    let failed = FailedAttempt {
        program,
        error: endless("error "),
    };
    step.failed_attempts = vec![failed; 3];
    trace.steps = vec![step.clone()];
    step.failed_attempts.clear();
    step.description = Some("Again.".to_owned());
    step.program.as_mut().unwrap().text = "SELECT * FROM table_sql".to_owned();
    trace.steps.extend(vec![step; 100]);
    trace.imported = Some(Imported {
        name: "other".to_owned(),
        file: "other".to_owned(),
        method: None,
        model: None,
        page: Some(ImportedPage {
            blocks: vec![ImportedBlock::Heading { text: endless("see ") }; 3],
            withheld: None,
            removed: Removed::default(),
        }),
    });
    for format in Format::ALL {
        for visibility in AnswerVisibility::ALL {
            let values = if visibility == AnswerVisibility::Shown {
                50_000
            } else {
                2
            };
            let values = (0..values).map(|value| format!("value {value}"));
            trace.answer = Some(Answer::Values(values.collect()));
            let page = render(&sample, &trace, format, visibility);
            let name = format!("{} {}", format.name(), visibility.name());
            println!(
                "{name}: {} bytes of HTML, {} of Markdown",
                page.html.len(),
                page.markdown.len()
            );
            assert!(
                page.html.len() < MOST_BYTES && page.markdown.len() < MOST_BYTES,
                "{name}"
            );
            assert!(page.html.contains("10 columns not shown"), "{name}");
            for text in [&page.html, &page.markdown] {
                // The question, the caption, the names of columns and a cell, on every page alike.
                for more in ["79999", "99598", "98000"] {
                    assert!(text.contains(&format!("… {more} characters more")), "{name}: {more}");
                }
                let folded = match (format, visibility) {
                    (Format::None, AnswerVisibility::Shown) => "(and 49800 more values, not shown here)",
                    (Format::None, AnswerVisibility::Withheld) => "withheld",
                    (Format::Facts, _) => "41 more facts are not shown here.",
                    (Format::FreeText, _) => "… 79995 characters more",
                    (Format::Imported, _) => "… 79999 characters more",
                    _ => "Not shown here: the steps from step 51 to step 91.",
                };
                assert!(text.contains(folded), "{name}: {folded}");
            }
        }
    }
}
