//! Sentences that take back what was said before them: after one of these a verdict no longer stands, whatever comes
//! instead.

use std::sync::LazyLock;

use regex::Regex;

use super::visible::pattern;

/// A sentence that begins by turning back: `Hmm, no - ...`, `Edit: ...`, `Wait, ...`. A word that is common in plain
/// sentences (`no`, `edit`, `correction`) needs a mark behind it.
static TURNS_BACK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^\W*(?:(?:hm+|well|oh|ah|but|ok|okay|so|and|uh|um+|er)\b\W*)*(?:(?:no|nope)\s*[,;:\u{2013}\u{2014}-]|(?:edit|update|revision|addendum|correction|erratum|amendment|retraction)\s*[,.;:!\u{2013}\u{2014}-]|(?:wait|hold on|hang on|oops|scratch that|strike that|forget that|i was wrong|i stand corrected|i misread|i misspoke|my mistake|my apologies|on (?:second thoughts?|reflection|closer inspection)|come to think of it|actually no)\b)",
    )
});
/// A sentence that says of the verdict that it is to be another one.
static REVERSES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?ix)\b(?:
            (?:my|the|this|that|above|previous|earlier|first)\ (?:\w+\ ){0,2}(?:verdict|answer|ranking|scores?|decision|judge?ment|assessment|guess)\b[^.;]{0,40}\b(?:opposite|reversed?|flipped|swapped|wrong\ way|the\ other\ way|not\ stand|no\ longer|void|withdrawn|retracted|overturned|mistaken|too\ (?:hasty|generous|harsh))\b
            | (?:reverse|flip|swap|switch|change|withdraw|retract|revise|overturn|disregard|ignore|discard|cancel|invert|undo)\ (?:my|the|this|that|those|these|both|it)\b[^.;]{0,30}\b(?:verdict|answer|ranking|scores?|mind|decision|judge?ment|assessment|guess|order|first\ two|last\ two|two|above)\b
            | (?:changed|changing|change)\ my\ mind
            | take\ (?:it|that|this|my\ \w+|the\ \w+)\ back
            | (?:opposite|reverse|contrary|inverse)\ (?:is\ (?:true|right|the\ case)|of\ (?:what\ i|my|the\ above|that|this))
            | (?:i\ )?meant\ (?:to\ say|to\ write|the\ (?:opposite|other|reverse))
            | the\ other\ way\ (?:a)?round
        )",
    )
});

/// Whether a sentence takes back the verdict before it.
pub(super) fn takes_back(sentence: &str) -> bool {
    TURNS_BACK.is_match(sentence) || REVERSES.is_match(sentence)
}

/// The first of these lines that takes back what was said before them, by a sentence of its own.
pub(super) fn first_taking_back(lines: &[String]) -> Option<&str> {
    lines
        .iter()
        .flat_map(|line| line.split_inclusive(['.', '!', '?']))
        .find(|sentence| takes_back(sentence))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_that_take_back_and_those_that_go_on() {
        for sentence in [
            "Hmm, no - the count is off by one.",
            "Edit: on a second look my verdict should be the opposite.",
            "Wait, row 3 is missing.",
            "On reflection I prefer the last one.",
            "I would reverse the above verdict.",
            "I change my mind.",
            "I take that back.",
            "The opposite of what I wrote holds.",
            "Swap the first two.",
            "My ranking above is reversed.",
            "No, that is not so.",
        ] {
            assert!(takes_back(sentence), "{sentence}");
        }
        for sentence in [
            "No row is missing.",
            "The filter keeps the opposite rows.",
            "The order of the rows is kept.",
            "It edits nothing.",
            "The update of step 2 is right.",
            "The waiter is in row 3.",
            "Step 2 reverses the sort.",
            "I wanted to see a sum.",
        ] {
            assert!(!takes_back(sentence), "{sentence}");
        }
    }
}
