//! The two parameters of HTTP's extensible priorities (RFC 9218).

use std::fmt;

use serde::{Deserialize, Serialize};

/// A priority signal: urgency and incremental.
///
/// Source: RFC 9218, section 4, <https://www.rfc-editor.org/rfc/rfc9218#section-4>.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Priority {
    /// 0 (most urgent) to 7.
    pub urgency: u8,
    /// Whether parts are useful before the whole is there.
    pub incremental: bool,
}

impl Priority {
    /// Urgency of 0 to 7; larger values are clamped to 7.
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
    /// The canonical field value; defaults are left out (may be empty).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.urgency, self.incremental) {
            (3, false) => Ok(()),
            (3, true) => f.write_str("i"),
            (u, false) => write!(f, "u={u}"),
            (u, true) => write!(f, "u={u}, i"),
        }
    }
}
