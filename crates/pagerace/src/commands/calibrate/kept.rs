//! The file of observations: read, extended and rewritten.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use pagerace_calibration::films::Reel;
use pagerace_calibration::lighthouse::LighthousePrediction;
use pagerace_calibration::prediction::resource_times;
use pagerace_calibration::{
    LinkLateness, Observation, Observations, ObservedRun, ResourceTimes, Setting,
};
use pagerace_chromium::processes::Scheduled;
use pagerace_core::Protocol;
use pagerace_lab::export::file::write_atomically;
use pagerace_lab::{Fact, Load, MetricId, Plan, VERSION};
use pagerace_sim::NameLookup;

use super::super::live::session::Measured;
use super::super::live::{kernel, machine};
use super::CalibrateArgs;
use super::pages::Model;

/// All observations of the file, including those outside the current design.
pub(super) struct Kept<'a> {
    file: Option<&'a Path>,
    metrics: &'a [MetricId],
    /// True if the screenshots are kept.
    films: bool,
    all: Observations,
    /// The setting of new loads.
    setting: Setting,
    /// Resources and load event of this session's runs, by index of the observation.
    resources: BTreeMap<usize, Vec<(f64, Vec<ResourceTimes>)>>,
}

impl<'a> Kept<'a> {
    pub(super) fn new(args: &'a CalibrateArgs, models: &[Model]) -> Result<Self> {
        let how = how(args);
        let setting = Setting {
            date: time::OffsetDateTime::now_utc().date().to_string(),
            pagerace: VERSION.to_owned(),
            chromium: String::new(),
            kernel: kernel(),
            seed: args.loads.random.seed,
            cpu: args.world.cpu,
            more: machine()
                .into_iter()
                .chain([how.clone(), recorded(args), hints()])
                .collect(),
        };
        let file = args.observations.as_deref();
        let mut all = match file.filter(|path| path.exists()) {
            Some(path) => read(path)?,
            None => Observations::default(),
        };
        let mut settings = all.settings.iter();
        if let Some(other) = settings.find(|other| other.seed != setting.seed) {
            bail!(
                "the file of --observations was measured with seed {}, not {}: the links lost other \
                 packets; give --seed {}, or another file",
                other.seed,
                setting.seed,
                other.seed
            );
        }
        let facts = all.settings.iter().flat_map(|one| &one.more);
        let mut others = facts.filter(|fact| fact.name == how.name);
        let other = others.find(|other| other.value != how.value);
        if let Some(other) = other {
            bail!(
                "the file of --observations was measured with other settings ({}, not {}); give \
                 the same settings, or another file",
                other.value,
                how.value
            );
        }
        let mut differ = Vec::new();
        for one in models {
            let name = &one.page.name;
            let contents = all.contents.entry(name.clone());
            if *contents.or_insert_with(|| one.content.clone()) != one.content {
                differ.push(name.as_str());
            }
        }
        if !differ.is_empty() {
            bail!(
                "{}: the content of each recording differs from that measured in the file of \
                 --observations; use the earlier recordings, or remove the pages' observations \
                 from the file",
                differ.join(", ")
            );
        }
        Ok(Self {
            file,
            metrics: &args.metric,
            films: args.films,
            all,
            setting,
            resources: BTreeMap::new(),
        })
    }

    /// Sets the browser of new loads. Rejects observations of different browsers in one file.
    /// Releases of one build of Chromium (MAJOR.MINOR.BUILD.PATCH) differ in single repairs; a
    /// setting names all of them.
    pub(super) fn check_browser(&mut self, version: &str) -> Result<()> {
        let build = |version: &str| version.rsplit_once('.').map(|(build, _)| build.to_owned());
        let settings = self.all.settings.iter();
        let mut before = settings.flat_map(|one| one.chromium.split(", "));
        if let Some(other) = before.find(|other| build(other) != build(version)) {
            bail!(
                "the file of --observations was measured with Chromium {other}, but this is \
                 {version}; choose the former with --chromium, or give another file"
            );
        }
        version.clone_into(&mut self.setting.chromium);
        Ok(())
    }

    /// Returns true if an earlier setting is that of new loads, apart from the day, the version
    /// of Pagerace, and single repairs of the browser.
    fn is_current(&self, earlier: &Setting) -> bool {
        let Setting {
            kernel, cpu, more, ..
        } = &self.setting;
        (&earlier.kernel, &earlier.cpu, &earlier.more) == (kernel, cpu, more)
    }

    /// Returns the index of the observation of a load's variant.
    fn place(&self, plan: &Plan, load: Load) -> Option<usize> {
        let variant = plan.variant_index(load.page, load.network, load.contender);
        let mut all = self.all.observations.iter();
        all.position(|one| is_of(plan, variant, one))
    }

    pub(super) fn has(&self, plan: &Plan, load: Load) -> bool {
        self.place(plan, load).is_some_and(|place| {
            let mut runs = self.all.observations[place].runs.iter();
            runs.any(|run| run.seed == load.seed)
        })
    }

    /// Returns true if the variant of a load has been measured in another setting. All loads of a
    /// combination are of one.
    pub(super) fn is_of_another_setting(&self, plan: &Plan, load: Load) -> bool {
        let place = self.place(plan, load);
        let setting = place.map(|place| self.all.observations[place].setting);
        setting.is_some_and(|setting| !self.is_current(&self.all.settings[setting]))
    }

    /// Returns the parts of the design whose page and network lack a prediction of
    /// Lighthouse. It knows no versions of HTTP, and loads the page over HTTP/2.
    pub(super) fn unasked(&self, design: &[Plan]) -> Vec<usize> {
        let mut asked: Vec<(&str, &str)> = Vec::new();
        for said in &self.all.lighthouse {
            asked.push((&said.page, &said.network));
        }
        let mut unasked = Vec::new();
        for (index, part) in design.iter().enumerate() {
            let place = (part.pages[0].name.as_str(), part.networks[0].name.as_str());
            let has_h2 = (0..part.contenders.len()).any(|i| part.speaks(i, |p| p == Protocol::H2));
            if has_h2 && !asked.contains(&place) {
                asked.push(place);
                unasked.push(index);
            }
        }
        unasked
    }

    /// Adds a load and rewrites the file immediately, as measurements are expensive.
    pub(super) fn add(&mut self, plan: &Plan, load: Load, measured: &Measured) -> Result<()> {
        let variant = plan.variant_index(load.page, load.network, load.contender);
        let place = self.place(plan, load).unwrap_or_else(|| {
            let new = Observation {
                setting: self.setting_of_new_loads(),
                ..Observation::none(plan, variant)
            };
            self.all.observations.push(new);
            self.all.observations.len() - 1
        });
        let observation = &mut self.all.observations[place];
        let mut run = ObservedRun::of(load.seed, &measured.summary);
        let metrics = self.metrics;
        run.values.retain(|metric, _| metrics.contains(metric));
        if self.films {
            let shots = measured.live.observed.screenshots.iter();
            run.reel = Reel::of_shots(shots.map(|(at, jpeg)| (at.as_millis_f64(), jpeg.as_str())));
        }
        let late = measured.live.lateness;
        let before = observation.lateness.unwrap_or_default();
        observation.lateness = Some(LinkLateness {
            packets: before.packets + late.packets,
            p50_ms: before.p50_ms.max(late.p50.as_millis_f64()),
            p99_ms: before.p99_ms.max(late.p99.as_millis_f64()),
            max_ms: before.max_ms.max(late.max.as_millis_f64()),
        });
        let contention = measured.live.contention.into_iter();
        observation.cpu_contention = contention
            .chain(observation.cpu_contention)
            .reduce(f64::max);
        let thread = measured.live.observed.main_thread;
        let waited = thread.and_then(Scheduled::waiting).into_iter();
        observation.main_thread_waited = waited
            .chain(observation.main_thread_waited)
            .reduce(f64::max);
        observation.rejected_runs += measured.live.rejected.len() as u32;
        observation.runs.push(run);
        let loaded = measured.summary.load.onload;
        let times = resource_times(&plan.pages[load.page], &measured.outcome.resources);
        let whole = measured.summary.failure.is_none() && !times.is_empty();
        if let Some(loaded) = loaded.filter(|_| whole) {
            let all = self.resources.entry(place).or_default();
            all.push((loaded.as_millis_f64(), times));
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            let median = &all[(all.len() - 1) / 2].1;
            observation.resources.clone_from(median);
        }
        self.save()
    }

    /// Returns the index of the setting of new loads.
    fn setting_of_new_loads(&mut self) -> usize {
        let mut settings = self.all.settings.iter();
        let Some(known) = settings.position(|earlier| self.is_current(earlier)) else {
            self.all.settings.push(self.setting.clone());
            return self.all.settings.len() - 1;
        };
        let (new, browsers) = (
            &self.setting.chromium,
            &mut self.all.settings[known].chromium,
        );
        if browsers.split(", ").all(|one| one != new) {
            *browsers = format!("{browsers}, {new}");
        }
        known
    }

    pub(super) fn add_opinion(&mut self, said: LighthousePrediction) -> Result<()> {
        self.all.lighthouse.push(said);
        self.save()
    }

    /// Describes the last run of a load's variant.
    pub(super) fn say(&self, plan: &Plan, load: Load) -> String {
        let place = self.place(plan, load);
        let run = place.and_then(|place| self.all.observations[place].runs.last());
        let Some(run) = run else {
            return String::new();
        };
        if let Some(failure) = &run.failure {
            return format!("failed, {failure}");
        }
        let metrics = self.metrics.iter();
        let said = metrics.filter_map(|id| {
            let value = run.value(*id)?;
            let metric = id.metric();
            Some(format!("{} {}", metric.name, metric.unit.format(value)))
        });
        said.collect::<Vec<_>>().join(", ")
    }

    fn save(&self) -> Result<()> {
        if let Some(path) = self.file {
            let text = self.all.to_json();
            write_atomically(path, |out| out.write_all(text.as_bytes()))?;
        }
        Ok(())
    }

    /// Returns the observations of the design.
    pub(super) fn of(mut self, design: &[Plan]) -> Observations {
        self.all.observations.retain(|one| {
            design
                .iter()
                .any(|plan| (0..plan.variants()).any(|variant| is_of(plan, variant, one)))
        });
        self.all
    }
}

/// Reads the file of observations.
fn read(path: &Path) -> Result<Observations> {
    let shown = path.display().to_string();
    let bytes = std::fs::read(path).with_context(|| format!("{shown}: cannot be read"))?;
    Ok(Observations::from_json(&shown, &bytes)?)
}

/// Returns the settings that affect loads, other than page, network and contender.
fn how(args: &CalibrateArgs) -> Fact {
    let CalibrateArgs { world, .. } = args;
    let value = format!(
        "{}, connections {:?}, retransmission {:?}, {}, settled after {} ms",
        match world.wire.dns {
            NameLookup::RoundTrip => "addresses looked up",
            NameLookup::None => "addresses known",
        },
        world.wire.connections,
        world.wire.retransmission,
        world.wire.settings().packets(),
        world.settle.as_millis_f64(),
    );
    Fact::new("settings of loads", value)
}

/// Returns what slows the timed loads down.
fn recorded(args: &CalibrateArgs) -> Fact {
    let value = if args.world.no_speed_index {
        "the requests, by DevTools"
    } else {
        "nothing"
    };
    Fact::new("recorded in timed loads", value)
}

/// Tells that the browser opened the connections that pages hint at. Chromium ignores such hints
/// (`<link rel=preconnect>`) in most browsing contexts (measured), and earlier loads were in those.
fn hints() -> Fact {
    Fact::new("connections by hints", "opened")
}

/// Returns true if loads in this setting follow hints.
pub(super) fn follows_hints(setting: &Setting) -> bool {
    setting.more.contains(&hints())
}

pub(super) fn is_of(plan: &Plan, variant: usize, observation: &Observation) -> bool {
    let (page, network, contender) = plan.variant_parts(variant);
    plan.pages[page].name == observation.page
        && plan.networks[network].name == observation.network
        && plan.contenders[contender] == observation.contender
}
