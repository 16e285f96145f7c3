//! Loads of a page over the network of its own recording, to compare the model with the
//! recording, and to fit what the recording leaves open: the link's rate, the servers, the
//! processor, and the delay of the first paint.

mod processor;
mod servers;

use std::rc::Rc;
use std::sync::Arc;

use pagerace_browser::{Browser, BrowserConfig, LoadMetrics, Profile};
use pagerace_core::Duration;
use pagerace_net::Network;
use pagerace_page::{Interventions, Page, RecordedExchange, ReproducedTimes, Resource, Wait};

use crate::event_loop::Record;
use crate::page_load::PageLoad;
use crate::{LoadSettings, Outcome, ProtocolMap, Scenario, ScenarioError, Visit, World, run};

/// Downlink rate in kbit/s if too few bytes were recorded to measure it; high enough not
/// to limit a load.
const UNKNOWN_RATE_KBIT: u64 = 100_000;
/// Least round-trip time that a wait may stand for.
const LEAST_RTT: Duration = Duration::from_micros(100);
/// Round-trip time if no handshake is recorded, unless a wait is shorter. A wait alone does not
/// tell a distant server from a slow one.
const UNKNOWN_RTT: Duration = Duration::from_millis(20);
/// Strategy of the servers. The recording does not tell theirs; most servers send in
/// order.
const STRATEGY: &str = "sequential";
/// Virtual time after which a load is given up.
const DEADLINE: Duration = Duration::from_secs(600);
/// Maximum number of loads for finding the delay of the first paint.
const FIT_LOADS: usize = 6;
/// Difference in milliseconds below which a first paint counts as on time.
const FIT_LEAST_MS: f64 = 10.0;

/// Returns the network that `page` was recorded over, as far as the recording tells: the
/// rate, and the round trip to the nearest server.
pub fn network(page: &Page) -> Network {
    let rtt = nearest(page);
    let rate = page.recorded.down_bits_per_second.map(|rate| rate / 1000);
    let rate = rate.unwrap_or(UNKNOWN_RATE_KBIT).clamp(64, 10_000_000);
    let text = format!(
        "rate {rate}kbit rtt {:.3}ms queue 100p",
        rtt.as_millis_f64()
    );
    Network::parse(&text).expect("a rate and a round trip are a network")
}

/// Returns the round trip to the nearest server: the shortest handshake, else a usual one, which is
/// no longer than the shortest wait.
fn nearest(page: &Page) -> Duration {
    let handshakes = page.origins.iter().filter_map(|o| o.recorded_rtt);
    let exchanges = page.resources.iter().filter_map(exchange);
    // Recorders round to milliseconds, so some waits are 0.
    let waits = exchanges.map(|exchange| exchange.wait.max(LEAST_RTT));
    let bound = waits.fold(UNKNOWN_RTT, Duration::min);
    handshakes.min().unwrap_or(bound)
}

/// Returns the recorded parts of a request's time, if they tell of a network.
fn exchange(resource: &Resource) -> Option<RecordedExchange> {
    resource.recorded.and_then(|times| times.exchange)
}

/// Returns a scenario that loads `page` over the network of its recording.
fn own_load(page: &Page) -> Scenario {
    let network = network(page);
    let creator = page.recorded.creator.to_ascii_lowercase();
    let made = |profile: &&Profile| profile.creator.is_some_and(|word| creator.contains(word));
    let profile = Profile::all().find(made).unwrap_or(Profile::CHROME);
    Scenario {
        protocols: own_protocols(page),
        page: Arc::new(page.clone()),
        network,
        strategy: STRATEGY.parse().expect("it is in the registry"),
        visit: Visit::default(),
        reliability: pagerace_delivery::reliability::ReliabilitySpec::default(),
        needs: Arc::default(),
        congestion: "cubic".to_owned(),
        interventions: Interventions::default(),
        changes: pagerace_page::Changes::default(),
        browser: BrowserConfig {
            profile,
            jitter: 0.0,
            ..BrowserConfig::default()
        },
        settings: LoadSettings {
            deadline: DEADLINE,
            ..LoadSettings::default()
        },
        world: World::NOMINAL,
    }
}

/// Returns the recorded protocol of each host. If none is recorded, it is HTTP/1.1
/// without TLS and HTTP/2 with TLS.
fn own_protocols(page: &Page) -> ProtocolMap {
    let rule = |o: &pagerace_page::Origin| {
        let protocol = match (o.protocol.as_deref(), o.scheme.as_str()) {
            (Some("h2"), _) => "h2",
            (Some("h3"), _) => "h3",
            (Some(_), _) | (None, "http") => "h1",
            (None, _) => "h2",
        };
        format!("{}={protocol} ", o.host)
    };
    let rules: String = page.origins.iter().map(rule).collect();
    format!("{rules}*=h2")
        .parse()
        .unwrap_or_else(|_| ProtocolMap::uniform(pagerace_core::Protocol::H2))
}

/// Loads over the network of a recording. Fits come back to pages that they have loaded before.
#[derive(Default)]
struct Loads(Vec<(Arc<Page>, Rc<Outcome>)>);

impl Loads {
    /// Returns the outcome of a load of `page`, which is loaded only once.
    fn load(&mut self, page: &Page) -> Result<Rc<Outcome>, ScenarioError> {
        if let Some(outcome) = self.known(page) {
            return Ok(outcome);
        }
        let scenario = own_load(page);
        let outcome = Rc::new(run(&scenario, 1, false)?);
        self.0.push((scenario.page, outcome.clone()));
        Ok(outcome)
    }

    /// Returns the first paint of a load of `page`, which ends there.
    fn first_paint(&self, page: &Page) -> Result<Option<Duration>, ScenarioError> {
        if let Some(outcome) = self.known(page) {
            return Ok(outcome.load.fcp);
        }
        let scenario = own_load(page);
        let load = PageLoad::run_until(&scenario, 1, Record::Nothing, Browser::has_painted)?;
        Ok(load.finish().0.load.fcp)
    }

    fn known(&self, page: &Page) -> Option<Rc<Outcome>> {
        let (_, outcome) = self.0.iter().find(|(known, _)| **known == *page)?;
        Some(outcome.clone())
    }
}

/// Returns the metrics of a load of `page` over the network of its recording, on its processor.
///
/// # Errors
/// Returns the errors of [`run`].
pub fn reproduce(page: &Page) -> Result<LoadMetrics, ScenarioError> {
    Ok(run(&own_load(page), 1, false)?.load)
}

/// Fits what the recording of a page leaves open to loads over the recording's own network: the
/// link's rate, think times and distances of servers, the processor's slow-down, and the delay of
/// the first paint. Sets down how well the load then is reproduced. Leaves recordings of `pagerace
/// record` as they are, whose network is the machine's own and whose layout and processor times are
/// recorded.
///
/// # Errors
/// Returns the errors of [`run`].
pub fn fit(page: &mut Page) -> Result<(), ScenarioError> {
    let loads = &mut Loads::default();
    servers::fit(page, loads)?;
    processor::fit(page, loads)?;
    fit_paints(page, loads)?;
    if page.resources.iter().any(|r| exchange(r).is_some()) {
        let load = loads.load(page)?.load;
        page.recorded.reproduced = Some(ReproducedTimes {
            on_content_load: load.dom_content_loaded,
            on_load: load.onload,
            first_paint: load.fcp,
            largest_paint: load.lcp,
        });
    }
    Ok(())
}

/// Fits the delay of the first paint of a page with recorded paints but no recorded
/// layout, so that a load over the recording's own network paints first when the
/// recording did. Leaves other pages unchanged.
fn fit_paints(page: &mut Page, loads: &Loads) -> Result<(), ScenarioError> {
    let recorded = page.recorded.first_paint;
    let (Some(mut fit), Some(recorded)) = (page.fit(), recorded) else {
        return Ok(());
    };
    let set = |page: &mut Page, fit| {
        if let Some(guess) = page.guess_mut() {
            guess.fit = Some(fit);
        }
    };
    fit.delay = None;
    set(page, fit);
    let document = Wait::Resource { id: page.document };
    for _ in 0..FIT_LOADS {
        let Some(first) = loads.first_paint(page)? else {
            break;
        };
        let early = recorded.as_millis_f64() - first.as_millis_f64();
        match fit.delay {
            _ if early.abs() < FIT_LEAST_MS => break,
            None if early < 0.0 => break,
            None => fit.delay = Some(Duration::ZERO),
            // The event that preceded the recorded paint comes after it in this load.
            // Either it did not hold the paint, or it is late itself.
            Some(Duration::ZERO) if early < 0.0 && fit.after != document => fit.after = document,
            Some(Duration::ZERO) if early < 0.0 => fit.delay = None,
            Some(delay) => {
                let held = (delay.as_millis_f64() + early).max(0.0);
                fit.delay = Some(Duration::from_millis_f64(held));
            }
        }
        set(page, fit);
        if fit.delay.is_none() {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
