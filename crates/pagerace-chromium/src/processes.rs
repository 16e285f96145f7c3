//! The machine's processes and the processor time that they have used.
//!
//! Source: `proc(5)`, `/proc/PID/stat`.

use std::collections::BTreeMap;
use std::fs;

/// A process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Process id of its parent.
    pub parent: u32,
    /// Its process group.
    pub group: u32,
    /// User and system time, in ticks of a hundredth of a second.
    pub ticks: u64,
}

/// All processes by their id; `None` where there is no `/proc`.
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
    // The name stands in parentheses and may hold anything.
    let rest = stat.rsplit_once(')')?.1;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
    let id = |at: usize| u32::try_from(number(at)?).ok();
    // Fields 4, 5, 14 and 15: the state is field 3.
    Some(Process {
        parent: id(1)?,
        group: id(2)?,
        ticks: number(11)? + number(12)?,
    })
}

#[cfg(test)]
mod tests {
    use super::{Process, process};

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
