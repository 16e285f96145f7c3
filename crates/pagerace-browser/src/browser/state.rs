//! The state of each resource, of the load event and of rendering.

use std::collections::{BTreeMap, BTreeSet};

use pagerace_core::{Duration, Instant, Priority};
use pagerace_page::{Overlay, ResourceId, Wait};

use super::images::Flushes;
use crate::Cached;
use crate::cause::Ready;
use crate::paint::{Made, Size};

/// The state of one resource.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) discovered: Option<Ready>,
    /// The state of the resource in the cache.
    pub(super) cached: Cached,
    /// The arrival of the response head.
    pub(super) head: Option<Ready>,
    /// True while a document waits for its commit. Until then, its parser and its scanner
    /// see no bytes.
    pub(super) waits_for_commit: bool,
    /// The time from which the document's first request may leave.
    pub(super) prepared: Option<Instant>,
    /// True once a document has made a request to its own host.
    pub(super) asked_own_host: bool,
    /// The encoded body bytes received in order.
    pub(super) received: u64,
    /// The part of the received bytes that came from the cache.
    pub(super) from_cache: u64,
    /// The sum of the arrival times since the start of all bytes from the network, in
    /// nanoseconds.
    pub(super) byte_nanos: u128,
    /// The time at which the network service had the whole response, or it failed.
    pub(super) ended: Option<Instant>,
    /// The time at which the thread of its frame had taken the response, or it failed.
    pub(super) settled: Option<Instant>,
    pub(super) failed: bool,
    /// True if the response ended with missing data and is unusable, or only such a
    /// resource could have led to this one.
    pub(super) broken: bool,
    /// True if the resource has run, been parsed, or otherwise been used.
    pub(super) processed: bool,
    /// True if the resource will never be requested.
    pub(super) abandoned: bool,
    /// The delay between the event that the resource still waits for and its discovery.
    pub(super) armed: Option<Duration>,
    /// The number of scanned children that the scanner has seen.
    pub(super) scanned: usize,
    /// The encoded body bytes that the scanner has read.
    pub(super) scanned_bytes: u64,
    /// The flushes of a loading image.
    pub(super) flushes: Flushes,
    /// True if the resource delays the load event.
    pub(super) holds_load: bool,
    /// True if the resource blocks the first paint.
    pub(super) holds_paint: bool,
    /// True if a script waits for the response without giving its thread back.
    pub(super) holds_thread: bool,
}

/// An event that happens by itself.
#[derive(Clone, Copy, Debug)]
pub(super) enum Timer {
    /// The delay of a trigger is over.
    Discover(ResourceId),
    /// The preload scanner finds an element.
    Scanned(ResourceId),
    /// The styles of the running frame are computed.
    Styled,
    /// The preload scanner finds a hint, by index.
    Hint(usize),
    /// The network service knows a request that leaves later.
    Announce(ResourceId),
    /// A request is ready to leave.
    Ask(ResourceId),
    /// The page waits no longer for a response.
    GiveUp(ResourceId),
    /// A document is committed.
    Commit(ResourceId),
    /// The cache has delivered a response.
    Cached(ResourceId),
    /// A complete response has reached the thread of its frame.
    Delivered(ResourceId),
    /// The task of a thread is over, unless it has become longer.
    TaskDone(usize),
    /// The data of a loading image is flushed.
    Flush(ResourceId),
    /// A frame may be drawn again.
    Frame,
    /// The delay of a callback is over.
    Callback(usize),
    /// A script has put an element on the page.
    Made(Made),
    /// The first paint is no longer held back.
    Reveal,
    /// A hidden page is shown in any case.
    Limit,
    /// The overlay of the page is gone.
    Uncover,
    /// Text stops waiting for this font.
    BlockPeriodOver(ResourceId),
    /// The first frame stops waiting for preloaded fonts.
    FontPreloadsOver,
}

impl Timer {
    /// Returns true if the timer keeps the load going.
    pub(super) const fn keeps_load(self) -> bool {
        !matches!(
            self,
            Self::BlockPeriodOver(_)
                | Self::FontPreloadsOver
                | Self::Flush(_)
                | Self::Announce(_)
                | Self::GiveUp(_)
                | Self::Hint(_)
                | Self::Limit
        )
    }
}

/// The state of the load event.
#[derive(Debug, Default)]
pub(super) struct LoadEvent {
    pub(super) pending: usize,
    pub(super) queued: bool,
    pub(super) fired: Option<Ready>,
    pub(super) dom_content_loaded: Option<Ready>,
}

/// The conditions and the content of the next paint.
#[derive(Debug, Default)]
pub(super) struct Rendering {
    /// The number of discovered render-blocking resources that are not done.
    pub(super) blockers: usize,
    /// Fonts that the head preloads, and that are missing while they hold the first frame.
    pub(super) font_preloads: BTreeSet<ResourceId>,
    /// True once the time is running for which they hold a frame that nothing else holds.
    pub(super) font_preloads_timed: bool,
    /// The event and the delay after it until which nothing is shown.
    pub(super) hidden_until: Option<(Wait, Duration)>,
    /// The time after the arrival of the document at which the page is shown in any case, until
    /// that arrives.
    pub(super) limit: Option<Duration>,
    /// True if that event has happened and the reveal is scheduled.
    pub(super) reveal_set: bool,
    /// The overlay of the page, until its end is scheduled.
    pub(super) overlay: Option<Overlay>,
    /// True if the first layout is done.
    pub(super) laid_out: bool,
    /// The bytes of the document that the last frame has laid out.
    pub(super) laid_out_bytes: u64,
    /// The time from which nothing blocked the first layout, or hid what it shows.
    pub(super) layout_since: Ready,
    /// True if a render task is queued, running, or waiting for the next frame.
    pub(super) queued: bool,
    /// The time at which that task became possible.
    pub(super) since: Ready,
    pub(super) last_start: Option<Instant>,
    /// The begin of the task of the page's thread that has just ended.
    pub(super) ended_task: Option<Instant>,
    /// The time at which the last frame was on the screen.
    pub(super) last_shown: Instant,
    /// Images in the viewport, or parts of them, that are available but not painted.
    pub(super) ready_images: Vec<ReadyImage>,
    /// Images whose elements the parser of the page's document has not reached, as far as they are
    /// available.
    pub(super) unreached_images: Vec<ReadyImage>,
    /// Such images that scripts put on the page, or build anew, later.
    pub(super) unplaced_images: BTreeMap<ResourceId, Vec<ReadyImage>>,
    /// The images for which scripts have done so, and when.
    pub(super) placed_images: BTreeMap<ResourceId, Instant>,
    /// Fonts and images that the next layout requests.
    pub(super) awaiting_layout: Vec<(ResourceId, Ready)>,
    /// Fonts that a style sheet names, and no text on the page uses.
    pub(super) unused_fonts: Vec<(ResourceId, Ready)>,
    /// The fonts of the text that is on the page.
    pub(super) used_fonts: BTreeSet<ResourceId>,
    /// Requested images in the viewport that no layout has seen yet, with the signals to
    /// which they are raised.
    pub(super) to_raise: Vec<(ResourceId, Priority)>,
    /// The number of blocks of the markup that the parser has passed.
    pub(super) text_parsed: usize,
    /// Blocks of text that exist but are not painted, with the time at which the parser
    /// passed each, or a script created it.
    pub(super) text_waiting: Vec<(usize, Ready)>,
    /// The images and blocks of text that the running task shows.
    pub(super) painting: Vec<ReadyImage>,
    pub(super) painting_text: Vec<(usize, Ready)>,
}

/// An image, or a part of one, that the next frame can show.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadyImage {
    pub(super) id: ResourceId,
    pub(super) size: Size,
    /// The share of the image's rows that is visible then, from 0 to 1.
    pub(super) rows: f64,
    /// The decoding time of the image; zero for a part that does not complete it.
    pub(super) decoding: Duration,
    pub(super) ready: Ready,
}
