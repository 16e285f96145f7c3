//! Images that are shown while they load.
//!
//! Chromium flushes the data of a loading image when its size is known, and then at most
//! once a second (`ImageResource::AppendData`, `kFlushDelay`,
//! <https://source.chromium.org/chromium/chromium/src/+/main:third_party/blink/renderer/core/loader/resource/image_resource.cc>).
//! All browsers are modelled alike. A flush is a task of the page's thread: what arrives while that
//! is busy counts, too. It shows the rows that have arrived, of a progressive image those of its
//! first scan.

use pagerace_core::{Destination, Duration, Instant};
use pagerace_page::timeline::Part;
use pagerace_page::{ImageCoding, Resource, ResourceId};

use super::Browser;
use super::state::{ReadyImage, Timer};
use super::tasks::FRAME;
use crate::paint::{Pushed, Shown, Size};

/// The minimum time between two flushes of a loading image.
const FLUSH_DELAY: Duration = Duration::from_secs(1);

/// The flushes of a loading image.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flushes {
    /// True if the size of the image is known.
    sized: bool,
    /// The time of the last flush; before the first delayed one, the time at which the
    /// first bytes arrived after the size was known.
    last: Option<Instant>,
    /// True if the next flush is scheduled or queued.
    queued: bool,
    /// The share of the image that has been flushed.
    shown: f64,
}

impl Browser {
    /// Handles new bytes of an image.
    pub(super) fn image_bytes_arrived(&mut self, now: Instant, id: ResourceId) {
        let index = id.index();
        let head = self.page.resources[index].image.head;
        let state = &mut self.states[index];
        let visible = self.layout.images[index].is_some_and(|image| image.incremental);
        if !visible || state.flushes.queued || state.received < head {
            return;
        }
        state.flushes.queued = true;
        let due = if state.flushes.sized {
            let last = *state.flushes.last.get_or_insert(now);
            now.max(last + FLUSH_DELAY)
        } else {
            now + self.overheads.delivery(Destination::Image)
        };
        self.schedule(due, Timer::Flush(id));
    }

    /// Flushes a loading image.
    pub(super) fn flush_image(&mut self, now: Instant, id: ResourceId) {
        let flushes = &mut self.states[id.index()].flushes;
        flushes.queued = false;
        let first = !std::mem::replace(&mut flushes.sized, true);
        if !first {
            flushes.last = Some(now);
        }
        if self.states[id.index()].settled.is_none() {
            self.show_image_so_far(id, first);
        }
    }

    /// Adds the newly arrived part of an image to the next frame. With the `first` flush the
    /// image is contentful, even if no row is there yet.
    fn show_image_so_far(&mut self, id: ResourceId, first: bool) {
        let index = id.index();
        let resource = &self.page.resources[index];
        let state = &mut self.states[index];
        let Some(image) =
            self.layout.images[index].filter(|_| state.received < resource.body_bytes)
        else {
            return;
        };
        let rows = rows(resource, state.received);
        let share = part_of_rows(image.rows, rows);
        if first || share > state.flushes.shown {
            let area = image.size.area * (share - state.flushes.shown);
            state.flushes.shown = share;
            let contentful = first && image.size.contentful;
            self.show_image(ReadyImage {
                id,
                size: Size {
                    contentful,
                    ..Size::part(area)
                },
                rows,
                decoding: Duration::ZERO,
                ready: self.current,
            });
        }
    }

    /// Adds the rest of a complete image in the viewport to the next frame.
    pub(super) fn image_loaded(&mut self, now: Instant, id: ResourceId) {
        if let Some(image) = self.layout.images[id.index()] {
            let decoding = self.costs.decode(&self.page.resources[id.index()]);
            let area = image.size.area * (1.0 - self.states[id.index()].flushes.shown);
            self.show_image(ReadyImage {
                id,
                size: Size { area, ..image.size },
                rows: 1.0,
                decoding,
                ready: self.current,
            });
        }
        self.processed(now, id);
    }

    /// Adds an image, or a part of one, to the next frame, or to the first one after scripts have
    /// put it on the page or built it anew.
    fn show_image(&mut self, mut image: ReadyImage) {
        let id = image.id;
        let waiting = self.layout.images[id.index()]
            .filter(|_| !self.rendering.placed_images.contains_key(&id));
        let later = &mut self.rendering.unplaced_images;
        if waiting.is_some_and(|shown| shown.made.is_some()) {
            later.entry(id).or_default().push(image);
            return;
        }
        if image.size.element > 0.0 && waiting.is_some_and(|shown| shown.rebuilt) {
            let element = image.size.element;
            later.entry(id).or_default().push(ReadyImage {
                size: Size {
                    element,
                    ..Size::part(0.0)
                },
                decoding: Duration::ZERO,
                ..image
            });
            image.size.element = (element - 1.0).max(0.0);
        }
        if self.is_reached(id) {
            self.rendering.ready_images.push(image);
        } else {
            self.rendering.unreached_images.push(image);
        }
    }

    /// Adds the images whose elements the parser of the page's document has reached to the next
    /// frame. The preload scanner may have requested them long before.
    pub(super) fn reach_images(&mut self) {
        for mut image in std::mem::take(&mut self.rendering.unreached_images) {
            if self.is_reached(image.id) {
                image.ready = image.ready.and(self.current);
                self.rendering.ready_images.push(image);
            } else {
                self.rendering.unreached_images.push(image);
            }
        }
    }

    /// Returns false for an image of the page's markup that the parser has not reached.
    fn is_reached(&self, id: ResourceId) -> bool {
        let node = &self.graph.nodes[id.index()];
        let frame = node
            .frame
            .filter(|frame| Some(*frame) == self.graph.document);
        let parser = frame.and_then(|frame| self.parsers[frame].as_ref());
        let ahead = parser.zip(node.anchor);
        ahead.is_none_or(|(parser, anchor)| parser.finished || anchor <= parser.parsed)
    }

    /// Paints an image, or a part of one. What contains it may still move.
    pub(super) fn paint_image(&mut self, shown: Instant, image: &ReadyImage) {
        let laid_out = self.rendering.layout_since;
        let told = self.layout.images[image.id.index()].filter(|told| !told.motion.is_zero());
        let times = told.map_or([shown, shown], |told| {
            let placed = self.rendering.placed_images.get(&image.id);
            let begin = placed.map_or(laid_out.at, |placed| laid_out.at.max(*placed));
            let presentation = self.overheads.later_presentation;
            // An image that arrives while its element fades in counts at once.
            let fades = !told.fade.is_zero() && image.ready.at < begin + FRAME;
            let counted = if fades {
                shown + told.fade + FRAME
            } else {
                shown
            };
            [begin + told.motion + presentation, counted]
        });
        let ready = image.ready.and(laid_out);
        // Only a complete image is a candidate for the largest paint.
        let pushed = self.layout.pushed_images[image.id.index()].as_ref();
        let pushed = pushed.filter(|_| image.size.element > 0.0);
        let size = self.size_now(image.size, pushed);
        let part = Shown {
            part: Some(Part::Image(image.id)),
            rows: image.rows,
        };
        self.screen
            .paint_moving(shown, times, Some(image.id), part, size, ready);
    }

    /// Returns the size of an element that is painted now: images that have no height yet may still
    /// move it.
    pub(super) fn size_now(&self, size: Size, pushed: Option<&Pushed>) -> Size {
        let has_height = |id: ResourceId| {
            let state = &self.states[id.index()];
            let head = self.page.resources[id.index()].image.head.max(1);
            state.settled.is_some() || state.received >= head
        };
        let element = pushed.and_then(|pushed| pushed.size(has_height));
        Size {
            element: element.unwrap_or(size.element),
            ..size
        }
    }
}

/// Returns the share of an image's rows that its first `received` bytes show, from 0 to 1.
fn rows(resource: &Resource, received: u64) -> f64 {
    let bytes = resource.image;
    let Some(ends) = bytes.rows else {
        let behind_head = |all: u64| all.saturating_sub(bytes.head) as f64;
        return match bytes.coding {
            ImageCoding::Progressive => 0.0,
            _ => behind_head(received) / behind_head(resource.body_bytes).max(1.0),
        };
    };
    let known = ends.partition_point(|end| *end <= received);
    let (from, to) = match known {
        0 => return 0.0,
        11 => return 1.0,
        _ => (ends[known - 1], ends[known]),
    };
    let part = received.saturating_sub(from) as f64 / to.saturating_sub(from).max(1) as f64;
    ((known - 1) as f64 + part.min(1.0)) / 10.0
}

/// Returns the part of an image's share of the picture that this share of its rows adds.
fn part_of_rows(parts: Option<[f64; 9]>, rows: f64) -> f64 {
    let Some(parts) = parts else { return rows };
    let part = |tenths: usize| match tenths {
        0 => 0.0,
        _ => parts.get(tenths - 1).copied().unwrap_or(1.0),
    };
    let tenths = (rows * 10.0).floor();
    let (from, to) = (part(tenths as usize), part(tenths as usize + 1));
    from + (to - from) * (rows * 10.0 - tenths)
}

/// Returns true for a vector graphic, which is a document of its own.
pub(super) fn is_vector(resource: &Resource) -> bool {
    resource.mime_type == "image/svg+xml"
}
