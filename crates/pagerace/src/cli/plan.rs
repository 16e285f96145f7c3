//! Parts of a plan from shared arguments. Each argument is read once, before large files are.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use pagerace_delivery::StrategySpec;
use pagerace_delivery::reliability::ReliabilitySpec;
use pagerace_lab::contender::{Choices, ContenderText, choices, choose, product};
use pagerace_lab::{Contender, Plan};
use pagerace_page::{Changes, Interventions, Page};
use pagerace_papers::srivastava;
use pagerace_sim::{ProtocolMap, Visit};

use super::groups::{ContenderArgs, DesignArgs};
use super::inputs::{controllers, list, networks_in};
use super::interventions::{self, WhatIf, needs_pages, variants};
use super::model::ModelArgs;
use super::origin_rtt;
use crate::lists::unquote;

/// The strategy with which others are compared.
pub(crate) const DEFAULT_STRATEGY: &str = "sequential";

/// Returns a plan with the settings of the model, and nothing to race.
pub(crate) fn settings(args: &ModelArgs) -> Result<Plan> {
    let settings = args.settings();
    origin_rtt::check(&args.distance.origin_rtt, settings.connections)?;
    Ok(Plan {
        worlds: args.worlds,
        browser: args.browser(),
        settings,
        interventions: interventions::shared(&args.interventions)?,
        ..Plan::new(Vec::new(), Vec::new(), Vec::new())
    })
}

/// Adds the design of a race to a plan, as far as it does not depend on pages. Returns the
/// contenders, for [`add_pages`]; if `few`, only the strategies that are named race. Without
/// networks, the `usual` ones are taken. Paths of traces are relative to `folder`.
pub(crate) fn add_design(
    plan: &mut Plan,
    args: &DesignArgs,
    usual: &[&str],
    few: bool,
    folder: &Path,
) -> Result<Contenders> {
    let DesignArgs { loads, metric, .. } = args;
    plan.networks = networks_in(folder, &loads.network, usual)?;
    (plan.runs, plan.seed, plan.metric) = (loads.runs(), loads.random.seed, *metric);
    plan.adaptive = loads.runs.is_none();
    let contenders = Contenders::read(&args.contenders, few)?;
    contenders.add_to(plan)?;
    plan.check_settings()?;
    Ok(contenders)
}

/// Adds pages to a plan, with the round trips of `far`, and the `contenders` that depend on them.
pub(crate) fn add_pages(
    plan: &mut Plan,
    far: &[origin_rtt::Item],
    contenders: Option<&Contenders>,
    mut pages: Vec<Arc<Page>>,
) -> Result<()> {
    origin_rtt::apply(far, &mut pages)?;
    plan.pages = pages;
    match contenders.filter(|contenders| contenders.need_pages()) {
        Some(contenders) => contenders.add_to(plan),
        None => Ok(()),
    }
}

/// The lists whose product are the contenders, and the baseline among them.
pub(crate) struct Contenders {
    what_ifs: Vec<WhatIf>,
    /// The changes of pages.
    pub(crate) changes: Vec<Changes>,
    strategies: Vec<StrategySpec>,
    /// The values of all other dimensions.
    others: Vec<Choices>,
    /// A name of the baseline or a part of it.
    baseline: Option<String>,
    /// True if only the strategies that are named race.
    few: bool,
}

impl Contenders {
    fn read(args: &ContenderArgs, few: bool) -> Result<Self> {
        let maps = &args.protocols.protocol;
        let maps = list("protocol", maps, &[ProtocolMap::default()])?;
        let visits = list("visit", &args.visit, &[Visit::default()])?;
        let changes = changes(&args.change)?;
        Ok(Self {
            what_ifs: interventions::read(&args.what_if)?,
            strategies: list("strategy", &args.strategy, &[])?,
            others: vec![
                choices("protocol", &maps, |c, value| c.protocols = value),
                choices(
                    "congestion",
                    &controllers(&args.controllers.cc)?,
                    |c, value| {
                        c.congestion = value;
                    },
                ),
                choices("visit", &visits, |c, value| c.visit = value),
                choices("reliability", &policies(&args.reliability)?, |c, value| {
                    c.reliability = value;
                }),
                choices("changes", &changes, |c, value| {
                    c.changes = value;
                }),
            ],
            changes,
            baseline: args.baseline.clone(),
            few,
        })
    }

    /// Returns true if the contenders depend on the pages.
    pub(crate) fn need_pages(&self) -> bool {
        needs_pages(&self.what_ifs)
    }

    /// Adds the contenders to a plan, and the index of the baseline. Interventions that depend on
    /// pages wait for them. The first variant is the original. A strategy that the baseline names
    /// takes part. So does `sequential` if no strategy is given, or if only strategies differ and
    /// no baseline is named, unless few race.
    fn add_to(&self, plan: &mut Plan) -> Result<()> {
        let (variants, text) = if plan.pages.is_empty() && self.need_pages() {
            (vec![Interventions::default()], None)
        } else {
            let variants = variants(&self.what_ifs, &plan.pages)?;
            (variants, self.baseline.as_deref())
        };
        let mut lengths = self.others.iter().map(|(_, values)| values.len());
        let few = self.few || variants.len() > 1 || lengths.any(|length| length > 1);
        let read = text.and_then(|text| text.parse::<ContenderText>().ok());
        let named = read.filter(|read| read.named.has("strategy"));
        let named = named.map(|read| read.contender.strategy);
        let mut strategies = self.strategies.clone();
        if strategies.is_empty() && !few {
            strategies = StrategySpec::defaults();
        }
        let needed = match named {
            None if strategies.is_empty() || (!few && text.is_none()) => {
                Some(DEFAULT_STRATEGY.parse().expect("it is in the registry"))
            }
            named => named,
        };
        if let Some(needed) = &needed
            && !strategies.contains(needed)
        {
            strategies.insert(0, needed.clone());
        }
        let mut all = self.others.clone();
        all.push(choices("strategy", &strategies, |c, value| {
            c.strategy = value;
        }));
        all.push(choices("interventions", &variants, |c, value| {
            c.interventions = value;
        }));
        let contenders = product(&all);
        let baseline = match text {
            Some(text) => choose(&contenders, text).context("--baseline")?,
            None if few => 0,
            None => {
                let strategy = |c: &Contender| Some(&c.strategy) == needed.as_ref();
                contenders.iter().position(strategy).unwrap_or(0)
            }
        };
        (plan.contenders, plan.baseline) = (contenders, baseline);
        Ok(())
    }
}

/// Parses the changes of pages, each a variant beside the page as it is.
fn changes(values: &[String]) -> Result<Vec<Changes>> {
    let values = values.iter().map(|value| unquote(value).parse());
    let all: Vec<Changes> = values.collect::<Result<_, _>>().context("--change")?;
    Ok([Changes::default()].into_iter().chain(all).collect())
}

/// Parses reliability policies. Without any, everything is delivered reliably.
fn policies(values: &[String]) -> Result<Vec<ReliabilitySpec>> {
    if values.is_empty() {
        return Ok(vec![ReliabilitySpec::default()]);
    }
    let sets = [(srivastava::THESIS, srivastava::RELIABILITY)];
    // A policy has commas of its own, so that only quotes around a whole value are removed.
    let values: Vec<&str> = values.iter().map(|value| unquote(value)).collect();
    ReliabilitySpec::parse_list(&values.join(","), &sets).context("--reliability")
}
