//! Small grey frames of a load, which a file of observations can hold.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use pagerace_core::visual::Histograms;
use pagerace_report::film::Raster;
use serde::{Deserialize, Serialize};

/// Longest side of a frame in pixels.
pub(super) const SIDE: usize = 96;
/// Most bytes of all frames of a load that is read.
const BYTES_MAX: usize = 64 << 20;
/// Latest time of a frame that is read, milliseconds.
const MS_MAX: f64 = 3_600_000.0;
/// Visual progress of the finished page in thousandths.
const WHOLE: u16 = 1_000;

/// Distinct frames of a load in order of time. Before the first one, the screen is white.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct Reel {
    width: usize,
    height: usize,
    frames: Vec<Frame>,
}

/// A frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Time since the start of the navigation from which it is seen, milliseconds.
    pub ms: f64,
    /// Visual progress: the share of the last frame that is visible, by the colours of all pixels.
    pub share: f64,
    /// Brightness of the pixels, row by row.
    pub luma: Vec<u8>,
}

impl Reel {
    /// Creates a reel from frames in order of time, whose own frames have this width and height.
    /// Returns `None` without frames.
    pub fn of(frames: &[(f64, Raster)], (width, height): (usize, usize)) -> Option<Self> {
        let (_, last) = frames.last()?;
        let last = Histograms::of(&last.pixels);
        let mut own: Vec<Frame> = Vec::new();
        for (ms, frame) in frames {
            let frame = Frame {
                ms: (ms * 10.0).round() / 10.0,
                share: (Histograms::of(&frame.pixels).progress_to(&last) * 1e3).round() / 1e3,
                luma: frame.luma(width, height),
            };
            let shows = |one: &Frame| one.luma == frame.luma && one.share.eq(&frame.share);
            if !own.last().is_some_and(shows) {
                own.push(frame);
            }
        }
        Some(Self {
            width,
            height,
            frames: own,
        })
    }

    /// Creates a reel from screenshots: times in milliseconds, and JPEG in base64. Returns `None`
    /// if there are none or one is damaged.
    pub fn of_shots<'a>(shots: impl Iterator<Item = (f64, &'a str)>) -> Option<Self> {
        let frames = shots.map(|(ms, jpeg)| Some((ms, Raster::from_jpeg(jpeg)?)));
        let frames: Vec<(f64, Raster)> = frames.collect::<Option<_>>()?;
        let (_, first) = frames.first()?;
        let longest = first.width.max(first.height);
        let small = |side: usize| (side * SIDE / longest).max(1);
        Self::of(&frames, (small(first.width), small(first.height)))
    }

    /// Returns width and height of the frames in pixels.
    pub fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    /// Returns the frames.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// Returns the frame that is seen at a time.
    pub fn at(&self, ms: f64) -> Option<&Frame> {
        let until = self.frames.partition_point(|frame| frame.ms <= ms);
        self.frames[..until].last()
    }

    /// Returns the first frame with this visual progress.
    pub fn with(&self, share: f64) -> Option<&Frame> {
        self.frames.iter().find(|frame| frame.share >= share)
    }

    /// Returns the Speed Index of the frames in milliseconds. Progress counts in whole per cent,
    /// rounded down, as in speedline.
    pub fn speed_index(&self) -> f64 {
        let (mut index, mut since, mut shown) = (0.0, 0.0, 0.0);
        for frame in &self.frames {
            index += (frame.ms - since) * (1.0 - shown);
            since = frame.ms;
            // Shares are whole thousandths, which binary fractions are not.
            shown = ((frame.share * 1e3).round() / 10.0).floor() / 100.0;
        }
        index
    }

    /// Returns the reel that shows the last frame from the first one on.
    #[must_use]
    pub fn at_once(&self) -> Self {
        let (first, last) = (self.frames.first(), self.frames.last());
        let both = first.zip(last).map(|(first, last)| Frame {
            ms: first.ms,
            ..last.clone()
        });
        Self {
            frames: both.into_iter().collect(),
            ..*self
        }
    }
}

/// The form of a reel in files.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    /// Height of a frame in pixels.
    height: usize,
    /// Times in milliseconds.
    ms: Vec<f64>,
    /// Visual progress in thousandths.
    progress: Vec<u16>,
    /// All frames, one below the other: a grey PNG file in base64.
    frames: String,
}

/// The reason why a reel cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReelError(&'static str);

impl fmt::Display for ReelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the frames of a load are damaged: {}", self.0)
    }
}

impl From<Reel> for Stored {
    fn from(reel: Reel) -> Self {
        let all: Vec<u8> = reel.frames.iter().flat_map(|f| f.luma.clone()).collect();
        let rows = reel.height * reel.frames.len();
        let mut png = Vec::new();
        let mut encoder = png::Encoder::new(&mut png, reel.width as u32, rows as u32);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        let writer = encoder.write_header();
        let written = writer.and_then(|mut writer| writer.write_image_data(&all));
        written.expect("a vector takes a picture of this size");
        let progress = reel.frames.iter().map(|frame| (frame.share * 1e3).round());
        Self {
            height: reel.height,
            ms: reel.frames.iter().map(|frame| frame.ms).collect(),
            progress: progress.map(|share| share as u16).collect(),
            frames: BASE64.encode(png),
        }
    }
}

impl TryFrom<Stored> for Reel {
    type Error = ReelError;

    fn try_from(stored: Stored) -> Result<Self, ReelError> {
        let bytes = BASE64.decode(&stored.frames);
        let bytes = bytes.map_err(|_| ReelError("they are not base64"))?;
        let no_png = ReelError("they are no grey PNG file");
        let decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        let mut reader = decoder.read_info().map_err(|_| no_png)?;
        let size = reader
            .output_buffer_size()
            .filter(|size| *size <= BYTES_MAX);
        let mut pixels = vec![0; size.ok_or(ReelError("they are too large"))?];
        let info = reader.next_frame(&mut pixels).map_err(|_| no_png)?;
        if info.color_type != png::ColorType::Grayscale || info.bit_depth != png::BitDepth::Eight {
            return Err(no_png);
        }
        let (width, rows) = (info.width as usize, info.height as usize);
        let count = stored.ms.len();
        let expected = stored.height.checked_mul(count);
        if stored.height == 0 || stored.progress.len() != count || expected != Some(rows) {
            return Err(ReelError("their number differs from that of their times"));
        }
        if !stored.ms.is_sorted() {
            return Err(ReelError("their times do not ascend"));
        }
        if !stored.ms.iter().all(|ms| (0.0..=MS_MAX).contains(ms)) {
            return Err(ReelError("one has a time below zero or above an hour"));
        }
        if stored.progress.iter().any(|share| *share > WHOLE) {
            return Err(ReelError("one has more visual progress than the last"));
        }
        let luma = pixels.chunks_exact(width * stored.height);
        let told = stored.ms.iter().zip(&stored.progress);
        let frames = told.zip(luma).map(|((ms, progress), luma)| Frame {
            ms: *ms,
            share: f64::from(*progress) / 1e3,
            luma: luma.to_vec(),
        });
        Ok(Self {
            width,
            height: stored.height,
            frames: frames.collect(),
        })
    }
}
