//! Both ends of a connection, with one interface for all protocols.

use bytes::{Bytes, BytesMut};
use pagerace_core::{Duration, Instant, Priority};
use pagerace_http::Field;
use pagerace_peer::hol::{Blocked, Gap, TcpHolMeter};
use pagerace_peer::server::ServerStats;
use pagerace_peer::tcp::{TcpClient, TcpServer};
use pagerace_peer::{Client, ClientEvent, SentFrame, Server, Site};
use pagerace_transport::quic::PacketRecord;
use pagerace_transport::tcp::Segment;

use crate::addresses::client_address;
use crate::alarm::Alarm;
use crate::event_loop::Query;
use crate::ids::ConnectionId;
use crate::trace::Side;

/// Size of the IPv4 and UDP headers of a datagram, in bytes.
const IP_UDP_HEADER: usize = 28;

/// Payload of a packet on a link.
#[derive(Debug)]
pub(crate) enum Payload {
    Datagram(BytesMut),
    Segment(Box<Segment>),
}

impl Payload {
    /// Returns the size on the wire in bytes.
    pub(crate) fn wire_size(&self) -> u32 {
        match self {
            Self::Datagram(data) => (data.len() + IP_UDP_HEADER) as u32,
            Self::Segment(segment) => segment.wire_size(),
        }
    }
}

/// What a link carries.
#[derive(Debug)]
pub(crate) enum OnLink {
    Packet(Packet),
    /// A datagram of a name look-up, which belongs to no connection.
    Query(Query),
}

/// A packet of a connection.
#[derive(Debug)]
pub(crate) struct Packet {
    pub(crate) connection: ConnectionId,
    /// Index in the log of its direction, if a log is kept.
    pub(crate) logged: usize,
    pub(crate) payload: Payload,
}

/// Client and server of one connection.
pub(crate) struct Ends<S> {
    /// Delay in each direction beyond the link that all connections share.
    pub(crate) extra_delay: Duration,
    kind: Kind<S>,
    /// Age of the connection at the navigation. The connection's own clock is ahead by
    /// this much.
    age: Duration,
    /// True if the client has closed the connection.
    closed: bool,
    sides: [EndState; 2],
}

/// State of one end in the event loop.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EndState {
    pub(crate) alarm: Alarm,
    /// Bytes that the end put on its link, including IP headers and lost packets.
    pub(crate) bytes: u64,
    /// Bytes of the packets that the end took from the other link.
    pub(crate) received: u64,
    /// Packets that the link's queue dropped.
    pub(crate) dropped: u64,
    /// When the end reads the packets that have arrived.
    pub(crate) read: Instant,
}

enum Kind<S> {
    Quic(Box<(Client, Server<S>)>),
    Tcp(Box<TcpEnds<S>>),
}

struct TcpEnds<S> {
    client: TcpClient,
    server: TcpServer<S>,
    hol: TcpHolMeter,
    /// When the client learns that the server gave the connection up.
    gone_at: Option<Instant>,
}

/// Time without packets after which a browser asks whether the server is still there.
///
/// # Source
/// `kTCPKeepAliveSeconds` of Chromium's `net/socket`.
const KEEP_ALIVE: Duration = Duration::from_secs(45);

impl<S: Site> TcpEnds<S> {
    fn server_timeout(&mut self, now: Instant) {
        self.server.handle_timeout(now);
        if self.server.lost().is_some() && self.gone_at.is_none() {
            // The answer to the keep-alive probe is a reset.
            self.gone_at = Some(now + KEEP_ALIVE);
        }
    }

    fn client_timeout(&mut self, now: Instant) {
        self.client.handle_timeout(now);
        if self.gone_at.is_some_and(|at| at <= now)
            && let Some(reason) = self.server.lost()
        {
            self.gone_at = None;
            self.client.fail(format!("the server gave it up: {reason}"));
        }
    }
}

impl<S: Site> Ends<S> {
    pub(crate) fn quic(client: Client, server: Server<S>) -> Self {
        Self::new(Kind::Quic(Box::new((client, server))))
    }

    pub(crate) fn tcp(client: TcpClient, server: TcpServer<S>, record: bool) -> Self {
        Self::new(Kind::Tcp(Box::new(TcpEnds {
            client,
            server,
            hol: TcpHolMeter::new(record),
            gone_at: None,
        })))
    }

    fn new(kind: Kind<S>) -> Self {
        Self {
            extra_delay: Duration::ZERO,
            kind,
            age: Duration::ZERO,
            closed: false,
            sides: [EndState::default(); 2],
        }
    }

    pub(crate) fn is_quic(&self) -> bool {
        matches!(self.kind, Kind::Quic(_))
    }

    pub(crate) fn side(&mut self, side: Side) -> &mut EndState {
        &mut self.sides[side as usize]
    }

    /// Sets the age of the connection at the navigation.
    pub(crate) fn set_age(&mut self, age: Duration) {
        self.age = age;
    }

    /// Closes the client's end without sending a packet. The server still answers what is on its
    /// way to it, and repeats nothing, as if a reset followed.
    pub(crate) fn close(&mut self) {
        self.closed = true;
    }

    /// Delivers a packet to one end.
    pub(crate) fn handle(&mut self, now: Instant, to: Side, payload: Payload) {
        if self.closed && to == Side::Client {
            return;
        }
        let now = now + self.age;
        match (&mut self.kind, payload) {
            (Kind::Quic(ends), Payload::Datagram(data)) => match to {
                Side::Client => ends.0.handle_datagram(now, data),
                Side::Server => ends.1.handle_datagram(now, client_address(), data),
            },
            (Kind::Tcp(ends), Payload::Segment(segment)) => match to {
                Side::Client => ends.client_segment(now, *segment),
                Side::Server => ends.server.handle_segment(now, *segment),
            },
            _ => unreachable!("a connection's packets are of its own kind"),
        }
    }

    pub(crate) fn handle_timeout(&mut self, now: Instant, side: Side) {
        let now = now + self.age;
        match (&mut self.kind, side) {
            (Kind::Quic(ends), Side::Client) => ends.0.handle_timeout(now),
            (Kind::Quic(ends), Side::Server) => ends.1.handle_timeout(now),
            (Kind::Tcp(ends), Side::Client) => ends.client_timeout(now),
            (Kind::Tcp(ends), Side::Server) => ends.server_timeout(now),
        }
    }

    pub(crate) fn poll_timeout(&mut self, side: Side) -> Option<Instant> {
        if self.closed {
            return None;
        }
        let at = match (&mut self.kind, side) {
            (Kind::Quic(ends), Side::Client) => ends.0.poll_timeout(),
            (Kind::Quic(ends), Side::Server) => ends.1.poll_timeout(),
            (Kind::Tcp(ends), Side::Client) => {
                let timer = ends.client.poll_timeout();
                timer.into_iter().chain(ends.gone_at).min()
            }
            (Kind::Tcp(ends), Side::Server) => ends.server.poll_timeout(),
        };
        at.map(|at| self.since_navigation(at))
    }

    /// Returns the next packet of one end, and its size on the wire in bytes.
    pub(crate) fn transmit(
        &mut self,
        now: Instant,
        side: Side,
        buf: &mut Vec<u8>,
    ) -> Option<(u32, Payload)> {
        if self.closed && side == Side::Client {
            return None;
        }
        let now = now + self.age;
        match &mut self.kind {
            Kind::Quic(ends) => {
                let sent = match side {
                    Side::Client => ends.0.poll_transmit(now, buf),
                    Side::Server => ends.1.poll_transmit(now, buf),
                };
                let size = sent?.size;
                let payload = Payload::Datagram(buf[..size].into());
                Some(((size + IP_UDP_HEADER) as u32, payload))
            }
            Kind::Tcp(ends) => {
                let segment = match side {
                    Side::Client => ends.client.poll_transmit(now),
                    Side::Server => ends.server.poll_transmit(now),
                }?;
                Some((segment.wire_size(), Payload::Segment(Box::new(segment))))
            }
        }
    }

    pub(crate) fn request(
        &mut self,
        now: Instant,
        token: u64,
        fields: Vec<Field>,
        priority: Option<Priority>,
        body: Option<Bytes>,
    ) {
        match &mut self.kind {
            Kind::Quic(ends) => {
                let now = now + self.age;
                ends.0.request(now, token, fields, priority, body);
            }
            Kind::Tcp(ends) => ends.client.request(token, fields, priority, body),
        }
    }

    pub(crate) fn cancel(&mut self, token: u64) {
        match &mut self.kind {
            Kind::Quic(ends) => ends.0.cancel(token),
            Kind::Tcp(ends) => ends.client.cancel(token),
        }
    }

    pub(crate) fn reprioritise(&mut self, token: u64, priority: Priority) {
        match &mut self.kind {
            Kind::Quic(ends) => ends.0.reprioritise(token, priority),
            Kind::Tcp(ends) => ends.client.reprioritise(token, priority),
        }
    }

    /// Returns true if the client has established a TCP connection.
    pub(crate) fn is_established(&self) -> bool {
        matches!(&self.kind, Kind::Tcp(ends) if ends.client.is_established())
    }

    /// Returns the HTTP/3 client, if the connection has one, and its own time at `now`.
    pub(crate) fn http3(&mut self, now: Instant) -> Option<(&mut Client, Instant)> {
        match &mut self.kind {
            Kind::Quic(ends) => Some((&mut ends.0, now + self.age)),
            Kind::Tcp(_) => None,
        }
    }

    pub(crate) fn poll_event(&mut self) -> Option<ClientEvent> {
        match &mut self.kind {
            Kind::Quic(ends) => ends.0.poll_event(),
            Kind::Tcp(ends) => ends.client.poll_event(),
        }
    }

    /// Returns the response bytes sent since the last call.
    pub(crate) fn take_frames(&mut self) -> Vec<SentFrame> {
        let mut frames = match &mut self.kind {
            Kind::Quic(ends) => ends.1.take_frames(),
            Kind::Tcp(ends) => ends.server.take_frames(),
        };
        for frame in &mut frames {
            frame.at = self.since_navigation(frame.at);
        }
        frames
    }

    pub(crate) fn site(&mut self) -> &mut S {
        match &mut self.kind {
            Kind::Quic(ends) => ends.1.site(),
            Kind::Tcp(ends) => ends.server.site(),
        }
    }

    pub(crate) fn server_stats(&mut self) -> ServerStats {
        match &mut self.kind {
            Kind::Quic(ends) => ends.1.stats(),
            Kind::Tcp(ends) => ends.server.stats(),
        }
    }

    /// Returns the server's congestion window in bytes.
    pub(crate) fn window(&mut self) -> u64 {
        match &mut self.kind {
            Kind::Quic(ends) => ends.1.congestion_window(),
            Kind::Tcp(ends) => ends.server.tcp_stats().congestion_window,
        }
    }

    /// Returns the head-of-line blocking of one stream.
    pub(crate) fn blocked(&self, stream: u64) -> Blocked {
        match &self.kind {
            Kind::Quic(ends) => ends.0.hol().blocked(stream),
            Kind::Tcp(ends) => ends.hol.blocked(stream),
        }
    }

    /// Returns the head-of-line blocking of all streams.
    pub(crate) fn blocked_in_all(&self) -> Blocked {
        match &self.kind {
            Kind::Quic(ends) => ends.0.hol().total(),
            Kind::Tcp(ends) => ends.hol.total(),
        }
    }

    /// Returns the spans in which bytes of a stream waited behind a gap.
    pub(crate) fn gaps(&self) -> Vec<Gap> {
        let gaps = match &self.kind {
            Kind::Quic(ends) => ends.0.hol().gaps(),
            Kind::Tcp(ends) => ends.hol.gaps(),
        };
        let shift = |gap: &Gap| Gap {
            from: self.since_navigation(gap.from),
            until: self.since_navigation(gap.until),
            ..*gap
        };
        gaps.iter().map(shift).collect()
    }

    /// Passes the packets that either end sealed or opened to `each`; QUIC connections
    /// only.
    pub(crate) fn drain_packets(&mut self, mut each: impl FnMut(Side, PacketRecord)) {
        if let Kind::Quic(ends) = &mut self.kind {
            ends.0.drain_packets(|p| each(Side::Client, p));
            ends.1.drain_packets(|p| each(Side::Server, p));
        }
    }

    fn since_navigation(&self, at: Instant) -> Instant {
        Instant::ZERO + at.since(Instant::ZERO + self.age)
    }
}

impl<S: Site> TcpEnds<S> {
    fn client_segment(&mut self, now: Instant, segment: Segment) {
        self.client.handle_segment(now, segment);
        let (hol, layout) = (&mut self.hol, self.server.layout());
        self.client
            .drain_received(|range| hol.handle_arrival(now, range, layout));
    }
}
