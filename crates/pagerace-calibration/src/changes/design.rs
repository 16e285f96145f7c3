//! The loads that tell whether changes do what is predicted.

use std::sync::Arc;

use pagerace_core::rng::derive_seed;
use pagerace_lab::contender::Contender;
use pagerace_lab::plan::Plan;
use pagerace_page::Page;

use super::Listed;

/// The versions of HTTP over which each page is loaded.
const VERSIONS: [&str; 2] = ["h2", "h3"];

/// Splits `all` into parts of one page and one network each: the page as it is, and each of its
/// listed changes. A page meets one network over each version of HTTP: the one that its first
/// change names, or else one that its name and the seed choose. The contenders of `all` are ignored.
pub fn design(all: &Plan, listed: &[Listed]) -> Vec<Plan> {
    let versions = VERSIONS.iter().enumerate();
    let parts = versions.flat_map(|(place, version)| {
        let pages = all.pages.iter();
        pages.filter_map(move |page| part(all, page, listed, version, place))
    });
    parts.collect()
}

fn part(
    all: &Plan,
    page: &Arc<Page>,
    listed: &[Listed],
    version: &str,
    place: usize,
) -> Option<Plan> {
    let base = Contender {
        protocols: version.parse().expect("it is a protocol"),
        ..Contender::default()
    };
    let own = listed.iter().filter(|one| one.page == page.name);
    let named = own.clone().find_map(|one| one.network.as_ref());
    let changed = own.map(|one| Contender {
        changes: one.changes.clone(),
        ..base.clone()
    });
    let contenders: Vec<Contender> = [base.clone()].into_iter().chain(changed).collect();
    let first = derive_seed(all.seed, &page.name) as usize % all.networks.len().max(1);
    let chosen = all
        .networks
        .get((first + place) % all.networks.len().max(1));
    let network = named.or(chosen)?;
    (contenders.len() > 1).then(|| Plan {
        pages: vec![Arc::clone(page)],
        networks: vec![network.clone()],
        contenders,
        baseline: 0,
        ..all.clone()
    })
}
