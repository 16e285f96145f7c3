//! The responses of one connection, bound to packets by a strategy.

use std::collections::BTreeMap;

use bytes::{Bytes, BytesMut};
use pagerace_core::{Dependency, Instant, Priority};
use pagerace_delivery::{Response, Strategy};
use pagerace_transport::quic::{Offer, PacketSource, StreamFrame};

use crate::body::Body;

/// A STREAM frame with response bytes, as it left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentFrame {
    /// When.
    pub at: Instant,
    /// Request stream.
    pub stream: u64,
    /// Offset on the stream.
    pub offset: u64,
    /// Bytes.
    pub length: u64,
    /// Whether any of them had been sent before.
    pub retransmission: bool,
}

/// Responses that are being sent on one connection.
pub struct Outgoing {
    strategy: Box<dyn Strategy>,
    /// Offered to the strategy; ascending by stream.
    ready: Vec<Response>,
    /// Flow control holds them back.
    parked: Vec<Response>,
    payloads: BTreeMap<u64, Payload>,
    /// The response that [`PacketSource::pick`] named last.
    picked: usize,
    /// Highest offset sent per stream.
    high: BTreeMap<u64, u64>,
    retransmitted_bytes: u64,
    record: bool,
    now: Instant,
    frames: Vec<SentFrame>,
}

struct Payload {
    /// HEADERS frame and the DATA frame's header.
    head: Bytes,
    body: Body,
}

impl Payload {
    fn slice(&self, offset: u64, max: usize) -> Bytes {
        let head = self.head.len() as u64;
        if offset >= head {
            return self.body.slice(offset - head, max);
        }
        let first = self
            .head
            .slice(offset as usize..self.head.len().min(offset as usize + max));
        let more = max - first.len();
        if more == 0 || self.body.is_empty() {
            return first;
        }
        // Once per response: head and the beginning of the body share a packet.
        let mut joined = BytesMut::from(first.as_ref());
        joined.extend_from_slice(&self.body.slice(0, more));
        joined.freeze()
    }
}

impl Outgoing {
    /// `record`: keep every frame for [`take_frames`](Self::take_frames).
    pub fn new(strategy: Box<dyn Strategy>, record: bool) -> Self {
        Self {
            strategy,
            ready: Vec::new(),
            parked: Vec::new(),
            payloads: BTreeMap::new(),
            picked: 0,
            high: BTreeMap::new(),
            retransmitted_bytes: 0,
            record,
            now: Instant::ZERO,
            frames: Vec::new(),
        }
    }

    /// A response is ready; `response.length` is set here.
    pub fn add(&mut self, mut response: Response, head: Bytes, body: Body) {
        response.length = head.len() as u64 + body.len();
        self.payloads
            .insert(response.stream, Payload { head, body });
        self.strategy.arrived(&response);
        insert(&mut self.ready, response);
    }

    /// The client changed a priority. Whether the response was being sent.
    pub fn update(&mut self, stream: u64, signal: Priority) -> bool {
        for list in [&mut self.ready, &mut self.parked] {
            if let Ok(i) = list.binary_search_by_key(&stream, |r| r.stream) {
                list[i].signal = signal;
                self.strategy.updated(&list[i]);
                return true;
            }
        }
        false
    }

    /// The client gave a stream a place in HTTP/2's tree.
    pub fn dependency(&mut self, stream: u64, dependency: Dependency) {
        self.strategy.dependency(stream, dependency);
    }

    /// Flow control lets bytes of `stream` in again.
    pub fn writable(&mut self, stream: u64) {
        if let Ok(i) = self.parked.binary_search_by_key(&stream, |r| r.stream) {
            insert(&mut self.ready, self.parked.remove(i));
        }
    }

    /// Forgets a response.
    pub fn cancel(&mut self, stream: u64) {
        for list in [&mut self.ready, &mut self.parked] {
            list.retain(|r| r.stream != stream);
        }
        if self.payloads.remove(&stream).is_some() {
            self.strategy.left(stream);
        }
    }

    /// All bytes of a response were acknowledged: no more of it will be sent.
    pub fn forget(&mut self, stream: u64) {
        self.high.remove(&stream);
    }

    /// Responses that have bytes left.
    pub fn len(&self) -> usize {
        self.ready.len() + self.parked.len()
    }

    /// Whether every response has been written.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Response bytes that were sent more than once.
    pub fn retransmitted_bytes(&self) -> u64 {
        self.retransmitted_bytes
    }

    /// The frames since the last call.
    pub fn take_frames(&mut self) -> Vec<SentFrame> {
        std::mem::take(&mut self.frames)
    }

    /// The streams that flow control holds back.
    pub(crate) fn parked(&self) -> Vec<u64> {
        self.parked.iter().map(|r| r.stream).collect()
    }

    /// What is left of the head of the response that was picked last.
    pub(crate) fn picked_head(&self) -> Bytes {
        let response = &self.ready[self.picked];
        let head = &self.payload(response.stream).head;
        head.slice(head.len().min(response.sent as usize)..)
    }

    /// At most `max` bytes of the body of the response that was picked last, from
    /// where it is.
    pub(crate) fn picked_body(&self, max: usize) -> Bytes {
        let response = &self.ready[self.picked];
        let payload = self.payload(response.stream);
        let offset = response.sent.saturating_sub(payload.head.len() as u64);
        payload.body.slice(offset, max)
    }

    fn payload(&self, stream: u64) -> &Payload {
        self.payloads
            .get(&stream)
            .expect("a picked response has a payload")
    }

    pub(crate) fn set_now(&mut self, now: Instant) {
        self.now = now;
    }
}

fn insert(list: &mut Vec<Response>, response: Response) {
    let i = list.partition_point(|r| r.stream < response.stream);
    list.insert(i, response);
}

impl PacketSource for Outgoing {
    fn pick(&mut self) -> Option<Offer> {
        if self.ready.is_empty() {
            return None;
        }
        self.picked = self.strategy.pick(&self.ready);
        let r = &self.ready[self.picked];
        Some(Offer {
            stream: r.stream,
            offset: r.sent,
            left: r.remaining(),
        })
    }

    fn has_data(&self) -> bool {
        !self.ready.is_empty()
    }

    fn peek(&mut self, stream: u64, max: usize) -> Bytes {
        let payload = self.payload(stream);
        payload.slice(self.ready[self.picked].sent, max)
    }

    fn wrote(&mut self, stream: u64, bytes: usize, refused: bool) {
        let response = &mut self.ready[self.picked];
        debug_assert_eq!(response.stream, stream);
        response.sent += bytes as u64;
        if bytes > 0 {
            self.strategy.sent(response, bytes as u64);
        }
        if response.remaining() == 0 {
            self.cancel(stream);
        } else if refused {
            let response = self.ready.remove(self.picked);
            insert(&mut self.parked, response);
        }
    }

    fn stopped(&mut self, stream: u64) {
        self.cancel(stream);
    }

    fn frame_sent(&mut self, frame: StreamFrame) {
        // Request streams only: client-initiated and bidirectional.
        if !frame.id.is_multiple_of(4) || frame.length == 0 {
            return;
        }
        let high = self.high.entry(frame.id).or_default();
        let again = frame.end().min(*high).saturating_sub(frame.offset);
        *high = (*high).max(frame.end());
        self.retransmitted_bytes += again;
        if self.record {
            self.frames.push(SentFrame {
                at: self.now,
                stream: frame.id,
                offset: frame.offset,
                length: frame.length,
                retransmission: again > 0,
            });
        }
    }
}
