//! What selectors look at.

use url::Url;

use crate::{Category, Page, Resource, category, domain};

/// A request, as selectors see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target<'a> {
    /// Absolute URL.
    pub url: &'a str,
    /// Host of the URL.
    pub host: &'a str,
    /// What it is asked for as: any category but [`Category::Ads`].
    pub asked_as: Category,
    /// Whether it is advertisement or analytics.
    pub ad: bool,
    /// Whether it is on another registrable domain than the document.
    pub third_party: bool,
}

impl<'a> Target<'a> {
    /// A resource of `page`.
    ///
    /// # Panics
    /// If the resource is not of this page.
    pub fn of(page: &'a Page, resource: &'a Resource) -> Self {
        Self {
            url: &resource.url,
            host: &page.origin(resource.origin).host,
            asked_as: category::asked_as(resource.destination, &resource.mime_type),
            ad: resource.category == Category::Ads,
            third_party: resource.third_party,
        }
    }

    /// A request that the recording of `page` does not have: only its URL is
    /// known, so it is of no category but [`Category::Others`], and perhaps
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
