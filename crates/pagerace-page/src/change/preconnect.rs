//! Connections that the head of the document asks for (`<link rel=preconnect>`,
//! <https://html.spec.whatwg.org/#link-type-preconnect>).

use super::{Edit, Kept, Kind, preload};
use crate::model::Hint;
use crate::{Page, Resource, ResourceId};

/// Opens a connection to each host of the resources as soon as the head of the document is there.
pub(super) struct Preconnect;

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
        let own = page.resource(page.document).origin;
        super::each(on, page, |page, id| {
            let uses = |other: ResourceId| {
                let other = page.resource(other);
                (other.origin, other.anonymous)
            };
            let pool = uses(id);
            if pool.0 == own && !pool.1 {
                return Err("the document's own host has a connection already");
            }
            let mut known = page.hints.iter().filter(|hint| uses(hint.of) == pool);
            if known.any(|hint| hint.connects) {
                return Err("the page opens a connection to its host already");
            }
            let first = page.resources.iter().find(|one| uses(one.id) == pool);
            let of = first.map_or(id, |one| one.id);
            page.hints.retain(|hint| hint.of != of);
            page.hints.push(Hint {
                of,
                offset,
                connects: true,
            });
            page.hints.sort_by_key(|hint| hint.offset);
            Ok(())
        })
    }

    fn edit(&self, _value: &str, resource: &Resource, page: &Page) -> Edit {
        let origin = page.origin(resource.origin);
        let anonymous = if resource.anonymous {
            " crossorigin"
        } else {
            ""
        };
        Edit::Insert(format!(
            "<link rel=\"preconnect\" href=\"{}://{}\"{anonymous}>",
            origin.scheme, origin.host
        ))
    }
}
