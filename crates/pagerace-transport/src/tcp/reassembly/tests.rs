//! Tests of gaps, duplicates and overlaps.

use bytes::Bytes;
use pagerace_core::Rng;

use super::{Arrival, Reassembly};

fn read_all(reassembly: &mut Reassembly) -> Vec<u8> {
    let mut all = Vec::new();
    while let Some(data) = reassembly.read() {
        all.extend_from_slice(&data);
    }
    all
}

#[test]
fn tells_gaps_and_duplicates() {
    let mut r = Reassembly::new();
    let data = Bytes::from_static(b"0123456789");
    let arrival = r.insert(11, &data);
    assert_eq!((arrival.new, arrival.out_of_order), (10, true));
    assert_eq!((r.next(), r.unread()), (1, 0));
    let again = r.insert(11, &data);
    assert_eq!((again.new, again.duplicate), (0, Some(11..21)));
    let filled = r.insert(1, &data);
    assert_eq!((filled.new, filled.out_of_order), (10, true));
    assert_eq!((r.next(), r.unread()), (21, 20));
    let old = r.insert(1, &data);
    let expected = Arrival {
        duplicate: Some(1..11),
        ..Arrival::default()
    };
    assert_eq!(old, expected);
    assert_eq!(read_all(&mut r), b"01234567890123456789");
    assert_eq!(r.unread(), 0);
}

#[test]
fn any_overlap_comes_out_once() {
    let whole: Vec<u8> = (0..500).map(|i| (i * 7 % 251) as u8).collect();
    for seed in 0..200 {
        let mut rng = Rng::new(seed, "cuts");
        let (mut r, mut read, mut new) = (Reassembly::new(), Vec::new(), 0);
        while r.next() < 501 {
            let start = rng.below(500);
            let end = (start + 1 + rng.below(60)).min(500);
            let payload = Bytes::copy_from_slice(&whole[start as usize..end as usize]);
            new += r.insert(start + 1, &payload).new;
            read.extend(read_all(&mut r));
        }
        assert_eq!((new, &read), (500, &whole), "seed {seed}");
        assert!(r.beyond().is_empty() && r.held.is_empty());
    }
}
