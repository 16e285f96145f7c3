//! Films as files for places without scripts: a strip of frames as PNG, and an animation as GIF.

use std::collections::BTreeMap;
use std::io::{self, Write};

use color_quant::NeuQuant;

use super::draw::{
    FIRST, INK, LARGEST, LETTER_WIDTH, LINE, MUTED, PAPER, Painter, Raster, TEXT_HEIGHT,
};
use super::{Film, FilmRun};

/// Frames of a strip, and the width of each in pixels.
const COLUMNS: usize = 7;
const FRAME_WIDTH: usize = 190;
/// Width of a picture in an animation, and most pictures side by side.
const PANE_WIDTH: usize = 340;
const PANES: usize = 3;
/// Space between frames in pixels.
const GAP: usize = 8;
/// Time between two frames of an animation, which is as long as in the load.
const TICK_MS: f64 = 100.0;
/// Time for which an animation shows its last frame, in hundredths of a second.
const LAST: u16 = 250;
/// Most frames of an animation. Longer loads have longer ticks.
const FRAMES_MAX: f64 = 200.0;
/// Round steps between the frames of a strip, as multiples of a power of ten milliseconds.
const STEPS: [f64; 8] = [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0];

/// Returns the smallest round step that is at least this long, milliseconds.
fn round_step(ms: f64) -> f64 {
    let units = [10.0, 100.0, 1e3, 1e4, 1e5];
    let steps = units.iter().flat_map(|unit| STEPS.map(|step| step * unit));
    steps.into_iter().find(|step| *step >= ms).unwrap_or(ms)
}

impl Film {
    /// Writes frames at equal times as PNG, one row for each load.
    ///
    /// # Errors
    /// The errors of `out`.
    pub fn write_strip(&self, out: &mut dyn Write) -> io::Result<()> {
        let strip = self.strip();
        let mut encoder = png::Encoder::new(out, strip.width as u32, strip.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(strip.pixels.as_flattened())?;
        Ok(writer.finish()?)
    }

    fn strip(&self) -> Raster {
        let painter = Painter::new(&self.scene, FRAME_WIDTH);
        let head = TEXT_HEIGHT + 6;
        let row = head + painter.height + head;
        let width = GAP + COLUMNS * (FRAME_WIDTH + GAP);
        let mut strip = Raster::new(width, GAP + self.runs.len() * row, PAPER);
        let end = self.end();
        let step = round_step(end / COLUMNS as f64);
        for (number, run) in self.runs.iter().enumerate() {
            let top = GAP + number * row;
            strip.write(&self.heading(run, width), GAP, top, INK, true);
            for column in 0..COLUMNS {
                let at = (column + 1) as f64 * step;
                let left = GAP + column * (FRAME_WIDTH + GAP);
                let frame = painter.at(run, at);
                strip.place(&frame, left, top + head);
                let reached =
                    |name: &str| run.has_reached(name, at) && !run.has_reached(name, at - step);
                let (first, largest) = (reached("fcp"), reached("lcp"));
                let edges = [
                    left,
                    top + head,
                    left + FRAME_WIDTH,
                    top + head + painter.height,
                ];
                let (wide, colour) = match (first, largest) {
                    (_, true) => (3, LARGEST),
                    (true, false) => (3, FIRST),
                    (false, false) => (1, LINE),
                };
                strip.outline(edges, wide, colour);
                let names = match (first, largest) {
                    (true, true) => " FCP LCP",
                    (true, false) => " FCP",
                    (false, true) => " LCP",
                    (false, false) => "",
                };
                let text = format!("{} {:.0} %{names}", seconds(at), run.visible(at));
                strip.write(&text, left, edges[3] + 3, MUTED, false);
            }
        }
        strip
    }

    /// Writes an animation as GIF, in which the loads are side by side and in step.
    ///
    /// # Errors
    /// The errors of `out`.
    pub fn write_gif(&self, out: &mut dyn Write) -> io::Result<()> {
        let painter = Painter::new(&self.scene, PANE_WIDTH);
        let end = self.end();
        let tick = TICK_MS.max((end / FRAMES_MAX / 10.0).ceil() * 10.0);
        let last = (end / tick).ceil() * tick;
        let whole = self.animated(&painter, last);
        let colours: Vec<u8> = whole
            .pixels
            .iter()
            .flat_map(|[r, g, b]| [*r, *g, *b, 255])
            .collect();
        let palette = NeuQuant::new(10, 256, &colours);
        let mut known: BTreeMap<[u8; 3], u8> = BTreeMap::new();
        let (width, height) = (whole.width as u16, whole.height as u16);
        let table = palette.color_map_rgb();
        let mut encoder =
            gif::Encoder::new(out, width, height, &table).map_err(io::Error::other)?;
        encoder
            .set_repeat(gif::Repeat::Infinite)
            .map_err(io::Error::other)?;
        let mut shown: Option<Raster> = None;
        let mut at = 0.0;
        while at <= last {
            let frame = self.animated(&painter, at);
            let [left, top, right, bottom] = shown
                .as_ref()
                .map_or([0, 0, frame.width, frame.height], |before| {
                    changed(before, &frame)
                });
            let mut indices = Vec::with_capacity((right - left) * (bottom - top));
            for y in top..bottom {
                for [r, g, b] in &frame.pixels[y * frame.width + left..y * frame.width + right] {
                    let index = known
                        .entry([*r, *g, *b])
                        .or_insert_with(|| palette.index_of(&[*r, *g, *b, 255]) as u8);
                    indices.push(*index);
                }
            }
            let delay = if at + tick > last {
                LAST
            } else {
                (tick / 10.0) as u16
            };
            let part = gif::Frame {
                left: left as u16,
                top: top as u16,
                width: (right - left) as u16,
                height: (bottom - top) as u16,
                delay,
                dispose: gif::DisposalMethod::Keep,
                buffer: indices.into(),
                ..gif::Frame::default()
            };
            encoder.write_frame(&part).map_err(io::Error::other)?;
            shown = Some(frame);
            at += tick;
        }
        Ok(())
    }

    /// Returns the frame of an animation.
    fn animated(&self, painter: &Painter<'_>, at: f64) -> Raster {
        let columns = self.runs.len().clamp(1, PANES);
        let rows = self.runs.len().div_ceil(columns);
        let head = 2 * (TEXT_HEIGHT + 3);
        let clock = TEXT_HEIGHT + 4;
        let (wide, tall) = (PANE_WIDTH + GAP, head + painter.height + GAP);
        let mut all = Raster::new(GAP + columns * wide, GAP + clock + rows * tall, PAPER);
        all.write(&seconds(at), GAP, GAP / 2, INK, true);
        for (number, run) in self.runs.iter().enumerate() {
            let left = GAP + number % columns * wide;
            let top = GAP / 2 + clock + number / columns * tall;
            all.write(&cut(&run.name, PANE_WIDTH), left, top, INK, true);
            let marks = ["fcp", "lcp"].map(|name| {
                let reached = run.mark(name).filter(|mark| *mark <= at);
                let text = reached.map_or_else(|| "...".to_owned(), seconds);
                format!("{} {text}", name.to_uppercase())
            });
            let text = format!("{}  {}  {:.0} %", marks[0], marks[1], run.visible(at));
            all.write(&text, left, top + TEXT_HEIGHT + 2, MUTED, false);
            let frame = painter.at(run, at);
            all.place(&frame, left, top + head);
            let edges = [
                left,
                top + head,
                left + PANE_WIDTH,
                top + head + painter.height,
            ];
            all.outline(edges, 1, LINE);
        }
        all
    }

    /// Returns the name of a run and its marks, cut to a width.
    fn heading(&self, run: &FilmRun, width: usize) -> String {
        let marks = ["fcp", "lcp"].map(|name| {
            let mark = run.mark(name).map_or_else(|| "never".to_owned(), seconds);
            format!("{} {mark}", name.to_uppercase())
        });
        let about = match (&self.scene.pictures, self.scene.guessed) {
            (Some(_), _) => "",
            (None, false) => "   (no picture in the recording)",
            (None, true) => "   (assumed places)",
        };
        cut(
            &format!("{}   {}{about}", run.name, marks.join("   ")),
            width,
        )
    }

    /// Returns the time of the last change or mark, milliseconds.
    fn end(&self) -> f64 {
        let ends = self.runs.iter().flat_map(|run| {
            let marks = run.marks.iter().map(|(_, at)| *at);
            let changes = run.shows.last().map(|show| show.ms);
            marks
                .chain(changes)
                .chain(run.shots.last().map(|shot| shot.ms))
        });
        ends.fold(100.0, f64::max)
    }

    /// Returns the distinct frames of a load in order of time, each with the time in milliseconds
    /// from which it is seen. Before the first one, the screen is empty. Predicted frames are
    /// `width` pixels wide, screenshots as they are.
    pub fn frames(&self, run: usize, width: usize) -> Vec<(f64, Raster)> {
        let run = &self.runs[run];
        let painter = Painter::new(&self.scene, width);
        let changes = run.shows.iter().map(|show| show.ms);
        let mut times: Vec<f64> = changes.collect();
        times.dedup();
        let drawn = times.into_iter().map(|ms| {
            let levels = run.levels(self.scene.parts.len(), ms);
            (ms, painter.frame(&levels, false))
        });
        let shots = run.shots.iter();
        let shots = shots.filter_map(|shot| Some((shot.ms, Raster::from_jpeg(&shot.jpeg)?)));
        let mut frames: Vec<(f64, Raster)> = drawn.chain(shots).collect();
        frames.dedup_by(|next, last| next.1 == last.1);
        frames
    }
}

impl FilmRun {
    /// Returns how much of each of so many parts is visible at a time, in per cent.
    pub(super) fn levels(&self, parts: usize, at: f64) -> Vec<u8> {
        let mut levels = vec![0; parts];
        for show in self.shows.iter().take_while(|show| show.ms <= at) {
            levels[show.part] = show.level;
        }
        levels
    }

    fn mark(&self, name: &str) -> Option<f64> {
        let mark = self.marks.iter().find(|(own, _)| own == name);
        mark.map(|(_, at)| *at)
    }

    pub(super) fn has_reached(&self, name: &str, at: f64) -> bool {
        self.mark(name).is_some_and(|mark| mark <= at)
    }

    /// Returns the share of the picture that is visible, in per cent.
    fn visible(&self, at: f64) -> f64 {
        let points = self.progress.iter();
        let last = points.take_while(|(ms, _)| *ms <= at).last();
        last.map_or(0.0, |(_, percent)| *percent)
    }
}

fn seconds(ms: f64) -> String {
    format!("{:.2} s", ms / 1e3)
}

/// Cuts a text to a width in pixels.
fn cut(text: &str, width: usize) -> String {
    let letters = width / LETTER_WIDTH - 2;
    if text.chars().count() <= letters {
        return text.to_owned();
    }
    text.chars()
        .take(letters - 3)
        .chain("...".chars())
        .collect()
}

/// Returns the smallest rectangle in which two pictures differ, at least one pixel.
fn changed(before: &Raster, after: &Raster) -> [usize; 4] {
    let differs = |i: usize| before.pixels[i] != after.pixels[i];
    let (width, height) = (after.width, after.height);
    let rows = |y: &usize| (0..width).any(|x| differs(y * width + x));
    let Some(top) = (0..height).find(rows) else {
        return [0, 0, 1, 1];
    };
    let bottom = (top..height).rev().find(rows).map_or(height, |y| y + 1);
    let columns = |x: &usize| (top..bottom).any(|y| differs(y * width + x));
    let left = (0..width).find(columns).unwrap_or(0);
    let right = (left..width).rev().find(columns).map_or(width, |x| x + 1);
    [left, top, right, bottom]
}

#[cfg(test)]
mod tests;
