//! The numbers that a text has, in whatever way it writes them: `1,204`, `1 204`, `1.204e3`, `0,25`, `.25`, `25 %`, `¼`, `one in
//! four`, `a quarter`, `one hundred and twelve`, `112th`, `twelfth`, `2.5 million`, `1 1 2`, `CXII`. A text may be read in more
//! than one way, and each is given. Signs are left aside: -3 is 3.

mod number_words;
mod roman;

use std::ops::Range;

use super::atoms::Atoms;
use crate::explain::letters::FRACTION_SLASH;
use number_words::{COUNTING, denominator, is_short_scale, scale, small, small_ordinal};

pub(super) use number_words::ordinal;
pub(super) use roman::roman;

/// A number of a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Numeral {
    /// Its amount, without its sign.
    pub(super) amount: f64,
    /// The runs of the text that write it.
    pub(super) run: Range<usize>,
    /// Whether other things are written so too, so that it tells only where it is stated.
    pub(super) is_loose: bool,
    /// Whether it is a share, as of `1/3`, which no decimals write in full.
    pub(super) is_share: bool,
}

/// Whether a word may be part of a number.
pub(super) fn may_count(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
        || word.ends_with(|c: char| c.is_ascii_digit())
        || small(word).is_some()
        || small_ordinal(word).is_some()
        || scale(word).is_some()
        || denominator(word).is_some()
        || COUNTING.iter().any(|(known, _)| *known == word)
        || roman(word).is_some()
}

/// Whether what stands between words of a number does.
fn joins(gap: &str) -> bool {
    matches!(gap, " " | "-" | "\u{2010}" | "\u{2011}" | "  ")
}

/// Every number of a text.
pub(super) fn numerals(atoms: &Atoms) -> Vec<Numeral> {
    let mut reader = Reader {
        atoms,
        found: Vec::new(),
    };
    let mut covered = 0;
    for at in 0..atoms.len() {
        if atoms.digits(at).is_some() {
            reader.of_digits(at, at >= covered);
        } else if at >= covered {
            covered = reader.of_words(at);
        }
        reader.single_digits(at);
    }
    reader.found
}

struct Reader<'a> {
    atoms: &'a Atoms,
    found: Vec<Numeral>,
}

/// A number that was read, and the index behind it.
#[derive(Clone, Copy, Debug)]
struct Read {
    amount: f64,
    end: usize,
}

impl Reader<'_> {
    fn push(&mut self, amount: f64, run: Range<usize>, is_loose: bool, is_share: bool) {
        if amount.is_finite() {
            self.found.push(Numeral {
                amount,
                run,
                is_loose,
                is_share,
            });
        }
    }

    /// The numbers that begin with digits.
    fn of_digits(&mut self, at: usize, may_begin: bool) {
        let atoms = self.atoms;
        let Some(first) = atoms.digits(at) else {
            return;
        };
        let number = |text: &str| text.parse::<f64>().ok();
        // Behind letters it is part of a name: `Q3`.
        let is_attached = at > 0 && atoms.gap(at).is_empty() && !atoms.word(at - 1).is_empty();
        let mut read: Vec<(f64, usize, bool)> = Vec::new();
        let (grouped, group_end, sign) = self.grouped(at);
        let decimals = |start: usize, not: Option<char>| {
            let gap = atoms.gap(start);
            let is_point = matches!(gap, "." | "," | "\u{66b}" | "·") && not.is_none_or(|sign| !gap.starts_with(sign));
            atoms.digits(start).filter(|_| is_point)
        };
        let is_chain = |end: usize| {
            let gap = atoms.gap(end);
            atoms.digits(end).is_some() && matches!(gap, "." | ",")
        };
        if group_end > at + 1 {
            let behind = decimals(group_end, sign);
            let text = behind.map_or(grouped.clone(), |behind| format!("{grouped}.{behind}"));
            let end = group_end + usize::from(behind.is_some());
            read.extend(number(&text).map(|amount| (amount, end, false)));
            if group_end == at + 2 && matches!(sign, Some('.' | ',')) {
                let behind = atoms.digits(at + 1).unwrap_or_default();
                // Nobody writes 3 as `3,000`.
                let behind = if sign == Some(',') && behind == "000" {
                    ""
                } else {
                    behind
                };
                let amount = number(&format!("{first}.{behind}")).filter(|_| !behind.is_empty());
                read.extend(amount.map(|amount| (amount, at + 2, sign == Some(','))));
            }
        }
        if group_end == at + 1 || matches!(sign, Some(' ')) {
            match decimals(at + 1, None).filter(|_| !is_chain(at + 2)) {
                Some(behind) => {
                    let amount = number(&format!("{first}.{behind}"));
                    read.extend(amount.map(|amount| (amount, at + 2, false)));
                    if atoms.gap(at + 1) == "," {
                        read.extend(number(first).map(|amount| (amount, at + 1, false)));
                    }
                }
                None => {
                    let gap = atoms.gap(at);
                    let is_second = matches!(gap, "." | ",") && at > 0 && atoms.digits(at - 1).is_some();
                    if !is_second || is_chain(at + 1) || at > 1 && matches!(atoms.gap(at - 1), "." | ",") {
                        read.extend(number(first).map(|amount| (amount, at + 1, false)));
                    }
                }
            }
        }
        // `.25`
        let gap = atoms.gap(at);
        if gap.ends_with('.') && (at == 0 || gap.len() > 1) && !gap.ends_with("..") {
            read.extend(number(&format!("0.{first}")).map(|amount| (amount, at + 1, false)));
        }
        // `10^3`
        let is_multiplied = at > 0 && (is_times(atoms.gap(at)) || matches!(atoms.word(at - 1), "times" | "cdot" | "x"));
        if let Some((power, end)) = self.power_of_ten(at).filter(|_| !is_multiplied) {
            self.push(scaled(1.0, power), at..end, false, false);
        }
        for (amount, end, is_loose) in read {
            let is_loose = is_loose || is_attached && amount < 100.0;
            self.with_suffixes(Read { amount, end }, at, is_loose, may_begin);
        }
    }

    /// Digits in groups: all of them, the index behind them, and the sign between them.
    /// No number has more than seven; a longer run is a column of figures, and each is read by itself.
    fn grouped(&self, at: usize) -> (String, usize, Option<char>) {
        const MOST_GROUPS: usize = 7;
        let atoms = self.atoms;
        let first = atoms.digits(at).unwrap_or_default();
        let mut all = first.to_owned();
        let mut end = at + 1;
        let mut sign: Option<char> = None;
        while let Some(digits) = atoms
            .digits(end)
            .filter(|_| first.len() <= 3 && !first.starts_with('0'))
        {
            let mut gap = atoms.gap(end).chars();
            let (Some(between), None) = (gap.next(), gap.next()) else {
                break;
            };
            let parts = matches!(between, ',' | '.' | '\'' | '’' | '\u{2bc}' | ' ' | '_' | '٬' | '·')
                || between.is_whitespace();
            // In India `12,34,567`: groups of two and, at the end, one of three.
            let is_short = digits.len() == 2
                && between == ','
                && first.len() <= 2
                && atoms.digits(end + 1).is_some_and(|next| matches!(next.len(), 2 | 3))
                && atoms.gap(end + 1) == ",";
            if !parts || sign.is_some_and(|sign| sign != between) || !(digits.len() == 3 || is_short) {
                break;
            }
            if end - at == MOST_GROUPS {
                return (first.to_owned(), at + 1, None);
            }
            sign = Some(between);
            all.push_str(digits);
            end += 1;
        }
        (all, end, sign)
    }

    /// A number with what may stand behind it: `e3`, `million`, `th`, `%`, `/4`, `in 4`.
    fn with_suffixes(&mut self, read: Read, start: usize, is_loose: bool, may_scale: bool) {
        let atoms = self.atoms;
        let Read { amount, end } = read;
        let gap = atoms.gap(end);
        let word = atoms.word(end);
        let attached = gap.is_empty() && !word.is_empty();
        let ordinal = attached && matches!(word, "st" | "nd" | "rd" | "th");
        self.push(amount, start..end + usize::from(ordinal), is_loose, false);
        // `1.12e2`
        if attached && word == "e" {
            let power = atoms.digits(end + 1).and_then(|digits| digits.parse::<i32>().ok());
            let power = match (power, atoms.gap(end + 1)) {
                (Some(power), "" | "+") => Some(power),
                (Some(power), "-" | "\u{2212}") => Some(-power),
                _ => None,
            };
            if let Some(power) = power.filter(|power| power.abs() < 300) {
                self.push(scaled(amount, power), start..end + 2, is_loose, false);
            }
        }
        // `1.12 × 10^2`
        let power = self.times(end).and_then(|ten| self.power_of_ten(ten));
        if let Some((power, end)) = power {
            self.push(scaled(amount, power), start..end, is_loose, false);
        }
        let is_scaled = may_scale && (attached || joins(gap) && !is_short_scale(word));
        if let Some(by) = scale(word).filter(|_| is_scaled) {
            self.push(amount * by, start..end + 1, is_loose, false);
            // `12 hundred and 4`, `1 thousand 250`
            let rest_at = end + 1 + usize::from(atoms.word(end + 1) == "and");
            let rest = self.number_at(rest_at).filter(|rest| rest.amount < by);
            if let Some(rest) = rest.filter(|_| (end + 1..=rest_at).all(|at| joins(atoms.gap(at)))) {
                self.push(amount * by + rest.amount, start..rest.end, is_loose, false);
            }
        }
        self.shares(read, start, is_loose);
        self.mixed(read, start, is_loose);
    }

    /// A whole number and a fraction in words: `one and a half`, `two and three quarters`, `one and a half million`.
    fn mixed(&mut self, read: Read, start: usize, is_loose: bool) {
        let atoms = self.atoms;
        let Read { amount, end } = read;
        if atoms.word(end) != "and" || amount.fract() != 0.0 || !(end..end + 3).all(|at| joins(atoms.gap(at))) {
            return;
        }
        let above = match atoms.word(end + 1) {
            "a" | "an" => Some(1.0),
            word => small(word).map(f64::from),
        };
        let Some((above, below)) = above.zip(denominator(atoms.word(end + 2))) else {
            return;
        };
        if above < below {
            let (amount, end) = (amount + above / below, end + 3);
            self.push(amount, start..end, is_loose, true);
            let word = atoms.word(end);
            if let Some(by) = scale(word).filter(|_| joins(atoms.gap(end)) && !is_short_scale(word)) {
                self.push(amount * by, start..end + 1, is_loose, true);
            }
        }
    }

    /// The index of what a number is multiplied by, whose sign stands behind it: `× 10`, `*10`, `\\times 10`.
    fn times(&self, end: usize) -> Option<usize> {
        let atoms = self.atoms;
        let is_word = || {
            let (before, after) = (atoms.gap(end).trim(), atoms.gap(end + 1).trim());
            matches!(
                (before, atoms.word(end)),
                ("\\", "times" | "cdot") | ("", "x" | "times")
            ) && after.is_empty()
        };
        let at = if is_times(atoms.gap(end)) { end } else { end + 1 };
        (at == end || is_word()).then_some(at)
    }

    /// The power that ten is raised to, and the index behind it: `10^2`, `10²`, `10^{-2}`, `10**2`.
    fn power_of_ten(&self, at: usize) -> Option<(i32, usize)> {
        const MOST: i32 = 300;
        let atoms = self.atoms;
        if atoms.digits(at) != Some("10") {
            return None;
        }
        let gap: String = atoms.gap(at + 1).chars().filter(|c| !c.is_whitespace()).collect();
        let rest = gap.strip_prefix("**").or_else(|| gap.strip_prefix('^'))?;
        let sign = rest.trim_start_matches(['{', '(']);
        let power: i32 = atoms.digits(at + 1)?.parse().ok().filter(|power| *power < MOST)?;
        match sign {
            "" | "+" => Some((power, at + 2)),
            "-" | "\u{2212}" | "–" => Some((-power, at + 2)),
            _ => None,
        }
    }

    /// Percents and fractions.
    fn shares(&mut self, read: Read, start: usize, is_loose: bool) {
        let atoms = self.atoms;
        let Read { amount, end } = read;
        let gap = atoms.gap(end).trim_start();
        let sign = gap.chars().next();
        match sign {
            Some('%' | '٪' | '﹪') => self.push(amount / 100.0, start..end, is_loose, true),
            Some('‰') => self.push(amount / 1000.0, start..end, is_loose, true),
            _ => {}
        }
        let is_near = gap.is_empty() || gap == "-";
        match (atoms.word(end), atoms.word(end + 1)) {
            ("percent" | "pct" | "percentage" | "pc", _) if is_near => {
                self.push(amount / 100.0, start..end + 1, is_loose, true);
            }
            ("per", "cent" | "hundred") if is_near => self.push(amount / 100.0, start..end + 2, is_loose, true),
            _ => {}
        }
        // `1/4`, which is no part of a date.
        let slash = atoms.gap(end).trim();
        let is_slash = slash == "/" || slash.starts_with(FRACTION_SLASH) || slash == "\u{2215}";
        let is_chained = start > 0 && atoms.gap(start).trim() == "/" || atoms.gap(end + 1).trim() == "/";
        if is_slash
            && !is_chained
            && let Some(below) = atoms.digits(end).and_then(|digits| digits.parse::<f64>().ok())
            && below > 0.0
        {
            let share = amount / below;
            let is_whole = share.fract() == 0.0 && slash == "/";
            self.push(share, start..end + 1, is_loose || is_whole, true);
            // `2 1/2`
            if joins(atoms.gap(start))
                && share < 1.0
                && let Some(whole) = start.checked_sub(1).and_then(|before| atoms.digits(before))
                && let Ok(whole) = whole.parse::<f64>()
            {
                self.push(whole + share, start - 1..end + 1, is_loose, true);
            }
        }
        // `25 in a hundred`, `3 out of 4`
        let of = match (atoms.word(end), atoms.word(end + 1)) {
            ("in" | "of", "every" | "each") => Some((end + 2, false)),
            ("in", _) => Some((end + 1, false)),
            ("out", "of") => Some((end + 2, false)),
            ("of", _) => Some((end + 1, true)),
            _ => None,
        };
        if let Some((at, is_of)) = of
            && let Some(below) = self.number_at(at)
            && below.amount >= amount
            && below.amount > 1.0
        {
            self.push(amount / below.amount, start..below.end, is_loose || is_of, true);
        }
        // `three quarters`
        if joins(atoms.gap(end))
            && let Some(below) = denominator(atoms.word(end))
        {
            self.push(amount / below, start..end + 1, is_loose, true);
        }
    }

    /// A number in digits or words.
    fn number_at(&self, at: usize) -> Option<Read> {
        if let Some(digits) = self.atoms.digits(at) {
            return Some(Read {
                amount: digits.parse().ok()?,
                end: at + 1,
            });
        }
        self.worded(at).map(|(read, _)| read)
    }

    /// The number in words that begins at a run, and whether it is an ordinal.
    fn worded(&self, at: usize) -> Option<(Read, bool)> {
        let atoms = self.atoms;
        // Of the thousands before, and below a thousand.
        let (mut total, mut current) = (0.0, None::<f64>);
        let mut last_scale = f64::INFINITY;
        let mut end = at;
        let mut is_ordinal = false;
        // `a dozen`, `a full dozen`
        let begins_at = match (atoms.word(at), atoms.word(at + 1)) {
            ("a" | "an", "full" | "whole" | "round" | "good") => at + 2,
            ("a" | "an", _) => at + 1,
            _ => at,
        };
        let mut index = at;
        loop {
            let word = atoms.word(index);
            if index > at && !(joins(atoms.gap(index)) || atoms.gap(index) == ", " && last_scale < f64::INFINITY) {
                break;
            }
            if let Some(number) = small(word).map(f64::from) {
                let fits = match current {
                    None => true,
                    Some(current) => {
                        let rest = current % 100.0;
                        rest == 0.0 && current > 0.0
                            || number < 10.0 && number > 0.0 && rest >= 20.0 && rest % 10.0 == 0.0
                    }
                };
                if !fits {
                    break;
                }
                current = Some(current.unwrap_or(0.0) + number);
            } else if let Some(number) = small_ordinal(word).map(f64::from) {
                let rest = current.map(|current| current % 100.0);
                let fits = match rest {
                    None => total == 0.0 || index > at,
                    Some(rest) => rest == 0.0 || number < 10.0 && rest >= 20.0 && rest % 10.0 == 0.0,
                };
                if !fits {
                    break;
                }
                current = Some(current.unwrap_or(0.0) + number);
                is_ordinal = true;
                end = index + 1;
                break;
            } else if let Some(by) = scale(word.strip_suffix("th").unwrap_or(word)).filter(|_| word.len() > 3) {
                let bare = index == at || begins_at == index;
                if current.is_none() && !bare {
                    break;
                }
                let many = current.unwrap_or(1.0);
                if by <= 100.0 {
                    current = Some(many * by);
                } else if by < last_scale {
                    total += many * by;
                    current = None;
                    last_scale = by;
                } else {
                    break;
                }
                if word.ends_with("th") {
                    is_ordinal = true;
                    end = index + 1;
                    break;
                }
            } else if word == "and" && index > at && end == index {
                // Only between numbers.
                index += 1;
                continue;
            } else if index < begins_at {
                index += 1;
                continue;
            } else {
                break;
            }
            index += 1;
            end = index;
        }
        if end == at {
            return None;
        }
        let amount = total + current.unwrap_or(0.0);
        Some((Read { amount, end }, is_ordinal))
    }

    /// The numbers that begin with a word; gives the index behind the longest.
    fn of_words(&mut self, at: usize) -> usize {
        let atoms = self.atoms;
        let word = atoms.word(at);
        if let Some((_, amount)) = COUNTING.iter().find(|(known, _)| *known == word) {
            self.push(*amount, at..at + 1, true, false);
        }
        self.roman(at);
        if let Some((read, is_ordinal)) = self.worded(at) {
            let is_plain = read.end == at + 1;
            // `First, ...` and `a second` are said of other things.
            let is_loose = is_plain && (is_ordinal && read.amount < 3.0 || scale(word).is_some());
            if is_ordinal {
                self.push(read.amount, at..read.end, is_loose, false);
                // `a third` may be a share.
                let below =
                    denominator(atoms.word(at + 1)).filter(|_| matches!(word, "a" | "an") && read.end == at + 2);
                if let Some(below) = below {
                    self.push(1.0 / below, at..read.end, true, true);
                }
            } else {
                self.with_suffixes(read, at, is_loose, false);
            }
            self.year(at);
            self.hundreds(at);
            if is_ordinal && is_plain {
                return at + 1;
            }
            return read.end;
        }
        // `a quarter`, `half a dozen`, `half a million`
        let (below, is_loose) = match word {
            "a" | "an" => (at + 1, false),
            "half" => (at, false),
            // `quarter of them`, which is no first quarter of a year.
            "quarter" => {
                let is_counted = at > 0 && (may_count(atoms.word(at - 1)) || atoms.word(at - 1) == "last");
                (at, is_counted || atoms.word(at + 1) != "of")
            }
            _ => (at, true),
        };
        if let Some(by) = denominator(atoms.word(below)).filter(|_| below == at || joins(atoms.gap(below))) {
            self.push(1.0 / by, at..below + 1, is_loose, true);
            let of = below + 1..below + 3;
            let many = scale(atoms.word(of.start + 1)).filter(|_| !is_short_scale(atoms.word(of.start + 1)));
            if let Some(many) = many.filter(|_| by == 2.0 && atoms.word(of.start) == "a") {
                self.push(many / 2.0, at..of.end, false, false);
            }
        }
        at + 1
    }

    /// `nineteen ninety-nine`
    fn year(&mut self, at: usize) {
        let atoms = self.atoms;
        let Some(century) = small(atoms.word(at)).filter(|century| (10..=20).contains(century)) else {
            return;
        };
        if !joins(atoms.gap(at + 1)) {
            return;
        }
        let Some(tens) = small(atoms.word(at + 1)).filter(|tens| *tens >= 10) else {
            return;
        };
        let ones =
            small(atoms.word(at + 2)).filter(|ones| tens >= 20 && (1..10).contains(ones) && joins(atoms.gap(at + 2)));
        let end = at + 2 + usize::from(ones.is_some());
        self.push(
            f64::from(century * 100 + tens + ones.unwrap_or(0)),
            at..end,
            false,
            false,
        );
    }

    /// `four-fifty`
    fn hundreds(&mut self, at: usize) {
        let atoms = self.atoms;
        let digit = |at: usize| small(atoms.word(at)).filter(|digit| (1..10).contains(digit));
        let Some(hundreds) = digit(at).filter(|_| atoms.gap(at + 1) == "-") else {
            return;
        };
        let Some(rest) = small(atoms.word(at + 1)).filter(|rest| *rest >= 10) else {
            return;
        };
        let ones = digit(at + 2).filter(|_| rest >= 20 && joins(atoms.gap(at + 2)));
        let end = at + 2 + usize::from(ones.is_some());
        self.push(
            f64::from(hundreds * 100 + rest + ones.unwrap_or(0)),
            at..end,
            false,
            false,
        );
    }

    /// `1 1 2`, `one-one-two`: single digits, all parted alike.
    fn single_digits(&mut self, at: usize) {
        let atoms = self.atoms;
        let single = |index: usize| match atoms.get(index) {
            Some(atom) if atom.is_digits => Some(atom.text.as_str())
                .filter(|text| text.len() == 1)
                .map(str::to_owned),
            Some(atom) => small(&atom.text)
                .filter(|number| *number < 10)
                .map(|number| number.to_string()),
            None => None,
        };
        let gap = atoms.gap(at + 1);
        if !matches!(gap, " " | "-" | "." | "\u{2009}" | "_" | "**" | "__") {
            return;
        }
        let begins = at == 0 || single(at - 1).is_none() || atoms.gap(at) != gap;
        let mut all = String::new();
        let mut end = at;
        while let Some(digit) = single(end).filter(|_| begins && (end == at || atoms.gap(end) == gap)) {
            all.push_str(&digit);
            end += 1;
        }
        if (all.len() >= 3 || all.len() == 2 && gap == " ")
            && let Ok(amount) = all.parse()
        {
            self.push(amount, at..end, all.len() < 3, false);
        }
    }

    /// `CXII`
    fn roman(&mut self, at: usize) {
        let word = self.atoms.word(at);
        if word.len() >= 2
            && let Some(amount) = roman(word)
        {
            self.push(amount, at..at + 1, true, false);
        }
    }
}

/// Whether what stands between two numbers multiplies them.
fn is_times(gap: &str) -> bool {
    matches!(gap.trim(), "×" | "*" | "·" | "⋅" | "∙" | "∗" | "✕")
}

/// Moves the decimal point without what multiplying rounds off.
fn scaled(amount: f64, power: i32) -> f64 {
    format!("{amount}e{power}").parse().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests;
