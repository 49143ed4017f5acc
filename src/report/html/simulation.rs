//! The section on whether an explanation lets a judge foresee the model's answer.

use crate::judge::Task;
use crate::report::analysis::Analysis;
use crate::report::flags::counted;
use crate::report::index::Index;
use crate::report::simulation::{SimulationAnalysis, SimulationArm};
use crate::stats::Stat;

use super::anchors;
use super::beyond_chance;
use super::chart::{Forest, ForestValue};
use super::links::TrialPaths;
use super::trials::{not_asked, readings_cells, trial_lists};
use super::view::{Block, CellView, Section, TableView, percent, samples_words};

/// The section, if the task was run.
pub(super) fn section(analysis: &Analysis, index: &Index, paths: &TrialPaths) -> Option<Section> {
    if analysis.simulation.is_empty() {
        return None;
    }
    let mut blocks = vec![
        Block::Forest(forest(analysis)),
        Block::Table(beyond_chance::simulation(analysis)),
    ];
    for judge in &analysis.simulation {
        let Some(number) = analysis.study.judges.iter().position(|known| known.name == judge.judge) else {
            continue;
        };
        blocks.push(Block::Heading(judge.judge.clone()));
        if judge.control.asked + judge.arms.iter().map(|arm| arm.readings.asked).sum::<u64>() == 0 {
            blocks.push(not_asked());
            blocks.extend(trial_lists(index, paths, Task::Simulation, number));
            continue;
        }
        blocks.push(Block::Table(table(analysis, judge, number)));
        blocks.extend(beyond_chance::arm_pairs(analysis, Task::Simulation, &judge.judge));
        if judge.arms.iter().any(|arm| arm.kinds.len() > 1) {
            blocks.push(Block::Table(kinds(judge)));
        }
        if judge.unscored > 0 {
            blocks.push(Block::Text(format!(
                "Not scored: {} whose answer is free-form. Two sentences hardly ever agree to the letter.",
                counted(judge.unscored, "trial")
            )));
        }
        blocks.extend(trial_lists(index, paths, Task::Simulation, number));
    }
    Some(Section {
        id: "simulation",
        title: "Simulation: can a judge foresee the model's answer?".to_owned(),
        intro: vec![
            "A judge sees the explanation with the answer withheld and says what the model answered. A judge that simply \
             solves the task agrees with a model that solves it too. What the explanation adds shows in the lift over the \
             control, and on samples where the model is wrong: only there do foreseeing and solving differ."
                .to_owned(),
        ],
        terms: vec![
            ("accuracy", "Guesses that agree with what the model answered, on samples where every arm has a readable guess."),
            ("less the control", "Accuracy with the explanation minus accuracy of the same judge's guess without any, on the same samples, in percentage points. p is McNemar's exact test; where samples have several trials, the sign-flip test of their sums. h is Cohen's: 0.2 is small, 0.8 large."),
            ("base rate", "What always guessing the model's more frequent answer would reach; only for TRUE/FALSE answers."),
            ("right answer", "Guesses that are the right answer to the sample, whatever the model said."),
            ("where the model is wrong", "Guesses that agree with the model although its answer is wrong."),
            ("read", "Judgments with a readable guess, of all asked for. The others are never counted as wrong."),
        ],
        blocks,
    })
}

fn of_control(arm: &SimulationArm) -> Option<f64> {
    arm.control.as_ref().ok()?.lift.second.share.as_ref().ok().copied()
}

fn forest(analysis: &Analysis) -> Forest {
    let several = analysis.simulation.len() > 1;
    let mut values = Vec::new();
    for judge in &analysis.simulation {
        for arm in &judge.arms {
            values.push(ForestValue {
                label: if several {
                    format!("{} · {}", judge.judge, arm.arm)
                } else {
                    arm.arm.clone()
                },
                value: arm.accuracy.share.as_ref().ok().copied(),
                interval: arm
                    .accuracy
                    .interval
                    .as_ref()
                    .ok()
                    .map(|interval| (interval.low, interval.high)),
                base: base(arm).ok(),
                control: of_control(arm),
                text: CellView::figure(&arm.accuracy.share, percent).text,
            });
        }
    }
    Forest::of_shares(
        "Simulation accuracy with its interval, beside its base rate and the control",
        values,
        ("always the more frequent answer", "without an explanation"),
    )
}

fn base(arm: &SimulationArm) -> Stat<f64> {
    arm.base_rate
        .as_ref()
        .map_err(Clone::clone)
        .and_then(|base| base.proportion.share.clone())
}

fn table(analysis: &Analysis, judge: &SimulationAnalysis, number: usize) -> TableView {
    let mut table = TableView::new(
        samples_words(
            analysis.study.own_samples(),
            judge.common_samples,
            judge.samples,
            "readable guess",
        ),
        &[
            "arm",
            "#accuracy",
            "#control",
            "#base rate",
            "#right answer",
            "#where the model is wrong",
            "#where it is right",
            "#read",
        ],
    );
    for arm in &judge.arms {
        let arm_number = analysis.study.arms.iter().position(|known| known.name == arm.arm);
        let to = anchors::to_trials(Task::Simulation, number, arm_number);
        let accuracy = CellView::proportion(&arm.accuracy).to(&to);
        let below = arm
            .accuracy
            .share
            .as_ref()
            .is_ok_and(|share| base(arm).is_ok_and(|base| *share < base));
        table.rows.push(vec![
            CellView::head(&arm.arm),
            if below { accuracy.class("number bad") } else { accuracy },
            match &arm.control {
                Ok(control) => CellView::part(&control.lift.second).to(anchors::to_trials(
                    Task::Simulation,
                    number,
                    Some(analysis.study.arms.len()),
                )),
                Err(undefined) => CellView::figure(&Err(undefined.clone()), percent),
            },
            match &arm.base_rate {
                Ok(base) => CellView::figure(&base.proportion.share, percent).detail(format!("always {}", base.class)),
                Err(undefined) => CellView::figure(&Err(undefined.clone()), percent),
            },
            CellView::part(&arm.gold_agreement).to(&to),
            CellView::part(&arm.where_model_wrong).to(&to),
            CellView::part(&arm.where_model_right).to(&to),
            readings_cells(&arm.readings).to(&to),
        ]);
    }
    table
}

fn kinds(judge: &SimulationAnalysis) -> TableView {
    let mut table = TableView::new(
        "By kind of question",
        &["arm", "kind", "#accuracy", "#base rate", "#less the base rate"],
    );
    for arm in &judge.arms {
        for kind in &arm.kinds {
            table.rows.push(vec![
                CellView::head(&arm.arm),
                CellView::text(kind.kind.replace('_', " ")),
                CellView::proportion(&kind.accuracy),
                match &kind.base_rate {
                    Ok(base) => {
                        CellView::figure(&base.proportion.share, percent).detail(format!("always {}", base.class))
                    }
                    Err(undefined) => CellView::figure(&Err(undefined.clone()), percent),
                },
                beyond_chance::ahead(kind.against_base_rate.as_ref()),
            ]);
        }
    }
    table
}
