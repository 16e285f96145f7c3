//! Files that are read while they are sent. Memory does not grow with their size or with
//! the number of clients that stop reading.

use std::collections::VecDeque;
use std::fs::{File, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::SystemTime;

use bytes::Bytes;
use pagerace_peer::{Body, Store};

/// Maximum number of open files of all sites that share a [`Files`].
const OPEN_MAX: usize = 64;

/// Maximum number of bytes read at once.
const READ_MAX: usize = 64 * 1024;

/// The files that were opened last.
#[derive(Clone, Debug, Default)]
pub(super) struct Files(Arc<Mutex<VecDeque<Arc<Mutex<File>>>>>);

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
        let store = StoredFile {
            path: path.to_owned(),
            version,
            open: Mutex::new(self.keep(file)),
            files: self.clone(),
        };
        let body = Body::Stored {
            store: Arc::new(store),
            offset: 0,
            length,
        };
        Ok((body, version))
    }

    /// Keeps a file open until [`OPEN_MAX`] other files have been opened.
    fn keep(&self, file: File) -> Weak<Mutex<File>> {
        let file = Arc::new(Mutex::new(file));
        let weak = Arc::downgrade(&file);
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() >= OPEN_MAX {
            open.pop_front();
        }
        open.push_back(file);
        weak
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

#[derive(Debug)]
struct StoredFile {
    path: PathBuf,
    version: Version,
    open: Mutex<Weak<Mutex<File>>>,
    files: Files,
}

impl StoredFile {
    fn read(&self, offset: u64, max: usize) -> io::Result<Bytes> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let file = if let Some(file) = open.upgrade() {
            file
        } else {
            let file = File::open(&self.path)?;
            if Version::of(&file.metadata()?) != self.version {
                return Err(io::ErrorKind::InvalidData.into());
            }
            *open = self.files.keep(file);
            let reopened = open.upgrade();
            reopened.ok_or(io::ErrorKind::NotFound)?
        };
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(offset))?;
        let mut bytes = vec![0; max.min(READ_MAX)];
        let n = file.read(&mut bytes)?;
        bytes.truncate(n);
        Ok(bytes.into())
    }
}

impl Store for StoredFile {
    fn read_at(&self, offset: u64, max: usize) -> Option<Bytes> {
        let bytes = self.read(offset, max).ok()?;
        (!bytes.is_empty()).then_some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a folder that belongs to this process.
    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("pagerace-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn many_bodies_hold_few_files_open() {
        let folder = folder("many");
        let files = Files::default();
        let bodies: Vec<Body> = (0..3 * OPEN_MAX)
            .map(|n| {
                let path = folder.join(n.to_string());
                std::fs::write(&path, format!("file {n}")).unwrap();
                files.body(&path).unwrap().0
            })
            .collect();
        for (n, body) in bodies.iter().enumerate() {
            assert_eq!(body.slice(5, 100), n.to_string(), "closed files open again");
            assert!(files.0.lock().unwrap().len() <= OPEN_MAX);
        }
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_that_shrinks_or_changes_ends_its_body() {
        let folder = folder("shrinks");
        let path = folder.join("file");
        std::fs::write(&path, "0123456789").unwrap();
        let files = Files::default();
        let body = files.body(&path).unwrap().0;
        assert_eq!(body.part(2, 4).slice(1, 100), "345");
        std::fs::write(&path, "01").unwrap();
        assert_eq!(body.slice(4, 100), "", "it ends before");
        files.0.lock().unwrap().clear();
        assert_eq!(body.slice(0, 100), "", "it is another file");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
