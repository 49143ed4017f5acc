//! The faithfulness stage: every trace's programs run again on what it marks, and on what it does not.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::dataset::Sample;
use crate::engine::Engine;
use crate::method::Question;
use crate::method::faithfulness::{can_be_asked, measure, measure_by_asking};
use crate::model::Stop;
use crate::trace::faithfulness::{AnswerNow, FaithfulnessOutcome};
use crate::trace::{FaithfulnessRecord, Trace};

use super::answer::{Ready, call_failure, halt_of};
use super::work::{Halt, each};

/// What is measured, and with whom.
pub(super) struct Measuring {
    pub(super) samples: Arc<Vec<Sample>>,
    pub(super) traces: Arc<Vec<Trace>>,
    /// The answerers, where a study has models asked again; else none.
    pub(super) ready: Vec<Ready>,
    pub(super) engine: Arc<Engine>,
}

/// One trace, measured.
struct Measured {
    record: FaithfulnessRecord,
    halt: Option<Halt>,
    call_failure: Option<String>,
}

/// Measures every trace, in their order.
pub(super) async fn measure_all(
    measuring: &Arc<Measuring>,
    concurrency: usize,
    stop: &Stop,
    mut after: impl FnMut(bool, Option<String>) -> Option<Halt>,
) -> Result<Vec<FaithfulnessRecord>, Halt> {
    let places: BTreeMap<&str, usize> = measuring
        .samples
        .iter()
        .enumerate()
        .map(|(place, sample)| (sample.id.as_str(), place))
        .collect();
    let place = |index: usize| places.get(measuring.traces[index].sample.as_str()).copied();
    let known: Vec<(usize, usize)> = (0..measuring.traces.len())
        .filter_map(|index| Some((index, place(index)?)))
        .collect();
    let begin = |item: usize| {
        let ((trace, sample), measuring) = (known[item], measuring.clone());
        async move { one(&measuring, sample, trace).await }
    };
    let measured = each(known.len(), concurrency, stop, begin, |_, measured: &Measured| {
        let failed = undecided(&measured.record);
        measured
            .halt
            .clone()
            .or_else(|| after(failed, measured.call_failure.clone()))
    });
    Ok(measured.await?.into_iter().map(|measured| measured.record).collect())
}

async fn one(measuring: &Arc<Measuring>, sample: usize, trace: usize) -> Measured {
    let here = measuring.clone();
    let running =
        tokio::task::spawn_blocking(move || measure(&here.engine, &here.samples[sample], &here.traces[trace]));
    let (sample, trace) = (&measuring.samples[sample], &measuring.traces[trace]);
    // A thread that broke is measured here, where the fault shows.
    let record = match running.await {
        Ok(record) => record,
        Err(_) => measure(&measuring.engine, sample, trace),
    };
    let plain = |record| Measured {
        record,
        halt: None,
        call_failure: None,
    };
    let who = measuring
        .ready
        .iter()
        .find(|ready| ready.answerer.name == trace.answerer);
    let Some(who) = who.filter(|_| can_be_asked(sample, trace, &record)) else {
        return plain(record);
    };
    let question = Question {
        sample,
        answerer: &trace.answerer,
        model: who.model.as_ref(),
        engine: &measuring.engine,
    };
    let (record, attempts) = measure_by_asking(question, who.answerer.method.as_ref(), trace).await;
    Measured {
        record,
        halt: attempts.iter().find_map(halt_of),
        call_failure: attempts.iter().find_map(call_failure),
    }
}

fn undecided(record: &FaithfulnessRecord) -> bool {
    match &record.outcome {
        FaithfulnessOutcome::Measured {
            sufficiency, necessity, ..
        } => [sufficiency, necessity]
            .iter()
            .any(|now| matches!(now, AnswerNow::Undecided { .. })),
        FaithfulnessOutcome::NotApplicable { .. } => false,
    }
}
