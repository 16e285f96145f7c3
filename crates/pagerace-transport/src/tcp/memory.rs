//! Room in the send buffer, which limits how far the application can write ahead.
//!
//! Linux keeps what was written in buffers (`sk_buff`), and counts their bytes and their
//! bookkeeping until all of a buffer is acknowledged. The limit of that memory starts at about
//! twenty segments. It grows to twice the window, or three times for BBR, if the application
//! waits for room while the window is not full (`tcp_should_expand_sndbuf`,
//! `tcp_sndbuf_expand`, `bbr_sndbuf_expand`). So the first long burst of a connection can be
//! shorter than its window.
//!
//! A write first fills the last unsent buffer, up to 64 KiB. Only a new buffer needs room:
//! memory below the limit, and fewer unsent bytes than `TCP_NOTSENT_LOWAT`. So more bytes can
//! be unsent than that option says.
//!
//! The limits are those of an Ethernet MTU and of a kernel whose link headers are short.
//! Others begin with 87,040 bytes, because they round the room for a segment up to 4,096
//! bytes. Memory pressure is not modelled, nor that a round trip of a few milliseconds makes
//! buffers longer. An application with nothing to write waits like any other.

use std::ops::RangeInclusive;

use pagerace_cc::Controller;

/// Bookkeeping of one buffer in bytes. Source: `SO_MEMINFO` of Linux 6.18 on x86-64 reports
/// 2,280 bytes for each buffer with 1,448.
const OVERHEAD: u64 = 832;
/// Memory for each segment of the window: `per_mss` of `tcp_sndbuf_expand`.
const SEGMENT: u64 = 2304;
/// `TCP_INIT_CWND`: memory is enough for at least so many segments.
const INITIAL_SEGMENTS: u64 = 10;
/// The third value of `tcp_wmem`.
const MAX: u64 = 4 << 20;
/// Numbers of segments in a buffer as it is sent: from `tcp_min_tso_segs` to 64 KiB
/// (`sk_gso_max_size`).
const BUFFER_SEGMENTS: RangeInclusive<u64> = 2..=45;

/// Returns the number of segments of `mss` bytes in a buffer that is sent at `rate` bytes per
/// second: as many as leave in about a millisecond (`tcp_tso_autosize`).
pub(super) fn buffer_segments(rate: u64, mss: u64) -> u64 {
    (rate / 1024 / mss).clamp(*BUFFER_SEGMENTS.start(), *BUFFER_SEGMENTS.end())
}

/// The content of the send buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Content {
    /// Bytes that were sent and not acknowledged cumulatively.
    pub(super) sent: u64,
    /// Number of buffers that hold them.
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
    /// The number of windows for which there is memory.
    windows: u64,
    /// `TCP_NOTSENT_LOWAT`.
    lowat: u64,
    /// Unsent bytes in the last buffer.
    last: u64,
    waits: bool,
}

impl SendMemory {
    /// Creates the memory of a new connection.
    pub(super) fn new(controller: &dyn Controller, lowat: u32) -> Self {
        let windows = if controller.owns_recovery() { 3 } else { 2 };
        Self {
            limit: windows * INITIAL_SEGMENTS * SEGMENT,
            windows,
            lowat: u64::from(lowat),
            last: 0,
            waits: false,
        }
    }

    /// Lifts the limit of the memory, so that only unsent bytes are limited.
    #[cfg(test)]
    pub(super) fn lift(&mut self) {
        self.limit = u64::MAX / 4;
    }

    /// Returns the number of bytes that the application should write now, if a buffer holds
    /// up to `whole` bytes.
    pub(super) fn writable(&self, content: Content, whole: u64) -> usize {
        let room = match whole.saturating_sub(self.last) {
            _ if self.waits => 0,
            room if content.unsent > 0 && room > 0 => room,
            _ if self.takes_buffer(content) => whole,
            _ => 0,
        };
        room as usize
    }

    /// Returns true if there is room for another buffer (`sk_stream_memory_free`).
    fn takes_buffer(&self, content: Content) -> bool {
        content.unsent < self.lowat && content.memory() < self.limit
    }

    /// Records that the application adds `bytes` to `content`. If they belong into another
    /// buffer for which there is no room, they make the last one longer.
    pub(super) fn on_write(&mut self, bytes: u64, content: Content, whole: u64) {
        let opens = self.last >= whole && self.takes_buffer(content);
        self.last = if opens { bytes } else { self.last + bytes };
    }

    /// Records that a segment was sent and left `unsent` bytes.
    pub(super) fn on_sent(&mut self, unsent: u64) {
        self.last = self.last.min(unsent);
    }

    /// Records that all segments left that may leave now. An application that finds no room
    /// then waits.
    pub(super) fn on_idle(&mut self, content: Content, whole: u64) {
        self.waits |= self.writable(content, whole) == 0;
    }

    /// Wakes the application if there is room, after an acknowledgement or after a buffer was
    /// sent (`tcp_check_space`). `free_window` is the window in segments if it is not full.
    pub(super) fn check(&mut self, content: Content, free_window: Option<u64>) {
        if !self.waits {
            return;
        }
        if let Some(window) = free_window {
            let wanted = self.windows * window.max(INITIAL_SEGMENTS) * SEGMENT;
            self.limit = self.limit.max(wanted.min(MAX));
        }
        // `__sk_stream_is_writeable`: a third of the memory must be free, and half of the
        // limit of unsent bytes.
        let memory = content.memory();
        self.waits = 3 * memory > 2 * self.limit || 2 * content.unsent >= self.lowat;
    }
}

/// Returns the bytes of a buffer that is not sent yet: as many segments of `mss` bytes as fit
/// into 64 KiB and into half of the largest window `widest` that the peer has offered
/// (`tcp_bound_to_half_wnd`).
pub(super) fn whole_buffer(widest: u64, mss: u64) -> u64 {
    (widest / 2 / mss).clamp(1, *BUFFER_SEGMENTS.end()) * mss
}

#[cfg(test)]
mod tests;
