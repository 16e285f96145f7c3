//! Errors of real sockets and files.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use pagerace_peer::client::ClientError;

/// An error of a live server, client or testbed.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// The socket cannot be opened, usually because the port is in use.
    #[error("cannot listen on {address}: {source}; choose another port, or 0 for any")]
    Bind {
        /// The address to listen on.
        address: SocketAddr,
        /// The cause.
        source: io::Error,
    },
    /// Sending or receiving failed permanently.
    #[error("the UDP socket failed: {0}")]
    Socket(#[source] io::Error),
    /// A TCP socket, or waiting for one, failed permanently.
    #[error("the TCP socket failed: {0}")]
    Tcp(#[source] io::Error),
    /// rustls rejected a certificate or a setting.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
    /// A certificate or its key cannot be made.
    #[error("cannot make a certificate: {0}")]
    Certificate(
        /// The cause.
        String,
    ),
    /// There is no certificate authority to trust.
    #[error("no certificate to trust: {0}; give a PEM file with --ca")]
    Certificates(
        /// The cause.
        String,
    ),
    /// The recording has no response to replay.
    #[error("{page}: the recording has no response to serve; record the page again, with bodies")]
    NothingToServe {
        /// The page's name.
        page: String,
    },
    /// Every attempt at a load was disturbed by the machine, or the browser failed.
    #[error(
        "all {} attempts at a load were disturbed ({}); stop other programs, or allow more \
         attempts with --retries",
        attempts.len(), attempts.join("; ")
    )]
    Disturbed {
        /// The reason for rejecting each attempt.
        attempts: Vec<String>,
    },
    /// The browser failed.
    #[error(transparent)]
    Chromium(#[from] pagerace_chromium::ChromiumError),
    /// The name of a server is neither a host name nor an address.
    #[error("{0:?} is not a host name or address that a certificate can hold")]
    Name(
        /// The rejected text.
        String,
    ),
    /// A folder cannot be served.
    #[error("cannot read {path}: {source}; give a readable folder")]
    Folder {
        /// The path of the folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The settings name an unknown congestion controller.
    #[error(transparent)]
    Controller(#[from] pagerace_cc::UnknownController),
    /// The connection could not be started.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// TLS agreed on no HTTP/2.
    #[error("the server at {0} does not speak HTTP/2: TLS did not agree on `h2` (ALPN)")]
    NoHttp2(
        /// The address of the server.
        SocketAddr,
    ),
    /// This process may not open a raw socket, or the system has none.
    #[error(
        "cannot open a raw socket: {source}; the controller of a server over TCP can be found out on Linux, as root or with the capability NET_RAW. Over HTTP/3 no permission is needed"
    )]
    RawSocket {
        /// The cause.
        source: io::Error,
    },
    /// The raw socket is one of IPv4.
    #[error(
        "{0} is an address of IPv6; the controller of a server over TCP can be found out over IPv4 only: give an address with --connect"
    )]
    Ipv6(
        /// The address of the server.
        SocketAddr,
    ),
    /// The server or the network ended the connection.
    #[error("the connection to {remote} is lost: {reason}")]
    Lost {
        /// The address of the server.
        remote: SocketAddr,
        /// The cause.
        reason: String,
    },
    /// This process has no permission to create the testbed of the live link.
    #[error(
        "cannot {what}: {source}; live loads need root, or the capabilities SYS_ADMIN and NET_ADMIN (in a container also the device /dev/net/tun). Use sudo, or `unshare --map-root-user --net` where users may. Simulations, recording and serving work without"
    )]
    Privileges {
        /// The operation that failed.
        what: &'static str,
        /// The cause.
        source: io::Error,
    },
    /// A required program is not installed.
    #[error("the command `{tool}` is missing; install the package {package}")]
    Tool {
        /// The name of the program.
        tool: &'static str,
        /// The package that contains the program.
        package: &'static str,
    },
    /// A configuration file of the system's resolver cannot be replaced.
    #[error(
        "cannot direct name look-ups to the live world: {file}: {source}; make it an ordinary \
         file, or skip look-ups with --dns none", file = file.display()
    )]
    Resolver {
        /// The path of the file.
        file: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The `ip` command refused to configure a namespace.
    #[error("the network of the testbed cannot be configured; the `ip` command says: {said}")]
    Configure {
        /// The error message of the command.
        said: String,
    },
    /// The kernel has no congestion controller of this name.
    #[error("the kernel has no congestion controller called {name:?}; it has: {available}")]
    Congestion {
        /// The requested name.
        name: String,
        /// The controllers that the kernel has.
        available: String,
    },
    /// The testbed has too few addresses for the servers.
    #[error("there is no server address number {asked}; the testbed has {available}")]
    Addresses {
        /// The requested address, counted from zero.
        asked: usize,
        /// The number of addresses.
        available: usize,
    },
    /// The link emulator stopped or could not start.
    #[error("the link emulator failed: {0}")]
    Emulator(
        /// The cause.
        String,
    ),
    /// A load was ended that had not begun.
    #[error("no load has begun on the link")]
    NotBegun,
    /// A scratch directory cannot be created.
    #[error("cannot make the directory {path}: {source}; set TMPDIR to a writable directory")]
    Directory {
        /// The path of the directory.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The operating system gave no random bytes.
    #[error("the operating system gave no random bytes")]
    Random,
}
