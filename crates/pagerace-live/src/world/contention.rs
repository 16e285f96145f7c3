//! How busy other programs kept the processors while a page was loaded.
//!
//! A browser that has to share its processors is slower than the page makes
//! it. What counts as ours is this process and everything below it: the
//! browser with its children. The rest of `/proc/stat` is others'.
//!
//! Source: `proc(5)`, `/proc/stat` and `/proc/PID/stat`. Times there come in
//! ticks of a hundredth of a second, so a reading over less than a second says
//! little.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Share of all processors that others may take in a load that counts.
///
/// A desktop's background work takes one or two hundredths; a compiler on one
/// of two processors takes half.
pub const CONTENTION_MAX: f64 = 0.15;

/// A reading of the counters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    all: u64,
    busy: u64,
    ours: u64,
}

impl Reading {
    /// Reads the counters; `None` where there is no `/proc`.
    pub(super) fn take() -> Option<Self> {
        let (all, busy) = totals(&fs::read_to_string("/proc/stat").ok()?)?;
        let processes = fs::read_dir("/proc").ok()?;
        let stats = processes.filter_map(|entry| {
            let entry = entry.ok()?;
            let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
            process(&fs::read_to_string(entry.path().join("stat")).ok()?).map(|p| (pid, p))
        });
        let stats: BTreeMap<u32, Process> = stats.collect();
        Some(Self {
            all,
            busy,
            ours: below(&stats, std::process::id()),
        })
    }

    /// Share of all processors, 0 to 1, that others took from `earlier` to
    /// this reading; `None` if no time has passed.
    pub(super) fn others_since(&self, earlier: &Self) -> Option<f64> {
        let all = self.all.checked_sub(earlier.all).filter(|&all| all > 0)?;
        let busy = self.busy.saturating_sub(earlier.busy);
        let ours = self.ours.saturating_sub(earlier.ours);
        Some(busy.saturating_sub(ours) as f64 / all as f64)
    }
}

/// Ticks of all processors: in all, and not idle.
fn totals(stat: &str) -> Option<(u64, u64)> {
    let line = stat.lines().next()?.strip_prefix("cpu ")?;
    let fields: Vec<u64> = line
        .split_whitespace()
        .map_while(|f| f.parse().ok())
        .collect();
    // user nice system idle iowait irq softirq steal; guest time is in user.
    let fields = fields.get(..8)?;
    let all: u64 = fields.iter().sum();
    Some((all, all - fields[3] - fields[4]))
}

/// A process: its parent, and the ticks of itself and its dead children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Process {
    parent: u32,
    ticks: u64,
}

fn process(stat: &str) -> Option<Process> {
    // The name stands in parentheses and may hold anything.
    let rest = stat.rsplit_once(')')?.1;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
    // Fields 4, and 14 to 17: the state is field 3.
    let ticks = (11..15).map(number).sum::<Option<u64>>()?;
    Some(Process {
        parent: u32::try_from(number(1)?).ok()?,
        ticks,
    })
}

/// Ticks of `root` and of everything below it.
fn below(processes: &BTreeMap<u32, Process>, root: u32) -> u64 {
    let mut inside = BTreeSet::from([root]);
    loop {
        let before = inside.len();
        for (pid, process) in processes {
            if inside.contains(&process.parent) {
                inside.insert(*pid);
            }
        }
        if inside.len() == before {
            break;
        }
    }
    let ticks = |pid: &u32| processes.get(pid).map_or(0, |process| process.ticks);
    inside.iter().map(ticks).sum()
}

#[cfg(test)]
mod tests;
