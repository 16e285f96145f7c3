//! The priority signals of a request: the two parameters of HTTP's extensible priorities
//! (RFC 9218), and a stream's position in the HTTP/2 dependency tree that they replace (RFC
//! 7540).

use std::fmt;

use serde::{Deserialize, Serialize};

/// A priority signal: urgency and incremental.
///
/// Source: RFC 9218, section 4, <https://www.rfc-editor.org/rfc/rfc9218#section-4>.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Priority {
    /// Urgency, from 0 (most urgent) to 7.
    pub urgency: u8,
    /// True if the client can use parts of the response before all of it has arrived.
    pub incremental: bool,
}

impl Priority {
    /// Creates a priority. Urgencies above 7 are clamped to 7.
    pub const fn new(urgency: u8, incremental: bool) -> Self {
        Self {
            urgency: if urgency > 7 { 7 } else { urgency },
            incremental,
        }
    }
}

impl Default for Priority {
    /// Urgency 3, not incremental (RFC 9218, sections 4.1 and 4.2).
    fn default() -> Self {
        Self::new(3, false)
    }
}

impl fmt::Display for Priority {
    /// Writes the canonical field value. Defaults are omitted, so the value may be empty.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.urgency, self.incremental) {
            (3, false) => Ok(()),
            (3, true) => f.write_str("i"),
            (u, false) => write!(f, "u={u}"),
            (u, true) => write!(f, "u={u}, i"),
        }
    }
}

/// A stream's position in the HTTP/2 dependency tree.
///
/// Source: RFC 7540, section 5.3, <https://www.rfc-editor.org/rfc/rfc7540#section-5.3>;
/// deprecated by RFC 9113, but still sent by browsers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependency {
    /// The stream that this one depends on. 0 is the root.
    pub parent: u64,
    /// Weight among the streams with the same parent, 1 to 256.
    pub weight: u16,
    /// True if the stream adopts the parent's other children as its own.
    pub exclusive: bool,
}

impl Default for Dependency {
    /// Depends on the root with weight 16 (RFC 7540, section 5.3.5).
    fn default() -> Self {
        Self {
            parent: 0,
            weight: 16,
            exclusive: false,
        }
    }
}
