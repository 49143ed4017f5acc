//! The top of the report: what is compared, what must not be overlooked, and every headline figure at a glance.

use crate::judge::verification::CORRECT;
use crate::judge::{CONTROL_ARM, Task};
use crate::report::analysis::Analysis;
use crate::report::flags::{Flag, FlagKind, Severity};
use crate::report::preference::PreferenceAnalysis;
use crate::report::simulation::SimulationArm;
use crate::report::verification::VerificationArm;

use super::anchors;
use super::beyond_chance::control as lift;
use super::view::{Block, CellView, Section, TableView, percent};

/// Flags of one kind.
pub(super) struct FlagGroup {
    /// What they say, in a few words.
    pub(super) title: &'static str,
    /// Whether they are severe.
    pub(super) severe: bool,
    /// Each in words.
    pub(super) messages: Vec<String>,
}

/// The flags by kind, severe ones first.
pub(super) fn flag_groups(flags: &[Flag]) -> Vec<FlagGroup> {
    let mut groups: Vec<(Severity, FlagKind, FlagGroup)> = Vec::new();
    for flag in flags {
        match groups
            .iter_mut()
            .find(|(severity, kind, _)| *severity == flag.severity && *kind == flag.kind)
        {
            Some((_, _, group)) => group.messages.push(flag.message.clone()),
            None => groups.push((
                flag.severity,
                flag.kind,
                FlagGroup {
                    title: title(flag.kind),
                    severe: flag.severity == Severity::Severe,
                    messages: vec![flag.message.clone()],
                },
            )),
        }
    }
    groups.into_iter().map(|(_, _, group)| group).collect()
}

fn title(kind: FlagKind) -> &'static str {
    match kind {
        FlagKind::BelowBaseRate => "Verification no better than always saying the same",
        FlagKind::BelowMajority => "Simulation no better than always guessing the more frequent answer",
        FlagKind::NoLift => "No better than without an explanation",
        FlagKind::NoControl => "Nothing to compare with",
        FlagKind::PositionBias => "The place where an explanation is shown moves its rank",
        FlagKind::FollowsShownOrder => "Rankings repeat the order shown",
        FlagKind::UnbalancedPlaces => "Places are not balanced",
        FlagKind::UnbalancedPairs => "Pairs are not balanced",
        FlagKind::OptionBias => "The order of the options moves the verdict",
        FlagKind::UnbalancedOptions => "Options are not balanced",
        FlagKind::PageLeak => "Pages tell what they must not",
        FlagKind::CheckFindings => "A check found pages or marks wrong",
        FlagKind::Unproven => "A check left marks unproven",
        FlagKind::AnswerNotFromSteps => "Steps that do not yield the answer shown",
        FlagKind::UnmarkedSteps => "Steps with nothing marked",
        FlagKind::LowCoverage => "Many judgments could not be read",
        FlagKind::FewCommonSamples => "Few samples have a verdict for every arm",
        FlagKind::SelfJudging => "A judge judges its own model",
        FlagKind::SameFamily => "A judge judges a model of its own family",
        FlagKind::Protocol => "The protocol is not the default one",
        FlagKind::Repaired => "Verdicts that were asked for again",
        FlagKind::MissingAnswers => "Answers are missing",
        FlagKind::ArmWithoutTrials => "An arm was not judged",
        FlagKind::TaskWithoutTrials => "A task has no trials",
        FlagKind::Unscored => "Trials that cannot be scored",
        FlagKind::FewPairs => "The control covers fewer trials than the accuracy",
        FlagKind::NotJudged => "Trials not judged",
        FlagKind::NotAnswered => "Samples not answered",
        FlagKind::RepeatedDraws => "Samples judged several times",
        FlagKind::StrayJudgments => "Judgments left out",
        FlagKind::ImportedJudgments => "Judgments recorded elsewhere",
        FlagKind::FamilyUnknown => "Family of a model not known",
        FlagKind::Suspects => "Texts that speak to the judge",
        FlagKind::AskedAsText => "Asked for text instead of JSON",
        FlagKind::ImportedExplanations => "Explanations made elsewhere",
    }
}

/// What is compared, and who judges.
pub(super) fn setup(analysis: &Analysis) -> Section {
    let study = &analysis.study;
    let mut arms = TableView::new("Arms", &["arm", "method", "answering model", "shown as"]);
    for arm in &study.arms {
        arms.rows.push(vec![
            CellView::head(&arm.name),
            CellView::text(&arm.method_title),
            CellView::text(match (arm.imported, arm.model.as_str()) {
                (true, "") => "not known: imported".to_owned(),
                (true, model) => format!("{model} (imported)"),
                (false, model) => model.to_owned(),
            }),
            CellView::text(anchors::format_name(arm.format)),
        ]);
    }
    if study.control {
        arms.rows.push(vec![
            CellView::head(CONTROL_ARM),
            CellView::text("control"),
            CellView::text("–"),
            CellView::text("table and question without an explanation"),
        ]);
    }
    let mut judges = TableView::new("Judges", &["judge", "model", "sees pages as"]);
    for judge in &study.judges {
        judges.rows.push(vec![
            CellView::head(&judge.name),
            CellView::text(match judge.panel.as_slice() {
                [] if judge.person => "a person".to_owned(),
                [] => judge.model.clone(),
                panel => format!("panel of {}", panel.join(", ")),
            }),
            CellView::text(&judge.view),
        ]);
    }
    let mut blocks = vec![Block::Table(arms)];
    if !study.judges.is_empty() {
        blocks.push(Block::Table(judges));
    }
    let mut tasks = Vec::new();
    for task in &study.tasks {
        tasks.push(match task {
            Task::Preference => "Preference: a judge ranks the explanations of one sample.",
            Task::Simulation => {
                "Simulation: a judge reads an explanation with the answer withheld and says what the \
                                 model answered."
            }
            Task::Verification => {
                "Verification: a judge reads an explanation with the answer shown and says whether \
                                   the answer is right."
            }
        });
    }
    Section {
        id: "setup",
        title: "What is compared".to_owned(),
        intro: vec![
            "Each arm is a way to answer a question about a table, with a model, and a way to show how the answer came \
             about. Judges look at what an arm shows, and their judgments say whether it helps."
                .to_owned(),
            tasks.join(" "),
        ],
        terms: Vec::new(),
        blocks,
    }
}

/// Every headline figure, one row a judge and arm: how it ranks and is foreseen in one table, how it is verified in
/// another, since all together are wider than a screen.
pub(super) fn glance(analysis: &Analysis) -> Option<Section> {
    let tables: Vec<Block> = [ranked_and_foreseen(analysis), verified(analysis)]
        .into_iter()
        .flatten()
        .map(Block::Table)
        .collect();
    if tables.is_empty() {
        return None;
    }
    Some(Section {
        id: "glance",
        title: "At a glance".to_owned(),
        intro: vec![
            "Lift is what the explanation adds: accuracy with it minus accuracy without any, by the same judge on the \
             same samples and answers. Without a lift, a high accuracy shows that the judge can do the task, not that \
             the explanation helps."
                .to_owned(),
            "Each figure links to the trials behind it.".to_owned(),
        ],
        terms: Vec::new(),
        blocks: tables,
    })
}

fn ranked_and_foreseen(analysis: &Analysis) -> Option<TableView> {
    let (preference, simulation) = (!analysis.preference.is_empty(), !analysis.simulation.is_empty());
    let form = PreferenceForm::of(analysis);
    let (caption, columns): (&str, &[&str]) = match (preference, simulation) {
        (false, false) => return None,
        (true, false) => ("Preference", &[form.column()]),
        (false, true) => ("Simulation", &SIMULATION),
        (true, true) => (
            "Preference and simulation",
            &[form.column(), SIMULATION[0], SIMULATION[1], SIMULATION[2]],
        ),
    };
    let mut table = TableView::new(caption, &[&["judge", "arm"], columns].concat());
    for (judge_number, judge) in analysis.study.judges.iter().enumerate() {
        for (arm_number, arm) in analysis.study.arms.iter().enumerate() {
            let mut row = vec![CellView::head(&judge.name), CellView::head(&arm.name)];
            if preference {
                let of_judge = analysis.preference.iter().find(|of_judge| of_judge.judge == judge.name);
                row.push(match of_judge.and_then(|of_judge| form.cell(of_judge, &arm.name)) {
                    Some(cell) => cell.to(anchors::to_trials(Task::Preference, judge_number, None)),
                    None => CellView::number("–"),
                });
            }
            if simulation {
                let trials = || anchors::to_trials(Task::Simulation, judge_number, Some(arm_number));
                let of_arm = analysis
                    .simulation
                    .iter()
                    .find(|analysis| analysis.judge == judge.name)
                    .and_then(|analysis| analysis.arms.iter().find(|of_arm| of_arm.arm == arm.name));
                match of_arm {
                    Some(of_arm) => row.extend([
                        CellView::proportion(&of_arm.accuracy).to(trials()),
                        majority(of_arm).to(trials()),
                        lift(&of_arm.control).to(trials()),
                    ]),
                    None => row.extend(vec![CellView::number("–"); SIMULATION.len()]),
                }
            }
            table.rows.push(row);
        }
    }
    Some(table)
}

/// What a judge of preference is asked for, whose figure stands at a glance.
#[derive(Clone, Copy)]
enum PreferenceForm {
    Ranks,
    Pairs,
    BestWorst,
    Scores,
}

impl PreferenceForm {
    /// That of the whole study.
    fn of(analysis: &Analysis) -> Self {
        let any = |is: fn(&PreferenceAnalysis) -> bool| analysis.preference.iter().any(is);
        if any(|judge| judge.pairs.is_some() && judge.places.is_empty()) {
            Self::Pairs
        } else if any(|judge| judge.best_worst.is_some()) {
            Self::BestWorst
        } else if any(|judge| !judge.scores.is_empty()) {
            Self::Scores
        } else {
            Self::Ranks
        }
    }

    fn column(self) -> &'static str {
        match self {
            Self::Ranks => "#mean rank",
            Self::Pairs => "#comparisons won",
            Self::BestWorst => "#chosen as the best",
            Self::Scores => "#mean score",
        }
    }

    fn cell(self, judge: &PreferenceAnalysis, arm: &str) -> Option<CellView> {
        match self {
            Self::Ranks => {
                let of_arm = judge.arms.iter().find(|of_arm| of_arm.arm == arm)?;
                Some(CellView::mean(&of_arm.mean_rank))
            }
            Self::Pairs => {
                let of_arm = judge.pairs.as_ref()?.arms.iter().find(|of_arm| of_arm.arm == arm)?;
                Some(CellView::mean_share(&of_arm.won))
            }
            Self::BestWorst => {
                let of_arm = judge
                    .best_worst
                    .as_ref()?
                    .arms
                    .iter()
                    .find(|of_arm| of_arm.arm == arm)?;
                Some(CellView::mean_share(&of_arm.best_share))
            }
            Self::Scores => {
                let of_arm = judge.scores.iter().find(|of_arm| of_arm.arm == arm)?;
                Some(CellView::mean(&of_arm.overall))
            }
        }
    }
}

const SIMULATION: [&str; 3] = [
    "#simulation accuracy",
    "#always the more frequent answer",
    "#simulation lift over control",
];

const VERIFICATION: [&str; 4] = [
    "#verification accuracy",
    "#always “correct”",
    "#balanced accuracy",
    "#verification lift over control",
];

fn verified(analysis: &Analysis) -> Option<TableView> {
    if analysis.verification.is_empty() {
        return None;
    }
    let mut table = TableView::new("Verification", &[&["judge", "arm"], &VERIFICATION[..]].concat());
    for (judge_number, judge) in analysis.study.judges.iter().enumerate() {
        for (arm_number, arm) in analysis.study.arms.iter().enumerate() {
            let mut row = vec![CellView::head(&judge.name), CellView::head(&arm.name)];
            let trials = || anchors::to_trials(Task::Verification, judge_number, Some(arm_number));
            let of_arm = analysis
                .verification
                .iter()
                .find(|analysis| analysis.judge == judge.name)
                .and_then(|analysis| analysis.arms.iter().find(|of_arm| of_arm.arm == arm.name));
            match of_arm {
                Some(of_arm) => row.extend([
                    below_constant(CellView::proportion(&of_arm.accuracy).to(trials()), of_arm),
                    always_correct(of_arm).to(trials()),
                    CellView::share_estimate(&of_arm.discernment.balanced_accuracy).to(trials()),
                    lift(&of_arm.control).to(trials()),
                ]),
                None => row.extend(vec![CellView::number("–"); VERIFICATION.len()]),
            }
            table.rows.push(row);
        }
    }
    Some(table)
}

/// A cell of what always guessing the more frequent answer reaches. Where kinds of question are mixed, it is that of the
/// kind that has one, with the accuracy on the same trials below it.
fn majority(arm: &SimulationArm) -> CellView {
    let with_base = arm
        .kinds
        .iter()
        .find_map(|kind| Some((kind, kind.base_rate.as_ref().ok()?)));
    let Some((kind, base)) = with_base else {
        return match &arm.base_rate {
            Ok(base) => CellView::figure(&base.proportion.share, percent),
            Err(undefined) => CellView::figure(&Err(undefined.clone()), percent),
        };
    };
    let mut cell = CellView::figure(&base.proportion.share, percent);
    cell.detail = format!("always {}", base.class);
    if arm.kinds.len() > 1 {
        cell.detail = format!(
            "always {}, on\n{};\naccuracy there\n{}, {}/{}",
            base.class,
            kind.kind.replace('_', " "),
            CellView::figure(&kind.accuracy.share, percent).text,
            kind.accuracy.successes,
            kind.accuracy.n
        );
    }
    let below = matches!(
        (&kind.accuracy.share, &base.proportion.share),
        (Ok(accuracy), Ok(base)) if accuracy < base
    );
    if below { cell.class("number bad") } else { cell }
}

/// A cell of an accuracy in verification, marked when it is below the better constant verdict.
pub(super) fn below_constant(cell: CellView, arm: &VerificationArm) -> CellView {
    match &arm.against_constant {
        Ok(found) if found.difference < 0.0 => {
            let detail = format!("{}\nbelow always “{}”", cell.detail, arm.constant.verdict);
            cell.class("number bad").detail(detail)
        }
        _ => cell,
    }
}

/// A cell of what always saying "correct" reaches, with the other constant verdict below it where that is better.
pub(super) fn always_correct(arm: &VerificationArm) -> CellView {
    let mut cell = CellView::part(&arm.base_rate);
    if arm.constant.verdict != CORRECT {
        let rate = CellView::figure(&arm.constant.proportion.share, percent).text;
        cell.detail = format!("{}\nalways “{}”: {rate}", cell.detail, arm.constant.verdict);
    }
    cell
}
