//! Rankings: `A > B > C`, numbered lists, and lists under a line that says they are the ranking.
//!
//! Every list of names in the text is found first ([`super::lists`]), with what its lead says of it; then one is chosen.

use serde_json::Value;

use super::lists::{List, Problem, find_lists};
use super::names::Names;
use super::object::Fields;
use super::retract::first_taking_back;
use super::{Completeness, Unread, read_views, visible};

/// Fields of an object that hold a ranking.
const FIELDS: Fields = Fields {
    nouns: &["ranking", "rankings", "ranks", "rank", "order", "answer"],
    beside: &["the", "my", "your", "of", "explanation", "explanations"],
    write: as_chain,
};

/// Reads a ranking of all `labels`, best first, as indices into them.
///
/// A ranking has every label once. Of several complete rankings that differ, the one that is marked counts: first one
/// that says it is final or overall, then one in a line `Ranking: ...`; two marked alike that differ are ambiguous, and
/// so is a ranking that a later list contradicts. An incomplete list beside a complete one that agrees changes nothing.
/// Names may be given as the label (`Explanation A`), as what remains without shared words (`A`), or within quotes,
/// brackets or emphasis.
pub fn read_ranking<S: AsRef<str>>(text: &str, labels: &[S], completeness: Completeness) -> Result<Vec<usize>, Unread> {
    let names = Names::new(labels);
    read_views(text, &FIELDS, |lines| {
        ranking_in(lines, &names, completeness, Ties::Refused)
    })
    .map(|places| places.into_iter().flatten().collect())
}

/// Reads a ranking in which several labels may share a place: `A > B = C`, `1. A, 2. B and C`. Places come best first,
/// the labels that share one in their order.
pub fn read_tied_ranking<S: AsRef<str>>(
    text: &str,
    labels: &[S],
    completeness: Completeness,
) -> Result<Vec<Vec<usize>>, Unread> {
    let names = Names::new(labels);
    read_views(text, &FIELDS, |lines| {
        ranking_in(lines, &names, completeness, Ties::Allowed)
    })
}

/// Whether explanations may share a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ties {
    Allowed,
    Refused,
}

fn ranking_in(
    lines: &[String],
    names: &Names,
    completeness: Completeness,
    ties: Ties,
) -> Result<Vec<Vec<usize>>, Unread> {
    if names.count() < 2 {
        return Err(Unread::unparsed("there are fewer than two explanations to rank"));
    }
    let mut lists = find_lists(&visible::plainly(lines), names);
    for list in &mut lists {
        if ties == Ties::Refused && list.problem.is_none() && list.has_ties() {
            list.problem = Some(Problem::Tie);
        }
    }
    let complete: Vec<&List> = lists
        .iter()
        .filter(|list| {
            is_complete(list, names) && (completeness == Completeness::Whole || list.is_bare || list.level > 0)
        })
        .collect();
    let Some(level) = complete.iter().map(|list| list.level).max() else {
        return Err(nothing_complete(&lists, names));
    };
    let marked: Vec<&&List> = complete.iter().filter(|list| list.level == level).collect();
    let (first, last) = match (marked.first(), marked.last()) {
        (Some(first), Some(last)) => (first, last),
        _ => return Err(nothing_complete(&lists, names)),
    };
    if let Some(other) = marked.iter().find(|list| list.places() != first.places()) {
        return Err(Unread::ambiguous(format!(
            "two rankings that differ, on lines {} and {}, and neither is marked as final",
            first.line + 1,
            other.line + 1
        )));
    }
    for later in lists.iter().filter(|list| list.order > last.order) {
        let contradicts = match ties {
            Ties::Allowed if is_complete(later, names) => later.places() != first.places(),
            Ties::Allowed => contradicts_places(later, &first.places()),
            Ties::Refused => contradicts(later, &first.labels),
        };
        if contradicts {
            return Err(Unread::ambiguous(format!(
                "the list on line {} contradicts the ranking on line {}",
                later.line + 1,
                last.line + 1
            )));
        }
    }
    let after = lines.get(last.line + 1..).unwrap_or_default();
    if let Some(sentence) = first_taking_back(&visible::plainly(after)) {
        return Err(Unread::ambiguous(format!(
            "the ranking on line {} is taken back: {}",
            last.line + 1,
            sentence.trim().chars().take(80).collect::<String>()
        )));
    }
    Ok(first.places())
}

/// A ranking in an object as a chain: a list in its order, a list within it as a tie, and names with their ranks.
fn as_chain(value: &Value) -> String {
    let word = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match value {
        Value::Array(items) if items.iter().all(|item| item.is_string() || item.is_array()) => {
            let places = items.iter().map(|item| match item {
                Value::Array(tied) => tied.iter().map(word).collect::<Vec<_>>().join(" = "),
                other => word(other),
            });
            places.collect::<Vec<_>>().join(" > ")
        }
        Value::Object(ranks) => {
            let mut ranked: Vec<(u64, &String)> = Vec::new();
            for (name, rank) in ranks {
                match rank.as_u64() {
                    Some(rank) if (1..=ranks.len() as u64).contains(&rank) => ranked.push((rank, name)),
                    _ => return value.to_string(),
                }
            }
            ranked.sort_unstable();
            if ranked.first().is_none_or(|(rank, _)| *rank != 1) {
                return value.to_string();
            }
            let mut chain = String::new();
            for (index, (rank, name)) in ranked.iter().enumerate() {
                if index > 0 {
                    chain.push_str(if ranked[index - 1].0 == *rank { " = " } else { " > " });
                }
                chain.push_str(name);
            }
            chain
        }
        other => word(other),
    }
}

fn is_complete(list: &List, names: &Names) -> bool {
    list.problem.is_none() && list.labels.len() == names.count()
}

/// Whether a later list cannot stand beside the ranking.
fn contradicts(list: &List, ranking: &[usize]) -> bool {
    if list.problem == Some(Problem::Tie) {
        return list.level > 0 || list.labels.len() == ranking.len();
    }
    if list.is_numbered {
        return list.labels.iter().zip(ranking).any(|(found, ranked)| found != ranked);
    }
    let places: Vec<Option<usize>> = list
        .labels
        .iter()
        .map(|label| ranking.iter().position(|ranked| ranked == label))
        .collect();
    list.problem.is_none() && places.windows(2).any(|pair| pair[0] >= pair[1])
}

/// The same where places may be shared: a list in which one comes before another that the ranking does not put behind it.
/// Reasons that are numbered one by one part what shares a place without saying that it does not.
fn contradicts_places(list: &List, places: &[Vec<usize>]) -> bool {
    let found: Vec<Option<usize>> = list
        .labels
        .iter()
        .map(|label| places.iter().position(|place| place.contains(label)))
        .collect();
    list.problem.is_none()
        && found.windows(2).zip(&list.tied[1..]).any(|(pair, tied)| match tied {
            true => pair[0] != pair[1],
            false if list.is_numbered => pair[0] > pair[1],
            false => pair[0] >= pair[1],
        })
}

fn nothing_complete(lists: &[List], names: &Names) -> Unread {
    let count = names.count();
    if let Some(tie) = lists.iter().find(|list| list.problem == Some(Problem::Tie)) {
        return Unread::ambiguous(format!("the ranking on line {} has a tie", tie.line + 1));
    }
    if let Some(reversed) = lists.iter().find(|list| list.problem == Some(Problem::Direction)) {
        return Unread::ambiguous(format!(
            "it is not clear which end of the ranking on line {} is the best",
            reversed.line + 1
        ));
    }
    match lists.iter().max_by_key(|list| (list.level, list.labels.len())) {
        None => Unread::unparsed(format!("no ranking of the {count} explanations was found")),
        Some(list) => {
            let what = match list.problem {
                Some(Problem::Repeated) => "names an explanation twice".to_owned(),
                Some(Problem::Unknown) => "names something that was not shown".to_owned(),
                _ => format!("names {} of {count} explanations", list.labels.len()),
            };
            Unread::unparsed(format!("the ranking on line {} {what}", list.line + 1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::NoVerdict;

    const METHODS: [&str; 4] = ["COT", "DATER", "POS", "Text2SQL"];
    const BLIND: [&str; 3] = ["Explanation A", "Explanation B", "Explanation C"];

    fn order<S: AsRef<str>>(text: &str, labels: &[S]) -> Result<Vec<usize>, NoVerdict> {
        read_ranking(text, labels, Completeness::Whole).map_err(|unread| unread.state)
    }

    #[test]
    fn forms_of_one_ranking() {
        for text in [
            "Ranking: B > A > C",
            "ranking: B>A>C.",
            "**Ranking:** Explanation B > Explanation A > Explanation C",
            "**Final Ranking**: `B > A > C`",
            "I compared them all. Ranking: B ≻ A ≻ C",
            "Ranking: B, A, C",
            "Ranking: B, A, and C",
            "Ranking: [\"B\", \"A\", \"C\"]",
            "{\"ranking\": [\"Explanation B\", \"Explanation A\", \"Explanation C\"]}",
            "The ranking from best to worst is: B -> A -> C",
            "1. Explanation B\n2. Explanation A\n3. Explanation C",
            "1) **B**\n2) **A**\n3) **C**",
            "1. B 2. A 3. C",
            "Ranking: 1. B, 2. A, 3. C",
            "1st: B\n2nd: A\n3rd: C",
            "First: B\nSecond: A\nThird: C",
            "Rank 1: Explanation B\nRank 2: Explanation A\nRank 3: Explanation C",
            "| 1 | B |\n| 2 | A |\n| 3 | C |",
            "Ranking:\n- B\n- A\n- C",
            "Ranking:\n\n**Explanation B**\n**Explanation A**\n**Explanation C**",
            "Ranking from worst to best:\n1. C\n2. A\n3. B",
            "Based on clarity, coherence and helpfulness, I rank them B > A > C.",
            "Ranking: B &gt; A &gt; C",
            "<think>A > B > C maybe</think>\nRanking: B > A > C",
        ] {
            assert_eq!(order(text, &BLIND), Ok(vec![1, 0, 2]), "{text}");
        }
    }

    #[test]
    fn an_analysis_in_the_order_shown_is_no_ranking() {
        let analysis =
            "1. Explanation A: easy to read.\n2. Explanation B: shows every step.\n3. Explanation C: terse.\n";
        assert_eq!(order(analysis, &BLIND), Err(NoVerdict::Unparsed));
        assert_eq!(
            order(&format!("{analysis}\nRanking: B > A > C"), &BLIND),
            Ok(vec![1, 0, 2])
        );
        assert_eq!(
            order(&format!("Ranking: B > A > C\n\n{analysis}"), &BLIND),
            Ok(vec![1, 0, 2])
        );
        let reasons = "1. Explanation B: ranked first, shows every step.\n2. Explanation A: ranked second.\n\n3. Explanation C: terse.";
        assert_eq!(order(reasons, &BLIND), Ok(vec![1, 0, 2]));
    }

    #[test]
    fn the_ranking_of_one_criterion_is_not_the_ranking() {
        let by_criterion = "Clarity: A > B > C\nCoherence: A > C > B\n";
        assert_eq!(order(by_criterion, &BLIND), Err(NoVerdict::Unparsed));
        assert_eq!(
            order(&format!("{by_criterion}Ranking: B > A > C"), &BLIND),
            Ok(vec![1, 0, 2])
        );
        assert_eq!(
            order(&format!("{by_criterion}Overall: B > A > C"), &BLIND),
            Ok(vec![1, 0, 2])
        );
    }

    #[test]
    fn later_lists_that_agree_or_are_cut_leave_the_ranking() {
        let list =
            "1. COT\n2. DATER\n3. POS\n4. Text2SQL\n\n**Explanation of Ranking:**\n\n1. **COT**: This explanation is";
        assert_eq!(order(list, &METHODS), Ok(vec![0, 1, 2, 3]));
        let whole = format!("{list} best.\n2. **DATER**: Good.\n3. **POS**: Less so.\n4. **Text2SQL**: Least.");
        assert_eq!(order(&whole, &METHODS), Ok(vec![0, 1, 2, 3]));
        let contradicted = list.replace("1. **COT**: This", "1. **POS**: This");
        assert_eq!(order(&contradicted, &METHODS), Err(NoVerdict::Ambiguous));
        assert_eq!(read_ranking(list, &METHODS, Completeness::Cut), Ok(vec![0, 1, 2, 3]));
    }

    #[test]
    fn rankings_that_differ() {
        assert_eq!(order("A > B > C\n\nB > A > C", &BLIND), Err(NoVerdict::Ambiguous));
        assert_eq!(
            order("Ranking: A > B > C\nRanking: B > A > C", &BLIND),
            Err(NoVerdict::Ambiguous)
        );
        assert_eq!(
            order("Ranking: A > B > C\nFinal ranking: B > A > C", &BLIND),
            Ok(vec![1, 0, 2])
        );
        assert_eq!(
            order("1. A\n2. B\n3. C\n\nFinal ranking:\n1. B\n2. A\n3. C", &BLIND),
            Ok(vec![1, 0, 2])
        );
        assert_eq!(
            order("Final ranking: A > B > C\n\nOn reflection:\nB > A > C", &BLIND),
            Err(NoVerdict::Ambiguous)
        );
    }

    #[test]
    fn what_is_no_ranking() {
        for (text, state) in [
            ("", NoVerdict::Unparsed),
            (
                "COT is clearer than POS, and DATER beats Text2SQL.",
                NoVerdict::Unparsed,
            ),
            ("1. COT\n2. DATER\n3. POS", NoVerdict::Unparsed),
            ("1. COT\n2. DATER\n3. POS\n4. COT", NoVerdict::Unparsed),
            ("1. COT\n2. DATER\n3. POS\n4. Chameleon", NoVerdict::Unparsed),
            (
                "1. COT\n2. DATER\n3. POS\n4. Text2SQL\n5. Chameleon",
                NoVerdict::Unparsed,
            ),
            ("Ranking: COT > DATER > POS > Text2SQL > Chameleon", NoVerdict::Unparsed),
            ("Ranking: COT > DATER > POS", NoVerdict::Unparsed),
            ("Ranking: COT > DATER = POS > Text2SQL", NoVerdict::Ambiguous),
            ("1. COT\n2. DATER and POS\n3. Text2SQL", NoVerdict::Ambiguous),
            ("1. COT\n2. DATER\n2. POS\n4. Text2SQL", NoVerdict::Ambiguous),
            ("Ranking: Text2SQL < POS < DATER < COT", NoVerdict::Ambiguous),
            ("I would not say COT > DATER > POS > Text2SQL.", NoVerdict::Unparsed),
            (
                "It says \"Ranking: COT > DATER > POS > Text2SQL\".",
                NoVerdict::Unparsed,
            ),
            (
                "The explanation tells me to answer with Ranking: COT > DATER > POS > Text2SQL",
                NoVerdict::Unparsed,
            ),
            ("Ranking: [best] > ... > [worst]", NoVerdict::Unparsed),
        ] {
            assert_eq!(order(text, &METHODS), Err(state), "{text}");
        }
    }

    #[test]
    fn a_letter_in_prose_is_no_name() {
        let text = "1. A clear explanation helps.\n2. B is short.\n3. C is long.";
        assert_eq!(order(text, &BLIND), Err(NoVerdict::Unparsed));
        assert_eq!(order("A better one > B", &BLIND), Err(NoVerdict::Unparsed));
    }
}
