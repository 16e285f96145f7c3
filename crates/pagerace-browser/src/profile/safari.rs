//! Safari.
//!
//! The profile follows a server's qlog of December 2022 (Safari 16) and the recording
//! that Safari made of the same load. `WebKit`'s five priorities become urgencies 0, 1,
//! 3, 5 and 7, always incremental. Images, media and less urgent resources were requested
//! only after all style sheets and scripts that can block had arrived. The behaviour over
//! HTTP/1.1 is not known.

use pagerace_core::{Destination, Priority, RequestPriority, ScriptMode};
use pagerace_page::Resource;

use super::{Profile, after_leaders, recorded_classes};

impl Profile {
    /// Safari.
    pub const SAFARI: &'static Self = &Self {
        name: "safari",
        title: "Safari",
        summary: "Safari: urgencies 0, 1, 3, 5, 7, always incremental; images wait for style sheets and scripts",
        source: "server qlog and recording of Safari 16, December 2022",
        creator: Some("webkit"),
        measured: false,
        // A page stays in one process.
        isolates_sites: false,
        partitions_frames: false,
        low_priority_scripts: None,
        // `HTMLDocumentParser::append` of WebKit, which does not read the first part either.
        scans_ahead: false,
        limits_http1: false,
        asks_system: false,
        backup_connection: None,
        // Since version 17, for `preconnect` alone (release notes).
        early_preloads: false,
        font_preloads_hold: None,
        decimates_acks: false,
        signal,
        raised: |_| None,
        first_classes: recorded_classes,
        unscanned: |_, class| class,
        may_wait,
        leads,
        may_start: after_leaders,
    };
}

fn signal(resource: &Resource, class: RequestPriority) -> Priority {
    let urgency = match resource.destination {
        _ if class == RequestPriority::VeryLow => 7,
        Destination::Document | Destination::Iframe => 0,
        Destination::Style => 1,
        Destination::Script => match resource.script_mode {
            ScriptMode::Blocking | ScriptMode::Defer => 1,
            ScriptMode::Async | ScriptMode::Inserted => 3,
        },
        Destination::Image if !resource.in_viewport => 5,
        Destination::Image
        | Destination::Font
        | Destination::Media
        | Destination::Fetch
        | Destination::Other => 3,
    };
    Priority::new(urgency, true)
}

fn leads(resource: &Resource, class: RequestPriority) -> bool {
    class != RequestPriority::VeryLow
        && match resource.destination {
            Destination::Style => true,
            Destination::Script => {
                matches!(
                    resource.script_mode,
                    ScriptMode::Blocking | ScriptMode::Defer
                )
            }
            _ => false,
        }
}

fn may_wait(resource: &Resource, class: RequestPriority, _in_head: bool) -> bool {
    match resource.destination {
        Destination::Image | Destination::Media => true,
        Destination::Document | Destination::Iframe | Destination::Fetch => false,
        _ => class == RequestPriority::VeryLow,
    }
}
