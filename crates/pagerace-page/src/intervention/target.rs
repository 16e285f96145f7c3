//! The properties of a request that selectors match.

use crate::{Category, Page, Resource, category};

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
}
