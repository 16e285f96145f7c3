//! Live loads, kept in a file as they come.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use pagerace_lab::calibrate::lighthouse::LighthousePrediction;
use pagerace_lab::calibrate::prediction::resource_times;
use pagerace_lab::calibrate::{
    Lateness, Observation, Observations, ObservedRun, ResourceTimes, Setting,
};
use pagerace_lab::export::file::{check_writable, write_atomically};
use pagerace_lab::world::Fact;
use pagerace_lab::{LabError, Load, MetricId, Order, Plan, Progress, VERSION};
use pagerace_sim::NameLookup;

use super::super::live::session::{Measured, Served, Session};
use super::super::live::{kernel, machine};
use super::{opinion, read};
use crate::cli::live::CalibrateArgs;
use crate::commands::today::today;
use crate::commands::warn::warn;
use crate::progress::Watch;

/// After so many loads the file is written.
const SAVED_EVERY: usize = 10;

/// What of the plan was measured before, and what is measured now.
pub(super) fn observations(
    args: &CalibrateArgs,
    plan: &Plan,
    pages: Vec<Served>,
    watch: &Watch,
) -> Result<Observations> {
    let mut kept = Kept::new(args, plan)?;
    let missing = kept.missing();
    let unasked = if args.lighthouse {
        kept.unasked()
    } else {
        Vec::new()
    };
    if missing.is_empty() && unasked.is_empty() {
        return Ok(kept.of_plan());
    }
    if args.offline {
        if missing.len() == plan.loads() {
            bail!("--offline: the file of --observations holds no load of these pages");
        }
        warn(&format!(
            "{} of {} loads are not in the file, and not compared",
            missing.len(),
            plan.loads()
        ));
        return Ok(kept.of_plan());
    }
    if let Some(path) = &args.observations {
        check_writable(path)?;
    }
    let mut session = Session::open(pages, &args.world)?;
    kept.check_browser(session.browser())?;
    let total = missing.len();
    watch.start("loading", total);
    for (index, load) in missing.into_iter().enumerate() {
        let measured = match session.load(plan, load) {
            Ok(measured) => measured,
            Err(error) => {
                // What was measured so far took its time.
                kept.save(args)?;
                return Err(error);
            }
        };
        kept.add(load, &measured);
        let done = index + 1;
        let stopped = watch.tell(Progress { done, total }).is_break();
        if stopped || done % SAVED_EVERY == 0 || done == total {
            kept.save(args)?;
        }
        if stopped && done < total {
            return Err(LabError::Interrupted { done, total }.into());
        }
    }
    let total = unasked.len();
    watch.start("Lighthouse", total);
    for (index, (page, network)) in unasked.into_iter().enumerate() {
        kept.lighthouse
            .push(opinion::ask(&mut session, plan, page, network)?);
        kept.save(args)?;
        let done = index + 1;
        if watch.tell(Progress { done, total }).is_break() && done < total {
            return Err(LabError::Interrupted { done, total }.into());
        }
    }
    watch.clear();
    Ok(kept.of_plan())
}

/// What was measured, by variant.
struct Kept<'a> {
    plan: &'a Plan,
    setting: Setting,
    /// By variant of the plan.
    observations: BTreeMap<usize, Observation>,
    /// All of the file, and what was asked since.
    lighthouse: Vec<LighthousePrediction>,
    /// Of the file, but not of the plan: stays in the file.
    others: Vec<Observation>,
    /// Resources of the runs of this session, with their load event.
    resources: BTreeMap<usize, Vec<(f64, Vec<ResourceTimes>)>>,
}

impl<'a> Kept<'a> {
    fn new(args: &CalibrateArgs, plan: &'a Plan) -> Result<Self> {
        let read = read(args)?;
        let setting = read.as_ref().map(|file| file.setting.clone());
        let how = how(args);
        let mut kept = Self {
            plan,
            setting: setting.unwrap_or_else(|| Setting {
                date: today(),
                pagerace: VERSION.to_owned(),
                chromium: String::new(),
                kernel: kernel(),
                seed: plan.seed,
                more: machine().into_iter().chain([how.clone()]).collect(),
            }),
            observations: BTreeMap::new(),
            lighthouse: read
                .as_ref()
                .map(|file| file.lighthouse.clone())
                .unwrap_or_default(),
            others: Vec::new(),
            resources: BTreeMap::new(),
        };
        if kept.setting.seed != plan.seed {
            bail!(
                "the file of --observations was measured with seed {}, not {}: the links lost other \
                 packets; give --seed {}, or another file",
                kept.setting.seed,
                plan.seed,
                kept.setting.seed
            );
        }
        let other = kept.setting.more.iter().find(|fact| fact.name == how.name);
        if let Some(other) = other.filter(|other| other.value != how.value) {
            bail!(
                "the file of --observations was measured with other settings ({}, not {}); give \
                 the same, or another file",
                other.value,
                how.value
            );
        }
        for observation in read.into_iter().flat_map(|file| file.observations) {
            match (0..plan.variants()).find(|&i| is_of(plan, i, &observation)) {
                Some(variant) => {
                    kept.observations.insert(variant, observation);
                }
                None => kept.others.push(observation),
            }
        }
        Ok(kept)
    }

    /// Refuses to mix what different browsers did in one file.
    fn check_browser(&mut self, version: &str) -> Result<()> {
        let before = &mut self.setting.chromium;
        if before.is_empty() {
            version.clone_into(before);
        }
        if before != version {
            bail!(
                "the file of --observations was measured with Chromium {before}, and this is \
                 {version}; name that one with --chromium, or give another file"
            );
        }
        Ok(())
    }

    /// Loads that were not made yet: run by run, contenders in turns, so that
    /// what drifts meets all alike.
    fn missing(&self) -> Vec<Load> {
        let plan = self.plan;
        let loads = Order::Interleaved.loads(plan);
        let missing = loads.filter(|load| {
            let variant = plan.variant_index(load.page, load.network, load.contender);
            let there = self.observations.get(&variant);
            there.is_none_or(|o| o.runs.iter().all(|r| r.seed != load.seed))
        });
        missing.collect()
    }

    /// Pages and networks of which Lighthouse has said nothing yet.
    fn unasked(&self) -> Vec<(usize, usize)> {
        let plan = self.plan;
        let all = (0..plan.pages.len())
            .flat_map(|page| (0..plan.networks.len()).map(move |network| (page, network)));
        let asked = |&(page, network): &(usize, usize)| {
            let (page, network) = (&plan.pages[page].name, &plan.networks[network].name);
            let same = |p: &LighthousePrediction| p.page == *page && p.network == *network;
            self.lighthouse.iter().any(same)
        };
        all.filter(|place| !asked(place)).collect()
    }

    fn add(&mut self, load: Load, measured: &Measured) {
        let plan = self.plan;
        let variant = plan.variant_index(load.page, load.network, load.contender);
        let page = &plan.pages[load.page];
        let entry = self.observations.entry(variant);
        let observation = entry.or_insert_with(|| Observation::none(plan, variant));
        let run = ObservedRun::of(load.seed, &measured.summary);
        let late = measured.live.lateness;
        let before = observation.lateness.unwrap_or_default();
        observation.lateness = Some(Lateness {
            packets: before.packets + late.packets,
            p50_ms: before.p50_ms.max(late.p50.as_millis_f64()),
            p99_ms: before.p99_ms.max(late.p99.as_millis_f64()),
            max_ms: before.max_ms.max(late.max.as_millis_f64()),
        });
        let contention = measured.live.contention.into_iter();
        observation.cpu_contention = contention
            .chain(observation.cpu_contention)
            .reduce(f64::max);
        observation.rejected_runs += measured.live.rejected.len() as u32;
        let onload: Option<MetricId> = "onload".parse().ok();
        let loaded = onload.and_then(|metric| run.value(metric));
        observation.runs.push(run);
        if let Some(loaded) = loaded.filter(|loaded| loaded.is_finite()) {
            let times = resource_times(page, &measured.outcome.resources);
            let all = self.resources.entry(variant).or_default();
            all.push((loaded, times));
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            let median = &all[(all.len() - 1) / 2].1;
            observation.resources.clone_from(median);
        }
    }

    fn save(&self, args: &CalibrateArgs) -> Result<()> {
        let Some(path) = &args.observations else {
            return Ok(());
        };
        let all = self.observations.values().chain(&self.others).cloned();
        let mut file = Observations::new(self.setting.clone(), all.collect());
        file.lighthouse.clone_from(&self.lighthouse);
        write_atomically(path, |out| out.write_all(file.to_json().as_bytes()))?;
        Ok(())
    }

    /// Those of the plan.
    fn of_plan(self) -> Observations {
        let all = self.observations.into_values().collect();
        let mut file = Observations::new(self.setting, all);
        file.lighthouse = self.lighthouse;
        file
    }
}

/// What decides how loads go, beside page, network and contender.
fn how(args: &CalibrateArgs) -> Fact {
    let CalibrateArgs { world, .. } = args;
    let value = format!(
        "browser at rest, {}, connections {:?}, retransmission {:?}, QUIC packets of {} bytes, settled \
         after {} ms, {}",
        match NameLookup::from(world.dns) {
            NameLookup::RoundTrip => "addresses looked up",
            NameLookup::None => "addresses known",
        },
        world.connections,
        world.retransmission,
        world.quic_mtu,
        world.settle.as_millis_f64(),
        if world.no_speed_index {
            "no screenshots"
        } else {
            "screenshots"
        }
    );
    Fact::new("settings of loads", value)
}

pub(super) fn is_of(plan: &Plan, variant: usize, observation: &Observation) -> bool {
    let (page, network, contender) = plan.variant_parts(variant);
    plan.pages[page].name == observation.page
        && plan.networks[network].name == observation.network
        && plan.contenders[contender] == observation.contender
}
