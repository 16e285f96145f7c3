//! Tail probabilities of the distributions used by the tests.
//!
//! These are computed with `libm` rather than by a statistics crate, because
//! such crates use the platform's mathematics library, whose last digits differ
//! between machines. The tests compare with `statrs`.

/// Returns the probability that a standard normal value exceeds `z`.
pub(crate) fn normal_upper(z: f64) -> f64 {
    0.5 * libm::erfc(z * std::f64::consts::FRAC_1_SQRT_2)
}

/// Returns the probability of at most `k` heads in `n` fair throws.
pub fn fair_binomial_cdf(k: u64, n: u64) -> f64 {
    if k >= n {
        return 1.0;
    }
    let log_factorial = |x: u64| libm::lgamma(x as f64 + 1.0);
    let log_total = log_factorial(n) - n as f64 * std::f64::consts::LN_2;
    (0..=k)
        .map(|i| libm::exp(log_total - log_factorial(i) - log_factorial(n - i)))
        .sum()
}

/// Returns the probability that a chi-squared value with `freedom` degrees of freedom exceeds `x`.
///
/// # Source
/// The series of DLMF 8.7.1 below the mean, and above it the continued fraction of DLMF 8.9.2,
/// <https://dlmf.nist.gov/8.9.E2>, evaluated by the modified Lentz method.
pub fn chi_squared_upper(x: f64, freedom: f64) -> f64 {
    const TERMS_MAX: u32 = 10_000;
    let (a, x) = (freedom / 2.0, x / 2.0);
    if x <= 0.0 {
        return 1.0;
    }
    let front = libm::exp(a * libm::log(x) - x - libm::lgamma(a));
    if x < a + 1.0 {
        let (mut term, mut sum) = (1.0 / a, 1.0 / a);
        for place in 1..TERMS_MAX {
            term *= x / (a + f64::from(place));
            sum += term;
            if term < sum * 1e-16 {
                break;
            }
        }
        return 1.0 - front * sum;
    }
    let mut even = x + 1.0 - a;
    let (mut above, mut below) = (1e300, 1.0 / nonzero(even));
    let mut value = below;
    for place in (1..TERMS_MAX).map(f64::from) {
        let term = -place * (place - a);
        even += 2.0;
        below = 1.0 / nonzero(term * below + even);
        above = nonzero(even + term / above);
        value *= above * below;
        if (above * below - 1.0).abs() < 1e-15 {
            break;
        }
    }
    front * value
}

/// Returns the two-sided probability that Student's t with `freedom` degrees of
/// freedom lies further from zero than `t`.
///
/// # Source
/// Abramowitz and Stegun, 26.7.1: `I_x(ν/2, 1/2)` at `x = ν / (ν + t²)`.
pub(crate) fn student_two_sided(t: f64, freedom: f64) -> f64 {
    if t.is_infinite() {
        return 0.0;
    }
    regularised_beta(freedom / 2.0, 0.5, freedom / (freedom + t * t))
}

/// Returns the regularised incomplete beta function `I_x(a, b)`.
///
/// # Source
/// The continued fraction of DLMF 8.17.22, <https://dlmf.nist.gov/8.17.E22>,
/// evaluated forwards by the modified Lentz method.
fn regularised_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // The fraction converges fast only on this side of the mean.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - regularised_beta(b, a, 1.0 - x);
    }
    let log_front = a * libm::log(x) + b * libm::log(1.0 - x) + libm::lgamma(a + b)
        - libm::lgamma(a)
        - libm::lgamma(b);
    libm::exp(log_front) / a / continued_fraction(a, b, x)
}

/// Evaluates `1 + d1/(1 + d2/(1 + ...))` of DLMF 8.17.22.
fn continued_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TERMS_MAX: u32 = 10_000;
    let (mut value, mut above, mut below) = (1.0_f64, 1.0_f64, 0.0_f64);
    for place in 1..TERMS_MAX {
        let term = coefficient(a, b, x, place);
        below = 1.0 / nonzero(1.0 + term * below);
        above = nonzero(1.0 + term / above);
        value *= above * below;
        if (above * below - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

/// Returns coefficient `d` of the fraction at `place`, from one.
fn coefficient(a: f64, b: f64, x: f64, place: u32) -> f64 {
    let m = f64::from(place / 2);
    if place.is_multiple_of(2) {
        m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
    } else {
        -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
    }
}

/// Replaces zero by a tiny value, because the method divides by partial values.
fn nonzero(value: f64) -> f64 {
    if value == 0.0 { 1e-300 } else { value }
}

#[cfg(test)]
mod tests;
