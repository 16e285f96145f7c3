//! Serves a folder over HTTP/2 and HTTP/1.1 through a strategy.
//!
//! ```text
//! cargo run -p pagerace-live --example h2_server -- FOLDER [STRATEGY] [ADDRESS] [CERTIFICATE]
//! ```
//!
//! Writes the self-signed certificate (DER) for clients to trust.

use std::error::Error;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use pagerace_live::FolderSite;
use pagerace_live::tcp::{TlsServer, TlsServerConfig, server_tls};
use pagerace_peer::stream::StreamServerConfig;
use pagerace_transport::quic::keys::Identity;

#[expect(clippy::print_stdout, reason = "an example talks to people")]
fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |at: usize, default: &str| {
        arguments
            .get(at)
            .cloned()
            .unwrap_or_else(|| default.to_owned())
    };
    let folder = argument(0, ".");
    let certificate = argument(3, "h2_server.der");

    let identity = Identity::new(&["localhost", "127.0.0.1"])?;
    std::fs::write(&certificate, identity.certificate())?;
    let stream = StreamServerConfig::new(argument(1, "eps").parse()?);
    let config = TlsServerConfig::new(stream, server_tls(&identity)?);
    let address = argument(2, "127.0.0.1:8443").parse()?;
    let mut server = TlsServer::bind(address, &config, FolderSite::new(Path::new(&folder))?)?;
    println!(
        "{folder} is at https://{}/, trust {certificate}",
        server.local_address()?
    );
    server.run(&AtomicBool::new(false))?;
    Ok(())
}
