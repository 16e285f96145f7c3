//! Connections and names that the head of the document asks for (`<link rel=preconnect>`,
//! <https://html.spec.whatwg.org/#link-type-preconnect>, and `dns-prefetch`).

use super::{Edit, Kept, Kind, preload};
use crate::model::Hint;
use crate::{Page, Resource, ResourceId};

/// Opens a connection to each host of the resources as soon as the head of the document is there.
pub(super) struct Preconnect;

/// Looks up the name of each host of the resources then.
pub(super) struct DnsPrefetch;

impl Kind for Preconnect {
    fn name(&self) -> &'static str {
        "preconnect"
    }

    fn summary(&self) -> &'static str {
        "Opens connections to the hosts of the resources when the head of the document arrives"
    }

    fn example(&self) -> &'static str {
        "preconnect cdn.example"
    }

    fn apply(&self, _value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        let offset = preload::begin(page);
        super::each(on, page, |page, id| add(page, id, offset, true))
    }

    fn edit(&self, _value: &str, resource: &Resource, page: &Page) -> Edit {
        Edit::Insert(link("preconnect", resource, page))
    }
}

impl Kind for DnsPrefetch {
    fn name(&self) -> &'static str {
        "dns-prefetch"
    }

    fn summary(&self) -> &'static str {
        "Looks up the names of the resources' hosts when the head of the document arrives"
    }

    fn example(&self) -> &'static str {
        "dns-prefetch cdn.example"
    }

    fn apply(&self, _value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        let offset = preload::begin(page);
        super::each(on, page, |page, id| add(page, id, offset, false))
    }

    fn edit(&self, _value: &str, resource: &Resource, page: &Page) -> Edit {
        Edit::Insert(link("dns-prefetch", resource, page))
    }
}

/// Returns the reason why no connection for the resource can be prepared.
pub(super) fn refusal(page: &Page, resource: &Resource) -> Result<(), &'static str> {
    let own = page.resource(page.document).origin;
    if resource.origin == own && !resource.anonymous {
        return Err("the document's own host has a connection already");
    }
    Ok(())
}

/// Adds a hint at an offset of the document.
fn add(page: &mut Page, id: ResourceId, offset: u64, connects: bool) -> Result<(), &'static str> {
    let own = page.resource(page.document).origin;
    if !connects && page.resource(id).origin == own {
        return Err("the document's own host has an address already");
    }
    refusal(page, page.resource(id))?;
    let uses = |other: ResourceId| {
        let other = page.resource(other);
        // A name has one address for requests with and without credentials.
        (other.origin, connects && other.anonymous)
    };
    let pool = uses(id);
    let mut known = page.hints.iter().filter(|hint| uses(hint.of) == pool);
    if known.any(|hint| hint.connects || !connects) {
        return Err(if connects {
            "the page opens a connection to its host already"
        } else {
            "the page looks up its host already"
        });
    }
    let first = page.resources.iter().find(|one| uses(one.id) == pool);
    let of = first.map_or(id, |one| one.id);
    page.hints.retain(|hint| hint.of != of);
    page.hints.push(Hint {
        of,
        offset,
        connects,
    });
    page.hints.sort_by_key(|hint| hint.offset);
    Ok(())
}

/// Returns the element.
fn link(relation: &str, resource: &Resource, page: &Page) -> String {
    let origin = page.origin(resource.origin);
    let anonymous = if resource.anonymous && relation == "preconnect" {
        " crossorigin"
    } else {
        ""
    };
    format!(
        "<link rel=\"{relation}\" href=\"{}://{}\"{anonymous}>",
        origin.scheme, origin.host
    )
}
