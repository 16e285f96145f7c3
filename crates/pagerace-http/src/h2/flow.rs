//! Flow-control windows.
//!
//! Source: RFC 9113, sections 5.2 and 6.9.

/// Window of streams and connection before settings and updates.
pub(super) const INITIAL: i64 = 65_535;

/// The largest window: section 6.9.1.
pub(super) const MAX: i64 = (1 << 31) - 1;

/// What we may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SendWindow {
    /// May be negative after a change of settings: section 6.9.2.
    left: i64,
}

/// A window that grew beyond [`MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Overflow;

impl SendWindow {
    pub(super) const fn new(left: i64) -> Self {
        Self { left }
    }

    /// Bytes that may be sent now.
    pub(super) const fn available(self) -> usize {
        if self.left > 0 { self.left as usize } else { 0 }
    }

    pub(super) fn take(&mut self, bytes: usize) {
        self.left -= bytes as i64;
    }

    /// Grows, or shrinks by a change of settings. Returns whether bytes may be
    /// sent that could not before.
    pub(super) fn grow(&mut self, by: i64) -> Result<bool, Overflow> {
        let before = self.left;
        self.left += by;
        if self.left > MAX {
            return Err(Overflow);
        }
        Ok(before <= 0 && self.left > 0)
    }
}

/// What the peer may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReceiveWindow {
    /// What we let it have at most.
    max: i64,
    /// What it may still send.
    left: i64,
    /// What was consumed and not given back yet.
    consumed: i64,
}

impl ReceiveWindow {
    pub(super) const fn new(max: i64, left: i64) -> Self {
        Self {
            max,
            left,
            consumed: 0,
        }
    }

    /// Takes bytes; `false` if they are more than allowed.
    pub(super) fn receive(&mut self, bytes: u32) -> bool {
        self.left -= i64::from(bytes);
        self.left >= 0
    }

    /// Consumes bytes. Returns the increment of the `WINDOW_UPDATE` that is due.
    ///
    /// An update is due once more than half the window was consumed, as in
    /// Chromium (`SpdyStream::IncreaseRecvWindowSize`). Deviates: Chromium also
    /// sends one if the last was five seconds ago.
    pub(super) fn consume(&mut self, bytes: u32) -> Option<u32> {
        self.consumed += i64::from(bytes);
        if self.consumed <= self.max / 2 {
            return None;
        }
        let increment = self.consumed;
        self.left += increment;
        self.consumed = 0;
        Some(increment as u32)
    }

    /// The peer has learned another initial size: section 6.9.2.
    pub(super) fn adjust(&mut self, by: i64) {
        self.left += by;
    }

    #[cfg(test)]
    pub(super) const fn left(self) -> i64 {
        self.left
    }

    /// Whether every byte that came was consumed.
    #[cfg(test)]
    pub(super) const fn is_whole(self) -> bool {
        self.left + self.consumed == self.max
    }
}
