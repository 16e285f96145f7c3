//! Waiting until a browser has started.
//!
//! It answers long before it is ready: processes start, services load, and a
//! page that is asked for meanwhile competes with all that. Worse, its clock
//! then starts late: the connection is under way before the navigation counts
//! as begun, and a time to first byte can be a round trip too short.

use std::collections::BTreeMap;
use std::thread;

use pagerace_core::Duration;

use crate::clock::Clock;
use crate::processes::processes;

/// Between two looks.
const LOOK: Duration = Duration::from_millis(250);
/// Ticks of a hundredth of a second that a browser at rest may use between two looks.
const RESTING_TICKS: u64 = 2;
/// So many looks in a row.
const QUIET_LOOKS: u32 = 2;
/// Longest wait: on a slow machine, start-up is not the page's to wait for, but
/// neither may it keep us for ever.
const PATIENCE: Duration = Duration::from_secs(8);

/// Waits until the processes of `group` hardly work; where there is no `/proc`,
/// for some looks.
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

/// Processor time of all processes of a group, by process.
fn ticks(group: u32) -> BTreeMap<u32, u64> {
    let all = processes().unwrap_or_default().into_iter();
    all.filter(|(_, process)| process.group == group)
        .map(|(id, process)| (id, process.ticks))
        .collect()
}

/// Ticks between two looks, of the processes that are there at the second.
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
        // One has ended, one has worked, one has begun.
        let (before, now) = (look(&[(1, 50), (2, 7)]), look(&[(2, 10), (3, 4)]));
        assert_eq!(worked(&before, &now), 3 + 4);
        assert_eq!(worked(&now, &now), 0);
    }
}
