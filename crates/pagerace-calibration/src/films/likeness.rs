//! Likeness of two reels.
//!
//! Structural similarity (SSIM) is that of Wang, Bovik, Sheikh and Simoncelli, "Image quality
//! assessment: from error visibility to structural similarity", IEEE Transactions on Image Processing
//! 13(4), 2004, with square windows instead of Gaussian ones: 1 for equal pictures, about 0 for
//! unrelated ones.

use pagerace_report::film::ScenePart;

use super::reel::{Frame, Reel};

/// Side of a window in pixels, and the distance of two windows.
pub(super) const WINDOW: usize = 8;
const WINDOW_STEP: usize = 4;
/// The constants that keep flat windows from dividing by zero: (0.01 * 255)^2, (0.03 * 255)^2.
const C1: f64 = 6.5025;
const C2: f64 = 58.5225;
/// Brightness of the screen before the first frame.
const WHITE: u8 = 255;
/// Time between two moments in milliseconds.
pub(super) const MOMENT_MS: f64 = 20.0;
/// Difference of visual progress up to which two frames count as equally far.
const SAME: f64 = 0.05;
/// Share of the difference of two frames that a part has to hold to be named.
const MOST: f64 = 0.5;

/// Returns the structural similarity of two pictures of brightness, `width` pixels wide and at least
/// one pixel high.
pub fn ssim(one: &[u8], other: &[u8], width: usize) -> f64 {
    let height = one.len() / width;
    let (across, down) = (WINDOW.min(width), WINDOW.min(height));
    let (mut sum, mut count) = (0.0, 0_u32);
    for top in (0..=height - down).step_by(WINDOW_STEP) {
        for left in (0..=width - across).step_by(WINDOW_STEP) {
            let rows = (top..top + down).map(|y| y * width + left..y * width + left + across);
            let pixels = rows
                .flatten()
                .map(|i| (f64::from(one[i]), f64::from(other[i])));
            sum += window(pixels, (across * down) as f64);
            count += 1;
        }
    }
    sum / f64::from(count)
}

/// Returns the similarity of the two pictures in a window of so many pixels.
fn window(pixels: impl Iterator<Item = (f64, f64)>, count: f64) -> f64 {
    let (mut x, mut y, mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (a, b) in pixels {
        x += a;
        y += b;
        xx += a * a;
        yy += b * b;
        xy += a * b;
    }
    let (x, y) = (x / count, y / count);
    let (vx, vy, cov) = (xx / count - x * x, yy / count - y * y, xy / count - x * y);
    (2.0 * x * y + C1) * (2.0 * cov + C2) / ((x * x + y * y + C1) * (vx + vy + C2))
}

/// The likeness of a film to screenshots.
#[derive(Clone, Debug, PartialEq)]
pub struct Likeness {
    /// Equal times, `MOMENT_MS` apart, from the first change of either to the last.
    pub moments: Vec<Moment>,
    /// SSIM of the first frames with 10, 20 .. 90 % of visual progress.
    pub at_progress: Vec<f64>,
    /// SSIM of the last frames.
    pub finished: f64,
}

/// A film and a browser at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Time since the start of the navigation in milliseconds.
    pub ms: f64,
    /// Structural similarity.
    pub ssim: f64,
    /// Visual progress of the film.
    pub predicted: f64,
    /// Visual progress in the browser.
    pub live: f64,
}

impl Likeness {
    /// Returns the mean of SSIM over the moments.
    pub fn mean(&self) -> f64 {
        let sum: f64 = self.moments.iter().map(|moment| moment.ssim).sum();
        sum / self.moments.len().max(1) as f64
    }

    /// Returns the moment that is least alike.
    pub fn worst(&self) -> Option<Moment> {
        let moments = self.moments.iter();
        moments.min_by(|a, b| a.ssim.total_cmp(&b.ssim)).copied()
    }
}

/// Compares a film with the screenshots of a load, whose frames have the same size.
pub fn likeness(predicted: &Reel, live: &Reel) -> Likeness {
    let (width, height) = live.size();
    let white = vec![WHITE; width * height];
    let luma = |frame: Option<&Frame>| frame.map_or_else(|| white.clone(), |f| f.luma.clone());
    let compare = |a: Option<&Frame>, b: Option<&Frame>| ssim(&luma(a), &luma(b), width);
    let both = || [predicted, live].into_iter();
    let firsts = both().filter_map(|reel| reel.frames().first());
    let first = firsts.map(|frame| frame.ms).fold(f64::INFINITY, f64::min);
    let lasts = both().filter_map(|reel| reel.frames().last());
    let last = lasts.map(|frame| frame.ms).fold(0.0, f64::max);
    let mut moments: Vec<Moment> = Vec::new();
    // Frames change more seldom than moments follow each other.
    let mut before: Option<([Option<f64>; 2], f64)> = None;
    let mut ms = first;
    while ms <= last {
        let (film, shot) = (predicted.at(ms), live.at(ms));
        let pair = [film, shot].map(|frame| frame.map(|frame| frame.ms));
        let same = before.filter(|(other, _)| *other == pair);
        let ssim = same.map_or_else(|| compare(film, shot), |(_, ssim)| ssim);
        before = Some((pair, ssim));
        moments.push(Moment {
            ms,
            ssim,
            predicted: film.map_or(0.0, |f| f.share),
            live: shot.map_or(0.0, |f| f.share),
        });
        ms += MOMENT_MS;
    }
    let levels = (1..10).map(|tenth| f64::from(tenth) / 10.0);
    Likeness {
        moments,
        at_progress: levels
            .map(|share| compare(predicted.with(share), live.with(share)))
            .collect(),
        finished: compare(predicted.frames().last(), live.frames().last()),
    }
}

/// A fault at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fault {
    /// Time in milliseconds by which the film is ahead of the browser, negative if it is behind;
    /// `None` if both are equally far.
    pub ahead_ms: Option<f64>,
    /// The smallest part that holds most of the difference: index into the parts.
    pub part: Option<usize>,
}

/// Returns what is wrong at a moment of a film of these parts in this viewport.
pub fn fault(
    predicted: &Reel,
    live: &Reel,
    moment: Moment,
    parts: &[ScenePart],
    viewport: (u32, u32),
) -> Fault {
    let (width, height) = live.size();
    let reached = |reel: &Reel, share: f64| reel.with(share).map(|frame| frame.ms);
    let difference = moment.predicted - moment.live;
    let most = moment.predicted.max(moment.live) - SAME;
    let apart = (difference.abs() > SAME).then(|| {
        let other = if difference > 0.0 { live } else { predicted };
        let own = if difference > 0.0 { predicted } else { live };
        let ms = reached(other, most).zip(reached(own, most));
        ms.map(|(other, own)| (other - own) * difference.signum())
    });
    let shown = [predicted, live].map(|reel| reel.at(moment.ms));
    let at = |which: usize, i: usize| shown[which].map_or(WHITE, |frame: &Frame| frame.luma[i]);
    let apart_by = |i: usize| f64::from(at(0, i).abs_diff(at(1, i)));
    let all: f64 = (0..width * height).map(apart_by).sum();
    let inside = |part: &ScenePart| {
        let [x, y, w, h] = part.place.map(|n| n.max(0) as usize);
        let (across, down) = (viewport.0.max(1) as usize, viewport.1.max(1) as usize);
        let columns = x * width / across..((x + w) * width).div_ceil(across).min(width);
        let rows = y * height / down..((y + h) * height).div_ceil(down).min(height);
        let cells = rows.flat_map(|y| columns.clone().map(move |x| y * width + x));
        cells.map(apart_by).sum::<f64>()
    };
    let holders = parts.iter().enumerate();
    let holders = holders.filter(|(_, part)| all > 0.0 && inside(part) >= MOST * all);
    let smallest = holders.min_by_key(|(_, part)| part.place[2] * part.place[3]);
    Fault {
        ahead_ms: apart.flatten(),
        part: smallest.map(|(number, _)| number),
    }
}
