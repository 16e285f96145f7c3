//! Arguments of `pagerace serve`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::Parser;

use crate::cli::groups::{ControllerArgs, PageChoice, ProtocolArgs};

const EXAMPLES: &str = "\
Examples:
  pagerace serve examples/pages/shop.har
      the recorded page over HTTP/1.1, HTTP/2 and HTTP/3, and how to open it in Chromium

  pagerace serve examples/pages/shop.har --protocol h3 --strategy round-robin --port 4433
      the same over HTTP/3 only, with another strategy

  pagerace serve docs --ca ca.pem
      the folder docs; curl --cacert ca.pem https://localhost:8443/explain.md";

const PROTOCOLS: &str = "Versions of HTTP, separated by commas: h1 (HTTP/1.1 only), h2 (HTTP/2 and \
    HTTP/1.1), h3. [default: h2,h3]";
const CONTROLLER: &str = "Congestion controller of HTTP/3; see `pagerace list controllers`. TCP uses \
    the kernel's. [default: cubic]";

/// Serve a recorded page or a folder to a browser.
#[derive(Debug, Parser)]
#[command(
    name = "serve",
    after_long_help = EXAMPLES,
    mut_arg("protocol", |arg| arg.help(PROTOCOLS)),
    mut_arg("cc", |arg| arg.help(CONTROLLER).value_name("NAME"))
)]
pub(crate) struct ServeArgs {
    /// A recording with bodies (.page, .har, also .gz), or a folder.
    #[arg(value_name = "SITE")]
    pub(crate) site: PathBuf,

    #[command(flatten)]
    pub(crate) protocols: ProtocolArgs,

    /// Order in which responses are sent; see `pagerace list strategies`. A file of a folder has
    /// the class that the browser signals, else that of its type.
    #[arg(short, long, value_name = "NAME", default_value = "sequential")]
    pub(crate) strategy: String,

    #[command(flatten)]
    pub(crate) controller: ControllerArgs,

    /// Port of TCP and UDP.
    #[arg(short, long, value_name = "N", default_value_t = 8443,
        value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) port: u16,

    /// Address to listen on; 0.0.0.0 (IPv4) or :: (IPv6) for all interfaces.
    #[arg(short, long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) address: IpAddr,

    #[command(flatten)]
    pub(crate) choice: PageChoice,

    /// Answer at once, without the recorded servers' think times.
    #[arg(long)]
    pub(crate) no_think_time: bool,

    /// Write the certificate of the certificate authority as PEM, for clients to trust.
    /// Each run makes a new one.
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
}
