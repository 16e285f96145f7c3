//! Our server in a thread, the configuration of our client, and a test of both together.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use bytes::Bytes;
use pagerace_core::Priority;
use pagerace_live::{QuicServer, secret_seed};
use pagerace_peer::{ClientConfig, Retransmission, SentFrame, ServerConfig, Site};
use pagerace_transport::quic::keys::{Identity, client_keys_trusting};
use pagerace_transport::quic::{ClientKeys, QuicSettings};

use crate::client::{Fetch, get};
use crate::memory::MemorySite;
use crate::objects::Dispensable;
use crate::peers::pattern;

/// Time to wait for a silent peer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Length of resources that share the link with another one, in bytes. It is below every
/// peer's initial stream window.
const LONG: usize = 400_000;

/// Lengths of the resources `/a` to `/h`, in bytes.
pub(crate) const SIZES: [(&str, usize); 8] = [
    ("/a", LONG),
    ("/b", LONG),
    ("/c", 0),
    ("/d", 1),
    ("/e", 1_199),
    ("/f", 65_536),
    ("/g", 123_457),
    ("/h", 3),
];

/// Our server, which runs until it is dropped.
pub(crate) struct OurServer {
    pub(crate) port: u16,
    pub(crate) certificate: Vec<u8>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Vec<SentFrame>>>,
}

impl OurServer {
    pub(crate) fn start(strategy: &str) -> Self {
        Self::serving(strategy, "full", site())
    }

    /// Starts a server with this reliability policy whose objects are all non-essential.
    pub(crate) fn with_policy(strategy: &str, policy: &str) -> Self {
        Self::serving(strategy, policy, Dispensable(site()))
    }

    fn serving(strategy: &str, policy: &str, site: impl Site + Send + 'static) -> Self {
        let identity = Identity::new(&["localhost"]).unwrap();
        let config = ServerConfig {
            settings: QuicSettings {
                datagrams: policy != "full",
                ..QuicSettings::default()
            },
            keys: identity.server_keys().unwrap(),
            strategy: strategy.parse().unwrap(),
            reliability: policy.parse().unwrap(),
            retransmission: Retransmission::AtOnce,
            seed: secret_seed().unwrap(),
            h3: pagerace_http::h3::Config {
                object_datagrams: policy != "full",
                ..pagerace_http::h3::Config::default()
            },
            record: false,
            record_frames: true,
        };
        let mut server =
            QuicServer::bind(SocketAddr::from(([127, 0, 0, 1], 0)), &config, site).unwrap();
        let port = server.local_address().unwrap().port();
        let stop = Arc::new(AtomicBool::new(false));
        let thread = {
            let stop = stop.clone();
            std::thread::spawn(move || {
                server.run(&stop).unwrap();
                server.take_frames()
            })
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

fn site() -> MemorySite {
    SIZES
        .iter()
        .fold(MemorySite::default(), |site, (path, size)| {
            site.with(path, pattern(*size))
        })
}

impl OurServer {
    /// Stops the server and returns the sent frames in order.
    pub(crate) fn stop(mut self) -> Vec<SentFrame> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for OurServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Asserts that, of two long responses on one connection, stream `first` was sent before
/// stream `other`.
///
/// The order is that of the sent frames, as the client's threads may see the bytes in any
/// order. Some bytes of `other` may precede, as they may be sent before a request or an
/// update arrives.
pub(crate) fn assert_first(frames: &[SentFrame], first: u64, other: u64) {
    let before = overtaking(frames, first, other);
    assert!(
        before * 4 < LONG as u64,
        "{before} bytes of stream {other} overtook stream {first}"
    );
}

/// Returns the bytes of stream `other` that were sent before the last frame of stream
/// `first`. Both streams must be complete.
pub(crate) fn overtaking(frames: &[SentFrame], first: u64, other: u64) -> u64 {
    let last = frames
        .iter()
        .rposition(|f| f.stream == first && !f.retransmission);
    let (before, _) = frames.split_at(last.expect("it was sent"));
    let bytes = |frames: &[SentFrame], stream: u64| -> u64 {
        let fresh = frames
            .iter()
            .filter(|f| f.stream == stream && !f.retransmission);
        fresh.map(|f| f.length).sum()
    };
    for stream in [first, other] {
        let all = bytes(frames, stream);
        assert!(all >= LONG as u64, "stream {stream} is complete");
    }
    bytes(before, other)
}

/// Returns a configuration of our client that trusts this certificate.
pub(crate) fn client_config(certificate: &[u8]) -> ClientConfig {
    let keys: ClientKeys = client_keys_trusting(certificate).unwrap();
    ClientConfig {
        settings: QuicSettings::default(),
        keys,
        seed: secret_seed().unwrap(),
        h3: pagerace_http::h3::Config::default(),
        record: false,
    }
}

/// Returns the loopback address with this port.
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
    let urgent = |urgency| Some(Priority::new(urgency, false));
    for (update, first, other) in [(None, 0, 4), (urgent(7), 4, 0)] {
        let server = OurServer::start("eps");
        let requests = [
            Fetch {
                priority: urgent(1),
                update,
                ..Fetch::get("/a")
            },
            Fetch {
                priority: urgent(5),
                ..Fetch::get("/b")
            },
        ];
        let config = client_config(&server.certificate);
        get(
            local(server.port),
            "localhost",
            &config,
            &requests,
            PATIENCE,
        )
        .unwrap();
        assert_first(&server.stop(), first, other);
    }
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
