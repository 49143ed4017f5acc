//! The distributions that all tests stand on.

use statrs::function::{erf, gamma};
use tabjury::stats::distribution::{
    beta_quantile, binomial_at_most, binomial_exactly, chi_square_above, f_above, incomplete_beta, normal_above,
    normal_below, normal_point, t_above, t_quantile,
};

use super::*;

#[test]
fn distributions_equal_the_reference() {
    let Some(cases) = cases("distributions_equal_the_reference", "special_functions.json") else {
        return;
    };
    let mut of_kind: BTreeMap<&str, usize> = BTreeMap::new();
    for case in &cases {
        let kind = case["kind"].as_str().unwrap();
        let args = numbers(&case["args"]);
        let expected = number(&case["expected"]);
        let whole = |index: usize| args[index] as u64;
        let found = match kind {
            "student_t_sf" => t_above(args[0], args[1]),
            "student_t_ppf" if args[0] > 0.5 => t_quantile(2.0 * args[0] - 1.0, args[1]),
            "student_t_ppf" if args[0] < 0.5 => -t_quantile(1.0 - 2.0 * args[0], args[1]),
            "student_t_ppf" => 0.0,
            "normal_sf" => normal_above(args[0]),
            "normal_cdf" => normal_below(args[0]),
            "normal_ppf" => normal_point(args[0]),
            "chi2_sf" => chi_square_above(args[0], args[1]),
            "f_sf" => f_above(args[0], args[1], args[2]),
            "betainc_regularized" => incomplete_beta(args[0], args[1], args[2], 1.0 - args[2]),
            "beta_ppf" => beta_quantile(args[0], args[1], args[2]),
            "binom_pmf" => binomial_exactly(whole(0), whole(1), args[2]),
            "binom_cdf" => binomial_at_most(whole(0), whole(1), args[2]),
            "gammaln" => gamma::ln_gamma(args[0]),
            "erf" => erf::erf(args[0]),
            "erfc" => erf::erfc(args[0]),
            "atanh" => args[0].atanh(),
            _ if kind.starts_with("studentized_range") => continue,
            other => panic!("no such function: {other}"),
        };
        let what = format!("{} of {args:?}", id(case));
        // A tail that underflows in the reference may still have a value here; a zero crossing has rounding.
        if expected == 0.0 {
            let bound = if kind == "gammaln" { 1e-14 } else { 1e-300 };
            assert!(found.abs() < bound, "{what}: {found:e}");
        } else {
            assert!(
                (found - expected).abs() <= STATISTIC * expected.abs(),
                "{what}: {found:e}, reference {expected:e}"
            );
        }
        *of_kind.entry(kind).or_default() += 1;
    }
    println!("special_functions: {of_kind:?}");
}
