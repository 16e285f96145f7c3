//! A straight line through points.

use serde::Serialize;

use super::quantile::median;
use super::tail::student_two_sided;

/// A line `y = intercept + slope · x`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Line {
    /// Value at `x = 0`.
    pub intercept: f64,
    /// Slope by least squares.
    pub slope: f64,
    /// 95 % interval of the slope, by Student's t.
    pub interval: (f64, f64),
    /// Median of the slopes between all pairs of points (Theil and Sen), which a few
    /// extreme points do not determine.
    pub robust_slope: f64,
}

/// Returns the line of least squares; `None` with fewer than three points, with a value that
/// is not finite, or if all `x` are equal.
///
/// # Source
/// Draper and Smith 1998, "Applied Regression Analysis", section 1.4.
pub fn line(points: &[(f64, f64)]) -> Option<Line> {
    let finite = |(x, y): &(f64, f64)| x.is_finite() && y.is_finite();
    if points.len() < 3 || !points.iter().all(finite) {
        return None;
    }
    let n = points.len() as f64;
    let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / n;
    let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / n;
    let spread: f64 = points
        .iter()
        .map(|(x, _)| (x - mean_x) * (x - mean_x))
        .sum();
    let common: f64 = points
        .iter()
        .map(|(x, y)| (x - mean_x) * (y - mean_y))
        .sum();
    let slope = common / spread;
    if !slope.is_finite() {
        return None;
    }
    let intercept = mean_y - slope * mean_x;
    let residuals = points.iter().map(|(x, y)| y - intercept - slope * x);
    let error: f64 = residuals.map(|r| r * r).sum();
    let freedom = n - 2.0;
    let half = student_quantile(freedom) * (error / freedom / spread).sqrt();
    Some(Line {
        intercept,
        slope,
        interval: (slope - half, slope + half),
        robust_slope: robust_slope(points)?,
    })
}

/// Returns the value that Student's t exceeds in size with a probability of 5 %.
fn student_quantile(freedom: f64) -> f64 {
    // With one degree of freedom it is 12.7; it falls to 1.96.
    let (mut low, mut high) = (1.0, 16.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if student_two_sided(middle, freedom) > 0.05 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

fn robust_slope(points: &[(f64, f64)]) -> Option<f64> {
    let mut slopes = Vec::new();
    for (i, (x, y)) in points.iter().enumerate() {
        let others = points[..i].iter();
        let of_pairs = others.map(|(other, value)| (y - value) / (x - other));
        // Points with the same x have no slope.
        slopes.extend(of_pairs.filter(|slope| slope.is_finite()));
    }
    median(&slopes)
}

#[cfg(test)]
mod tests;
