//! Named sets of interventions.

use std::collections::BTreeSet;

use pagerace_core::Duration;

use super::{Effect, Failure, Intervention, Interventions, Kind, Party, Selector, Term};
use crate::{Category, Page};

/// Name of the set [`thesis`].
pub const THESIS: &str = "thesis";
/// Name of the set [`each_host`].
pub const EACH_HOST: &str = "each-host";

/// Returns the seven variants of a page in the user study: the original, then delays of
/// fonts, of style sheets, and of both with third-party scripts, each by a short time and
/// by one second.
///
/// # Source
/// Srivastava 2024, section 5.10.2. Deviation: the study delayed hand-picked fonts and
/// "non-essential" style sheets of one page; these selectors select all of them.
pub fn thesis() -> Vec<Interventions> {
    let fonts = Term::Kind(None, Some(Kind::Of(Category::Fonts)));
    let css = Term::Kind(None, Some(Kind::Of(Category::Css)));
    let scripts = Term::Kind(Some(Party::Third), Some(Kind::Of(Category::Javascript)));
    let delayed = [
        (vec![fonts.clone()], 140),
        (vec![css.clone()], 182),
        (vec![fonts, css, scripts], 376),
    ];
    let mut variants = vec![Interventions::default()];
    for (terms, little) in delayed {
        for millis in [little, 1_000] {
            variants.push(Interventions::new(vec![Intervention {
                selector: Selector::any(terms.clone()),
                effect: Effect::Delay(Duration::from_millis(millis)),
            }]));
        }
    }
    variants
}

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
