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

/// A server of quinn begins with its initial window of ten small packets.
#[test]
fn controllers_of_quinn_load_with_packets_that_grow() {
    for congestion in ["quinn-newreno", "quinn-cubic"] {
        let setup = Setup {
            congestion,
            grows: true,
            ..Setup::new(keys(false))
        };
        let run = run_with(setup, &[1_000_000], sequential, |_, _| false);
        let sizes: Vec<usize> = run.wire.iter().filter(|w| w.1).map(|w| w.2).collect();
        let first = sizes.iter().position(|size| *size > 1_200).unwrap();
        let full = sizes[..first].iter().filter(|size| **size > 1_100).count();
        assert!((8..=12).contains(&full), "{congestion}: {sizes:?}");
        assert_eq!(sizes.iter().max(), Some(&1_452), "{congestion}");
        let large = sizes.iter().filter(|size| **size > 1_400).count();
        assert!(2 * large > sizes.len(), "{congestion}: {large}");
    }
}
