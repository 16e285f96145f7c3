//! TLS records, which carry all messages and data (RFC 8446, section 5; RFC 5246, section
//! 6.2).
//!
//! A protected record holds its content in the clear, plus as many bytes as an AEAD adds.

use bytes::Bytes;

use super::error::Error;
use super::settings::Version;
use crate::chunks::Chunks;

/// The maximum plaintext in one record, in bytes.
///
/// Source: RFC 8446, section 5.1, <https://www.rfc-editor.org/rfc/rfc8446#section-5.1>.
pub const MAX_PLAINTEXT: usize = 1 << 14;

/// Bytes of the record header: type, version and length.
pub(super) const HEADER: usize = 5;

/// Bytes of the AEAD tag of AES-GCM.
const TAG: usize = 16;

/// Bytes of the explicit part of the nonce in TLS 1.2 (RFC 5288, section 3).
const NONCE: usize = 8;

/// The tag of every protected record. A record with any other tag cannot be opened.
const SEAL: [u8; TAG] = [0x5e; TAG];

/// Returns the number of bytes that a protected record adds to its plaintext.
///
/// TLS 1.3: header, inner content type, tag (RFC 8446, section 5.2). TLS 1.2
/// with AES-GCM: header, explicit nonce, tag (RFC 5288, section 3).
pub const fn overhead(version: Version) -> usize {
    HEADER
        + TAG
        + match version {
            Version::Tls12 => NONCE,
            Version::Tls13 => 1,
        }
}

/// The content type of a record (RFC 8446, appendix B.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    ChangeCipherSpec = 20,
    Handshake = 22,
    Application = 23,
}

impl Kind {
    const fn read(byte: u8) -> Option<Self> {
        Some(match byte {
            20 => Self::ChangeCipherSpec,
            22 => Self::Handshake,
            23 => Self::Application,
            _ => return None,
        })
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::ChangeCipherSpec => "ChangeCipherSpec",
            Self::Handshake => "a handshake message",
            Self::Application => "application data",
        }
    }
}

/// A record after removal of its protection.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) kind: Kind,
    pub(super) protected: bool,
    pub(super) content: Chunks,
    /// Bytes of the stream before the record.
    pub(super) offset: u64,
}

/// Puts `content` into a record and passes the record's pieces to `out`.
pub(super) fn write(
    version: Version,
    kind: Kind,
    protected: bool,
    content: Chunks,
    mut out: impl FnMut(Bytes),
) {
    let mut head = Vec::with_capacity(HEADER + NONCE);
    let (outer, extra) = match (protected, version) {
        (false, _) => (kind, 0),
        (true, Version::Tls12) => (kind, NONCE + TAG),
        (true, Version::Tls13) => (Kind::Application, 1 + TAG),
    };
    head.push(outer as u8);
    head.extend([3, 3]);
    head.extend(((content.len() + extra) as u16).to_be_bytes());
    if protected && version == Version::Tls12 {
        head.extend([0; NONCE]);
    }
    out(Bytes::from(head));
    content.into_iter().for_each(&mut out);
    if protected {
        out(match (version, kind) {
            (Version::Tls12, _) => Bytes::from_static(&SEAL),
            (Version::Tls13, Kind::Application) => Bytes::from_static(&INNER_APPLICATION),
            (Version::Tls13, _) => Bytes::from_static(&INNER_HANDSHAKE),
        });
    }
}

const INNER_APPLICATION: [u8; 1 + TAG] = inner(Kind::Application);
const INNER_HANDSHAKE: [u8; 1 + TAG] = inner(Kind::Handshake);

/// Returns the content type and the tag at the end of a TLS 1.3 record.
const fn inner(kind: Kind) -> [u8; 1 + TAG] {
    let mut bytes = [SEAL[0]; 1 + TAG];
    bytes[0] = kind as u8;
    bytes
}

/// Splits a stream of arbitrary pieces into records.
#[derive(Debug, Default)]
pub(super) struct Reader {
    buffer: Chunks,
    offset: u64,
}

impl Reader {
    pub(super) fn push(&mut self, data: Bytes) {
        self.buffer.push(data);
    }

    /// Returns the next complete record. `protected` is true if the peer has begun to
    /// protect its records. It applies to TLS 1.2 only, as TLS 1.3 shows protection by the
    /// type.
    pub(super) fn next(
        &mut self,
        version: Version,
        protected: bool,
    ) -> Result<Option<Record>, Error> {
        let mut header = [0; HEADER];
        if !self.buffer.peek(&mut header) {
            return Ok(None);
        }
        let offset = self.offset;
        let found = u16::from_be_bytes([header[1], header[2]]);
        let kind = Kind::read(header[0]).filter(|_| matches!(found, 0x0301..=0x0303));
        let Some(kind) = kind else {
            return Err(Error::NotARecord {
                offset,
                kind: header[0],
                version: found,
            });
        };
        // TLS 1.3 sends ChangeCipherSpec only for old middleboxes, and unprotected.
        let protected = match version {
            Version::Tls12 => protected,
            Version::Tls13 => kind == Kind::Application,
        };
        let extra = if protected {
            overhead(version) - HEADER
        } else {
            0
        };
        let length = usize::from(u16::from_be_bytes([header[3], header[4]]));
        let most = MAX_PLAINTEXT + extra;
        let refused = |least| Error::Length {
            offset,
            length,
            least,
            most,
        };
        if !(extra..=most).contains(&length) {
            return Err(refused(extra));
        }
        if self.buffer.len() < HEADER + length {
            return Ok(None);
        }
        self.offset += (HEADER + length) as u64;
        self.buffer.skip(HEADER);
        let mut content = self.buffer.take(length);
        let kind = if protected {
            open(version, kind, &mut content).ok_or(Error::Seal { offset })?
        } else {
            kind
        };
        // RFC 8446, section 5.1: only records with application data may be empty.
        if content.is_empty() && kind != Kind::Application {
            return Err(refused(extra + 1));
        }
        Ok(Some(Record {
            kind,
            protected,
            content,
            offset,
        }))
    }
}

/// Removes the protection from `content`. Returns the content type, or `None` if the tag is
/// wrong.
fn open(version: Version, outer: Kind, content: &mut Chunks) -> Option<Kind> {
    match version {
        Version::Tls12 => {
            content.skip(NONCE);
            (content.take_end() == SEAL).then_some(outer)
        }
        Version::Tls13 => {
            let [kind, seal @ ..] = content.take_end::<{ 1 + TAG }>();
            let kind = Kind::read(kind).filter(|k| *k != Kind::ChangeCipherSpec)?;
            (seal == SEAL).then_some(kind)
        }
    }
}
