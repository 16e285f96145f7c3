//! `pagerace bulk`: compares one large transfer over protocols and controllers.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Result;
use clap::{Parser, value_parser};
use pagerace_core::{Duration, Protocol, Words};
use pagerace_lab::VERSION;
use pagerace_lab::bulk::{
    BulkContender, BulkPlan, BulkResults, bulk_report, bulk_sentence, run_bulk, write_bulk_csv,
    write_bulk_json,
};
use pagerace_lab::unit::Unit;
use pagerace_sim::LoadSettings;
use pagerace_transport::tls;

use crate::cli::files::{check_files, rerun, write, write_text};
use crate::cli::groups::{ControllerArgs, LoadArgs, ProtocolArgs, ReportArgs, WorkArgs, default};
use crate::cli::inputs::{controllers, list, networks};
use crate::cli::model::{PacketArgs, word};
use crate::cli::simulate::transfer;
use crate::cli::values::{duration, size};
use crate::failed::{Failed, reasons};
use crate::progress::end_soon_on_interrupt;
use crate::table::{self, bulk::Columns};
use crate::text::{counted, headed, say, stress};

/// The network if none is named.
const DEFAULT_NETWORK: &str = "cable";

const PROTOCOLS: &str = "Versions of HTTP, separated by commas: h1, h2, h3. [default: h2,h3]";
const RUNS: &str = "Number of transfers of each variant and network";

const EXAMPLES: &str = "\
Examples:
  pagerace bulk --size 50MB --protocol h2,h3 --network \"rate 40mbit rtt 100ms loss 5%\"
      HTTP/2 and HTTP/3 on a lossy path, as in Srivastava 2024

  pagerace bulk --size 10MB --protocol h3 --cc cubic,bbr,vegas --network cable,lossy-wifi \\
      --report bulk.html --json bulk.json
      the fastest controller, with throughput and windows over time";

/// Compare protocols and congestion controllers by one large transfer.
#[derive(Debug, Parser)]
#[command(
    name = "bulk",
    after_long_help = EXAMPLES,
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
        return Err(Failed::all(plan.transfers(), "transfers", &why).into());
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
