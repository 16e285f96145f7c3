//! Everything that decides a race, resolved: a plan and a version of the
//! product give the same results on any machine.

use std::collections::BTreeSet;
use std::sync::Arc;

use pagerace_browser::BrowserConfig;
use pagerace_core::Duration;
use pagerace_core::rng::derive_seed;
use pagerace_delivery::StrategySpec;
use pagerace_net::Network;
use pagerace_page::Page;
use pagerace_sim::{Connections, Retransmission, Scenario, TransportSettings};
use serde::{Deserialize, Serialize};

use crate::error::LabError;
use crate::metric::MetricId;

/// A race: every strategy loads every page over every network, several times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The pages, whole, so that their files are not needed again.
    pub pages: Vec<Arc<Page>>,
    /// The networks, resolved.
    pub networks: Vec<Network>,
    /// The strategies, parameters resolved.
    pub strategies: Vec<StrategySpec>,
    /// Loads of each variant.
    pub runs: u32,
    /// From which all others derive.
    pub seed: u64,
    /// The browser's model and its settings.
    pub browser: BrowserConfig,
    /// Which origins share a connection.
    pub connections: Connections,
    /// When lost bytes are sent again.
    pub retransmission: Retransmission,
    /// The transport's settings.
    pub transport: TransportSettings,
    /// Virtual time after which a load is given up.
    #[serde(rename = "deadline_ns")]
    pub deadline: Duration,
    /// By which strategies are ranked.
    pub metric: MetricId,
    /// With which the others are compared; one of `strategies`.
    pub baseline: StrategySpec,
}

impl Plan {
    /// Refuses a plan that cannot be run.
    ///
    /// # Errors
    /// [`LabError::Plan`] names the field, what was found and what is expected.
    pub fn check(&self) -> Result<(), LabError> {
        let bad = |text: String| Err(LabError::Plan(text));
        if self.pages.is_empty() || self.networks.is_empty() || self.strategies.is_empty() {
            return bad("a race needs at least one page, one network and one strategy".to_owned());
        }
        if self.runs == 0 {
            return bad("runs: 0 loads say nothing; use 1 or more, 30 for firm answers".to_owned());
        }
        if self.deadline.is_zero() {
            return bad("deadline: no load finishes in no time; use 600s, for example".to_owned());
        }
        if !(self.browser.cpu.is_finite() && self.browser.cpu > 0.0) {
            return bad(format!(
                "cpu: {} is no slow-down; use 1 or 4",
                self.browser.cpu
            ));
        }
        if !(0.0..=2.0).contains(&self.browser.jitter) {
            return bad(format!(
                "jitter: {} is not between 0 and 2",
                self.browser.jitter
            ));
        }
        if let Some(page) = self.pages.iter().find(|page| page.resources.is_empty()) {
            return bad(format!("pages: {} has no resources", page.name));
        }
        if let Some(name) = repeated(self.pages.iter().map(|page| page.name.clone())) {
            return bad(format!(
                "pages: two are called {name}; names tell them apart in results"
            ));
        }
        if let Some(name) = repeated(self.networks.iter().map(|network| network.name.clone())) {
            return bad(format!("networks: {name} is there twice"));
        }
        if let Some(name) = repeated(self.strategies.iter().map(ToString::to_string)) {
            return bad(format!("strategies: {name} is there twice"));
        }
        if !self.strategies.contains(&self.baseline) {
            return bad(format!(
                "baseline: {} is not among the strategies",
                self.baseline
            ));
        }
        Ok(())
    }

    /// Place of the baseline among the strategies.
    ///
    /// # Panics
    /// If it is not there, which [`check`](Self::check) refuses.
    pub fn baseline_index(&self) -> usize {
        self.strategies
            .iter()
            .position(|s| *s == self.baseline)
            .expect("the plan was checked")
    }

    /// Seed of run `run`, the same for all variants, so that runs are paired.
    /// Below 2^53, so that it survives JSON readers that know only floats.
    pub fn run_seed(&self, run: usize) -> u64 {
        derive_seed(self.seed, &format!("run/{run}")) >> 11
    }

    /// Page loads of the whole race.
    pub fn loads(&self) -> usize {
        self.variants() * self.runs as usize
    }

    /// Variants: pages times networks times strategies.
    pub fn variants(&self) -> usize {
        self.pages.len() * self.networks.len() * self.strategies.len()
    }

    /// Place of a variant in the results.
    pub fn variant_index(&self, page: usize, network: usize, strategy: usize) -> usize {
        assert!(network < self.networks.len() && strategy < self.strategies.len());
        (page * self.networks.len() + network) * self.strategies.len() + strategy
    }

    /// Page, network and strategy of the variant at `index`.
    pub fn variant_parts(&self, index: usize) -> (usize, usize, usize) {
        let (rest, strategy) = (index / self.strategies.len(), index % self.strategies.len());
        (
            rest / self.networks.len(),
            rest % self.networks.len(),
            strategy,
        )
    }

    /// What the simulator needs for the variant at `index`.
    pub fn scenario(&self, index: usize) -> Scenario {
        let (page, network, strategy) = self.variant_parts(index);
        Scenario {
            page: Arc::clone(&self.pages[page]),
            network: self.networks[network].clone(),
            strategy: self.strategies[strategy].clone(),
            retransmission: self.retransmission,
            browser: self.browser.clone(),
            connections: self.connections,
            transport: self.transport.clone(),
            deadline: self.deadline,
        }
    }
}

/// The first name that was seen before.
fn repeated(names: impl Iterator<Item = String>) -> Option<String> {
    let mut seen = BTreeSet::new();
    names.into_iter().find(|name| !seen.insert(name.clone()))
}

#[cfg(test)]
mod tests;
