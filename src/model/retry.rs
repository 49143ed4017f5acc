//! When to ask again: pure arithmetic on attempts, headers and dates.

use std::time::Duration;

use reqwest::header::HeaderMap;

/// The wait before the second attempt, at most; it doubles with each attempt.
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// The longest wait that is chosen here.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The longest wait that an endpoint can ask for.
const LONGEST_ASKED_WAIT: Duration = Duration::from_secs(120);

/// How long to wait after the given attempt (from 1) failed.
///
/// Exponential, with a jitter of up to one half that derives from the call's key, so that calls that failed together do
/// not come back together. An endpoint that says when to come back is taken at its word, up to two minutes.
pub(crate) fn wait(key: &str, attempt: u32, asked: Option<Duration>) -> Duration {
    let doubled = FIRST_WAIT
        .saturating_mul(1 << attempt.saturating_sub(1).min(16))
        .min(LONGEST_WAIT);
    let own = doubled.mul_f64(1.0 - jitter(key, attempt) / 2.0);
    own.max(asked.unwrap_or_default().min(LONGEST_ASKED_WAIT))
}

/// A number in [0, 1) that every machine agrees on.
fn jitter(key: &str, attempt: u32) -> f64 {
    let hash = blake3::hash(format!("retry {attempt} {key}").as_bytes());
    let [first, second, third, fourth, ..] = *hash.as_bytes();
    f64::from(u32::from_le_bytes([first, second, third, fourth])) / (f64::from(u32::MAX) + 1.0)
}

/// What the headers say about when to come back: `retry-after-ms`, or `retry-after` in seconds or as a date. `now` is
/// in seconds since 1970.
pub(crate) fn asked_wait(headers: &HeaderMap, now: u64) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(milliseconds) = text("retry-after-ms").and_then(|text| text.parse().ok()) {
        return Some(Duration::from_millis(milliseconds));
    }
    let text = text("retry-after")?;
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    http_date(text).map(|date| Duration::from_secs(date.saturating_sub(now)))
}

/// Seconds since 1970 of a date as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, IMF-fixdate).
fn http_date(text: &str) -> Option<u64> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let mut words = text.split_once(',')?.1.split_ascii_whitespace();
    let day: u64 = words.next()?.parse().ok()?;
    let month_name = words.next()?;
    let month = MONTHS.iter().position(|name| *name == month_name)? as u64;
    let year: u64 = words.next()?.parse().ok()?;
    let mut clock = words.next()?.split(':').map(|part| part.parse::<u64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    let zone = words.next()?;
    if zone != "GMT" || words.next().is_some() || clock.next().is_some() {
        return None;
    }
    if !(1970..=9999).contains(&year) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    // Years are counted from March, so that the leap day is the last of its year.
    let (march_year, march_month) = if month < 2 {
        (year - 1, month + 10)
    } else {
        (year, month - 2)
    };
    let leap_days = march_year / 4 - march_year / 100 + march_year / 400;
    let days = 365 * march_year + leap_days + (153 * march_month + 2) / 5 + day - 1 - 719_468;
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().unwrap());
        headers
    }

    #[test]
    fn waits_grow_stay_bounded_and_differ_by_call() {
        for attempt in 1..=40 {
            let wait = wait("a", attempt, None);
            let most = (0.5 * 2f64.powi(attempt as i32 - 1)).min(30.0);
            assert!(
                wait.as_secs_f64() <= most && wait.as_secs_f64() >= most / 2.0,
                "{attempt}: {wait:?}"
            );
        }
        assert_eq!(wait("a", 1, None), wait("a", 1, None));
        assert_ne!(wait("a", 1, None), wait("b", 1, None));
    }

    #[test]
    fn endpoint_is_taken_at_its_word_up_to_two_minutes() {
        assert_eq!(wait("a", 1, Some(Duration::from_secs(7))), Duration::from_secs(7));
        assert_eq!(
            wait("a", 1, Some(Duration::from_secs(86_400))),
            Duration::from_secs(120)
        );
        assert_eq!(wait("a", 3, Some(Duration::ZERO)), wait("a", 3, None));
    }

    #[test]
    fn headers_say_when_to_come_back() {
        assert_eq!(
            asked_wait(&headers("retry-after", "3"), 0),
            Some(Duration::from_secs(3))
        );
        assert_eq!(
            asked_wait(&headers("retry-after", "0.5"), 0),
            Some(Duration::from_millis(500))
        );
        assert_eq!(
            asked_wait(&headers("retry-after-ms", "250"), 0),
            Some(Duration::from_millis(250))
        );
        let date = "Sun, 06 Nov 1994 08:49:37 GMT";
        assert_eq!(
            asked_wait(&headers("retry-after", date), 784_111_770),
            Some(Duration::from_secs(7))
        );
        assert_eq!(
            asked_wait(&headers("retry-after", date), 784_111_999),
            Some(Duration::ZERO)
        );
        for wrong in [
            "-1",
            "soon",
            "NaN",
            "inf",
            "1e300",
            "",
            "Sun, 06 Nov 1994",
            "Sun, 99 Nov 1994 08:49:37 GMT",
        ] {
            assert_eq!(asked_wait(&headers("retry-after", wrong), 0), None, "{wrong}");
        }
        assert_eq!(asked_wait(&HeaderMap::new(), 0), None);
    }

    #[test]
    fn dates_count_leap_years() {
        assert_eq!(http_date("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(http_date("Tue, 29 Feb 2000 00:00:00 GMT"), Some(951_782_400));
        assert_eq!(http_date("Wed, 01 Mar 2000 00:00:00 GMT"), Some(951_868_800));
        assert_eq!(http_date("Fri, 31 Dec 2100 23:59:59 GMT"), Some(4_133_980_799));
    }
}
