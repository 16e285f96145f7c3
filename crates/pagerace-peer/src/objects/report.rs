//! What became of an object that came in datagrams.

/// Chunks and bytes of one object, as its client counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LossReport {
    /// Bytes of the content.
    pub length: u64,
    /// Chunks that the server sent, parity included; `None` if its end marker has not
    /// come.
    pub sent: Option<u64>,
    /// Chunks that arrived in datagrams, parity included; each counted once.
    pub arrived: u64,
    /// Bytes of content that no datagram brought.
    pub lost_bytes: u64,
    /// Bytes of them that parity restored.
    pub restored_bytes: u64,
    /// Bytes of them that were fetched again.
    pub repaired_bytes: u64,
}

impl LossReport {
    /// Bytes of content that are still missing.
    pub const fn missing_bytes(&self) -> u64 {
        self.lost_bytes - self.restored_bytes - self.repaired_bytes
    }
}
