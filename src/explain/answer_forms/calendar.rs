//! The dates and times of day that a text has: `5 March 2021`, `March 5th '21`, `the fifth of March`, `05/03/2021`, `5.3.21`,
//! `20210305`; `14:30`, `2:30 pm`, `half past two`. A date whose order of day and month is open is read both ways.

use std::collections::BTreeMap;
use std::ops::Range;

use super::atoms::Atoms;
use super::numerals::Numeral;
use crate::table::reading::MONTHS;

/// A date, or part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Date {
    year: Option<Year>,
    /// From one.
    pub(super) month: u32,
    day: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Year {
    Full(u32),
    /// Of any century.
    Short(u32),
}

impl Date {
    /// Whether it is the other as far as the other goes, and so tells it.
    pub(super) fn tells(&self, other: &Self) -> bool {
        self.agrees(other)
            && (other.day.is_none() || self.day.is_some())
            && (other.year.is_none() || self.year.is_some())
    }

    /// Whether it may be the other and says less, which tells it where it is stated.
    pub(super) fn hints_at(&self, other: &Self) -> bool {
        self.agrees(other) && !self.tells(other)
    }

    fn agrees(&self, other: &Self) -> bool {
        let years = match (self.year, other.year) {
            (Some(Year::Full(ours)), Some(Year::Full(theirs))) => ours == theirs,
            (Some(Year::Full(full) | Year::Short(full)), Some(Year::Full(other) | Year::Short(other))) => {
                full % 100 == other % 100
            }
            _ => true,
        };
        let days = match (self.day, other.day) {
            (Some(ours), Some(theirs)) => ours == theirs,
            _ => true,
        };
        years && days && self.month == other.month
    }
}

/// A date of a text, and the runs that write it.
pub(super) type PlacedDate = (Date, Range<usize>);

/// Seconds since midnight with the runs that write them, and whether it may be a half of the day later.
pub(super) type PlacedTime = (u32, Range<usize>, bool);

/// Every date of a text.
pub(super) fn dates(atoms: &Atoms, numerals: &[Numeral]) -> Vec<PlacedDate> {
    let mut found = Vec::new();
    let mut beside: Option<Beside<'_>> = None;
    for at in 0..atoms.len() {
        if atoms.digits(at).is_some() {
            of_digits(atoms, at, &mut found);
        } else if let Some(date) = of_roman_month(atoms, at) {
            found.push(date);
        } else if let Some(month) = month(atoms.word(at)) {
            let beside = beside.get_or_insert_with(|| Beside::of(numerals));
            around_month(atoms, beside, at, month, &mut found);
        }
    }
    found
}

/// Numerals by where they begin and by where they end.
#[derive(Default)]
struct Beside<'a> {
    from: BTreeMap<usize, Vec<&'a Numeral>>,
    to: BTreeMap<usize, Vec<&'a Numeral>>,
}

impl<'a> Beside<'a> {
    fn of(numerals: &'a [Numeral]) -> Self {
        let mut beside = Self::default();
        for numeral in numerals {
            beside.from.entry(numeral.run.start).or_default().push(numeral);
            beside.to.entry(numeral.run.end).or_default().push(numeral);
        }
        beside
    }

    /// Those that begin at a place.
    fn from(&self, start: usize) -> impl Iterator<Item = &'a Numeral> {
        self.from.get(&start).into_iter().flatten().copied()
    }

    /// Those that end at the one place or begin at the other.
    fn around(&self, end: usize, start: usize) -> impl Iterator<Item = &'a Numeral> {
        let of = |index: &BTreeMap<usize, Vec<&'a Numeral>>, at| index.get(&at).cloned().unwrap_or_default();
        of(&self.to, end).into_iter().chain(of(&self.from, start))
    }
}

/// The number of a month by its name or the first letters of it.
pub(super) fn month(word: &str) -> Option<u32> {
    let is_name = |name: &str| {
        name.starts_with(word) && (word.len() == 3 || word.len() == name.len())
            || word == "sept" && name.starts_with("sept")
    };
    let index = MONTHS.iter().position(|name| word.len() >= 3 && is_name(name))?;
    u32::try_from(index + 1).ok()
}

fn is_weekday(word: &str) -> bool {
    const DAYS: &[&str] = &[
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    ];
    DAYS.iter().any(|day| word.len() >= 3 && day.starts_with(word))
}

/// Whether a run may stand beside a date as part of it.
pub(super) fn is_beside_date(word: &str) -> bool {
    is_weekday(word) || matches!(word, "the" | "on" | "of" | "in" | "ad" | "ce")
}

/// Numbers alone: `2021-03-05`, `05.03.2021`, `3/5/21`, `20210305`, `2021-03`, `03/2021`.
fn of_digits(atoms: &Atoms, at: usize, found: &mut Vec<PlacedDate>) {
    let number = |index: usize| {
        let digits = atoms.digits(index)?;
        Some((digits.parse::<u32>().ok()?, digits.len()))
    };
    let parts = |index: usize| {
        let gap = atoms.gap(index);
        matches!(
            gap,
            "-" | "/" | "." | ". " | " " | "\u{2010}" | "\u{2011}" | "–" | "\u{2212}" | " / " | " - " | "年" | "月"
        )
    };
    let Some((first, length)) = number(at) else {
        return;
    };
    let mut push = |year: Option<Year>, month: u32, day: Option<u32>, end: usize| {
        if (1..=12).contains(&month) && day.is_none_or(|day| (1..=31).contains(&day)) {
            found.push((Date { year, month, day }, at..end));
        }
    };
    if length == 8 {
        let (year, month, day) = (first / 10_000, first / 100 % 100, first % 100);
        if (1000..2200).contains(&year) {
            push(Some(Year::Full(year)), month, Some(day), at + 1);
        }
        push(
            Some(Year::Full(first % 10_000)),
            first / 10_000 % 100,
            Some(first / 1_000_000),
            at + 1,
        );
        push(
            Some(Year::Full(first % 10_000)),
            first / 1_000_000,
            Some(first / 10_000 % 100),
            at + 1,
        );
    }
    let Some((second, second_length)) = number(at + 1).filter(|_| parts(at + 1)) else {
        return;
    };
    let is_year = |length: usize| length == 4;
    match number(at + 2).filter(|_| parts(at + 2)) {
        Some((third, third_length)) => {
            if is_year(length) {
                push(Some(Year::Full(first)), second, Some(third), at + 3);
            } else if is_year(third_length) {
                push(Some(Year::Full(third)), second, Some(first), at + 3);
                push(Some(Year::Full(third)), first, Some(second), at + 3);
            } else if third_length == 2 && atoms.gap(at + 1) == atoms.gap(at + 2) && atoms.gap(at + 1) != " " {
                push(Some(Year::Short(third)), second, Some(first), at + 3);
                push(Some(Year::Short(third)), first, Some(second), at + 3);
                if length == 2 {
                    push(Some(Year::Short(first)), second, Some(third), at + 3);
                }
            }
        }
        None => {
            if is_year(length) && second_length <= 2 {
                push(Some(Year::Full(first)), second, None, at + 2);
            } else if is_year(second_length) && length <= 2 {
                push(Some(Year::Full(second)), first, None, at + 2);
            } else if matches!(atoms.gap(at + 1), "/" | "." | "-") && length <= 2 && second_length <= 2 {
                push(None, second, Some(first), at + 2);
                push(None, first, Some(second), at + 2);
            }
        }
    }
}

/// `5.III.2021`, `5 III 2021`
fn of_roman_month(atoms: &Atoms, at: usize) -> Option<PlacedDate> {
    const MONTHS: [&str; 12] = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"];
    let month = MONTHS.iter().position(|known| *known == atoms.word(at))?;
    let parts = |gap: &str| matches!(gap, "." | ". " | " " | "-" | "/");
    let day = atoms
        .digits(at.checked_sub(1)?)?
        .parse()
        .ok()
        .filter(|day| (1..=31).contains(day))?;
    let year = atoms.digits(at + 1).filter(|year| year.len() == 4)?.parse().ok()?;
    let date = Date {
        year: Some(Year::Full(year)),
        month: u32::try_from(month + 1).ok()?,
        day: Some(day),
    };
    (parts(atoms.gap(at)) && parts(atoms.gap(at + 1))).then_some((date, at - 1..at + 2))
}

/// A month by its name, with a day and a year before or behind it.
fn around_month(atoms: &Atoms, beside: &Beside<'_>, at: usize, month: u32, found: &mut Vec<PlacedDate>) {
    let is_near = |index: usize| {
        let gap = atoms.gap(index);
        gap.chars().count() <= 3 && !gap.contains(['\n', ';', '!', '?'])
    };
    let before = |mut index: usize| {
        while index > 0 && matches!(atoms.word(index - 1), "of" | "in" | "the") && is_near(index) {
            index -= 1;
        }
        // `5th day of March`
        let is_day = index > 0 && atoms.word(index - 1) == "day" && atoms.word(index) == "of" && is_near(index);
        index - usize::from(is_day)
    };
    let behind = |mut index: usize| {
        while matches!(atoms.word(index), "of" | "in" | "on" | "the") && is_near(index) {
            index += 1;
        }
        index
    };
    let day_of = |numeral: &Numeral| {
        let day = numeral.amount;
        (day.fract() == 0.0 && (1.0..=31.0).contains(&day)).then_some(day as u32)
    };
    // A day, with where it begins and ends.
    let mut days: Vec<(Option<u32>, usize, usize)> = vec![(None, at, at + 1)];
    let (from, to) = (before(at), behind(at + 1));
    for numeral in beside.around(from, to) {
        let Some(day) = day_of(numeral) else {
            continue;
        };
        if numeral.run.end == from && is_near(from) {
            days.push((Some(day), numeral.run.start, at + 1));
        } else if numeral.run.start == to && is_near(to) {
            days.push((Some(day), at, numeral.run.end));
        }
    }
    for (day, start, end) in days {
        let mut years: Vec<(Option<Year>, usize, usize)> = vec![(None, start, end)];
        let (from, to) = (before(start), behind(end));
        let year_of = |numeral: &Numeral| {
            let year = numeral.amount;
            (year.fract() == 0.0 && (0.0..3000.0).contains(&year)).then_some(year as u32)
        };
        for numeral in beside.around(from, to) {
            let Some(year) = year_of(numeral) else {
                continue;
            };
            let is_before = numeral.run.end == from && from > 0 && is_near(from) && numeral.run.end <= start;
            let is_behind = numeral.run.start == to && is_near(to) && numeral.run.start >= end;
            let is_short = year < 100
                && numeral.run.len() == 1
                && atoms.digits(numeral.run.start).is_some_and(|digits| digits.len() == 2);
            let year = match year {
                1000.. => Year::Full(year),
                _ if is_short && (day.is_some() || atoms.gap(numeral.run.start).contains(['\'', '’'])) => {
                    Year::Short(year)
                }
                _ => continue,
            };
            if is_behind {
                years.push((Some(year), start, numeral.run.end));
            } else if is_before && matches!(year, Year::Full(_)) {
                years.push((Some(year), numeral.run.start, end));
            }
        }
        for (year, start, end) in years {
            if day.is_some() || year.is_some() {
                found.push((Date { year, month, day }, start..end));
            }
            // `March 2021, on the 5th`
            let from = behind(end);
            if day.is_none() && year.is_some() && from > end {
                let late = beside.from(from).filter(|_| is_near(from));
                found.extend(late.filter_map(|numeral| {
                    let day = Some(day_of(numeral)?);
                    Some((Date { year, month, day }, start..numeral.run.end))
                }));
            }
        }
    }
}

/// Every time of day, or length of time, that a text has.
pub(super) fn times(atoms: &Atoms, numerals: &[Numeral]) -> Vec<PlacedTime> {
    let mut found = Vec::new();
    let number = |index: usize, most: u32| {
        let digits = atoms.digits(index).filter(|digits| digits.len() <= 2)?;
        digits.parse::<u32>().ok().filter(|number| *number <= most)
    };
    for at in 0..atoms.len() {
        let Some(hours) = number(at, 99) else {
            continue;
        };
        let half = half_of_day(atoms, at + 1);
        if let Some((later, end)) = half.filter(|_| hours <= 12) {
            found.push((later + hours % 12 * 3600, at..end, false));
        }
        // `14:30`, `2.30 pm`, `14h30`, `1h 45min`
        let (minute_at, is_hour) = match (atoms.gap(at + 1), atoms.word(at + 1)) {
            ("" | " ", "h" | "hr" | "hrs" | "hours" | "hour") => (at + 2, true),
            _ => (at + 1, false),
        };
        let Some(minutes) = number(minute_at, 59) else {
            continue;
        };
        let colon = matches!(atoms.gap(minute_at), ":" | "\u{2236}" | "\u{a789}");
        let point = atoms.gap(minute_at) == ".";
        if !(colon || point || is_hour && matches!(atoms.gap(minute_at), "" | " ")) {
            continue;
        }
        let second = number(minute_at + 1, 59).filter(|_| colon && atoms.gap(minute_at + 1) == ":");
        let end = minute_at + 1 + usize::from(second.is_some());
        let of_day = minutes * 60 + second.unwrap_or(0);
        match half_of_day(atoms, end) {
            Some((later, end)) if hours <= 12 => found.push((later + hours % 12 * 3600 + of_day, at..end, false)),
            _ if colon || is_hour => {
                let unit =
                    usize::from(is_hour && matches!(atoms.word(end), "m" | "min" | "mins" | "minutes" | "minute"));
                found.push((hours * 3600 + of_day, at..end + unit, false));
                if (1..12).contains(&hours) && second.is_none() {
                    found.push(((hours + 12) * 3600 + of_day, at..end, true));
                }
            }
            _ => {}
        }
    }
    // `half past two`, `quarter to three`
    let mut beside: Option<Beside<'_>> = None;
    for at in 0..atoms.len() {
        let minutes = match (atoms.word(at), atoms.word(at + 1)) {
            ("half", "past") => 30,
            ("quarter", "past") => 15,
            ("quarter", "to") => -15,
            _ => continue,
        };
        let hour = beside
            .get_or_insert_with(|| Beside::of(numerals))
            .from(at + 2)
            .find(|numeral| numeral.amount <= 12.0);
        if let Some(hour) = hour {
            for half in [0, 12] {
                let hours = (hour.amount as i32) % 12 + half;
                let seconds = (hours * 60 + minutes).rem_euclid(24 * 60) * 60;
                found.push((seconds.unsigned_abs(), at..hour.run.end, false));
            }
        }
    }
    found
}

/// `am` or `p.m.`: the seconds that it adds, and the index behind it.
fn half_of_day(atoms: &Atoms, at: usize) -> Option<(u32, usize)> {
    const HALF: u32 = 12 * 3600;
    let gap = atoms.gap(at);
    if !(gap.is_empty() || gap == " ") {
        return None;
    }
    match (atoms.word(at), atoms.gap(at + 1), atoms.word(at + 1)) {
        ("am", ..) => Some((0, at + 1)),
        ("pm", ..) => Some((HALF, at + 1)),
        ("a", ".", "m") => Some((0, at + 2)),
        ("p", ".", "m") => Some((HALF, at + 2)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::numerals::numerals;
    use super::*;
    use crate::explain::letters::letters;

    fn dates_of(text: &str) -> Vec<Date> {
        let atoms = Atoms::of(&letters(text));
        dates(&atoms, &numerals(&atoms))
            .into_iter()
            .map(|(date, _)| date)
            .collect()
    }

    #[test]
    fn dates_are_read_in_any_order() {
        let date = Date {
            year: Some(Year::Full(2021)),
            month: 3,
            day: Some(5),
        };
        for text in [
            "2021-03-05",
            "2021-3-5",
            "2021/03/05",
            "20210305",
            "05.03.2021",
            "5.3.2021",
            "03/05/2021",
            "5 March 2021",
            "5th of March, 2021",
            "the fifth of March 2021",
            "March 5, 2021",
            "Mar. 5th 2021",
            "March fifth, 2021",
            "2021 March 05",
            "Friday, 5 March 2021",
            "Mar 5 '21",
            "5.3.21",
            "05-Mar-21",
            "March 5 twenty twenty-one",
        ] {
            assert!(
                dates_of(text).iter().any(|found| found.tells(&date)),
                "{text}: {:?}",
                dates_of(text)
            );
        }
        for text in ["5th March", "March 2021", "3/2021", "5.3."] {
            assert!(dates_of(text).iter().any(|found| found.hints_at(&date)), "{text}");
            assert!(!dates_of(text).iter().any(|found| found.tells(&date)), "{text}");
        }
        for text in [
            "6 March 2021",
            "5 May 2021",
            "2021",
            "5 March 2020",
            "they may 5",
            "20213005",
        ] {
            assert!(!dates_of(text).iter().any(|found| found.tells(&date)), "{text}");
        }
    }

    #[test]
    fn times_are_read_in_either_count() {
        let times_of = |text: &str| {
            let atoms = Atoms::of(&letters(text));
            times(&atoms, &numerals(&atoms))
        };
        for text in [
            "14:30",
            "2:30 pm",
            "2.30 p.m.",
            "14h30",
            "half past two",
            "02:30PM",
            "14:30:00",
        ] {
            assert!(
                times_of(text)
                    .iter()
                    .any(|(time, _, is_open)| *time == 52_200 && !is_open),
                "{text}"
            );
        }
        assert!(times_of("2:30").contains(&(52_200, 0..2, true)));
        assert!(times_of("3.30, 4").is_empty());
    }
}
