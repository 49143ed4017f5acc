//! Designs of the orders in which arms are shown. Orders are lists of 0-based arms; nothing here knows a trial.
//!
//! Balance has two parts: every arm stands in every place equally often, and every arm follows every other arm equally
//! often. Williams squares have both (E. J. Williams, "Experimental designs balanced for the estimation of residual
//! effects of treatments", Australian Journal of Scientific Research A 2, 1949), rotations the first alone.

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::settings::OrderDesign;

/// The most arms of which every permutation is judged: 5 arms are 120 orders of each sample, 6 would be 720.
pub const MOST_ARMS_FOR_ALL: usize = 5;

/// A design that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OrderError {
    /// `all` over too many arms.
    #[error(
        "orders = \"all\" over {arms} arms would be {arms}! orders of each sample; use at most {MOST_ARMS_FOR_ALL} arms, \
         or orders = \"williams\""
    )]
    TooManyArms {
        /// Arms of the study.
        arms: usize,
    },
    /// More or fewer orders a sample than the design has.
    #[error(
        "orders_per_sample = {wanted}, but this design has {available} orders of {arms} arms: choose from 1 to {available}"
    )]
    NotThatMany {
        /// As the study file says.
        wanted: usize,
        /// Orders of the design.
        available: usize,
        /// Arms of the study.
        arms: usize,
    },
}

/// The source of randomness of one purpose: ChaCha8 keyed by the BLAKE3 of seed, purpose and ids.
pub(super) fn generator(seed: u64, purpose: &str, ids: &[&str]) -> ChaCha8Rng {
    let mut hasher = blake3::Hasher::new_derive_key("tabjury judge 1 random choice");
    hasher.update(&seed.to_le_bytes());
    for part in std::iter::once(&purpose).chain(ids) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    ChaCha8Rng::from_seed(*hasher.finalize().as_bytes())
}

/// The Williams square of `arms`: as many orders as arms when that is even, twice as many when it is odd.
pub fn williams(arms: usize) -> Vec<Vec<usize>> {
    // The first order zigzags 0, 1, k-1, 2, k-2, ...: the differences of its neighbours are all different modulo k, so
    // that its k shifts hold each ordered pair of neighbours once. For odd k only the mirrored orders complete that.
    let zigzag: Vec<usize> = (0..arms)
        .map(|place| {
            let step = place.div_ceil(2);
            if place % 2 == 1 { step } else { (arms - step) % arms }
        })
        .collect();
    let mut orders: Vec<Vec<usize>> = (0..arms)
        .map(|shift| zigzag.iter().map(|arm| (arm + shift) % arms).collect())
        .collect();
    if arms % 2 == 1 && arms > 1 {
        let mirrored: Vec<Vec<usize>> = orders
            .iter()
            .map(|order| order.iter().rev().copied().collect())
            .collect();
        orders.extend(mirrored);
    }
    orders
}

/// The cyclic rotations of the study's order of arms.
pub fn rotations(arms: usize) -> Vec<Vec<usize>> {
    (0..arms)
        .map(|shift| (0..arms).map(|place| (place + shift) % arms).collect())
        .collect()
}

/// Every permutation, in lexicographic order.
pub fn permutations(arms: usize) -> Result<Vec<Vec<usize>>, OrderError> {
    if arms > MOST_ARMS_FOR_ALL {
        return Err(OrderError::TooManyArms { arms });
    }
    let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..arms {
        orders = orders
            .iter()
            .flat_map(|order| {
                (0..arms).filter(|arm| !order.contains(arm)).map(|arm| {
                    let mut longer = order.clone();
                    longer.push(arm);
                    longer
                })
            })
            .collect();
    }
    Ok(orders)
}

/// The orders in which one sample is judged.
///
/// `sample_index` counts the samples that are judged at all, from 0: a subset of the design's orders is taken in turn
/// over them, so that over the study every order is used equally often (give or take one round). For `random`,
/// `orders_per_sample` draws that many different orders; the default is one.
pub fn orders_for_sample(
    design: OrderDesign,
    arms: usize,
    orders_per_sample: Option<usize>,
    sample_index: usize,
    seed: u64,
    sample_id: &str,
) -> Result<Vec<Vec<usize>>, OrderError> {
    let orders = match design {
        OrderDesign::Williams => williams(arms),
        OrderDesign::Rotate => rotations(arms),
        OrderDesign::All => permutations(arms)?,
        OrderDesign::Random => return random_orders(arms, orders_per_sample.unwrap_or(1), seed, sample_id),
    };
    let count = checked_count(orders_per_sample.unwrap_or(orders.len()), orders.len(), arms)?;
    Ok((0..count)
        .map(|number| orders[(sample_index * count + number) % orders.len()].clone())
        .collect())
}

fn random_orders(arms: usize, count: usize, seed: u64, sample_id: &str) -> Result<Vec<Vec<usize>>, OrderError> {
    let available = (1..=arms).try_fold(1_usize, |product, factor| product.checked_mul(factor));
    let count = checked_count(count, available.unwrap_or(usize::MAX), arms)?;
    let mut random = generator(seed, "orders", &[sample_id]);
    let mut orders: Vec<Vec<usize>> = Vec::with_capacity(count);
    while orders.len() < count {
        let mut order: Vec<usize> = (0..arms).collect();
        order.shuffle(&mut random);
        if !orders.contains(&order) {
            orders.push(order);
        }
    }
    Ok(orders)
}

fn checked_count(wanted: usize, available: usize, arms: usize) -> Result<usize, OrderError> {
    if arms == 0 {
        return Ok(0);
    }
    if wanted == 0 || wanted > available {
        return Err(OrderError::NotThatMany {
            wanted,
            available,
            arms,
        });
    }
    Ok(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often each arm stands in each place, and how often each arm directly follows each other.
    fn counts(arms: usize, orders: &[Vec<usize>]) -> (Vec<Vec<usize>>, Vec<Vec<usize>>) {
        let mut places = vec![vec![0; arms]; arms];
        let mut followers = vec![vec![0; arms]; arms];
        for order in orders {
            for (place, &arm) in order.iter().enumerate() {
                places[arm][place] += 1;
            }
            for pair in order.windows(2) {
                followers[pair[0]][pair[1]] += 1;
            }
        }
        (places, followers)
    }

    fn assert_places(arms: usize, orders: &[Vec<usize>]) {
        let (places, _) = counts(arms, orders);
        assert!(
            places.iter().flatten().all(|&n| n * arms == orders.len()),
            "{arms} arms: {places:?}"
        );
    }

    fn assert_followers(arms: usize, orders: &[Vec<usize>]) {
        let (_, followers) = counts(arms, orders);
        for (first, row) in followers.iter().enumerate() {
            for (second, &n) in row.iter().enumerate() {
                let expected = if first == second { 0 } else { orders.len() / arms };
                assert_eq!(n, expected, "{arms} arms: {second} after {first}");
            }
        }
    }

    #[test]
    fn williams_squares_balance_places_and_neighbours() {
        for arms in 2..=8 {
            let orders = williams(arms);
            assert_eq!(orders.len(), if arms % 2 == 0 { arms } else { 2 * arms });
            assert_places(arms, &orders);
            assert_followers(arms, &orders);
        }
    }

    #[test]
    fn rotations_balance_places_and_permutations_both() {
        for arms in 2..=8 {
            assert_places(arms, &rotations(arms));
        }
        for arms in 2..=MOST_ARMS_FOR_ALL {
            let orders = permutations(arms).unwrap();
            assert_eq!(orders.len(), (1..=arms).product::<usize>());
            assert_places(arms, &orders);
            assert_followers(arms, &orders);
        }
        let message = permutations(6).unwrap_err().to_string();
        assert!(
            message.contains("over 6 arms") && message.contains("williams"),
            "{message}"
        );
    }

    #[test]
    fn a_subset_taken_in_turn_balances_over_the_study() {
        for design in [OrderDesign::Williams, OrderDesign::Rotate] {
            for arms in 2..=8 {
                let available = if design == OrderDesign::Williams {
                    williams(arms).len()
                } else {
                    arms
                };
                for per_sample in 1..=available {
                    let study: Vec<Vec<usize>> = (0..available)
                        .flat_map(|index| {
                            orders_for_sample(design, arms, Some(per_sample), index, 7, &format!("s{index}")).unwrap()
                        })
                        .collect();
                    assert_eq!(study.len(), available * per_sample);
                    assert_places(arms, &study);
                    if design == OrderDesign::Williams {
                        assert_followers(arms, &study);
                    }
                }
            }
        }
    }

    #[test]
    fn counts_outside_the_design_are_refused() {
        for wanted in [0, 5] {
            let error = orders_for_sample(OrderDesign::Williams, 4, Some(wanted), 0, 0, "s").unwrap_err();
            assert_eq!(
                error,
                OrderError::NotThatMany {
                    wanted,
                    available: 4,
                    arms: 4
                }
            );
        }
        assert_eq!(orders_for_sample(OrderDesign::Williams, 0, None, 0, 0, "s"), Ok(vec![]));
        assert_eq!(
            orders_for_sample(OrderDesign::Williams, 1, None, 3, 0, "s"),
            Ok(vec![vec![0]])
        );
    }

    #[test]
    fn random_orders_follow_from_seed_and_sample_alone() {
        let draw = |seed, sample: &str, index| {
            orders_for_sample(OrderDesign::Random, 5, Some(3), index, seed, sample).unwrap()
        };
        assert_eq!(draw(1, "a", 0), draw(1, "a", 9));
        assert_ne!(draw(1, "a", 0), draw(2, "a", 0));
        assert_ne!(draw(1, "a", 0), draw(1, "b", 0));
        let all = orders_for_sample(OrderDesign::Random, 3, Some(6), 0, 1, "a").unwrap();
        let mut sorted = all.clone();
        sorted.sort();
        assert_eq!(sorted, permutations(3).unwrap());
        assert_eq!(
            orders_for_sample(OrderDesign::Random, 3, None, 0, 1, "a")
                .unwrap()
                .len(),
            1
        );
    }

    proptest::proptest! {
        #[test]
        fn every_order_is_a_permutation(arms in 1_usize..=8, index in 0_usize..1000, seed: u64, design in 0..4_u8) {
            let design = match design {
                0 => OrderDesign::Williams,
                1 => OrderDesign::Rotate,
                2 => OrderDesign::Random,
                _ => OrderDesign::All,
            };
            match orders_for_sample(design, arms, Some(1), index, seed, "s") {
                Ok(orders) => for order in orders {
                    let mut sorted = order.clone();
                    sorted.sort_unstable();
                    proptest::prop_assert_eq!(sorted, (0..arms).collect::<Vec<_>>());
                },
                Err(_) => proptest::prop_assert!(design == OrderDesign::All && arms > MOST_ARMS_FOR_ALL),
            }
        }
    }
}
