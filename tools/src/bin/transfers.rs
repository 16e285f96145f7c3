//! Compares simulated transfers with real ones.
//!
//! ```text
//! cargo build --release -p pagerace-tools --bin transfers
//! sudo chrt --rr 10 target/release/transfers --runs 5
//! ```
//!
//! Sends files over the emulated link through the kernel's TCP and through live QUIC,
//! sends the same files through the simulator, and prints the medians side by side as
//! Markdown. Needs root and Linux. `chrt` keeps other programs from slowing down the
//! endpoints. Runs in which the link was late nevertheless are repeated.

#[allow(dead_code, reason = "a test uses more of it")]
#[path = "../../../crates/pagerace-live/tests/support/bulk/mod.rs"]
mod bulk;
#[allow(dead_code, reason = "tests use more of it")]
#[path = "../../../crates/pagerace-live/tests/support/client.rs"]
mod client;

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Parser;
use pagerace_core::{Duration, Protocol};
use pagerace_live::link::{Fate, Testbed};
use pagerace_net::Network;
use pagerace_sim::{BulkOutcome, Flow, LoadSettings, RecordEnds, run_flows};

use bulk::{Bulk, BulkObserved, Carrier, QuicEnd, transfer};

/// Number of attempts at a run before its case is given up.
const TRIES: u32 = 5;

/// Compares transfers of the simulator with transfers over kernel TCP and live
/// QUIC.
#[derive(Parser)]
struct Arguments {
    /// Transfers of each case, each with a seed of its own.
    #[arg(long, default_value_t = 3)]
    runs: u64,

    /// The same where packets are lost at random: there, single transfers say little.
    #[arg(long, default_value_t = 10)]
    loss_runs: u64,

    /// The first seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Only these networks, instead of the grid; may be given several times.
    #[arg(long)]
    network: Vec<String>,

    /// Bytes of a file; may be given several times.
    #[arg(long)]
    bytes: Vec<u64>,

    /// Only carriers whose name has this in it; may be given several times.
    #[arg(long)]
    only: Vec<String>,

    /// The program of tests/interop/quicgo/bulk, for transfers with it.
    #[arg(long)]
    peer: Option<PathBuf>,

    /// Write the packets of the last live transfer to this file, as CSV.
    #[arg(long)]
    log: Option<PathBuf>,

    /// Print every run.
    #[arg(long)]
    verbose: bool,
}

/// A live protocol stack and its simulated counterpart.
struct Pair {
    name: String,
    carrier: Carrier,
    protocol: Protocol,
    /// The simulator's congestion controller.
    congestion: &'static str,
}

/// A row of the table.
struct Row {
    pair: usize,
    network: String,
    bytes: u64,
    predicted: f64,
    observed: f64,
    /// Range of the observed times, relative to their median.
    spread: f64,
    packets: (u64, u64),
    gone: (u64, u64),
}

impl Row {
    fn error(&self) -> f64 {
        (self.predicted - self.observed) / self.observed
    }
}

#[expect(clippy::print_stdout, reason = "a program talks to people")]
fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let pairs = pairs(&arguments);
    let testbed = Testbed::open()?;
    let mut rows = Vec::new();
    for (network, bytes) in cases(&arguments) {
        for (pair, kind) in pairs.iter().enumerate() {
            match row(&testbed, &arguments, kind, &network, bytes) {
                Ok(row) => {
                    if arguments.verbose {
                        eprintln!("{}", line(&row, kind));
                    }
                    rows.push(Row { pair, ..row });
                }
                Err(error) => eprintln!("{} on {network:?}, {bytes} bytes: {error:#}", kind.name),
            }
        }
    }
    println!(
        "| carrier | network | MB | modelled s | live s | error | live spread | packets modelled, live | lost modelled, live |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    rows.sort_by_key(|row| row.pair);
    for row in &rows {
        println!("{}", line(row, &pairs[row.pair]));
    }
    println!();
    println!("| carrier | cases | within 5 % | p50 | p90 | worst |");
    println!("|---|---|---|---|---|---|");
    for (i, pair) in pairs.iter().enumerate() {
        let errors = rows
            .iter()
            .filter(|row| row.pair == i)
            .map(|row| row.error().abs());
        println!("{}", summary(&pair.name, errors.collect()));
    }
    Ok(())
}

/// Returns kernel TCP and QUIC under three controllers and, if there is a peer, QUIC with
/// it at either end.
fn pairs(arguments: &Arguments) -> Vec<Pair> {
    let mut pairs = Vec::new();
    // Linux's CUBIC has HyStart; the controller that we call `cubic` does not.
    for (kernel, congestion) in [("reno", "reno"), ("cubic", "cubic-hystart"), ("bbr", "bbr")] {
        pairs.push(Pair {
            name: format!("TCP {kernel}, kernel"),
            carrier: Carrier::KernelTcp {
                protocol: Protocol::H2,
                congestion: kernel.to_owned(),
            },
            protocol: Protocol::H2,
            congestion,
        });
    }
    let mut quic = |name: String, congestion: &'static str, server: QuicEnd, client: QuicEnd| {
        pairs.push(Pair {
            name,
            carrier: Carrier::Quic {
                congestion: congestion.to_owned(),
                mtu: 1_200,
                server,
                client,
            },
            protocol: Protocol::H3,
            congestion,
        });
    };
    for congestion in ["reno", "cubic", "bbr"] {
        let name = format!("QUIC {congestion}, own ends");
        quic(name, congestion, QuicEnd::Ours, QuicEnd::Ours);
    }
    if let Some(peer) = &arguments.peer {
        for congestion in ["reno", "cubic", "bbr"] {
            let name = format!("QUIC {congestion}, quic-go receives");
            quic(
                name,
                congestion,
                QuicEnd::Ours,
                QuicEnd::Program(peer.clone()),
            );
        }
        let name = "QUIC cubic-hystart, quic-go sends".to_owned();
        quic(
            name,
            "cubic-hystart",
            QuicEnd::Program(peer.clone()),
            QuicEnd::Ours,
        );
    }
    let wanted = |pair: &Pair| {
        arguments.only.is_empty() || arguments.only.iter().any(|only| pair.name.contains(only))
    };
    pairs.retain(wanted);
    pairs
}

/// Returns networks and sizes. Lossy networks only get small files, as loss-based
/// controllers take minutes for large ones.
fn cases(arguments: &Arguments) -> Vec<(String, u64)> {
    const MB: u64 = 1_000_000;
    let mut cases = Vec::new();
    if !arguments.network.is_empty() {
        let sizes = if arguments.bytes.is_empty() {
            &[MB][..]
        } else {
            &arguments.bytes
        };
        for network in &arguments.network {
            cases.extend(sizes.iter().map(|bytes| (network.clone(), *bytes)));
        }
        return cases;
    }
    for (rate, bytes) in [(5, &[MB][..]), (20, &[MB, 10 * MB]), (100, &[MB, 10 * MB])] {
        for rtt in [20, 50, 100] {
            let network = format!("rate {rate}mbit rtt {rtt}ms");
            cases.extend(bytes.iter().map(|bytes| (network.clone(), *bytes)));
            cases.push((format!("{network} loss 1%"), MB));
        }
    }
    cases.push(("rate 20mbit rtt 50ms queue 4bdp".to_owned(), 10 * MB));
    cases
}

/// Runs one case live and simulated.
fn row(
    testbed: &Testbed,
    arguments: &Arguments,
    pair: &Pair,
    description: &str,
    bytes: u64,
) -> Result<Row> {
    let network = Network::parse(description)?;
    let bulk = Bulk {
        bytes,
        carrier: pair.carrier.clone(),
    };
    let flow = Flow {
        bytes,
        protocol: pair.protocol,
        congestion: pair.congestion.to_owned(),
        starts_at: Duration::ZERO,
    };
    // The live server writes records in this way.
    let settings = LoadSettings {
        record_ends: RecordEnds::Short,
        deadline: Duration::from_secs(3_600),
        ..LoadSettings::default()
    };
    let simulate = |seed| -> Result<BulkOutcome> {
        let flows = [flow.clone()];
        let outcomes = run_flows(&flows, &network, &settings, seed)?;
        outcomes.into_iter().next().context("no outcome")
    };
    let (mut modelled, mut live) = (Vec::new(), Vec::new());
    let runs = if network.down.loss.mean() > 0.0 {
        arguments.loss_runs
    } else {
        arguments.runs
    };
    for seed in arguments.seed..arguments.seed + runs {
        let outcome = simulate(seed)?;
        if let Some(failure) = outcome.failure {
            bail!("the simulated transfer failed: {failure}");
        }
        let observed = believable(testbed, &network, seed, &bulk)?;
        if arguments.verbose {
            eprintln!(
                "  seed {seed}: modelled {:.3} s (connect {:.1} ms, {} packets, {} lost), live {:.3} s (connect {:.1} ms, {:?}), lateness {}",
                outcome.finished_at.since_start().as_secs_f64(),
                outcome.connect.as_millis_f64(),
                outcome.packets_sent,
                outcome.packets_lost,
                observed.finished.as_secs_f64(),
                observed.connect.as_millis_f64(),
                observed.tally,
                observed.link.lateness,
            );
        }
        if let Some(path) = &arguments.log {
            std::fs::write(path, csv(&observed))?;
        }
        modelled.push((
            outcome.finished_at.since_start().as_secs_f64(),
            outcome.packets_sent,
            outcome.packets_lost,
        ));
        let tally = observed.tally;
        live.push((
            observed.finished.as_secs_f64(),
            tally.packets,
            tally.lost + tally.dropped,
        ));
    }
    let times: Vec<f64> = live.iter().map(|run| run.0).collect();
    let observed = median(times.clone());
    let (least, most) = times
        .iter()
        .fold((f64::MAX, 0.0_f64), |(a, b), &t| (a.min(t), b.max(t)));
    let middle = |runs: &[(f64, u64, u64)], of: fn(&(f64, u64, u64)) -> f64| {
        median(runs.iter().map(of).collect())
    };
    let both =
        |of: fn(&(f64, u64, u64)) -> f64| (middle(&modelled, of) as u64, middle(&live, of) as u64);
    Ok(Row {
        pair: 0,
        network: description.to_owned(),
        bytes,
        predicted: middle(&modelled, |run| run.0),
        observed,
        spread: (most - least) / observed,
        packets: both(|run| run.1 as f64),
        gone: both(|run| run.2 as f64),
    })
}

/// Repeats a run until the link was on time.
fn believable(
    testbed: &Testbed,
    network: &Network,
    seed: u64,
    bulk: &Bulk,
) -> Result<BulkObserved> {
    let mut objection = String::new();
    for _ in 0..TRIES {
        let observed =
            transfer(testbed, network, seed, bulk).context("the live transfer failed")?;
        match observed.link.objection() {
            None => return Ok(observed),
            Some(reason) => objection = reason,
        }
    }
    bail!("no run of {TRIES} can be believed: {objection}")
}

/// Formats the packets as CSV. Times are in milliseconds; `gone` is empty for packets
/// that arrived.
fn csv(observed: &BulkObserved) -> String {
    let mut text = String::from("at,direction,size,seq,payload,gone\n");
    for packet in &observed.link.packets {
        let (seq, payload) = packet.tcp.map_or((0, 0), |tcp| (tcp.seq, tcp.payload));
        let gone = match packet.fate {
            Fate::Delivered { .. } => "",
            Fate::Lost => "lost",
            Fate::Dropped { .. } => "dropped",
            Fate::InFlight => "in flight",
        };
        let at = packet.at.since_start().as_millis_f64();
        let _ = writeln!(
            text,
            "{at:.3},{:?},{},{seq},{payload},{gone}",
            packet.direction, packet.size
        );
    }
    text
}

fn line(row: &Row, pair: &Pair) -> String {
    format!(
        "| {} | {} | {} | {:.3} | {:.3} | {:+.1} % | {:.1} % | {}, {} | {}, {} |",
        pair.name,
        row.network,
        row.bytes / 1_000_000,
        row.predicted,
        row.observed,
        100.0 * row.error(),
        100.0 * row.spread,
        row.packets.0,
        row.packets.1,
        row.gone.0,
        row.gone.1,
    )
}

fn summary(name: &str, mut errors: Vec<f64>) -> String {
    errors.sort_by(f64::total_cmp);
    let Some(worst) = errors.last() else {
        return format!("| {name} | 0 | – | – | – | – |");
    };
    let quantile = |q: f64| errors[((errors.len() - 1) as f64 * q).round() as usize];
    let good = errors.iter().filter(|error| **error <= 0.05).count();
    format!(
        "| {name} | {} | {good} | {:.1} % | {:.1} % | {:.1} % |",
        errors.len(),
        100.0 * quantile(0.5),
        100.0 * quantile(0.9),
        100.0 * worst,
    )
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len();
    f64::midpoint(values[(n - 1) / 2], values[n / 2])
}
