//! What can be wrong with a stream of TLS records.

use thiserror::Error;

/// The peer's bytes are not the TLS that was agreed on; the connection is lost.
///
/// Offsets count the bytes of the stream before the record's first.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Error {
    /// No record begins like this.
    #[error(
        "byte {offset} of the stream begins no TLS record: type {kind}, version {version:#06x}; \
         is the peer speaking TLS?"
    )]
    NotARecord {
        /// Where.
        offset: u64,
        /// First byte.
        kind: u8,
        /// Second and third.
        version: u16,
    },
    /// A record is shorter or longer than its version allows.
    #[error("the TLS record at byte {offset} has {length} bytes, not {least} to {most}")]
    Length {
        /// Where.
        offset: u64,
        /// What it says.
        length: usize,
        /// Fewest.
        least: usize,
        /// Most.
        most: usize,
    },
    /// A record's seal is broken: its bytes were changed or moved.
    #[error("the TLS record at byte {offset} cannot be opened: bytes were changed or are missing")]
    Seal {
        /// Where.
        offset: u64,
    },
    /// A message or record came out of turn.
    #[error("the TLS record at byte {offset} holds {found}, but {expected} comes next")]
    Unexpected {
        /// Where.
        offset: u64,
        /// What came.
        found: String,
        /// What should have come.
        expected: String,
    },
    /// A handshake message is larger than any that is sent.
    #[error("a TLS handshake message in the record at byte {offset} claims {length} bytes")]
    Message {
        /// Where.
        offset: u64,
        /// What it says.
        length: usize,
    },
}
