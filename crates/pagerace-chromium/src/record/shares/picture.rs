//! Small pictures of the screen, and how far one has come towards another.
//!
//! Visual progress as speedline has it
//! (<https://github.com/paulirish/speedline/blob/main/core/src/frame.js>): one
//! histogram for each of red, green and blue; pixels of 249 and above in all three
//! are white and do not count; progress is what the histograms have in common, of
//! what the last one has.

use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// From this value on, in all colours, a pixel is white.
const WHITE: u8 = 249;

/// A picture, red, green and blue in a byte each.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Picture {
    pub(super) width: usize,
    pub(super) height: usize,
    pixels: Vec<[u8; 3]>,
}

impl Picture {
    /// Rows from the top down.
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

    /// Zero outside.
    pub(super) fn at(&self, x: usize, y: usize) -> [u8; 3] {
        let inside = x < self.width;
        let pixel = self.pixels.get(y * self.width + x).filter(|_| inside);
        pixel.copied().unwrap_or_default()
    }

    /// The share of `last` that is there in this one, 0 to 1; 1 if all of `last`
    /// is white.
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

/// Whether a pixel counts for nothing.
pub(super) fn is_white(pixel: [u8; 3]) -> bool {
    pixel.iter().all(|value| *value >= WHITE)
}
