//! Scripts at the end of the body.

use pagerace_core::{Destination, RequestPriority, ScriptMode};

use super::{Edit, Kept, Kind, each, place};
use crate::{Page, Resource, ResourceId, Trigger};

/// Moves script elements to the end of the body.
pub(super) struct BodyEnd;

impl Kind for BodyEnd {
    fn name(&self) -> &'static str {
        "body-end"
    }

    fn summary(&self) -> &'static str {
        "Moves scripts to the end of the body: the parser waits for them after all else"
    }

    fn example(&self) -> &'static str {
        "body-end */app.js"
    }

    fn apply(&self, _value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        let document = page.document;
        let end = page.resource(document).body_bytes;
        let follows_image = page.resources.iter().any(|one| {
            let is_image = one.destination == Destination::Image;
            is_image && matches!(one.discovery.trigger, Trigger::Markup { parent, .. } if parent == document)
        });
        each(on, page, |page, id| {
            let resource = page.resource(id);
            if resource.destination != Destination::Script {
                return Err("it is no script");
            }
            let at = place::of_element(page, resource)?;
            if resource.script_mode != ScriptMode::Blocking {
                return Err("no parser waits for it");
            }
            if !place::has_content_behind(page, at) {
                return Err("it is at the end of the body already");
            }
            let script = &mut page.resources[id.index()];
            script.render_blocking = false;
            match (&mut script.used_at, &mut script.discovery.trigger) {
                (Some(at), _) => *at = end,
                (None, Trigger::Markup { offset, .. }) => {
                    *offset = end;
                    // Chromium's scanner requests scripts behind the first image as Medium
                    // (`resource_fetcher.cc`, `ComputeLoadPriority`).
                    if follows_image && script.priority == RequestPriority::High {
                        script.priority = RequestPriority::Medium;
                    }
                }
                _ => {}
            }
            Ok(())
        })
    }

    fn edit(&self, _value: &str, _: &Resource, _: &Page) -> Edit {
        Edit::Move
    }
}
