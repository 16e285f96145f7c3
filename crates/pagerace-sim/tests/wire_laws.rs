//! Each strategy's defining law, read off the wire: first transmissions, in
//! the order in which a simulated server's packets left, with loss and without.
//!
//! A law speaks of responses that compete. So each page asks for everything at
//! once, and the clock starts when the server has every request. What follows
//! from the mechanism, and nothing else, is tolerated:
//!
//! - One packet is bound to a response while the congestion window is closed,
//!   so the first one after that moment may be an old decision. It is left out.
//! - Shares are exact to a packet at any moment, hence to two between any two
//!   moments: one packet of arrears at either end.
//! - A lost packet's bytes leave together with bytes of the same response that
//!   are bound already: those may overtake the rest of one packet.
//! - An acknowledgement takes a few bytes of a packet; they spill over to the
//!   next one.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{Item, busy_page, scenario};
use pagerace_browser::Profile;
use pagerace_core::{Destination, Duration, Instant, Priority, RequestPriority, ScriptMode};
use pagerace_delivery::strategies::firefox_group::{self, Group};
use pagerace_delivery::strategies::weighted_incremental::{shares, urgency_of_class};
use pagerace_delivery::strategies::{firefox_eps, firefox_tree, weighted_round_robin};
use pagerace_delivery::{Facts, registry};
use pagerace_page::Page;
use pagerace_sim::{
    LoggedPacket, Outcome, ResourceTiming, Retransmission, Scenario, Side, run, run_logged,
};
use pagerace_transport::quic::frame::frames;
use pagerace_transport::quic::{Frame, Space, StreamFrame};
use proptest::prelude::*;
use proptest::sample::select;

/// Bytes of the largest packet.
const PACKET: u64 = 1_200;

/// The most bytes of streams that it carries: less the smallest header of a
/// packet, its tag, and the smallest header of a frame.
const PAYLOAD: u64 = PACKET - 10 - 16 - 2;

/// Uplinks lose nothing and take no time, so that all requests arrive at once.
const CLEAN: &str = "rate 20mbit up 1gbit rtt 40ms queue 1000p";
const LOSSY: &str = "rate 20mbit up 1gbit rtt 40ms loss 2% loss-up 0% queue 1000p";

const CLASSES: [RequestPriority; 5] = {
    use RequestPriority as R;
    [R::VeryHigh, R::High, R::Medium, R::Low, R::VeryLow]
};

/// A STREAM frame of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sent {
    /// Whose, as an index of the page.
    who: usize,
    /// Bytes sent for the first time.
    new: u64,
    retransmission: bool,
}

/// What a load put on the wire once all responses competed.
struct Wire {
    page: Page,
    outcome: Outcome,
    sent: Vec<Sent>,
    /// What each response had left then; without those that were complete.
    left: BTreeMap<usize, u64>,
}

fn load(items: &[Item], network: &str, strategy: &str, seed: u64) -> Wire {
    watch(&scenario(&busy_page(items), network, strategy), seed)
}

fn watch(scenario: &Scenario, seed: u64) -> Wire {
    let page = Page::clone(&scenario.page);
    let outcome = run(scenario, seed, true).unwrap();
    assert_eq!(outcome.failure, None);
    let asked: BTreeSet<Instant> = outcome
        .resources
        .iter()
        .skip(1)
        .map(|r| r.expect("it was requested").request_start())
        .collect();
    assert_eq!(asked.len(), 1, "the browser asks for everything at once");
    // Requests take a fraction of a millisecond to leave.
    let ready = *asked.first().unwrap() + scenario.network.up.delay + Duration::from_millis(1);
    let trace = outcome.trace.as_ref().unwrap();
    let mut high = vec![0; page.resources.len()];
    let (mut sent, mut left) = (Vec::new(), BTreeMap::new());
    // What was bound before that leaves first.
    let mut bound = PAYLOAD;
    for f in &trace.frames {
        let who = f.resource.index();
        assert!(f.offset <= high[who], "first transmissions leave no hole");
        let new = (f.offset + u64::from(f.length)).saturating_sub(high[who]);
        high[who] += new;
        if f.at < ready {
            continue;
        }
        if bound > 0 && (f.retransmission || new <= bound) {
            bound -= new.min(bound);
            continue;
        }
        bound = 0;
        *left.entry(who).or_insert(0) += new;
        let retransmission = f.retransmission;
        sent.push(Sent {
            who,
            new,
            retransmission,
        });
    }
    left.retain(|_, bytes| *bytes > 0);
    for (resource, sent) in page.resources.iter().zip(high) {
        let head = sent - resource.body_bytes;
        assert!((100..600).contains(&head), "all bytes were sent");
    }
    Wire {
        page,
        outcome,
        sent,
        left,
    }
}

impl Wire {
    fn facts(&self, who: usize) -> Facts {
        let r = &self.page.resources[who];
        Facts {
            destination: r.destination,
            script_mode: r.script_mode,
            class: r.priority,
            render_blocking: r.render_blocking,
        }
    }

    /// What the browser signals, unless this is an image: those are requested
    /// at another class than they are recorded with.
    fn signal(&self, who: usize) -> Priority {
        let resource = &self.page.resources[who];
        assert_ne!(resource.destination, Destination::Image);
        Profile::Chrome.signal(resource, resource.priority)
    }

    /// Every frame with what was left of each response before it.
    fn frames(&self) -> impl Iterator<Item = (Sent, BTreeMap<usize, u64>)> {
        let mut left = self.left.clone();
        self.sent.iter().map(move |s| {
            let before = left.clone();
            if let Some(mine) = left.get_mut(&s.who) {
                *mine -= s.new;
                if *mine == 0 {
                    left.remove(&s.who);
                }
            }
            (*s, before)
        })
    }

    /// First transmissions with what was left of each response before them.
    fn steps(&self) -> impl Iterator<Item = (Sent, BTreeMap<usize, u64>)> {
        self.frames().filter(|(s, _)| s.new > 0)
    }

    /// All frames while what has bytes left is exactly `these`, apart from
    /// `others`.
    fn contest_beside(&self, these: &BTreeSet<usize>, other: impl Fn(usize) -> bool) -> Vec<Sent> {
        let competes =
            |left: &BTreeMap<usize, u64>| left.keys().filter(|who| !other(**who)).eq(these.iter());
        let frames = self.frames().filter(|(_, left)| competes(left));
        frames.map(|(s, _)| s).collect()
    }

    /// All frames while what has bytes left is exactly `these`.
    fn contest(&self, these: &BTreeSet<usize>) -> Vec<Sent> {
        self.contest_beside(these, |_| false)
    }

    /// All that had bytes left.
    fn all(&self) -> BTreeSet<usize> {
        self.left.keys().copied().collect()
    }

    /// Whose `rank` is lower goes first.
    fn strict<K: Ord>(&self, rank: impl Fn(usize) -> K) -> Result<(), TestCaseError> {
        for (s, left) in self.steps() {
            let first = left.keys().map(|who| rank(*who)).min().unwrap();
            prop_assert!(rank(s.who) == first, "{s:?} while there was {left:?}");
        }
        Ok(())
    }
}

impl Wire {
    /// Of those with one `class` each is complete before the next begins;
    /// `None` is exempt.
    fn one_by_one<K: Ord>(&self, class: impl Fn(usize) -> Option<K>) -> Result<(), TestCaseError> {
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

/// At every moment each has its share of the bytes of `sent` to `packets`.
fn share(sent: &[Sent], weights: &BTreeMap<usize, f64>, packets: u64) -> Result<(), TestCaseError> {
    let sum: f64 = weights.values().sum();
    let mut got: BTreeMap<usize, u64> = weights.keys().map(|who| (*who, 0)).collect();
    let mut total = 0;
    for s in sent.iter().filter(|s| s.new > 0) {
        *got.get_mut(&s.who).expect("it has a weight") += s.new;
        total += s.new;
        for (who, weight) in weights {
            let off = got[who] as f64 - total as f64 * weight / sum;
            let bound = (packets * PACKET) as f64;
            prop_assert!(off.abs() <= bound, "{off} bytes off: {who} of {weights:?}");
        }
    }
    Ok(())
}

/// Consecutive frames of one response: whose, new bytes, and whether a
/// retransmission left among or next to them.
fn turns(sent: &[Sent]) -> Vec<(usize, u64, bool)> {
    let mut turns: Vec<(usize, u64, bool)> = Vec::new();
    let mut disturbed = false;
    for s in sent {
        if s.retransmission || s.new == 0 {
            disturbed = true;
            if let Some(last) = turns.last_mut() {
                last.2 = true;
            }
        }
        match turns.last_mut() {
            _ if s.new == 0 => {}
            Some(last) if last.0 == s.who => {
                last.1 += s.new;
                last.2 |= disturbed;
                disturbed = false;
            }
            _ => turns.push((s.who, s.new, std::mem::take(&mut disturbed))),
        }
    }
    turns
}

/// Turns that one packet's worth of bytes may hold when it is bound: the rest
/// of one packet, and who begins in what is left of the next.
const BOUND_TURNS: usize = 2;

/// Between two turns of one, each of the others has exactly one, wherever no
/// retransmission left, nor when the bytes before were bound. Returns how many
/// rounds were looked at.
fn alternate(turns: &[(usize, u64, bool)], count: usize) -> Result<usize, TestCaseError> {
    let mut rounds = 0;
    for window in turns.windows(BOUND_TURNS + count + 1) {
        if window.iter().any(|t| t.2) {
            continue;
        }
        let round = &window[BOUND_TURNS..];
        let distinct: BTreeSet<usize> = round[..count].iter().map(|t| t.0).collect();
        prop_assert_eq!(distinct.len(), count, "not one turn each: {:?}", round);
        prop_assert_eq!(round[0].0, round[count].0, "another order: {:?}", round);
        rounds += 1;
    }
    Ok(rounds)
}

fn network() -> impl Strategy<Value = &'static str> {
    select(&[CLEAN, LOSSY][..])
}

/// Packets by which shares may be off: see the top.
fn share_bound(network: &str) -> u64 {
    if network == CLEAN { 2 } else { 3 }
}

/// Large responses of all kinds. Nothing stops the parser, or Chromium's model
/// would hold requests back.
fn items(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Item>> {
    use ScriptMode as S;
    let destinations = select(&Destination::ALL[1..]);
    let modes = select(&[S::Defer, S::Async, S::Inserted][..]);
    let classes = select(&CLASSES[..]);
    let blocking = prop::bool::weighted(0.3);
    let item = (destinations, modes, classes, blocking, 60_000_u64..160_000).prop_map(
        |(destination, script_mode, class, render_blocking, body_bytes)| Item {
            destination,
            script_mode,
            class,
            render_blocking,
            body_bytes,
            think_time: Duration::ZERO,
        },
    );
    prop::collection::vec(item, count)
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

    /// What scripts fetch is requested as it stands in the page, whatever its class.
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
    fn eps_lets_incremental_ones_take_turns(
        bodies in prop::collection::vec(60_000_u64..160_000, 2..7),
        network in network(), seed in 0_u64..1_000,
    ) {
        let items: Vec<Item> = bodies.iter().map(|b| fetch(RequestPriority::High, *b)).collect();
        let wire = load(&items, network, "eps", seed);
        let turns = turns(&wire.contest(&wire.all()));
        prop_assert!(alternate(&turns, items.len())? > 0);
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
        // Nothing overtakes, so it suffices that turns come in order.
        let seen: Vec<u64> = turns(&wire.sent).iter().filter(|t| t.0 > 0).map(|t| order[t.0 - 1]).collect();
        prop_assert_eq!(seen.len(), wire.all().range(1..).count(), "one turn each: {:?}", &seen);
        prop_assert!(seen.is_sorted(), "{seen:?}");
    }

    #[test]
    fn firefox_eps_sends_group_by_group_in_turns(
        items in items(3..9), network in network(), seed in 0_u64..1_000,
    ) {
        let wire = load(&items, network, "firefox-eps", seed);
        let urgency = |who: usize| firefox_eps::urgency(&wire.facts(who));
        wire.strict(urgency)?;
        let first = wire.all().into_iter().map(urgency).min().unwrap();
        let group: BTreeSet<usize> = wire.all().into_iter().filter(|w| urgency(*w) == first).collect();
        let contest = wire.contest_beside(&group, |who| urgency(who) != first);
        if group.len() > 1 {
            prop_assert!(alternate(&turns(&contest), group.len())? > 0);
        }
    }

    #[test]
    fn round_robin_alternates(
        items in items(2..9), network in network(), seed in 0_u64..1_000,
    ) {
        let wire = load(&items, network, "round-robin", seed);
        let all = wire.all();
        prop_assert!(alternate(&turns(&wire.contest(&all)), all.len())? > 0);
        let equal = all.iter().map(|who| (*who, 1.0)).collect();
        share(&wire.contest(&all), &equal, share_bound(network))?;
    }

    #[test]
    fn batches_have_n_packets(
        items in items(2..7), network in network(), seed in 0_u64..1_000, n in 2_u64..9,
    ) {
        let wire = load(&items, network, &format!("batched-round-robin:n={n}"), seed);
        let turns = turns(&wire.contest(&wire.all()));
        alternate(&turns, items.len())?;
        let inner = turns.iter().take(turns.len().saturating_sub(1)).skip(1);
        for turn in inner.filter(|t| !t.2) {
            // No more than n packets; acknowledgements take less than one of them.
            prop_assert!(turn.1 <= n * PACKET, "{turn:?}");
            prop_assert!(turn.1 > (n - 1) * PACKET, "{turn:?}");
        }
    }

    #[test]
    fn weighted_round_robin_shares_by_kind(
        items in items(2..9), network in network(), seed in 0_u64..1_000,
    ) {
        let wire = load(&items, network, "weighted-round-robin", seed);
        let all = wire.all();
        let weight = |who: usize| f64::from(weighted_round_robin::weight(&wire.facts(who)));
        let weights = all.iter().map(|who| (*who, weight(*who))).collect();
        share(&wire.contest(&all), &weights, share_bound(network))?;
    }

    #[test]
    fn weighted_incremental_shares_by_the_formula(
        items in items(2..9), network in network(), seed in 0_u64..1_000,
        alpha in select(&[0.0, 0.25, 0.5, 0.75, 1.0][..]),
    ) {
        let wire = load(&items, network, &format!("weighted-incremental:alpha={alpha}"), seed);
        let all = wire.all();
        share(&wire.contest(&all), &gupta(&wire, &all, alpha), share_bound(network))?;
    }

    #[test]
    fn alpha_0_sends_what_round_robin_sends(
        items in items(2..9), network in network(), seed in 0_u64..1_000,
    ) {
        let ours = load(&items, network, "weighted-incremental:alpha=0", seed);
        let theirs = load(&items, network, "round-robin", seed);
        let equal = |wire: &Wire| wire.all().iter().map(|who| (*who, 1.0)).collect();
        for wire in [&ours, &theirs] {
            share(&wire.contest(&wire.all()), &equal(wire), share_bound(network))?;
        }
    }

    #[test]
    fn hybrid_sends_what_blocks_rendering_first_and_shares_the_rest(
        items in items(3..9), network in network(), seed in 0_u64..1_000,
        alpha in select(&[0.0, 0.5, 1.0][..]),
    ) {
        let wire = load(&items, network, &format!("hybrid:alpha={alpha}"), seed);
        let blocks = |who: usize| wire.facts(who).render_blocking;
        let class = |who: usize| blocks(who).then_some(wire.facts(who).class);
        // `None` sorts first.
        wire.strict(|who| (class(who).is_none(), class(who)))?;
        wire.one_by_one(class)?;
        let rest: BTreeSet<usize> = wire.all().into_iter().filter(|who| !blocks(*who)).collect();
        share(&wire.contest(&rest), &gupta(&wire, &rest, alpha), share_bound(network))?;
    }

    #[test]
    fn the_tree_shares_at_every_node(
        items in items(2..9), network in network(), seed in 0_u64..1_000,
    ) {
        let wire = load(&items, network, "firefox-tree", seed);
        let all = wire.all();
        let contest = wire.contest(&all);
        for node in std::iter::once(None).chain(Group::ALL.map(Some)) {
            share_below(&wire, &contest, node, share_bound(network))?;
        }
    }
}

/// Shares of equations 1 and 2 of Gupta 2024 among `these`.
fn gupta(wire: &Wire, these: &BTreeSet<usize>, alpha: f64) -> BTreeMap<usize, f64> {
    let urgency = |who: &usize| usize::from(urgency_of_class(wire.facts(*who).class));
    let mut counts = [0; 8];
    for who in these {
        counts[urgency(who)] += 1;
    }
    let shares = shares(alpha, counts);
    these
        .iter()
        .map(|who| (*who, shares[urgency(who)]))
        .collect()
}

/// The shares of the children of a node of the tree; `None` is the root. A
/// child group stands for all below it, under the number 1000 and its own.
fn share_below(
    wire: &Wire,
    contest: &[Sent],
    node: Option<Group>,
    packets: u64,
) -> Result<(), TestCaseError> {
    let group = |who: usize| Group::of(&wire.facts(who));
    let mut weights = BTreeMap::new();
    // The child of `node` that a response belongs to, and its weight.
    let child = |who: usize| {
        let mut at = group(who);
        if node == Some(at) {
            return Some((who, firefox_group::weight(&wire.facts(who))));
        }
        while firefox_tree::parent(at) != node {
            at = firefox_tree::parent(at)?;
        }
        Some((1_000 + at as usize, firefox_tree::group_weight(at)))
    };
    for (id, weight) in wire.left.keys().filter_map(|who| child(*who)) {
        weights.insert(id, f64::from(weight));
    }
    let below = contest.iter().filter_map(|s| {
        Some(Sent {
            who: child(s.who)?.0,
            ..*s
        })
    });
    share(&below.collect::<Vec<_>>(), &weights, packets)
}

fn fetch(class: RequestPriority, body_bytes: u64) -> Item {
    Item {
        destination: Destination::Fetch,
        script_mode: ScriptMode::Async,
        class,
        render_blocking: false,
        body_bytes,
        think_time: Duration::ZERO,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// While one has bytes left, no more goes by without it than its share is
    /// behind at most: the law of shares, as those see it who wait.
    #[test]
    fn whoever_shares_never_starves(
        items in items(2..9), network in network(), seed in 0_u64..1_000,
        alpha in select(&[0.0, 0.5, 1.0][..]),
    ) {
        let wire = load(&items, network, &format!("weighted-incremental:alpha={alpha}"), seed);
        let all = wire.all();
        for (who, share) in gupta(&wire, &all, alpha) {
            let longest = wire
                .contest(&all)
                .split(|s| s.who == who && s.new > 0)
                .map(|gap| gap.iter().map(|s| s.new).sum::<u64>())
                .max();
            let bound = (share_bound(network) * PACKET) as f64 / share;
            prop_assert!(longest.unwrap_or(0) as f64 <= bound, "{who} waits for {longest:?}");
        }
    }

    /// Whatever the order, the same bytes take the same time: no strategy
    /// leaves the link idle, and packets are full. What is left of a packet
    /// at a response's end may be too little for another frame.
    #[test]
    fn no_strategy_wastes_the_link(items in items(2..9)) {
        let loads = registry().iter().map(|info| load(&items, CLEAN, info.name, 1).outcome);
        let spans = loads.map(|outcome| {
            let ends = outcome.resources.iter().flatten().map(ResourceTiming::response_end);
            (ends.max().unwrap(), outcome.transport.packets_sent)
        });
        let spans: Vec<(Instant, u64)> = spans.collect();
        let (first, last) = (spans.iter().min().unwrap(), spans.iter().max().unwrap());
        // 20 Mbit/s; IP and UDP headers come on top.
        let packet = Duration::from_nanos((PACKET + 28) * 8 * 50);
        let slack = packet.mul_f64(items.len() as f64);
        prop_assert!(last.0.since(first.0) <= slack, "{spans:?}");
        let packets = spans.iter().map(|s| s.1);
        let (fewest, most) = (packets.clone().min().unwrap(), packets.max().unwrap());
        prop_assert!(most - fewest <= items.len() as u64, "{spans:?}");
    }
}

/// Less urgent responses come first; what is more urgent arrives while their
/// losses are not repaired. Sequences, not turns, inside an urgency: where two
/// take turns and one ends in a packet that holds the rest of the other, what
/// is left of that packet goes to whatever waits to be repaired.
fn late_urgent(loss: &str, retransmission: Retransmission) -> Scenario {
    let classes = [
        RequestPriority::Low,
        RequestPriority::High,
        RequestPriority::VeryHigh,
    ];
    let items = [
        (0, 0),
        (0, 0),
        (0, 0),
        (1, 90),
        (1, 100),
        (2, 200),
        (2, 210),
    ]
    .map(|(class, think_ms)| Item {
        destination: Destination::Style,
        think_time: Duration::from_millis(think_ms),
        ..fetch(classes[class], 120_000)
    });
    let network = format!("rate 20mbit up 1gbit rtt 40ms {loss} loss-up 0% queue 1000p");
    Scenario {
        retransmission,
        ..scenario(&busy_page(&items), &network, "eps")
    }
}

/// How many retransmissions left while a more urgent response was under way
/// and had new bytes left.
fn ahead_of_urgent(wire: &Wire) -> usize {
    let frames = &wire.outcome.trace.as_ref().unwrap().frames;
    let urgency = |r: usize| wire.signal(r).urgency;
    let span = |who: usize| {
        let of = |f: &&pagerace_sim::FrameSent| f.resource.index() == who;
        let first = frames.iter().position(|f| of(&f)).unwrap();
        first
            ..frames
                .iter()
                .rposition(|f| of(&f) && !f.retransmission)
                .unwrap()
    };
    let spans: Vec<_> = (1..wire.page.resources.len())
        .map(|who| (urgency(who), span(who)))
        .collect();
    let again = frames
        .iter()
        .enumerate()
        .filter(|(_, f)| f.retransmission && f.resource.0 > 0);
    again
        .filter(|(i, f)| {
            spans
                .iter()
                .any(|(u, span)| *u < urgency(f.resource.index()) && span.contains(i))
        })
        .count()
}

#[test]
fn by_urgency_no_retransmission_goes_ahead_of_more_urgent_new_bytes() {
    for loss in ["loss 2%", "loss 5%", "loss 3% burst 5"] {
        let mut at_once = 0;
        for seed in 0..20 {
            let wire = watch(&late_urgent(loss, Retransmission::ByUrgency), seed);
            assert_eq!(ahead_of_urgent(&wire), 0, "{loss}, seed {seed}");
            let wire = watch(&late_urgent(loss, Retransmission::AtOnce), seed);
            at_once += ahead_of_urgent(&wire);
        }
        assert!(at_once > 0, "{loss} puts no policy to the test");
    }
}

/// Bytes of a packet that is certainly lost: three later ones are acknowledged
/// (RFC 9002, section 6.1.1).
struct Lost {
    frame: StreamFrame,
    /// New bytes that left since, but those of `repaired`.
    new: u64,
    /// Streams of which something was sent again since.
    repaired: BTreeSet<u64>,
}

/// For each lost frame the new bytes that left between its loss and its
/// retransmission. Those of streams that were repaired in between do not count.
fn new_before_repair(scenario: &Scenario, seed: u64) -> Vec<u64> {
    let (outcome, packets) = run_logged(scenario, seed).unwrap();
    assert_eq!(outcome.failure, None);
    let mut unacked: BTreeMap<u64, Vec<StreamFrame>> = BTreeMap::new();
    let mut waiting: Vec<Lost> = Vec::new();
    let mut high: BTreeMap<u64, u64> = BTreeMap::new();
    let mut repaired = Vec::new();
    let covers = |s: &StreamFrame, lost: &StreamFrame| {
        s.id == lost.id && (s.offset..s.end()).contains(&lost.offset)
    };
    let of_server = |p: &&LoggedPacket| p.side == Side::Server && p.packet.space == Space::OneRtt;
    for p in packets.iter().filter(of_server).map(|p| &p.packet) {
        if p.sent {
            let streams = response_frames(&p.payload);
            for s in &streams {
                repaired.extend(
                    waiting
                        .extract_if(.., |w| covers(s, &w.frame))
                        .map(|w| w.new),
                );
                let high = high.entry(s.id).or_default();
                for w in &mut waiting {
                    if s.offset < *high {
                        w.repaired.insert(s.id);
                    } else if !w.repaired.contains(&s.id) {
                        w.new += s.length;
                    }
                }
                *high = (*high).max(s.end());
            }
            unacked.insert(p.number, streams);
            continue;
        }
        for frame in frames(&p.payload) {
            let Frame::Ack { ranges, .. } = frame else {
                continue;
            };
            unacked.retain(|n, _| {
                !ranges
                    .iter()
                    .any(|(a, b)| (*a.min(b)..=*a.max(b)).contains(n))
            });
            let largest = ranges.iter().map(|(a, b)| *a.max(b)).max().unwrap();
            while let Some(first) = unacked.first_entry().filter(|e| e.key() + 3 <= largest) {
                for frame in first.remove() {
                    // A probe may have carried it already.
                    if !unacked.values().flatten().any(|s| covers(s, &frame)) {
                        let (new, repaired) = (0, BTreeSet::new());
                        waiting.push(Lost {
                            frame,
                            new,
                            repaired,
                        });
                    }
                }
            }
        }
    }
    repaired
}

fn response_frames(payload: &[u8]) -> Vec<StreamFrame> {
    let streams = frames(payload).filter_map(|f| match f {
        Frame::Stream(s) if s.id % 4 == 0 && s.length > 0 => Some(s),
        _ => None,
    });
    streams.collect()
}

/// But for what is bound already. That is a packet's worth, and another one if
/// an acknowledgement took room in the first: quinn-proto stays with a stream
/// until all that was written to it has left, and the rest is topped up. Bound
/// bytes of a response that is repaired itself leave right behind its repair.
#[test]
fn at_once_retransmissions_leave_before_new_bytes() {
    let items = [RequestPriority::High; 6].map(|class| fetch(class, 120_000));
    for strategy in ["round-robin", "sequential"] {
        for loss in ["loss 2%", "loss 5%", "loss 3% burst 5"] {
            let network = format!("rate 20mbit up 1gbit rtt 40ms {loss} loss-up 0% queue 1000p");
            let scenario = scenario(&busy_page(&items), &network, strategy);
            for seed in 0..10 {
                let new = new_before_repair(&scenario, seed);
                assert!(!new.is_empty(), "nothing was lost");
                let most = new.into_iter().max().unwrap();
                assert!(
                    most <= 2 * PAYLOAD,
                    "{strategy}, {loss}, seed {seed}: {most} bytes"
                );
            }
        }
    }
}

#[test]
fn the_laws_can_be_broken() {
    let items = [
        RequestPriority::High,
        RequestPriority::Low,
        RequestPriority::Low,
    ]
    .map(|c| fetch(c, 100_000));
    let turns_of_two = load(&items, CLEAN, "batched-round-robin:n=2", 1);
    let all = turns_of_two.all();
    assert!(
        turns_of_two
            .strict(|who| turns_of_two.facts(who).class)
            .is_err()
    );
    assert!(
        turns_of_two
            .one_by_one(|who| Some(turns_of_two.facts(who).class))
            .is_err()
    );
    let equal = all.iter().map(|who| (*who, 1.0)).collect();
    let contest = load(&items, CLEAN, "weighted-incremental:alpha=0.25", 1).contest(&all);
    assert!(share(&contest, &equal, share_bound(LOSSY)).is_err());
    assert!(alternate(&turns(&contest), all.len()).is_err());
}
