use proptest::prelude::*;

use super::{LOADS, Piece, cut, digest};

fn cells(count: usize) -> Vec<String> {
    (0..count).map(|i| digest(&i.to_le_bytes())).collect()
}

proptest! {
    #[test]
    fn each_load_is_in_one_shard(count in 0_usize..40, runs in 1_u32..3_000) {
        let cells = cells(count);
        let shards = cut(0, 0, &cells, runs);
        prop_assert!(shards.iter().all(|shard| (1..=u64::from(LOADS)).contains(&shard.loads())));
        let mut next = vec![0; count];
        for (index, Piece { cell, runs }) in shards.iter().flat_map(|shard| &shard.pieces) {
            prop_assert_eq!(cell, &cells[*index]);
            prop_assert_eq!(runs.start, next[*index]);
            next[*index] = runs.end;
        }
        prop_assert!(next.iter().all(|end| *end == runs));
        // All but the last are full.
        let full = shards.iter().rev().skip(1).all(|shard| shard.loads() == u64::from(LOADS));
        prop_assert!(full);
    }
}

#[test]
fn names_depend_on_the_loads() {
    let named = |runs| cut(0, 0, &cells(2), runs)[0].name();
    assert_eq!(named(30), named(30));
    assert_ne!(named(30), named(31));
    assert_ne!(cut(0, 0, &cells(3), 30)[0].name(), named(30));
}
