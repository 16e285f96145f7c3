//! Computes for each resource whether paints need it, on all cores.

use std::sync::Arc;

use pagerace_browser::BrowserConfig;
use pagerace_core::parallel;
use pagerace_page::PaintEffect;
use pagerace_page::{Page, ResourceId};
use pagerace_sim::Counterfactuals;

use super::groups::jobs;

/// Returns the effects of each resource on the paints, in page order.
pub(crate) fn effects(page: &Arc<Page>, browser: &BrowserConfig) -> Vec<PaintEffect> {
    let loads = Counterfactuals::new(page, browser);
    let ids = page.resources.iter().map(|r| r.id);
    let ids: Vec<ResourceId> = ids.filter(|id| loads.matters(*id)).collect();
    let found = parallel::all(jobs(None), ids.len(), |i| loads.effect(ids[i]));
    let mut effects = vec![PaintEffect::default(); page.resources.len()];
    for (id, effect) in ids.into_iter().zip(found) {
        effects[id.index()] = effect;
    }
    effects
}
