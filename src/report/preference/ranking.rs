//! A readable ranking as ranks of arms and places where they were shown.

use crate::report::index::Scored;

/// A readable ranking of some arms.
#[derive(Debug)]
pub(super) struct Ranking<'a> {
    /// The sample's id.
    pub(super) sample: &'a str,
    /// Mid-rank of each arm, from 1, in the order of the arms.
    pub(super) ranks: Vec<f64>,
    /// Place where each arm was shown, from 0, in the order of the arms.
    pub(super) places: Vec<usize>,
    /// Which draw of its trial it is.
    pub(super) repeat: u32,
}

impl<'a> Ranking<'a> {
    /// Of all these arms; `None` where the verdict ranks fewer, or nothing.
    pub(super) fn of_all(scored: &Scored<'a>, arms: &[&str]) -> Option<Self> {
        let ranked = scored.verdict()?.mid_ranks()?;
        if ranked.len() != arms.len() {
            return None;
        }
        let ranks = arms.iter().map(|arm| {
            let of_arm = ranked.iter().find(|(name, _)| name == arm);
            of_arm.map(|(_, rank)| *rank)
        });
        let places = arms
            .iter()
            .map(|arm| scored.trial.arms.iter().position(|name| name == arm));
        Some(Self {
            sample: &scored.trial.sample,
            ranks: ranks.collect::<Option<Vec<f64>>>()?,
            places: places.collect::<Option<Vec<usize>>>()?,
            repeat: scored.trial.repeat,
        })
    }

    /// The arm that stood in a place.
    pub(super) fn shown_at(&self, place: usize) -> Option<usize> {
        self.places.iter().position(|shown| *shown == place)
    }

    /// The arms that come first, several where they share it.
    pub(super) fn best(&self) -> Vec<usize> {
        let least = self.ranks.iter().copied().fold(f64::INFINITY, f64::min);
        (0..self.ranks.len()).filter(|arm| self.ranks[*arm] <= least).collect()
    }

    /// How much of the first place an arm has: 1, or a part of it where several share it.
    pub(super) fn first(&self, arm: usize) -> f64 {
        let best = self.best();
        if best.contains(&arm) {
            1.0 / best.len() as f64
        } else {
            0.0
        }
    }

    /// Whether it repeats the order shown exactly.
    pub(super) fn follows_shown_order(&self) -> bool {
        self.ranks
            .iter()
            .zip(&self.places)
            .all(|(rank, place)| *rank == *place as f64 + 1.0)
    }
}
