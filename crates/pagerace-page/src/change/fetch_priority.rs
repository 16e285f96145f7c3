//! The `fetchpriority` attribute of elements
//! (<https://html.spec.whatwg.org/#fetch-priority-attribute>).

use pagerace_core::{Destination, RequestPriority};

use super::{Edit, Kept, Kind, Value, each};
use crate::model::{FetchPriority as Hint, Paints};
use crate::{ElementKind, Evidence, Page, Resource, ResourceId, Trigger};

/// Sets the attribute on the elements that name the resources.
pub(super) struct FetchPriority;

impl Kind for FetchPriority {
    fn name(&self) -> &'static str {
        "fetchpriority"
    }

    fn value(&self) -> Value {
        Value::Word(&["high", "low"])
    }

    fn summary(&self) -> &'static str {
        "Tells the browser to request images, scripts and style sheets of the markup sooner or later"
    }

    fn example(&self) -> &'static str {
        "fetchpriority=high */hero.jpg"
    }

    fn apply(&self, value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        let hint = if value == "high" {
            Hint::High
        } else {
            Hint::Low
        };
        each(on, page, |page, id| {
            refusal(page, page.resource(id)).map_or(Ok(()), Err)?;
            let resource = &mut page.resources[id.index()];
            resource.fetch_priority = hint;
            resource.priority = class(resource, hint);
            Ok(())
        })
    }

    fn edit(&self, value: &str, _: &Resource, _: &Page) -> Edit {
        Edit::Set("fetchpriority", value.to_owned())
    }
}

/// Returns the reason why no attribute tells the browser anything about this request.
fn refusal(page: &Page, resource: &Resource) -> Option<&'static str> {
    let by_time = resource.discovery.evidence >= Evidence::Timing;
    let why = match (resource.discovery.trigger, resource.destination) {
        _ if by_time => "the recording does not tell what requests it",
        _ if is_background(page, resource.id) => {
            "it is a background, which has no such attribute; write `preload=high`"
        }
        (
            Trigger::Markup { .. },
            Destination::Image | Destination::Script | Destination::Style | Destination::Font,
        ) => return None,
        (Trigger::Markup { .. }, _) => "its element has no such attribute",
        (Trigger::Style { .. }, _) => {
            "a style sheet names it, which has no such attribute; write `preload=high`"
        }
        (Trigger::Navigation | Trigger::Redirect { .. }, _) => "no element of the page requests it",
        (Trigger::Inline { .. } | Trigger::Script { .. }, _) => "a script requests it",
        (Trigger::After { .. }, _) => "it follows another request for an unknown cause",
    };
    Some(why)
}

/// Returns true if styles inside the document name the image: the browser requests it for a layout,
/// and no element shows it as its own.
fn is_background(page: &Page, id: ResourceId) -> bool {
    match &page.paints {
        Paints::Recorded(layout) => {
            let shows = |kind: &ElementKind| layout.elements.iter().any(|one| one.kind == *kind);
            layout.by_layout.contains(&id)
                && shows(&ElementKind::Background { resource: id })
                && !shows(&ElementKind::Image { resource: id })
        }
        Paints::Guessed(guess) => {
            let content = guess.content.iter();
            content.flat_map(|one| &one.styled).any(|one| *one == id)
        }
    }
}

/// Returns the class in which Chromium first requests the resource (`resource_fetcher.cc`,
/// `AdjustPriorityWithPriorityHint`): a high hint raises to `High`, a low one lowers to `Low`,
/// but style sheets only to `High`.
fn class(resource: &Resource, hint: Hint) -> RequestPriority {
    // The lower class compares as the greater one: its urgency is.
    match hint {
        Hint::High => resource.priority.min(RequestPriority::High),
        Hint::Low if resource.destination == Destination::Style => {
            resource.priority.max(RequestPriority::High)
        }
        Hint::Low => resource.priority.max(RequestPriority::Low),
        Hint::Auto => resource.priority,
    }
}
