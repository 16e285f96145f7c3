//! The `async` and `defer` attributes of scripts
//! (<https://html.spec.whatwg.org/#attr-script-async>).

use pagerace_core::{Destination, RequestPriority, ScriptMode};

use super::{Edit, Kept, Kind, each};
use crate::{Page, Resource, ResourceId, Trigger};

/// Lets scripts run when they arrive.
pub(super) struct Async;

/// Lets scripts run after the document is parsed.
pub(super) struct Defer;

impl Kind for Async {
    fn name(&self) -> &'static str {
        "async"
    }

    fn summary(&self) -> &'static str {
        "Runs scripts when they arrive: neither the parser nor the first paint waits for them"
    }

    fn example(&self) -> &'static str {
        "async third-party-js"
    }

    fn apply(&self, _value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        each(on, page, |page, id| set(page, id, ScriptMode::Async))
    }

    fn edit(&self, _value: &str, _: &Resource, _: &Page) -> Edit {
        Edit::Set("async", String::new())
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
