//! Scripts and trials of a probe, played against a real server over a socket.

mod http2;
#[cfg(target_os = "linux")]
mod raw;
#[cfg(not(target_os = "linux"))]
#[path = "probe/no_raw.rs"]
mod raw;

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use bytes::BytesMut;
use mio::Token;
use pagerace_core::Instant;
use pagerace_peer::client::ClientError;
use pagerace_probe::congestion::{Fetch, Loader, Watched};
use pagerace_probe::{Job, Play, Player, Server, Trace};
use pagerace_transport::quic::keys::client_keys_with_roots;
use pagerace_transport::quic::{ClientKeys, Datagram, Epoch};
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;

pub use http2::{play as play_http2, tls};
pub use raw::RawTcp;

use crate::socket::Socket;
use crate::wait::Waiter;
use crate::{Clock, Lateness, LiveError};

/// Longest wait for the socket.
const WAIT_MAX: Duration = Duration::from_secs(1);

/// Returns the certificates that a client trusts: those in the PEM file `ca`, or those that the
/// system trusts.
///
/// # Errors
/// [`LiveError::Certificates`]: there is no usable certificate.
pub fn roots(ca: Option<&Path>) -> Result<RootCertStore, LiveError> {
    let refuse = |reason: String| LiveError::Certificates(reason);
    let mut roots = RootCertStore::empty();
    if let Some(path) = ca {
        let named = |error: &dyn std::fmt::Display| refuse(format!("{}: {error}", path.display()));
        for certificate in CertificateDer::pem_file_iter(path).map_err(|e| named(&e))? {
            let certificate = certificate.map_err(|e| named(&e))?;
            roots.add(certificate).map_err(|e| named(&e))?;
        }
        if roots.is_empty() {
            return Err(named(&"no certificate in PEM"));
        }
    } else {
        let system = rustls_native_certs::load_native_certs();
        roots.add_parsable_certificates(system.certs);
        if roots.is_empty() {
            let why = system.errors.first().map_or_else(
                || "the system trusts no certificate".to_owned(),
                ToString::to_string,
            );
            return Err(refuse(why));
        }
    }
    Ok(roots)
}

/// Returns the keys of a client of HTTP/3 that trusts these certificates.
///
/// # Errors
/// [`LiveError::Certificates`]: they cannot be used.
pub fn keys(roots: RootCertStore) -> Result<ClientKeys, LiveError> {
    client_keys_with_roots(roots).map_err(|error| LiveError::Certificates(error.to_string()))
}

/// Plays a script of HTTP/3 on a new connection. The job's limits bound its time and its bytes.
///
/// # Errors
/// [`LiveError::Bind`], [`LiveError::Client`], [`LiveError::Socket`]. Failures of the
/// connection are in the trace.
pub fn play(job: Job, server: &Server, keys: &ClientKeys, seed: u64) -> Result<Trace, LiveError> {
    let mut late = Lateness::default();
    run(server, &mut late, |now, epoch| {
        Player::connect(job, server, keys.clone(), seed, now, epoch)
    })
}

/// Reads an object through a bottleneck of the client's own, over HTTP/3 on a new connection.
/// Adds to `late` how late the bottleneck worked.
///
/// # Errors
/// As [`play`].
pub fn watch(
    fetch: Fetch,
    server: &Server,
    keys: &ClientKeys,
    seed: u64,
    late: &mut Lateness,
) -> Result<Watched, LiveError> {
    run(server, late, |now, epoch| {
        Loader::connect(fetch, server, keys.clone(), seed, now, epoch)
    })
}

fn run<P: Play<Received = BytesMut, Sent = Datagram>>(
    server: &Server,
    late: &mut Lateness,
    connect: impl FnOnce(Instant, Epoch) -> Result<P, ClientError>,
) -> Result<P::Result, LiveError> {
    let any = match server.remote {
        SocketAddr::V4(_) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
        SocketAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
    };
    let mut socket = Socket::bind(any)?;
    let mut waiter = Waiter::new().map_err(LiveError::Socket)?;
    socket.register(waiter.registry(), Token(0))?;
    let clock = Clock::start();
    let mut player = connect(clock.now(), clock.epoch())?;
    let mut buf = Vec::new();
    loop {
        while socket.is_free()
            && let Some(datagram) = player.poll_transmit(clock.now(), &mut buf)
        {
            socket.send(&buf[..datagram.size], datagram.remote)?;
        }
        if player.is_over() {
            return Ok(player.finish());
        }
        let now = clock.now();
        if let Some(at) = player.poll_timeout().filter(|at| *at <= now) {
            late.add(now.since(at));
            player.handle_timeout(now);
            continue;
        }
        if let Some((from, data)) = socket.receive()? {
            if from == server.remote {
                player.handle_packet(clock.now(), data);
            }
            continue;
        }
        let due = player.poll_timeout();
        let wait = due.map_or(WAIT_MAX, |at| at.since(now).to_std().min(WAIT_MAX));
        for event in waiter.wait(wait).map_err(LiveError::Socket)? {
            socket.readable |= event.is_readable();
        }
    }
}
