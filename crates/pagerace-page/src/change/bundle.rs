//! Several files as one.

use std::collections::BTreeSet;

use pagerace_core::{Destination, Duration};

use super::{Edit, Kept, Kind, Measure, place};
use crate::{Page, Resource, ResourceId, Trigger};

/// Joins scripts, or style sheets, of one host.
pub(super) struct Bundle;

impl Kind for Bundle {
    fn name(&self) -> &'static str {
        "bundle"
    }

    fn summary(&self) -> &'static str {
        "Joins scripts, or style sheets, of one host to one file in place of the first"
    }

    fn example(&self) -> &'static str {
        "bundle first-party-css"
    }

    fn apply(&self, _value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        let [first, rest @ ..] = on else {
            return Err("it selects nothing".to_owned());
        };
        if rest.is_empty() {
            let url = &page.resource(*first).url;
            return Err(format!("{url} is alone; a bundle takes two files or more"));
        }
        for id in on {
            let (one, other) = (page.resource(*first), page.resource(*id));
            if let Some(reason) = refusal(page, one, other) {
                return Err(format!("{}: {reason}", other.url));
            }
        }
        for id in rest {
            join(page, *first, *id);
        }
        let gone: BTreeSet<ResourceId> = rest.iter().copied().collect();
        Ok(page.retain(|id| !gone.contains(&id)))
    }

    fn edit(&self, _value: &str, _: &Resource, _: &Page) -> Edit {
        Edit::Join
    }

    fn measure(&self, _value: &str) -> Option<Measure> {
        Some(Measure::Joined)
    }
}

/// Returns the reason why a file cannot be joined to the first one.
fn refusal(page: &Page, first: &Resource, other: &Resource) -> Option<&'static str> {
    let is_known = matches!(other.destination, Destination::Script | Destination::Style);
    match place::of_element(page, other) {
        _ if !is_known => Some("it is no script and no style sheet"),
        Err(reason) => Some(reason),
        _ if other.destination != first.destination => {
            Some("scripts and style sheets cannot be joined")
        }
        _ if other.origin != first.origin => Some("another host serves it than the first file"),
        _ if other.destination == Destination::Style
            && other.render_blocking != first.render_blocking =>
        {
            Some("it is for other media than the first file")
        }
        _ if other.script_mode != first.script_mode => {
            Some("it runs at another time than the first file")
        }
        _ => None,
    }
}

/// Adds a file to the first one, which leads to all that it led to.
fn join(page: &mut Page, first: ResourceId, id: ResourceId) {
    let other = page.resource(id);
    let bytes = other.measured("bundle").unwrap_or(other.body_bytes);
    let (decoded, cost) = (other.decoded_bytes, other.cpu_time);
    let (blocks, class) = (other.render_blocking, other.priority);
    let bundle = &mut page.resources[first.index()];
    bundle.body_bytes += bytes;
    // Other forms were measured of the file alone.
    bundle.measured.clear();
    bundle.decoded_bytes = bundle
        .decoded_bytes
        .zip(decoded)
        .map(|(one, more)| one + more);
    bundle.cpu_time = match (bundle.cpu_time, cost) {
        (None, None) => None,
        (one, more) => Some(one.unwrap_or(Duration::ZERO) + more.unwrap_or(Duration::ZERO)),
    };
    bundle.render_blocking |= blocks;
    bundle.priority = bundle.priority.min(class);
    for resource in &mut page.resources {
        let trigger = &mut resource.discovery.trigger;
        *trigger = match *trigger {
            Trigger::Style { parent } if parent == id => Trigger::Style { parent: first },
            Trigger::Script { parent, delay } if parent == id => Trigger::Script {
                parent: first,
                delay,
            },
            Trigger::After { parent, delay } if parent == id => Trigger::After {
                parent: first,
                delay,
            },
            other => other,
        };
    }
    place::wait_for(page, id, first);
}
