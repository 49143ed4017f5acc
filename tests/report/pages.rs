//! The report and its trial pages as HTML: links, what they show, and hostile text.

use std::collections::{BTreeMap, BTreeSet};

use scraper::{Html, Selector};
use tabjury::dataset::Answer;
use tabjury::judge::{Task, Verdict};
use tabjury::report::RunRecords;

use crate::made_up::records;
use crate::outputs;

fn parse(name: &str, bytes: &[u8]) -> Html {
    let html = Html::parse_document(std::str::from_utf8(bytes).unwrap());
    assert!(html.errors.is_empty(), "{name}: {:?}", html.errors);
    html
}

fn attributes(html: &Html, selector: &str, name: &str) -> Vec<String> {
    let selector = Selector::parse(selector).unwrap();
    html.select(&selector)
        .filter_map(|element| element.attr(name).map(str::to_owned))
        .collect()
}

fn text(html: &Html, selector: &str) -> Vec<String> {
    let selector = Selector::parse(selector).unwrap();
    html.select(&selector).map(|element| element.text().collect()).collect()
}

#[test]
fn every_link_resolves_and_every_number_reaches_its_trials() {
    let records = records();
    let files = outputs(&records);
    let documents: BTreeMap<&str, Html> = files
        .iter()
        .filter(|(name, _)| name.ends_with(".html"))
        .map(|(name, bytes)| (name.as_str(), parse(name, bytes)))
        .collect();
    assert_eq!(documents.len(), 1 + 2 * records.trials.len());
    let mut known: BTreeSet<String> = files.keys().cloned().collect();
    known.extend(
        records
            .pages
            .iter()
            .flat_map(|page| [page.html.clone(), page.markdown.clone()]),
    );
    let mut reached = BTreeSet::new();
    for (name, html) in &documents {
        for href in attributes(html, "a[href]", "href") {
            let (path, fragment) = href.split_once('#').unwrap_or((&href, ""));
            let mut segments: Vec<&str> = name.split('/').collect();
            segments.pop();
            for segment in path.split('/').filter(|segment| !segment.is_empty()) {
                match segment {
                    ".." => assert!(segments.pop().is_some(), "{name}: {href} leaves the run"),
                    segment => segments.push(segment),
                }
            }
            let target = if path.is_empty() {
                (*name).to_owned()
            } else {
                segments.join("/")
            };
            assert!(known.contains(&target), "{name}: {href} leads nowhere");
            if !fragment.is_empty() {
                let ids = attributes(&documents[target.as_str()], "[id]", "id");
                assert!(ids.iter().any(|id| id == fragment), "{name}: {href} has no such place");
            }
            reached.insert(target);
        }
        let ids = attributes(html, "[id]", "id");
        assert_eq!(
            ids.iter().collect::<BTreeSet<_>>().len(),
            ids.len(),
            "{name}: an id stands twice"
        );
    }
    for name in documents.keys() {
        assert!(reached.contains(*name), "{name} is linked from nowhere");
    }
    for page in &records.pages {
        assert!(reached.contains(&page.html), "{} is linked from nowhere", page.html);
    }
    // Headline figures lead to their trials.
    let report = &documents["report.html"];
    let figures = attributes(report, "#glance td a", "href");
    assert!(figures.contains(&"#verification-1-1".to_owned()), "{figures:?}");
    assert!(
        text(report, "#verification .notice")
            .iter()
            .any(|notice| notice.contains("pos"))
    );
    assert!(text(report, "header").concat().contains("say nothing about any model"));
    // Each correlation with its own caveat: the tasks have different cells.
    let correlation = text(report, "#correlation").concat();
    assert!(correlation.contains("With simulation: 4 cells") && correlation.contains("With verification: 2 cells"));
    assert!(
        text(report, "#preference")
            .concat()
            .contains("judged in several orders")
    );
}

#[test]
fn a_trial_page_holds_prompt_raw_answer_and_verdict() {
    let records = records();
    let files = outputs(&records);
    let trial = records
        .trials
        .iter()
        .find(|trial| trial.task == Task::Verification && trial.arms == ["pos"] && trial.sample == "f1")
        .unwrap();
    let name = format!("trials/{}-alder.html", trial.id);
    let html = parse(&name, &files[&name]);
    let page = text(&html, "main").concat();
    for wanted in [
        format!("I looked at the page. My verdict: {}", trial.id),
        format!("Here is the page of trial {}.", trial.id),
        "Verdict: incorrect".to_owned(),
        "The verdict is wrong".to_owned(),
        "correct, incorrect".to_owned(),
        "TRUE (right)".to_owned(),
    ] {
        assert!(page.contains(&wanted), "{wanted:?} is missing");
    }
    let links = attributes(&html, "a", "href");
    assert!(links.contains(&"../pages/f1/pos-shown.html".to_owned()), "{links:?}");
    assert!(page.contains("the control: the same without an explanation"));
}

#[test]
fn scripted_models_are_announced() {
    let mut records = records();
    let report = |records: &RunRecords| String::from_utf8(outputs(records).remove("report.html").unwrap()).unwrap();
    assert!(!report(&records).contains("Scripted answers"));
    records.study.models[1].scripted = true;
    assert!(report(&records).contains("Scripted answers"));
}

#[test]
fn hostile_text_stays_text() {
    const HOSTILE: &str = "</code></pre></table><script>alert(1)</script><img src=x onerror=alert(2)>\
                           {{ 7*7 }} {% include \"x\" %} &lt;b&gt; \u{202e}\u{0}\" onmouseover=\"alert(3)\" 'x";
    let mut records = records();
    records.study.title = Some(HOSTILE.to_owned());
    records.study.note = Some(HOSTILE.to_owned());
    records.study.arms[0].method_title = HOSTILE.to_owned();
    records.study.judges[0].view = HOSTILE.to_owned();
    for sample in &mut records.samples {
        sample.question = HOSTILE.to_owned();
        sample.caption = Some(HOSTILE.to_owned());
    }
    for page in &mut records.pages {
        page.html = "javascript:alert(1)".to_owned();
        page.markdown = "../../secret".to_owned();
    }
    for judgment in &mut records.judgments {
        judgment.raw = Some(format!("=cmd {HOSTILE}"));
        if let tabjury::judge::Outcome::Verdict(Verdict::Guess(guess)) = &mut judgment.outcome {
            *guess = Answer::Text(format!("=HYPERLINK(\"http://example.org\") {HOSTILE}"));
        }
    }
    let files = outputs(&records);
    let mut raw_seen = 0;
    for (name, bytes) in files.iter().filter(|(name, _)| name.ends_with(".html")) {
        let source = std::str::from_utf8(bytes).unwrap();
        assert!(!source.contains(['\u{202e}', '\0']), "{name} holds raw controls");
        let html = Html::parse_document(source);
        let script = include_str!("../../templates/report_script.js").trim_end();
        for found in text(&html, "script") {
            assert_eq!(found.trim_end(), script, "{name} holds a script of another's");
        }
        for forbidden in ["img", "iframe", "[onerror]", "[onmouseover]"] {
            assert!(text(&html, forbidden).is_empty(), "{name} holds {forbidden}");
        }
        for href in attributes(&html, "[href]", "href") {
            assert!(
                !href.contains("javascript") && !href.contains("secret"),
                "{name}: {href}"
            );
        }
        raw_seen += text(&html, "pre")
            .iter()
            .filter(|text| text.starts_with("=cmd </code></pre>"))
            .count();
    }
    assert_eq!(raw_seen, records.judgments.len());
    let judgments = String::from_utf8(files["tables/judgments.csv"].clone()).unwrap();
    assert!(
        judgments.contains("'=HYPERLINK") && !judgments.contains(",=HYPERLINK") && !judgments.contains("\"=HYPERLINK")
    );
}
