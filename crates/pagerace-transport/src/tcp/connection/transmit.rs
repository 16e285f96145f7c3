//! The segments that a connection sends: control segments, data and acknowledgements.

use pagerace_core::Instant;

use super::{Connection, State};
use crate::tcp::segment::{Control, Segment, SentRange};
use crate::tcp::sender::DataSegment;

impl Connection {
    /// Returns the next segment that may leave now. Must be called until it returns `None`.
    pub fn poll_transmit(&mut self, now: Instant) -> Option<Segment> {
        self.now = now;
        let segment = self.next_segment(now)?;
        self.segments_sent += 1;
        Some(segment)
    }

    fn next_segment(&mut self, now: Instant) -> Option<Segment> {
        if let Some(reset) = self.reset.take() {
            return Some(reset);
        }
        match self.state {
            State::Listen | State::Lost => return None,
            State::SynSent | State::SynReceived => return self.poll_handshake(now),
            State::Established => {}
        }
        // The kernel acknowledges before the application can answer. SACK blocks do not fit beside
        // a full payload.
        if self.receiver.acks.is_due() {
            return Some(self.pure_ack(now));
        }
        if let Some(out) = self.sender.poll(now) {
            return Some(self.data(now, out));
        }
        if self.sender.take_window_probe() {
            // Linux's `tcp_xmit_probe_skb`: the segment lies one number before the window,
            // so the peer must answer it.
            let sequence = self.sender.next() - 1;
            return Some(Segment {
                sequence,
                ..self.pure_ack(now)
            });
        }
        None
    }

    fn poll_handshake(&mut self, now: Instant) -> Option<Segment> {
        let retransmission = self.handshake.poll(now)?;
        let (acknowledgement, window, echo) = self.receiver.acknowledge();
        let answers = self.state == State::SynReceived;
        Some(Segment {
            control: Control::Syn { mss: self.mss },
            sequence: 0,
            acknowledgement: answers.then_some(acknowledgement),
            window,
            echo,
            retransmission: retransmission > 0,
            ..self.bare(now)
        })
    }

    pub(super) fn bare(&self, now: Instant) -> Segment {
        Segment {
            sequence: self.sender.next(),
            timestamp: now,
            ..Segment::default()
        }
    }

    fn pure_ack(&mut self, now: Instant) -> Segment {
        let sacks = self.receiver.blocks();
        let (acknowledgement, window, echo) = self.receiver.acknowledge();
        Segment {
            acknowledgement: Some(acknowledgement),
            window,
            echo,
            sacks,
            ..self.bare(now)
        }
    }

    fn data(&mut self, now: Instant, out: DataSegment) -> Segment {
        let (acknowledgement, window, echo) = self.receiver.acknowledge();
        let length = out.payload.len() as u64;
        if length > 0 {
            self.sent.push(SentRange {
                offset: out.sequence - 1,
                length,
                retransmission: out.retransmission,
            });
            self.receiver.acks.on_data_sent(now);
        }
        Segment {
            sequence: out.sequence,
            fin: out.fin,
            acknowledgement: Some(acknowledgement),
            window,
            echo,
            payload: out.payload,
            push: out.push,
            retransmission: out.retransmission,
            ..self.bare(now)
        }
    }
}
