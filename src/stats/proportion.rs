//! Intervals of a proportion.

use super::{Interval, Stat};

/// Wilson score interval of `successes` out of `n` (Wilson 1927).
pub fn wilson(successes: u64, n: u64, level: f64) -> Stat<Interval> {
    let _ = (successes, n, level);
    todo!("stats room")
}
