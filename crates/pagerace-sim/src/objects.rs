//! What a page needs of its objects, and what it got.

use pagerace_delivery::reliability::{Nature, Selection};
use pagerace_page::intervention::Target;
use pagerace_page::{Page, ResourceId, Trigger};
use serde::{Deserialize, Serialize};

use crate::scenario::Scenario;

/// What a page needs of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectNeed {
    /// Whether the page needs it to be of use.
    pub essential: bool,
    /// Whether it is of no use unless it is complete.
    pub whole: bool,
    /// Whether something that is seen waits for it, or changes with it.
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

/// How an object arrived, and in what state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectDelivery {
    /// Whether it came in datagrams; else on its stream.
    pub datagrams: bool,
    /// What the page has of it.
    pub state: ObjectState,
    /// Bytes of its content, as transferred.
    pub length: u64,
    /// Bytes of them that no datagram brought.
    pub lost_bytes: u64,
    /// Bytes of those that parity restored.
    pub restored_bytes: u64,
    /// Bytes of those that were fetched again.
    pub repaired_bytes: u64,
    /// Bytes that the page never got.
    pub missing_bytes: u64,
}

/// What a page has of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ObjectState {
    /// All of it arrived, or was restored from parity.
    Complete,
    /// All of it; some was fetched again.
    Repaired,
    /// Not all of it, which is of use all the same.
    UsableInPart,
    /// Not all of it, and so it is of no use.
    Broken,
}

impl ObjectState {
    /// All, from best to worst.
    pub const ALL: [Self; 4] = [
        Self::Complete,
        Self::Repaired,
        Self::UsableInPart,
        Self::Broken,
    ];

    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Repaired => "repaired",
            Self::UsableInPart => "usable in part",
            Self::Broken => "broken",
        }
    }
}

/// What the servers know of each object: by resource; empty if everything is
/// delivered reliably and in its turn.
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

pub(crate) fn need(needs: &[ObjectNeed], resource: usize) -> ObjectNeed {
    needs.get(resource).copied().unwrap_or_default()
}

/// Whether there is no page without it: the document, and what redirects to it.
fn leads_to_document(page: &Page, id: ResourceId) -> bool {
    let mut at = Some(page.document);
    // A redirect comes before what it leads to.
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

/// Resources of `page` that `selection` selects, whatever policy it belongs to.
pub fn selected(page: &Page, selection: &Selection, needs: &[ObjectNeed]) -> Vec<ResourceId> {
    let all = 0..page.resources.len();
    let selected = all.filter(|&i| is_selected(page, selection, i, need(needs, i)));
    selected.map(|i| ResourceId(i as u32)).collect()
}
