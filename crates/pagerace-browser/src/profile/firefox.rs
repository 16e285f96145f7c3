//! Firefox.
//!
//! Signals: the table that Firefox publishes for version 132 and later,
//! <https://firefox-source-docs.mozilla.org/networking/http/prioritization.html>. Resources
//! without a row (frames, media, ads) follow Firefox 108 in a server's qlog of December 2022.
//! Holding back: in that qlog, the images of the body were requested only after the head's style
//! sheets and blocking scripts had arrived. Left out: the tailing of trackers.
//!
//! Firefox 108 signalled u=1 for documents and u=4 for images, and never `i`.

use pagerace_core::{Destination, Priority, RequestPriority};
use pagerace_page::Resource;

use super::{ProfileInfo, is_head_script};

pub(super) const INFO: ProfileInfo = ProfileInfo {
    name: "firefox",
    summary: "Firefox: urgency by resource type; images wait for the head's style sheets and scripts",
    source: "firefox-source-docs.mozilla.org/networking/http/prioritization.html (132+); server qlog of Firefox 108",
};

/// The signal for an image that layout is about to render.
pub(super) const IMAGE_IN_LAYOUT: Priority = Priority::new(3, true);

pub(super) fn signal(resource: &Resource, class: RequestPriority) -> Priority {
    let least = class == RequestPriority::VeryLow;
    match resource.destination {
        Destination::Document => Priority::new(0, true),
        Destination::Style if least => Priority::new(4, false),
        Destination::Style => Priority::new(2, false),
        Destination::Script if is_head_script(resource, class) => Priority::new(2, false),
        // Chromium records preloaded fonts as `High` and other fonts as `VeryHigh`.
        Destination::Font if class == RequestPriority::High => Priority::new(2, false),
        Destination::Script | Destination::Font => Priority::new(3, false),
        Destination::Image if least => Priority::new(6, true),
        Destination::Image => Priority::new(5, true),
        Destination::Fetch | Destination::Other if least => Priority::new(6, false),
        Destination::Iframe | Destination::Media | Destination::Fetch | Destination::Other => {
            Priority::new(4, false)
        }
    }
}

pub(super) fn leads(resource: &Resource, class: RequestPriority) -> bool {
    (resource.destination == Destination::Style && class != RequestPriority::VeryLow)
        || is_head_script(resource, class)
}

/// Returns true if the request follows leaders. Preloaded images, which are in the head,
/// leave at once.
pub(super) fn follows(resource: &Resource, class: RequestPriority, in_head: bool) -> bool {
    match resource.destination {
        Destination::Image => !in_head,
        Destination::Media => true,
        Destination::Style | Destination::Other => class == RequestPriority::VeryLow,
        _ => false,
    }
}
