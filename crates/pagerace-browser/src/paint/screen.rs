//! The painted elements and the metrics of painting.

use pagerace_core::{Duration, Instant};
use pagerace_page::ResourceId;
use pagerace_page::timeline::{Paint, Part};

use super::Size;
use crate::cause::{Cause, Ready};

/// The error of a sum of shares, in per cent, that does not count as less than a whole per cent.
const ROUNDING: f64 = 1e-6;

/// A painted element.
#[derive(Clone, Copy, Debug)]
struct Painted {
    at: Instant,
    /// The time at which the contentful paints count the element: `at`, or the end of its fade.
    counted: Instant,
    /// The time from which the element counts as visible while it fades in or moves into place;
    /// `at` if it does not move.
    in_place: Instant,
    size: Size,
    image: Option<ResourceId>,
    shown: Shown,
    /// The time from which a frame could show the element, and its cause.
    ready: Ready,
}

/// The part of a paint that a person sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shown {
    /// The part of the picture; `None` for the canvas.
    pub(crate) part: Option<Part>,
    /// The share of an image's rows that is visible from then on, from 0 to 1.
    pub(crate) rows: f64,
}

impl Shown {
    /// A part that is visible as a whole.
    pub(crate) const fn whole(part: Option<Part>) -> Self {
        Self { part, rows: 1.0 }
    }
}

/// All paints in order of time.
#[derive(Debug)]
pub(crate) struct Screen {
    painted: Vec<Painted>,
    /// The time at which an overlay was gone, and the cause of that.
    uncovered: Option<(Instant, Option<Cause>)>,
    /// The pixels that images share.
    image_room: f64,
    /// The size of the largest element that will never be shown, in pixels.
    missing_element: f64,
    /// True if some content will never be shown, or not as it should.
    incomplete: bool,
    /// True if missing content makes every paint invalid.
    void: bool,
}

impl Screen {
    /// Creates a screen on which all images together cover at most `image_room` pixels.
    pub(crate) const fn new(image_room: f64) -> Self {
        Self {
            painted: Vec::new(),
            uncovered: None,
            image_room,
            missing_element: 0.0,
            incomplete: false,
            void: false,
        }
    }

    /// Adds text, or an image or a part of one, that a frame could show since `ready`. Only
    /// the part that completes an image is an element.
    pub(crate) fn paint(
        &mut self,
        at: Instant,
        image: Option<ResourceId>,
        size: Size,
        ready: Ready,
    ) {
        let shown = Shown::whole(image.map(Part::Image));
        self.paint_moving(at, [at, at], image, shown, size, ready);
    }

    /// Adds an element that fades in or moves into place. It counts as visible from `in_place` on,
    /// and for the contentful paints from `counted` on.
    pub(crate) fn paint_moving(
        &mut self,
        at: Instant,
        [in_place, counted]: [Instant; 2],
        image: Option<ResourceId>,
        shown: Shown,
        size: Size,
        ready: Ready,
    ) {
        self.painted.push(Painted {
            at,
            counted: counted.max(at),
            in_place,
            size,
            image,
            shown,
            ready,
        });
    }

    /// Records that the overlay of the page is gone: earlier paints become visible.
    pub(crate) fn uncover(&mut self, at: Instant, cause: Option<Cause>) {
        self.uncovered = Some((at, cause));
    }

    /// Returns the time from which a paint counts as visible, and its cause.
    fn visible(&self, painted: &Painted) -> (Instant, Option<Cause>) {
        let shown = painted.at.max(painted.in_place);
        let uncovered = self.uncovered.filter(|(at, _)| *at > shown);
        uncovered.unwrap_or((shown, painted.ready.cause))
    }

    /// Records that an element of this size will never be shown.
    pub(crate) fn miss(&mut self, size: Size) {
        if size.area > 0.0 || size.element > 0.0 {
            self.incomplete = true;
            self.missing_element = self.missing_element.max(size.element);
        }
    }

    /// Records that the content shown will never look as it should.
    pub(crate) fn miss_look(&mut self) {
        self.incomplete = true;
    }

    /// Records that no paint is valid.
    pub(crate) fn void(&mut self) {
        self.incomplete = true;
        self.void = true;
    }

    /// Returns true once a paint was contentful, whether or not its fade has ended.
    pub(crate) fn has_first(&self) -> bool {
        !self.void && self.painted.iter().any(|p| p.size.contentful)
    }

    /// Returns the first contentful paint: text, or the first part of an image.
    pub(crate) fn first(&self) -> Option<Instant> {
        let contentful = |p: &&Painted| p.size.contentful && !self.void;
        let all = self.painted.iter().filter(contentful);
        all.map(|p| p.counted).min()
    }

    /// Returns the cause of the first contentful paint, which is the cause of the
    /// earliest ready element in it.
    pub(crate) fn first_cause(&self) -> Option<Cause> {
        let at = self.first()?;
        let shown = |p: &&Painted| p.counted == at && p.size.contentful;
        let first = self.painted.iter().filter(shown).min_by_key(|p| p.ready.at);
        first.and_then(|p| p.ready.cause)
    }

    /// Returns the cause of the largest contentful paint.
    pub(crate) fn largest_cause(&self) -> Option<Cause> {
        self.largest_element().and_then(|p| p.ready.cause)
    }

    /// Returns the time of each paint, its share of the final picture, and its cause. The sum of
    /// the shares up to each paint is in whole per cent, rounded down, as in speedline
    /// (<https://github.com/paulirish/speedline/blob/main/core/src/speed-index.js>).
    pub(crate) fn causes(&self) -> Vec<(Instant, f64, Option<Cause>)> {
        let weights = self.weights();
        let total: f64 = weights.iter().sum();
        let paint = |(p, weight): (&Painted, &f64)| {
            let (at, cause) = self.visible(p);
            (at, weight / total, cause)
        };
        let mut causes: Vec<_> = self.painted.iter().zip(&weights).map(paint).collect();
        causes.sort_by_key(|(at, ..)| *at);
        let (mut exact, mut shown) = (0.0, 0.0);
        for (_, share, _) in &mut causes {
            exact += *share;
            let whole = f64::min((exact * 100.0 + ROUNDING).floor() / 100.0, 1.0);
            *share = whole - shown;
            shown = whole;
        }
        causes
    }

    /// Returns the largest contentful paint. A later element counts only if it is larger
    /// than all previous ones.
    pub(crate) fn largest(&self) -> Option<Instant> {
        self.largest_element().map(|p| p.counted)
    }

    /// Returns the image that was the largest element, or `None` if it was text.
    pub(crate) fn largest_image(&self) -> Option<ResourceId> {
        self.largest_element().and_then(|p| p.image)
    }

    fn largest_element(&self) -> Option<&Painted> {
        let mut largest: Option<&Painted> = None;
        for painted in self.painted.iter().filter(|p| p.size.element > 0.0) {
            if largest.is_none_or(|l| painted.size.element > l.size.element) {
                largest = Some(painted);
            }
        }
        // If a larger element is missing, the largest contentful paint never happens.
        largest.filter(|l| !self.void && l.size.element >= self.missing_element)
    }

    /// Returns the pixels of all paints. If areas are guessed, this may exceed the screen.
    pub(crate) fn area(&self) -> f64 {
        self.painted.iter().map(|p| p.size.area).sum()
    }

    /// Returns the factor that limits the areas of images to their room.
    fn image_scale(&self) -> f64 {
        let images = self.painted.iter().filter(|p| p.image.is_some());
        let images: f64 = images.map(|p| p.size.area).sum();
        if images > self.image_room {
            self.image_room / images
        } else {
            1.0
        }
    }

    /// Returns the pixels that each paint adds to the picture.
    fn weights(&self) -> Vec<f64> {
        let scale = self.image_scale();
        let weight = |p: &Painted| {
            if p.image.is_some() {
                p.size.area * scale
            } else {
                p.size.area
            }
        };
        let mut weights: Vec<f64> = self.painted.iter().map(weight).collect();
        // If all painted content is white or covered, the first paint is the whole picture.
        if weights.iter().sum::<f64>() <= 0.0
            && let Some(first) = weights.first_mut()
        {
            *first = 1.0;
        }
        weights
    }

    /// Returns the parts of the picture in the order in which they become visible, with times since
    /// `start`.
    pub(crate) fn paints(&self, start: Instant) -> Vec<Paint> {
        let paint = |painted: &Painted| {
            let part = painted.shown.part?;
            Some(Paint {
                at: Instant::ZERO + self.visible(painted).0.since(start),
                part,
                rows: (painted.shown.rows * 1e3) as u16,
                area: painted.size.area as u32,
            })
        };
        let mut paints: Vec<Paint> = self.painted.iter().filter_map(paint).collect();
        paints.sort_by_key(|paint| paint.at);
        paints
    }

    /// Returns visual progress: (time, share of the final picture), from (`start`, 0) to 1.
    pub(crate) fn progress(&self, start: Instant) -> Vec<(Instant, f64)> {
        if self.painted.is_empty() {
            return Vec::new();
        }
        let mut points = vec![(start, 0.0)];
        let mut shown = 0.0;
        for (at, share, _) in self.causes() {
            shown += share;
            let share = f64::min(shown, 1.0);
            match points.last_mut() {
                Some(last) if last.0 == at => last.1 = share,
                _ => points.push((at, share)),
            }
        }
        // The last share is 1 except for rounding.
        if let Some(last) = points.last_mut() {
            last.1 = 1.0;
        }
        points
    }

    /// Returns the Speed Index, the area above the curve of visual progress, or `None` if
    /// the picture is never complete.
    pub(crate) fn speed_index(&self, start: Instant) -> Option<Duration> {
        if self.incomplete {
            return None;
        }
        let points = self.progress(start);
        let millis: f64 = points
            .windows(2)
            .map(|pair| pair[1].0.since(pair[0].0).as_millis_f64() * (1.0 - pair[0].1))
            .sum();
        (!points.is_empty()).then(|| Duration::from_millis_f64(millis))
    }
}
