//! Content that appears without motion.

use pagerace_core::{Destination, Duration};

use super::{Edit, Kept, Kind, each};
use crate::{Element, ElementKind, Page, Resource, ResourceId};

/// Shows elements at once.
pub(super) struct NoFade;

impl Kind for NoFade {
    fn name(&self) -> &'static str {
        "no-fade"
    }

    fn summary(&self) -> &'static str {
        "Shows images at once, or with `html` all elements, without fading or moving them in"
    }

    fn example(&self) -> &'static str {
        "no-fade html"
    }

    fn apply(&self, _value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        let document = page.document;
        each(on, page, |page, id| {
            let Some(layout) = page.layout_mut() else {
                return Err("the recording holds no layout, and so no motion");
            };
            let moving = layout.elements.iter_mut().filter(|element| {
                let is_of_it = id == document || shows(element, id);
                is_of_it && !(element.motion.is_zero() && element.fade.is_zero())
            });
            let mut count = 0;
            for element in moving {
                element.motion = Duration::ZERO;
                element.fade = Duration::ZERO;
                count += 1;
            }
            match count {
                0 => Err("no element of it fades or moves in"),
                _ => Ok(()),
            }
        })
    }

    fn edit(&self, _value: &str, resource: &Resource, page: &Page) -> Edit {
        // Animations end at once and keep their last state.
        let rule = "animation-delay:0s!important;animation-duration:1ms!important;\
                    transition-delay:0s!important;transition-duration:1ms!important";
        let of = match resource.destination {
            _ if resource.id == page.document => "*,::before,::after".to_owned(),
            Destination::Image => {
                let url = resource.url.split(['?', '#']).next().unwrap_or_default();
                let file = url.rsplit('/').next().unwrap_or(url);
                format!("img[src*=\"{file}\"]")
            }
            _ => return Edit::Other,
        };
        Edit::Insert(format!("<style>{of}{{{rule}}}</style>"))
    }
}

fn shows(element: &Element, id: ResourceId) -> bool {
    match element.kind {
        ElementKind::Image { resource } | ElementKind::Background { resource } => resource == id,
        ElementKind::Text { .. } | ElementKind::Other => false,
    }
}
