//! Losses of an object that was sent in datagrams.

/// Chunks and bytes of one object, as counted by its client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LossReport {
    /// Length of the content in bytes.
    pub length: u64,
    /// Number of chunks that the server sent, including parity; `None` if no end marker
    /// has arrived.
    pub sent: Option<u64>,
    /// Number of chunks that arrived in datagrams, including parity; each counts once.
    pub arrived: u64,
    /// Bytes of content that no datagram delivered.
    pub lost_bytes: u64,
    /// Lost bytes that parity restored.
    pub restored_bytes: u64,
    /// Lost bytes that were fetched again.
    pub repaired_bytes: u64,
}

impl LossReport {
    /// Returns the number of content bytes that are still missing.
    pub const fn missing_bytes(&self) -> u64 {
        self.lost_bytes - self.restored_bytes - self.repaired_bytes
    }
}
