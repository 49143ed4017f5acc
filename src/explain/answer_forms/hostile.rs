//! Texts and answers that would take for ever if a text were read anew for every word or value of it: what they take is counted,
//! since a clock says something else on a busy machine.

use super::*;
use crate::explain::text_words::tokens;
use crate::explain::work;

/// Answers with a piece of a text that comes again and again.
const AGAIN_AND_AGAIN: &[(&str, &str)] = &[
    ("111", "111 "),
    ("111", "1"),
    ("111", "0,1,"),
    ("1234567", "1 "),
    ("1250", "1{,}"),
    ("0.25", "1/4/"),
    ("112", "one hundred and "),
    ("112", "1.12 × 10^"),
    ("100", "10^2"),
    ("2021-03-05", "5 March 2020, 5.3.22 "),
    ("2021-03-05", "2021 "),
    ("14:30", "2:30 "),
    ("10-12", "10 to "),
    ("Petrel", "word "),
    ("Petrel", "a"),
    ("Petrel", "petrel"),
    ("Petrel", "P e t r e "),
    ("Petrel", "<b>P</b>"),
    ("Petrel", "<b"),
    ("Petrel", "&#x"),
    ("Petrel", "⟨U+"),
    ("Petrel", "Р"),
    ("Petrel", "e\u{336}"),
    ("Petrel", "[withheld] "),
    ("Petrel", "so so "),
    ("Petrel", "Petrel and "),
    ("Petrel", "where Petrel "),
    ("Petrel, Skua", "Skua and "),
    ("aaaaaaaa", "a "),
    ("a a a a a a a b", "a "),
    ("A, B", "A "),
    ("A, B", "A and "),
    ("John Smith", "John A. "),
    ("John Smith", "J. "),
    ("John Smith", "Smith "),
    ("John F. Kennedy", "Kennedy F. "),
    ("U.S.A.", "U.S."),
    ("Henry VIII", "Henry the "),
    ("(((((a", "("),
];

/// How much is looked at to find an answer in a text.
fn steps(forms: &AnswerForms, text: &str) -> usize {
    work::of(|| {
        forms.said_in(text);
        forms.said_in_step(text);
    })
}

fn again_and_again(piece: &str, bytes: usize) -> String {
    piece.repeat(bytes / piece.len())
}

#[test]
fn a_text_twice_as_long_takes_twice_the_steps() {
    // Long texts take tests long, and what is counted says as much of short ones.
    for (at, (answer, piece)) in AGAIN_AND_AGAIN.iter().enumerate() {
        let bytes = if at % 20 == 0 { 100_000 } else { 5_000 };
        let forms = AnswerForms::of(&Answer::Values(vec![(*answer).to_owned()]), "", |_| false).unwrap();
        let short = steps(&forms, &again_and_again(piece, bytes));
        let long = steps(&forms, &again_and_again(piece, 2 * bytes));
        assert!(short > bytes / 10, "{answer} {piece}: {short} are hardly counted");
        assert!(
            long * 10 <= short * 21,
            "{answer} in {piece:?} again and again: {short} steps, then {long}"
        );
    }
}

#[test]
fn a_value_that_a_text_has_not_takes_no_look_at_the_whole_of_it() {
    let names = |count: usize| -> Vec<String> { (0..count).map(|at| format!("v{at} w{at}")).collect() };
    let numbers = |count: usize| -> Vec<String> { (0..count).map(|at| (at * 7919).to_string()).collect() };
    let dates = |count: usize| -> Vec<String> {
        let date = |at: usize| format!("{}-0{}-1{}", 1900 + at % 100, 1 + at % 9, at % 10);
        (0..count).map(date).collect()
    };
    let letters = |count: usize| vec!["a".repeat(2_000); count];
    let of = |piece: &dyn Fn(usize) -> String, count: usize| (0..count).map(piece).collect::<String>();
    let texts = [
        (names(10), names(500), of(&|at| format!("v{at} x{at} "), 3_000)),
        (numbers(10), numbers(500), of(&|at| format!("{} ", at * 31), 5_000)),
        (dates(10), dates(500), "1 March 1950 and ".repeat(2_000)),
        (letters(1), letters(50), "b ".repeat(20_000)),
    ];
    for (few, many, text) in texts {
        let forms = |values: &[String]| AnswerForms::of(&Answer::Values(values.to_vec()), "", |_| false).unwrap();
        let (few, all) = (steps(&forms(&few), &text), steps(&forms(&many), &text));
        assert!(all <= 2 * few, "{}: {few} steps, then {all}", many[1]);
    }
    // Of those that are the same one is looked for, and the places of one that overlap are one.
    let text = "a ".repeat(20_000);
    let forms = AnswerForms::of(&Answer::Values(letters(50)), "", |_| false).unwrap();
    let one = AnswerForms::of(&Answer::Values(letters(1)), "", |_| false).unwrap();
    assert!(steps(&forms, &text) <= 2 * steps(&one, &text));
    assert!(steps(&one, &text) <= 100 * text.len());
}

#[test]
fn words_are_found_in_one_pass_over_a_text() {
    for piece in ["0,1,", "1", "1.", "a", "東", "1,a"] {
        let of = |bytes| work::of(|| assert!(!tokens(&again_and_again(piece, bytes)).is_empty()));
        let (short, long) = (of(100_000), of(200_000));
        assert!(long * 10 <= short * 21, "{piece}: {short}, then {long}");
    }
}
