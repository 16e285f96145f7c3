//! The servers' and clients' state machines over a socket that cuts, delays, damages and
//! breaks, as the real ones do.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use pagerace_core::{Duration, EventQueue, Instant, Priority, Protocol, Rng};
use pagerace_delivery::reliability::Nature;
use pagerace_http::Field;
use pagerace_peer::server::UNKNOWN;
use pagerace_peer::stream::{StreamClient, StreamClientConfig, StreamServer, StreamServerConfig};
use pagerace_peer::{
    Body, Client, ClientConfig, ClientEvent, Reply, Request, Retransmission, Server, ServerConfig,
    Site, Store,
};
use pagerace_transport::quic::keys::FlightSizes;
use pagerace_transport::quic::{ClientKeys, Epoch, QuicSettings, ServerKeys};

use super::inputs::Draw;

/// Steps after which an exchange is taken for endless.
const STEPS: usize = 400_000;

/// Runs an exchange over a byte stream, and one over datagrams.
///
/// # Errors
/// Returns the law that was broken and the values that break it.
pub(crate) fn check(seed: u64) -> Result<(), String> {
    let mut draw = Draw(Rng::new(seed, "sockets"));
    stream(&mut draw)?;
    datagrams(&mut draw)
}

/// Content that depends on its place only.
fn pattern(resource: u64, from: u64, length: usize) -> Bytes {
    let byte = |i: u64| (resource.wrapping_mul(31) ^ i.wrapping_mul(7)) as u8;
    (from..from + length as u64).map(byte).collect()
}

/// Content that cannot be read beyond `readable`.
#[derive(Debug)]
struct Failing {
    resource: u64,
    readable: u64,
}

impl Store for Failing {
    fn read_at(&self, offset: u64, max: usize) -> Option<Bytes> {
        let left = self.readable.saturating_sub(offset).min(max as u64);
        (left > 0).then(|| pattern(self.resource, offset, left as usize))
    }
}

#[derive(Clone, Debug)]
struct Planned {
    size: u64,
    /// The content cannot be read beyond this offset.
    readable: Option<u64>,
    think: Duration,
}

#[derive(Clone, Debug)]
struct Planner(Arc<Vec<Planned>>);

impl Site for Planner {
    fn reply(&mut self, request: &Request) -> Reply {
        let path = String::from_utf8_lossy(&request.path);
        let number: Option<usize> = path.trim_start_matches('/').parse().ok();
        let planned = number.and_then(|n| Some((n as u64, self.0.get(n)?)));
        let (status, body, think_time) = match planned {
            None => ("404", Body::EMPTY, Duration::ZERO),
            Some((resource, p)) => {
                let body = match p.readable {
                    None => Body::Bytes(pattern(resource, 0, p.size as usize)),
                    Some(readable) => Body::Stored {
                        store: Arc::new(Failing { resource, readable }),
                        offset: 0,
                        length: p.size,
                    },
                };
                ("200", body, p.think)
            }
        };
        Reply {
            think_time,
            early: Vec::new(),
            fields: vec![Field::from_static(":status", status)],
            body,
            facts: UNKNOWN,
            nature: Nature::ESSENTIAL,
        }
    }
}

impl Planner {
    fn draw(draw: &mut Draw) -> Self {
        let plan = |draw: &mut Draw| {
            let size = draw.size().min(2_000_000);
            Planned {
                size,
                readable: draw.chance(0.05).then(|| draw.0.below(size + 1)),
                think: draw.ms(200),
            }
        };
        let count = draw.magnitude(1, 40);
        Self(Arc::new((0..count).map(|_| plan(draw)).collect()))
    }
}

/// A client's change of a request that it has sent.
#[derive(Clone, Copy)]
enum Change {
    Reprioritise(Priority),
    Cancel,
}

/// Draws the changes of one exchange.
struct Changes {
    /// The chance of a change at each step.
    often: f64,
    /// The chance that it cancels a request.
    cancels: f64,
}

impl Changes {
    fn draw(draw: &mut Draw) -> Self {
        Self {
            often: draw.of(&[0.0, 0.0, 0.02, 0.2]),
            cancels: draw.of(&[0.0, 0.1, 0.5]),
        }
    }

    /// A change, and the request that it concerns, among the first `asked`.
    fn next(&self, draw: &mut Draw, asked: u64) -> Option<(u64, Change)> {
        if asked == 0 || !draw.chance(self.often) {
            return None;
        }
        let token = draw.0.below(asked);
        let change = if draw.chance(self.cancels) {
            Change::Cancel
        } else {
            Change::Reprioritise(priority(draw))
        };
        Some((token, change))
    }
}

fn priority(draw: &mut Draw) -> Priority {
    Priority::new(draw.0.below(8) as u8, draw.chance(0.5))
}

/// The content of a request, which most have none of.
fn body(draw: &mut Draw) -> Option<Bytes> {
    draw.chance(0.2)
        .then(|| pattern(0, 0, draw.size().min(300_000) as usize))
}

/// The responses as the client received them.
#[derive(Default)]
struct Ledger {
    /// Requests that ask for the head alone.
    heads: BTreeSet<u64>,
    /// Lengths that heads of responses name.
    lengths: BTreeMap<u64, u64>,
    /// Requests that the client cancelled, which may end all the same if that came too late.
    cancelled: BTreeSet<u64>,
    /// Requests were damaged on their way, so others may have been answered.
    damaged: bool,
    bytes: BTreeMap<u64, u64>,
    ended: BTreeMap<u64, bool>,
    lost: bool,
}

impl Ledger {
    fn note(&mut self, event: ClientEvent) -> Result<(), String> {
        if let ClientEvent::Data { token, .. } | ClientEvent::End { token } = event
            && self.ended.contains_key(&token)
        {
            return Err(format!("response {token} goes on after its end"));
        }
        match event {
            ClientEvent::Data { token, data } => {
                let at = self.bytes.entry(token).or_default();
                if !self.damaged && data != pattern(token, *at, data.len()) {
                    return Err(format!("response {token}: other bytes than sent at {at}"));
                }
                *at += data.len() as u64;
            }
            ClientEvent::Head { token, fields } => {
                let length = pagerace_http::fields::get(&fields, "content-length");
                let length = length.and_then(|value| std::str::from_utf8(value).ok()?.parse().ok());
                self.lengths.extend(length.map(|length| (token, length)));
            }
            ClientEvent::End { token } => drop(self.ended.insert(token, true)),
            ClientEvent::Failed { token, .. } => drop(self.ended.insert(token, false)),
            ClientEvent::Lost { .. } => self.lost = true,
            _ => {}
        }
        Ok(())
    }

    /// Returns one of the first `asked` responses that is still to come.
    fn waiting(&self, asked: u64) -> Option<u64> {
        let over = |token: &u64| self.ended.contains_key(token) || self.cancelled.contains(token);
        (0..asked).find(|token| !self.lost && !over(token))
    }

    /// Holds what arrived against the plan. `harmed`: the socket broke, so responses may
    /// be missing.
    fn check(&self, site: &Planner, harmed: bool) -> Result<(), String> {
        for (token, planned) in (0_u64..).zip(site.0.iter()) {
            let got = self.bytes.get(&token).copied().unwrap_or_default();
            // The answer to HEAD has no content (RFC 9110, section 9.3.2).
            let (size, readable) = if self.heads.contains(&token) {
                (0, None)
            } else {
                (planned.size, planned.readable)
            };
            let most = readable.unwrap_or(size);
            if got > most {
                return Err(format!("response {token}: {got} bytes of {most}"));
            }
            let complete = self.ended.get(&token) == Some(&true);
            if complete && got != size {
                return Err(format!(
                    "response {token} ended after {got} of {size} bytes"
                ));
            }
            if complete && self.lengths.get(&token) != Some(&planned.size) {
                return Err(format!(
                    "response {token} of {} bytes names {:?}",
                    planned.size,
                    self.lengths.get(&token)
                ));
            }
            let cancelled = self.cancelled.contains(&token);
            let may_fail = harmed || self.lost || cancelled || readable.is_some();
            if !complete && !may_fail {
                return Err(format!("response {token} never came"));
            }
        }
        Ok(())
    }
}

/// The fields of a request, some of which ask for the head alone.
fn fields(draw: &mut Draw, ledger: &mut Ledger, token: u64, body: Option<&Bytes>) -> Vec<Field> {
    let method = match body {
        Some(_) => "POST",
        None if draw.chance(0.15) => "HEAD",
        None => "GET",
    };
    if method == "HEAD" {
        ledger.heads.insert(token);
    }
    vec![
        Field::from_static(":method", method),
        Field::from_static(":scheme", "https"),
        Field::from_static(":authority", "localhost"),
        Field::new(":path", format!("/{token}")),
    ]
}

fn stream(draw: &mut Draw) -> Result<(), String> {
    let site = Planner::draw(draw);
    let protocol = draw.of(&[Protocol::H1, Protocol::H2]);
    let config = StreamServerConfig::new(draw.strategy());
    let mut server = StreamServer::new(protocol, &config, site.clone());
    let mut client = StreamClient::new(protocol, &StreamClientConfig::default());
    client.handle_connected();
    let damage = draw.chance(0.1).then(|| draw.magnitude(1, 3_000));
    let reset_at = draw.chance(0.1).then(|| Instant::ZERO + draw.ms(2_000));
    let mut ledger = Ledger {
        damaged: damage.is_some(),
        ..Ledger::default()
    };
    let changes = Changes::draw(draw);
    let mut wire: EventQueue<(bool, Bytes)> = EventQueue::new();
    let mut last = [Instant::ZERO; 2];
    let (mut now, mut asked, mut upstream) = (Instant::ZERO, 0, 0_u64);
    for _ in 0..STEPS {
        while asked < site.0.len() as u64 && client.capacity() > 0 {
            let body = body(draw);
            let fields = fields(draw, &mut ledger, asked, body.as_ref());
            client.request(asked, fields, Some(priority(draw)), body);
            asked += 1;
        }
        match changes.next(draw, asked) {
            Some((token, Change::Reprioritise(priority))) => client.reprioritise(token, priority),
            // Over HTTP/1.1, a request that has left cannot be cancelled.
            Some((token, Change::Cancel)) if protocol == Protocol::H2 => {
                ledger.cancelled.insert(token);
                client.cancel(token);
            }
            _ => {}
        }
        let mut moved = false;
        for to_client in [false, true] {
            let max = draw.magnitude(1, 20_000) as usize;
            let data = if to_client {
                let output = server.poll_output(now, max);
                output.map(|o| [o.head, o.content].concat())
            } else {
                client.poll_output(max).map(|data| data.to_vec())
            };
            let Some(mut data) = data else { continue };
            moved = true;
            if !to_client {
                upstream += data.len() as u64;
                if let Some(at) = damage
                    && upstream >= at
                    && let Some(byte) = data.last_mut()
                {
                    *byte ^= 1 << draw.0.below(8);
                }
            }
            let side = usize::from(to_client);
            last[side] = last[side].max(now + draw.ms(20));
            wire.schedule(last[side], (to_client, data.into()));
        }
        while let Some(event) = client.poll_event() {
            moved = true;
            ledger.note(event)?;
        }
        if moved {
            continue;
        }
        if client.is_closed() || server.is_closed() || client_done(&ledger, &site) {
            break;
        }
        let timer = server.poll_timeout().map(|at| at.max(now));
        let Some(next) = wire.next_at().into_iter().chain(timer).min() else {
            break;
        };
        now = next;
        if reset_at.is_some_and(|at| now >= at) {
            client.handle_closed("reset".to_owned());
            server.handle_end(now);
            break;
        }
        server.handle_timeout(now);
        while let Some((_, (to_client, mut data))) = wire.pop_due(now) {
            while !data.is_empty() {
                let n = (draw.magnitude(1, 20_000) as usize).min(data.len());
                let piece = data.split_to(n);
                if to_client {
                    client.handle_data(now, piece);
                } else {
                    server.handle_data(now, piece);
                }
            }
        }
    }
    while let Some(event) = client.poll_event() {
        ledger.note(event)?;
    }
    let failing = site.0.iter().any(|p| p.readable.is_some());
    // Over HTTP/1.1 content that cannot be read ends the connection.
    let broken = failing && protocol == Protocol::H1;
    if ledger.damaged {
        // Only crashes count.
        return Ok(());
    }
    ledger
        .check(&site, reset_at.is_some() || broken)
        .map_err(|reason| format!("{protocol} over a socket: {reason}"))
}

/// More than the first timeout of a connection in [`datagrams`], and the longest time for which a
/// server thinks.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Returns the longest probe timeout of a connection of this age (RFC 9002). A first round-trip
/// sample is at most the age, and makes a timeout of three samples (sections 5.3 and 6.2.1). A
/// client that does not know that the server has validated its address keeps its backoff, which
/// doubles from one second (section 6.2.1).
pub(crate) fn longest_timeout(age: Duration) -> Duration {
    let seconds = age.as_secs_f64();
    Duration::from_millis_f64(1e3 * (3.0 * seconds + 0.1) * (seconds + 1.0))
}

fn client_done(ledger: &Ledger, site: &Planner) -> bool {
    ledger.waiting(site.0.len() as u64).is_none()
}

fn datagrams(draw: &mut Draw) -> Result<(), String> {
    let site = Planner::draw(draw);
    let sizes = FlightSizes::default();
    let epoch = Epoch::new();
    let settings = QuicSettings {
        mtu: draw.of(&[1_200, 1_350, 1_452]),
        congestion: draw.of(pagerace_cc::registry()).name.to_owned(),
        ..QuicSettings::default()
    };
    let strategy = draw.strategy();
    let server_config = ServerConfig {
        settings: settings.clone(),
        retransmission: draw.of(&[Retransmission::AtOnce, Retransmission::ByUrgency]),
        ..ServerConfig::new(ServerKeys::Null(sizes), strategy, 1)
    };
    let mut server = Server::new(&server_config, epoch, site.clone()).map_err(|e| e.to_string())?;
    // A server that starts again has forgotten its connections, and resets them.
    let mut restart_at = draw.chance(0.1).then(|| Instant::ZERO + draw.ms(2_000));
    let mut restarted = false;
    let server_at: SocketAddr = ([10, 0, 0, 2], 443).into();
    let client_at: SocketAddr = ([10, 0, 0, 1], 1_000).into();
    let config = ClientConfig {
        settings,
        keys: ClientKeys::Null(sizes),
        seed: 2,
        h3: pagerace_http::h3::Config::default(),
        record: false,
    };
    let mut client = Client::connect(&config, Instant::ZERO, epoch, server_at, "localhost")
        .map_err(|e| e.to_string())?;
    let loss = draw.of(&[0.0, 0.0, 0.01, 0.1]);
    let (twice, delay) = (draw.of(&[0.0, 0.02]), draw.magnitude(1, 50));
    let stray = draw.chance(0.2);
    let mut ledger = Ledger::default();
    let changes = Changes::draw(draw);
    let mut wire: EventQueue<(bool, BytesMut)> = EventQueue::new();
    let (mut now, mut asked) = (Instant::ZERO, 0);
    let mut buf = Vec::new();
    for _ in 0..STEPS {
        if asked < site.0.len() as u64 && draw.chance(0.3) {
            let body = body(draw);
            let fields = fields(draw, &mut ledger, asked, body.as_ref());
            client.request(now, asked, fields, Some(priority(draw)), body);
            asked += 1;
        }
        match changes.next(draw, asked) {
            Some((token, Change::Reprioritise(priority))) => client.reprioritise(token, priority),
            Some((token, Change::Cancel)) => {
                ledger.cancelled.insert(token);
                client.cancel(token);
            }
            None => {}
        }
        if restart_at.is_some_and(|at| now >= at) {
            restart_at = None;
            restarted = true;
            server = Server::new(&server_config, epoch, site.clone()).map_err(|e| e.to_string())?;
        }
        for to_client in [false, true] {
            loop {
                let datagram = if to_client {
                    server.poll_transmit(now, &mut buf)
                } else {
                    client.poll_transmit(now, &mut buf)
                };
                let Some(datagram) = datagram else { break };
                if to_client && datagram.remote != client_at {
                    continue;
                }
                let data = BytesMut::from(&buf[..datagram.size]);
                let copies = usize::from(!draw.chance(loss)) + usize::from(draw.chance(twice));
                for _ in 0..copies {
                    let at = now + Duration::from_millis(5) + draw.ms(delay);
                    wire.schedule(at, (to_client, data.clone()));
                }
            }
        }
        while let Some(event) = client.poll_event() {
            ledger.note(event)?;
        }
        if client_done(&ledger, &site) {
            break;
        }
        let timers = [client.poll_timeout(), server.poll_timeout()];
        let timer = timers.into_iter().flatten().min().map(|at| at.max(now));
        // A server may give a connection up, and the message that says so may be lost.
        let both = timers.iter().all(Option::is_some);
        if wire.next_at().is_none() && !restarted && both && ledger.waiting(asked).is_some() {
            let latest = now + longest_timeout(now.since_start()) + TIMEOUT;
            if timer.is_none_or(|at| at > latest) {
                return Err(format!(
                    "HTTP/3 over a socket: nothing is under way at {now:?}, response {:?} is to \
                     come, and the next timer is {timer:?}",
                    ledger.waiting(asked)
                ));
            }
        }
        let Some(next) = wire.next_at().into_iter().chain(timer).min() else {
            if asked < site.0.len() as u64 {
                continue;
            }
            break;
        };
        now = next;
        if stray {
            let length = draw.magnitude(1, 1_500) as usize;
            let noise: Vec<u8> = (0..length).map(|_| draw.0.next_u64() as u8).collect();
            let from = ([192, 0, 2, 9], 1 + draw.0.below(60_000) as u16).into();
            server.handle_datagram(now, from, BytesMut::from(&noise[..]));
        }
        client.handle_timeout(now);
        server.handle_timeout(now);
        while let Some((_, (to_client, data))) = wire.pop_due(now) {
            if to_client {
                client.handle_datagram(now, data);
            } else {
                server.handle_datagram(now, client_at, data);
            }
        }
    }
    ledger
        .check(&site, restarted)
        .map_err(|reason| format!("HTTP/3 over a socket: {reason}"))
}
