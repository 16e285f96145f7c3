//! The servers of `pagerace serve`, with its settings.

use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;

use pagerace_core::Protocol;
use pagerace_live::{FolderSite, Guard, LocalCa, OriginServer, Servers, ServersConfig};
use pagerace_transport::quic::keys::Identity;

use super::authority::{ANNOUNCING, Names};
use super::web::{Parameters, Quic, Says, Web};

/// Transport parameters and SETTINGS: the defaults of `QuicSettings` and `ServersConfig`.
pub const PARAMETERS: Parameters = Parameters {
    idle_ms: 60_000,
    udp_payload: 1472,
    data: 15 << 20,
    stream_data: 6 << 20,
    streams: 100,
    migrates: true,
    preferred: false,
    datagrams: None,
    field_section: 1 << 20,
    connect: false,
};

/// A description of the servers. They serve a folder without `index.html`.
pub fn web() -> Web {
    let missing = Some(404);
    Web {
        is_ours: true,
        h2: true,
        status: missing,
        names: Names {
            record: Some(ANNOUNCING),
            ..Names::default()
        },
        quic: Some(Quic {
            status: missing,
            says: Says::Ours,
            ..Quic::default()
        }),
        ..Web::default()
    }
}

/// Starts the servers for a host name at these addresses.
pub fn start(
    ca: Arc<LocalCa>,
    host: &str,
    addresses: impl Iterator<Item = IpAddr>,
    port: u16,
) -> Servers {
    let config = ServersConfig {
        tickets: true,
        guard: Some(Guard::default()),
        ..ServersConfig::new(ca)
    };
    let origin = |address| {
        [Protocol::H2, Protocol::H3].map(|protocol| OriginServer {
            address,
            port,
            protocol,
            hosts: vec![host.to_owned()],
        })
    };
    let origins: Vec<OriginServer> = addresses.flat_map(origin).collect();
    let site = FolderSite::new(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
    Servers::start(None, &config, &origins, site).unwrap()
}

/// Returns the bytes that [`LocalCa`] pads certificates to: with the signature in the handshake,
/// which has seven bytes more than one with Ed25519, as many as a simulated server sends.
pub fn certificate_bytes() -> usize {
    let simulated = Identity::new(&["localhost"]).unwrap();
    simulated.certificate().len() - 7
}
