//! Our servers and clients against independent ones and against each other, over real
//! sockets with real TLS. HTTP/3 is tested with aioquic (Python) and quic-go (Go), each
//! as client and as server. For HTTP/1.1 and HTTP/2 see `tcp`.
//!
//! `tests/interop/setup.sh` installs the peers. Tests without their peer print a note and
//! pass. The system selects all ports, on 127.0.0.1.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, its helpers too"
)]

#[allow(dead_code, reason = "other tests use more of it")]
#[path = "support/client.rs"]
mod client;
#[path = "support/memory.rs"]
mod memory;
#[path = "interop/objects.rs"]
mod objects;
#[path = "interop/ours.rs"]
mod ours;
#[path = "interop/peers.rs"]
mod peers;
#[path = "interop/probe.rs"]
mod probe;
#[path = "interop/tcp.rs"]
mod tcp;
#[path = "interop/their_clients.rs"]
mod their_clients;
#[path = "interop/their_servers.rs"]
mod their_servers;
