//! One large transfer over the emulated link, which measures what the simulator's bulk
//! transfers predict.
//!
//! A transfer is one connection with one request and one response of filler. Over TCP it
//! measures the kernel: its congestion control, recovery and acknowledgements, under our
//! HTTP and rustls. Over QUIC it measures our engine in real time, or an independent
//! program at either end.
//!
//! The receive buffers of both kernels are limited to [`RECEIVE_BUFFER`], as in the
//! simulator, so that a transfer does not depend on the machine's configuration. Nothing
//! else is tuned.

mod ends;
mod programs;
mod tally;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration as Patience;

use anyhow::{Context as _, Result, ensure};
use pagerace_core::{Duration, Protocol};
use pagerace_live::link::{LinkReport, Testbed};
use pagerace_net::Network;

use ends::Seen;
pub(crate) use tally::Tally;

/// `net.ipv4.tcp_rmem` during a transfer: minimum, initial and maximum receive buffer in
/// bytes. Source: Linux's defaults up to 6.15, which are those of
/// `pagerace_transport::tcp::TcpSettings`.
pub(crate) const RECEIVE_BUFFER: &str = "4096 131072 6291456";

/// Time without events after which a transfer is aborted.
const PATIENCE: Patience = Patience::from_mins(1);

/// The HTTPS port.
const PORT: u16 = 443;

/// An endpoint of a QUIC connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum QuicEnd {
    /// This engine over a UDP socket.
    Ours,
    /// A program with the command line of `tests/interop/quicgo/bulk`.
    Program(PathBuf),
}

/// The protocol stack that carries a transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Carrier {
    /// The kernel's TCP, with our HTTP and rustls at both ends.
    KernelTcp {
        /// HTTP/1.1 or HTTP/2.
        protocol: Protocol,
        /// The kernel's name of the server's congestion controller.
        congestion: String,
    },
    /// HTTP/3 over QUIC.
    Quic {
        /// The server's congestion controller, a name in `pagerace_cc`'s registry. A
        /// server that is a program chooses its own.
        congestion: String,
        /// UDP payload of a packet, in bytes.
        mtu: u16,
        /// The endpoint that sends the response.
        server: QuicEnd,
        /// The endpoint that receives the response.
        client: QuicEnd,
    },
}

/// Description of a transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bulk {
    /// Length of the response body, in bytes.
    pub(crate) bytes: u64,
    /// The protocol stack that carries the transfer.
    pub(crate) carrier: Carrier,
}

/// Measurements of a transfer. Times count from the start of the client's connection
/// attempt.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BulkObserved {
    /// Time at which the handshake was complete and the request could be sent.
    pub(crate) connect: Duration,
    /// Time at which the client read the last byte of the body.
    pub(crate) finished: Duration,
    /// Number of body bytes that arrived, which is the requested number.
    pub(crate) bytes: u64,
    /// Sums over the downlink's packet log.
    pub(crate) tally: Tally,
    /// Report of the link, with its packets and lateness.
    pub(crate) link: LinkReport,
}

/// Runs a transfer over new links and a new connection.
///
/// `seed` determines the losses of the links and the randomness of our QUIC endpoints.
/// [`LinkReport::objection`] of the outcome tells whether the run is valid. A body of the wrong
/// length is an error.
pub(crate) fn transfer(
    testbed: &Testbed,
    network: &Network,
    seed: u64,
    bulk: &Bulk,
) -> Result<BulkObserved> {
    limit_buffers(testbed)?;
    let address = SocketAddr::from((testbed.server_address(0)?, PORT));
    // The link is finished even after an error, so that the next transfer finds an idle one.
    let (seen, link) = match &bulk.carrier {
        Carrier::KernelTcp {
            protocol,
            congestion,
        } => {
            testbed.set_congestion(congestion)?;
            let (server, trust) = ends::tcp_server(testbed.server(), address, bulk.bytes)?;
            testbed.begin(network, seed)?;
            let seen = ends::tcp_client(testbed.client(), address, *protocol, &trust, bulk.bytes);
            server.stop()?;
            (seen, testbed.finish()?)
        }
        Carrier::Quic {
            congestion,
            mtu,
            server,
            client,
        } => {
            let settings = pagerace_transport::quic::QuicSettings {
                congestion: congestion.clone(),
                mtu: *mtu,
                ..pagerace_transport::quic::QuicSettings::default()
            };
            let (server, certificate) = match server {
                QuicEnd::Ours => {
                    ends::quic_server(testbed.server(), address, bulk.bytes, seed, &settings)?
                }
                QuicEnd::Program(path) => programs::server(testbed.server(), path, address, *mtu)?,
            };
            testbed.begin(network, seed)?;
            let seen = match client {
                QuicEnd::Ours => ends::quic_client(
                    testbed.client(),
                    address,
                    &certificate,
                    bulk.bytes,
                    seed,
                    &settings,
                ),
                QuicEnd::Program(path) => programs::client(
                    testbed.client(),
                    path,
                    address,
                    &certificate,
                    bulk.bytes,
                    *mtu,
                ),
            };
            // The last acknowledgement would find the port of a stopped server closed, and ICMP
            // would cross the link.
            let link = testbed.finish();
            server.stop()?;
            (seen, link?)
        }
    };
    let Seen {
        connect,
        finished,
        bytes,
    } = seen?;
    ensure!(
        bytes == bulk.bytes,
        "{bytes} bytes arrived where {} were asked for",
        bulk.bytes
    );
    Ok(BulkObserved {
        connect,
        finished,
        bytes,
        tally: Tally::of(&link.packets),
        link,
    })
}

/// Sets [`RECEIVE_BUFFER`] in both namespaces.
fn limit_buffers(testbed: &Testbed) -> Result<()> {
    for namespace in [testbed.client(), testbed.server()] {
        // The file refers to the namespace of the thread that opens it.
        let written =
            namespace.run(|| std::fs::write("/proc/sys/net/ipv4/tcp_rmem", RECEIVE_BUFFER));
        written.context("the receive buffer (net.ipv4.tcp_rmem) cannot be set")?;
    }
    Ok(())
}
