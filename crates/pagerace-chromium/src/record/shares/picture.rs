//! Small pictures of the screen, and the visual progress from one to another.
//!
//! Visual progress as in speedline
//! (<https://github.com/paulirish/speedline/blob/main/core/src/frame.js>): each of red,
//! green and blue has a histogram. Pixels with all three values of at least 249 are white
//! and do not count. Progress is the intersection of the histograms with those of the
//! last picture, over the latter.

use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// The minimum value of all three colours of a white pixel.
const WHITE: u8 = 249;

/// A picture with one byte each for red, green and blue.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Picture {
    pub(super) width: usize,
    pub(super) height: usize,
    pixels: Vec<[u8; 3]>,
}

impl Picture {
    /// Creates a picture from rows of pixels, top row first.
    pub(super) fn new(width: usize, pixels: Vec<[u8; 3]>) -> Option<Self> {
        let height = pixels.len().checked_div(width)?;
        (height > 0 && width * height == pixels.len()).then_some(Self {
            width,
            height,
            pixels,
        })
    }

    pub(super) fn from_jpeg(bytes: &[u8]) -> Option<Self> {
        let options = DecoderOptions::default().jpeg_set_out_colorspace(ColorSpace::RGB);
        let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
        let pixels = decoder.decode().ok()?;
        let (width, _) = decoder.dimensions()?;
        Self::new(width, pixels.as_chunks().0.to_vec())
    }

    /// Returns the pixel at a position; zero outside.
    pub(super) fn at(&self, x: usize, y: usize) -> [u8; 3] {
        let inside = x < self.width;
        let pixel = self.pixels.get(y * self.width + x).filter(|_| inside);
        pixel.copied().unwrap_or_default()
    }

    /// Returns this picture with the pixels of another one of the same size where `shows` is true
    /// of their number.
    pub(super) fn replaced(&self, by: &Self, shows: impl Fn(usize) -> bool) -> Self {
        let both = self.pixels.iter().zip(&by.pixels).enumerate();
        let pixel = |(i, (own, other)): (usize, (&[u8; 3], &[u8; 3]))| {
            if shows(i) { *other } else { *own }
        };
        Self {
            pixels: both.map(pixel).collect(),
            ..*self
        }
    }

    /// Returns the share of `last` that is visible in this picture, from 0 to 1; 1 if
    /// `last` is all white.
    pub(super) fn progress_to(&self, last: &Self) -> f64 {
        let (mut common, mut all) = (0_u64, 0_u64);
        for (now, end) in self.histograms().iter().zip(last.histograms()) {
            for (now, end) in now.iter().zip(end) {
                common += u64::from((*now).min(end));
                all += u64::from(end);
            }
        }
        if all == 0 {
            1.0
        } else {
            common as f64 / all as f64
        }
    }

    fn histograms(&self) -> [[u32; 256]; 3] {
        let mut counts = [[0; 256]; 3];
        for pixel in self.pixels.iter().filter(|p| !is_white(**p)) {
            for (count, value) in counts.iter_mut().zip(pixel) {
                count[usize::from(*value)] += 1;
            }
        }
        counts
    }
}

/// Returns true if a pixel is white and does not count.
pub(super) fn is_white(pixel: [u8; 3]) -> bool {
    pixel.iter().all(|value| *value >= WHITE)
}
