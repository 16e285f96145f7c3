//! The pixels of texts and boxes, in proportion to which their shares are divided.
//!
//! The ink of boxes is every pixel that is neither white nor like the canvas while images and text
//! are hidden. The ink of text is the change of pixels when text is hidden. The element painted
//! last over a pixel owns its ink.

use pagerace_core::visual::is_white;

use super::picture::Picture;

/// The ink of the viewport.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ink {
    width: usize,
    /// The ink of each pixel.
    text: Vec<u32>,
    boxes: Vec<u32>,
    /// The pixels of a picture per CSS pixel.
    scale: f64,
}

/// The least change of a pixel of a coloured canvas, over all three colours, that is not due to
/// compression.
const CHANGE_LEAST: u32 = 24;

/// An element that may own ink: true for text, and left, top, right and bottom in CSS pixels.
pub(super) type Place = (bool, [f64; 4]);

impl Ink {
    /// Computes the ink from the canvas, from the page without images and text, and from the page
    /// without images.
    pub(super) fn new(
        canvas: &Picture,
        bare: &Picture,
        imageless: &Picture,
        viewport: (f64, f64),
    ) -> Self {
        let (width, height) = (bare.width, bare.height);
        let places = || (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let change = |from: [u8; 3], to: [u8; 3]| {
            let pairs = from.into_iter().zip(to);
            pairs.map(|(a, b)| u32::from(a.abs_diff(b))).sum::<u32>()
        };
        let filled = |(x, y)| {
            let (canvas, bare) = (canvas.at(x, y), bare.at(x, y));
            let differs = is_white(canvas) || change(canvas, bare) >= CHANGE_LEAST;
            u32::from(differs && !is_white(bare))
        };
        Self {
            width,
            text: places()
                .map(|(x, y)| change(bare.at(x, y), imageless.at(x, y)))
                .collect(),
            boxes: places().map(filled).collect(),
            scale: width as f64 / viewport.0.max(1.0),
        }
    }

    /// Returns the share of the ink of its kind that each place owns; `places` are in
    /// order of painting. Also returns the share of the boxes' ink without an owner (borders
    /// and gradients). Text ink without an owner is divided among all texts.
    pub(super) fn owned(&self, places: &[Place]) -> (Vec<f64>, f64) {
        let mut shares = vec![0.0; places.len()];
        let mut unowned = 1.0;
        for (kind, ink) in [(true, &self.text), (false, &self.boxes)] {
            let (counts, nobody) = self.of_kind(kind, ink, places);
            let known: u64 = counts.iter().sum();
            let all = if kind { known } else { known + nobody };
            if all == 0 {
                continue;
            }
            for (share, count) in shares.iter_mut().zip(counts) {
                *share += count as f64 / all as f64;
            }
            if !kind {
                unowned = nobody as f64 / all as f64;
            }
        }
        (shares, unowned)
    }

    fn of_kind(&self, kind: bool, ink: &[u32], places: &[Place]) -> (Vec<u64>, u64) {
        let height = ink.len() / self.width.max(1);
        let mut owners: Vec<Option<usize>> = vec![None; ink.len()];
        for (owner, (is_text, rect)) in places.iter().enumerate() {
            if *is_text != kind {
                continue;
            }
            let [left, top, right, bottom] = rect.map(|side| side * self.scale);
            let span = |from: f64, to: f64, end: usize| {
                let pixel = |at: f64| at.round().clamp(0.0, end as f64) as usize;
                pixel(from)..pixel(to)
            };
            for y in span(top, bottom, height) {
                for x in span(left, right, self.width) {
                    owners[y * self.width + x] = Some(owner);
                }
            }
        }
        let (mut counts, mut nobody) = (vec![0; places.len()], 0);
        for (owner, amount) in owners.into_iter().zip(ink) {
            match owner {
                Some(owner) => counts[owner] += u64::from(*amount),
                None => nobody += u64::from(*amount),
            }
        }
        (counts, nobody)
    }
}
