//! Finding the Chromium executable.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::ChromiumError;

/// The names under which distributions install it.
const NAMES: [&str; 7] = [
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
    "microsoft-edge-stable",
    "brave-browser",
];

/// Returns the path of the program: `named`, `$PAGERACE_CHROMIUM`, or the first of the
/// usual names in `$PATH`.
///
/// # Errors
/// Returns [`ChromiumError::NotFound`] if there is no browser, or if the named one does
/// not exist.
pub fn find(named: Option<&Path>) -> Result<PathBuf, ChromiumError> {
    let variable = env::var_os("PAGERACE_CHROMIUM").filter(|value| !value.is_empty());
    let path = env::var_os("PATH").unwrap_or_default();
    match named.map(Path::to_path_buf).or(variable.map(PathBuf::from)) {
        Some(one) => in_path(one.as_os_str(), &path).ok_or_else(|| ChromiumError::NotFound {
            looked_for: one.display().to_string(),
        }),
        None => NAMES
            .iter()
            .find_map(|name| in_path(OsStr::new(name), &path))
            .ok_or_else(|| ChromiumError::NotFound {
                looked_for: NAMES.join(", "),
            }),
    }
}

/// Returns the version of a program that [`find`] has found, such as `156.0.7000.1`.
///
/// # Errors
/// Returns [`ChromiumError::Start`] if it cannot be started, and [`ChromiumError::Answer`] if it
/// does not print a version.
pub fn version(executable: &Path) -> Result<String, ChromiumError> {
    let output = Command::new(executable).arg("--version").output();
    let output = output.map_err(|source| ChromiumError::Start {
        executable: executable.to_owned(),
        source,
    })?;
    version_in(&String::from_utf8_lossy(&output.stdout)).ok_or_else(|| ChromiumError::Answer {
        method: "--version".into(),
        missing: "version",
    })
}

/// Returns the word that begins with a digit: "Chromium 156.0.7000.1 built on Debian".
fn version_in(text: &str) -> Option<String> {
    let begins = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
    text.split_whitespace().find(begins).map(str::to_owned)
}

/// Searches the folders of `path` for a name without a slash.
fn in_path(name: &OsStr, path: &OsStr) -> Option<PathBuf> {
    let direct = Path::new(name);
    if direct.components().count() > 1 {
        return direct.is_file().then(|| direct.to_path_buf());
    }
    env::split_paths(path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_named() {
        let error = find(Some(Path::new("/no/such/browser"))).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("/no/such/browser") && text.contains("--chromium"));
    }

    #[test]
    fn versions_are_read() {
        let text = "Google Chrome 156.0.7000.1 built on Debian GNU/Linux 12\n";
        assert_eq!(version_in(text).as_deref(), Some("156.0.7000.1"));
        assert_eq!(version_in("no display\n"), None);
    }

    #[test]
    fn names_are_looked_for_in_the_path() {
        let path = OsStr::new("/nowhere:/bin");
        assert_eq!(in_path(OsStr::new("sh"), path), Some("/bin/sh".into()));
        assert_eq!(in_path(OsStr::new("sh"), OsStr::new("/nowhere")), None);
        // A path is used unchanged.
        assert_eq!(in_path(OsStr::new("./sh"), path), None);
    }
}
