//! Tests of rankings, and preference that is no ranking: pairs, the best and the worst, scores.

use crate::judge::Task;
use crate::report::flags::counted;
use crate::report::preference::{PreferenceAnalysis, RankTests};

use super::anchors;
use super::view::{Block, CellView, Column, TableView, p_value, percent, two_decimals};

/// What there is of them before one judge.
pub(super) fn blocks(judge: &PreferenceAnalysis, number: usize) -> Vec<Block> {
    let to = anchors::to_trials(Task::Preference, number, None);
    let mut blocks = Vec::new();
    if let Some(tests) = &judge.tests {
        blocks.push(Block::Text(test_words(tests)));
    }
    if let Some(pairs) = &judge.pairs {
        let mut strengths = TableView::new(
            format!(
                "{} of two arms, {} of them ties, over {}",
                counted(pairs.comparisons, "comparison"),
                pairs.ties,
                counted(pairs.samples, "sample")
            ),
            &["arm", "#log strength", "#comparisons won"],
        );
        for arm in &pairs.arms {
            strengths.rows.push(vec![
                CellView::head(&arm.arm),
                CellView::estimate(&arm.strength).to(&to),
                CellView::mean_share(&arm.won).to(&to),
            ]);
        }
        blocks.push(Block::Table(strengths));
        let mut table = TableView::new(
            "Every pair. p is of samples ahead against samples behind, those in which the one wins more or less often than \
             the other (sign test, corrected over the pairs by Holm), not of comparisons won; Nemenyi's p is of the ranks \
             within samples below it",
            &[
                "arm",
                "against",
                "#won",
                "#lost",
                "#tied",
                "#samples ahead",
                "#samples behind",
                "#p of samples ahead",
                "#rank difference",
            ],
        );
        for pair in &pairs.pairs {
            let nemenyi = judge.tests.as_ref().and_then(|tests| {
                let mut found = tests.nemenyi.iter();
                found.find(|found| found.first == pair.first && found.second == pair.second)
            });
            table.rows.push(vec![
                CellView::head(&pair.first),
                CellView::text(&pair.second),
                CellView::count(pair.first_wins),
                CellView::count(pair.second_wins),
                CellView::count(pair.ties),
                CellView::count(pair.first_ahead),
                CellView::count(pair.second_ahead),
                CellView::number(p_value(pair.p)).detail(format!("corrected {}", p_value(pair.p_corrected))),
                nemenyi.map_or(CellView::number("–"), |found| {
                    CellView::number(two_decimals(found.difference)).detail(format!(
                        "within samples {}\nNemenyi p {}",
                        two_decimals(found.within_samples),
                        p_value(found.p)
                    ))
                }),
            ]);
        }
        blocks.push(Block::Table(table));
        let caveats = pairs.pairs.iter().filter_map(|pair| pair.caveat.as_ref());
        blocks.extend(caveats.map(|caveat| Block::Text(format!("{caveat}."))));
    }
    if let Some(choices) = &judge.best_worst {
        let mut table = TableView::new(
            format!(
                "{} of the best and the worst, over {} of {}",
                counted(choices.choices, "choice"),
                judge.common_samples,
                counted(judge.samples, "sample")
            ),
            &["arm", "#best", "#worst", "#best less worst"],
        );
        for arm in &choices.arms {
            table.rows.push(vec![
                CellView::head(&arm.arm),
                CellView::mean_share(&arm.best_share).to(&to),
                CellView::mean_share(&arm.worst_share).to(&to),
                CellView::mean(&arm.score).to(&to),
            ]);
        }
        blocks.push(Block::Table(table));
        let mut places = TableView::new("How often what stood in a place is the best", &["place", "#best"]);
        for (place, share) in choices.best_by_place.iter().enumerate() {
            places.rows.push(vec![
                CellView::head((place + 1).to_string()),
                CellView::mean_share(share),
            ]);
        }
        if !choices.best_by_place.is_empty() {
            blocks.push(Block::Table(places));
        }
        blocks.push(Block::Text(match &choices.first_place {
            Ok(test) => format!(
                "Whether what is shown first is the best more or less often than {}: p = {}, corrected {} ({} over {} samples).",
                percent(test.chance),
                p_value(test.p),
                p_value(test.p_corrected),
                test.words(),
                test.samples
            )
            .replace("= <", "< "),
            Err(undefined) => format!("Whether being shown first decides: {}.", undefined.reason),
        }));
    }
    if let Some(first) = judge.scores.first() {
        let mut table = TableView::new(
            format!(
                "Scores from 1 to 5, over {} of {}",
                judge.common_samples,
                counted(judge.samples, "sample")
            ),
            &["arm", "#mean"],
        );
        table.columns.extend(first.criteria.iter().map(|scored| Column {
            name: scored.criterion.name().to_owned(),
            number: true,
        }));
        for arm in &judge.scores {
            let mut row = vec![CellView::head(&arm.arm), CellView::mean(&arm.overall).to(&to)];
            row.extend(arm.criteria.iter().map(|scored| CellView::mean(&scored.mean)));
            table.rows.push(row);
        }
        blocks.push(Block::Table(table));
    }
    blocks
}

fn test_words(tests: &RankTests) -> String {
    let mut words = match &tests.arms_differ {
        Ok(found) => format!(
            "Whether the arms differ in their ranks within samples: Friedman's chi-square is {} (df = {}, n = {} samples, p = {}; Iman and \
             Davenport's p = {}), Kendall's W {}.",
            two_decimals(found.chi_square),
            found.freedom,
            found.samples,
            p_value(found.p),
            found.iman_davenport_p.as_ref().map_or("–".to_owned(), |p| p_value(*p)),
            two_decimals(found.kendall_w)
        ),
        Err(undefined) => format!("Whether the arms differ (Friedman): {}.", undefined.reason),
    };
    words.push_str(&match &tests.places {
        Ok(found) => format!(
            " Whether places decide: chi-square {} (df = {}, n = {} samples, p = {}, corrected {}).",
            two_decimals(found.chi_square),
            found.freedom,
            found.samples,
            p_value(found.p),
            p_value(found.p_corrected)
        ),
        Err(undefined) => format!(" Whether places decide: {}.", undefined.reason),
    });
    words.push_str(&match &tests.length {
        Ok(found) => format!(
            " Length of a page against its rank, within samples: r = {} (p = {}, n = {} samples); below 0 the longer is preferred.",
            two_decimals(found.r),
            p_value(found.p),
            found.samples
        ),
        Err(undefined) => format!(" Length of a page against its rank: {}.", undefined.reason),
    });
    words.replace("= <", "< ")
}
