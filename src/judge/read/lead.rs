//! What the words before a list say of it: that it is the ranking, the final one, or none at all.

use std::sync::LazyLock;

use regex::Regex;

use super::visible::pattern;

static FINAL: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\b(?:final|overall|revised|corrected|updated)\b"));
static ANNOUNCES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\b(?:rankings?|rank order|ranked|order|verdict|answer)\b[^.]*(?::|=|\bis|\bas follows)?$")
});
static EXPLAINS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:explanations? (?:of|for) (?:the |my )?rank|reason|rationale|justification|why|ranking explanation)",
    )
});
pub(super) static SAYS_RANK: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\brank|\bbest to worst\b|\bworst to best\b"));
static PLANTED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:example|e\.g|format|such as|instruct\w*|says|claims|states|tells|told|asks?|asked|demands?|writes|wrote|not|never|n't|rather than|instead of|cannot|(?:end|finish|reply|respond|conclude|answer) with|one line|names|shown|listed|presented|explanations? in order|refuse\w*|reject\w*|ignor\w*|asked for|wants?|would be if)\b|n't\b|\bif (?:\w+ ){0,3}(?:alone|counted|counts|mattered|matters|were|was)\b",
    )
});
static WORST_FIRST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\bworst (?:to|first)\b|\bleast \w+ to\b|\bascending\b|\b1 (?:is|=|means|being) (?:the )?(?:worst|least)\b",
    )
});
const CRITERIA: [&str; 3] = ["clar", "coheren", "helpful"];

/// What the words before a list say of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lead {
    /// 2: it says final or overall; 1: it says that this is the ranking; 0: it says nothing.
    pub(super) level: u8,
    /// It is quoted, an example, denied, or the order by one criterion.
    pub(super) dismissed: bool,
    /// It says that the list begins with the worst.
    pub(super) worst_first: bool,
    /// It speaks of ranks at all.
    pub(super) says_rank: bool,
}

impl Lead {
    pub(super) fn of(text: &str) -> Self {
        let end =
            text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '[' | '{' | '(' | '"' | '\'' | '_' | '#'));
        let lower = end.to_lowercase();
        let criteria = CRITERIA.iter().filter(|word| lower.contains(*word)).count();
        let is_final = FINAL.is_match(end);
        let explains = EXPLAINS.is_match(end);
        let announces = ANNOUNCES.is_match(end) && !explains;
        let by_criterion = !is_final && (1..CRITERIA.len()).contains(&criteria) && !lower.contains("ranking is");
        let quoted = text.matches('"').count() % 2 == 1 && !text.contains(['[', '{']);
        Self {
            level: match (announces, is_final) {
                _ if explains => 0,
                (_, true) => 2,
                (true, false) => 1,
                (false, false) => 0,
            },
            dismissed: by_criterion || quoted || PLANTED.is_match(end),
            worst_first: WORST_FIRST.is_match(end),
            says_rank: SAYS_RANK.is_match(end),
        }
    }
}
