//! Tests of a client and a server over a pipe with a delay and a rate.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use bytes::{Bytes, BytesMut};
use pagerace_core::{
    Destination, Duration, EventQueue, Instant, Priority, RequestPriority, ScriptMode,
};
use pagerace_delivery::Facts;
use pagerace_delivery::reliability::Nature;
use pagerace_http::Field;
use pagerace_transport::quic::keys::FlightSizes;
use pagerace_transport::quic::{ClientKeys, Epoch, QuicSettings, ServerKeys};

use super::*;

mod objects;
mod siege;
mod starved;

const DELAY: Duration = Duration::from_millis(10);
const NANOS_PER_BYTE: u64 = 800;

/// Site for tests. `/N` has a body of N bytes, and so has `/x/N`, which is not essential.
/// `/slow` has think time, and so has `/early/N`, which announces a link. Other paths are 404.
pub(crate) struct Numbers;

impl Site for Numbers {
    fn reply(&mut self, request: &Request) -> Reply {
        let path = String::from_utf8_lossy(&request.path).into_owned();
        let is_early = path.starts_with("/early/");
        let slow = path == "/slow" || is_early;
        let needed = !path.starts_with("/x/");
        let path = path.trim_start_matches("/x").trim_start_matches("/early");
        let length = path.trim_start_matches('/').parse().ok();
        let status = if slow || length.is_some() {
            "200"
        } else {
            "404"
        };
        Reply {
            think_time: if slow {
                Duration::from_millis(500)
            } else {
                Duration::ZERO
            },
            early: if is_early {
                vec![Field::from_static("link", "</a.css>; rel=preload")]
            } else {
                Vec::new()
            },
            fields: vec![
                Field::from_static(":status", status),
                Field::new("x-body", request.body_bytes.to_string()),
            ],
            body: length.map_or(Body::EMPTY, Body::Filler),
            facts: Facts {
                destination: Destination::Image,
                script_mode: ScriptMode::Blocking,
                class: RequestPriority::Low,
                render_blocking: false,
                served: None,
            },
            nature: Nature {
                essential: needed,
                whole: true,
                seen: false,
                selected: !needed,
            },
        }
    }
}

#[derive(Debug, Default)]
struct Got {
    status: String,
    early: Option<(Instant, Vec<Field>)>,
    fields: Vec<Field>,
    bytes: u64,
    end: Option<Instant>,
    failed: bool,
    incomplete: bool,
}

struct Pipe {
    client: Client,
    server: Server<Numbers>,
    now: Instant,
    wire: EventQueue<(bool, BytesMut)>,
    free: [Instant; 2],
    got: BTreeMap<u64, Got>,
    lost: Option<String>,
    /// Indexes of the client's datagrams that are lost.
    lose_from_client: Vec<usize>,
    from_client: usize,
    /// Selects the server's datagrams that are lost, by index.
    lose_from_server: fn(usize) -> bool,
    from_server: usize,
    /// True to request the missing parts of incomplete responses.
    repairs: bool,
}

fn address() -> SocketAddr {
    ([10, 0, 0, 2], 443).into()
}

impl Pipe {
    fn new(strategy: &str) -> Self {
        Self::with_client(strategy, QuicSettings::default())
    }

    fn with_client(strategy: &str, client_settings: QuicSettings) -> Self {
        let h3 = pagerace_http::h3::Config::default();
        Self::with(strategy, "full", client_settings, h3)
    }

    /// Returns a pipe whose server has this reliability policy and whose client accepts
    /// datagrams.
    fn with_policy(policy: &str) -> Self {
        let settings = QuicSettings {
            datagrams: true,
            ..QuicSettings::default()
        };
        let h3 = pagerace_http::h3::Config {
            object_datagrams: true,
            ..pagerace_http::h3::Config::default()
        };
        Self::with("fifo", policy, settings, h3)
    }

    fn with(
        strategy: &str,
        policy: &str,
        client_settings: QuicSettings,
        h3: pagerace_http::h3::Config,
    ) -> Self {
        let epoch = Epoch::new();
        let sizes = FlightSizes::default();
        let datagrams = policy != "full";
        let server = ServerConfig {
            settings: QuicSettings {
                datagrams,
                ..QuicSettings::default()
            },
            keys: ServerKeys::Null(sizes),
            strategy: strategy.parse().unwrap(),
            retransmission: Retransmission::AtOnce,
            reliability: policy.parse().unwrap(),
            seed: 1,
            h3: pagerace_http::h3::Config {
                object_datagrams: datagrams,
                ..pagerace_http::h3::Config::default()
            },
            record: false,
            record_frames: true,
        };
        let client = ClientConfig {
            settings: client_settings,
            keys: ClientKeys::Null(sizes),
            seed: 2,
            h3,
            record: false,
        };
        Self {
            client: Client::connect(&client, Instant::ZERO, epoch, address(), "localhost").unwrap(),
            server: Server::new(&server, epoch, Numbers).unwrap(),
            now: Instant::ZERO,
            wire: EventQueue::new(),
            free: [Instant::ZERO; 2],
            got: BTreeMap::new(),
            lost: None,
            lose_from_client: Vec::new(),
            from_client: 0,
            lose_from_server: |_| false,
            from_server: 0,
            repairs: false,
        }
    }

    fn ask(&mut self, token: u64, method: &'static str, path: &str, priority: &str) {
        let fields = vec![
            Field::from_static(":method", method),
            Field::from_static(":scheme", "https"),
            Field::from_static(":authority", "localhost"),
            Field::new(":path", path.to_owned()),
        ];
        let body = (method == "POST").then(|| Bytes::from_static(&[7; 3_000]));
        let priority = pagerace_http::priority::parse(priority.as_bytes());
        self.client.request(self.now, token, fields, priority, body);
        self.got.insert(token, Got::default());
    }

    /// Runs for at most `span`, or until no request is outstanding.
    fn run(&mut self, span: Duration) {
        let until = self.now + span;
        loop {
            self.events();
            self.flush();
            if self.got.values().all(|g| g.end.is_some() || g.failed) {
                return;
            }
            let timers = [self.client.poll_timeout(), self.server.poll_timeout()];
            let timer = timers.into_iter().flatten().min().map(|t| t.max(self.now));
            let Some(next) = self.wire.next_at().into_iter().chain(timer).min() else {
                return;
            };
            if next > until {
                self.now = until;
                return;
            }
            self.now = next;
            if let Some((_, (to_server, data))) = self.wire.pop_due(next) {
                if to_server {
                    self.server
                        .handle_datagram(next, ([10, 0, 0, 1], 9).into(), data);
                } else {
                    self.client.handle_datagram(next, data);
                }
            } else {
                self.client.handle_timeout(next);
                self.server.handle_timeout(next);
            }
        }
    }

    fn events(&mut self) {
        while let Some(event) = self.client.poll_event() {
            match event {
                ClientEvent::Head { token, fields } => {
                    let got = self.got.get_mut(&token).unwrap();
                    got.status = String::from_utf8(fields[0].value.to_vec()).unwrap();
                    got.fields = fields;
                }
                ClientEvent::Data { token, data } => {
                    self.got.get_mut(&token).unwrap().bytes += data.len() as u64;
                }
                ClientEvent::End { token } => {
                    self.got.get_mut(&token).unwrap().end = Some(self.now);
                }
                ClientEvent::Failed { token, .. } => {
                    self.got.get_mut(&token).unwrap().failed = true;
                }
                ClientEvent::Lost { reason } => self.lost = Some(reason),
                ClientEvent::Incomplete { token, repair } => {
                    let got = self.got.get_mut(&token).unwrap();
                    got.incomplete = true;
                    if self.repairs && repair.is_some() {
                        self.client.repair(self.now, token, false);
                    } else {
                        self.client.give_up(token);
                        got.failed = true;
                    }
                }
                ClientEvent::Interim { token, fields } => {
                    self.got.get_mut(&token).unwrap().early = Some((self.now, fields));
                }
                ClientEvent::Connected | ClientEvent::Sent { .. } => {}
            }
        }
    }

    fn flush(&mut self) {
        let mut buf = Vec::new();
        for to_server in [true, false] {
            loop {
                let sent = if to_server {
                    self.client.poll_transmit(self.now, &mut buf)
                } else {
                    self.server.poll_transmit(self.now, &mut buf)
                };
                let Some(t) = sent else { break };
                let free = &mut self.free[usize::from(to_server)];
                *free =
                    (*free).max(self.now) + Duration::from_nanos(t.size as u64 * NANOS_PER_BYTE);
                if to_server {
                    self.from_client += 1;
                    if self.lose_from_client.contains(&(self.from_client - 1)) {
                        continue;
                    }
                } else {
                    self.from_server += 1;
                    if (self.lose_from_server)(self.from_server - 1) {
                        continue;
                    }
                }
                self.wire
                    .schedule(*free + DELAY, (to_server, buf[..t.size].into()));
            }
        }
    }

    fn end(&self, token: u64) -> Instant {
        self.got[&token]
            .end
            .unwrap_or_else(|| panic!("{token} has not ended"))
    }
}

const LONG: Duration = Duration::from_secs(60);

#[test]
fn answers_arrive_whole_with_their_fields() {
    let mut p = Pipe::new("fifo");
    p.ask(1, "GET", "/200000", "");
    p.ask(2, "GET", "/0", "");
    p.ask(3, "HEAD", "/5000", "");
    p.ask(4, "POST", "/10", "");
    p.ask(5, "GET", "/nowhere", "");
    p.run(LONG);
    let bytes: Vec<_> = p.got.values().map(|g| g.bytes).collect();
    assert_eq!(bytes, [200_000, 0, 0, 10, 0]);
    let status: Vec<_> = p.got.values().map(|g| g.status.as_str()).collect();
    assert_eq!(status, ["200", "200", "200", "200", "404"]);
    let field = |token: u64, name| {
        pagerace_http::fields::get(&p.got[&token].fields, name)
            .cloned()
            .unwrap_or_default()
    };
    assert_eq!(
        field(3, "content-length"),
        "5000",
        "HEAD tells the size and sends nothing"
    );
    assert_eq!(field(4, "x-body"), "3000");
    assert_eq!(p.lost, None);
}

#[test]
fn more_requests_than_the_server_allows_at_once_wait_their_turn() {
    let mut p = Pipe::new("round-robin");
    for token in 0..250 {
        p.ask(token, "GET", "/2000", "");
    }
    p.run(LONG);
    assert!(p.got.values().all(|g| g.bytes == 2_000 && g.end.is_some()));
}

#[test]
fn think_time_is_the_servers_own() {
    let mut p = Pipe::new("fifo");
    p.ask(1, "GET", "/slow", "");
    p.ask(2, "GET", "/1000", "");
    p.run(LONG);
    assert!(p.end(1) >= p.end(2) + Duration::from_millis(490));
}

#[test]
fn urgency_decides_and_an_update_changes_the_order() {
    let order = |update: bool, sends: bool| {
        let mut p = Pipe::new("eps");
        p.client.send_priority_updates(sends);
        p.ask(1, "GET", "/300000", "u=1");
        p.ask(2, "GET", "/300000", "u=5");
        p.run(Duration::from_millis(120));
        assert!(p.got[&1].bytes > 0 && p.got[&2].bytes == 0, "{:?}", p.got);
        if update {
            p.client.reprioritise(2, Priority::new(0, false));
        }
        p.run(LONG);
        p.end(1) < p.end(2)
    };
    assert!(order(false, true));
    assert!(!order(true, true));
    assert!(
        order(true, false),
        "a client that does not tell changes nothing"
    );
}

#[test]
fn closing_ends_everything_quietly() {
    let mut p = Pipe::new("fifo");
    p.ask(1, "GET", "/3000000", "");
    p.run(Duration::from_millis(100));
    p.client.close(p.now);
    p.run(Duration::from_secs(2));
    // The client has closed the connection: nothing more arrives, and nothing panics.
    let before = p.got[&1].bytes;
    p.run(Duration::from_secs(2));
    assert_eq!(p.got[&1].bytes, before);
    assert!(before < 3_000_000);
}

/// The windows cut writes at arbitrary offsets, and no load may hang.
#[test]
fn narrow_windows_only_slow_things_down() {
    for window in [1_500, 2_003, 5_000, 12_345] {
        for strategy in ["round-robin", "sequential"] {
            let settings = QuicSettings {
                receive_window: 2 * window + 700,
                stream_receive_window: window,
                ..QuicSettings::default()
            };
            let mut p = Pipe::with_client(strategy, settings);
            for token in 0..4 {
                p.ask(token, "GET", "/60000", "");
            }
            p.run(LONG);
            let bytes: Vec<_> = p.got.values().map(|g| g.bytes).collect();
            assert_eq!(bytes, [60_000; 4], "{strategy}, {window}");
        }
    }
}

/// The client's Finished message is lost while its requests fill the initial window. It
/// must be sent again nevertheless.
#[test]
fn a_lost_finished_is_repaired_behind_a_large_request() {
    for (lose, n) in (0..8).flat_map(|lose| [1, 3, 9].map(|n| (lose, n))) {
        let mut p = Pipe::new("fifo");
        for token in 0..6 {
            p.ask(token, "POST", "/1000", "");
        }
        p.lose_from_client = (lose..lose + n).collect();
        p.run(LONG);
        let ended = p.got.values().filter(|g| g.end.is_some()).count();
        assert_eq!(
            ended, 6,
            "{n} packets of the client from {lose} on are lost"
        );
    }
}

#[test]
fn a_103_response_leaves_before_the_think_time() {
    let mut p = Pipe::new("fifo");
    p.ask(0, "GET", "/early/40000", "");
    p.ask(1, "GET", "/slow", "");
    p.run(LONG);
    let (at, fields) = p.got[&0].early.clone().unwrap();
    assert_eq!(fields[0], Field::from_static(":status", "103"));
    assert_eq!(fields[1].name.as_ref(), b"link");
    assert_eq!(
        (p.got[&0].status.as_str(), p.got[&0].bytes),
        ("200", 40_000)
    );
    assert!(p.end(0) >= at + Duration::from_millis(480), "{:?}", p.got);
    assert_eq!(p.got[&1].early, None);
}

#[test]
fn a_103_response_without_room_leaves_with_the_response() {
    // The client's window of a stream has no room for the links.
    let mut p = Pipe::with_client(
        "fifo",
        QuicSettings {
            stream_receive_window: 20,
            ..QuicSettings::default()
        },
    );
    p.ask(0, "GET", "/early/3000", "");
    p.run(LONG);
    assert!(p.got[&0].early.is_some());
    assert_eq!((p.got[&0].status.as_str(), p.got[&0].bytes), ("200", 3000));
}
