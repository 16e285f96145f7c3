//! Flow-control windows.
//!
//! Source: RFC 9113, sections 5.2 and 6.9.

/// Initial window of streams and connection, before settings and updates.
pub(super) const INITIAL: i64 = 65_535;

/// The largest window size: section 6.9.1.
pub(super) const MAX: i64 = (1 << 31) - 1;

/// A window for sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SendWindow {
    /// Bytes that may be sent. Negative if a change of settings shrank the window below
    /// what was sent: section 6.9.2.
    left: i64,
}

/// A window that grew beyond [`MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Overflow;

impl SendWindow {
    pub(super) const fn new(left: i64) -> Self {
        Self { left }
    }

    /// Number of bytes that may be sent now.
    pub(super) const fn available(self) -> usize {
        if self.left > 0 { self.left as usize } else { 0 }
    }

    pub(super) fn take(&mut self, bytes: usize) {
        self.left -= bytes as i64;
    }

    /// Changes the window by `by` bytes, which may be negative after a change of
    /// settings. Returns true if the window was exhausted and has reopened.
    pub(super) fn grow(&mut self, by: i64) -> Result<bool, Overflow> {
        let before = self.left;
        self.left += by;
        if self.left > MAX {
            return Err(Overflow);
        }
        Ok(before <= 0 && self.left > 0)
    }
}

/// A window for receiving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReceiveWindow {
    /// Size of the window, in bytes.
    max: i64,
    /// Bytes that the peer may still send.
    left: i64,
    /// Consumed bytes that were not returned to the peer yet.
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

    /// Counts received bytes. Returns false if they exceed the window.
    pub(super) fn receive(&mut self, bytes: u32) -> bool {
        self.left -= i64::from(bytes);
        self.left >= 0
    }

    /// Counts consumed bytes. Returns the increment of the `WINDOW_UPDATE` that is due,
    /// if any.
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

    /// Applies a change of the initial window size that the peer has acknowledged:
    /// section 6.9.2.
    pub(super) fn adjust(&mut self, by: i64) {
        self.left += by;
    }

    /// Lets the peer send more.
    pub(super) fn grow(&mut self, by: u32) {
        self.left += i64::from(by);
    }

    /// Bytes that the peer may still send.
    pub(super) const fn left(self) -> i64 {
        self.left
    }

    /// Returns true if every received byte was consumed.
    #[cfg(test)]
    pub(super) const fn is_whole(self) -> bool {
        self.left + self.consumed == self.max
    }
}
