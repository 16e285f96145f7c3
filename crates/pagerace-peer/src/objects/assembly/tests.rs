use pagerace_delivery::reliability::Terms;
use proptest::prelude::*;

use super::*;
use crate::body::Body;
use crate::objects::{Cut, Cutter, digest_field};

const REORDERING: Duration = Duration::from_millis(10);
const STREAM: u64 = 400;

fn at(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

fn content(length: usize) -> Bytes {
    (0..length).map(|i| (i * 7 % 251) as u8).collect()
}

fn cutter(length: usize, terms: Terms) -> Cutter {
    let cut = Cut {
        stream: STREAM,
        datagram_max: 1_162,
        terms,
        requested: Instant::ZERO,
    };
    Cutter::new(&cut, Body::Bytes(content(length))).expect("there is room")
}

/// Returns the datagrams that a cutter sends, without the quarter stream id.
fn datagrams(cutter: &mut Cutter) -> Vec<Bytes> {
    let mut all = Vec::new();
    while !cutter.is_over(Instant::ZERO) {
        let size = cutter.size(STREAM);
        let (datagram, _) = cutter.take(STREAM);
        assert_eq!(datagram.len(), size);
        assert!(size <= 1_162);
        all.push(datagram.slice(pagerace_http::h3::datagram_overhead(STREAM)..));
    }
    all
}

fn announced(cutter: &Cutter, body: &Bytes) -> Assembly {
    let mut assembly = Assembly::new(Instant::ZERO);
    let digest = digest_field(&Body::Bytes(body.clone()));
    assembly.announce(at(0), cutter.announcement, Digests::Compared, &[digest]);
    assembly
}

/// Returns the content passed on, and the last other step.
fn steps(assembly: &mut Assembly) -> (Vec<u8>, Option<Step>) {
    let (mut content, mut last) = (Vec::new(), None);
    while let Some(step) = assembly.poll_step() {
        match step {
            Step::Data(data) => content.extend_from_slice(&data),
            other => last = Some(other),
        }
    }
    (content, last)
}

#[test]
fn chunks_are_of_one_size_and_fill_packets() {
    let mut cutter = cutter(10_000, Terms::ONCE);
    let announcement = cutter.announcement;
    assert_eq!(announcement.chunks(), 9);
    assert_eq!(announcement.chunk, 1_112);
    assert_eq!(announcement.total(), 9);
    let total: u64 = datagrams(&mut cutter)
        .iter()
        .map(|d| d.len() as u64 + 2)
        .sum();
    assert_eq!(cutter.total_size(STREAM), total);
    assert_eq!(cutter.end_marker(), [9]);
}

/// The encoding of chunk numbers grows at 64, 16,384 and so on.
#[test]
fn datagrams_fit_whatever_the_number() {
    for length in [72_000, 74_000, 9_480_000, 9_500_000, 9_530_000, 19_000_000] {
        for parity in [0.0, 0.5, 1.0] {
            let terms = Terms {
                parity,
                ..Terms::ONCE
            };
            let cut = Cut {
                stream: 4 * 16_400,
                datagram_max: 1_162,
                terms,
                requested: Instant::ZERO,
            };
            let cutter = Cutter::new(&cut, Body::Filler(length)).expect("there is room");
            let last = cutter.announcement.total() - 1;
            let head = pagerace_http::h3::datagram_overhead(cut.stream);
            let number = pagerace_http::varint::size(last);
            let most = head + number + cutter.announcement.chunk as usize;
            assert!(most <= 1_162, "{length} {parity}: {most}");
        }
    }
}

#[test]
fn few_ranges_are_asked_for_whatever_is_missing() {
    let body = content(2_000_000);
    let mut cutter = cutter(2_000_000, Terms::ONCE);
    let mut assembly = announced(&cutter, &body);
    for (n, datagram) in datagrams(&mut cutter).into_iter().enumerate() {
        if n % 3 != 1 && !(600..640).contains(&n) {
            assembly.datagram(at(1), datagram, REORDERING);
        }
    }
    let missing = assembly.missing();
    assert_eq!(missing.len(), RANGES_MAX);
    let sorted = missing.windows(2).all(|pair| pair[0].last < pair[1].first);
    assert!(sorted, "{missing:?}");
    for range in missing {
        let bytes = body.slice(range.first as usize..=range.last as usize);
        assembly.handle_repair(range.first, bytes);
    }
    assert_eq!(steps(&mut assembly).1, Some(Step::Complete));
}

#[test]
fn content_is_handed_on_in_order_whatever_order_it_comes_in() {
    let body = content(5_000);
    let mut cutter = cutter(5_000, Terms::ONCE);
    let mut assembly = announced(&cutter, &body);
    let mut all = datagrams(&mut cutter);
    all.swap(0, 3);
    all.insert(2, all[1].clone());
    let mut got = Vec::new();
    for datagram in &all {
        assembly.datagram(at(1), datagram.clone(), REORDERING);
        let (bytes, last) = steps(&mut assembly);
        got.extend_from_slice(&bytes);
        assert_eq!(last.is_some(), got.len() == 5_000);
    }
    assert_eq!(got, body);
    assert!(assembly.is_over());
    let report = assembly.report();
    assert_eq!((report.arrived, report.lost_bytes), (5, 0));
}

#[test]
fn what_is_missing_is_told_after_the_end_and_some_reordering() {
    let body = content(5_000);
    let mut cutter = cutter(5_000, Terms::ONCE);
    let mut assembly = announced(&cutter, &body);
    for datagram in datagrams(&mut cutter).iter().take(3) {
        assembly.datagram(at(1), datagram.clone(), REORDERING);
    }
    assert_eq!(assembly.poll_timeout(), None, "more may come");
    assembly.stream_content(&Bytes::from(cutter.end_marker()));
    assembly.stream_end(at(5), REORDERING);
    assert_eq!(assembly.poll_timeout(), Some(at(15)));
    assembly.handle_timeout(at(14));
    assert_eq!(steps(&mut assembly).1, None);
    assembly.handle_timeout(at(15));
    assert_eq!(steps(&mut assembly).1, Some(Step::Incomplete));
    let report = assembly.report();
    assert_eq!((report.sent, report.arrived), (Some(5), 3));
    assert_eq!((report.lost_bytes, report.missing_bytes()), (2_000, 2_000));
    let missing = [ByteRange {
        first: 3_000,
        last: 4_999,
    }];
    assert_eq!(assembly.missing(), missing);
    assert_eq!(assembly.poll_timeout(), None, "it is told once");
}

#[test]
fn the_last_datagram_ends_it_too() {
    let body = content(5_000);
    let mut cutter = cutter(5_000, Terms::ONCE);
    let mut assembly = announced(&cutter, &body);
    assembly.datagram(at(1), datagrams(&mut cutter)[4].clone(), REORDERING);
    assert_eq!(assembly.poll_timeout(), Some(at(11)));
}

#[test]
fn a_deadline_ends_it_whatever_comes() {
    let body = content(5_000);
    let terms = Terms {
        deadline: Some(Duration::from_millis(300)),
        ..Terms::ONCE
    };
    let mut cutter = cutter(5_000, terms);
    let mut assembly = announced(&cutter, &body);
    assert_eq!(assembly.poll_timeout(), Some(at(300)));
    assembly.datagram(at(299), datagrams(&mut cutter)[4].clone(), REORDERING);
    assert_eq!(assembly.poll_timeout(), Some(at(300)));
    assert!(cutter.is_over(at(300)), "the server sends no more either");
}

#[test]
fn repairs_complete_it_wherever_they_break() {
    let body = content(5_000);
    for piece in [1, 7, 999, 1_000, 1_001, 5_000] {
        let mut cutter = cutter(5_000, Terms::ONCE);
        let mut assembly = announced(&cutter, &body);
        let all = datagrams(&mut cutter);
        for n in [0, 2] {
            assembly.datagram(at(1), all[n].clone(), REORDERING);
        }
        assembly.stream_end(at(1), REORDERING);
        assembly.handle_timeout(at(20));
        let (mut got, _) = steps(&mut assembly);
        for range in assembly.missing() {
            let bytes = body.slice(range.first as usize..=range.last as usize);
            for (i, bytes) in bytes.chunks(piece).enumerate() {
                let offset = range.first + (i * piece) as u64;
                assembly.handle_repair(offset, Bytes::copy_from_slice(bytes));
            }
        }
        let (rest, last) = steps(&mut assembly);
        got.extend_from_slice(&rest);
        assert_eq!(last, Some(Step::Complete));
        assert_eq!(got, body);
        let report = assembly.report();
        assert_eq!((report.lost_bytes, report.repaired_bytes), (3_000, 3_000));
        assert_eq!(report.missing_bytes(), 0);
    }
}

#[test]
fn datagrams_may_come_before_their_head() {
    let body = content(3_000);
    let mut cutter = cutter(3_000, Terms::ONCE);
    let mut assembly = Assembly::new(at(0));
    for datagram in datagrams(&mut cutter) {
        assembly.datagram(at(1), datagram, REORDERING);
    }
    assert_eq!(steps(&mut assembly), (vec![], None));
    let digest = digest_field(&Body::Bytes(body.clone()));
    assembly.announce(at(2), cutter.announcement, Digests::Compared, &[digest]);
    let (got, last) = steps(&mut assembly);
    assert_eq!((got, last), (body.to_vec(), Some(Step::Complete)));
}

#[test]
fn what_comes_before_the_head_is_bounded() {
    let mut assembly = Assembly::new(at(0));
    for number in 0..1_000 {
        let mut datagram = Vec::new();
        object::encode_number(number, &mut datagram);
        datagram.resize(1_100, 0);
        assembly.datagram(at(1), datagram.into(), REORDERING);
    }
    assert!(assembly.held <= EARLY_MAX);
}

#[test]
fn content_that_is_not_the_servers_is_told() {
    let mut cutter = cutter(3_000, Terms::ONCE);
    let mut assembly = announced(&cutter, &content(3_001));
    for datagram in datagrams(&mut cutter) {
        assembly.datagram(at(1), datagram, REORDERING);
    }
    assert_eq!(steps(&mut assembly).1, Some(Step::Corrupt));
}

#[test]
fn nonsense_is_dropped() {
    let body = content(3_000);
    let cutter = cutter(3_000, Terms::ONCE);
    let mut assembly = announced(&cutter, &body);
    for wrong in [&[][..], &[0], &[0, 1, 2], &[3, 0, 0], &[0x40]] {
        assembly.datagram(at(1), Bytes::copy_from_slice(wrong), REORDERING);
    }
    assembly.handle_repair(2_999, Bytes::from_static(&[1; 5]));
    assembly.handle_repair(u64::MAX, Bytes::from_static(&[1; 5]));
    assert_eq!(assembly.report().arrived, 0);
    assert_eq!(steps(&mut assembly), (vec![], None));
}

proptest! {
    /// Any set of as many chunks as the content has restores the content. Fewer chunks
    /// become complete with repairs.
    #[test]
    fn parity_restores_what_it_can(
        length in 1_usize..30_000,
        share in 0.01_f64..1.0,
        lost in proptest::collection::vec(any::<bool>(), 64),
    ) {
        let body = content(length);
        let terms = Terms { parity: share, repair: Some(Repair::Now), ..Terms::ONCE };
        let mut cutter = cutter(length, terms);
        let announcement = cutter.announcement;
        let all = datagrams(&mut cutter);
        prop_assert_eq!(all.len() as u64, announcement.total());
        let mut assembly = announced(&cutter, &body);
        let mut arrived = 0;
        for (datagram, lost) in all.iter().zip(lost.iter().chain(std::iter::repeat(&false))) {
            if !lost {
                arrived += 1;
                assembly.datagram(at(1), datagram.clone(), REORDERING);
            }
        }
        let (mut got, last) = steps(&mut assembly);
        let enough = arrived >= announcement.chunks();
        prop_assert_eq!(last == Some(Step::Complete), enough);
        if !enough {
            assembly.stream_end(at(2), REORDERING);
            assembly.handle_timeout(at(30));
            for range in assembly.missing() {
                let bytes = body.slice(range.first as usize..=range.last as usize);
                assembly.handle_repair(range.first, bytes);
            }
            let (rest, last) = steps(&mut assembly);
            got.extend_from_slice(&rest);
            prop_assert_eq!(last, Some(Step::Complete));
        }
        prop_assert!(got == body, "what came is what was sent");
        prop_assert_eq!(assembly.report().missing_bytes(), 0);
    }

    #[test]
    fn any_datagrams_and_repairs_are_taken_without_panic(
        inputs in proptest::collection::vec((any::<bool>(), 0_u64..6_000, proptest::collection::vec(any::<u8>(), 0..1_300)), 0..30),
    ) {
        let cutter = cutter(5_000, Terms { parity: 0.5, ..Terms::ONCE });
        let mut assembly = announced(&cutter, &content(5_000));
        for (repair, offset, bytes) in inputs {
            if repair {
                assembly.handle_repair(offset, bytes.into());
            } else {
                assembly.datagram(at(1), bytes.into(), REORDERING);
            }
        }
        assembly.stream_end(at(2), REORDERING);
        assembly.handle_timeout(at(30));
        let _ = assembly.missing();
        steps(&mut assembly);
        let report = assembly.report();
        prop_assert!(report.missing_bytes() <= report.length);
    }
}
