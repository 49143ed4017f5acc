//! Figures as SVG through kuva: the one file that knows it. kuva lays out axes, marks and labels and escapes text; what is
//! around its drawing (the element itself, its title and description) is a template of our own.

use std::sync::Arc;

use askama::Template;
use kuva::TickFormat;
use kuva::backend::svg::SvgBackend;
use kuva::plot::legend::{LegendEntry, LegendPosition, LegendShape};
use kuva::plot::line::LinePlot;
use kuva::plot::scatter::{MarkerShape, ScatterPlot};
use kuva::render::annotations::ReferenceLine;
use kuva::render::color::Color;
use kuva::render::layout::{ComputedLayout, Layout};
use kuva::render::plots::Plot;
use kuva::render::render::{Primitive, Scene, TextAnchor, render_multiple};
use kuva::render::theme::Theme;

use super::{Axis, Figure, FigureRow, Form, MOST_JUDGES, MOST_ROWS, Unit};
use crate::explain::visible_text::visible_line;

/// Which colours a drawing has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Those that the style sheet of a page sets, for light and for dark.
    Page,
    /// Fixed ones on white, for a file of its own.
    Print,
}

/// Width of every drawing.
const WIDTH: f64 = 720.0;
/// Height of a row.
const ROW: f64 = 24.0;
/// Letters of a label that are drawn; the values have all of it.
const LABEL: usize = 32;
/// Size of every text.
const TEXT: u32 = 13;

/// Colours that most colour-blind readers can tell apart, after Okabe and Ito (2008), darkened until each has a contrast of
/// 3 to 1 on white. Shapes repeat what they say.
const COLOURS: [&str; 6] = ["#0072b2", "#c04f00", "#00805d", "#a64d79", "#555555", "#8a6d00"];
/// The same as the page's style sheet names them.
const PAGE_COLOURS: [&str; 6] = [
    "var(--figure-0)",
    "var(--figure-1)",
    "var(--figure-2)",
    "var(--figure-3)",
    "var(--figure-4)",
    "var(--figure-5)",
];
const SHAPES: [MarkerShape; 6] = [
    MarkerShape::Circle,
    MarkerShape::Square,
    MarkerShape::Triangle,
    MarkerShape::Diamond,
    MarkerShape::TriangleDown,
    MarkerShape::Star,
];

impl Ink {
    fn series(self, number: usize) -> &'static str {
        match self {
            Self::Page => PAGE_COLOURS[number % COLOURS.len()],
            Self::Print => COLOURS[number % COLOURS.len()],
        }
    }

    /// Paper, text, quiet text and lines.
    fn frame(self) -> [&'static str; 4] {
        match self {
            Self::Page => ["none", "var(--ink)", "var(--quiet)", "var(--line)"],
            Self::Print => ["#ffffff", "#1a1a1a", "#555555", "#d5d5d5"],
        }
    }

    fn theme(self) -> Theme {
        let [paper, text, quiet, line] = self.frame().map(str::to_owned);
        Theme {
            background: paper.clone(),
            axis_color: quiet.clone(),
            grid_color: line.clone(),
            tick_color: quiet.clone(),
            text_color: text,
            legend_bg: paper,
            legend_border: "none".to_owned(),
            ..Theme::light()
        }
    }
}

/// The shape of a series; where colours come again, with another shape.
fn shape(number: usize) -> MarkerShape {
    SHAPES[(number + number / COLOURS.len()) % SHAPES.len()]
}

/// The start of a text on one line, with nothing in it that kuva would take for a formula.
fn drawn(text: &str, letters: usize) -> String {
    let line = visible_line(text);
    let cut = match line.char_indices().nth(letters) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    };
    cut.replace('$', "\\$")
}

/// The element around a drawing.
#[derive(Template)]
#[template(path = "figure.html")]
struct Frame<'a> {
    figure: &'a Figure,
    ink: &'static str,
    width: f64,
    height: f64,
    drawing: &'a str,
}

/// A figure as an SVG element.
pub(super) fn svg(figure: &Figure, ink: Ink) -> String {
    let mut scene = match &figure.form {
        Form::Rows { axis, reference } => rows(figure, axis, *reference, ink),
        Form::Curves {
            axis,
            across,
            places,
            diagonal,
        } => curves(figure, [across, axis], places, *diagonal, ink),
        Form::Matrix { names } => matrix(figure, names, ink),
    };
    // kuva numbers its clips by a counter of the process, so that one run would not give the same bytes twice. Nothing here
    // reaches beyond its axes but marks that stand on them, which are to be seen whole.
    scene.defs.clear();
    scene
        .elements
        .retain(|element| !matches!(element, Primitive::ClipStart { .. } | Primitive::ClipEnd));
    let whole = SvgBackend::new().render_scene(&scene);
    // Only the inside: the element around it is our own.
    let drawing = whole.split_once("-->").map_or(whole.as_str(), |(_, inside)| inside);
    let frame = Frame {
        figure,
        ink: ink.frame()[1],
        width: scene.width,
        height: scene.height,
        drawing: drawing.strip_suffix("</svg>").unwrap_or(drawing),
    };
    // Nothing in it can fail.
    frame.render().unwrap_or_default()
}

fn ticks(unit: Unit) -> TickFormat {
    let write: fn(f64) -> String = match unit {
        Unit::Rank => |value| format!("{value:.0}"),
        Unit::Share => |value| format!("{:.0}%", 100.0 * value),
        Unit::Difference => |value| {
            let points = (100.0 * value).round();
            let sign = match points {
                points if points > 0.0 => "+",
                points if points < 0.0 => "−",
                _ => "",
            };
            format!("{sign}{:.0}", points.abs())
        },
        Unit::Coefficient => |value| format!("{value:.1}"),
    };
    TickFormat::Custom(Arc::new(write))
}

/// A layout with what all have.
fn layout(x: (f64, f64), y: (f64, f64), ink: Ink) -> Layout {
    Layout::new(x, y)
        .with_theme(ink.theme())
        .with_width(WIDTH)
        .with_tick_size(TEXT)
        .with_label_size(TEXT)
        .with_body_size(TEXT)
        .with_clamp_axis()
        .with_x_axis_min(x.0)
        .with_x_axis_max(x.1)
        .with_y_axis_min(y.0)
        .with_y_axis_max(y.1)
}

/// The same with a legend below, where there are several series to tell apart.
fn with_legend(layout: Layout, figure: &Figure, ink: Ink) -> Layout {
    if figure.series.len() < 2 {
        return layout;
    }
    let entries = figure.series.iter().enumerate().map(|(number, name)| LegendEntry {
        label: drawn(name, LABEL),
        color: ink.series(number).to_owned(),
        shape: LegendShape::Marker(shape(number)),
        dasharray: None,
    });
    layout
        .with_legend_entries(entries.collect())
        .with_legend_position(LegendPosition::OutsideBottomColumns)
        .with_legend_entry_limit(24)
        .with_legend_box(false)
}

/// Values of a series at their places: those with an interval, and those without.
fn marks(series: usize, along_x: bool, points: &[(f64, f64, &FigureRow)], ink: Ink) -> Vec<Plot> {
    [true, false]
        .into_iter()
        .filter_map(|has_interval| {
            let chosen: Vec<_> = points
                .iter()
                .filter(|(_, _, row)| row.interval.is_some() == has_interval)
                .collect();
            if chosen.is_empty() {
                return None;
            }
            let mut plot = ScatterPlot::new()
                .with_data(chosen.iter().map(|(x, y, _)| (*x, *y)))
                .with_color(ink.series(series))
                .with_marker(shape(series))
                .with_size(5.5);
            if has_interval {
                let ends = chosen.iter().map(|(x, y, row)| {
                    let value = if along_x { *x } else { *y };
                    row.interval.map_or((0.0, 0.0), |interval| {
                        ((value - interval.low).max(0.0), (interval.high - value).max(0.0))
                    })
                });
                plot = if along_x {
                    plot.with_x_err_asymmetric(ends)
                } else {
                    plot.with_y_err_asymmetric(ends)
                };
            }
            Some(plot.into())
        })
        .collect()
}

fn rows(figure: &Figure, axis: &Axis, reference: Option<f64>, ink: Ink) -> Scene {
    let shown = &figure.rows[..figure.rows.len().min(MOST_ROWS)];
    let n = shown.len();
    let mut plots = Vec::new();
    for series in 0..figure.series.len() {
        let points: Vec<(f64, f64, &FigureRow)> = shown
            .iter()
            .enumerate()
            .filter(|(_, row)| row.series == series)
            .filter_map(|(place, row)| Some((*row.value.as_ref().ok()?, (n - place) as f64, row)))
            .collect();
        plots.extend(marks(series, true, &points, ink));
    }
    let mut layout = layout((axis.low, axis.high), (0.5, n as f64 + 0.5), ink)
        .with_height(ROW * n as f64 + if figure.series.len() > 1 { 105.0 } else { 60.0 })
        .with_y_categories(shown.iter().rev().map(|row| drawn(&row.label, LABEL)).collect())
        .with_x_tick_step(axis.step)
        .with_x_tick_format(ticks(figure.unit))
        .with_x_label(axis.name.clone());
    if let Some(reference) = reference {
        layout = layout.with_reference_line(
            ReferenceLine::vertical(reference)
                .with_color(ink.frame()[1])
                .with_stroke_width(1.2)
                .with_dasharray("5 4"),
        );
    }
    render_multiple(plots, with_legend(layout, figure, ink))
}

fn curves(figure: &Figure, [across, axis]: [&Axis; 2], places: &[String], diagonal: bool, ink: Ink) -> Scene {
    let mut plots: Vec<Plot> = Vec::new();
    if diagonal {
        plots.push(
            LinePlot::new()
                .with_data([(across.low, axis.low), (across.high, axis.high)])
                .with_color(ink.frame()[1])
                .with_stroke_width(1.2)
                .with_dashed()
                .into(),
        );
    }
    let several = figure.series.len();
    for series in 0..several {
        // Beside each other at one place, so that no interval hides another.
        let aside = if places.is_empty() || several < 2 {
            0.0
        } else {
            (series as f64 / (several - 1) as f64 - 0.5) * 0.5
        };
        let points: Vec<(f64, f64, &FigureRow)> = figure
            .rows
            .iter()
            .filter(|row| row.series == series)
            .filter_map(|row| Some((row.place.0 + aside, *row.value.as_ref().ok()?, row)))
            .collect();
        if points.len() > 1 {
            plots.push(
                LinePlot::new()
                    .with_data(points.iter().map(|(x, y, _)| (*x, *y)))
                    .with_color(ink.series(series))
                    .with_stroke_width(1.0)
                    .into(),
            );
        }
        plots.extend(marks(series, false, &points, ink));
    }
    let mut layout = layout((across.low, across.high), (axis.low, axis.high), ink)
        .with_height(360.0)
        .with_y_tick_step(axis.step)
        .with_y_tick_format(ticks(figure.unit))
        .with_y_label(axis.name.clone())
        .with_x_label(across.name.clone());
    layout = if places.is_empty() {
        layout
            .with_x_tick_step(across.step)
            .with_x_tick_format(ticks(figure.unit))
    } else {
        layout.with_x_categories(places.iter().map(|place| drawn(place, LABEL)).collect())
    };
    render_multiple(plots, with_legend(layout, figure, ink))
}

fn matrix(figure: &Figure, names: &[String], ink: Ink) -> Scene {
    let names = &names[..names.len().min(MOST_JUDGES)];
    let n = names.len();
    let range = (0.5, n as f64 + 0.5);
    let made = || {
        layout(range, range, ink)
            .with_height(44.0 * n as f64 + 70.0)
            .with_show_grid(false)
            // Names along the bottom are numbered, so that long ones do not run into each other.
            .with_x_categories((1..=n).map(|number| format!("({number})")).collect())
            .with_y_categories(
                names
                    .iter()
                    .enumerate()
                    .rev()
                    .map(|(number, name)| format!("{} ({})", drawn(name, LABEL - 8), number + 1))
                    .collect(),
            )
    };
    let placed = ComputedLayout::from_layout(&made());
    // Without any plot no axis is drawn.
    let nothing = ScatterPlot::new().with_data(Vec::<(f64, f64)>::new());
    let mut scene = render_multiple(vec![nothing.into()], made());
    let corner = |column: f64, row: f64| (placed.map_x(column + 0.5), placed.map_y(n as f64 - row + 0.5));
    for row in &figure.rows {
        let (one, other) = row.place;
        if one.max(other) as usize >= n {
            continue;
        }
        for (column, line) in [(one, other), (other, one)] {
            let ((left, top), (right, bottom)) = (corner(column, line), corner(column + 1.0, line + 1.0));
            let value = row.value.as_ref().ok().copied();
            let below = value.is_some_and(|value| value < 0.0);
            let depth = value.map_or(0.0, |value| value.abs().min(1.0));
            let colour = ink.series(usize::from(below));
            scene.add(Primitive::Rect {
                x: left + 2.0,
                y: top + 2.0,
                width: (right - left - 4.0).max(0.0),
                height: (bottom - top - 4.0).max(0.0),
                fill: Color::from(colour),
                stroke: below.then(|| Color::from(colour)),
                stroke_width: below.then_some(2.0),
                // Never so deep that the number on it cannot be read.
                opacity: Some(0.06 + 0.4 * depth),
            });
            scene.add(Primitive::Text {
                x: (left + right) / 2.0,
                y: (top + bottom) / 2.0 + 4.5,
                content: value.map_or_else(|| "–".to_owned(), |value| format!("{value:.2}").replace('-', "−")),
                size: TEXT,
                anchor: TextAnchor::Middle,
                rotate: None,
                bold: false,
                color: Some(Color::from(ink.frame()[1])),
            });
        }
    }
    scene
}
