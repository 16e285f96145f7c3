//! Connections side by side over one bottleneck.

use std::collections::BTreeMap;

use pagerace_core::{Duration, EventQueue, Instant, Protocol};
use pagerace_http::{Field, fields};
use pagerace_transport::tcp::{Segment, TcpSettings};
use pagerace_transport::tls::TlsSettings;

use crate::ClientEvent;
use crate::hol::TcpHolMeter;
use crate::outgoing::SentFrame;
use crate::stream::{StreamClientConfig, StreamServerConfig};
use crate::tcp::{TcpClient, TcpClientConfig, TcpServer, TcpServerConfig};
use crate::tests::Numbers;

pub(super) const DELAY: Duration = Duration::from_millis(20);
const NANOS_PER_BYTE: u64 = 800;

#[derive(Debug, Default)]
pub(super) struct Got {
    pub(super) status: String,
    pub(super) early: Option<Instant>,
    pub(super) bytes: u64,
    pub(super) sent: Option<Instant>,
    pub(super) end: Option<Instant>,
    pub(super) failed: bool,
}

pub(super) struct Pair {
    pub(super) client: TcpClient,
    pub(super) server: TcpServer<Numbers>,
    pub(super) hol: TcpHolMeter,
    pub(super) frames: Vec<SentFrame>,
    /// Number of segments that the server has sent.
    sent: usize,
}

pub(super) struct Pipe {
    pub(super) pairs: Vec<Pair>,
    pub(super) now: Instant,
    wire: EventQueue<(usize, bool, Segment)>,
    free: [Instant; 2],
    pub(super) got: BTreeMap<u64, Got>,
    pub(super) lost: Vec<String>,
    /// Indexes of the segments of every server that are lost.
    pub(super) lose: Vec<usize>,
    /// Payload bytes that a client received: time, token and number.
    pub(super) trace: Vec<(Instant, u64, usize)>,
    /// Sizes of the segments that all servers sent, then of those that all clients sent.
    pub(super) sizes: [Vec<u32>; 2],
}

pub(super) const LONG: Duration = Duration::from_secs(60);

impl Pipe {
    pub(super) fn new(protocol: Protocol, connections: usize, strategy: &str) -> Self {
        Self::with(protocol, connections, strategy, |_, _| ())
    }

    pub(super) fn with(
        protocol: Protocol,
        connections: usize,
        strategy: &str,
        change: impl Fn(&mut TcpClientConfig, &mut TcpServerConfig),
    ) -> Self {
        let mut stream = StreamServerConfig::new(strategy.parse().unwrap());
        stream.record_frames = true;
        let mut server = TcpServerConfig::new(protocol, stream);
        let mut client = TcpClientConfig {
            protocol,
            tcp: TcpSettings::default(),
            tls: TlsSettings::default(),
            stream: StreamClientConfig::default(),
        };
        change(&mut client, &mut server);
        let pair = || Pair {
            client: TcpClient::connect(&client, Instant::ZERO).unwrap(),
            server: TcpServer::new(&server, Numbers).unwrap(),
            hol: TcpHolMeter::new(true),
            frames: Vec::new(),
            sent: 0,
        };
        Self {
            pairs: (0..connections).map(|_| pair()).collect(),
            now: Instant::ZERO,
            wire: EventQueue::new(),
            free: [Instant::ZERO; 2],
            got: BTreeMap::new(),
            lost: Vec::new(),
            lose: Vec::new(),
            trace: Vec::new(),
            sizes: Default::default(),
        }
    }

    pub(super) fn ask(
        &mut self,
        on: usize,
        token: u64,
        method: &'static str,
        path: &str,
        priority: &str,
    ) {
        let fields = vec![
            Field::from_static(":method", method),
            Field::from_static(":scheme", "https"),
            Field::from_static(":authority", "localhost"),
            Field::new(":path", path.to_owned()),
        ];
        let body = (method == "POST").then(|| bytes::Bytes::from(vec![7; 30_000]));
        let priority = pagerace_http::priority::parse(priority.as_bytes());
        self.pairs[on].client.request(token, fields, priority, body);
        self.got.insert(token, Got::default());
    }

    /// Runs for at most `span`, or until no request is outstanding.
    pub(super) fn run(&mut self, span: Duration) {
        let until = self.now + span;
        loop {
            self.events();
            self.flush();
            if self.got.values().all(|g| g.end.is_some() || g.failed) {
                return;
            }
            let timers = self
                .pairs
                .iter()
                .flat_map(|p| [p.client.poll_timeout(), p.server.poll_timeout()]);
            let timer = timers.flatten().min().map(|t| t.max(self.now));
            let Some(next) = self.wire.next_at().into_iter().chain(timer).min() else {
                return;
            };
            if next > until {
                self.now = until;
                return;
            }
            self.now = next;
            if let Some((_, (on, to_server, segment))) = self.wire.pop_due(next) {
                let pair = &mut self.pairs[on];
                if to_server {
                    pair.server.handle_segment(next, segment);
                } else {
                    pair.client.handle_segment(next, segment);
                    let (hol, layout) = (&mut pair.hol, pair.server.layout());
                    pair.client
                        .drain_received(|range| hol.handle_arrival(next, range, layout));
                }
            } else {
                for pair in &mut self.pairs {
                    pair.client.handle_timeout(next);
                    pair.server.handle_timeout(next);
                }
            }
        }
    }

    fn events(&mut self) {
        for pair in &mut self.pairs {
            while let Some(event) = pair.client.poll_event() {
                match event {
                    ClientEvent::Head { token, fields } => {
                        let status = fields::get(&fields, ":status").unwrap();
                        let status = String::from_utf8(status.to_vec()).unwrap();
                        self.got.get_mut(&token).unwrap().status = status;
                    }
                    ClientEvent::Data { token, data } => {
                        self.got.get_mut(&token).unwrap().bytes += data.len() as u64;
                        self.trace.push((self.now, token, data.len()));
                    }
                    ClientEvent::End { token } => {
                        self.got.get_mut(&token).unwrap().end = Some(self.now);
                    }
                    ClientEvent::Failed { token, .. } => {
                        self.got.get_mut(&token).unwrap().failed = true;
                    }
                    ClientEvent::Sent { token, .. } => {
                        self.got.get_mut(&token).unwrap().sent = Some(self.now);
                    }
                    ClientEvent::Lost { reason } => self.lost.push(reason),
                    ClientEvent::Interim { token, .. } => {
                        self.got.get_mut(&token).unwrap().early = Some(self.now);
                    }
                    ClientEvent::Connected | ClientEvent::Incomplete { .. } => {}
                }
            }
        }
    }

    fn flush(&mut self) {
        for on in 0..self.pairs.len() {
            let pair = &mut self.pairs[on];
            for to_server in [true, false] {
                loop {
                    let segment = if to_server {
                        pair.client.poll_transmit(self.now)
                    } else {
                        pair.server.poll_transmit(self.now)
                    };
                    let Some(segment) = segment else { break };
                    self.sizes[usize::from(to_server)].push(segment.wire_size());
                    let free = &mut self.free[usize::from(to_server)];
                    let size = u64::from(segment.wire_size());
                    *free = (*free).max(self.now) + Duration::from_nanos(size * NANOS_PER_BYTE);
                    if !to_server {
                        pair.sent += 1;
                        if self.lose.contains(&(pair.sent - 1)) {
                            continue;
                        }
                    }
                    self.wire.schedule(*free + DELAY, (on, to_server, segment));
                }
            }
            pair.frames.extend(pair.server.take_frames());
        }
    }

    pub(super) fn end(&self, token: u64) -> Instant {
        let end = self.got[&token].end;
        end.unwrap_or_else(|| panic!("{token} has not ended: {:?} {:?}", self.got, self.lost))
    }
}
