//! `pagerace list`: lists the values that options accept, with sources.

use std::io::{self, Write};

use anyhow::Result;
use clap::{Args as _, Parser, ValueEnum};
use pagerace_core::Protocol;
use pagerace_lab::metric::metrics;

use crate::cli::model::ModelArgs;

const EXAMPLES: &str = "\
Examples:
  pagerace list networks
      names for --network, with rates, round trips and sources

  pagerace list strategies
      names and parameters for --strategy";

/// List strategies, networks, controllers and other names.
#[derive(Debug, Parser)]
#[command(name = "list", after_long_help = EXAMPLES)]
pub(crate) struct ListArgs {
    /// Names to list.
    #[arg(value_enum)]
    what: What,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum What {
    /// Ways to order the bytes of responses.
    Strategies,
    /// Reliability policies: which responses may be late, partial or missing.
    Policies,
    /// Changes of a page.
    Changes,
    /// Networks with a name, and their meanings.
    Networks,
    /// Mixes of users for `pagerace advise --users` and `pagerace recommend --mix`.
    Mixes,
    /// Metrics.
    Metrics,
    /// Browser models.
    Browsers,
    /// Congestion controllers.
    Controllers,
    /// Versions of HTTP.
    Protocols,
    /// Settings of the model, and the meanings of their values.
    Settings,
}

pub(crate) fn run(args: &ListArgs) -> Result<()> {
    let mut out = anstream::stdout().lock();
    match args.what {
        What::Strategies => strategies(&mut out)?,
        What::Policies => policies(&mut out)?,
        What::Changes => changes(&mut out)?,
        What::Networks => networks(&mut out)?,
        What::Mixes => mixes(&mut out)?,
        What::Metrics => metric_list(&mut out)?,
        What::Browsers => browsers(&mut out)?,
        What::Controllers => controllers(&mut out)?,
        What::Protocols => protocols(&mut out)?,
        What::Settings => settings(&mut out)?,
    }
    Ok(())
}

/// Writes a bold name and indented lines below it.
fn entry(out: &mut impl Write, name: &str, lines: &[String]) -> io::Result<()> {
    let bold = anstyle::Style::new().bold();
    writeln!(out, "{bold}{name}{bold:#}")?;
    lines
        .iter()
        .try_for_each(|line| writeln!(out, "    {line}"))
}

fn sourced(out: &mut impl Write, name: &str, summary: &str, source: &str) -> io::Result<()> {
    entry(
        out,
        name,
        &[summary.to_owned(), format!("Source: {source}")],
    )
}

fn strategies(out: &mut impl Write) -> io::Result<()> {
    for info in pagerace_delivery::registry() {
        let mut lines = vec![info.summary.to_owned()];
        lines.extend(info.parameters.iter().map(|parameter| {
            format!(
                "{}={} by default, {}: {}",
                parameter.name, parameter.default, parameter.range, parameter.meaning
            )
        }));
        lines.push(format!("Source: {}", info.source));
        entry(out, info.name, &lines)?;
    }
    writeln!(
        out,
        "\nWrite parameters after colons: weighted-incremental:alpha=0.75"
    )
}

fn policies(out: &mut impl Write) -> io::Result<()> {
    for info in pagerace_delivery::reliability::policies() {
        let lines = [
            info.summary.to_owned(),
            format!("Write: {}", info.usage),
            format!("Source: {}", info.source),
        ];
        entry(out, info.name, &lines)?;
    }
    writeln!(
        out,
        "\nSelections are as in `pagerace race --block`: fonts, ads, third-party-js, \
         cdn.example,\n\"*/app.js*\"; non-essential (the default) and all"
    )
}

fn changes(out: &mut impl Write) -> io::Result<()> {
    for kind in pagerace_page::change::KINDS {
        let lines = [
            kind.summary().to_owned(),
            format!("Write: {}", kind.example()),
        ];
        entry(out, kind.name(), &lines)?;
    }
    writeln!(
        out,
        "\nSelections are as in `pagerace race --block`: images, third-party-js, cdn.example,\n\
         \"*/app.js*\"; several changes of one variant are separated by `;`"
    )
}

fn networks(out: &mut impl Write) -> io::Result<()> {
    for network in pagerace_net::named()
        .iter()
        .chain(&*pagerace_papers::NETWORKS)
    {
        let lines = [
            network.summary.to_owned(),
            network.spec.to_owned(),
            format!("Source: {}", network.source),
        ];
        entry(out, network.name, &lines)?;
    }
    writeln!(
        out,
        "\nWrite your own: \"rate 2mbit rtt 100ms loss 2% queue 1bdp\","
    )?;
    writeln!(out, "or change one of these: \"fast-4g loss 1%\"")
}

fn mixes(out: &mut impl Write) -> io::Result<()> {
    for mix in pagerace_lab::users::mixes::MIXES {
        sourced(out, mix.name, mix.summary, mix.source)?;
    }
    writeln!(
        out,
        "\nThe rates of these users are those of the network with the nearest round trip"
    )
}

fn metric_list(out: &mut impl Write) -> io::Result<()> {
    for metric in metrics() {
        let unit = match metric.unit.symbol() {
            "" => String::new(),
            unit => format!(", in {unit}"),
        };
        let lines = [
            metric.definition.to_owned(),
            format!("{}{unit}; lower is better", metric.title),
        ];
        entry(out, metric.name, &lines)?;
    }
    Ok(())
}

fn browsers(out: &mut impl Write) -> io::Result<()> {
    for profile in pagerace_browser::Profile::all() {
        sourced(out, profile.name, profile.summary, profile.source)?;
    }
    Ok(())
}

fn controllers(out: &mut impl Write) -> io::Result<()> {
    for info in pagerace_cc::registry() {
        sourced(out, info.name, info.summary, info.source)?;
    }
    Ok(())
}

fn protocols(out: &mut impl Write) -> io::Result<()> {
    for protocol in Protocol::ALL {
        let (summary, source) = match protocol {
            Protocol::H1 => (
                "HTTP/1.1 over TLS and TCP: one response at a time on each of up to six \
                 connections per host",
                "RFC 9112, https://www.rfc-editor.org/rfc/rfc9112",
            ),
            Protocol::H2 => (
                "HTTP/2 over TLS and TCP: many responses on one connection, in one order of bytes",
                "RFC 9113, https://www.rfc-editor.org/rfc/rfc9113",
            ),
            Protocol::H3 => (
                "HTTP/3 over QUIC: many responses on one connection, each in its own order",
                "RFC 9114, https://www.rfc-editor.org/rfc/rfc9114",
            ),
        };
        sourced(out, protocol.name(), summary, source)?;
    }
    writeln!(
        out,
        "\nOne for each origin: \"static.example=h3 *.cdn.example=h1 *=h2\"; the first rule that \
         matches counts; `first-party` and `third-party` are patterns, too"
    )
}

fn settings(out: &mut impl Write) -> io::Result<()> {
    let command = ModelArgs::augment_args(clap::Command::new("settings"));
    for arg in command.get_arguments() {
        let values = arg.get_possible_values();
        let (Some(name), false) = (arg.get_long(), values.is_empty()) else {
            continue;
        };
        let help = arg.get_help().map(ToString::to_string);
        let values = values.iter().map(|value| {
            let help = value.get_help().map(|text| format!(": {text}"));
            format!("{}{}", value.get_name(), help.unwrap_or_default())
        });
        let lines: Vec<String> = help.into_iter().chain(values).collect();
        entry(out, &format!("--{name}"), &lines)?;
    }
    Ok(())
}
