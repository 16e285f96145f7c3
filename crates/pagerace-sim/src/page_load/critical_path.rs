//! Attribution of a metric's time to causes.
//!
//! The critical path is followed backwards from the metric to the navigation: each event
//! leads to the event that it waited for last. Each wait for the network is then split by
//! the bottleneck's activity during the wait.
//!
//! The spans are adjacent and cover the whole time, so their parts add up to the metric
//! by construction.

use std::collections::BTreeMap;
use std::ops::Range;

use pagerace_browser::{Cause, Moment};
use pagerace_core::{Destination, Duration, Instant};
use pagerace_page::ResourceId;

use super::PageLoad;
use crate::explain::{Explainable, Part, Parts, Step};
use crate::ids::{ById, ConnectionId};
use crate::wire::{Fate, Service, WireLog, WirePacket};

/// Size of the largest TCP acknowledgement in bytes: the headers of IPv4 and TCP with all options.
const LARGEST_TCP_HEADERS: u32 = 80;

/// A metric's value, parts and critical path.
type TakenApart = (Duration, Parts, Vec<Step>);

/// Activity of both links during the load, in order of time.
struct Evidence {
    down: Vec<Service>,
    up: Vec<Service>,
    /// Delays of each connection's handshake, see [`PageLoad::troubles`].
    troubles: ById<ConnectionId, Vec<Trouble>>,
    /// Losses that were sent again and can block a response, in order of the loss.
    repairs: Vec<Repair>,
}

/// Span from the loss of a packet until its bytes crossed the bottleneck again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Repair {
    from: Instant,
    repaired: Instant,
    /// Index of the lost packet in the log of the downlink.
    packet: usize,
}

/// Span in which a handshake packet waited for the bottleneck, or in which a lost one had
/// not been replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Trouble {
    from: Instant,
    until: Instant,
    part: Part,
}

impl PageLoad<'_> {
    /// Explains a metric. Returns `None` if the load did not reach it. The load must
    /// have been recorded.
    pub(crate) fn take_apart(&self, metric: Explainable) -> Option<TakenApart> {
        let load = self.browser.metrics();
        let (down, up) = (self.net.down.log.services(), self.net.up.log.services());
        let evidence = Evidence {
            troubles: self.troubles(&down, &up),
            repairs: self.repairs(),
            down,
            up,
        };
        let (moment, total) = match metric {
            Explainable::Ttfb => (Moment::Ttfb, load.ttfb),
            Explainable::Fcp => (Moment::Fcp, load.fcp),
            Explainable::Lcp => (Moment::Lcp, load.lcp),
            Explainable::Onload => (Moment::Onload, load.onload),
            Explainable::SpeedIndex => return self.take_speed_index_apart(&evidence),
        };
        let total = total?;
        let cause = self.browser.metric_cause(moment);
        let (parts, path) = self.path(&evidence, Instant::ZERO + total, cause);
        debug_assert_eq!(parts.total(), total);
        Some((total, parts, path))
    }

    /// Explains the Speed Index. It is the mean of the paints' times weighted by the
    /// share of the picture that each shows, and so is each of its parts.
    fn take_speed_index_apart(&self, evidence: &Evidence) -> Option<TakenApart> {
        let total = self.browser.metrics().speed_index?;
        let mut sums = [0.0_f64; Part::ALL.len()];
        let mut heaviest: Option<(f64, Vec<Step>)> = None;
        for (at, share, cause) in self.browser.paint_causes() {
            let (parts, path) = self.path(evidence, at, cause);
            for (sum, part) in sums.iter_mut().zip(parts.0) {
                *sum += part.as_nanos() as f64 * share;
            }
            let weight = share * at.as_nanos() as f64;
            if heaviest.as_ref().is_none_or(|(most, _)| weight > *most) {
                heaviest = Some((weight, path));
            }
        }
        let mut parts = Parts(sums.map(|sum| Duration::from_nanos(sum as u64)));
        // Rounding error in nanoseconds: less than one for each part and paint.
        let off = parts.total().as_nanos().abs_diff(total.as_nanos());
        debug_assert!(off < 10_000, "{off} ns");
        let largest = parts.largest() as usize;
        parts.0[largest] = Duration::ZERO;
        parts.0[largest] = total.saturating_sub(parts.total());
        Some((
            total,
            parts,
            heaviest.map_or_else(Vec::new, |(_, path)| path),
        ))
    }

    /// Follows the critical path from `until`, which waited for `cause`, back to the
    /// navigation.
    fn path(
        &self,
        evidence: &Evidence,
        until: Instant,
        cause: Option<Cause>,
    ) -> (Parts, Vec<Step>) {
        let (mut until, mut cause) = (until, cause);
        let mut path = Vec::new();
        let mut sum = Parts::default();
        while let Some(c) = cause {
            let r = c.resource;
            let arrived = c.at.min(until);
            let from = self
                .browser
                .discovered_at(r)
                .unwrap_or(Instant::ZERO)
                .min(arrived);
            let mut parts = self.network(evidence, c, from, arrived);
            parts.add(Part::Browser, until.since(arrived));
            for part in Part::ALL {
                sum.add(part, parts.get(part));
            }
            path.push(Step {
                resource: r,
                from,
                arrived,
                until,
                parts,
            });
            // A cause precedes its effect, so the loop ends.
            (until, cause) = (from, self.browser.discovery_cause(r));
        }
        sum.add(Part::Browser, until.since_start());
        path.reverse();
        (sum, path)
    }

    /// Attributes the time between the discovery of a cause's resource and the arrival of its
    /// awaited bytes, or the end of the wait for a font.
    fn network(&self, evidence: &Evidence, cause: Cause, from: Instant, arrived: Instant) -> Parts {
        let r = cause.resource;
        let is_font = self.scenario.page.resource(r).destination == Destination::Font;
        let mut spans = Spans::new(from, arrived);
        let Some(p) = &self.progress[r.index()] else {
            // The cache answered, or the request was refused once the browser's scheduler
            // released it.
            spans.until(self.browser.requested_at(r).unwrap_or(from), Part::Queueing);
            spans.until(arrived, Part::Browser);
            return spans.parts;
        };
        spans.until(p.requested, Part::Queueing);
        let Some((i, _)) = p.stream else {
            spans.until(arrived, Part::SetUp);
            return spans.parts;
        };
        let sent = p.sent.unwrap_or(arrived);
        let connected = self.connections[i].set_up.connected;
        let set_up = connected.unwrap_or(arrived).min(sent);
        let opened = self.connections[i].set_up.opened;
        let older = self.connections[i].backs_up.iter();
        let before = older.flat_map(|j| &evidence.troubles[*j]).map(|t| Trouble {
            until: t.until.min(opened),
            ..*t
        });
        let before = before.filter(|t| t.from < opened);
        for trouble in before.chain(evidence.troubles[i].iter().copied()) {
            if trouble.from >= set_up {
                break;
            }
            spans.until(trouble.from, Part::SetUp);
            spans.until(trouble.until.min(set_up), trouble.part);
        }
        spans.until(set_up, Part::SetUp);
        spans.until(sent, Part::Queueing);
        let Some((asked, think_time)) = p.asked else {
            spans.until(arrived, Part::Loss);
            return spans.parts;
        };
        self.request(evidence, &mut spans, i, asked);
        spans.until(asked, Part::RoundTrips);
        spans.until(asked + think_time, Part::Server);
        if is_font && !cause.ended {
            // Text no longer waited for the font, which was still on its way.
            self.response(evidence, &mut spans, (i, r), arrived);
        } else if let Some(last) = self.net.down.log.arriving(i, arrived)
            && let Some(crossed) = last.crossed_at
        {
            self.response(evidence, &mut spans, (i, r), crossed);
        }
        spans.until(arrived, Part::RoundTrips);
        spans.parts
    }

    /// Returns the delays of each connection's handshake beyond its round trips: losses
    /// until the same side sends a packet of similar size, and waits for the bottleneck.
    /// The spans are ascending and disjoint; losses take precedence.
    fn troubles(&self, down: &[Service], up: &[Service]) -> ById<ConnectionId, Vec<Trouble>> {
        let mut all: ById<ConnectionId, Vec<Trouble>> =
            vec![Vec::new(); self.connections.len()].into();
        for (log, services) in [(&self.net.down.log, down), (&self.net.up.log, up)] {
            for (k, packet) in log.packets.iter().enumerate() {
                if packet.is_gone() && self.sets_up(packet) {
                    // A much smaller packet repeats other data, or is an acknowledgement.
                    let repairs = |p: &&WirePacket| {
                        p.connection == packet.connection
                            && p.sent_at > packet.sent_at
                            && p.size >= packet.size / 4 * 3
                    };
                    let next = log.packets[k + 1..].iter().find(repairs);
                    let from = packet.crossed_at.unwrap_or(packet.sent_at);
                    let others = self.connections.iter();
                    let backups = others.filter(|c| c.backs_up == Some(packet.connection));
                    let backup = backups.map(|c| c.set_up.opened).find(|at| *at > from);
                    // The load may be over before the packet is repeated.
                    let until = next.map(|next| next.sent_at).or(backup);
                    if let Some(until) = until.filter(|until| *until > from) {
                        all[packet.connection].push(Trouble {
                            from,
                            until,
                            part: Part::Loss,
                        });
                    }
                }
            }
            for service in services {
                let packet = &log.packets[service.packet];
                if self.sets_up(packet) && service.from > packet.sent_at {
                    all[packet.connection].push(Trouble {
                        from: packet.sent_at,
                        until: service.from,
                        part: Part::Queueing,
                    });
                }
            }
        }
        all.into_iter().map(disjoint).collect::<Vec<_>>().into()
    }

    /// Returns true if the packet left before its connection's handshake completed.
    fn sets_up(&self, packet: &WirePacket) -> bool {
        let connected = self.connections[packet.connection].set_up.connected;
        connected.is_none_or(|at| packet.sent_at < at)
    }

    /// Attributes the time until the request's last packet left the uplink's bottleneck.
    /// The server had the complete request at `asked`.
    fn request(&self, evidence: &Evidence, spans: &mut Spans, i: ConnectionId, asked: Instant) {
        let Some(last) = self.net.up.log.arriving(i, asked) else {
            return;
        };
        let began = spans.at;
        let lost = |p: &WirePacket| p.connection == i && p.is_gone() && p.sent_at >= began;
        let sent_so_far = |p: &&WirePacket| p.sent_at < last.sent_at;
        let mut earlier = self.net.up.log.packets.iter().filter(sent_so_far);
        let held = if earlier.any(lost) {
            Part::Loss
        } else {
            Part::Window
        };
        spans.until(last.sent_at, held);
        let Some(crossed) = last.crossed_at else {
            return;
        };
        let service = evidence.up.iter().find(|s| s.until == crossed);
        spans.until(service.map_or(crossed, |s| s.from), Part::Queueing);
        spans.until(crossed, Part::Bandwidth);
    }

    /// Attributes the time from when the response is ready until its awaited packet left
    /// the downlink's bottleneck at `crossed`.
    fn response(
        &self,
        evidence: &Evidence,
        spans: &mut Spans,
        (i, r): (ConnectionId, ResourceId),
        crossed: Instant,
    ) {
        let concerns =
            |repair: &&Repair| self.concerns(i, r, &self.net.down.log.packets[repair.packet]);
        let repairs: Vec<Repair> = evidence.repairs.iter().filter(concerns).copied().collect();
        let own_over = self.first_sent_by(i, r);
        let first = evidence.down.partition_point(|s| s.until <= spans.at);
        for service in &evidence.down[first..] {
            if service.from >= crossed {
                break;
            }
            idle(spans, service.from.min(crossed), &repairs);
            let mut part = self.carried(&self.net.down.log.packets[service.packet], i, r);
            // All bytes of the response have been sent once: it waits for a repair.
            let at = spans.at;
            let waits = |repair: &Repair| repair.from <= at && at < repair.repaired;
            if part == Part::Queueing && at >= own_over && repairs.iter().any(waits) {
                part = Part::Loss;
            }
            spans.until(service.until.min(crossed), part);
        }
        idle(spans, crossed, &repairs);
    }

    /// Returns the time at which all bytes of `r` had crossed the bottleneck once or had
    /// been dropped before it.
    fn first_sent_by(&self, i: ConnectionId, r: ResourceId) -> Instant {
        let log = &self.net.down.log;
        let fresh = |p: &&WirePacket| {
            let mut frames = log.frames_of(p).iter();
            p.connection == i && frames.any(|f| f.resource == r && !f.retransmission)
        };
        let crossed = |p: &WirePacket| p.crossed_at.unwrap_or(p.sent_at);
        let packets = log.packets.iter().filter(fresh);
        packets.map(crossed).max().unwrap_or_default()
    }

    /// Returns true if the loss of `packet` can block bytes of `r`: over TCP, any loss on
    /// the same connection can.
    fn concerns(&self, i: ConnectionId, r: ResourceId, packet: &WirePacket) -> bool {
        packet.connection == i
            && (self.connections[i].protocol.is_tcp()
                || self
                    .net
                    .down
                    .log
                    .frames_of(packet)
                    .iter()
                    .any(|f| f.resource == r))
    }

    /// Returns the part of response `r` on connection `i` that the carrying of `packet`
    /// counts as.
    fn carried(&self, packet: &WirePacket, i: ConnectionId, r: ResourceId) -> Part {
        let frames = self.net.down.log.frames_of(packet);
        let tcp = self.connections[i].protocol.is_tcp();
        let again = frames
            .iter()
            .any(|f| f.retransmission && (tcp || f.resource == r));
        if (packet.is_gone() || again) && self.concerns(i, r, packet) && !frames.is_empty() {
            Part::Loss
        } else if packet.connection == i && frames.iter().any(|f| f.resource == r) {
            Part::Bandwidth
        } else {
            Part::Queueing
        }
    }

    /// Returns all losses of response bytes that were sent again, and over TCP those of tickets and
    /// settings, which block what follows them.
    fn repairs(&self) -> Vec<Repair> {
        let log = &self.net.down.log;
        // Retransmitted bytes of each resource, with the packet that carried them.
        let mut again: BTreeMap<ResourceId, Vec<(usize, Range<u64>)>> = BTreeMap::new();
        for (k, packet) in log.packets.iter().enumerate() {
            for frame in log.frames_of(packet).iter().filter(|f| f.retransmission) {
                let bytes = frame.offset..frame.offset + u64::from(frame.length);
                again.entry(frame.resource).or_default().push((k, bytes));
            }
        }
        let crossed = |packet: &WirePacket| packet.crossed_at.unwrap_or(packet.sent_at);
        let mut repairs = Vec::new();
        let lost = log.packets.iter().enumerate();
        for (k, packet) in lost.filter(|(_, packet)| packet.is_gone()) {
            let frames = log.frames_of(packet);
            let tcp = self.connections[packet.connection].protocol.is_tcp();
            // Packets without response bytes are repeated whole, so their size identifies them.
            if tcp && frames.is_empty() && packet.size > LARGEST_TCP_HEADERS {
                let same = |p: &&WirePacket| {
                    p.connection == packet.connection
                        && p.size == packet.size
                        && log.frames_of(p).is_empty()
                };
                let again = log.packets[k + 1..].iter().find(same);
                repairs.extend(again.map(|again| Repair {
                    from: crossed(packet),
                    repaired: crossed(again),
                    packet: k,
                }));
            }
            for frame in frames {
                let end = frame.offset + u64::from(frame.length);
                let later = again.get(&frame.resource).map_or(&[][..], Vec::as_slice);
                let later = &later[later.partition_point(|(at, _)| *at <= k)..];
                // A retransmission may be cut otherwise; its first common byte counts.
                let same = |(_, bytes): &&(usize, Range<u64>)| {
                    bytes.start < end && frame.offset < bytes.end
                };
                if let Some((repair, _)) = later.iter().find(same) {
                    repairs.push(Repair {
                        from: crossed(packet),
                        repaired: crossed(&log.packets[*repair]),
                        packet: k,
                    });
                }
            }
        }
        repairs.sort_unstable();
        repairs
    }
}

/// Cuts spans so that none overlap. A loss takes precedence over a wait, and an earlier
/// start over a later one.
fn disjoint(mut troubles: Vec<Trouble>) -> Vec<Trouble> {
    let mut cut: Vec<Trouble> = Vec::new();
    troubles.sort_unstable_by_key(|t| (t.part != Part::Loss, t.from, t.until));
    for trouble in troubles {
        let mut from = trouble.from;
        let at = cut.partition_point(|t| t.until <= from);
        let mut i = at;
        while from < trouble.until {
            let next = cut.get(i).copied();
            let until = next.map_or(trouble.until, |t| t.from.min(trouble.until));
            if from < until {
                cut.insert(
                    i,
                    Trouble {
                        from,
                        until,
                        ..trouble
                    },
                );
                i += 1;
            }
            let Some(next) = next else { break };
            from = from.max(next.until);
            i += 1;
        }
    }
    cut
}

/// Attributes the idle time of the bottleneck up to `until`: to a repair if one is
/// outstanding, or else to the sender being held back.
fn idle(spans: &mut Spans, until: Instant, repairs: &[Repair]) {
    for &Repair { from, repaired, .. } in repairs {
        if from >= until {
            break;
        }
        if repaired > spans.at {
            spans.until(from, Part::Window);
            spans.until(repaired.min(until), Part::Loss);
        }
    }
    spans.until(until, Part::Window);
}

/// Splits a span of time into adjacent parts.
struct Spans {
    at: Instant,
    end: Instant,
    parts: Parts,
}

impl Spans {
    fn new(from: Instant, end: Instant) -> Self {
        Self {
            at: from,
            end,
            parts: Parts::default(),
        }
    }

    /// Attributes the time from the end of the last part up to `until` to `part`.
    fn until(&mut self, until: Instant, part: Part) {
        let until = until.min(self.end);
        if until > self.at {
            self.parts.add(part, until.since(self.at));
            self.at = until;
        }
    }
}

impl WireLog {
    /// Returns the last packet of connection `i` that arrived at `at` or earlier.
    fn arriving(&self, i: ConnectionId, at: Instant) -> Option<&WirePacket> {
        let arrived = |p: &&WirePacket| match p.fate {
            Fate::Arrived(when) if p.connection == i && when <= at => Some(when),
            _ => None,
        };
        let candidates = self.packets.iter().filter(|p| arrived(p).is_some());
        candidates.max_by_key(arrived)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trouble(from: u64, until: u64, part: Part) -> Trouble {
        Trouble {
            from: Instant::from_nanos(from),
            until: Instant::from_nanos(until),
            part,
        }
    }

    #[test]
    fn losses_cut_waits_and_nothing_overlaps() {
        let waits = [(0, 30), (5, 12), (40, 50), (60, 70)];
        let losses = [(10, 20), (15, 25), (45, 65)];
        let all = waits
            .map(|(a, b)| trouble(a, b, Part::Queueing))
            .into_iter()
            .chain(losses.map(|(a, b)| trouble(a, b, Part::Loss)));
        let expected = [
            trouble(0, 10, Part::Queueing),
            trouble(10, 20, Part::Loss),
            trouble(20, 25, Part::Loss),
            trouble(25, 30, Part::Queueing),
            trouble(40, 45, Part::Queueing),
            trouble(45, 65, Part::Loss),
            trouble(65, 70, Part::Queueing),
        ];
        assert_eq!(disjoint(all.collect()), expected);
    }
}
