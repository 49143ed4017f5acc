//! The section on whether an explanation lets a judge tell right answers from wrong ones.

use crate::judge::Task;
use crate::report::analysis::Analysis;
use crate::report::index::Index;
use crate::report::verification::{OptionOrderEffect, VerificationAnalysis, VerificationArm};

use super::anchors;
use super::beyond_chance;
use super::chart::{Forest, ForestValue};
use super::links::TrialPaths;
use super::overview::{always_correct, below_constant};
use super::trials::{not_asked, readings_cells, trial_lists};
use super::view::{Block, CellView, Section, TableView, percent, samples_words};

/// The section, if the task was run.
pub(super) fn section(analysis: &Analysis, index: &Index, paths: &TrialPaths) -> Option<Section> {
    if analysis.verification.is_empty() {
        return None;
    }
    let mut blocks = vec![Block::Forest(forest(analysis))];
    blocks.push(Block::Table(beyond_chance::verification(analysis)));
    for judge in &analysis.verification {
        let Some(number) = analysis.study.judges.iter().position(|known| known.name == judge.judge) else {
            continue;
        };
        blocks.push(Block::Heading(judge.judge.clone()));
        if judge.control.asked + judge.arms.iter().map(|arm| arm.readings.asked).sum::<u64>() == 0 {
            blocks.push(not_asked());
            blocks.extend(trial_lists(index, paths, Task::Verification, number));
            continue;
        }
        let below: Vec<String> = judge
            .arms
            .iter()
            .filter(|arm| arm.against_constant.as_ref().is_ok_and(|found| found.difference < 0.0))
            .map(|arm| format!("{} (“{}”)", arm.arm, arm.constant.verdict))
            .collect();
        if !below.is_empty() {
            blocks.push(Block::Notice(format!(
                "On {} this judge is right less often than one that says the same to everything without looking.",
                below.join(", ")
            )));
        }
        blocks.push(Block::Table(table(analysis, judge, number)));
        blocks.extend(beyond_chance::arm_pairs(analysis, Task::Verification, &judge.judge));
        if judge.options.correct_first.n > 0 {
            blocks.push(Block::Text(option_words(&judge.options)));
        }
        blocks.extend(trial_lists(index, paths, Task::Verification, number));
    }
    Some(Section {
        id: "verification",
        title: "Verification: can a judge tell right answers from wrong ones?".to_owned(),
        intro: vec![
            "A judge sees the explanation with the answer and says whether the answer is right. Most answers are right, \
             so saying “correct” to everything already scores high: that base rate stands beside every accuracy, and \
             balanced accuracy, where it earns exactly 50%."
                .to_owned(),
        ],
        terms: vec![
            ("accuracy", "Verdicts that are right, on samples where every arm has a readable verdict."),
            ("always “correct”", "The share of right answers: what a judge that never looks would reach on the same trials. Where most answers are wrong, always “incorrect” stands below it, and the accuracy is held against that."),
            ("balanced accuracy", "The mean of right answers called right and wrong answers called wrong. Chance is 50%."),
            ("kappa, Matthews", "Agreement with the truth beyond chance, and correlation with it: 0 is chance, 1 is perfect."),
            ("d′ and criterion", "How far apart right and wrong answers look to the judge (0: not at all), and which way it leans: below 0 to “correct”, above 0 to “incorrect”. Half a verdict is added to each count, so that few answers of one kind move both away from 0."),
            ("less the control", "Accuracy with the explanation minus accuracy of the same judge on the same answer without any, in percentage points. p is McNemar's exact test; where samples have several trials, the sign-flip test of their sums. h is Cohen's: 0.2 is small, 0.8 large."),
            ("says “correct”", "Share of verdicts that call the answer right."),
            ("read", "Judgments with a readable verdict, of all asked for. The others are never counted as wrong."),
        ],
        blocks,
    })
}

fn of_control(arm: &VerificationArm) -> Option<f64> {
    arm.control.as_ref().ok()?.lift.second.share.as_ref().ok().copied()
}

fn forest(analysis: &Analysis) -> Forest {
    let several = analysis.verification.len() > 1;
    let mut values = Vec::new();
    for judge in &analysis.verification {
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
                base: arm.base_rate.share.as_ref().ok().copied(),
                control: of_control(arm),
                text: CellView::figure(&arm.accuracy.share, percent).text,
            });
        }
    }
    Forest::of_shares(
        "Verification accuracy with its interval, beside its base rate and the control",
        values,
        ("always “correct”", "without an explanation"),
    )
}

fn table(analysis: &Analysis, judge: &VerificationAnalysis, number: usize) -> TableView {
    let mut table = TableView::new(
        samples_words(
            analysis.study.own_samples(),
            judge.common_samples,
            judge.samples,
            "usable verdict",
        ),
        &[
            "arm",
            "#accuracy",
            "#always “correct”",
            "#balanced accuracy",
            "#kappa",
            "#Matthews",
            "#d′",
            "#criterion",
            "#control",
            "#right called right",
            "#wrong called wrong",
            "#says “correct”",
            "#read",
        ],
    );
    for arm in &judge.arms {
        let arm_number = analysis.study.arms.iter().position(|known| known.name == arm.arm);
        let to = anchors::to_trials(Task::Verification, number, arm_number);
        table.rows.push(vec![
            CellView::head(&arm.arm),
            below_constant(CellView::proportion(&arm.accuracy).to(&to), arm),
            always_correct(arm).to(&to),
            CellView::share_estimate(&arm.discernment.balanced_accuracy).to(&to),
            CellView::estimate(&arm.discernment.kappa).to(&to),
            CellView::estimate(&arm.discernment.matthews),
            CellView::estimate(&arm.discernment.d_prime),
            CellView::estimate(&arm.discernment.criterion),
            match &arm.control {
                Ok(control) => CellView::part(&control.lift.second).to(anchors::to_trials(
                    Task::Verification,
                    number,
                    Some(analysis.study.arms.len()),
                )),
                Err(undefined) => CellView::figure(&Err(undefined.clone()), percent),
            },
            CellView::part(&arm.sensitivity).to(&to),
            CellView::part(&arm.specificity).to(&to),
            CellView::part(&arm.yes_share).to(&to),
            readings_cells(&arm.readings).to(&to),
        ]);
    }
    table
}

fn option_words(options: &OptionOrderEffect) -> String {
    let share = |proportion: &crate::report::quantities::Proportion| match &proportion.share {
        Ok(value) => format!("{} ({}/{})", percent(*value), proportion.successes, proportion.n),
        Err(undefined) => format!("– ({})", undefined.reason),
    };
    format!(
        "Order of the options, controls included: “correct” stood first in {}. The option shown first was chosen in {}. \
         The judge said “correct” in {} of the verdicts where it stood first and in {} where it stood second.",
        share(&options.correct_first),
        share(&options.first_shown_chosen),
        share(&options.yes_when_correct_first),
        share(&options.yes_when_incorrect_first)
    )
}
