//! The section on judges beside people: whether they agree, and what both say together.

use crate::report::analysis::Analysis;
use crate::report::flags::{counted, task_name};
use crate::report::people::{PeopleAnalysis, PeopleEstimate, PeopleQuantity};
use crate::stats::{Interval, Stat};

use super::agreement::kappa;
use super::view::{Block, CellView, Section, TableView, percent, points, two_decimals};

/// The section, where people were asked anything.
pub(super) fn section(analysis: &Analysis) -> Option<Section> {
    if analysis.people.is_empty() {
        return None;
    }
    let mut blocks = Vec::new();
    for task in &analysis.people {
        blocks.push(Block::Heading(task_name(task.task).to_owned()));
        blocks.push(Block::Text(who(task)));
        if !task.agreement.is_empty() {
            blocks.push(Block::Table(agreement(analysis, task)));
        }
        if !task.estimates.is_empty() {
            blocks.push(Block::Table(estimates(task)));
        }
    }
    Some(Section {
        id: "people",
        title: "People: do judges say what people say?".to_owned(),
        intro: vec![
            "Agreement is with what most people say of a trial who gave a verdict; in preference, of which explanation comes \
             first. Estimates are of these people, of each sample the mean over those who judged it: by people alone on all \
             samples that they judged, and together with the judge, from few judgments by people and many by the judge. They \
             are approximate, take a hundred samples that people and the judge share, and hold only where these are a random \
             part of all. Accuracies are over samples judged with every arm, and a lift is of one person with and without the \
             explanation. Other people may judge otherwise, which no interval here knows."
                .to_owned(),
        ],
        terms: vec![
            (
                "together",
                "Prediction-powered inference (PPI++, Angelopoulos, Duchi and Zrnic 2023), with Student's interval over samples.",
            ),
            (
                "width",
                "The width of that interval as a part of the one by people alone. At 100% or more the judge adds nothing.",
            ),
            (
                "worth",
                "So many samples judged by people alone would have the same error.",
            ),
        ],
        blocks,
    })
}

fn who(task: &PeopleAnalysis) -> String {
    let tied = match task.tied {
        0 => "none of them tied".to_owned(),
        tied => format!("tied on {}, which then have no verdict", counted(tied, "trial")),
    };
    format!(
        "{} ({}), {} of {}, {tied}.",
        match task.people.len() {
            1 => "1 person".to_owned(),
            people => format!("{people} people"),
        },
        task.people.join(", "),
        counted(task.trials, "trial"),
        counted(task.samples, "sample"),
    )
}

/// A row an arm, a column a judge.
fn agreement(analysis: &Analysis, task: &PeopleAnalysis) -> TableView {
    let mut columns = vec!["arm".to_owned()];
    columns.extend(task.agreement.iter().map(|pair| format!("#{}", pair.first)));
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut table = TableView::new("Trials on which a judge says the same as people, by arm", &columns);
    let cell = |agreement: &_, chance: &Stat<f64>, value: &Stat<f64>, interval: &Stat<Interval>| {
        let beyond = kappa(value, interval);
        let mut cell = CellView::proportion(agreement);
        if let Ok(chance) = chance {
            cell.detail.push_str(&format!("\n{} by chance", percent(*chance)));
        }
        cell.detail.push_str(&format!("\nkappa {}", beyond.text));
        if !beyond.detail.is_empty() {
            cell.detail.push_str(&format!(", {}", beyond.detail));
        }
        cell
    };
    let mut all = vec![CellView::head("all")];
    all.extend(
        task.agreement
            .iter()
            .map(|pair| cell(&pair.agreement, &pair.chance, &pair.kappa, &pair.kappa_interval)),
    );
    table.rows.push(all);
    let arms = analysis.study.arms.iter().map(|arm| arm.name.as_str());
    for name in arms.chain([crate::judge::CONTROL_ARM]) {
        let found: Vec<_> = task
            .agreement
            .iter()
            .map(|pair| pair.arms.iter().find(|arm| arm.arm == name))
            .collect();
        if found.iter().all(Option::is_none) {
            continue;
        }
        let mut row = vec![CellView::head(name)];
        row.extend(found.into_iter().map(|arm| {
            arm.map_or_else(
                || CellView::text(""),
                |arm| cell(&arm.agreement, &arm.chance, &arm.kappa, &arm.kappa_interval),
            )
        }));
        table.rows.push(row);
    }
    table
}

fn estimates(task: &PeopleAnalysis) -> TableView {
    let mut table = TableView::new(
        "What a person would come to on all samples",
        &["judge", "arm", "what", "#people alone", "#together", "#width", "#worth"],
    );
    for found in &task.estimates {
        table.rows.push(row(found));
    }
    table
}

fn row(found: &PeopleEstimate) -> Vec<CellView> {
    let write: fn(f64) -> String = match found.quantity {
        PeopleQuantity::Accuracy => percent,
        PeopleQuantity::Lift => points,
        PeopleQuantity::MeanRank => two_decimals,
    };
    let ends = |interval: &Interval| format!("{} to {}", write(interval.low), write(interval.high));
    let mut alone = CellView::figure(&found.people_only.value, write);
    alone.detail = match (&found.people_only.value, &found.people_only.interval) {
        (_, Ok(interval)) => format!("{}\nn = {}", ends(interval), found.people_only.n),
        (Ok(_), Err(undefined)) => format!("no interval: {}\nn = {}", undefined.reason, found.people_only.n),
        (Err(_), Err(_)) => format!("n = {}", found.people_only.n),
    };
    let powered = |of: fn(&crate::report::people::Powered) -> Stat<f64>| {
        found.powered.as_ref().map_err(Clone::clone).and_then(of)
    };
    let mut together = CellView::figure(&powered(|powered| Ok(powered.value)), write);
    if let Ok(powered) = &found.powered {
        together.detail = format!(
            "{}\nn = {} + {}",
            ends(&powered.interval),
            found.shared_samples,
            found.further_samples
        );
    }
    vec![
        CellView::head(&found.judge),
        CellView::text(&found.arm),
        CellView::text(found.quantity.name().replace('_', " ")),
        alone,
        together,
        CellView::figure(&powered(|powered| powered.width_ratio.clone()), percent),
        CellView::figure(&powered(|powered| Ok(powered.effective_samples)), |samples| {
            format!("{samples:.0}")
        }),
    ]
}
