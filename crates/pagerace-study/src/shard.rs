//! Units of work.
//!
//! A shard holds loads of consecutive cells of the plan. The cut depends on the plan alone,
//! not on the loads that are done already, so that machines that share a study agree on it.

use std::collections::BTreeMap;
use std::ops::Range;

use ring::digest::SHA256;
use serde::{Deserialize, Serialize};

/// Maximum number of loads of a shard: 10 to 60 s on one core for most pages.
const LOADS_MAX: u64 = 1_000;
/// The least number of loads of a shard, if there are so many.
const LOADS_MIN: u64 = 20;
/// The number of shards that smaller studies have, so that all cores have work.
const SHARDS: u64 = 64;

/// The loads of one cell that a shard holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Piece {
    /// Digest of everything that decides the cell's loads: see [`digest`].
    pub cell: String,
    /// The numbers of the runs.
    pub runs: Range<u32>,
}

/// The place of a cell in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Index of the race in the plan.
    pub race: usize,
    /// Index of the page in the plan.
    pub page: usize,
    /// Index of the cell among those of the race and page.
    pub cell: usize,
}

/// A shard: the pieces of some cells.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// The pieces, in the order of the plan.
    pub pieces: Vec<(Place, Piece)>,
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
    let hash = ring::digest::digest(&SHA256, bytes);
    let half = hash.as_ref().first_chunk().expect("32 bytes");
    format!("{:032x}", u128::from_be_bytes(*half))
}

/// Cuts a study into shards of equal size, page by page.
#[derive(Debug)]
pub struct Cutter {
    size: u64,
    shard: Shard,
}

impl Cutter {
    /// Creates a cutter for a study with this number of loads.
    pub fn new(loads: u64) -> Self {
        Self {
            size: (loads / SHARDS).clamp(LOADS_MIN, LOADS_MAX),
            shard: Shard::default(),
        }
    }

    /// Adds `runs` loads of each of the `cells` of a race and page, and passes each shard
    /// that is full to `take`.
    ///
    /// # Errors
    /// The errors of `take`.
    pub fn add<E>(
        &mut self,
        race: usize,
        page: usize,
        cells: &[String],
        runs: u32,
        take: &mut dyn FnMut(Shard) -> Result<(), E>,
    ) -> Result<(), E> {
        for (index, cell) in cells.iter().enumerate() {
            let mut first = 0;
            while first < runs {
                let room = self.size - self.shard.loads();
                let end = first + room.min(u64::from(runs - first)) as u32;
                let (cell, place) = (
                    cell.clone(),
                    Place {
                        race,
                        page,
                        cell: index,
                    },
                );
                let runs = first..end;
                self.shard.pieces.push((place, Piece { cell, runs }));
                first = end;
                if self.shard.loads() == self.size {
                    take(std::mem::take(&mut self.shard))?;
                }
            }
        }
        Ok(())
    }

    /// Adds the rest of a shard, and passes the collected shard to `take` when more
    /// would be too much.
    ///
    /// # Errors
    /// The errors of `take`.
    pub fn collect<E>(
        &mut self,
        rest: Shard,
        take: &mut dyn FnMut(Shard) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.shard.loads() + rest.loads() > self.size && !self.shard.pieces.is_empty() {
            take(std::mem::take(&mut self.shard))?;
        }
        self.shard.pieces.extend(rest.pieces);
        Ok(())
    }

    /// Returns the last shard, if there is one.
    pub fn last(self) -> Option<Shard> {
        (!self.shard.pieces.is_empty()).then_some(self.shard)
    }
}

/// Finds the loads that several races have.
#[derive(Debug, Default)]
pub struct Twins {
    seen: BTreeMap<String, Seen>,
}

/// The runs of a cell that shards had so far.
#[derive(Debug, Default)]
struct Seen {
    /// The last race that has the cell.
    race: usize,
    /// The end of the runs that races before it have.
    before: u32,
    /// The end of the runs so far.
    end: u32,
}

impl Twins {
    /// Returns the shard without the loads that an earlier race has. Shards come in the order
    /// of the plan.
    pub fn without(&mut self, mut shard: Shard) -> Shard {
        for (place, piece) in &mut shard.pieces {
            let seen = self.seen.entry(piece.cell.clone()).or_default();
            if seen.race != place.race {
                seen.race = place.race;
                seen.before = seen.end;
            }
            piece.runs.start = piece.runs.start.max(seen.before);
            seen.end = seen.end.max(piece.runs.end);
        }
        shard.pieces.retain(|(_, piece)| !piece.runs.is_empty());
        shard
    }
}

#[cfg(test)]
mod tests;
