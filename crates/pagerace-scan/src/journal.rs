//! The journal of a scan: one line for each finished domain, so that a scan goes on after it
//! was killed.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use ring::digest::{self, SHA256};
use serde::{Deserialize, Serialize};

use crate::ScanError;
use crate::row::Row;
use crate::settings::Decisive;

/// The first line: everything that a scan must share to go on with the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Header {
    /// Version of the program.
    pub(crate) version: String,
    /// Digest of the list.
    pub(crate) list: String,
    pub(crate) settings: Decisive,
}

impl Header {
    pub(crate) fn new(version: &str, names: &[String], settings: Decisive) -> Self {
        Self {
            version: version.to_owned(),
            list: digest(names.join("\n").as_bytes()),
            settings,
        }
    }

    /// Returns the setting that differs.
    fn difference(&self, other: &Self) -> Option<&'static str> {
        if self.version != other.version {
            Some("version of pagerace")
        } else if self.list != other.list {
            Some("list of domains")
        } else if self.settings != other.settings {
            Some("setting: compare --timeout, --max-bytes, --port, --private-addresses and --ca")
        } else {
            None
        }
    }
}

/// Returns the first 16 bytes of the SHA-256 of `bytes`, in hexadecimal.
pub(crate) fn digest(bytes: &[u8]) -> String {
    let hash = digest::digest(&SHA256, bytes);
    let half = hash.as_ref().first_chunk().expect("32 bytes");
    format!("{:032x}", u128::from_be_bytes(*half))
}

/// A line after the first.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<R> {
    /// Place in the list.
    i: usize,
    row: R,
}

/// A journal that is open for writing.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
    /// Offset of each domain's line.
    places: Vec<Option<u64>>,
    end: u64,
}

impl Journal {
    /// Opens the journal at `path`, or begins one. A last line that was cut off is dropped.
    ///
    /// # Errors
    /// The file cannot be read or written, another scan writes it, or it is of another scan.
    pub(crate) fn open(path: &Path, header: &Header, domains: usize) -> Result<Self, ScanError> {
        let io = |error| ScanError::at(path, error);
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false);
        let mut journal = Self {
            file: file.open(path).map_err(io)?,
            path: path.to_owned(),
            places: vec![None; domains],
            end: 0,
        };
        // A second scan of the same output would overwrite the rows of this one.
        journal.file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => ScanError::at(
                path,
                "another scan writes this journal; wait for its end, or choose another --output",
            ),
            TryLockError::Error(error) => io(error),
        })?;
        journal.read(header)?;
        journal.file.set_len(journal.end).map_err(io)?;
        journal
            .file
            .seek(SeekFrom::Start(journal.end))
            .map_err(io)?;
        if journal.end == 0 {
            let line = serde_json::to_string(header).expect("plain data");
            journal.append(&line)?;
        }
        Ok(journal)
    }

    fn read(&mut self, header: &Header) -> Result<(), ScanError> {
        let io = |error| ScanError::at(&self.path, error);
        let mut reader = BufReader::new(&self.file);
        let mut text = Vec::new();
        for number in 1.. {
            text.clear();
            let length = reader.read_until(b'\n', &mut text).map_err(io)?;
            let bad = || {
                ScanError::new(format_args!(
                    "{}, line {number}: is no line of a journal; delete the file to begin anew",
                    self.path.display()
                ))
            };
            // A line without its end was being written when the scan was killed.
            if !text.ends_with(b"\n") {
                let own = serde_json::to_string(header).expect("plain data");
                let begun = number > 1 || own.as_bytes().starts_with(&text);
                return if begun { Ok(()) } else { Err(bad()) };
            }
            if number == 1 {
                let found: Header = serde_json::from_slice(&text).map_err(|_| bad())?;
                if let Some(what) = header.difference(&found) {
                    return Err(ScanError::at(
                        &self.path,
                        format_args!(
                            "belongs to a scan with another {what}; repeat that command to finish \
                             it, or delete the file to begin anew"
                        ),
                    ));
                }
            } else {
                let line: Line<serde::de::IgnoredAny> =
                    serde_json::from_slice(&text).map_err(|_| bad())?;
                *self.places.get_mut(line.i).ok_or_else(bad)? = Some(self.end);
            }
            self.end += length as u64;
        }
        Ok(())
    }

    /// Returns true if the domain at this place of the list is finished.
    pub(crate) fn has(&self, i: usize) -> bool {
        self.places[i].is_some()
    }

    /// Returns the number of finished domains.
    pub(crate) fn done(&self) -> usize {
        self.places.iter().flatten().count()
    }

    /// Adds the row of a domain. The line is with the system when this returns: a killed
    /// process loses none.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub(crate) fn add(&mut self, i: usize, row: &Row) -> Result<(), ScanError> {
        let line = serde_json::to_string(&Line { i, row }).expect("plain data");
        self.places[i] = Some(self.end);
        self.append(&line)
    }

    fn append(&mut self, line: &str) -> Result<(), ScanError> {
        let bytes = format!("{line}\n");
        let written = self.file.write_all(bytes.as_bytes());
        written.map_err(|error| ScanError::at(&self.path, error))?;
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// Returns the rows from place `first` on, at most `most`, in the order of the list.
    ///
    /// # Errors
    /// The file cannot be read, or another process changed it.
    pub(crate) fn rows(&self, first: usize, most: usize) -> Result<Vec<Row>, ScanError> {
        let places = self.places.iter().skip(first).take(most).flatten();
        let mut rows = Vec::new();
        // A handle of its own, because reading moves the place of writing.
        let bad = |error| ScanError::at(&self.path, error);
        let file = File::open(&self.path).map_err(bad)?;
        let mut reader = BufReader::with_capacity(8 * 1024, file);
        let mut at = 0;
        for place in places {
            let step = *place as i64 - at;
            reader.seek_relative(step).map_err(bad)?;
            let mut text = Vec::new();
            let length = reader.by_ref().read_until(b'\n', &mut text).map_err(bad)?;
            at = *place as i64 + length as i64;
            let line: Line<Row> =
                serde_json::from_slice(&text).map_err(|error| bad(error.into()))?;
            rows.push(line.row);
        }
        Ok(rows)
    }

    /// Removes the journal, when the results are written.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub(crate) fn remove(self) -> Result<(), ScanError> {
        fs::remove_file(&self.path).map_err(|error| ScanError::at(&self.path, error))
    }
}

#[cfg(test)]
mod tests;
