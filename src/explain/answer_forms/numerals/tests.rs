//! Numbers read, loosely read, and not read.

use super::*;
use crate::explain::letters::letters;

fn read(text: &str, is_loose: bool) -> Vec<f64> {
    let found = numerals(&Atoms::of(&letters(text)));
    found
        .into_iter()
        .filter(|numeral| numeral.is_loose == is_loose)
        .map(|numeral| numeral.amount)
        .collect()
}

#[test]
fn numbers_are_read_however_they_are_written() {
    for (text, amount) in [
        ("112", 112.0),
        ("0112", 112.0),
        ("-112", 112.0),
        ("(112)", 112.0),
        ("112pax", 112.0),
        ("112th", 112.0),
        ("1.12e2", 112.0),
        ("1.12E+2", 112.0),
        ("1.12 × 10^2", 112.0),
        ("1.12 × 10²", 112.0),
        ("1.12*10^2", 112.0),
        ("1.12 x 10^2", 112.0),
        ("$1.12 \\times 10^{2}$", 112.0),
        ("1.12 \\cdot 10^{+2}", 112.0),
        ("11.2 · 10**1", 112.0),
        ("2.5 × 10^-1", 0.25),
        ("2.5 × 10⁻¹", 0.25),
        ("10^3", 1000.0),
        ("10³", 1000.0),
        ("1**1**2", 112.0),
        ("1 1 2", 112.0),
        ("1-1-2", 112.0),
        ("one-one-two", 112.0),
        ("one hundred and twelve", 112.0),
        ("One hundred twelve", 112.0),
        ("hundred-and-twelve", 112.0),
        ("a hundred and twelfth", 112.0),
        ("١١٢", 112.0),
        ("1,234.5", 1234.5),
        ("1.234,5", 1234.5),
        ("1 234,5", 1234.5),
        ("1'234.5", 1234.5),
        ("1\u{2009}234\u{2009}567", 1_234_567.0),
        ("12,34,567", 1_234_567.0),
        ("1.234.567", 1_234_567.0),
        ("1.2 million", 1_200_000.0),
        ("1.2M", 1_200_000.0),
        ("one million two hundred thousand", 1_200_000.0),
        ("two thousand and one", 2001.0),
        ("nineteen ninety-nine", 1999.0),
        ("twenty-third", 23.0),
        ("fiftieth", 50.0),
        ("third", 3.0),
        ("25%", 0.25),
        ("25 percent", 0.25),
        ("twenty-five per cent", 0.25),
        ("1/4", 0.25),
        ("¼", 0.25),
        ("2½", 2.5),
        ("2 1/2", 2.5),
        (".25", 0.25),
        ("0,25", 0.25),
        ("a quarter", 0.25),
        ("one fourth", 0.25),
        ("three-quarters", 0.75),
        ("one in four", 0.25),
        ("25 in a hundred", 0.25),
        ("25 out of 100", 0.25),
        ("half", 0.5),
        ("half a dozen", 6.0),
        ("two dozen", 24.0),
    ] {
        let read = read(text, false);
        assert!(
            read.iter().any(|found| (found - amount).abs() < 1e-9),
            "{text}: {read:?}"
        );
    }
}

#[test]
fn what_other_things_are_written_as_too_is_loose() {
    for (text, amount) in [
        ("CXII", 112.0),
        ("first", 1.0),
        ("none", 0.0),
        ("trio", 3.0),
        ("Q3", 3.0),
        ("4 2", 42.0),
        ("1 of 4", 0.25),
        ("6/2", 3.0),
    ] {
        assert!(read(text, true).contains(&amount), "{text}: {:?}", read(text, true));
        assert!(!read(text, false).contains(&amount), "{text}: {:?}", read(text, false));
    }
}

#[test]
fn nothing_else_is_read() {
    assert_eq!(read("no number in it, only words", false), Vec::<f64>::new());
    assert_eq!(read("3/4/2021", false), [3.0, 4.0, 2021.0]);
    assert_eq!(read("a b, an x", false), Vec::<f64>::new());
    assert_eq!(read("twenty, thirty", false), [20.0, 30.0]);
    assert_eq!(read("civil mix", true), [1009.0]);
}
