//! Files that are never half written.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::LabError;

/// Writes `path` under another name in the same directory and renames it when
/// it is complete, so that a reader sees the old file or the whole new one.
///
/// # Errors
/// [`LabError::Write`]; what stood at `path` before is then untouched.
pub fn write_atomically(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), LabError> {
    let temporary = temporary_name(path);
    let result = write_and_rename(path, &temporary, content);
    if result.is_err() {
        // Best effort: the error that matters is the one returned.
        let _ = fs::remove_file(&temporary);
    }
    result.map_err(|source| LabError::Write {
        path: path.to_owned(),
        source,
    })
}

fn write_and_rename(
    path: &Path,
    temporary: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::new(create(temporary)?);
    content(&mut out)?;
    out.into_inner()
        .map_err(io::IntoInnerError::into_error)?
        .sync_all()?;
    fs::rename(temporary, path)
}

/// Refuses a path that could not be written, before long work is done for it.
/// Nothing is left behind.
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
            "this names no file",
        )));
    }
    if path.is_dir() {
        return Err(fail(io::Error::new(
            io::ErrorKind::IsADirectory,
            "this is a directory",
        )));
    }
    let temporary = temporary_name(path);
    create(&temporary)
        .and_then(|_| fs::remove_file(&temporary))
        .map_err(fail)
}

fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .open(path)
}

/// `.NAME.PROCESS.partial` next to `path`.
fn temporary_name(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.partial", std::process::id()));
    path.with_file_name(name)
}

#[cfg(test)]
mod tests;
