//! Probes congestion controllers over loopback sockets: over TCP those of this kernel, which
//! needs the permission to open raw sockets, and over QUIC those of our server and of the peers of
//! the interoperability tests. docs/probe.md has the result. Takes a few minutes.
//!
//! ```text
//! cargo run --release -p pagerace-live --example probe_congestion -- quic
//! cargo run --release -p pagerace-live --example probe_congestion -- tcp TIMES RTT_MS..
//! ```
//!
//! Over TCP, the client's own delay stands in for paths of these round trips.

#![allow(
    clippy::unwrap_used,
    reason = "this is a measurement, and fails where it stands"
)]
#![allow(clippy::print_stdout, reason = "this is a program")]
#![allow(dead_code, reason = "tests use more of the peers")]

#[path = "../tests/interop/peers.rs"]
mod peers;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pagerace_core::{Duration, Protocol};
use pagerace_live::probe::{self, RawTcp};
use pagerace_live::{LocalCa, OriginServer, Server, Servers, ServersConfig, secret_seed, site};
use pagerace_peer::{Reply, Request, ServerConfig, Site};
use pagerace_probe::congestion::{Fetch, Flights, SCALE, Shape, controllers, observe};
use pagerace_probe::plan::facts;
use pagerace_probe::world::{Served, ServedSite};
use pagerace_probe::{Budget, Subject, judge};
use pagerace_transport::quic::QuicSettings;
use pagerace_transport::quic::keys::{Identity, client_keys_trusting, client_tls};
use peers::{Peer, TheirServer};

/// Size of the object in bytes.
const LENGTH: u64 = 1_000_000;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["quic"] => quic(),
        ["tcp", times, ref rtts @ ..] => {
            let times = times.parse().unwrap();
            for rtt in rtts {
                tcp(times, Duration::from_millis(rtt.parse().unwrap()));
            }
        }
        _ => println!("give quic, or tcp TIMES RTT_MS.."),
    }
}

fn quic() {
    for peer in [Peer::QuicGo, Peer::Aioquic] {
        if let Some(server) = TheirServer::start(peer) {
            let path = format!("/bytes/{LENGTH}");
            let name = format!("{peer:?}");
            ask(&name, server.port, &server.certificate, &path);
        }
    }
    for controller in controllers() {
        ours(controller);
    }
}

/// Probes a server on a loopback socket.
fn ask(name: &str, port: u16, certificate: &[u8], path: &str) {
    let server = pagerace_probe::Server {
        remote: SocketAddr::from(([127, 0, 0, 1], port)),
        name: "localhost".to_owned(),
        authority: "localhost".to_owned(),
    };
    let keys = client_keys_trusting(certificate).unwrap();
    let flights = observe(
        Protocol::H3,
        Subject::Objects(&[path.to_owned()]),
        &Budget::default(),
        |job| probe::play(job, &server, &keys, secret_seed()?),
        |fetch| probe::watch(fetch, &server, &keys, secret_seed()?),
    );
    match flights {
        Ok(flights) => {
            tell(name, &flights);
        }
        Err(error) => println!("{name}: {error}"),
    }
}

fn ours(controller: &str) {
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
    let mut server = Server::bind(any, &config, large()).unwrap();
    let port = server.local_address().unwrap().port();
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    let thread = std::thread::spawn(move || server.run(&flag).unwrap());
    ask(controller, port, identity.certificate(), "/");
    stop.store(true, Ordering::Relaxed);
    thread.join().unwrap();
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

/// The name in `pagerace_cc` of each controller of the kernel. Reno and `NewReno` differ only
/// when several packets of a window are lost.
const KERNEL: [(&str, &[&str]); 3] = [
    ("reno", &["newreno", "reno"]),
    ("cubic", &["cubic-hystart"]),
    ("bbr", &["bbr"]),
];

/// Probes each controller of the kernel several times on a path of this round trip.
fn tcp(times: u32, rtt: Duration) {
    for (controller, names) in KERNEL {
        let mut tally: BTreeMap<&str, u32> = BTreeMap::new();
        for _ in 0..times {
            let flights = kernel(controller, rtt);
            let path = rtt.as_millis_f64();
            let answer = tell(&format!("kernel {controller}, path of {path} ms"), &flights);
            let word = match answer {
                None => "unknown",
                Some(members) if members.iter().any(|m| names.contains(m)) => "right",
                Some(_) => "wrong",
            };
            *tally.entry(word).or_default() += 1;
        }
        println!(
            "kernel {controller}, path of {} ms: {tally:?}",
            rtt.as_millis_f64()
        );
    }
}

/// Probes a server over the kernel's TCP with this controller.
fn kernel(controller: &str, rtt: Duration) -> Flights {
    let ca = Arc::new(LocalCa::new().unwrap());
    let config = ServersConfig {
        tcp_congestion: Some(controller.to_owned()),
        ..ServersConfig::new(ca.clone())
    };
    let origin = OriginServer {
        address: [127, 0, 0, 1].into(),
        port: 0,
        protocol: Protocol::H2,
        hosts: vec!["localhost".to_owned()],
    };
    let servers = Servers::start(None, &config, &[origin], Shared(large())).unwrap();
    let server = pagerace_probe::Server {
        remote: servers.addresses()[0],
        name: "localhost".to_owned(),
        authority: "localhost".to_owned(),
    };
    let tls = Arc::new(client_tls(ca.certificate_der(), b"h2").unwrap());
    let mut raw = RawTcp::open(server.remote).unwrap();
    let survey = |job| {
        let mut trace = probe::play_http2(job, &server, &tls)?;
        trace.connect += rtt;
        Ok::<_, pagerace_live::LiveError>(trace)
    };
    let subject = ["/".to_owned()];
    let subject = Subject::Objects(&subject);
    let flights = observe(Protocol::H2, subject, &Budget::default(), survey, |fetch| {
        let path_rtt = fetch.path_rtt.saturating_sub(rtt);
        raw.watch(Fetch { path_rtt, ..fetch }, &server, &tls)
    });
    flights.unwrap()
}

/// Prints the answer of a probe, and returns it.
fn tell(name: &str, flights: &Flights) -> Option<Vec<&'static str>> {
    let values: Vec<_> = flights.shapes().iter().map(Shape::values).collect();
    let model = flights.model(1);
    let expect = |name| (name, model.expect(name, &flights.trials));
    let entries: Vec<_> = controllers().into_iter().map(expect).collect();
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
    let answer = verdict.answer().map(|g| g.members.clone());
    let word = answer
        .as_ref()
        .map_or("unknown".to_owned(), |m| m.join(" or "));
    println!("{name}: {word}; {}", groups.join(", "));
    answer
}
