//! Objects in datagrams over real sockets, through a relay that drops packets.

use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use pagerace_delivery::reliability::Nature;
use pagerace_peer::{ClientConfig, Reply, Request, Site};

use crate::client::{Fetch, Fetched, get};
use crate::memory::MemorySite;
use crate::ours::{OurServer, PATIENCE, SIZES, client_config};
use crate::peers::pattern;

/// A site whose objects are all non-essential.
#[derive(Clone)]
pub(crate) struct Dispensable(pub(crate) MemorySite);

impl Site for Dispensable {
    fn reply(&mut self, request: &Request) -> Reply {
        Reply {
            nature: Nature {
                essential: false,
                whole: true,
                seen: false,
                selected: true,
            },
            ..self.0.reply(request)
        }
    }
}

/// A relay for datagrams between one client and a server that drops some of the server's.
struct Relay {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Relay {
    /// Starts a relay. `loses` returns true if the server's datagram of this number is
    /// dropped.
    fn start(server: SocketAddr, loses: fn(usize) -> bool) -> Self {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let (near, far) = (UdpSocket::bind(any).unwrap(), UdpSocket::bind(any).unwrap());
        far.connect(server).unwrap();
        for socket in [&near, &far] {
            let wait = Some(Duration::from_millis(20));
            socket.set_read_timeout(wait).unwrap();
        }
        let address = near.local_addr().unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let client = Arc::new(std::sync::Mutex::new(None));
        let up = {
            let (near, far) = (near.try_clone().unwrap(), far.try_clone().unwrap());
            let (client, stop) = (client.clone(), stop.clone());
            std::thread::spawn(move || {
                let mut buf = [0; 2_048];
                while !stop.load(Ordering::Relaxed) {
                    if let Ok((n, from)) = near.recv_from(&mut buf) {
                        *client.lock().unwrap() = Some(from);
                        let _ = far.send(&buf[..n]);
                    }
                }
            })
        };
        let down = {
            let stop = stop.clone();
            std::thread::spawn(move || {
                let (mut buf, mut count) = ([0; 2_048], 0);
                while !stop.load(Ordering::Relaxed) {
                    if let Ok(n) = far.recv(&mut buf) {
                        count += 1;
                        let to = *client.lock().unwrap();
                        if let Some(to) = to.filter(|_| !loses(count)) {
                            let _ = near.send_to(&buf[..n], to);
                        }
                    }
                }
            })
        };
        Self {
            address,
            stop,
            threads: vec![up, down],
        }
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            thread.join().unwrap();
        }
    }
}

fn with_datagrams(server: &OurServer) -> ClientConfig {
    let mut config = plain(server);
    config.settings.datagrams = true;
    config.h3.object_datagrams = true;
    config
}

fn plain(server: &OurServer) -> ClientConfig {
    client_config(&server.certificate)
}

/// Fetches all resources from a server with this policy, over a lossy path.
fn fetch(
    policy: &str,
    loses: fn(usize) -> bool,
    config: fn(&OurServer) -> ClientConfig,
) -> Vec<Fetched> {
    let server = OurServer::with_policy("fifo", policy);
    let relay = Relay::start(([127, 0, 0, 1], server.port).into(), loses);
    let requests = SIZES.map(|(path, _)| Fetch::get(path));
    let config = config(&server);
    let fetched = get(relay.address, "localhost", &config, &requests, PATIENCE).unwrap();
    assert_eq!(fetched.len(), SIZES.len());
    fetched
}

fn assert_whole(fetched: &[Fetched]) {
    for one in fetched {
        let (_, size) = SIZES.iter().find(|(path, _)| *path == one.path).unwrap();
        assert_eq!(one.status, 200);
        assert!(one.body == pattern(*size), "{} is as it was", one.path);
    }
}

/// Drops every tenth datagram after the handshake.
const TENTH: fn(usize) -> bool = |n| n > 15 && n.is_multiple_of(10);

/// Socket buffers are small, so a busy machine may drop some datagrams of a burst by
/// itself.
#[test]
fn what_is_not_lost_arrives() {
    let server = OurServer::with_policy("fifo", "datagram:non-essential");
    let requests = SIZES.map(|(path, _)| Fetch::get(path));
    let config = with_datagrams(&server);
    let address = ([127, 0, 0, 1], server.port).into();
    let fetched = get(address, "localhost", &config, &requests, PATIENCE).unwrap();
    assert_eq!(fetched.len(), SIZES.len());
    for one in &fetched {
        // An empty resource is not sent in datagrams.
        assert_eq!(one.loss.is_some(), one.path != "/c", "{}", one.path);
        if one.loss.is_none_or(|report| report.missing_bytes() == 0) {
            assert_whole(std::slice::from_ref(one));
        }
    }
    let complete = fetched.iter().filter_map(|one| one.loss);
    assert!(
        complete
            .filter(|report| report.missing_bytes() == 0)
            .count()
            >= 4
    );
}

#[test]
fn what_is_lost_is_told() {
    let fetched = fetch("datagram:non-essential", TENTH, with_datagrams);
    let longest = fetched.iter().find(|one| one.path == "/a").unwrap();
    let report = longest.loss.expect("it came in datagrams");
    assert_eq!(report.length, 400_000);
    let share = report.missing_bytes() as f64 / 400_000.0;
    assert!((0.05..0.2).contains(&share), "{report:?}");
    assert!(longest.body.len() < 400_000);
}

#[test]
fn ranges_repair_what_is_lost() {
    let fetched = fetch("deadline:20s,repair", TENTH, with_datagrams);
    assert_whole(&fetched);
    let repaired = fetched.iter().filter_map(|one| one.loss);
    let repaired: u64 = repaired.map(|report| report.repaired_bytes).sum();
    assert!(repaired > 0);
}

#[test]
fn parity_restores_what_is_lost() {
    let fetched = fetch("fec:0.4,repair", TENTH, with_datagrams);
    assert_whole(&fetched);
    let restored = fetched.iter().filter_map(|one| one.loss);
    let restored: u64 = restored.map(|report| report.restored_bytes).sum();
    assert!(restored > 0);
}

#[test]
fn who_takes_no_datagrams_gets_streams() {
    let fetched = fetch("datagram:non-essential", TENTH, plain);
    assert_whole(&fetched);
    assert!(fetched.iter().all(|one| one.loss.is_none()));
}
