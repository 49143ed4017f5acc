//! Pages: what they show, what they withhold, that they are valid, self-contained, blind and safe.

#![allow(clippy::unwrap_used, reason = "what a test builds or finds has to be there")]

#[path = "pages/corpus.rs"]
mod corpus;
#[path = "pages/hostile.rs"]
mod hostile;
#[path = "pages/large.rs"]
mod large;
#[path = "pages/script.rs"]
mod script;
mod support;
#[path = "pages/traces.rs"]
mod traces;
#[path = "pages/withheld.rs"]
mod withheld;

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use scraper::{ElementRef, Html, Selector};
use sha2::{Digest, Sha256};
use tabjury::dataset::{QuestionKind, Sample};
use tabjury::explain::{AnswerVisibility, Format, Page, render};
use tabjury::trace::lineage::{Exactness, Reading};
use tabjury::trace::{AnswerFailure, AnswerSource, Lineage, Trace};

use traces::SECRET_NAMES;

type MadeUp = (&'static str, (Sample, Trace));

fn all_made_up() -> Vec<MadeUp> {
    vec![
        ("lighthouses", traces::lighthouses()),
        ("ferries", traces::ferries()),
        ("fallback", traces::fallback()),
        ("own_words", traces::own_words()),
        ("hostile", traces::hostile()),
        ("long", traces::long(150)),
    ]
}

/// Every made-up trace in every format, shown and withheld, under a name.
fn all_pages() -> Vec<(String, Page)> {
    let mut pages = Vec::new();
    for (name, (sample, trace)) in all_made_up() {
        for format in Format::ALL {
            for visibility in AnswerVisibility::ALL {
                pages.push((
                    format!("{name}_{}_{}", format.name(), visibility.name()),
                    render(&sample, &trace, format, visibility),
                ));
            }
        }
    }
    pages
}

fn chain(made_up: &(Sample, Trace)) -> Page {
    render(
        &made_up.0,
        &made_up.1,
        Format::AttributionChain,
        AnswerVisibility::Shown,
    )
}

fn select<'a>(document: &'a Html, selector: &str) -> Vec<ElementRef<'a>> {
    document.select(&Selector::parse(selector).unwrap()).collect()
}

fn text(element: ElementRef<'_>) -> String {
    element.text().collect()
}

#[test]
fn pages_look_as_they_did() {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (name, page) in all_pages() {
            let starts_as = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
            // The rest would say the same twice, and nothing of these was imported.
            if name.contains("_imported_") {
                continue;
            }
            if starts_as(&[
                "lighthouses_attribution_chain",
                "lighthouses_step_through",
                "lighthouses_function_chain_shown",
                "lighthouses_facts_shown",
                "ferries_program_listing",
                "own_words_free_text",
                "own_words_none",
                "fallback_attribution_chain_shown",
                "hostile_attribution_chain_shown",
            ]) {
                insta::assert_snapshot!(format!("page_{name}_html"), without_style_and_script(&page.html));
            }
            if starts_as(&[
                "lighthouses_",
                "ferries_attribution_chain",
                "ferries_program_listing",
                "fallback_attribution_chain",
                "ferries_function_chain",
                "ferries_facts",
                "fallback_facts_shown",
                "fallback_program_listing_shown",
                "own_words_",
                "hostile_attribution_chain_shown",
                "hostile_free_text_withheld",
                "long_attribution_chain_shown",
            ]) {
                insta::assert_snapshot!(format!("page_{name}_markdown"), page.markdown);
            }
        }
    });
}

/// A page without what every page has: its style, its script and their digests.
fn without_style_and_script(html: &str) -> String {
    let mut kept = html.to_owned();
    for (from, to) in [("<style>", "</style>"), ("<script>", "</script>"), ("http-equiv=", ">")] {
        if let Some((before, rest)) = kept.split_once(from) {
            let (_, after) = rest.split_once(to).unwrap();
            kept = format!("{before}{from}…{to}{after}");
        }
    }
    kept
}

#[test]
fn html_parses_without_an_error() {
    for (name, page) in all_pages() {
        let document = Html::parse_document(&page.html);
        assert!(document.errors.is_empty(), "{name}: {:?}", document.errors);
        assert_eq!(select(&document, "html[lang] > head > title").len(), 1, "{name}");
        assert_eq!(select(&document, "head > meta[charset='utf-8']").len(), 1, "{name}");
        assert_eq!(select(&document, "head > meta[name=viewport]").len(), 1, "{name}");
        assert_eq!(select(&document, "h1").len(), 1, "{name}");
    }
}

#[test]
fn html_needs_nothing_else() {
    for (name, page) in all_pages() {
        let document = Html::parse_document(&page.html);
        let reaching_out = "link, img, iframe, object, embed, base, form, a:not(.skip), audio, video, svg, [src], \
                            [href]:not(.skip), [srcset], [style], [action], [onclick], [onmouseover], [onload], \
                            body script ~ *";
        assert!(select(&document, reaching_out).is_empty(), "{name}");
        let links: Vec<_> = select(&document, "a").iter().map(|link| link.attr("href")).collect();
        assert_eq!(links, [Some("#answer")], "{name}");
        for style in select(&document, "style") {
            let style = text(style);
            for reach in ["url(", "@import", "@font-face", "http", "<"] {
                assert!(!style.contains(reach), "{name}: {reach} in the style");
            }
        }
    }
}

/// The policy allows the page's own style and script by their digests, and nothing else.
#[test]
fn the_content_policy_allows_the_page_itself_alone() {
    let digest = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
    for (name, page) in all_pages() {
        let document = Html::parse_document(&page.html);
        let policies = select(&document, "meta[http-equiv]");
        assert_eq!(policies.len(), 1, "{name}");
        assert_eq!(
            policies[0].attr("http-equiv"),
            Some("Content-Security-Policy"),
            "{name}"
        );
        let styles = select(&document, "style");
        let scripts = select(&document, "script");
        assert_eq!((styles.len(), scripts.len() <= 1), (1, true), "{name}");
        let script = scripts
            .first()
            .map_or_else(|| "'none'".to_owned(), |script| digest(&text(*script)));
        let expected = format!(
            "default-src 'none'; style-src {}; script-src {script}; img-src data:; base-uri 'none'; form-action 'none'",
            digest(&text(styles[0]))
        );
        assert_eq!(policies[0].attr("content"), Some(expected.as_str()), "{name}");
    }
}

#[test]
fn header_cells_are_header_cells_and_ids_are_unique() {
    for (name, page) in all_pages() {
        let document = Html::parse_document(&page.html);
        for header in select(&document, "th") {
            assert!(header.attr("scope").is_some(), "{name}: {}", header.html());
        }
        for cell in select(&document, "thead tr > *") {
            assert_eq!((cell.value().name(), cell.attr("scope")), ("th", Some("col")), "{name}");
        }
        for row in select(&document, "tbody tr:not(.gap)") {
            let first = row.child_elements().next().unwrap();
            assert_eq!(
                (first.value().name(), first.attr("scope")),
                ("th", Some("row")),
                "{name}"
            );
        }
        for table in select(&document, "table") {
            let width = select_in(table, "thead th").len();
            for row in select_in(table, "tbody tr:not(.gap)") {
                assert_eq!(row.child_elements().count(), width, "{name}");
            }
        }
        let ids: Vec<&str> = select(&document, "[id]").iter().filter_map(|e| e.attr("id")).collect();
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{name}: {ids:?}");
        for labelled in select(&document, "[aria-labelledby]") {
            assert!(ids.contains(&labelled.attr("aria-labelledby").unwrap()), "{name}");
        }
    }
}

fn select_in<'a>(element: ElementRef<'a>, selector: &str) -> Vec<ElementRef<'a>> {
    element.select(&Selector::parse(selector).unwrap()).collect()
}

#[test]
fn marks_are_those_of_the_lineage() {
    for (name, made_up) in all_made_up() {
        let page = chain(&made_up);
        let document = Html::parse_document(&page.html);
        for (index, step) in made_up.1.steps.iter().enumerate() {
            let Some(lineage) = &step.lineage else { continue };
            let heading = format!("[aria-labelledby=step-{}] > .scroll:first-of-type table", index + 1);
            let table = select(&document, &heading)[0];
            let used: BTreeSet<usize> = row_numbers(&select_in(table, "tr.used > th"));
            let expected: BTreeSet<usize> = lineage.rows.iter().map(|row| row + 1).collect();
            assert_eq!(used, expected, "{name}, step {}", index + 1);
            let columns: BTreeSet<usize> = lineage.columns.iter().chain(&lineage.order_columns).copied().collect();
            assert_eq!(
                select_in(table, "thead th.read").len(),
                columns.len(),
                "{name}, step {}",
                index + 1
            );
            assert_eq!(
                select_in(table, "td.met").len(),
                lineage.condition_cells.len(),
                "{name}, step {}",
                index + 1
            );
        }
        assert_eq!(page.facts.steps, made_up.1.steps.len(), "{name}");
    }
}

/// The numbers that begin the row headers.
fn row_numbers(headers: &[ElementRef<'_>]) -> BTreeSet<usize> {
    headers
        .iter()
        .map(|header| {
            text(*header)
                .chars()
                .take_while(char::is_ascii_digit)
                .collect::<String>()
        })
        .map(|number| number.parse().unwrap())
        .collect()
}

/// Relative luminance of an `#rrggbb` or `#rgb` colour (WCAG 2.2).
fn luminance(colour: &str) -> f64 {
    let digits: String = match colour.trim_start_matches('#') {
        short if short.len() == 3 => short.chars().flat_map(|digit| [digit, digit]).collect(),
        long => long.to_owned(),
    };
    let channel = |start: usize| {
        let value = f64::from(u8::from_str_radix(&digits[start..start + 2], 16).unwrap()) / 255.0;
        if value <= 0.04045 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    };
    0.2126 * channel(0) + 0.7152 * channel(2) + 0.0722 * channel(4)
}

#[test]
fn text_has_contrast_in_the_light_and_the_dark_scheme() {
    let page = chain(&traces::lighthouses());
    let style = text(select(&Html::parse_document(&page.html), "style")[0]);
    let mut colours = BTreeMap::new();
    let (light, dark): (Vec<&str>, Vec<&str>) = style
        .lines()
        .filter(|line| line.contains(":root{") && !line.contains("print"))
        .partition(|line| line.starts_with(":root"));
    for (scheme, lines) in [("light", light), ("dark", dark)] {
        assert_eq!(lines.len(), 2, "one of style.css, one of marks.css");
        for declaration in lines.iter().flat_map(|line| line.split(['{', ';', '}'])) {
            if let Some((name, colour)) = declaration.split_once(":#") {
                colours.insert(name, luminance(colour));
            }
        }
        let pairs = [
            ("--ink", "--paper"),
            ("--ink", "--page"),
            ("--ink", "--band"),
            ("--quiet", "--paper"),
            ("--quiet", "--page"),
            ("--quiet", "--band"),
            ("--accent", "--paper"),
            ("--notice-ink", "--notice"),
            ("--marked-ink", "--row"),
            ("--marked-ink", "--column"),
            ("--marked-ink", "--both"),
            ("--marked-ink", "--met"),
            ("--keyword", "--band"),
            ("--text", "--band"),
            ("--figure", "--band"),
        ];
        for (front, back) in pairs {
            let (one, other) = (colours[front] + 0.05, colours[back] + 0.05);
            let contrast = one.max(other) / one.min(other);
            assert!(contrast >= 4.5, "{scheme}: {front} on {back} is {contrast:.2}");
        }
    }
    assert!(style.contains("--met:#90ee90"));
}

#[test]
fn no_mark_relies_on_colour() {
    let document = Html::parse_document(&chain(&traces::lighthouses()).html);
    for header in select(&document, "tr.used > th") {
        assert!(text(header).contains("▸ used"));
    }
    for header in select(&document, "thead th.read") {
        assert!(text(header).contains("▾ used"));
    }
    let met = select(&document, "td.met");
    assert!(!met.is_empty());
    for cell in met {
        assert!(text(cell).starts_with("✓meets the condition: "));
    }
    assert_eq!(
        select(&document, "aside.legend li").len(),
        5,
        "used, read, met, new, origin"
    );
}

#[test]
fn a_chain_shows_the_first_table_once_and_every_word() {
    let (sample, mut trace) = traces::lighthouses();
    let long_words = format!("Select: rows: {}", "where this and that: ".repeat(60));
    trace.steps[0].description = Some(long_words.clone());
    let page = chain(&(sample, trace));
    assert_eq!(
        page.html.matches("Cape Ferrow").count(),
        2,
        "the table, and the one after step 1"
    );
    assert!(page.html.contains(long_words.trim()));
    assert!(page.markdown.contains(long_words.trim()));
    assert!(page.html.contains("It comes from the last step’s table."));
}

#[test]
fn rows_are_counted_in_their_own_table_and_traced_to_the_first() {
    let document = Html::parse_document(&chain(&traces::lighthouses()).html);
    let second = select(&document, "[aria-labelledby=step-2] tbody th");
    assert_eq!(text(second[2]), "3 (4)▸ used");
    assert_eq!(
        select_in(second[2], "small")[0].attr("title"),
        Some("row 4 of the first table")
    );
}

#[test]
fn a_fallback_is_said_where_it_cannot_be_missed() {
    let (sample, trace) = traces::fallback();
    for visibility in AnswerVisibility::ALL {
        for format in [Format::AttributionChain, Format::ProgramListing] {
            let page = render(&sample, &trace, format, visibility);
            let said = "The steps above did not produce this answer; the model answered without them.";
            let document = Html::parse_document(&page.html);
            let notices: Vec<String> = select(&document, ".answer .notice").into_iter().map(text).collect();
            assert_eq!(notices.len(), 1);
            assert!(notices[0].contains(said));
            assert!(page.markdown.contains(said));
            assert!(page.facts.answer_not_from_steps);
            assert!(page.html.contains("This step failed."));
            assert!(page.html.contains("no such column: tower"));
        }
    }
    let (sample, trace) = traces::lighthouses();
    let page = render(&sample, &trace, Format::AttributionChain, AnswerVisibility::Shown);
    assert!(!page.facts.answer_not_from_steps);
    assert!(!page.html.contains("did not produce"));
}

#[test]
fn an_empty_result_says_what_was_examined() {
    let page = chain(&traces::fallback());
    let said = "No row matches: all 6 rows were examined in the column “Keeper”, and none meets the condition. The \
                result has no rows.";
    assert!(page.html.contains(said), "{}", page.markdown);
    assert!(page.markdown.contains(said));
    assert_eq!(page.facts.steps_marked, 2);
}

#[test]
fn what_could_not_be_traced_is_said() {
    let (sample, mut trace) = traces::lighthouses();
    let inexact = Exactness::AtLeast {
        reason: "a recursive query".to_owned(),
    };
    trace.steps[0].lineage.as_mut().unwrap().exactness = inexact.clone();
    let nothing = traces::kept(&[], &[], &[], &[]);
    trace.steps[1].lineage = Some(Lineage {
        exactness: inexact,
        ..nothing.clone()
    });
    trace.steps[2].lineage = Some(Lineage {
        reading: Reading::NoTable,
        ..nothing
    });
    let page = chain(&(sample, trace));
    for said in [
        "At least these rows and columns were used; not everything could be traced: a recursive query.",
        "What this step used could not be traced: a recursive query.",
        "This step reads no table: its result would be the same for any table.",
    ] {
        assert!(page.html.contains(said), "{said}");
        assert!(page.markdown.contains(said), "{said}");
    }
    assert_eq!((page.facts.steps_inexact, page.facts.steps_marked), (2, 1));
}

#[test]
fn a_step_without_words_is_told_from_what_it_did() {
    let page = chain(&traces::ferries());
    let said = "The program reads the columns “Ferry”, “Line” and “Passengers”, keeps 1 of 4 rows, compares with 2 \
                other rows and orders by “Passengers”.";
    assert!(page.html.contains(said), "{}", page.markdown);
    assert!(page.html.contains("<span class=\"sql-keyword\">ORDER</span>"));
    assert!(!chain(&traces::lighthouses()).html.contains("<pre>"));

    let (sample, mut trace) = traces::lighthouses();
    trace.steps[2].description = None;
    trace.steps[2].lineage.as_mut().unwrap().witness_rows = vec![1];
    let page = chain(&(sample.clone(), trace.clone()));
    assert!(
        page.html
            .contains("The program uses all 2 rows and computes “verification_result”.")
    );
    assert!(page.html.contains("▸ used ★") && page.markdown.contains("|2(4)*!|"));
    trace.tables[3] = traces::table(&["CASE WHEN COUNT(*) = 2 THEN 'TRUE' ELSE 'FALSE' END"], &[&["TRUE"]]);
    let page = chain(&(sample, trace));
    assert!(
        page.html
            .contains("The program uses all 2 rows and computes a new column.")
    );
}

#[test]
fn the_control_without_its_answer_is_the_same_whoever_answered() {
    let (sample, one) = traces::lighthouses();
    let (_, other) = traces::fallback();
    let mut none = one.clone();
    none.answer = None;
    none.answer_source = None;
    none.failure = Some(AnswerFailure::Truncated);
    let page = |trace: &Trace| render(&sample, trace, Format::None, AnswerVisibility::Withheld);
    assert_eq!(page(&one), page(&other));
    assert_eq!(page(&one), page(&none));
    let shown = render(&sample, &other, Format::None, AnswerVisibility::Shown);
    assert!(shown.markdown.ends_with("\nAnswer: FALSE\n"));
    assert!(!shown.facts.answer_not_from_steps);
}

#[test]
fn every_format_has_the_same_head_and_first_table() {
    for (name, (sample, trace)) in all_made_up() {
        let pages: Vec<Html> = Format::ALL
            .into_iter()
            .map(|format| Html::parse_document(&render(&sample, &trace, format, AnswerVisibility::Shown).html))
            .collect();
        let head = |page: &Html| (text(select(page, "title")[0]), select(page, "header")[0].html());
        let cells = |page: &Html| -> Vec<String> {
            let last_table_of_first = select(
                page,
                "section:first-of-type > .scroll, section:first-of-type > details > .scroll",
            );
            let whole = last_table_of_first
                .iter()
                .rev()
                .find(|table| text(**table).contains("The table"))
                .unwrap();
            select_in(*whole, "td")
                .into_iter()
                .map(|cell| text(cell).trim_start_matches("✓meets the condition: ").to_owned())
                .collect()
        };
        for page in &pages {
            assert_eq!(head(page), head(&pages[Format::ALL.len() - 1]), "{name}");
            assert_eq!(cells(page), cells(&pages[Format::ALL.len() - 1]), "{name}");
        }
    }
}

#[test]
fn pages_name_no_arm_method_or_model() {
    let mut made_up = all_made_up();
    for failure in [
        AnswerFailure::Refused {
            message: format!("I am {}", SECRET_NAMES[1]),
        },
        AnswerFailure::Call {
            error: serde_json::from_value(
                serde_json::json!({ "kind": "too_long", "model": SECRET_NAMES[1], "message": SECRET_NAMES[1] }),
            )
            .unwrap(),
        },
    ] {
        let (sample, mut trace) = traces::fallback();
        trace.fallback_reason = Some(failure.clone());
        made_up.push(("fallback after failure", (sample.clone(), trace.clone())));
        trace.answer = None;
        trace.answer_source = None;
        trace.failure = Some(failure);
        made_up.push(("no answer", (sample, trace)));
    }
    for (name, (sample, trace)) in made_up {
        for format in Format::ALL {
            for visibility in AnswerVisibility::ALL {
                let page = render(&sample, &trace, format, visibility);
                for secret in SECRET_NAMES.iter().chain(&["tabjury", "Plan-of-SQLs", "Text-to-SQL"]) {
                    assert!(!page.html.contains(secret), "{name}: {secret}");
                    assert!(!page.markdown.contains(secret), "{name}: {secret}");
                }
            }
        }
    }
}

#[test]
fn a_long_table_says_what_it_leaves_out() {
    let made_up = traces::long(150);
    let page = chain(&made_up);
    let document = Html::parse_document(&page.html);
    let glance = select(&document, ".step > .scroll:first-of-type table")[0];
    let shown = select_in(glance, "tbody tr:not(.gap)").len();
    let left_out: usize = select_in(glance, "tr.gap")
        .into_iter()
        .map(|gap| text(gap).split(' ').next().unwrap().parse::<usize>().unwrap())
        .sum();
    assert_eq!(shown + left_out, 150);
    assert!(shown < 20);
    let whole = select(&document, ".step > details table")[0];
    assert_eq!(select_in(whole, "tbody tr").len(), 150);
    assert!(page.markdown.contains("|150|"));
    assert!(!page.markdown.contains("not shown"));

    let huge = chain(&traces::long(3000));
    assert!(huge.html.len() < 60_000 && huge.html.contains("not shown"));
    assert!(huge.markdown.contains("rows not shown"));
    let control = |rows| {
        let (sample, trace) = traces::long(rows);
        render(&sample, &trace, Format::None, AnswerVisibility::Withheld)
    };
    assert!(control(3000).markdown.contains("2940 rows not shown"));
}

#[test]
fn a_trace_that_does_not_fit_together_still_gives_a_page() {
    let (sample, mut trace) = traces::lighthouses();
    trace.tables.truncate(1);
    trace.steps[0].lineage = Some(traces::kept(&[99], &[99], &[(99, 0), (0, 99)], &[]));
    trace.steps[1].output = None;
    for format in Format::ALL {
        for visibility in AnswerVisibility::ALL {
            let page = render(&sample, &trace, format, visibility);
            assert!(Html::parse_document(&page.html).errors.is_empty());
        }
    }
    let page = chain(&(sample.clone(), trace.clone()));
    assert!(page.html.contains("The table this step ran on was not kept."));
    trace.steps.clear();
    trace.answer_source = Some(AnswerSource::Model);
    let page = chain(&(sample, trace));
    assert!(page.html.contains("There are no steps"));
    assert!(page.html.contains("Cape Ferrow"));
}

#[test]
fn facts_are_those_of_the_page() {
    for (name, page) in all_pages() {
        assert_eq!(page.facts.html_bytes, page.html.len(), "{name}");
        assert_eq!(page.facts.markdown_bytes, page.markdown.len(), "{name}");
        let tokens = page.facts.markdown_tokens;
        assert!((tokens..=tokens * 6).contains(&page.markdown.len()), "{name}: {tokens}");
    }
    let (sample, trace) = traces::lighthouses();
    let listing = render(&sample, &trace, Format::ProgramListing, AnswerVisibility::Shown);
    assert_eq!((listing.facts.steps, listing.facts.steps_marked), (3, 0));
    let none = render(&sample, &trace, Format::None, AnswerVisibility::Shown);
    assert_eq!(none.facts.steps, 0);
    let without = render(&sample, &trace, Format::FreeText, AnswerVisibility::Shown);
    assert!(without.html.contains("The model gave no explanation in words."));
    assert_eq!(sample.kind, QuestionKind::FactVerification);
}
