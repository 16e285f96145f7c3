//! The nearest candidates, and how probable they are.

use crate::candidate::Candidate;
use crate::model::{Expected, MODEL_ERROR, distance};

/// Candidates that the probe cannot tell apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The candidates, the nearest first.
    pub members: Vec<Candidate>,
    /// Distance of the nearest.
    pub distance: f64,
    /// Probability that one of them is right.
    pub probability: f64,
}

/// The answer of a probe.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Groups by distance.
    pub groups: Vec<Group>,
    /// Probability that none of the candidates is right.
    pub unknown: f64,
    /// Largest distance of simulated repeats of the nearest candidate.
    pub spread: f64,
}

impl Verdict {
    /// Returns the nearest group, unless the answer is *unknown*: the probability of the
    /// group is below one half, or it is farther than simulated repeats ever are.
    pub fn answer(&self) -> Option<&Group> {
        let first = self.groups.first()?;
        (first.probability >= 0.5 && first.distance <= FAR.max(self.spread)).then_some(first)
    }
}

/// Distance of two candidates below which they count as the same.
const SAME: f64 = 0.7;

/// Distance beyond which nothing is near.
const FAR: f64 = 2.5;

/// Steepness of the probability: see docs/probe.md for its calibration.
const STEEPNESS: f64 = 4.0;

/// Judges observed values by the candidates.
pub fn judge(observed: &[Vec<f64>], candidates: &[(Candidate, Expected)]) -> Verdict {
    let mut near: Vec<(f64, &(Candidate, Expected))> = candidates
        .iter()
        .map(|entry| (distance(observed, &entry.1.values), entry))
        .collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0));
    let spread = near.first().map_or(0.0, |(_, (_, e))| e.spread);
    let mut groups: Vec<(Group, &Expected)> = Vec::new();
    for (distance, (candidate, expected)) in near {
        let same = groups
            .iter_mut()
            .find(|(_, first)| apart(first, expected) < SAME);
        if let Some((group, _)) = same {
            group.members.push(candidate.clone());
        } else {
            let group = Group {
                members: vec![candidate.clone()],
                distance,
                probability: 0.0,
            };
            groups.push((group, expected));
        }
    }
    let mut groups: Vec<Group> = groups.into_iter().map(|(group, _)| group).collect();
    let weight = |distance: f64| libm::exp(-STEEPNESS * distance * distance);
    // Relative to the nearest, so that no weight underflows.
    let least = groups.first().map_or(FAR, |g| g.distance.min(FAR));
    let relative =
        |distance: f64| weight(libm::sqrt((distance * distance - least * least).max(0.0)));
    let unknown = relative(FAR);
    let sum: f64 = groups.iter().map(|g| relative(g.distance)).sum::<f64>() + unknown;
    for group in &mut groups {
        group.probability = relative(group.distance) / sum;
    }
    Verdict {
        groups,
        unknown: unknown / sum,
        spread,
    }
}

/// Returns the distance of two candidates' means.
fn apart(a: &Expected, b: &Expected) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for (a, b) in a.values.iter().flatten().zip(b.values.iter().flatten()) {
        let error = a.0 - b.0;
        sum += error * error / (MODEL_ERROR * MODEL_ERROR + a.1.min(b.1));
        count += 1;
    }
    libm::sqrt(sum / f64::from(count.max(1)))
}
