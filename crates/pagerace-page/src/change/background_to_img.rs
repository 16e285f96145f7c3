//! Background images as elements of the markup.

use pagerace_core::{Destination, RequestPriority};

use super::{Edit, Kept, Kind, each};
use crate::{ElementKind, Evidence, Page, Resource, ResourceId, Trigger};

/// Shows background images by `img` elements.
pub(super) struct BackgroundToImg;

impl Kind for BackgroundToImg {
    fn name(&self) -> &'static str {
        "background-to-img"
    }

    fn summary(&self) -> &'static str {
        "Shows background images by elements of the markup, which the browser finds before styles"
    }

    fn example(&self) -> &'static str {
        "background-to-img */hero.jpg"
    }

    fn apply(&self, _value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        let document = page.document;
        each(on, page, |page, id| {
            if page.resource(id).destination != Destination::Image {
                return Err("it is no image");
            }
            let Some(layout) = page.layout_mut() else {
                return Err("the recording holds no layout, and so no backgrounds");
            };
            let background = ElementKind::Background { resource: id };
            let shown = layout.elements.iter().filter(|one| one.kind == background);
            let offsets: Vec<Option<u64>> = shown.map(|element| element.offset).collect();
            if offsets.is_empty() {
                return Err("no element has it as its background");
            }
            let Some(offset) = offsets.into_iter().flatten().min() else {
                return Err("a script makes its element");
            };
            for element in &mut layout.elements {
                if element.kind == background {
                    element.kind = ElementKind::Image { resource: id };
                }
            }
            layout.by_layout.retain(|one| *one != id);
            let image = &mut page.resources[id.index()];
            image.discovery.trigger = Trigger::Markup {
                parent: document,
                offset,
            };
            image.discovery.evidence = Evidence::Recorded;
            image.discovery.wait = None;
            image.priority = RequestPriority::Low;
            image.blocks_load = true;
            Ok(())
        })
    }

    fn edit(&self, _value: &str, _: &Resource, _: &Page) -> Edit {
        Edit::Other
    }
}
