//! The combinations that a calibration measures: a fractional design, because all
//! combinations would take days.
//!
//! Every page is loaded on two networks, and about half of the pages on a third.
//! The choice depends only on the page's name, the networks' names and the seed,
//! so a calibration can be resumed, and split over machines by pages. On its
//! first network, a page is also loaded with the strategies and with one of the
//! rarer contenders: another controller, blocked third parties, or late fonts.

use std::sync::Arc;

use pagerace_core::rng::derive_seed;
use pagerace_lab::contender::Contender;
use pagerace_lab::plan::Plan;
use pagerace_page::{Interventions, Page};

/// Maximum number of networks per page.
const NETWORKS: usize = 3;

/// The groups of contenders and the index of the page's network on which each is
/// measured, in order of measurement.
const STAGES: [(Stage, usize); 5] = [
    (Stage::Protocols, 0),
    (Stage::Strategies, 0),
    (Stage::Rare, 0),
    (Stage::Protocols, 1),
    (Stage::Protocols, 2),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Protocols,
    Strategies,
    Rare,
}

/// Splits `all` into parts of one page and one network each, in order of
/// measurement. The contenders of `all` are ignored.
pub fn design(all: &Plan) -> Vec<Plan> {
    let mut pages: Vec<&Arc<Page>> = all.pages.iter().collect();
    pages.sort_by_key(|page| (derive_seed(all.seed, &page.name), page.name.clone()));
    let parts = STAGES.iter().flat_map(|&(stage, place)| {
        let pages = pages.iter();
        pages.filter_map(move |page| part(all, page, stage, place))
    });
    parts.collect()
}

fn part(all: &Plan, page: &Arc<Page>, stage: Stage, place: usize) -> Option<Plan> {
    let chance = |of: &str| derive_seed(all.seed, &format!("{}/{of}", page.name));
    if place + 1 == NETWORKS && chance("third network").is_multiple_of(2) {
        return None;
    }
    let mut networks: Vec<_> = all.networks.iter().collect();
    networks.sort_by_key(|network| (chance(&network.name), network.name.clone()));
    let contenders = match stage {
        Stage::Protocols => ["h1", "h2", "h3"].map(plain).into(),
        Stage::Strategies => ["eps", "round-robin", "firefox-tree"].map(strategy).into(),
        Stage::Rare => {
            let rare = rare(page);
            let index = chance("rare") % rare.len() as u64;
            rare.into_iter().skip(index as usize).take(1).collect()
        }
    };
    Some(Plan {
        pages: vec![Arc::clone(page)],
        networks: vec![(*networks.get(place)?).clone()],
        contenders,
        baseline: 0,
        ..all.clone()
    })
}

/// Returns the rarer contenders that behave differently from the others on this page.
fn rare(page: &Arc<Page>) -> Vec<Contender> {
    let bbr = |protocol| Contender {
        congestion: "bbr".to_owned(),
        ..plain(protocol)
    };
    let changed = |text: &str| {
        let interventions: Interventions = text.parse().expect("it is well formed");
        let some = interventions
            .unmatched(std::slice::from_ref(page))
            .is_empty();
        some.then(|| Contender {
            interventions,
            ..plain("h3")
        })
    };
    let changed = ["third-party-js=refused", "fonts=500ms"].map(changed);
    let all = changed.into_iter().flatten();
    all.chain(["h2", "h3"].map(bbr)).collect()
}

fn plain(protocol: &str) -> Contender {
    Contender {
        protocols: protocol.parse().expect("it is a protocol"),
        ..Contender::default()
    }
}

fn strategy(name: &str) -> Contender {
    Contender {
        strategy: name.parse().expect("it is in the registry"),
        ..plain("h3")
    }
}

#[cfg(test)]
mod tests {
    use super::design;
    use pagerace_lab::fake;

    #[test]
    fn a_page_meets_the_same_whoever_else_is_there() {
        let mut all = fake::plan(&["h3"], 1);
        let names = ["a", "b", "c", "d", "e", "f"];
        let one = all.pages[0].clone();
        all.pages = names
            .map(|name| {
                let mut page = (*one).clone();
                name.clone_into(&mut page.name);
                page.into()
            })
            .into();
        let network = all.networks[0].clone();
        all.networks = ["n1", "n2", "n3", "n4"]
            .map(|name| {
                let mut network = network.clone();
                name.clone_into(&mut network.name);
                network
            })
            .into();
        let parts = design(&all);
        let of = |parts: &[pagerace_lab::Plan], name: &str| -> Vec<(String, Vec<String>)> {
            let parts = parts.iter().filter(|part| part.pages[0].name == name);
            let text = |part: &pagerace_lab::Plan| {
                let contenders = part.contenders.iter().map(ToString::to_string);
                (part.networks[0].name.clone(), contenders.collect())
            };
            parts.map(text).collect()
        };
        let mut networks = std::collections::BTreeSet::new();
        for name in names {
            let some = of(&parts, name);
            assert_eq!(some[0].1.len(), 3, "the three protocols");
            assert_eq!(some[0].0, some[1].0, "strategies meet on the first network");
            assert_ne!(some[0].0, some[3].0);
            networks.extend(some.iter().map(|(network, _)| network.clone()));
            let mut alone = all.clone();
            alone.pages.retain(|page| page.name == name);
            assert_eq!(of(&design(&alone), name), some);
        }
        assert_eq!(networks.len(), 4, "every network is met by some page");
        // The order is breadth-first: the protocols on all pages come first.
        let first: Vec<&str> = parts[..6]
            .iter()
            .map(|p| p.pages[0].name.as_str())
            .collect();
        assert_eq!(
            first
                .iter()
                .collect::<std::collections::BTreeSet<_>>()
                .len(),
            6
        );
    }
}
