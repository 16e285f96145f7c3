//! Small pictures of the screen, and the visual progress from one to another.

use pagerace_core::visual::Histograms;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

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
        Histograms::of(&self.pixels).progress_to(&Histograms::of(&last.pixels))
    }
}
