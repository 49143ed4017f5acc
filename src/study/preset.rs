//! Presets of judging, and what of a study's protocol differs from the default one.

use crate::judge::protocol::Protocol;
use crate::judge::settings::{JudgeOutput, JudgeView, Labels, OptionOrder, OrderDesign, Preset};

use super::file::StudyFile;
use super::models::word;

/// Puts the preset's values where the text of the study file sets none.
pub(super) fn apply(file: &mut StudyFile, text: &str) {
    if file.tasks.preset != Preset::Published {
        return;
    }
    // The text was read into `file` already, so it is a table.
    let written = text.parse::<toml::Table>().unwrap_or_default();
    let is_set = |path: &[&str]| {
        let mut found = path.iter().skip(1).fold(written.get(path[0]), |value, key| {
            value.and_then(|value| value.get(key))
        });
        found.take().is_some()
    };
    if let Some(task) = &mut file.tasks.preference {
        if !is_set(&["tasks", "preference", "orders"]) {
            task.orders = OrderDesign::Rotate;
        }
        if !is_set(&["tasks", "preference", "labels"]) {
            task.labels = Labels::NamedWithDescriptions;
        }
    }
    if let Some(task) = &mut file.tasks.verification
        && !is_set(&["tasks", "verification", "options"])
    {
        task.options = OptionOrder::CorrectFirst;
    }
    if !is_set(&["control", "enabled"]) {
        file.control.enabled = false;
    }
    for (index, judge) in file.judges.iter_mut().enumerate() {
        let entry = written.get("judges").and_then(|judges| judges.get(index));
        if entry.and_then(|entry| entry.get("view")).is_none() {
            judge.view = JudgeView::Html;
        }
    }
}

/// What of the protocol differs from the default one, a sentence each.
pub(super) fn differences(file: &StudyFile) -> Vec<String> {
    let mut found = Vec::new();
    let mut say = |differs: bool, what: String| {
        if differs {
            found.push(what);
        }
    };
    let tasks = &file.tasks;
    say(
        tasks.preset == Preset::Published,
        "The preset is `published`: the protocol of the Plan-of-SQLs study where this study sets nothing else."
            .to_owned(),
    );
    if let Some(task) = &tasks.preference {
        say(
            task.protocol != Protocol::Ranking,
            format!(
                "Preference is asked for as `{}`, not as a ranking.",
                word(&task.protocol)
            ),
        );
        say(task.ties, "Ties are allowed in preference.".to_owned());
        say(
            matches!(task.orders, OrderDesign::Rotate),
            "Orders are rotations: every explanation is always shown after the same other one.".to_owned(),
        );
        say(
            matches!(task.orders, OrderDesign::Random),
            "Orders are drawn, so that places are balanced on average only.".to_owned(),
        );
        say(
            task.labels == Labels::Named,
            "Explanations are shown under their arms' names, not blind.".to_owned(),
        );
        say(
            task.labels == Labels::NamedWithDescriptions,
            "Explanations are shown under their arms' names and with descriptions of their methods, not blind."
                .to_owned(),
        );
        say(
            task.prompt.is_some(),
            "Preference has a prompt of the study's own.".to_owned(),
        );
        say(
            task.repeats > 1,
            format!("Each preference trial is judged {} times.", task.repeats),
        );
    }
    if let Some(task) = &tasks.simulation {
        say(
            task.prompt.is_some(),
            "Simulation has a prompt of the study's own.".to_owned(),
        );
        say(
            task.repeats > 1,
            format!("Each simulation trial is judged {} times.", task.repeats),
        );
    }
    if let Some(task) = &tasks.verification {
        say(
            task.options != OptionOrder::Balanced,
            format!(
                "The options of verification always stand in one order (`{}`), so that a preference for the first one \
                 cannot be told from an opinion.",
                word(&task.options)
            ),
        );
        say(
            task.prompt.is_some(),
            "Verification has a prompt of the study's own.".to_owned(),
        );
        say(
            task.repeats > 1,
            format!("Each verification trial is judged {} times.", task.repeats),
        );
    }
    let uses_control = tasks.simulation.is_some() || tasks.verification.is_some();
    say(
        uses_control && !file.control.enabled,
        "There is no control, so that no figure says what an explanation adds.".to_owned(),
    );
    for judge in &file.judges {
        let name = &judge.name;
        say(
            judge.view != JudgeView::Markdown,
            format!("Judge {name} sees pages as `{}`.", word(&judge.view)),
        );
        say(
            judge.output != JudgeOutput::Text,
            format!("Judge {name} is asked for JSON."),
        );
        say(
            !judge.repair,
            format!("Judge {name} is not asked again when its verdict cannot be read."),
        );
        say(
            judge.temperature > 0.0,
            format!("Judge {name} samples at temperature {}.", judge.temperature),
        );
    }
    found
}
