//! How large a difference is, whatever its n.

use super::{Stat, Undefined};

/// Cohen's h of two shares (Cohen 1988, chapter 6): 2 asin(sqrt(p)) - 2 asin(sqrt(q)), in [-pi, pi]. By his convention
/// 0.2 is small, 0.5 medium and 0.8 large. Undefined for what is no share.
pub fn cohen_h(first: f64, second: f64) -> Stat<f64> {
    if !((0.0..=1.0).contains(&first) && (0.0..=1.0).contains(&second)) {
        return Err(Undefined::because("a share does not lie between 0 and 1"));
    }
    Ok(2.0 * first.sqrt().asin() - 2.0 * second.sqrt().asin())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        // Cohen (1988), table 6.2.2: phi(0.25) = 1.047, phi(0.50) = 1.571.
        assert!((cohen_h(0.5, 0.25).unwrap() - std::f64::consts::FRAC_PI_6).abs() < 1e-12);
        assert!((cohen_h(1.0, 0.0).unwrap() - std::f64::consts::PI).abs() < 1e-12);
        assert_eq!(cohen_h(0.3, 0.3), Ok(0.0));
        assert!(cohen_h(1.2, 0.0).is_err() && cohen_h(f64::NAN, 0.0).is_err());
    }
}
