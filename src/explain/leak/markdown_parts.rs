//! Takes a page in Markdown apart, by what its writer promises: a program stands in a fence, the model's words in a quote,
//! a table's lines begin with `|`, a line begins as only the writer begins it. Text from outside stands behind such a
//! beginning, on one line, with every sign escaped that could make another; `tests` hold the writer to it.

use super::parts::{Part, Placed, TablePart};

/// The parts of a page.
pub(super) fn parts(markdown: &str) -> Vec<Placed> {
    let mut parts: Vec<Placed> = Vec::new();
    let mut fence: Option<String> = None;
    let mut before = "";
    let mut in_facts = false;
    for (index, text) in markdown.lines().enumerate() {
        let line = index + 1;
        if let Some(open) = &fence {
            if text == open.as_str() {
                fence = None;
            } else if let Some(Part::Program(program)) = parts.last_mut().map(|placed| &mut placed.part) {
                program.push_str(text);
                program.push('\n');
            }
            continue;
        }
        in_facts &= !text.is_empty();
        let part = if index == 0 {
            head(text, &["Statement: ", "Question: "])
        } else if index == 1 && !text.is_empty() {
            head(text, &["Table: "])
        } else if text.starts_with("```") {
            fence = Some("`".repeat(text.chars().take_while(|c| *c == '`').count()));
            Some(Part::Program(String::new()))
        } else if text.starts_with('|') {
            row(&mut parts, text, before)
        } else if let Some(said) = text.strip_prefix('>') {
            let said = unescaped(said);
            match parts.last_mut() {
                // What a line of a quote ends with may go on in the next.
                Some(Placed {
                    part: Part::Said(all), ..
                }) if before.starts_with('>') => {
                    all.push('\n');
                    all.push_str(&said);
                    None
                }
                _ => Some(Part::Said(said)),
            }
        } else if text.is_empty() {
            None
        } else if text == "Facts:" {
            in_facts = true;
            None
        } else if in_facts {
            let fact = numbered(text, ". ").map(|(number, text)| Part::Fact { number, text });
            Some(fact.unwrap_or_else(|| Part::Line(unescaped(text))))
        } else if let Some(step) = text.strip_prefix("### Step ") {
            let step = numbered(step, ": ").map(|(number, words)| Part::Step { number, words });
            Some(step.unwrap_or_else(|| Part::Line(unescaped(text))))
        } else if let Some(answer) = text.strip_prefix("Answer: ") {
            Some(Part::Answer(unescaped(answer)))
        } else {
            Some(Part::Line(unescaped(text)))
        };
        parts.extend(part.map(|part| Placed { line, part }));
        before = text;
    }
    parts
}

fn head(text: &str, labels: &[&str]) -> Option<Part> {
    let head = labels.iter().find_map(|label| text.strip_prefix(label));
    Some(head.map_or_else(|| Part::Line(unescaped(text)), |head| Part::Head(unescaped(head))))
}

/// `12. text` or `12: text`; a number alone has no text.
fn numbered(text: &str, between: &str) -> Option<(usize, String)> {
    let (number, rest) = text.split_once(between).unwrap_or((text, ""));
    Some((number.parse().ok()?, unescaped(rest)))
}

/// Adds a row to the table above, or begins one.
fn row(parts: &mut [Placed], text: &str, before: &str) -> Option<Part> {
    let cells = raw_cells(text);
    match parts.last_mut() {
        Some(Placed {
            part: Part::Table(table),
            ..
        }) if before.starts_with('|') => {
            if text.starts_with("|-|") {
                return None;
            }
            if let Some(words) = text.strip_prefix("|…|") {
                table.is_cut = true;
                return Some(Part::Line(unescaped(words.trim_end_matches('|'))));
            }
            table.rows.push(cells.iter().map(|cell| cell_text(cell)).collect());
            None
        }
        // After a line that says what is left out, the table goes on.
        Some(_) if before.starts_with("|…|") => {
            let table = parts.iter_mut().rev().find_map(|placed| match &mut placed.part {
                Part::Table(table) => Some(table),
                _ => None,
            });
            if let Some(table) = table {
                table.rows.push(cells.iter().map(|cell| cell_text(cell)).collect());
            }
            None
        }
        _ => {
            let caption = before.strip_prefix("Result. ").unwrap_or(before);
            Some(Part::Table(TablePart {
                caption: unescaped(caption.trim_end_matches(':')),
                header: cells.iter().map(|cell| header_text(cell)).collect(),
                is_cut: cells.iter().any(|cell| cell.starts_with("… ")),
                rows: Vec::new(),
            }))
        }
    }
}

/// The cells of a row as they are written, without the number in front.
fn raw_cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_escaped = false;
    for character in line.chars() {
        if character == '|' && !is_escaped {
            cells.push(String::new());
        } else if let Some(cell) = cells.last_mut() {
            cell.push(character);
        }
        is_escaped = character == '\\' && !is_escaped;
    }
    // Before the first and after the last bar there is nothing; then comes the row's number.
    let count = cells.len().saturating_sub(3);
    cells.into_iter().skip(2).take(count).collect()
}

/// A cell without its mark.
fn cell_text(raw: &str) -> Option<String> {
    let bare = raw
        .strip_prefix("[[")
        .and_then(|rest| rest.strip_suffix("]]"))
        .unwrap_or(raw);
    (bare != "_NULL_").then(|| unescaped(bare))
}

/// A header without its marks, of which `*order` is a word.
fn header_text(raw: &str) -> String {
    let bare = raw.strip_suffix('-').unwrap_or(raw);
    let bare = bare.strip_suffix('+').unwrap_or(bare);
    let is_escaped = |rest: &str| rest.chars().rev().take_while(|c| *c == '\\').count() % 2 == 1;
    for mark in ["*order", "*"] {
        if let Some(rest) = bare.strip_suffix(mark).filter(|rest| !is_escaped(rest)) {
            return unescaped(rest);
        }
    }
    unescaped(raw)
}

/// Markdown back to text: the inverse of the writer's escaping.
pub(super) fn unescaped(text: &str) -> String {
    let mut rest = text.trim();
    if !rest.contains(['\\', '<', '&']) {
        return rest.to_owned();
    }
    let mut plain = String::with_capacity(rest.len());
    while let Some(character) = rest.chars().next() {
        const WRITTEN: [(&str, &str); 3] = [("<br>", "\n"), ("&lt;", "<"), ("&amp;", "&")];
        if let Some((written, read)) = WRITTEN.iter().find(|(written, _)| rest.starts_with(written)) {
            plain.push_str(read);
            rest = &rest[written.len()..];
            continue;
        }
        rest = &rest[character.len_utf8()..];
        match (character, rest.chars().next()) {
            ('\\', Some(escaped)) => {
                plain.push(escaped);
                rest = &rest[escaped.len_utf8()..];
            }
            _ => plain.push(character),
        }
    }
    plain
}
