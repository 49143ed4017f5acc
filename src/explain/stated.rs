//! Ways in which a text states a value, whatever the value is: `the answer is V`, `so V`, `winner: V`, `2 + 1 = V`, `V is
//! the answer`, `there are V`. A value that any sentence may name, such as a small number or one that the question offers,
//! tells nothing until it is stated. The rule, also in docs/formats.md:
//!
//! - before it, with nothing between but words such as `is`, `the`, `only`: a word that announces it. Some announce
//!   wherever they stand (`answer`, `so`, `therefore`), others only in a sentence without a condition (`result`, `total`,
//!   `there are`): `rows where the result is W` is what a step does;
//! - before it, an equals sign or an arrow that ends the clause with it, again without a condition;
//! - after it, `is the answer` and the like, or of a number `rows remain`, `in all`;
//! - a stated value and `and` or a comma before it.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::Range;

use super::text_words::Token;
use super::work;

/// Announce a value in any sentence.
const ANNOUNCE: &[&str] = &[
    "answer",
    "answers",
    "conclude",
    "concluded",
    "conclusion",
    "ergo",
    "hence",
    "prediction",
    "so",
    "solution",
    "therefore",
    "thus",
    "verdict",
];

/// Announce a value in a sentence without a condition.
const ANNOUNCE_PLAINLY: &[&str] = &[
    "amount",
    "amounts",
    "count",
    "get",
    "gets",
    "getting",
    "give",
    "gives",
    "giving",
    "label",
    "leaves",
    "leaving",
    "number",
    "obtain",
    "outcome",
    "output",
    "outputs",
    "produces",
    "result",
    "results",
    "return",
    "returning",
    "returns",
    "sum",
    "there",
    "total",
    "totals",
    "value",
    "winner",
    "winners",
    "yield",
    "yielding",
    "yields",
];

/// Count or measure something: announce the value after the copula, however much stands between.
const MEASURES: &[&str] = &["amount", "count", "number", "result", "sum", "total", "winner"];

/// Make a sentence one about what a step looks for.
const CONDITIONS: &[&str] = &[
    "case",
    "else",
    "having",
    "if",
    "otherwise",
    "unless",
    "when",
    "where",
    "whether",
    "which",
    "whose",
    "with",
];

const COPULAS: &[&str] = &["are", "be", "being", "equal", "equals", "is", "was", "were"];

const FILLERS: &[&str] = &[
    "a", "about", "also", "an", "as", "exactly", "final", "finally", "indeed", "it", "just", "namely", "now", "of",
    "only", "s", "simply", "the", "then", "this", "to", "we", "will",
];

const SAYS_OF_IT: &[&str] = &["answer", "correct", "result", "right", "solution", "verdict", "winner"];

const REMAIN: &[&str] = &[
    "altogether",
    "left",
    "match",
    "matches",
    "remain",
    "remaining",
    "remains",
];

/// A text whose words were found.
pub(super) struct Read<'a> {
    text: &'a str,
    tokens: &'a [Token],
    sentences: OnceCell<Sentences>,
}

/// Where the sentences of a text begin, and where it has words that make a sentence one about what a step looks for.
struct Sentences {
    starts: Vec<usize>,
    conditions: Vec<usize>,
}

impl<'a> Read<'a> {
    /// A text and its tokens.
    pub(super) fn new(text: &'a str, tokens: &'a [Token]) -> Self {
        Self {
            text,
            tokens,
            sentences: OnceCell::new(),
        }
    }

    /// Which of the runs of tokens, each an occurrence of a value, are stated.
    pub(super) fn stated(&self, mut occurrences: Vec<Range<usize>>) -> Vec<Range<usize>> {
        occurrences.sort_by_key(|run| (run.start, run.end));
        let mut ends: BTreeSet<usize> = BTreeSet::new();
        let mut found = Vec::new();
        for run in occurrences {
            let follows = self.follows_one(&run, &ends);
            if follows || self.is_announced(&run) || self.ends_equation(&run) || self.is_said_to_be_it(&run) {
                ends.insert(run.end);
                found.push(run);
            }
        }
        found
    }

    fn word(&self, index: usize) -> &str {
        work::count(1);
        self.tokens.get(index).map_or("", |token| &token.text)
    }

    /// What stands before a token, since the one before it.
    fn gap(&self, index: usize) -> &str {
        let from = index
            .checked_sub(1)
            .and_then(|before| self.tokens.get(before))
            .map_or(0, |token| token.place.end);
        let to = self
            .tokens
            .get(index)
            .map_or(self.text.len(), |token| token.place.start);
        work::count(to.saturating_sub(from) + 1);
        self.text.get(from..to).unwrap_or_default()
    }

    /// Whether a sentence ends in a gap. A line that ends in a colon or an equals sign goes on.
    fn ends_sentence(gap: &str) -> bool {
        let ends =
            |part: &str| part.contains([';', '!', '?', '。', '！', '？']) || part.contains(". ") || part.ends_with('.');
        match gap.split_once('\n') {
            Some((line, _)) => ends(line) || !line.trim_end_matches(['*', '_', ' ', '\t', '\r']).ends_with([':', '=']),
            None => ends(gap),
        }
    }

    /// The words of a sentence before a token, from the last on; no more of them than a reader has in mind.
    fn sentence_before(&self, index: usize) -> impl Iterator<Item = usize> {
        const MOST: usize = 60;
        (index.saturating_sub(MOST)..index)
            .rev()
            .take_while(move |before| !Self::ends_sentence(self.gap(before + 1)))
    }

    fn has_condition(&self, run: &Range<usize>) -> bool {
        let Sentences { starts, conditions } = self.sentences.get_or_init(|| self.sentences());
        let has = |part: Range<usize>| {
            let first = conditions.partition_point(|at| *at < part.start);
            conditions.get(first).is_some_and(|at| *at < part.end)
        };
        let start_of = |index: usize| {
            starts[..starts.partition_point(|start| *start <= index)]
                .last()
                .copied()
        };
        let before = start_of(run.start).unwrap_or(0)..run.start;
        let behind = starts.partition_point(|start| *start < run.end);
        let after = run.end..starts.get(behind).copied().unwrap_or(self.tokens.len());
        has(before) || has(after)
    }

    /// Each gap and word is looked at once, however many values a sentence has.
    fn sentences(&self) -> Sentences {
        let tokens = 0..self.tokens.len();
        Sentences {
            starts: tokens
                .clone()
                .filter(|index| Self::ends_sentence(self.gap(*index)))
                .collect(),
            conditions: tokens.filter(|index| CONDITIONS.contains(&self.word(*index))).collect(),
        }
    }

    /// Whether a run is all that its sentence has to say.
    pub(super) fn is_alone(&self, run: &Range<usize>) -> bool {
        let says_nothing = |index: usize| FILLERS.contains(&self.word(index)) || COPULAS.contains(&self.word(index));
        let ends = run.end >= self.tokens.len() || Self::ends_sentence(self.gap(run.end));
        !run.is_empty() && ends && self.sentence_before(run.start).all(says_nothing)
    }

    fn is_announced(&self, run: &Range<usize>) -> bool {
        let mut after_copula = self.gap(run.start).contains([':', '=']);
        let is_number = self.is_number(run);
        let mut others = 0;
        let mut commas = self.gap(run.start).contains(',');
        for index in self.sentence_before(run.start) {
            let word = self.word(index);
            let goes_on = !(word == "so" && self.word(index + 1) == "that");
            if ANNOUNCE.contains(&word) && goes_on && (!commas || others == 0 && is_connective(word)) {
                return true;
            }
            let plainly = ANNOUNCE_PLAINLY.contains(&word) && !COPULAS.contains(&word) && !commas && others == 0;
            let measures = after_copula && MEASURES.contains(&word);
            if (plainly || measures) && !self.has_condition(run) {
                return true;
            }
            if COPULAS.contains(&word) && others == 0 {
                after_copula = true;
            } else if !FILLERS.contains(&word) || word == "of" && !is_number {
                // A total of 3 is 3, the total of Dee is not Dee.
                others += 1;
            }
            let most = if after_copula { 8 } else { 0 };
            if others > most {
                return false;
            }
            commas |= self.gap(index).contains(',');
        }
        false
    }

    fn ends_equation(&self, run: &Range<usize>) -> bool {
        let before = self
            .gap(run.start)
            .trim_end_matches([' ', '\t', '\'', '"', '*', '`', '“', '(', '$', '€', '£']);
        let is_arrow = ["→", "⇒", "->", "=>", "≈"].iter().any(|sign| before.ends_with(sign));
        let is_equals = before.ends_with('=') && !["<=", ">=", "!=", "=="].iter().any(|sign| before.ends_with(sign));
        if !(is_arrow || is_equals) {
            return false;
        }
        let after = self.gap(run.end);
        let rest = after.trim_start_matches(['\'', '"', '*', '`', '”', ' ', '%']);
        let closes = run.end >= self.tokens.len()
            || after.starts_with('\n')
            || rest.starts_with(['.', ',', ';', ')', '!', '\n', ':']);
        closes && !self.has_condition(run)
    }

    fn is_said_to_be_it(&self, run: &Range<usize>) -> bool {
        if Self::ends_sentence(self.gap(run.end)) {
            return false;
        }
        if COPULAS.contains(&self.word(run.end)) {
            let next = (run.end + 1..run.end + 5).find(|index| {
                !matches!(
                    self.word(*index),
                    "the" | "our" | "my" | "your" | "final" | "a" | "indeed"
                )
            });
            return next.is_some_and(|index| SAYS_OF_IT.contains(&self.word(index))) && !self.has_condition(run);
        }
        let is_number = self.is_number(run);
        let after: Vec<&str> = (run.end..run.end + 4).map(|index| self.word(index)).collect();
        let in_all = after.windows(2).any(|pair| matches!(pair, ["in", "all" | "total"]));
        is_number && (in_all || after.iter().any(|word| REMAIN.contains(word))) && !self.has_condition(run)
    }

    fn is_number(&self, run: &Range<usize>) -> bool {
        run.len() == 1 && self.word(run.start).parse::<f64>().is_ok()
    }

    /// Whether a stated value stands before it, with `and`, `or` or a comma between.
    fn follows_one(&self, run: &Range<usize>, ends: &BTreeSet<usize>) -> bool {
        let Some(before) = run.start.checked_sub(1) else {
            return false;
        };
        ends.contains(&run.start) && self.gap(run.start).contains([',', ';', '&'])
            || matches!(self.word(before), "and" | "or") && ends.contains(&before)
    }
}

fn is_connective(word: &str) -> bool {
    matches!(word, "so" | "therefore" | "thus" | "hence" | "ergo")
}
