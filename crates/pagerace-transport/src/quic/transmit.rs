//! Sending of a connection: paced, packet by packet, and with bytes bound as late as
//! possible.

use pagerace_core::{Duration, Instant};
use quinn_proto::{Transmit, WriteError};

use super::acks::Acks;
use super::connection::{Connection, Offer, PacketSource, StreamOffer};
use super::packing::{Committed, Packing, datagram_frame_size};

/// Number of packets that may leave at once after a pause. Linux allows two with `fq`
/// (`quantum` is twice the MTU, `net/sched/sch_fq.c`).
const BURST: u64 = 2;

impl Connection {
    /// Returns the time at which the connection's timers must be handled.
    pub(super) fn poll_timeout(&mut self) -> Option<Instant> {
        let timer = self.inner.poll_timeout().map(|at| self.epoch.from_std(at));
        let ack = self.acks.as_ref().and_then(Acks::due);
        timer.into_iter().chain(self.held_until).chain(ack).min()
    }

    /// Makes the connection acknowledge as Chromium does.
    pub(super) fn decimate_acks(&mut self) {
        self.acks = Some(Acks::default());
        self.tap.with(|seen| seen.arrivals = Some(Vec::new()));
    }

    /// Takes note of the packets that a datagram contained.
    pub(super) fn note_arrivals(&mut self, now: Instant) {
        let Some(acks) = &mut self.acks else { return };
        let min_rtt = Duration::from_std(self.inner.min_rtt());
        self.tap.with(|seen| {
            for packet in seen.arrivals.iter_mut().flat_map(|all| all.drain(..)) {
                acks.handle_received(now, packet, min_rtt);
            }
        });
        // Repairs of lost packets leave at once.
        let before = self.lost_packets;
        self.has_repairs();
        self.active |= self.lost_packets > before;
    }

    /// Handles the timers that are due.
    pub(super) fn handle_timeout(&mut self, now: Instant) {
        if self.held_until.is_some_and(|at| at <= now) {
            self.held_until = None;
            self.active = true;
        }
        let now = self.epoch.to_std(now);
        if self.inner.poll_timeout().is_some_and(|due| due <= now) {
            self.active = true;
            self.inner.handle_timeout(now);
        }
    }

    /// Writes the next datagram to `buf`.
    pub(super) fn poll_transmit(
        &mut self,
        now: Instant,
        buf: &mut Vec<u8>,
        mut source: Option<&mut (dyn PacketSource + '_)>,
    ) -> Option<Transmit> {
        if self.only_waits_to_acknowledge(now) {
            return None;
        }
        let rate = self.inner.congestion_state().metrics().pacing_rate;
        self.held_until = rate.and_then(|rate| self.hold(now, rate));
        self.tap.signals().set_held(self.held_until.is_some());
        let at = self.epoch.to_std(now);
        let mut sent = None;
        // At most two rounds: if there was nothing to retransmit, the second round binds
        // the datagram that waited for it.
        loop {
            let mut waits = false;
            if let Some(source) = &mut source {
                waits = self.bind(*source);
            }
            sent = sent.or_else(|| self.inner.poll_transmit(at, 1, buf));
            if !waits || !self.has_room() || self.tap.with(|seen| !seen.sent.is_empty()) {
                break;
            }
            self.repairs = false;
            if sent.is_some() {
                break;
            }
        }
        let signals = self.tap.signals();
        signals.set_held(false);
        let bytes = signals.take_unpaced();
        if let Some(rate) = rate.filter(|_| bytes > 0) {
            self.pacer.charge(now, bytes, rate);
        }
        let has_data = source.as_ref().is_some_and(|s| s.has_data());
        if sent.is_none() && !has_data && self.has_room() {
            signals.set_idle(now);
        }
        self.settle(source);
        // A connection with a full window stays active: an acknowledgement may make room for more.
        self.active &= sent.is_some() || !self.has_room();
        if let Some(acks) = &mut self.acks {
            let acknowledged = self.tap.with(|seen| std::mem::take(&mut seen.acknowledged));
            if acknowledged {
                acks.handle_sent();
            } else if sent.is_none() {
                acks.handle_refused(now);
            }
        }
        sent
    }

    /// Returns true if there is nothing to send but acknowledgements that are not due.
    fn only_waits_to_acknowledge(&self, now: Instant) -> bool {
        let Some(acks) = &self.acks else { return false };
        !self.active && acks.due().is_some_and(|due| due > now)
    }

    /// Returns the time until which the pacer holds packets back.
    ///
    /// quinn-proto paces every controller by 1.25 windows per round trip, which only spaces
    /// bursts. A controller such as BBR requires its exact rate, so this pacer runs in
    /// addition. It is charged for each ack-eliciting packet after the handshake.
    /// Handshake packets are never held. Acknowledgements are held only if a packet that
    /// could carry them waits.
    fn hold(&self, now: Instant, rate: u64) -> Option<Instant> {
        if self.inner.is_handshaking() || self.tap.signals().is_unconfirmed_client() {
            return None;
        }
        let ahead = (BURST - 1) * u64::from(self.inner.current_mtu());
        self.pacer.held_until(now, ahead, rate)
    }

    /// Returns true if the pacer and the window allow another packet.
    fn has_room(&self) -> bool {
        let filled = self.tap.signals().in_flight() + u64::from(self.inner.current_mtu());
        let window = self.inner.congestion_state().metrics().congestion_window;
        self.held_until.is_none() && filled < window
    }

    /// Writes exactly the bytes that the next packet should carry. Returns true if a
    /// datagram waits for the retransmission of lost stream bytes.
    fn bind(&mut self, source: &mut dyn PacketSource) -> bool {
        if !self.can_send() {
            return false;
        }
        if self.inner.is_handshaking() && self.inner.side().is_server() {
            self.tap.signals().set_answers_early();
        }
        // Bytes that are bound but do not fit into the window keep quinn-proto from sending
        // even acknowledgements, which RFC 9002, section 7, exempts from the window.
        let full = !self.has_room();
        let limited = full && source.has_data();
        self.tap.signals().set_window_limited(limited);
        if full {
            return false;
        }
        let header = self.tap.with(|seen| seen.header_size);
        let mtu = self.inner.current_mtu();
        let mut plan = Packing::new(mtu, header, &self.committed, self.committed_datagrams);
        while plan.open() {
            let Some(offer) = source.pick() else { break };
            let bound = match offer {
                Offer::Stream(offer) => self.bind_some(source, offer, &mut plan),
                // quinn puts datagrams first in a packet, so they would overtake
                // retransmissions.
                Offer::Datagram(_) if self.has_repairs() => return true,
                Offer::Datagram(size) => self.bind_datagram(source, size, &mut plan),
            };
            if !bound {
                break;
            }
        }
        false
    }

    /// Returns true if stream bytes may be waiting for retransmission: packets were lost
    /// since the last check that found none waiting.
    fn has_repairs(&mut self) -> bool {
        let lost = self.inner.stats().path.lost_packets;
        self.repairs |= lost > self.lost_packets;
        self.lost_packets = lost;
        self.repairs
    }

    /// Processes the frames of the last packet.
    fn settle(&mut self, mut source: Option<&mut (dyn PacketSource + '_)>) {
        let committed = &mut self.committed;
        let datagrams = &mut self.committed_datagrams;
        self.tap.with(|seen| {
            for payload in seen.sent_datagrams.drain(..) {
                *datagrams = datagrams.saturating_sub(datagram_frame_size(payload as usize));
            }
            for frame in seen.sent.drain(..) {
                if let Some(i) = committed.iter().position(|c| c.stream == frame.id) {
                    committed[i].sent = committed[i].sent.max(frame.end());
                    if committed[i].sent >= committed[i].written {
                        committed.remove(i);
                    }
                }
                if let Some(source) = &mut source {
                    source.handle_frame_sent(frame);
                }
            }
        });
    }

    /// Binds a datagram to the packet. Returns false if it does not fit. It then goes first
    /// in the next packet.
    fn bind_datagram(
        &mut self,
        source: &mut dyn PacketSource,
        size: usize,
        plan: &mut Packing,
    ) -> bool {
        let Some(frame) = plan.add_datagram(size) else {
            return false;
        };
        let payload = source.take_datagram();
        debug_assert_eq!(payload.len(), size);
        // The call fails only if datagrams are disabled or the payload is too large, and
        // the source checks both. The queue holds one packet's worth.
        let sent = self.inner.datagrams().send(payload, false);
        debug_assert!(sent.is_ok(), "{sent:?}");
        if sent.is_ok() {
            self.committed_datagrams += frame;
        }
        true
    }

    /// Binds bytes of one stream to the packet. Returns false if the packet is complete.
    fn bind_some(
        &mut self,
        source: &mut dyn PacketSource,
        offer: StreamOffer,
        plan: &mut Packing,
    ) -> bool {
        let StreamOffer {
            stream,
            offset,
            left,
            fin,
        } = offer;
        let at = self.committed.iter().position(|c| c.stream == stream);
        if at.is_some_and(|i| i + 1 < self.committed.len()) {
            // quinn would put these bytes before those of the streams behind this one. The
            // packet leaves with some free room to keep the order.
            return false;
        }
        let mine = at.map(|i| self.committed[i]);
        let max = plan.bytes_for(stream, offset, left, mine.as_ref());
        if max == 0 {
            return false;
        }
        let data = match source.peek(stream, max) {
            Ok(data) => data,
            Err(code) => {
                self.reset(stream, code);
                source.handle_stopped(stream);
                return true;
            }
        };
        let wanted = data.len();
        let written = match self.send_stream(stream).write_chunks(&mut [data.clone()]) {
            Ok(written) => {
                if written.bytes < wanted {
                    // quinn reports new room only for streams that it refused outright, so
                    // the rest is written to have it refused.
                    let rest = data.slice(written.bytes..);
                    let refused = self.send_stream(stream).write_chunks(&mut [rest]);
                    debug_assert!(matches!(refused, Err(WriteError::Blocked)));
                }
                written.bytes
            }
            Err(WriteError::Blocked) => 0,
            Err(WriteError::Stopped(_) | WriteError::ClosedStream) => {
                source.handle_stopped(stream);
                return true;
            }
        };
        source.handle_written(stream, written, written < wanted);
        if fin && written as u64 == left {
            self.finish(stream);
        }
        if written > 0 {
            plan.add(stream, offset, written, mine.is_none());
            match at {
                Some(i) => self.committed[i].written += written as u64,
                None => self.committed.push(Committed {
                    stream,
                    sent: offset,
                    written: offset + written as u64,
                }),
            }
        }
        true
    }
}
