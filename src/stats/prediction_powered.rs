//! Estimates from few human and many model judgments, valid in large samples however wrong the model is.

use super::distribution::{checked_level, t_quantile};
use super::mean::{mean, mean_interval, variance};
use super::{Interval, Stat, Undefined, checked_finite};

/// A mean by prediction-powered inference, and by the human judgments alone.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictionPowered {
    /// The estimate of the mean human judgment.
    pub estimate: f64,
    /// Its interval.
    pub interval: Interval,
    /// How far the model is trusted, from 0 (not at all) to 1.
    pub lambda: f64,
    /// The mean of the human judgments alone.
    pub human_only: f64,
    /// Student's interval of that mean.
    pub human_only_interval: Stat<Interval>,
    /// How many human judgments alone would have the same error.
    pub effective_humans: f64,
}

/// The mean human judgment over all samples, from those that people judged and the model's judgments of all of them
/// (PPI++: Angelopoulos, Duchi and Zrnic 2023).
///
/// `human` and `model` are of the same samples, `model_elsewhere` is of samples that no person judged; people's samples
/// are a random part of all. With mean human judgment y and model judgments f:
/// estimate = mean(y) - lambda (mean f on the same - mean f elsewhere), and lambda = cov(y, f) / ((1 + n/N) var(f)), cut to
/// [0, 1] (their example 6.1), which makes the variance var(y - lambda f) / n + lambda^2 var(f) / N least. Since lambda is
/// estimated, the first variance is taken with n - 2 and the interval is Student's with n - 2 degrees of freedom, where
/// lambda is not 0: of a model that knows nothing the interval is then a little wider than by people alone.
///
/// Values may be right or wrong as 1 and 0, differences of two arms, or ranks; one value a sample. Undefined for fewer
/// than three human judgments, unequal lengths, values that are not finite, and human judgments without variation.
pub fn prediction_powered_mean(
    human: &[f64],
    model: &[f64],
    model_elsewhere: &[f64],
    level: f64,
) -> Stat<PredictionPowered> {
    checked_level(level)?;
    for values in [human, model, model_elsewhere] {
        checked_finite(values)?;
    }
    if human.len() != model.len() {
        return Err(Undefined::because(format!(
            "{} human judgments but {} model judgments of the same samples",
            human.len(),
            model.len()
        )));
    }
    if human.len() < 3 {
        return Err(Undefined::because(format!(
            "n = {} human judgments are too few",
            human.len()
        )));
    }
    let human_variance = variance(human)?;
    if human_variance == 0.0 {
        return Err(Undefined::because("no variation: all human judgments are equal"));
    }
    let (n, more) = (human.len() as f64, model_elsewhere.len() as f64);
    let (human_mean, model_mean) = (mean(human)?, mean(model)?);
    let all: Vec<f64> = model.iter().chain(model_elsewhere).copied().collect();
    let model_variance = variance(&all)?;
    let products = human
        .iter()
        .zip(model)
        .map(|(y, f)| (y - human_mean) * (f - model_mean));
    let covariance = products.sum::<f64>() / (n - 1.0);
    let lambda = if model_elsewhere.is_empty() || model_variance == 0.0 {
        0.0
    } else {
        (covariance / ((1.0 + n / more) * model_variance)).clamp(0.0, 1.0)
    };
    let (estimate, squared_error, freedom) = if lambda == 0.0 {
        (human_mean, human_variance / n, n - 1.0)
    } else {
        let rest: Vec<f64> = human.iter().zip(model).map(|(y, f)| y - lambda * f).collect();
        let spread = variance(&rest)? * (n - 1.0) / (n - 2.0);
        (
            human_mean - lambda * (model_mean - mean(model_elsewhere)?),
            spread / n + lambda * lambda * model_variance / more,
            n - 2.0,
        )
    };
    if !(squared_error > 0.0 && squared_error.is_finite() && estimate.is_finite()) {
        return Err(Undefined::because(
            "the standard error is 0, or the values are too large",
        ));
    }
    let half = t_quantile(level, freedom) * squared_error.sqrt();
    Ok(PredictionPowered {
        estimate,
        interval: Interval {
            low: estimate - half,
            high: estimate + half,
            level,
        },
        lambda,
        human_only: human_mean,
        human_only_interval: mean_interval(human, level),
        effective_humans: human_variance / squared_error,
    })
}

/// The difference of two arms judged on the same samples, first less second, by [`prediction_powered_mean`] of the
/// differences. Each pair of slices is (first arm, second arm).
pub fn prediction_powered_difference(
    human: (&[f64], &[f64]),
    model: (&[f64], &[f64]),
    model_elsewhere: (&[f64], &[f64]),
    level: f64,
) -> Stat<PredictionPowered> {
    let difference = |(first, second): (&[f64], &[f64])| -> Stat<Vec<f64>> {
        if first.len() != second.len() {
            return Err(Undefined::because("the arms were judged on different samples"));
        }
        Ok(first.iter().zip(second).map(|(a, b)| a - b).collect())
    };
    prediction_powered_mean(
        &difference(human)?,
        &difference(model)?,
        &difference(model_elsewhere)?,
        level,
    )
}

/// The mean rank of every arm. Rows are samples, columns arms.
pub fn prediction_powered_ranks(
    human: &[Vec<f64>],
    model: &[Vec<f64>],
    model_elsewhere: &[Vec<f64>],
    level: f64,
) -> Stat<Vec<Stat<PredictionPowered>>> {
    let arms = human.first().map_or(0, Vec::len);
    let mut rows = human.iter().chain(model).chain(model_elsewhere);
    if arms == 0 || rows.any(|row| row.len() != arms) {
        return Err(Undefined::because("some samples lack the rank of an arm"));
    }
    let column = |rows: &[Vec<f64>], arm: usize| -> Vec<f64> { rows.iter().map(|row| row[arm]).collect() };
    Ok((0..arms)
        .map(|arm| {
            let (human, model) = (column(human, arm), column(model, arm));
            prediction_powered_mean(&human, &model, &column(model_elsewhere, arm), level)
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_that_is_always_right_is_worth_all_its_judgments() {
        let value = |i: i32| f64::from(u8::from(i % 3 == 0));
        let human: Vec<f64> = (0..30).map(value).collect();
        let elsewhere: Vec<f64> = (30..3000).map(value).collect();
        let found = prediction_powered_mean(&human, &human, &elsewhere, 0.95).unwrap();
        assert!(found.lambda > 0.98 && found.effective_humans > 1000.0, "{found:?}");
        let alone = found.human_only_interval.unwrap();
        assert!(found.interval.high - found.interval.low < 0.3 * (alone.high - alone.low));
    }

    #[test]
    fn a_model_that_says_the_opposite_is_not_trusted() {
        let human = [1.0, 0.0, 1.0, 0.0, 1.0, 1.0];
        let model: Vec<f64> = human.iter().map(|value| 1.0 - value).collect();
        let found = prediction_powered_mean(&human, &model, &[1.0, 0.0, 1.0], 0.95).unwrap();
        assert_eq!((found.lambda, found.estimate), (0.0, found.human_only));
        assert_eq!(Ok(found.interval), found.human_only_interval);
    }

    #[test]
    fn undefined_has_a_reason() {
        let reason =
            |human: &[f64], model: &[f64]| prediction_powered_mean(human, model, &[1.0], 0.95).unwrap_err().reason;
        assert!(reason(&[1.0, 0.0], &[1.0, 0.0]).contains("too few"));
        assert!(reason(&[1.0; 4], &[1.0; 4]).contains("no variation"));
        assert!(reason(&[1.0; 4], &[1.0; 3]).contains("3 model"));
        assert!(reason(&[1.0, f64::NAN, 0.0], &[1.0; 3]).contains("finite"));
        assert!(prediction_powered_ranks(&[vec![1.0, 2.0]], &[vec![1.0]], &[], 0.95).is_err());
        let four = [0.0, 1.0, 2.0, 1.0];
        let paired = prediction_powered_difference((&four, &four[..3]), (&four, &four), (&four, &four), 0.95);
        assert!(paired.is_err());
    }
}
