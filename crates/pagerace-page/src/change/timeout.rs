//! Requests that the page gives up.

use pagerace_core::Destination;

use super::{Edit, Kept, Kind, Value, each, time};
use crate::{Page, Resource, ResourceId};

/// Limits the time of requests.
pub(super) struct Timeout;

impl Kind for Timeout {
    fn name(&self) -> &'static str {
        "timeout"
    }

    fn value(&self) -> Value {
        Value::Time
    }

    fn summary(&self) -> &'static str {
        "Does without responses that are not complete after this time, as a service worker can"
    }

    fn example(&self) -> &'static str {
        "timeout=2s third-party"
    }

    fn apply(&self, value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        let limit = time(value).ok_or("no time")?;
        let document = page.document;
        each(on, page, |page, id| {
            let resource = &mut page.resources[id.index()];
            if id <= document || resource.destination == Destination::Document {
                return Err("it is the page's document, or comes before it");
            }
            if resource.timeout.is_some_and(|before| before <= limit) {
                return Err("the page waits no longer for it already");
            }
            resource.timeout = Some(limit);
            Ok(())
        })
    }

    fn edit(&self, _value: &str, _: &Resource, _: &Page) -> Edit {
        Edit::Other
    }
}
