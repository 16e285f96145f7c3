//! How much a controller's connection has in flight, from what it is told.

/// Bytes in flight.
///
/// A transport says the exact number after each acknowledgement; between two
/// of them this adds and subtracts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flight(u64);

impl Flight {
    /// In bytes.
    pub(crate) fn bytes(self) -> u64 {
        self.0
    }

    /// Whether nothing is on its way.
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// A packet left.
    pub(crate) fn sent(&mut self, bytes: u64) {
        self.0 += bytes;
    }

    /// Packets were acknowledged or declared lost.
    pub(crate) fn settled(&mut self, bytes: u64) {
        self.0 = self.0.saturating_sub(bytes);
    }

    /// The transport says how much it is.
    pub(crate) fn set(&mut self, bytes: u64) {
        self.0 = bytes;
    }
}
