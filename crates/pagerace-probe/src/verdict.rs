//! The nearest candidates, and how probable they are.

use crate::model::Expected;

/// Candidates that the probe cannot tell apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Group<C> {
    /// The candidates, the nearest first.
    pub members: Vec<C>,
    /// Distance of the nearest.
    pub distance: f64,
    /// Probability that one of them is right.
    pub probability: f64,
}

/// The answer of a probe.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict<C> {
    /// Groups by distance.
    pub groups: Vec<Group<C>>,
    /// Probability that none of the candidates is right.
    pub unknown: f64,
    /// Largest distance of simulated repeats of the nearest candidate.
    pub spread: f64,
    /// Distance beyond which nothing is near.
    far: f64,
}

impl<C> Verdict<C> {
    /// Returns the nearest group, unless the answer is *unknown*: the probability of the
    /// group is below one half, or it is farther than simulated repeats ever are.
    pub fn answer(&self) -> Option<&Group<C>> {
        let first = self.groups.first()?;
        (first.probability >= 0.5 && first.distance <= self.far.max(self.spread)).then_some(first)
    }
}

/// Scale of distances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Share of the values that count: those with the largest differences.
    pub worst: f64,
    /// Distance of two candidates below which they count as the same.
    pub same: f64,
    /// Distance beyond which nothing is near.
    pub far: f64,
    /// Steepness of the probability over the squared distance.
    pub steepness: f64,
}

/// Scale of schedulers: see docs/probe.md for its calibration.
pub const SCHEDULERS: Scale = Scale {
    worst: 1.0,
    same: 0.7,
    far: 2.5,
    steepness: 4.0,
};

/// Judges observed values by the candidates.
pub fn judge<C: Clone>(
    observed: &[Vec<f64>],
    candidates: &[(C, Expected)],
    scale: &Scale,
) -> Verdict<C> {
    let mut near: Vec<(f64, &(C, Expected))> = candidates
        .iter()
        .map(|entry| (entry.1.distance(observed, scale.worst), entry))
        .collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0));
    let spread = near.first().map_or(0.0, |(_, (_, e))| e.spread);
    let mut groups: Vec<(Group<C>, &Expected)> = Vec::new();
    for (distance, (candidate, expected)) in near {
        let same = groups
            .iter_mut()
            .find(|(_, first)| first.apart(expected, scale.worst) < scale.same);
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
    let mut groups: Vec<Group<C>> = groups.into_iter().map(|(group, _)| group).collect();
    let weight = |distance: f64| libm::exp(-scale.steepness * distance * distance);
    // Relative to the nearest, so that no weight underflows.
    let least = groups
        .first()
        .map_or(scale.far, |g| g.distance.min(scale.far));
    let relative =
        |distance: f64| weight(libm::sqrt((distance * distance - least * least).max(0.0)));
    let unknown = relative(scale.far);
    let sum: f64 = groups.iter().map(|g| relative(g.distance)).sum::<f64>() + unknown;
    for group in &mut groups {
        group.probability = relative(group.distance) / sum;
    }
    Verdict {
        groups,
        unknown: unknown / sum,
        spread,
        far: scale.far,
    }
}
