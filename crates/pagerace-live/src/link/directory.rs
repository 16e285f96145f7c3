//! A scratch directory that is found and removed even if its owner was killed.
//!
//! The owner holds a lock on a file in it (`flock(2)`), which the kernel lets go
//! when the owner dies, however it dies. Whoever makes the next directory looks
//! for those without a holder, ends the processes that still run with them
//! (browsers whose parent was killed) and removes them.
//!
//! Only directories of the same user that nobody else can write to are looked
//! at, and only processes of the same user whose command line names one.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::FlockOperation;
use rustix::process::{Pid, Signal, geteuid, kill_process};

use crate::LiveError;

const PREFIX: &str = "pagerace-";
/// While it has no lock yet.
const PREFIX_NEW: &str = "pagerace-new-";
const LOCK: &str = "lock";
/// Tells the directories of one process apart.
static NEXT: AtomicU64 = AtomicU64::new(0);
/// How often a directory is removed again while a dying process fills it.
const REMOVALS: usize = 50;
const REMOVAL_WAIT: std::time::Duration = std::time::Duration::from_millis(20);

/// A directory for one run: profiles, logs, sockets. Removed when dropped,
/// processes that still use it with it.
#[derive(Debug)]
pub struct RunDirectory {
    path: PathBuf,
    /// Held as long as this lives.
    _lock: File,
}

impl RunDirectory {
    /// Removes what dead runs have left, and makes a new directory in `$TMPDIR`
    /// that only this user may enter.
    ///
    /// # Errors
    /// [`LiveError::Directory`].
    pub fn create() -> Result<Self, LiveError> {
        Self::create_in(&std::env::temp_dir())
    }

    /// As [`create`](Self::create), elsewhere.
    ///
    /// # Errors
    /// [`LiveError::Directory`].
    pub fn create_in(parent: &Path) -> Result<Self, LiveError> {
        remove_stale(parent);
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| LiveError::Directory { path, source }
        };
        let pid = std::process::id();
        loop {
            let name = format!("{pid}-{}", NEXT.fetch_add(1, Ordering::Relaxed));
            // It must not be seen without its lock.
            let new = parent.join(format!("{PREFIX_NEW}{name}"));
            let path = parent.join(format!("{PREFIX}{name}"));
            match DirBuilder::new().mode(0o700).create(&new) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(failed(&new)(error)),
            }
            let lock = File::create(new.join(LOCK)).map_err(failed(&new))?;
            rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive)
                .map_err(|error| failed(&new)(error.into()))?;
            // One that is there belongs to a dead run with our number that could
            // not be removed; it is not empty, so it is not replaced.
            if fs::rename(&new, &path).is_err() && path.exists() {
                fs::remove_dir_all(&new).map_err(failed(&new))?;
                continue;
            }
            if !path.exists() {
                return Err(failed(&path)(io::ErrorKind::NotFound.into()));
            }
            return Ok(Self { path, _lock: lock });
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for RunDirectory {
    fn drop(&mut self) {
        clear_away(&self.path);
    }
}

/// Removes directories whose owners are dead. What cannot be removed stays.
fn remove_stale(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else {
        // Making a directory in it will say why.
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let path = entry.path();
        let Some(name) = name.to_str().and_then(|n| n.strip_prefix(PREFIX)) else {
            continue;
        };
        let is_stale = match name.strip_prefix("new-") {
            // Its owner died before it had a lock.
            Some(rest) => owner(rest).is_some_and(|pid| !is_alive(pid)),
            None => owner(name).is_some() && is_unlocked(&path),
        };
        if is_stale && is_ours(&path) {
            clear_away(&path);
        }
    }
}

/// The process number in `PID-NUMBER`.
fn owner(name: &str) -> Option<u32> {
    let (pid, number) = name.split_once('-')?;
    number.parse::<u64>().ok()?;
    pid.parse().ok()
}

fn is_alive(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

/// Whether it is a directory of this user that nobody else may write to.
fn is_ours(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| {
        metadata.is_dir()
            && metadata.uid() == geteuid().as_raw()
            && metadata.mode().trailing_zeros() >= 6
    })
}

fn is_unlocked(path: &Path) -> bool {
    let Ok(lock) = File::open(path.join(LOCK)) else {
        return false;
    };
    rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok()
}

/// Ends what runs with a directory, and removes it.
fn clear_away(path: &Path) {
    for _ in 0..REMOVALS {
        end_processes(path);
        match fs::remove_dir_all(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                // Somebody writes to it while dying.
                std::thread::sleep(REMOVAL_WAIT);
            }
            _ => return,
        }
    }
    // What remains is found by the next run.
}

/// Kills processes of this user whose command line names the directory.
fn end_processes(directory: &Path) {
    let Ok(processes) = fs::read_dir("/proc") else {
        return;
    };
    for process in processes.flatten() {
        let name = process.file_name();
        let Some(pid) = name.to_str().and_then(|n| n.parse::<u32>().ok()) else {
            continue;
        };
        if pid == std::process::id() {
            continue;
        }
        let is_ours = process
            .metadata()
            .is_ok_and(|m| m.uid() == geteuid().as_raw());
        let line = fs::read(process.path().join("cmdline")).unwrap_or_default();
        if is_ours
            && names(&line, directory.as_os_str().as_bytes())
            && let Some(pid) = Pid::from_raw(pid as i32)
        {
            // It may have ended in the meantime.
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

/// Whether a command line names a directory or something in it, and not one
/// whose name only begins like it.
fn names(line: &[u8], directory: &[u8]) -> bool {
    let windows = line.windows(directory.len()).enumerate();
    windows
        .filter(|(_, window)| *window == directory)
        .any(|(at, _)| {
            let next = line.get(at + directory.len());
            next.is_none_or(|byte| !byte.is_ascii_alphanumeric())
        })
}

#[cfg(test)]
mod tests;
