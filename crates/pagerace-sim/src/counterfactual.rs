//! Whether paints need a resource: the page is loaded without it, and with it
//! late, and compared.
//!
//! The network is ideal, so that loads differ by nothing but the resource: every
//! connection is open, every response begins one short round trip and the
//! server's think time after its request, and comes at 10 Gbit/s, whatever else
//! is on its way. Think times and CPU costs are as configured, without jitter.
//! A load is then a few hundred events instead of some ten thousand packets.
//!
//! Two questions, because the first alone misleads:
//!
//! - *Refused*, as by an ad blocker: is a paint later, lost or another one? A paint
//!   that is *earlier* may be so because it waited for the resource, or because
//!   the resource took time of the main thread that the paint then had to wait for.
//! - *Late*, by [`LATE`]: is a paint later? Then it waits for it, and only then.
//!
//! Left out: what a resource takes from others on a narrow link (that depends on
//! the link), what scripts that fail do to other scripts (no recording tells),
//! and paints inside frames.

mod ideal;

use std::sync::Arc;

use pagerace_browser::BrowserConfig;
use pagerace_core::{Destination, Duration};
use pagerace_page::essential::{PaintChange, PaintEffect};
use pagerace_page::{ElementKind, Page, ResourceId};

use self::ideal::{Change, Seen, load};

/// By how much an answer is late: longer than any slack that a paint of a page
/// that is worth loading leaves, shorter than browsers wait for fonts.
pub const LATE: Duration = Duration::from_millis(1_000);

/// Paints that are later by less have waited for something else meanwhile:
/// frames and tasks of the main thread fall differently.
pub const WAITS_LEAST: Duration = Duration::from_millis(250);

/// A Speed Index that is later by less is so by chance, likewise; of [`LATE`] this is
/// one per cent of the picture.
pub const PICTURE_WAITS_LEAST: Duration = Duration::from_millis(10);

/// Pixels; less is the rounding of sums.
const AREA_LEAST: f64 = 0.5;

/// A page that is loaded again and again, each time with another resource
/// refused or late.
///
/// Loads share nothing but the page: callers may ask from several threads.
#[derive(Debug)]
pub struct Counterfactuals {
    page: Arc<Page>,
    config: BrowserConfig,
    whole: Seen,
    /// In page order: whether the resource can change a paint.
    matters: Vec<bool>,
}

impl Counterfactuals {
    /// Loads the page as it is.
    pub fn new(page: &Arc<Page>, browser: &BrowserConfig) -> Self {
        let config = BrowserConfig {
            jitter: 0.0,
            ..browser.clone()
        };
        let whole = load(page, &config, Change::None);
        let matters = matters(page, &whole);
        Self {
            page: Arc::clone(page),
            config,
            whole,
            matters,
        }
    }

    /// Whether loads without the resource are worth comparing. Not those without
    /// the document, which is all there is to see; not what was never asked for;
    /// and not what leads to nothing and is neither image, font, script nor style
    /// sheet of the document.
    pub fn matters(&self, resource: ResourceId) -> bool {
        self.matters[resource.index()]
    }

    /// What paints make of the resource: two loads, none if it cannot matter.
    pub fn effect(&self, resource: ResourceId) -> PaintEffect {
        if !self.matters(resource) {
            return PaintEffect::default();
        }
        let without = load(&self.page, &self.config, Change::Refused(resource));
        let late = load(&self.page, &self.config, Change::Late(resource, LATE));
        let waits = |before: Option<Duration>, late: Option<Duration>| {
            before.zip(late).is_some_and(|(b, l)| l > b + WAITS_LEAST)
        };
        let missing = self.whole.area - without.area;
        PaintEffect {
            fcp: change(self.whole.fcp, without.fcp),
            lcp: change(self.whole.lcp, without.lcp),
            other_largest: self.whole.largest != without.largest,
            missing: if missing > AREA_LEAST {
                missing / self.whole.area
            } else {
                0.0
            },
            fcp_waits: waits(self.whole.fcp, late.fcp),
            lcp_waits: waits(self.whole.lcp, late.lcp),
            picture_waits: self
                .whole
                .speed_index
                .zip(late.speed_index)
                .is_some_and(|(before, late)| late > before + PICTURE_WAITS_LEAST),
        }
    }
}

/// What paints make of each resource, in page order, one after the other. With
/// threads at hand, ask [`Counterfactuals`] for each.
pub fn paint_critical(page: &Arc<Page>, browser: &BrowserConfig) -> Vec<PaintEffect> {
    let loads = Counterfactuals::new(page, browser);
    let all = page.resources.iter();
    all.map(|resource| loads.effect(resource.id)).collect()
}

fn change(before: Option<Duration>, after: Option<Duration>) -> PaintChange {
    match (before, after) {
        (Some(_), None) => PaintChange::Never,
        (Some(before), Some(after)) if after < before => {
            PaintChange::Earlier(before.saturating_sub(after))
        }
        (Some(before), Some(after)) if after > before => {
            PaintChange::Later(after.saturating_sub(before))
        }
        // What was never painted cannot be missed.
        _ => PaintChange::Same,
    }
}

fn matters(page: &Page, whole: &Seen) -> Vec<bool> {
    let mut leads = vec![false; page.resources.len()];
    for parent in page
        .resources
        .iter()
        .filter_map(|r| r.discovery.trigger.parent())
    {
        leads[parent.index()] = true;
    }
    let mut on_screen = vec![false; page.resources.len()];
    for element in page.layout.iter().flat_map(|layout| &layout.elements) {
        if let ElementKind::Image { resource } | ElementKind::Background { resource } = element.kind
            && let Some(seen) = on_screen.get_mut(resource.index())
        {
            *seen = true;
        }
    }
    let of = |resource: &pagerace_page::Resource| {
        let i = resource.id.index();
        let acts = match resource.destination {
            Destination::Document => false,
            Destination::Style | Destination::Script | Destination::Font => true,
            Destination::Image => resource.in_viewport || on_screen[i] || leads[i],
            _ => leads[i],
        };
        acts && whole.asked[i]
    };
    page.resources.iter().map(of).collect()
}

#[cfg(test)]
mod tests;
