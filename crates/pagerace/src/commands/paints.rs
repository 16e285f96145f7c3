//! Computes for each resource whether paints need it, on all cores.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pagerace_browser::BrowserConfig;
use pagerace_page::PaintEffect;
use pagerace_page::{Page, ResourceId};
use pagerace_sim::Counterfactuals;

use crate::commands::inputs::jobs;

/// Returns the effects of each resource on the paints, in page order.
pub(super) fn effects(page: &Arc<Page>, browser: &BrowserConfig) -> Vec<PaintEffect> {
    let loads = Counterfactuals::new(page, browser);
    let ids = page.resources.iter().map(|r| r.id);
    let ids: Vec<ResourceId> = ids.filter(|id| loads.matters(*id)).collect();
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut found = Vec::new();
        while let Some(id) = ids.get(next.fetch_add(1, Ordering::Relaxed)) {
            found.push((*id, loads.effect(*id)));
        }
        found
    };
    let mut effects = vec![PaintEffect::default(); page.resources.len()];
    std::thread::scope(|scope| {
        let threads = jobs(None).min(ids.len());
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        for worker in workers {
            // A panic of a load is a defect of this command, too.
            for (id, effect) in worker.join().expect("loads do not panic") {
                effects[id.index()] = effect;
            }
        }
    });
    effects
}
