use pagerace_core::Duration;

use super::*;
use crate::link::Rate;
use crate::network::Network;

#[test]
fn every_name_means_what_its_description_says() {
    for known in named() {
        let by_name = Network::parse(known.name).unwrap_or_else(|e| panic!("{}: {e}", known.name));
        let in_full = Network::parse(known.spec).unwrap();
        assert_eq!(by_name.name, known.name);
        assert_eq!((&by_name.down, &by_name.up), (&in_full.down, &in_full.up));
        assert!(
            known.source.len() > 20 && known.summary.len() > 10,
            "{}",
            known.name
        );
    }
}

#[test]
fn no_name_is_given_twice() {
    let mut names: Vec<_> = named().iter().map(|n| n.name).collect();
    names.sort_unstable();
    assert!(names.is_sorted_by(|a, b| a < b));
}

#[test]
fn networks_that_change_do_so() {
    use pagerace_core::Instant;

    let at = |seconds: u64| Instant::from_nanos(seconds * 1_000_000_000);
    let ramp = Network::parse("latency-ramp").unwrap();
    let rtts = [0, 5, 10, 99].map(|s| ramp.down.delay.at(at(s)) + ramp.up.delay.at(at(s)));
    assert_eq!(rtts, [50, 150, 250, 250].map(Duration::from_millis));
    let handover = Network::parse("handover").unwrap();
    let Rate::Changing(rate) = &handover.down.rate else {
        panic!("{handover}");
    };
    let silence = Instant::from_nanos(2_050_000_000);
    assert_eq!(
        [at(1), silence, at(3)].map(|t| rate.at(t)),
        [9_000_000, 0, 4_000_000]
    );
    assert!(Network::parse("mobile-jitter").unwrap().up.jitter.is_some());
}
