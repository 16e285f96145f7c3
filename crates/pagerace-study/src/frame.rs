//! Loads in memory, for statistics: some metrics of every load, by cell and run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use pagerace_lab::MetricId;
use parquet::errors::Result as ParquetResult;
use parquet::file::reader::ChunkReader;
use serde_json::Value;

use crate::StudyError;
use crate::columns::guarded;
use crate::key::{Dimension, Key};
use crate::row::{Row, metrics, read_rows};
use crate::store::{intact, parquet_files};

/// The loads of a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Page, network and contender.
    pub key: Arc<Key>,
    /// The numbers of the runs, in order.
    runs: Vec<u32>,
    /// The values of each run, in the order of [`Frame::metrics`], one run after the other.
    /// Not-a-number stands for an undefined value.
    values: Vec<f64>,
}

/// Some metrics of loads.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    metrics: Vec<MetricId>,
    cells: Vec<Cell>,
    /// The place of each cell.
    places: BTreeMap<Arc<Key>, usize>,
    /// The pages by group and name, if they are known.
    pages: BTreeMap<(String, String), PageFacts>,
}

/// Properties of a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageFacts {
    /// Number of requests.
    pub requests: f64,
    /// Kilobytes of bodies.
    pub kilobytes: f64,
}

/// Values of columns that loads must have to count, such as `network` and `cable`. Several
/// values of a column are alternatives.
pub type Filter = BTreeMap<String, Vec<String>>;

impl Cell {
    /// Returns the values of the metric at `index`, by run; `None` if undefined.
    pub fn values(&self, index: usize) -> impl Iterator<Item = (u32, Option<f64>)> {
        let of_run = move |(place, run): (usize, &u32)| (*run, self.at(place, index));
        self.runs.iter().enumerate().map(of_run)
    }

    /// Returns the value of a run; `None` if the load has no such value, or there is no such run.
    pub fn value(&self, index: usize, run: u32) -> Option<f64> {
        self.at(self.runs.binary_search(&run).ok()?, index)
    }

    /// Returns true if the cell has this run.
    pub(crate) fn has(&self, run: u32) -> bool {
        self.runs.binary_search(&run).is_ok()
    }

    fn at(&self, place: usize, index: usize) -> Option<f64> {
        let width = self.values.len() / self.runs.len();
        let value = self.values[place * width + index];
        (!value.is_nan()).then_some(value)
    }

    /// Adds a run, unless it is there.
    fn put(&mut self, run: u32, values: &[f64]) {
        let place = match self.runs.last() {
            Some(last) if *last < run => self.runs.len(),
            _ => match self.runs.binary_search(&run) {
                Ok(_) => return,
                Err(place) => place,
            },
        };
        self.runs.insert(place, run);
        let at = place * values.len();
        self.values.splice(at..at, values.iter().copied());
    }
}

impl Frame {
    /// Returns a frame for these metrics, without loads.
    pub fn new(metrics: &[MetricId]) -> Self {
        Self {
            metrics: metrics.to_vec(),
            cells: Vec::new(),
            places: BTreeMap::new(),
            pages: BTreeMap::new(),
        }
    }

    /// Adds facts about a page, as [`facts_of`](crate::store::facts_of) has them.
    pub fn add_page(&mut self, facts: &Value) {
        let text = |key: &str| facts[key].as_str().unwrap_or_default().to_owned();
        let number = |key: &str| facts[key].as_f64();
        if let Some((requests, bytes)) = number("requests").zip(number("body_bytes")) {
            let kilobytes = bytes / 1_000.0;
            let facts = PageFacts {
                requests,
                kilobytes,
            };
            self.pages.insert((text("group"), text("page")), facts);
        }
    }

    /// Returns the facts about a page, by group and name.
    pub(crate) fn facts(&self, (group, page): (&str, &str)) -> Option<PageFacts> {
        self.pages
            .get(&(group.to_owned(), page.to_owned()))
            .copied()
    }

    /// Returns the cells, in no particular order.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Returns the place of a metric in each run.
    ///
    /// # Panics
    /// Panics if the frame lacks the metric.
    pub fn index(&self, metric: MetricId) -> usize {
        let mut all = self.metrics.iter();
        all.position(|one| *one == metric)
            .expect("the caller asked for the metric")
    }

    /// Adds loads.
    pub fn add(&mut self, rows: &[Row]) {
        let all: Vec<MetricId> = metrics().collect();
        let places: Vec<usize> = self
            .metrics
            .iter()
            .filter_map(|metric| all.iter().position(|one| one == metric))
            .collect();
        for row in rows {
            let values: Vec<f64> = places
                .iter()
                .map(|&i| row.values[i].unwrap_or(f64::NAN))
                .collect();
            self.put(&row.key, row.run, &values);
        }
    }

    fn put(&mut self, key: &Key, run: u32, values: &[f64]) {
        // Consecutive loads mostly belong to one cell.
        let last = self.cells.last().filter(|last| *last.key == *key);
        let known = last
            .map(|_| self.cells.len() - 1)
            .or_else(|| self.places.get(key).copied());
        let place = known.unwrap_or_else(|| {
            let key = Arc::new(key.clone());
            self.places.insert(Arc::clone(&key), self.cells.len());
            self.cells.push(Cell {
                key,
                runs: Vec::new(),
                values: Vec::new(),
            });
            self.cells.len() - 1
        });
        self.cells[place].put(run, values);
    }

    /// Reads loads from an exported file, or from all files of a folder.
    ///
    /// # Errors
    /// A file cannot be read or is damaged, or two cells differ in settings only.
    pub fn read(path: &Path, metrics: &[MetricId]) -> Result<Self, StudyError> {
        let mut frame = Self::new(metrics);
        if path.is_dir() {
            for file in parquet_files(path)? {
                let bytes = intact(&file)?;
                guarded(|| frame.add_file(bytes)).map_err(|error| StudyError::at(&file, error))?;
            }
        } else {
            let file = File::open(path).map_err(|error| StudyError::unreadable(path, error))?;
            guarded(|| frame.add_file(file)).map_err(|error| StudyError::at(path, error))?;
        }
        if frame.cells.is_empty() {
            return Err(StudyError::at(path, "holds no loads"));
        }
        // In the order of keys, the cell is the last part.
        let keys: Vec<&Arc<Key>> = frame.places.keys().collect();
        let twins = keys.windows(2).find(|pair| {
            let [a, b] = [pair[0], pair[1]];
            let mut same = Dimension::all().filter(|one| one.name != "cell");
            same.all(|one| one.of(a) == one.of(b))
        });
        match twins {
            None => Ok(frame),
            Some(pair) => {
                let Key { page, network, .. } = &**pair[0];
                let contender = pair[0].words();
                Err(StudyError::at(
                    path,
                    format_args!(
                        "holds two kinds of loads of {page} with {contender} on {network}, which \
                         differ in settings; write those of one plan to a file with `pagerace study \
                         export`, and name it"
                    ),
                ))
            }
        }
    }

    fn add_file(&mut self, file: impl ChunkReader + 'static) -> ParquetResult<()> {
        let metrics = self.metrics.clone();
        read_rows(file, &metrics, &[], |row| {
            let values = row.values.iter().map(|value| value.unwrap_or(f64::NAN));
            self.put(&row.key, row.run, &values.collect::<Vec<f64>>());
        })
    }

    /// Keeps only the loads that `filter` wants.
    ///
    /// # Errors
    /// An unknown column, or a value that no load has.
    pub fn filter(&self, filter: &Filter) -> Result<Self, String> {
        let mut kept = Self {
            metrics: self.metrics.clone(),
            cells: self.cells.clone(),
            places: BTreeMap::new(),
            pages: self.pages.clone(),
        };
        for (column, values) in filter {
            let one = Dimension::named(column)?;
            let known: BTreeSet<&String> = self.cells.iter().map(|c| one.of(&c.key)).collect();
            if let Some(unknown) = values.iter().find(|value| !known.contains(value)) {
                let known = known.into_iter().map(String::as_str);
                let known: Vec<&str> = known.filter(|name| !name.is_empty()).collect();
                let instead = if known.is_empty() {
                    format!(
                        ", and none has another; write `{unknown}=` before the files of its pages"
                    )
                } else {
                    format!("; there are {}", known.join(", "))
                };
                return Err(format!("no load has the {column} `{unknown}`{instead}"));
            }
            kept.cells.retain(|cell| values.contains(one.of(&cell.key)));
        }
        Ok(kept)
    }
}

impl Frame {
    /// Names the contenders by the properties in which they differ.
    pub fn name_contenders(&mut self) {
        let varies = |one: &Dimension| {
            let mut all = self.cells.iter().map(|cell| one.of(&cell.key));
            let first = all.next();
            all.any(|value| Some(value) != first)
        };
        let varying: Vec<Dimension> = Dimension::of_contenders().filter(varies).collect();
        for cell in &mut self.cells {
            let words = varying.iter().map(|one| one.of(&cell.key).as_str());
            let name = words.collect::<Vec<&str>>().join(" ");
            Arc::make_mut(&mut cell.key).contender = name;
        }
    }
}

/// Returns `keys` as cells without loads, so that plans can be checked before they run.
pub fn outline(keys: impl IntoIterator<Item = Key>, metrics: &[MetricId]) -> Frame {
    let mut frame = Frame::new(metrics);
    for key in keys {
        frame.put(&key, 0, &vec![f64::NAN; metrics.len()]);
    }
    frame
}

#[cfg(test)]
mod tests;
