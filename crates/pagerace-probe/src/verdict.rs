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
    /// Returns the verdict of a probe that has not seen what candidates differ in.
    pub fn unknown() -> Self {
        Self {
            groups: Vec::new(),
            unknown: 1.0,
            spread: 0.0,
            far: 0.0,
        }
    }

    /// Returns the nearest group, unless the answer is *unknown*: the probability of the
    /// group is below one half, or it is farther than simulated repeats ever are.
    pub fn answer(&self) -> Option<&Group<C>> {
        let first = self.groups.first()?;
        (first.probability >= SURE && first.distance <= self.far.max(self.spread)).then_some(first)
    }
}

/// Probability below which the nearest group alone is no answer.
const SURE: f64 = 0.5;

/// Joins the groups that are nearer than candidates that count as the same. This observation cannot
/// tell them apart, although others can.
fn join_near<C>(groups: &mut Vec<Group<C>>, same: f64) {
    let near = groups.partition_point(|group| group.distance < same).max(1);
    let others: Vec<Group<C>> = groups.drain(1..near).collect();
    for other in others {
        groups[0].members.extend(other.members);
        groups[0].probability += other.probability;
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
    if groups.first().is_some_and(|g| g.probability < SURE) {
        join_near(&mut groups, scale.same);
    }
    Verdict {
        groups,
        unknown: unknown / sum,
        spread,
        far: scale.far,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::MODEL_ERROR;

    const SCALE: Scale = Scale {
        worst: 1.0,
        same: 1.0,
        far: 1.6,
        steepness: 1.5,
    };

    /// Judges a value by candidates with these values, in standard deviations.
    fn verdict(value: f64, candidates: &[f64]) -> Verdict<usize> {
        let one = |value: f64| vec![vec![value * MODEL_ERROR]];
        let expected = |value: &f64| Expected {
            centres: vec![one(*value)],
            variances: one(0.0),
            spread: 0.0,
        };
        let entries = candidates.iter().map(expected).enumerate();
        judge(&one(value), &entries.collect::<Vec<_>>(), &SCALE)
    }

    #[test]
    fn the_nearest_of_two_candidates_is_the_answer() {
        let verdict = verdict(0.0, &[1.5, 0.0]);
        assert_eq!(verdict.answer().unwrap().members, [1]);
    }

    #[test]
    fn an_observation_between_two_candidates_is_either() {
        let between = verdict(0.755, &[0.0, 1.5, 9.0]);
        let answer = between.answer().unwrap();
        assert_eq!(answer.members, [1, 0]);
        assert!(answer.probability > 0.9);
        // Farther from both, it may be none of them.
        let verdict = verdict(1.5, &[0.0, 3.0]);
        assert!(verdict.answer().is_none(), "{verdict:?}");
    }
}
