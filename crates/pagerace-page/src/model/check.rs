//! Validation of a page read from a results file, which may have been edited. The
//! importers only produce valid pages.

use std::fmt::Display;
use std::ops::RangeInclusive;

use pagerace_core::Duration;

use super::{
    Element, ElementKind, Guess, LargestElement, NoResponse, Page, PageLayout, Paints, Rect,
    Resource, ResourceId, Trigger, Wait,
};

/// The maximum number of requests of a page load; a file with more holds a session.
pub const MAX_RESOURCES: usize = 20_000;
/// The maximum number of elements of a recorded layout.
pub const MAX_ELEMENTS: usize = 20_000;
/// The maximum size of a transfer, in bytes.
pub const MAX_BYTES: u64 = 1 << 32;
/// The maximum number of measured sizes of a body.
const MAX_MEASURED: usize = 1_000;
/// The maximum size of a field section, in bytes; the limits of servers are far smaller.
pub const MAX_FIELD_BYTES: u32 = 1 << 20;
/// The maximum time span within a page load.
pub const MAX_TIME: Duration = Duration::from_secs(24 * 60 * 60);
/// The maximum area of an element, square CSS pixels.
pub const MAX_AREA: f64 = 1e12;
/// Valid coordinates and sizes on the screen, CSS pixels.
const PIXELS: RangeInclusive<f64> = -1e7..=1e7;

impl Page {
    /// Checks that the page can be loaded. Rejects references to missing items,
    /// discoveries that never happen, and sizes and times that no page load has.
    ///
    /// # Errors
    /// Returns the path of the field, the value found and the value expected.
    pub fn check(&self) -> Result<(), String> {
        let count = self.resources.len();
        if count == 0 {
            return Err("resources: there are none; a page needs its document".to_owned());
        }
        at_most("resources", count, MAX_RESOURCES)?;
        at_most("origins", self.origins.len(), MAX_RESOURCES)?;
        for (i, resource) in self.resources.iter().enumerate() {
            self.check_resource(i, resource)
                .map_err(|reason| format!("resources[{i}].{reason}"))?;
        }
        self.known("document", self.document)?;
        at_most("hints", self.hints.len(), MAX_ELEMENTS)?;
        for hint in &self.hints {
            self.known("hints.of", hint.of)?;
            let document = self.resource(self.document);
            at_most("hints.offset", hint.offset, document.body_bytes)?;
        }
        at_most("joins", self.joins.len(), MAX_ELEMENTS)?;
        for id in self.joins.iter().flatten() {
            self.known("joins", *id)?;
        }
        let slowdown = self.recorded.slowdown.unwrap_or(1.0);
        within("recorded.slowdown", slowdown, &(0.01..=1e3))?;
        match &self.paints {
            Paints::Recorded(layout) => self.check_layout(layout),
            Paints::Guessed(guess) => self.check_guess(guess),
        }
        .map_err(|reason| format!("paints.{reason}"))
    }

    fn check_guess(&self, guess: &Guess) -> Result<(), String> {
        if let Some(fit) = guess.fit {
            self.check_wait("fit.after", fit.after)?;
            if let Some(LargestElement::Image { id }) = fit.largest {
                self.known("fit.largest.id", id)?;
            }
            span("fit.delay", fit.delay)?;
        }
        at_most("candidates", guess.candidates.len(), MAX_RESOURCES + 1)?;
        for (i, candidate) in guess.candidates.iter().enumerate() {
            if let LargestElement::Image { id } = candidate.element {
                self.known(&format!("candidates[{i}].element.id"), id)?;
            }
            let field = format!("candidates[{i}].probability");
            within(&field, candidate.probability, &(0.0..=1.0))?;
        }
        if let Some(content) = &guess.content {
            at_most("content.text", content.text.len(), MAX_ELEMENTS)?;
            let scripts = content.inline_scripts.len();
            at_most("content.inline_scripts", scripts, MAX_ELEMENTS)?;
            let fonts = content.fonts.iter().map(|font| font.font);
            for font in fonts.chain(content.icons.iter().copied()) {
                self.known("content.fonts", font)?;
            }
            for id in content.styled.iter().chain(&content.lazy) {
                self.known("content.styled or content.lazy", *id)?;
            }
        }
        Ok(())
    }

    fn known(&self, field: &str, id: ResourceId) -> Result<(), String> {
        if id.index() < self.resources.len() {
            return Ok(());
        }
        let count = self.resources.len();
        Err(format!(
            "{field}: there is no resource {} (they are counted from 0, and there are {count})",
            id.0
        ))
    }

    fn check_resource(&self, i: usize, resource: &Resource) -> Result<(), String> {
        if resource.id.index() != i {
            return Err(format!("id: found {}, expected {i}", resource.id.0));
        }
        if resource.origin.index() >= self.origins.len() {
            let count = self.origins.len();
            return Err(format!(
                "origin: there is no origin {} (they are counted from 0, and there are {count})",
                resource.origin.0
            ));
        }
        match resource.discovery.trigger.parent() {
            None if i > 0 => {
                return Err("discovery.trigger: only the first request is a navigation".to_owned());
            }
            Some(parent) if parent.index() >= i => {
                return Err(format!(
                    "discovery.trigger.parent: found {}, expected a resource before {i}",
                    parent.0
                ));
            }
            _ => {}
        }
        let trigger = resource.discovery.trigger;
        if let Some((parent, offset)) = trigger.place() {
            let parent = self.resource(parent);
            at_most("discovery.trigger.offset", offset, parent.body_bytes)?;
            at_most("used_at", resource.used_at.unwrap_or(0), parent.body_bytes)?;
        }
        if let Trigger::Script { delay, .. } | Trigger::After { delay, .. } = trigger {
            span("discovery.trigger.delay", Some(delay))?;
        }
        if let Some(wait) = resource.discovery.wait {
            self.check_wait("discovery.wait.id", wait)?;
        }
        at_most("body_bytes", resource.body_bytes, MAX_BYTES)?;
        if resource.image.rows.is_some_and(|rows| !rows.is_sorted()) {
            return Err("image.rows: the numbers must ascend".into());
        }
        at_most("request_body_bytes", resource.request_body_bytes, MAX_BYTES)?;
        at_most(
            "decoded_bytes",
            resource.decoded_bytes.unwrap_or(0),
            MAX_BYTES,
        )?;
        for (field, bytes) in [
            ("request_header_bytes", resource.request_header_bytes),
            ("response_header_bytes", resource.response_header_bytes),
        ] {
            at_most(field, bytes, MAX_FIELD_BYTES)?;
        }
        span("think_time", Some(resource.think_time))?;
        span("cpu_time", resource.cpu_time)?;
        span("timeout", resource.timeout)?;
        at_most("measured", resource.measured.len(), MAX_MEASURED)?;
        for size in &resource.measured {
            at_most("measured.bytes", size.bytes, MAX_BYTES)?;
        }
        match resource.no_response {
            Some(NoResponse::After(tried)) => span("no_response", Some(tried)),
            Some(NoResponse::NoAddress) | None => Ok(()),
        }
    }

    fn check_wait(&self, field: &str, wait: Wait) -> Result<(), String> {
        match wait {
            Wait::Resource { id } => self.known(field, id),
            Wait::Join { join } if join as usize >= self.joins.len() => {
                let count = self.joins.len();
                Err(format!(
                    "{field}: there is no join {join} (they are counted from 0, and there are {count})"
                ))
            }
            Wait::ContentLoaded | Wait::Loaded | Wait::Join { .. } => Ok(()),
        }
    }

    fn check_element(&self, element: &Element) -> Result<(), String> {
        match &element.kind {
            ElementKind::Text { fonts } => {
                for font in fonts {
                    self.known("kind.fonts", *font)?;
                }
            }
            ElementKind::Image { resource } | ElementKind::Background { resource } => {
                self.known("kind.resource", *resource)?;
            }
            ElementKind::Other => {}
        }
        let Rect {
            x,
            y,
            width,
            height,
        } = element.rect;
        for side in [x, y, width, height] {
            within("rect", f64::from(side), &PIXELS)?;
        }
        let natural = element.natural.unwrap_or_default();
        for side in [natural.0, natural.1] {
            within("natural", f64::from(side), &PIXELS)?;
        }
        self.check_wait("after.id", element.after)?;
        span("delay", element.delay)?;
        span("motion", Some(element.motion))?;
        span("fade", Some(element.fade))?;
        within("share", element.share, &(0.0..=1.0))
    }

    fn check_layout(&self, layout: &PageLayout) -> Result<(), String> {
        let (width, height) = layout.viewport;
        within("viewport", f64::from(width), &(1.0..=1e5))?;
        within("viewport", f64::from(height), &(1.0..=1e5))?;
        at_most("elements", layout.elements.len(), MAX_ELEMENTS)?;
        for (i, element) in layout.elements.iter().enumerate() {
            self.check_element(element)
                .map_err(|reason| format!("elements[{i}].{reason}"))?;
        }
        for font in &layout.fonts {
            self.known("fonts", font.font)?;
        }
        at_most("callbacks", layout.callbacks.len(), MAX_ELEMENTS)?;
        for (i, callback) in layout.callbacks.iter().enumerate() {
            let field = |name| format!("callbacks[{i}].{name}");
            self.check_wait(&field("after.id"), callback.after)?;
            span(&field("delay"), Some(callback.delay))?;
            span(&field("cost"), Some(callback.cost))?;
        }
        for id in &layout.by_layout {
            self.known("by_layout", *id)?;
        }
        if let Some(largest) = layout.largest {
            within("largest.size", largest.size, &(0.0..=MAX_AREA))?;
            if let Some(id) = largest.image {
                self.known("largest.image", id)?;
            }
            if let Some(text) = largest.text
                && text >= layout.elements.len()
            {
                return Err(format!("largest.text: there is no element {text}"));
            }
        }
        if let Some(shares) = &layout.shares {
            within("shares.canvas", shares.canvas, &(0.0..=1.0))?;
            within("shares.other_images", shares.other_images, &(0.0..=1.0))?;
            for image in &shares.images {
                self.known("shares.images.image", image.image)?;
                within("shares.images.share", image.share, &(0.0..=1.0))?;
                for part in image.rows.into_iter().flatten() {
                    within("shares.images.rows", part, &(0.0..=1.0))?;
                }
                if image.rows.is_some_and(|rows| !rows.is_sorted()) {
                    return Err("shares.images.rows: the numbers must ascend".into());
                }
            }
        }
        at_most("inline_scripts", layout.inline_scripts.len(), MAX_ELEMENTS)?;
        for (i, script) in layout.inline_scripts.iter().enumerate() {
            span(&format!("inline_scripts[{i}].cost"), Some(script.cost))?;
        }
        if let Some(overlay) = layout.overlay {
            self.check_wait("overlay.after.id", overlay.after)?;
            span("overlay.delay", Some(overlay.delay))?;
        }
        if let Some(hidden) = layout.hidden {
            self.check_wait("hidden.after.id", hidden.after)?;
            span("hidden.delay", Some(hidden.delay))?;
            span("hidden.limit", hidden.limit)?;
        }
        if let Some(rendering) = layout.rendering {
            span("rendering.first", Some(rendering.first))?;
            span("rendering.later", rendering.later)?;
            span("rendering.presentation", rendering.presentation)?;
            span("rendering.later_presentation", rendering.later_presentation)?;
        }
        let processors = f64::from(layout.processors.unwrap_or(1));
        within("processors", processors, &(1.0..=1e5))
    }
}

fn at_most<N: PartialOrd + Display + Copy>(field: &str, found: N, limit: N) -> Result<(), String> {
    if found <= limit {
        Ok(())
    } else {
        Err(format!("{field}: found {found}, expected at most {limit}"))
    }
}

fn within(field: &str, found: f64, range: &RangeInclusive<f64>) -> Result<(), String> {
    if range.contains(&found) {
        return Ok(());
    }
    let (from, to) = (range.start(), range.end());
    Err(format!("{field}: found {found}, expected {from} to {to}"))
}

fn span(field: &str, found: Option<Duration>) -> Result<(), String> {
    match found {
        Some(found) if found > MAX_TIME => Err(format!(
            "{field}: found {} s, expected at most {} s",
            found.as_millis_f64() / 1e3,
            MAX_TIME.as_millis_f64() / 1e3
        )),
        _ => Ok(()),
    }
}
