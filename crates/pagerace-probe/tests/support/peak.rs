//! Peak memory of a part of a test. It runs in a process of its own, which does nothing else.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "this is test code, and a process tells its result by a line"
)]

use std::fs;
use std::process::Command;

/// The variable that tells the process what to do.
const TASK: &str = "PAGERACE_TEST_TASK";

/// The beginning of the line that tells the growth.
const GROWTH: &str = "growth in kB: ";

/// Runs the ignored test `name` of this program with a task, and returns the bytes that it told.
pub(crate) fn of(name: &str, task: &str) -> u64 {
    let output = Command::new(std::env::current_exe().unwrap())
        .args([name, "--exact", "--ignored", "--nocapture"])
        .env(TASK, task)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let told = text.lines().find_map(|line| line.split_once(GROWTH));
    let told = told.and_then(|(_, kb)| kb.parse::<u64>().ok());
    told.unwrap_or_else(|| panic!("{task}: {text}{}", String::from_utf8_lossy(&output.stderr)))
        * 1024
}

/// Returns the task of this process; `None` if it is none of [`of`].
pub(crate) fn task() -> Option<String> {
    std::env::var(TASK).ok()
}

/// Tells by how much the peak of the process's memory rises above its present size.
pub(crate) fn tell(work: impl FnOnce()) {
    // The peak begins anew.
    fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = kb("VmRSS:");
    work();
    println!("{GROWTH}{}", kb("VmHWM:") - before);
}

fn kb(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok())
        .unwrap()
}
