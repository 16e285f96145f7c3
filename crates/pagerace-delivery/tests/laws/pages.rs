//! Generators of random pages.

use std::collections::BTreeMap;

use pagerace_core::{Dependency, Destination, Priority, RequestPriority, ScriptMode};
use pagerace_delivery::{Facts, Response};
use proptest::prelude::*;
use proptest::sample::select;

use crate::bench::{Bench, Event, PACKET_BYTES};

/// A page and its properties known in advance.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    pub(crate) bench: Bench,
    /// Length of each response by stream.
    pub(crate) lengths: BTreeMap<u64, u64>,
    pub(crate) cancelled: Vec<u64>,
    /// True if the page has block or cancel events.
    pub(crate) interrupted: bool,
    /// Room by tick, for packets that are not full-sized.
    pub(crate) rooms: BTreeMap<u64, u64>,
}

fn facts() -> impl Strategy<Value = Facts> {
    use {RequestPriority as R, ScriptMode as S};
    let modes = select(&[S::Blocking, S::Defer, S::Async, S::Inserted][..]);
    let classes = select(&[R::VeryHigh, R::High, R::Medium, R::Low, R::VeryLow][..]);
    (select(&Destination::ALL[..]), modes, classes, any::<bool>()).prop_map(
        |(destination, script_mode, class, render_blocking)| Facts {
            destination,
            script_mode,
            class,
            render_blocking,
            served: None,
        },
    )
}

fn signal() -> impl Strategy<Value = Priority> {
    (0_u8..8, any::<bool>()).prop_map(|(urgency, incremental)| Priority::new(urgency, incremental))
}

/// Any position in the HTTP/2 dependency tree. The parent may or may not exist.
pub(crate) fn dependency() -> impl Strategy<Value = Dependency> {
    let parents = (0_u64..12).prop_map(|i| i * 4);
    (parents, 1_u16..=256, any::<bool>()).prop_map(|(parent, weight, exclusive)| Dependency {
        parent,
        weight,
        exclusive,
    })
}

/// Responses with lengths in the range of `packets`, on streams 0, 4, 8, ...
pub(crate) fn responses(
    count: std::ops::Range<usize>,
    packets: std::ops::Range<u64>,
) -> impl Strategy<Value = Vec<Response>> {
    let bytes = packets.start * PACKET_BYTES + 1..packets.end * PACKET_BYTES;
    prop::collection::vec((facts(), signal(), bytes), count).prop_map(|all| {
        let streams = (0_u64..).step_by(4);
        let all = streams.zip(all);
        all.map(|(stream, (facts, signal, length))| Response {
            stream,
            signal,
            facts,
            length,
            sent: 0,
        })
        .collect()
    })
}

fn rooms() -> impl Strategy<Value = BTreeMap<u64, u64>> {
    prop::collection::btree_map(0_u64..150, 1..PACKET_BYTES, 0..20)
}

/// Responses that arrive at any time, with some packets that have less room.
pub(crate) fn arrivals() -> impl Strategy<Value = Page> {
    let arriving = responses(1..12, 0..25).prop_flat_map(|all| {
        let ticks = prop::collection::vec(0_u64..60, all.len());
        (Just(all), ticks)
    });
    (arriving, rooms()).prop_map(|((responses, ticks), rooms)| {
        let mut bench = Bench::new();
        let lengths = responses.iter().map(|r| (r.stream, r.length)).collect();
        for (tick, response) in ticks.into_iter().zip(responses) {
            bench.at(tick, Event::Arrive(response));
        }
        for (tick, room) in &rooms {
            bench.at(*tick, Event::Room(*room));
        }
        Page {
            bench,
            lengths,
            cancelled: Vec::new(),
            interrupted: false,
            rooms,
        }
    })
}

/// Like [`arrivals`], with changed signals, flow control and cancellation.
pub(crate) fn anything() -> impl Strategy<Value = Page> {
    let streams = || (0_u64..12).prop_map(|i| i * 4);
    let updates = prop::collection::vec((0_u64..120, streams(), signal()), 0..6);
    let blocks = prop::collection::vec((0_u64..120, streams(), 1_u64..40), 0..5);
    let cancels = prop::collection::vec((0_u64..120, streams()), 0..3);
    let depends = prop::collection::vec((0_u64..60, streams(), dependency()), 0..20);
    let events = (updates, blocks, cancels, depends);
    (arrivals(), events).prop_map(|(mut page, (updates, blocks, cancels, depends))| {
        page.interrupted = !blocks.is_empty() || !cancels.is_empty();
        for (tick, stream, signal) in updates {
            page.bench.at(tick, Event::Update(stream, signal));
        }
        for (tick, stream, ticks) in blocks {
            page.bench.at(tick, Event::Block(stream));
            page.bench.at(tick + ticks, Event::Unblock(stream));
        }
        for (tick, stream) in cancels {
            page.bench.at(tick, Event::Cancel(stream));
            page.cancelled.push(stream);
        }
        for (tick, stream, dependency) in depends {
            page.bench.at(tick, Event::Depend(stream, dependency));
        }
        page
    })
}

/// Large responses that all arrive at the start, with some packets that have less room.
pub(crate) fn together() -> impl Strategy<Value = (Vec<Response>, Bench)> {
    (responses(1..10, 20..120), rooms()).prop_map(|(responses, rooms)| {
        let mut bench = Bench::of(responses.clone());
        for (tick, room) in rooms {
            bench.at(tick, Event::Room(room));
        }
        (responses, bench)
    })
}
