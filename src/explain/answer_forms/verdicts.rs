//! How a sentence says a verdict. The rule, also in docs/formats.md:
//!
//! - `true` and `false` with what is made of them, a tick or a cross say it wherever they stand, spelled apart too, and `yes` or
//!   `no` at the end or the beginning of a sentence;
//! - a word that *judges* (`supported`, `incorrect`, `verified`: a stem with its endings) says it in a sentence that speaks of the
//!   statement or points at it (`claim`, `it`, `this`), in a short one, in one that concludes (`so`, `overall`), and in the first
//!   and the last sentence of a text unless it has a number;
//! - a word that may judge (`agrees`, `stands`, `indeed`) says it where the statement is named, in a sentence that concludes, and
//!   in a short one that points;
//! - after `verdict`, `answer`, `label` and the like also `1`, `0`, `T`, `F`.
//!
//! Both verdicts are found alike. What is asked (`whether it is supported`, `to verify the claim`) is not said.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use crate::explain::stated::Read;
use crate::explain::text_words::{Token, sentences, tokens, words};

/// Words for the truth itself.
const TRUTH: &[&str] = &[
    "true",
    "truely",
    "truth",
    "truthful",
    "truthfully",
    "false",
    "falsely",
    "falsehood",
    "falsity",
    "untrue",
    "untruth",
];

/// What a word that affirms begins with.
const AFFIRMING: &[&str] = &[
    "accura",
    "affirm",
    "confirm",
    "correct",
    "corroborat",
    "entail",
    "factual",
    "substantiat",
    "support",
    "validat",
    "verif",
];

/// What a word that denies begins with.
const DENYING: &[&str] = &[
    "contradict",
    "debunk",
    "erroneous",
    "falsif",
    "mistaken",
    "refut",
    "reject",
];

/// Words that affirm and have no other endings.
const AFFIRM: &[&str] = &[
    "accept",
    "accepted",
    "accepts",
    "fact",
    "hold",
    "holds",
    "justified",
    "proved",
    "proven",
    "proves",
    "right",
    "upheld",
    "valid",
    "richtig",
    "stimmt",
    "wahr",
    "vrai",
    "vraie",
    "cierto",
    "verdadero",
    "verdadera",
    "vero",
    "verdade",
    "верно",
    "правда",
];

/// Words that deny and have no other endings.
const DENY: &[&str] = &[
    "denied",
    "denies",
    "deny",
    "dismiss",
    "dismissed",
    "disproved",
    "disproven",
    "disproves",
    "wrong",
    "falsch",
    "unwahr",
    "faux",
    "fausse",
    "falso",
    "falsa",
    "неверно",
    "ложь",
];

/// What turns a word that judges into its opposite.
const OPPOSITE: &[&str] = &["un", "in", "dis", "non", "mis"];

/// Words that judge among other things.
const MAY_JUDGE: &[&str] = &[
    "absolutely",
    "adds",
    "agree",
    "agrees",
    "align",
    "aligns",
    "case",
    "certainly",
    "checks",
    "conflict",
    "conflicts",
    "consistent",
    "contrary",
    "definitely",
    "disagree",
    "disagrees",
    "fails",
    "fit",
    "fits",
    "inconsistent",
    "indeed",
    "lie",
    "match",
    "matches",
    "mismatch",
    "myth",
    "passes",
    "plausible",
    "satisfied",
    "satisfies",
    "sound",
    "stand",
    "stands",
    "succeeds",
    "surely",
    "truly",
    "unfounded",
];

/// Yes and no, in several languages.
const PARTICLES: &[&str] = &[
    "yes",
    "no",
    "yep",
    "yeah",
    "yup",
    "aye",
    "nope",
    "nah",
    "nay",
    "ja",
    "nein",
    "oui",
    "non",
    "si",
    "sim",
    "nao",
    "да",
    "нет",
    "tak",
    "nie",
    "evet",
    "hayir",
    "nej",
    "はい",
    "いいえ",
    "是",
    "否",
    "不是",
    "네",
    "아니요",
    "نعم",
    "لا",
    "हाँ",
    "नहीं",
];

/// Name the statement.
const STATEMENT: &[&str] = &[
    "statement",
    "statements",
    "claim",
    "claims",
    "claimed",
    "assertion",
    "asserted",
    "hypothesis",
    "proposition",
    "answer",
    "verdict",
    "conclusion",
    "said",
    "stated",
];

/// Point at it, or at what it is held against.
const POINTING: &[&str] = &[
    "it",
    "this",
    "that",
    "sentence",
    "table",
    "data",
    "evidence",
    "everything",
];

/// Begin a sentence that concludes.
const CONCLUDING: &[&str] = &[
    "accordingly",
    "answer",
    "conclusion",
    "consequently",
    "ergo",
    "finally",
    "hence",
    "overall",
    "result",
    "so",
    "summary",
    "therefore",
    "thus",
    "ultimately",
    "verdict",
];

/// Come before a verdict of one letter or digit.
const ANNOUNCING: &[&str] = &[
    "answer",
    "conclusion",
    "decision",
    "judgement",
    "judgment",
    "label",
    "prediction",
    "truth",
    "verdict",
];

const SIGNS: &[char] = &[
    '✓', '✔', '☑', '✅', '✗', '✘', '✕', '✖', '❌', '❎', '☒', '👍', '👎', '⊤', '⊥', '🆗', '🚫',
];

/// A short sentence has as many words at most.
const SHORT: usize = 6;

/// What a word says of a statement, if it judges.
fn judges(word: &str) -> Option<bool> {
    const LONGEST_ENDING: usize = 5;
    static FOLDED: LazyLock<[BTreeSet<String>; 2]> = LazyLock::new(|| [folded(AFFIRM), folded(DENY)]);
    let by = |word: &str| {
        let begins = |stems: &[&str]| {
            stems
                .iter()
                .any(|stem| word.strip_prefix(stem).is_some_and(|end| end.len() <= LONGEST_ENDING))
        };
        if FOLDED[0].contains(word) || begins(AFFIRMING) {
            Some(true)
        } else if FOLDED[1].contains(word) || begins(DENYING) {
            Some(false)
        } else {
            None
        }
    };
    by(word).or_else(|| {
        let stem = OPPOSITE.iter().find_map(|prefix| word.strip_prefix(prefix))?;
        by(stem).filter(|_| stem.len() > 4).map(|verdict| !verdict)
    })
}

/// Words as their reader takes them.
fn folded(list: &[&str]) -> BTreeSet<String> {
    list.iter().map(|word| words(word).concat()).collect()
}

fn is_particle(word: &str) -> bool {
    static FOLDED: LazyLock<BTreeSet<String>> = LazyLock::new(|| folded(PARTICLES));
    FOLDED.contains(word)
}

/// The verdict that a cell or a constant says by itself, in whatever way: `yes`, `T`, `supported`, `not correct`.
pub(in crate::explain) fn verdict_of(text: &str) -> Option<bool> {
    let words = words(text);
    let single = |word: &str| match word {
        "true" | "t" | "yes" | "y" | "1" | "agree" | "agrees" | "pass" | "passes" | "match" | "matches" | "ok" => {
            Some(true)
        }
        "false" | "f" | "no" | "n" | "0" | "untrue" | "disagree" | "disagrees" | "fail" | "fails" | "mismatch" => {
            Some(false)
        }
        word => judges(word).or_else(|| word.strip_suffix("ly").and_then(judges)),
    };
    match words.as_slice() {
        [] => text
            .chars()
            .find(|sign| SIGNS.contains(sign))
            .map(|sign| "✓✔☑✅👍⊤🆗".contains(sign)),
        [word] => single(word),
        [not, word] if not == "not" => single(word).map(|verdict| !verdict),
        _ => None,
    }
}

/// Whether what was computed as the only row of a result gives a verdict, by itself or as a text of a model's own would.
pub(in crate::explain) fn gives_verdict(cell: &str) -> bool {
    const MET: &[&str] = &["met", "satisfied", "fulfilled", "unmet", "violated"];
    const JUDGING: &[&str] = &["positive", "negative", "okay", "spot", "success", "failure", "backed"];
    if verdict_of(cell).is_some() || !said_in(cell).is_empty() {
        return true;
    }
    let sentence = Sentence::new(cell);
    let speaks_of_condition = sentence.has(&["condition", "conditions", "criterion", "criteria"]);
    speaks_of_condition && sentence.has(MET) || sentence.tokens.len() <= 2 && JUDGING.contains(&sentence.word(0))
}

/// Whether the name of a column states a verdict, whatever its cells hold: `TRUE`, `claim_holds`. One that asks, as
/// `is_claim_true` does, states none.
pub(in crate::explain) fn names_a_verdict(name: &str) -> bool {
    const VERDICTS: &[&str] = &[
        "true",
        "false",
        "untrue",
        "supported",
        "unsupported",
        "refuted",
        "entailed",
        "confirmed",
        "verified",
        "contradicted",
        "disproved",
        "disproven",
        "proven",
    ];
    const CLAIMS: &[&str] = &["statement", "claim", "assertion", "hypothesis", "sentence"];
    const ASK: &[&str] = &[
        "is", "are", "was", "were", "does", "do", "did", "has", "if", "whether", "can",
    ];
    let name = name.replace('_', " ");
    let sentence = Sentence::new(&name);
    let is_bare = !sentence.tokens.is_empty()
        && sentence
            .tokens
            .iter()
            .all(|token| VERDICTS.contains(&token.text.as_str()));
    let says = |word: &str| TRUTH.contains(&word) || judges(word).is_some() || MAY_JUDGE.contains(&word);
    let claims = sentence.has(CLAIMS) && sentence.says(says) && !ASK.contains(&sentence.word(0));
    (is_bare || claims) && !has_both_verdicts(&name)
}

/// The sentences of a model's own text that say a verdict, in bytes.
pub(super) fn said_in(text: &str) -> Vec<Range<usize>> {
    let all = sentences(text);
    let ends = [all.first().cloned(), all.last().cloned()];
    sentences_that(text, all, |sentence, place| {
        says_a_verdict(sentence, ends.iter().flatten().any(|end| end == place))
    })
}

/// The sentences of a step that claim one. A rule that speaks of both is no claim.
pub(super) fn claimed_in(text: &str) -> Vec<Range<usize>> {
    let all = sentences(text);
    sentences_that(text, all, |sentence, _| {
        claims_a_verdict(sentence) && !has_both_verdicts(sentence)
    })
}

fn sentences_that(
    text: &str,
    mut all: Vec<Range<usize>>,
    is: impl Fn(&str, &Range<usize>) -> bool,
) -> Vec<Range<usize>> {
    all.retain(|place| text.get(place.clone()).is_some_and(|sentence| is(sentence, place)));
    all
}

/// Whether a column that was computed has one verdict and nothing else.
pub(super) fn fill<'a>(mut cells: impl Iterator<Item = &'a str>, computed: bool) -> bool {
    if !computed {
        return false;
    }
    // A column may well be of 1 alone, or of `match`.
    let verdict = |cell: &str| {
        let said = words(cell).concat();
        let is_plain =
            matches!(said.as_str(), "true" | "false" | "yes" | "no" | "t" | "f" | "y" | "n") || judges(&said).is_some();
        verdict_of(cell).filter(|_| is_plain)
    };
    let Some(first) = cells.find(|cell| !cell.trim().is_empty()).and_then(verdict) else {
        return false;
    };
    cells
        .filter(|cell| !cell.trim().is_empty())
        .all(|cell| verdict(cell) == Some(first))
}

/// A sentence and its words.
struct Sentence<'a> {
    text: &'a str,
    tokens: Vec<Token>,
}

impl<'a> Sentence<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            tokens: tokens(text),
        }
    }

    fn word(&self, index: usize) -> &str {
        self.tokens.get(index).map_or("", |token| &token.text)
    }

    /// What stands behind a word, up to the next.
    fn behind(&self, index: usize) -> &'a str {
        let start = self.tokens.get(index).map_or(self.text.len(), |token| token.place.end);
        let end = self
            .tokens
            .get(index + 1)
            .map_or(self.text.len(), |token| token.place.start);
        self.text.get(start..end).unwrap_or_default()
    }

    fn has(&self, list: &[&str]) -> bool {
        self.tokens.iter().any(|token| list.contains(&token.text.as_str()))
    }

    fn is_short(&self) -> bool {
        self.tokens.len() <= SHORT
    }

    fn has_number(&self) -> bool {
        self.tokens
            .iter()
            .any(|token| token.text.starts_with(|c: char| c.is_ascii_digit()))
    }

    /// Whether a word is asked after and not said: `whether it is supported`, `to verify`.
    fn is_asked(&self, index: usize) -> bool {
        const REACH: usize = 10;
        if index > 0 && self.word(index - 1) == "to" {
            return true;
        }
        (index.saturating_sub(REACH)..index)
            .rev()
            .take_while(|before| !self.behind(*before).contains([',', ';', ':']))
            .any(|before| {
                self.word(before) == "whether" || self.word(before) == "if" && before > 0 && self.asks(before - 1)
            })
    }

    /// Whether a word asks for what follows: `to determine if`.
    fn asks(&self, index: usize) -> bool {
        const ASKING: &[&str] = &[
            "ask",
            "asks",
            "check",
            "decide",
            "determine",
            "establish",
            "know",
            "see",
            "tell",
            "test",
            "verify",
            "out",
        ];
        ASKING.contains(&self.word(index))
    }

    /// Whether it is a rule: says when the statement is true and when it is false, and not which holds.
    fn is_rule(&self) -> bool {
        const BUT: &[&str] = &[
            "actually",
            "but",
            "because",
            "clearly",
            "hence",
            "here",
            "however",
            "indeed",
            "not",
            "since",
            "so",
            "therefore",
            "thus",
            "which",
            "yes",
        ];
        let is_conditional =
            matches!(self.word(0), "if" | "when" | "unless") || self.word(1) == "if" && self.word(0) == "then";
        is_conditional && self.has(&["otherwise", "else"]) && !self.has(BUT) && has_both_verdicts(self.text)
    }

    /// Whether one of its words is such a one, and is not asked after.
    fn says(&self, is: impl Fn(&str) -> bool) -> bool {
        (0..self.tokens.len()).any(|index| is(self.word(index)) && !self.is_asked(index))
    }

    /// Whether it begins with a word that concludes.
    fn concludes(&self) -> bool {
        let first = usize::from(matches!(
            self.word(0),
            "and" | "in" | "as" | "the" | "a" | "final" | "my" | "our"
        ));
        let second = first + usize::from(matches!(self.word(first), "final" | "a" | "the"));
        CONCLUDING.contains(&self.word(second))
            || matches!(
                (self.word(0), self.word(1)),
                ("in", "short" | "sum" | "conclusion") | ("to", "conclude")
            )
    }

    fn has_truth(&self) -> bool {
        self.says(|word| TRUTH.contains(&word)) || self.spells_truth() || self.text.contains(SIGNS)
    }

    /// `T R U E`, `f-a-l-s-e`
    fn spells_truth(&self) -> bool {
        let is_single = |token: &&Token| token.text.chars().nth(1).is_none();
        let mut start = 0;
        while start < self.tokens.len() {
            let letters: String = self.tokens[start..]
                .iter()
                .take_while(is_single)
                .map(|token| token.text.as_str())
                .collect();
            if ["true", "false", "yes"].iter().any(|word| letters.contains(word)) {
                return true;
            }
            start += letters.chars().count().max(1);
        }
        false
    }

    /// `Yes, it does`; `we say no.`
    fn says_yes_or_no(&self) -> bool {
        let closed = |index: usize| {
            let rest = self
                .behind(index)
                .trim_start_matches(['*', '_', '`', '"', '\'', '”', ')']);
            index + 1 == self.tokens.len() || rest.trim_start().starts_with([',', '.', '!', ';', ':', '—', '–'])
        };
        let whole: String = self.tokens.iter().map(|token| token.text.as_str()).collect();
        if is_particle(&whole) || whole == "negative" || self.tokens.len() > 1 && is_particle(self.word(0)) && closed(0)
        {
            return true;
        }
        let last = self.tokens.len().saturating_sub(1);
        is_particle(self.word(last)) && last > 0 && (self.is_short() || self.concludes())
            || (0..last).any(|index| self.word(index) == "yes" && closed(index))
    }

    /// `Verdict = 1`, `label: F`
    fn announces(&self) -> bool {
        (0..self.tokens.len()).any(|index| {
            let mut next = index + 1;
            while matches!(self.word(next), "is" | "was" | "the" | "a" | "should" | "be") {
                next += 1;
            }
            let between = self.behind(index);
            let announced =
                ANNOUNCING.contains(&self.word(index)) && (next > index + 1 || between.contains([':', '=', '→']));
            announced && verdict_of(self.word(next)).is_some() && !matches!(self.word(next + 1), "of" | "row" | "rows")
        })
    }
}

/// Whether a sentence of an explanation says a verdict; at an end of the text, more easily.
fn says_a_verdict(text: &str, is_at_end: bool) -> bool {
    let sentence = Sentence::new(text);
    if sentence.is_rule() {
        return false;
    }
    if sentence.has_truth() || sentence.says_yes_or_no() || sentence.announces() || states_a_verdict(&sentence) {
        return true;
    }
    const AS: &[&str] = &["asserted", "claimed", "said", "stated"];
    if (1..sentence.tokens.len()).any(|index| sentence.word(index - 1) == "as" && AS.contains(&sentence.word(index))) {
        return true;
    }
    let (names, points, concludes) = (sentence.has(STATEMENT), sentence.has(POINTING), sentence.concludes());
    let judges = sentence.says(|word| judges(word).is_some());
    if judges && (names || points || concludes || sentence.is_short() || is_at_end && !sentence.has_number()) {
        return true;
    }
    let may_judge = sentence.says(|word| MAY_JUDGE.contains(&word));
    may_judge && (names || concludes || points && (sentence.is_short() || is_at_end && !sentence.has_number()))
}

/// Whether a sentence states a verdict as it would a value (`result: TRUE`), or is nothing else.
fn states_a_verdict(sentence: &Sentence<'_>) -> bool {
    let is_verdict = |word: &str| TRUTH.contains(&word) || matches!(word, "yes" | "no") || judges(word).is_some();
    let occurrences = (0..sentence.tokens.len())
        .filter(|index| {
            // `there is no row` says nothing of the statement.
            let ends =
                sentence.tokens.len() == index + 1 || sentence.behind(*index).contains([',', '.', ':', ';', '\n']);
            let word = sentence.word(*index);
            is_verdict(word) && (ends || TRUTH.contains(&word)) && !sentence.is_asked(*index)
        })
        .map(|index| index..index + 1)
        .collect();
    let is_alone = sentence.tokens.len() == 1 && matches!(sentence.word(0), "true" | "false");
    is_alone
        || !Read::new(sentence.text, &sentence.tokens)
            .stated(occurrences)
            .is_empty()
}

/// Whether a sentence about a step claims a verdict: `true` may be a value of the table as well.
fn claims_a_verdict(text: &str) -> bool {
    const OF_THE_QUESTION: &[&str] = &["statement", "claim", "assertion", "answer", "verdict", "conclusion"];
    const BECAUSE: &[&str] = &["because", "since", "therefore", "hence", "thus"];
    let sentence = Sentence::new(text);
    if states_a_verdict(&sentence) || sentence.announces() || sentence.spells_truth() {
        return true;
    }
    let says_truth = sentence.says(|word| TRUTH.contains(&word));
    let says = says_truth || sentence.says(|word| judges(word).is_some());
    says && (sentence.has(OF_THE_QUESTION) || sentence.has(BECAUSE) || sentence.concludes())
}

fn has_both_verdicts(text: &str) -> bool {
    let words = words(text);
    let said: BTreeSet<bool> = words
        .iter()
        .filter(|word| word.chars().count() > 1)
        .filter_map(|word| verdict_of(word))
        .collect();
    said.len() == 2
}
