//! The folder that holds the results of a study: one Parquet file for each shard.
//!
//! A file is written beside its place and renamed when it is complete. So a file that
//! exists is done, results of several machines merge by copying their files into one
//! folder, and an interruption loses the shards in progress only. The optional rows of a
//! shard lie in folders such as `requests` and `parts-lcp` under the same name, and appear before
//! its loads.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::ops::Range;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use pagerace_lab::export::file::write_atomically;
use pagerace_lab::{MetricId, VERSION};
use pagerace_page::Page;
use pagerace_sim::Explainable;
use parquet::errors::ParquetError;
use serde_json::{Value, json};

use crate::StudyError;
use crate::columns::{Record, guarded, is_intact, read_metadata, sealed_file};
use crate::detail::{PartRow, RequestRow, read_losses};
use crate::losses::LossyRequest;
use crate::row::{Row, metrics, read_rows};
use crate::shard::{Piece, Shard};

/// The metadata key of a shard's pieces, as JSON.
const PIECES: &str = "pagerace.pieces";
/// The metadata key of the version.
pub const VERSION_KEY: &str = "pagerace.version";
/// The metadata key of facts about pages, as JSON.
pub const PAGES: &str = "pagerace.pages";

/// The rows that a study keeps besides those of loads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// One row for each request.
    pub requests: bool,
    /// One row for each part of the explanation of this metric.
    pub parts: Option<Explainable>,
}

impl Details {
    /// Returns the folders of the rows, inside the folder of the results.
    fn folders(self) -> impl Iterator<Item = String> {
        let requests = self.requests.then(|| RequestRow::TABLE.to_owned());
        requests.into_iter().chain(self.parts.map(of_parts))
    }
}

/// Returns the folder of the parts of a metric.
fn of_parts(metric: Explainable) -> String {
    format!("{}-{}", PartRow::TABLE, metric.name())
}

/// The rows of a shard.
#[derive(Clone, Debug, Default)]
pub struct ShardRows {
    /// The loads, in the order of the shard's pieces.
    pub loads: Vec<Row>,
    /// The requests, if the study keeps them.
    pub requests: Vec<RequestRow>,
    /// The parts of explanations, if the study keeps them.
    pub parts: Vec<PartRow>,
}

/// The folder of a study's results.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    details: Details,
    files: Vec<PathBuf>,
    /// The runs that exist: by cell and first run, the end and the index of the file. Large
    /// studies have millions of cells, so this is kept small.
    done: BTreeMap<(u128, u32), (u32, u32)>,
}

impl Store {
    /// Opens a folder, and creates it if it does not exist. Shards without the `details`
    /// count as missing.
    ///
    /// # Errors
    /// The folder cannot be created, and those of [`Store::read`].
    pub fn open(folder: &Path, details: Details) -> Result<Self, StudyError> {
        Self::create(folder, details)?;
        Self::read(folder, details)
    }

    /// Opens a folder for writing only, without reading its files, and creates it if it
    /// does not exist.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn create(folder: &Path, details: Details) -> Result<Self, StudyError> {
        let all = details.folders().map(|name| folder.join(name));
        for path in std::iter::once(folder.to_owned()).chain(all) {
            fs::create_dir_all(&path).map_err(|error| {
                StudyError::at(&path, format_args!("cannot be created: {error}"))
            })?;
        }
        Ok(Self {
            folder: folder.to_owned(),
            details,
            files: Vec::new(),
            done: BTreeMap::new(),
        })
    }

    /// Reads a folder that exists.
    ///
    /// # Errors
    /// The folder cannot be read, or a file in it is damaged.
    pub fn read(folder: &Path, details: Details) -> Result<Self, StudyError> {
        let mut files = Vec::new();
        let mut done = BTreeMap::new();
        for path in parquet_files(folder)? {
            let pieces = pieces(&path)?;
            let name = path.file_name().unwrap_or_default();
            let has = |table: String| folder.join(table).join(name).exists();
            if details.folders().all(has) {
                for Piece { cell, runs } in pieces {
                    let Some(cell) = number(&cell) else {
                        let reason = format!("{cell} is no digest of a cell");
                        return Err(damaged(&path, &ParquetError::General(reason)));
                    };
                    let found = (runs.end, files.len() as u32);
                    let kept = done.entry((cell, runs.start)).or_insert(found);
                    *kept = found.max(*kept);
                }
                files.push(path);
            }
        }
        Ok(Self {
            folder: folder.to_owned(),
            details,
            files,
            done,
        })
    }

    /// Returns the part of `shard` that was not done when the folder was read; `None` if all
    /// of it was.
    pub fn missing(&self, shard: &Shard) -> Option<Shard> {
        let mut rest = Shard::default();
        for (place, Piece { cell, runs }) in &shard.pieces {
            let found = self.of_cell(cell).map(|(runs, _)| runs);
            let mut at = runs.start;
            // The end stands for a range that exists, so that the last gap is found, too.
            for exists in found.chain(std::iter::once(runs.end..runs.end)) {
                let end = exists.start.min(runs.end);
                if at < end {
                    let (cell, runs) = (cell.clone(), at..end);
                    rest.pieces.push((*place, Piece { cell, runs }));
                }
                at = at.max(exists.end);
            }
        }
        (!rest.pieces.is_empty()).then_some(rest)
    }

    /// Returns true if the files of `shard` exist by now: another process may have written
    /// them.
    pub fn has(&self, shard: &Shard) -> bool {
        let mut tables = std::iter::once(String::new()).chain(self.details.folders());
        tables.all(|table| self.path(&table, shard).exists())
    }

    /// Writes the files of a shard with facts about its pages as JSON, and returns the path
    /// of its loads.
    ///
    /// # Errors
    /// One cannot be written; the shard is missing then.
    pub fn write(
        &self,
        shard: &Shard,
        rows: &ShardRows,
        pages: &[String],
    ) -> Result<PathBuf, StudyError> {
        let pages = &format!("[{}]", pages.join(","));
        if self.details.requests {
            self.write_table(RequestRow::TABLE, shard, &rows.requests, pages)?;
        }
        if let Some(metric) = self.details.parts {
            self.write_table(&of_parts(metric), shard, &rows.parts, pages)?;
        }
        self.write_table("", shard, &rows.loads, pages)
    }

    fn write_table<R: Record>(
        &self,
        table: &str,
        shard: &Shard,
        rows: &[R],
        pages: &str,
    ) -> Result<PathBuf, StudyError> {
        let pieces: Vec<&Piece> = shard.pieces.iter().map(|(_, piece)| piece).collect();
        let metadata = [
            (VERSION_KEY, VERSION.to_owned()),
            (PIECES, serde_json::to_string(&pieces).expect("plain data")),
            (PAGES, pages.to_owned()),
        ];
        let path = self.path(table, shard);
        write_atomically(&path, |out| out.write_all(&sealed_file(rows, &metadata)?))?;
        Ok(path)
    }

    fn path(&self, table: &str, shard: &Shard) -> PathBuf {
        let name = format!("{}.parquet", shard.name());
        self.folder.join(table).join(name)
    }

    /// Number of shards that are done.
    pub fn files(&self) -> usize {
        self.files.len()
    }

    /// Returns the runs below `runs` of all `cells`, by cell in this order and run. A load
    /// that several files hold is returned once.
    ///
    /// # Errors
    /// A file is damaged.
    pub fn rows(&self, cells: &[String], runs: u32) -> Result<Vec<Row>, StudyError> {
        let place: BTreeMap<&str, usize> = (0..).zip(cells).map(|(i, cell)| (&**cell, i)).collect();
        let metrics: Vec<MetricId> = metrics().collect();
        let mut rows: Vec<(usize, Row)> = Vec::new();
        for path in self.files_of(cells) {
            let file = intact(path)?;
            let read = read_rows(file, &metrics, &["seed", "failure"], |row| {
                if let Some(place) = place.get(&*row.key.cell).filter(|_| row.run < runs) {
                    rows.push((*place, row));
                }
            });
            read.map_err(|error| damaged(path, &error))?;
        }
        rows.sort_by_key(|(place, row)| (*place, row.run));
        rows.dedup_by_key(|(place, row)| (*place, row.run));
        Ok(rows.into_iter().map(|(_, row)| row).collect())
    }

    /// Calls `see` with each request of `cells`. Those of a load that several files hold are seen
    /// once.
    ///
    /// # Errors
    /// A file is damaged.
    pub fn requests(
        &self,
        cells: &[String],
        mut see: impl FnMut(LossyRequest),
    ) -> Result<(), StudyError> {
        // The loads of earlier files, and of this one.
        let mut seen: BTreeSet<(String, u32)> = BTreeSet::new();
        for path in self.files_of(cells) {
            let folder = path.with_file_name(RequestRow::TABLE);
            let path = folder.join(path.file_name().unwrap_or_default());
            let file = intact(&path)?;
            let mut here = BTreeSet::new();
            let read = read_losses(file, |request| {
                let load = (request.cell.clone(), request.run);
                if !seen.contains(&load) {
                    here.insert(load);
                    see(request);
                }
            });
            read.map_err(|error| damaged(&path, &error))?;
            seen.append(&mut here);
        }
        Ok(())
    }

    /// Returns the facts about the page of `cells`, whose `contents` is this digest; `None`
    /// if no load is done.
    ///
    /// # Errors
    /// A file is damaged.
    pub fn page(&self, cells: &[String], contents: &str) -> Result<Option<Value>, StudyError> {
        let Some(path) = self.files_of(cells).next() else {
            return Ok(None);
        };
        let damaged = |error| damaged(path, &error);
        let file = File::open(path).map_err(|error| damaged(error.into()))?;
        let list = guarded(|| read_metadata(file, PAGES)).map_err(damaged)?;
        let list: Vec<Value> = serde_json::from_str(&list)
            .map_err(|error| damaged(ParquetError::General(error.to_string())))?;
        let mut pages = list.into_iter();
        Ok(pages.find(|page| page["contents"] == contents))
    }

    /// Returns the files that hold any of `cells`.
    fn files_of(&self, cells: &[String]) -> impl Iterator<Item = &Path> {
        let found = cells.iter().flat_map(|cell| self.of_cell(cell));
        let files: BTreeSet<usize> = found.map(|(_, file)| file).collect();
        files.into_iter().map(|file| self.files[file].as_path())
    }

    /// Returns the runs of a cell that are done, and the index of the file that holds each.
    fn of_cell(&self, cell: &str) -> impl Iterator<Item = (Range<u32>, usize)> {
        let range = number(cell).map(|cell| (cell, 0)..=(cell, u32::MAX));
        let found = range
            .map(|range| self.done.range(range))
            .into_iter()
            .flatten();
        found.map(|((_, start), (end, file))| (*start..*end, *file as usize))
    }
}

/// Returns the number that a cell's digest stands for.
fn number(cell: &str) -> Option<u128> {
    u128::from_str_radix(cell, 16).ok()
}

/// Returns the Parquet files of a folder, by name. The names of incomplete files have
/// another extension.
///
/// # Errors
/// The folder cannot be read.
pub(crate) fn parquet_files(folder: &Path) -> Result<Vec<PathBuf>, StudyError> {
    let unreadable = |error| StudyError::unreadable(folder, error);
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|end| end == "parquet") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Reads a file that must be undamaged.
///
/// # Errors
/// The file is damaged.
pub fn intact(path: &Path) -> Result<Bytes, StudyError> {
    let damaged = |error| damaged(path, &error);
    let bytes = fs::read(path).map_err(|error| damaged(error.into()))?;
    if !is_intact(&bytes) {
        let reason = "its bytes are not those that were written";
        return Err(damaged(ParquetError::General(reason.to_owned())));
    }
    Ok(bytes.into())
}

/// Returns facts about a page, as the metadata of rows hold them.
pub fn facts_of(group: &str, name: &str, page: &Page) -> Value {
    json!({
        "group": group,
        "page": name,
        "url": page.url,
        "origins": page.origins.len(),
        "requests": page.resources.len(),
        "body_bytes": page.body_bytes(),
    })
}

/// Returns the facts about pages in the metadata of an exported file, or of all files of a
/// folder.
///
/// # Errors
/// A file cannot be read, or lacks the facts.
pub fn page_facts(path: &Path) -> Result<Vec<Value>, StudyError> {
    let files = if path.is_dir() {
        parquet_files(path)?
    } else {
        vec![path.to_owned()]
    };
    let mut all = Vec::new();
    for path in files {
        let file = File::open(&path).map_err(|error| StudyError::unreadable(&path, error))?;
        let list = guarded(|| read_metadata(file, PAGES)).map_err(|error| error.to_string());
        let list = list.and_then(|list| {
            let list: Result<Vec<Value>, _> = serde_json::from_str(&list);
            list.map_err(|error| error.to_string())
        });
        all.extend(list.map_err(|reason| StudyError::at(&path, reason))?);
    }
    Ok(all)
}

/// Reads the pieces that a file holds.
fn pieces(path: &Path) -> Result<Vec<Piece>, StudyError> {
    let damaged = |error| damaged(path, &error);
    let file = File::open(path).map_err(|error| damaged(error.into()))?;
    let text = guarded(|| read_metadata(file, PIECES)).map_err(damaged)?;
    serde_json::from_str(&text).map_err(|error| damaged(ParquetError::General(error.to_string())))
}

fn damaged(path: &Path, error: &ParquetError) -> StudyError {
    let advice = "remove the file and run the study again";
    StudyError::at(
        path,
        format_args!("is no complete file of loads ({error}); {advice}"),
    )
}

#[cfg(test)]
mod tests;
