//! What an HTML file of this project allows a browser to load and run: its own style sheet and, where it has one, its
//! own script, each by its digest; pictures inside the file; nothing else. Text that slipped into the page as markup could
//! not run, load or send anything.

use std::sync::LazyLock;

use askama::Template;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

#[derive(Template)]
#[template(path = "page_style.css", escape = "none")]
struct PageStyle;

#[derive(Template)]
#[template(path = "imported_page_style.css", escape = "none")]
struct ImportedPageStyle;

#[derive(Template)]
#[template(path = "step_through.js", escape = "none")]
struct StepThroughScript;

#[derive(Template)]
#[template(path = "copy_script.js", escape = "none")]
struct CopyScript;

/// The script that a page runs. Without it the page says the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PageScript {
    /// None.
    None,
    /// Shows one step at a time.
    StepThrough,
    /// Copies the programs.
    Copy,
}

/// The policy of a page without a script.
static PLAIN_PAGE: LazyLock<String> = LazyLock::new(|| policy(&rendered(&PageStyle), None));

/// The policy of a page that can show its steps one at a time.
static STEP_THROUGH_PAGE: LazyLock<String> =
    LazyLock::new(|| policy(&rendered(&PageStyle), Some(&rendered(&StepThroughScript))));

/// The policy of a page with programs to copy.
static COPY_PAGE: LazyLock<String> = LazyLock::new(|| policy(&rendered(&PageStyle), Some(&rendered(&CopyScript))));

/// The policy of a page with an imported explanation, which never has a script.
static IMPORTED_PAGE: LazyLock<String> = LazyLock::new(|| policy(&rendered(&ImportedPageStyle), None));

/// The policy of a page about a trace.
pub(super) fn of_page(script: PageScript, is_imported: bool) -> &'static str {
    match script {
        PageScript::None if is_imported => &IMPORTED_PAGE,
        PageScript::None => &PLAIN_PAGE,
        PageScript::StepThrough => &STEP_THROUGH_PAGE,
        PageScript::Copy => &COPY_PAGE,
    }
}

/// A policy that allows this style sheet and this script alone; both exactly as they stand between their tags.
pub(crate) fn policy(style: &str, script: Option<&str>) -> String {
    let digest = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
    let script = script.map_or_else(|| "'none'".to_owned(), digest);
    format!(
        "default-src 'none'; style-src {}; script-src {script}; img-src data:; base-uri 'none'; form-action 'none'",
        digest(style)
    )
}

/// What a template without values gives; it calls nothing that could fail.
pub(crate) fn rendered(template: &impl Template) -> String {
    template.render().unwrap_or_default()
}
