//! The range of simulated runs compared with the spread of live loads.
//!
//! A live load lies somewhere among the simulated runs of its combination: at the share of
//! runs that are lower. Over all live loads, these shares are uniform if the runs spread as
//! live loads do (the probability integral transform, PIT: Dawid 1984). Combinations count
//! equally, however many loads they have.

use pagerace_lab::metric::MetricId;
use serde::Serialize;

use crate::differences::Difference;

/// The number of equal parts into which the shares are sorted.
pub const PARTS: usize = 10;

/// Where single live loads lie among simulated runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LiveSpread {
    /// The metric that is compared.
    pub metric: MetricId,
    /// Number of combinations of page, network and contender.
    pub combinations: usize,
    /// The share of the live loads in the central 50, 80 and 90 % of the runs.
    pub held: [f64; 3],
    /// The share of the live loads in each tenth of the runs.
    pub parts: [f64; PARTS],
}

/// How often the contender that is lower in most pairs of runs was lower live.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reliability {
    /// The lower end of the shares of this line, from 0.5.
    pub from: f64,
    /// The upper end.
    pub to: f64,
    /// Number of pairs of contenders, over all metrics.
    pub pairs: usize,
    /// The mean share of pairs of runs, which is what was said.
    pub said: f64,
    /// The share of pairs of contenders in which it was so live.
    pub came_true: f64,
}

/// One combination: its simulated runs, and its live loads.
pub(crate) struct Combination {
    pub(crate) runs: Vec<f64>,
    pub(crate) live: Vec<f64>,
}

/// Returns where live loads lie among the runs; `None` without combinations.
pub(crate) fn live_spread(metric: MetricId, all: &[Combination]) -> Option<LiveSpread> {
    let all = all
        .iter()
        .filter(|one| !one.runs.is_empty() && !one.live.is_empty());
    let (mut combinations, mut held, mut parts) = (0, [0.0; 3], [0.0; PARTS]);
    for one in all {
        combinations += 1;
        let weight = 1.0 / one.live.len() as f64;
        for load in &one.live {
            let below = one.runs.iter().filter(|run| *run < load).count() as f64;
            let above = one.runs.iter().filter(|run| *run > load).count() as f64;
            let equal = one.runs.len() as f64 - below - above;
            // Among n runs, a load has n + 1 places.
            let share = (below + 0.5 * equal + 0.5) / (one.runs.len() + 1) as f64;
            for (held, beyond) in held.iter_mut().zip([0.25, 0.1, 0.05]) {
                let within = share >= beyond && share <= 1.0 - beyond;
                *held += if within { weight } else { 0.0 };
            }
            parts[((share * PARTS as f64) as usize).min(PARTS - 1)] += weight;
        }
    }
    let mean = |sum: f64| sum / combinations as f64;
    (combinations > 0).then(|| LiveSpread {
        metric,
        combinations,
        held: held.map(mean),
        parts: parts.map(mean),
    })
}

/// Returns how often each share came true, over these differences.
pub fn reliability<'a>(differences: impl Iterator<Item = &'a Difference>) -> Vec<Reliability> {
    const ENDS: [f64; 8] = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.975, 1.0];
    let all: Vec<(f64, bool)> = differences
        .filter(|one| one.observed != 0.0)
        .map(|one| {
            let sooner = one.simulated.sooner;
            (
                sooner.max(1.0 - sooner),
                (sooner > 0.5) == (one.observed < 0.0),
            )
        })
        .collect();
    let lines = ENDS.windows(2).filter_map(|ends| {
        let (from, to) = (ends[0], ends[1]);
        let within = |share: f64| share >= from && (share < to || to >= 1.0);
        let here: Vec<&(f64, bool)> = all.iter().filter(|(share, _)| within(*share)).collect();
        let pairs = here.len();
        (pairs > 0).then(|| Reliability {
            from,
            to,
            pairs,
            said: here.iter().map(|(share, _)| share).sum::<f64>() / pairs as f64,
            came_true: here.iter().filter(|(_, true_)| *true_).count() as f64 / pairs as f64,
        })
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_like_the_runs_are_spread_evenly() {
        let runs: Vec<f64> = (0..100).map(f64::from).collect();
        let live: Vec<f64> = (0..50).map(|i| f64::from(i) * 2.0 + 0.5).collect();
        let spread = live_spread(MetricId::default(), &[Combination { runs, live }]);
        let spread = spread.expect("one combination");
        for (held, share) in spread.held.iter().zip([0.5, 0.8, 0.9]) {
            assert!((held - share).abs() < 0.03, "{held}");
        }
        assert!(spread.parts.iter().all(|part| (part - 0.1).abs() < 0.021));
    }

    #[test]
    fn loads_beyond_all_runs_are_in_the_last_part() {
        let one = Combination {
            runs: vec![1.0, 2.0],
            live: vec![9.0],
        };
        let spread = live_spread(MetricId::default(), &[one]).expect("one");
        assert_eq!((spread.held, spread.parts[8]), ([0.0, 1.0, 1.0], 1.0));
    }
}
