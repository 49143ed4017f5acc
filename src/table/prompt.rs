//! The text forms of a table that prompts use.
