//! A folder that is created completely or not at all, and that never replaces files that
//! no export wrote.
//!
//! All files are written to a hidden folder beside the target, which is then renamed. The
//! hidden folder remains only if the process is killed.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use super::{LOG, SEQUENCE};

/// A folder that is being filled. Drop removes it unless it was published.
pub(super) struct Folder {
    /// The final path.
    target: PathBuf,
    /// The current path.
    temporary: PathBuf,
}

/// Checks before the export that the folder can be created or replaced.
pub(super) fn check(target: &Path, force: bool) -> Result<()> {
    let shown = target.display();
    if target.file_name().is_none() {
        bail!("{shown}: not the name of a folder; write one, such as -o objects");
    }
    let kind = match fs::symlink_metadata(target) {
        Ok(meta) => meta.file_type(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error).with_context(|| format!("{shown}: cannot be read")),
    };
    if !kind.is_dir() {
        let found = if kind.is_symlink() {
            "a link"
        } else {
            "a file"
        };
        bail!("{shown}: is {found}, not a folder; choose another name");
    }
    let names = names(target).with_context(|| format!("{shown}: cannot be read"))?;
    if names.is_empty() {
        return Ok(());
    }
    if let Some(foreign) = names.iter().find(|name| !is_ours(name)) {
        bail!(
            "{shown}: holds {}, which no export wrote; choose another folder, or empty this one",
            Path::new(foreign).display()
        );
    }
    if !force {
        bail!(
            "{shown}: holds an earlier export; replace it with --force, or choose another folder"
        );
    }
    Ok(())
}

/// Returns the sorted names in a folder.
fn names(folder: &Path) -> io::Result<Vec<OsString>> {
    let entries = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.file_name()));
    let mut names = entries.collect::<io::Result<Vec<_>>>()?;
    names.sort();
    Ok(names)
}

/// Returns true if an export could have written a file of this name.
fn is_ours(name: &OsString) -> bool {
    let Some(name) = name.to_str() else {
        return false;
    };
    let object = || {
        let (id, extension) = name.strip_prefix("object-")?.split_once('.')?;
        let number = id.len() >= 4 && id.bytes().all(|b| b.is_ascii_digit());
        let letters = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
        Some(number && extension.bytes().all(letters))
    };
    name == LOG || name == SEQUENCE || object() == Some(true)
}

impl Folder {
    /// Creates an empty folder that can become `target`.
    pub(super) fn create(target: &Path) -> Result<Self> {
        let temporary = beside(target, "partial");
        fs::create_dir(&temporary).with_context(|| {
            let parent = target.parent().filter(|p| !p.as_os_str().is_empty());
            let parent = parent.unwrap_or(Path::new("."));
            format!(
                "{}: cannot be created in {}",
                target.display(),
                parent.display()
            )
        })?;
        Ok(Self {
            target: target.to_owned(),
            temporary,
        })
    }

    /// Returns the path to write to.
    pub(super) fn path(&self) -> &Path {
        &self.temporary
    }

    /// Moves the folder to its final path. With `force` it may replace an earlier export.
    pub(super) fn publish(self, force: bool) -> Result<()> {
        // The target may have been created in the meantime.
        check(&self.target, force)?;
        let old = beside(&self.target, "old");
        let place = || {
            let replaces = self.target.is_dir();
            if replaces {
                fs::rename(&self.target, &old)?;
            }
            if let Err(error) = fs::rename(&self.temporary, &self.target) {
                if replaces {
                    // Best effort: the first error is the one to report.
                    let _ = fs::rename(&old, &self.target);
                }
                return Err(error);
            }
            if replaces {
                fs::remove_dir_all(&old)?;
            }
            Ok(())
        };
        place().with_context(|| format!("{}: cannot be put in place", self.target.display()))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A published folder is no longer there.
        let _ = fs::remove_dir_all(&self.temporary);
    }
}

/// Returns `.NAME.PROCESS.what` next to `path`.
fn beside(path: &Path, what: &str) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.{what}", std::process::id()));
    path.with_file_name(name)
}

#[cfg(test)]
mod tests;
