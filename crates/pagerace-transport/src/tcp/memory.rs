//! Memory of the send buffer, which limits how much the application can write ahead.
//!
//! Linux counts the bytes that were written and not acknowledged, sent or not, with the
//! bookkeeping of the buffers that hold them. The limit starts at about twenty segments. It
//! grows to twice the window, or three times for BBR, when an acknowledgement arrives while
//! the limit and not the window stops the sender (`tcp_sndbuf_expand`,
//! `tcp_should_expand_sndbuf`, `bbr_sndbuf_expand`). So the first long burst of a connection
//! can be shorter than its window.
//!
//! Values are those of an MSS between 965 and 1,476 bytes. Memory pressure is not modelled.

/// Bookkeeping of one buffer in bytes. Source: `SO_MEMINFO` of Linux 6.18 on x86-64 reports
/// 2,280 bytes for each buffer with 1,448.
const OVERHEAD: u64 = 832;
/// Bytes that the limit allows for each segment: `per_mss` of `tcp_sndbuf_expand`.
const SEGMENT: u64 = 2304;
/// Bounds of the segments in one buffer: `tcp_min_tso_segs`, and those in 64 KiB (`sk_gso_max_size`).
const BUFFER_SEGMENTS: (u64, u64) = (2, 44);
/// `TCP_INIT_CWND`, the least window for which the limit allows, in segments.
pub(super) const INITIAL_SEGMENTS: u64 = 10;
/// The third value of `tcp_wmem`.
const MAX: u64 = 4 << 20;

/// Returns the number of segments of `mss` bytes that leave in one buffer at `rate` bytes per second:
/// those of about a millisecond (`tcp_tso_autosize`).
pub(super) fn buffer_segments(rate: u64, mss: u64) -> u64 {
    (rate / 1024 / mss).clamp(BUFFER_SEGMENTS.0, BUFFER_SEGMENTS.1)
}

/// The content of the send buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Content {
    /// Bytes that were sent and not acknowledged cumulatively.
    pub(super) sent: u64,
    /// Buffers that hold them.
    pub(super) buffers: u64,
    pub(super) unsent: u64,
}

impl Content {
    fn memory(self) -> u64 {
        let buffers = self.buffers + u64::from(self.unsent > 0);
        self.sent + self.unsent + OVERHEAD * buffers
    }
}

/// The limit of the send buffer, and whether the application waits for room in it.
#[derive(Clone, Debug)]
pub(super) struct SendMemory {
    limit: u64,
    /// `TCP_NOTSENT_LOWAT`: the maximum number of unsent bytes.
    lowat: u64,
    waits: bool,
}

impl SendMemory {
    /// Creates the memory of a connection with the window of `windows` windows.
    pub(super) fn new(lowat: u64, windows: u64) -> Self {
        Self {
            limit: windows * INITIAL_SEGMENTS * SEGMENT,
            lowat,
            waits: false,
        }
    }

    /// Lifts the limit of the whole buffer, so that only its unsent part is limited.
    #[cfg(test)]
    pub(super) fn lift(&mut self) {
        self.limit = u64::MAX / 4;
    }

    /// Returns the number of bytes that the application should write now.
    pub(super) fn writable(&self, content: Content) -> usize {
        let full = self.waits || content.memory() >= self.limit;
        let room = if full {
            0
        } else {
            self.lowat.saturating_sub(content.unsent)
        };
        room as usize
    }

    /// Records that all segments left that may leave now. An application that finds no room
    /// waits for an acknowledgement.
    pub(super) fn on_sent(&mut self, content: Content) {
        self.waits |= self.writable(content) == 0;
    }

    /// Processes an acknowledgement. `content` is what remains after all segments left that
    /// it allows; `segments` is the number for which the limit should allow, or `None` if the
    /// window stops the sender.
    pub(super) fn on_ack(&mut self, content: Content, segments: Option<u64>) {
        if !self.waits {
            return;
        }
        if let Some(segments) = segments {
            self.limit = self.limit.max((segments * SEGMENT).min(MAX));
        }
        // `__sk_stream_is_writeable`: the application is woken when a third of the buffer and
        // half of the unsent bytes' limit are free.
        let memory = content.memory();
        self.waits = 3 * memory > 2 * self.limit || 2 * content.unsent >= self.lowat;
    }
}

#[cfg(test)]
mod tests;
