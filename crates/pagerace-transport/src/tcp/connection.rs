//! A connection: the handshake (RFC 9293, section 3.5), and both halves behind
//! one interface.

mod handshake;
mod transmit;

use std::collections::VecDeque;

use bytes::Bytes;
use pagerace_cc::UnknownController;
use pagerace_core::{Duration, Instant};

use super::receiver::Receiver;
use super::segment::{Control, Range, Segment, SentRange};
use super::sender::{Acknowledgement, Sender};
use super::settings::Settings;
use handshake::Handshake;

/// What happened on a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The handshake is complete.
    Connected,
    /// There is something to read.
    Readable,
    /// The peer sent its last byte, and all of them were read.
    Finished,
    /// The connection is no more.
    Lost {
        /// Why, for people.
        reason: String,
    },
}

/// Counts and state of one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Segments sent, with or without payload.
    pub segments_sent: u64,
    /// Segments declared lost, some perhaps wrongly.
    pub segments_lost: u64,
    /// Payload bytes sent more than once.
    pub retransmitted_bytes: u64,
    /// Bytes that may be in flight.
    pub congestion_window: u64,
    /// Bytes at which slow start ends; `None` before the first loss.
    pub ssthresh: Option<u64>,
    /// `None` before the first sample.
    pub smoothed_rtt: Option<Duration>,
    /// Payload bytes that are sent and neither acknowledged nor lost.
    pub in_flight: u64,
    /// Retransmission timeouts, of SYNs too.
    pub rtos: u64,
    /// Tail loss probes.
    pub probes: u64,
    /// Reductions of the window that were taken back.
    pub undone: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// A server that no SYN reached.
    Listen,
    /// A client without an answer.
    SynSent,
    /// A server whose answer is not acknowledged.
    SynReceived,
    Established,
    /// Reset, or given up.
    Lost,
}

/// One side of a TCP connection.
#[derive(Debug)]
pub struct Connection {
    state: State,
    mss: u16,
    notsent_lowat: usize,
    handshake: Handshake,
    sender: Sender,
    receiver: Receiver,
    /// A reset is to be sent.
    reset: Option<Segment>,
    now: Instant,
    segments_sent: u64,
    sent: Vec<SentRange>,
    received: Vec<Range>,
    events: VecDeque<Event>,
    end_reported: bool,
}

impl Connection {
    /// A client; its SYN leaves with the next [`Self::poll_transmit`].
    ///
    /// # Errors
    /// [`UnknownController`]: the settings name none of the registry.
    pub fn client(settings: &Settings, now: Instant) -> Result<Self, UnknownController> {
        let handshake = Handshake::new(settings.syn_retries, true);
        Self::new(settings, now, State::SynSent, handshake)
    }

    /// A server for one connection; it waits for a SYN.
    ///
    /// # Errors
    /// As [`Self::client`].
    pub fn server(settings: &Settings) -> Result<Self, UnknownController> {
        let handshake = Handshake::new(settings.synack_retries, false);
        Self::new(settings, Instant::ZERO, State::Listen, handshake)
    }

    fn new(
        settings: &Settings,
        now: Instant,
        state: State,
        handshake: Handshake,
    ) -> Result<Self, UnknownController> {
        Ok(Self {
            state,
            mss: settings.mss,
            notsent_lowat: settings.notsent_lowat as usize,
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

    /// Whether the handshake is complete and the connection not lost.
    pub fn is_established(&self) -> bool {
        self.state == State::Established
    }

    /// Whether nothing is left to do: it was lost, or both streams ended and
    /// the peer knows. It still answers segments of a peer that does not.
    pub fn is_closed(&self) -> bool {
        let over = self.sender.is_done() && self.receiver.is_finished();
        self.state == State::Lost || over
    }

    /// Bytes that should be written now so that the network never waits and as
    /// little as possible is committed: `notsent_lowat` less what is unsent;
    /// 0 before the handshake is complete.
    pub fn writable(&self) -> usize {
        if self.state != State::Established || self.sender.is_finished() {
            return 0;
        }
        self.notsent_lowat.saturating_sub(self.sender.unsent())
    }

    /// Appends to the stream, however much is unsent.
    ///
    /// # Panics
    /// After [`Self::finish`].
    pub fn write(&mut self, data: Bytes) {
        self.sender.write(data);
    }

    /// Ends the stream behind what was written.
    pub fn finish(&mut self) {
        self.sender.finish();
    }

    /// The next bytes in order; makes room in the receive window.
    pub fn read(&mut self) -> Option<Bytes> {
        let data = self.receiver.read(self.now);
        self.report_end();
        data
    }

    /// Breaks the connection off: a reset leaves with the next
    /// [`Self::poll_transmit`].
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

    /// Hands over the payload ranges that arrived since it was last called, in
    /// order of arrival, duplicates too.
    pub fn drain_received(&mut self, each: impl FnMut(Range)) {
        self.received.drain(..).for_each(each);
    }

    /// Hands over the payload ranges that were sent since it was last called.
    pub fn drain_sent(&mut self, each: impl FnMut(SentRange)) {
        self.sent.drain(..).for_each(each);
    }

    /// Stream bytes received in order so far, read or not.
    pub fn delivered(&self) -> u64 {
        self.receiver.delivered()
    }

    /// Counts and state of this side.
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

    /// What happened, oldest first.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// When [`Self::handle_timeout`] is to be called, if nothing arrives before.
    pub fn poll_timeout(&self) -> Option<Instant> {
        let handshake = self.handshake.deadline();
        match self.state {
            State::Listen | State::Lost => None,
            State::SynSent | State::SynReceived => handshake,
            State::Established => [self.sender.poll_timeout(), self.receiver.deadline()]
                .into_iter()
                .flatten()
                .min(),
        }
    }

    /// Acts on the timers that are due; [`Self::poll_transmit`] is to follow.
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
                self.receiver.handle_timeout(now);
                if let Err(reason) = self.sender.handle_timeout(now) {
                    self.lose(reason);
                }
            }
        }
    }

    /// Takes a segment from the peer; [`Self::poll_transmit`] is to follow.
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
        // Simultaneous opening is left out: a SYN without ACK has no answer.
        if segment.acknowledgement != Some(1) {
            return;
        }
        self.mss = self.mss.min(mss);
        self.receiver.on_syn(segment);
        self.receiver.demand_ack();
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
        self.acknowledged(now, segment);
        self.events.push_back(Event::Connected);
    }

    fn handle_established(&mut self, now: Instant, segment: &Segment) {
        if segment.is_syn() {
            // The peer did not hear the end of the handshake.
            self.receiver.demand_ack();
            return;
        }
        let length = segment.payload.len() as u64;
        if length > 0 {
            let offset = segment.offset();
            self.received.push(Range { offset, length });
        }
        let idle = self.sender.rtt().timeout(0);
        let readable = self.receiver.handle(now, segment, idle);
        self.acknowledged(now, segment);
        if readable && self.receiver.has_unread() && self.events.back() != Some(&Event::Readable) {
            self.events.push_back(Event::Readable);
        }
        self.report_end();
    }

    fn acknowledged(&mut self, now: Instant, segment: &Segment) {
        let Some(number) = segment.acknowledgement else {
            return;
        };
        if number > self.sender.next() {
            // RFC 9293, section 3.10.7.4: something not yet sent.
            self.receiver.demand_ack();
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
