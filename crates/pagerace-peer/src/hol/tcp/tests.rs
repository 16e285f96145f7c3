use pagerace_core::Duration;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::Index;

use super::*;

const A: Option<u64> = Some(1);
const B: Option<u64> = Some(3);

fn ms(n: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(n)
}

/// Returns a layout of records with these owners.
fn layout(records: &[&[(Option<u64>, u64)]]) -> Layout {
    let mut layout = Layout::default();
    for record in records {
        layout.push(record);
    }
    layout
}

/// Returns a meter after the arrival of these ranges (ms, offset, length).
fn meter(layout: &Layout, arrivals: &[(u64, u64, u64)]) -> TcpHolMeter {
    let mut meter = TcpHolMeter::new(true);
    for (at, offset, length) in arrivals {
        let range = Range {
            offset: *offset,
            length: *length,
        };
        meter.handle_arrival(ms(*at), range, layout);
    }
    meter
}

/// Returns own and other bytes, and own and other byte-ms.
fn numbers(blocked: Blocked) -> (u64, u64, u64, u64) {
    (
        blocked.own_bytes,
        blocked.other_bytes,
        blocked.own_byte_ms(),
        blocked.other_byte_ms(),
    )
}

#[test]
fn what_comes_in_order_never_waits() {
    let layout = layout(&[&[(A, 100)], &[(B, 100)]]);
    let m = meter(
        &layout,
        &[(0, 0, 50), (1, 50, 50), (9, 100, 30), (30, 130, 70)],
    );
    assert_eq!(m.total(), Blocked::default());
    assert!(m.gaps().is_empty());
}

/// There are three records: A, B, A. The first is lost, so B waits only for A, and A for
/// itself.
#[test]
fn one_lost_segment_blocks_others_and_its_own() {
    let layout = layout(&[&[(A, 100)], &[(B, 100)], &[(A, 100)]]);
    let m = meter(&layout, &[(1, 100, 100), (2, 200, 100), (11, 0, 100)]);
    assert_eq!(numbers(m.blocked(3)), (0, 100, 0, 100 * 10));
    assert_eq!(numbers(m.blocked(1)), (100, 0, 100 * 9, 0));
    assert_eq!(numbers(m.total()), (100, 100, 900, 1000));
    let gap = |stream, from| Gap {
        stream,
        from: ms(from),
        until: ms(11),
        bytes: 100,
    };
    assert_eq!(m.gaps(), [gap(1, 2), gap(3, 1)]);
}

/// The first records of A and B are lost. A's second record waits for A at first, and for
/// B only once A's bytes have arrived. B's second record waits for A as well as for B.
#[test]
fn own_bytes_that_come_first_leave_the_rest_to_others() {
    let layout = layout(&[&[(A, 100)], &[(B, 100)], &[(A, 100)], &[(B, 100)]]);
    let m = meter(
        &layout,
        &[(0, 200, 100), (0, 300, 100), (10, 0, 100), (25, 100, 100)],
    );
    // A waits ten milliseconds for its own bytes, then fifteen for B's.
    assert_eq!(numbers(m.blocked(1)), (100, 0, 1_000, 1_500));
    assert_eq!(numbers(m.blocked(3)), (100, 0, 2_500, 0));
    // In the reverse order, B's own gap is filled first.
    let m = meter(
        &layout,
        &[(0, 200, 100), (0, 300, 100), (10, 100, 100), (25, 0, 100)],
    );
    assert_eq!(numbers(m.blocked(1)), (100, 0, 2_500, 0));
    // B's first record waits only for A, its second for both and then for A.
    assert_eq!(numbers(m.blocked(3)), (100, 100, 1_000, 1_500 + 1_500));
}

/// A record of 300 bytes arrives in three segments, of which the second is lost.
#[test]
fn a_cut_record_waits_whole() {
    let layout = layout(&[&[(A, 300)], &[(B, 100)]]);
    let m = meter(
        &layout,
        &[(0, 0, 100), (5, 200, 100), (6, 300, 100), (15, 100, 100)],
    );
    // Bytes wait from the moment at which the gap shows. The bytes that fill it do not
    // wait.
    assert_eq!(numbers(m.blocked(1)), (200, 0, 100 * 10 + 100 * 10, 0));
    assert_eq!(numbers(m.blocked(3)), (0, 100, 0, 100 * 9));
}

/// Two responses share a record. A's part has arrived, and B's is missing.
#[test]
fn who_shares_a_record_waits_for_the_other() {
    let layout = layout(&[&[(A, 100), (B, 100)], &[(A, 100)]]);
    let m = meter(&layout, &[(0, 0, 100), (1, 200, 100), (11, 100, 100)]);
    assert_eq!(numbers(m.blocked(1)), (0, 200, 0, 2_000));
    assert_eq!(numbers(m.blocked(3)), (0, 0, 0, 0));
}

#[test]
fn duplicates_and_overlaps_count_once() {
    let layout = layout(&[&[(A, 100)], &[(B, 300)]]);
    let m = meter(
        &layout,
        &[
            (0, 100, 100),
            (0, 100, 100),
            (0, 150, 150),
            (5, 0, 250),
            (6, 290, 110),
        ],
    );
    assert_eq!(numbers(m.blocked(3)), (0, 200, 0, 200 * 5));
}

/// The handshake belongs to no response but may block one.
#[test]
fn bytes_of_the_connection_hold_up_and_do_not_count() {
    let layout = layout(&[&[(None, 100)], &[(A, 100)], &[(None, 50)]]);
    let m = meter(&layout, &[(0, 100, 100), (0, 200, 50), (7, 0, 100)]);
    assert_eq!(numbers(m.total()), (0, 100, 0, 700));
}

/// Two gaps cut one long record, and no byte is counted twice.
#[test]
fn a_record_cut_twice() {
    let layout = layout(&[&[(A, 600)]]);
    let m = meter(
        &layout,
        &[
            (0, 0, 100),
            (1, 200, 100),
            (11, 100, 100),
            (20, 400, 100),
            (22, 300, 100),
            (30, 500, 100),
        ],
    );
    // 0..100 and 200..300 wait 10 ms. Then they wait again for 2 ms, together with
    // 100..200 and 400..500.
    let (own, other, own_ms, _) = numbers(m.total());
    assert_eq!(
        (own, other),
        (400, 0),
        "100..200 waits for the second gap only"
    );
    assert_eq!(own_ms, 200 * 10 + 400 * 2);
}

/// Computes the blocking of each response byte by byte, from the definition.
fn plainly(records: &[Vec<(Option<u64>, u64)>], arrivals: &[(u64, u64, u64)]) -> Plain {
    let mut bytes: Vec<Byte> = Vec::new();
    for record in records {
        let end = bytes.len() + record.iter().map(|p| p.1 as usize).sum::<usize>();
        for (owner, length) in record {
            for _ in 0..*length {
                bytes.push(Byte {
                    owner: *owner,
                    needs: end,
                    ..Byte::default()
                });
            }
        }
    }
    let mut plain = Plain::default();
    for (i, (at, offset, length)) in arrivals.iter().enumerate() {
        let range = *offset as usize..(offset + length) as usize;
        bytes[range].iter_mut().for_each(|b| b.arrived = true);
        let until = arrivals.get(i + 1).map_or(*at, |next| next.0);
        let top = bytes.iter().rposition(|b| b.arrived).map_or(0, |p| p + 1);
        let gone = |b: &Byte| !b.arrived;
        let Some(first) = bytes[..top].iter().position(gone) else {
            continue;
        };
        for x in 0..top {
            // A record that ends before the first missing byte can be read.
            if !bytes[x].arrived || bytes[x].needs <= first || bytes[x].owner.is_none() {
                continue;
            }
            let needed = &bytes[..top.min(bytes[x].needs)];
            let own = needed.iter().any(|y| gone(y) && y.owner == bytes[x].owner);
            bytes[x].waited = true;
            bytes[x].for_own |= own;
            let time = until - at;
            plain.2 += if own { time } else { 0 };
            plain.3 += if own { 0 } else { time };
        }
    }
    let waited = bytes.iter().filter(|b| b.waited);
    plain.0 = waited.clone().filter(|b| b.for_own).count() as u64;
    plain.1 = waited.count() as u64 - plain.0;
    plain
}

/// Own and other bytes, own and other byte-ms.
#[derive(Debug, Default, PartialEq, Eq)]
struct Plain(u64, u64, u64, u64);

#[derive(Clone, Copy, Default)]
struct Byte {
    owner: Option<u64>,
    needs: usize,
    arrived: bool,
    waited: bool,
    for_own: bool,
}

proptest! {
    #[test]
    fn it_is_the_definition(
        records in vec(vec((option::of(0_u64..3), 1_u64..12), 1..4), 1..8),
        segments in vec((any::<Index>(), 1_u64..15, 0_u64..5), 0..40),
    ) {
        let total: u64 = records.iter().flatten().map(|p| p.1).sum();
        let mut now = 0;
        let mut arrivals: Vec<_> = segments.iter().map(|(at, length, pause)| {
            now += pause;
            let offset = at.index(total as usize) as u64;
            (now, offset, (*length).min(total - offset))
        }).collect();
        // All bytes arrive in the end, so that none keeps waiting.
        arrivals.extend((0..total).map(|offset| (now + 1 + offset, offset, 1)));
        let layout = layout(&records.iter().map(|r| &r[..]).collect::<Vec<_>>());
        let found = numbers(meter(&layout, &arrivals).total());
        let plain = plainly(&records, &arrivals);
        prop_assert_eq!(Plain(found.0, found.1, found.2, found.3), plain);
    }
}
