//! Tracks the bytes that a controller's connection has in flight.

/// Bytes in flight.
///
/// The transport reports the exact number after each acknowledgement. Between two
/// reports, this type adds the bytes sent and subtracts those acknowledged or lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flight(u64);

impl Flight {
    /// The number of bytes.
    pub(crate) fn bytes(self) -> u64 {
        self.0
    }

    /// Returns true if nothing is in flight.
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Adds a sent packet.
    pub(crate) fn handle_sent(&mut self, bytes: u64) {
        self.0 += bytes;
    }

    /// Removes packets that were acknowledged or declared lost.
    pub(crate) fn handle_settled(&mut self, bytes: u64) {
        self.0 = self.0.saturating_sub(bytes);
    }

    /// Sets the number that the transport reports.
    pub(crate) fn set(&mut self, bytes: u64) {
        self.0 = bytes;
    }
}
