//! Loads random scenarios with fresh seeds and holds each load against the laws of
//! `crates/pagerace-sim/tests/soak`.
//!
//! ```sh
//! cargo run --release -p pagerace-tools --bin soak -- --minutes 60
//! ```
//!
//! `--from N` begins with seed N; without it, the first seed is the time of day. Ends
//! with status 1 if a law was broken, and prints the seeds: `PAGERACE_SEED=n cargo test
//! -p pagerace-sim --test soak` loads one of them again and shrinks it.
#![allow(clippy::unwrap_used, reason = "a tool may panic")]
#![allow(clippy::print_stdout, reason = "a tool prints")]
#![allow(
    clippy::disallowed_methods,
    reason = "it runs for a time that the user chose"
)]

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

#[path = "../../../crates/pagerace-sim/tests/soak/flows.rs"]
mod flows;
#[path = "../../../crates/pagerace-sim/tests/soak/inputs.rs"]
mod inputs;
#[path = "../../../crates/pagerace-sim/tests/soak/laws.rs"]
mod laws;
#[path = "../../../crates/pagerace-sim/tests/soak/limits.rs"]
mod limits;
#[path = "../../../crates/pagerace-sim/tests/soak/networks.rs"]
mod networks;
#[path = "../../../crates/pagerace-sim/tests/soak/pages.rs"]
mod pages;
#[path = "../../../crates/pagerace-sim/tests/soak/sockets.rs"]
mod sockets;
#[path = "../../../crates/pagerace-sim/tests/soak/wire.rs"]
mod wire;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut minutes, mut from) = (1.0, None);
    while let Some(name) = arguments.next() {
        let value = arguments.next().and_then(|v| v.parse::<f64>().ok());
        match (name.as_str(), value) {
            ("--minutes", Some(value)) => minutes = value,
            ("--from", Some(value)) => from = Some(value as u64),
            _ => {
                println!("usage: soak [--minutes N] [--from SEED]");
                std::process::exit(2);
            }
        }
    }
    let date = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let from = from.unwrap_or_else(|| date.unwrap().as_secs() * 1_000);
    // A broken law may be a panic, which is reported once, with its seed.
    std::panic::set_hook(Box::new(|_| {}));
    let end = Instant::now() + Duration::from_secs_f64(minutes * 60.0);
    let next = AtomicU64::new(from);
    let broken: Mutex<BTreeMap<u64, String>> = Mutex::default();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while Instant::now() < end {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if let Err(reason) = laws::caught(|| laws::check(&inputs::case(seed))) {
                        println!("PAGERACE_SEED={seed}: {reason}");
                        broken.lock().unwrap().insert(seed, reason);
                    }
                }
            });
        }
    });
    let loaded = next.into_inner() - from;
    let broken = broken.into_inner().unwrap();
    println!(
        "{loaded} scenarios from seed {from}, {} broke a law",
        broken.len()
    );
    std::process::exit(i32::from(!broken.is_empty()));
}
