//! Rounding that preserves sums.

use pagerace_core::Duration;
use pagerace_sim::{Part, Parts};

/// The precision of tables.
pub const STEP: Duration = Duration::from_micros(100);

/// Returns the parts in whole [`STEP`]s, which add up to the rounded total. Each part
/// is rounded down, and the parts that lost most receive one of the missing steps each.
pub fn steps(parts: &Parts) -> [i64; 8] {
    let step = STEP.as_nanos();
    let total = (parts.total().as_nanos() + step / 2) / step;
    let nanos = Part::ALL.map(|part| parts.get(part).as_nanos());
    let mut steps = nanos.map(|n| n / step);
    let missing = total - steps.iter().sum::<u64>();
    let mut by_loss: Vec<usize> = (0..nanos.len()).collect();
    by_loss.sort_by_key(|&i| (std::cmp::Reverse(nanos[i] % step), i));
    for &i in by_loss.iter().take(missing as usize) {
        steps[i] += 1;
    }
    steps.map(|s| i64::try_from(s).unwrap_or(i64::MAX))
}
