//! Two groups of vectors of zeros and ones, by k-means.

/// Maximum number of starts.
const STARTS_MAX: usize = 200;
/// Maximum number of rounds of a start. Each round but the last improves the groups.
const ROUNDS_MAX: usize = 1_000;

/// Two groups of vectors.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Clusters {
    /// The group of each vector, 0 or 1.
    pub groups: Vec<usize>,
    /// Sum of the squared distances between the vectors and the means of their groups.
    pub inertia: f64,
}

/// Splits `vectors` into two groups by Lloyd's algorithm. Each vector is the start of one
/// group once, with the vector that is farthest from it for the other; the groups of least
/// inertia are returned. `None` if all vectors are equal.
///
/// # Source
/// Lloyd 1982, "Least Squares Quantization in PCM".
pub(crate) fn two_means(vectors: &[Vec<bool>]) -> Option<Clusters> {
    let step = vectors.len().div_ceil(STARTS_MAX).max(1);
    let mut best: Option<Clusters> = None;
    for first in vectors.iter().step_by(step) {
        let apart = |other: &&Vec<bool>| other.iter().zip(first).filter(|(a, b)| a != b).count();
        // The first of those that are equally far.
        let other = vectors.iter().rev().max_by_key(apart)?;
        if apart(&other) == 0 {
            return None;
        }
        let found = improve(vectors, [mean(&[first]), mean(&[other])]);
        if best
            .as_ref()
            .is_none_or(|best| found.inertia < best.inertia - 1e-9)
        {
            best = Some(found);
        }
    }
    best
}

fn improve(vectors: &[Vec<bool>], mut means: [Vec<f64>; 2]) -> Clusters {
    let mut groups: Vec<usize> = Vec::new();
    for _ in 0..ROUNDS_MAX {
        let nearest = |vector: &Vec<bool>| {
            let [zero, one] = [0, 1].map(|group: usize| distance(vector, &means[group]));
            usize::from(one < zero)
        };
        let now: Vec<usize> = vectors.iter().map(nearest).collect();
        if now == groups {
            break;
        }
        groups = now;
        for (group, place) in means.iter_mut().enumerate() {
            let members = vectors.iter().zip(&groups);
            let members: Vec<&Vec<bool>> = members
                .filter(|(_, other)| **other == group)
                .map(|(vector, _)| vector)
                .collect();
            if !members.is_empty() {
                *place = mean(&members);
            }
        }
    }
    let all = vectors.iter().zip(&groups);
    Clusters {
        inertia: all
            .map(|(vector, group)| distance(vector, &means[*group]))
            .sum(),
        groups,
    }
}

fn mean(members: &[&Vec<bool>]) -> Vec<f64> {
    let count = |place: usize| members.iter().filter(|vector| vector[place]).count() as f64;
    let length = members.first().map_or(0, |vector| vector.len());
    (0..length)
        .map(|place| count(place) / members.len() as f64)
        .collect()
}

/// Returns the square of the Euclidean distance.
fn distance(vector: &[bool], mean: &[f64]) -> f64 {
    let differences = vector.iter().zip(mean).map(|(v, m)| f64::from(*v) - m);
    differences.map(|d| d * d).sum()
}

#[cfg(test)]
mod tests;
