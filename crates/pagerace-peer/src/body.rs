//! Message bodies: filler of a given size, bytes in memory, or bytes that are read as
//! they are sent.

use std::fmt::Debug;
use std::sync::Arc;

use bytes::Bytes;

/// Content that is read only when it is sent, such as a file.
pub trait Store: Debug + Send + Sync {
    /// Reads at most `max` bytes from `offset`, and at least one. Returns `None` if the
    /// content cannot be read any more or has changed.
    fn read_at(&self, offset: u64, max: usize) -> Option<Bytes>;
}

/// A body of known size.
#[derive(Clone, Debug)]
pub enum Body {
    /// This number of meaningless bytes.
    Filler(u64),
    /// Bytes in memory.
    Bytes(Bytes),
    /// Concatenated bodies.
    Joined(Arc<[Body]>),
    /// `length` bytes of a store, starting at `offset`.
    Stored {
        /// The store.
        store: Arc<dyn Store>,
        /// Offset of the body's first byte in the store.
        offset: u64,
        /// Size in bytes.
        length: u64,
    },
}

static FILLER: [u8; 1 << 16] = [0x2e; 1 << 16];

impl Body {
    /// An empty body.
    pub const EMPTY: Self = Self::Filler(0);

    /// Returns the size in bytes.
    pub fn len(&self) -> u64 {
        match self {
            Self::Filler(n) => *n,
            Self::Bytes(b) => b.len() as u64,
            Self::Joined(parts) => parts.iter().map(Self::len).sum(),
            Self::Stored { length, .. } => *length,
        }
    }

    /// Returns true if the body has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns true if reading the body cannot fail.
    pub(crate) fn is_in_memory(&self) -> bool {
        match self {
            Self::Filler(_) | Self::Bytes(_) => true,
            Self::Joined(parts) => parts.iter().all(Self::is_in_memory),
            Self::Stored { .. } => false,
        }
    }

    /// Returns at most `max` bytes from `offset`. The result is empty only if `max` is 0,
    /// `offset` is at the end, or a [`Store`] cannot be read any more. Bytes in memory
    /// are not copied.
    pub fn slice(&self, offset: u64, max: usize) -> Bytes {
        let left = usize::try_from(self.len().saturating_sub(offset)).unwrap_or(usize::MAX);
        let n = left.min(max);
        match self {
            Self::Filler(_) => Bytes::from_static(&FILLER[..n.min(FILLER.len())]),
            Self::Bytes(b) => b.slice(offset as usize..offset as usize + n),
            Self::Joined(parts) => {
                let mut at = offset;
                for part in parts.iter() {
                    if at < part.len() {
                        return part.slice(at, n);
                    }
                    at -= part.len();
                }
                Bytes::new()
            }
            Self::Stored { .. } if n == 0 => Bytes::new(),
            Self::Stored {
                store,
                offset: first,
                ..
            } => store.read_at(first + offset, n).unwrap_or_default(),
        }
    }

    /// Returns the part of `size` bytes at `offset`, which must lie within the body.
    #[must_use]
    pub fn part(&self, offset: u64, size: u64) -> Self {
        debug_assert!(offset + size <= self.len());
        match self {
            Self::Filler(_) => Self::Filler(size),
            Self::Bytes(b) => Self::Bytes(b.slice(offset as usize..(offset + size) as usize)),
            Self::Stored {
                store,
                offset: first,
                ..
            } => Self::Stored {
                store: store.clone(),
                offset: first + offset,
                length: size,
            },
            Self::Joined(parts) => {
                let mut taken = Vec::new();
                let (mut begin, end) = (0, offset + size);
                for part in parts.iter() {
                    let next = begin + part.len();
                    let (from, to) = (offset.max(begin), end.min(next));
                    if from < to {
                        taken.push(part.part(from - begin, to - from));
                    }
                    begin = next;
                }
                Self::Joined(taken.into())
            }
        }
    }
}

impl PartialEq for Body {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Filler(a), Self::Filler(b)) => a == b,
            (Self::Bytes(a), Self::Bytes(b)) => a == b,
            (Self::Joined(a), Self::Joined(b)) => a == b,
            (
                Self::Stored {
                    store: a,
                    offset: from_a,
                    length: len_a,
                },
                Self::Stored {
                    store: b,
                    offset: from_b,
                    length: len_b,
                },
            ) => Arc::ptr_eq(a, b) && (from_a, len_a) == (from_b, len_b),
            _ => false,
        }
    }
}

impl Eq for Body {}
