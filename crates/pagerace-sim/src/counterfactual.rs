//! Effects of each resource on the page's paints, found by loading the page without the
//! resource and with the resource late.
//!
//! The network is ideal, so that loads differ only in the resource. Every connection is
//! open. Every response begins one short round trip and the server's think time after its
//! request, and arrives at 10 Gbit/s whatever else is in flight. Think times and CPU
//! costs are as configured, without jitter. Such a load takes a few hundred events
//! instead of some ten thousand packets.
//!
//! Each resource is tested in two ways, because the first alone misleads:
//!
//! - *Refused*, as by an ad blocker: is a paint later, missing or different? If a paint
//!   is *earlier*, it may have waited for the resource, or only for the main-thread time
//!   that the resource took.
//! - *Late*, by [`LATE`]: is a paint later? If and only if so, it waits for the resource.
//!
//! Left out: the bandwidth that a resource takes from others on a narrow link (which
//! depends on the link), the effect of a failed script on other scripts (which no
//! recording tells), and paints inside frames.

mod ideal;

use std::sync::Arc;

use pagerace_browser::BrowserConfig;
use pagerace_core::{Destination, Duration};
use pagerace_page::{ElementKind, Page, ResourceId};
use pagerace_page::{PaintChange, PaintEffect};

use self::ideal::{Change, Seen, load};

/// Delay of a late response: longer than the slack of any paint of a practical page, and
/// shorter than the time for which browsers wait for fonts.
pub const LATE: Duration = Duration::from_millis(1_000);

/// Increase of a paint's time above which the paint counts as waiting for the resource.
/// Smaller increases have other causes: frames and main-thread tasks fall at different
/// times.
pub(crate) const WAITS_LEAST: Duration = Duration::from_millis(250);

/// Increase of the Speed Index above which a part of the picture counts as waiting for
/// the resource. Smaller increases are chance, as above. The value is [`LATE`] for one
/// per cent of the picture.
pub(crate) const PICTURE_WAITS_LEAST: Duration = Duration::from_millis(10);

/// Least missing area in pixels; less is rounding error of sums.
const AREA_LEAST: f64 = 0.5;

/// A page to be loaded repeatedly, each time with another resource refused or late.
///
/// Loads share nothing but the page, so several threads may call
/// [`effect`](Self::effect).
#[derive(Debug)]
pub struct Counterfactuals {
    page: Arc<Page>,
    config: BrowserConfig,
    whole: Seen,
    /// For each resource in page order, true if it can change a paint.
    matters: Vec<bool>,
}

impl Counterfactuals {
    /// Loads the unchanged page as the reference.
    pub fn new(page: &Arc<Page>, browser: &BrowserConfig) -> Self {
        let config = BrowserConfig {
            jitter: 0.0,
            ..browser.clone()
        };
        let mut page = Arc::clone(page);
        if page.layout().is_some_and(|l| l.processors.is_some()) {
            // Data that arrives must not slow the page, or loads would differ in all data.
            let layout = Arc::make_mut(&mut page).layout_mut();
            layout.expect("it has one").processors = None;
        }
        let whole = load(&page, &config, Change::None);
        let matters = matters(&page, &whole);
        Self {
            page,
            config,
            whole,
            matters,
        }
    }

    /// Returns true if loads without the resource are worth comparing: the page requests
    /// it, and it is a style sheet, script or font, an image in the viewport or the
    /// recorded layout, or the parent of another resource. The document is excluded,
    /// because nothing appears without it.
    pub fn matters(&self, resource: ResourceId) -> bool {
        self.matters[resource.index()]
    }

    /// Returns the resource's effect on paints. This takes two loads, or none if the
    /// resource cannot change a paint.
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

fn change(before: Option<Duration>, after: Option<Duration>) -> PaintChange {
    match (before, after) {
        (Some(_), None) => PaintChange::Never,
        (Some(before), Some(after)) if after < before => {
            PaintChange::Earlier(before.saturating_sub(after))
        }
        (Some(before), Some(after)) if after > before => {
            PaintChange::Later(after.saturating_sub(before))
        }
        // A paint that never happened cannot be lost.
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
    for element in page
        .layout()
        .into_iter()
        .flat_map(|layout| &layout.elements)
    {
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
