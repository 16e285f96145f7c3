//! `pagerace bulk`: compares one large transfer over protocols and controllers.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, value_parser};
use pagerace_core::{Duration, Protocol, Words};
use pagerace_lab::VERSION;
use pagerace_lab::bulk::{
    BulkContender, BulkPlan, BulkResults, bulk_report, bulk_sentence, run_bulk, write_bulk_csv,
    write_bulk_json,
};
use pagerace_lab::unit::Unit;
use pagerace_sim::LoadSettings;
use pagerace_transport::tls;

use super::failed::AllFailed;
use super::files::{check_files, reasons, rerun, write, write_text};
use super::inputs::{controllers, list, networks};
use super::simulate::transfer;
use crate::cli::WorkArgs;
use crate::cli::groups::{ControllerArgs, LoadArgs, ProtocolArgs, ReportArgs, default};
use crate::cli::model::{PacketArgs, duration, word};
use crate::progress::end_soon_on_interrupt;
use crate::table::{self, bulk::Columns};
use crate::text::{counted, headed, say, stress};

/// The network if none is named.
const DEFAULT_NETWORK: &str = "cable";

const PROTOCOLS: &str = "Versions of HTTP, separated by commas: h1, h2, h3. [default: h2,h3]";
const RUNS: &str = "Number of transfers of each variant and network";

/// Arguments of `pagerace bulk`.
#[derive(Args, Debug)]
#[command(
    next_help_heading = "Comparison",
    mut_arg("protocol", |arg| arg.help(PROTOCOLS)),
    mut_arg("network", default(DEFAULT_NETWORK)),
    mut_arg("json", |arg| arg.help("Write all values and series as JSON")),
    mut_arg("runs", |arg| arg.help(RUNS).default_value("5")
        .value_parser(value_parser!(u32).range(1..=10_000)))
)]
pub(crate) struct BulkArgs {
    /// Size of the file, such as 50MB, 500kB or 10MiB.
    #[arg(long, value_name = "SIZE", default_value = "50MB", value_parser = size)]
    size: u64,

    #[command(flatten)]
    protocols: ProtocolArgs,

    #[command(flatten)]
    controllers: ControllerArgs,

    #[command(flatten)]
    loads: LoadArgs,

    #[command(flatten)]
    packets: PacketArgs,

    /// Version of TLS under HTTP/1.1 and HTTP/2.
    #[arg(long, value_parser = word::<tls::Version>(),
        default_value = LoadSettings::default().tcp_tls.word())]
    tls_version: tls::Version,

    /// Virtual time after which a transfer is aborted.
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = duration)]
    deadline: Duration,

    #[command(flatten, next_help_heading = "Output")]
    outputs: ReportArgs,

    /// Write one line per transfer as CSV.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    csv: Option<PathBuf>,

    #[command(flatten, next_help_heading = "Output")]
    work: WorkArgs,
}

pub(crate) fn run(args: &BulkArgs) -> Result<()> {
    let plan = plan(args)?;
    plan.check()?;
    let files = args.outputs.files().chain(&args.csv);
    check_files(&files.collect::<Vec<_>>(), &[])?;
    end_soon_on_interrupt();
    let watch = args.work.watch("transfers");
    watch.start("sending", plan.transfers());
    let tell = |progress| watch.tell(progress);
    let results = run_bulk(&plan, args.work.jobs(), &transfer, &tell)?;
    watch.clear();
    print(&results, args.loads.network.is_empty())?;
    if let Some(path) = &args.outputs.json {
        write(path, |out| write_bulk_json(&results, out))?;
    }
    if let Some(path) = &args.csv {
        write(path, |out| write_bulk_csv(&results, out))?;
    }
    if let Some(path) = &args.outputs.report {
        let html = pagerace_report::render_bulk(&bulk_report(&results, &rerun()));
        write_text(path, &html)?;
    }
    if results.failed() == plan.transfers() {
        let why = results.reasons();
        return Err(AllFailed::new(plan.transfers(), "transfers", &why).into());
    }
    Ok(())
}

fn plan(args: &BulkArgs) -> Result<BulkPlan> {
    let protocols = list(
        "protocol",
        &args.protocols.protocol,
        &[Protocol::H2, Protocol::H3],
    )?;
    let controllers = controllers(&args.controllers.cc)?;
    let contenders = protocols.iter().flat_map(|protocol| {
        controllers.iter().map(|congestion| BulkContender {
            protocol: *protocol,
            congestion: congestion.clone(),
        })
    });
    Ok(BulkPlan {
        bytes: args.size,
        networks: networks(&args.loads.network, &[DEFAULT_NETWORK])?,
        contenders: contenders.collect(),
        runs: args.loads.runs(),
        seed: args.loads.random.seed,
        settings: LoadSettings {
            tcp_tls: args.tls_version,
            deadline: args.deadline,
            ..args.packets.settings()
        },
    })
}

fn print(results: &BulkResults, default_network: bool) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    let plan = &results.plan;
    let size = Unit::Bytes.format(plan.bytes as f64);
    let text = format!(
        "{size} in one response, seed {}, {} each, medians",
        plan.seed,
        counted(plan.runs.into(), "run")
    );
    headed(&mut out, &format!("Pagerace {VERSION}"), &text)?;
    say(&mut out, &format!("Modelled: {}", shared(plan)))?;
    let mut columns = Columns::All;
    for (network, link) in plan.networks.iter().enumerate() {
        writeln!(out)?;
        headed(&mut out, &link.name, &link.describe())?;
        let (table, shown) = table::bulk::transfers(results, network);
        table::print(&mut out, &table)?;
        columns = columns.min(shown);
        writeln!(out)?;
        stress(&mut out, &bulk_sentence(results, network))?;
    }
    writeln!(out)?;
    say(
        &mut out,
        "Overhead: bytes on the wire in both directions beyond the file's, relative to the file's.",
    )?;
    if columns >= Columns::Shape {
        say(
            &mut out,
            "Throughput over time: of the median run, from its own start to its own end; the \
             highest bar is its own highest rate.",
        )?;
    }
    if columns < Columns::All {
        writeln!(out, "(A wider terminal shows more columns.)")?;
    }
    if default_network {
        writeln!(
            out,
            "Defaults were used for --network (pagerace list networks)."
        )?;
    }
    let failed = results.failed();
    if failed > 0 {
        let (all, why) = (plan.transfers(), reasons(&results.reasons()));
        say(
            &mut out,
            &format!("{failed} of {all} transfers failed: {why}"),
        )?;
    }
    Ok(())
}

/// Returns the facts that the names of the contenders omit.
fn shared(plan: &BulkPlan) -> String {
    let mut facts = Vec::new();
    let first = &plan.contenders[0];
    let all = |same: &dyn Fn(&BulkContender) -> bool| plan.contenders.iter().all(same);
    if all(&|c| c.protocol == first.protocol) {
        facts.push(first.protocol.to_string());
    }
    if all(&|c| c.congestion == first.congestion) {
        facts.push(first.congestion.clone());
    }
    let tcp = plan.contenders.iter().any(|c| c.protocol.is_tcp());
    if tcp {
        facts.push(format!("TLS {} over TCP", plan.settings.tcp_tls.word()));
    }
    let quic = plan.contenders.iter().any(|c| !c.protocol.is_tcp());
    if quic && (tcp || !plan.settings.has_default_packets()) {
        facts.push(plan.settings.packets());
    }
    facts.push("one connection".to_owned());
    facts.join(", ")
}

/// Parses a number of bytes with its unit.
pub(super) fn size(text: &str) -> Result<u64, String> {
    const NOTHING: &str = "not more than zero; write it as 50MB, 500kB or 10MiB";
    const UNITS: [(&str, f64); 7] = [
        ("kB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
        ("B", 1.0),
    ];
    let parse = |(unit, bytes): &(&str, f64)| {
        let number: f64 = text.strip_suffix(unit)?.trim_end().parse().ok()?;
        Some(number * bytes)
    };
    match UNITS.iter().find_map(parse) {
        Some(bytes) if (1.0..=1e11).contains(&bytes) => return Ok(bytes.round() as u64),
        Some(0.0) => return Err(NOTHING.to_owned()),
        Some(_) => return Err("not between 1B and 100GB".to_owned()),
        None => {}
    }
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let (number, unit) = (digits.trim_end(), text[digits.len()..].to_ascii_lowercase());
    let means = |(name, _): &&(&str, f64)| {
        let name = name.to_ascii_lowercase();
        !unit.is_empty() && (name == unit || name.strip_suffix('b') == Some(&unit))
    };
    Err(match (number.parse::<f64>(), UNITS.iter().find(means)) {
        (Ok(0.0), _) => NOTHING.to_owned(),
        (Ok(_), Some((name, _))) => format!("not a size; did you mean {number}{name}?"),
        (Ok(_), None) if unit.is_empty() => {
            format!("a size needs a unit; did you mean {number}MB?")
        }
        _ => "not a size; write it as 50MB, 500kB or 10MiB".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_need_a_unit() {
        assert_eq!(size("50MB"), Ok(50_000_000));
        assert_eq!(size("1.5 kB"), Ok(1_500));
        assert_eq!(size("10MiB"), Ok(10_485_760));
        assert_eq!(size("7B"), Ok(7));
        for wrong in [
            "50", "", "MB", "-1MB", "0B", "NaNMB", "infGB", "1TB", "200GB",
        ] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
        let said = |text: &str| size(text).unwrap_err();
        assert!(said("5mb").ends_with("did you mean 5MB?"));
        assert!(said("1.5 KB").ends_with("did you mean 1.5kB?"));
        assert!(said("10mib").ends_with("did you mean 10MiB?"));
        assert!(said("5G").ends_with("did you mean 5GB?"));
        assert!(said("50").ends_with("did you mean 50MB?"));
        assert!(said("MB").starts_with("not a size; write"));
        assert!(said("10mbit").starts_with("not a size; write"));
        for nothing in ["0", "0MB", "0.0 kb", "0 parsecs"] {
            assert!(said(nothing).starts_with("not more than zero"), "{nothing}");
        }
    }
}
