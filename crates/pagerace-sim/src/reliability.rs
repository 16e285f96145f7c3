//! Partial reliability: requirements of a page on its objects, and responses of which
//! datagrams lost a part.

mod incomplete;

use pagerace_core::names;
use pagerace_delivery::reliability::{Nature, Selection};
use pagerace_page::intervention::Target;
use pagerace_page::{Page, ResourceId, Trigger};
use serde::{Deserialize, Serialize};

pub(crate) use self::incomplete::Incomplete;
use crate::scenario::Scenario;

/// Requirements of a page on an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectNeed {
    /// True if the page is of no use without the object.
    pub essential: bool,
    /// True if the object is of no use unless it is complete.
    pub whole: bool,
    /// True if visible content waits for the object or changes with it.
    #[serde(default)]
    pub seen: bool,
}

impl Default for ObjectNeed {
    fn default() -> Self {
        Self {
            essential: true,
            whole: true,
            seen: true,
        }
    }
}

/// Delivery of an object and its final state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectDelivery {
    /// True if the object came in datagrams, false if on its stream.
    pub datagrams: bool,
    /// State in which the page has the object.
    pub state: ObjectState,
    /// Length of the content in bytes, as transferred.
    pub length: u64,
    /// Bytes of the content that no datagram delivered.
    pub lost_bytes: u64,
    /// Lost bytes that parity restored.
    pub restored_bytes: u64,
    /// Lost bytes that were fetched again.
    pub repaired_bytes: u64,
    /// Lost bytes that the page never received.
    pub missing_bytes: u64,
}

names! {
    /// State of an object at the end of its delivery.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum ObjectState {
        /// All bytes arrived or were restored from parity.
        Complete = "complete",
        /// The page has all bytes; some were fetched again.
        Repaired = "repaired",
        /// Bytes are missing, but the object is usable without them.
        UsableInPart = "usable in part",
        /// Bytes are missing, and the object is of no use.
        Broken = "broken",
    }
}

/// Returns the role of each resource, as the servers know it. Empty if all objects are
/// delivered reliably and in the order of the strategy.
pub(crate) fn natures(scenario: &Scenario) -> Vec<Nature> {
    if scenario.reliability.is_full() {
        return Vec::new();
    }
    let selection = scenario.reliability.selection();
    let page = &scenario.page;
    let of = |i: usize| {
        let need = need(&scenario.needs, i);
        Nature {
            essential: need.essential,
            whole: need.whole,
            seen: need.seen,
            selected: is_selected(page, selection, i, need),
        }
    };
    (0..page.resources.len()).map(of).collect()
}

fn is_selected(page: &Page, selection: &Selection, resource: usize, need: ObjectNeed) -> bool {
    let r = &page.resources[resource];
    !leads_to_document(page, r.id) && selection.selects(&Target::of(page, r), need.essential)
}

fn need(needs: &[ObjectNeed], resource: usize) -> ObjectNeed {
    needs.get(resource).copied().unwrap_or_default()
}

/// Returns true if there is no page without the resource: it is the document, or a
/// redirect on the way to it.
fn leads_to_document(page: &Page, id: ResourceId) -> bool {
    let mut at = Some(page.document);
    // A redirect precedes its target in page order, so this ends.
    while let Some(r) = at {
        if r == id {
            return true;
        }
        at = match page.resource(r).discovery.trigger {
            Trigger::Redirect { parent } if parent < r => Some(parent),
            _ => None,
        };
    }
    false
}

/// Returns the resources of `page` that `selection` selects, independent of the policy
/// that it belongs to.
pub fn selected(page: &Page, selection: &Selection, needs: &[ObjectNeed]) -> Vec<ResourceId> {
    let all = 0..page.resources.len();
    let selected = all.filter(|&i| is_selected(page, selection, i, need(needs, i)));
    selected.map(|i| ResourceId(i as u32)).collect()
}
