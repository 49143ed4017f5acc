//! Preference as CSV tables: ranks, places, pairs, choices and scores.

use super::analysis::Analysis;
use super::csv_table::{CsvTable, ends, figure, mean_cells};
use super::quantities::Mean;
use super::tables::{READINGS, readings_cells};

/// One row a judge and arm.
pub(super) fn ranks(analysis: &Analysis) -> CsvTable {
    let mut table = CsvTable::new(&[
        &[
            "judge",
            "arm",
            "mean_rank",
            "low",
            "high",
            "n_samples",
            "first_share",
            "first_low",
            "first_high",
        ],
        &["first", "rankings"],
        READINGS,
    ]);
    for judge in &analysis.preference {
        for arm in &judge.arms {
            let mut row = vec![judge.judge.clone(), arm.arm.clone()];
            row.extend(mean_cells(&arm.mean_rank));
            let [low, high] = ends(&arm.first.interval);
            row.extend([figure(&arm.first.value), low, high]);
            row.extend([arm.first_rankings.to_string(), judge.rankings.to_string()]);
            row.extend(readings_cells(&judge.readings));
            table.rows.push(row);
        }
    }
    table
}

/// One row a judge, arm and place.
pub(super) fn places(analysis: &Analysis) -> CsvTable {
    let mut table = CsvTable::new(&[&[
        "judge",
        "arm",
        "place",
        "mean_rank",
        "low",
        "high",
        "n_samples",
        "first_share",
        "first_low",
        "first_high",
        "shown",
    ]]);
    for judge in &analysis.preference {
        let mut add = |arm: &str, place: usize, mean_rank: &Mean, first: &Mean, shown: u64| {
            let mut row = vec![judge.judge.clone(), arm.to_owned(), place.to_string()];
            row.extend(mean_cells(mean_rank));
            let [low, high] = ends(&first.interval);
            row.extend([figure(&first.value), low, high, shown.to_string()]);
            table.rows.push(row);
        };
        for place in &judge.places {
            add("(any)", place.place, &place.mean_rank, &place.first, place.rankings);
        }
        for arm in &judge.arms {
            for place in &arm.by_place {
                add(&arm.arm, place.place, &place.mean_rank, &place.first, place.rankings);
            }
        }
    }
    table
}

/// One row a judge and pair of arms.
pub(super) fn pairs(analysis: &Analysis) -> CsvTable {
    let mut table = CsvTable::new(&[
        &["judge", "arm", "against", "won", "lost", "tied"],
        &["samples_ahead", "samples_behind", "p", "p_corrected"],
        &["rank_difference", "within_sample_rank_difference", "nemenyi_p"],
        &["shown_earlier", "caveat"],
    ]);
    for judge in &analysis.preference {
        for pair in judge.pairs.iter().flat_map(|pairs| &pairs.pairs) {
            let mut row = vec![judge.judge.clone(), pair.first.clone(), pair.second.clone()];
            let counts = [
                pair.first_wins,
                pair.second_wins,
                pair.ties,
                pair.first_ahead,
                pair.second_ahead,
            ];
            row.extend(counts.map(|count| count.to_string()));
            row.extend([pair.p, pair.p_corrected].map(|p| p.to_string()));
            let nemenyi = judge.tests.as_ref().and_then(|tests| {
                let mut found = tests.nemenyi.iter();
                found.find(|found| found.first == pair.first && found.second == pair.second)
            });
            row.extend(match nemenyi {
                Some(found) => [found.difference, found.within_samples, found.p].map(|value| value.to_string()),
                None => [const { String::new() }; 3],
            });
            row.push(
                pair.first_shown_earlier
                    .map_or(String::new(), |earlier| earlier.to_string()),
            );
            row.push(pair.caveat.clone().unwrap_or_default());
            table.rows.push(row);
        }
    }
    table
}

/// One row a judge, arm and measure: log strengths, comparisons won, choices, scores.
pub(super) fn forms(analysis: &Analysis) -> CsvTable {
    let mut table = CsvTable::new(&[&["judge", "arm", "measure", "value", "low", "high", "n_samples"]]);
    for judge in &analysis.preference {
        let mut add = |arm: &str, measure: &str, mean: &Mean| {
            let mut row = vec![judge.judge.clone(), arm.to_owned(), measure.to_owned()];
            row.extend(mean_cells(mean));
            table.rows.push(row);
        };
        for arm in judge.pairs.iter().flat_map(|pairs| &pairs.arms) {
            add(&arm.arm, "comparisons_won", &arm.won);
        }
        for arm in judge.best_worst.iter().flat_map(|choices| &choices.arms) {
            add(&arm.arm, "best", &arm.best_share);
            add(&arm.arm, "worst", &arm.worst_share);
            add(&arm.arm, "best_less_worst", &arm.score);
        }
        for arm in &judge.scores {
            add(&arm.arm, "score", &arm.overall);
            for scored in &arm.criteria {
                add(&arm.arm, &format!("score_{}", scored.criterion.name()), &scored.mean);
            }
        }
        for arm in judge.pairs.iter().flat_map(|pairs| &pairs.arms) {
            let [low, high] = ends(&arm.strength.interval);
            table.rows.push(vec![
                judge.judge.clone(),
                arm.arm.clone(),
                "log_strength".to_owned(),
                figure(&arm.strength.value),
                low,
                high,
                arm.strength.samples.to_string(),
            ]);
        }
    }
    table
}
