//! Strategies that send one response after the other.

use std::collections::BTreeMap;

use pagerace_core::{Destination, Duration};
use proptest::prelude::*;
use proptest::sample::select;

use crate::common::Item;
use crate::turns::turns;
use crate::wire::{CLASSES, Wire, fetch, items, load, network};

impl Wire {
    /// Checks that the response with the lowest `rank` is sent first.
    pub(crate) fn strict<K: Ord>(&self, rank: impl Fn(usize) -> K) -> Result<(), TestCaseError> {
        for (s, left) in self.steps() {
            let first = left.keys().map(|who| rank(*who)).min().unwrap();
            prop_assert!(rank(s.who) == first, "{s:?} while there was {left:?}");
        }
        Ok(())
    }

    /// Checks that among responses of the same `class`, each is complete before the next
    /// begins. Responses with the class `None` are exempt.
    pub(crate) fn one_by_one<K: Ord>(
        &self,
        class: impl Fn(usize) -> Option<K>,
    ) -> Result<(), TestCaseError> {
        let mut current = BTreeMap::new();
        for (s, left) in self.steps() {
            let Some(class) = class(s.who) else { continue };
            let before = current.insert(class, s.who).unwrap_or(s.who);
            let over = before == s.who || !left.contains_key(&before);
            prop_assert!(over, "{s:?} before the end of {before}: {left:?}");
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn sequential_sends_class_by_class_and_one_by_one(
        items in items(3..9), network in network(), seed in 0_u64..1_000,
    ) {
        let wire = load(&items, network, "sequential", seed);
        wire.strict(|who| wire.facts(who).class)?;
        wire.one_by_one(|who| Some(wire.facts(who).class))?;
    }

    /// Responses with the destination `Fetch` are requested in page order, whatever their
    /// class.
    #[test]
    fn sequential_goes_by_request_order_inside_a_class(
        classes in prop::collection::vec(select(&CLASSES[..]), 3..9),
        network in network(), seed in 0_u64..1_000,
    ) {
        let items: Vec<Item> = classes.iter().map(|class| fetch(*class, 60_000)).collect();
        let wire = load(&items, network, "sequential", seed);
        wire.strict(|who| (wire.facts(who).class, who))?;
    }

    #[test]
    fn eps_sends_urgency_by_urgency(
        items in items(3..9), network in network(), seed in 0_u64..1_000,
    ) {
        let mut items = items;
        for item in items.iter_mut().filter(|i| i.destination == Destination::Image) {
            item.destination = Destination::Media;
        }
        let wire = load(&items, network, "eps", seed);
        wire.strict(|who| wire.signal(who).urgency)?;
        wire.one_by_one(|who| {
            let signal = wire.signal(who);
            (!signal.incremental).then_some(signal.urgency)
        })?;
    }

    #[test]
    fn fifo_sends_one_by_one_as_they_become_ready(
        items in items(3..9), network in network(), seed in 0_u64..1_000,
        order in Just((1..9_u64).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let mut items = items;
        for (item, place) in items.iter_mut().zip(&order) {
            item.think_time = Duration::from_millis(5 * place);
        }
        let wire = load(&items, network, "fifo", seed);
        // No response overtakes another, so it suffices that the turns come in order.
        let seen: Vec<u64> = turns(&wire.sent).iter().filter(|t| t.0 > 0).map(|t| order[t.0 - 1]).collect();
        prop_assert_eq!(seen.len(), wire.all().range(1..).count(), "one turn each: {:?}", &seen);
        prop_assert!(seen.is_sorted(), "{seen:?}");
    }
}
