//! The `fetchpriority` attribute of elements
//! (<https://html.spec.whatwg.org/#fetch-priority-attribute>).

use pagerace_core::{Destination, RequestPriority};

use super::{Edit, Kept, Kind};
use crate::model::FetchPriority as Hint;
use crate::{Evidence, Page, Resource, ResourceId, Trigger};

/// Sets the attribute on the elements that name the resources.
pub(super) struct FetchPriority;

impl Kind for FetchPriority {
    fn name(&self) -> &'static str {
        "fetchpriority"
    }

    fn values(&self) -> &'static [&'static str] {
        &["high", "low"]
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
        let reasons: Vec<Option<String>> =
            on.iter().map(|id| refusal(page.resource(*id))).collect();
        if let Some(Some(reason)) = reasons.first()
            && reasons.iter().all(Option::is_some)
        {
            return Err(reason.clone());
        }
        for (id, _) in on
            .iter()
            .zip(&reasons)
            .filter(|(_, reason)| reason.is_none())
        {
            let resource = &mut page.resources[id.index()];
            resource.fetch_priority = hint;
            resource.priority = class(resource, hint);
        }
        Ok(Kept::all(page.resources.len()))
    }

    fn edit(&self, value: &str) -> Edit {
        Edit::Set("fetchpriority", value.to_owned())
    }

    fn edits_styles(&self) -> bool {
        false
    }
}

/// Returns the reason why no attribute tells the browser anything about this request.
fn refusal(resource: &Resource) -> Option<String> {
    let by_time = resource.discovery.evidence >= Evidence::Timing;
    let why = match (resource.discovery.trigger, resource.destination) {
        _ if by_time => "the recording does not tell what requests it",
        (
            Trigger::Markup { .. },
            Destination::Image | Destination::Script | Destination::Style | Destination::Font,
        ) => return None,
        (Trigger::Markup { .. }, _) => "its element has no such attribute",
        (Trigger::Style { .. }, _) => "a style sheet names it, which has no such attribute",
        (Trigger::Navigation | Trigger::Redirect { .. }, _) => "no element of the page requests it",
        (Trigger::Inline { .. } | Trigger::Script { .. }, _) => "a script requests it",
        (Trigger::After { .. }, _) => "it follows another request for an unknown cause",
    };
    Some(format!("{}: {why}", resource.url))
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
