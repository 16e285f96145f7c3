//! Benchmark of page loads: `cargo bench -p pagerace-sim --bench load`.
//!
//! Prints wall time per load. For instruction counts, run the same binary under `valgrind
//! --tool=callgrind` with the name of one case and a number of loads, as described in
//! `benches/README.md`.

#[path = "../tests/common/mod.rs"]
mod common;

use std::io::Write;

/// Name, protocol and network of each case. `benches/instructions` reads the names.
const CASES: [(&str, &str, &str); 7] = [
    ("lossy-2mbit", "h3", LOSSY),
    ("clean-10mbit", "h3", "rate 10mbit rtt 100ms queue 1bdp"),
    ("clean-50mbit", "h3", CLEAN),
    ("h2-lossy-2mbit", "h2", LOSSY),
    ("h2-clean-50mbit", "h2", CLEAN),
    ("h1-lossy-2mbit", "h1", LOSSY),
    ("h1-clean-50mbit", "h1", CLEAN),
];
const LOSSY: &str = "rate 2mbit rtt 100ms loss 2% queue 1bdp";
const CLEAN: &str = "rate 50mbit rtt 20ms queue 1bdp";

#[expect(clippy::disallowed_methods, reason = "a benchmark measures real time")]
fn main() {
    let args: Vec<_> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    let only = args.first();
    let loads: u64 = args.get(1).and_then(|n| n.parse().ok()).unwrap_or(20);
    let page = common::hundred();
    let mut out = std::io::stdout();
    for (name, protocol, network) in CASES {
        if only.is_some_and(|o| o != name) {
            continue;
        }
        let mut scenario = common::scenario(&page, network, "round-robin");
        scenario.protocols = protocol.parse().expect("a protocol");
        let start = std::time::Instant::now();
        let mut packets = 0;
        let mut onload = None;
        for seed in 0..loads {
            let outcome = pagerace_sim::run(&scenario, seed, false).expect("it runs");
            assert_eq!(outcome.failure, None);
            packets += outcome.transport.packets_sent;
            onload = outcome.load.onload;
        }
        let ms = start.elapsed().as_secs_f64() * 1e3 / loads as f64;
        let onload = onload.map_or_else(|| "–".to_owned(), |d| d.to_string());
        writeln!(
            out,
            "{name}: {ms:.2} ms per load, {} packets, onload {onload} in virtual time",
            packets / loads
        )
        .expect("standard output");
    }
}
