//! Chromium.
//!
//! Signals: as measured with Chromium 156 over HTTP/3 (the `priority` header and
//! `PRIORITY_UPDATE`). Chromium recordings from 2024 to 2026 contain the same signals.
//! Classes of images: the first five images that the preload scanner finds and that are
//! not known to be small are `Medium` (feature `BoostImagePriority`,
//! `resource_fetcher.cc`); images that layout finds in the viewport become `High`.
//!
//! Chromium of 2022 did not boost images and never signalled `i`.

use pagerace_core::{Destination, Priority, RequestPriority};
use pagerace_page::{Page, Resource, ResourceId, Trigger};

use super::ProfileInfo;

pub(super) const INFO: ProfileInfo = ProfileInfo {
    name: "chrome",
    summary: "Chromium: five urgencies; until the body begins at most two requests below High; \
              the first five images Medium, those in the viewport High after layout",
    source: "measured with Chromium 156; resource_load_scheduler.{h,cc} and resource_fetcher.cc of Chromium",
};

/// The number of images in the markup that start as `Medium` (`image_count`).
const BOOSTED_IMAGES: usize = 5;

/// Before the body begins, a request below `High` starts only while fewer throttleable
/// requests than this are in flight (`kTightLimitForRendererSideResourceScheduler`).
pub(crate) const TIGHT_LIMIT: usize = 2;
/// Before the body begins, a `Medium` request also starts while fewer `Medium` requests
/// than this are in flight, whatever else is in flight (`tight_medium_limit`).
pub(crate) const TIGHT_MEDIUM_LIMIT: usize = 2;

pub(super) fn signal(destination: Destination, class: RequestPriority) -> Priority {
    let urgency = match class {
        RequestPriority::VeryHigh => 0,
        RequestPriority::High => 1,
        RequestPriority::Medium => 2,
        RequestPriority::Low => 3,
        RequestPriority::VeryLow => 4,
    };
    let incremental = match destination {
        Destination::Document
        | Destination::Iframe
        | Destination::Image
        | Destination::Media
        | Destination::Fetch => true,
        Destination::Style | Destination::Script | Destination::Font => false,
        // Prefetches are incremental, manifests are not.
        Destination::Other => class == RequestPriority::VeryLow,
    };
    Priority::new(urgency, incremental)
}

pub(super) fn first_classes(
    page: &Page,
    in_head: impl Fn(ResourceId) -> bool,
) -> Vec<RequestPriority> {
    let is_image = |r: &&Resource| r.destination == Destination::Image;
    // A recording with a `Medium` image comes from a Chromium that boosts images, so that
    // its `Low` images were not boosted.
    let recorded_boost = page
        .resources
        .iter()
        .filter(is_image)
        .any(|r| r.priority == RequestPriority::Medium);
    let mut boosted = 0;
    page.resources
        .iter()
        .map(|resource| {
            if resource.destination != Destination::Image {
                return resource.priority;
            }
            let in_markup = matches!(resource.discovery.trigger,
                Trigger::Markup { parent, .. } if parent == page.document)
                // Preloads are not counted.
                && !in_head(resource.id);
            match resource.priority {
                // Raised by layout; `Medium` or `Low` before.
                RequestPriority::High | RequestPriority::VeryHigh
                    if resource.in_viewport && !in_head(resource.id) =>
                {
                    if in_markup && boosted < BOOSTED_IMAGES {
                        boosted += 1;
                        RequestPriority::Medium
                    } else {
                        RequestPriority::Low
                    }
                }
                RequestPriority::Low
                    if in_markup && !recorded_boost && boosted < BOOSTED_IMAGES =>
                {
                    boosted += 1;
                    RequestPriority::Medium
                }
                RequestPriority::Medium => {
                    boosted += 1;
                    RequestPriority::Medium
                }
                // A `High` image that is outside the viewport or preloaded has its class
                // from the author.
                other => other,
            }
        })
        .collect()
}

/// Returns true if the renderer's scheduler may hold the request back, that is, if an
/// element or a style sheet makes it. Navigations and requests of scripts leave at once.
pub(crate) fn is_throttleable(destination: Destination) -> bool {
    match destination {
        Destination::Style
        | Destination::Script
        | Destination::Font
        | Destination::Image
        | Destination::Media
        | Destination::Other => true,
        Destination::Document | Destination::Iframe | Destination::Fetch => false,
    }
}
