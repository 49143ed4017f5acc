//! Lines that say of themselves that they are the verdict.

use regex::Regex;

use super::visible::announces_material;

/// A line with a marker such as `Verdict:`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Marked {
    /// What follows the marker, on its line or, when nothing does, on the next line that is not blank.
    pub(super) value: String,
    /// 2 when the marker says final or overall, else 1.
    pub(super) level: u8,
    /// Whether the marker announces a verdict and nothing else: it has a group `firm` that took part.
    pub(super) firm: bool,
    /// 0-based line of the marker.
    pub(super) line: usize,
    /// 0-based line of the value.
    pub(super) end_line: usize,
}

/// All marked lines, in order. A line that is quoted as a whole is none, nor is one under a line that announces what the
/// material says; nor is a marker within a line, where it is spoken about.
pub(super) fn marked(lines: &[String], marker: &Regex) -> Vec<Marked> {
    let mut found = Vec::new();
    for (line, text) in lines.iter().enumerate() {
        let bare = undecorated(text);
        let Some(captures) = marker.captures(bare) else {
            continue;
        };
        let Some(whole) = captures.get(0) else {
            continue;
        };
        let quotes_itself = text.trim_start().starts_with(['"', '\'', '\u{201c}']) && !is_key(whole.as_str());
        let heading = lines[..line].iter().rev().find(|above| !above.trim().is_empty());
        if quotes_itself || heading.is_some_and(|heading| announces_material(heading)) {
            continue;
        }
        let level = if captures.name("final").or(captures.name("alone")).is_some() {
            2
        } else {
            1
        };
        let value = without_closing(bare[whole.end()..].trim(), &text[..text.len() - bare.len()]);
        let (value, end_line) = if value.is_empty() {
            lines[line + 1..]
                .iter()
                .position(|next| !next.trim().is_empty())
                .map(|offset| line + 1 + offset)
                .filter(|&next| !marker.is_match(undecorated(&lines[next])))
                .map_or((String::new(), line), |next| (lines[next].trim().to_owned(), next))
        } else {
            (value.to_owned(), line)
        };
        found.push(Marked {
            value,
            level,
            firm: captures.name("firm").is_some(),
            line,
            end_line,
        });
    }
    found
}

/// A value without the emphasis that opened before its marker and closes after it: `4**` of `**Answer: 4**`.
fn without_closing<'a>(value: &'a str, decoration: &str) -> &'a str {
    ["**", "__", "*", "_", "`"]
        .iter()
        .find(|sign| decoration.ends_with(*sign))
        .and_then(|sign| value.strip_suffix(sign).filter(|inner| !inner.contains(sign)))
        .map_or(value, str::trim_end)
}

/// Whether a marker is the key of a JSON object: `"verdict":`.
fn is_key(marker: &str) -> bool {
    marker.matches('"').count() == 2 || marker.matches('\'').count() == 2
}

fn is_decoration(c: char) -> bool {
    c.is_whitespace() || matches!(c, '*' | '_' | '`' | '#')
}

/// A line without what lists, headings and emphasis put before its first word.
fn undecorated(line: &str) -> &str {
    let bare =
        line.trim_start_matches(|c: char| is_decoration(c) || matches!(c, '-' | '•' | '+' | '{' | '|' | '[' | '('));
    let digits = bare.len() - bare.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let unnumbered = bare[digits..]
        .strip_prefix(['.', ')'])
        .filter(|_| (1..=2).contains(&digits));
    unnumbered.unwrap_or(bare).trim_start_matches(is_decoration)
}
