//! The sections on the pages that were shown and on what the calls took.

use crate::report::analysis::Analysis;
use crate::report::flags::counted;
use crate::report::quantities::Proportion;
use crate::stats::Stat;

use super::view::{Block, CellView, Section, TableView, dollars, short};

/// What the pages are like, if there are any.
pub(super) fn pages(analysis: &Analysis) -> Option<Section> {
    if analysis.pages.is_empty() {
        return None;
    }
    let mut table = TableView::new(
        "",
        &[
            "arm",
            "answer",
            "#pages",
            "#steps a page",
            "#steps with marks",
            "#marks not exact",
            "#answer not from the steps",
            "#places withheld a page",
            "#tells what it must not",
            "#kB of HTML",
            "#kB of text",
        ],
    );
    let kilobytes = |bytes: f64| format!("{:.1}", bytes / 1000.0);
    let guessed = |tokens: &Stat<f64>| {
        tokens
            .as_ref()
            .map_or_else(|_| String::new(), |tokens| format!("about {tokens:.0} tokens"))
    };
    for pages in &analysis.pages {
        let alarm = |proportion: &Proportion| {
            let cell = CellView::part(proportion);
            if proportion.successes > 0 {
                cell.class("number bad")
            } else {
                cell
            }
        };
        table.rows.push(vec![
            CellView::head(&pages.arm),
            CellView::text(pages.answer.name()),
            CellView::count(pages.pages),
            CellView::figure(&pages.steps_per_page, short),
            CellView::part(&pages.steps_marked),
            CellView::part(&pages.steps_inexact),
            alarm(&pages.answer_not_from_steps),
            CellView::figure(&pages.places_withheld_per_page, short),
            alarm(&pages.leaking),
            CellView::figure(&pages.html_bytes_per_page, kilobytes).detail(guessed(&pages.html_tokens_per_page)),
            CellView::figure(&pages.markdown_bytes_per_page, kilobytes)
                .detail(guessed(&pages.markdown_tokens_per_page)),
        ]);
    }
    Some(Section {
        id: "pages",
        title: "The pages that were shown".to_owned(),
        intro: vec![
            "A page shows one answer in one way. Steps can mark the rows, columns and cells they used; where that could \
             not be traced exactly, the page says so."
                .to_owned(),
        ],
        terms: vec![
            ("steps with marks", "Steps on which at least one row, column or cell is marked."),
            ("answer not from the steps", "The steps end elsewhere; a fallback gave the answer that is shown."),
            (
                "places withheld",
                "Tables left out and texts replaced so that a page tells neither its withheld answer nor what made it.",
            ),
            (
                "tells what it must not",
                "Pages on which the leak check still finds the withheld answer, the gold answer or a name.",
            ),
            (
                "kB of HTML, kB of text",
                "Thousands of bytes a page, of the HTML that people read and of the Markdown that models read. Their tokens \
                 are guessed by one word rule, so that the same page has the same figure whatever model reads it.",
            ),
        ],
        blocks: vec![Block::Table(table)],
    })
}

/// Calls, tokens and cost, if any call was made.
pub(super) fn calls(analysis: &Analysis) -> Option<Section> {
    if analysis.calls.is_empty() {
        return None;
    }
    let mut table = TableView::new(
        "",
        &[
            "model",
            "purpose",
            "#calls",
            "#failed",
            "#tokens in",
            "#tokens out",
            "#cost",
        ],
    );
    let mut sums = [0_u64; 4];
    for call in &analysis.calls {
        let usage = &call.usage;
        let unsaid = match usage.without_usage {
            0 => String::new(),
            count => format!("{} not counted", counted(count, "call")),
        };
        let counts = [usage.calls, usage.failed, usage.input_tokens, usage.output_tokens];
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum += count;
        }
        table.rows.push(vec![
            CellView::head(&usage.model),
            CellView::text(&usage.purpose),
            CellView::count(usage.calls),
            CellView::count(usage.failed),
            CellView::count(usage.input_tokens).detail(&unsaid),
            CellView::count(usage.output_tokens).detail(&unsaid),
            CellView::figure(&call.cost, dollars),
        ]);
    }
    let mut total = vec![CellView::head("all"), CellView::default()];
    total.extend(sums.map(CellView::count));
    total.push(CellView::figure(&analysis.total_cost, dollars));
    table.rows.push(total);
    let mut blocks = vec![Block::Table(table)];
    if let Err(undefined) = &analysis.total_cost {
        blocks.push(Block::Text(format!(
            "The total cost is not known: {}.",
            undefined.reason
        )));
    }
    Some(Section {
        id: "calls",
        title: "Calls, tokens and cost".to_owned(),
        intro: vec![
            "Every call to a model that this run rests on, by model and purpose. Answers that were already stored count \
             as well; a price that is not known makes a cost unknown, never nothing."
                .to_owned(),
        ],
        terms: Vec::new(),
        blocks,
    })
}
