//! Presets of judging, and what of a study's protocol differs from the default one.

use crate::judge::protocol::Protocol;
use crate::judge::settings::{
    JudgeOutput, JudgeView, Labels, OptionOrder, OrderDesign, PreferenceTask, Preset, SimulationTask, Tasks,
    VerificationTask,
};

use super::file::{ArmEntry, Control, JudgeEntry, PanelEntry, StudyFile, default_judge_max_tokens};
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
        let is_set = |key: &str| entry.is_some_and(|entry| entry.get(key).is_some());
        if !is_set("view") {
            judge.view = JudgeView::Html;
        }
        if !is_set("repair") {
            judge.repair = false;
        }
    }
}

/// What of the protocol differs from the default one, a sentence each. Every setting is named here, so that a new one does
/// not compile before it is said what it changes; those that change nothing of how is judged say so.
pub(super) fn differences(file: &StudyFile) -> Vec<String> {
    let mut found = Found(Vec::new());
    let StudyFile {
        study: _,
        samples: _,
        models: _,
        arms,
        judges,
        panels,
        tasks,
        control,
        prices: _,
        engine: _,
        pages: _,
        report: _,
    } = file;
    let Tasks {
        preset,
        preference,
        simulation,
        verification,
        // It asks no judge.
        faithfulness: _,
    } = tasks;
    found.say(
        *preset == Preset::Published,
        "The preset is `published`: the protocol of the Plan-of-SQLs study where this study sets nothing else.",
    );
    if let Some(task) = preference {
        found.preference(task, arms);
    }
    if let Some(task) = simulation {
        let SimulationTask { repeats, prompt } = task;
        found.repeats("simulation", *repeats);
        found.say(prompt.is_some(), "Simulation has a prompt of the study's own.");
    }
    if let Some(task) = verification {
        let VerificationTask {
            repeats,
            options,
            prompt,
        } = task;
        found.say(
            *options != OptionOrder::default(),
            format!(
                "The options of verification always stand in one order (`{}`), so that a preference for the first one \
                 cannot be told from an opinion.",
                word(options)
            ),
        );
        found.say(prompt.is_some(), "Verification has a prompt of the study's own.");
        found.repeats("verification", *repeats);
    }
    let Control { enabled } = control;
    found.say(
        (simulation.is_some() || verification.is_some()) && !enabled,
        "There is no control, so that no figure says what an explanation adds.",
    );
    judges.iter().for_each(|judge| found.judge(judge));
    for panel in panels {
        let PanelEntry { name, judges, quorum } = panel;
        found.say(
            quorum.is_some() && panel.quorum() != judges.len() / 2 + 1,
            format!(
                "Panel {name} needs {} of its {} judges, not more than half.",
                panel.quorum(),
                judges.len()
            ),
        );
    }
    found.0
}

/// Sentences.
struct Found(Vec<String>);

impl Found {
    fn say(&mut self, differs: bool, what: impl Into<String>) {
        if differs {
            self.0.push(what.into());
        }
    }

    fn repeats(&mut self, task: &str, repeats: u32) {
        self.say(repeats != 1, format!("Each {task} trial is judged {repeats} times."));
    }

    fn preference(&mut self, task: &PreferenceTask, arms: &[ArmEntry]) {
        let PreferenceTask {
            protocol,
            ties,
            repeats,
            orders,
            orders_per_sample,
            labels,
            prompt,
            include_control,
        } = task;
        self.say(
            *protocol != Protocol::default(),
            format!("Preference is asked for as `{}`, not as a ranking.", word(protocol)),
        );
        self.say(*ties, "Ties are allowed in preference.");
        self.say(*include_control, "The control is ranked too, among the explanations.");
        // Scores are given to one explanation at a time, and pairs come in both orders.
        if matches!(protocol, Protocol::Ranking | Protocol::BestWorst) {
            match orders {
                OrderDesign::Williams => {}
                OrderDesign::Rotate => self.say(
                    true,
                    "Orders are rotations: every explanation is always shown after the same other one.",
                ),
                OrderDesign::Random => self.say(true, "Orders are drawn, so that places are balanced on average only."),
                OrderDesign::All => self.say(true, "Every sample is judged in every order of its explanations."),
            }
            if let Some(orders) = orders_per_sample {
                self.say(
                    true,
                    format!("Each sample is judged in {orders} of the design's orders, not in all of them."),
                );
            }
        }
        match labels {
            Labels::Blind => {}
            Labels::Named => self.say(true, "Explanations are shown under their arms' names, not blind."),
            Labels::NamedWithDescriptions => {
                self.say(
                    true,
                    "Explanations are shown under their arms' names and with descriptions of their methods, not blind.",
                );
                let own: Vec<&str> = arms
                    .iter()
                    .filter(|arm| arm.description.is_some())
                    .map(|arm| arm.name.as_str())
                    .collect();
                self.say(
                    !own.is_empty(),
                    format!("The study describes these in its own words: {}.", own.join(", ")),
                );
            }
        }
        self.say(prompt.is_some(), "Preference has a prompt of the study's own.");
        self.repeats("preference", *repeats);
    }

    fn judge(&mut self, judge: &JudgeEntry) {
        let JudgeEntry {
            name,
            // Who judges is no protocol.
            model: _,
            view,
            max_tokens,
            temperature,
            output,
            repair,
            repair_ambiguous,
            confidence,
        } = judge;
        self.say(
            *view != JudgeView::default(),
            format!("Judge {name} sees pages as `{}`.", word(view)),
        );
        self.say(
            *max_tokens != default_judge_max_tokens(),
            format!(
                "Judge {name} may answer with {max_tokens} tokens, not {}.",
                default_judge_max_tokens()
            ),
        );
        self.say(
            *temperature > 0.0,
            format!("Judge {name} samples at temperature {temperature}."),
        );
        self.say(
            *output != JudgeOutput::default(),
            format!("Judge {name} is to answer in JSON, where its endpoint takes a schema."),
        );
        self.say(
            !repair,
            format!("Judge {name} is not asked again when its verdict cannot be read."),
        );
        self.say(
            *repair && *repair_ambiguous,
            format!("Judge {name} is asked again when its verdict is ambiguous, which makes it choose."),
        );
        self.say(
            confidence.is_some(),
            format!("Judge {name} is asked for the probabilities of its tokens."),
        );
    }
}
