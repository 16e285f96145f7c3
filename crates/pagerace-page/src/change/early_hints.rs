//! Links of a 103 response, which a server sends while it still prepares the document (RFC 8297).

use pagerace_core::{Destination, RequestPriority};

use super::{Edit, Kept, Kind, Value, each, preconnect, preload};
use crate::model::{CacheUse, EarlyHint};
use crate::{Page, Resource, ResourceId};

/// Lets the document's server name resources, or their hosts, before the document is ready.
pub(super) struct EarlyHints;

impl Kind for EarlyHints {
    fn name(&self) -> &'static str {
        "early-hints"
    }

    fn value(&self) -> Value {
        Value::Word(&["preload", "preconnect"])
    }

    fn summary(&self) -> &'static str {
        "Sends a 103 response with links to the resources or hosts while the server prepares the document"
    }

    fn example(&self) -> &'static str {
        "early-hints=preload */main.css"
    }

    fn apply(&self, value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        let document = page.document;
        if page.resource(document).think_time.is_zero() {
            return Err(
                "the document's server answers at once, so that a 103 is no earlier".into(),
            );
        }
        each(on, page, |page, id| {
            let resource = page.resource(id);
            if value == "preconnect" {
                preconnect::refusal(page, resource)?;
                let same = |one: &&Resource| {
                    (one.origin, one.anonymous) == (resource.origin, resource.anonymous)
                };
                let mut alike = page.resources.iter().filter(same);
                if alike.any(|one| one.early != EarlyHint::None) {
                    return Err("the 103 response names its host already");
                }
                page.resources[id.index()].early = EarlyHint::Preconnect;
                return Ok(());
            }
            preload::refusal_of_link(resource, document).map_or(Ok(()), Err)?;
            if resource.early == EarlyHint::Preload {
                return Err("the 103 response names it already");
            }
            let place = resource.discovery.trigger.place();
            let is_named = place.is_some_and(|(parent, _)| parent == document);
            if !is_named && resource.cache != CacheUse::Fresh {
                return Err(
                    "the page asks for it late, and its response may not be taken from the cache then                      (no lifetime in Cache-Control or Expires): browsers request it again",
                );
            }
            if resource.destination == Destination::Fetch {
                preload::keep_order(page, id);
            }
            page.resources[id.index()].early = EarlyHint::Preload;
            Ok(())
        })
    }

    fn edit(&self, value: &str, resource: &Resource, page: &Page) -> Edit {
        let hint = match value {
            "preconnect" => EarlyHint::Preconnect,
            _ => EarlyHint::Preload,
        };
        link(page, resource, hint).map_or(Edit::Other, Edit::Early)
    }
}

/// Returns the value of the `Link` field.
fn link(page: &Page, resource: &Resource, hint: EarlyHint) -> Option<String> {
    match hint {
        EarlyHint::None => None,
        EarlyHint::Preconnect => {
            let origin = page.origin(resource.origin);
            let anonymous = if resource.anonymous {
                "; crossorigin"
            } else {
                ""
            };
            Some(format!(
                "<{}://{}>; rel=preconnect{anonymous}",
                origin.scheme, origin.host
            ))
        }
        EarlyHint::Preload => Some(preload::link_field(resource)),
    }
}

impl Resource {
    /// Returns the class in which Chromium requests what a link preloads.
    pub fn preload_class(&self) -> RequestPriority {
        preload::class(self)
    }
}

impl Page {
    /// Returns the values of the `Link` fields of the 103 response before that of the document,
    /// in the order of the resources.
    pub fn early_links(&self) -> impl Iterator<Item = String> {
        let all = self.resources.iter();
        all.filter_map(|resource| link(self, resource, resource.early))
    }
}
