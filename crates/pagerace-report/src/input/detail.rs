//! Details of one run, which the charts are drawn from.

use pagerace_core::{Duration, Instant, Protocol};

/// The run that represents a variant: the median run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunDetail {
    /// Number of the run, from zero.
    pub run: u32,
    /// Number of runs of which the report has details. The more there are, the coarser is
    /// each, so that the file stays small.
    pub recorded: usize,
    /// Reason why the load did not finish, if it did not.
    pub failure: Option<String>,
    /// Milestones to mark: name as in [`super::Metric::name`] (`fcp`, `lcp`, `onload`),
    /// and time.
    pub marks: Vec<(String, Instant)>,
    /// Visual progress, in ascending order of time: the share of the final picture, 0 to 1,
    /// that is visible from then on.
    pub visual_progress: Vec<(Instant, f64)>,
    /// Resource timings, one entry for each resource of the page; `None` if it was never
    /// requested.
    pub timings: Vec<Option<Timing>>,
    /// Response bytes that the servers sent, in order of time.
    pub frames: Vec<Frame>,
    /// Packets that did not arrive.
    pub drops: Vec<Drop>,
    /// Time spans in which received bytes of a resource waited behind a gap.
    pub hol_gaps: Vec<HolGap>,
}

/// Network timing of a resource. The time spans follow each other without gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// The HTTP version.
    pub protocol: Protocol,
    /// Number of the connection, in order of opening; `None` if the request was never
    /// sent.
    pub connection: Option<u32>,
    /// True if the connection was open, or being opened, before this request.
    pub reused: bool,
    /// Time at which the browser discovered the resource.
    pub discovered: Instant,
    /// Time that the browser's own scheduler held the request back.
    pub queued: Duration,
    /// Time spent waiting for another request to set up the connection.
    pub blocked: Duration,
    /// Time of the DNS lookup.
    pub dns: Duration,
    /// Time of the connection set-up.
    pub connect: Duration,
    /// Time from the request to the first response byte.
    pub wait: Duration,
    /// Time from the first response byte to the last.
    pub receive: Duration,
    /// Bytes that waited for earlier bytes of their own stream.
    pub hol_blocked_bytes: u64,
    /// Bytes that waited only for bytes of other streams (TCP).
    pub hol_other_bytes: u64,
}

/// Response bytes that a server sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Time of sending.
    pub at: Instant,
    /// Number of the connection, in order of opening.
    pub connection: u32,
    /// Index into the page's resources.
    pub resource: u32,
    /// Offset of the first byte on the stream.
    pub offset: u64,
    /// Number of bytes.
    pub length: u32,
    /// True if any of the bytes had been sent before.
    pub retransmission: bool,
}

/// A packet that did not arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drop {
    /// Time of sending.
    pub at: Instant,
    /// Number of the connection, in order of opening.
    pub connection: u32,
    /// True if the queue was full, false if the link lost the packet.
    pub queue: bool,
}

/// A time span in which received bytes of a resource waited for earlier bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HolGap {
    /// Index into the page's resources.
    pub resource: u32,
    /// Time at which the first byte behind the gap arrived.
    pub from: Instant,
    /// Time at which the gap was filled.
    pub until: Instant,
    /// Most bytes that waited at one time.
    pub bytes: u64,
}
