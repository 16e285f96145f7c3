//! The processes of the machine and their CPU time.
//!
//! Source: `proc(5)`, `/proc/PID/stat`.

use std::collections::BTreeMap;
use std::fs;

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
