//! Times at which lost bytes are sent again.

use std::collections::{BTreeMap, BTreeSet};

use pagerace_core::{Destination, Duration, RequestPriority};
use pagerace_sim::{LoggedPacket, Retransmission, Scenario, Side, run_logged};
use pagerace_transport::quic::frame::frames;
use pagerace_transport::quic::{Frame, Space, StreamFrame};

use crate::common::{Item, busy_page, scenario};
use crate::wire::{PAYLOAD, Wire, fetch, watch};

/// Returns a scenario in which less urgent responses start first, and more urgent ones
/// become ready while losses of the former are not repaired. Responses of one urgency are
/// sent one after the other. If they took turns and one ended in a packet with the rest
/// of another, a repair would take the space left in that packet.
fn late_urgent(loss: &str, retransmission: Retransmission) -> Scenario {
    let classes = [
        RequestPriority::Low,
        RequestPriority::High,
        RequestPriority::VeryHigh,
    ];
    let items = [
        (0, 0),
        (0, 0),
        (0, 0),
        (1, 90),
        (1, 100),
        (2, 200),
        (2, 210),
    ]
    .map(|(class, think_ms)| Item {
        destination: Destination::Style,
        think_time: Duration::from_millis(think_ms),
        ..fetch(classes[class], 120_000)
    });
    let network = format!("rate 20mbit up 1gbit rtt 40ms {loss} loss-up 0% queue 1000p");
    let mut scenario = scenario(&busy_page(&items), &network, "eps");
    scenario.settings.retransmission = retransmission;
    scenario
}

/// Returns the number of retransmissions that left while a more urgent response was in
/// progress and had new bytes left.
fn ahead_of_urgent(wire: &Wire) -> usize {
    let frames = &wire.outcome.trace.as_ref().unwrap().frames;
    let urgency = |r: usize| wire.signal(r).urgency;
    let span = |who: usize| {
        let of = |f: &&pagerace_sim::FrameSent| f.resource.index() == who;
        let first = frames.iter().position(|f| of(&f)).unwrap();
        first
            ..frames
                .iter()
                .rposition(|f| of(&f) && !f.retransmission)
                .unwrap()
    };
    let spans: Vec<_> = (1..wire.page.resources.len())
        .map(|who| (urgency(who), span(who)))
        .collect();
    let again = frames
        .iter()
        .enumerate()
        .filter(|(_, f)| f.retransmission && f.resource.0 > 0);
    again
        .filter(|(i, f)| {
            spans
                .iter()
                .any(|(u, span)| *u < urgency(f.resource.index()) && span.contains(i))
        })
        .count()
}

#[test]
fn by_urgency_no_retransmission_goes_ahead_of_more_urgent_new_bytes() {
    for loss in ["loss 2%", "loss 5%", "loss 3% burst 5"] {
        let mut at_once = 0;
        for seed in 0..20 {
            let wire = watch(&late_urgent(loss, Retransmission::ByUrgency), seed);
            assert_eq!(ahead_of_urgent(&wire), 0, "{loss}, seed {seed}");
            let wire = watch(&late_urgent(loss, Retransmission::AtOnce), seed);
            at_once += ahead_of_urgent(&wire);
        }
        assert!(at_once > 0, "{loss} puts no policy to the test");
    }
}

/// Frame of a packet that is certainly lost: a packet sent three later has been
/// acknowledged (RFC 9002, section 6.1.1).
struct Lost {
    frame: StreamFrame,
    /// New bytes that have left since, except those of `repaired`.
    new: u64,
    /// Streams with retransmissions since.
    repaired: BTreeSet<u64>,
}

/// Returns for each lost frame the new bytes that left between its loss and its
/// retransmission. New bytes of streams that were repaired in between do not count.
fn new_before_repair(scenario: &Scenario, seed: u64) -> Vec<u64> {
    let (outcome, packets) = run_logged(scenario, seed).unwrap();
    assert_eq!(outcome.failure, None);
    let mut unacked: BTreeMap<u64, Vec<StreamFrame>> = BTreeMap::new();
    let mut waiting: Vec<Lost> = Vec::new();
    let mut high: BTreeMap<u64, u64> = BTreeMap::new();
    let mut repaired = Vec::new();
    let covers = |s: &StreamFrame, lost: &StreamFrame| {
        s.id == lost.id && (s.offset..s.end()).contains(&lost.offset)
    };
    let of_server = |p: &&LoggedPacket| p.side == Side::Server && p.packet.space == Space::OneRtt;
    for p in packets.iter().filter(of_server).map(|p| &p.packet) {
        if p.sent {
            let streams = response_frames(&p.payload);
            for s in &streams {
                repaired.extend(
                    waiting
                        .extract_if(.., |w| covers(s, &w.frame))
                        .map(|w| w.new),
                );
                let high = high.entry(s.id).or_default();
                for w in &mut waiting {
                    if s.offset < *high {
                        w.repaired.insert(s.id);
                    } else if !w.repaired.contains(&s.id) {
                        w.new += s.length;
                    }
                }
                *high = (*high).max(s.end());
            }
            unacked.insert(p.number, streams);
            continue;
        }
        for frame in frames(&p.payload) {
            let Frame::Ack { acked_ranges, .. } = frame else {
                continue;
            };
            unacked.retain(|n, _| {
                !acked_ranges
                    .iter()
                    .any(|(a, b)| (a.min(b)..=a.max(b)).contains(n))
            });
            let largest = acked_ranges.iter().map(|(a, b)| a.max(b)).max().unwrap();
            while let Some(first) = unacked.first_entry().filter(|e| e.key() + 3 <= largest) {
                for frame in first.remove() {
                    // A probe may have carried the bytes already.
                    if !unacked.values().flatten().any(|s| covers(s, &frame)) {
                        let (new, repaired) = (0, BTreeSet::new());
                        waiting.push(Lost {
                            frame,
                            new,
                            repaired,
                        });
                    }
                }
            }
        }
    }
    repaired
}

fn response_frames(payload: &[u8]) -> Vec<StreamFrame> {
    let streams = frames(payload).filter_map(|f| match f {
        Frame::Stream(s) if s.id % 4 == 0 && s.length > 0 => Some(s),
        _ => None,
    });
    streams.collect()
}

/// Bytes that are already bound may leave before a retransmission. They are one packet's
/// worth, and another if an acknowledgement took room in the first: quinn-proto stays
/// with a stream until everything written to it has left, and the remaining space is
/// topped up. Bound bytes of a response that is itself repaired leave right behind its
/// repair.
#[test]
fn at_once_retransmissions_leave_before_new_bytes() {
    let items = [RequestPriority::High; 6].map(|class| fetch(class, 120_000));
    for strategy in ["round-robin", "sequential"] {
        for loss in ["loss 2%", "loss 5%", "loss 3% burst 5"] {
            let network = format!("rate 20mbit up 1gbit rtt 40ms {loss} loss-up 0% queue 1000p");
            let scenario = scenario(&busy_page(&items), &network, strategy);
            for seed in 0..10 {
                let new = new_before_repair(&scenario, seed);
                assert!(!new.is_empty(), "nothing was lost");
                let most = new.into_iter().max().unwrap();
                assert!(
                    most <= 2 * PAYLOAD,
                    "{strategy}, {loss}, seed {seed}: {most} bytes"
                );
            }
        }
    }
}
