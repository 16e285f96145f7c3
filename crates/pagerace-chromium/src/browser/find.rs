//! Finding the Chromium executable.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

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
    fn names_are_looked_for_in_the_path() {
        let path = OsStr::new("/nowhere:/bin");
        assert_eq!(in_path(OsStr::new("sh"), path), Some("/bin/sh".into()));
        assert_eq!(in_path(OsStr::new("sh"), OsStr::new("/nowhere")), None);
        // A path is used unchanged.
        assert_eq!(in_path(OsStr::new("./sh"), path), None);
    }
}
