//! Packet protection: real TLS 1.3, or keys that cost nothing and have the
//! same sizes on the wire. Both carry the [tap](super::tap).

mod null;
mod tapped;
mod tls;

use std::sync::Arc;

use pagerace_core::Rng;
use quinn_proto::{ClientConfig, ServerConfig, crypto};

use super::tap::Tap;

pub use null::FlightSizes;
pub use tls::{Identity, TlsError, client_keys_trusting};

/// How a client protects its packets.
#[derive(Clone)]
pub enum ClientKeys {
    /// No cipher; the sizes of real TLS.
    Null(FlightSizes),
    /// Real TLS 1.3.
    Tls(Arc<dyn crypto::ClientConfig>),
}

/// How a server protects its packets.
#[derive(Clone)]
pub enum ServerKeys {
    /// No cipher; the sizes of real TLS.
    Null(FlightSizes),
    /// Real TLS 1.3.
    Tls(Arc<dyn crypto::ServerConfig>),
}

/// 32 bytes that follow from the seed.
pub(super) fn seed_bytes(seed: u64, name: &str) -> [u8; 32] {
    let mut rng = Rng::new(seed, name);
    let mut bytes = [0; 32];
    for part in bytes.chunks_exact_mut(8) {
        part.copy_from_slice(&rng.next_u64().to_le_bytes());
    }
    bytes
}

impl ClientKeys {
    pub(super) fn config(&self, tap: Arc<Tap>) -> ClientConfig {
        ClientConfig::new(match self {
            Self::Null(sizes) => Arc::new(null::NullClient { sizes: *sizes, tap }),
            Self::Tls(inner) => Arc::new(tapped::TappedClient {
                inner: inner.clone(),
                tap,
            }),
        })
    }
}

impl ServerKeys {
    pub(super) fn config(&self, seed: u64, tap: Arc<Tap>) -> ServerConfig {
        let crypto: Arc<dyn crypto::ServerConfig> = match self {
            Self::Null(sizes) => Arc::new(null::NullServer { sizes: *sizes, tap }),
            Self::Tls(inner) => Arc::new(tapped::TappedServer {
                inner: inner.clone(),
                tap,
            }),
        };
        let salt = ring::hkdf::Salt::new(ring::hkdf::HKDF_SHA256, &[]);
        ServerConfig::new(crypto, Arc::new(salt.extract(&seed_bytes(seed, "token"))))
    }
}

impl std::fmt::Debug for ClientKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if matches!(self, Self::Null(_)) {
            "null keys"
        } else {
            "TLS"
        })
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
