//! Resources that the page no longer has.

use pagerace_core::Destination;

use super::{Edit, Kept, Kind};
use crate::{Evidence, Page, Resource, ResourceId, Trigger};

/// Removes the resources, and what only they led to.
pub(super) struct Remove;

/// Loads the resources, and what only they lead to, on interaction: never in a load.
pub(super) struct Facade;

impl Kind for Remove {
    fn name(&self) -> &'static str {
        "remove"
    }

    fn summary(&self) -> &'static str {
        "Removes resources from the page, and what only they led to"
    }

    fn example(&self) -> &'static str {
        "remove third-party-js"
    }

    fn apply(&self, _value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        without(on, page)
    }

    fn edit(&self, _: &str, _: &Resource, _: &Page) -> Edit {
        Edit::Remove
    }

    fn edits_styles(&self) -> bool {
        true
    }
}

impl Kind for Facade {
    fn name(&self) -> &'static str {
        "facade"
    }

    fn summary(&self) -> &'static str {
        "Shows something light in place of the resources, and loads them only on interaction"
    }

    fn example(&self) -> &'static str {
        "facade player.example"
    }

    fn apply(&self, _value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        without(on, page)
    }

    fn edit(&self, _: &str, _: &Resource, _: &Page) -> Edit {
        Edit::Hold
    }

    fn edits_styles(&self) -> bool {
        true
    }
}

/// Returns the page without the resources, and without what only they led to.
fn without(on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
    let mut gone = vec![false; page.resources.len()];
    for id in on {
        let resource = page.resource(*id);
        if resource.destination == Destination::Document {
            return Err(format!("{} is the page's document", resource.url));
        }
        gone[id.index()] = true;
    }
    for i in 0..gone.len() {
        gone[i] |= depends(page, i, &gone);
    }
    for cover in page
        .layout()
        .iter()
        .flat_map(|one| [one.overlay, one.hidden])
    {
        let awaited = cover
            .into_iter()
            .flat_map(|cover| page.awaited(cover.after));
        if let Some(id) = awaited.into_iter().find(|id| gone[id.index()]) {
            let url = &page.resource(id).url;
            return Err(format!("{url} reveals the page, which would stay hidden"));
        }
    }
    Ok(page.retain(|id| !gone[id.index()]))
}

/// Returns true if the resource is requested only because of one that is gone. A resource of
/// which the recording does not tell what requests it stays.
fn depends(page: &Page, i: usize, gone: &[bool]) -> bool {
    let discovery = &page.resources[i].discovery;
    let is_gone = |id: ResourceId| gone[id.index()];
    match discovery.trigger {
        Trigger::Navigation | Trigger::After { .. } => false,
        _ if discovery.evidence >= Evidence::Timing => false,
        trigger => {
            trigger.parent().is_some_and(is_gone)
                || discovery
                    .wait
                    .is_some_and(|wait| page.awaited(wait).any(is_gone))
        }
    }
}
