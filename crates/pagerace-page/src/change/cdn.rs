//! Servers near the users.

use std::collections::BTreeSet;

use pagerace_core::Duration;

use super::{Edit, Kept, Kind, Value, each, time};
use crate::{OriginId, Page, Resource, ResourceId};

/// Limits the round trips to hosts beyond the access link.
pub(super) struct Cdn;

impl Kind for Cdn {
    fn name(&self) -> &'static str {
        "cdn"
    }

    fn value(&self) -> Value {
        Value::Time
    }

    fn summary(&self) -> &'static str {
        "Serves the hosts of the resources from a place this round trip beyond the access link"
    }

    fn example(&self) -> &'static str {
        "cdn=20ms images.example"
    }

    fn apply(&self, value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        let limit = time(value).ok_or("no time")?;
        let known = page.origins.iter().filter_map(|origin| origin.recorded_rtt);
        let Some(nearest) = known.clone().min() else {
            return Err(
                "the recording tells no round trip to any host; `--origin-rtt` sets them".into(),
            );
        };
        // One without a round trip has the median of the others.
        let mut known: Vec<Duration> = known.collect();
        known.sort_unstable();
        let median = known[known.len() / 2];
        for origin in &mut page.origins {
            origin.recorded_rtt.get_or_insert(median);
        }
        let mut near: BTreeSet<OriginId> = BTreeSet::new();
        each(on, page, |page, id| {
            let origin = page.resource(id).origin;
            if near.contains(&origin) {
                return Ok(());
            }
            let rtt = &mut page.origins[origin.index()].recorded_rtt;
            if rtt.unwrap_or(nearest).saturating_sub(nearest) <= limit {
                return Err("its servers are as near already");
            }
            *rtt = Some(nearest + limit);
            near.insert(origin);
            Ok(())
        })
    }

    fn edit(&self, _value: &str, _: &Resource, _: &Page) -> Edit {
        Edit::Served
    }
}
