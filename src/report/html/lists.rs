//! Lists that are too long for the report, on pages of their own: a browser opens a report of 50,000 trials as fast as one
//! of 500, and reads the trials of one arm and judge only when they are asked for.

use askama::Template;

use crate::report::ReportError;

use super::REPORT;
use super::view::{Block, CellView, Folded, Parts, Section, TableView};

/// Rows of all lists together that the report itself holds.
const MOST_ROWS: usize = 2_000;
/// Where it holds more, lists of more rows than this have pages of their own.
const MOST_ROWS_OF_A_LIST: usize = 50;
/// Rows of one page.
const ROWS_OF_A_PAGE: usize = 5_000;

/// A list with pages of its own.
pub(super) struct List {
    folded: Folded,
}

/// One page of a list.
#[derive(Template)]
#[template(path = "report_list.html")]
struct ListPage<'a> {
    title: &'a str,
    report: &'a str,
    back: String,
    parts: Vec<(String, String, bool)>,
    table: TableView,
}

/// Takes the long lists out of a report that has too many rows, and leaves links in their places.
pub(super) fn take_out(sections: &mut [Section]) -> Vec<List> {
    let blocks = || sections.iter().flat_map(|section| &section.blocks);
    let rows: usize = blocks()
        .map(|block| match block {
            Block::Folded(folded) => folded.table.rows.len(),
            _ => 0,
        })
        .sum();
    let mut lists = Vec::new();
    if rows <= MOST_ROWS {
        return lists;
    }
    for block in sections.iter_mut().flat_map(|section| &mut section.blocks) {
        let Block::Folded(folded) = &*block else { continue };
        let rows = folded.table.rows.len();
        if rows <= MOST_ROWS_OF_A_LIST {
            continue;
        }
        let link = Block::Parts(Parts {
            id: folded.id.clone(),
            summary: folded.summary.clone(),
            pages: (0..parts(rows))
                .map(|part| (range(part, rows), path(&folded.id, part)))
                .collect(),
        });
        if let Block::Folded(folded) = std::mem::replace(block, link) {
            lists.push(List { folded });
        }
    }
    lists
}

fn parts(rows: usize) -> usize {
    rows.div_ceil(ROWS_OF_A_PAGE)
}

fn path(id: &str, part: usize) -> String {
    format!("lists/{id}-{}.html", part + 1)
}

/// `rows 1 to 5000`.
fn range(part: usize, rows: usize) -> String {
    let first = part * ROWS_OF_A_PAGE;
    format!("rows {} to {}", first + 1, rows.min(first + ROWS_OF_A_PAGE))
}

/// An address in the report, from one directory below it.
fn from_below(address: &str) -> String {
    match address {
        "" => String::new(),
        anchor if anchor.starts_with('#') => format!("../{REPORT}{anchor}"),
        path => format!("../{path}"),
    }
}

impl List {
    /// Its pages as (path relative to the run directory, bytes).
    pub(super) fn pages(self, report: &str) -> Result<Vec<(String, Vec<u8>)>, ReportError> {
        let Folded { id, summary, table } = self.folded;
        let TableView { caption, columns, rows } = table;
        let count = rows.len();
        let mut pages = Vec::new();
        let mut rest = rows.into_iter();
        for part in 0..parts(count) {
            let page = ListPage {
                title: &summary,
                report,
                back: format!("../{REPORT}#{id}"),
                parts: (0..parts(count))
                    .map(|other| {
                        let address = path(&id, other);
                        let name = address.strip_prefix("lists/").unwrap_or(&address).to_owned();
                        (range(other, count), name, other == part)
                    })
                    .collect(),
                table: TableView {
                    caption: caption.clone(),
                    columns: columns.clone(),
                    rows: rest.by_ref().take(ROWS_OF_A_PAGE).map(moved).collect(),
                },
            };
            let name = path(&id, part);
            let html = page.render().map_err(|error| ReportError::Page {
                name: name.clone(),
                message: error.to_string(),
            })?;
            pages.push((name, html.into_bytes()));
        }
        Ok(pages)
    }
}

/// A row whose links lead from one directory below the report.
fn moved(mut row: Vec<CellView>) -> Vec<CellView> {
    for cell in &mut row {
        cell.href = from_below(&cell.href);
        for (_, address) in &mut cell.links {
            *address = from_below(address);
        }
    }
    row
}
