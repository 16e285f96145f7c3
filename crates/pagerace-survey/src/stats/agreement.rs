//! Krippendorff's alpha: how far people agree beyond what chance gives.

/// The distance of two answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Answers are equal or not.
    Nominal,
    /// Answers have an order.
    Ordinal,
}

/// Returns alpha of answers to several questions: 1 if all people agree, 0 if they agree as often
/// as by chance, below 0 if less often. An answer is a number below `values`. People may leave out
/// questions. Returns `None` if no question has two answers, or all answers are equal.
///
/// # Panics
/// Panics if an answer is not below `values`.
///
/// # Source
/// Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section E,
/// <https://repository.upenn.edu/asc_papers/43>.
pub fn alpha(questions: &[Vec<usize>], values: usize, scale: Scale) -> Option<f64> {
    let mut pairs = vec![vec![0.0; values]; values];
    for answers in questions.iter().filter(|all| all.len() > 1) {
        let weight = 1.0 / (answers.len() - 1) as f64;
        let mut counts = vec![0_usize; values];
        for answer in answers {
            counts[*answer] += 1;
        }
        for (one, row) in pairs.iter_mut().enumerate() {
            for (other, cell) in row.iter_mut().enumerate() {
                let others = counts[other] - usize::from(one == other && counts[one] > 0);
                *cell += weight * (counts[one] * others) as f64;
            }
        }
    }
    let totals: Vec<f64> = pairs.iter().map(|row| row.iter().sum()).collect();
    let all: f64 = totals.iter().sum();
    let distance = |a: usize, b: usize| match scale {
        Scale::Nominal => f64::from(u8::from(a != b)),
        Scale::Ordinal => {
            let (low, high) = (a.min(b), a.max(b));
            let between: f64 = totals[low..=high].iter().sum();
            let apart = between - f64::midpoint(totals[low], totals[high]);
            if low == high { 0.0 } else { apart * apart }
        }
    };
    let (mut observed, mut expected) = (0.0, 0.0);
    for one in 0..values {
        for other in 0..values {
            observed += pairs[one][other] * distance(one, other);
            expected += totals[one] * totals[other] * distance(one, other);
        }
    }
    (expected > 0.0).then(|| 1.0 - (all - 1.0) * observed / expected)
}

#[cfg(test)]
mod tests {
    use super::{Scale, alpha};

    /// The example of section E: four observers, twelve units and five values, some missing.
    #[test]
    fn as_published() {
        let observers = [
            "1 2 3 3 2 1 4 1 2 . . .",
            "1 2 3 3 2 2 4 1 2 5 . 3",
            ". 3 3 3 2 3 4 2 2 5 1 .",
            "1 2 3 3 2 4 4 1 2 5 1 .",
        ];
        let mut units = vec![Vec::new(); 12];
        for observer in observers {
            for (unit, answer) in units.iter_mut().zip(observer.split(' ')) {
                unit.extend(answer.parse::<usize>().ok().map(|value| value - 1));
            }
        }
        let found = |scale| alpha(&units, 5, scale).unwrap();
        assert!((found(Scale::Nominal) - 0.743).abs() < 5e-4);
        assert!((found(Scale::Ordinal) - 0.815).abs() < 5e-4);
    }

    #[test]
    fn full_and_no_agreement() {
        let all = vec![vec![0, 0, 0], vec![1, 1, 1]];
        assert_eq!(alpha(&all, 2, Scale::Nominal), Some(1.0));
        let split = vec![vec![0, 1], vec![1, 0]];
        assert!(alpha(&split, 2, Scale::Nominal).unwrap() < 0.0);
        assert_eq!(alpha(&[vec![1, 1]], 2, Scale::Nominal), None);
        assert_eq!(alpha(&[vec![1], vec![0]], 2, Scale::Nominal), None);
    }
}
