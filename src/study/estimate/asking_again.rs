//! What measuring the faithfulness of answers that models wrote would ask.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::dataset::Sample;
use crate::method::faithfulness::{can_be_asked, measure, measure_by_asking};
use crate::method::{self, Question};
use crate::model::Message;
use crate::model::price::prompt_tokens;
use crate::trace::Trace;

use super::{Bounds, Sums, Tap, UNLIMITED_ANSWER, answer_limit, prompt_bounds};
use crate::study::analyze::engine;
use crate::study::load::{Answerer, Study};
use crate::study::models::Models;
use crate::study::run::RunError;

/// Each answer is asked for twice more, on a table that holds less.
const ATTEMPTS: u64 = 2;

/// Adds what would be asked. With every answer known this is a rehearsal over the call store; else the bounds of the
/// methods count for every sample.
pub(super) async fn ahead(
    study: &Study,
    samples: &[Sample],
    models: &Models,
    traces: Option<&[Trace]>,
    sums: &mut Sums,
) -> Result<(), RunError> {
    let by_id: BTreeMap<&str, &Sample> = samples.iter().map(|sample| (sample.id.as_str(), sample)).collect();
    for who in study.answerers()? {
        let Some(traces) = traces else {
            samples.iter().for_each(|sample| unknown(&who, sample, sums));
            continue;
        };
        for trace in traces.iter().filter(|trace| trace.answerer == who.name) {
            if let Some(sample) = by_id.get(trace.sample.as_str()) {
                known(study, models, &who, sample, trace, sums).await?;
            }
        }
    }
    Ok(())
}

async fn known(
    study: &Study,
    models: &Models,
    who: &Answerer,
    sample: &Sample,
    trace: &Trace,
    sums: &mut Sums,
) -> Result<(), RunError> {
    let engine = engine(&study.file.engine);
    if !can_be_asked(sample, trace, &measure(&engine, sample, trace)) {
        return Ok(());
    }
    let tap = Arc::new(Tap {
        inner: models.get(&who.model)?,
        missed: Mutex::default(),
    });
    let question = Question {
        sample,
        answerer: &who.name,
        model: tap.as_ref(),
        engine: &engine,
    };
    let (record, _) = measure_by_asking(question, who.method.as_ref(), trace).await;
    let missed = std::mem::take(&mut *tap.missed.lock().unwrap_or_else(PoisonError::into_inner));
    if let (Some(request), Some(sum)) = (missed.first(), sums.of_model(&who.model)) {
        let answered = record.calls.iter().filter(|call| !call.failed).count() as u64;
        let calls = Bounds {
            low: 1,
            high: (ATTEMPTS * most_calls(who)).saturating_sub(answered).max(1),
        };
        sum.faithfulness_calls.add(calls);
        sum.add_tokens(calls, prompt_bounds(request), answer_limit(request));
    }
    Ok(())
}

/// Whether the model will write the answer, after steps, is not known yet; methods without steps never are measured.
fn unknown(who: &Answerer, sample: &Sample, sums: &mut Sums) {
    let has_steps = method::find(who.method_name)
        .is_some_and(|descriptor| !matches!(descriptor.default_format, "none" | "free_text"));
    let (true, Some(sum)) = (has_steps, sums.of_model(&who.model)) else {
        return;
    };
    let calls = Bounds {
        low: 0,
        high: ATTEMPTS * most_calls(who),
    };
    // The table is most of a prompt, and no attempt sees more of it than there is.
    let cells = sample.table.rows.iter().flatten().flatten();
    let text: Vec<&str> = cells.map(String::as_str).chain([sample.question.as_str()]).collect();
    let (low, high) = prompt_tokens(&[Message::user(text.join(" | "))]);
    sum.faithfulness_calls.add(calls);
    sum.add_tokens(calls, Bounds { low, high }, UNLIMITED_ANSWER);
}

fn most_calls(who: &Answerer) -> u64 {
    method::find(who.method_name).map_or(0, |descriptor| (descriptor.call_bounds)(who.method.as_ref()).1)
}
