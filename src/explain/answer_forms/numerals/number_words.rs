//! Words that numbers are written with in English: what each counts, multiplies by or divides by.

use crate::explain::text_words::NUMBER_WORDS;

/// Zero to nineteen.
const ONES: &[&str] = NUMBER_WORDS.split_at(20).0;

const TENS: &[&str] = &[
    "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
];

const ORDINALS: &[&str] = &[
    "zeroth",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
];

/// Words of everyday things that count as well; they tell only where they are stated.
pub(super) const COUNTING: &[(&str, f64)] = &[
    ("nil", 0.0),
    ("no", 0.0),
    ("none", 0.0),
    ("nothing", 0.0),
    ("nought", 0.0),
    ("single", 1.0),
    ("sole", 1.0),
    ("once", 1.0),
    ("both", 2.0),
    ("couple", 2.0),
    ("duo", 2.0),
    ("pair", 2.0),
    ("twice", 2.0),
    ("thrice", 3.0),
    ("trio", 3.0),
    ("quartet", 4.0),
    ("quintet", 5.0),
];

/// The whole number that a word writes by itself, below a hundred.
pub(super) fn small(word: &str) -> Option<u32> {
    let index = |list: &[&str]| {
        list.iter()
            .position(|known| *known == word)
            .and_then(|at| u32::try_from(at).ok())
    };
    index(ONES).or_else(|| index(TENS).map(|at| (at + 2) * 10))
}

/// The same of an ordinal.
pub(super) fn small_ordinal(word: &str) -> Option<u32> {
    let index = ORDINALS.iter().position(|known| *known == word);
    let tens = || {
        let stem = word.strip_suffix("ieth")?;
        let at = TENS.iter().position(|tens| tens.strip_suffix('y') == Some(stem))?;
        Some((at + 2) * 10)
    };
    index.or_else(tens).and_then(|number| u32::try_from(number).ok())
}

/// What a word multiplies by.
pub(super) fn scale(word: &str) -> Option<f64> {
    let singular = word.strip_suffix('s').unwrap_or(word);
    Some(match singular {
        "hundred" => 1e2,
        "thousand" | "k" => 1e3,
        "lakh" | "lac" => 1e5,
        "million" | "mio" | "mil" | "mn" | "m" => 1e6,
        "crore" => 1e7,
        "billion" | "bn" | "b" => 1e9,
        "trillion" | "tn" => 1e12,
        "dozen" => 12.0,
        _ => return None,
    })
}

pub(super) fn is_short_scale(word: &str) -> bool {
    matches!(word, "k" | "m" | "b" | "mn" | "bn" | "tn" | "mio" | "mil")
}

/// What a word divides by.
pub(super) fn denominator(word: &str) -> Option<f64> {
    let singular = match word {
        "halves" => "half",
        word => word.strip_suffix('s').unwrap_or(word),
    };
    Some(match singular {
        "half" => 2.0,
        "quarter" => 4.0,
        "hundredth" => 100.0,
        "thousandth" => 1000.0,
        _ => f64::from(small_ordinal(singular).filter(|number| *number > 2)?),
    })
}

/// The ordinal of a number below twenty in words.
pub(in crate::explain::answer_forms) fn ordinal(number: u32) -> Option<&'static str> {
    ORDINALS.get(usize::try_from(number).ok()?).copied()
}
