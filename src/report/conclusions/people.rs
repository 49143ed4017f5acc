//! Whether judges say what people say, as a sentence.

use crate::report::agreement::JudgePair;
use crate::report::flags::{counted, task_name};
use crate::report::people::PeopleAnalysis;
use crate::report::rounding::percent;

/// One sentence a task; none where no judge has a trial that people have.
pub fn beside_people(task: &PeopleAnalysis) -> Option<String> {
    if task.agreement.is_empty() {
        return None;
    }
    let beyond = |pair: &&JudgePair| pair.kappa_interval.as_ref().is_ok_and(|interval| interval.low > 0.0);
    let (agree, others): (Vec<&JudgePair>, Vec<&JudgePair>) = task.agreement.iter().partition(beyond);
    let name = task_name(task.task);
    let mut said = format!(
        "Agreement with people in {name} ({} judged by {}):",
        counted(task.trials, "trial"),
        match task.people.len() {
            1 => "1 person".to_owned(),
            people => format!("{people} people"),
        }
    );
    if agree.is_empty() {
        said.push_str(" no judge is shown to agree with people by more than chance.");
    } else {
        let words: Vec<String> = agree.into_iter().map(words).collect();
        said.push_str(&format!(" beyond chance {}.", words.join("; ")));
    }
    if !others.is_empty() {
        let words: Vec<String> = others.into_iter().map(words).collect();
        said.push_str(&format!(" Not shown to be beyond chance: {}.", words.join("; ")));
    }
    Some(said)
}

fn words(pair: &JudgePair) -> String {
    let share = pair
        .agreement
        .share
        .as_ref()
        .map_or("-".to_owned(), |share| percent(*share));
    let chance = pair
        .chance
        .as_ref()
        .map_or(String::new(), |chance| format!(", {} by chance", percent(*chance)));
    let kappa = match (&pair.kappa, &pair.kappa_interval) {
        (Ok(kappa), Ok(interval)) => format!(
            ", kappa {kappa:.2} ({} interval {:.2} to {:.2})",
            percent(interval.level).replace(".0%", "%"),
            interval.low,
            interval.high
        ),
        (Ok(kappa), Err(undefined)) => format!(", kappa {kappa:.2} (no interval: {})", undefined.reason),
        (Err(undefined), _) => format!(", kappa undefined: {}", undefined.reason),
    };
    format!(
        "{} on {share} of {}{chance}{kappa}",
        pair.first,
        counted(pair.agreement.n, "trial")
    )
}
