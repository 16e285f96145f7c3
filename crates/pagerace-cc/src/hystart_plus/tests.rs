use crate::testing::{MTU, ack};

use super::*;

/// Returns `HyStart`++ on a path of 100 ms, with a round trip that begins at 1 s.
fn begun() -> (HyStartPlus, u64) {
    let mut hystart = HyStartPlus::default();
    hystart.on_ack(&ack(900, 1_000));
    (hystart, 1_000)
}

/// Runs a round trip of ten packets with this delay; the last packet ends it.
fn round(hystart: &mut HyStartPlus, ms: &mut u64, delay: u64) -> Vec<Growth> {
    let sent = *ms;
    *ms += delay;
    let mut growths: Vec<Growth> = (0..9)
        .map(|_| hystart.on_ack(&ack(sent - 1, sent - 1 + delay)))
        .collect();
    growths.push(hystart.on_ack(&ack(sent, *ms)));
    growths
}

fn plain(growths: &[Growth]) -> bool {
    growths.iter().all(|g| g.bytes == MTU && !g.ends)
}

#[test]
fn more_delay_slows_slow_start_down_and_ends_it_after_five_round_trips() {
    let (mut hystart, mut ms) = begun();
    assert!(plain(&round(&mut hystart, &mut ms, 100)));
    assert!(plain(&round(&mut hystart, &mut ms, 100)));
    // A growth of 12 ms since the last round trip is too small; 14 of 112 ms is enough.
    assert!(plain(&round(&mut hystart, &mut ms, 112)));
    let growths = round(&mut hystart, &mut ms, 126);
    assert!(plain(&growths[..8]));
    assert_eq!(growths[8].bytes, MTU / 4);
    // Conservative slow start began in the first of five round trips; four follow.
    for i in 0..4 {
        let growths = round(&mut hystart, &mut ms, 126);
        assert_eq!(growths[9].ends, i == 3, "{i}");
        assert!(growths.iter().all(|g| g.bytes == MTU / 4));
    }
}

#[test]
fn a_delay_that_falls_again_resumes_slow_start() {
    let (mut hystart, mut ms) = begun();
    round(&mut hystart, &mut ms, 100);
    round(&mut hystart, &mut ms, 100);
    round(&mut hystart, &mut ms, 130);
    assert!(hystart.conservative.is_some());
    let growths = round(&mut hystart, &mut ms, 120);
    assert_eq!(growths[0].bytes, MTU / 4);
    assert!(hystart.conservative.is_none());
    assert_eq!(growths[9].bytes, MTU);
}

#[test]
fn the_first_congestion_is_the_end_of_it() {
    let (mut hystart, mut ms) = begun();
    round(&mut hystart, &mut ms, 100);
    hystart.on_congestion();
    for _ in 0..8 {
        assert!(plain(&round(&mut hystart, &mut ms, 300)));
    }
}
