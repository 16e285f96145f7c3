//! Which TLS, and how it begins.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::record::{MAX_PLAINTEXT, overhead};

/// A version of TLS.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub enum Version {
    /// TLS 1.2, <https://www.rfc-editor.org/rfc/rfc5246>.
    #[serde(rename = "tls1.2")]
    Tls12,
    /// TLS 1.3, <https://www.rfc-editor.org/rfc/rfc8446>.
    #[default]
    #[serde(rename = "tls1.3")]
    Tls13,
}

impl Version {
    /// What users write.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tls12 => "tls1.2",
            Self::Tls13 => "tls1.3",
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There is no such version.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{found}` is no version of TLS that can be raced; write `tls1.2` or `tls1.3`")]
pub struct UnknownVersion {
    /// What was written.
    pub found: String,
}

impl FromStr for Version {
    type Err = UnknownVersion;

    fn from_str(text: &str) -> Result<Self, UnknownVersion> {
        match text {
            "tls1.2" => Ok(Self::Tls12),
            "tls1.3" => Ok(Self::Tls13),
            _ => Err(UnknownVersion {
                found: text.to_owned(),
            }),
        }
    }
}

/// How a connection begins: what the client still has from an earlier visit.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Handshake {
    /// Nothing: the server proves who it is by its certificate.
    #[default]
    Full,
    /// A ticket: no certificate is sent.
    Resumed,
    /// A ticket that allows the client to send requests at once. TLS 1.2 has no
    /// such thing and treats it as [`Resumed`](Self::Resumed).
    EarlyData,
}

/// How much plaintext goes into one record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordSize {
    /// One TCP segment per record at first, so that what arrives can be read;
    /// the largest records after 200 KiB, which cost the least.
    ///
    /// # Source
    /// h2o does so unless its latency optimisation knows better (`bytes_written
    /// < 200 * 1024` in `lib/common/socket.c`). Deviates: h2o's small records
    /// fill 1,400 bytes of a segment, ours 1,448, the segment of
    /// [`tcp`](https://www.rfc-editor.org/rfc/rfc9293) with timestamps on a path of
    /// 1,500 bytes. Servers that go back to small records after a pause are not
    /// modelled.
    #[default]
    Dynamic,
    /// Always this many bytes of plaintext; 1 to 16,384.
    Fixed(usize),
}

/// Plaintext after which [`RecordSize::Dynamic`] goes over to large records.
const SMALL_RECORDS: u64 = 200 << 10;

/// Payload of one TCP segment: 1,500 bytes less IP, TCP and timestamps.
const SEGMENT: usize = 1_448;

impl RecordSize {
    /// Most plaintext bytes of the next record, when so many have been written
    /// on the connection.
    pub fn limit(self, version: Version, written: u64) -> usize {
        match self {
            Self::Fixed(n) => n.clamp(1, MAX_PLAINTEXT),
            Self::Dynamic if written < SMALL_RECORDS => SEGMENT - overhead(version),
            Self::Dynamic => MAX_PLAINTEXT,
        }
    }
}

/// How much a client says at first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClientHello {
    /// What rustls sends, with one classical key share.
    #[default]
    Small,
    /// As much as a browser: the hybrid key share `X25519MLKEM768` of 1,216 bytes
    /// (draft-ietf-tls-ecdhe-mlkem), decoys and rarer extensions. The server
    /// answers with a classical share.
    ///
    /// # Source
    /// Chromium 156 sends 1,934 to 1,998 bytes with their record over TCP, and
    /// 1,933 in CRYPTO frames over QUIC.
    Browser,
}

impl ClientHello {
    /// Bytes more than the small one.
    pub const fn extra(self) -> usize {
        match self {
            Self::Small => 0,
            Self::Browser => 1_720,
        }
    }
}

/// What both ends of a [`Session`](super::Session) agree on; they must be given
/// the same version and handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Version.
    pub version: Version,
    /// How the connection begins.
    pub handshake: Handshake,
    /// How large the client's first message is.
    pub client_hello: ClientHello,
    /// Size of the records that this side writes.
    pub records: RecordSize,
    /// The server's certificate chain in DER, in bytes.
    pub certificate: usize,
}

impl Default for Settings {
    /// TLS 1.3, a full handshake, and a chain that makes the server's flight as
    /// large as that of QUIC's
    /// [`FlightSizes`](crate::quic::keys::FlightSizes).
    fn default() -> Self {
        Self {
            version: Version::Tls13,
            handshake: Handshake::Full,
            client_hello: ClientHello::default(),
            records: RecordSize::Dynamic,
            certificate: 2_138,
        }
    }
}
