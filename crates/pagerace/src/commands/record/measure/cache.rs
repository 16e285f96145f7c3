//! Measured recordings in the user's cache folder.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use pagerace_chromium::cache_folder;
use pagerace_har::ImportOptions;
use pagerace_lab::VERSION;
use ring::digest::{Context, SHA256};
use serde_json::Value;

/// Maximum number of recordings that are kept, of some megabytes each.
const KEPT_MAX: usize = 50;

/// Returns the path of the recording that this version of Chromium (`browser`) makes of a HAR;
/// `None` if there is no cache folder.
pub(super) fn file(har: &Path, options: &ImportOptions, browser: &str) -> Option<PathBuf> {
    let mut context = Context::new(&SHA256);
    let page = options.page.as_deref().unwrap_or_default();
    for part in [VERSION, browser, page] {
        context.update(part.as_bytes());
        context.update(b"\n");
    }
    context.update(&fs::read(har).ok()?);
    let digest = context.finish();
    let digest = digest.as_ref().iter().take(16);
    let mut name = String::new();
    for byte in digest {
        // Writing to a `String` cannot fail.
        let _ = write!(name, "{byte:02x}");
    }
    let folder = cache_folder()?.join("layouts");
    Some(folder.join(format!("{name}.page.gz")))
}

/// Writes a recording, and removes the oldest of too many. Returns false if it cannot be written:
/// the next race takes longer, and nothing else is lost.
pub(super) fn keep(file: &Path, har: &Value) -> bool {
    let Some(folder) = file.parent() else {
        return false;
    };
    let made = fs::create_dir_all(folder).is_ok();
    if !made || super::super::write(file, har).is_err() {
        return false;
    }
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = files.map(|entry| entry.path());
    let mut kept: Vec<(SystemTime, PathBuf)> = files
        .filter(|path| path.extension() == Some(OsStr::new("gz")))
        .filter_map(|path| Some((fs::metadata(&path).ok()?.modified().ok()?, path)))
        .collect();
    kept.sort_unstable();
    let excess = kept.len().saturating_sub(KEPT_MAX);
    for (_, path) in &kept[..excess] {
        let _ = fs::remove_file(path);
    }
    true
}
