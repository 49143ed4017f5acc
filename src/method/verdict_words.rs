//! The words that say TRUE or FALSE, and the traps around them: negation, both at once, "no" as a number.

/// What words say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// One verdict stands alone or opens the text.
    Alone(bool),
    /// Every verdict said in the text is this one.
    Said(bool),
    /// Both verdicts, or a double negation.
    Contradictory,
    /// None.
    Nothing,
}

/// Reads a line behind a marker (`is_answer`), or a whole text.
///
/// Behind a marker an opening TRUE or FALSE before a stop or comma decides: `FALSE, since it is not true that ...` says
/// FALSE. `yes` and `no` count only alone or as the opening word before a stop or comma, because "no rows" is no
/// verdict.
pub(super) fn read_words(text: &str, is_answer: bool) -> Reading {
    let words = words(text);
    let Some(first) = words.first() else {
        return Reading::Nothing;
    };
    let opening = first.verdict(true);
    if let Some(verdict) = opening {
        // "TRUE or FALSE", "TRUE/FALSE": the options given back.
        let offers_both = words[1..]
            .iter()
            .take(2)
            .any(|word| word.verdict(true) == Some(!verdict))
            && !first.ends_clause;
        if offers_both {
            return Reading::Contradictory;
        }
        if words.len() == 1 {
            return Reading::Alone(verdict);
        }
        if is_answer && first.ends_clause && first.is_spelled_out() {
            return Reading::Said(verdict);
        }
    }
    let rest = said(&words);
    match (opening, rest) {
        (Some(verdict), Reading::Nothing) if first.ends_clause => Reading::Said(verdict),
        (Some(verdict), Reading::Said(other)) if first.ends_clause && verdict != other => Reading::Contradictory,
        _ => rest,
    }
}

struct Word {
    text: String,
    /// A stop, comma, colon, dash or line break follows.
    ends_clause: bool,
}

impl Word {
    fn verdict(&self, with_yes_and_no: bool) -> Option<bool> {
        match self.text.as_str() {
            "true" | "entailed" | "supported" => Some(true),
            "false" | "refuted" => Some(false),
            "yes" if with_yes_and_no => Some(true),
            "no" if with_yes_and_no => Some(false),
            _ => None,
        }
    }

    fn is_spelled_out(&self) -> bool {
        self.verdict(false).is_some()
    }

    fn negates(&self) -> bool {
        matches!(
            self.text.as_str(),
            "not" | "never" | "cannot" | "neither" | "nor" | "hardly"
        ) || self.text.ends_with("n't")
    }
}

fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut current = String::new();
    for c in text.chars().chain(std::iter::once('\n')) {
        let c = if c == '’' { '\'' } else { c };
        if c.is_alphanumeric() || (c == '\'' && !current.is_empty()) {
            current.extend(c.to_lowercase());
            continue;
        }
        if !current.is_empty() {
            words.push(Word {
                text: current.trim_end_matches('\'').to_owned(),
                ends_clause: false,
            });
            current.clear();
        }
        if matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '\n' | '–' | '—' | '-' | '(')
            && let Some(word) = words.last_mut()
        {
            word.ends_clause = true;
        }
    }
    words
}

/// What all the verdicts of a text say together.
fn said(words: &[Word]) -> Reading {
    let mut reading = Reading::Nothing;
    for (index, word) in words.iter().enumerate() {
        let Some(verdict) = word.verdict(false) else {
            continue;
        };
        let near = words[..index].iter().rev().take_while(|word| !word.ends_clause).take(3);
        let negations = near.filter(|word| word.negates()).count();
        let verdict = match (negations, verdict) {
            (0, verdict) => verdict,
            (1, true) => false,
            _ => return Reading::Contradictory,
        };
        reading = match reading {
            Reading::Nothing => Reading::Said(verdict),
            Reading::Said(before) if before == verdict => reading,
            _ => return Reading::Contradictory,
        };
    }
    reading
}
