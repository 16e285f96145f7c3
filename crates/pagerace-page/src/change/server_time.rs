//! Servers that answer sooner.

use super::{Edit, Kept, Kind, Value, each, time};
use crate::{Page, Resource, ResourceId};

/// Limits the time that servers take to answer.
pub(super) struct ServerTime;

impl Kind for ServerTime {
    fn name(&self) -> &'static str {
        "server-time"
    }

    fn value(&self) -> Value {
        Value::Time
    }

    fn summary(&self) -> &'static str {
        "Lets servers answer within this time, as a cache at the edge does"
    }

    fn example(&self) -> &'static str {
        "server-time=50ms html"
    }

    fn apply(&self, value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        let limit = time(value).ok_or("no time")?;
        each(on, page, |page, id| {
            let resource = &mut page.resources[id.index()];
            if resource.think_time <= limit {
                return Err("its server answers within that time already");
            }
            resource.think_time = limit;
            Ok(())
        })
    }

    fn edit(&self, _value: &str, _: &Resource, _: &Page) -> Edit {
        Edit::Served
    }
}
