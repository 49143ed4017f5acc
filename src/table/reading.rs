//! Numbers and dates read out of a cell's text, beside the text and never instead of it.
//!
//! These readings are looser than the typed view: they take `1,234`, `$5`, `12%`, `70 km` and `5 May 1990`. They serve
//! whoever compares or explains cells; SQL columns are typed by [`super::value`] alone.

/// A number with what stands around it.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedNumber {
    /// The amount as written: a percentage is not divided, `million` is not multiplied.
    pub value: f64,
    /// A currency sign in front (or right behind), such as `$`.
    pub currency: Option<char>,
    /// Whether `%` stands behind.
    pub percent: bool,
    /// Words behind, such as `km` or `million people`.
    pub unit: Option<String>,
}

/// A date of which parts may be missing; at least two parts are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParsedDate {
    /// The year, four digits.
    pub year: Option<i32>,
    /// 1 to 12.
    pub month: Option<u8>,
    /// 1 to 31; not checked against the month.
    pub day: Option<u8>,
}

/// Reads the one number of a text. Commas count only where they part thousands (`1,234,567`); text with anything else
/// in it (`3-2`, `5 of 7`, `v8`) is no number.
pub fn parse_number(text: &str) -> Option<ParsedNumber> {
    let mut rest = text.trim();
    let mut negative = false;
    let mut signed = false;
    let mut currency = None;
    // A sign and a currency, in either order, once each.
    loop {
        let first = rest.chars().next()?;
        if matches!(first, '+' | '-' | '\u{2212}') && !signed {
            signed = true;
            negative = first != '+';
        } else if is_currency(first) && currency.is_none() {
            currency = Some(first);
        } else {
            break;
        }
        rest = rest[first.len_utf8()..].trim_start();
    }
    let (digits, behind) = split_digits(rest)?;
    let amount: f64 = digits
        .replace(',', "")
        .parse()
        .ok()
        .filter(|amount: &f64| amount.is_finite())?;
    let mut behind = behind.trim();
    let mut percent = false;
    if let Some(after) = behind.strip_prefix('%') {
        percent = true;
        behind = after.trim_start();
    } else if let Some(sign) = behind.chars().next().filter(|&sign| is_currency(sign)) {
        if currency.is_some() {
            return None;
        }
        currency = Some(sign);
        behind = behind[sign.len_utf8()..].trim_start();
    }
    let is_unit = |character: char| character.is_alphabetic() || matches!(character, ' ' | '.' | '/' | '²' | '³' | '°');
    let starts_word = |first: char| first.is_alphabetic() || first == '°';
    let is_words = behind.starts_with(starts_word) && behind.chars().all(is_unit);
    if !(behind.is_empty() || is_words) {
        return None;
    }
    Some(ParsedNumber {
        value: if negative { -amount } else { amount },
        currency,
        percent,
        unit: (!behind.is_empty()).then(|| behind.to_owned()),
    })
}

fn is_currency(character: char) -> bool {
    matches!(character, '$' | '¢'..='¥' | '\u{20a0}'..='\u{20cf}' | '\u{e3f}' | '\u{fdfc}')
}

/// The leading number, with its commas, and what follows it.
fn split_digits(text: &str) -> Option<(&str, &str)> {
    let end_of = |start: usize, wanted: fn(&u8) -> bool| {
        start + text.as_bytes()[start..].iter().take_while(|&byte| wanted(byte)).count()
    };
    let mut end = end_of(0, u8::is_ascii_digit);
    let leading = end;
    let mut groups = 0;
    while text[end..].starts_with(',') && end_of(end + 1, u8::is_ascii_digit) > end + 1 {
        if end_of(end + 1, u8::is_ascii_digit) != end + 4 {
            return None;
        }
        end += 4;
        groups += 1;
    }
    if groups > 0 && !(1..=3).contains(&leading) {
        return None;
    }
    if text[end..].starts_with('.') {
        let fraction_end = end_of(end + 1, u8::is_ascii_digit);
        if fraction_end > end + 1 {
            end = fraction_end;
        }
    }
    (end > 0).then(|| text.split_at(end))
}

/// The months in English, in small letters.
pub(crate) const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Reads a date: `1990-05-17`, `1990-05`, `May 17, 1990`, `17 May 1990`, `May 1990`, `17 May` or `May 17`; month names in
/// English, three letters or more. A year alone is a number. `5/6/1990` is left alone: nothing says which is the month.
pub fn parse_date(text: &str) -> Option<ParsedDate> {
    let text = text.trim();
    iso_date(text).or_else(|| worded_date(text))
}

fn iso_date(text: &str) -> Option<ParsedDate> {
    let mut parts = text.split('-');
    let year = year(parts.next()?)?;
    let month = parts.next().filter(|part| part.len() == 2).and_then(month_number)?;
    let day = match parts.next() {
        None => None,
        Some(part) => Some(Some(part).filter(|part| part.len() == 2).and_then(day)?),
    };
    parts.next().is_none().then_some(ParsedDate {
        year: Some(year),
        month: Some(month),
        day,
    })
}

fn worded_date(text: &str) -> Option<ParsedDate> {
    let words: Vec<&str> = text
        .split(|character: char| character.is_whitespace() || character == ',')
        .filter(|word| !word.is_empty())
        .collect();
    let (month_at, month) = words
        .iter()
        .enumerate()
        .find_map(|(index, word)| Some((index, month_name(word)?)))?;
    let (day, year) = match (month_at, words.as_slice()) {
        (0, [_, number]) => (day(number), year(number)),
        (0, [_, first, second]) => (Some(day(first)?), Some(year(second)?)),
        (1, [number, _]) => (Some(day(number)?), None),
        (1, [first, _, second]) => (Some(day(first)?), Some(year(second)?)),
        _ => return None,
    };
    (day.is_some() || year.is_some()).then_some(ParsedDate {
        year,
        month: Some(month),
        day,
    })
}

fn month_name(word: &str) -> Option<u8> {
    let word = word.trim_end_matches('.').to_lowercase();
    let index = MONTHS
        .iter()
        .position(|month| word.len() >= 3 && (month.starts_with(&word) || word == "sept" && *month == "september"))?;
    u8::try_from(index + 1).ok()
}

fn month_number(text: &str) -> Option<u8> {
    digits(text)?.parse().ok().filter(|month| (1..=12).contains(month))
}

fn day(text: &str) -> Option<u8> {
    digits(text)?.parse().ok().filter(|day| (1..=31).contains(day))
}

fn year(text: &str) -> Option<i32> {
    digits(text).filter(|text| text.len() == 4)?.parse().ok()
}

fn digits(text: &str) -> Option<&str> {
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    fn amount(text: &str) -> Option<f64> {
        parse_number(text).map(|number| number.value)
    }

    #[test]
    fn numbers_with_what_stands_around_them() {
        assert_eq!(amount("1,234,567.5"), Some(1_234_567.5));
        assert_eq!(amount(" \u{2212}3 "), Some(-3.0));
        let price = parse_number("-$1,200").unwrap();
        assert_eq!((price.value, price.currency), (-1200.0, Some('$')));
        assert_eq!(parse_number("5 €").unwrap().currency, Some('€'));
        assert!(parse_number("12.5%").unwrap().percent);
        assert_eq!(parse_number("70 km/h").unwrap().unit.as_deref(), Some("km/h"));
        assert_eq!(parse_number("$1.5 billion").unwrap().unit.as_deref(), Some("billion"));
        assert_eq!(parse_number("11th").unwrap().unit.as_deref(), Some("th"));
        assert_eq!(amount(".5"), Some(0.5));
        assert_eq!(amount("2012."), None);
    }

    #[test]
    fn other_texts_are_no_numbers() {
        for text in [
            "", "-", "3-2", "5 of 7", "v8", "1,23", "1234,567", "12,3456", "1.2.3", "--1", "$$5", "$5€", "1:30", "%",
        ] {
            assert_eq!(parse_number(text), None, "{text:?}");
        }
    }

    #[test]
    fn dates_with_missing_parts() {
        let date = |year, month, day| Some(ParsedDate { year, month, day });
        assert_eq!(parse_date("1990-05-17"), date(Some(1990), Some(5), Some(17)));
        assert_eq!(parse_date("1990-05"), date(Some(1990), Some(5), None));
        assert_eq!(parse_date("May 17, 1990"), date(Some(1990), Some(5), Some(17)));
        assert_eq!(parse_date("17 Sept. 1990"), date(Some(1990), Some(9), Some(17)));
        assert_eq!(parse_date("march 1990"), date(Some(1990), Some(3), None));
        assert_eq!(parse_date("17 May"), date(None, Some(5), Some(17)));
        for text in [
            "1990",
            "5/6/1990",
            "May",
            "may be",
            "1990-13-01",
            "32 May 1990",
            "1990-05-17-1",
            "ma 1990",
            "1990 may",
        ] {
            assert_eq!(parse_date(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in "(?s).{0,20}|[0-9,.$%€ a-c−+-]{0,12}") {
            if let Some(number) = parse_number(&text) {
                prop_assert!(number.value.is_finite());
                prop_assert!(text.contains(|character: char| character.is_ascii_digit()));
            }
            if let Some(date) = parse_date(&text) {
                prop_assert!([date.year.is_some(), date.month.is_some(), date.day.is_some()].iter().filter(|&&part| part).count() >= 2);
            }
        }

        #[test]
        fn thousands_commas_do_not_change_the_amount(number in 0_u32..) {
            let plain = number.to_string();
            let mut parted = String::new();
            for (index, digit) in plain.chars().enumerate() {
                if index > 0 && (plain.len() - index) % 3 == 0 {
                    parted.push(',');
                }
                parted.push(digit);
            }
            prop_assert_eq!(amount(&parted), Some(f64::from(number)));
            prop_assert_eq!(amount(&plain), Some(f64::from(number)));
        }
    }
}
