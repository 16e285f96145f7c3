//! The folder that holds the results of a study: one Parquet file for each shard.
//!
//! A file is written beside its place and renamed when it is complete. So a file that
//! exists is done, results of several machines merge by copying their files into one
//! folder, and an interruption loses the shards in progress only.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::ops::Range;
use std::path::{Path, PathBuf};

use pagerace_lab::export::file::write_atomically;
use parquet::errors::ParquetError;

use crate::StudyError;
use crate::row::{Row, RowWriter, read_metadata, read_rows};
use crate::shard::{Piece, Shard};

/// The metadata key of a shard's pieces, as JSON.
const PIECES: &str = "pagerace.pieces";

/// The folder of a study's results.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    /// The files and the pieces that each holds, by name.
    files: Vec<(PathBuf, Vec<Piece>)>,
    /// The runs that exist of each cell, and the index of the file that holds them.
    done: BTreeMap<String, Vec<(Range<u32>, usize)>>,
}

impl Store {
    /// Opens a folder, and creates it if it does not exist.
    ///
    /// # Errors
    /// [`StudyError::Read`] if the folder cannot be created or read, [`StudyError::Shard`]
    /// if a file in it is damaged.
    pub fn open(folder: &Path) -> Result<Self, StudyError> {
        let unreadable = |source| StudyError::Read {
            path: folder.to_owned(),
            source,
        };
        fs::create_dir_all(folder).map_err(unreadable)?;
        let mut paths = Vec::new();
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            // The names of incomplete files begin with a dot and end in another extension.
            if path
                .extension()
                .is_some_and(|extension| extension == "parquet")
            {
                paths.push(path);
            }
        }
        paths.sort();
        let mut files = Vec::new();
        let mut done: BTreeMap<String, Vec<(Range<u32>, usize)>> = BTreeMap::new();
        for (index, path) in paths.into_iter().enumerate() {
            let pieces = pieces(&path)?;
            for Piece { cell, runs } in pieces.iter().cloned() {
                done.entry(cell).or_default().push((runs, index));
            }
            files.push((path, pieces));
        }
        Ok(Self {
            folder: folder.to_owned(),
            files,
            done,
        })
    }

    /// Returns the part of `shard` that is not done; `None` if all of it is.
    pub fn missing(&self, shard: &Shard) -> Option<Shard> {
        let mut rest = Shard {
            pieces: Vec::new(),
            ..*shard
        };
        for (index, Piece { cell, runs }) in &shard.pieces {
            let found = self.done.get(cell).into_iter().flatten();
            let mut found: Vec<Range<u32>> = found.map(|(runs, _)| runs.clone()).collect();
            found.sort_by_key(|runs| runs.start);
            let mut at = runs.start;
            // The end stands for a range that exists, so that the last gap is found, too.
            for exists in found.into_iter().chain([runs.end..runs.end]) {
                let end = exists.start.min(runs.end);
                if at < end {
                    let (cell, runs) = (cell.clone(), at..end);
                    rest.pieces.push((*index, Piece { cell, runs }));
                }
                at = at.max(exists.end);
            }
        }
        (!rest.pieces.is_empty()).then_some(rest)
    }

    /// Writes the file of a shard, and returns its path.
    ///
    /// # Errors
    /// [`StudyError::Lab`] if it cannot be written; there is no file then.
    pub fn write(&self, shard: &Shard, rows: &[Row]) -> Result<PathBuf, StudyError> {
        let pieces: Vec<&Piece> = shard.pieces.iter().map(|(_, piece)| piece).collect();
        let pieces = serde_json::to_string(&pieces).expect("plain data");
        let path = self.folder.join(shard.name()).with_extension("parquet");
        write_atomically(&path, |out| {
            let mut writer = RowWriter::new(out, &[(PIECES, pieces)])?;
            writer.write(rows)?;
            Ok(writer.close()?)
        })?;
        Ok(path)
    }

    /// Number of files.
    pub fn files(&self) -> usize {
        self.files.len()
    }

    /// Returns the runs below `runs` of all `cells`, by cell and run. A load that several
    /// files hold is returned once.
    ///
    /// # Errors
    /// [`StudyError::Shard`] if a file is damaged.
    pub fn rows(&self, cells: &[String], runs: u32) -> Result<Vec<Row>, StudyError> {
        let pieces = cells
            .iter()
            .filter_map(|cell| self.done.get(cell))
            .flatten();
        let wanted: BTreeSet<usize> = pieces.map(|(_, file)| *file).collect();
        let mut rows = Vec::new();
        for (path, pieces) in wanted.into_iter().map(|file| &self.files[file]) {
            let damaged = |error| damaged(path, &error);
            let file = File::open(path).map_err(|error| damaged(error.into()))?;
            // The rows of a file are in the order of its pieces.
            let mut read = read_rows(file).map_err(damaged)?.into_iter();
            for piece in pieces {
                let taken = read.by_ref().take(piece.runs.len());
                let wanted = cells.contains(&piece.cell);
                rows.extend(taken.filter(|row| wanted && row.run < runs));
            }
        }
        rows.sort_by(Row::order);
        rows.dedup_by(|a, b| a.order(b).is_eq());
        Ok(rows)
    }
}

/// Reads the pieces that a file holds.
fn pieces(path: &Path) -> Result<Vec<Piece>, StudyError> {
    let damaged = |error| damaged(path, &error);
    let file = File::open(path).map_err(|error| damaged(error.into()))?;
    let text = read_metadata(file, PIECES).map_err(damaged)?;
    serde_json::from_str(&text).map_err(|error| damaged(ParquetError::General(error.to_string())))
}

fn damaged(path: &Path, error: &ParquetError) -> StudyError {
    StudyError::Shard {
        path: path.to_owned(),
        reason: format!("is no complete file of loads ({error})"),
    }
}

#[cfg(test)]
mod tests;
