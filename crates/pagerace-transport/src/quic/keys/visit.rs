//! The state that a returning client has kept, for [null keys](super).
//!
//! A ticket makes the handshake smaller and may allow 0-RTT packets. An address token (RFC
//! 9000, section 8.1.3) lifts the server's anti-amplification limit. Without the token, a
//! server could answer early requests with at most three times their bytes before the
//! handshake is complete.

use std::io::Cursor;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use quinn_proto::crypto::{AeadKey, CryptoError, HandshakeTokenKey};
use quinn_proto::transport_parameters::TransportParameters;
use quinn_proto::{Side, TokenLog, TokenReuseError, TokenStore};

use crate::quic::QuicSettings;
use crate::quic::frame::varint_size;

/// Size of quinn-proto's address tokens for IPv4: kind, address, seconds, tag and nonce.
const TOKEN: usize = 1 + 5 + 8 + 16 + NONCE;

/// Size of the unencrypted part of a token.
const NONCE: usize = 16;

/// The byte that tokens consist of.
const FILLER: u8 = 0x70;

/// Value with which quinn-proto marks a token from a `NEW_TOKEN` frame.
const VALIDATION: u8 = 1;

/// The maximum flow control window that a client assumes before the server has answered. It
/// is larger than the amount that a client may send by then ([`EARLY_BYTES`]), and smaller
/// than the window of any server, so no server grants less than is remembered.
///
/// [`EARLY_BYTES`]: crate::quic::connection::EARLY_BYTES
const REMEMBERED_WINDOW: u32 = 1 << 16;

/// Number of unidirectional streams that a client assumes, as needed by HTTP/3 (RFC 9114,
/// section 6.2).
const REMEMBERED_UNIDIRECTIONAL: u32 = 3;

/// Returns the server's transport parameters as remembered from an earlier visit (RFC 9000,
/// section 7.4.1). The server is assumed to allow as many requests as this side, and at
/// least a small window.
pub(super) fn remembered_parameters(settings: &QuicSettings) -> TransportParameters {
    let window = settings.receive_window.min(REMEMBERED_WINDOW);
    let stream_window = settings.stream_receive_window.min(REMEMBERED_WINDOW);
    // RFC 9000, section 18.2.
    let values = [
        (0x04, window),
        (0x05, stream_window),
        (0x06, stream_window),
        (0x07, stream_window),
        (0x08, settings.max_requests),
        (0x09, REMEMBERED_UNIDIRECTIONAL),
    ];
    let mut bytes = Vec::new();
    for (id, value) in values {
        // RFC 9000, section 16: a size of 2 to the power of n is encoded as n.
        let size = varint_size(u64::from(value));
        bytes.extend([id, size as u8]);
        let marked = u64::from(value) | u64::from(size.ilog2()) << (8 * size - 2);
        bytes.extend(&marked.to_be_bytes()[8 - size..]);
    }
    TransportParameters::read(Side::Client, &mut Cursor::new(bytes))
        .expect("parameters that we wrote can be read")
}

/// A client's token store, which has a token of realistic size for every server.
pub(super) struct Tokens;

impl TokenStore for Tokens {
    fn insert(&self, _server_name: &str, _token: Bytes) {}

    fn take(&self, _server_name: &str) -> Option<Bytes> {
        Some(Bytes::from_static(&[FILLER; TOKEN]))
    }
}

/// A server's log of used tokens, which remembers nothing.
pub(super) struct ForgetfulLog;

impl TokenLog for ForgetfulLog {
    fn check_and_insert(
        &self,
        _nonce: u128,
        _issued: SystemTime,
        _lifetime: Duration,
    ) -> Result<(), TokenReuseError> {
        Ok(())
    }
}

/// The sender of the datagram that a server is handling. Tokens are valid for its address.
#[derive(Clone, Debug, Default)]
pub(in crate::quic) struct Visitor(Arc<Mutex<Option<IpAddr>>>);

impl Visitor {
    /// Sets the source address of the datagram.
    pub(in crate::quic) fn set(&self, address: IpAddr) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(address);
    }

    fn get(&self) -> Option<IpAddr> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens the tokens of [`Tokens`]. Each is valid for its sender.
pub(super) struct TokenKey(pub(super) Visitor);

impl HandshakeTokenKey for TokenKey {
    fn aead_from_hkdf(&self, _random_bytes: &[u8]) -> Box<dyn AeadKey> {
        Box::new(TokenSeal(self.0.clone()))
    }
}

struct TokenSeal(Visitor);

impl AeadKey for TokenSeal {
    fn seal(&self, data: &mut Vec<u8>, _additional_data: &[u8]) -> Result<(), CryptoError> {
        data.clear();
        data.resize(TOKEN - NONCE, FILLER);
        Ok(())
    }

    fn open<'a>(
        &self,
        data: &'a mut [u8],
        _additional_data: &[u8],
    ) -> Result<&'a mut [u8], CryptoError> {
        if data.len() != TOKEN - NONCE || data.iter().any(|b| *b != FILLER) {
            return Err(CryptoError);
        }
        // quinn-proto's format: kind, address family, address, seconds since 1970.
        let mut payload = vec![VALIDATION];
        match self.0.get().ok_or(CryptoError)? {
            IpAddr::V4(address) => {
                payload.push(0);
                payload.extend(address.octets());
            }
            IpAddr::V6(address) => {
                payload.push(1);
                payload.extend(address.octets());
            }
        }
        payload.extend([0; 8]);
        let (opened, _) = data.split_at_mut(payload.len());
        opened.copy_from_slice(&payload);
        Ok(opened)
    }
}

#[cfg(test)]
mod tests;
