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
    /// A certificate or its key cannot be made.
    #[error("cannot make a certificate: {0}")]
    Certificate(
        /// Why.
        String,
    ),
    /// A recording without anything to replay.
    #[error(
        "{page}: the recording has no response that could be served; record the page again, with bodies"
    )]
    NothingToServe {
        /// The page's name.
        page: String,
    },
    /// Every attempt at a load was disturbed by the machine, or the browser failed.
    #[error(
        "all {} attempts at a load were disturbed ({}); free the machine of other work, or allow \
         more with --retries",
        attempts.len(), attempts.join("; ")
    )]
    Disturbed {
        /// What was wrong with each.
        attempts: Vec<String>,
    },
    /// The browser failed.
    #[error(transparent)]
    Chromium(#[from] pagerace_chromium::ChromiumError),
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
    /// This process may not make the testbed of the live link.
    #[error(
        "cannot {what}: {source}; live loads need root, or the capabilities SYS_ADMIN and NET_ADMIN (in a container also the device /dev/net/tun). Use sudo, or `unshare --map-root-user --net` where users may. Simulations, recording and serving work without"
    )]
    Privileges {
        /// What was tried.
        what: &'static str,
        /// Why not.
        source: io::Error,
    },
    /// A program that is needed is not installed.
    #[error("the command `{tool}` is missing; install the package {package}")]
    Tool {
        /// The program.
        tool: &'static str,
        /// What it is part of.
        package: &'static str,
    },
    /// The files that say where names are looked up cannot be replaced.
    #[error(
        "cannot direct name look-ups to the live world: {file}: {source}; make it an ordinary file, or let addresses be known with --dns none", file = file.display()
    )]
    Resolver {
        /// Which file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The `ip` command refused to configure a namespace.
    #[error("the network of the testbed cannot be configured; the `ip` command says: {said}")]
    Configure {
        /// Its words.
        said: String,
    },
    /// The kernel has no such congestion controller.
    #[error("the kernel has no congestion controller called {name:?}; it has: {available}")]
    Congestion {
        /// What was asked for.
        name: String,
        /// What there is.
        available: String,
    },
    /// More servers than the testbed has addresses for.
    #[error("there is no server address number {asked}; the testbed has {available}")]
    Addresses {
        /// Which, counted from zero.
        asked: usize,
        /// How many.
        available: usize,
    },
    /// The emulator of the link stopped, or could not start.
    #[error("the link emulator failed: {0}")]
    Emulator(
        /// Why.
        String,
    ),
    /// The end of a load that has no beginning.
    #[error("no load has begun on the link")]
    NotBegun,
    /// A scratch directory cannot be made.
    #[error("cannot make the directory {path}: {source}; set TMPDIR to one that may be written to")]
    Directory {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A transfer over the emulated link did not go as it should.
    #[error("the transfer failed: {0}")]
    Transfer(
        /// Why.
        String,
    ),
    /// The operating system gave no random bytes.
    #[error("the operating system gave no random bytes")]
    Random,
}
