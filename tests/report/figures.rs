//! Figures: what they show, what they link to, and names that try to be more than names.

use std::collections::BTreeSet;

use scraper::{Html, Selector};
use tabjury::judge::{Confidence, Task};
use tabjury::report::figures::{Figure, Ink, figures};
use tabjury::report::{Analysis, RunRecords, analyze};

use crate::made_up::records;
use crate::outputs;

/// The made-up run with probabilities for the verdicts of one judge.
fn sure() -> RunRecords {
    let mut records = records();
    for (number, judgment) in records.judgments.iter_mut().enumerate() {
        if judgment.judge == "alder" {
            judgment.confidence = Some(Confidence::TokenProbabilities {
                positive: [0.93, 0.41, 0.77, 0.08][number % 4],
                told: 0.99,
            });
        }
    }
    records
}

fn named(figures: &[Figure]) -> Vec<&str> {
    figures.iter().map(|figure| figure.name.as_str()).collect()
}

/// Panics unless it is one XML element whose tags are balanced and whose attributes are quoted.
fn assert_well_formed(name: &str, svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = svg.trim();
    assert!(rest.starts_with("<svg "), "{name} begins with {:?}", &rest[..20]);
    while let Some(start) = rest.find('<') {
        let text = &rest[..start];
        assert!(!text.contains('>'), "{name}: stray > in {text:?}");
        let end = start + rest[start..].find('>').unwrap();
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if let Some(closed) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed), "{name}");
        } else {
            assert_eq!(tag.matches('"').count() % 2, 0, "{name}: {tag}");
            let element = tag.split([' ', '/']).next().unwrap();
            let known = [
                "svg", "title", "desc", "rect", "line", "text", "circle", "path", "g", "defs",
            ];
            assert!(known.contains(&element), "{name} holds {element}");
            if !tag.ends_with('/') {
                open.push(element);
            }
        }
    }
    assert!(open.is_empty() && rest.is_empty(), "{name}: {open:?} {rest:?}");
    assert!(
        !svg.chars().any(|letter| letter.is_control() && letter != '\n'),
        "{name} holds a control character"
    );
}

#[test]
fn every_figure_has_its_values_beside_it_and_leads_to_trials() {
    let records = sure();
    let analysis = analyze(&records);
    let figures = figures(&analysis);
    assert_eq!(
        named(&figures),
        [
            "lift",
            "table-size",
            "ranks",
            "places",
            "calibration-simulation",
            "calibration-verification",
            "agreement-preference",
            "agreement-simulation",
        ]
    );
    let files = outputs(&records);
    let report = Html::parse_document(std::str::from_utf8(&files["report.html"]).unwrap());
    let select = |selector: &str| Selector::parse(selector).unwrap();
    let titles: BTreeSet<String> = report
        .select(&select("figure.drawn svg[role=img] title"))
        .map(|title| title.text().collect())
        .collect();
    let all = select("figure.drawn + .intro + details.folded");
    let tables: Vec<_> = report.select(&all).collect();
    assert_eq!((titles.len(), tables.len()), (figures.len(), figures.len()));
    for figure in &figures {
        assert!(titles.contains(&figure.title), "{} is not in the report", figure.name);
        assert!(!figure.summary.is_empty());
        let file = std::str::from_utf8(&files[&figure.path()]).unwrap();
        assert_eq!(file, figure.svg(Ink::Print), "{} has other bytes", figure.name);
        assert!(!file.contains("var(--"), "{} needs a style sheet", figure.name);
        assert_well_formed(&figure.name, file);
        if let Some(pictures) = std::env::var_os("TABJURY_PICTURES") {
            std::fs::write(
                std::path::Path::new(&pictures).join(format!("{}.svg", figure.name)),
                file,
            )
            .unwrap();
        }
        assert_well_formed(&figure.name, &figure.svg(Ink::Page));
        assert!(figure.svg(Ink::Page).contains("var(--figure-0)"));
        let section = report.select(&select(&format!("#{}", figure.section))).next().unwrap();
        let text: String = section.text().collect();
        for row in &figure.rows {
            assert!(
                text.contains(&row.label),
                "{}: {} is not in the report",
                figure.name,
                row.label
            );
        }
    }
    for table in tables {
        let rows = table.select(&select("tbody tr")).count();
        let linked = table
            .select(&select("tbody tr"))
            .filter(|row| row.select(&select("a[href^='#']")).next().is_some())
            .count();
        assert!(rows > 0 && linked == rows, "{linked} of {rows} values lead to trials");
    }
    // A lift is drawn as it is in the analysis.
    let lift = &figures[0].rows[0];
    assert_eq!(
        lift.value.clone().ok(),
        analysis.simulation[0].arms[0]
            .control
            .as_ref()
            .ok()
            .map(|control| control.lift.difference)
    );
}

#[test]
fn series_differ_in_shape_as_in_colour() {
    let analysis = analyze(&records());
    let ranks = figures(&analysis)
        .into_iter()
        .find(|figure| figure.name == "ranks")
        .unwrap();
    assert_eq!(ranks.series.len(), 2);
    let svg = ranks.svg(Ink::Print);
    // Circles of the first judge, squares of the second, each in a colour of its own.
    assert!(svg.contains("<circle") && svg.contains("#0072b2") && svg.contains("#c04f00"));
    assert!(svg.matches("<rect").count() > 1, "no squares");
}

#[test]
fn probabilities_are_held_against_what_is_so() {
    let records = sure();
    let analysis = analyze(&records);
    let entry = analysis
        .confidence
        .iter()
        .find(|entry| entry.task == Task::Verification)
        .unwrap();
    assert_eq!((entry.judge.as_str(), entry.absent), ("alder", 0));
    assert_eq!(entry.bins.iter().map(|bin| bin.count).sum::<u64>(), entry.verdicts);
    assert!(entry.verdicts > 0 && entry.bins.len() <= 4);
    for bin in &entry.bins {
        assert!(bin.from <= bin.mean_confidence && bin.mean_confidence <= bin.to);
    }
    let expected: f64 = entry
        .bins
        .iter()
        .map(|bin| bin.count as f64 * (bin.mean_confidence - bin.share).abs())
        .sum::<f64>()
        / entry.verdicts as f64;
    assert!((entry.expected_error.clone().unwrap() - expected).abs() < 1e-12);
    assert!(analyze(&crate::made_up::records()).confidence.is_empty());
}

#[test]
fn names_stay_names() {
    const HOSTILE: [&str; 5] = [
        "</text><script>alert(1)</script>",
        "$\\frac{a}{b}$ \\$x$",
        "\u{202e}\u{1}\u{fffe} url(#kuva-clip-0)",
        "\" onload=\"alert(2)\" x=\"&amp;",
        "a very long name that never ends and goes on and on and on until the page is full",
    ];
    let json = serde_json::to_string(&analyze(&sure())).unwrap();
    for name in HOSTILE {
        let arm = serde_json::to_string(name).unwrap();
        let judge = serde_json::to_string(&format!("{name}!")).unwrap();
        let changed = json
            .replace("\"pos\"", &arm)
            .replace("\"alder\"", &judge)
            .replace("\"small\"", &arm);
        let analysis: Analysis = serde_json::from_str(&changed).unwrap();
        let figures = figures(&analysis);
        assert!(figures.len() > 6);
        let mut seen = 0;
        for figure in &figures {
            for ink in [Ink::Print, Ink::Page] {
                let svg = figure.svg(ink);
                assert_well_formed(&format!("{} of {name:?}", figure.name), &svg);
                let texts = Html::parse_fragment(&svg);
                let texts: Vec<String> = texts
                    .select(&Selector::parse("text").unwrap())
                    .map(|text| text.text().collect())
                    .collect();
                let visible: String = name.chars().filter(|letter| !letter.is_control()).take(12).collect();
                if name.starts_with(['$', '<', '"', 'a']) {
                    seen += usize::from(texts.iter().any(|text| text.contains(&visible)));
                }
                assert!(!svg.contains('\u{202e}'));
            }
        }
        assert!(
            seen > 4 || name.starts_with('\u{202e}'),
            "{name:?} is not shown as it is: {seen}"
        );
    }
}
