//! What flags there are, and how much each changes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much a flag changes what the figures mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The figure does not say what it seems to say.
    Severe,
    /// To be kept in mind.
    Caution,
}

/// What a flag is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FlagKind {
    /// A judge verifies no better than one that always says the same, whichever is better: severe when worse, a caution
    /// when equal.
    BelowBaseRate,
    /// A judge simulates no better than one that always guesses the more frequent answer: severe when worse, a caution when
    /// equal.
    BelowMajority,
    /// With the explanation the judge does no better than without it.
    NoLift,
    /// There is no control to compare with.
    NoControl,
    /// The place where an explanation is shown moves its rank.
    PositionBias,
    /// Rankings repeat the shown order.
    FollowsShownOrder,
    /// Arms were not shown equally often in every place.
    UnbalancedPlaces,
    /// Of two arms one was shown before the other more often, where places decide or may decide.
    UnbalancedPairs,
    /// The option shown first is chosen more, or less, than half of the time.
    OptionBias,
    /// The options were not shown equally often in both orders.
    UnbalancedOptions,
    /// A page tells its withheld answer, the gold answer or what made it.
    PageLeak,
    /// A check of the run found a leak, a changed page or a wrong lineage.
    CheckFindings,
    /// A check of the run neither proved nor refuted the marks of some steps.
    Unproven,
    /// Steps do not end in the answer that is shown.
    AnswerNotFromSteps,
    /// Steps on which nothing is marked.
    UnmarkedSteps,
    /// Many judgments could not be read.
    LowCoverage,
    /// Few samples have a verdict for every arm.
    FewCommonSamples,
    /// A judge judges what its own model answered.
    SelfJudging,
    /// A judge judges what a model of its own family answered.
    SameFamily,
    /// The family of a judging or answering model is not known.
    FamilyUnknown,
    /// A judge was asked for text, since its endpoint refused the form that the study asks for.
    AskedAsText,
    /// The protocol of judging is not the default one.
    Protocol,
    /// What was judged holds texts that speak to the judge.
    Suspects,
    /// Verdicts were read from answers to a request for repair.
    Repaired,
    /// Answers are missing; they count as wrong.
    MissingAnswers,
    /// An arm has no trial in a task.
    ArmWithoutTrials,
    /// A task of the study has no trial at all.
    TaskWithoutTrials,
    /// Trials that cannot be scored.
    Unscored,
    /// The comparison with the control is over fewer trials than the accuracy.
    FewPairs,
    /// Trials were planned but not judged.
    NotJudged,
    /// Samples were not answered.
    NotAnswered,
    /// The same sample counts several times.
    RepeatedDraws,
    /// Judgments of unknown trials or judges were left out.
    StrayJudgments,
    /// Judgments were recorded elsewhere: only what the log has is known.
    ImportedJudgments,
    /// Explanations were made elsewhere: nothing of how they were made is known.
    ImportedExplanations,
}

impl FlagKind {
    /// Its name in tables, as in `analysis.json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::BelowBaseRate => "below_base_rate",
            Self::BelowMajority => "below_majority",
            Self::NoLift => "no_lift",
            Self::NoControl => "no_control",
            Self::PositionBias => "position_bias",
            Self::FollowsShownOrder => "follows_shown_order",
            Self::UnbalancedPlaces => "unbalanced_places",
            Self::UnbalancedPairs => "unbalanced_pairs",
            Self::OptionBias => "option_bias",
            Self::UnbalancedOptions => "unbalanced_options",
            Self::PageLeak => "page_leak",
            Self::CheckFindings => "check_findings",
            Self::Unproven => "unproven",
            Self::AnswerNotFromSteps => "answer_not_from_steps",
            Self::UnmarkedSteps => "unmarked_steps",
            Self::LowCoverage => "low_coverage",
            Self::FewCommonSamples => "few_common_samples",
            Self::SelfJudging => "self_judging",
            Self::SameFamily => "same_family",
            Self::FamilyUnknown => "family_unknown",
            Self::AskedAsText => "asked_as_text",
            Self::Protocol => "protocol",
            Self::Suspects => "suspects",
            Self::Repaired => "repaired",
            Self::MissingAnswers => "missing_answers",
            Self::ArmWithoutTrials => "arm_without_trials",
            Self::TaskWithoutTrials => "task_without_trials",
            Self::Unscored => "unscored",
            Self::FewPairs => "few_pairs",
            Self::NotJudged => "not_judged",
            Self::NotAnswered => "not_answered",
            Self::RepeatedDraws => "repeated_draws",
            Self::StrayJudgments => "stray_judgments",
            Self::ImportedJudgments => "imported_judgments",
            Self::ImportedExplanations => "imported_explanations",
        }
    }
}
