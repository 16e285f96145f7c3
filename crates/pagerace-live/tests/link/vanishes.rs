//! Nothing of a testbed remains, however its process ends.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use pagerace_live::link::{RunDirectory, Testbed};
use rustix::process::{Pid, Signal, kill_process};

use crate::common::open;

/// Returns the network namespaces of a process and its threads.
fn namespaces(process: &Path) -> BTreeSet<PathBuf> {
    let tasks = fs::read_dir(process.join("task"));
    let tasks = tasks.into_iter().flatten().flatten();
    let namespaces = tasks.filter_map(|task| fs::read_link(task.path().join("ns/net")).ok());
    namespaces.collect()
}

/// Returns the network namespaces of all processes on this machine.
fn all_namespaces() -> BTreeSet<PathBuf> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes.flat_map(|p| namespaces(&p.path())).collect()
}

/// Returns the number of named namespaces.
fn named_namespaces() -> usize {
    fs::read_dir("/run/netns").map_or(0, Iterator::count)
}

/// Waits until no process is in any of the namespaces.
fn assert_gone(theirs: &BTreeSet<PathBuf>) {
    for _ in 0..500 {
        if all_namespaces().is_disjoint(theirs) {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("somebody is still in one of {theirs:?}");
}

fn own() -> PathBuf {
    fs::read_link("/proc/thread-self/ns/net").unwrap()
}

#[test]
fn nothing_stays_when_it_is_dropped() {
    let Some(bed) = open() else { return };
    let named = named_namespaces();
    let inside = [bed.testbed.client(), bed.testbed.server()].map(|n| n.run(own));
    let theirs = BTreeSet::from(inside);
    assert_eq!(theirs.len(), 2);
    assert!(!theirs.contains(&own()), "they are not ours");
    let mut command = Command::new("sleep");
    command.arg("600");
    let mut child = bed.testbed.server().spawn(command).unwrap();
    drop(bed);
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), Some(9), "it is killed with its namespace");
    assert_gone(&theirs);
    assert_eq!(named_namespaces(), named);
}

#[test]
fn a_hundred_one_after_the_other() {
    let Some(bed) = open() else { return };
    drop(bed.testbed);
    let descriptors = || fs::read_dir("/proc/self/fd").unwrap().count();
    let before = descriptors();
    for _ in 0..100 {
        Testbed::open().unwrap();
    }
    // Other tests may have opened or closed some descriptors in the meantime.
    assert!(descriptors() < before + 50);
}

/// A run of the example `link` with commands that do not end by themselves.
struct Example {
    child: Child,
    directory: PathBuf,
    parent: PathBuf,
}

impl Drop for Example {
    fn drop(&mut self) {
        // The process has usually ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.parent);
    }
}

/// Starts the example and waits until its set-up is complete.
fn example(name: &str) -> Option<Example> {
    let test = std::env::current_exe().unwrap();
    let built = test.parent().and_then(Path::parent).unwrap();
    let program = built.join("examples/link");
    if !program.exists() {
        eprintln!("skipped: the examples are not built; run cargo test -p pagerace-live");
        return None;
    }
    let parent = std::env::temp_dir().join(format!("link-{name}-{}", std::process::id()));
    fs::create_dir_all(&parent).unwrap();
    let mut child = Command::new(program)
        .args(["slow-4g", "exec sleep 600", "exec sleep 600"])
        .env("TMPDIR", &parent)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    let errors = child.stderr.take().unwrap();
    BufReader::new(errors).read_line(&mut said).unwrap();
    let (_, directory) = said.trim().rsplit_once(" in ").expect(&said);
    Some(Example {
        directory: directory.into(),
        child,
        parent,
    })
}

/// Ends the example by a signal and checks that nothing remains.
fn assert_ends_without_a_trace(name: &str, signal: Signal) {
    let Some(_bed) = open() else { return };
    let Some(mut example) = example(name) else {
        return;
    };
    let pid = example.child.id();
    let mut theirs = namespaces(Path::new(&format!("/proc/{pid}")));
    assert!(theirs.remove(&own()));
    assert_eq!(theirs.len(), 2, "{theirs:?}");
    let named = named_namespaces();
    kill_process(Pid::from_raw(pid as i32).unwrap(), signal).unwrap();
    let status = example.child.wait().unwrap();
    assert_eq!(status.signal(), Some(signal.as_raw()));
    // Its children have ended, too.
    assert_gone(&theirs);
    assert_eq!(named_namespaces(), named);
    assert!(example.directory.exists(), "nobody could remove it");
    // A child that was forked but had not called exec shares the lock. The kernel releases
    // it a moment after that child has left its namespaces.
    for _ in 0..500 {
        drop(RunDirectory::create_in(&example.parent).unwrap());
        if !example.directory.exists() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("no later run removes {}", example.directory.display());
}

#[test]
fn nothing_stays_of_a_process_that_is_killed() {
    assert_ends_without_a_trace("killed", Signal::KILL);
}

#[test]
fn nothing_stays_of_a_process_that_is_terminated() {
    // Not SIGINT: shells start background jobs with SIGINT ignored, and the example would
    // inherit that.
    assert_ends_without_a_trace("terminated", Signal::TERM);
}
