//! One large transfer over the emulated link: what the simulator's bulk
//! transfers predict, measured.
//!
//! One connection, one request, one response of filler. Over TCP it is the
//! kernel that is measured: its congestion control, recovery and
//! acknowledgements, under our HTTP and rustls. Over QUIC it is our engine in
//! real time, or an independent program at either end.
//!
//! Both kernels' receive buffers are limited to [`RECEIVE_BUFFER`], as the
//! simulator's are, so that a transfer does not depend on how the machine is
//! configured. Nothing else is tuned.

mod ends;
mod programs;
mod tally;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration as Patience;

use pagerace_core::{Duration, Protocol};
use pagerace_net::Network;

use crate::LiveError;
use crate::link::{LinkReport, Testbed};

use ends::Seen;
pub use tally::Tally;

/// `net.ipv4.tcp_rmem` while a transfer runs: least, first and largest receive
/// buffer in bytes. Source: Linux's defaults up to 6.15, which are those of
/// `pagerace_transport::tcp::Settings`.
pub const RECEIVE_BUFFER: &str = "4096 131072 6291456";

/// How long nothing may happen before a transfer is given up.
const PATIENCE: Patience = Patience::from_mins(1);

/// HTTPS's.
const PORT: u16 = 443;

/// One end of a QUIC connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuicEnd {
    /// This engine over a UDP socket.
    Ours,
    /// A program with the command line of `tests/interop/quicgo/bulk`.
    Program(PathBuf),
}

/// What carries a transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// The kernel's TCP, with our HTTP and rustls at both ends.
    KernelTcp {
        /// HTTP/1.1 or HTTP/2.
        protocol: Protocol,
        /// The kernel's name of the server's controller.
        congestion: String,
    },
    /// HTTP/3 over QUIC.
    Quic {
        /// The server's controller, a name of `pagerace_cc`'s registry. A server
        /// that is a program has its own.
        congestion: String,
        /// UDP payload of a packet, in bytes.
        mtu: u16,
        /// Who sends.
        server: QuicEnd,
        /// Who receives.
        client: QuicEnd,
    },
}

/// A transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bulk {
    /// Bytes of the response's body.
    pub bytes: u64,
    /// Over what.
    pub carrier: Carrier,
}

/// How a transfer went. Times count from when the client began to connect.
#[derive(Clone, Debug, PartialEq)]
pub struct BulkObserved {
    /// The handshake was complete and the request could leave.
    pub connect: Duration,
    /// The last body byte was read by the client.
    pub finished: Duration,
    /// Body bytes that arrived: all of them.
    pub bytes: u64,
    /// What the downlink's packet log comes to.
    pub tally: Tally,
    /// The link's own report: packets, lateness.
    pub link: LinkReport,
}

impl BulkObserved {
    /// From when the request could leave to the last body byte.
    pub fn transfer(&self) -> Duration {
        self.finished.saturating_sub(self.connect)
    }

    /// Body bits per second from the beginning of the connection to its end.
    pub fn goodput(&self) -> f64 {
        let seconds = self.finished.as_secs_f64();
        if seconds > 0.0 {
            8.0 * self.bytes as f64 / seconds
        } else {
            0.0
        }
    }
}

/// Runs a transfer over fresh links and a fresh connection.
///
/// `seed` is that of the links' losses and of our QUIC ends. Whether the run
/// may be believed, [`LinkReport::objection`] of the outcome says.
///
/// # Errors
/// Any [`LiveError`]: the testbed fails, an end cannot be started, or the
/// transfer does not go through. A body of the wrong length is
/// [`LiveError::Transfer`].
///
/// # Panics
/// If [`Carrier::KernelTcp`] is to carry HTTP/3.
pub fn transfer(
    testbed: &Testbed,
    network: &Network,
    seed: u64,
    bulk: &Bulk,
) -> Result<BulkObserved, LiveError> {
    limit_buffers(testbed)?;
    let address = SocketAddr::from((testbed.server_address(0)?, PORT));
    let seen = match &bulk.carrier {
        Carrier::KernelTcp {
            protocol,
            congestion,
        } => {
            testbed.set_congestion(congestion)?;
            let (server, trust) = ends::tcp_server(testbed.server(), address, bulk.bytes)?;
            testbed.begin(network, seed)?;
            let seen = ends::tcp_client(testbed.client(), address, *protocol, &trust, bulk.bytes);
            server.stop()?;
            seen
        }
        Carrier::Quic {
            congestion,
            mtu,
            server,
            client,
        } => {
            let settings = pagerace_transport::quic::Settings {
                congestion: congestion.clone(),
                mtu: *mtu,
                ..pagerace_transport::quic::Settings::default()
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
            server.stop()?;
            seen
        }
    };
    // In any case, so that the next transfer finds the link at rest.
    let link = testbed.finish()?;
    let Seen {
        connect,
        finished,
        bytes,
    } = seen?;
    if bytes != bulk.bytes {
        return Err(LiveError::Transfer(format!(
            "{bytes} bytes arrived where {} were asked for",
            bulk.bytes
        )));
    }
    Ok(BulkObserved {
        connect,
        finished,
        bytes,
        tally: Tally::of(&link.packets),
        link,
    })
}

/// Sets [`RECEIVE_BUFFER`] in both namespaces.
fn limit_buffers(testbed: &Testbed) -> Result<(), LiveError> {
    for namespace in [testbed.client(), testbed.server()] {
        // The file shows the namespace of the thread that opens it.
        let written =
            namespace.run(|| std::fs::write("/proc/sys/net/ipv4/tcp_rmem", RECEIVE_BUFFER));
        written.map_err(|error| {
            LiveError::Transfer(format!(
                "the receive buffer (net.ipv4.tcp_rmem) cannot be set in the namespace: {error}"
            ))
        })?;
    }
    Ok(())
}
