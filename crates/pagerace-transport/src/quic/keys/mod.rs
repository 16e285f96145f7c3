//! Packet protection: real TLS 1.3, or null keys with the same sizes on the wire and no
//! computation.
//!
//! Both carry the [tap](super::tap). With real TLS every handshake is a full one.

mod null;
mod sizes;
mod tapped;
#[cfg(feature = "tls")]
mod tls;
mod visit;

use std::sync::Arc;

use pagerace_core::Rng;
use quinn_proto::crypto::HandshakeTokenKey;
use quinn_proto::{
    ClientConfig, NoneTokenStore, ServerConfig, TokenStore, ValidationTokenConfig, crypto,
};

use super::settings::QuicSettings;
use super::tap::Tap;

/// The type of handshake, shared by QUIC and TLS over TCP.
pub use crate::tls::Handshake;
pub use sizes::FlightSizes;
#[cfg(feature = "tls")]
pub use tls::{
    Identity, TlsError, client_keys_trusting, client_keys_with_roots, client_tls, server_tls,
};
pub(super) use visit::Visitor;

/// Packet protection of a client.
#[derive(Clone)]
pub enum ClientKeys {
    /// No cipher, the sizes of real TLS, and a full handshake.
    Null(FlightSizes),
    /// Like [`Null`](Self::Null), for a client that has visited the server before. It has a
    /// ticket, and an address token that lifts the server's anti-amplification limit. The
    /// sizes are those of a full handshake, and those of the resumed one are derived from
    /// them.
    Revisit(FlightSizes, Handshake),
    /// Real TLS 1.3.
    Tls(Arc<dyn crypto::ClientConfig>),
}

/// Packet protection of a server.
#[derive(Clone)]
pub enum ServerKeys {
    /// No cipher and the sizes of real TLS. The server accepts every ticket and all early
    /// data.
    Null(FlightSizes),
    /// Real TLS 1.3.
    Tls(Arc<dyn crypto::ServerConfig>),
}

/// Derives 32 bytes from the seed.
pub(super) fn seed_bytes(seed: u64, name: &str) -> [u8; 32] {
    let mut rng = Rng::new(seed, name);
    let mut bytes = [0; 32];
    for part in bytes.chunks_exact_mut(8) {
        part.copy_from_slice(&rng.next_u64().to_le_bytes());
    }
    bytes
}

impl ClientKeys {
    /// Creates null keys for a connection with this type of handshake. Both ends must have
    /// the same sizes.
    pub fn null(sizes: FlightSizes, handshake: Handshake) -> Self {
        match handshake {
            Handshake::Full => Self::Null(sizes),
            Handshake::Resumed | Handshake::EarlyData => Self::Revisit(sizes, handshake),
        }
    }

    /// Builds quinn-proto's configuration. `settings` are the client's.
    pub(super) fn config(&self, settings: &QuicSettings, tap: Arc<Tap>) -> ClientConfig {
        let null = |sizes, handshake| {
            Arc::new(null::NullClient {
                sizes,
                handshake,
                remembered: visit::remembered_parameters(settings),
            })
        };
        let inner: Arc<dyn crypto::ClientConfig> = match self {
            Self::Null(sizes) => null(*sizes, Handshake::Full),
            Self::Revisit(sizes, handshake) => null(*sizes, *handshake),
            Self::Tls(inner) => inner.clone(),
        };
        let tokens: Arc<dyn TokenStore> = match self {
            Self::Revisit(..) => Arc::new(visit::Tokens),
            Self::Null(_) | Self::Tls(_) => Arc::new(NoneTokenStore),
        };
        let mut config = ClientConfig::new(Arc::new(tapped::TappedClient { inner, tap }));
        config.token_store(tokens);
        config
    }
}

impl ServerKeys {
    /// Creates null keys. The client chooses the type of handshake, so any `handshake` is
    /// served.
    pub fn null(sizes: FlightSizes, _handshake: Handshake) -> Self {
        Self::Null(sizes)
    }

    /// Builds quinn-proto's configuration. `visitor` holds the source of the datagram being
    /// handled.
    pub(super) fn config(&self, seed: u64, tap: Arc<Tap>, visitor: &Visitor) -> ServerConfig {
        // Address tokens would contain the time of day, so none are sent.
        let mut tokens = ValidationTokenConfig::default();
        tokens.sent(0);
        let (inner, key): (Arc<dyn crypto::ServerConfig>, Arc<dyn HandshakeTokenKey>) = match self {
            Self::Null(sizes) => {
                tokens.log(Arc::new(visit::ForgetfulLog));
                let inner = Arc::new(null::NullServer { sizes: *sizes });
                (inner, Arc::new(visit::TokenKey(visitor.clone())))
            }
            Self::Tls(inner) => {
                let salt = ring::hkdf::Salt::new(ring::hkdf::HKDF_SHA256, &[]);
                let key = salt.extract(&seed_bytes(seed, "token"));
                (inner.clone(), Arc::new(key))
            }
        };
        let mut config = ServerConfig::new(Arc::new(tapped::TappedServer { inner, tap }), key);
        config.validation_token_config(tokens);
        config
    }
}

impl std::fmt::Debug for ClientKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Null(_) => f.write_str("null keys"),
            Self::Revisit(_, handshake) => write!(f, "null keys, {handshake:?}"),
            Self::Tls(_) => f.write_str("TLS"),
        }
    }
}

impl std::fmt::Debug for ServerKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if matches!(self, Self::Null(_)) {
            "null keys"
        } else {
            "TLS"
        })
    }
}
