//! Sets of interventions that have a name.

use std::collections::BTreeSet;

use pagerace_core::Duration;

use super::{Effect, Failure, Intervention, Interventions, Kind, Party, Selector, Term};
use crate::{Category, Page};

/// The name of [`thesis`].
pub const THESIS: &str = "thesis";
/// The name of [`each_host`].
pub const EACH_HOST: &str = "each-host";

/// The seven variants of a page that people were asked about: the original,
/// then fonts, style sheets, and both with third-party scripts, each answered
/// a little later and a second later.
///
/// # Source
/// Srivastava 2024, section 5.10.2. Deviates: there some fonts and "non-essential"
/// style sheets of one page were chosen by hand; these select all of them.
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

/// For each third-party host of `pages`, in the order in which pages have
/// them, one set in which it alone is blocked: the page's single points of
/// failure (Srivastava 2024, section 5.4.3).
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
