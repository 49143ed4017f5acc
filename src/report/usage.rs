//! Calls, tokens and cost. A cost that is not known stays unknown: it is never counted as nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::stats::{Stat, Undefined};

use super::flags::counted;
use super::records::{CallUsage, RunRecords, StudyFacts};

/// Calls of one model for one purpose, with their cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallCost {
    /// Calls and tokens.
    pub usage: CallUsage,
    /// US dollars, or why that is not known.
    pub cost: Stat<f64>,
}

/// Tokens of some calls.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tokens {
    /// Of prompts.
    pub input: u64,
    /// Of answers.
    pub output: u64,
    /// Answered calls whose tokens were not said.
    pub uncounted_calls: u64,
}

/// What tokens of a model cost, in US dollars.
pub fn cost(study: &StudyFacts, model: &str, tokens: &Tokens) -> Stat<f64> {
    let facts = study.model(model);
    if facts.is_some_and(|facts| facts.scripted) {
        return Ok(0.0);
    }
    let Some(price) = facts.and_then(|facts| facts.price) else {
        return Err(Undefined::because(format!(
            "no price is known for model `{model}`; add it under [prices]"
        )));
    };
    if price.input_per_million == 0.0 && price.output_per_million == 0.0 {
        return Ok(0.0);
    }
    if tokens.uncounted_calls > 0 {
        return Err(Undefined::because(format!(
            "{} of model `{model}` did not say their tokens",
            counted(tokens.uncounted_calls, "call")
        )));
    }
    let dollars =
        (tokens.input as f64 * price.input_per_million + tokens.output as f64 * price.output_per_million) / 1_000_000.0;
    if dollars.is_finite() {
        Ok(dollars)
    } else {
        Err(Undefined::because(format!(
            "the price of model `{model}` is not a finite number"
        )))
    }
}

/// The sum, or the first reason why it is not known.
pub fn total_cost(costs: impl IntoIterator<Item = Stat<f64>>) -> Stat<f64> {
    costs.into_iter().try_fold(0.0, |sum, cost| Ok(sum + cost?))
}

/// One entry a model and purpose, sorted by both; entries of the same model and purpose are summed.
pub fn analyze(records: &RunRecords) -> Vec<CallCost> {
    let mut usages: Vec<CallUsage> = records.calls.clone();
    usages.sort_by(|a, b| (&a.model, &a.purpose).cmp(&(&b.model, &b.purpose)));
    let mut summed: Vec<CallUsage> = Vec::new();
    for usage in usages {
        match summed.last_mut() {
            Some(last) if last.model == usage.model && last.purpose == usage.purpose => {
                last.calls += usage.calls;
                last.failed += usage.failed;
                last.without_usage += usage.without_usage;
                last.input_tokens += usage.input_tokens;
                last.output_tokens += usage.output_tokens;
            }
            _ => summed.push(usage),
        }
    }
    summed
        .into_iter()
        .map(|usage| CallCost {
            cost: cost(
                &records.study,
                &usage.model,
                &Tokens {
                    input: usage.input_tokens,
                    output: usage.output_tokens,
                    uncounted_calls: usage.without_usage,
                },
            ),
            usage,
        })
        .collect()
}
