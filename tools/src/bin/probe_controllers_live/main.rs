//! Probes congestion controllers over sockets, behind emulated paths: those of this kernel over
//! TCP, which needs root, and over QUIC those of quinn, of our server, and of the peers of the
//! interoperability tests. docs/evidence.md has the result. A probe takes 20 s or longer.
//!
//! ```text
//! cargo run --release -p pagerace-tools --bin probe_controllers_live -- SERVERS TIMES NETWORK..
//! ```
//!
//! `SERVERS` are `kernel:reno`, `quinn:newreno`, `quic-go`, `aioquic`, `ours:vegas` and the like,
//! with commas between them, or `kernel`, `quinn` or `ours` for all of one kind.

#![allow(
    clippy::unwrap_used,
    reason = "this is a measurement, and fails where it stands"
)]
#![allow(clippy::print_stdout, reason = "this is a program")]
#![allow(dead_code, reason = "tests use more of the peers and of relays")]

#[path = "../../../../crates/pagerace-live/tests/interop/peers.rs"]
mod peers;
mod quinn_server;
#[path = "../../../../crates/pagerace-live/tests/support/relay.rs"]
mod relay;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pagerace_core::{Duration, Protocol};
use pagerace_live::link::Testbed;
use pagerace_live::probe::{self, RawTcp};
use pagerace_live::{
    Lateness, LocalCa, OriginServer, QuicServer, Servers, ServersConfig, secret_seed, site,
};
use pagerace_net::Network;
use pagerace_peer::{Reply, Request, ServerConfig, Site};
use pagerace_probe::congestion::{Flights, SCALE, Shape, controllers, observe};
use pagerace_probe::plan::facts;
use pagerace_probe::world::{Served, ServedSite};
use pagerace_probe::{Budget, Subject, judge};
use pagerace_transport::quic::QuicSettings;
use pagerace_transport::quic::keys::{Identity, client_keys_trusting, client_tls};
use peers::{Peer, TheirServer};
use quinn_server::QuinnServer;
use relay::Relay;

/// Size of the object in bytes.
const LENGTH: u64 = 1_000_000;

const KERNEL: [&str; 3] = ["reno", "cubic", "bbr"];
const QUINN: [&str; 3] = ["newreno", "cubic", "bbr"];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [servers, times, networks @ ..] = &words[..] else {
        println!("give SERVERS TIMES NETWORK..");
        return;
    };
    let all = |kind, names: &[&str]| names.iter().map(|n| format!("{kind}:{n}")).collect();
    let servers = servers.split(',').flat_map(|word| match word {
        "kernel" => all(word, &KERNEL),
        "quinn" => all(word, &QUINN),
        "ours" => all(word, &controllers(Protocol::H3)),
        one => vec![one.to_owned()],
    });
    let mut tally: BTreeMap<String, BTreeMap<String, u32>> = BTreeMap::new();
    for server in servers {
        for text in networks {
            let network = Network::parse(text).unwrap();
            for seed in 0..times.parse().unwrap() {
                let flights = match server.split_once(':') {
                    Some(("kernel", controller)) => kernel(controller, &network, seed),
                    Some(("quinn", controller)) => {
                        let server = QuinnServer::start(controller, LENGTH);
                        ask(server.address, &server.certificate, "/", &network, seed)
                    }
                    Some(("ours", controller)) => ours(controller, &network, seed),
                    _ => theirs(&server, &network, seed),
                };
                let name = format!("{server}, {text}");
                let answer = match flights {
                    Ok(flights) => tell(&name, &flights),
                    Err(why) => {
                        println!("{name}: {why}");
                        "none".to_owned()
                    }
                };
                *tally
                    .entry(server.clone())
                    .or_default()
                    .entry(answer)
                    .or_default() += 1;
            }
        }
    }
    for (server, answers) in tally {
        println!("{server}: {answers:?}");
    }
}

/// The trials of a probe, or why they do not count.
type Asked = Result<Flights, String>;

fn theirs(name: &str, network: &Network, seed: u64) -> Asked {
    let peer = match name {
        "quic-go" => Peer::QuicGo,
        "aioquic" => Peer::Aioquic,
        _ => panic!("there is no server {name}"),
    };
    let server = TheirServer::start(peer).unwrap();
    let address = SocketAddr::from(([127, 0, 0, 1], server.port));
    let path = format!("/bytes/{LENGTH}");
    ask(address, &server.certificate, &path, network, seed)
}

/// Probes a server of HTTP/3 on a loopback socket behind a path.
fn ask(address: SocketAddr, certificate: &[u8], path: &str, network: &Network, seed: u64) -> Asked {
    let relay = Relay::start(address, network, seed);
    let server = pagerace_probe::Server {
        remote: relay.address,
        name: "localhost".to_owned(),
        authority: "localhost".to_owned(),
    };
    let keys = client_keys_trusting(certificate).unwrap();
    let mut late = Lateness::default();
    let flights = observe(
        Protocol::H3,
        Subject::Objects(&[path.to_owned()]),
        &budget(),
        |job| probe::play(job, &server, &keys, secret_seed()?),
        |fetch| probe::watch(fetch, &server, &keys, secret_seed()?, &mut late),
    );
    flights.map_err(|error| error.to_string())
}

/// Long paths need more time than a probe has by default.
fn budget() -> Budget {
    Budget {
        time: Duration::from_secs(120),
        ..Budget::default()
    }
}

fn ours(controller: &str, network: &Network, seed: u64) -> Asked {
    let identity = Identity::new(&["localhost"]).unwrap();
    let config = ServerConfig {
        settings: QuicSettings {
            congestion: controller.to_owned(),
            ..QuicSettings::default()
        },
        ..ServerConfig::new(
            identity.server_keys().unwrap(),
            "fifo".parse().unwrap(),
            secret_seed().unwrap(),
        )
    };
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let mut server = QuicServer::bind(any, &config, large()).unwrap();
    let address = server.local_address().unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    let thread = std::thread::spawn(move || server.run(&flag).unwrap());
    let flights = ask(address, identity.certificate(), "/", network, seed);
    stop.store(true, Ordering::Relaxed);
    thread.join().unwrap();
    flights
}

/// A site of one large object.
fn large() -> ServedSite {
    ServedSite(vec![Served {
        path: "/".to_owned(),
        length: LENGTH,
        media_type: "image/png".to_owned(),
        facts: facts("image/png"),
        think_time: Duration::ZERO,
    }])
}

/// The site of servers that the kernel's TCP carries.
#[derive(Clone)]
struct Shared(ServedSite);

impl Site for Shared {
    fn reply(&mut self, request: &Request) -> Reply {
        self.0.reply(request)
    }
}

impl site::ServedSite for Shared {}

/// Probes a server over the kernel's TCP with this controller.
fn kernel(controller: &str, network: &Network, seed: u64) -> Asked {
    let testbed = Testbed::open().unwrap();
    let ca = Arc::new(LocalCa::new().unwrap());
    let config = ServersConfig {
        tcp_congestion: Some(controller.to_owned()),
        ..ServersConfig::new(ca.clone())
    };
    let origin = OriginServer {
        address: testbed.server_address(0).unwrap().into(),
        port: 443,
        protocol: Protocol::H2,
        hosts: vec!["localhost".to_owned()],
    };
    let site = Shared(large());
    let servers = Servers::start(Some(testbed.server()), &config, &[origin], site).unwrap();
    let server = pagerace_probe::Server {
        remote: servers.addresses()[0],
        name: "localhost".to_owned(),
        authority: "localhost".to_owned(),
    };
    let tls = Arc::new(client_tls(ca.certificate_der(), b"h2").unwrap());
    testbed.begin(network, seed).unwrap();
    let flights = testbed.client().run(move || {
        let mut raw = RawTcp::open(server.remote).unwrap();
        let mut late = Lateness::default();
        observe(
            Protocol::H2,
            Subject::Objects(&["/".to_owned()]),
            &budget(),
            |job| probe::play_http2(job, &server, &tls),
            |fetch| raw.watch(fetch, &server, &tls, &mut late),
        )
    });
    let report = testbed.finish().unwrap();
    if let Some(why) = report.objection() {
        return Err(why);
    }
    flights.map_err(|error| error.to_string())
}

/// Prints and returns the answer of a probe.
fn tell(name: &str, flights: &Flights) -> String {
    let values: Vec<_> = flights.shapes().iter().map(Shape::values).collect();
    let model = flights.model(1);
    let expect = |name| (name, model.expect(name, &flights.trials));
    let entries: Vec<_> = controllers(flights.protocol)
        .into_iter()
        .map(expect)
        .collect();
    let verdict = judge(&values, &entries, &SCALE);
    let groups = verdict.groups.iter().take(3).map(|g| {
        format!(
            "{} at {:.2} ({:.3})",
            g.members.join(" or "),
            g.distance,
            g.probability
        )
    });
    let groups: Vec<String> = groups.collect();
    let answer = verdict.answer();
    let answer = answer.map_or("unknown".to_owned(), |group| {
        let sure = if group.probability > 0.9 {
            "surely "
        } else {
            ""
        };
        format!("{sure}{}", group.members.join(" or "))
    });
    println!("{name}: {answer}; {}", groups.join(", "));
    answer
}
