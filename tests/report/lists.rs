//! A report with more trials than one page holds.

use std::collections::BTreeSet;

use scraper::{Html, Selector};

use crate::outputs;
use crate::synthetic::many_trials;

#[test]
fn long_lists_have_pages_of_their_own() {
    let records = many_trials(320);
    let files = outputs(&records);
    let select = |selector: &str| Selector::parse(selector).unwrap();
    let parsed = |name: &str| Html::parse_document(std::str::from_utf8(&files[name]).unwrap());
    let report = parsed("report.html");
    let inline = report.select(&select("details.folded tbody tr")).count();
    assert!(inline <= 2_000, "{inline} rows in the report");
    let linked: BTreeSet<String> = report
        .select(&select(".parts a"))
        .filter_map(|link| link.attr("href").map(str::to_owned))
        .collect();
    let lists: BTreeSet<String> = files
        .keys()
        .filter(|name| name.starts_with("lists/"))
        .cloned()
        .collect();
    assert_eq!(linked, lists);
    // Every trial is in one list of each judge.
    let mut pages = BTreeSet::new();
    for name in lists.iter().filter(|name| !name.contains("left-out")) {
        let list = parsed(name);
        for row in list.select(&select("tbody tr")) {
            let href = row.select(&select("th a")).next().unwrap().attr("href").unwrap();
            let target = href.strip_prefix("../").unwrap();
            assert!(files.contains_key(target), "{name}: {href} leads nowhere");
            assert!(pages.insert(target.to_owned()), "{target} is listed twice");
        }
        let back = list.select(&select(".kicker a")).next().unwrap().attr("href").unwrap();
        let anchor = back.strip_prefix("../report.html#").unwrap();
        assert!(
            report.select(&select(&format!("[id='{anchor}']"))).next().is_some(),
            "{name}: {back}"
        );
    }
    assert_eq!(pages.len(), records.trials.len() * records.study.judges.len());
    for href in report
        .select(&select("a[href^='#']"))
        .filter_map(|link| link.attr("href"))
    {
        let there = report.select(&select(&format!("[id='{}']", &href[1..]))).next();
        assert!(there.is_some(), "{href} leads nowhere");
    }
}
