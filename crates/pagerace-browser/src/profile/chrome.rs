//! Chromium.
//!
//! Signals: as measured with Chromium 156 over HTTP/3 (the `priority` header and
//! `PRIORITY_UPDATE`). Chromium recordings from 2024 to 2026 contain the same signals.
//! Classes of images: the first five images that the preload scanner finds and that are
//! not known to be small are `Medium` (feature `BoostImagePriority`,
//! `resource_fetcher.cc`); images that layout finds in the viewport become `High`.
//!
//! Holding back: the renderer's `ResourceLoadScheduler`. Until the parser reaches the body
//! ("tight" mode), a throttleable request below `High` starts only while fewer than two
//! throttleable requests are in flight; a `Medium` request may also start while fewer than two
//! `Medium` ones are. After the tight mode this scheduler holds no requests.
//!
//! Chromium of 2022 did not boost images and never signalled `i`.

use pagerace_core::{Destination, Duration, Priority, RequestPriority, ScriptMode};
use pagerace_page::{FetchPriority, Page, Resource};

use super::Profile;
use crate::requests::{InFlight, RAISED};

impl Profile {
    /// Chromium.
    pub const CHROME: &'static Self = &Self {
        name: "chrome",
        title: "Chromium",
        summary: "Chromium: five urgencies; until the body begins at most two requests below High; \
                  the first five images Medium, those in the viewport High after layout",
        source: "measured with Chromium 156; resource_load_scheduler.{h,cc} and resource_fetcher.cc of Chromium",
        creator: None,
        measured: true,
        // Site isolation.
        isolates_sites: true,
        // `PartitionConnectionsByNetworkIsolationKey`; measured in Chromium 156.
        partitions_frames: true,
        // `kLowPriorityAsyncScriptExecution` in Chromium's `features.cc`: on by default on
        // desktops since version 139, `low_pri_async_exec_feature_limit`.
        low_priority_scripts: Some(Duration::from_secs(3)),
        // `HTMLDocumentParser::Append` and `PumpTokenizer` in `html_document_parser.cc`.
        scans_ahead: false,
        limits_http1: true,
        // Measured in network logs of Chromium 156.
        asks_system: true,
        // `kMaxConnectRetryIntervalMs` of `transport_client_socket_pool.cc`; measured in network
        // logs of Chromium 156.
        backup_connection: Some(Duration::from_millis(250)),
        // `NavigationEarlyHintsManager` in Chromium, since version 103.
        early_preloads: true,
        // `kMaxFCPDelayMsForRenderBlockingFonts` in Chromium's `features.cc`; measured in live loads
        // of Chromium 156.
        font_preloads_hold: Some(Duration::from_millis(100)),
        decimates_acks: true,
        signal,
        raised: |resource| match resource.destination {
            _ if resource.fetch_priority == FetchPriority::Low => None,
            Destination::Image | Destination::Script => Some(signal(resource, RAISED)),
            _ => None,
        },
        first_classes,
        // `AdjustImagePriority` and `ComputeLoadPriority` in `resource_fetcher.cc` make only
        // speculative preloads `Medium`; measured in network logs of Chromium 156.
        unscanned: |resource, class| match (resource.destination, class) {
            (Destination::Image, RequestPriority::Medium) => RequestPriority::Low,
            (Destination::Script, RequestPriority::Medium)
                if resource.script_mode == ScriptMode::Blocking =>
            {
                RequestPriority::High
            }
            _ => class,
        },
        may_wait: |resource, _, _| is_throttleable(resource.destination),
        leads: |_, _| false,
        may_start,
    };
}

/// The number of images in the markup that start as `Medium` (`image_count`).
const BOOSTED_IMAGES: usize = 5;

/// Before the body begins, a request below `High` starts only while fewer throttleable
/// requests than this are in flight (`kTightLimitForRendererSideResourceScheduler`).
const TIGHT_LIMIT: usize = 2;
/// Before the body begins, a `Medium` request also starts while fewer `Medium` requests
/// than this are in flight, whatever else is in flight (`tight_medium_limit`).
const TIGHT_MEDIUM_LIMIT: usize = 2;

fn signal(resource: &Resource, class: RequestPriority) -> Priority {
    let incremental = match resource.destination {
        Destination::Document
        | Destination::Iframe
        | Destination::Image
        | Destination::Media
        | Destination::Fetch => true,
        Destination::Style | Destination::Script | Destination::Font => false,
        // Prefetches are incremental, manifests are not.
        Destination::Other => class == RequestPriority::VeryLow,
    };
    Priority::new(class as u8, incremental)
}

fn first_classes(page: &Page, in_head: &[bool]) -> Vec<RequestPriority> {
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
        .zip(in_head)
        .map(|(resource, &in_head)| {
            if resource.destination != Destination::Image {
                return resource.priority;
            }
            // Preloads are not counted.
            let place = resource.discovery.trigger.place();
            let in_markup = !in_head && place.is_some_and(|(parent, _)| parent == page.document);
            let is_low = recorded_boost && resource.priority == RequestPriority::Low;
            let unboosted = is_low || resource.fetch_priority == FetchPriority::Low;
            let boosts = in_markup && !unboosted && boosted < BOOSTED_IMAGES;
            let class = match resource.priority {
                RequestPriority::Low if boosts => RequestPriority::Medium,
                class => class,
            };
            boosted += usize::from(class == RequestPriority::Medium);
            class
        })
        .collect()
}

/// Returns true if the renderer's scheduler may hold the request back, that is, if an
/// element or a style sheet makes it. Navigations and requests of scripts leave at once.
fn is_throttleable(destination: Destination) -> bool {
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

fn may_start(in_flight: &InFlight, class: RequestPriority) -> bool {
    in_flight.body_reached
        || class <= RequestPriority::High
        || in_flight.waitable < TIGHT_LIMIT
        || (class == RequestPriority::Medium && in_flight.medium < TIGHT_MEDIUM_LIMIT)
}
