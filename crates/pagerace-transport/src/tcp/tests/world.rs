//! Two connections, a path in each direction, an application at each end that writes a
//! known pattern, and a loop that checks invariants.

use bytes::Bytes;
use pagerace_core::{Duration, EventQueue, Instant};

use crate::tcp::{Connection, Event, Segment, TcpSettings, Wire};

pub(super) const CLIENT: usize = 0;
pub(super) const SERVER: usize = 1;

pub(super) fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub(super) fn at(millis: u64) -> Instant {
    Instant::ZERO + ms(millis)
}

/// The treatment of a segment on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Pass,
    Drop,
    /// The segment arrives later by this time.
    Late(Duration),
    /// The segment arrives on time and again after this time.
    Twice(Duration),
}

pub(super) type Fates = Box<dyn FnMut(Instant, &Segment) -> Fate>;

/// One direction: a queue before a link of `rate` bits per second, followed by `delay`.
pub(super) struct Path {
    pub(super) delay: Duration,
    pub(super) rate: Option<u64>,
    /// The maximum time in the queue. Segments that would wait longer are dropped.
    pub(super) queue: Duration,
    pub(super) fates: Fates,
    free_at: Instant,
}

impl Path {
    pub(super) fn new(delay: Duration) -> Self {
        Self {
            delay,
            rate: None,
            queue: Duration::MAX,
            fates: Box::new(|_, _| Fate::Pass),
            free_at: Instant::ZERO,
        }
    }

    fn arrivals(&mut self, now: Instant, segment: &Segment) -> Vec<Instant> {
        let fate = (self.fates)(now, segment);
        let start = self.free_at.max(now);
        if fate == Fate::Drop || start.since(now) > self.queue {
            return Vec::new();
        }
        let nanos = self.rate.map_or(0, |rate| {
            u64::from(segment.wire_size()) * 8 * 1_000_000_000 / rate
        });
        self.free_at = start + Duration::from_nanos(nanos);
        let on_time = self.free_at + self.delay;
        match fate {
            Fate::Late(by) => vec![on_time + by],
            Fate::Twice(by) => vec![on_time, on_time + by],
            Fate::Pass | Fate::Drop => vec![on_time],
        }
    }
}

/// One end: a connection and its application.
pub(super) struct End {
    pub(super) connection: Connection,
    /// Bytes that the application writes before it ends the stream.
    pub(super) to_send: u64,
    /// If given, the application writes so many bytes at a time, and each write leaves
    /// before the next, as far as the window allows.
    pub(super) record: Option<u64>,
    /// True if the application ends the stream.
    pub(super) finishes: bool,
    pub(super) written: u64,
    /// True if the application reads received data.
    pub(super) reads: bool,
    pub(super) read: u64,
    pub(super) connected_at: Option<Instant>,
    pub(super) finished_at: Option<Instant>,
    pub(super) lost: Option<String>,
    finishing: bool,
}

impl End {
    fn new(connection: Connection) -> Self {
        Self {
            connection,
            to_send: 0,
            record: None,
            finishes: true,
            written: 0,
            reads: true,
            read: 0,
            connected_at: None,
            finished_at: None,
            lost: None,
            finishing: false,
        }
    }

    /// Writes what the connection takes. Returns true if that was something.
    fn write(&mut self, side: usize) -> bool {
        let before = self.written;
        while self.written < self.to_send {
            let room = self.connection.writable() as u64;
            if room == 0 || (self.record.is_some() && self.written > before) {
                return self.written > before;
            }
            // Writes have uneven lengths, so that segments span several of them.
            let length = room
                .min(self.to_send - self.written)
                .min(self.record.unwrap_or(997 + self.written % 4099));
            let data: Vec<u8> = (self.written..self.written + length)
                .map(|offset| pattern(side, offset))
                .collect();
            self.connection.write(Bytes::from(data));
            self.written += length;
        }
        if self.finishes && !self.finishing && self.connected_at.is_some() && self.lost.is_none() {
            self.finishing = true;
            self.connection.finish();
        }
        self.written > before
    }

    fn read_all(&mut self, side: usize) {
        while self.reads
            && let Some(data) = self.connection.read()
        {
            for (offset, &byte) in (self.read..).zip(data.iter()) {
                assert_eq!(byte, pattern(1 - side, offset), "byte {offset}");
            }
            self.read += data.len() as u64;
        }
    }
}

fn pattern(side: usize, offset: u64) -> u8 {
    (offset.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8 ^ side as u8
}

/// A segment and the time at which it was sent.
#[derive(Clone, Debug)]
pub(super) struct Logged {
    pub(super) at: Instant,
    pub(super) from: usize,
    pub(super) segment: Segment,
}

pub(super) struct World {
    pub(super) now: Instant,
    pub(super) ends: [End; 2],
    /// Path from the client and path from the server.
    pub(super) paths: [Path; 2],
    pub(super) log: Vec<Logged>,
    /// If given, segments travel as bytes.
    pub(super) wires: Option<[Wire; 2]>,
    arriving: EventQueue<(usize, Segment)>,
    steps: u64,
}

impl World {
    pub(super) fn new(settings: &TcpSettings, one_way: Duration) -> Self {
        Self::with(settings, settings, one_way)
    }

    pub(super) fn with(client: &TcpSettings, server: &TcpSettings, one_way: Duration) -> Self {
        Self {
            now: Instant::ZERO,
            ends: [
                End::new(Connection::client(client, Instant::ZERO).unwrap()),
                End::new(Connection::server(server).unwrap()),
            ],
            paths: [Path::new(one_way), Path::new(one_way)],
            log: Vec::new(),
            wires: None,
            arriving: EventQueue::new(),
            steps: 0,
        }
    }

    /// Creates a world where the server sends `bytes`, the client sends nothing, and
    /// neither side ends its stream.
    pub(super) fn download(settings: &TcpSettings, one_way: Duration, bytes: u64) -> Self {
        let mut world = Self::new(settings, one_way);
        world.ends[SERVER].to_send = bytes;
        for end in &mut world.ends {
            end.finishes = false;
        }
        world
    }

    /// Runs until nothing is left to do or until `deadline`. Returns true if nothing is
    /// left to do.
    pub(super) fn run(&mut self, deadline: Instant) -> bool {
        loop {
            self.pump();
            let timers = self.ends.iter().filter_map(|e| e.connection.poll_timeout());
            let Some(next) = timers.chain(self.arriving.next_at()).min() else {
                return true;
            };
            assert!(
                next >= self.now,
                "time runs backwards: {next} < {}",
                self.now
            );
            if next > deadline {
                self.now = deadline;
                return false;
            }
            self.now = next;
            self.steps += 1;
            assert!(self.steps < 3_000_000, "it never ends");
            self.deliver();
        }
    }

    fn deliver(&mut self) {
        while let Some((_, (to, segment))) = self.arriving.pop_due(self.now) {
            let arrived = match &mut self.wires {
                Some(wires) => {
                    let packet = super::wire::packet(&mut wires[1 - to], &segment);
                    wires[to].decode(self.now, &packet)
                }
                None => vec![segment],
            };
            for segment in arrived {
                self.ends[to].connection.handle_segment(self.now, segment);
                // Each arrival is answered separately.
                self.pump_one(to);
            }
        }
        for end in &mut self.ends {
            if end.connection.poll_timeout().is_some_and(|t| t <= self.now) {
                end.connection.handle_timeout(self.now);
            }
        }
    }

    pub(super) fn pump(&mut self) {
        for side in [CLIENT, SERVER] {
            self.pump_one(side);
            let next = self.ends[side].connection.poll_timeout();
            assert!(
                next.is_none_or(|next| next > self.now),
                "side {side} waits for the past: {next:?} at {:?}",
                self.now
            );
        }
    }

    fn pump_one(&mut self, side: usize) {
        let now = self.now;
        let end = &mut self.ends[side];
        while let Some(event) = end.connection.poll_event() {
            match event {
                Event::Connected => assert!(end.connected_at.replace(now).is_none()),
                Event::Finished => assert!(end.finished_at.replace(now).is_none()),
                Event::Lost { reason } => assert!(end.lost.replace(reason).is_none()),
                Event::Readable => {}
            }
        }
        end.read_all(side);
        loop {
            let end = &mut self.ends[side];
            if end.record.is_none() {
                end.write(side);
            }
            let Some(segment) = end.connection.poll_transmit(now) else {
                if end.record.is_some() && end.write(side) {
                    continue;
                }
                break;
            };
            self.check(side, &segment);
            for at in self.paths[side].arrivals(now, &segment) {
                self.arriving.schedule(at, (1 - side, segment.clone()));
            }
            self.log.push(Logged {
                at: now,
                from: side,
                segment,
            });
        }
    }

    /// Checks the invariants of every sent segment.
    fn check(&self, side: usize, segment: &Segment) {
        let (this, peer) = (&self.ends[side], &self.ends[1 - side]);
        assert!(segment.wire_size() <= 1500, "{segment:?} is too long");
        let received = this.connection.delivered() + 2;
        assert!(
            segment
                .acknowledgement
                .is_none_or(|number| number <= received)
        );
        assert!(
            this.connection.delivered() <= peer.written,
            "bytes from nowhere"
        );
        let end = segment.offset() + segment.payload.len() as u64;
        let empty = segment.payload.is_empty();
        assert!(empty || end <= this.written, "sent what was not written");
        for block in segment.sacks.iter() {
            assert!(block.start < block.end && block.end <= peer.written + 2);
        }
        let stats = this.connection.stats();
        let quiet = stats.segments_lost + stats.rtos + stats.probes == 0;
        if quiet && !segment.payload.is_empty() {
            assert!(
                stats.in_flight <= stats.congestion_window,
                "{} in flight, window {}",
                stats.in_flight,
                stats.congestion_window
            );
        }
    }

    /// Returns the segments with payload that `side` sent, with their times in
    /// milliseconds.
    pub(super) fn data(&self, side: usize) -> Vec<(f64, &Segment)> {
        let log = self.log.iter().filter(|l| l.from == side);
        log.filter(|l| !l.segment.payload.is_empty())
            .map(|l| (l.at.as_millis_f64(), &l.segment))
            .collect()
    }

    /// Returns the segments without payload, SYN and FIN that `side` sent, with their times
    /// in milliseconds.
    pub(super) fn pure_acks(&self, side: usize) -> Vec<(f64, &Segment)> {
        let log = self.log.iter().filter(|l| l.from == side);
        log.filter(|l| l.segment.payload.is_empty() && !l.segment.is_syn() && !l.segment.fin)
            .map(|l| (l.at.as_millis_f64(), &l.segment))
            .collect()
    }
}
