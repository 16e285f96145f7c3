//! The `loading` attribute of images
//! (<https://html.spec.whatwg.org/#lazy-loading-attributes>).

use pagerace_core::{Destination, RequestPriority};

use super::{Edit, Kept, Kind, each};
use crate::model::{ElementKind, Paints};
use crate::{Page, Resource, ResourceId, Trigger};

/// Lets the parser request images that now wait for a layout.
pub(super) struct Eager;

/// Lets images wait for a layout that needs them.
pub(super) struct Lazy;

impl Kind for Eager {
    fn name(&self) -> &'static str {
        "eager"
    }

    fn summary(&self) -> &'static str {
        "Requests images when the parser or its scanner finds them, and not only after a layout"
    }

    fn example(&self) -> &'static str {
        "eager */hero.jpg"
    }

    fn apply(&self, _value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        each(on, page, |page, id| {
            refusal(page.resource(id)).map_or(Ok(()), Err)?;
            // Backgrounds wait for their styles, and delay the load event.
            let is_lazy = !page.resource(id).blocks_load;
            match lists(page) {
                Some(list) if list.contains(&id) && is_lazy => list.retain(|one| *one != id),
                _ => return Err("it is not lazy"),
            }
            let place = place(page, id);
            let image = &mut page.resources[id.index()];
            image.blocks_load = true;
            if let (Trigger::Markup { offset, .. }, Some(own)) =
                (&mut image.discovery.trigger, place)
            {
                // The recorded place is that of the parser when a layout made the request.
                *offset = own.min(*offset);
            }
            // Chromium requests the first images of the markup in this class.
            if image.in_viewport && image.priority == RequestPriority::Low {
                image.priority = RequestPriority::Medium;
            }
            Ok(())
        })
    }

    fn edit(&self, _value: &str, _: &Resource, _: &Page) -> Edit {
        Edit::Set("loading", "eager".to_owned())
    }
}

impl Kind for Lazy {
    fn name(&self) -> &'static str {
        "lazy"
    }

    fn summary(&self) -> &'static str {
        "Requests images only after a layout, and lets the load event not wait for them"
    }

    fn example(&self) -> &'static str {
        "lazy */footer.jpg"
    }

    fn apply(&self, _value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        each(on, page, |page, id| {
            refusal(page.resource(id)).map_or(Ok(()), Err)?;
            match lists(page) {
                Some(list) if !list.contains(&id) => list.push(id),
                Some(_) => return Err("a layout requests it already"),
                None => return Err("the recording holds no markup"),
            }
            page.resources[id.index()].blocks_load = false;
            Ok(())
        })
    }

    fn edit(&self, _value: &str, _: &Resource, _: &Page) -> Edit {
        Edit::Set("loading", "lazy".to_owned())
    }
}

/// Returns the resources of the markup that wait for a layout; `None` if that is not known.
fn lists(page: &mut Page) -> Option<&mut Vec<ResourceId>> {
    match &mut page.paints {
        Paints::Recorded(layout) => Some(&mut layout.by_layout),
        Paints::Guessed(guess) => guess.content.as_mut().map(|content| &mut content.lazy),
    }
}

/// Returns the offset of the image's element in the document, if the layout tells.
fn place(page: &Page, image: ResourceId) -> Option<u64> {
    let mut elements = page.layout()?.elements.iter();
    elements.find_map(|element| match element.kind {
        ElementKind::Image { resource } if resource == image => element.offset,
        _ => None,
    })
}

fn refusal(resource: &Resource) -> Option<&'static str> {
    match (resource.destination, resource.discovery.trigger) {
        (Destination::Image, Trigger::Markup { .. }) => None,
        (Destination::Image, _) => Some("no element of the markup requests it"),
        _ => Some("it is no image"),
    }
}
