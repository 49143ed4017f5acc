//! What the templates show: sections of text, tables, charts and lists, every text still unescaped (the templates
//! escape), every number already written out.

use crate::report::discernment::Estimate;
use crate::report::flags::counted;
use crate::report::quantities::{Mean, Proportion};
pub(super) use crate::report::rounding::percent;
use crate::report::rounding::{rounded, signed_points};
use crate::stats::{Interval, Stat};

use super::chart::{Forest, Scatter};

/// A part of the report.
pub(super) struct Section {
    /// Its anchor.
    pub(super) id: &'static str,
    /// Its heading.
    pub(super) title: String,
    /// What it is about, in plain words.
    pub(super) intro: Vec<String>,
    /// Words and what they mean.
    pub(super) terms: Vec<(&'static str, &'static str)>,
    /// What it shows, in order.
    pub(super) blocks: Vec<Block>,
}

/// One thing in a section.
pub(super) enum Block {
    /// A smaller heading.
    Heading(String),
    /// A sentence.
    Text(String),
    /// A sentence that must be seen.
    Notice(String),
    /// A table.
    Table(TableView),
    /// A table that is folded away: the trials behind figures.
    Folded(Folded),
    /// A table on pages of its own.
    Parts(Parts),
    /// A figure with its values.
    Figure(FigureView),
    /// Shares or means with intervals.
    Forest(Forest),
    /// Points.
    Scatter(Scatter),
}

/// A table under a summary line. Its anchor is inside, so that a browser opens it when it is linked to.
pub(super) struct Folded {
    /// Its anchor.
    pub(super) id: String,
    /// The summary line.
    pub(super) summary: String,
    /// The table.
    pub(super) table: TableView,
}

/// Where a table stands that is too long for the report.
pub(super) struct Parts {
    /// Its anchor.
    pub(super) id: String,
    /// What it lists.
    pub(super) summary: String,
    /// Its pages, as (rows that it shows, address).
    pub(super) pages: Vec<(String, String)>,
}

/// A figure, drawn, with its values under it.
pub(super) struct FigureView {
    /// What it shows.
    pub(super) title: String,
    /// How to read it.
    pub(super) summary: String,
    /// The drawing, as markup of our own.
    pub(super) svg: String,
    /// Where its file is.
    pub(super) path: String,
    /// Its values.
    pub(super) table: TableView,
}

/// A table.
#[derive(Default)]
pub(super) struct TableView {
    /// Its caption; may be empty.
    pub(super) caption: String,
    /// Headings of the columns.
    pub(super) columns: Vec<Column>,
    /// Its rows.
    pub(super) rows: Vec<Vec<CellView>>,
}

impl TableView {
    /// With these headings; a leading `#` makes a column of numbers.
    pub(super) fn new(caption: impl Into<String>, columns: &[&str]) -> Self {
        Self {
            caption: caption.into(),
            columns: columns
                .iter()
                .map(|name| Column {
                    number: name.starts_with('#'),
                    name: name.trim_start_matches('#').to_owned(),
                })
                .collect(),
            rows: Vec::new(),
        }
    }
}

/// A heading of a column.
#[derive(Clone)]
pub(super) struct Column {
    /// Its text.
    pub(super) name: String,
    /// Whether the column holds numbers.
    pub(super) number: bool,
}

/// One cell.
#[derive(Clone, Default)]
pub(super) struct CellView {
    /// The text.
    pub(super) text: String,
    /// A second, quiet line.
    pub(super) detail: String,
    /// Why there is no value, where the text is `–`.
    pub(super) reason: String,
    /// Where it links to.
    pub(super) href: String,
    /// `head`, `number`, `bad`, `good` or nothing; several with spaces.
    pub(super) class: &'static str,
    /// Further links, as (text, address).
    pub(super) links: Vec<(String, String)>,
}

impl CellView {
    /// Plain text.
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// The heading of its row.
    pub(super) fn head(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            class: "head",
            ..Self::default()
        }
    }

    /// A number written out.
    pub(super) fn number(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            class: "number",
            ..Self::default()
        }
    }

    /// A count.
    pub(super) fn count(count: impl std::fmt::Display) -> Self {
        Self::number(count.to_string())
    }

    /// A figure that may be undefined, written by `write`.
    pub(super) fn figure(value: &Stat<f64>, write: fn(f64) -> String) -> Self {
        match value {
            Ok(value) => Self::number(write(*value)),
            Err(undefined) => Self {
                text: "–".to_owned(),
                reason: undefined.reason.clone(),
                class: "number",
                ..Self::default()
            },
        }
    }

    /// A share in percent over its interval and counts.
    pub(super) fn proportion(proportion: &Proportion) -> Self {
        let mut cell = Self::figure(&proportion.share, percent);
        if let Ok(interval) = &proportion.interval {
            cell.detail = format!("{}, {}/{}", percent_range(interval), proportion.successes, proportion.n);
        }
        cell
    }

    /// A share as `successes/n`, with the percentage below.
    pub(super) fn part(proportion: &Proportion) -> Self {
        let mut cell = Self::figure(&proportion.share, percent);
        if proportion.n > 0 {
            cell.detail = format!("{}/{}", proportion.successes, proportion.n);
        }
        cell
    }

    /// A mean over its interval and n.
    pub(super) fn mean(mean: &Mean) -> Self {
        let mut cell = Self::figure(&mean.value, two_decimals);
        if mean.n > 0 {
            cell.detail = match &mean.interval {
                Ok(interval) => format!(
                    "{}–{}, n = {}",
                    two_decimals(interval.low),
                    two_decimals(interval.high),
                    mean.n
                ),
                Err(_) => format!("n = {}", mean.n),
            };
        }
        cell
    }

    /// A mean share in percent over its interval and n.
    pub(super) fn mean_share(mean: &Mean) -> Self {
        let mut cell = Self::figure(&mean.value, percent);
        if mean.n > 0 {
            cell.detail = match &mean.interval {
                Ok(interval) => format!("{}, n = {}", percent_range(interval), mean.n),
                Err(_) => format!("n = {}", mean.n),
            };
        }
        cell
    }

    /// A figure over its interval.
    pub(super) fn estimate(estimate: &Estimate) -> Self {
        let mut cell = Self::figure(&estimate.value, two_decimals);
        if let Ok(interval) = &estimate.interval {
            cell.detail = format!("{} to {}", two_decimals(interval.low), two_decimals(interval.high));
        }
        cell
    }

    /// A figure that is a share, in percent over its interval.
    pub(super) fn share_estimate(estimate: &Estimate) -> Self {
        let mut cell = Self::figure(&estimate.value, percent);
        if let Ok(interval) = &estimate.interval {
            cell.detail = format!("{}, n = {}", percent_range(interval), estimate.samples);
        }
        cell
    }

    /// With a link.
    pub(super) fn to(mut self, href: impl Into<String>) -> Self {
        self.href = href.into();
        self
    }

    /// With another class.
    pub(super) fn class(mut self, class: &'static str) -> Self {
        self.class = class;
        self
    }

    /// With a second line.
    pub(super) fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }
}

/// `61–87%`.
pub(super) fn percent_range(interval: &Interval) -> String {
    format!(
        "{}–{}%",
        rounded(100.0 * interval.low, 0),
        rounded(100.0 * interval.high, 0)
    )
}

/// `+4.2 pts`: percentage points with a sign.
pub(super) fn points(difference: f64) -> String {
    format!("{} pts", signed_points(difference))
}

/// `1.50`.
pub(super) fn two_decimals(value: f64) -> String {
    rounded(value, 2)
}

/// `12.3`, or `12` for a whole number.
pub(super) fn short(value: f64) -> String {
    if (value - value.round()).abs() < 1e-9 {
        format!("{value:.0}")
    } else {
        rounded(value, 1)
    }
}

/// `0.012`, or `<0.001`.
pub(super) fn p_value(p: f64) -> String {
    if p < 0.001 { "<0.001".to_owned() } else { rounded(p, 3) }
}

/// Which samples the figures of a table are over, of one judge.
pub(super) fn samples_words(own_samples: bool, common: usize, samples: usize, usable: &str) -> String {
    if own_samples {
        return "Each arm on the samples that it was judged on; two arms cannot be compared".to_owned();
    }
    format!(
        "{common} of {} have a {usable} for every arm",
        counted(samples, "sample")
    )
}

/// `$0.0042`.
pub(super) fn dollars(value: f64) -> String {
    if value == 0.0 {
        "$0".to_owned()
    } else if value < 1.0 {
        format!("${value:.4}")
    } else {
        format!("${value:.2}")
    }
}

/// The start of a text, on one line.
pub(super) fn excerpt(text: &str, characters: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
