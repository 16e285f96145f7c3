//! Scripts as modules (<https://html.spec.whatwg.org/#module-script>).

use pagerace_core::{Destination, ScriptMode};

use super::{Edit, Kept, Kind, each, place};
use crate::{Page, Resource, ResourceId};

/// Runs scripts of the document's host as modules.
pub(super) struct Module;

impl Kind for Module {
    fn name(&self) -> &'static str {
        "module"
    }

    fn summary(&self) -> &'static str {
        "Runs scripts as modules: in their order after the document is parsed, requested like others"
    }

    fn example(&self) -> &'static str {
        "module */app.js"
    }

    fn apply(&self, _value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        let own = page.resource(page.document).origin;
        each(on, page, |page, id| {
            let resource = page.resource(id);
            if resource.destination != Destination::Script {
                return Err("it is no script");
            }
            let at = place::of_element(page, resource)?;
            if resource.script_mode != ScriptMode::Blocking {
                return Err("no parser waits for it");
            }
            if !resource.render_blocking && !place::has_content_behind(page, at) {
                return Err("it is at the end of the body already");
            }
            if resource.origin != own {
                return Err("another host serves it, which would have to allow that (CORS)");
            }
            // Chromium lowers only the class of `async` and `defer` (`resource_fetcher.cc`).
            let script = &mut page.resources[id.index()];
            script.script_mode = ScriptMode::Defer;
            script.render_blocking = false;
            Ok(())
        })
    }

    fn edit(&self, _value: &str, _: &Resource, _: &Page) -> Edit {
        Edit::Set("type", "module".to_owned())
    }
}
