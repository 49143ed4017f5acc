//! A page as one HTML5 document: askama's templates over the view, every value escaped by them.

use askama::Template;

use super::content_policy::PageScript;
use super::imported::view::ImportedPart;
use super::marked_table::{Line, Slot};
use super::sql_script::Script;
use super::view::{AnswerView, PageView, Rationale, ResultView};

#[derive(Template)]
#[template(path = "page.html")]
struct PageTemplate<'a> {
    view: &'a PageView,
}

/// Writes the document.
pub(super) fn write(view: &PageView) -> String {
    // Writing to a string cannot fail, and the template calls nothing that does.
    PageTemplate { view }.render().unwrap_or_default()
}
