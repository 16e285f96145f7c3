//! Fetches resources over HTTP/3 with this engine.
//!
//! ```text
//! cargo run -p pagerace-live --example h3_client -- ADDRESS CERTIFICATE PATH[=PRIORITY]...
//! ```
//!
//! For example `127.0.0.1:4433 h3_server.der / "/big.png=u=5, i"`. Prints the responses
//! in the order of their completion.

#[allow(dead_code, reason = "tests use more of it")]
#[path = "../tests/support/client.rs"]
mod client;

use std::time::Duration;

use anyhow::{Result, bail};
use pagerace_live::secret_seed;
use pagerace_peer::ClientConfig;
use pagerace_transport::quic::QuicSettings;
use pagerace_transport::quic::keys::client_keys_trusting;

use client::{Fetch, get};

#[expect(clippy::print_stdout, reason = "an example talks to people")]
fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, certificate, paths @ ..] = &arguments[..] else {
        bail!("usage: h3_client ADDRESS CERTIFICATE PATH[=PRIORITY]...");
    };
    let config = ClientConfig {
        settings: QuicSettings::default(),
        keys: client_keys_trusting(&std::fs::read(certificate)?)?,
        seed: secret_seed()?,
        h3: pagerace_http::h3::Config::default(),
        record: false,
    };
    let requests: Vec<Fetch> = paths
        .iter()
        .map(|path| match path.split_once('=') {
            Some((path, value)) => Fetch {
                priority: pagerace_http::priority::parse(value.as_bytes()),
                ..Fetch::get(path)
            },
            None => Fetch::get(path.as_str()),
        })
        .collect();
    let fetched = get(
        address.parse()?,
        "localhost",
        &config,
        &requests,
        Duration::from_secs(10),
    )?;
    for response in fetched {
        let (bytes, finished) = (response.body.len(), response.finished);
        println!(
            "{finished:>10} {} {bytes:>9} bytes {}",
            response.status, response.path
        );
    }
    Ok(())
}
