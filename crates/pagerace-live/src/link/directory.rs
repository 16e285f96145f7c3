//! A scratch directory that is removed even if its owner is killed.
//!
//! The owner holds a lock on a file in the directory (`flock(2)`), which the kernel
//! releases when the owner dies for any reason. The creator of the next directory
//! searches for unlocked ones, kills the processes that still use them (browsers whose
//! parent was killed) and removes them.
//!
//! The search only considers directories that belong to the same user and that no other
//! user may access. It only kills processes of the same user whose command line names
//! such a directory.

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
/// Prefix of a directory whose lock is not yet held.
const PREFIX_NEW: &str = "pagerace-new-";
const LOCK: &str = "lock";
/// Distinguishes the directories of one process.
static NEXT: AtomicU64 = AtomicU64::new(0);
/// Maximum number of attempts to remove a directory that a dying process still fills.
const REMOVALS: usize = 50;
const REMOVAL_WAIT: std::time::Duration = std::time::Duration::from_millis(20);

/// A directory for the profiles, logs and sockets of one run. On drop it is removed, and
/// processes that still use it are killed.
#[derive(Debug)]
pub struct RunDirectory {
    path: PathBuf,
    /// The lock, held for the lifetime of this value.
    _lock: File,
}

impl RunDirectory {
    /// Removes the directories of dead runs and creates a new one in `$TMPDIR` that only
    /// this user may access.
    ///
    /// # Errors
    /// [`LiveError::Directory`].
    pub fn create() -> Result<Self, LiveError> {
        Self::create_in(&std::env::temp_dir())
    }

    /// Like [`create`](Self::create), but in another parent directory.
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
            // The directory must not be visible under its final name before it is locked.
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
            // An existing directory of this name belongs to a dead run with the same
            // process id that could not be removed. As it is not empty, `rename` does not
            // replace it.
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

    /// Returns the path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for RunDirectory {
    fn drop(&mut self) {
        clear_away(&self.path);
    }
}

/// Removes the directories of dead owners. Errors are ignored.
fn remove_stale(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else {
        // Creating a directory in `parent` will report the error.
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let path = entry.path();
        let Some(name) = name.to_str().and_then(|n| n.strip_prefix(PREFIX)) else {
            continue;
        };
        let is_stale = match name.strip_prefix("new-") {
            // The owner died before it could rename the directory.
            Some(rest) => owner(rest).is_some_and(|pid| !is_alive(pid)),
            None => owner(name).is_some() && is_unlocked(&path),
        };
        if is_stale && is_ours(&path) {
            clear_away(&path);
        }
    }
}

/// Parses the process id of a name `PID-NUMBER`.
fn owner(name: &str) -> Option<u32> {
    let (pid, number) = name.split_once('-')?;
    number.parse::<u64>().ok()?;
    pid.parse().ok()
}

fn is_alive(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

/// Returns true for a directory of this user that no other user may access.
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

/// Kills the processes that use a directory and removes it.
fn clear_away(path: &Path) {
    for _ in 0..REMOVALS {
        end_processes(path);
        match fs::remove_dir_all(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                // A dying process still writes to the directory.
                std::thread::sleep(REMOVAL_WAIT);
            }
            _ => return,
        }
    }
    // The next run will try again.
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
            // The process may have ended in the meantime.
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

/// Returns true if a command line names this directory or a path in it, but not if it
/// names one whose name only has this name as a prefix.
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
