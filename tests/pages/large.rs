//! Pages of tables that are long, wide or full of endless words: light, and never silently cut.

use scraper::Html;
use tabjury::dataset::{Answer, Sample};
use tabjury::explain::{AnswerVisibility, render};
use tabjury::table::Table;
use tabjury::trace::Trace;

use crate::{FORMATS, chain, select, select_in, text, traces};

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
    for (format, name) in FORMATS {
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
    assert!(page.markdown.contains("w (and 1 more value, not shown here)"));
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
    for (format, name) in FORMATS {
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
    for (format, name) in FORMATS {
        let page = render(&made_up.0, &made_up.1, format, AnswerVisibility::Shown);
        println!(
            "{name}: {} bytes of HTML, {} of Markdown",
            page.html.len(),
            page.markdown.len()
        );
        assert!(page.html.len() < 300_000, "{name}: {}", page.html.len());
    }
}
