//! Charts as plain geometry; the templates draw them as SVG, which needs no script and prints.

use super::view::excerpt;

/// Left edge of the plotting area, in the units of the drawing.
const LEFT: f64 = 230.0;
/// Right edge.
const RIGHT: f64 = 640.0;
/// Height of a row.
const ROW: f64 = 26.0;
/// Room above the first row.
const TOP: f64 = 14.0;

/// One value of a row: the value, its interval, and marks to hold it against.
pub(super) struct ForestValue {
    /// What the row is about.
    pub(super) label: String,
    /// The value, if defined.
    pub(super) value: Option<f64>,
    /// Its interval, if defined.
    pub(super) interval: Option<(f64, f64)>,
    /// What doing without looking would reach.
    pub(super) base: Option<f64>,
    /// What the control reached.
    pub(super) control: Option<f64>,
    /// The value written out.
    pub(super) text: String,
}

/// Values with intervals, one a row.
pub(super) struct Forest {
    /// What it shows, for those who do not see it.
    pub(super) title: String,
    /// Its rows.
    pub(super) rows: Vec<ForestRow>,
    /// Positions and texts of the axis.
    pub(super) ticks: Vec<(f64, String)>,
    /// Height of the drawing.
    pub(super) height: f64,
    /// Bottom of the plotting area.
    pub(super) bottom: f64,
    /// What the tick mark stands for; empty when no row has one.
    pub(super) base_name: String,
    /// What the diamond stands for; empty when no row has one.
    pub(super) control_name: String,
}

/// A row, placed.
pub(super) struct ForestRow {
    /// What it is about.
    pub(super) label: String,
    /// Its middle.
    pub(super) y: f64,
    /// Baseline of its texts.
    pub(super) text_y: f64,
    /// The value.
    pub(super) x: Option<f64>,
    /// Both ends of the interval.
    pub(super) ends: Option<(f64, f64)>,
    /// The base mark, as x, top and bottom.
    pub(super) base: Option<(f64, f64, f64)>,
    /// The control mark, as the points of a polygon.
    pub(super) control: Option<String>,
    /// The value written out.
    pub(super) text: String,
}

impl Forest {
    /// Of these values on an axis from `low` to `high`.
    pub(super) fn new(
        title: impl Into<String>,
        values: Vec<ForestValue>,
        (low, high): (f64, f64),
        ticks: Vec<(f64, String)>,
        (base_name, control_name): (&str, &str),
    ) -> Self {
        let at = |value: f64| {
            let span = if high > low { high - low } else { 1.0 };
            round(LEFT + ((value - low) / span).clamp(0.0, 1.0) * (RIGHT - LEFT))
        };
        let named = |name: &str, has: fn(&ForestValue) -> bool| {
            if values.iter().any(has) {
                name.to_owned()
            } else {
                String::new()
            }
        };
        let (base_name, control_name) = (
            named(base_name, |value| value.base.is_some()),
            named(control_name, |value| value.control.is_some()),
        );
        let bottom = TOP + ROW * values.len() as f64;
        Self {
            title: title.into(),
            ticks: ticks.into_iter().map(|(value, text)| (at(value), text)).collect(),
            height: bottom + 26.0,
            bottom,
            base_name,
            control_name,
            rows: (0..)
                .zip(values)
                .map(|(row, value)| {
                    let y = TOP + ROW * (f64::from(row) + 0.5);
                    ForestRow {
                        y,
                        text_y: y + 4.5,
                        x: value.value.map(at),
                        ends: value.interval.map(|(low, high)| (at(low), at(high))),
                        base: value.base.map(|base| (at(base), y - 10.0, y + 10.0)),
                        control: value.control.map(|control| {
                            let x = at(control);
                            format!(
                                "{x},{} {},{y} {x},{} {},{y}",
                                y - 6.0,
                                round(x + 6.0),
                                y + 6.0,
                                round(x - 6.0)
                            )
                        }),
                        label: value.label,
                        text: value.text,
                    }
                })
                .collect(),
        }
    }

    /// Shares, on an axis from 0 to 100%.
    pub(super) fn of_shares(title: impl Into<String>, values: Vec<ForestValue>, names: (&str, &str)) -> Self {
        let ticks = (0..=4)
            .map(|quarter| (f64::from(quarter) / 4.0, format!("{}%", 25 * quarter)))
            .collect();
        Self::new(title, values, (0.0, 1.0), ticks, names)
    }
}

/// One point, before it is placed.
pub(super) struct ScatterValue {
    /// Horizontal.
    pub(super) x: f64,
    /// Vertical.
    pub(super) y: f64,
    /// What it is, beside it.
    pub(super) label: String,
    /// The series it belongs to.
    pub(super) series: usize,
}

/// Points of a few series.
pub(super) struct Scatter {
    /// What it shows, for those who do not see it.
    pub(super) title: String,
    /// Name of the horizontal axis.
    pub(super) x_name: String,
    /// Name of the vertical axis.
    pub(super) y_name: String,
    /// The points.
    pub(super) points: Vec<ScatterPoint>,
    /// Ticks of the horizontal axis.
    pub(super) x_ticks: Vec<(f64, String)>,
    /// Ticks of the vertical axis.
    pub(super) y_ticks: Vec<(f64, String)>,
    /// Names of the series with their mark at the origin.
    pub(super) series: Vec<(String, String)>,
}

/// A point, placed.
pub(super) struct ScatterPoint {
    /// Horizontal.
    pub(super) x: f64,
    /// Vertical.
    pub(super) y: f64,
    /// What it is.
    pub(super) label: String,
    /// Where its label starts.
    pub(super) label_x: f64,
    /// Baseline of its label.
    pub(super) label_y: f64,
    /// Where a line from the mark to a label that stands away from it ends.
    pub(super) leader: Option<(f64, f64)>,
    /// Number of its series, which chooses its colour.
    pub(super) series: usize,
    /// Its mark as an SVG path around the origin.
    pub(super) path: String,
    /// The values in words.
    pub(super) words: String,
}

/// Marks of series: circle, square, triangle, diamond, cross; then again.
const MARKS: [&str; 5] = [
    "M-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0z",
    "M-4.5,-4.5h9v9h-9z",
    "M0,-6l5.5,10h-11z",
    "M0,-6.5l6.5,6.5l-6.5,6.5l-6.5,-6.5z",
    "M-5,-2h3v-3h4v3h3v4h-3v3h-4v-3h-3z",
];

impl Scatter {
    /// Mean rank (best to the right) against an accuracy in [0, 1].
    pub(super) fn of_ranks(
        title: impl Into<String>,
        y_name: &str,
        series: Vec<String>,
        values: &[ScatterValue],
    ) -> Self {
        let worst = values.iter().map(|value| value.x).fold(2.0_f64, f64::max).ceil();
        let x_at = |rank: f64| round(70.0 + (worst - rank) / (worst - 1.0) * 480.0);
        let y_at = |accuracy: f64| round(290.0 - accuracy * 270.0);
        let places: Vec<(f64, f64)> = values.iter().map(|value| (x_at(value.x), y_at(value.y))).collect();
        let labels: Vec<String> = values
            .iter()
            .map(|value| excerpt(&value.label, LONGEST_LABEL))
            .collect();
        let placed = label_places(&places, &labels);
        Self {
            title: title.into(),
            x_name: "mean rank (1 is best)".to_owned(),
            y_name: y_name.to_owned(),
            points: values
                .iter()
                .zip(places)
                .zip(labels.into_iter().zip(placed))
                .map(|((value, (x, y)), (label, (label_x, label_y)))| {
                    let near = (label_y + 5.0 - y).abs() < 14.0;
                    ScatterPoint {
                        x,
                        y,
                        label,
                        label_x: round(label_x),
                        label_y: round(label_y),
                        leader: (!near).then(|| (round(label_x - 2.0), round(label_y - 4.0))),
                        series: value.series % MARKS.len(),
                        path: MARKS[value.series % MARKS.len()].to_owned(),
                        words: format!(
                            "{}, {}: mean rank {:.2}, accuracy {:.1}%",
                            series.get(value.series).map(String::as_str).unwrap_or_default(),
                            value.label,
                            value.x,
                            100.0 * value.y
                        ),
                    }
                })
                .collect(),
            x_ticks: (1..=worst as i32)
                .rev()
                .map(|rank| (x_at(f64::from(rank)), rank.to_string()))
                .collect(),
            y_ticks: (0..=4)
                .map(|quarter| (y_at(f64::from(quarter) / 4.0), format!("{}%", 25 * quarter)))
                .collect(),
            series: series
                .into_iter()
                .enumerate()
                .map(|(number, name)| (name, MARKS[number % MARKS.len()].to_owned()))
                .collect(),
        }
    }
}

/// Characters of a point's label; the whole of it is told with the mark.
const LONGEST_LABEL: usize = 22;
/// How wide a character of a label is at most, on average.
const LABEL_CHARACTER: f64 = 6.4;
/// How far apart the baselines of two labels are.
const LABEL_HEIGHT: f64 = 13.0;
/// Where labels may stand, as x from and to, and y of the baseline from and to.
const LABELS: ((f64, f64), (f64, f64)) = ((2.0, 718.0), (12.0, 294.0));

/// Left end and baseline of each label, so that none overprints another one or a mark that is not its own: beside the mark
/// where there is room, else above or below there, as near as it goes. With more labels than fit, the last ones stand over
/// others.
fn label_places(points: &[(f64, f64)], labels: &[String]) -> Vec<(f64, f64)> {
    let mut taken: Vec<(f64, f64, f64, f64)> = points
        .iter()
        .map(|(x, y)| (x - 6.0, y - 6.0, x + 6.0, y + 6.0))
        .collect();
    let steps = || (0..22).flat_map(|step| [f64::from(step), -f64::from(step)]);
    let mut placed = Vec::new();
    for ((x, y), label) in points.iter().zip(labels) {
        let width = label.chars().count() as f64 * LABEL_CHARACTER;
        let area = |(left, base): (f64, f64)| (left, base - 10.0, left + width, base + 2.0);
        let is_inside = |(left, base): (f64, f64)| {
            left >= LABELS.0.0 && left + width <= LABELS.0.1 && base >= LABELS.1.0 && base <= LABELS.1.1
        };
        let is_free = |place: (f64, f64)| {
            let (left, top, right, bottom) = area(place);
            let overlaps =
                |other: &(f64, f64, f64, f64)| left < other.2 && other.0 < right && top < other.3 && other.1 < bottom;
            !taken.iter().any(overlaps)
        };
        let beside = (x + 9.0, y + 4.0);
        let candidates = steps().flat_map(|step| {
            let base = beside.1 + step * LABEL_HEIGHT;
            [
                (x + 9.0, base),
                (x - 9.0 - width, base),
                (x + 30.0, base),
                (x - 30.0 - width, base),
            ]
        });
        let place = candidates
            .into_iter()
            .find(|place| is_inside(*place) && is_free(*place))
            .unwrap_or(beside);
        taken.push(area(place));
        placed.push(place);
    }
    placed
}

fn round(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_a_scatter_stand_apart() {
        let value = |x: f64, y: f64, label: &str, series| ScatterValue {
            x,
            y,
            label: label.to_owned(),
            series,
        };
        // Twelve marks: two judges' three arms in one place, and a row of near neighbours.
        let mut values: Vec<ScatterValue> = (0..6)
            .map(|n| value(1.5, 0.9, ["pos", "text_to_sql", "self_explanation"][n % 3], n / 3))
            .collect();
        values.extend((0..6).map(|n| {
            value(
                2.0 + 0.02 * f64::from(n),
                0.88,
                "an arm with a rather long name of its own",
                0,
            )
        }));
        let judges = vec!["a".to_owned(), "b".to_owned()];
        let scatter = Scatter::of_ranks("t", "accuracy", judges, &values);
        let areas: Vec<(f64, f64, f64, f64)> = scatter
            .points
            .iter()
            .map(|point| {
                let width = point.label.chars().count() as f64 * 5.5;
                assert!(
                    point.label_x >= 0.0 && point.label_x + width <= 720.0,
                    "{}",
                    point.label_x
                );
                assert!((10.0..=296.0).contains(&point.label_y), "{}", point.label_y);
                (
                    point.label_x,
                    point.label_y - 9.0,
                    point.label_x + width,
                    point.label_y + 1.0,
                )
            })
            .collect();
        for (number, one) in areas.iter().enumerate() {
            for other in &areas[..number] {
                let apart = one.0 >= other.2 || other.0 >= one.2 || one.1 >= other.3 || other.1 >= one.3;
                assert!(apart, "{one:?} {other:?}");
            }
        }
        assert!(scatter.points[0].leader.is_none() && scatter.points[5].leader.is_some());
    }
}
