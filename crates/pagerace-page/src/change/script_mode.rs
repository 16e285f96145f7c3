//! The `async` and `defer` attributes of scripts
//! (<https://html.spec.whatwg.org/#attr-script-async>), and style sheets that nothing waits for.

use pagerace_core::{Destination, RequestPriority, ScriptMode};

use super::{Edit, Kept, Kind, each, place};
use crate::{Evidence, Page, Resource, ResourceId, Trigger};

/// Lets scripts run, and style sheets apply, when they arrive.
pub(super) struct Async;

/// Lets scripts run after the document is parsed.
pub(super) struct Defer;

impl Kind for Async {
    fn name(&self) -> &'static str {
        "async"
    }

    fn summary(&self) -> &'static str {
        "Runs scripts and applies style sheets when they arrive: neither parser nor paint waits"
    }

    fn example(&self) -> &'static str {
        "async third-party-js"
    }

    fn apply(&self, _value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        each(on, page, |page, id| {
            if page.resource(id).destination == Destination::Style {
                return apply_later(page, id);
            }
            if request_early(page, id) {
                return Ok(());
            }
            set(page, id, ScriptMode::Async)
        })
    }

    fn edit(&self, _value: &str, resource: &Resource, _: &Page) -> Edit {
        match (resource.destination, resource.discovery.trigger) {
            // Sheets of other media do not hold the paint. The handler is one more attribute.
            (Destination::Style, _) => {
                Edit::Set("media", "print\" onload=\"this.media='all'".to_owned())
            }
            // The text of the script that inserts it is not known.
            (_, Trigger::Inline { .. }) => Edit::Other,
            _ => Edit::Set("async", String::new()),
        }
    }
}

impl Kind for Defer {
    fn name(&self) -> &'static str {
        "defer"
    }

    fn summary(&self) -> &'static str {
        "Runs scripts in their order after the document is parsed"
    }

    fn example(&self) -> &'static str {
        "defer */app.js"
    }

    fn apply(&self, _value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        each(on, page, |page, id| set(page, id, ScriptMode::Defer))
    }

    fn edit(&self, _value: &str, _: &Resource, _: &Page) -> Edit {
        Edit::Set("defer", String::new())
    }
}

/// Lets a style sheet apply once it is there.
fn apply_later(page: &mut Page, id: ResourceId) -> Result<(), &'static str> {
    place::of_element(page, page.resource(id))?;
    let sheet = &mut page.resources[id.index()];
    if !sheet.render_blocking {
        return Err("no paint waits for it");
    }
    sheet.render_blocking = false;
    // Chromium requests sheets for other media so (`resource_fetcher.cc`). A preload stays as it
    // is.
    if sheet.used_at.is_none() {
        sheet.priority = RequestPriority::VeryLow;
    }
    Ok(())
}

/// Lets an element take the place of the script inside the document that inserts this one: the
/// preload scanner finds it, and it does not wait for style sheets. Returns false if no script of
/// the document is known to insert it.
fn request_early(page: &mut Page, id: ResourceId) -> bool {
    let document = page.document;
    let script = &mut page.resources[id.index()];
    let discovery = &mut script.discovery;
    let Trigger::Inline { parent, offset } = discovery.trigger else {
        return false;
    };
    let is_known = discovery.evidence < Evidence::Timing && discovery.wait.is_none();
    if script.destination != Destination::Script || parent != document || !is_known {
        return false;
    }
    discovery.trigger = Trigger::Markup { parent, offset };
    script.script_mode = ScriptMode::Async;
    true
}

fn set(page: &mut Page, id: ResourceId, mode: ScriptMode) -> Result<(), &'static str> {
    let resource = &mut page.resources[id.index()];
    if resource.destination != Destination::Script {
        return Err("it is no script");
    }
    let is_in_markup = matches!(resource.discovery.trigger, Trigger::Markup { .. });
    match resource.script_mode {
        _ if !is_in_markup => return Err("no element of the markup requests it"),
        ScriptMode::Blocking => {}
        ScriptMode::Defer if mode == ScriptMode::Async => {}
        _ => return Err("no parser waits for it"),
    }
    resource.script_mode = mode;
    resource.render_blocking = false;
    // Chromium requests such scripts as Low (`resource_fetcher.cc`). A preload stays as it is.
    if resource.used_at.is_none() {
        resource.priority = resource.priority.max(RequestPriority::Low);
    }
    Ok(())
}
