//! Errors of importing a recording.

use std::fmt::Display;
use std::path::Path;

use thiserror::Error;

/// An error that prevents a file from becoming a page. The message names the place, the
/// finding and a remedy.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct ImportError(String);

impl ImportError {
    pub(crate) fn new(file: &str, finding: impl Display) -> Self {
        Self(format!("{file}: {finding}"))
    }
}

/// Returns the name and the bytes of a file. `too_large` is the finding if it has more than
/// `limit` bytes.
pub(crate) fn read(
    path: &Path,
    limit: u64,
    too_large: impl FnOnce() -> String,
) -> Result<(String, Vec<u8>), ImportError> {
    let file = path.display().to_string();
    if std::fs::metadata(path).is_ok_and(|meta| meta.len() > limit) {
        return Err(ImportError::new(&file, too_large()));
    }
    match std::fs::read(path) {
        Ok(bytes) => Ok((file, bytes)),
        Err(error) => {
            let what_to_do = if path.is_dir() {
                format!("name the files in the folder, as in {file}/*.har")
            } else if file.starts_with("https://") || file.starts_with("http://") {
                format!("record the page first: pagerace record {file} -o NEW.page")
            } else if file.contains('*') {
                "the shell found no file for this pattern".to_owned()
            } else {
                "check the path and its permissions".to_owned()
            };
            let finding = format!("cannot be read: {error}; {what_to_do}");
            Err(ImportError::new(&file, finding))
        }
    }
}

/// Returns the message of a JSON error without the position at its end, because our
/// messages begin with it.
pub(crate) fn json_message(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let end = message.rfind(" at line ").unwrap_or(message.len());
    message[..end].to_owned()
}

/// Returns at most `max` characters of `text`, with an ellipsis if more follow.
pub(crate) fn shorten(text: &str, max: usize) -> String {
    let mut short: String = text.chars().take(max).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
