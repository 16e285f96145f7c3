//! Settings of TLS: the version, the handshake and the sizes.

use std::fmt;

use pagerace_core::words;
use serde::{Deserialize, Serialize};

use super::record::{MAX_PLAINTEXT, overhead};

words! {
    /// A version of TLS.
    #[derive(
        Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
    )]
    pub enum Version {
        /// TLS 1.2, <https://www.rfc-editor.org/rfc/rfc5246>.
        #[serde(rename = "tls1.2")]
        Tls12 = "1.2": "Two round trips, one if resumed",
        /// TLS 1.3, <https://www.rfc-editor.org/rfc/rfc8446>.
        #[default]
        #[serde(rename = "tls1.3")]
        Tls13 = "1.3": "One round trip",
    }
}

impl Version {
    /// Returns the name that users write.
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

/// The type of handshake, which depends on the state that the client kept from an earlier
/// visit.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Handshake {
    /// No state: the server authenticates itself by its certificate.
    #[default]
    Full,
    /// A ticket: the server sends no certificate.
    Resumed,
    /// A ticket that allows the client to send requests at once. TLS 1.2 does not support
    /// this and treats it as [`Resumed`](Self::Resumed).
    EarlyData,
}

/// The amount of plaintext in one record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordSize {
    /// One TCP segment per record at first, so that received data can be read at once. The
    /// largest records after 200 KiB, as these have the least overhead.
    ///
    /// # Source
    /// h2o does so unless its latency optimisation is active (`bytes_written < 200 * 1024`
    /// in `lib/common/socket.c`). Deviates from h2o: its small records fill 1,400 bytes of
    /// a segment, and these fill 1,448, the segment of
    /// [`tcp`](https://www.rfc-editor.org/rfc/rfc9293) with timestamps on a path of 1,500
    /// bytes. Servers that return to small records after a pause are not modelled.
    #[default]
    Dynamic,
    /// A fixed number of plaintext bytes, 1 to 16,384.
    Fixed(usize),
}

/// Number of plaintext bytes after which [`RecordSize::Dynamic`] uses large records.
const SMALL_RECORDS: u64 = 200 << 10;

/// Payload of one TCP segment: 1,500 bytes less the IP and TCP headers and timestamps.
const SEGMENT: usize = 1_448;

impl RecordSize {
    /// Returns the maximum number of plaintext bytes in the next record, given that
    /// `written` bytes have been written on the connection.
    pub fn limit(self, version: Version, written: u64) -> usize {
        match self {
            Self::Fixed(n) => n.clamp(1, MAX_PLAINTEXT),
            Self::Dynamic if written < SMALL_RECORDS => SEGMENT - overhead(version),
            Self::Dynamic => MAX_PLAINTEXT,
        }
    }
}

words! {
    /// The size of the client's first message.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum ClientHello {
        /// The size of a browser's message, with the hybrid key share `X25519MLKEM768` of 1,216
        /// bytes (draft-ietf-tls-ecdhe-mlkem), GREASE values and rarer extensions. The server
        /// answers with a classical share.
        ///
        /// # Source
        /// Chromium 156 sends 1,934 to 1,998 bytes including the record over TCP, and 1,933
        /// bytes in CRYPTO frames over QUIC.
        Browser = "browser":
            "About 2 kB, with a post-quantum key share, as browsers send since 2024",
        /// The size of rustls's message, with one classical key share.
        #[default]
        Small = "small": "About 200 bytes, with one classical key share",
    }
}

impl ClientHello {
    /// Returns the number of bytes beyond the small message.
    pub const fn extra(self) -> usize {
        match self {
            Self::Small => 0,
            Self::Browser => 1_720,
        }
    }
}

/// Settings of a [`Session`](super::Session). Both ends must have the same version and
/// handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TlsSettings {
    /// Version of TLS.
    pub version: Version,
    /// Type of handshake.
    pub handshake: Handshake,
    /// Size of the client's first message.
    pub client_hello: ClientHello,
    /// Size of the records that this side writes.
    pub records: RecordSize,
    /// Size of the server's certificate chain in DER, in bytes.
    pub certificate: usize,
}

impl Default for TlsSettings {
    /// TLS 1.3, a full handshake, and a certificate chain of [`certificate_size`].
    fn default() -> Self {
        Self {
            version: Version::Tls13,
            handshake: Handshake::Full,
            client_hello: ClientHello::default(),
            records: RecordSize::Dynamic,
            certificate: certificate_size() as usize,
        }
    }
}

/// Returns the default size of a certificate chain, which makes the server's flight as large as the
/// default [`FlightSizes`](crate::quic::keys::FlightSizes) of QUIC.
pub const fn certificate_size() -> u32 {
    2_138
}
