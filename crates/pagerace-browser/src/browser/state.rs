//! What a load knows of each resource, of the load event and of painting.

use std::collections::BTreeMap;

use pagerace_core::{Duration, Instant};
use pagerace_page::{ResourceId, Wait};

use super::images::Flushes;
use crate::Cached;
use crate::cause::Ready;
use crate::paint::Size;

/// One resource's way.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) discovered: Option<Ready>,
    /// What the cache has of it.
    pub(super) cached: Cached,
    /// The head arrived.
    pub(super) head: Option<Ready>,
    /// The document is there for its parser and its scanner; others always.
    pub(super) waits_for_commit: bool,
    /// The document's first request may leave.
    pub(super) prepared: Option<Instant>,
    /// Encoded body bytes in order.
    pub(super) received: u64,
    /// How many of them came from the cache.
    pub(super) from_cache: u64,
    /// Sum over bytes from the network of their time of arrival since the
    /// start, in nanoseconds.
    pub(super) byte_nanos: u128,
    /// The response is complete, or will never be.
    pub(super) settled: Option<Instant>,
    pub(super) failed: bool,
    /// It ended with something missing without which it is of no use, or only such a
    /// thing could have led to it.
    pub(super) broken: bool,
    /// It has run, been parsed, or whatever its role asks for.
    pub(super) processed: bool,
    /// Nothing will ever ask for it.
    pub(super) abandoned: bool,
    /// It will be asked for this long after what it waits for has happened.
    pub(super) armed: Option<Duration>,
    /// How many of its scanned children the scanner has seen.
    pub(super) scanned: usize,
    /// The browser's looks at it while it loads, if it is an image.
    pub(super) flushes: Flushes,
    /// The load event waits for it.
    pub(super) holds_load: bool,
    /// The first paint waits for it.
    pub(super) holds_paint: bool,
    /// The text waits for it (fonts).
    pub(super) holds_text: bool,
}

/// Something that happens by itself.
#[derive(Clone, Copy, Debug)]
pub(super) enum Timer {
    /// A trigger's delay, or the scanner's, is over.
    Discover(ResourceId),
    /// A request is ready to leave.
    Ask(ResourceId),
    /// A document takes the place of what was there.
    Commit(ResourceId),
    /// The cache has read a response.
    Cached(ResourceId),
    /// A thread's task is over.
    TaskDone(usize),
    /// The browser looks at a loading image.
    Flush(ResourceId),
    /// A frame may be drawn again.
    Frame,
    /// A script has made an element.
    TextMade(usize),
    /// The first paint is no longer held back.
    Reveal,
    /// Text stops waiting for fonts.
    FontBlockOver,
    /// Text stops waiting for this font.
    FontShown(ResourceId),
}

/// What the load event waits for.
#[derive(Debug, Default)]
pub(super) struct LoadEvent {
    pub(super) pending: usize,
    pub(super) queued: bool,
    pub(super) fired: Option<Ready>,
    pub(super) dom_content_loaded: Option<Ready>,
}

/// What the next paint waits for, and what it will show.
#[derive(Debug, Default)]
pub(super) struct Rendering {
    /// Render-blocking resources that are known and not done.
    pub(super) blockers: usize,
    /// Nothing is shown until so long after this has happened.
    pub(super) hidden_until: Option<(Wait, Duration)>,
    /// It has happened.
    pub(super) reveal_set: bool,
    /// Fonts that text waits for.
    pub(super) fonts: usize,
    pub(super) font_block_over: bool,
    /// When text stopped waiting for fonts, if it did.
    pub(super) fonts_since: Option<Ready>,
    /// The first layout is done.
    pub(super) laid_out: bool,
    /// When nothing stood in the way of the first layout any more.
    pub(super) layout_since: Ready,
    /// A task is queued, or runs, or waits for the next frame.
    pub(super) queued: bool,
    /// When it became possible.
    pub(super) since: Ready,
    pub(super) last_start: Option<Instant>,
    /// When the last frame was on the screen.
    pub(super) last_shown: Instant,
    /// Images in the viewport, or parts of them, that are there and not painted.
    pub(super) ready_images: Vec<ReadyImage>,
    /// Fonts and images of parsed sheets, until the next layout uses them.
    pub(super) awaiting_layout: Vec<(ResourceId, Ready)>,
    /// Images in the viewport that were asked for and that no layout has seen yet.
    pub(super) to_raise: Vec<ResourceId>,
    /// When the parser (or what makes it) passed each block of text.
    pub(super) text_since: BTreeMap<usize, Ready>,
    /// How many blocks of the markup the parser has passed.
    pub(super) text_parsed: usize,
    /// Blocks of text that were reached and not painted, in order.
    pub(super) text_waiting: Vec<usize>,
    /// What the running task shows: images, blocks of text.
    pub(super) painting: Vec<ReadyImage>,
    pub(super) painting_text: Vec<usize>,
    /// How text waits for each font of the page's document, by font.
    pub(super) font_holds: BTreeMap<ResourceId, FontHold>,
}

/// Text and a font, where the layout is recorded.
#[derive(Clone, Copy, Debug)]
pub(super) enum FontHold {
    /// Asked for by the markup; nothing has used it.
    Preloaded,
    /// Text in it is invisible.
    Hidden,
    /// Text in it is visible since then, in this font or another one.
    Shown(Ready),
}

/// An image, or a part of one, that the next frame can show.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadyImage {
    pub(super) id: ResourceId,
    pub(super) size: Size,
    /// How long its decoding takes: it is done for the frame that shows the whole image.
    pub(super) decoding: Duration,
    pub(super) ready: Ready,
}
