//! The receiving half of a connection: reassembly, window and acknowledgements.

use bytes::Bytes;
use pagerace_core::{Duration, Instant};

use super::ack::AckPolicy;
use super::reassembly::Reassembly;
use super::segment::{SackBlocks, Segment};
use super::settings::TcpSettings;
use super::window::ReceiveWindow;

/// The receiving half of a connection.
#[derive(Debug)]
pub(super) struct Receiver {
    mss: u64,
    reassembly: Reassembly,
    window: ReceiveWindow,
    pub(super) acks: AckPolicy,
    /// Sequence number of the FIN, once it has arrived.
    fin: Option<u64>,
    /// `TS.Recent` and `Last.ACK.sent` of RFC 7323, section 4.3.
    recent_timestamp: Option<Instant>,
    last_ack_sent: u64,
    last_rtt_echo: Option<Instant>,
}

impl Receiver {
    pub(super) fn new(settings: &TcpSettings) -> Self {
        Self {
            mss: u64::from(settings.mss),
            reassembly: Reassembly::new(),
            window: ReceiveWindow::new(
                settings.mss,
                settings.receive_window,
                settings.receive_buffer_max,
            ),
            acks: AckPolicy::new(settings.mss, settings.ack_delay),
            fin: None,
            recent_timestamp: None,
            last_ack_sent: 0,
            last_rtt_echo: None,
        }
    }

    /// Processes the peer's SYN, which carries its first timestamp.
    pub(super) fn on_syn(&mut self, segment: &Segment) {
        self.recent_timestamp = Some(segment.timestamp);
    }

    /// Processes a segment. Returns true if new bytes or the end of the stream can be read.
    ///
    /// `idle` is the time of silence after which the sender counts as starting anew.
    pub(super) fn handle(&mut self, now: Instant, segment: &Segment, idle: Duration) -> bool {
        self.note_timestamp(now, segment);
        let before = self.next();
        let length = segment.payload.len() as u64;
        if length > 0 {
            self.take_payload(now, segment, idle);
        } else if segment.sequence < before && !segment.fin {
            // RFC 9293, section 3.10.7.4: a segment outside the window must be answered.
            // Probes of a closed window have this form.
            self.acks.demand();
        }
        if segment.fin {
            self.fin = Some(segment.end() - 1);
            self.acks.demand();
        }
        self.next() > before
    }

    fn take_payload(&mut self, now: Instant, segment: &Segment, idle: Duration) {
        let length = segment.payload.len() as u64;
        if segment.sequence + length > self.window.edge() {
            // The peer has exceeded the window.
            self.acks.demand();
            return;
        }
        let arrival = self.reassembly.insert(segment.sequence, &segment.payload);
        let beyond = self.reassembly.beyond();
        self.acks.on_data(
            now,
            (segment.sequence, length, segment.push),
            &arrival,
            beyond,
            idle,
        );
        let unread = self.reassembly.unread();
        self.window.on_data(now, arrival.new, unread);
    }

    fn note_timestamp(&mut self, now: Instant, segment: &Segment) {
        let recent = self.recent_timestamp.unwrap_or(Instant::ZERO);
        if segment.sequence <= self.last_ack_sent && segment.timestamp >= recent {
            self.recent_timestamp = Some(segment.timestamp);
        }
        // Linux's `tcp_rcv_rtt_measure_ts`: one sample for each echo.
        if let Some(echo) = segment.echo
            && segment.payload.len() as u64 >= self.mss
            && segment.echo != self.last_rtt_echo
        {
            self.last_rtt_echo = segment.echo;
            self.window.sample_rtt(now.since(echo));
        }
    }

    /// Returns the next expected number.
    pub(super) fn next(&self) -> u64 {
        let next = self.reassembly.next();
        next + u64::from(self.fin == Some(next))
    }

    /// Returns the number of stream bytes received in order, whether read or not.
    pub(super) fn delivered(&self) -> u64 {
        self.reassembly.next() - 1
    }

    /// Returns true if the peer's stream is complete.
    pub(super) fn is_finished(&self) -> bool {
        self.fin == Some(self.reassembly.next())
    }

    pub(super) fn has_unread(&self) -> bool {
        self.reassembly.unread() > 0
    }

    pub(super) fn read(&mut self, now: Instant) -> Option<Bytes> {
        let data = self.reassembly.read()?;
        let (next, unread) = (self.reassembly.next(), self.reassembly.unread());
        self.window.on_read(now, next - unread);
        if !self.is_finished() && self.window.wants_update(next, unread) {
            self.acks.demand();
        }
        if unread == 0 {
            self.acks.on_drained();
        }
        Some(data)
    }

    pub(super) fn blocks(&mut self) -> SackBlocks {
        self.acks.blocks(self.reassembly.beyond())
    }

    /// Returns the fields that every segment carries for this half: the next expected
    /// number, the window, and the timestamp to echo.
    ///
    /// The caller sends them, so this counts as an acknowledgement.
    pub(super) fn acknowledge(&mut self) -> (u64, u64, Option<Instant>) {
        let next = self.next();
        let unread = self.reassembly.unread();
        let window = self.window.advertise(next, unread);
        self.last_ack_sent = next;
        self.acks.on_sent();
        (next, window, self.recent_timestamp)
    }
}
