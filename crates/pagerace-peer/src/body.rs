//! Message bodies: real bytes, or filler of a given size.

use std::sync::Arc;

use bytes::Bytes;

/// A body of known size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// So many bytes that nobody looks at.
    Filler(u64),
    /// These bytes.
    Bytes(Bytes),
    /// These, one after the other.
    Joined(Arc<[Body]>),
}

static FILLER: [u8; 1 << 16] = [0x2e; 1 << 16];

impl Body {
    /// No bytes.
    pub const EMPTY: Self = Self::Filler(0);

    /// Size in bytes.
    pub fn len(&self) -> u64 {
        match self {
            Self::Filler(n) => *n,
            Self::Bytes(b) => b.len() as u64,
            Self::Joined(parts) => parts.iter().map(Self::len).sum(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// At most `max` bytes from `offset`; at least one, unless `offset` is the
    /// end. Costs no copy.
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
        }
    }

    /// `size` of its bytes from `offset`, both within it.
    #[must_use]
    pub fn part(&self, offset: u64, size: u64) -> Self {
        debug_assert!(offset + size <= self.len());
        match self {
            Self::Filler(_) => Self::Filler(size),
            Self::Bytes(b) => Self::Bytes(b.slice(offset as usize..(offset + size) as usize)),
            Self::Joined(_) => {
                let mut parts = Vec::new();
                let (mut at, end) = (offset, offset + size);
                while at < end {
                    let piece = self.slice(at, (end - at) as usize);
                    at += piece.len() as u64;
                    parts.push(Self::Bytes(piece));
                }
                Self::Joined(parts.into())
            }
        }
    }
}
