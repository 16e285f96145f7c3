//! Welch's test of the means of two samples.

use super::tail::student_two_sided;

/// Returns the two-sided p-value for equal means with possibly different variances;
/// `None` with fewer than two values on a side, or with an infinite value.
///
/// # Source
/// Welch 1947, "The generalization of Student's problem when several different
/// population variances are involved", with Satterthwaite's degrees of freedom.
pub fn welch(x: &[f64], y: &[f64]) -> Option<f64> {
    let (a, b) = (Moments::of(x)?, Moments::of(y)?);
    let squared = a.error + b.error;
    let gap = (a.mean - b.mean).abs();
    if squared <= 0.0 {
        return Some(if gap > 0.0 { 0.0 } else { 1.0 });
    }
    let freedom = squared * squared
        / (a.error * a.error / (a.count - 1.0) + b.error * b.error / (b.count - 1.0));
    Some(student_two_sided(gap / libm::sqrt(squared), freedom))
}

struct Moments {
    count: f64,
    mean: f64,
    /// Squared standard error of the mean.
    error: f64,
}

impl Moments {
    fn of(values: &[f64]) -> Option<Self> {
        if values.len() < 2 || values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
        Some(Self {
            count,
            mean,
            error: squares / (count - 1.0) / count,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::welch;

    #[test]
    fn as_scipy_says() {
        // scipy.stats.ttest_ind(x, y, equal_var=False)
        let p = |x: &[f64], y: &[f64]| welch(x, y).expect("two values each");
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} is not {b}");
        close(p(&[1.0, 2.0, 3.0], &[2.0, 4.0, 9.0]), 0.283_834);
        close(p(&[100.0, 101.0], &[110.0, 112.5]), 0.045_206);
        close(p(&[5.0, 5.0], &[5.0, 5.0]), 1.0);
        close(p(&[5.0, 5.0], &[6.0, 6.0]), 0.0);
        assert_eq!(welch(&[1.0], &[2.0, 3.0]), None);
        assert_eq!(welch(&[1.0, f64::INFINITY], &[2.0, 3.0]), None);
    }
}
