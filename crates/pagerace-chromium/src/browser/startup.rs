//! Waiting until a browser has started.
//!
//! A browser answers long before it is ready: processes start, services load, and an
//! early page load competes with them. Moreover, the clock of such a page starts late:
//! the connection is under way before the recorded start of the navigation, so that the
//! time to first byte can be a round trip too short.

use std::collections::BTreeMap;
use std::thread;

use pagerace_core::Duration;

use crate::clock::Clock;
use crate::processes::processes;

/// The interval between two samples.
const LOOK: Duration = Duration::from_millis(250);
/// The CPU ticks (hundredths of a second) that an idle browser may use between two samples.
const RESTING_TICKS: u64 = 2;
/// The number of consecutive idle samples to wait for.
const QUIET_LOOKS: u32 = 2;
/// The longest wait, so that a slow or busy machine does not block a load for ever.
const PATIENCE: Duration = Duration::from_secs(8);

/// Waits until the processes of `group` are idle. Without `/proc`, waits for
/// [`QUIET_LOOKS`] samples.
pub(super) fn wait_until_quiet(group: u32) {
    let clock = Clock::start();
    let (mut before, mut quiet) = (ticks(group), 0);
    while quiet < QUIET_LOOKS && clock.now().since_start() < PATIENCE {
        thread::sleep(LOOK.to_std());
        let now = ticks(group);
        let rests = worked(&before, &now) <= RESTING_TICKS;
        quiet = if rests { quiet + 1 } else { 0 };
        before = now;
    }
}

/// Returns the CPU ticks of each process of a group.
fn ticks(group: u32) -> BTreeMap<u32, u64> {
    let all = processes().unwrap_or_default().into_iter();
    all.filter(|(_, process)| process.group == group)
        .map(|(id, process)| (id, process.ticks))
        .collect()
}

/// Returns the ticks between two samples of the processes in the second one.
fn worked(before: &BTreeMap<u32, u64>, now: &BTreeMap<u32, u64>) -> u64 {
    let since = |process| before.get(process).copied().unwrap_or(0);
    now.iter()
        .map(|(process, ticks)| ticks.saturating_sub(since(process)))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_what_is_new() {
        let look = |ticks: &[(u32, u64)]| ticks.iter().copied().collect();
        // One process has ended, one has worked, and one has started.
        let (before, now) = (look(&[(1, 50), (2, 7)]), look(&[(2, 10), (3, 4)]));
        assert_eq!(worked(&before, &now), 3 + 4);
        assert_eq!(worked(&now, &now), 0);
    }
}
