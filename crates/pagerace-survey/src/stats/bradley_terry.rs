//! Davidson's extension of the Bradley-Terry model: a worth for each version, from comparisons in
//! pairs in which people may have no preference.
//!
//! With the worths `π` and the parameter of indifference `ν`, the chances that people prefer `a`,
//! prefer `b` or have no preference are as `π_a : π_b : ν √(π_a π_b)`.
//!
//! # Source
//! Davidson 1970, "On Extending the Bradley-Terry Model to Accommodate Ties in Paired Comparison
//! Experiments".

/// Maximum number of Newton's steps. The likelihood is concave, and ten are usual.
const STEPS_MAX: usize = 100;
/// Largest change of a parameter in the last step.
const PRECISION: f64 = 1e-10;
/// Smallest pivot of a matrix that counts as regular.
const PIVOT_MIN: f64 = 1e-9;

/// The answers of all people about a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Duel {
    /// The one version.
    pub a: usize,
    /// The other version.
    pub b: usize,
    /// The number of people who prefer `a`.
    pub prefer_a: f64,
    /// The number of people who prefer `b`.
    pub prefer_b: f64,
    /// The number of people without a preference.
    pub neither: f64,
}

/// A fitted model.
#[derive(Clone, Debug, PartialEq)]
pub struct Davidson {
    /// Natural logarithm of each version's worth; that of version 0 is 0.
    pub log_worth: Vec<f64>,
    /// Standard error of each of them, as if all answers were independent.
    pub errors: Vec<f64>,
    /// The parameter of indifference `ν`; 0 if nobody is indifferent.
    pub indifference: f64,
}

/// Fits the model by maximum likelihood to versions `0..versions`. Returns `None` if the answers do
/// not determine it: the pairs do not connect all versions, or some versions win every time.
///
/// # Panics
/// Panics if a duel names a version that there is not, or one version twice.
pub fn davidson(versions: usize, duels: &[Duel]) -> Option<Davidson> {
    let ties = duels.iter().any(|duel| duel.neither > 0.0);
    let model = Model {
        versions,
        duels,
        ties,
    };
    let mut at = vec![0.0; model.parameters()];
    let mut likelihood = model.likelihood(&at);
    for _ in 0..STEPS_MAX {
        let (gradient, information) = model.slopes(&at);
        let root = Root::of(information)?;
        let step = root.solve(gradient);
        let mut length = 1.0;
        let next = loop {
            let moved = at.iter().zip(&step).map(|(x, d)| x + length * d);
            let moved: Vec<f64> = moved.collect();
            let reached = model.likelihood(&moved);
            if reached >= likelihood || length < 1e-6 {
                likelihood = reached;
                break moved;
            }
            length /= 2.0;
        };
        at = next;
        if step.iter().all(|d| d.abs() < PRECISION) {
            return Some(model.fitted(&at, &root));
        }
    }
    None
}

struct Model<'a> {
    versions: usize,
    duels: &'a [Duel],
    /// True if the last parameter is the logarithm of the indifference.
    ties: bool,
}

impl Model<'_> {
    fn parameters(&self) -> usize {
        self.versions - 1 + usize::from(self.ties)
    }

    /// Returns the chances of the three answers to a duel.
    fn chances(&self, duel: &Duel, at: &[f64]) -> [f64; 3] {
        let worth = |version: usize| version.checked_sub(1).map_or(0.0, |place| at[place]);
        let (a, b) = (worth(duel.a), worth(duel.b));
        let tie = if self.ties {
            libm::exp(at[self.versions - 1] + f64::midpoint(a, b))
        } else {
            0.0
        };
        let all = [libm::exp(a), libm::exp(b), tie];
        let sum: f64 = all.iter().sum();
        all.map(|one| one / sum)
    }

    fn likelihood(&self, at: &[f64]) -> f64 {
        let one = |duel: &Duel| -> f64 {
            let counts = [duel.prefer_a, duel.prefer_b, duel.neither];
            let terms = counts.iter().zip(self.chances(duel, at));
            let terms = terms.filter(|(count, _)| **count > 0.0);
            terms.map(|(count, chance)| count * libm::log(chance)).sum()
        };
        self.duels.iter().map(one).sum()
    }

    /// Returns the parameters on which the answers to a duel depend, with the weight in each
    /// answer.
    fn weights(&self, duel: &Duel) -> Vec<(usize, [f64; 3])> {
        assert!(duel.a != duel.b && duel.a.max(duel.b) < self.versions);
        let mut weights = Vec::new();
        weights.extend(duel.a.checked_sub(1).map(|place| (place, [1.0, 0.0, 0.5])));
        weights.extend(duel.b.checked_sub(1).map(|place| (place, [0.0, 1.0, 0.5])));
        weights.extend(self.ties.then_some((self.versions - 1, [0.0, 0.0, 1.0])));
        weights
    }

    /// Returns the gradient of the log-likelihood and Fisher's information.
    fn slopes(&self, at: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
        let size = self.parameters();
        let (mut gradient, mut information) = (vec![0.0; size], vec![vec![0.0; size]; size]);
        for duel in self.duels {
            let counts = [duel.prefer_a, duel.prefer_b, duel.neither];
            let number: f64 = counts.iter().sum();
            let chances = self.chances(duel, at);
            let weights = self.weights(duel);
            let mean = |of: &[f64; 3]| -> f64 { (0..3).map(|k| chances[k] * of[k]).sum() };
            for (place, own) in &weights {
                let seen: f64 = (0..3).map(|k| counts[k] * own[k]).sum();
                gradient[*place] += seen - number * mean(own);
                for (other, theirs) in &weights {
                    let both: [f64; 3] = std::array::from_fn(|k| own[k] * theirs[k]);
                    let covariance = mean(&both) - mean(own) * mean(theirs);
                    information[*place][*other] += number * covariance;
                }
            }
        }
        (gradient, information)
    }

    fn fitted(&self, at: &[f64], root: &Root) -> Davidson {
        let worths = self.versions - 1;
        let error = |place: usize| {
            let mut unit = vec![0.0; at.len()];
            unit[place] = 1.0;
            libm::sqrt(root.solve(unit)[place])
        };
        Davidson {
            log_worth: [0.0]
                .into_iter()
                .chain(at[..worths].iter().copied())
                .collect(),
            errors: [0.0].into_iter().chain((0..worths).map(error)).collect(),
            indifference: at.get(worths).map_or(0.0, |log| libm::exp(*log)),
        }
    }
}

/// The lower triangle whose product with itself is a symmetric matrix (Cholesky).
struct Root(Vec<Vec<f64>>);

impl Root {
    /// Returns `None` if the matrix is singular.
    fn of(mut matrix: Vec<Vec<f64>>) -> Option<Self> {
        for i in 0..matrix.len() {
            for j in 0..=i {
                let dot: f64 = (0..j).map(|k| matrix[i][k] * matrix[j][k]).sum();
                let rest = matrix[i][j] - dot;
                matrix[i][j] = if i == j {
                    if rest < PIVOT_MIN {
                        return None;
                    }
                    libm::sqrt(rest)
                } else {
                    rest / matrix[j][j]
                };
            }
        }
        Some(Self(matrix))
    }

    fn solve(&self, mut x: Vec<f64>) -> Vec<f64> {
        let (lower, n) = (&self.0, x.len());
        for i in 0..n {
            let dot: f64 = (0..i).map(|k| lower[i][k] * x[k]).sum();
            x[i] = (x[i] - dot) / lower[i][i];
        }
        for i in (0..n).rev() {
            let dot: f64 = (i + 1..n).map(|k| lower[k][i] * x[k]).sum();
            x[i] = (x[i] - dot) / lower[i][i];
        }
        x
    }
}

#[cfg(test)]
mod tests;
