use std::ops::Range;

use proptest::prelude::*;

use super::{Cutter, LOADS_MAX, Piece, Place, Shard, Twins, digest};

fn cells(page: usize, count: usize) -> Vec<String> {
    (0..count)
        .map(|i| digest(&[page.to_le_bytes(), i.to_le_bytes()].concat()))
        .collect()
}

/// Cuts a study with `count` cells on each page.
fn cut(pages: usize, count: usize, runs: u32) -> Vec<Shard> {
    let mut cutter = Cutter::new((pages * count) as u64 * u64::from(runs));
    let mut shards = Vec::new();
    for page in 0..pages {
        let mut take = |shard| {
            shards.push(shard);
            Ok::<(), ()>(())
        };
        let added = cutter.add(0, page, &cells(page, count), runs, &mut take);
        assert_eq!(added, Ok(()));
    }
    shards.extend(cutter.last());
    shards
}

proptest! {
    #[test]
    fn each_load_is_in_one_shard(pages in 1_usize..4, count in 0_usize..40, runs in 1_u32..3_000) {
        let shards = cut(pages, count, runs);
        let sizes: Vec<u64> = shards.iter().map(Shard::loads).collect();
        prop_assert!(sizes.iter().all(|size| (1..=LOADS_MAX).contains(size)));
        // All but the last are equal.
        prop_assert!(sizes.windows(2).rev().skip(1).all(|pair| pair[0] == pair[1]));
        let mut next = vec![vec![0; count]; pages];
        for (place, Piece { cell, runs }) in shards.iter().flat_map(|shard| &shard.pieces) {
            prop_assert_eq!(cell, &cells(place.page, count)[place.cell]);
            prop_assert_eq!(runs.start, next[place.page][place.cell]);
            next[place.page][place.cell] = runs.end;
        }
        prop_assert!(next.iter().flatten().all(|end| *end == runs));
    }
}

#[test]
fn sizes_suit_the_study() {
    let sizes =
        |pages, runs| -> Vec<u64> { cut(pages, 2, runs).iter().map(Shard::loads).collect() };
    assert_eq!(sizes(1, 5), [10]);
    assert_eq!(sizes(4, 10), [20; 4]);
    assert_eq!(sizes(3, 3_000)[..2], [281; 2]);
    assert_eq!(sizes(1, 100_000)[0], LOADS_MAX);
}

#[test]
fn names_depend_on_the_loads() {
    let named = |runs| cut(1, 2, runs)[0].name();
    assert_eq!(named(6), named(6));
    assert_ne!(named(6), named(7));
    assert_ne!(cut(1, 3, 6)[0].name(), named(6));
}

#[test]
fn what_is_left_of_shards_is_collected() {
    let parts = cut(7, 1, 20);
    let mut cutter = Cutter::new(64 * 50);
    let mut sizes = Vec::new();
    for part in parts {
        let mut take = |shard: Shard| {
            sizes.push(shard.loads());
            Ok::<(), ()>(())
        };
        assert_eq!(cutter.collect(part, &mut take), Ok(()));
    }
    sizes.extend(cutter.last().map(|shard| shard.loads()));
    assert_eq!(sizes, [40, 40, 40, 20]);
}

#[test]
fn loads_that_two_races_have_are_found() {
    let shard = |race: usize, cell: &str, runs: Range<u32>| Shard {
        pieces: vec![(
            Place {
                race,
                page: 0,
                cell: 0,
            },
            Piece {
                cell: cell.to_owned(),
                runs,
            },
        )],
    };
    let mut twins = Twins::default();
    let mut kept = |race: usize, cell: &str, runs: Range<u32>| {
        let shard = twins.without(shard(race, cell, runs));
        shard.pieces.first().map(|(_, piece)| piece.runs.clone())
    };
    assert_eq!(kept(0, "a", 0..10), Some(0..10));
    assert_eq!(kept(0, "a", 10..15), Some(10..15));
    assert_eq!(kept(0, "b", 0..15), Some(0..15));
    assert_eq!(kept(1, "a", 0..12), None);
    assert_eq!(kept(1, "a", 12..20), Some(15..20));
    assert_eq!(kept(2, "a", 0..30), Some(20..30));
    assert_eq!(kept(2, "c", 0..5), Some(0..5));
}
