//! Random loss, which is unrelated to congestion.

use pagerace_core::Duration;

use crate::net::{Path, run};

const RATE: u64 = 20_000_000;

/// Returns the share of the link's lossy capacity that a controller gets from 5 s on.
fn share(name: &str, loss: f64) -> f64 {
    let path = Path {
        rate: RATE,
        rtt: |_| Duration::from_millis(80),
        queue: 133,
        loss,
    };
    let trace = run(path, &[name], Duration::ZERO, 65, 1);
    trace.goodput(0, 5, 65) / (RATE as f64 * (1.0 - loss))
}

#[test]
fn bbr_holds_a_lossy_links_rate_where_cubic_collapses() {
    for name in crate::names() {
        eprintln!("{name}: {:.3}", share(name, 0.01));
    }
    assert!(share("bbr", 0.01) >= 0.95);
    assert!(share("bbr", 0.05) >= 0.9);
    // The response function of RFC 9438, section 5.1, gives 12 of 133 segments.
    assert!((0.06..0.12).contains(&share("cubic", 0.01)));
}
