//! Serves a folder over HTTP/3 through a strategy.
//!
//! ```text
//! cargo run -p pagerace-live --example h3_server -- FOLDER [STRATEGY] [ADDRESS] [CERTIFICATE]
//! ```
//!
//! Writes the self-signed certificate (DER) for clients to trust.

use std::error::Error;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use pagerace_live::{FolderSite, QuicServer, secret_seed};
use pagerace_peer::ServerConfig;
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
    let certificate = argument(3, "h3_server.der");

    let identity = Identity::new(&["localhost", "127.0.0.1"])?;
    std::fs::write(&certificate, identity.certificate())?;
    let strategy = argument(1, "eps").parse()?;
    let config = ServerConfig::new(identity.server_keys()?, strategy, secret_seed()?);
    let address = argument(2, "127.0.0.1:4433").parse()?;
    let mut server = QuicServer::bind(address, &config, FolderSite::new(Path::new(&folder))?)?;
    println!(
        "{folder} is at https://{}/, trust {certificate}",
        server.local_address()?
    );
    server.run(&AtomicBool::new(false))?;
    Ok(())
}
