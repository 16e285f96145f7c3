//! Named sets of interventions.

use std::collections::BTreeSet;

use super::{Effect, Failure, Intervention, Interventions, Selector, Term};
use crate::Page;

/// Name of the set [`each_host`].
pub const EACH_HOST: &str = "each-host";

/// Returns one set for each third-party host of `pages`, in order of appearance, that
/// blocks this host alone. The sets reveal single points of failure (Srivastava 2024,
/// section 5.4.3).
pub fn each_host(pages: &[impl AsRef<Page>], failure: Failure) -> Vec<Interventions> {
    let mut seen = BTreeSet::new();
    let origins = pages.iter().flat_map(|page| &page.as_ref().origins);
    let hosts = origins
        .filter(|o| o.third_party)
        .map(|o| o.host.to_ascii_lowercase());
    let hosts = hosts.filter(|host| seen.insert(host.clone()));
    let blocked = hosts.map(|host| Intervention {
        selector: Selector::any(vec![Term::Host(host)]),
        effect: Effect::Block(failure),
    });
    blocked.map(|one| Interventions::new(vec![one])).collect()
}
