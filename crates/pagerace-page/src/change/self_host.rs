//! Resources that move to the document's own host.

use super::{Edit, Kept, Kind, each};
use crate::{Page, Resource, ResourceId};

/// Serves the resources from the document's host.
pub(super) struct SelfHost;

impl Kind for SelfHost {
    fn name(&self) -> &'static str {
        "self-host"
    }

    fn summary(&self) -> &'static str {
        "Serves the resources from the document's own host"
    }

    fn example(&self) -> &'static str {
        "self-host fonts.example"
    }

    fn apply(&self, _value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        let document = page.document;
        let own = page.resource(document).origin;
        each(on, page, |page, id| {
            let moved = moved(page.resource(id), page).ok_or("its URL has no host")?;
            let resource = &mut page.resources[id.index()];
            if resource.origin == own {
                return Err("the document's host serves it already");
            }
            let pool = (resource.origin, resource.anonymous);
            resource.origin = own;
            resource.url = moved;
            resource.third_party = false;
            resource.anonymous = false;
            // Hints of the host serve its other files; without any, they serve nothing.
            let mut others = page.resources.iter();
            let other = others.find(|one| (one.origin, one.anonymous) == pool);
            let other = other.map(|one| one.id);
            page.hints.retain_mut(|hint| {
                let is_of_it = hint.of == id;
                hint.of = other.filter(|_| is_of_it).unwrap_or(hint.of);
                !is_of_it || other.is_some()
            });
            Ok(())
        })
    }

    fn edit(&self, _value: &str, resource: &Resource, page: &Page) -> Edit {
        moved(resource, page).map_or(Edit::Other, Edit::Rename)
    }
}

/// Returns the URL of a file at the document's host. Its host stays a part of the path, so that the
/// files of two do not meet.
fn moved(resource: &Resource, page: &Page) -> Option<String> {
    let own = page.origin(page.resource(page.document).origin);
    let (_, rest) = resource.url.split_once("://")?;
    Some(format!("{}://{}/{rest}", own.scheme, own.host))
}
