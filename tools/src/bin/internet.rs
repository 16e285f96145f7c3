//! An Internet of 420 servers on loopback addresses, to measure scans with. Ends by itself.
//!
//! ```text
//! cargo run --release -p pagerace-tools --bin internet -- 100000 900 /tmp/internet
//! ```
//!
//! The arguments: domains, seconds to live, and a folder for the list and the certificate. It
//! prints the command that scans the list.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "this is a program"
)]

#[path = "../../../crates/pagerace-scan/tests/internet/mod.rs"]
mod internet;

use std::fmt::Write as _;
use std::time::Duration;

use internet::authority::{ANNOUNCING, Names};
use internet::hostile::Hostile;
use internet::web::{Quic, Web};
use internet::{Internet, Kind, Server, kind, ours};

/// A mix in which about 27 % of the domains speak HTTP/3: the kinds, their addresses, and their
/// domains in each thousand.
fn mix() -> Vec<(Kind, u32)> {
    let web = |web: Web| Server::Web(web);
    let h3 = Web {
        h2: true,
        alt_svc: Some("h3=\":443\"; ma=86400"),
        server: Some("cloudflare"),
        quic: Some(Quic::default()),
        ..Web::default()
    };
    let early = Quic {
        early_data: true,
        ..Quic::default()
    };
    let retry = Quic {
        retry: true,
        ..Quic::default()
    };
    let h2 = Web {
        h2: true,
        ..Web::default()
    };
    let far = Duration::from_millis(60);
    vec![
        (kind("h3", 80, web(h3.clone())), 130),
        (kind("ours", 20, web(ours::web())), 20),
        (
            kind(
                "early",
                40,
                web(Web {
                    quic: Some(early),
                    names: Names {
                        record: Some(ANNOUNCING),
                        ..Names::default()
                    },
                    ..h3.clone()
                }),
            ),
            50,
        ),
        (
            kind(
                "retry",
                20,
                web(Web {
                    quic: Some(retry),
                    ..h3.clone()
                }),
            ),
            20,
        ),
        (
            kind(
                "far",
                20,
                web(Web {
                    delay: far,
                    ..h3.clone()
                }),
            ),
            30,
        ),
        (
            kind(
                "lossy",
                20,
                web(Web {
                    delay: far,
                    loss: 0.02,
                    ..h3
                }),
            ),
            20,
        ),
        (kind("h2", 100, web(h2.clone())), 400),
        (kind("h1", 40, web(Web::default())), 130),
        (
            kind(
                "tls12",
                40,
                web(Web {
                    tls12: true,
                    ..h2.clone()
                }),
            ),
            100,
        ),
        (
            kind(
                "black-hole",
                20,
                web(Web {
                    udp_silent: true,
                    ..h2
                }),
            ),
            20,
        ),
        (kind("dead", 10, Server::Dead), 40),
        (kind("tarpit", 5, Server::Hostile(Hostile::Tarpit)), 10),
        (
            kind("head-endless", 2, Server::Hostile(Hostile::EndlessHead)),
            5,
        ),
        (
            kind("udp-amplify", 2, Server::Hostile(Hostile::AmplifyUdp)),
            5,
        ),
        (kind("dns-nx", 1, Server::Hostile(Hostile::NoDomain)), 20),
    ]
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [domains, seconds, folder] = &arguments[..] else {
        panic!("give domains, seconds to live, and a folder");
    };
    let (domains, seconds): (u32, u64) = (domains.parse().unwrap(), seconds.parse().unwrap());
    // All of them at once would exceed the limit that most shells have.
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    let raised = rustix::process::Rlimit {
        current: limit.maximum,
        ..limit
    };
    rustix::process::setrlimit(rustix::process::Resource::Nofile, raised).unwrap();
    let mix = mix();
    let mut list = String::new();
    for i in 0..domains {
        // Kinds in turn, in proportion, as in a list without an order.
        let mut place = i * 389 % 1000;
        let (kind, _) = mix
            .iter()
            .find(|(_, share)| {
                let here = place < *share;
                place = place.saturating_sub(*share);
                here
            })
            .unwrap();
        writeln!(list, "{i}.{}.test", kind.name).unwrap();
    }
    let servers: u32 = mix.iter().map(|(kind, _)| kind.addresses).sum();
    let internet = Internet::start(mix.into_iter().map(|(kind, _)| kind).collect(), 2);
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(format!("{folder}/domains.txt"), list).unwrap();
    std::fs::write(format!("{folder}/ca.pem"), &internet.ca).unwrap();
    println!("{servers} servers for {seconds} s; scan them with:");
    println!(
        "pagerace scan {folder}/domains.txt -o {folder}/scan.parquet --rate 250 --per-address 20 \
         --resolver {} --port {} --ca {folder}/ca.pem --private-addresses",
        internet.resolver, internet.port
    );
    std::thread::sleep(Duration::from_secs(seconds));
}
