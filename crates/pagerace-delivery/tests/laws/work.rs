//! Laws of every strategy: the link never idles, no data is lost or duplicated, no response
//! starves, and runs are reproducible.

use std::collections::BTreeMap;

use pagerace_delivery::DEFAULTS;
use proptest::prelude::*;

use crate::bench::PACKET_BYTES;
use crate::pages::{self, Page};
use crate::watch::{Run, run};

const MORE: [&str; 7] = [
    "h2-tree",
    "batched-round-robin:n=1",
    "batched-round-robin:n=3",
    "weighted-incremental:alpha=0",
    "weighted-incremental:alpha=1:urgency=signalled",
    "hybrid:alpha=0",
    "hybrid:alpha=1:urgency=signalled",
];

fn check(spec: &str, page: &Page, run: &Run) -> Result<(), TestCaseError> {
    let mut bytes: BTreeMap<u64, u64> = BTreeMap::new();
    let mut in_packet: BTreeMap<u64, u64> = BTreeMap::new();
    for (sent, choice) in run.sent.iter().zip(&run.choices) {
        *bytes.entry(sent.stream).or_default() += sent.bytes;
        let packet = in_packet.entry(sent.tick).or_default();
        *packet += sent.bytes;
        let room = page.rooms.get(&sent.tick).copied().unwrap_or(PACKET_BYTES);
        prop_assert!(*packet <= room);
        let ends = choice.chosen().remaining() == sent.bytes;
        prop_assert!(
            ends || *packet == room,
            "{spec} leaves room at tick {}",
            sent.tick
        );
    }
    if !page.interrupted {
        for i in 1..run.sent.len() {
            let (sent, choice) = (run.sent[i - 1], &run.choices[i - 1]);
            let more = choice.ready.len() > 1 || choice.chosen().remaining() > sent.bytes;
            let idles = run.sent[i].tick > sent.tick + 1;
            prop_assert!(!(more && idles), "{spec} idles after tick {}", sent.tick);
        }
    }
    for (stream, length) in &page.lengths {
        let sent = bytes.get(stream).copied().unwrap_or(0);
        if page.cancelled.contains(stream) {
            prop_assert!(sent <= *length);
        } else {
            prop_assert_eq!(
                sent,
                *length,
                "{}: stream {} is not served to its end",
                spec,
                stream
            );
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn every_strategy_serves_everything_and_never_idles(page in pages::arrivals()) {
        for spec in DEFAULTS.iter().chain(&MORE) {
            check(spec, &page, &run(spec, &page.bench))?;
        }
    }

    #[test]
    fn whatever_happens_it_serves_the_rest_and_repeats(page in pages::anything()) {
        for spec in DEFAULTS.iter().chain(&MORE) {
            let first = run(spec, &page.bench);
            check(spec, &page, &first)?;
            prop_assert_eq!(&first, &run(spec, &page.bench), "{} does not repeat", spec);
        }
    }
}
