//! The live world, as commands use it: pages in, loads out.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use pagerace_chromium::node::{Lighthouse, Throttling};
use pagerace_core::Protocol;
use pagerace_lab::{Load, Plan, RunSummary};
use pagerace_live::ReplaySite;
use pagerace_live::world::{LiveOutcome, LiveScenario, World, WorldOptions};
use pagerace_page::{Device, ImportOptions, Page};
use pagerace_sim::{Connections, NameLookup, Outcome, Visit};

use super::convert;
use crate::cli::live::WorldArgs;
use crate::commands::inputs::free_name;

/// On what a page is loaded that does not say on what it was recorded.
const DESKTOP: (u32, u32) = (1350, 940);

/// A recorded page, ready to be served.
pub(crate) struct Served {
    /// With the sizes that are really served, so that a prediction loads the same.
    pub(crate) page: Arc<Page>,
    site: ReplaySite,
    device: Device,
}

/// A load, counted and in detail.
pub(crate) struct Measured {
    pub(crate) summary: RunSummary,
    pub(crate) outcome: Outcome,
    pub(crate) live: LiveOutcome,
}

/// Reads recordings; each gets a name of its own. Tells what cannot be replayed
/// as it was.
pub(crate) fn served(paths: &[PathBuf], tell: &mut dyn FnMut(&str)) -> Result<Vec<Served>> {
    let mut all: Vec<Served> = Vec::new();
    for path in paths {
        let one = serve(path, &all, tell)?;
        all.push(one);
    }
    Ok(all)
}

fn serve(path: &Path, others: &[Served], tell: &mut dyn FnMut(&str)) -> Result<Served> {
    let mut recording = pagerace_page::load_recording(path, &ImportOptions::default())?;
    if recording
        .exchanges
        .iter()
        .all(|exchange| exchange.body.is_none())
    {
        bail!(
            "{}: the recording holds no bodies, so there is nothing to serve to a browser; record \
             the page with `pagerace record`, or export the HAR with content",
            path.display()
        );
    }
    let others: Vec<Arc<Page>> = others.iter().map(|one| Arc::clone(&one.page)).collect();
    recording.page.name = free_name(&others, &recording.page.name);
    let site = ReplaySite::new(&recording).with_context(|| path.display().to_string())?;
    for note in site.notes() {
        tell(&format!("{}: {note}", recording.page.name));
    }
    site.adjust(&mut recording.page);
    let device = recording.device.unwrap_or_else(|| Device {
        name: "desktop".to_owned(),
        width: DESKTOP.0,
        height: DESKTOP.1,
        scale: 1.0,
        mobile: false,
        user_agent: None,
    });
    Ok(Served {
        page: Arc::new(recording.page),
        site,
        device,
    })
}

/// The world, and what is served in it.
pub(crate) struct Session {
    world: World,
    pages: Vec<Served>,
}

impl Session {
    /// Sets the world up for these pages.
    pub(crate) fn open(pages: Vec<Served>, args: &WorldArgs) -> Result<Self> {
        let world = World::open(WorldOptions {
            chromium: args.chromium.clone(),
            speed_index: !args.no_speed_index,
            look_up: NameLookup::from(args.dns) == NameLookup::RoundTrip,
            settle: args.settle,
            retries: args.retries,
            contention_max: f64::from(args.busy_max) / 100.0,
            ..WorldOptions::default()
        })?;
        Ok(Self { world, pages })
    }

    /// The browser's version.
    pub(crate) fn browser(&self) -> &str {
        self.world.browser()
    }

    /// Makes one load of the plan, whose pages are this session's.
    pub(crate) fn load(&mut self, plan: &Plan, load: Load) -> Result<Measured> {
        let served = &self.pages[load.page];
        let scenario = scenario(plan, load, served);
        let live = self.world.load(&scenario, load.seed)?;
        let outcome = convert::outcome(&served.page, &live);
        Ok(Measured {
            summary: RunSummary {
                uncounted: convert::uncounted(&live),
                ..RunSummary::from(&outcome)
            },
            outcome,
            live,
        })
    }

    /// Asks Lighthouse for its opinion of a page of the plan.
    pub(crate) fn lighthouse(
        &mut self,
        plan: &Plan,
        load: Load,
        throttling: Option<Throttling>,
    ) -> Result<Lighthouse> {
        let scenario = scenario(plan, load, &self.pages[load.page]);
        Ok(self.world.lighthouse(&scenario, throttling, load.seed)?)
    }
}

fn scenario(plan: &Plan, load: Load, served: &Served) -> LiveScenario {
    let contender = &plan.contenders[load.contender];
    let page = &served.page;
    let protocol =
        |host: &String| -> (String, Protocol) { (host.clone(), contender.protocols.of(host)) };
    let effects = plan
        .interventions
        .and(&contender.interventions)
        .of_page(page);
    LiveScenario {
        page: Arc::clone(page),
        site: served.site.clone(),
        device: served.device.clone(),
        network: plan.networks[load.network].clone(),
        strategy: contender.strategy.clone(),
        protocols: served.site.hosts().iter().map(protocol).collect(),
        congestion: contender.congestion.clone(),
        quic_mtu: plan.transport.quic_mtu,
        retransmission: plan.retransmission,
        single_address: plan.connections == Connections::Single,
        effects,
        deadline: plan.deadline,
    }
}

/// Refuses what the live world does not have.
pub(crate) fn check(plan: &Plan) -> Result<()> {
    let visited = plan.contenders.iter().find(|c| c.visit != Visit::Cold);
    if let Some(contender) = visited {
        bail!(
            "live loads are first visits; {} ones are simulated by `pagerace race`",
            contender.visit
        );
    }
    Ok(())
}
