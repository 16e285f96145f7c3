//! Frames of a film as pixels. The player's script draws the same: boxes first, then text, then
//! images, then the text in front of images.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use embedded_graphics::Drawable as _;
use embedded_graphics::draw_target::DrawTarget;
use embedded_graphics::geometry::{Dimensions, Point, Size};
use embedded_graphics::mono_font::iso_8859_1::{FONT_7X13, FONT_7X13_BOLD};
use embedded_graphics::mono_font::{MonoFont, MonoTextStyle};
use embedded_graphics::pixelcolor::{Rgb888, RgbColor as _};
use embedded_graphics::primitives::Rectangle;
use embedded_graphics::text::{Baseline, Text};
use image_webp::WebPDecoder;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use super::{FilmRun, PartKind, Scene, ScenePart, Show};

/// A colour: red, green and blue.
pub(super) type Colour = [u8; 3];

pub(super) const PAPER: Colour = [255, 255, 255];
pub(super) const INK: Colour = [26, 28, 32];
pub(super) const MUTED: Colour = [90, 95, 104];
pub(super) const LINE: Colour = [185, 189, 198];
pub(super) const FIRST: Colour = [0, 114, 178];
pub(super) const LARGEST: Colour = [196, 78, 0];
const BOX: Colour = [231, 233, 238];
const IMAGE: Colour = [207, 229, 243];
const EDGE: Colour = [50, 151, 211];

/// Width of text in another font, as a share of its own.
const NARROW: f64 = 0.94;
/// Side of the squares of a coarse image, CSS pixels.
const COARSE: f64 = 16.0;
/// Most pixels of a picture that is decoded.
const PIXELS_MAX: u64 = 64 << 20;

/// Height of a line of text in pixels.
pub(super) const TEXT_HEIGHT: usize = 13;
/// Width of a letter in pixels.
pub(super) const LETTER_WIDTH: usize = 7;

/// A picture of pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raster {
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// Rows of pixels, the upper first.
    pub pixels: Vec<Colour>,
}

/// A rectangle of whole pixels: left, upper, right and lower edge.
type Edges = [usize; 4];

impl Raster {
    pub(super) fn new(width: usize, height: usize, colour: Colour) -> Self {
        Self {
            width,
            height,
            pixels: vec![colour; width * height],
        }
    }

    /// Decodes a picture to this size; `None` if it is damaged or too large.
    fn decoded(webp: &str, width: usize, height: usize) -> Option<Self> {
        let bytes = BASE64.decode(webp).ok()?;
        let mut decoder = WebPDecoder::new(std::io::Cursor::new(bytes)).ok()?;
        let (w, h) = decoder.dimensions();
        if u64::from(w) * u64::from(h) > PIXELS_MAX {
            return None;
        }
        let mut data = vec![0; decoder.output_buffer_size()?];
        decoder.read_image(&mut data).ok()?;
        let depth = if decoder.has_alpha() { 4 } else { 3 };
        let own = Self {
            width: w as usize,
            height: h as usize,
            pixels: data
                .chunks_exact(depth)
                .map(|p| [p[0], p[1], p[2]])
                .collect(),
        };
        Some(own.resized(width, height))
    }

    /// Decodes a screenshot; `None` if it is damaged or too large.
    pub fn from_jpeg(base64: &str) -> Option<Self> {
        let bytes = BASE64.decode(base64).ok()?;
        let options = DecoderOptions::default().jpeg_set_out_colorspace(ColorSpace::RGB);
        let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
        let pixels = decoder.decode().ok()?;
        let (width, height) = decoder.dimensions()?;
        Some(Self {
            width,
            height,
            pixels: pixels.as_chunks().0.to_vec(),
        })
    }

    /// Returns the brightness of the picture at another size: the luma of JPEG (ITU-T T.871).
    pub fn luma(&self, width: usize, height: usize) -> Vec<u8> {
        let small = self.resized(width, height);
        let luma = |[r, g, b]: &Colour| {
            let [r, g, b] = [*r, *g, *b].map(u32::from);
            ((299 * r + 587 * g + 114 * b + 500) / 1_000) as u8
        };
        small.pixels.iter().map(luma).collect()
    }

    /// Returns the picture at another size: each pixel is the mean of those that it covers.
    #[must_use]
    pub fn resized(&self, width: usize, height: usize) -> Self {
        let span = |at: usize, from: usize, to: usize| {
            let begin = at * from / to;
            (begin, ((at + 1) * from).div_ceil(to).clamp(begin + 1, from))
        };
        let mut all = Self::new(width, height, PAPER);
        for y in 0..height {
            let (top, bottom) = span(y, self.height, height);
            for x in 0..width {
                let (left, right) = span(x, self.width, width);
                all.pixels[y * width + x] = self.mean([left, top, right, bottom]);
            }
        }
        all
    }

    fn mean(&self, [left, top, right, bottom]: Edges) -> Colour {
        let mut sum = [0_usize; 3];
        for y in top..bottom {
            for pixel in &self.pixels[y * self.width + left..y * self.width + right] {
                for (sum, part) in sum.iter_mut().zip(pixel) {
                    *sum += usize::from(*part);
                }
            }
        }
        let count = ((right - left) * (bottom - top)).max(1);
        sum.map(|part| (part / count) as u8)
    }

    /// Fills a rectangle, cut to the picture.
    pub(super) fn fill(&mut self, [left, top, right, bottom]: Edges, colour: Colour) {
        let right = right.min(self.width);
        for y in top..bottom.min(self.height) {
            for pixel in self
                .pixels
                .get_mut(y * self.width + left.min(right)..y * self.width + right)
                .into_iter()
                .flatten()
            {
                *pixel = colour;
            }
        }
    }

    /// Draws the edge of a rectangle, inside of it.
    pub(super) fn outline(
        &mut self,
        [left, top, right, bottom]: Edges,
        wide: usize,
        colour: Colour,
    ) {
        self.fill([left, top, right, top + wide], colour);
        self.fill([left, bottom.saturating_sub(wide), right, bottom], colour);
        self.fill([left, top, left + wide, bottom], colour);
        self.fill([right.saturating_sub(wide), top, right, bottom], colour);
    }

    /// Copies another picture to a place.
    pub(super) fn place(&mut self, other: &Self, left: usize, top: usize) {
        for y in 0..other.height.min(self.height.saturating_sub(top)) {
            let count = other.width.min(self.width.saturating_sub(left));
            let from = y * other.width;
            let to = (top + y) * self.width + left;
            self.pixels[to..to + count].copy_from_slice(&other.pixels[from..from + count]);
        }
    }

    /// Writes a line of text. Letters outside Latin-1 become question marks.
    pub(super) fn write(
        &mut self,
        text: &str,
        left: usize,
        top: usize,
        colour: Colour,
        bold: bool,
    ) {
        let font: &MonoFont<'_> = if bold { &FONT_7X13_BOLD } else { &FONT_7X13 };
        let [r, g, b] = colour;
        let style = MonoTextStyle::new(font, Rgb888::new(r, g, b));
        let at = Point::new(left as i32, top as i32);
        // A raster accepts all pixels.
        let _ = Text::with_baseline(text, at, style, Baseline::Top).draw(self);
    }
}

impl Dimensions for Raster {
    fn bounding_box(&self) -> Rectangle {
        Rectangle::new(
            Point::zero(),
            Size::new(self.width as u32, self.height as u32),
        )
    }
}

impl DrawTarget for Raster {
    type Color = Rgb888;
    type Error = std::convert::Infallible;

    fn draw_iter<I>(&mut self, pixels: I) -> Result<(), Self::Error>
    where
        I: IntoIterator<Item = embedded_graphics::Pixel<Rgb888>>,
    {
        for embedded_graphics::Pixel(at, colour) in pixels {
            let (Ok(x), Ok(y)) = (usize::try_from(at.x), usize::try_from(at.y)) else {
                continue;
            };
            if x < self.width && y < self.height {
                self.pixels[y * self.width + x] = [colour.r(), colour.g(), colour.b()];
            }
        }
        Ok(())
    }
}

/// Draws frames of one scene at one size.
pub(super) struct Painter<'a> {
    scene: &'a Scene,
    pub(super) width: usize,
    pub(super) height: usize,
    layers: Option<Layers>,
    /// The colour beside each part, for the time before a box, or an image in front of another one,
    /// is there.
    behind: Vec<Option<Colour>>,
}

struct Layers {
    whole: Raster,
    textless: Option<Raster>,
    imageless: Option<Raster>,
    bare: Option<Raster>,
    canvas: Option<Raster>,
}

impl<'a> Painter<'a> {
    pub(super) fn new(scene: &'a Scene, width: usize) -> Self {
        let (across, down) = scene.viewport;
        let height = (width * down as usize / (across as usize).max(1)).clamp(1, 4 * width);
        let layers = scene.pictures.as_ref().and_then(|told| {
            let layer = |data: &Option<String>| Raster::decoded(data.as_ref()?, width, height);
            Some(Layers {
                whole: Raster::decoded(&told.whole, width, height)?,
                textless: layer(&told.textless),
                imageless: layer(&told.imageless),
                bare: layer(&told.bare),
                canvas: layer(&told.canvas),
            })
        });
        let mut painter = Self {
            scene,
            width,
            height,
            layers,
            behind: Vec::new(),
        };
        let beside = |part| painter.beside(part);
        painter.behind = scene.parts.iter().map(beside).collect();
        painter
    }

    /// Returns the colour beside a part.
    fn beside(&self, part: &ScenePart) -> Option<Colour> {
        let layers = self.layers.as_ref()?;
        let layer = if part.kind.is_image() {
            &layers.textless
        } else {
            &layers.bare
        };
        let layer = layer.as_ref()?;
        let [left, top, right, bottom] = self.edges(part.place, 1.0, 1.0);
        let (x, y) = (usize::midpoint(left, right), usize::midpoint(top, bottom));
        let around = [
            (left.checked_sub(1), Some(y)),
            (Some(x), top.checked_sub(1)),
            (Some(right), Some(y)),
            (Some(x), Some(bottom)),
        ];
        let pixel = |(x, y): (Option<usize>, Option<usize>)| {
            let (x, y) = (x?, y?);
            (x < layer.width && y < layer.height).then(|| layer.pixels[y * layer.width + x])
        };
        around.into_iter().find_map(pixel)
    }

    /// Returns the pixels of a place of which these shares of its width and height count.
    fn edges(&self, [x, y, width, height]: [i32; 4], across: f64, down: f64) -> Edges {
        let scale = self.width as f64 / f64::from(self.scene.viewport.0.max(1));
        let pixel = |at: f64| (at * scale).round().max(0.0) as usize;
        let (left, top) = (f64::from(x), f64::from(y));
        [
            pixel(left).min(self.width),
            pixel(top).min(self.height),
            pixel(left + f64::from(width) * across).min(self.width),
            pixel(top + f64::from(height) * down).min(self.height),
        ]
    }

    /// Returns the frame of a load at a time in milliseconds, with the largest element outlined once
    /// it is painted.
    pub(super) fn at(&self, run: &FilmRun, ms: f64) -> Raster {
        if run.shots.is_empty() {
            return self.frame(
                &run.levels(self.scene.parts.len(), ms),
                run.has_reached("lcp", ms),
            );
        }
        let shown = run.shots.iter().take_while(|shot| shot.ms <= ms).last();
        let shot = shown.and_then(|shot| Raster::from_jpeg(&shot.jpeg));
        shot.map_or_else(
            || Raster::new(self.width, self.height, PAPER),
            |shot| shot.resized(self.width, self.height),
        )
    }

    /// Returns the frame in which this much of each part is visible, in per cent.
    pub(super) fn frame(&self, levels: &[u8], outlined: bool) -> Raster {
        let mut frame = Raster::new(self.width, self.height, PAPER);
        if levels.iter().all(|level| *level == 0) {
            return frame;
        }
        match &self.layers {
            None => {
                for (part, level) in self.scene.parts.iter().zip(levels) {
                    self.sketch(&mut frame, part, *level);
                }
            }
            Some(layers) if levels.iter().all(|level| *level == 100) => {
                frame = layers.whole.clone();
            }
            Some(layers) => self.compose(&mut frame, layers, levels),
        }
        let largest = self.scene.largest.filter(|_| outlined);
        if let Some(part) = largest.and_then(|part| self.scene.parts.get(part)) {
            frame.outline(self.edges(part.place, 1.0, 1.0), 2, LARGEST);
        }
        frame
    }

    fn compose(&self, frame: &mut Raster, layers: &Layers, levels: &[u8]) {
        let bare = layers.bare.as_ref().unwrap_or(&layers.whole);
        let imageless = layers.imageless.as_ref().unwrap_or(&layers.whole);
        let textless = layers.textless.as_ref().unwrap_or(&layers.whole);
        if let Some(ground) = layers.bare.as_ref().or(layers.canvas.as_ref()) {
            frame.place(ground, 0, 0);
        }
        let parts = || self.scene.parts.iter().zip(levels).zip(&self.behind);
        let mut shown: Vec<Edges> = Vec::new();
        for ((part, level), behind) in parts().filter(|((p, _), _)| p.kind == PartKind::Box) {
            let edges = self.edges(part.place, 1.0, 1.0);
            let holds = |outer: &Edges| {
                outer[0] <= edges[0]
                    && outer[1] <= edges[1]
                    && outer[2] >= edges[2]
                    && outer[3] >= edges[3]
            };
            if *level > 0 {
                copy(frame, bare, edges);
                shown.push(edges);
            } else if let Some(behind) = behind.filter(|_| shown.iter().any(holds)) {
                frame.fill(edges, behind);
            } else if let Some(canvas) = &layers.canvas {
                copy(frame, canvas, edges);
            }
        }
        let mut texts = Vec::new();
        for ((part, level), _) in parts().filter(|((p, l), _)| p.kind == PartKind::Text && **l > 0)
        {
            let share = if *level == Show::FALLBACK {
                NARROW
            } else {
                1.0
            };
            let edges = self.edges(part.place, 1.0, 1.0);
            let [_, _, narrow, _] = self.edges(part.place, share, 1.0);
            squeeze(frame, imageless, edges, narrow);
            texts.push(edges);
        }
        let images = parts().enumerate();
        let images = images.filter(|(_, ((p, l), _))| p.kind.is_image() && **l > 0);
        for (number, ((part, level), _)) in images {
            let seen = self.edges(part.place, 1.0, f64::from(*level) / 100.0);
            if part.kind == PartKind::ProgressiveImage && *level < 100 {
                let scale = self.width as f64 / f64::from(self.scene.viewport.0.max(1));
                coarse(frame, textless, seen, (COARSE * scale).ceil() as usize);
            } else {
                copy(frame, textless, seen);
            }
            // The picture also has images in front that are still to come.
            let fronts = parts().skip(number + 1);
            for ((front, _), behind) in fronts.filter(|((p, l), _)| p.kind.is_image() && **l < 100)
            {
                if let Some(behind) = behind {
                    frame.fill(both(self.edges(front.place, 1.0, 1.0), seen), *behind);
                }
            }
            if layers.textless.is_some() {
                for text in &texts {
                    copy(frame, &layers.whole, both(*text, seen));
                }
            }
        }
    }

    /// Draws a part of a page of which there is no picture.
    fn sketch(&self, frame: &mut Raster, part: &ScenePart, level: u8) {
        if level == 0 {
            return;
        }
        let share = f64::from(level) / 100.0;
        match part.kind {
            PartKind::Text => {
                let across = if level == Show::FALLBACK { NARROW } else { 1.0 };
                let [x, y, width, height] = part.place;
                let step = height.clamp(14, 26);
                let mut top = y;
                while top == y || top + step * 6 / 10 <= y + height {
                    let is_last = top + 2 * step > y + height && height > step;
                    let across = if is_last { across * 0.6 } else { across };
                    let line = self.edges([x, top, width, step / 2], across, 1.0);
                    frame.fill(line, LINE);
                    top += step;
                }
            }
            PartKind::Box => frame.fill(self.edges(part.place, 1.0, share), BOX),
            PartKind::Image | PartKind::ProgressiveImage => {
                let edges = self.edges(part.place, 1.0, share);
                frame.fill(edges, IMAGE);
                frame.outline(edges, 1, EDGE);
                let letters = (edges[2] - edges[0]) / LETTER_WIDTH;
                if letters > 4 && edges[3] - edges[1] > TEXT_HEIGHT + 2 {
                    let name: String = part.name.chars().take(letters - 1).collect();
                    let middle = usize::midpoint(edges[1], edges[3]) - TEXT_HEIGHT / 2;
                    frame.write(&name, edges[0] + LETTER_WIDTH / 2, middle, INK, false);
                }
            }
        }
    }
}

/// Returns what two rectangles have in common.
fn both(one: Edges, other: Edges) -> Edges {
    [
        one[0].max(other[0]),
        one[1].max(other[1]),
        one[2].min(other[2]),
        one[3].min(other[3]),
    ]
}

/// Copies a rectangle of a picture of the same size.
fn copy(frame: &mut Raster, from: &Raster, [left, top, right, bottom]: Edges) {
    if left < right {
        for y in top..bottom {
            let row = y * frame.width;
            frame.pixels[row + left..row + right]
                .copy_from_slice(&from.pixels[row + left..row + right]);
        }
    }
}

/// Copies a rectangle into a narrower one, which ends at `narrow`.
fn squeeze(frame: &mut Raster, from: &Raster, [left, top, right, bottom]: Edges, narrow: usize) {
    let (wide, own) = (right - left, narrow.saturating_sub(left));
    for y in top..bottom {
        for x in 0..own {
            let source = left + x * wide / own;
            frame.pixels[y * frame.width + left + x] = from.pixels[y * frame.width + source];
        }
    }
}

/// Copies a rectangle in squares of one colour.
fn coarse(frame: &mut Raster, from: &Raster, [left, top, right, bottom]: Edges, side: usize) {
    for y in (top..bottom).step_by(side.max(1)) {
        for x in (left..right).step_by(side.max(1)) {
            let square = [x, y, (x + side).min(right), (y + side).min(bottom)];
            frame.fill(square, from.mean(square));
        }
    }
}
