//! One value: a number, a date or a string, with the normal form of its text.

use super::normalize::{is_python_space, lower_case, normalize};

/// Distance below which a number counts as whole, and two numbers as equal.
const CLOSE: f64 = 1e-6;

/// The amount of a number. Whole amounts are exact whatever their size.
#[derive(Clone, Debug, PartialEq)]
pub enum Amount {
    /// A whole number in decimal digits, `-` in front of negative ones, without leading zeros.
    Whole(String),
    /// A number at least 1e-6 away from every whole one.
    Fraction(f64),
}

impl Amount {
    /// A finite real: truncated, not rounded, when it is within 1e-6 of a whole number.
    fn of_real(real: f64) -> Self {
        if (real - real.round()).abs() < CLOSE {
            let digits = format!("{:.0}", real.trunc());
            Self::Whole(if digits == "-0" { "0".to_owned() } else { digits })
        } else {
            Self::Fraction(real)
        }
    }

    fn is_close(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Whole(one), Self::Whole(other)) => one == other,
            _ => (self.as_real() - other.as_real()).abs() < CLOSE,
        }
    }

    /// The nearest real.
    pub fn as_real(&self) -> f64 {
        match self {
            Self::Whole(digits) => digits.parse().unwrap_or(f64::NAN),
            Self::Fraction(real) => *real,
        }
    }
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A number.
    Number(Amount),
    /// A date with at least a month or a day; -1 stands for an unknown part.
    Date {
        /// Year, any whole number.
        year: i64,
        /// 1 to 12, or -1.
        month: i64,
        /// 1 to 31, or -1.
        day: i64,
    },
    /// Anything else.
    Text,
}

/// A value of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct DenotationValue {
    /// Number, date or string.
    pub kind: Kind,
    /// The normal form of its text.
    pub normalized: String,
}

impl DenotationValue {
    /// Reads a value from its canonical form (from `text` when that is missing or empty).
    pub fn parse(text: &str, canon: Option<&str>) -> Self {
        let source = canon.filter(|canon| !canon.is_empty()).unwrap_or(text);
        let kind = match (read_number(source), read_date(source)) {
            (Some(amount), _) => Kind::Number(amount),
            (
                None,
                Some(Kind::Date {
                    year,
                    month: -1,
                    day: -1,
                }),
            ) => Kind::Number(Amount::Whole(year.to_string())),
            (None, Some(date)) => date,
            (None, None) => Kind::Text,
        };
        let normalized = if text.is_empty() {
            kind.written_out()
        } else {
            normalize(text)
        };
        Self { kind, normalized }
    }

    /// Whether both are the same member of a set of values.
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.kind, &other.kind) {
            (Kind::Text, Kind::Text) => self.normalized == other.normalized,
            (Kind::Text, _) | (_, Kind::Text) => false,
            (one, other) => one == other,
        }
    }

    /// What equal values share and no others: [`DenotationValue::is_same`] as a key.
    pub(super) fn identity(&self) -> String {
        match &self.kind {
            Kind::Text => format!("text {}", self.normalized),
            Kind::Number(Amount::Whole(digits)) => format!("whole {digits}"),
            // Adding zero makes -0 and 0 one; no other finite reals are equal with different bits.
            Kind::Number(Amount::Fraction(real)) => format!("fraction {:x}", (real + 0.0).to_bits()),
            Kind::Date { year, month, day } => format!("date {year} {month} {day}"),
        }
    }

    /// Whether a predicted value matches this gold value.
    pub fn matches(&self, predicted: &Self) -> bool {
        self.normalized == predicted.normalized
            || match (&self.kind, &predicted.kind) {
                (Kind::Number(one), Kind::Number(other)) => one.is_close(other),
                (one @ Kind::Date { .. }, other) => one == other,
                _ => false,
            }
    }
}

impl Kind {
    /// What the evaluator compares when a value has a canonical form but no text.
    fn written_out(&self) -> String {
        let part = |number: &i64| {
            if *number == -1 {
                "xx".to_owned()
            } else {
                number.to_string()
            }
        };
        match self {
            Self::Number(Amount::Whole(digits)) => digits.clone(),
            Self::Number(Amount::Fraction(real)) => twelve_digits(*real),
            // The evaluator writes an unknown day as -1.
            Self::Date { year, month, day } => format!("{}-{}-{day}", part(year), part(month)),
            Self::Text => String::new(),
        }
    }
}

/// `str` of a Python 2 float: 12 significant digits.
fn twelve_digits(real: f64) -> String {
    let scientific = format!("{real:.11e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |digits: &str| digits.trim_end_matches('0').trim_end_matches('.').to_owned();
    if (-4..12).contains(&exponent) {
        let decimals = usize::try_from(11 - exponent).unwrap_or(0);
        trimmed(&format!("{real:.decimals$}"))
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", trimmed(mantissa), exponent.abs())
    }
}

/// A plain number as Python 2's `int` or `float` reads it; infinities and NaN are none.
fn read_number(text: &str) -> Option<Amount> {
    let text = python_decimal(text)?;
    if let Some(digits) = whole_number(&text) {
        return Some(Amount::Whole(digits));
    }
    let text = text.trim_matches(' ');
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let plain = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-');
    if !unsigned.bytes().all(plain) || unsigned.starts_with(['e', 'E', '+', '-']) {
        return None;
    }
    text.parse()
        .ok()
        .filter(|real: &f64| real.is_finite())
        .map(Amount::of_real)
}

/// A date: three parts joined by `-`, each a whole number or unknown, not all unknown.
fn read_date(text: &str) -> Option<Kind> {
    let lower: String = text.chars().map(lower_case).collect();
    let parts: Vec<&str> = lower.split('-').collect();
    let [year, month, day] = parts.as_slice() else {
        return None;
    };
    let number = |part: &str| whole_number(&python_decimal(part)?)?.parse::<i64>().ok();
    let year = if matches!(*year, "xx" | "xxxx") {
        -1
    } else {
        number(year)?
    };
    let month = if *month == "xx" { -1 } else { number(month)? };
    let day = if *day == "xx" { -1 } else { number(day)? };
    let known = year != -1 || month != -1 || day != -1;
    let in_range = (month == -1 || (1..=12).contains(&month)) && (day == -1 || (1..=31).contains(&day));
    (known && in_range).then_some(Kind::Date { year, month, day })
}

/// Python 2's `int`, on text already turned to ASCII: it lets blanks stand behind the sign.
fn whole_number(text: &str) -> Option<String> {
    let text = text.trim_matches(' ');
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = digits.trim_start_matches(' ');
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    match digits.trim_start_matches('0') {
        "" => Some("0".to_owned()),
        digits if negative => Some(format!("-{digits}")),
        digits => Some(digits.to_owned()),
    }
}

/// What Python 2 makes of a text before it reads a number: blanks of every kind become a plain one, decimal digits of
/// every script ASCII ones; another character beyond Latin-1 (or NUL) makes it no number.
fn python_decimal(text: &str) -> Option<String> {
    text.chars()
        .map(|character| match character {
            _ if is_python_space(character) => Some(' '),
            '\u{1}'..='\u{ff}' => Some(character),
            _ => decimal_digit(character),
        })
        .collect()
}

/// First digits of the decimal digits of Unicode 5.2 (category Nd), apart from ASCII and the mathematical ones.
const ZEROS: [u32; 35] = [
    0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0e50, 0x0ed0,
    0x0f20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620,
    0xa8d0, 0xa900, 0xa9d0, 0xaa50, 0xabf0, 0xff10, 0x104a0,
];

fn decimal_digit(character: char) -> Option<char> {
    let code = u32::from(character);
    let digit = if (0x1d7ce..=0x1d7ff).contains(&code) {
        (code - 0x1d7ce) % 10
    } else {
        ZEROS
            .iter()
            .find_map(|&zero| code.checked_sub(zero).filter(|&digit| digit < 10))?
    };
    char::from_digit(digit, 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn amount(text: &str) -> Option<f64> {
        read_number(text).map(|amount| amount.as_real())
    }

    #[test]
    fn only_plain_numbers() {
        for (text, real) in [
            (" 5\u{a0}", 5.0),
            ("+5.", 5.0),
            (".5", 0.5),
            ("1E+3", 1000.0),
            ("٤", 4.0),
            ("１２.５", 12.5),
            ("- 5", -5.0),
            ("007", 7.0),
            ("2.9999999", 2.0),
            ("-2.9999999", -2.0),
            ("3.0000012", 3.000_001_2),
        ] {
            assert_eq!(amount(text), Some(real), "{text:?}");
        }
        for text in [
            "", " ", "1,234", "12%", "$5", "1_000", "inf", "nan", "0x1f", "1e400", "- 5.5", "½", "5\u{0}", "e5", "--5",
        ] {
            assert_eq!(read_number(text), None, "{text:?}");
        }
        let long = "9".repeat(40);
        assert_eq!(read_number(&long), Some(Amount::Whole(long)));
    }

    #[test]
    fn dates_have_three_parts() {
        let date = |year, month, day| Some(Kind::Date { year, month, day });
        assert_eq!(read_date("1990-05-31"), date(1990, 5, 31));
        assert_eq!(read_date("XXXX-02-30"), date(-1, 2, 30));
        assert_eq!(read_date("xx-xx-05"), date(-1, -1, 5));
        assert_eq!(read_date(" 1990 - 5 - xx"), None);
        assert_eq!(read_date("1990 - 5 -5"), date(1990, 5, 5));
        for text in [
            "xx-xx-xx",
            "1990-13-01",
            "1990-01-32",
            "1990-01",
            "1990-01-01-01",
            "1990/01/01",
            "xxx-01-01",
        ] {
            assert_eq!(read_date(text), None, "{text:?}");
        }
        let year = DenotationValue::parse("1990-xx-xx", None);
        assert_eq!(year.kind, Kind::Number(Amount::Whole("1990".to_owned())));
    }

    #[test]
    fn a_canonical_form_without_text_is_written_out() {
        let written = |canon| DenotationValue::parse("", Some(canon)).normalized;
        assert_eq!(written("5.0"), "5");
        assert_eq!(written("0.1"), "0.1");
        assert_eq!(written("60.450002000000005"), "60.450002");
        assert_eq!(written("0.00001234"), "1.234e-05");
        assert_eq!(written("xx-05-xx"), "xx-5--1");
        assert_eq!(written("oak"), "");
    }
}
