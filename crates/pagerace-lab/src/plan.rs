//! All inputs of a race, resolved: the same plan and version of the product give
//! the same results on any machine.

use std::collections::BTreeSet;
use std::sync::Arc;

use pagerace_browser::BrowserConfig;
use pagerace_browser::config::CPU;
use pagerace_core::Protocol;
use pagerace_core::rng::derive_seed;
use pagerace_net::Network;
use pagerace_page::{Interventions, Page};
use pagerace_sim::{Connections, EarlyData, LoadSettings, ObjectNeed, Scenario, Visit, World};
use pagerace_transport::tls;
use serde::{Deserialize, Serialize};

use crate::analysis::WORLDS_MIN;
use crate::contender::{Contender, Dimensions, Noun};
use crate::error::LabError;
use crate::metric::MetricId;
use crate::worlds::Worlds;

mod changes;
mod interventions;
mod reliability;
mod settings;

/// A race: every contender loads every page on every network several times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The complete pages, so that their files are not needed again.
    pub pages: Vec<Arc<Page>>,
    /// The networks, resolved.
    pub networks: Vec<Network>,
    /// The contenders.
    pub contenders: Vec<Contender>,
    /// Number of loads per variant.
    pub runs: u32,
    /// True if `runs` is a guide: a race over several worlds runs until its answer stands, at
    /// least 10 times and at most twice as often as `runs` says.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub adaptive: bool,
    /// The seed from which all other seeds derive.
    pub seed: u64,
    /// The worlds of the runs.
    pub worlds: Worlds,
    /// The browser model and its settings.
    pub browser: BrowserConfig,
    /// The slow-down of the processors of those who use each network; empty if it is the
    /// browser's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processors: Vec<f64>,
    /// The settings that all contenders share.
    pub settings: LoadSettings,
    /// Requests that are blocked or answered late for all contenders.
    #[serde(default)]
    pub interventions: Interventions,
    /// The needs of each page, by page and resource, which some reliability
    /// policies require; empty if unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<Arc<Vec<ObjectNeed>>>,
    /// The metric by which contenders are ranked.
    pub metric: MetricId,
    /// Index in `contenders` of the baseline, with which the others are compared.
    pub baseline: usize,
}

/// Number of runs of each variant by default: enough for firm answers.
pub const RUNS: u32 = 30;
/// The default seed.
pub const SEED: u64 = 1;
/// Maximum number of loads in a race; each result takes some kilobytes.
const MAX_LOADS: u128 = 10_000_000;

impl Plan {
    /// Returns a race with the default settings: 30 runs, seed 1, the default metric, and
    /// the first contender as the baseline.
    pub fn new(pages: Vec<Arc<Page>>, networks: Vec<Network>, contenders: Vec<Contender>) -> Self {
        Self {
            pages,
            networks,
            contenders,
            runs: RUNS,
            adaptive: false,
            seed: SEED,
            worlds: Worlds::PLAUSIBLE,
            browser: BrowserConfig::default(),
            processors: Vec::new(),
            settings: LoadSettings::default(),
            interventions: Interventions::default(),
            needs: Vec::new(),
            metric: MetricId::default(),
            baseline: 0,
        }
    }

    /// Returns an error if the plan cannot be run.
    ///
    /// # Errors
    /// [`LabError::Plan`] with the field, its value and what is expected instead.
    pub fn check(&self) -> Result<(), LabError> {
        let bad = |text: String| Err(LabError::Plan(text));
        if self.pages.is_empty() || self.networks.is_empty() || self.contenders.is_empty() {
            return bad("a race needs at least one page, one network and one contender".to_owned());
        }
        if self.runs == 0 {
            return bad("runs: 0 loads say nothing; use 1 or more, 30 for firm answers".to_owned());
        }
        let variants = u128::from(self.runs) * self.variants() as u128;
        if variants > MAX_LOADS {
            return bad(format!(
                "runs: {} runs of {} variants are {variants} loads, more than {MAX_LOADS}; \
                 use fewer runs",
                self.runs,
                self.variants()
            ));
        }
        if let Worlds::Plausible(widths) = &self.worlds {
            widths.check().map_err(LabError::Plan)?;
        }
        self.browser.check().map_err(LabError::Plan)?;
        if !self.processors.is_empty() && self.processors.len() != self.networks.len() {
            return bad(format!(
                "processors: there are {} for {} networks; give one for each network, or none",
                self.processors.len(),
                self.networks.len()
            ));
        }
        if let Some(cpu) = self.processors.iter().find(|cpu| !CPU.contains(cpu)) {
            return bad(format!(
                "processors: the slow-down {cpu} is not between {} and {}",
                CPU.start(),
                CPU.end()
            ));
        }
        self.settings.check().map_err(LabError::Plan)?;
        for page in &self.pages {
            if let Err(reason) = page.check() {
                return bad(format!("pages: {}: {reason}", page.name));
            }
            let metric = self.metric.metric();
            if metric.needs_document() && !page.has_navigation() {
                return bad(format!(
                    "pages: {}: no navigation is recorded, so nothing is painted and there is no \
                     {}; rank by --metric onload (the last response), or record the load of a page \
                     with the network log open from the start",
                    page.name, metric.title
                ));
            }
        }
        if let Some(name) = repeated(self.pages.iter().map(|page| page.name.clone())) {
            return bad(format!(
                "pages: two are called {name}; results need distinct names"
            ));
        }
        if let Some(name) = repeated(self.networks.iter().map(|network| network.name.clone())) {
            return bad(format!("networks: {name} is given twice"));
        }
        for Contender { congestion, .. } in &self.contenders {
            if !pagerace_cc::registry()
                .iter()
                .any(|info| info.name == congestion)
            {
                let name = congestion.clone();
                let unknown = pagerace_cc::UnknownController { name };
                return bad(format!("contenders: {unknown}"));
            }
        }
        if let Some(name) = self.twin() {
            return bad(format!("contenders: {name} is given twice"));
        }
        let later = self.contenders.iter().find(|c| c.visit != Visit::Cold);
        if let Some(contender) = later.filter(|_| self.settings.real_tls) {
            return bad(format!(
                "tls: real TLS supports cold visits only, not {} ones; leave out --tls real",
                contender.visit
            ));
        }
        self.check_settings()?;
        self.check_early_data()?;
        self.check_interventions()?;
        self.check_changes()?;
        self.check_reliability()?;
        if self.baseline >= self.contenders.len() {
            return bad(format!(
                "baseline: there is no contender {} (they are counted from 0, and there are {})",
                self.baseline,
                self.contenders.len()
            ));
        }
        if self.settings.connections == Connections::Single {
            return self.check_single();
        }
        Ok(())
    }

    /// Returns the label of the first contender that loads every page like an earlier one.
    fn twin(&self) -> Option<String> {
        let pairs = self.contenders.iter().enumerate();
        let mut twins = pairs.filter(|(i, c)| self.contenders[..*i].iter().any(|o| o.loads_as(c)));
        twins.next().map(|(i, _)| self.label(i))
    }

    /// Returns an error if early data is enabled with a TLS version that has none.
    fn check_early_data(&self) -> Result<(), LabError> {
        let LoadSettings {
            tcp_tls,
            early_data,
            ..
        } = self.settings;
        if (tcp_tls, early_data) != (tls::Version::Tls12, EarlyData::On) {
            return Ok(());
        }
        let speaks = |i: &usize| self.speaks(*i, Protocol::is_tcp);
        let Some(contender) = (0..self.contenders.len()).find(speaks) else {
            return Ok(());
        };
        Err(LabError::Plan(format!(
            "early-data: TLS 1.2 has none, and {} would need it over TCP; choose TLS 1.3, or \
             early data on QUIC alone with --early-data auto",
            self.contenders[contender].protocols
        )))
    }

    /// Returns true if the contender at `index` uses such a protocol for any request, or has a
    /// rule with one if the plan has no pages yet.
    pub fn speaks(&self, index: usize, wanted: fn(Protocol) -> bool) -> bool {
        let contender = &self.contenders[index];
        if self.pages.is_empty() {
            return contender.protocols.named().any(wanted);
        }
        let mut pages = self.pages.iter();
        pages.any(|page| contender.protocols_of(page).into_iter().any(wanted))
    }

    /// Returns a sentence on each page whose own load is reproduced badly.
    pub fn doubts(&self) -> Vec<String> {
        let doubts = self.pages.iter().filter_map(|page| {
            let doubt = page.doubt_in_words()?;
            let several = self.pages.len() > 1;
            Some(if several {
                format!("{}: {doubt}", page.name)
            } else {
                doubt
            })
        });
        doubts.collect()
    }

    /// Returns the hosts of all pages without duplicates, in order of appearance.
    pub fn hosts(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        let origins = self.pages.iter().flat_map(|page| &page.origins);
        let hosts = origins.map(|origin| origin.host.as_str());
        hosts.filter(|host| seen.insert(*host)).collect()
    }

    /// Returns the protocol rules that apply to no request of any page, without duplicates.
    /// Such a rule probably has a misspelt host or is hidden by an earlier rule.
    pub fn unmatched_rules(&self) -> Vec<String> {
        let mut rules = Vec::new();
        for contender in &self.contenders {
            for rule in contender
                .protocols
                .unmatched(self.pages.iter().map(AsRef::as_ref))
            {
                if !rules.contains(&rule) {
                    rules.push(rule);
                }
            }
        }
        rules
    }

    /// Returns an error if a contender cannot load a page over a single connection.
    fn check_single(&self) -> Result<(), LabError> {
        for (i, contender) in self.contenders.iter().enumerate() {
            for page in &self.pages {
                let reason = match contender.protocols_of(page).as_slice() {
                    [Protocol::H1, ..] => "HTTP/1.1 has one connection or several for each host",
                    [_, _, ..] => "one connection speaks one protocol",
                    _ => continue,
                };
                return Err(LabError::Plan(format!(
                    "connections: {} cannot load {} over a single connection: {reason}; \
                     leave out --connections single",
                    self.label(i),
                    page.name
                )));
            }
        }
        Ok(())
    }

    /// Returns the properties in which the contenders differ.
    pub fn varying(&self) -> Dimensions {
        Dimensions::varying(&self.contenders)
    }

    /// Returns the noun for the contenders.
    pub fn noun(&self) -> Noun {
        self.varying().noun()
    }

    /// Returns the short name of the contender at `index`, made of the properties
    /// that distinguish it.
    pub fn label(&self, index: usize) -> String {
        self.contenders[index].label(self.varying())
    }

    /// Returns the name of the contender at `index` in a sentence: HTTP/3 rather than h3, if
    /// contenders are told apart by their protocols alone, or there is only one.
    pub fn spoken(&self, index: usize) -> String {
        let label = self.label(index);
        let alone = self.contenders.len() == 1;
        match self.contenders[index].protocols.is_uniform() {
            Some(protocol) if alone || label == protocol.to_string() => match protocol {
                Protocol::H1 => "HTTP/1.1",
                Protocol::H2 => "HTTP/2",
                Protocol::H3 => "HTTP/3",
            }
            .to_owned(),
            _ => label,
        }
    }

    /// Returns the short names of all contenders.
    pub fn labels(&self) -> Vec<String> {
        let varying = self.varying();
        self.contenders.iter().map(|c| c.label(varying)).collect()
    }

    /// Returns the seed of run `run`. All variants share it, so that runs are paired.
    /// It is below 2^53, so that JSON readers with floats only keep it intact.
    pub fn run_seed(&self, run: usize) -> u64 {
        derive_seed(self.seed, &format!("run/{run}")) >> 11
    }

    /// Returns the number of runs before the answer is looked at.
    pub(crate) fn first_runs(&self) -> usize {
        let runs = self.runs as usize;
        if self.is_adaptive() {
            runs.min(WORLDS_MIN)
        } else {
            runs
        }
    }

    /// Returns the next number of runs after `runs`. The draws of worlds are even for each.
    pub(crate) fn more_runs(&self, runs: usize) -> usize {
        (runs + WORLDS_MIN).min(self.most_runs())
    }

    /// Returns the number of runs after which the answer is what it is.
    pub fn most_runs(&self) -> usize {
        let runs = self.runs as usize;
        if self.is_adaptive() { 2 * runs } else { runs }
    }

    fn is_adaptive(&self) -> bool {
        self.adaptive && self.worlds != Worlds::Nominal
    }

    /// Number of page loads in the whole race, unless the race is adaptive.
    pub fn loads(&self) -> usize {
        self.variants() * self.runs as usize
    }

    /// Number of variants: pages times networks times contenders.
    pub fn variants(&self) -> usize {
        self.pages.len() * self.networks.len() * self.contenders.len()
    }

    /// Index of a variant in the results.
    pub fn variant_index(&self, page: usize, network: usize, contender: usize) -> usize {
        assert!(network < self.networks.len() && contender < self.contenders.len());
        (page * self.networks.len() + network) * self.contenders.len() + contender
    }

    /// Page, network and contender of the variant at `index`.
    pub fn variant_parts(&self, index: usize) -> (usize, usize, usize) {
        let contenders = self.contenders.len();
        let (rest, contender) = (index / contenders, index % contenders);
        (
            rest / self.networks.len(),
            rest % self.networks.len(),
            contender,
        )
    }

    /// Returns the world of run `run` on the network at `network`. All contenders share it.
    pub fn world(&self, network: usize, run: usize) -> World {
        self.worlds.world(self.seed, run, &self.networks[network])
    }

    /// Returns the simulator's input for a run of the variant at `index`.
    pub fn scenario(&self, index: usize, run: usize) -> Scenario {
        let (_, network, _) = self.variant_parts(index);
        self.scenario_in(index, self.world(network, run))
    }

    /// Returns the simulator's input for a load of the variant at `index` in this world.
    pub(crate) fn scenario_in(&self, index: usize, world: World) -> Scenario {
        let (page, network, contender) = self.variant_parts(index);
        let contender = self.contenders[contender].clone();
        let mut browser = self.browser.clone();
        if let Some(cpu) = self.processors.get(network) {
            browser.cpu = *cpu;
        }
        Scenario {
            page: Arc::clone(&self.pages[page]),
            network: self.networks[network].clone(),
            strategy: contender.strategy,
            protocols: contender.protocols,
            visit: contender.visit,
            congestion: contender.congestion,
            interventions: self.interventions.and(&contender.interventions),
            changes: contender.changes,
            needs: self.needs.get(page).cloned().unwrap_or_default(),
            reliability: contender.reliability,
            browser,
            settings: self.settings,
            world: World::NOMINAL,
        }
        .in_world(world)
    }
}

/// Returns the first name that occurs a second time.
fn repeated(names: impl Iterator<Item = String>) -> Option<String> {
    let mut seen = BTreeSet::new();
    names.into_iter().find(|name| !seen.insert(name.clone()))
}

#[cfg(test)]
mod tests;
