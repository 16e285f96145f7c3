//! Tests of the end of slow start.

use super::*;

/// 300 Mbit/s, 50 ms, and a queue of one bandwidth-delay product.
fn load(congestion: &'static str) -> Run {
    let setup = Setup {
        congestion,
        nanos_per_byte: 27,
        delay: Duration::from_millis(25),
        queue: Duration::from_millis(50),
        ..Setup::new(keys(false))
    };
    run_with(setup, &[10_000_000], sequential, |_, _| false)
}

/// quinn-proto paces packets over most of a round trip, so acknowledgements arrive in long
/// trains long before the path is full.
#[test]
fn hystart_takes_pacing_for_no_congestion() {
    let (cubic, hystart) = (load("cubic"), load("cubic-hystart"));
    let drops = (cubic.drops.len(), hystart.drops.len());
    // The growth of the delay still ends slow start, slightly before the queue is full.
    assert!(drops.1 > 0 && drops.1 < drops.0, "{drops:?} drops");
    assert!(
        hystart.done <= cubic.done,
        "{:?} to {:?}",
        hystart.done,
        cubic.done
    );
}
