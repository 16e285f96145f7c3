//! Server end of one connection.

use pagerace_cc::UnknownController;
use pagerace_core::{Instant, Protocol};
use pagerace_transport::tcp::{self, TcpSettings};
use pagerace_transport::tls::{self, TlsSettings};
use serde::{Deserialize, Serialize};

use super::Layout;
use crate::outgoing::SentFrame;
use crate::server::ServerStats;
use crate::site::Site;
use crate::stream::{StreamServer, StreamServerConfig};

/// Alignment of TLS records with TCP segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordEnds {
    /// Segments may contain the end of one record and the start of the next, as from a
    /// server that writes large amounts at once, or corks.
    #[default]
    Joined,
    /// While the window is open, the last segment of a record is short, as from a server
    /// that writes record by record with `TCP_NODELAY`. While the window is closed,
    /// records share segments.
    Short,
}

/// Configuration of a server.
#[derive(Clone, Debug)]
pub struct TcpServerConfig {
    /// HTTP/1.1 or HTTP/2.
    pub protocol: Protocol,
    /// TCP settings.
    pub tcp: TcpSettings,
    /// TLS settings, which must equal those of the client.
    pub tls: TlsSettings,
    /// Alignment of records with segments.
    pub record_ends: RecordEnds,
    /// HTTP settings and the strategy. `record_frames` requests frames as they leave in
    /// segments, see [`TcpServer::take_frames`].
    pub stream: StreamServerConfig,
}

impl TcpServerConfig {
    /// Returns the defaults of all layers.
    pub fn new(protocol: Protocol, stream: StreamServerConfig) -> Self {
        Self {
            protocol,
            tcp: TcpSettings::default(),
            tls: TlsSettings::default(),
            record_ends: RecordEnds::default(),
            stream,
        }
    }
}

/// Space at the end of a record, in bytes, below which no further frame is added: several
/// times the size of a frame header.
pub const LEAST_ROOM: usize = 64;

/// Server of a [`Site`] to one client.
pub struct TcpServer<S> {
    tcp: tcp::Connection,
    tls: tls::Session,
    http: StreamServer<S>,
    /// Bytes of a record before and after its plaintext.
    envelope: (u64, u64),
    layout: Layout,
    record_ends: RecordEnds,
    record: bool,
    frames: Vec<SentFrame>,
    finished: bool,
    /// The reason for which TCP gave the connection up.
    lost: Option<String>,
}

impl<S: Site> TcpServer<S> {
    /// Creates a server that waits for its client's SYN.
    ///
    /// # Errors
    /// Returns an error if the settings name an unknown congestion controller.
    ///
    /// # Panics
    /// Panics if the protocol is HTTP/3.
    pub fn new(config: &TcpServerConfig, site: S) -> Result<Self, UnknownController> {
        let record = config.stream.record_frames;
        let stream = StreamServerConfig {
            record_frames: false,
            ..config.stream.clone()
        };
        Ok(Self {
            tcp: tcp::Connection::server(&config.tcp)?,
            tls: tls::Session::server(&config.tls),
            http: StreamServer::new(config.protocol, &stream, site),
            envelope: envelope(config.tls.version),
            layout: Layout::default(),
            record_ends: config.record_ends,
            record,
            frames: Vec::new(),
            finished: false,
            lost: None,
        })
    }

    /// Handles a segment from the client.
    pub fn handle_segment(&mut self, now: Instant, segment: tcp::Segment) {
        self.tcp.handle_segment(now, segment);
        self.drive(now);
    }

    /// Handles the passing of time.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.tcp.handle_timeout(now);
        self.http.handle_timeout(now);
        self.drive(now);
    }

    /// Returns the time at which to call [`handle_timeout`](Self::handle_timeout).
    pub fn poll_timeout(&self) -> Option<Instant> {
        [self.tcp.poll_timeout(), self.http.poll_timeout()]
            .into_iter()
            .flatten()
            .min()
    }

    /// Returns the next segment to send.
    pub fn poll_transmit(&mut self, now: Instant) -> Option<tcp::Segment> {
        let segment = match self.record_ends {
            RecordEnds::Joined => {
                self.write(now, usize::MAX);
                self.tcp.poll_transmit(now)
            }
            // A record leaves completely before the next is written.
            RecordEnds::Short => loop {
                let segment = self.tcp.poll_transmit(now);
                if segment.is_some() || !self.write(now, 1) {
                    break segment;
                }
            },
        };
        if self.record {
            self.note_sent(now);
        } else {
            self.tcp.drain_sent(|_| {});
        }
        segment
    }

    /// Returns the counters of the connection. Retransmitted bytes are those of the TCP
    /// stream, including TLS and framing.
    pub fn stats(&self) -> ServerStats {
        let stats = self.tcp.stats();
        ServerStats {
            packets_sent: stats.segments_sent,
            packets_lost: stats.segments_lost,
            retransmitted_bytes: stats.retransmitted_bytes,
        }
    }

    /// Returns the counters and state of TCP on this side.
    pub fn tcp_stats(&self) -> tcp::Stats {
        self.tcp.stats()
    }

    /// Returns the frames that left in segments since the last call, if the server
    /// records: one frame for each response with bytes in a segment. Offsets and lengths
    /// count the response's bytes on the TCP stream, including TLS and framing.
    pub fn take_frames(&mut self) -> Vec<SentFrame> {
        std::mem::take(&mut self.frames)
    }

    /// Returns the owner of each byte of the server's TCP stream.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the site that answers the requests.
    pub fn site(&mut self) -> &mut S {
        self.http.site()
    }

    /// Returns the reason for which the server's TCP gave the connection up. The client
    /// does not learn of it unless it sends.
    pub fn lost(&self) -> Option<&str> {
        self.lost.as_deref()
    }

    fn drive(&mut self, now: Instant) {
        // Blocking is measured only at the receiver of responses.
        self.tcp.drain_received(|_| {});
        while let Some(data) = self.tcp.read() {
            if self.tls.handle_data(data).is_err() {
                self.tcp.abort();
                return;
            }
            while let Some(plaintext) = self.tls.poll_read() {
                self.http.handle_data(now, plaintext);
            }
        }
        while let Some(event) = self.tcp.poll_event() {
            match event {
                tcp::Event::Finished => self.http.handle_end(now),
                tcp::Event::Lost { reason } => {
                    self.finished = true;
                    self.lost = Some(reason);
                }
                tcp::Event::Connected | tcp::Event::Readable => {}
            }
        }
    }

    /// Writes as much as TCP asks for: the handshake's flights, then at most `records`
    /// records. If `records` is 1, a flight is written alone, so that it leaves in segments of its
    /// own. Returns false if there was nothing to write.
    fn write(&mut self, now: Instant, records: usize) -> bool {
        if self.finished {
            return false;
        }
        let flight = self.pass_on();
        if flight > 0 {
            self.layout.push(&[(None, flight)]);
            if records == 1 {
                // Tickets leave in a segment of their own.
                return true;
            }
        }
        let mut written = 0;
        while written < records && self.tcp.writable() > 0 && self.tls.can_write() {
            if !self.write_record(now) {
                break;
            }
            written += 1;
        }
        if self.http.is_closed() && self.tcp.is_established() {
            self.finished = true;
            self.tcp.finish();
        }
        flight > 0 || written > 0 || self.finished
    }

    /// Fills one record. Returns false if there was no content for it.
    fn write_record(&mut self, now: Instant) -> bool {
        let limit = self.tls.record_limit();
        let mut pieces: Vec<(Option<u64>, u64)> = Vec::new();
        let mut filled = 0;
        while filled == 0 || filled + LEAST_ROOM <= limit {
            let Some(output) = self.http.poll_output(now, limit - filled) else {
                break;
            };
            filled += output.len();
            pieces.push((output.stream, output.len() as u64));
            self.tls.write(output.head);
            self.tls.write(output.content);
        }
        let (Some(first), before) = (pieces.first_mut(), self.envelope.0) else {
            return false;
        };
        first.1 += before;
        let written = self.pass_on();
        // Bytes that are not accounted for follow the plaintext.
        let known: u64 = pieces.iter().map(|p| p.1).sum();
        if let Some(last) = pieces.last_mut() {
            last.1 += written - known;
        }
        self.layout.push(&pieces);
        true
    }

    /// Passes bytes from TLS to TCP, and returns their number.
    fn pass_on(&mut self) -> u64 {
        let mut written = 0;
        while let Some(data) = self.tls.poll_write() {
            written += data.len() as u64;
            self.tcp.write(data);
        }
        written
    }

    fn note_sent(&mut self, now: Instant) {
        let (layout, frames) = (&self.layout, &mut self.frames);
        self.tcp.drain_sent(|sent| {
            let range = tcp::Range {
                offset: sent.offset,
                length: sent.length,
            };
            let ours = layout.spans(range).filter_map(|s| Some((s.stream?, s)));
            frames.extend(ours.map(|(stream, span)| SentFrame {
                at: now,
                stream,
                offset: span.offset,
                length: span.length(),
                retransmission: sent.retransmission,
            }));
        });
    }
}

/// Returns the bytes before and after a record's plaintext: the header (with the explicit
/// nonce in TLS 1.2), and the rest of the overhead.
fn envelope(version: tls::Version) -> (u64, u64) {
    let before = match version {
        tls::Version::Tls12 => 13,
        tls::Version::Tls13 => 5,
    };
    (before, tls::overhead(version) as u64 - before)
}
