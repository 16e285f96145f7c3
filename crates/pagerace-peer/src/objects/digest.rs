//! `repr-digest` (RFC 9530): verification of an object's content.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use pagerace_http::{Field, fields};
use ring::digest::{Context, SHA256};
use sfv::{BareItem, Dictionary, ListEntry, Parser};

use crate::body::Body;

/// Verification of digests by a client. With null keys, as in simulations, nothing
/// changes the content in transit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Digests {
    Compared,
    Trusted,
}

/// SHA-256 of content that arrives in order.
pub(crate) struct Check {
    wanted: [u8; 32],
    hasher: Context,
}

impl std::fmt::Debug for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Check").finish_non_exhaustive()
    }
}

const NAME: &str = "repr-digest";

/// Returns the field with the digest of `body`.
pub(crate) fn digest_field(body: &Body) -> Field {
    let (mut hasher, mut at) = (Context::new(&SHA256), 0);
    while at < body.len() {
        let piece = body.slice(at, 1 << 16);
        at += piece.len() as u64;
        hasher.update(&piece);
    }
    let value = format!("sha-256=:{}:", STANDARD.encode(hasher.finish()));
    Field::new(NAME, value)
}

impl Digests {
    /// Returns a check against the digest in `answer`, if digests are compared and it has
    /// one.
    pub(crate) fn check(self, answer: &[Field]) -> Option<Check> {
        if self == Self::Trusted {
            return None;
        }
        let value = fields::get(answer, NAME)?;
        let dictionary = Parser::new(value.as_ref()).parse::<Dictionary>().ok()?;
        let ListEntry::Item(item) = dictionary.get("sha-256")? else {
            return None;
        };
        let BareItem::ByteSequence(bytes) = &item.bare_item else {
            return None;
        };
        Some(Check {
            wanted: bytes.as_slice().try_into().ok()?,
            hasher: Context::new(&SHA256),
        })
    }
}

impl Check {
    pub(crate) fn add(&mut self, bytes: &Bytes) {
        self.hasher.update(bytes);
    }

    /// Returns true if the added content matches the digest.
    pub(crate) fn holds(self) -> bool {
        self.hasher.finish().as_ref() == self.wanted
    }
}
