//! Our servers and clients against independent ones over real sockets and real
//! TLS, and against ourselves. HTTP/3: aioquic (Python) and quic-go (Go), each as
//! client and as server. HTTP/1.1 and HTTP/2: see `tcp`.
//!
//! `tests/interop/setup.sh` prepares the peers; without them these tests skip
//! aloud. All ports are picked by the system on 127.0.0.1.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, its helpers too"
)]

#[path = "interop/objects.rs"]
mod objects;
#[path = "interop/ours.rs"]
mod ours;
#[path = "interop/peers.rs"]
mod peers;
#[path = "interop/tcp.rs"]
mod tcp;
#[path = "interop/their_clients.rs"]
mod their_clients;
#[path = "interop/their_servers.rs"]
mod their_servers;
