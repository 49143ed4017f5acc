//! Words of two verdicts in a clause: denied, halved, before a noun, or in the list of options.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::visible::pattern;

/// Words of one verdict each.
pub(super) struct Words<'a> {
    pub(super) positive: &'a [&'a str],
    pub(super) negative: &'a [&'a str],
}

/// What a clause says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    Nothing,
    One(bool),
    Both,
}

impl Said {
    pub(super) fn and(self, other: bool) -> Self {
        match self {
            Self::Nothing => Self::One(other),
            Self::One(same) if same == other => self,
            _ => Self::Both,
        }
    }
}

/// A word, and what stands between it and the next.
struct Token<'a> {
    word: &'a str,
    after: &'a str,
    /// The byte after the word.
    end: usize,
}

static OPTIONS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)\b(\p{Alphabetic}+)(?:["']\s*(?:,|and|,\s*or)\s*["']|["']?\s*(?:/|\||\bor\b|,\s*or\b)\s*(?:(?:verdict|answer)\s*[:=]\s*)?["']?)(\p{Alphabetic}+)\b["']?"#,
    )
});
static WORD: LazyLock<Regex> = LazyLock::new(|| pattern(r"[\p{Alphabetic}\p{Nd}]+(?:'[\p{Alphabetic}]+)?"));

fn tokens(text: &str) -> Vec<Token<'_>> {
    let found: Vec<regex::Match> = WORD.find_iter(text).collect();
    found
        .iter()
        .enumerate()
        .map(|(index, word)| Token {
            word: word.as_str(),
            end: word.end(),
            after: &text[word.end()..found.get(index + 1).map_or(text.len(), regex::Match::start)],
        })
        .collect()
}

/// Words after which a verdict word is not an attribute.
const FOLLOWERS: [&str; 34] = [
    "because",
    "since",
    "as",
    "given",
    "and",
    "but",
    "or",
    "based",
    "according",
    "for",
    "in",
    "with",
    "when",
    "due",
    "from",
    "per",
    "by",
    "under",
    "here",
    "overall",
    "so",
    "while",
    "although",
    "though",
    "after",
    "too",
    "then",
    "therefore",
    "not",
    "however",
    "than",
    "if",
    "rather",
    "instead",
];
const NEGATORS: [&str; 12] = [
    "not", "never", "cannot", "neither", "nor", "hardly", "barely", "far", "nothing", "none", "nowhere", "isnt",
];
/// With a negation they leave something: `not entirely correct` is neither.
const TOTALITIES: [&str; 8] = [
    "entirely",
    "fully",
    "completely",
    "wholly",
    "totally",
    "altogether",
    "always",
    "all",
];
const HALVES: [&str; 34] = [
    "partially",
    "partly",
    "mostly",
    "largely",
    "somewhat",
    "nearly",
    "almost",
    "half",
    "necessarily",
    "sure",
    "certain",
    "clear",
    "unclear",
    "whether",
    "unlikely",
    "doubtful",
    "questionable",
    "debatable",
    "might",
    "may",
    "could",
    "maybe",
    "perhaps",
    "possibly",
    "either",
    "semi",
    "sort",
    "kind",
    "less",
    "thirds",
    "quarters",
    "too",
    "doubt",
    "fails",
];
/// Words that may stand between the beginning of a clause and its verdict word without changing what it says. Any other
/// (`hard to call correct`, `free of anything incorrect`, `refuse to call this correct`) may, so that it leaves none.
const PLAIN_WORDS: &str = "a an the this that it its it's that's i i'd i'm we my our me you model models model's system system's \
    answer answers prediction verdict response guess result statement conclusion claim value output judgement \
    judgment decision assessment evaluation explanation given stated shown predicted proposed final overall own \
    one is was be been are were being as to of would must will does did do has have had seems seem appears \
    appear looks look therefore hence thus so indeed clearly certainly definitely absolutely obviously actually \
    simply really truly very quite plainly evidently surely undoubtedly perfectly exactly technically still \
    also both only just even well now here then believe think say judge hold find conclude consider deem rate \
    call mark vote choose go with for by on in at from table according answered most more considered i'll let said says answers predicts gave gives \
    outputs concluded concludes chose picked";

/// The words between `answer` and the verb after it, which are the answer's own text: `the answer FALSE is`.
fn named_answer(before: &[Token]) -> Range<usize> {
    let is_among = |token: &Token, words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(token.word));
    let noun = before
        .iter()
        .position(|token| is_among(token, &["answer", "prediction", "guess", "response", "result"]));
    let verb = before.iter().rposition(|token| {
        is_among(
            token,
            &["is", "was", "isn't", "wasn't", "be", "seems", "looks", "appears"],
        )
    });
    match (noun, verb) {
        (Some(noun), Some(verb)) if noun < verb => noun + 1..verb,
        _ => 0..0,
    }
}

/// Whether a word may stand before a verdict word: a known one, a number or a letter.
fn is_plain(lower: &str) -> bool {
    PLAIN_WORDS.split(' ').any(|word| word == lower)
        || TOTALITIES.contains(&lower)
        || lower.chars().count() == 1
        || lower.chars().all(|c| c.is_ascii_digit())
}

/// Parts of words that stand before a verdict word as words of their own: `in correct`, `un-correct`.
const PREFIXES: [&str; 6] = ["in", "un", "non", "dis", "mis", "anti"];
/// Words that begin another thought, so that what is denied before them is not what follows.
const BREAKS: [&str; 14] = [
    "and",
    "but",
    "so",
    "hence",
    "thus",
    "therefore",
    "which",
    "because",
    "since",
    "while",
    "although",
    "though",
    "yet",
    "then",
];
/// A condition after a verdict word makes it none.
const CONDITIONS: [&str; 6] = ["if", "unless", "provided", "assuming", "only", "once"];

static DENIALS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:anything but|no longer|not any longer|by no means|in no way|in no sense|under no circumstances|no way|nowhere near|everything but|the opposite of|the reverse of|(?:false|untrue|disagree|deny|denies|dispute|disputes|reject|rejects) that)\b",
    )
});
static EMPHASES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:nothing but|nothing (?:short of|less than|other than)|none other than|(?:without|beyond|no) (?:a |any )?(?:shadow of a )?doubt|100\s*(?:%|per ?cent))(?:\s|$)",
    )
});
/// What a judge goes on with that has only greeted: what it sees, does or is about to do.
static CHAT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^\W*(?:(?:so|ok|okay|well|now|first|alright|sure|of course|thanks?|thank you|understood|got it|great|good)\b\W*)*(?:i\b|i'(?:ll|m|d|ve)\b|let\b|let's\b|we\b|we'll\b|here\b|looking\b|first\b|now\b|sure\b|thanks?\b|of course\b|to (?:begin|start|check|verify|answer|judge)\b|problem\b)",
    )
});
/// Words after a verdict word that leave a part of it.
static QUALIFIES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^\W*(?:in (?:part|parts|places|spirit|principle|essence|a sense|some (?:ways?|respects?|sense)|one (?:way|respect|sense)|theory|(?:the )?(?:first|second|third|last|one|two|some|most) (?:steps?|rows?|cases?|parts?))|for (?:the most part|some|most|now)|by (?:accident|chance|luck|half)|with (?:\w+ )?(?:caveats?|reservations?|exceptions?|one exception)|from (?:one|a certain) (?:angle|perspective|point of view)|under (?:one|some|a certain)|when (?:read|taken|seen|rounded)|as far as|as long as|so far\b|and yet\b|or (?:so|nearly so|almost)\b|not\s*$|than (?:not|incorrect|correct|wrong|right))",
    )
});
/// What may stand before a second verdict that is put in the place of the first, or beside it.
static TURNS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^[^\p{Alphabetic}\p{Nd}]*(?:(?:though|although|albeit|but|however|yet|or|and|rather|actually|wait|hold on|edit|update|revision|addendum|p\.?s|i was wrong|mistake|well|hmm+|sorry|oops|even|also|still|then|no|nope|in fact|on second thoughts?|on reflection|scratch that|correction|i mean|make that|it should be|that is|this is|it is|it's|is|the (?:model's )?(?:answer|verdict) is|maybe|perhaps|better|strictly speaking|at the same time|elsewhere|not)\b[^\p{Alphabetic}\p{Nd}]*)+",
    )
});

/// A verdict word that is asked, and answered with no: `correct: no`, `correct = false`.
static ANSWERED_NO: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"(?i)^[^\p{Alphabetic}\p{Nd}]*(\p{Alphabetic}+)["']?\s*[:=]+\s*["']?(?:no|not|false|0|none)\b"#)
});

/// A text whose idioms say in plain words what they deny or stress.
fn plainly(text: &str) -> String {
    let stressed = EMPHASES.replace_all(text, " ");
    DENIALS.replace_all(&stressed, "not").into_owned()
}

/// Where the first clause of a text ends.
fn clause_end(text: &str) -> usize {
    text.find(['.', ';', ':', ',', '(', '\n'])
        .into_iter()
        .chain(text.find(" - "))
        .chain(
            [
                " because ",
                " since ",
                " as ",
                " given ",
                " but ",
                " although ",
                " though ",
            ]
            .iter()
            .filter_map(|word| text.find(word)),
        )
        .min()
        .unwrap_or(text.len())
}

/// What the words before a verdict word make of it.
enum Standing {
    Plain,
    Denied,
    Halved,
}

impl Words<'_> {
    /// A line without the list of options, such as `'correct' or 'incorrect'`, which an answer may repeat.
    pub(super) fn without_options(&self, line: &str) -> String {
        let mut kept = String::with_capacity(line.len());
        let mut from = 0;
        let mut at = 0;
        while let Some(found) = OPTIONS.captures_at(line, at) {
            let (Some(whole), Some(first), Some(second)) = (found.get(0), found.get(1), found.get(2)) else {
                break;
            };
            match (self.polarity(first.as_str()), self.polarity(second.as_str())) {
                (Some(one), Some(other)) if one != other => {
                    kept.push_str(&line[from..first.start()]);
                    kept.push(' ');
                    from = whole.end();
                    at = whole.end();
                }
                // The second word may begin the list: `say correct or incorrect`.
                _ => at = second.start(),
            }
        }
        kept.push_str(&line[from..]);
        kept
    }

    fn polarity(&self, word: &str) -> Option<bool> {
        let among = |words: &[&str]| words.iter().any(|known| known.eq_ignore_ascii_case(word));
        match (among(self.positive), among(self.negative)) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        }
    }

    /// Whether any of the words stands in a text, whatever it says there.
    pub(super) fn mentioned(&self, text: &str) -> bool {
        tokens(text).iter().any(|token| self.polarity(token.word).is_some())
    }

    /// What a marked line's value says: its first clause, or all of it when that says nothing. A later clause that
    /// says the other thing of the same answer, as in `correct, though incorrect in the second step`, leaves neither.
    pub(super) fn value(&self, text: &str) -> Said {
        let text = &plainly(text);
        let end = clause_end(text);
        if ANSWERED_NO
            .captures(text)
            .is_some_and(|found| self.polarity(&found[1]).is_some())
        {
            return Said::Both;
        }
        match self.said(&text[..end]) {
            Said::Nothing => self.said(text),
            Said::One(verdict) if self.turns(&text[end..], verdict) => Said::Both,
            said => said,
        }
    }

    /// Whether one of these clauses takes a verdict back or says the other beside it.
    pub(super) fn turns(&self, text: &str, verdict: bool) -> bool {
        text.split([',', ';', '(', ')', '.', ':'])
            .flat_map(|part| part.split(" - "))
            .any(|clause| {
                let clause = plainly(clause);
                let begin = TURNS.find(&clause).map_or(0, |turn| turn.end());
                // `The answer is yes` may be what the model answered.
                let is_answer = clause[..begin].to_lowercase().contains("answer");
                let is_verdict = tokens(&clause[begin..]).first().is_some_and(|first| {
                    let is_own = !is_answer || !["yes", "no"].iter().any(|word| word.eq_ignore_ascii_case(first.word));
                    is_own && self.polarity(first.word).is_some()
                });
                is_verdict
                    && match self.said(&clause) {
                        Said::Nothing => false,
                        Said::One(other) => other != verdict,
                        Said::Both => true,
                    }
            })
    }

    /// Whether a sentence begins by taking something back and then says the other verdict: `Actually no, incorrect`.
    /// Or the other verdict is all that it says.
    pub(super) fn takes_back(&self, sentence: &str, verdict: bool) -> bool {
        let is_bare = tokens(sentence).len() == 1 && self.alone(sentence) == Said::One(!verdict);
        is_bare || TURNS.is_match(sentence) && self.turns(sentence, verdict)
    }

    /// What a text says up to its first clause that says anything.
    pub(super) fn head(&self, text: &str) -> Said {
        let text = &plainly(text);
        self.said(&text[..clause_end(text)])
    }

    /// Every verdict word of a text, turned round where it is denied.
    fn said(&self, text: &str) -> Said {
        let tokens = tokens(text);
        let mut said = Said::Nothing;
        for (index, token) in tokens.iter().enumerate() {
            let Some(polarity) = self.polarity(token.word) else {
                continue;
            };
            let next = tokens.get(index + 1);
            if next.is_some_and(|next| self.is_attribute(token, next)) {
                continue;
            }
            // `correct? No` asks and answers; a question that nothing answers is no verdict.
            if token.after.trim_start_matches(['"', '\'', ')', ' ']).starts_with('?') {
                if tokens[index + 1..]
                    .iter()
                    .all(|later| self.polarity(later.word).is_none())
                {
                    said = Said::Both;
                }
                continue;
            }
            if QUALIFIES.is_match(&text[token.end..]) {
                return Said::Both;
            }
            let is_conditional = next.is_some_and(|next| {
                !token.after.contains(['.', ';', ':']) && CONDITIONS.contains(&next.word.to_lowercase().as_str())
            });
            said = match self.standing(&tokens[..index], token) {
                Standing::Halved => Said::Both,
                _ if is_conditional => Said::Both,
                Standing::Plain => said.and(polarity),
                Standing::Denied => said.and(!polarity),
            };
        }
        said
    }

    /// Whether a verdict word belongs to the noun after it: `the correct row`.
    fn is_attribute(&self, token: &Token, next: &Token) -> bool {
        token.after.chars().all(char::is_whitespace)
            && !FOLLOWERS.contains(&next.word.to_lowercase().as_str())
            && !CONDITIONS.contains(&next.word.to_lowercase().as_str())
            && self.polarity(next.word).is_none()
    }

    /// What the words before a verdict word make of it.
    fn standing(&self, before: &[Token], token: &Token) -> Standing {
        // `correct-ish`, `correct-looking`.
        if token.after.starts_with('-') && token.after.len() == 1 {
            return Standing::Halved;
        }
        if let Some(last) = before.last() {
            let lower = last.word.to_lowercase();
            let is_joined = last.after == "-" || last.after.contains(|c| matches!(c, '\u{300}'..='\u{36f}'));
            let is_prefix = PREFIXES.contains(&lower.as_str()) && !last.after.contains([':', ',', ';', '(']);
            let is_share = lower.starts_with(|c: char| c.is_ascii_digit())
                && last.after.trim().trim_matches('%').trim().is_empty()
                || matches!(lower.as_str(), "percent" | "cent" | "pct");
            if is_joined || is_prefix || is_share {
                return Standing::Halved;
            }
        }
        let mut denied = false;
        let mut total = false;
        let answer = named_answer(before);
        for (distance, word) in before.iter().rev().enumerate() {
            if word.after.contains([',', ';', '.', ':']) {
                break;
            }
            let next = before.get(before.len() - distance);
            let lower = word.word.to_lowercase();
            let is_determiner = lower == "no" && next.is_some_and(|next| self.is_attribute(word, next));
            if BREAKS.contains(&lower.as_str()) || self.polarity(&lower).is_some() && !is_determiner {
                break;
            }
            let denies = NEGATORS.contains(&lower.as_str()) || lower.ends_with("n't") || is_determiner;
            if distance < 4 {
                if HALVES.contains(&lower.as_str())
                    || !is_plain(&lower) && !denies && !answer.contains(&(before.len() - 1 - distance))
                {
                    return Standing::Halved;
                }
                total |= TOTALITIES.contains(&lower.as_str());
                denied ^= denies;
                // `not only correct but ...` denies nothing.
                if lower == "only" || lower == "just" {
                    break;
                }
            } else if denies {
                // `I do not think that the answer is correct`: too far away to say what is denied.
                return Standing::Halved;
            }
        }
        match (denied, total) {
            (true, true) => Standing::Halved,
            (true, false) => Standing::Denied,
            (false, _) => Standing::Plain,
        }
    }

    /// What a line says that holds hardly more than a verdict word.
    pub(super) fn alone(&self, line: &str) -> Said {
        let count = tokens(line).len();
        let is_quote = count > 1 && line.trim_start().starts_with(['"', '\'']);
        // `System: correct` is somebody's or something's; what marks a verdict is known.
        if line.find(':').is_some_and(|colon| self.mentioned(&line[colon..])) {
            return Said::Nothing;
        }
        if count <= 3 && !is_quote && !line.trim_end().ends_with('?') {
            self.said(line)
        } else {
            Said::Nothing
        }
    }

    /// What a text says whose first sentence is a verdict word and a mark after it; `next` is the sentence behind it.
    ///
    /// Chat begins with the same words: `Right, let me look`, `Yes, I see the table`. So a comma marks nothing, `right`
    /// begins nothing that goes on, and neither does a word after which the judge speaks of what it is about to do.
    pub(super) fn opening(&self, line: &str, next: &str) -> Said {
        let tokens = tokens(line);
        let Some(first) = tokens.first() else {
            return Said::Nothing;
        };
        let after = first.after.trim_start_matches(['"', '\'', ')']);
        if after.trim_start().starts_with('?') {
            return Said::Nothing;
        }
        let goes_on = if tokens.len() > 1 {
            line.split_once(first.word).map_or("", |(_, rest)| rest)
        } else {
            next
        };
        let is_chat = CHAT.is_match(goes_on) || first.word.eq_ignore_ascii_case("right") && !goes_on.trim().is_empty();
        if self.polarity(first.word).is_some() && is_chat {
            return Said::Nothing;
        }
        // `Correct - the sum holds`, but not `correct-ish`.
        let is_dashed = after.trim().starts_with('-') && after.contains(char::is_whitespace);
        let marked_off = after.starts_with(['.', ':', ';', '!'])
            || after.trim_start().starts_with('(')
            || is_dashed
            || tokens.len() == 1;
        match self.polarity(first.word) {
            Some(verdict) if marked_off && !line.trim_start().starts_with(['"', '\'']) => Said::One(verdict),
            Some(verdict) if tokens.len() == 1 => Said::One(verdict),
            _ => self.alone(line),
        }
    }
}
