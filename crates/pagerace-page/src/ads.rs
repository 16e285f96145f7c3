//! Who says that a request is advertisement or counts visits, and why.
//!
//! [`AdMatcher`] is the question; [`BuiltIn`] asks the short list that also
//! makes [`Category::Ads`](crate::Category::Ads), [`ThirdParties`] a table of
//! domains and the companies behind them. Filter lists that a user brings
//! implement the trait elsewhere: nothing here reads them.

mod built_in;
mod third_parties;

use std::fmt;

use pagerace_core::Destination;
use serde::{Deserialize, Serialize};

use crate::{Page, Resource};

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
    /// What it is for.
    pub destination: Destination,
    /// HTTP method.
    pub method: &'a str,
    /// Whether it is on another registrable domain than the document.
    pub third_party: bool,
}

/// What a matcher says of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdMatch {
    /// What it is; `None` if the list says that it is not to be taken for any.
    pub kind: Option<AdKind>,
    /// Which list says so.
    pub source: String,
    /// By which rule, domain or entity.
    pub rule: String,
}

/// What a request serves beside the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AdKind {
    /// Advertisement or counting; which of them is not said.
    AdOrTracker,
    /// Advertisement.
    Ad,
    /// Counting, testing, watching.
    Analytics,
    /// Loads advertisement and counting.
    TagManager,
    /// Pop-ups, newsletters, reviews, recommendations.
    Marketing,
    /// Buttons and posts of social networks.
    Social,
    /// Chats and help desks.
    Support,
}

impl AdKind {
    /// Whether it is there for somebody else than the reader. What is not may
    /// be part of what a reader came for.
    pub const fn is_ad(self) -> bool {
        matches!(
            self,
            Self::AdOrTracker | Self::Ad | Self::Analytics | Self::TagManager
        )
    }
}

impl fmt::Display for AdKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::AdOrTracker => "advertisement or tracker",
            Self::Ad => "advertisement",
            Self::Analytics => "analytics",
            Self::TagManager => "tag manager",
            Self::Marketing => "marketing",
            Self::Social => "social network",
            Self::Support => "customer support",
        })
    }
}

/// Something that knows advertisement and trackers.
pub trait AdMatcher {
    /// What it knows of a request; `None` if nothing.
    fn find(&self, request: &AdRequest<'_>) -> Option<AdMatch>;
}

/// Several matchers. The first that knows a request as advertisement or tracker,
/// or as neither, decides; that one knows it as a widget counts if no other says
/// more.
#[derive(Default)]
pub struct Matchers {
    all: Vec<Box<dyn AdMatcher>>,
}

impl<'a> AdRequest<'a> {
    /// A request of `page`.
    ///
    /// # Panics
    /// If the resource is not of this page.
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
    /// None: every request is unknown.
    pub fn none() -> Self {
        Self::default()
    }

    /// Those that come with Pagerace: the table of third parties, which names
    /// entities, then the built-in list.
    pub fn built_in() -> Self {
        Self::none().then(ThirdParties::new()).then(BuiltIn)
    }

    /// These, and `matcher` for what they do not know.
    #[must_use]
    pub fn then(mut self, matcher: impl AdMatcher + 'static) -> Self {
        self.all.push(Box::new(matcher));
        self
    }

    /// `matcher`, and these for what it does not know.
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
