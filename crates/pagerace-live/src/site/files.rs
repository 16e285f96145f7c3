//! Files that are read while they are sent. Memory and open files do not grow with their size or
//! with the number of clients that stop reading.

use std::fs::{File, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use pagerace_peer::{Body, Store};

/// Maximum number of bytes read at once.
const READ_MAX: usize = 64 * 1024;

/// Returns a body that reads `path` as it is sent, and the version of its content.
pub(super) fn body(path: &Path) -> io::Result<(Body, Version)> {
    // An unreadable file fails here and not halfway through the response.
    let version = Version::of(&File::open(path)?.metadata()?);
    let length = version.length;
    if length == 0 {
        return Ok((Body::EMPTY, version));
    }
    let store = StoredFile {
        path: path.to_owned(),
        version,
    };
    let body = Body::Stored {
        store: Arc::new(store),
        offset: 0,
        length,
    };
    Ok((body, version))
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

/// A file that is open only while a part of it is read.
#[derive(Debug)]
struct StoredFile {
    path: PathBuf,
    version: Version,
}

impl StoredFile {
    fn read(&self, offset: u64, max: usize) -> io::Result<Bytes> {
        let mut file = File::open(&self.path)?;
        if Version::of(&file.metadata()?) != self.version {
            return Err(io::ErrorKind::InvalidData.into());
        }
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

    #[test]
    fn a_file_that_shrinks_or_changes_ends_its_body() {
        let name = format!("pagerace-shrinks-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, "0123456789").unwrap();
        let body = body(&path).unwrap().0;
        assert_eq!(body.part(2, 4).slice(1, 100), "345");
        assert_eq!(body.slice(5, 100), "56789");
        std::fs::write(&path, "01").unwrap();
        assert_eq!(body.slice(4, 100), "", "it ends before");
        assert_eq!(body.slice(0, 100), "", "it is another file");
        std::fs::remove_file(path).unwrap();
    }
}
