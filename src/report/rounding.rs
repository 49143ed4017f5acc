//! Numbers as a report prints them: the same figure is rounded in the same way in a sentence and in a table.

/// With so many decimals, halves away from zero: 6.25 and 93.75 become 6.3 and 93.8, so that printed differences agree as
/// far as they can.
pub(super) fn rounded(value: f64, decimals: usize) -> String {
    let scale = 10_f64.powi(i32::try_from(decimals).unwrap_or(0));
    // Up to one part in 10^12 from a half counts as one: 100 * 0.8125 and its like are not always exact.
    let scaled = value * scale;
    let nudged = scaled + scaled.signum() * scaled.abs() * 1e-12;
    // Adding zero takes the sign off a negative zero.
    format!("{:.decimals$}", nudged.round() / scale + 0.0)
}

/// `76.7%`.
pub(super) fn percent(share: f64) -> String {
    format!("{}%", rounded(100.0 * share, 1))
}

/// A difference of shares in percentage points with its sign, `+4.2` or `−4.2`; `0.0` where it rounds to nothing.
pub(super) fn signed_points(difference: f64) -> String {
    let points = 100.0 * difference;
    let sign = match points {
        points if points.abs() < 0.05 => return "0.0".to_owned(),
        points if points > 0.0 => "+",
        _ => "−",
    };
    format!("{sign}{}", rounded(points.abs(), 1))
}

#[cfg(test)]
mod tests {
    use super::{percent, rounded, signed_points};
    use pretty_assertions::assert_eq;

    #[test]
    fn halves_go_away_from_zero_and_nothing_is_negative() {
        assert_eq!(percent(13.0 / 16.0), "81.3%");
        assert_eq!(percent(3.0 / 16.0), "18.8%");
        assert_eq!(rounded(-0.001, 2), "0.00");
        assert_eq!(signed_points(-0.104), "−10.4");
        assert_eq!(signed_points(1.0 / 16.0), "+6.3");
        assert_eq!(signed_points(-0.0004), "0.0");
    }
}
