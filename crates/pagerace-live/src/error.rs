//! What can go wrong with real sockets and files.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use pagerace_peer::client::ClientError;

/// A live server or client cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// The socket cannot be opened, most often as the port is taken.
    #[error("cannot listen on {address}: {source}; choose another port, or 0 for any")]
    Bind {
        /// Where.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// Sending or receiving failed for good.
    #[error("the UDP socket failed: {0}")]
    Socket(#[source] io::Error),
    /// A TCP socket, or waiting for one, failed for good.
    #[error("the TCP socket failed: {0}")]
    Tcp(#[source] io::Error),
    /// rustls refuses a certificate or a setting.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
    /// A server's name is none.
    #[error("{0:?} is no host name or address that a certificate could prove")]
    Name(
        /// What was written.
        String,
    ),
    /// A folder cannot be served.
    #[error("cannot read {path}: {source}; give a folder that exists and may be read")]
    Folder {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The settings name an unknown congestion controller.
    #[error(transparent)]
    Controller(#[from] pagerace_cc::UnknownController),
    /// The connection could not even be tried.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// Nothing came for too long.
    #[error(
        "{remote} did not answer in time: check its address and that it speaks this version of HTTP there"
    )]
    Timeout {
        /// The server.
        remote: SocketAddr,
    },
    /// The server or the network ended the connection.
    #[error("the connection to {remote} is lost: {reason}")]
    Lost {
        /// The server.
        remote: SocketAddr,
        /// In words.
        reason: String,
    },
    /// A request failed while the connection lives.
    #[error("the request for {path} failed with HTTP error 0x{code:x}")]
    Request {
        /// What was asked for.
        path: String,
        /// Error code.
        code: u64,
    },
    /// The operating system gave no random bytes.
    #[error("the operating system gave no random bytes")]
    Random,
}
