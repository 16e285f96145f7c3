//! Resources that wait for the load event.

use pagerace_core::{Destination, Duration, RequestPriority, ScriptMode};

use super::{Edit, Kept, Kind, each};
use crate::{Evidence, Page, Resource, ResourceId, Trigger, Wait};

/// Requests the resources after the load event.
pub(super) struct Late;

impl Kind for Late {
    fn name(&self) -> &'static str {
        "late"
    }

    fn summary(&self) -> &'static str {
        "Lets a script request the resources after the load event"
    }

    fn example(&self) -> &'static str {
        "late third-party-js"
    }

    fn apply(&self, _value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        let document = page.document;
        let shows: Vec<ResourceId> = page.layout().map_or_else(Vec::new, |layout| {
            let covers = [layout.overlay, layout.hidden].into_iter().flatten();
            covers.flat_map(|cover| page.awaited(cover.after)).collect()
        });
        each(on, page, |page, id| {
            let resource = &mut page.resources[id.index()];
            if id <= document || resource.destination == Destination::Document {
                return Err("it is the page's document, or comes before it");
            }
            if resource.destination == Destination::Style {
                return Err("the page would change its looks when it has loaded");
            }
            if shows.contains(&id) {
                return Err("it reveals the page, which would stay hidden");
            }
            if !matches!(
                resource.discovery.trigger,
                Trigger::Markup { .. } | Trigger::Inline { .. }
            ) {
                return Err("another resource leads to it; name that one");
            }
            resource.discovery.trigger = Trigger::After {
                parent: document,
                delay: Duration::ZERO,
            };
            resource.discovery.wait = Some(Wait::Loaded);
            resource.discovery.evidence = Evidence::Recorded;
            resource.blocks_load = false;
            resource.blocks_load_if_early = false;
            resource.render_blocking = false;
            resource.used_at = None;
            if resource.destination == Destination::Script {
                resource.script_mode = ScriptMode::Inserted;
                resource.priority = RequestPriority::Low;
            }
            Ok(())
        })
    }

    fn edit(&self, _value: &str, _: &Resource, _: &Page) -> Edit {
        Edit::Other
    }
}
