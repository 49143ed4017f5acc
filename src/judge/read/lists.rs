//! Lists of names in a text: chains (`A > B`), numbered lists, and plain lists under a line that announces them; each
//! with what its lead says of it.

use std::sync::LazyLock;

use regex::Regex;

use super::lead::{Lead, SAYS_RANK};
use super::names::{Found, Names, skip};
use super::visible::{announces_material, pattern};

/// Why a list cannot be a ranking as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    /// Two names in one place, or perhaps in one: `A >= B`.
    Tie,
    /// A name twice.
    Repeated,
    /// A place whose entry is none of the names.
    Unknown,
    /// Places are left out.
    Gap,
    /// It is not clear which end is the best.
    Direction,
}

/// Names in an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct List {
    /// Indices into the labels, best first.
    pub(super) labels: Vec<usize>,
    /// For each of them whether it shares the place of the one before it.
    pub(super) tied: Vec<bool>,
    /// 0-based line where it begins.
    pub(super) line: usize,
    /// Its number among the lists of the text.
    pub(super) order: usize,
    /// 2: its lead says final or overall; 1: it says that this is the ranking; 0: it says nothing.
    pub(super) level: u8,
    /// Whether places are numbered.
    pub(super) is_numbered: bool,
    /// Whether nothing but names stands in it.
    pub(super) is_bare: bool,
    /// What is wrong with it.
    pub(super) problem: Option<Problem>,
}

static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^[\s#|(\[\-•+]*(?:(?:rank|place|position|no\.?|number)\s*)?#?(?:(\d{1,2})(?:(?:st|nd|rd|th)(?:\s+place)?\s*[.):|\-\]]*|\s*[.):|\-\]]+)|(first|second|third|fourth|fifth|sixth|seventh|eighth)(?:\s+place)?\s*[:.,)\-]+)\s*",
    )
});
static BULLET: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*(?:[-•+]\s+)?"));
impl List {
    /// Whether two names share a place.
    pub(super) fn has_ties(&self) -> bool {
        self.tied.contains(&true)
    }

    /// The labels place by place, best first; those that share one in the order of the labels.
    pub(super) fn places(&self) -> Vec<Vec<usize>> {
        let mut places: Vec<Vec<usize>> = Vec::new();
        for (&label, &tied) in self.labels.iter().zip(&self.tied) {
            match places.last_mut() {
                Some(place) if tied => place.push(label),
                _ => places.push(vec![label]),
            }
        }
        for place in &mut places {
            place.sort_unstable();
        }
        places
    }

    fn reverse(&mut self) {
        self.labels.reverse();
        self.tied.reverse();
        // A tie is kept with the later of two names.
        self.tied.rotate_right(1);
    }
}

/// All lists of the text, in order.
pub(super) fn find_lists(lines: &[String], names: &Names) -> Vec<List> {
    let mut lists = chains(lines, names);
    lists.extend(numbered(lines, names));
    lists.extend(announced(lines, names));
    lists.sort_by_key(|list| list.line);
    for (order, list) in lists.iter_mut().enumerate() {
        list.order = order;
        let mut seen = list.labels.clone();
        seen.sort_unstable();
        seen.dedup();
        if list.problem.is_none() && seen.len() < list.labels.len() {
            list.problem = Some(Problem::Repeated);
        }
    }
    lists
}

/// The line that stands over this one, the last that is not blank; nothing when that is part of a list itself.
fn heading<'a>(lines: &'a [String], line: usize, names: &Names) -> &'a str {
    let Some(heading) = lines[..line].iter().rev().find(|line| !line.trim().is_empty()) else {
        return "";
    };
    let is_listed = item_at(heading, 0, names).is_some()
        || word_starts(heading).any(|at| {
            names.at(heading, at).is_some_and(|first| {
                matches!(
                    separator(heading, first.end),
                    Some(Separator::Better(_) | Separator::Comma(_))
                )
            })
        });
    if is_listed { "" } else { heading }
}

/// The bytes of a line at which a word can begin.
fn word_starts(line: &str) -> impl Iterator<Item = usize> {
    let mut inside = false;
    line.char_indices().filter_map(move |(at, c)| {
        let begins = !inside;
        inside = c.is_alphanumeric() || c == '_' || c == '-';
        begins.then_some(at)
    })
}

enum Separator {
    Better(usize),
    Worse(usize),
    Tie(usize),
    /// Better, or a tie.
    Unsure(usize),
    Comma(usize),
}

/// What stands between two names of a chain, from byte `at` on.
fn separator(text: &str, at: usize) -> Option<Separator> {
    let begin = skip(text, at, |c| matches!(c, ' ' | '"' | '\'' | ')' | ']'));
    let rest = &text[begin..];
    let end = |sign: &str| begin + sign.len();
    for sign in ["≥", ">=", "≳", "⩾"] {
        if rest.starts_with(sign) {
            return Some(Separator::Unsure(end(sign)));
        }
    }
    for sign in ["->", "=>", "-->", ">>", ">", "≻", "→", "➔", "⟩"] {
        if rest.starts_with(sign) {
            return Some(Separator::Better(end(sign)));
        }
    }
    for sign in ["<-", "<", "≺", "←"] {
        if rest.starts_with(sign) {
            return Some(Separator::Worse(end(sign)));
        }
    }
    for sign in ["==", "=", "~", "≈", "&"] {
        if rest.starts_with(sign) {
            return Some(Separator::Tie(end(sign)));
        }
    }
    for sign in [", and ", ", then ", ","] {
        if rest.starts_with(sign) {
            return Some(Separator::Comma(end(sign)));
        }
    }
    None
}

fn chains(lines: &[String], names: &Names) -> Vec<List> {
    let mut lists = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let mut at = 0;
        while at < line.len() {
            let begins_word = !line[..at]
                .chars()
                .next_back()
                .is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-');
            let chain = if begins_word {
                chain_at(lines, index, at, names)
            } else {
                None
            };
            match chain {
                Some((list, end)) => {
                    lists.extend(list);
                    at = end;
                }
                None => at += line[at..].chars().next().map_or(1, char::len_utf8),
            }
        }
    }
    lists
}

/// A chain of at least two names that begins at this byte, and where it ends; dismissed ones are passed over.
fn chain_at(lines: &[String], index: usize, at: usize, names: &Names) -> Option<(Option<List>, usize)> {
    let line = lines[index].as_str();
    let first = names.at(line, at)?;
    separator(line, first.end)?;
    let before = &line[..at];
    let own_lead = before.trim_matches(|c: char| !c.is_alphanumeric() && c != ':' && c != '"' && c != '[' && c != '=');
    let above = heading(lines, index, names);
    let mut lead = Lead::of(if own_lead.is_empty() { above } else { before });
    lead.dismissed |= announces_material(above);
    let in_brackets = line[at..first.end].contains('[') || before.trim_end().ends_with('[');
    let count = |text: &str, sign: char| text.matches(sign).count();
    let mut depth = count(&line[..first.end], '[').saturating_sub(count(&line[..first.end], ']'));
    let mut labels = vec![first.label];
    let mut tied = vec![false];
    let mut end = first.end;
    let mut problem = None;
    let mut better = 0;
    let mut worse = 0;
    let mut commas = 0;
    while let Some(found) = separator(line, end) {
        let mut is_tie = matches!(found, Separator::Tie(_));
        let after = match found {
            Separator::Better(after) => {
                better += 1;
                after
            }
            Separator::Worse(after) => {
                worse += 1;
                after
            }
            Separator::Tie(after) => after,
            Separator::Unsure(after) => {
                problem = Some(Problem::Tie);
                after
            }
            Separator::Comma(after) => {
                // Commas list names only behind an announcement; in a chain of signs they end it.
                if !(in_brackets || announces_list(before, &lead)) || better + worse > 0 {
                    break;
                }
                commas += 1;
                after
            }
        };
        match names.at(line, after) {
            Some(next) => {
                let between = &line[end..next.end];
                // `[["B", "A"], "C"]`: names in a list within the list share a place.
                is_tie |= matches!(found, Separator::Comma(_)) && depth > 1 && count(between, ']') == 0;
                depth = (depth + count(between, '[')).saturating_sub(count(between, ']'));
                labels.push(next.label);
                tied.push(is_tie);
                end = next.end;
            }
            None => {
                let names_something = line[after..].chars().any(char::is_alphanumeric);
                let was_comma = commas > 0 && better + worse == 0;
                if names_something && !was_comma && problem.is_none() {
                    problem = Some(Problem::Unknown);
                }
                break;
            }
        }
    }
    if labels.len() < 2 {
        return None;
    }
    if lead.dismissed || is_spoken_of(&line[end..], lines.get(index + 1)) {
        return Some((None, end));
    }
    if problem.is_none() && (worse > 0 || (lead.worst_first && better > 0)) {
        problem = Some(Problem::Direction);
    }
    let mut list = List {
        labels,
        tied,
        line: index,
        order: 0,
        level: lead.level,
        is_numbered: false,
        is_bare: true,
        problem,
    };
    if lead.worst_first && better + worse == 0 {
        list.reverse();
    }
    Some((Some(list), end))
}

/// Whether what follows a list speaks of it: `A > B > C was the order shown`.
fn is_spoken_of(after: &str, next: Option<&String>) -> bool {
    let after = after.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ')' | ']'));
    let text = match (after, next) {
        ("", Some(next)) => next.trim(),
        _ => after,
    };
    let first = text.split_whitespace().next().unwrap_or_default();
    matches!(first, "was" | "were" | "are" | "is")
}

/// Whether a list may begin right after these words: `Ranking:`, and not `all of the names`.
fn announces_list(before: &str, lead: &Lead) -> bool {
    let before =
        before.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '(' | '[' | '{' | '_'));
    let ends = [":", "=", " is", " are", "follows", " as", "rank", "order"];
    lead.level > 0 && ends.iter().any(|end| before.to_lowercase().ends_with(end))
}

/// One entry of a numbered list.
struct Item {
    number: usize,
    /// `None` when the entry begins with none of the names.
    found: Option<Found>,
    /// A second name in this entry, which shares its place.
    second: Option<Found>,
    /// The byte after the entry's name or names.
    end: usize,
}

fn item_at(line: &str, at: usize, names: &Names) -> Option<Item> {
    let rest = line.get(at..)?;
    let captures = NUMBER.captures(rest)?;
    let number = match (captures.get(1), captures.get(2)) {
        (Some(digits), _) => digits.as_str().parse().ok()?,
        (None, Some(word)) => {
            1 + [
                "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth",
            ]
            .iter()
            .position(|ordinal| word.as_str().eq_ignore_ascii_case(ordinal))?
        }
        (None, None) => return None,
    };
    let begin = at + captures.get(0)?.end();
    let found = names
        .at(line, begin)
        .filter(|found| stands_as_entry(&line[found.end..]));
    let second = found.and_then(|found| {
        let after = skip(line, found.end, |c| matches!(c, ' ' | '"' | ')' | ']'));
        ["and ", "& ", "/ ", "= ", ", "].iter().find_map(|sign| {
            let begin = line[after..].starts_with(sign).then_some(after + sign.len())?;
            names
                .at(line, begin)
                .filter(|second| stands_as_entry(&line[second.end..]))
        })
    });
    Some(Item {
        number,
        found,
        second,
        end: second.or(found).map_or(begin, |last| last.end),
    })
}

/// Whether what follows a name leaves it an entry of a list and not a word of a sentence.
fn stands_as_entry(after: &str) -> bool {
    const VERBS: [&str; 20] = [
        "is",
        "was",
        "has",
        "provides",
        "offers",
        "gives",
        "ranks",
        "ranked",
        "because",
        "presents",
        "shows",
        "comes",
        "with",
        "explanation",
        "method",
        "and",
        "lacks",
        "follows",
        "explains",
        "uses",
    ];
    let rest = after.trim_start_matches(['"', '\'', ' ', ')', ']']);
    let Some(next) = rest.chars().next() else {
        return true;
    };
    if !next.is_alphanumeric() {
        return true;
    }
    if next.is_ascii_digit() {
        return NUMBER.is_match(rest);
    }
    let word: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
    after.starts_with([' ', '"', '\'', ')', ']']) && VERBS.contains(&word.as_str())
}

/// A numbered list while it is read.
struct Growing {
    list: List,
    last_number: usize,
    last_line: usize,
    says_rank: bool,
    dismissed: bool,
    worst_first: bool,
}

impl Growing {
    fn finished(mut self) -> Option<List> {
        // An analysis goes through the explanations in numbers too; only if it speaks of ranks is it a ranking.
        let is_ranking = self.list.is_bare || self.says_rank;
        if self.dismissed || !is_ranking {
            return None;
        }
        if self.worst_first {
            self.list.reverse();
        }
        Some(self.list)
    }
}

fn numbered(lines: &[String], names: &Names) -> Vec<List> {
    let mut lists = Vec::new();
    let mut growing: Option<Growing> = None;
    for (index, line) in lines.iter().enumerate() {
        let (mut at, lead) = match item_at(line, 0, names) {
            Some(_) => (0, heading(lines, index, names)),
            None => match inline_start(line, names) {
                Some(start) => (start, &line[..start]),
                None => continue,
            },
        };
        while let Some(item) = item_at(line, at, names) {
            at = item.end;
            let bare_here = item.found.is_some() && is_bare(line, item.end, names);
            match (&mut growing, item.found) {
                (Some(open), Some(found)) if item.number == open.last_number + 1 => {
                    open.list.labels.push(found.label);
                    open.list.tied.push(false);
                    open.last_number = item.number;
                    open.last_line = index;
                }
                (Some(open), Some(found)) if item.number == open.last_number && index == open.last_line + 1 => {
                    open.list.labels.push(found.label);
                    open.list.tied.push(true);
                    open.last_line = index;
                }
                // `1. A, 1. B, 3. C`: the places that a tie takes are passed over.
                (Some(open), Some(found)) if open.list.has_ties() && item.number == open.list.labels.len() + 1 => {
                    open.list.labels.push(found.label);
                    open.list.tied.push(false);
                    open.last_number = item.number;
                    open.last_line = index;
                }
                (Some(open), Some(_)) if item.number > open.last_number => {
                    open.list.problem.get_or_insert(Problem::Gap);
                    open.last_number = item.number;
                    open.last_line = index;
                }
                (Some(open), None) => {
                    let goes_on = item.number == open.last_number + 1 && index <= open.last_line + 1;
                    if goes_on && open.list.is_bare && line[item.end..].split_whitespace().count() <= 4 {
                        open.list.problem.get_or_insert(Problem::Unknown);
                        open.last_number = item.number;
                        open.last_line = index;
                    }
                    break;
                }
                (_, Some(found)) => {
                    lists.extend(growing.take().and_then(Growing::finished));
                    let lead = Lead::of(lead);
                    growing = Some(Growing {
                        list: List {
                            labels: vec![found.label],
                            tied: vec![false],
                            line: index,
                            order: 0,
                            level: lead.level,
                            is_numbered: true,
                            is_bare: true,
                            problem: (item.number != 1).then_some(Problem::Gap),
                        },
                        last_number: item.number,
                        last_line: index,
                        says_rank: lead.says_rank,
                        dismissed: lead.dismissed || announces_material(heading(lines, index, names)),
                        worst_first: lead.worst_first,
                    });
                }
                (None, None) => break,
            }
            if let Some(open) = &mut growing {
                open.list.is_bare &= bare_here;
                open.says_rank |= SAYS_RANK.is_match(&line[item.end..]);
                if let Some(second) = item.second.filter(|_| item.found.is_some()) {
                    open.list.labels.push(second.label);
                    open.list.tied.push(true);
                }
            }
            at = skip(line, at, |c| {
                matches!(c, ' ' | ',' | ';' | '|' | '.' | '>' | '"' | ')' | ']')
            });
            if at >= line.len() {
                break;
            }
        }
    }
    lists.extend(growing.and_then(Growing::finished));
    lists
}

/// Whether nothing but signs, or the next entry of the list, follows an entry's name.
fn is_bare(line: &str, end: usize, names: &Names) -> bool {
    let after = skip(line, end, |c| !c.is_alphanumeric() && c != '#');
    after >= line.len() || item_at(line, after, names).is_some_and(|item| item.found.is_some())
}

/// Where a numbered list begins within a line, after a colon: `Ranking: 1. A, 2. B`.
fn inline_start(line: &str, names: &Names) -> Option<usize> {
    line.match_indices(':')
        .map(|(colon, _)| colon + 1)
        .find(|&start| item_at(line, start, names).is_some_and(|item| item.number == 1 && item.found.is_some()))
}

/// Lists without numbers, one name a line, under a line that announces the ranking and holds no name itself.
fn announced(lines: &[String], names: &Names) -> Vec<List> {
    let mut lists = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let lead = Lead::of(line);
        if !line.trim_end().trim_end_matches('_').ends_with(':') || lead.level == 0 || lead.dismissed {
            continue;
        }
        let mut labels = Vec::new();
        let mut begin = index + 1;
        for (offset, entry) in lines[index + 1..].iter().enumerate() {
            if entry.trim().is_empty() {
                continue;
            }
            let start = BULLET.find(entry).map_or(0, |bullet| bullet.end());
            let found = names
                .at(entry, start)
                .filter(|found| !entry[found.end..].chars().any(char::is_alphanumeric));
            let Some(found) = found else { break };
            if labels.is_empty() {
                begin = index + 1 + offset;
            }
            labels.push(found.label);
        }
        if labels.len() >= 2 {
            let mut list = List {
                tied: vec![false; labels.len()],
                labels,
                line: begin,
                order: 0,
                level: lead.level,
                is_numbered: false,
                is_bare: true,
                problem: None,
            };
            if lead.worst_first {
                list.reverse();
            }
            lists.push(list);
        }
    }
    lists
}
