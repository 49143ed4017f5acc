//! The same value in other words: with `and` for `&` or between two measures, without its article or what stands in brackets, with a Roman number for
//! an Arabic one or an ordinal.

use super::EMPTY_WORDS;
use super::numerals::{ordinal, roman};
use super::text::Text;

/// Words that a value may have in place of its own.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wording {
    /// The words.
    pub(super) words: Vec<String>,
    /// Whether they tell only with capital letters, since anything is written so.
    pub(super) is_capital: bool,
}

/// The other wordings of a value.
pub(super) fn wordings(value: &Text<'_>) -> Vec<Wording> {
    let words: Vec<&str> = value.tokens.iter().map(|token| token.text.as_str()).collect();
    let mut all = Vec::new();
    let mut push = |words: Vec<String>, is_capital: bool| all.push(Wording { words, is_capital });
    if let Some(words) = with_and(value) {
        push(words, false);
    }
    if let Some(words) = without_brackets(value) {
        push(words, false);
    }
    if let Some(words) = titled(&words) {
        push(words, false);
    }
    for words in quarters(&words) {
        push(words, false);
    }
    // `3 hours 20 minutes`
    let is_number = |at: usize| {
        words
            .get(at)
            .is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if let [_, unit, rest @ .., _, _] = words.as_slice()
        && is_number(0)
        && is_number(words.len() - 2)
        && !unit.starts_with(|c: char| c.is_ascii_digit())
        && rest.iter().all(|word| *word == "and")
    {
        let (before, last) = (&words[..2], &words[words.len() - 2..]);
        let between: &[&str] = if rest.is_empty() { &["and"] } else { &[] };
        let words = before.iter().chain(between).chain(last);
        push(words.map(|word| (*word).to_owned()).collect(), false);
    }
    // `The Beatles`
    if let ["the", rest @ ..] = words.as_slice()
        && rest.concat().chars().count() >= 5
        && !rest.iter().all(|word| EMPTY_WORDS.contains(word))
    {
        push(rest.iter().map(|word| (*word).to_owned()).collect(), true);
    }
    for (at, word) in words.iter().enumerate().skip(1) {
        let with = |number: &[&str]| -> Vec<String> {
            let before = words[..at].iter().chain(number);
            before.chain(&words[at + 1..]).map(|word| (*word).to_owned()).collect()
        };
        let is_of_letters = words[at - 1].chars().any(char::is_alphabetic);
        let read = || roman_in_capitals(value, at, word);
        let amount = word.parse::<u32>().ok().filter(|_| is_of_letters).or_else(read);
        let Some(number) = amount.filter(|number| (1..MOST).contains(number)) else {
            continue;
        };
        let digits = number.to_string();
        let (in_words, in_letters) = (ordinal(number), roman_of(number));
        if digits == *word {
            push(with(&[&in_letters]), in_letters.len() == 1);
        } else {
            // `Henry VIII`
            push(with(&[&digits]), false);
            let ending = match (number % 10, number / 10) {
                (_, 1) => "th",
                (1, _) => "st",
                (2, _) => "nd",
                (3, _) => "rd",
                _ => "th",
            };
            push(with(&["the", &format!("{digits}{ending}")]), false);
            if let Some(in_words) = in_words {
                push(with(&["the", in_words]), false);
            }
        }
    }
    all
}

/// `Mister Bean` for `Mr. Bean`, and the other way round.
fn titled(words: &[&str]) -> Option<Vec<String>> {
    const TITLES: &[(&str, &str)] = &[
        ("mr", "mister"),
        ("mrs", "missus"),
        ("dr", "doctor"),
        ("st", "saint"),
        ("ste", "sainte"),
        ("mt", "mount"),
        ("ft", "fort"),
        ("prof", "professor"),
        ("capt", "captain"),
        ("sgt", "sergeant"),
        ("lt", "lieutenant"),
        ("gen", "general"),
        ("col", "colonel"),
        ("gov", "governor"),
        ("sen", "senator"),
        ("rev", "reverend"),
    ];
    let (first, rest) = words.split_first().filter(|(_, rest)| !rest.is_empty())?;
    let is_name = rest.iter().any(|word| word.chars().any(char::is_alphabetic));
    let other = TITLES.iter().find_map(|(short, long)| match *first {
        word if word == *short => Some(*long),
        word if word == *long => Some(*short),
        _ => None,
    });
    let other = other.filter(|_| is_name)?;
    Some(
        std::iter::once(other)
            .chain(rest.iter().copied())
            .map(str::to_owned)
            .collect(),
    )
}

/// `quarter 3`, `3Q` and `third quarter` for `Q3`.
fn quarters(words: &[&str]) -> Vec<Vec<String>> {
    let Some((at, number)) = words.iter().enumerate().find_map(|(at, word)| {
        let number = word.strip_prefix('q')?.parse::<u32>().ok()?;
        (1..=4).contains(&number).then_some((at, number))
    }) else {
        return Vec::new();
    };
    let digits = number.to_string();
    let with_ending = format!("{digits}{}", ["st", "nd", "rd", "th"][number as usize - 1]);
    let in_words = ordinal(number).unwrap_or_default();
    let attached = format!("{digits}q");
    let instead: [&[&str]; 5] = [
        &["quarter", &digits],
        &[&digits, "q"],
        &[&attached],
        &[&with_ending, "quarter"],
        &[in_words, "quarter"],
    ];
    let with = |number: &&[&str]| {
        let all = words[..at].iter().chain(number.iter()).chain(&words[at + 1..]);
        all.map(|word| (*word).to_owned()).collect()
    };
    instead.iter().map(with).collect()
}

/// Kings and wars are not counted beyond.
const MOST: u32 = 40;

/// The number that a Roman numeral of a value is, if it is in capitals. One of a single letter may be any letter but I, V and X.
fn roman_in_capitals(value: &Text<'_>, at: usize, word: &str) -> Option<u32> {
    let raw = value.raw(&value.tokens.get(at)?.place);
    let is_roman = raw.chars().all(char::is_uppercase) && (word.len() > 1 || matches!(word, "i" | "v" | "x"));
    let number = roman(word).filter(|_| is_roman)?;
    (1..MOST).find(|small| f64::from(*small) == number)
}

/// A number below [`MOST`] as a Roman numeral, in small letters.
fn roman_of(mut number: u32) -> String {
    let mut text = String::new();
    for (value, sign) in [(10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")] {
        while number >= value {
            text.push_str(sign);
            number -= value;
        }
    }
    text
}

/// The words of a value with `and` for each `&` between them, if there is one.
fn with_and(value: &Text<'_>) -> Option<Vec<String>> {
    let mut words = Vec::new();
    for (at, token) in value.tokens.iter().enumerate() {
        if at > 0 && value.gap(at).trim() == "&" {
            words.push("and".to_owned());
        }
        words.push(token.text.clone());
    }
    (words.len() > value.tokens.len()).then_some(words)
}

/// The words of a value in front of the brackets that it ends with, if they say something: `John Smith (USA)`.
fn without_brackets(value: &Text<'_>) -> Option<Vec<String>> {
    const SHORTEST: usize = 4;
    let text = value.text.trim_end();
    let inner = text.strip_suffix(')').or_else(|| text.strip_suffix(']'))?;
    let opens = inner.rfind(['(', '['])?;
    let words: Vec<String> = value
        .tokens
        .iter()
        .filter(|token| token.place.end <= opens)
        .map(|token| token.text.clone())
        .collect();
    let says_something = |word: &String| word.chars().all(char::is_alphabetic) && !EMPTY_WORDS.contains(&word.as_str());
    let letters: usize = words
        .iter()
        .filter(|word| says_something(word))
        .map(|word| word.chars().count())
        .sum();
    (letters >= SHORTEST && words.len() < value.tokens.len()).then_some(words)
}
