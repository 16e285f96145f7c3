//! Friedman's test: do people rate some of several things higher than others?

use pagerace_lab::stats::rank::midranks;
use pagerace_lab::stats::tail::chi_squared_upper;
use serde::Serialize;

/// The test's result.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Friedman {
    /// Number of people.
    pub people: usize,
    /// Statistic, corrected for ties.
    pub chi_squared: f64,
    /// Probability of at least this statistic if people ranked at random, by the chi-squared
    /// distribution with one degree of freedom less than there are things.
    pub p: f64,
    /// Kendall's coefficient of concordance W: 0 if the ranks cancel out, 1 if all people rank
    /// alike.
    pub w: f64,
}

/// Compares things that each of several people rated. Each row holds a person's ratings, one for
/// each thing. Returns `None` with fewer than two people or things, or if every person rates all
/// things alike.
///
/// # Panics
/// Panics if rows differ in length, or if a rating is not a number.
///
/// # Source
/// Friedman 1937, "The Use of Ranks to Avoid the Assumption of Normality Implicit in the Analysis
/// of Variance"; correction for ties as in R's `friedman.test`.
pub fn friedman(rows: &[Vec<f64>]) -> Option<Friedman> {
    let (n, k) = (rows.len(), rows.first()?.len());
    if n < 2 || k < 2 {
        return None;
    }
    let mut sums = vec![0.0; k];
    let mut tie_sum = 0.0;
    for row in rows {
        assert_eq!(row.len(), k, "everybody rates everything");
        let (ranks, ties) = midranks(row);
        sums.iter_mut()
            .zip(ranks)
            .for_each(|(sum, rank)| *sum += rank);
        tie_sum += ties;
    }
    let (people, things) = (n as f64, k as f64);
    let mean = people * (things + 1.0) / 2.0;
    let spread: f64 = sums.iter().map(|sum| (sum - mean) * (sum - mean)).sum();
    let scale = people * things * (things + 1.0) - tie_sum / (things - 1.0);
    if scale <= 0.0 {
        return None;
    }
    let chi_squared = 12.0 * spread / scale;
    Some(Friedman {
        people: n,
        chi_squared,
        p: chi_squared_upper(chi_squared, things - 1.0),
        w: chi_squared / (people * (things - 1.0)),
    })
}

#[cfg(test)]
mod tests {
    use super::friedman;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 5e-5, "{a} is not {b}");
    }

    /// The rounding times of Hollander and Wolfe 1973, page 140, which are the example of R's
    /// `friedman.test`: chi-squared 11.143, p 0.003805.
    #[test]
    fn as_published() {
        let times = [
            [5.40, 5.50, 5.55],
            [5.85, 5.70, 5.75],
            [5.20, 5.60, 5.50],
            [5.55, 5.50, 5.40],
            [5.90, 5.85, 5.70],
            [5.45, 5.55, 5.60],
            [5.40, 5.40, 5.35],
            [5.45, 5.50, 5.35],
            [5.25, 5.15, 5.00],
            [5.85, 5.80, 5.70],
            [5.25, 5.20, 5.10],
            [5.65, 5.55, 5.45],
            [5.60, 5.35, 5.45],
            [5.05, 5.00, 4.95],
            [5.50, 5.50, 5.40],
            [5.45, 5.55, 5.50],
            [5.55, 5.55, 5.35],
            [5.45, 5.50, 5.55],
            [5.50, 5.45, 5.25],
            [5.65, 5.60, 5.40],
            [5.70, 5.65, 5.55],
            [6.30, 6.30, 6.25],
        ];
        let found = friedman(&times.map(|row| row.to_vec())).unwrap();
        close(found.chi_squared, 11.142_857);
        close(found.p, 0.003_805);
        close(found.w, 0.253_247);
    }

    #[test]
    fn nothing_to_compare() {
        assert_eq!(friedman(&[]), None);
        assert_eq!(friedman(&[vec![1.0, 2.0]]), None);
        assert_eq!(friedman(&[vec![3.0, 3.0], vec![1.0, 1.0]]), None);
        let same = friedman(&[vec![1.0, 2.0, 3.0], vec![4.0, 5.0, 9.0]]).unwrap();
        close(same.w, 1.0);
    }
}
