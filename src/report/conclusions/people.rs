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
    let name = task_name(task.task);
    let mut said = format!(
        "Agreement with people in {name} ({} judged by {}{}):",
        counted(task.trials, "trial"),
        match task.people.len() {
            1 => "1 person".to_owned(),
            people => format!("{people} people"),
        },
        match task.agreement.len() {
            1 => "",
            _ => "; beyond chance is what intervals of all judges at once show, and those given are of each alone",
        }
    );
    let (beyond, others): (Vec<&JudgePair>, Vec<&JudgePair>) = task
        .agreement
        .iter()
        .partition(|pair| task.beyond_chance.contains(&pair.first));
    // Who agrees with people throughout has no interval, and is not said to agree no better than chance.
    let (shown, unknown): (Vec<&JudgePair>, Vec<&JudgePair>) =
        others.into_iter().partition(|pair| pair.kappa_interval.is_ok());
    let list = |pairs: Vec<&JudgePair>| pairs.into_iter().map(words).collect::<Vec<_>>().join("; ");
    if beyond.is_empty() {
        said.push_str(" no judge is shown to agree with people by more than chance.");
    } else {
        said.push_str(&format!(" beyond chance {}.", list(beyond)));
    }
    if !shown.is_empty() {
        said.push_str(&format!(" Not shown to be beyond chance: {}.", list(shown)));
    }
    if !unknown.is_empty() {
        said.push_str(&format!(" Not known, for there is no interval: {}.", list(unknown)));
    }
    Some(said)
}

fn words(pair: &JudgePair) -> String {
    if pair.agreement.n == 0 {
        return format!("{} has a verdict on no trial that people have one on", pair.first);
    }
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
