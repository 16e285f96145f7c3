//! The properties of a request that selectors match.

use url::Url;

use crate::{Category, Page, Resource, category, domain};

/// A request, as selectors see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target<'a> {
    /// Absolute URL.
    pub url: &'a str,
    /// Host of the URL.
    pub host: &'a str,
    /// Category by destination and media type; never [`Category::Ads`].
    pub asked_as: Category,
    /// True if the request serves advertisement or analytics.
    pub ad: bool,
    /// True if the registrable domain differs from the document's.
    pub third_party: bool,
}

impl<'a> Target<'a> {
    /// Creates a target from a resource of `page`.
    ///
    /// # Panics
    /// Panics if the resource is not of this page.
    pub fn of(page: &'a Page, resource: &'a Resource) -> Self {
        Self {
            url: &resource.url,
            host: &page.origin(resource.origin).host,
            asked_as: category::asked_as(resource.destination, &resource.mime_type),
            ad: resource.category == Category::Ads,
            third_party: resource.third_party,
        }
    }

    /// Creates a target from a request that the recording of `page` lacks. Only the URL
    /// is known, so the category is [`Category::Others`]; the URL may still identify
    /// advertisement. `url` is the text of `parsed`.
    pub fn unknown(page: &Page, url: &'a str, parsed: &'a Url) -> Self {
        let host = parsed.host_str().unwrap_or_default();
        let document = page.resource(page.document);
        let home = &page.origin(document.origin).host;
        let third_party = domain::is_third_party(host, home);
        Self {
            url,
            host,
            asked_as: Category::Others,
            ad: category::is_ad(url, third_party),
            third_party,
        }
    }
}
