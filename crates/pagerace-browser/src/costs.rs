//! CPU costs of work for which the recording contains no time.
//!
//! All costs are modelled; `docs/browser-model.md` names the measurements behind the
//! figures. Costs are for a desktop, with a fixed part and one for decoded bytes. They vary
//! from run to run by one log-normal factor for each resource, drawn from a stream of
//! that resource, so that two strategies with one seed see the same factor.

use std::ops::Range;

use pagerace_core::{Destination, Duration, Rng};
use pagerace_page::model::TEXT_RATIO;
use pagerace_page::{Page, PageLayout, Resource, ResourceId};

use crate::BrowserConfig;

/// HTML parsing and DOM building of the page's own document, inline scripts included: a fixed part,
/// and a part per decoded KiB, which documents of frames have, too.
const HTML_MS: f64 = 5.0;
const HTML_MS_PER_KIB: f64 = 0.1;
/// Style sheet parsing: a fixed part, and a part per decoded KiB.
const STYLE_MS: f64 = 0.1;
const STYLE_MS_PER_KIB: f64 = 0.015;
/// Script compilation and execution per decoded KiB.
const SCRIPT_MS_PER_KIB: f64 = 0.06;
/// Image decoding, off the main thread: a fixed part, and a part per encoded KiB.
const IMAGE_MS: f64 = 0.1;
const IMAGE_MS_PER_KIB: f64 = 0.05;
/// The document of a vector graphic: a fixed part, and a part per decoded KiB.
const VECTOR_MS: f64 = 2.3;
const VECTOR_MS_PER_KIB: f64 = 0.1;
/// The first layout and paint: a fixed part, and a part per decoded KiB of document.
const FIRST_RENDER_MS: f64 = 12.0;
const FIRST_RENDER_MS_PER_KIB: f64 = 0.5;
/// A later layout and paint.
const RENDER_MS: f64 = 3.0;
/// The preload scanner: a fixed part for each arrival of bytes, and a part per decoded KiB.
const SCAN_MS: f64 = 0.2;
const SCAN_MS_PER_KIB: f64 = 0.01;

/// The cost model of one load.
#[derive(Debug)]
pub(crate) struct Costs {
    cpu: f64,
    /// The slow-down of the recorded device, which recorded times include and modelled ones do not.
    slowdown: f64,
    jitter: f64,
    seed: u64,
    /// The factor of each resource; zero if it has not been drawn.
    factors: Vec<f64>,
    render_factor: f64,
    callback_factor: f64,
    /// The recorded milliseconds of layout and paint up to the first contentful paint that no frame
    /// has taken yet, and those of a later frame.
    recorded_first_render: Option<f64>,
    recorded_render: Option<f64>,
    /// The scripts inside the page's document: the end of each, and the recorded milliseconds of
    /// all up to there.
    inline_scripts: Vec<(u64, f64)>,
}

impl Costs {
    /// Creates the costs for a load of `page`. A negative value counts as zero. A value
    /// that is not finite counts as no slow-down, or no variation.
    pub(crate) fn new(page: &Page, config: &BrowserConfig, seed: u64) -> Self {
        let finite = |value: f64, otherwise| if value.is_finite() { value } else { otherwise };
        let factors = vec![0.0; page.resources.len()];
        let rendering = page.layout().and_then(|l| l.rendering);
        let mut costs = Self {
            cpu: finite(config.cpu, 1.0).max(0.0),
            slowdown: page.recorded.slowdown.unwrap_or(1.0),
            jitter: finite(config.jitter, 0.0).max(0.0),
            seed,
            factors,
            render_factor: 1.0,
            callback_factor: 1.0,
            recorded_first_render: rendering.map(|r| r.first.as_millis_f64()),
            recorded_render: rendering.and_then(|r| r.later).map(Duration::as_millis_f64),
            inline_scripts: page.layout().map(inline_scripts).unwrap_or_default(),
        };
        costs.render_factor = costs.draw("cpu/render");
        costs.callback_factor = costs.draw("cpu/callbacks");
        costs
    }

    fn draw(&self, name: &str) -> f64 {
        if self.jitter > 0.0 {
            Rng::new(self.seed, name).lognormal(self.jitter)
        } else {
            1.0
        }
    }

    fn scaled(&mut self, id: ResourceId, millis: f64) -> Duration {
        if self.factors[id.index()] <= 0.0 {
            self.factors[id.index()] = self.draw(&format!("cpu/{}", id.0));
        }
        Duration::from_millis_f64(millis * self.cpu * self.factors[id.index()])
    }

    /// Returns the cost of parsing a part of a document, in encoded bytes. The scripts inside the
    /// `page`'s own document run when the parser passes them.
    pub(crate) fn parse(&mut self, document: &Resource, part: Range<u64>, page: bool) -> Duration {
        if document.body_bytes == 0 {
            return Duration::ZERO;
        }
        let fixed = if page { HTML_MS } else { 0.0 };
        let modelled = fixed + kib(document.body_bytes) * ratio(document) * HTML_MS_PER_KIB;
        let whole = self.recorded_or(document, modelled);
        let until = |offset| if page { self.inline_until(offset) } else { 0.0 };
        let parsing = (whole - until(u64::MAX)).max(0.0);
        let share = (part.end - part.start) as f64 / document.body_bytes as f64;
        let millis = parsing * share + until(part.end) - until(part.start);
        self.scaled(document.id, millis)
    }

    /// Returns the milliseconds of the scripts that end before an offset of the document. One at
    /// whose end the parser has stopped runs when it goes on.
    fn inline_until(&self, offset: u64) -> f64 {
        let ended = self
            .inline_scripts
            .partition_point(|(end, _)| *end < offset);
        ended
            .checked_sub(1)
            .map_or(0.0, |last| self.inline_scripts[last].1)
    }

    /// Returns the recorded milliseconds of a resource, or those that the model has for a desktop,
    /// on the recorded device.
    fn recorded_or(&self, resource: &Resource, modelled: f64) -> f64 {
        let recorded = resource.cpu_time.map(Duration::as_millis_f64);
        recorded.unwrap_or(modelled * self.slowdown)
    }

    /// Returns the recorded cost of a resource, or its modelled one.
    fn of(&mut self, resource: &Resource, modelled: f64) -> Duration {
        self.scaled(resource.id, self.recorded_or(resource, modelled))
    }

    /// Returns the cost of parsing a style sheet.
    pub(crate) fn style(&mut self, sheet: &Resource) -> Duration {
        let parsing = kib(sheet.body_bytes) * ratio(sheet) * STYLE_MS_PER_KIB;
        self.of(sheet, STYLE_MS + parsing)
    }

    /// Returns the cost of compiling and running a script.
    pub(crate) fn script(&mut self, script: &Resource) -> Duration {
        self.of(script, script_millis(script))
    }

    /// Returns the cost of decoding an image.
    pub(crate) fn decode(&mut self, image: &Resource) -> Duration {
        self.of(image, IMAGE_MS + kib(image.body_bytes) * IMAGE_MS_PER_KIB)
    }

    /// Returns the main thread's cost of making the document of a vector graphic. Recordings
    /// do not tell it.
    pub(crate) fn vector(&mut self, image: &Resource) -> Duration {
        let millis = VECTOR_MS + kib(image.body_bytes) * ratio(image) * VECTOR_MS_PER_KIB;
        self.scaled(image.id, millis * self.slowdown)
    }

    /// Returns the cost of a recorded task that an event calls.
    pub(crate) fn callback(&self, recorded: Duration) -> Duration {
        Duration::from_millis_f64(recorded.as_millis_f64() * self.cpu * self.callback_factor)
    }

    /// Returns the part of a recorded delay between `parent` and its request that remains
    /// after `parent` has run. If the run time of a script is not recorded, the delay
    /// includes it, so its modelled time on the recorded device is subtracted.
    pub(crate) fn delay_after(&self, parent: &Resource, delay: Duration) -> Duration {
        if parent.cpu_time.is_some() || parent.destination != Destination::Script {
            return delay;
        }
        let ran = script_millis(parent) * self.slowdown;
        delay.saturating_sub(Duration::from_millis_f64(ran))
    }

    /// Returns the cost of style, layout and paint: the first one of a document, or a later one.
    ///
    /// `part` is given for a frame without content: the part of the rest of the document that it
    /// lays out. It takes that part of the recorded time, and the frame with content takes the
    /// remainder.
    pub(crate) fn render(
        &mut self,
        first: Option<(&Resource, u64)>,
        part: Option<f64>,
    ) -> Duration {
        let later = self.recorded_render.unwrap_or(RENDER_MS * self.slowdown);
        let millis = match (self.recorded_first_render.take(), first) {
            (Some(left), first) => match part {
                Some(part) => {
                    let cost = (left * part).max(later).min(left);
                    self.recorded_first_render = Some(left - cost);
                    cost
                }
                None if first.is_some() => left,
                None => left.max(later),
            },
            (None, Some((document, parsed))) => {
                let parsed = kib(parsed) * ratio(document);
                (FIRST_RENDER_MS + parsed * FIRST_RENDER_MS_PER_KIB) * self.slowdown
            }
            (None, None) => later,
        };
        Duration::from_millis_f64(millis * self.cpu * self.render_factor)
    }

    /// Returns the time from the arrival of `bytes` of a document to its scanner's requests.
    pub(crate) fn scan(&self, document: &Resource, bytes: u64) -> Duration {
        let millis = SCAN_MS + kib(bytes) * ratio(document) * SCAN_MS_PER_KIB;
        Duration::from_millis_f64(millis * self.cpu)
    }
}

/// Returns the ends of the scripts inside the document, with the milliseconds of all up to there.
fn inline_scripts(layout: &PageLayout) -> Vec<(u64, f64)> {
    let mut scripts = layout.inline_scripts.clone();
    scripts.sort_by_key(|script| script.offset);
    let mut sum = 0.0;
    let until = scripts.iter().map(|script| {
        sum += script.cost.as_millis_f64();
        (script.offset, sum)
    });
    until.collect()
}

/// Returns the modelled time of a script on a desktop.
fn script_millis(script: &Resource) -> f64 {
    kib(script.body_bytes) * ratio(script) * SCRIPT_MS_PER_KIB
}

fn kib(bytes: u64) -> f64 {
    bytes as f64 / 1024.0
}

/// Returns the decoded bytes per encoded byte.
fn ratio(resource: &Resource) -> f64 {
    match resource.decoded_bytes {
        Some(decoded) if resource.body_bytes > 0 => decoded as f64 / resource.body_bytes as f64,
        _ => match resource.destination {
            Destination::Document
            | Destination::Iframe
            | Destination::Style
            | Destination::Script => TEXT_RATIO,
            _ => 1.0,
        },
    }
}

#[cfg(test)]
mod tests;
