//! Transfer of bytes between a QUIC connection and an HTTP/3 connection.

use std::collections::{BTreeMap, VecDeque};

use bytes::{Buf, Bytes};
use pagerace_core::Instant;
use pagerace_http::h3;
use pagerace_transport::quic::{Connection, Event, Read};

/// The HTTP/3 side of a QUIC connection.
pub(crate) struct Pump {
    pub(crate) h3: h3::Connection,
    /// Number of unidirectional streams opened so far.
    opened: u64,
    /// Writes that flow control has not admitted.
    backlog: VecDeque<h3::Write>,
    /// The bytes that were written at the begin of response streams.
    first: BTreeMap<u64, Bytes>,
    failed: bool,
}

/// Event that a pump passes to its owner.
pub(crate) enum Passed {
    Connected,
    Writable(u64),
    Stopped(u64),
    Finished(u64),
    Available,
    Lost(String),
}

impl Pump {
    pub(crate) fn new(h3: h3::Connection) -> Self {
        Self {
            h3,
            opened: 0,
            backlog: VecDeque::new(),
            first: BTreeMap::new(),
            failed: false,
        }
    }

    /// Handles all events of the QUIC connection. Passes stream data and datagrams to
    /// HTTP/3.
    pub(crate) fn receive(
        &mut self,
        now: Instant,
        quic: &mut Connection,
        mut pass: impl FnMut(Passed),
    ) {
        while let Some(event) = quic.poll_event() {
            match event {
                Event::Connected => pass(Passed::Connected),
                Event::Readable { stream } => self.read(now, quic, stream),
                Event::Writable { stream } => pass(Passed::Writable(stream)),
                Event::Stopped { stream, code } => {
                    let result = self.h3.handle_stop_sending(stream, code);
                    self.check(now, quic, result);
                    // RFC 9000, section 3.5: answer with RESET_STREAM.
                    quic.reset(stream, code);
                    pass(Passed::Stopped(stream));
                }
                Event::Available => pass(Passed::Available),
                Event::Lost { reason } => pass(Passed::Lost(reason)),
                Event::Finished { stream } => pass(Passed::Finished(stream)),
                Event::Opened { .. } => {}
            }
        }
        while let Some(data) = quic.receive_datagram() {
            let result = self.h3.handle_datagram(data);
            self.check(now, quic, result);
        }
    }

    fn read(&mut self, now: Instant, quic: &mut Connection, stream: u64) {
        loop {
            let result = match quic.read(stream) {
                Read::Data(data) => self.h3.handle_data(stream, data, false),
                Read::End => {
                    let result = self.h3.handle_data(stream, Bytes::new(), true);
                    self.check(now, quic, result);
                    return;
                }
                Read::Reset { code } => {
                    let result = self.h3.handle_reset(stream, code);
                    self.check(now, quic, result);
                    return;
                }
                Read::Blocked => return,
            };
            self.check(now, quic, result);
            if self.failed {
                return;
            }
        }
    }

    /// Closes the connection on an HTTP/3 connection error.
    fn check(
        &mut self,
        now: Instant,
        quic: &mut Connection,
        result: Result<(), h3::ConnectionError>,
    ) {
        if let Err(error) = result
            && !self.failed
        {
            self.failed = true;
            quic.close(now, error.code.0, &error.reason);
        }
    }

    /// Queues bytes at the begin of a response stream, before those of the schedule.
    pub(crate) fn write_first(&mut self, stream: u64, data: Bytes) {
        self.first.insert(stream, data.clone());
        self.backlog.push_back(h3::Write {
            stream,
            data,
            fin: false,
        });
    }

    /// Returns true if bytes were written at the begin of a response stream.
    pub(crate) fn has_first(&self, stream: u64) -> bool {
        self.first.contains_key(&stream)
    }

    /// Returns the bytes of [`write_first`](Self::write_first), and how many of them have been
    /// written. Takes back the others, which the schedule sends before all else.
    pub(crate) fn take_first(&mut self, stream: u64) -> (Bytes, u64) {
        let Some(data) = self.first.remove(&stream) else {
            return (Bytes::new(), 0);
        };
        let is_of_it = |write: &&h3::Write| write.stream == stream;
        let unsent = self.backlog.iter().filter(is_of_it);
        let unsent: usize = unsent.map(|write| write.data.len()).sum();
        self.backlog.retain(|write| write.stream != stream);
        let written = data.len() - unsent;
        (data, written as u64)
    }

    /// Writes the HTTP/3 data that is sent outside of the schedule.
    pub(crate) fn send(&mut self, quic: &mut Connection) {
        while let Some(write) = self.h3.poll_write() {
            self.backlog.push_back(write);
        }
        let mut later = VecDeque::new();
        while let Some(mut write) = self.backlog.pop_front() {
            // Writes are ordered within a stream, but not between streams.
            let queued = later.iter().any(|w: &h3::Write| w.stream == write.stream);
            if queued || !self.open(quic, write.stream) {
                later.push_back(write);
                continue;
            }
            let now = quic
                .early_limit()
                .map_or(write.data.len(), |n| n.min(write.data.len()));
            if now == 0 && !write.data.is_empty() {
                later.push_back(write);
                continue;
            }
            let written = quic.write(write.stream, &write.data.slice(..now));
            write.data.advance(written);
            if write.data.is_empty() {
                if write.fin {
                    quic.finish(write.stream);
                }
            } else {
                later.push_back(write);
            }
        }
        self.backlog = later;
    }

    /// Opens this side's unidirectional streams up to `stream`. Returns false if the
    /// peer's limit does not allow that.
    fn open(&mut self, quic: &mut Connection, stream: u64) -> bool {
        if stream & 2 == 0 {
            return true;
        }
        while self.opened <= stream / 4 {
            if quic.open_unidirectional().is_none() {
                return false;
            }
            self.opened += 1;
        }
        true
    }
}
