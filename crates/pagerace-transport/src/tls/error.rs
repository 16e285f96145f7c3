//! Errors in a stream of TLS records.

use thiserror::Error;

/// Error that occurs when the peer's bytes do not follow the agreed TLS settings. The
/// connection is lost.
///
/// Offsets count the bytes of the stream before the record's first byte.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Error {
    /// The bytes do not begin a TLS record.
    #[error(
        "byte {offset} of the stream does not begin a TLS record: type {kind}, version \
         {version:#06x}; is the peer speaking TLS?"
    )]
    NotARecord {
        /// Offset of the record.
        offset: u64,
        /// First byte.
        kind: u8,
        /// Second and third byte.
        version: u16,
    },
    /// A record is shorter or longer than its version allows.
    #[error("the TLS record at byte {offset} has {length} bytes, not {least} to {most}")]
    Length {
        /// Offset of the record.
        offset: u64,
        /// Length in the record's header.
        length: usize,
        /// Minimum length.
        least: usize,
        /// Maximum length.
        most: usize,
    },
    /// A record cannot be opened, because its bytes were changed or moved.
    #[error("the TLS record at byte {offset} cannot be opened: bytes were changed or are missing")]
    Seal {
        /// Offset of the record.
        offset: u64,
    },
    /// A message or record is out of order.
    #[error("the TLS record at byte {offset} holds {found}, but {expected} comes next")]
    Unexpected {
        /// Offset of the record.
        offset: u64,
        /// The message or record found.
        found: String,
        /// The message or record expected.
        expected: String,
    },
    /// A handshake message is larger than any that is accepted.
    #[error("a TLS handshake message in the record at byte {offset} claims {length} bytes")]
    Message {
        /// Offset of the record.
        offset: u64,
        /// Length in the message's header.
        length: usize,
    },
}
