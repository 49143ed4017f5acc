//! The section on how often each method is right.

use crate::dataset::{Answer, Gold};
use crate::report::analysis::Analysis;
use crate::report::answers::{AnswererAnalysis, failure_words, trace_right};
use crate::report::index::Index;
use crate::report::names::source_name;
use crate::trace::AnswerSource;

use super::anchors;
use super::chart::{Forest, ForestValue};
use super::links::{href, pages_of_trace};
use super::view::{Block, CellView, Folded, Section, TableView, dollars, excerpt, percent, short};

/// The section.
pub(super) fn section(analysis: &Analysis, index: &Index) -> Section {
    let shows_imported = analysis.answerers.iter().any(|answerer| answerer.imported > 0);
    let mut columns = vec![
        "answerer",
        "#accuracy",
        "#from its program",
        "#from the model",
        "#from a fallback",
    ];
    if shows_imported {
        columns.push("#imported");
    }
    columns.push("#no answer");
    let mut accuracy = TableView::new("Answers", &columns);
    let mut effort = TableView::new(
        "What an answer takes: per question, with failures",
        &[
            "answerer",
            "#requests",
            "#texts sampled",
            "#tokens in",
            "#tokens out",
            "#queries",
            "#repairs",
            "#cost, all",
        ],
    );
    let mut groups = TableView::new("Accuracy by group of samples", &["group", "value"]);
    let mut trials = Vec::new();
    for (number, answerer) in analysis.answerers.iter().enumerate() {
        let to = format!("#{}", anchors::answers(number));
        let source = |source: AnswerSource| match answerer.sources.iter().find(|entry| entry.source == source) {
            Some(entry) => {
                let right = CellView::figure(&entry.accuracy.share, percent).text;
                CellView::count(entry.answers).detail(format!("{right} right"))
            }
            None => CellView::count(0),
        };
        let mut row = vec![
            CellView::head(&answerer.answerer).detail(made_by(answerer)),
            CellView::proportion(&answerer.accuracy).to(&to),
            source(AnswerSource::Program),
            source(AnswerSource::Model),
            source(AnswerSource::Fallback),
        ];
        if shows_imported {
            row.push(source(AnswerSource::Imported));
        }
        row.push(failures(answerer).to(&to));
        accuracy.rows.push(row);
        effort.rows.push(effort_row(answerer));
        groups.columns.push(super::view::Column {
            name: answerer.answerer.clone(),
            number: true,
        });
        trials.push(Block::Folded(answer_list(number, answerer, index)));
    }
    let mut labels: Vec<(&str, &str)> = Vec::new();
    for group in analysis.answerers.iter().flat_map(|answerer| &answerer.groups) {
        if !labels.contains(&(&group.label, &group.value)) {
            labels.push((&group.label, &group.value));
        }
    }
    for (label, value) in labels {
        let mut row = vec![
            CellView::head(label.replace('_', " ")),
            CellView::text(value.replace('_', " ")),
        ];
        row.extend(analysis.answerers.iter().map(|answerer| {
            match answerer
                .groups
                .iter()
                .find(|group| group.label == label && group.value == value)
            {
                Some(group) => CellView::proportion(&group.accuracy),
                None => CellView::number("–"),
            }
        }));
        groups.rows.push(row);
    }
    let mut blocks = vec![
        Block::Forest(forest(analysis)),
        Block::Table(accuracy),
        Block::Table(effort),
    ];
    if !groups.rows.is_empty() {
        blocks.push(Block::Table(groups));
    }
    blocks.extend(trials);
    Section {
        id: "answers",
        title: "How often each method is right".to_owned(),
        intro: vec![
            "Before an explanation is judged, the answer it explains is scored against the data set's own answer. A \
             sample without an answer counts as wrong."
                .to_owned(),
        ],
        terms: vec![
            (
                "from its program",
                "The last step's result is the answer: the steps explain it.",
            ),
            (
                "from the model",
                "The model wrote the answer itself, as the method means it to.",
            ),
            (
                "from a fallback",
                "The steps failed and the model was asked again without them: no step yields the answer shown.",
            ),
            (
                "repair",
                "A program that failed is sent back to the model with its error, once.",
            ),
            (
                "interval",
                "Wilson score interval. With few samples it is wide: do not read more into a difference.",
            ),
        ],
        blocks,
    }
}

/// Method and model, as far as they are known.
fn made_by(answerer: &AnswererAnalysis) -> String {
    match answerer.model.as_str() {
        "" => answerer.method_title.clone(),
        model => format!("{} · {model}", answerer.method_title),
    }
}

fn forest(analysis: &Analysis) -> Forest {
    let values = analysis
        .answerers
        .iter()
        .map(|answerer| ForestValue {
            label: answerer.answerer.clone(),
            value: answerer.accuracy.share.as_ref().ok().copied(),
            interval: answerer
                .accuracy
                .interval
                .as_ref()
                .ok()
                .map(|interval| (interval.low, interval.high)),
            base: None,
            control: None,
            text: CellView::figure(&answerer.accuracy.share, percent).text,
        })
        .collect();
    Forest::of_shares("Accuracy of each answerer with its interval", values, ("", ""))
}

fn failures(answerer: &AnswererAnalysis) -> CellView {
    let kinds: Vec<String> = answerer
        .failures
        .iter()
        .map(|(kind, count)| format!("{count} {}", kind.replace('_', " ")))
        .collect();
    CellView::count(answerer.failed_samples.len()).detail(kinds.join(", "))
}

fn effort_row(answerer: &AnswererAnalysis) -> Vec<CellView> {
    let effort = &answerer.effort;
    let Some(totals) = &effort.totals else {
        let mut row = vec![CellView::head(&answerer.answerer)];
        row.extend((0..7).map(|_| CellView::number("imported")));
        return row;
    };
    let failed = |cell: CellView, count: u64, what: &str| {
        if count > 0 {
            cell.detail(format!("{count} {what} in all"))
        } else {
            cell
        }
    };
    let unsaid = totals.requests_without_usage;
    // What no request said is not 0.
    let tokens = |per_question| match unsaid {
        unsaid if unsaid > 0 && unsaid == totals.requests => CellView::number("unknown"),
        unsaid => failed(CellView::figure(per_question, short), unsaid, "requests not counted"),
    };
    vec![
        CellView::head(&answerer.answerer),
        failed(
            CellView::figure(&effort.requests_per_question, short),
            totals.requests_failed,
            "failed",
        ),
        CellView::figure(&effort.samples_per_question, short),
        tokens(&effort.input_tokens_per_question),
        tokens(&effort.output_tokens_per_question),
        failed(
            CellView::figure(&effort.executions_per_question, short),
            totals.executions_failed,
            "failed",
        ),
        failed(
            CellView::figure(&effort.repairs_per_question, short),
            totals.repairs,
            "asked for",
        ),
        CellView::figure(&effort.cost, dollars),
    ]
}

fn answer_list(number: usize, answerer: &AnswererAnalysis, index: &Index) -> Folded {
    let mut table = TableView::new(
        "",
        &[
            "sample",
            "question",
            "answer",
            "right answer",
            "outcome",
            "source",
            "pages",
        ],
    );
    for sample in index.samples.values() {
        let Some(trace) = index.trace(&sample.id, &answerer.answerer) else {
            continue;
        };
        let answer = match &trace.answer {
            Some(answer) => CellView::text(excerpt(&answer.display(), 120)),
            None => {
                let (kind, detail) = failure_words(trace.failure.as_ref());
                CellView::text(format!("none: {}", kind.replace('_', " ")))
                    .detail(excerpt(&detail, 160))
                    .class("bad")
            }
        };
        let source = match trace.answer_source {
            Some(AnswerSource::Fallback) => {
                let why = trace
                    .fallback_reason
                    .as_ref()
                    .map(|reason| failure_words(Some(reason)).1)
                    .unwrap_or_default();
                CellView::text("fallback").detail(excerpt(&why, 160)).class("bad")
            }
            source => CellView::text(source.map(source_name).unwrap_or_default()),
        };
        let mut pages = CellView::default();
        for (arm, page) in pages_of_trace(index, trace) {
            pages
                .links
                .extend(href(&page.html).map(|address| (arm.to_owned(), address)));
        }
        table.rows.push(vec![
            CellView::head(&sample.id),
            CellView::text(excerpt(&sample.question, 110)),
            answer,
            CellView::text(
                sample
                    .gold
                    .as_ref()
                    .map(|gold| excerpt(&gold_text(gold), 120))
                    .unwrap_or_default(),
            ),
            verdict(trace_right(index, trace), "right", "wrong"),
            source,
            pages,
        ]);
    }
    Folded {
        id: anchors::answers(number),
        summary: format!("All answers of {} ({})", answerer.answerer, table.rows.len()),
        table,
    }
}

/// A yes-or-no outcome as a word with a mark that does not rely on colour.
pub(super) fn verdict(outcome: Option<bool>, yes: &str, no: &str) -> CellView {
    match outcome {
        Some(true) => CellView::text(format!("✓\u{a0}{yes}")).class("good"),
        Some(false) => CellView::text(format!("✗\u{a0}{no}")).class("bad"),
        None => CellView::default(),
    }
}

/// The right answer as a reader sees it.
pub(super) fn gold_text(gold: &Gold) -> String {
    match gold {
        Gold::Verdict(verdict) => Answer::Verdict(*verdict).display(),
        Gold::Values { values, .. } => values.join("; "),
        Gold::Text(text) => text.clone(),
    }
}
