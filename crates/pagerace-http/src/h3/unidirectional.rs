//! The peer's unidirectional streams: which is which.
//!
//! Source: RFC 9114, section 6.2; RFC 9204, section 4.2.

use bytes::Bytes;

use crate::varint;

pub(super) const CONTROL: u64 = 0x00;
pub(super) const PUSH: u64 = 0x01;
pub(super) const QPACK_ENCODER: u64 = 0x02;
pub(super) const QPACK_DECODER: u64 = 0x03;

/// One unidirectional stream of the peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unidirectional {
    /// Its type is not complete: up to 7 bytes of it.
    Untyped(Vec<u8>),
    Control,
    QpackEncoder,
    QpackDecoder,
    /// Unknown, hence read and dropped, or already reset.
    Ignored,
}

impl Unidirectional {
    /// Whether closing it breaks the connection.
    pub(super) const fn is_critical(&self) -> bool {
        matches!(
            self,
            Self::Control | Self::QpackEncoder | Self::QpackDecoder
        )
    }
}

/// Moves bytes from `input` to `have` until they hold the type.
pub(super) fn read_type(have: &mut Vec<u8>, input: &mut Bytes) -> Option<u64> {
    loop {
        if let Some((ty, _)) = varint::decode(have) {
            return Some(ty);
        }
        if input.is_empty() {
            return None;
        }
        have.push(input.split_to(1)[0]);
    }
}
