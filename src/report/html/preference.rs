//! The section on which explanations judges rank first.

use crate::judge::Task;
use crate::report::analysis::Analysis;
use crate::report::flags::counted;
use crate::report::index::Index;
use crate::report::names::verdict_text;
use crate::report::preference::PreferenceAnalysis;

use super::anchors;
use super::links::TrialPaths;
use super::preference_forms;
use super::trials::not_asked;
use super::trials::{readings_cells, state_cell};
use super::view::{Block, CellView, Column, Folded, Section, TableView, percent, two_decimals};

/// The section, if the task was run.
pub(super) fn section(analysis: &Analysis, index: &Index, paths: &TrialPaths) -> Option<Section> {
    if analysis.preference.is_empty() {
        return None;
    }
    let mut blocks = Vec::new();
    for judge in &analysis.preference {
        let Some(number) = analysis.study.judges.iter().position(|known| known.name == judge.judge) else {
            continue;
        };
        blocks.push(Block::Heading(judge.judge.clone()));
        if judge.readings.asked == 0 {
            blocks.push(not_asked());
            blocks.push(Block::Folded(trial_list(judge, number, index, paths)));
            continue;
        }
        if !judge.arms.is_empty() {
            blocks.push(Block::Table(arms(judge, number)));
        }
        blocks.extend(preference_forms::blocks(judge, number));
        blocks.push(Block::Text(order_words(judge)));
        blocks.push(Block::Folded(trial_list(judge, number, index, paths)));
    }
    let several = analysis.preference.iter().any(|judge| judge.stability.compared > 0);
    Some(Section {
        id: "preference",
        title: "Preference: which explanations judges rank first".to_owned(),
        intro: vec![format!(
            "A judge sees explanations of one sample and says which are better.{} Judges favour places, so every figure is \
                 also shown by the place where an explanation stood. That a judge likes an explanation does not say that \
                 it helps.",
            if several {
                " Samples are judged in several orders; ranks are averaged within a sample first."
            } else {
                ""
            }
        )],
        terms: vec![
            (
                "mean rank",
                "1 is always ranked best. The interval is Student's t over samples.",
            ),
            (
                "first",
                "Share of a sample's orders that put the arm first, averaged over samples; the interval is Student's t over samples.",
            ),
            (
                "place",
                "Where the explanation stood when shown: place 1 is the first the judge reads.",
            ),
            (
                "log strength",
                "Bradley and Terry's: of two arms the one that is stronger by 1 is preferred with odds 2.7. The mean is 0.",
            ),
            ("read", "Judgments with a readable verdict, of all judgments asked for."),
        ],
        blocks,
    })
}

fn arms(judge: &PreferenceAnalysis, number: usize) -> TableView {
    let mut table = TableView::new(
        format!(
            "{} of {} of {}",
            counted(judge.rankings, "ranking"),
            judge.common_samples,
            counted(judge.samples, "sample")
        ),
        &["arm", "#mean rank", "#first"],
    );
    for place in &judge.places {
        table.columns.push(Column {
            name: format!("rank when shown in place\u{a0}{}", place.place),
            number: true,
        });
    }
    let to = anchors::to_trials(Task::Preference, number, None);
    for arm in &judge.arms {
        let mut row = vec![
            CellView::head(&arm.arm),
            CellView::mean(&arm.mean_rank).to(&to),
            CellView::mean_share(&arm.first).to(&to),
        ];
        for place in &arm.by_place {
            let first = CellView::figure(&place.first.value, percent).text;
            row.push(CellView::figure(&place.mean_rank.value, two_decimals).detail(format!(
                "{first} first, mean over samples\n{}",
                counted(place.rankings, "ranking")
            )));
        }
        table.rows.push(row);
    }
    let mut any = vec![
        CellView::head("whatever stood there"),
        CellView::default(),
        CellView::default(),
    ];
    for place in &judge.places {
        let first = CellView::figure(&place.first.value, percent).text;
        any.push(CellView::figure(&place.mean_rank.value, two_decimals).detail(format!(
            "{first} first, mean over samples\n{}",
            counted(place.rankings, "ranking")
        )));
    }
    if !judge.places.is_empty() {
        table.rows.push(any);
    }
    table
}

fn order_words(judge: &PreferenceAnalysis) -> String {
    let follows = &judge.follows_shown_order;
    let shown = !judge.places.is_empty();
    let mut words = if judge.arms.is_empty() {
        String::new()
    } else if shown {
        format!(
            "{} of {} repeat the shown order exactly (chance: {}).",
            follows.successes,
            counted(follows.n, "ranking"),
            percent(judge.follows_shown_order_by_chance)
        )
    } else {
        "In which order the explanations were shown is not known, and so is what places did.".to_owned()
    };
    let stability = &judge.stability;
    if stability.compared > 0 {
        words.push_str(&format!(
            " The same explanations were shown in several orders {}: {} stable (one verdict in every order), {} \
             unstable (the same best, the rest changes), {} inconsistent (another best).",
            counted(stability.compared, "time"),
            stability.stable,
            stability.unstable,
            stability.inconsistent
        ));
    }
    if judge.repeats_agree.n > 0 {
        words.push_str(&format!(
            " Of {} drawn several times, {} have one verdict throughout.",
            counted(judge.repeats_agree.n, "trial"),
            judge.repeats_agree.successes
        ));
    }
    if judge.samples_with_missing_orders > 0 {
        words.push_str(&format!(
            " Without the ranking of some order: {}; there places are not quite balanced.",
            counted(judge.samples_with_missing_orders as u64, "sample")
        ));
    }
    if judge.partial_rankings > 0 {
        words.push_str(&format!(
            " Left out because they rank fewer arms: {}.",
            counted(judge.partial_rankings, "ranking")
        ));
    }
    let readings = readings_cells(&judge.readings);
    words.push_str(&format!(
        " {} of {} could be read{}{}.",
        judge.readings.readable,
        counted(judge.readings.asked, "judgment"),
        if readings.detail.is_empty() { "" } else { "; " },
        readings.detail
    ));
    words
}

fn trial_list(judge: &PreferenceAnalysis, number: usize, index: &Index, paths: &TrialPaths) -> Folded {
    let mut table = TableView::new("", &["trial", "sample", "shown, in this order", "ranked, best first"]);
    for scored in index.scored(Task::Preference, &judge.judge) {
        let ranking = match scored.verdict() {
            Some(verdict) => CellView::text(verdict_text(verdict)),
            None => state_cell(scored),
        };
        table.rows.push(vec![
            CellView::head(&scored.trial.id).to(paths.page(&scored.trial.id, number)),
            CellView::text(&scored.trial.sample),
            CellView::text(scored.trial.arms.join(", ")),
            ranking,
        ]);
    }
    Folded {
        id: anchors::trials(Task::Preference, number, None),
        summary: format!("All {} preference trials of {}", table.rows.len(), judge.judge),
        table,
    }
}
