//! A session in the live world: takes pages and returns loads.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use flate2::read::GzDecoder;
use pagerace_chromium::node::{Lighthouse, Throttling};
use pagerace_core::Protocol;
use pagerace_har::{
    Device, Exchange, ImportOptions, Recording, is_gzip, page_name, recording_from_bytes,
};
use pagerace_lab::{Load, Plan, RunSummary};
use pagerace_live::ReplaySite;
use pagerace_live::world::{LiveOutcome, LiveScenario, World, WorldOptions};
use pagerace_page::intervention::Failure;
use pagerace_page::{Changes, Page};
use pagerace_sim::{NameLookup, Outcome, Visit};
use ring::digest::{Context, SHA256};
use serde_json::Value;

use super::args::WorldArgs;
use super::convert;
use crate::cli::inputs::distinguish;
use crate::cli::warn::warn;

/// A recorded page, ready to be served.
pub(crate) struct Served {
    /// The page with the sizes that are really served, so that a prediction loads the
    /// same.
    pub(crate) page: Arc<Page>,
    site: ReplaySite,
    device: Device,
    /// A digest of the served URLs and bodies. It does not depend on other evidence in the
    /// recording.
    pub(crate) content: String,
    path: PathBuf,
    /// The page and its site after the changes of each contender that has some.
    changed: Vec<(Changes, Arc<Page>, ReplaySite)>,
}

impl Served {
    /// Prepares the site after the changes of all contenders.
    ///
    /// # Errors
    /// Servers cannot make a change.
    pub(crate) fn prepare(&mut self, plan: &Plan) -> Result<()> {
        for contender in &plan.contenders {
            let changes = &contender.changes;
            if changes.is_empty() || changes.apply(&self.page).is_err() {
                continue;
            }
            let edited = read(&self.path)?.changed(changes).context("--change")?;
            for url in &edited.unnamed {
                warn(&format!(
                    "`{changes}`: no recorded markup or style sheet names {url}; the browser \
                     requests it as before"
                ));
            }
            let site = ReplaySite::new(&edited.recording)?;
            let mut page = changes.apply(&self.page)?.page;
            site.adjust(&mut page);
            self.changed.push((changes.clone(), Arc::new(page), site));
        }
        Ok(())
    }

    /// Returns true if the page has hints as it is, or after the changes of a contender.
    fn is_hinted(&self) -> bool {
        let changed = self.changed.iter().map(|(_, page, _)| page);
        let mut pages = changed.chain([&self.page]);
        pages.any(|page| !page.hints.is_empty())
    }

    /// Returns the page and the site as a contender with these changes delivers them.
    fn after(&self, changes: &Changes) -> (&Arc<Page>, &ReplaySite) {
        let mut all = self.changed.iter();
        let found = all.find(|(other, ..)| other == changes);
        found.map_or((&self.page, &self.site), |(_, page, site)| (page, site))
    }
}

fn content(exchanges: &[Exchange]) -> String {
    let with_body = exchanges.iter().filter_map(|exchange| {
        let body = exchange.body.as_ref().filter(|_| exchange.status == 200)?;
        Some((exchange.url.as_str(), body.as_ref()))
    });
    let all: BTreeMap<&str, &[u8]> = with_body.collect();
    let mut digest = Context::new(&SHA256);
    for (url, body) in all {
        digest.update(format!("{url} {}\n", body.len()).as_bytes());
        digest.update(body);
    }
    let hash = digest.finish();
    let start = hash.as_ref().first_chunk().expect("32 bytes");
    format!("{:016x}", u64::from_be_bytes(*start))
}

/// Summary, timings and live details of a load.
pub(crate) struct Measured {
    pub(crate) summary: RunSummary,
    pub(crate) outcome: Outcome,
    pub(crate) live: LiveOutcome,
}

/// Reads recordings and gives each a unique name. Passes notes on responses that cannot
/// be replayed as recorded to `tell`.
pub(crate) fn served(paths: &[PathBuf], tell: &mut dyn FnMut(&str)) -> Result<Vec<Served>> {
    let names = paths
        .iter()
        .map(|path| page_name(&path.to_string_lossy()).to_owned());
    let mut names: Vec<String> = names.collect();
    distinguish(paths.iter().map(PathBuf::as_path).zip(&mut names).collect());
    let named = paths.iter().zip(names);
    named.map(|(path, name)| serve(path, name, tell)).collect()
}

fn read(path: &Path) -> Result<Recording> {
    Ok(pagerace_har::load_recording(
        path,
        &ImportOptions::default(),
    )?)
}

fn serve(path: &Path, name: String, tell: &mut dyn FnMut(&str)) -> Result<Served> {
    let mut recording = read(path)?;
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
    pagerace_sim::fit(&mut recording.page)?;
    recording.page.name = name;
    let site = ReplaySite::new(&recording).with_context(|| path.display().to_string())?;
    for note in site.notes() {
        tell(&format!("{}: {note}", recording.page.name));
    }
    site.adjust(&mut recording.page);
    let device = recording.device.unwrap_or_else(Device::desktop);
    Ok(Served {
        content: content(&recording.exchanges),
        page: Arc::new(recording.page),
        site,
        device,
        path: path.to_owned(),
        changed: Vec::new(),
    })
}

/// Extension fields of HAR entries that Chromium's own tools and others write.
const SHARED: [&str; 8] = [
    "_initiator",
    "_priority",
    "_resourceType",
    "_connectionId",
    "_transferSize",
    "_error",
    "_fetchedViaServiceWorker",
    "_blocked_queueing",
];

/// Loads a page under this name as if it came from another recorder, without the fields
/// that only `pagerace record` writes.
pub(crate) fn stripped(path: &Path, name: String) -> Result<Arc<Page>> {
    let file = path.display().to_string();
    let read = || -> Result<Value> {
        let bytes = std::fs::read(path)?;
        if is_gzip(&bytes) {
            return Ok(serde_json::from_reader(GzDecoder::new(&*bytes))?);
        }
        Ok(serde_json::from_slice(&bytes)?)
    };
    let mut har = read().with_context(|| file.clone())?;
    strip(&mut har);
    let bytes = serde_json::to_vec(&har)?;
    let mut recording = recording_from_bytes(&file, &bytes, &ImportOptions::default())?;
    pagerace_sim::fit(&mut recording.page)?;
    recording.page.name = name;
    let site = ReplaySite::new(&recording).with_context(|| path.display().to_string())?;
    site.adjust(&mut recording.page);
    Ok(Arc::new(recording.page))
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !name.starts_with('_') || SHARED.contains(&name.as_str()));
            fields.values_mut().for_each(strip);
        }
        Value::Array(values) => values.iter_mut().for_each(strip),
        _ => {}
    }
}

/// A live world and the pages served in it.
pub(crate) struct LiveSession {
    world: World,
    pages: Vec<Served>,
}

impl LiveSession {
    /// Sets up the world for these pages.
    pub(crate) fn open(pages: Vec<Served>, args: &WorldArgs) -> Result<Self> {
        let world = World::open(WorldOptions {
            chromium: args.chromium.clone(),
            watched: !args.no_speed_index,
            look_up: args.wire.dns == NameLookup::RoundTrip,
            settle: args.settle,
            retries: args.retries,
            contention_max: f64::from(args.busy_max) / 100.0,
        })?;
        Ok(Self { world, pages })
    }

    /// Returns the browser's version.
    pub(crate) fn browser(&self) -> &str {
        self.world.browser()
    }

    /// Returns the served page of a load.
    fn served(&self, plan: &Plan, load: Load) -> &Served {
        let page = &plan.pages[load.page];
        let mut pages = self.pages.iter();
        pages
            .find(|one| Arc::ptr_eq(&one.page, page))
            .expect("the plan's pages are this session's")
    }

    /// Runs one load of the plan, which must use this session's pages.
    pub(crate) fn load(&mut self, plan: &Plan, load: Load) -> Result<Measured> {
        let served = self.served(plan, load);
        let scenario = scenario(plan, load, served);
        let live = self.world.load(&scenario, load.seed)?;
        let outcome = convert::outcome(&plan.pages[load.page], &live);
        Ok(Measured {
            summary: RunSummary {
                uncounted: convert::uncounted(&live),
                ..RunSummary::from(&outcome)
            },
            outcome,
            live,
        })
    }

    /// Loads a page of the plan under Lighthouse and returns its results.
    pub(crate) fn lighthouse(
        &mut self,
        plan: &Plan,
        load: Load,
        throttling: Option<Throttling>,
    ) -> Result<Lighthouse> {
        let scenario = scenario(plan, load, self.served(plan, load));
        Ok(self.world.lighthouse(&scenario, throttling, load.seed)?)
    }
}

fn scenario(plan: &Plan, load: Load, served: &Served) -> LiveScenario {
    let contender = &plan.contenders[load.contender];
    let (page, site) = served.after(&contender.changes);
    let protocol = |host: &String| -> (String, Protocol) {
        let mut origins = page.origins.iter();
        let origin = origins.find(|origin| origin.host == *host);
        // Requests that the page leaves out may have gone to more hosts.
        let third_party = origin.is_none_or(|origin| origin.third_party);
        let protocol = contender.protocols.of_host(host, third_party);
        (host.clone(), protocol.expect("its rules are by host"))
    };
    let effects = plan
        .interventions
        .and(&contender.interventions)
        .of_page(page);
    let mut contenders = plan.contenders.iter();
    let recorded = contenders.any(|other| {
        let effects = plan.interventions.and(&other.interventions).of_page(page);
        let mut effects = effects.iter();
        effects.any(|effect| effect.block == Some(Failure::Refused))
    });
    let distances = pagerace_sim::distances(page, &plan.settings);
    let hosts = page.origins.iter().map(|origin| origin.host.clone());
    LiveScenario {
        distances: hosts.zip(distances).collect(),
        page: Arc::clone(page),
        site: site.clone(),
        device: served.device.clone(),
        network: plan.networks[load.network].clone(),
        strategy: contender.strategy.clone(),
        protocols: site.hosts().iter().map(protocol).collect(),
        congestion: contender.congestion.clone(),
        effects,
        recorded,
        hinted: served.is_hinted(),
        settings: plan.settings,
    }
}

/// Rejects plans that the live world does not support.
pub(crate) fn check(plan: &Plan) -> Result<()> {
    let visited = plan.contenders.iter().find(|c| c.visit != Visit::Cold);
    if let Some(contender) = visited {
        bail!(
            "live loads support first visits only; simulate {} ones with `pagerace race`",
            contender.visit
        );
    }
    let mut maps = plan.contenders.iter().map(|c| &c.protocols);
    if let Some(map) = maps.find(|map| map.of_host("", false).is_none()) {
        bail!(
            "{map}: Chromium speaks one version of HTTP with a host, so live loads take rules by \
             host; simulate rules by request with `pagerace race`"
        );
    }
    if plan.has_policies() {
        bail!("live loads deliver everything; simulate other policies with `pagerace race`");
    }
    Ok(())
}
