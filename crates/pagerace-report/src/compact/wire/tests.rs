use pagerace_core::Instant;
use pagerace_page::ResourceId;
use pagerace_page::timeline::{FrameSent, HolGap, PacketDrop, Trace};

use super::{Wire, pieces_each};
use crate::input::RunDetail;

fn at_us(us: u64) -> Instant {
    Instant::from_nanos(us * 1_000)
}

fn frame(us: u64, resource: u32) -> FrameSent {
    FrameSent {
        at: at_us(us),
        resource: ResourceId(resource),
        length: 1_000,
        ..FrameSent::default()
    }
}

fn wire(frames: Vec<FrameSent>) -> Wire {
    let run = RunDetail {
        trace: Trace {
            frames,
            ..Trace::default()
        },
        ..RunDetail::default()
    };
    Wire::new(&run)
}

#[test]
fn neighbours_of_one_resource_join() {
    // In a load of one second, pauses of up to half a millisecond are dropped.
    let wire = wire(vec![
        frame(0, 1),
        frame(400, 1),
        frame(800, 1),
        frame(1_000_000, 2),
    ]);
    assert_eq!(wire.at, [0, 100_000]);
    assert_eq!(wire.last, [80, 0]);
    assert_eq!(wire.resource, [1, 2]);
    assert_eq!(wire.bytes, [3_000, 1_000]);
    assert_eq!(wire.coarse, 0);
    assert!(wire.connection.is_empty(), "one connection needs no column");
}

#[test]
fn pauses_that_show_are_kept() {
    let wire = wire(vec![frame(0, 1), frame(2_000, 1), frame(1_000_000, 1)]);
    assert_eq!(wire.at, [0, 200, 99_800]);
}

#[test]
fn alternation_is_kept() {
    let wire = wire((0..10).map(|i| frame(i * 100, i as u32 % 2)).collect());
    assert_eq!(wire.resource, [0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
}

#[test]
fn retransmissions_and_connections_part() {
    let again = FrameSent {
        retransmission: true,
        ..frame(10, 0)
    };
    let other = FrameSent {
        connection: 3,
        ..frame(20, 0)
    };
    let wire = wire(vec![frame(0, 0), again, other, frame(1_000_000, 0)]);
    assert_eq!(wire.again, [1]);
    assert_eq!(wire.connection, [0, 0, 3, 0]);
}

#[test]
fn too_many_pieces_are_thinned_but_keep_their_bytes() {
    let frames: Vec<FrameSent> = (0..50_000).map(|i| frame(i * 20, i as u32 % 40)).collect();
    let wire = wire(frames);
    assert!(wire.coarse > 0);
    assert!(
        (3_000..=6_000).contains(&wire.at.len()),
        "{}",
        wire.at.len()
    );
    assert_eq!(wire.bytes.iter().sum::<u64>(), 50_000_000);
    for column in [wire.last.len(), wire.resource.len(), wire.bytes.len()] {
        assert_eq!(column, wire.at.len());
    }
}

#[test]
fn thinned_alternation_is_still_alternation() {
    let frames: Vec<FrameSent> = (0..50_000).map(|i| frame(i * 20, i as u32 % 40)).collect();
    let wire = wire(frames);
    for resource in 0..40 {
        let share = wire.resource.iter().filter(|&&r| r == resource).count();
        assert!(
            (100..=200).contains(&share),
            "resource {resource} has {share} pieces"
        );
    }
    let longest = wire.last.iter().max().expect("pieces");
    assert!(
        *longest <= 2 * wire.coarse,
        "no resource has the wire for itself"
    );
}

#[test]
fn thinned_resources_start_and_end_when_they_did() {
    let mut frames: Vec<FrameSent> = (0..20_000).map(|i| frame(i * 20, i as u32 % 2)).collect();
    frames.push(frame(123_450, 7));
    frames.push(frame(321_000, 7));
    let wire = wire(frames);
    let mut at = 0;
    let mut sevens = Vec::new();
    for (i, step) in wire.at.iter().enumerate() {
        at += step;
        if wire.resource[i] == 7 {
            sevens.push(at);
        }
    }
    assert_eq!(sevens, [12_345, 32_100]);
}

#[test]
fn drops_and_gaps_are_kept_in_order_of_time() {
    let drop = |us, queue| PacketDrop {
        at: at_us(us),
        connection: 1,
        queue,
        resources: Vec::new(),
    };
    let gap = |resource| HolGap {
        resource: ResourceId(resource),
        from: at_us(100),
        until: at_us(600),
        bytes: 77,
    };
    let run = RunDetail {
        trace: Trace {
            drops: vec![drop(300, true), drop(100, false)],
            hol_gaps: vec![gap(4)],
            ..Trace::default()
        },
        ..RunDetail::default()
    };
    let wire = Wire::new(&run);
    assert_eq!(wire.drop_at, [10, 20]);
    assert_eq!(wire.drop_queue, [0, 1]);
    assert_eq!(wire.drop_connection, [1, 1]);
    assert_eq!(wire.gaps, [[4, 10, 50, 77]]);
}

#[test]
fn many_variants_share_the_file() {
    assert_eq!(pieces_each(0), 6_000);
    assert_eq!(pieces_each(30), 6_000);
    assert_eq!(pieces_each(100), 1_800);
    assert_eq!(pieces_each(2_000), 600);
}
