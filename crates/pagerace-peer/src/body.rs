//! Message bodies: real bytes, or filler of a given size.

use bytes::Bytes;

/// A body of known size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// So many bytes that nobody looks at.
    Filler(u64),
    /// These bytes.
    Bytes(Bytes),
}

static FILLER: [u8; 1 << 16] = [0x2e; 1 << 16];

impl Body {
    /// No bytes.
    pub const EMPTY: Self = Self::Filler(0);

    /// Size in bytes.
    pub const fn len(&self) -> u64 {
        match self {
            Self::Filler(n) => *n,
            Self::Bytes(b) => b.len() as u64,
        }
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
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
        }
    }
}
