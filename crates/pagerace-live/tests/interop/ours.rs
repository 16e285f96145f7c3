//! Our server in a thread, our client's configuration, and the two together.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use bytes::Bytes;
use pagerace_core::Priority;
use pagerace_live::{Fetch, MemorySite, Server, get, secret_seed};
use pagerace_peer::{ClientConfig, Retransmission, ServerConfig};
use pagerace_transport::quic::keys::{Identity, client_keys_trusting};
use pagerace_transport::quic::{ClientKeys, Settings};

use crate::peers::pattern;

/// Patience with a peer that says nothing.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Sizes of the resources `/a` to `/h`.
pub(crate) const SIZES: [(&str, usize); 8] = [
    ("/a", 400_000),
    ("/b", 400_000),
    ("/c", 0),
    ("/d", 1),
    ("/e", 1_199),
    ("/f", 65_536),
    ("/g", 123_457),
    ("/h", 3),
];

/// Our server, serving until it is dropped.
pub(crate) struct OurServer {
    pub(crate) port: u16,
    pub(crate) certificate: Vec<u8>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl OurServer {
    pub(crate) fn start(strategy: &str) -> Self {
        let identity = Identity::new(&["localhost"]).unwrap();
        let config = ServerConfig {
            settings: Settings::default(),
            keys: identity.server_keys().unwrap(),
            strategy: strategy.parse().unwrap(),
            retransmission: Retransmission::AtOnce,
            seed: secret_seed().unwrap(),
            record: false,
            record_frames: false,
        };
        let site = SIZES
            .iter()
            .fold(MemorySite::default(), |site, (path, size)| {
                site.with(path, "application/octet-stream", pattern(*size))
            });
        let mut server =
            Server::bind(SocketAddr::from(([127, 0, 0, 1], 0)), &config, site).unwrap();
        let port = server.local_address().unwrap().port();
        let stop = Arc::new(AtomicBool::new(false));
        let thread = {
            let stop = stop.clone();
            std::thread::spawn(move || server.run(&stop).unwrap())
        };
        let certificate = identity.certificate().to_vec();
        Self {
            port,
            certificate,
            stop,
            thread: Some(thread),
        }
    }
}

impl Drop for OurServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let ended = self.thread.take().expect("set until here").join();
        assert!(
            ended.is_ok() || std::thread::panicking(),
            "our server panicked"
        );
    }
}

/// Our client, trusting this certificate.
pub(crate) fn client_config(certificate: &[u8]) -> ClientConfig {
    let keys: ClientKeys = client_keys_trusting(certificate).unwrap();
    ClientConfig {
        settings: Settings::default(),
        keys,
        seed: secret_seed().unwrap(),
        record: false,
    }
}

/// Our address of a port.
pub(crate) fn local(port: u16) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], port))
}

#[test]
fn our_client_and_our_server() {
    let server = OurServer::start("round-robin");
    let mut requests: Vec<Fetch> = SIZES.iter().map(|(path, _)| Fetch::get(*path)).collect();
    requests.push(Fetch::get("/none"));
    requests.push(Fetch {
        method: "HEAD".into(),
        ..Fetch::get("/a")
    });
    requests.push(Fetch {
        method: "POST".into(),
        body: Some(Bytes::from(pattern(50_000))),
        ..Fetch::get("/d")
    });
    let config = client_config(&server.certificate);
    let fetched = get(
        local(server.port),
        "localhost",
        &config,
        &requests,
        PATIENCE,
    )
    .unwrap();
    assert_eq!(fetched.len(), requests.len());
    for (path, size) in SIZES {
        assert!(
            fetched
                .iter()
                .any(|f| f.path == path && f.status == 200 && f.body == pattern(size))
        );
    }
    let of = |status| fetched.iter().find(|f| f.status == status).unwrap();
    assert_eq!((&of(404).path[..], &of(405).path[..]), ("/none", "/d"));
    assert!(
        fetched.iter().any(|f| f.path == "/a" && f.body.is_empty()),
        "HEAD has no content"
    );
}

#[test]
fn our_server_obeys_our_client() {
    let server = OurServer::start("eps");
    let urgent = |urgency| Some(Priority::new(urgency, false));
    let mut requests = [Fetch::get("/a"), Fetch::get("/b")];
    requests[0].priority = urgent(1);
    requests[1].priority = urgent(5);
    let config = client_config(&server.certificate);
    let order = |requests: &[Fetch]| -> Vec<String> {
        let fetched = get(local(server.port), "localhost", &config, requests, PATIENCE).unwrap();
        fetched.into_iter().map(|f| f.path).collect()
    };
    assert_eq!(order(&requests), ["/a", "/b"]);
    requests[0].update = urgent(7);
    assert_eq!(order(&requests), ["/b", "/a"]);
}

#[test]
fn a_server_that_is_not_trusted_is_refused() {
    let server = OurServer::start("eps");
    let stranger = Identity::new(&["localhost"]).unwrap();
    let config = client_config(stranger.certificate());
    let error = get(
        local(server.port),
        "localhost",
        &config,
        &[Fetch::get("/d")],
        PATIENCE,
    );
    let error = error.unwrap_err().to_string();
    assert!(error.contains("is lost"), "{error}");
}
