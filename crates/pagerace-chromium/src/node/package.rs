//! Unpacking and installing an embedded package.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};

use pagerace_core::Duration;

use super::run::finish;
use crate::cache_folder;
use crate::error::ChromiumError;

/// The timeout of an installation. Lighthouse has 200 dependencies, which take a while on
/// a slow connection.
const INSTALL_TIMEOUT: Duration = Duration::from_secs(300);

/// An embedded package for Node.js.
#[derive(Debug)]
pub(super) struct Package {
    pub(super) name: &'static str,
    pub(super) manifest: &'static str,
    pub(super) lock: &'static str,
    pub(super) script: &'static str,
}

/// The file name of the script in the folder of its package.
pub(super) const SCRIPT: &str = "run.mjs";

impl Package {
    /// Returns the folder of the package, which is installed if necessary.
    ///
    /// # Errors
    /// Returns [`ChromiumError::Node`] if there is no Node.js, npm or cache folder, or if
    /// the packages cannot be downloaded.
    pub(super) fn open(&self) -> Result<PathBuf, ChromiumError> {
        self.open_in(&self.cache()?)
    }

    fn open_in(&self, cache: &Path) -> Result<PathBuf, ChromiumError> {
        let folder = cache.join(format!("{}-{:016x}", self.name, self.hash()));
        if folder.join(SCRIPT).is_file() {
            return Ok(folder);
        }
        // The package is installed under a temporary name, so that no process uses an
        // incomplete one.
        let temporary = cache.join(format!("{}-new-{}", self.name, process::id()));
        let result = self.install(&temporary).and_then(|()| {
            match fs::rename(&temporary, &folder) {
                // Another process has installed the package meanwhile.
                Err(_) if folder.join(SCRIPT).is_file() => Ok(()),
                other => {
                    other.map_err(|e| self.error(&format!("cannot make {}: {e}", folder.display())))
                }
            }
        });
        // The temporary folder does not exist after a rename.
        let _ = fs::remove_dir_all(&temporary);
        result.map(|()| folder)
    }

    fn install(&self, folder: &Path) -> Result<(), ChromiumError> {
        let write = |name: &str, text: &str| fs::write(folder.join(name), text);
        fs::create_dir_all(folder)
            .and_then(|()| write("package.json", self.manifest))
            .and_then(|()| write("package-lock.json", self.lock))
            .map_err(|e| self.error(&format!("cannot write {}: {e}", folder.display())))?;
        let mut npm = Command::new("npm");
        npm.args([
            "ci",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--omit=dev",
        ])
        .current_dir(folder)
        .stdin(Stdio::null());
        let started = npm
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| self.cannot_start("npm", &e))?;
        finish(started, Vec::new(), INSTALL_TIMEOUT)
            .map_err(|reason| self.error(&format!("npm ci {reason}")))?;
        // The script is written last: a folder with a script is complete.
        write(SCRIPT, self.script).map_err(|e| self.error(&e.to_string()))
    }

    /// Returns `$XDG_CACHE_HOME/pagerace/node`, or the same below `~/.cache`.
    fn cache(&self) -> Result<PathBuf, ChromiumError> {
        cache_folder()
            .map(|folder| folder.join("node"))
            .ok_or_else(|| self.error("neither $XDG_CACHE_HOME nor $HOME names a folder for it"))
    }

    /// Returns a hash of all parts, so that a new version is installed in a new folder
    /// (FNV-1a, <https://www.rfc-editor.org/rfc/rfc9923>).
    fn hash(&self) -> u64 {
        let parts = [self.manifest, self.lock, self.script];
        let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
        bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        })
    }

    pub(super) fn error(&self, reason: &str) -> ChromiumError {
        ChromiumError::Node {
            program: self.name,
            reason: reason.into(),
        }
    }

    pub(super) fn cannot_start(&self, program: &str, error: &io::Error) -> ChromiumError {
        match error.kind() {
            io::ErrorKind::NotFound => self.error(&format!(
                "there is no {program}; install Node.js 20 or newer with npm; all other metrics work without it"
            )),
            _ => self.error(&format!("cannot start {program}: {error}")),
        }
    }
}
