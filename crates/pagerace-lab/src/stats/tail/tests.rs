#![allow(
    clippy::float_cmp,
    reason = "ranks, counts and order statistics are exact"
)]

use statrs::distribution::{Binomial, ChiSquared, ContinuousCDF, DiscreteCDF, Normal, StudentsT};

use super::{chi_squared_upper, fair_binomial_cdf, normal_upper, student_two_sided};

#[track_caller]
fn close(got: f64, expected: f64) {
    // The accuracy of statrs itself is about ten digits.
    assert!(
        (got - expected).abs() <= 1e-9 * expected.max(1e-3),
        "{got} is not {expected}"
    );
}

#[test]
fn normal_tail_agrees_with_statrs_and_the_tables() {
    let normal = Normal::standard();
    for z in [
        -3.0,
        -1.0,
        0.0,
        0.5,
        1.0,
        1.959_963_984_540_054,
        2.5758,
        5.0,
    ] {
        close(normal_upper(z), normal.sf(z));
    }
    close(2.0 * normal_upper(1.959_963_984_540_054), 0.05);
}

#[test]
fn binomial_agrees_with_statrs_and_closed_forms() {
    for n in [1, 5, 6, 10, 30, 100, 1000] {
        let binomial = Binomial::new(0.5, n).unwrap();
        for k in [0, 1, n / 3, n / 2, n - 1, n] {
            close(fair_binomial_cdf(k, n), binomial.cdf(k));
        }
    }
    close(fair_binomial_cdf(0, 6), 1.0 / 64.0);
    close(fair_binomial_cdf(2, 10), 56.0 / 1024.0);
    assert!(fair_binomial_cdf(0, 5000) < 1e-300);
}

#[test]
fn student_agrees_with_statrs_and_the_tables() {
    for freedom in [1.0, 2.0, 5.0, 8.0, 30.0, 200.0] {
        let student = StudentsT::new(0.0, 1.0, freedom).unwrap();
        for t in [0.0, 0.1, 0.5, 1.0, 2.0, 4.0, 10.0] {
            close(student_two_sided(t, freedom), 2.0 * student.sf(t));
        }
    }
    // With one degree of freedom, this is the Cauchy distribution: P(|t| > 1) = 1/2.
    close(student_two_sided(1.0, 1.0), 0.5);
    // With two degrees of freedom: 1 - t / sqrt(2 + t²).
    close(student_two_sided(2.0, 2.0), 1.0 - 2.0 / 6.0_f64.sqrt());
    assert_eq!(student_two_sided(f64::INFINITY, 3.0), 0.0);
}

#[test]
fn chi_squared_agrees_with_statrs_and_scipy() {
    for freedom in [1.0, 2.0, 3.0, 6.0, 10.0, 60.0] {
        let chi_squared = ChiSquared::new(freedom).unwrap();
        for x in [0.0, 0.01, 0.5, 1.0, 3.0, 6.0, 11.0, 30.0, 90.0] {
            close(chi_squared_upper(x, freedom), chi_squared.sf(x));
        }
    }
    // scipy.stats.chi2.sf
    close(chi_squared_upper(11.142_857, 2.0), 0.003_805_041_047_3);
    close(chi_squared_upper(3.0, 10.0), 0.981_424_063_777_859_3);
    let far = chi_squared_upper(200.0, 3.0);
    assert!(
        (far / 4.218_541_107_192_018e-43 - 1.0).abs() < 1e-9,
        "{far}"
    );
}
