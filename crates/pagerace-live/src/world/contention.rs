//! How busy other programs kept the processors while a page was loaded.
//!
//! A browser that has to share its processors is slower than the page makes
//! it. What counts as ours is this process and everything below it: the
//! browser with its children. The rest of `/proc/stat` is others'.
//!
//! Processes that end take their times with them, or leave them to whoever
//! reaps them, which need not be us. So a thread looks several times a second,
//! and what it last saw of a process counts.
//!
//! Source: `proc(5)`, `/proc/stat`. Times there come in
//! ticks of a hundredth of a second, so a reading over less than a second says
//! little.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use pagerace_chromium::processes::{Process, processes};

/// Share of all processors that others may take in a load that counts.
///
/// A desktop's background work takes one or two hundredths; a compiler on one
/// of two processors takes half.
pub const CONTENTION_MAX: f64 = 0.15;

/// Time between two looks.
const LOOK: Duration = Duration::from_millis(200);

/// A measurement under way.
pub(super) struct Meter {
    stop: Sender<()>,
    looks: JoinHandle<Ours>,
    before: (u64, u64),
}

/// Ticks of our processes: at the first look at each, and at the last.
#[derive(Debug, Default)]
struct Ours(BTreeMap<u32, (u64, u64)>);

impl Meter {
    /// Begins; `None` where there is no `/proc`.
    pub(super) fn start() -> Option<Self> {
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

    /// Ends: the share of all processors, 0 to 1, that others took meanwhile;
    /// `None` if no time has passed.
    pub(super) fn others(self) -> Option<f64> {
        // It may have panicked, and then says nothing.
        let _ = self.stop.send(());
        let ours = self.looks.join().ok()?;
        let after = totals(&fs::read_to_string("/proc/stat").ok()?)?;
        others(self.before, after, ours.ticks())
    }
}

impl Ours {
    /// Takes note of this process and everything below it. What is there at the
    /// `first` look has worked before.
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

/// Of readings of all and of busy ticks, and our own in between.
fn others(before: (u64, u64), after: (u64, u64), ours: u64) -> Option<f64> {
    let all = after.0.checked_sub(before.0).filter(|&all| all > 0)?;
    let busy = after.1.saturating_sub(before.1);
    Some(busy.saturating_sub(ours) as f64 / all as f64)
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

/// `root` and everything below it.
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
