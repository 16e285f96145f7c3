//! Arguments of `pagerace probe`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Parser;
use pagerace_core::Protocol;

use crate::cli::groups::{JobsArgs, SeedArgs};

const EXAMPLES: &str = "\
The probe requests the objects several times on a few connections, with different priorities, and
reads slowly. Probe servers that are yours, or whose owner agrees. It follows no redirect and
contacts no other host.

Examples:
  pagerace probe https://www.example.com/large.jpg
      the signals that the server heeds, and the strategies that order bytes like it

  pagerace probe https://www.example.com/ https://www.example.com/a.css \\
      https://www.example.com/b.js https://www.example.com/c.jpg --report probe.html
      the same with objects of different types, which servers may treat differently

  pagerace probe --find https://www.example.com/
      the same with up to six objects of this host that the page refers to

  pagerace probe --protocol h2 https://www.example.com/large.jpg
      the same over HTTP/2, where a server may run another scheduler

  pagerace probe --congestion https://www.example.com/large.iso
      the congestion controller of the server: 20 s and 6 MB of an object of at least 70 kB

  sudo pagerace probe --congestion -P h2 https://www.example.com/large.iso
      the same over TCP: Linux only, as root or with the capability NET_RAW

  pagerace probe https://localhost:8443/large.bin --ca ca.pem --json
      a server of `pagerace serve FOLDER --protocol h3 --ca ca.pem`";

/// Find out in which order a real HTTP/3 server sends its responses.
#[derive(Debug, Parser)]
#[command(
    name = "probe",
    after_long_help = EXAMPLES,
    mut_arg("seed", |arg| arg.help("Seed of the simulations"))
)]
pub(crate) struct ProbeArgs {
    /// URLs of one to six objects of at least 12 kB, of the same host. For a single URL of a
    /// smaller page, or one of unknown size, --find is implied.
    #[arg(value_name = "URL", required = true, num_args = 1..=6)]
    pub(crate) urls: Vec<String>,

    /// Version of HTTP: h3 or h2.
    #[arg(short = 'P', long, value_name = "NAME", default_value_t = Protocol::H3,
        value_parser = protocol)]
    pub(crate) protocol: Protocol,

    /// Find out the congestion controller instead of the order of responses. Takes one URL. Over
    /// h2, it needs Linux and the permission to open raw sockets, as root has.
    #[arg(long)]
    pub(crate) congestion: bool,

    /// Take the URL for a page and probe objects of its host that it refers to: up to six of at
    /// least 54 kB, or the largest. Needs at most 17 more requests.
    #[arg(long)]
    pub(crate) find: bool,

    /// Contact this address instead of the host's.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) connect: Option<SocketAddr>,

    /// Trust the certificates in this PEM file instead of those of the system.
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,

    /// Most requests. A probe of one object needs at least 43, over HTTP/2 57.
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = "Limits",
        value_parser = clap::value_parser!(u16).range(43..=1_000))]
    pub(crate) requests: u16,

    /// Most bytes of responses, in megabytes. Packets may add half as much.
    #[arg(long, value_name = "MB", default_value_t = 6, help_heading = "Limits",
        value_parser = clap::value_parser!(u16).range(2..=100))]
    pub(crate) megabytes: u16,

    /// Longest time of the connections, in seconds.
    #[arg(long, value_name = "S", default_value_t = 60, help_heading = "Limits",
        value_parser = clap::value_parser!(u16).range(5..=600))]
    pub(crate) seconds: u16,

    #[command(flatten, next_help_heading = "Simulations")]
    pub(crate) random: SeedArgs,

    #[command(flatten, next_help_heading = "Simulations")]
    pub(crate) threads: JobsArgs,

    /// Print the result as JSON.
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    /// Write a picture of the measurements as one HTML file.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) report: Option<PathBuf>,
}

/// Returns the protocol of a probe.
fn protocol(name: &str) -> Result<Protocol, String> {
    let known = name.parse().ok();
    let known = known.filter(|protocol| *protocol != Protocol::H1);
    known.ok_or_else(|| "choose h3 or h2".to_owned())
}
