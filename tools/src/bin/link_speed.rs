//! Measures the speed of the emulated link on this machine, and its cost.
//!
//! ```text
//! cargo run --release -p pagerace-tools --bin link_speed -- [NETWORK] [MEGABYTES]
//! ```
//!
//! One kernel TCP connection sends data, by default 200 MB over 500 Mbit/s. The processor
//! time is that of the emulator's thread, in which the kernel also processes the TCP of
//! the receiving side.

use std::error::Error;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use pagerace_live::link::{Direction, Fate, Testbed};
use pagerace_net::Network;

/// Clock ticks per second in `/proc`, the same on all of Linux's platforms.
const TICKS: f64 = 100.0;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let network = arguments.next();
    let network = network.unwrap_or_else(|| "rate 500mbit rtt 10ms queue 1bdp".to_owned());
    let network = Network::parse(&network)?;
    let megabytes: usize = arguments.next().map_or(Ok(200), |n| n.parse())?;

    let testbed = Testbed::open()?;
    testbed.set_congestion("cubic")?;
    let address = testbed.server_address(0)?;
    let listener = testbed
        .server()
        .run(move || TcpListener::bind((address, 80)))?;
    let sender = std::thread::spawn(move || -> std::io::Result<()> {
        let (mut stream, _) = listener.accept()?;
        let block = vec![0; 1_000_000];
        (0..megabytes).try_for_each(|_| stream.write_all(&block))
    });
    testbed.begin(&network, 1)?;
    let before = emulator_seconds()?;
    let mut stream = testbed
        .client()
        .run(move || TcpStream::connect((address, 80)))?;
    let mut buffer = vec![0; 1 << 18];
    while stream.read(&mut buffer)? > 0 {}
    let seconds = emulator_seconds()? - before;
    let report = testbed.finish()?;
    sender.join().expect("it does not panic")?;

    let last = report.packets.iter().filter_map(|p| match p.fate {
        Fate::Delivered { at } if p.direction == Direction::Down => Some(at),
        _ => None,
    });
    let span = last.max().map_or(0.0, |at| at.since_start().as_secs_f64());
    let rate = report.down.bytes_delivered as f64 * 8.0 / span / 1e6;
    let packets = report.down.delivered + report.up.delivered;
    eprintln!("{}", network.describe());
    eprintln!("{rate:.1} Mbit/s of IP packets for {span:.2} s, {packets} packets");
    eprintln!(
        "the emulator used {:.0} % of one core, {:.1} us per packet",
        100.0 * seconds / span,
        1e6 * seconds / packets as f64
    );
    eprintln!("lateness: {}; {:?}", report.lateness, report.scheduling);
    if let Some(why) = report.objection() {
        eprintln!("to be rejected: {why}");
    }
    Ok(())
}

/// Returns the processor time of the emulator's thread so far (`proc_pid_stat(5)`).
fn emulator_seconds() -> Result<f64, Box<dyn Error>> {
    for task in std::fs::read_dir("/proc/self/task")? {
        let stat = std::fs::read_to_string(task?.path().join("stat"))?;
        let Some((name, numbers)) = stat.rsplit_once(") ") else {
            continue;
        };
        if name.ends_with("(link") {
            let numbers: Vec<&str> = numbers.split_whitespace().collect();
            // The state is field 3 and the first of `numbers`. Fields 14 and 15 are user
            // and system time.
            let ticks = numbers[11].parse::<f64>()? + numbers[12].parse::<f64>()?;
            return Ok(ticks / TICKS);
        }
    }
    Err("the emulator's thread is not there".into())
}
