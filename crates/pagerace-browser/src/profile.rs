//! What each browser signals, and which requests it holds back.
//!
//! One file for each browser, with its sources.

pub(crate) mod chrome;
mod firefox;
mod safari;

use pagerace_core::{Destination, Priority, RequestPriority, ScriptMode};
use pagerace_page::{Page, Resource, ResourceId, Trigger};

use crate::config::Profile;

/// A browser profile, for lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileInfo {
    /// The name in a scenario.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Where its behaviour is documented or was measured.
    pub source: &'static str,
}

/// All profiles, in the order of [`Profile`].
pub fn profiles() -> &'static [ProfileInfo] {
    &[chrome::INFO, firefox::INFO, safari::INFO]
}

impl Profile {
    /// The profile's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Chrome => "chrome",
            Self::Firefox => "firefox",
            Self::Safari => "safari",
        }
    }

    /// What a request for this resource signals when `class` is its priority
    /// class.
    pub fn signal(self, resource: &Resource, class: RequestPriority) -> Priority {
        match self {
            Self::Chrome => chrome::signal(resource.destination, class),
            Self::Firefox => firefox::signal(resource, class),
            Self::Safari => safari::signal(resource, class),
        }
    }

    /// The priority class of each resource when it is first requested, in page order.
    ///
    /// Recordings tell the class that a request ended with. Images in the
    /// viewport are raised after layout, so theirs was lower at first.
    /// `in_head` tells the images that are preloads.
    pub(crate) fn first_classes(
        self,
        page: &Page,
        in_head: impl Fn(ResourceId) -> bool,
    ) -> Vec<RequestPriority> {
        match self {
            Self::Chrome => chrome::first_classes(page, in_head),
            Self::Firefox | Self::Safari => page
                .resources
                .iter()
                .map(first_class_of_image_or_recorded)
                .collect(),
        }
    }

    /// The class and signal that a request is raised to: an image's once layout
    /// finds it in the viewport, a script's once a parser waits for it. `None` if
    /// this browser changes nothing then.
    pub fn raised(self, resource: &Resource) -> Option<(RequestPriority, Priority)> {
        let class = RequestPriority::High;
        match (self, resource.destination) {
            (Self::Chrome, Destination::Image | Destination::Script) => {
                Some((class, self.signal(resource, class)))
            }
            (Self::Firefox, Destination::Image) => Some((class, firefox::IMAGE_IN_LAYOUT)),
            _ => None,
        }
    }

    /// Whether frames of other sites run on threads of their own.
    ///
    /// Chromium and Firefox isolate sites; Safari keeps a page in one process.
    pub const fn isolates_sites(self) -> bool {
        !matches!(self, Self::Safari)
    }

    /// True if asynchronous scripts of other sites wait until the document is parsed.
    ///
    /// Inferred from live loads of five pages in Chromium 156: such scripts ran 0.3 to
    /// 5.6 s after they had arrived. On one of the pages the main thread was idle meanwhile.
    /// The same is assumed of inserted scripts.
    pub const fn delays_async_scripts(self) -> bool {
        matches!(self, Self::Chrome)
    }

    /// Whether the request waits while [leaders](Self::leads) are in flight.
    pub(crate) fn follows(
        self,
        resource: &Resource,
        class: RequestPriority,
        in_head: bool,
    ) -> bool {
        match self {
            Self::Chrome => false,
            Self::Firefox => firefox::follows(resource, class, in_head),
            Self::Safari => safari::follows(resource, class),
        }
    }

    /// Whether followers wait for this request.
    pub(crate) fn leads(self, resource: &Resource, class: RequestPriority) -> bool {
        match self {
            Self::Chrome => false,
            Self::Firefox => firefox::leads(resource, class),
            Self::Safari => safari::leads(resource, class),
        }
    }
}

/// Images begin low; everything else as recorded.
fn first_class_of_image_or_recorded(resource: &Resource) -> RequestPriority {
    if resource.destination == Destination::Image && resource.in_viewport {
        RequestPriority::Low.max(resource.priority)
    } else {
        resource.priority
    }
}

/// Whether this is a script that blocks the parser and comes before the body.
fn is_head_script(resource: &Resource, class: RequestPriority) -> bool {
    resource.destination == Destination::Script
        && resource.script_mode == ScriptMode::Blocking
        && class <= RequestPriority::High
        && matches!(
            resource.discovery.trigger,
            Trigger::Markup { .. } | Trigger::Redirect { .. }
        )
}

#[cfg(test)]
mod tests;
