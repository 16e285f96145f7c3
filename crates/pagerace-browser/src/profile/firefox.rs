//! Firefox.
//!
//! Signals: the table that Firefox publishes for version 132 and later,
//! <https://firefox-source-docs.mozilla.org/networking/http/prioritization.html>. Resources
//! without a row (frames, media, ads) follow Firefox 108 in a server's qlog of December 2022.
//! Holding back: in that qlog, the images of the body were requested only after the head's style
//! sheets and blocking scripts had arrived. Left out: the tailing of trackers, the pacing of
//! requests (`network.http.pacing.requests`), and the extra connections for urgent requests over
//! HTTP/1.1.
//!
//! Firefox 108 signalled u=1 for documents and u=4 for images, and never `i`.

use pagerace_core::{Destination, Duration, Priority, RequestPriority};
use pagerace_page::Resource;

use super::{Profile, after_leaders, is_head_script, recorded_classes};

impl Profile {
    /// Firefox.
    pub const FIREFOX: &'static Self = &Self {
        name: "firefox",
        title: "Firefox",
        summary: "Firefox: urgency by resource type; images wait for the head's style sheets and scripts",
        source: "firefox-source-docs.mozilla.org/networking/http/prioritization.html (132+); server qlog of Firefox 108",
        creator: Some("firefox"),
        measured: false,
        // Project Fission.
        isolates_sites: true,
        partitions_frames: false,
        low_priority_scripts: None,
        // The speculative parser.
        scans_ahead: true,
        limits_http1: false,
        asks_system: false,
        // `network.http.connection-retry-timeout`. Counted from the look-up, as in Chromium; not
        // measured.
        backup_connection: Some(Duration::from_millis(250)),
        // Since version 123 (release notes).
        early_preloads: true,
        font_preloads_hold: None,
        decimates_acks: false,
        signal,
        // Layout is about to render the image.
        raised: |resource| {
            (resource.destination == Destination::Image).then_some(Priority::new(3, true))
        },
        first_classes: recorded_classes,
        unscanned: |_, class| class,
        may_wait,
        leads,
        may_start: after_leaders,
    };
}

fn signal(resource: &Resource, class: RequestPriority) -> Priority {
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

fn leads(resource: &Resource, class: RequestPriority) -> bool {
    (resource.destination == Destination::Style && class != RequestPriority::VeryLow)
        || is_head_script(resource, class)
}

/// Preloaded images, which are in the head, leave at once.
fn may_wait(resource: &Resource, class: RequestPriority, in_head: bool) -> bool {
    match resource.destination {
        Destination::Image => !in_head,
        Destination::Media => true,
        Destination::Style | Destination::Other => class == RequestPriority::VeryLow,
        _ => false,
    }
}
