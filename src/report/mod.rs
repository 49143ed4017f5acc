//! Judgments into an analysis, tables and a page.
