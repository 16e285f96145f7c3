//! Probes the congestion controllers of this kernel (in two namespaces, which needs the
//! permission to make them), of our server, and of the peers of the interoperability tests, over
//! sockets. docs/probe.md has the result. Takes a few minutes.
//!
//! ```text
//! cargo run --release -p pagerace-live --example probe_congestion [-- RTT_MS..]
//! ```

#![allow(
    clippy::unwrap_used,
    reason = "this is a measurement, and fails where it stands"
)]
#![allow(clippy::print_stdout, reason = "this is a program")]
#![allow(dead_code, reason = "tests use more of the peers")]

#[path = "../tests/interop/peers.rs"]
mod peers;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pagerace_core::{Duration, Protocol};
use pagerace_live::bulk::{Bulk, Carrier, transfer};
use pagerace_live::link::{Direction, Fate, Testbed};
use pagerace_live::{LiveError, Server, probe, secret_seed};
use pagerace_peer::{Retransmission, ServerConfig};
use pagerace_probe::congestion::{Offered, SCALE, Shape, Trial, controllers, observe, trials};
use pagerace_probe::model::Expected;
use pagerace_probe::plan::facts;
use pagerace_probe::world::{Served, ServedSite};
use pagerace_probe::{Budget, judge};
use pagerace_sim::{BulkScenario, LoadSettings, run_bulk_watched};
use pagerace_transport::quic::QuicSettings;
use pagerace_transport::quic::keys::{Identity, client_keys_trusting};
use peers::{Peer, TheirServer};

/// Size of the object in bytes.
const LENGTH: u64 = 1_000_000;

fn main() {
    let rtts: Vec<u64> = std::env::args()
        .skip(1)
        .map(|n| n.parse().unwrap())
        .collect();
    let rtts = if rtts.is_empty() {
        vec![10, 60, 150]
    } else {
        rtts
    };
    for peer in [Peer::QuicGo, Peer::Aioquic] {
        if let Some(server) = TheirServer::start(peer) {
            let path = format!("/bytes/{LENGTH}");
            ask(
                &format!("{peer:?}"),
                server.port,
                &server.certificate,
                &path,
            );
        }
    }
    for controller in controllers() {
        ours(controller);
    }
    match Testbed::open() {
        Ok(testbed) => {
            for rtt in rtts {
                for controller in ["reno", "cubic", "bbr"] {
                    kernel(&testbed, controller, Duration::from_millis(rtt));
                }
            }
        }
        Err(error) => println!("the kernel is left out: {error}"),
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
        path,
        &Budget::default(),
        |job| probe::play(job, &server, &keys, secret_seed()?),
        |fetch| probe::watch(fetch, &server, &keys, secret_seed()?),
    );
    let flights = match flights {
        Ok(flights) => flights,
        Err(error) => return println!("{name}: {error}"),
    };
    let values: Vec<_> = flights.shapes().iter().map(Shape::values).collect();
    let model = flights.model(1);
    let expect = |name| (name, model.expect(name, &flights.trials));
    let entries: Vec<_> = controllers().into_iter().map(expect).collect();
    tell(name, &entries, &values);
}

fn ours(controller: &str) {
    let identity = Identity::new(&["localhost"]).unwrap();
    let config = ServerConfig {
        settings: QuicSettings {
            congestion: controller.to_owned(),
            ..QuicSettings::default()
        },
        keys: identity.server_keys().unwrap(),
        strategy: "fifo".parse().unwrap(),
        retransmission: Retransmission::AtOnce,
        reliability: "full".parse().unwrap(),
        seed: secret_seed().unwrap(),
        h3: pagerace_http::h3::Config::default(),
        record: false,
        record_frames: false,
    };
    let site = ServedSite(vec![Served {
        path: "/".to_owned(),
        length: LENGTH,
        media_type: "image/png".to_owned(),
        facts: facts("image/png"),
        think_time: Duration::ZERO,
    }]);
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let mut server = Server::bind(any, &config, site).unwrap();
    let port = server.local_address().unwrap().port();
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    let thread = std::thread::spawn(move || server.run(&flag).unwrap());
    ask(controller, port, identity.certificate(), "/");
    stop.store(true, Ordering::Relaxed);
    thread.join().unwrap();
}

/// Runs the trials on the link between two namespaces, whose packets are all that is seen.
fn kernel(testbed: &Testbed, controller: &str, rtt: Duration) {
    let trials = trials(rtt);
    let watch = |trial: &Trial| -> Result<Vec<f64>, LiveError> {
        let bulk = Bulk {
            bytes: trial.bytes(),
            carrier: Carrier::KernelTcp {
                protocol: Protocol::H2,
                congestion: controller.to_owned(),
            },
        };
        let seen = transfer(testbed, &trial.network(), 1, &bulk)?;
        if let Some(why) = seen.link.objection() {
            println!("kernel {controller}, trial {}: {why}", trial.name);
        }
        let down = seen.link.packets.iter();
        let down = down.filter(|p| p.direction == Direction::Down);
        let offered: Vec<Offered> = down
            .map(|packet| Offered {
                at: packet.at,
                size: packet.size,
                lost: matches!(packet.fate, Fate::Lost | Fate::Dropped { .. }),
                dropped: matches!(packet.fate, Fate::Dropped { .. }),
            })
            .collect();
        Ok(Shape::of(trial, &offered).values())
    };
    let values: Result<Vec<Vec<f64>>, LiveError> = trials.iter().map(watch).collect();
    let name = format!("kernel {controller}, {} ms", trials[0].rtt.as_millis_f64());
    let entries = controllers()
        .into_iter()
        .map(|name| (name, simulated(name, &trials)));
    tell(&name, &entries.collect::<Vec<_>>(), &values.unwrap());
}

/// The simulator's TCP in the trials, with a round trip that is up to 1 % longer.
fn simulated(controller: &str, trials: &[Trial]) -> Expected {
    let repeats = (0..6_u32).map(|repeat| {
        let each = trials.iter().map(|trial| {
            let longer = Trial {
                rtt: trial.rtt + trial.rtt.mul_f64(0.002 * f64::from(repeat)),
                ..*trial
            };
            let scenario = BulkScenario {
                bytes: 1 << 30,
                network: longer.network(),
                protocol: Protocol::H2,
                congestion: controller.to_owned(),
                settings: LoadSettings {
                    deadline: trial.time,
                    ..LoadSettings::default()
                },
            };
            let (_, packets) = run_bulk_watched(&scenario, repeat.into()).unwrap();
            let packets = packets.into_iter().map(|packet| Offered {
                at: packet.at,
                size: packet.size,
                lost: packet.lost,
                dropped: packet.dropped,
            });
            Shape::of(trial, &packets.collect::<Vec<_>>()).values()
        });
        each.collect()
    });
    Expected::of(&repeats.collect::<Vec<_>>(), SCALE.worst)
}

fn tell(name: &str, entries: &[(&'static str, Expected)], values: &[Vec<f64>]) {
    let verdict = judge(values, entries, &SCALE);
    let groups = verdict.groups.iter().take(3).map(|g| {
        format!(
            "{} at {:.2} ({:.3})",
            g.members.join(" or "),
            g.distance,
            g.probability
        )
    });
    let groups: Vec<String> = groups.collect();
    let answer = verdict
        .answer()
        .map_or("unknown".to_owned(), |g| g.members.join(" or "));
    println!("{name}: {answer}; {}", groups.join(", "));
}
