//! `pagerace explain FILE`: why one way to deliver a page is no sooner.

use std::io::{self, Write};

use anyhow::{Result, bail};
use comfy_table::Cell;
use pagerace_core::Protocol;
use pagerace_lab::facts::facts;
use pagerace_lab::late::{Late, explain_late};
use pagerace_lab::metric::Wording;
use pagerace_lab::unit::{percent, signed_percent};
use pagerace_lab::why::title;
use pagerace_lab::{Plan, Results, VERSION, run_race, worlds};
use pagerace_page::Page;
use pagerace_report::input::Provenance;
use pagerace_sim::{Part, ProtocolMap};

use super::{ExplainArgs, path};
use crate::cli::files::write;
use crate::cli::simulate::{explain, load};
use crate::table;
use crate::text::{headed, say, stress};

/// Explains the only contender of the plan.
pub(super) fn run(plan: &Plan, args: &ExplainArgs) -> Result<()> {
    let watch = args.work.watch("loads");
    let (jobs, tell) = (args.work.jobs(), |progress| watch.tell(progress));
    watch.start("loading", plan.loads());
    let results: Results = run_race(plan, jobs, &load, &tell)?;
    watch.start("explaining", 5);
    let late = explain_late(
        &results,
        args.run.map(|number| number as usize - 1),
        jobs,
        &load,
        &explain,
        &tell,
    )?;
    watch.clear();
    let Some(late) = late else {
        let reasons = results.reasons().join("; ");
        let title = plan.metric.metric().title;
        bail!("nothing to explain: most loads have no value for {title} ({reasons})");
    };
    print(plan, &late, args)?;
    if let Some(path) = &args.json {
        write(path, |out| {
            pagerace_lab::late::write_late_json(plan, &late, out)
        })?;
    }
    Ok(())
}

/// Returns the protocol with which a page is explained if none is named: the recorded one of its
/// document.
pub(in super::super) fn recorded_protocol(page: &Page) -> ProtocolMap {
    let document = page.resource(page.document);
    let origin = &page.origins[document.origin.0 as usize];
    let protocol = match origin.protocol.as_deref() {
        Some("h3") => Protocol::H3,
        Some("http/1.1") => Protocol::H1,
        _ => Protocol::H2,
    };
    ProtocolMap::uniform(protocol)
}

fn print(plan: &Plan, late: &Late, args: &ExplainArgs) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    let (page, network) = (&plan.pages[0], &plan.networks[0]);
    let metric = plan.metric.metric();
    let value = |ms: f64| metric.unit.format(ms);
    let contender = &plan.contenders[0];
    let range = format!(
        "90 % of loads: {} to {}",
        value(late.range.0),
        value(late.range.1)
    );
    let answer = match metric.wording {
        Wording::Moment(does) => format!(
            "On {}, {} {does} after {} over {} ({range}).",
            network.name,
            page.name,
            value(late.median),
            plan.spoken(0)
        ),
        Wording::Amount(what) => format!(
            "On {}, {what} of {} is {} over {} ({range}).",
            network.name,
            page.name,
            value(late.median),
            plan.spoken(0)
        ),
    };
    stress(&mut out, &answer)?;
    say(&mut out, &format!("Why: {}.", mostly(plan, late)))?;
    say(&mut out, &format!("What could go: {}.", could_go(late)))?;

    writeln!(out)?;
    let total = late.split.total.as_millis_f64();
    let mut parts = table::table(&["in a typical load", "time", "share"], 1);
    for part in ranked(late) {
        let ms = late.split.parts.get(part).as_millis_f64();
        parts.add_row([
            Cell::new(title(part, network)),
            Cell::new(value(ms)),
            Cell::new(percent(ms / total)),
        ]);
    }
    parts.add_row([
        Cell::new(metric.title),
        Cell::new(value(total)),
        Cell::new(percent(1.0)),
    ]);
    table::print(&mut out, &parts)?;
    writeln!(out)?;
    let mut without = table::table(&["the same load without", metric.name, "change"], 1);
    for (cause, left) in &late.without {
        let left = left.map(pagerace_core::Duration::as_millis_f64);
        without.add_row([
            Cell::new(cause.name()),
            Cell::new(left.map_or("–".to_owned(), value)),
            Cell::new(left.map_or("–".to_owned(), |ms| signed_percent(ms / total - 1.0))),
        ]);
    }
    table::print(&mut out, &without)?;
    path(
        &mut out,
        &contender.protocols.to_string(),
        page,
        &late.split,
    )?;
    writeln!(out)?;
    let text = format!(
        "{} of {}, seed {}, run {} of {}",
        metric.title,
        page.name,
        plan.seed,
        late.run + 1,
        plan.runs
    );
    headed(&mut out, &format!("Pagerace {VERSION}"), &text)?;
    if let Some(world) = worlds::in_words(&late.world) {
        say(&mut out, &format!("World of this run: {world}."))?;
    }
    let heading = Provenance::Simulated.heading();
    say(
        &mut out,
        &format!("{heading}: {}, {contender}", facts(plan)),
    )?;
    headed(&mut out, &network.name, &network.describe())?;
    say(
        &mut out,
        &format!("{}: {}", page.name, page.paints_in_words()),
    )?;
    if args.loads.network.is_empty() {
        writeln!(
            out,
            "Defaults were used for --network (pagerace list networks)."
        )?;
    }
    Ok(())
}

/// Returns the parts that take time, the longest first.
fn ranked(late: &Late) -> Vec<Part> {
    let mut parts: Vec<Part> = Part::ALL.to_vec();
    parts.retain(|part| !late.split.parts.get(*part).is_zero());
    parts.sort_by_key(|part| std::cmp::Reverse(late.split.parts.get(*part)));
    parts
}

/// Names the parts that take most of the time: "browser work (812 ms, 35 %), ...".
fn mostly(plan: &Plan, late: &Late) -> String {
    const NAMED: usize = 3;
    let total = late.split.total.as_millis_f64();
    let told = ranked(late).into_iter().take(NAMED).map(|part| {
        let ms = late.split.parts.get(part).as_millis_f64();
        let unit = plan.metric.metric().unit;
        let name = title(part, &plan.networks[0]);
        format!("{name} ({}, {})", unit.format(ms), percent(ms / total))
    });
    told.collect::<Vec<_>>().join(", ")
}

/// Names the causes without which the load would be sooner, the most helpful first.
fn could_go(late: &Late) -> String {
    let total = late.split.total.as_millis_f64();
    let mut gains: Vec<(f64, &str)> = late
        .without
        .iter()
        .filter_map(|(cause, left)| {
            Some((1.0 - left.as_ref()?.as_millis_f64() / total, cause.name()))
        })
        .filter(|(gain, _)| *gain >= 0.01)
        .collect();
    gains.sort_by(|a, b| b.0.total_cmp(&a.0));
    if gains.is_empty() {
        return "nothing alone would make it 1 % sooner".to_owned();
    }
    let told = gains
        .iter()
        .map(|(gain, name)| format!("{} without {name}", percent(*gain)));
    told.collect::<Vec<_>>().join(", ")
}
