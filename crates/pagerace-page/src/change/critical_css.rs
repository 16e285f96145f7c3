//! The part of a style sheet that the first screen needs, inside the document.

use pagerace_core::{Destination, RequestPriority};

use super::{Edit, Kept, Kind, Measure, Value, each, place, resize, share};
use crate::{Page, Resource, ResourceId, Trigger};

/// Puts the rules of style sheets that the first screen needs inside the document, and lets nothing
/// wait for the sheets.
pub(super) struct CriticalCss;

impl Kind for CriticalCss {
    fn name(&self) -> &'static str {
        "critical-css"
    }

    fn value(&self) -> Value {
        Value::Optional(&Value::Share)
    }

    fn summary(&self) -> &'static str {
        "Puts what the first screen needs of style sheets, or this share of them, inside the document, and \
         lets neither paint nor scripts wait for the sheets"
    }

    fn example(&self) -> &'static str {
        "critical-css */main.css"
    }

    fn apply(&self, value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        let share = match value {
            "" => None,
            value => Some(share(value)?),
        };
        let name = self.name();
        each(on, page, |page, id| {
            let resource = page.resource(id);
            if resource.destination != Destination::Style {
                return Err("it is no style sheet");
            }
            let at = place::of_element(page, resource)?;
            if !resource.render_blocking {
                return Err("no paint waits for it");
            }
            let part = match share {
                Some(share) => Some(resize::scaled(resource.body_bytes, share)),
                None => resource.measured(name),
            };
            let bytes = part.ok_or(
                "the recording does not tell which rules the first screen needs; write a share, as in \
                 critical-css=0.2",
            )?;
            // The styles stand before the element, which moves behind them.
            place::grow(page, id, at, bytes);
            let end = at + bytes;
            let sheet = &mut page.resources[id.index()];
            sheet.render_blocking = false;
            // Chromium requests sheets for other media so (`resource_fetcher.cc`).
            sheet.priority = RequestPriority::VeryLow;
            if sheet.used_at.is_some() {
                sheet.used_at = Some(end);
            } else if let Trigger::Markup { offset, .. } = &mut sheet.discovery.trigger {
                *offset = end;
            }
            let named = page.resources.iter().filter(|one| {
                one.discovery.trigger == (Trigger::Style { parent: id })
                    && one.destination != Destination::Style
                    && place::is_seen(page, one.id)
            });
            let named: Vec<ResourceId> = named.map(|one| one.id).collect();
            for child in named {
                place::name_in_styles(page, child, end);
            }
            Ok(())
        })
    }

    fn edit(&self, value: &str, _: &Resource, _: &Page) -> Edit {
        // Nothing tells which rules are meant by a share.
        if value.is_empty() {
            Edit::FirstScreen
        } else {
            Edit::Other
        }
    }

    fn measure(&self, value: &str) -> Option<Measure> {
        value.is_empty().then_some(Measure::FirstScreen)
    }
}
