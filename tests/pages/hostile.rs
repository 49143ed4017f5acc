//! Pages of texts that try to leave their place.

use proptest::prelude::*;
use scraper::Html;
use tabjury::explain::{AnswerVisibility, Format, render};

use crate::traces::{self, HOSTILE};
use crate::{all_pages, chain, select, text};

#[test]
fn hostile_text_stays_text_in_html() {
    let (sample, trace) = traces::hostile();
    let page = render(&sample, &trace, Format::AttributionChain, AnswerVisibility::Shown);
    let document = Html::parse_document(&page.html);
    let cells: Vec<String> = select(&document, "[aria-labelledby=step-1] > .scroll:first-of-type td")
        .into_iter()
        .map(|cell| text(cell).trim_start_matches("✓meets the condition: ").to_owned())
        .collect();
    let expected = |index: usize| match index {
        1 => "NULL".to_owned(),
        5 => "nul⟨U+0000⟩ bell⟨U+0007⟩ escape⟨U+001B⟩[31m".to_owned(),
        6 => "over⟨U+202E⟩ride ⟨U+2066⟩isolate".to_owned(),
        11 => "http://example.org/ ⟨U+FFFF⟩ ⟨U+E0041⟩".to_owned(),
        _ => HOSTILE[index].to_owned(),
    };
    assert_eq!(cells, (0..HOSTILE.len()).map(expected).collect::<Vec<_>>());
    let right_to_left = select(&document, "td[dir=auto]");
    assert!(!right_to_left.is_empty() && right_to_left.iter().all(|cell| text(*cell).contains("مرحبا")));
    for (name, page) in all_pages() {
        for raw in ["\0", "\u{202e}", "\u{2066}", "<script>alert", "<b>", "<!-- "] {
            assert!(!page.html.contains(raw), "{name}: {raw:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_stays_in_its_cell(cell in "[\\PC\\x00-\\x1f<>&|`*_~\\[\\]\\\\#\"'{}!\u{202e}\u{fffe}]{0,24}") {
        let (mut sample, mut trace) = traces::lighthouses();
        sample.table.rows[0][1] = Some(cell.clone());
        sample.question = cell.clone();
        trace.steps[0].description = Some(format!("See {cell} here"));
        let page = chain(&(sample, trace));
        let document = Html::parse_document(&page.html);
        prop_assert!(document.errors.is_empty(), "{:?}", document.errors);
        prop_assert_eq!(select(&document, "[aria-labelledby=step-1] td").len(), 24);
        let line = page.markdown.lines().find(|line| line.starts_with("|1*|Morrow Point|[[")).unwrap();
        prop_assert!(line.ends_with("]]|34|A. Quill|"), "{}", line);
        let bars = line.replace("\\\\", "").replace("\\|", "").matches('|').count();
        prop_assert_eq!(bars, 6, "{}", line);
        let inside = &line["|1*|Morrow Point|[[".len()..line.len() - "]]|34|A. Quill|".len()];
        prop_assert!(!inside.contains("[[") && !inside.contains("]]"), "{}", line);
        prop_assert_eq!(page.markdown.lines().filter(|line| line.starts_with("### ")).count(), 3);
    }
}

#[test]
fn hostile_text_stays_in_its_line_in_markdown() {
    let (sample, trace) = traces::hostile();
    for format in Format::ALL {
        let name = format.name();
        let page = render(&sample, &trace, format, AnswerVisibility::Withheld);
        let mut fence: Option<&str> = None;
        let mut headings = 0;
        for line in page.markdown.lines() {
            match fence {
                Some(open) if line == open => fence = None,
                Some(_) => {}
                None if line.starts_with("```") => fence = Some(line.trim_end_matches("sql")),
                None => {
                    headings += usize::from(line.starts_with("### Step"));
                    assert!(
                        !line.starts_with("### Step 9") && !line.starts_with("|---"),
                        "{name}: {line}"
                    );
                    assert!(!line.contains("<script") && !line.contains("</td"), "{name}: {line}");
                    assert!(!line.contains("[[forged"), "{name}: {line}");
                    if line.starts_with("Answer") {
                        assert_eq!(line, "Answer: withheld", "{name}");
                    }
                    if line.starts_with('|') && !line.starts_with("|-") {
                        let bars = line.replace("\\\\", "").replace("\\|", "").matches('|').count();
                        assert_eq!(bars, 5, "{name}: {line}");
                    }
                }
            }
        }
        assert_eq!(fence, None, "{name}");
        // Facts are told as a list.
        let expected = if format == Format::Facts { 0 } else { page.facts.steps };
        assert_eq!(headings, expected, "{name}");
    }
}
