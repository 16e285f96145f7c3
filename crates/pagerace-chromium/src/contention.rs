//! Measures how busy other programs keep the processors during a page load.
//!
//! A browser that shares its processors is slower than the page makes it. This process
//! and its descendants, including the browser, count as ours. All other time in
//! `/proc/stat` belongs to other programs.
//!
//! The times of an ended process disappear or go to the process that reaps it, which need
//! not be this one. A thread therefore samples all processes several times a second, and
//! the last sample of each counts.
//!
//! Source: `proc(5)`, `/proc/stat`. Times there are in ticks of a hundredth of a second,
//! so readings over less than a second are imprecise.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::processes::{Process, processes};

/// Maximum share of all processors that other programs may take in a valid load.
///
/// A desktop's background work takes one or two hundredths; a compiler on one of two
/// processors takes half.
pub const CONTENTION_MAX: f64 = 0.15;

/// Interval between samples.
const LOOK: Duration = Duration::from_millis(200);

/// A measurement in progress.
#[derive(Debug)]
pub struct Meter {
    stop: Sender<()>,
    looks: JoinHandle<Ours>,
    before: (u64, u64),
}

/// Ticks of our processes by process id: at the first and at the last sample.
#[derive(Debug, Default)]
struct Ours(BTreeMap<u32, (u64, u64)>);

impl Meter {
    /// Starts a measurement; `None` if `/proc` is not available.
    pub fn start() -> Option<Self> {
        let mut ours = Ours::default();
        ours.look(&processes()?, true);
        let before = totals(&fs::read_to_string("/proc/stat").ok()?)?;
        let (stop, stopped) = mpsc::channel();
        let looks = move || {
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(LOOK) {
                ours.look(&processes().unwrap_or_default(), false);
            }
            ours.look(&processes().unwrap_or_default(), false);
            ours
        };
        Some(Self {
            stop,
            looks: thread::Builder::new().spawn(looks).ok()?,
            before,
        })
    }

    /// Ends the measurement and returns the share of all processors, 0 to 1, that other
    /// programs took; `None` if no time has passed.
    pub fn others(self) -> Option<f64> {
        // The thread may have panicked. `join` reports that.
        let _ = self.stop.send(());
        let ours = self.looks.join().ok()?;
        let after = totals(&fs::read_to_string("/proc/stat").ok()?)?;
        others(self.before, after, ours.ticks())
    }
}

impl Ours {
    /// Samples this process and its descendants. Time that they had used before the
    /// `first` sample does not count.
    fn look(&mut self, processes: &BTreeMap<u32, Process>, first: bool) {
        for pid in below(processes, std::process::id()) {
            let Some(ticks) = processes.get(&pid).map(|process| process.ticks) else {
                continue;
            };
            let since = if first { ticks } else { 0 };
            self.0.entry(pid).or_insert((since, ticks)).1 = ticks;
        }
    }

    fn ticks(&self) -> u64 {
        let spent = |(from, to): &(u64, u64)| to.saturating_sub(*from);
        self.0.values().map(spent).sum()
    }
}

/// Computes the others' share from readings of total and busy ticks, and from our ticks
/// between the readings.
fn others(before: (u64, u64), after: (u64, u64), ours: u64) -> Option<f64> {
    let all = after.0.checked_sub(before.0).filter(|&all| all > 0)?;
    let busy = after.1.saturating_sub(before.1);
    Some(busy.saturating_sub(ours) as f64 / all as f64)
}

/// Parses the total and the busy ticks of all processors.
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

/// Returns `root` and all its descendants.
fn below(processes: &BTreeMap<u32, Process>, root: u32) -> BTreeSet<u32> {
    let mut inside = BTreeSet::from([root]);
    loop {
        let before = inside.len();
        for (pid, process) in processes {
            if inside.contains(&process.parent) {
                inside.insert(*pid);
            }
        }
        if inside.len() == before {
            return inside;
        }
    }
}

#[cfg(test)]
mod tests;
