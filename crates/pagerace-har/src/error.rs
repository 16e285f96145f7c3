//! Errors of importing a recording.

use thiserror::Error;

/// An error that prevents a recording from becoming a page. The message names the place,
/// the finding and a remedy.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The file cannot be read.
    #[error("{file}: cannot be read: {source}; check the path and its permissions")]
    Read {
        /// The file.
        file: String,
        /// Error reported by the operating system.
        source: std::io::Error,
    },
    /// The file is empty.
    #[error("{file}: the file is empty; export the recording again")]
    Empty {
        /// The file.
        file: String,
    },
    /// The gzip stream is damaged.
    #[error(
        "{file}: the gzip data is damaged or cut off after {read} decompressed bytes ({source}); \
         copy the file again"
    )]
    Gzip {
        /// The file.
        file: String,
        /// Number of decompressed bytes before the fault.
        read: u64,
        /// Error reported by the decompressor.
        source: std::io::Error,
    },
    /// The decompressed file exceeds the size limit.
    #[error(
        "{file}: larger than {limit} bytes when decompressed; export it again without response \
         bodies"
    )]
    TooLarge {
        /// The file.
        file: String,
        /// The limit, in bytes.
        limit: u64,
    },
    /// The text is not UTF-8.
    #[error("{file}: is text in {found}, but JSON is UTF-8; convert it (for example with iconv)")]
    Encoding {
        /// The file.
        file: String,
        /// Encoding indicated by the first bytes.
        found: &'static str,
    },
    /// The text is not valid JSON.
    #[error(
        "{file}: line {line}, column {column}: not valid JSON ({message}); the file was probably \
         cut off or is not a HAR: export it again with \"Save all as HAR\" or the like"
    )]
    Json {
        /// The file.
        file: String,
        /// 1-based line.
        line: usize,
        /// 1-based column.
        column: usize,
        /// Message of the JSON parser.
        message: String,
    },
    /// The file is JSON, but not a HAR.
    #[error(
        "{file}: {field}: expected {expected}, found {found}; a HAR 1.2 file holds its requests in \
         log.entries"
    )]
    NotHar {
        /// The file.
        file: String,
        /// The field, as a path from the root.
        field: &'static str,
        /// Content of the field according to HAR 1.2.
        expected: &'static str,
        /// Content found in the field.
        found: String,
    },
    /// The file has no such page.
    #[error("{file}: has no page \"{wanted}\"; choose one of: {}", .pages.join(", "))]
    NoSuchPage {
        /// The file.
        file: String,
        /// The page that the caller asked for.
        wanted: String,
        /// Number, id and title of each page in the file.
        pages: Vec<String>,
    },
    /// The page has entries, but none that can be requested.
    #[error(
        "{file}: none of the {entries} entries can be raced; entry {entry} ({url}), for example: \
         {reason}; record the page again with the network log open from the start"
    )]
    NothingToRace {
        /// The file.
        file: String,
        /// Entries of the chosen page.
        entries: usize,
        /// 0-based number, in the file, of the first rejected entry.
        entry: usize,
        /// Its URL, shortened.
        url: String,
        /// Reason why the entry cannot be requested.
        reason: &'static str,
    },
    /// The page has too many entries for one page load.
    #[error(
        "{file}: log.entries: the chosen page has {found} entries, more than {limit}; that is not \
         one page load: record one navigation"
    )]
    TooManyEntries {
        /// The file.
        file: String,
        /// Number of entries found.
        found: usize,
        /// The limit.
        limit: usize,
    },
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
