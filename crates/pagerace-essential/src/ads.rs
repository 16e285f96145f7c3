//! Detection of requests that serve advertisement or tracking, with the reason.
//!
//! [`AdMatcher`] is the interface. [`BuiltIn`] uses the short list that also decides
//! [`Category::Ads`](pagerace_page::Category::Ads). [`ThirdParties`] uses a table of domains and
//! the companies behind them. Matchers for the user's own filter lists implement the
//! trait in another crate; this module does not read such lists.

mod built_in;
mod third_parties;

use std::fmt;

use pagerace_core::{Destination, names};
use serde::{Deserialize, Serialize};

use pagerace_page::{Page, Resource};

pub use built_in::BuiltIn;
pub use third_parties::ThirdParties;

/// A request, as matchers see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdRequest<'a> {
    /// Absolute URL.
    pub url: &'a str,
    /// Host of the URL.
    pub host: &'a str,
    /// URL of the page's document.
    pub page_url: &'a str,
    /// Host of the page's document.
    pub page_host: &'a str,
    /// Destination of the request, as in Fetch.
    pub destination: Destination,
    /// HTTP method.
    pub method: &'a str,
    /// True if the registrable domain differs from the document's.
    pub third_party: bool,
}

/// A matcher's classification of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdMatch {
    /// Purpose of the request; `None` if the list exempts it from being advertisement.
    pub kind: Option<AdKind>,
    /// Name of the list that matched.
    pub source: String,
    /// Rule, domain or entity that matched.
    pub rule: String,
}

names! {
    /// Purpose of a request that does not serve the page's own content.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum AdKind {
        /// Advertisement or tracking; the list does not distinguish them.
        AdOrTracker = "advertisement or tracker",
        /// Advertisement.
        Ad = "advertisement",
        /// Visitor counting, A/B testing and session recording.
        Analytics = "analytics",
        /// Loader of advertisement and tracking scripts.
        TagManager = "tag manager",
        /// Pop-ups, newsletters, reviews, recommendations.
        Marketing = "marketing",
        /// Buttons and posts of social networks.
        Social = "social network",
        /// Chats and help desks.
        Support = "customer support",
    }
}

impl AdKind {
    /// Returns true for kinds that do not serve the reader. The other kinds may be part
    /// of the content that a reader came for.
    pub const fn is_ad(self) -> bool {
        matches!(
            self,
            Self::AdOrTracker | Self::Ad | Self::Analytics | Self::TagManager
        )
    }
}

/// A source of knowledge about advertisement and trackers.
pub trait AdMatcher {
    /// Returns the classification of a request; `None` if the matcher does not know it.
    fn find(&self, request: &AdRequest<'_>) -> Option<AdMatch>;
}

/// Several matchers in order. The first match that is advertisement, tracker or exempted
/// decides. Without one, the first match of a widget counts.
#[derive(Default)]
pub struct Matchers {
    all: Vec<Box<dyn AdMatcher>>,
}

impl<'a> AdRequest<'a> {
    /// Creates a request from a resource of `page`.
    ///
    /// # Panics
    /// Panics if the resource is not of this page.
    pub fn of(page: &'a Page, resource: &'a Resource) -> Self {
        let document = page.resource(page.document);
        Self {
            url: &resource.url,
            host: &page.origin(resource.origin).host,
            page_url: &document.url,
            page_host: &page.origin(document.origin).host,
            destination: resource.destination,
            method: &resource.method,
            third_party: resource.third_party,
        }
    }
}

impl Matchers {
    /// Creates an empty list, which matches no request.
    pub fn none() -> Self {
        Self::default()
    }

    /// Creates a list of the matchers that come with Pagerace: first the table of third
    /// parties, which names entities, then the built-in list.
    pub fn built_in() -> Self {
        Self::none().then(ThirdParties::new()).then(BuiltIn)
    }

    /// Adds `matcher` with the lowest precedence.
    #[must_use]
    pub fn then(mut self, matcher: impl AdMatcher + 'static) -> Self {
        self.all.push(Box::new(matcher));
        self
    }

    /// Adds `matcher` with the highest precedence.
    #[must_use]
    pub fn after(mut self, matcher: impl AdMatcher + 'static) -> Self {
        self.all.insert(0, Box::new(matcher));
        self
    }
}

impl fmt::Debug for Matchers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} matchers", self.all.len())
    }
}

impl AdMatcher for Matchers {
    fn find(&self, request: &AdRequest<'_>) -> Option<AdMatch> {
        let mut widget = None;
        for found in self.all.iter().filter_map(|matcher| matcher.find(request)) {
            if found.kind.is_none_or(AdKind::is_ad) {
                return Some(found);
            }
            widget.get_or_insert(found);
        }
        widget
    }
}

#[cfg(test)]
mod tests;
