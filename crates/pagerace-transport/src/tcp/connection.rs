//! A TCP connection: the handshake (RFC 9293, section 3.5), and the sending and receiving
//! halves behind one interface.

mod handshake;
mod transmit;

use std::collections::VecDeque;

use bytes::Bytes;
use pagerace_cc::UnknownController;
use pagerace_core::{Duration, Instant};

use super::receiver::Receiver;
use super::segment::{Control, Range, Segment, SentRange};
use super::sender::{Acknowledgement, Sender};
use super::settings::TcpSettings;
use handshake::SynSender;

/// An event on a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The handshake is complete.
    Connected,
    /// Data is ready to be read.
    Readable,
    /// The peer has ended its stream, and all of its bytes were read.
    Finished,
    /// The connection was reset or given up.
    Lost {
        /// The reason, for display to users.
        reason: String,
    },
}

/// Counters and state of one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Number of segments sent, with or without payload.
    pub segments_sent: u64,
    /// Number of segments declared lost, including spurious losses unless the sender
    /// noticed and undid its recovery.
    pub segments_lost: u64,
    /// Payload bytes retransmitted.
    pub retransmitted_bytes: u64,
    /// Congestion window in bytes.
    pub congestion_window: u64,
    /// Slow start threshold in bytes, or `None` before the first loss.
    pub ssthresh: Option<u64>,
    /// Smoothed round-trip time, or `None` before the first sample.
    pub smoothed_rtt: Option<Duration>,
    /// Bytes that the segments in flight take of the congestion window: as many for a short
    /// segment as for a full one.
    pub in_flight: u64,
    /// Number of retransmission timeouts, including those of SYNs.
    pub rtos: u64,
    /// Number of tail loss probes.
    pub probes: u64,
    /// Number of window reductions that were undone.
    pub undone: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// A server that has not received a SYN.
    Listen,
    /// A client that waits for a SYN-ACK.
    SynSent,
    /// A server whose SYN-ACK is not acknowledged yet.
    SynReceived,
    Established,
    /// The connection was reset or given up.
    Lost,
}

/// One side of a TCP connection.
#[derive(Debug)]
pub struct Connection {
    state: State,
    mss: u16,
    handshake: SynSender,
    sender: Sender,
    receiver: Receiver,
    /// A reset segment that waits to be sent.
    reset: Option<Segment>,
    now: Instant,
    segments_sent: u64,
    sent: Vec<SentRange>,
    received: Vec<Range>,
    events: VecDeque<Event>,
    end_reported: bool,
}

impl Connection {
    /// Creates a client. Its SYN leaves with the next [`Self::poll_transmit`].
    ///
    /// # Errors
    /// Returns [`UnknownController`] if the settings name no controller of the registry.
    pub fn client(settings: &TcpSettings, now: Instant) -> Result<Self, UnknownController> {
        let handshake = SynSender::new(settings.syn_retries, true);
        Self::new(settings, now, State::SynSent, handshake)
    }

    /// Creates a server for one connection, which waits for a SYN.
    ///
    /// # Errors
    /// Same as [`Self::client`].
    pub fn server(settings: &TcpSettings) -> Result<Self, UnknownController> {
        let handshake = SynSender::new(settings.synack_retries, false);
        Self::new(settings, Instant::ZERO, State::Listen, handshake)
    }

    fn new(
        settings: &TcpSettings,
        now: Instant,
        state: State,
        handshake: SynSender,
    ) -> Result<Self, UnknownController> {
        Ok(Self {
            state,
            mss: settings.mss,
            handshake,
            sender: Sender::new(settings)?,
            receiver: Receiver::new(settings),
            reset: None,
            now,
            segments_sent: 0,
            sent: Vec::new(),
            received: Vec::new(),
            events: VecDeque::new(),
            end_reported: false,
        })
    }

    /// Returns true if the handshake is complete and the connection is not lost.
    pub fn is_established(&self) -> bool {
        self.state == State::Established
    }

    /// Returns true if the connection was lost, or if both streams ended and the peer has
    /// acknowledged it.
    ///
    /// A closed connection still answers a peer that retransmits.
    pub fn is_closed(&self) -> bool {
        let over = self.sender.is_done() && self.receiver.is_finished();
        self.state == State::Lost || over
    }

    /// Returns the number of bytes that the application should write now, as an application
    /// does that writes until Linux refuses it and then waits for `EPOLLOUT`.
    ///
    /// It is 0 while the application waits, before the handshake is complete and after
    /// [`Self::finish`].
    pub fn writable(&self) -> usize {
        if self.state != State::Established || self.sender.is_finished() {
            return 0;
        }
        self.sender.writable()
    }

    /// Appends data to the stream, regardless of the amount of unsent data.
    ///
    /// # Panics
    /// Panics if called after [`Self::finish`].
    pub fn write(&mut self, data: Bytes) {
        self.sender.write(data);
    }

    /// Ends the stream after the data written so far.
    pub fn finish(&mut self) {
        self.sender.finish();
    }

    /// Returns the next bytes in order and frees their room in the receive window.
    pub fn read(&mut self) -> Option<Bytes> {
        let data = self.receiver.read(self.now);
        self.report_end();
        data
    }

    /// Aborts the connection. A reset leaves with the next [`Self::poll_transmit`].
    pub fn abort(&mut self) {
        if matches!(self.state, State::Established | State::SynReceived) {
            let (acknowledgement, _, echo) = self.receiver.acknowledge();
            self.reset = Some(Segment {
                control: Control::Reset,
                acknowledgement: Some(acknowledgement),
                echo,
                ..self.bare(self.now)
            });
        }
        self.state = State::Lost;
    }

    /// Passes the payload ranges received since the last call to `each`, in order of
    /// arrival and including duplicates.
    pub fn drain_received(&mut self, each: impl FnMut(Range)) {
        self.received.drain(..).for_each(each);
    }

    /// Passes the payload ranges sent since the last call to `each`.
    pub fn drain_sent(&mut self, each: impl FnMut(SentRange)) {
        self.sent.drain(..).for_each(each);
    }

    /// Returns the number of stream bytes received in order, whether read or not.
    pub fn delivered(&self) -> u64 {
        self.receiver.delivered()
    }

    /// Returns the counters and state of this side.
    pub fn stats(&self) -> Stats {
        let counts = self.sender.counts();
        Stats {
            segments_sent: self.segments_sent,
            segments_lost: counts.lost,
            retransmitted_bytes: counts.retransmitted_bytes,
            congestion_window: self.sender.window(),
            ssthresh: self.sender.ssthresh(),
            smoothed_rtt: self.sender.rtt().smoothed(),
            in_flight: self.sender.in_flight(),
            rtos: counts.timeouts + self.handshake.timeouts(),
            probes: counts.probes,
            undone: counts.undone,
        }
    }

    /// Returns the next event, oldest first.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Returns the time to call [`Self::handle_timeout`] if nothing arrives before.
    pub fn poll_timeout(&self) -> Option<Instant> {
        let handshake = self.handshake.deadline();
        match self.state {
            State::Listen | State::Lost => None,
            State::SynSent | State::SynReceived => handshake,
            State::Established => [self.sender.poll_timeout(), self.receiver.acks.deadline()]
                .into_iter()
                .flatten()
                .min(),
        }
    }

    /// Handles the timers that are due. Must be followed by [`Self::poll_transmit`].
    pub fn handle_timeout(&mut self, now: Instant) {
        self.now = now;
        match self.state {
            State::Listen | State::Lost => {}
            State::SynSent | State::SynReceived => {
                if let Err(reason) = self.handshake.handle_timeout(now) {
                    self.lose(reason);
                }
            }
            State::Established => {
                self.receiver.acks.handle_timeout(now);
                if let Err(reason) = self.sender.handle_timeout(now) {
                    self.lose(reason);
                }
            }
        }
    }

    /// Processes a segment from the peer. Must be followed by [`Self::poll_transmit`].
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a segment arrives once; its payload's bytes are shared, not copied"
    )]
    pub fn handle_segment(&mut self, now: Instant, segment: Segment) {
        self.now = now;
        if segment.is_reset() {
            self.handle_reset();
            return;
        }
        match self.state {
            State::Lost => {}
            State::Listen => self.handle_listen(now, &segment),
            State::SynSent => self.handle_syn_sent(now, &segment),
            State::SynReceived => self.handle_syn_received(now, &segment),
            State::Established => self.handle_established(now, &segment),
        }
    }

    /// Lifts the limit of the send buffer.
    #[cfg(test)]
    pub(super) fn lift_send_buffer(&mut self) {
        self.sender.lift_send_buffer();
    }

    fn handle_reset(&mut self) {
        match self.state {
            State::Listen | State::Lost => {}
            State::SynSent => self.lose("the server refused the connection".to_owned()),
            State::SynReceived | State::Established => {
                self.lose("the peer reset the connection".to_owned());
            }
        }
    }

    fn handle_listen(&mut self, now: Instant, segment: &Segment) {
        let Control::Syn { mss } = segment.control else {
            self.reset = Some(Segment::refusal(now, segment));
            return;
        };
        self.mss = self.mss.min(mss);
        self.receiver.on_syn(segment);
        self.state = State::SynReceived;
        self.handshake.send();
    }

    fn handle_syn_sent(&mut self, now: Instant, segment: &Segment) {
        let Control::Syn { mss } = segment.control else {
            return;
        };
        // Simultaneous open is not modelled, so a SYN without ACK gets no answer.
        if segment.acknowledgement != Some(1) {
            return;
        }
        self.mss = self.mss.min(mss);
        self.receiver.on_syn(segment);
        self.receiver.acks.demand();
        self.establish(now, segment);
    }

    fn handle_syn_received(&mut self, now: Instant, segment: &Segment) {
        if segment.is_syn() {
            self.receiver.on_syn(segment);
            self.handshake.send();
            return;
        }
        if segment.acknowledgement.is_some_and(|number| number >= 1) {
            self.establish(now, segment);
            self.handle_established(now, segment);
        }
    }

    fn establish(&mut self, now: Instant, segment: &Segment) {
        self.state = State::Established;
        let rtt = segment.echo.map(|echo| now.since(echo));
        self.sender
            .establish(now, self.mss, rtt, self.handshake.tries());
        self.handle_acknowledgement(now, segment);
        self.events.push_back(Event::Connected);
    }

    fn handle_established(&mut self, now: Instant, segment: &Segment) {
        if segment.is_syn() {
            // The acknowledgement that completes the handshake was lost.
            self.receiver.acks.demand();
            return;
        }
        let length = segment.payload.len() as u64;
        if length > 0 {
            let offset = segment.offset();
            self.received.push(Range { offset, length });
        }
        let idle = self.sender.rtt().timeout(0);
        let readable = self.receiver.handle(now, segment, idle);
        self.handle_acknowledgement(now, segment);
        if readable && self.receiver.has_unread() && self.events.back() != Some(&Event::Readable) {
            self.events.push_back(Event::Readable);
        }
        self.report_end();
    }

    fn handle_acknowledgement(&mut self, now: Instant, segment: &Segment) {
        let Some(number) = segment.acknowledgement else {
            return;
        };
        if number > self.sender.next() {
            // RFC 9293, section 3.10.7.4: the segment acknowledges data that was never
            // sent.
            self.receiver.acks.demand();
            return;
        }
        self.sender.handle_ack(
            now,
            &Acknowledgement {
                number,
                window: segment.window,
                sacks: segment.sacks,
                echo: segment.echo,
                pure: segment.payload.is_empty() && !segment.fin,
            },
        );
    }

    fn report_end(&mut self) {
        if self.receiver.is_finished() && !self.receiver.has_unread() && !self.end_reported {
            self.end_reported = true;
            self.events.push_back(Event::Finished);
        }
    }

    fn lose(&mut self, reason: String) {
        self.state = State::Lost;
        self.events.push_back(Event::Lost { reason });
    }
}
