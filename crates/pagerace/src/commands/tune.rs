//! `pagerace tune`: the best priorities for the responses of a page.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Parser;
use comfy_table::Cell;
use pagerace_core::Protocol;
use pagerace_lab::advice::News;
use pagerace_lab::facts::facts;
use pagerace_lab::tune::{Tuning, tune};
use pagerace_lab::unit::percent;
use pagerace_lab::why::explainable;
use pagerace_lab::{Contender, MetricId, Plan, VERSION};
use pagerace_report::input::Provenance;
use pagerace_sim::ProtocolMap;
use serde_json::{Value, json};

use super::advise::servers::{Server, fields};
use super::race::{answer, measured_pages, recorded};
use crate::cli::files::{check_files, write_text};
use crate::cli::groups::{LayoutArgs, MODEL, OUTPUT, PageChoice, RECORDING, SeedArgs, WorkArgs};
use crate::cli::inputs::networks;
use crate::cli::model::ModelArgs;
use crate::cli::origin_rtt;
use crate::cli::plan::settings;
use crate::cli::simulate::{explain, load};
use crate::progress::end_soon_on_interrupt;
use crate::table;
use crate::text::{headed, say, stress};

const EXAMPLES: &str = "\
A server orders the bytes of responses by the priorities that the browser signals. A response may
set another one in its Priority field (RFC 9218, section 8), which servers with the strategy eps obey.

Examples:
  pagerace tune examples/pages/gallery.har --network fast-4g
      the best priorities over HTTP/3, beside all strategies and what nobody can beat

  pagerace tune examples/pages/gallery.har --network slow-4g,cable --server h2o
      priorities for two networks, and the lines for the configuration of h2o";

/// Find the best priorities for the responses of a page.
#[derive(Debug, Parser)]
#[command(name = "tune", after_long_help = EXAMPLES, next_help_heading = "Search")]
pub(crate) struct TuneArgs {
    /// Recording of the page (.har or .har.gz), or its URL, which is recorded first.
    #[arg(value_name = "HAR", help_heading = None)]
    har: PathBuf,

    /// Networks, by name (`pagerace list networks`) or as "rate 2mbit rtt 100ms".
    /// [default: fast-4g]
    #[arg(short, long, alias = "networks", value_name = "LIST")]
    network: Vec<String>,

    /// Metric that should improve: ttfb, fcp, lcp, speed-index or onload.
    #[arg(short, long, alias = "goal", value_name = "NAME", default_value_t)]
    metric: MetricId,

    /// Version of HTTP: h2, h3, or rules for each origin such as "static.example=h3 *=h2".
    #[arg(short = 'P', long, value_name = "PROTOCOL", default_value_t)]
    protocol: ProtocolMap,

    #[command(flatten)]
    random: SeedArgs,

    /// Print the lines for the configuration of this server, too.
    #[arg(long, value_name = "NAME", help_heading = OUTPUT)]
    server: Option<Server>,

    /// Write the priorities and what they are worth as JSON.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    json: Option<PathBuf>,

    #[command(flatten, next_help_heading = OUTPUT)]
    work: WorkArgs,

    #[command(flatten, next_help_heading = RECORDING)]
    choice: PageChoice,

    #[command(flatten, next_help_heading = RECORDING)]
    layout: LayoutArgs,

    #[command(flatten, next_help_heading = MODEL)]
    model: ModelArgs,
}

pub(crate) fn run(args: &TuneArgs) -> Result<()> {
    let files: Vec<&Path> = args.json.iter().map(PathBuf::as_path).collect();
    check_files(&files, std::slice::from_ref(&args.har))?;
    explainable(args.metric)?;
    if args.protocol.is_uniform() == Some(Protocol::H1) {
        bail!("--protocol: HTTP/1.1 sends one response at a time, so there is nothing to order");
    }
    let networks = networks(&args.network, &["fast-4g"])?;
    let settings = settings(&args.model)?;
    let file = recorded(&args.har, &args.work.progress)?;
    let page = args.choice.page.as_ref();
    let mut pages = measured_pages(std::slice::from_ref(&file), page, &args.layout, &args.work)?;
    origin_rtt::apply(&args.model.distance.origin_rtt, &mut pages)?;
    let contender = Contender {
        protocols: args.protocol.clone(),
        ..Contender::default()
    };
    let plan = Plan {
        pages,
        networks,
        contenders: vec![contender],
        seed: args.random.seed,
        metric: args.metric,
        ..settings
    };
    plan.check()?;
    end_soon_on_interrupt();
    let mut out = anstream::stdout().lock();
    answer::doubts(&mut out, &plan)?;
    let watch = args.work.watch("loads");
    let news = |news: News<'_>| {
        if let News::Part(name, loads) = news {
            watch.start(name, loads);
        }
    };
    let progress = |progress| watch.tell(progress);
    let tuning = tune(&plan, args.work.jobs(), &load, &explain, &progress, &news)?;
    watch.clear();
    print(&mut out, &plan, &tuning, args.server)?;
    drop(out);
    if let Some(path) = &args.json {
        write_text(path, &format!("{:#}\n", as_json(&plan, &tuning)))?;
    }
    Ok(())
}

/// Returns the name of a judged contender.
fn name(tuning: &Tuning, contender: usize) -> String {
    let one = &tuning.results.plan.contenders[contender];
    match (contender, one.changes.is_empty()) {
        (_, false) if tuning.changes.is_empty() => "the best priorities found".to_owned(),
        (_, false) => "these priorities".to_owned(),
        (0, true) => "eps, as the browser signals".to_owned(),
        _ => one.strategy.label(),
    }
}

fn print(
    out: &mut impl Write,
    plan: &Plan,
    tuning: &Tuning,
    server: Option<Server>,
) -> io::Result<()> {
    let page = &plan.pages[0];
    let unit = plan.metric.metric().unit;
    if tuning.changes.is_empty() {
        let text = "Expect nothing: no priorities gain over the browser's signals in nine of ten \
                    worlds.";
        stress(out, text)?;
    } else {
        for (index, network) in plan.networks.iter().enumerate() {
            let Some(effect) = tuning.effects.networks[index] else {
                continue;
            };
            let scale = unit.scale(effect.difference.abs());
            let left = tuning.left(index).map_or(String::new(), |left| {
                format!("; {} of what any order could gain is left", percent(left))
            });
            let text = format!(
                "On {}, these priorities change {} by {} ({}), from {} to {}{left}.",
                network.name,
                plan.metric.metric().title,
                scale.format_signed(effect.difference),
                scale.format_range(effect.range.0, effect.range.1),
                unit.format(effect.before),
                unit.format(effect.after),
            );
            stress(out, &text)?;
        }
    }
    for change in tuning.changes.all() {
        writeln!(out, "  {change}")?;
    }
    if !tuning.changes.is_empty() && !tuning.costs.is_empty() {
        let costs = tuning.costs.iter().map(|(metric, network, effect)| {
            let metric = metric.metric();
            let later = metric.unit.format(effect.difference);
            format!(
                "{} by {later} on {}",
                metric.title, plan.networks[*network].name
            )
        });
        let costs = costs.collect::<Vec<_>>().join(", ");
        say(out, &format!("But later: {costs}."))?;
    }
    if let Some(server) = server.filter(|_| !tuning.changes.is_empty()) {
        let text = fields(page, &tuning.changes).lines(server);
        writeln!(out, "\nFor {}:", server.title())?;
        text.lines()
            .try_for_each(|line| writeln!(out, "  {line}"))?;
    }
    writeln!(out)?;
    let mut header = vec!["order".to_owned()];
    header.extend(plan.networks.iter().map(|network| network.name.clone()));
    let mut table = table::table(&header, 1);
    let mut rows: Vec<usize> = (0..tuning.results.plan.contenders.len()).collect();
    let product = |contender: usize| -> f64 {
        let all = (0..plan.networks.len()).map(|network| tuning.time(network, contender));
        all.map(|one| one.unwrap_or(f64::INFINITY)).product()
    };
    rows.sort_by(|a, b| product(*a).total_cmp(&product(*b)).then(a.cmp(b)));
    let cell = |value: Option<f64>| value.map_or("–".to_owned(), |ms| unit.format(ms));
    let mut row = vec![Cell::new("nobody is sooner than")];
    row.extend(tuning.bounds.iter().map(|bound| Cell::new(cell(*bound))));
    table.add_row(row);
    for contender in rows {
        let mut row = vec![Cell::new(name(tuning, contender))];
        let all = (0..plan.networks.len()).map(|network| tuning.time(network, contender));
        row.extend(all.map(|one| Cell::new(cell(one))));
        table.add_row(row);
    }
    table::print(out, &table)?;
    writeln!(out)?;
    let text = format!(
        "{} of {}, seed {}, medians over {} worlds other than those of the search, which tried {} \
         assignments",
        plan.metric.metric().title,
        page.name,
        plan.seed,
        tuning.results.plan.runs,
        tuning.tried
    );
    headed(out, &format!("Pagerace {VERSION}"), &text)?;
    let heading = Provenance::Simulated.heading();
    say(out, &format!("{heading}: {}", facts(plan)))?;
    for network in &plan.networks {
        headed(out, &network.name, &network.describe())?;
    }
    Ok(())
}

fn as_json(plan: &Plan, tuning: &Tuning) -> Value {
    let page = &plan.pages[0];
    let changed = tuning.changes.apply(page).map(|changed| changed.page);
    let resources = changed.as_ref().map_or(&[][..], |page| &page.resources);
    let set = resources.iter().filter_map(|one| {
        let priority = one.served_priority?;
        Some(json!({
            "url": one.url,
            "urgency": priority.urgency,
            "incremental": priority.incremental,
        }))
    });
    let networks = plan.networks.iter().enumerate().map(|(index, network)| {
        let orders = 0..tuning.results.plan.contenders.len();
        let orders = orders.map(|contender| {
            let one = &tuning.results.plan.contenders[contender];
            json!({
                "strategy": one.strategy.to_string(),
                "tuned": !one.changes.is_empty(),
                "median": tuning.time(index, contender),
            })
        });
        let effect = tuning.effects.networks[index];
        json!({
            "network": network.name,
            "orders": orders.collect::<Vec<_>>(),
            "bound": tuning.bounds[index],
            "left": tuning.left(index),
            "difference": effect.map(|one| one.difference),
            "low": effect.map(|one| one.range.0),
            "high": effect.map(|one| one.range.1),
        })
    });
    json!({
        "format": "pagerace-tuning",
        "schema": 1,
        "version": VERSION,
        "page": page.name,
        "url": page.url,
        "metric": plan.metric.metric().name,
        "protocol": plan.contenders[0].protocols.to_string(),
        "seed": plan.seed,
        "worlds": tuning.results.plan.runs,
        "tried": tuning.tried,
        "changes": tuning.changes.to_string(),
        "priorities": set.collect::<Vec<_>>(),
        "servers": fields(page, &tuning.changes).json(),
        "networks": networks.collect::<Vec<_>>(),
    })
}
