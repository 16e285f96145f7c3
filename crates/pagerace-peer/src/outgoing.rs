//! Responses of one connection, bound to packets by a strategy.

use std::collections::{BTreeMap, BTreeSet};

use bytes::{Bytes, BytesMut};
use pagerace_core::{Dependency, Instant, Priority};
use pagerace_delivery::reliability::{Conditions, Delivery, Object, Policy};
use pagerace_delivery::{Response, Strategy};
use pagerace_http::h3::{Code, data_frame};
use pagerace_transport::quic::{Offer, PacketSource, StreamFrame, StreamOffer};

use crate::body::Body;
use crate::objects::Cutter;

/// STREAM or DATAGRAM frame with response bytes, as sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentFrame {
    /// Time of sending.
    pub at: Instant,
    /// Request stream.
    pub stream: u64,
    /// Offset on the stream. For a datagram, the size of the response's head plus the
    /// offset of the datagram's content.
    pub offset: u64,
    /// Number of bytes.
    pub length: u64,
    /// True if any of the bytes had been sent before.
    pub retransmission: bool,
}

/// Responses in progress on one connection.
pub struct Outgoing {
    strategy: Box<dyn Strategy>,
    policy: Box<dyn Policy>,
    /// Responses offered to the strategy, ascending by stream.
    ready: Vec<Response>,
    /// Responses offered to the strategy if no others are ready, ascending by stream.
    ready_late: Vec<Response>,
    /// Streams of late responses.
    late: BTreeSet<u64>,
    /// Responses that flow control blocks.
    parked: Vec<Response>,
    payloads: BTreeMap<u64, Payload>,
    /// Index of the response that [`PacketSource::pick`] chose last, and whether it is
    /// late.
    picked: usize,
    picked_late: bool,
    /// Highest offset sent on each stream.
    high: BTreeMap<u64, u64>,
    retransmitted_bytes: u64,
    record: bool,
    now: Instant,
    frames: Vec<SentFrame>,
}

struct Payload {
    /// HEADERS frame, and the header of the DATA frame.
    head: Bytes,
    body: Body,
    /// Cutter of a body that is sent in datagrams. `None` once all are sent; the body is
    /// then the end marker.
    cutter: Option<Box<Cutter>>,
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
        // This happens once per response: the head and the beginning of the body share a
        // packet.
        let mut joined = BytesMut::from(first.as_ref());
        joined.extend_from_slice(&self.body.slice(0, more));
        joined.freeze()
    }
}

impl Outgoing {
    /// Creates an empty set of responses. If `record` is true, it keeps every frame for
    /// [`take_frames`](Self::take_frames).
    pub fn new(strategy: Box<dyn Strategy>, policy: Box<dyn Policy>, record: bool) -> Self {
        Self {
            strategy,
            policy,
            ready: Vec::new(),
            ready_late: Vec::new(),
            late: BTreeSet::new(),
            parked: Vec::new(),
            payloads: BTreeMap::new(),
            picked: 0,
            picked_late: false,
            high: BTreeMap::new(),
            retransmitted_bytes: 0,
            record,
            now: Instant::ZERO,
            frames: Vec::new(),
        }
    }

    /// Returns the policy's decision on the delivery of an object.
    pub(crate) fn delivery(&mut self, object: &Object, path: Conditions) -> Delivery {
        let urgent_left = self.urgent_left();
        self.policy.deliver(
            object,
            &Conditions {
                urgent_left,
                ..path
            },
        )
    }

    /// Adds a response that is ready, and sets `response.length`. If `late` is true, it
    /// is sent after all responses that are not late.
    pub fn add(&mut self, mut response: Response, head: Bytes, body: Body, late: bool) {
        response.length = head.len() as u64 + body.len();
        let payload = Payload {
            head,
            body,
            cutter: None,
        };
        self.begin(response, payload, late);
    }

    /// Adds a response whose content is sent in datagrams. Its head is sent on its
    /// stream, and so is the end marker, in a DATA frame of its own.
    pub(crate) fn add_cut(
        &mut self,
        mut response: Response,
        head: Bytes,
        cutter: Cutter,
        late: bool,
    ) {
        response.length = head.len() as u64 + cutter.total_size(response.stream);
        let payload = Payload {
            head,
            body: Body::EMPTY,
            cutter: Some(Box::new(cutter)),
        };
        self.begin(response, payload, late);
    }

    fn begin(&mut self, response: Response, payload: Payload, late: bool) {
        self.payloads.insert(response.stream, payload);
        self.strategy.handle_arrival(&response);
        if late {
            self.late.insert(response.stream);
        }
        self.make_ready(response);
    }

    fn make_ready(&mut self, response: Response) {
        let late = self.late.contains(&response.stream);
        insert(self.list(late), response);
    }

    fn list(&mut self, late: bool) -> &mut Vec<Response> {
        if late {
            &mut self.ready_late
        } else {
            &mut self.ready
        }
    }

    fn picked(&self) -> &Response {
        if self.picked_late {
            &self.ready_late[self.picked]
        } else {
            &self.ready[self.picked]
        }
    }

    /// Returns the number of unsent bytes of responses that are not late.
    fn urgent_left(&self) -> u64 {
        let urgent = |r: &&Response| !self.late.contains(&r.stream);
        let all = self.ready.iter().chain(&self.parked);
        all.filter(urgent).map(Response::remaining).sum()
    }

    /// Returns true if a response is late. This remains true until
    /// [`forget`](Self::forget), while lost bytes may be sent again.
    pub(crate) fn is_late(&self, stream: u64) -> bool {
        self.late.contains(&stream)
    }

    /// Changes the priority of a response. Returns false if the response is not in
    /// progress.
    pub fn update(&mut self, stream: u64, signal: Priority) -> bool {
        for list in [&mut self.ready, &mut self.ready_late, &mut self.parked] {
            if let Ok(i) = list.binary_search_by_key(&stream, |r| r.stream) {
                list[i].signal = signal;
                self.strategy.handle_update(&list[i]);
                return true;
            }
        }
        false
    }

    /// Handles the client's change of a stream's dependency in HTTP/2's priority tree.
    pub fn dependency(&mut self, stream: u64, dependency: Dependency) {
        self.strategy.dependency(stream, dependency);
    }

    /// Makes a response ready again, because flow control allows bytes of `stream`.
    pub fn writable(&mut self, stream: u64) {
        if let Ok(i) = self.parked.binary_search_by_key(&stream, |r| r.stream) {
            let response = self.parked.remove(i);
            self.make_ready(response);
        }
    }

    /// Removes a response.
    pub fn cancel(&mut self, stream: u64) {
        for list in [&mut self.ready, &mut self.ready_late, &mut self.parked] {
            list.retain(|r| r.stream != stream);
        }
        if self.payloads.remove(&stream).is_some() {
            self.strategy.handle_end(stream);
        }
    }

    /// Forgets a stream whose bytes have all been acknowledged or will not be sent again.
    pub fn forget(&mut self, stream: u64) {
        self.late.remove(&stream);
        self.high.remove(&stream);
    }

    /// Returns the number of response bytes that were sent more than once.
    pub fn retransmitted_bytes(&self) -> u64 {
        self.retransmitted_bytes
    }

    /// Returns the frames since the last call.
    pub fn take_frames(&mut self) -> Vec<SentFrame> {
        std::mem::take(&mut self.frames)
    }

    /// Returns the streams that flow control blocks.
    pub(crate) fn parked(&self) -> Vec<u64> {
        self.parked.iter().map(|r| r.stream).collect()
    }

    /// Returns true if a response that may send has not begun.
    pub(crate) fn has_unsent_head(&self) -> bool {
        let mut ready = self.ready.iter().chain(&self.ready_late);
        ready.any(|r| r.sent == 0)
    }

    /// Returns the unsent part of the head of the response picked last.
    pub(crate) fn picked_head(&self) -> Bytes {
        let response = self.picked();
        let head = &self.payload(response.stream).head;
        head.slice(head.len().min(response.sent as usize)..)
    }

    /// Returns at most `max` unsent bytes of the body of the response picked last.
    pub(crate) fn picked_body(&self, max: usize) -> Bytes {
        let response = self.picked();
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

impl Outgoing {
    /// Returns the strategy's choice. Late responses are offered only if no others are
    /// ready.
    fn choose(&mut self) -> Option<&Response> {
        self.picked_late = self.ready.is_empty();
        let list = if self.picked_late {
            &self.ready_late
        } else {
            &self.ready
        };
        if list.is_empty() {
            return None;
        }
        self.picked = self.strategy.pick(list);
        Some(&list[self.picked])
    }

    /// Returns the stream that sends next, for a connection without datagrams.
    pub(crate) fn pick_stream(&mut self) -> Option<StreamOffer> {
        let r = self.choose()?;
        Some(StreamOffer {
            stream: r.stream,
            offset: r.sent,
            left: r.remaining(),
            fin: true,
        })
    }

    /// Returns the next bytes of the picked response, whose content is sent in datagrams.
    fn pick_cut(&mut self) -> Offer {
        let (stream, sent) = (self.picked().stream, self.picked().sent);
        let now = self.now;
        let payload = self.payloads.get_mut(&stream).expect("it has a payload");
        let head = payload.head.len() as u64;
        if sent < head {
            return Offer::Stream(StreamOffer {
                stream,
                offset: sent,
                left: head - sent,
                fin: false,
            });
        }
        let cutter = payload.cutter.as_deref().expect("its content is cut");
        if !cutter.is_over(now) {
            return Offer::Datagram(cutter.size(stream));
        }
        // Only the end marker is left, which follows the head on the stream.
        let marker = data_frame(&cutter.end_marker());
        payload.cutter = None;
        payload.body = Body::Bytes(marker);
        let left = payload.body.len();
        let (late, picked) = (self.picked_late, self.picked);
        let response = &mut self.list(late)[picked];
        response.length = head + left;
        response.sent = head;
        Offer::Stream(StreamOffer {
            stream,
            offset: head,
            left,
            fin: true,
        })
    }
}

impl PacketSource for Outgoing {
    fn pick(&mut self) -> Option<Offer> {
        let offer = self.pick_stream()?;
        if self.payload(offer.stream).cutter.is_some() {
            return Some(self.pick_cut());
        }
        Some(Offer::Stream(offer))
    }

    fn has_data(&self) -> bool {
        !self.ready.is_empty() || !self.ready_late.is_empty()
    }

    fn peek(&mut self, stream: u64, max: usize) -> Result<Bytes, u64> {
        let payload = self.payload(stream);
        let data = payload.slice(self.picked().sent, max);
        if data.is_empty() {
            // The store of the body cannot be read any more.
            return Err(Code::INTERNAL_ERROR.0);
        }
        Ok(data)
    }

    fn take_datagram(&mut self) -> Bytes {
        let (late, picked) = (self.picked_late, self.picked);
        let stream = self.picked().stream;
        let payload = self.payloads.get_mut(&stream).expect("it has a payload");
        let head = payload.head.len() as u64;
        let cutter = payload.cutter.as_mut().expect("a datagram was offered");
        let (datagram, offset) = cutter.take(stream);
        let length = datagram.len() as u64;
        let response = &mut self.list(late)[picked];
        // The end marker is still unsent.
        response.sent = (response.sent + length).min(response.length - 1);
        let response = response.clone();
        self.strategy.handle_sent(&response, length);
        if self.record {
            self.frames.push(SentFrame {
                at: self.now,
                stream,
                offset: head + offset,
                length,
                retransmission: false,
            });
        }
        datagram
    }

    fn handle_written(&mut self, stream: u64, bytes: usize, refused: bool) {
        let (late, picked) = (self.picked_late, self.picked);
        let response = &mut self.list(late)[picked];
        debug_assert_eq!(response.stream, stream);
        response.sent += bytes as u64;
        let response = response.clone();
        if bytes > 0 {
            self.strategy.handle_sent(&response, bytes as u64);
        }
        if response.remaining() == 0 {
            self.cancel(stream);
        } else if refused {
            self.list(late).remove(picked);
            insert(&mut self.parked, response);
        }
    }

    fn handle_stopped(&mut self, stream: u64) {
        self.cancel(stream);
    }

    fn handle_frame_sent(&mut self, frame: StreamFrame) {
        // Only request streams count: client-initiated and bidirectional.
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
