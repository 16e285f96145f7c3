//! What is on the screen, and since when.

use pagerace_core::{Duration, Instant};
use pagerace_page::ResourceId;

use super::{Size, TEXT_SHARE, VIEWPORT};
use crate::cause::{Cause, Ready};

/// Something that was painted.
#[derive(Clone, Copy, Debug)]
struct Painted {
    at: Instant,
    /// What it adds to the picture.
    area: f64,
    /// Its largest complete element; zero for parts of an image.
    element: f64,
    contentful: bool,
    image: Option<ResourceId>,
    /// When a frame could show it.
    ready: Ready,
}

/// All that was painted, in order of time.
#[derive(Debug, Default)]
pub(crate) struct Screen {
    painted: Vec<Painted>,
    /// Areas are known, not guessed.
    measured: bool,
    /// The largest element that will never be seen, in pixels.
    missing_element: f64,
    /// Something will never be seen, or not look as it should.
    incomplete: bool,
    /// Something is missing without which there is no right paint at all.
    void: bool,
}

impl Screen {
    /// A screen on which areas are recorded, if `measured`.
    pub(crate) fn new(measured: bool) -> Self {
        Self {
            measured,
            ..Self::default()
        }
    }

    /// A block of text appeared that a frame could show since `ready`.
    pub(crate) fn paint_text(&mut self, at: Instant, size: Size, ready: Ready) {
        self.paint(at, None, size, ready);
    }

    /// A part of an image appeared that a frame could show since `ready`; only
    /// what completes it is an element, and contentful.
    pub(crate) fn paint_image(&mut self, at: Instant, image: ResourceId, size: Size, ready: Ready) {
        self.paint(at, Some(image), size, ready);
    }

    /// Something of this size will never be seen.
    pub(crate) fn miss(&mut self, size: Size) {
        if size.area > 0.0 || size.element > 0.0 {
            self.incomplete = true;
            self.missing_element = self.missing_element.max(size.element);
        }
    }

    /// What is seen will never look as it should.
    pub(crate) fn miss_look(&mut self) {
        self.incomplete = true;
    }

    /// Nothing that is seen counts.
    pub(crate) fn void(&mut self) {
        self.incomplete = true;
        self.void = true;
    }

    fn paint(&mut self, at: Instant, image: Option<ResourceId>, size: Size, ready: Ready) {
        self.painted.push(Painted {
            at,
            area: size.area,
            element: size.element,
            contentful: size.contentful,
            image,
            ready,
        });
    }

    /// First contentful paint: text or a complete image.
    pub(crate) fn first(&self) -> Option<Instant> {
        let contentful = |p: &&Painted| p.contentful && !self.void;
        self.painted.iter().find(contentful).map(|p| p.at)
    }

    /// What the first contentful paint waited for last: of all that it showed,
    /// what could be shown first.
    pub(crate) fn first_cause(&self) -> Option<Cause> {
        let at = self.first()?;
        let shown = |p: &&Painted| p.at == at && p.contentful;
        let first = self.painted.iter().filter(shown).min_by_key(|p| p.ready.at);
        first.and_then(|p| p.ready.cause)
    }

    /// What the largest contentful paint waited for last.
    pub(crate) fn largest_cause(&self) -> Option<Cause> {
        self.largest_element().and_then(|p| p.ready.cause)
    }

    /// Each paint: when, the share of the final picture that it added, and
    /// what it waited for last.
    pub(crate) fn causes(&self) -> Vec<(Instant, f64, Option<Cause>)> {
        let weights = self.weights();
        let total: f64 = weights.iter().sum();
        let paint = |(p, weight): (&Painted, &f64)| (p.at, weight / total, p.ready.cause);
        self.painted.iter().zip(&weights).map(paint).collect()
    }

    /// Largest contentful paint: a later element counts only if it is larger
    /// than all before it.
    pub(crate) fn largest(&self) -> Option<Instant> {
        self.largest_element().map(|p| p.at)
    }

    /// The image that was the largest element; `None` if that was text.
    pub(crate) fn largest_image(&self) -> Option<ResourceId> {
        self.largest_element().and_then(|p| p.image)
    }

    fn largest_element(&self) -> Option<&Painted> {
        let mut largest: Option<&Painted> = None;
        for painted in self.painted.iter().filter(|p| p.element > 0.0) {
            if largest.is_none_or(|l| painted.element > l.element) {
                largest = Some(painted);
            }
        }
        // What was to be larger is missing: the largest never comes.
        largest.filter(|l| !self.void && l.element >= self.missing_element)
    }

    /// Pixels of all that was painted; where areas are guessed, more than the
    /// screen has.
    pub(crate) fn area(&self) -> f64 {
        self.painted.iter().map(|p| p.area).sum()
    }

    /// Area of all images together is scaled to what text leaves of the
    /// viewport, if it is more than that; where areas are guessed.
    fn image_scale(&self) -> f64 {
        if self.measured {
            return 1.0;
        }
        let images: f64 = self
            .painted
            .iter()
            .filter(|p| p.image.is_some())
            .map(|p| p.area)
            .sum();
        let room = VIEWPORT * (1.0 - TEXT_SHARE);
        if images > room { room / images } else { 1.0 }
    }

    /// What each paint adds to the picture, in pixels.
    fn weights(&self) -> Vec<f64> {
        let scale = self.image_scale();
        let weight = |p: &Painted| {
            if p.image.is_some() {
                p.area * scale
            } else {
                p.area
            }
        };
        let mut weights: Vec<f64> = self.painted.iter().map(weight).collect();
        // All that was painted is white, or was covered: the first paint is all.
        if weights.iter().sum::<f64>() <= 0.0
            && let Some(first) = weights.first_mut()
        {
            *first = 1.0;
        }
        weights
    }

    /// Visual progress: (time, share of the final picture), from (`start`, 0) to 1.
    pub(crate) fn progress(&self, start: Instant) -> Vec<(Instant, f64)> {
        if self.painted.is_empty() {
            return Vec::new();
        }
        let weights = self.weights();
        let total: f64 = weights.iter().sum();
        let mut points = vec![(start, 0.0)];
        let mut shown = 0.0;
        for (element, weight) in self.painted.iter().zip(weights) {
            shown += weight;
            let share = (shown / total).min(1.0);
            match points.last_mut() {
                Some(last) if last.0 == element.at => last.1 = share,
                _ => points.push((element.at, share)),
            }
        }
        // The sum is exact but for rounding.
        if let Some(last) = points.last_mut() {
            last.1 = 1.0;
        }
        points
    }

    /// Speed Index: the area above the curve of visual progress; none if the picture
    /// is never complete.
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
