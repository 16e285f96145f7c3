//! Atomic file writes.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::LabError;

/// Maximum number of symbolic links to follow, as in Linux.
const LINKS_MAX: usize = 40;

/// Writes a temporary file in the directory of `path` and renames it when it is
/// complete, so that readers see either the old file or the complete new one. Writes to the target
/// of a symbolic link. A device or a pipe, such as `/dev/null`, is written directly.
///
/// # Errors
/// [`LabError::Write`]; an existing file at `path` is then unchanged.
pub fn write_atomically(
    path: &Path,
    content: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> Result<(), LabError> {
    let result = if is_special(path) {
        write_directly(path, content)
    } else {
        target(path).and_then(|target| {
            let temporary = temporary_name(&target);
            let result = write_and_rename(&target, &temporary, content);
            if result.is_err() {
                // Best effort: the returned error is more important.
                let _ = fs::remove_file(&temporary);
            }
            result
        })
    };
    result.map_err(|source| LabError::Write {
        path: path.to_owned(),
        source,
    })
}

/// Returns whether `path` is a device, a pipe or the like. The superuser could replace it by a
/// file.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

fn write_directly(
    path: &Path,
    content: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::new(OpenOptions::new().write(true).open(path)?);
    content(&mut out)?;
    out.flush()
}

fn write_and_rename(
    path: &Path,
    temporary: &Path,
    content: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::new(create(temporary)?);
    content(&mut out)?;
    out.into_inner()
        .map_err(io::IntoInnerError::into_error)?
        .sync_all()?;
    fs::rename(temporary, path)
}

/// Returns an error if `path` cannot be written, so that this is known before
/// long work. Leaves no file behind.
///
/// # Errors
/// [`LabError::Write`].
pub fn check_writable(path: &Path) -> Result<(), LabError> {
    let fail = |source| LabError::Write {
        path: path.to_owned(),
        source,
    };
    if path.file_name().is_none() {
        return Err(fail(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a file name",
        )));
    }
    if path.is_dir() {
        return Err(fail(io::Error::new(
            io::ErrorKind::IsADirectory,
            "this is a directory",
        )));
    }
    // To open a pipe and close it would end its reader.
    if is_special(path) {
        return Ok(());
    }
    let temporary = temporary_name(&target(path).map_err(fail)?);
    create(&temporary)
        .and_then(|_| fs::remove_file(&temporary))
        .map_err(fail)
}

/// Returns the file that `path` names, which need not exist. A rename would replace a symbolic
/// link.
fn target(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..LINKS_MAX {
        let Ok(next) = fs::read_link(&target) else {
            return Ok(target);
        };
        target = target.parent().unwrap_or(Path::new("")).join(next);
    }
    Err(io::Error::other("its symbolic links lead in a circle"))
}

fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .open(path)
}

/// Returns `.NAME.PROCESS.NUMBER.partial` in the directory of `path`. Threads of a process may
/// write the same file at the same time.
fn temporary_name(path: &Path) -> PathBuf {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.{number}.partial", std::process::id()));
    path.with_file_name(name)
}

#[cfg(test)]
mod tests;
