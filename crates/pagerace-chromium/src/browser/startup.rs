//! Waiting until a browser has started.
//!
//! It answers long before it is ready: processes start, services load, and a
//! page that is asked for meanwhile competes with all that. Worse, its clock
//! then starts late: the connection is under way before the navigation counts
//! as begun, and a time to first byte can be a round trip too short.
//!
//! Source of the ticks: `proc(5)`, `/proc/PID/stat`.

use std::collections::BTreeMap;
use std::fs;
use std::thread;

use pagerace_core::Duration;

use crate::clock::Clock;

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
    let Ok(all) = fs::read_dir("/proc") else {
        return BTreeMap::new();
    };
    let own = |entry: fs::DirEntry| {
        let process = entry.file_name().to_str()?.parse::<u32>().ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        Some((process, of_group(&stat, group)?))
    };
    all.filter_map(|entry| own(entry.ok()?)).collect()
}

/// Ticks between two looks, of the processes that are there at the second.
fn worked(before: &BTreeMap<u32, u64>, now: &BTreeMap<u32, u64>) -> u64 {
    let since = |process| before.get(process).copied().unwrap_or(0);
    now.iter()
        .map(|(process, ticks)| ticks.saturating_sub(since(process)))
        .sum()
}

/// User and system time, if the process is of `group`.
fn of_group(stat: &str, group: u32) -> Option<u64> {
    // The name stands in parentheses and may hold anything.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
    // Fields 5, 14 and 15: the state is field 3.
    (number(2)? == u64::from(group)).then_some(number(11)? + number(12)?)
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

    #[test]
    fn ticks_are_those_of_the_group() {
        let stat = "42 (a) b) S 1 77 77 0 -1 4194560 9 0 0 0 31 11 5 5 20 0 1 0 1000 0 0";
        assert_eq!(of_group(stat, 77), Some(42));
        assert_eq!(of_group(stat, 1), None);
        assert_eq!(of_group("", 77), None);
    }
}
