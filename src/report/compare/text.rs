//! A comparison as Markdown.

use std::fmt::Write as _;

use super::{ComparedPair, RunComparison};
use crate::report::flags::counted;
use crate::report::markdown_table::{MarkdownTable, interval_words};

/// The whole text.
pub fn markdown(comparison: &RunComparison) -> String {
    let comparable = comparison.pairs.iter().filter(|pair| pair.comparable).count();
    let mut text = format!(
        "# {} beside published numbers\n\n{} of figures and published numbers of the same method, data set and measure. {} \
         can be compared. A difference has the interval of the run's figure alone; chance on the other side is not in it.\n",
        one_line(&comparison.study),
        counted(comparison.pairs.len() as u64, "pair"),
        match comparable {
            0 => "None".to_owned(),
            some => some.to_string(),
        }
    );
    table(
        "Comparable",
        comparison.pairs.iter().filter(|pair| pair.comparable),
        &mut text,
    );
    table(
        "Not comparable",
        comparison.pairs.iter().filter(|pair| !pair.comparable),
        &mut text,
    );
    if !comparison.unmatched.is_empty() {
        text.push_str("\n## Nothing published\n\n");
        for figure in &comparison.unmatched {
            let _ = writeln!(text, "- {}", one_line(figure));
        }
    }
    text
}

fn one_line(text: &str) -> String {
    crate::explain::visible_text::visible(text)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

fn table<'a>(title: &str, pairs: impl Iterator<Item = &'a ComparedPair>, text: &mut String) {
    let mut table = MarkdownTable::new(&[
        "figure",
        "#run",
        "#n",
        "#published",
        "#n there",
        "model there",
        "where",
        "#difference",
        "#interval",
        "why not",
    ]);
    let mut rows = 0;
    for pair in pairs {
        rows += 1;
        let measure = pair.measure.trim_end_matches("_percent").replace('_', " ");
        let whose = match &pair.judge {
            Some(judge) => format!("{measure}, {}, before {judge}", pair.arm),
            None => format!("{measure}, {}", pair.arm),
        };
        let obstacles: Vec<String> = pair
            .obstacles
            .iter()
            .map(|obstacle| format!("{} ({})", obstacle.kind.words(), obstacle.detail))
            .collect();
        table.row([
            whose,
            format!("{:.2}", pair.value),
            pair.n.to_string(),
            pair.published.printed.clone(),
            pair.published_n.map_or("–".to_owned(), |n| n.to_string()),
            [pair.published.model.as_str(), pair.published.setting.as_str()]
                .into_iter()
                .filter(|word| !word.is_empty())
                .collect::<Vec<_>>()
                .join(", "),
            pair.published.place(),
            format!("{:+.2}", pair.difference),
            match &pair.difference_interval {
                Ok(interval) => interval_words(interval.low, interval.high, 2),
                Err(_) => "–".to_owned(),
            },
            obstacles.join("; "),
        ]);
    }
    if rows > 0 {
        let _ = write!(text, "\n## {title}\n\n{}", table.finish());
    }
}
