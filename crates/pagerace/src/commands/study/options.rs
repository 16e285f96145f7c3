//! The options of a race in a plan.

use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use clap::{Arg, CommandFactory as _};
use pagerace_core::suggest::did_you_mean;
use pagerace_lab::Plan;
use pagerace_lab::contender::{Contender, ContenderText};
use pagerace_page::Page;
use pagerace_study::{Race, plan};

use crate::cli::groups::{ContenderArgs, OUTPUT};
use crate::cli::inputs::networks_in;
use crate::cli::plan::{Contenders, DEFAULT_STRATEGY, add_pages};
use crate::cli::words;
use crate::commands::race::{RaceArgs, outline, plan_of_scenario};
use crate::lists::split_all;

/// Maximum number of contenders of a race.
const CONTENDERS_MAX: u64 = 10_000;

/// A race of a study, read once for all pages.
pub(super) struct ResolvedRace {
    pub(super) args: RaceArgs,
    /// The plan. It has pages only if they are those of a results file.
    pub(super) plan: Plan,
    /// What makes the contenders; `None` if they are listed, or those of a results file.
    contenders: Option<Contenders>,
}

impl ResolvedRace {
    pub(super) fn read(race: &Race) -> Result<Self> {
        let args = parse(&race.arguments)?;
        if race.scenario.is_some() && !race.contenders.is_empty() {
            bail!("`scenario` and `contender` both name contenders; use one of them");
        }
        let Some(file) = &race.scenario else {
            check_size(&args.design.contenders)?;
            args.needs.read()?;
            let (mut plan, contenders) = outline(&args, &race.folder)?;
            let mut contenders = Some(contenders);
            if !race.contenders.is_empty() {
                plan.contenders = explicit(race, &args.design.contenders, &plan)?;
                (plan.baseline, contenders) = (0, None);
            }
            return Ok(Self {
                args,
                plan,
                contenders,
            });
        };
        let mut plan = plan_of_scenario(file)?;
        let design = &args.design;
        for name in names(&race.arguments) {
            match name {
                "runs" => plan.runs = design.loads.runs(),
                "seed" => plan.seed = design.loads.random.seed,
                "network" => {
                    plan.networks = networks_in(&race.folder, &design.loads.network, &[])?;
                }
                "metric" => plan.metric = design.metric,
                _ => bail!(
                    "`{name}` is decided by {}; beside `scenario`, a race has runs, seed, network, \
                     metric only",
                    file.display()
                ),
            }
        }
        Ok(Self {
            args,
            plan,
            contenders: None,
        })
    }

    /// Returns true if the contenders depend on the pages.
    pub(super) fn needs_pages(&self) -> bool {
        let contenders = self.contenders.as_ref();
        contenders.is_some_and(Contenders::need_pages)
    }

    /// Returns the plan with these pages, and all that depends on them.
    pub(super) fn with(&self, pages: Vec<Arc<Page>>) -> Result<Plan> {
        let mut plan = self.plan.clone();
        let far = &self.args.model.distance.origin_rtt;
        add_pages(&mut plan, far, self.contenders.as_ref(), pages)?;
        if plan.has_policies() {
            // Filter lists cannot be shared by threads, so each page reads them.
            self.args.needs.read()?.add_to(&mut plan)?;
        }
        Ok(plan)
    }
}

/// Returns the plan of a race of these pages.
pub(crate) fn plan_with(race: &Race, pages: Vec<Arc<Page>>) -> Result<Plan> {
    ResolvedRace::read(race)?.with(pages)
}

/// Returns the contenders that a race lists. `plan` has those without any options.
fn explicit(race: &Race, args: &ContenderArgs, plan: &Plan) -> Result<Vec<Contender>> {
    let baseline = ("baseline", args.baseline.as_slice());
    for (name, values) in lists(args).into_iter().chain([baseline]) {
        if !values.is_empty() {
            bail!("`{name}` and `contender` both name contenders; use one of them");
        }
    }
    let mut defaults = plan.contenders[0].clone();
    defaults.strategy = DEFAULT_STRATEGY.parse()?;
    let mut contenders: Vec<Contender> = Vec::new();
    for text in &race.contenders {
        let read: ContenderText = text.parse().context("contender")?;
        let contender = read.or(&defaults);
        if contenders.iter().any(|other| other.loads_as(&contender)) {
            bail!("contender: `{text}` loads pages as an earlier one does");
        }
        contenders.push(contender);
    }
    Ok(contenders)
}

/// Returns the names of the options among these words of a command line.
fn names(arguments: &[String]) -> impl Iterator<Item = &str> {
    let names = arguments.iter();
    names.filter_map(|argument| argument.strip_prefix("--"))
}

/// Parses the options of a race as the command line does.
fn parse(arguments: &[String]) -> Result<RaceArgs> {
    let race = RaceArgs::command();
    // A study has outputs of its own, and starts no browser.
    let other = |arg: &Arg| {
        let id = arg.get_id();
        arg.get_help_heading() == Some(OUTPUT) || id == "scenario" || id == "no_layout"
    };
    for name in names(arguments) {
        let mut all = race.get_arguments();
        let option = all.find(|arg| arg.get_long() == Some(name));
        if option.is_none_or(other) {
            let options = race.get_arguments().filter(|arg| !other(arg));
            let known = options.filter_map(Arg::get_long).chain(plan::KEYS);
            let near = did_you_mean(name, known);
            let what_to_do = match option {
                Some(_) => {
                    "; it is for the command line only: a study has outputs of its own, and measures \
                     no layout"
                }
                None if near.is_empty() => "; `pagerace race --help` lists them",
                None => &near,
            };
            bail!("`{name}` is no option of a race in a plan{what_to_do}");
        }
    }
    for pair in arguments.windows(2) {
        // The command line takes a word with a hyphen for an option.
        if let [name, value] = pair
            && let Some(name) = name.strip_prefix("--")
            && value.starts_with('-')
            && value.parse::<f64>().is_ok()
        {
            bail!("{name}: {value} is negative");
        }
    }
    words::read(arguments.iter().cloned())
}

/// Returns the lists whose product are the contenders, by option.
fn lists(args: &ContenderArgs) -> [(&str, &[String]); 7] {
    let ContenderArgs {
        protocols,
        controllers,
        visit,
        strategy,
        reliability,
        what_if,
        change,
        baseline: _,
    } = args;
    [
        ("protocol", &protocols.protocol),
        ("cc", &controllers.cc),
        ("visit", visit),
        ("strategy", strategy),
        ("reliability", reliability),
        ("what-if", what_if),
        ("change", change),
    ]
}

/// Rejects lists whose product is too large, before it is built.
fn check_size(args: &ContenderArgs) -> Result<()> {
    let mut product: u64 = 1;
    for (option, list) in lists(args) {
        let items = split_all(option, list).context("options")?.len().max(1);
        product = product.saturating_mul(items as u64);
    }
    if product > CONTENDERS_MAX {
        bail!(
            "its lists make {product} contenders, more than {CONTENDERS_MAX}; write shorter \
             lists, or several races"
        );
    }
    Ok(())
}
