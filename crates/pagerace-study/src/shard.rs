//! Units of work.
//!
//! A shard holds loads of one race and one page, so that a worker keeps one page in
//! memory. The cut depends on the plan alone, not on what is done already, so that
//! machines that share a study agree on it.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Number of loads of a shard: 10 to 60 s on one core for most pages.
pub const LOADS: u32 = 1_000;

/// The loads of one cell that a shard holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Piece {
    /// Digest of everything that decides the cell's loads: see [`digest`].
    pub cell: String,
    /// The numbers of the runs.
    pub runs: Range<u32>,
}

/// A shard: the pieces of one race and page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Index of the race in the plan.
    pub race: usize,
    /// Index of the page in the plan.
    pub page: usize,
    /// The pieces with the index of each cell among those of the race and page.
    pub pieces: Vec<(usize, Piece)>,
}

impl Shard {
    /// Number of loads.
    pub fn loads(&self) -> u64 {
        let runs = self.pieces.iter().map(|(_, piece)| &piece.runs);
        runs.map(|runs| u64::from(runs.end - runs.start)).sum()
    }

    /// Returns the name of the shard's file without its extension.
    pub fn name(&self) -> String {
        let pieces: Vec<&Piece> = self.pieces.iter().map(|(_, piece)| piece).collect();
        digest(&serde_json::to_vec(&pieces).expect("plain data"))
    }
}

/// Returns the first half of the SHA-256 of `bytes` in hexadecimal.
pub fn digest(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    hash[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Cuts `runs` loads of each of the `cells` of a race and page into shards.
pub fn cut(race: usize, page: usize, cells: &[String], runs: u32) -> Vec<Shard> {
    let mut shards: Vec<Shard> = Vec::new();
    let mut room = 0;
    for (index, cell) in cells.iter().enumerate() {
        let mut first = 0;
        while first < runs {
            if room == 0 {
                let pieces = Vec::new();
                shards.push(Shard { race, page, pieces });
                room = LOADS;
            }
            let end = first + room.min(runs - first);
            let piece = Piece {
                cell: cell.clone(),
                runs: first..end,
            };
            let shard = shards.last_mut().expect("just pushed");
            shard.pieces.push((index, piece));
            room -= end - first;
            first = end;
        }
    }
    shards
}

#[cfg(test)]
mod tests;
