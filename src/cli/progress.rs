//! Progress on stderr: a bar on a terminal, a plain line every few seconds elsewhere.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::study::Stage;

use super::printer::Printer;

/// Time between two plain lines.
const BETWEEN_LINES: Duration = Duration::from_secs(5);

/// Where a stage stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Standing {
    /// Items done.
    pub(super) done: u64,
    /// Items in all.
    pub(super) total: u64,
    /// Items without an answer or verdict.
    pub(super) failed: u64,
    /// Whether the stage asks models.
    pub(super) asks: bool,
    /// Calls made in this run.
    pub(super) calls_made: u64,
    /// Calls answered from the store in this run.
    pub(super) calls_from_store: u64,
    /// US dollars spent in this run on priced models.
    pub(super) cost: f64,
    /// Whether some calls went to models without a price.
    pub(super) cost_incomplete: bool,
}

/// Shows one stage after another.
pub(super) struct ProgressDisplay {
    printer: Printer,
    shown: Mutex<Shown>,
}

struct Shown {
    bar: Option<ProgressBar>,
    began: Instant,
    last_line: Instant,
}

impl ProgressDisplay {
    pub(super) fn new(printer: Printer) -> Self {
        let now = Instant::now();
        Self {
            printer,
            shown: Mutex::new(Shown {
                bar: None,
                began: now,
                last_line: now,
            }),
        }
    }

    pub(super) fn begin(&self, stage: &str, total: u64) {
        let mut shown = self.lock();
        shown.began = Instant::now();
        shown.last_line = shown.began;
        if self.printer.bar {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
            bar.set_style(style());
            bar.set_prefix(stage.to_owned());
            bar.enable_steady_tick(Duration::from_millis(250));
            shown.bar = Some(bar);
        }
    }

    pub(super) fn update(&self, stage: &str, standing: &Standing) {
        let mut shown = self.lock();
        if let Some(bar) = &shown.bar {
            bar.set_length(standing.total);
            bar.set_message(counts(stage, standing));
            bar.set_position(standing.done);
        } else if shown.last_line.elapsed() >= BETWEEN_LINES {
            shown.last_line = Instant::now();
            self.printer.say(&plain(stage, standing, shown.began.elapsed()));
        }
    }

    pub(super) fn end(&self, stage: &str, standing: &Standing) {
        let bar = self.lock().bar.take();
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
        let outcome = if standing.asks {
            finished(stage, standing)
        } else {
            "done".to_owned()
        };
        self.printer.say(&format!("{stage}: {outcome}"));
    }

    /// Says something without tearing the bar.
    pub(super) fn say(&self, message: &str) {
        let shown = self.lock();
        match &shown.bar {
            Some(bar) => bar.suspend(|| self.printer.say(message)),
            None => self.printer.say(message),
        }
    }

    /// Takes the bar away, whatever it showed.
    pub(super) fn clear(&self) {
        if let Some(bar) = self.lock().bar.take() {
            bar.finish_and_clear();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Shown> {
        // A panic elsewhere must not take the display of the stop with it.
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{prefix:>8} {bar:24} {pos}/{len} {msg} ETA {eta}")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ")
}

fn finished(stage: &str, standing: &Standing) -> String {
    format!("{}/{} {}", standing.done, standing.total, counts(stage, standing))
}

/// Calls and costs are of the whole run so far.
fn counts(stage: &str, standing: &Standing) -> String {
    let lacking = if stage == Stage::Judge.name() {
        "without a verdict"
    } else {
        "failed"
    };
    let mut parts = vec![format!("{} {lacking}", standing.failed)];
    if standing.asks {
        parts.push(format!(
            "{} calls made so far, {} from the store",
            standing.calls_made, standing.calls_from_store
        ));
    }
    if standing.asks && standing.calls_made > 0 {
        parts.push(cost(standing.cost, standing.cost_incomplete));
    }
    format!("({})", parts.join(", "))
}

/// Dollars, or that they are not known: an unpriced model costs `unknown`, never 0.
pub(super) fn cost(dollars: f64, incomplete: bool) -> String {
    match (dollars > 0.0, incomplete) {
        (false, true) => "cost unknown".to_owned(),
        (true, true) => format!("${dollars:.4} + unknown"),
        (_, false) => format!("${dollars:.4}"),
    }
}

fn plain(stage: &str, standing: &Standing, elapsed: Duration) -> String {
    let left = standing.total.saturating_sub(standing.done);
    let eta = match standing.done {
        0 => "unknown".to_owned(),
        done => {
            #[expect(clippy::cast_precision_loss, reason = "an estimate of seconds")]
            let seconds = elapsed.as_secs_f64() / done as f64 * left as f64;
            clock(seconds)
        }
    };
    format!("{stage}: {} ETA {eta}", finished(stage, standing))
}

fn clock(seconds: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "casts from f64 saturate"
    )]
    let seconds = seconds.round() as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_line_says_where_the_stage_stands() {
        let standing = Standing {
            done: 25,
            total: 100,
            failed: 2,
            asks: true,
            calls_made: 20,
            calls_from_store: 5,
            cost: 0.0125,
            cost_incomplete: false,
        };
        assert_eq!(
            plain("judge", &standing, Duration::from_secs(30)),
            "judge: 25/100 (2 without a verdict, 20 calls made so far, 5 from the store, $0.0125) ETA 1 min 30 s"
        );
        assert_eq!(
            plain("judge", &Standing::default(), Duration::from_secs(1))
                .split("ETA")
                .nth(1),
            Some(" unknown")
        );
    }

    #[test]
    fn unknown_costs_are_never_nothing() {
        assert_eq!(cost(0.0, true), "cost unknown");
        assert_eq!(cost(0.5, true), "$0.5000 + unknown");
        assert_eq!(cost(0.0, false), "$0.0000");
    }

    #[test]
    fn times_are_short() {
        assert_eq!(clock(59.4), "59 s");
        assert_eq!(clock(3_723.0), "1 h 2 min");
        assert_eq!(clock(f64::INFINITY), "5124095576030431 h 0 min");
    }
}
