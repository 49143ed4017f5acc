//! Roman numerals.

/// The number of a Roman numeral in its usual form, below 4000.
pub(in crate::explain::answer_forms) fn roman(word: &str) -> Option<f64> {
    const SIGNS: &[(&str, u32)] = &[
        ("m", 1000),
        ("cm", 900),
        ("d", 500),
        ("cd", 400),
        ("c", 100),
        ("xc", 90),
        ("l", 50),
        ("xl", 40),
        ("x", 10),
        ("ix", 9),
        ("v", 5),
        ("iv", 4),
        ("i", 1),
    ];
    if word.len() > 15 || !word.chars().all(|letter| "ivxlcdm".contains(letter)) {
        return None;
    }
    let mut rest = word;
    let mut number = 0;
    for (sign, value) in SIGNS {
        let most = if sign.len() == 1 && !matches!(*sign, "d" | "l" | "v") {
            3
        } else {
            1
        };
        for _ in 0..most {
            if let Some(after) = rest.strip_prefix(sign) {
                number += value;
                rest = after;
            }
        }
    }
    rest.is_empty().then(|| f64::from(number))
}
