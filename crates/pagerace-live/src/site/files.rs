//! Files that are read while they are sent, in blocks. Open files and memory have bounds that do
//! not grow with the sizes of files or with the number of clients that stop reading.

use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use bytes::Bytes;
use pagerace_peer::{Body, Store};

/// Size of a block in bytes. A block is read at once.
const BLOCK: usize = 64 * 1024;

/// Maximum number of responses that keep a file open and a block in memory: 16 MiB in all. Many
/// systems allow 1,024 open files, most of which are connections.
const OPEN_MAX: usize = 256;

/// Smallest part of a block that is passed on without a copy, as a share of the block. Smaller
/// parts would keep whole blocks in memory until they are acknowledged.
const SHARE: usize = 8;

/// The open files of a site, which all its clones share. The response that has waited longest
/// gives its place to the next, and opens its file again when it continues.
#[derive(Clone, Debug, Default)]
pub(super) struct Files {
    pool: Arc<Mutex<Pool>>,
    next: Arc<AtomicU64>,
}

#[derive(Debug, Default)]
struct Pool {
    /// Open files by the number of their response.
    open: BTreeMap<u64, Open>,
    /// Responses by the time of their last use, which counts the uses of the pool.
    by_use: BTreeMap<u64, u64>,
    uses: u64,
}

/// A file from which a response is read.
#[derive(Debug)]
struct Open {
    file: File,
    /// The block that was read last, and its offset.
    block: Bytes,
    at: u64,
    used: u64,
}

impl Files {
    /// Returns a body that reads `path` as it is sent, and the version of its content.
    pub(super) fn body(&self, path: &Path) -> io::Result<(Body, Version)> {
        // An unreadable file fails here and not halfway through the response.
        let file = File::open(path)?;
        let version = Version::of(&file.metadata()?);
        let length = version.length;
        if length == 0 {
            return Ok((Body::EMPTY, version));
        }
        let stored = StoredFile {
            path: path.to_owned(),
            version,
            id: self.next.fetch_add(1, Ordering::Relaxed),
            files: self.clone(),
        };
        self.pool().put(stored.id, Open::new(file));
        let body = Body::Stored {
            store: Arc::new(stored),
            offset: 0,
            length,
        };
        Ok((body, version))
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pool {
    fn take(&mut self, id: u64) -> Option<Open> {
        let open = self.open.remove(&id)?;
        self.by_use.remove(&open.used);
        Some(open)
    }

    fn put(&mut self, id: u64, mut open: Open) {
        self.uses += 1;
        open.used = self.uses;
        self.by_use.insert(open.used, id);
        self.open.insert(id, open);
        if self.open.len() > OPEN_MAX
            && let Some((_, oldest)) = self.by_use.pop_first()
        {
            self.open.remove(&oldest);
        }
    }
}

impl Open {
    fn new(file: File) -> Self {
        Self {
            file,
            block: Bytes::new(),
            at: 0,
            used: 0,
        }
    }

    /// Returns at most `max` bytes from `offset`, and at least one.
    fn read(&mut self, version: Version, offset: u64, max: usize) -> io::Result<Bytes> {
        let end = self.at + self.block.len() as u64;
        if offset < self.at || offset >= end {
            self.fill(version, offset)?;
        }
        let from = (offset - self.at) as usize;
        let to = self.block.len().min(from.saturating_add(max));
        if (to - from) * SHARE < self.block.len() {
            return Ok(Bytes::copy_from_slice(&self.block[from..to]));
        }
        Ok(self.block.slice(from..to))
    }

    /// Reads the block that begins at `offset`.
    fn fill(&mut self, version: Version, offset: u64) -> io::Result<()> {
        let changed = || io::Error::from(io::ErrorKind::InvalidData);
        let left = version.length.checked_sub(offset).ok_or_else(changed)?;
        // The memory of the last block is used again, if nobody has a part of it.
        let last = std::mem::take(&mut self.block).try_into_mut();
        let mut block = last.unwrap_or_default();
        block.resize(left.min(BLOCK as u64) as usize, 0);
        self.file.seek(SeekFrom::Start(offset))?;
        let n = self.file.read(&mut block)?;
        // The file is looked at after the read, so a block of another version is not sent.
        if n == 0 || Version::of(&self.file.metadata()?) != version {
            return Err(changed());
        }
        block.truncate(n);
        (self.block, self.at) = (block.freeze(), offset);
        Ok(())
    }
}

/// Identifies the content of a file, to detect that the file was replaced or rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version {
    length: u64,
    modified: Option<SystemTime>,
}

impl Version {
    fn of(metadata: &Metadata) -> Self {
        Self {
            length: metadata.len(),
            modified: metadata.modified().ok(),
        }
    }

    /// Returns the entity tag, if the time of the last change is known.
    pub(super) fn etag(self) -> Option<String> {
        let since = self.modified?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        Some(format!("\"{:x}-{:x}\"", self.length, since.as_nanos()))
    }
}

/// The file of one response.
#[derive(Debug)]
struct StoredFile {
    path: PathBuf,
    version: Version,
    id: u64,
    files: Files,
}

impl StoredFile {
    fn read(&self, offset: u64, max: usize) -> io::Result<Bytes> {
        let open = self.files.pool().take(self.id);
        let mut open = match open {
            Some(open) => open,
            None => Open::new(File::open(&self.path)?),
        };
        let bytes = open.read(self.version, offset, max)?;
        self.files.pool().put(self.id, open);
        Ok(bytes)
    }
}

impl Store for StoredFile {
    fn read_at(&self, offset: u64, max: usize) -> Option<Bytes> {
        let bytes = self.read(offset, max).ok()?;
        (!bytes.is_empty()).then_some(bytes)
    }
}

impl Drop for StoredFile {
    fn drop(&mut self) {
        self.files.pool().take(self.id);
    }
}

#[cfg(test)]
mod tests;
