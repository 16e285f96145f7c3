//! Why a recording could not be imported.

use thiserror::Error;

/// A recording that cannot become a page; says where, what was found and
/// what to do about it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The file cannot be read.
    #[error("{file}: cannot be read: {source}; check the path and its permissions")]
    Read {
        /// The file.
        file: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// Nothing in it.
    #[error("{file}: the file is empty; export the recording again")]
    Empty {
        /// The file.
        file: String,
    },
    /// The gzip stream is broken.
    #[error(
        "{file}: the gzip data is damaged or cut off after {read} decompressed bytes ({source}); \
         copy the file again"
    )]
    Gzip {
        /// The file.
        file: String,
        /// Bytes that came out before the fault.
        read: u64,
        /// What the decompressor said.
        source: std::io::Error,
    },
    /// More bytes than we are willing to hold.
    #[error(
        "{file}: larger than {limit} bytes when decompressed; export it again without response \
         bodies"
    )]
    TooLarge {
        /// The file.
        file: String,
        /// The bound, in bytes.
        limit: u64,
    },
    /// Not text in UTF-8.
    #[error("{file}: is text in {found}, but JSON is UTF-8; convert it (for example with iconv)")]
    Encoding {
        /// The file.
        file: String,
        /// What the first bytes say.
        found: &'static str,
    },
    /// Not JSON.
    #[error(
        "{file}: line {line}, column {column}: not valid JSON ({message}); the export was probably \
         cut off or is no HAR: export it again with \"Save all as HAR\" or the like"
    )]
    Json {
        /// The file.
        file: String,
        /// 1-based line.
        line: usize,
        /// 1-based column.
        column: usize,
        /// What the parser expected.
        message: String,
    },
    /// JSON, but no HAR.
    #[error(
        "{file}: {field}: expected {expected}, found {found}; a HAR 1.2 file holds its requests in \
         log.entries"
    )]
    NotHar {
        /// The file.
        file: String,
        /// The field, as a path from the root.
        field: &'static str,
        /// What HAR 1.2 puts there.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// No such page in the file.
    #[error("{file}: has no page \"{wanted}\"; choose one of: {}", .pages.join(", "))]
    NoSuchPage {
        /// The file.
        file: String,
        /// What was asked for.
        wanted: String,
        /// Number, id and title of each page that there is.
        pages: Vec<String>,
    },
    /// Entries, but none that a race could request.
    #[error(
        "{file}: none of the {entries} entries can be raced; entry {entry} ({url}), for example: \
         {reason}; record the page again with the network log open from the start"
    )]
    NothingToRace {
        /// The file.
        file: String,
        /// Entries of the chosen page.
        entries: usize,
        /// 0-based number of the first of them in the file.
        entry: usize,
        /// Its URL, shortened.
        url: String,
        /// Why it is no request to race.
        reason: &'static str,
    },
    /// Too many entries for one page load.
    #[error(
        "{file}: log.entries: the chosen page has {found} entries, more than {limit}; that is no \
         page load: record one navigation"
    )]
    TooManyEntries {
        /// The file.
        file: String,
        /// How many there are.
        found: usize,
        /// The bound.
        limit: usize,
    },
}
