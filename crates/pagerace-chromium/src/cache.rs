//! The user's folder for files that can be made again.

use std::env;
use std::path::PathBuf;

/// Returns `$XDG_CACHE_HOME/pagerace`, or the same below `~/.cache` (XDG Base Directory
/// Specification, <https://specifications.freedesktop.org/basedir-spec/latest/>). `None` if neither
/// variable names a folder.
pub fn cache_folder() -> Option<PathBuf> {
    let absolute = |name: &str| {
        let path = PathBuf::from(env::var_os(name)?);
        path.is_absolute().then_some(path)
    };
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(cache.join("pagerace"))
}
