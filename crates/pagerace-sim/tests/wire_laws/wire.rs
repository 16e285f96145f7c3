//! Wire records of loads, and pages whose responses compete on the wire.

use std::collections::{BTreeMap, BTreeSet};

use pagerace_browser::Profile;
use pagerace_core::{Destination, Duration, Instant, Priority, RequestPriority, ScriptMode};
use pagerace_delivery::Facts;
use pagerace_page::Page;
use pagerace_sim::{Outcome, Scenario, run};
use proptest::prelude::*;
use proptest::sample::select;

use crate::common::{Item, busy_page, scenario};

/// Size of the largest packet in bytes.
pub(crate) const PACKET: u64 = 1_200;

/// Largest number of stream bytes in a packet: its size less the smallest packet header,
/// the authentication tag, and the smallest frame header.
pub(crate) const PAYLOAD: u64 = PACKET - 10 - 16 - 2;

/// The uplink loses nothing and is so fast that all requests arrive at once.
pub(crate) const CLEAN: &str = "rate 20mbit up 1gbit rtt 40ms queue 1000p";
pub(crate) const LOSSY: &str = "rate 20mbit up 1gbit rtt 40ms loss 2% loss-up 0% queue 1000p";

pub(crate) const CLASSES: [RequestPriority; 5] = {
    use RequestPriority as R;
    [R::VeryHigh, R::High, R::Medium, R::Low, R::VeryLow]
};

/// STREAM frame of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    /// Index of the response in the page.
    pub(crate) who: usize,
    /// Bytes sent for the first time.
    pub(crate) new: u64,
    pub(crate) retransmission: bool,
}

/// Record of a load's wire from the time at which all responses compete.
pub(crate) struct Wire {
    pub(crate) page: Page,
    pub(crate) outcome: Outcome,
    pub(crate) sent: Vec<Sent>,
    /// Bytes that each response had left at that time, without complete responses.
    pub(crate) left: BTreeMap<usize, u64>,
}

pub(crate) fn load(items: &[Item], network: &str, strategy: &str, seed: u64) -> Wire {
    watch(&scenario(&busy_page(items), network, strategy), seed)
}

pub(crate) fn watch(scenario: &Scenario, seed: u64) -> Wire {
    let page = Page::clone(&scenario.page);
    let mut scenario = scenario.clone();
    // No request waits for the one before it.
    scenario.browser.cpu = 0.0;
    let outcome = run(&scenario, seed, true).unwrap();
    assert_eq!(outcome.failure, None);
    let asked: BTreeSet<Instant> = outcome
        .resources
        .iter()
        .skip(1)
        .map(|r| r.expect("it was requested").request_start())
        .collect();
    assert_eq!(asked.len(), 1, "the browser asks for everything at once");
    // Sending the requests takes a fraction of a millisecond. The server reads one packet in 400
    // more than a millisecond late, and one in a million more than three.
    let ready = *asked.first().unwrap()
        + scenario.network.up.delay.at(Instant::ZERO)
        + Duration::from_millis(4);
    let trace = outcome.trace.as_ref().unwrap();
    let mut high = vec![0; page.resources.len()];
    let (mut sent, mut left) = (Vec::new(), BTreeMap::new());
    // Bytes that were bound before that time leave first.
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
    pub(crate) fn facts(&self, who: usize) -> Facts {
        let r = &self.page.resources[who];
        Facts {
            destination: r.destination,
            script_mode: r.script_mode,
            class: r.priority,
            render_blocking: r.render_blocking,
            served: r.served_priority,
        }
    }

    /// Returns the browser's priority signal. Panics for images, whose requests have
    /// another class than the recorded one.
    pub(crate) fn signal(&self, who: usize) -> Priority {
        let resource = &self.page.resources[who];
        assert_ne!(resource.destination, Destination::Image);
        (Profile::CHROME.signal)(resource, resource.priority)
    }

    /// Returns every frame with the bytes that each response had left before it.
    pub(crate) fn frames(&self) -> impl Iterator<Item = (Sent, BTreeMap<usize, u64>)> {
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

    /// Returns first transmissions with the bytes that each response had left before
    /// them.
    pub(crate) fn steps(&self) -> impl Iterator<Item = (Sent, BTreeMap<usize, u64>)> {
        self.frames().filter(|(s, _)| s.new > 0)
    }

    /// Returns the frames sent while exactly the responses in `these` have bytes left,
    /// not counting responses for which `other` is true.
    pub(crate) fn contest_beside(
        &self,
        these: &BTreeSet<usize>,
        other: impl Fn(usize) -> bool,
    ) -> Vec<Sent> {
        let competes =
            |left: &BTreeMap<usize, u64>| left.keys().filter(|who| !other(**who)).eq(these.iter());
        let frames = self.frames().filter(|(_, left)| competes(left));
        frames.map(|(s, _)| s).collect()
    }

    /// Returns the frames sent while exactly the responses in `these` have bytes left.
    pub(crate) fn contest(&self, these: &BTreeSet<usize>) -> Vec<Sent> {
        self.contest_beside(these, |_| false)
    }

    /// Returns all responses that had bytes left.
    pub(crate) fn all(&self) -> BTreeSet<usize> {
        self.left.keys().copied().collect()
    }
}

pub(crate) fn network() -> impl Strategy<Value = &'static str> {
    select(&[CLEAN, LOSSY][..])
}

/// Generates large responses of all kinds. Nothing blocks the parser, because the
/// Chromium model would otherwise hold requests back: synchronous requests by scripts
/// (fetches of the highest class) have the next class.
pub(crate) fn items(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Item>> {
    use ScriptMode as S;
    let destinations = select(&Destination::ALL[1..]);
    let modes = select(&[S::Defer, S::Async, S::Inserted][..]);
    let classes = select(&CLASSES[..]);
    let blocking = prop::bool::weighted(0.3);
    let item = (destinations, modes, classes, blocking, 60_000_u64..160_000).prop_map(
        |(destination, script_mode, class, render_blocking, body_bytes)| Item {
            destination,
            script_mode,
            class: match (destination, class) {
                (Destination::Fetch, RequestPriority::VeryHigh) => RequestPriority::High,
                _ => class,
            },
            render_blocking,
            body_bytes,
            think_time: Duration::ZERO,
        },
    );
    prop::collection::vec(item, count)
}

pub(crate) fn fetch(class: RequestPriority, body_bytes: u64) -> Item {
    Item {
        destination: Destination::Fetch,
        script_mode: ScriptMode::Async,
        class,
        render_blocking: false,
        body_bytes,
        think_time: Duration::ZERO,
    }
}
