//! Probes of our server over loopback sockets, also through an emulated path with loss.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, its helpers too"
)]

#[path = "support/relay.rs"]
mod relay;

use std::io::{self, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use pagerace_core::Protocol;
use pagerace_delivery::StrategySpec;
use pagerace_live::tcp::{TlsServer, TlsServerConfig};
use pagerace_live::{Clock, LiveError, QuicServer, probe, secret_seed};
use pagerace_net::Network;
use pagerace_peer::ServerConfig;
use pagerace_peer::stream::StreamServerConfig;
use pagerace_probe::candidate::Ear;
use pagerace_probe::plan::facts;
use pagerace_probe::world::{Served, ServedSite};
use pagerace_probe::{
    Behaviour, Budget, Candidate, End, Heeded, Kind, Model, Observed, ProbeError, SCHEDULERS,
    Server, Sharing, Subject, candidates, judge, observe,
};
use pagerace_transport::quic::ServerKeys;
use pagerace_transport::quic::keys::{Identity, client_keys_trusting, client_tls, server_tls};
use quinn_proto::crypto::rustls::QuicServerConfig;
use relay::Truth;

/// Probes a server of this strategy, and compares with the default strategies. The timing of
/// sockets is that of the machine, so the answer itself is left to the tests in virtual time.
fn probed(strategy: &str, network: Option<&str>) {
    let strategy: StrategySpec = strategy.parse().unwrap();
    let network = network.map(|text| Network::parse(text).unwrap());
    let truth = Truth::start(&strategy, network.as_ref(), 1);
    let budget = Budget::default();
    let observed = observe(
        Protocol::H3,
        Subject::Objects(&truth.paths),
        &budget,
        |job| probe::play(job, &truth.address, &truth.keys, secret_seed()?),
    );
    let observed = observed.unwrap();
    let used = observed.used;
    assert_eq!(observed.objects.len(), truth.paths.len());
    let scripts = Kind::ALL.into_iter().filter(|k| k.suits(Protocol::H3, 6));
    assert_eq!(observed.traces.len(), scripts.count());
    assert!(used.connections > observed.traces.len(), "{used:?}");
    assert!(used.requests <= budget.requests, "{used:?}");
    // Each connection may pass its limit by a datagram.
    let slack = 1_500 * used.connections as u64;
    assert!(used.bytes <= budget.bytes + slack, "{used:?}");
    assert!(used.payload >= used.bytes, "{used:?}");
    for trace in &observed.traces {
        assert!(trace.heads.iter().flatten().all(|head| head.status == 206));
        assert!(trace.chunks.is_sorted_by_key(|chunk| chunk.at));
        if trace.end == End::Complete {
            assert!(trace.heads.iter().all(Option::is_some), "{}", trace.script);
        }
    }
    let model = Model {
        repeats: 3,
        ..observed.model(1)
    };
    let entries: Vec<_> = StrategySpec::defaults()
        .into_iter()
        .map(|strategy| {
            let ear = Ear::ALL;
            let candidate = Candidate { strategy, ear };
            (candidate.clone(), model.expect(&candidate))
        })
        .collect();
    let verdict = judge(&observed.values(), &entries, &SCHEDULERS);
    let truth = Candidate {
        strategy,
        ear: Ear::ALL,
    };
    let group = verdict.groups.iter().find(|g| g.members.contains(&truth));
    assert!(group.is_some_and(|g| g.distance.is_finite()), "{verdict:?}");
    let sum = verdict.groups.iter().map(|g| g.probability).sum::<f64>() + verdict.unknown;
    assert!((sum - 1.0).abs() < 1e-9, "{verdict:?}");
}

#[test]
fn servers_are_probed_over_sockets() {
    for strategy in ["eps", "weighted-round-robin"] {
        probed(strategy, None);
    }
}

#[test]
fn a_server_is_probed_behind_a_path_with_loss() {
    let network = "rate 20mbit rtt 30ms loss 1% queue 200p";
    probed("sequential", Some(network));
}

#[test]
fn a_server_that_is_not_trusted_is_not_probed() {
    let truth = Truth::start(&"fifo".parse().unwrap(), None, 1);
    let stranger = Truth::start(&"fifo".parse().unwrap(), None, 2);
    let error = observe(
        Protocol::H3,
        Subject::Objects(&truth.paths),
        &Budget::default(),
        |job| probe::play(job, &truth.address, &stranger.keys, secret_seed()?),
    );
    let text = error.unwrap_err().to_string();
    assert!(text.contains("the connection was lost"), "{text}");
}

/// Our server over TCP, which runs until it is dropped.
struct TcpTruth {
    address: Server,
    certificate: Vec<u8>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl TcpTruth {
    /// Starts a server of two objects that offers these protocols.
    fn start(strategy: &str, alpn: &[&[u8]]) -> Self {
        let identity = Identity::new(&["localhost"]).unwrap();
        let tls = server_tls(identity.chain(), identity.key(), alpn).unwrap();
        Self::with_tls(strategy, &identity, tls)
    }

    /// Starts a server that sends its certificate so many times.
    fn with_chain(strategy: &str, alpn: &[&[u8]], copies: usize) -> Self {
        let identity = Identity::new(&["localhost"]).unwrap();
        let chain = vec![identity.chain(); copies].concat();
        let tls = server_tls(chain, identity.key(), alpn).unwrap();
        Self::with_tls(strategy, &identity, tls)
    }

    /// Starts a server of HTTP/2 that knows TLS 1.2 alone.
    fn with_tls12(strategy: &str) -> Self {
        let identity = Identity::new(&["localhost"]).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut tls = rustls::ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&rustls::version::TLS12])
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(identity.chain(), identity.key().into())
            .unwrap();
        tls.alpn_protocols = vec![b"h2".to_vec()];
        Self::with_tls(strategy, &identity, tls)
    }

    fn with_tls(strategy: &str, identity: &Identity, tls: rustls::ServerConfig) -> Self {
        let object = |path: &str| Served {
            path: path.to_owned(),
            length: 100_000,
            media_type: "text/css".to_owned(),
            facts: facts("text/css"),
            think_time: pagerace_core::Duration::ZERO,
        };
        let site = ServedSite(["/0", "/1"].map(object).to_vec());
        let stream = StreamServerConfig::new(strategy.parse().unwrap());
        let config = TlsServerConfig::new(stream, Arc::new(tls));
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut server = TlsServer::bind(any, &config, site).unwrap();
        let address = Server {
            remote: server.local_address().unwrap(),
            name: "localhost".to_owned(),
            authority: "localhost".to_owned(),
        };
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = std::thread::spawn(move || server.run(&stopped).unwrap());
        Self {
            address,
            certificate: identity.certificate().to_vec(),
            stop,
            thread: Some(thread),
        }
    }

    fn probe(&self) -> Result<Observed, ProbeError<LiveError>> {
        let mut roots = rustls::RootCertStore::empty();
        roots.add(self.certificate.clone().into()).unwrap();
        let tls = probe::tls(roots).unwrap();
        let paths = ["/0", "/1"].map(str::to_owned);
        observe(
            Protocol::H2,
            Subject::Objects(&paths),
            &Budget::default(),
            |job| probe::play_http2(job, &self.address, &tls),
        )
    }
}

impl Drop for TcpTruth {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Over HTTP/2 the window makes the order independent of the machine's timing.
#[test]
fn servers_are_probed_over_http2() {
    let truth = TcpTruth::start("eps", &[b"h2", b"http/1.1"]);
    let observed = truth.probe().unwrap();
    let played = Kind::ALL.into_iter().filter(|k| k.suits(Protocol::H2, 2));
    assert_eq!(observed.traces.len(), played.count());
    assert!(observed.traces.iter().all(|t| t.end == End::Complete));
    // The payload includes the bytes that TLS adds to each frame: RFC 8446, section 5.2.
    let wrapped = |t: &pagerace_probe::Trace| t.payload > t.received + 31 * t.chunks.len() as u64;
    assert!(observed.traces.iter().all(wrapped));
    let found = Behaviour::of(&observed);
    assert_eq!(found.plain, Sharing::Sequential);
    assert_eq!(
        [found.field, found.incremental, found.before, found.after],
        [Heeded::Strictly; 4]
    );
    assert_eq!(found.tree, Some(Heeded::Not));
    let model = observed.model(1);
    let all = candidates(Protocol::H2).into_iter();
    let entries: Vec<_> = all.map(|c| (c.clone(), model.expect(&c))).collect();
    let verdict = judge(&observed.values(), &entries, &SCHEDULERS);
    let answer = verdict.answer().unwrap();
    assert_eq!(answer.members[0].to_string(), "eps");
}

#[test]
fn a_server_with_tls_1_2_alone_is_probed_over_http2() {
    let observed = TcpTruth::with_tls12("fifo").probe().unwrap();
    assert!(observed.traces.iter().all(|t| t.end == End::Complete));
    let found = Behaviour::of(&observed);
    assert_eq!(
        (found.plain, found.field),
        (Sharing::Sequential, Heeded::Not)
    );
}

#[test]
fn a_server_without_http2_is_named() {
    let truth = TcpTruth::start("eps", &[b"http/1.1"]);
    let text = truth.probe().unwrap_err().to_string();
    assert!(text.contains("does not speak HTTP/2"), "{text}");
    let truth = TcpTruth::start("eps", &[]);
    let text = truth.probe().unwrap_err().to_string();
    assert!(text.contains("does not speak HTTP/2"), "{text}");
}

/// Chains of 300 kB.
#[test]
fn giant_certificates_are_an_error_of_one_line() {
    let truth = TcpTruth::with_chain("fifo", &[b"h2"], 150);
    let over_tcp = truth.probe().unwrap_err().to_string();

    let identity = Identity::new(&["localhost"]).unwrap();
    let chain = vec![identity.chain(); 150].concat();
    let tls = server_tls(chain, identity.key(), &[b"h3"]).unwrap();
    let keys = ServerKeys::Tls(Arc::new(QuicServerConfig::try_from(tls).unwrap()));
    let config = ServerConfig::new(keys, "fifo".parse().unwrap(), secret_seed().unwrap());
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let mut server = QuicServer::bind(any, &config, ServedSite(Vec::new())).unwrap();
    let address = Server {
        remote: server.local_address().unwrap(),
        ..truth.address.clone()
    };
    let stop = AtomicBool::new(false);
    let keys = client_keys_trusting(identity.certificate()).unwrap();
    let over_quic = std::thread::scope(|scope| {
        scope.spawn(|| server.run(&stop).unwrap());
        let paths = ["/0".to_owned()];
        let subject = Subject::Objects(&paths);
        let probed = observe(Protocol::H3, subject, &Budget::default(), |job| {
            probe::play(job, &address, &keys, secret_seed()?)
        });
        stop.store(true, Ordering::Relaxed);
        probed.unwrap_err().to_string()
    });
    for error in [over_tcp, over_quic] {
        assert!(error.contains("the connection was lost"), "{error}");
        assert!(!error.contains('\n') && error.len() < 250, "{error}");
    }
}

/// Surveys a server that does this with its connection, within two seconds and 200 kB.
fn survey_of(
    serve: fn(TcpStream, rustls::ServerConnection) -> io::Result<()>,
) -> (String, pagerace_core::Duration) {
    let identity = Identity::new(&["localhost"]).unwrap();
    let tls = server_tls(identity.chain(), identity.key(), &[b"h2"]).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = Server {
        remote: listener.local_addr().unwrap(),
        name: "localhost".to_owned(),
        authority: "localhost".to_owned(),
    };
    let serving = std::thread::spawn(move || {
        let (socket, _) = listener.accept()?;
        let tls = rustls::ServerConnection::new(Arc::new(tls)).map_err(io::Error::other)?;
        serve(socket, tls)
    });
    let client = Arc::new(client_tls(identity.certificate(), b"h2").unwrap());
    let budget = Budget {
        bytes: 200_000,
        time: pagerace_core::Duration::from_secs(2),
        ..Budget::default()
    };
    let clock = Clock::start();
    let subject = ["/0".to_owned()];
    let observed = observe(Protocol::H2, Subject::Objects(&subject), &budget, |job| {
        probe::play_http2(job, &server, &client)
    });
    let took = clock.now().since_start();
    // The client is gone, which ends the server too.
    let _ = serving.join().unwrap();
    (observed.unwrap_err().to_string(), took)
}

/// The handshake comes byte by byte, and the connection never idles.
#[test]
fn a_slow_handshake_ends_at_the_limit_of_time() {
    let (error, took) = survey_of(|mut socket, mut tls| {
        let mut flight = Vec::new();
        while !tls.wants_write() {
            tls.read_tls(&mut socket)?;
            tls.process_new_packets().map_err(io::Error::other)?;
        }
        while tls.wants_write() {
            tls.write_tls(&mut flight)?;
        }
        for byte in flight {
            socket.write_all(&[byte])?;
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        Err(io::Error::other("the handshake was waited for"))
    });
    assert!(error.contains("within the limit of time"), "{error}");
    assert!(took < pagerace_core::Duration::from_secs(10), "{took:?}");
}

/// Trials over TCP on a raw socket. The kernel's TCP is the server's.
#[cfg(target_os = "linux")]
mod raw {
    use pagerace_core::Duration;
    use pagerace_live::Lateness;
    use pagerace_live::probe::RawTcp;
    use pagerace_probe::congestion::shape::losses_of_path;
    use pagerace_probe::congestion::{Fetch, Trial, Watched};

    use super::*;

    /// A short trial, whose queue overflows.
    fn fetch() -> Fetch {
        Fetch {
            trial: Trial {
                name: "loss",
                rate: 4_000_000,
                queue: 20,
                rtt: Duration::from_millis(40),
                rise: None,
                time: Duration::from_secs(3),
            },
            path_rtt: Duration::ZERO,
            path: "/0".to_owned(),
            length: 100_000,
            requests: 100,
            patience: None,
        }
    }

    /// Plays a trial; `None` without the permission to open a raw socket.
    fn watch(server: &Server, certificate: &[u8]) -> Option<Watched> {
        let tls = Arc::new(client_tls(certificate, b"h2").unwrap());
        match RawTcp::open(server.remote) {
            Err(LiveError::RawSocket { source }) => {
                eprintln!("skipped: a raw socket needs root or the capability NET_RAW: {source}");
                None
            }
            raw => {
                let mut late = Lateness::default();
                let watched = raw.unwrap().watch(fetch(), server, &tls, &mut late);
                assert!(
                    late.count() > 0 || matches!(watched.as_ref().unwrap().end, End::Failed(_))
                );
                Some(watched.unwrap())
            }
        }
    }

    #[test]
    fn a_kernel_server_fills_the_bottleneck_of_the_client() {
        let truth = TcpTruth::start("fifo", &[b"h2"]);
        let Some(watched) = watch(&truth.address, &truth.certificate) else {
            return;
        };
        assert_eq!(watched.end, End::Complete);
        // Joined segments are cut: 1448 bytes and a header.
        assert_eq!(watched.mtu, 1_480);
        let trial = fetch().trial;
        let carried = trial.bytes() as f64;
        assert!(watched.payload as f64 > 0.7 * carried, "{watched:?}");
        // The queue drops; loopback does not, or only what this machine had no time to read.
        assert!(watched.offered.iter().any(|packet| packet.dropped));
        let lost = losses_of_path(&watched.offered).len();
        assert!(lost * 50 < watched.offered.len(), "{lost}");
        assert!(watched.requests >= 10, "{}", watched.requests);
    }

    #[test]
    fn a_connection_that_fails_ends_the_trial() {
        let truth = TcpTruth::start("fifo", &[b"h2"]);
        let stranger = TcpTruth::start("fifo", &[b"h2"]);
        let Some(watched) = watch(&truth.address, &stranger.certificate) else {
            return;
        };
        let failed = |watched: &Watched, word: &str| matches!(&watched.end, End::Failed(reason) if reason.contains(word));
        assert!(failed(&watched, "certificate"), "{:?}", watched.end);
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let nobody = Server {
            remote: free.local_addr().unwrap(),
            ..truth.address.clone()
        };
        drop(free);
        let watched = watch(&nobody, &truth.certificate).unwrap();
        assert!(failed(&watched, "refused"), "{:?}", watched.end);
    }

    #[test]
    fn addresses_of_ipv6_are_refused() {
        let error = RawTcp::open("[::1]:443".parse().unwrap()).err().unwrap();
        assert!(error.to_string().contains("IPv4 only"), "{error}");
    }
}
