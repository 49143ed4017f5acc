//! Figures of a run: what each shows, as values, and the same as SVG. The values are all of a figure: whoever does not see
//! the drawing reads the same from them. One module a figure; only `drawing` knows the crate that draws.

mod agreement;
mod calibration;
mod drawing;
mod lift;
mod places;
mod ranks;
mod table_size;

use crate::judge::Task;
use crate::stats::{Interval, Stat};

use super::analysis::Analysis;

pub use drawing::Ink;

/// Rows that a drawing shows at most; the values list all.
const MOST_ROWS: usize = 60;
/// Judges that a matrix shows at most.
const MOST_JUDGES: usize = 12;

/// One figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Its name, made of lower-case letters and `-`: also that of its file.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// How to read it, in a sentence.
    pub summary: String,
    /// The section of the report that it belongs to.
    pub section: &'static str,
    /// What one of its values is of.
    pub row_name: &'static str,
    /// What the values are.
    pub unit: Unit,
    /// What is counted in [`FigureRow::n`].
    pub counted: &'static str,
    /// Names of what has a colour and a shape of its own.
    pub series: Vec<String>,
    /// Its values, in the order drawn.
    pub rows: Vec<FigureRow>,
    /// How it is drawn.
    form: Form,
}

/// What values are, which says how they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A mean rank; 1 is best.
    Rank,
    /// A share in [0, 1].
    Share,
    /// A difference of two shares in [-1, 1].
    Difference,
    /// A coefficient of at most 1.
    Coefficient,
}

/// One value of a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureRow {
    /// What it is of.
    pub label: String,
    /// Its place in [`Figure::series`].
    pub series: usize,
    /// Where it stands on the other axis; only of curves and matrices.
    place: (f64, f64),
    /// The value, or why there is none.
    pub value: Stat<f64>,
    /// Its interval.
    pub interval: Option<Interval>,
    /// Out of how many.
    pub n: u64,
    /// What is behind it.
    pub behind: Behind,
}

/// Where the trials or answers behind a value are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behind {
    /// Trials of a task before a judge, given by its place in the study: of one arm, or of all.
    Trials {
        /// The task.
        task: Task,
        /// The judge's place in the study.
        judge: usize,
        /// The arm's place in the study.
        arm: Option<usize>,
    },
    /// Answers of an answerer, given by its place in the analysis.
    Answers(usize),
}

/// An axis of values.
#[derive(Clone, Debug, PartialEq)]
struct Axis {
    name: String,
    low: f64,
    high: f64,
    step: f64,
}

/// How a figure is drawn.
#[derive(Clone, Debug, PartialEq)]
enum Form {
    /// One value a row, with its interval, beside a value to hold it against.
    Rows { axis: Axis, reference: Option<f64> },
    /// One line a series over places that have a name, or over shares.
    Curves {
        axis: Axis,
        across: Axis,
        places: Vec<String>,
        diagonal: bool,
    },
    /// Names against themselves.
    Matrix { names: Vec<String> },
}

impl Figure {
    /// The figure as an SVG element, for a page (in colours that the page's style sheet sets, for light and for dark) or as
    /// a file of its own. Labels are escaped; what cannot be seen or would turn the direction of text is made visible.
    pub fn svg(&self, ink: Ink) -> String {
        drawing::svg(self, ink)
    }

    /// Its path, relative to the run directory.
    pub fn path(&self) -> String {
        format!("figures/{}.svg", self.name)
    }
}

/// Every figure that the run has values for.
pub fn figures(analysis: &Analysis) -> Vec<Figure> {
    let mut figures = Vec::new();
    figures.extend(lift::figure(analysis));
    figures.extend(table_size::figure(analysis));
    figures.extend(ranks::figure(analysis));
    figures.extend(places::figure(analysis));
    figures.extend(calibration::figures(analysis));
    figures.extend(agreement::figures(analysis));
    figures
}

/// The place of a judge in the study.
fn judge_number(analysis: &Analysis, name: &str) -> Option<usize> {
    analysis.study.judges.iter().position(|judge| judge.name == name)
}

/// The place of an arm in the study, the control after all of them.
fn arm_number(analysis: &Analysis, name: &str) -> usize {
    let arms = &analysis.study.arms;
    arms.iter().position(|arm| arm.name == name).unwrap_or(arms.len())
}

/// `judge · arm`, or the arm alone where there is but one judge.
fn label(several: bool, judge: &str, of_judge: &str) -> String {
    if several {
        format!("{judge} · {of_judge}")
    } else {
        of_judge.to_owned()
    }
}

/// An axis of shares.
fn shares(name: &str) -> Axis {
    Axis {
        name: name.to_owned(),
        low: 0.0,
        high: 1.0,
        step: 0.25,
    }
}
