//! Style sheets and scripts inside the document.

use std::collections::BTreeSet;

use pagerace_core::{Destination, Duration, ScriptMode};

use super::{Edit, Kept, Kind, Measure, each, place};
use crate::model::Paints;
use crate::{InlineScript, Page, Resource, ResourceId, Trigger};

/// Moves the bodies into the document.
pub(super) struct Inline;

impl Kind for Inline {
    fn name(&self) -> &'static str {
        "inline"
    }

    fn summary(&self) -> &'static str {
        "Puts style sheets and scripts inside the document: no request, and more bytes before what follows"
    }

    fn example(&self) -> &'static str {
        "inline */small.css"
    }

    fn apply(&self, _value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        let mut gone = BTreeSet::new();
        each(on, page, |page, id| {
            let at = refusal(page, page.resource(id))?;
            put_inside(page, id, at);
            gone.insert(id);
            Ok(())
        })?;
        Ok(page.retain(|id| !gone.contains(&id)))
    }

    fn edit(&self, _value: &str, _: &Resource, _: &Page) -> Edit {
        Edit::Inline
    }

    fn measure(&self, _value: &str) -> Option<Measure> {
        Some(Measure::Inside)
    }
}

/// Returns the place of the element, or the reason why the body cannot take it.
fn refusal(page: &Page, resource: &Resource) -> Result<u64, &'static str> {
    match (resource.destination, resource.script_mode) {
        (Destination::Style, _) | (Destination::Script, ScriptMode::Blocking) => {}
        (Destination::Script, _) => {
            return Err("it does not run where its element is; a script inside the document would");
        }
        _ => return Err("it is no style sheet and no script"),
    }
    if resource.destination == Destination::Script && resource.cpu_time.is_none() {
        return Err("the recording does not tell how long it runs");
    }
    place::of_element(page, resource)
}

/// Moves the body of the resource to the place of its element, which ends at `at`, and lets the
/// document lead to all that it led to. Nothing leads to the resource after that.
fn put_inside(page: &mut Page, id: ResourceId, at: u64) {
    let resource = page.resource(id);
    let is_script = resource.destination == Destination::Script;
    let bytes = resource.measured("inline").unwrap_or(resource.body_bytes);
    let cost = resource.cpu_time;
    place::grow(page, id, at, bytes);
    let (document, end) = (page.document, at + bytes);
    let parsing = &mut page.resources[document.index()].cpu_time;
    *parsing = parsing.map(|time| time + cost.unwrap_or(Duration::ZERO));
    if is_script {
        run_inside(page, end, cost);
    }
    let children: Vec<ResourceId> = page
        .resources
        .iter()
        .filter(|one| one.discovery.trigger.parent() == Some(id))
        .map(|one| one.id)
        .collect();
    for child in children {
        let discovery = &mut page.resources[child.index()].discovery;
        match discovery.trigger {
            Trigger::Style { .. } => place::name_in_styles(page, child, end),
            // The script makes the request while it runs. A callback of it waits for its event.
            Trigger::Script { .. } if discovery.wait.is_none() => {
                discovery.trigger = Trigger::Inline {
                    parent: document,
                    offset: end,
                };
            }
            Trigger::Script { delay, .. } => {
                discovery.trigger = Trigger::Script {
                    parent: document,
                    delay,
                };
            }
            Trigger::After { delay, .. } => {
                discovery.trigger = Trigger::After {
                    parent: document,
                    delay,
                };
            }
            _ => {}
        }
    }
    place::wait_for(page, id, document);
}

/// Adds a script inside the document that ends at the offset `end`.
fn run_inside(page: &mut Page, end: u64, cost: Option<Duration>) {
    match &mut page.paints {
        Paints::Recorded(layout) => {
            layout.inline_scripts.push(InlineScript {
                offset: end,
                cost: cost.unwrap_or(Duration::ZERO),
            });
            layout.inline_scripts.sort_by_key(|script| script.offset);
        }
        Paints::Guessed(guess) => {
            if let Some(content) = &mut guess.content {
                content.inline_scripts.push(end);
                content.inline_scripts.sort_unstable();
            }
        }
    }
}
