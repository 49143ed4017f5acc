//! The methods: one file each, from a sample to a trace; this file is the registry.
//!
//! A method's file reads like its paper's algorithm. What all of them need stands beside: [`session`] asks and runs and
//! writes the trace, [`prompt`] renders, [`statement`] repairs, the `read_` files find plans, statements and answers in
//! what models write, and [`demonstrations`] are the examples that prompts show. [`replay`] runs given steps without a
//! model: [`written_plan`] is what a person writes.

mod answer_line;
mod chain_of_thought;
pub mod demonstrations;
mod end_to_end;
pub mod faithfulness;
mod few_shot;
mod pos;
mod prompt;
mod read_answer;
mod read_list;
mod read_plan;
mod read_refusal;
mod read_result;
mod read_sql;
mod replay;
mod self_explanation;
mod session;
mod settings;
mod statement;
mod text_to_sql;
mod verdict_words;
pub mod written_plan;

use futures::future::BoxFuture;
use serde_json::Value;

use crate::dataset::{QuestionKind, Sample};
use crate::engine::Engine;
use crate::model::Model;
use crate::trace::Trace;

pub use read_result::AnswerColumns;
pub use replay::{PLAN, replay};

/// What a method is given. It sees no store, no HTTP, no files and no schedule.
pub struct Question<'a> {
    /// The sample.
    pub sample: &'a Sample,
    /// Who answers; stands in every call's purpose as its arm.
    pub answerer: &'a str,
    /// The model.
    pub model: &'a dyn Model,
    /// The engine.
    pub engine: &'a Engine,
}

/// A method with its settings.
pub trait Method: Send + Sync {
    /// Every setting, defaults filled in; goes into every trace.
    fn settings(&self) -> Value;

    /// Answers one sample. Failures are values of the trace.
    fn answer<'a>(&'a self, question: Question<'a>) -> BoxFuture<'a, Trace>;
}

/// A method as the registry knows it.
pub struct Descriptor {
    /// Its name in a study file, such as `pos`.
    pub name: &'static str,
    /// Its name for people, such as `Plan-of-SQLs`.
    pub title: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Paper and section.
    pub source: &'static str,
    /// What it is defined for.
    pub kinds: &'static [QuestionKind],
    /// The format its traces are shown in unless a study says otherwise: `attribution_chain`, `program_listing`,
    /// `free_text` or `none`.
    pub default_format: &'static str,
    /// Model calls per question, in words, such as `1 + steps (+1 per repair) (+1 fallback)`.
    pub calls: &'static str,
    /// The same as numbers for a dry run: the fewest and the most calls of one question.
    pub call_bounds: fn(&dyn Method) -> (u64, u64),
    /// Purposes of its calls, such as `pos.plan`.
    pub purposes: &'static [&'static str],
    /// Name, default and meaning of each setting.
    pub settings: &'static [Setting],
    /// Builds it, refusing unknown settings and wrong values.
    pub build: fn(&Value) -> Result<Box<dyn Method>, SettingsError>,
}

/// One setting of a method, for `tabjury methods` and the docs.
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// Its default, as TOML.
    pub default: &'static str,
    /// What it does.
    pub meaning: &'static str,
}

/// Settings that a method does not take.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("settings of method `{method}`: {message}")]
pub struct SettingsError {
    /// The method.
    pub method: &'static str,
    /// What is wrong, and what would be right.
    pub message: String,
}

const ALL_KINDS: &[QuestionKind] = &[
    QuestionKind::FactVerification,
    QuestionKind::ShortAnswer,
    QuestionKind::FreeForm,
];

const TEMPERATURE: Setting = Setting {
    name: "temperature",
    default: "0.0",
    meaning: "softmax temperature of every call, from 0 to 2",
};
const MAX_TOKENS_OF_ANSWER: Setting = Setting {
    name: "max_tokens",
    default: "512",
    meaning: "longest text of one call, in tokens; a text that it cuts is a failure of its own",
};
const MAX_TOKENS: Setting = Setting {
    default: "1024",
    ..MAX_TOKENS_OF_ANSWER
};
const STOP: Setting = Setting {
    name: "stop",
    default: "[]",
    meaning: "texts that end the model's text",
};
const TABLE_TOKENS: Setting = Setting {
    name: "table_tokens",
    default: "6000",
    meaning: "longest table in a prompt, in estimated tokens; rows left out are counted in the prompt, and programs \
              always run on the whole table",
};
const REPAIRS: Setting = Setting {
    name: "repairs",
    default: "1",
    meaning: "most repairs of one failing statement, each told the columns and every earlier attempt with its error; \
              0 as published",
};
const ANSWER_COLUMNS: Setting = Setting {
    name: "answer_columns",
    default: "\"first\"",
    meaning: "which columns of the last table hold the values of a short answer: \"first\" or \"all\"",
};

/// All methods, in the order they are listed.
pub fn registry() -> &'static [Descriptor] {
    &[
        Descriptor {
            name: end_to_end::NAME,
            title: "End-to-End QA",
            summary: "The model sees the table and writes the answer, without examples.",
            source: "Chain-of-Table (Wang et al. 2024), Section 4.1; Plan-of-SQLs, baselines",
            kinds: ALL_KINDS,
            default_format: "none",
            calls: "1",
            call_bounds: |_| (1, 1),
            purposes: &["end_to_end.answer"],
            settings: &[TEMPERATURE, MAX_TOKENS_OF_ANSWER, STOP, TABLE_TOKENS],
            build: end_to_end::build,
        },
        Descriptor {
            name: few_shot::NAME,
            title: "Few-shot QA",
            summary: "The model sees answered examples, then the table, and writes the answer.",
            source: "Chain-of-Table (Wang et al. 2024), Section 4.1; Plan-of-SQLs, baselines",
            kinds: ALL_KINDS,
            default_format: "none",
            calls: "1",
            call_bounds: |_| (1, 1),
            purposes: &["few_shot.answer"],
            settings: &[
                Setting {
                    name: "shots",
                    default: "4 for verification, else all",
                    meaning: "most examples in the prompt",
                },
                TEMPERATURE,
                MAX_TOKENS_OF_ANSWER,
                STOP,
                TABLE_TOKENS,
            ],
            build: few_shot::build,
        },
        Descriptor {
            name: chain_of_thought::NAME,
            title: "Chain-of-Thought",
            summary: "The model sees examples with their reasoning, reasons, and ends with the answer.",
            source: "Wei et al. 2022; as a baseline in Chain-of-Table (Wang et al. 2024), Section 4.1",
            kinds: ALL_KINDS,
            default_format: "free_text",
            calls: "1",
            call_bounds: |_| (1, 1),
            purposes: &["chain_of_thought.answer"],
            settings: &[
                Setting {
                    name: "shots",
                    default: "all",
                    meaning: "most examples in the prompt",
                },
                TEMPERATURE,
                MAX_TOKENS,
                STOP,
                TABLE_TOKENS,
            ],
            build: chain_of_thought::build,
        },
        Descriptor {
            name: text_to_sql::NAME,
            title: "Text-to-SQL",
            summary: "The model writes one SQL statement for the whole question, and its result is the answer.",
            source: "Binder (Cheng et al. 2023), Section 4; Plan-of-SQLs, baselines",
            kinds: &[QuestionKind::FactVerification, QuestionKind::ShortAnswer],
            default_format: "program_listing",
            calls: "1 (+1 per repair)",
            call_bounds: text_to_sql::call_bounds,
            purposes: &["text_to_sql.sql", "text_to_sql.repair"],
            settings: &[REPAIRS, ANSWER_COLUMNS, TEMPERATURE, MAX_TOKENS, STOP, TABLE_TOKENS],
            build: text_to_sql::build,
        },
        Descriptor {
            name: self_explanation::NAME,
            title: "Self-explanation",
            summary: "The model answers and explains its answer in its own words, in one call.",
            source: "Plan-of-SQLs, appendix on self-explanations",
            kinds: ALL_KINDS,
            default_format: "free_text",
            calls: "1",
            call_bounds: |_| (1, 1),
            purposes: &["self_explanation.answer"],
            settings: &[TEMPERATURE, MAX_TOKENS, STOP, TABLE_TOKENS],
            build: self_explanation::build,
        },
        Descriptor {
            name: pos::NAME,
            title: "Plan-of-SQLs",
            summary: "The model plans atomic steps in words, and each becomes SQL that runs on what the last one left.",
            source: "Plan-of-SQLs, Section 3 and appendix on planning",
            kinds: ALL_KINDS,
            default_format: "attribution_chain",
            calls: "1 + steps, or 2 x steps with planner = \"one_step\" (+1 per repair) (+1 sentence) (+1 fallback)",
            call_bounds: pos::call_bounds,
            purposes: &[
                "pos.plan",
                "pos.next_step",
                "pos.sql",
                "pos.repair",
                "pos.sentence",
                "pos.fallback",
            ],
            settings: &[
                Setting {
                    name: "planner",
                    default: "\"one_time\"",
                    meaning: "\"one_time\" plans all steps at once, \"one_step\" each when the last result is known",
                },
                Setting {
                    name: "max_steps",
                    default: "10",
                    meaning: "most steps of a question",
                },
                REPAIRS,
                Setting {
                    name: "fallback",
                    default: "true",
                    meaning: "whether the model answers End-to-End on the original table when the chain gives no answer",
                },
                ANSWER_COLUMNS,
                TEMPERATURE,
                MAX_TOKENS,
                STOP,
                TABLE_TOKENS,
            ],
            build: pos::build,
        },
    ]
}

/// The method of this name.
pub fn find(name: &str) -> Option<&'static Descriptor> {
    registry().iter().find(|descriptor| descriptor.name == name)
}
