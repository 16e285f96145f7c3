//! The processes of the machine and their CPU time.
//!
//! Source: `proc(5)`, `/proc/PID/stat`; Linux, `Documentation/scheduler/sched-stats.rst`,
//! `/proc/PID/schedstat`.

use std::collections::BTreeMap;
use std::fs;

use pagerace_core::Duration;
use serde::{Deserialize, Serialize};

/// A process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// The process id of the parent.
    pub parent: u32,
    /// The process group.
    pub group: u32,
    /// User and system time in ticks of a hundredth of a second.
    pub ticks: u64,
}

/// Returns all processes by id, or `None` if there is no `/proc`.
pub fn processes() -> Option<BTreeMap<u32, Process>> {
    let all = fs::read_dir("/proc").ok()?.filter_map(|entry| {
        let entry = entry.ok()?;
        let id: u32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        process(&stat).map(|process| (id, process))
    });
    Some(all.collect())
}

fn process(stat: &str) -> Option<Process> {
    // The name is in parentheses and may contain any character.
    let rest = stat.rsplit_once(')')?.1;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
    let id = |at: usize| u32::try_from(number(at)?).ok();
    // Fields 4, 5, 14 and 15 of the file; the state, field 3, is the first after the name.
    Some(Process {
        parent: id(1)?,
        group: id(2)?,
        ticks: number(11)? + number(12)?,
    })
}

/// The time that a thread ran, and the time that it could have run but waited for a processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scheduled {
    /// The time on a processor.
    pub ran: Duration,
    /// The time in the queue of a processor.
    pub waited: Duration,
}

impl Scheduled {
    /// Returns the share of the time, from 0 to 1, that the thread waited, or `None` if it was
    /// never ready to run.
    pub fn waiting(self) -> Option<f64> {
        let ready = self.ran + self.waited;
        (ready > Duration::ZERO).then(|| self.waited.as_millis_f64() / ready.as_millis_f64())
    }
}

/// The main threads of the pages of a browser, by process id.
#[derive(Debug)]
pub(crate) struct PageThreads(BTreeMap<u32, Scheduled>);

impl PageThreads {
    /// Reads the threads of a browser's process group.
    pub(crate) fn read(group: u32) -> Self {
        let of_browser = processes().unwrap_or_default().into_iter();
        let of_browser = of_browser.filter(|(_, process)| process.group == group);
        let pages = of_browser.filter_map(|(id, _)| {
            let command = fs::read(format!("/proc/{id}/cmdline")).ok()?;
            // Processes that Chromium's zygote forks have their words in one string, with spaces.
            let mut words = command.split(|byte| matches!(byte, 0 | b' '));
            words.find(|word| *word == b"--type=renderer")?;
            let text = fs::read_to_string(format!("/proc/{id}/schedstat")).ok()?;
            Some((id, scheduled(&text)?))
        });
        Self(pages.collect())
    }

    /// Returns the times of the busiest thread since an earlier reading: those of the page that
    /// was loaded meanwhile.
    pub(crate) fn busiest_since(&self, before: &Self) -> Option<Scheduled> {
        let since = |(id, now): (&u32, &Scheduled)| {
            let then = before.0.get(id).copied().unwrap_or_default();
            Scheduled {
                ran: now.ran.saturating_sub(then.ran),
                waited: now.waited.saturating_sub(then.waited),
            }
        };
        self.0.iter().map(since).max_by_key(|thread| thread.ran)
    }
}

/// Parses the nanoseconds of running and of waiting.
fn scheduled(text: &str) -> Option<Scheduled> {
    let mut numbers = text.split_whitespace().map(str::parse);
    let mut next = || Some(Duration::from_nanos(numbers.next()?.ok()?));
    Some(Scheduled {
        ran: next()?,
        waited: next()?,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use pagerace_core::Duration;

    use super::{PageThreads, Process, Scheduled, process, scheduled};

    #[test]
    fn the_busiest_page_is_the_loaded_one() {
        let times = |ran, waited| Scheduled {
            ran: Duration::from_millis(ran),
            waited: Duration::from_millis(waited),
        };
        let before = PageThreads(BTreeMap::from([(7, times(90, 10)), (8, times(5, 0))]));
        let after = [(7, times(91, 10)), (8, times(65, 20)), (9, times(40, 40))];
        let loaded = PageThreads(BTreeMap::from(after)).busiest_since(&before);
        assert_eq!(loaded, Some(times(60, 20)));
        assert_eq!(loaded.and_then(Scheduled::waiting), Some(0.25));
        assert_eq!(times(0, 0).waiting(), None);
        assert_eq!(scheduled("60000000 20000000 17\n"), Some(times(60, 20)));
        assert_eq!(scheduled("60000000"), None);
    }

    #[test]
    fn names_may_hold_anything() {
        let stat = "42 (a ) (b) S 7 41 42 0 -1 4194560 1 2 3 4 10 20 30 40 20 0 1 0 99";
        let expected = Process {
            parent: 7,
            group: 41,
            ticks: 30,
        };
        assert_eq!(process(stat), Some(expected));
        assert_eq!(process("42 (a"), None);
        assert_eq!(process("42 (a) S 7 41"), None);
        assert_eq!(process(""), None);
    }
}
