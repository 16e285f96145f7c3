//! A page over the network of its own recording: what a load there comes to,
//! beside what the recording says; and what held its first paint.

use std::sync::Arc;

use pagerace_browser::{BrowserConfig, LoadMetrics, Profile};
use pagerace_core::Duration;
use pagerace_net::Network;
use pagerace_page::{Interventions, Page, Wait};

use crate::{ProtocolMap, Scenario, ScenarioError, TransportSettings, Visit, run};

/// The downlink where too little arrived to tell: nothing waits for it.
const UNKNOWN_RATE_KBIT: u64 = 100_000;
/// The round trip where no handshake is recorded.
const UNKNOWN_RTT: Duration = Duration::from_millis(20);
/// How the recording's servers sent is not known; most send in order.
const STRATEGY: &str = "sequential";
/// Virtual time after which a load is given up.
const DEADLINE: Duration = Duration::from_secs(600);
/// Loads in which the delay before the first paint is found.
const FIT_LOADS: usize = 6;
/// A first paint that is too early by less is not held back. Milliseconds.
const FIT_LEAST_MS: f64 = 10.0;

/// The network that `page` was recorded over, as far as the recording tells: the
/// highest rate at which responses arrived, and the round trip that most of the
/// bytes took. What a server is nearer or farther goes into its think times.
pub fn network(page: &Page) -> Network {
    let rtt = own_rtt(page).unwrap_or(UNKNOWN_RTT);
    let rate = page.recorded.down_bits_per_second.map(|rate| rate / 1000);
    let rate = rate.unwrap_or(UNKNOWN_RATE_KBIT).clamp(64, 10_000_000);
    let text = format!(
        "rate {rate}kbit rtt {:.3}ms queue 100p",
        rtt.as_millis_f64()
    );
    Network::parse(&text).expect("a rate and a round trip are a network")
}

/// The median round trip of all bytes.
fn own_rtt(page: &Page) -> Option<Duration> {
    let of =
        |r: &pagerace_page::Resource| Some((page.origin(r.origin).recorded_rtt?, r.body_bytes));
    let mut known: Vec<(Duration, u64)> = page.resources.iter().filter_map(of).collect();
    known.sort_unstable();
    let half = known.iter().map(|k| k.1).sum::<u64>() / 2;
    let mut sum = 0;
    let median = known.iter().find(|k| {
        sum += k.1;
        sum >= half
    });
    median.map(|k| k.0)
}

/// A load of `page` over its recording's own network.
fn own_load(page: &Page) -> Scenario {
    let network = network(page);
    let rtt = own_rtt(page).unwrap_or(UNKNOWN_RTT);
    let mut page = page.clone();
    for resource in &mut page.resources {
        if let Some(own) = page.origins[resource.origin.index()].recorded_rtt {
            resource.think_time = (resource.think_time + own).saturating_sub(rtt);
        }
    }
    let creator = page.recorded.creator.to_ascii_lowercase();
    let profile = match () {
        () if creator.contains("firefox") => Profile::Firefox,
        () if creator.contains("webkit") => Profile::Safari,
        () => Profile::Chrome,
    };
    Scenario {
        protocols: own_protocols(&page),
        page: Arc::new(page),
        network,
        strategy: STRATEGY.parse().expect("it is in the registry"),
        visit: Visit::default(),
        retransmission: pagerace_peer::Retransmission::default(),
        reliability: pagerace_delivery::reliability::ReliabilitySpec::default(),
        needs: Arc::default(),
        browser: BrowserConfig {
            profile,
            jitter: 0.0,
            ..BrowserConfig::default()
        },
        connections: crate::Connections::PerOrigin,
        transport: TransportSettings::default(),
        interventions: Interventions::default(),
        deadline: DEADLINE,
    }
}

/// What each host spoke; HTTP/2 where that is not recorded, and HTTP/1.1 without TLS.
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

/// What a load of `page` over its recording's own network comes to, on a CPU as the
/// model takes it for a desktop.
///
/// # Errors
/// As [`run`].
pub fn reproduce(page: &Page) -> Result<LoadMetrics, ScenarioError> {
    Ok(run(&own_load(page), 1, false)?.load)
}

/// Finds what holds the first paint of a page whose recording tells paints but no
/// layout, so that a load over the recording's own network paints first when the
/// recording did. Leaves all others alone.
///
/// # Errors
/// As [`run`].
pub fn fit_paints(page: &mut Page) -> Result<(), ScenarioError> {
    let recorded = page.recorded.first_paint;
    let (Some(mut fit), Some(recorded)) = (page.fit, recorded) else {
        return Ok(());
    };
    fit.delay = None;
    page.fit = Some(fit);
    let document = Wait::Resource { id: page.document };
    for _ in 0..FIT_LOADS {
        let Some(first) = reproduce(page)?.fcp else {
            break;
        };
        let early = recorded.as_millis_f64() - first.as_millis_f64();
        match fit.delay {
            _ if early.abs() < FIT_LEAST_MS => break,
            None if early < 0.0 => break,
            None => fit.delay = Some(Duration::ZERO),
            // What happened before the recorded paint comes after it here: it did
            // not hold it, or is late itself.
            Some(Duration::ZERO) if early < 0.0 && fit.after != document => fit.after = document,
            Some(Duration::ZERO) if early < 0.0 => fit.delay = None,
            Some(delay) => {
                let held = (delay.as_millis_f64() + early).max(0.0);
                fit.delay = Some(Duration::from_millis_f64(held));
            }
        }
        page.fit = Some(fit);
        if fit.delay.is_none() {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
