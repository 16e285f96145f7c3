//! The priority signals of each browser, and the requests that it holds back.
//!
//! Each browser has its own file, with sources.

pub(crate) mod chrome;
mod firefox;
mod safari;

use pagerace_core::{Destination, Priority, RequestPriority, ScriptMode};
use pagerace_page::{Page, Resource, ResourceId, Trigger};

use crate::config::Profile;

/// The description of a browser profile, for lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileInfo {
    /// The name in a scenario.
    pub name: &'static str,
    /// A one-sentence summary.
    pub summary: &'static str,
    /// The documentation or measurement of the browser's behaviour.
    pub source: &'static str,
}

/// Returns all profiles in the order of [`Profile`].
pub fn profiles() -> &'static [ProfileInfo] {
    &[chrome::INFO, firefox::INFO, safari::INFO]
}

impl Profile {
    /// Returns the name of the profile.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Chrome => "chrome",
            Self::Firefox => "firefox",
            Self::Safari => "safari",
        }
    }

    /// Returns the priority signal of a request for `resource` in priority class `class`.
    pub fn signal(self, resource: &Resource, class: RequestPriority) -> Priority {
        match self {
            Self::Chrome => chrome::signal(resource.destination, class),
            Self::Firefox => firefox::signal(resource, class),
            Self::Safari => safari::signal(resource, class),
        }
    }

    /// Returns the priority class of each resource when it is first requested, in page order.
    ///
    /// Recordings contain the final class of a request. Images in the viewport are raised
    /// after layout, so their first class was lower. `in_head` returns true for an image
    /// that is a preload.
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

    /// Returns the class and signal to which a request is raised: for an image when
    /// layout finds it in the viewport, for a script when a parser waits for it. Returns
    /// `None` if this browser does not raise the request.
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

    /// Returns true if frames of other sites run on their own threads.
    ///
    /// Chromium and Firefox isolate sites; Safari keeps a page in one process.
    pub const fn isolates_sites(self) -> bool {
        !matches!(self, Self::Safari)
    }

    /// Returns true if asynchronous scripts of other sites wait until the document is parsed.
    ///
    /// Inferred from live loads of five pages in Chromium 156: such scripts ran 0.3 to
    /// 5.6 s after they had arrived, and on one page the main thread was idle meanwhile.
    /// Script-inserted scripts are assumed to behave alike.
    pub const fn delays_async_scripts(self) -> bool {
        matches!(self, Self::Chrome)
    }

    /// Returns true if the request waits while [leaders](Self::leads) are in flight.
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

    /// Returns true if followers wait for this request.
    pub(crate) fn leads(self, resource: &Resource, class: RequestPriority) -> bool {
        match self {
            Self::Chrome => false,
            Self::Firefox => firefox::leads(resource, class),
            Self::Safari => safari::leads(resource, class),
        }
    }
}

/// Returns the first class: images in the viewport start low, and others keep their
/// recorded class.
fn first_class_of_image_or_recorded(resource: &Resource) -> RequestPriority {
    if resource.destination == Destination::Image && resource.in_viewport {
        RequestPriority::Low.max(resource.priority)
    } else {
        resource.priority
    }
}

/// Returns true if the resource is a parser-blocking script that precedes the body.
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
