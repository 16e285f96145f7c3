//! Think times and distances of a recording's servers: what its network does not explain.
//!
//! A recorded wait contains the round trip, the server's think time, and the time that request and
//! response spent in queues: at the link, and behind other responses of the same connection. A
//! recorded handshake contains queues, too. Simulated loads over the recording's own network tell
//! how long the queues take; the rest is the servers'.

use pagerace_core::{Duration, Protocol};
use pagerace_page::{Arrival, Page, highest_rate};

use super::{Loads, exchange, nearest};
use crate::pool::distances;
use crate::{LoadSettings, Outcome, ScenarioError};

/// Windows in milliseconds. A load over the right link arrives at the highest rates of the
/// recording during each of them. Short ones alone mislead, because packets that waited for a lost
/// one arrive together; long ones alone mislead if the page does not fill the link.
const WINDOWS_MS: [f64; 4] = [100.0, 200.0, 500.0, 1_000.0];
/// Least and largest of the first rates that are tried, as shares of the highest recorded rate: the
/// link is slower than that after losses, and faster if the page does not fill it.
const SHARES: (f64, f64) = (0.4, 3.0);
/// Weight of the times that responses take in the search for the rate.
const TIMES_WEIGHT: f64 = 3.0;
/// Largest logarithm of a ratio of times that counts, so that a few slow servers do not look like
/// a slow link.
const TIME_RATIO_MAX: f64 = 0.5;
/// Number of rates that are tried first, at equal ratios; then, twice, one on either side of the
/// best at half the ratio.
const RATES: u32 = 7;
/// Number of loads for finding think times. A slow response meets other queues than a load
/// without its think time has for it.
const THINK_LOADS: usize = 4;
/// Least share of a wait that shows a slow server.
const SLOW: f64 = 0.25;
/// Share by which simulated queues before a response may be too short. Which packets a queue drops,
/// and in which order a server sends, differ between loads.
const QUEUE_ERROR: f64 = 0.5;

/// Fits the link's rate, the servers' think times and their distances to loads over the recording's
/// own network. Leaves a page unchanged that was recorded without a network or without such
/// times, or whose load fails.
pub(super) fn fit(page: &mut Page, loads: &mut Loads) -> Result<(), ScenarioError> {
    if page.resources.iter().all(|r| exchange(r).is_none()) {
        return Ok(());
    }
    let nearest = nearest(page);
    let before = page.clone();
    // As far as the network explains the times, the servers do not.
    for resource in page.resources.iter_mut().filter(|r| exchange(r).is_some()) {
        resource.think_time = Duration::ZERO;
    }
    for origin in &mut page.origins {
        origin.recorded_rtt = origin.recorded_rtt.and(Some(nearest));
    }
    fit_rate(page, loads)?;
    let outcome = loads.load(page)?;
    if outcome.failure.is_some() {
        *page = before;
        return Ok(());
    }
    fit_distances(page, &before, &outcome, nearest);
    fit_think_times(page, &before, nearest, loads)
}

/// Fits the distances: what the set-up of a server's connections, and the wait that met the
/// shortest queues, take longer than in the load `outcome`, in which all are as far away as the
/// nearest one. The smaller of the two counts.
fn fit_distances(page: &mut Page, before: &Page, outcome: &Outcome, nearest: Duration) {
    for (i, handshake) in before.origins.iter().map(|o| o.recorded_rtt).enumerate() {
        let Some(handshake) = handshake else {
            continue;
        };
        let resources = page.resources.iter().zip(&outcome.resources);
        let of_origin = resources.filter(|(resource, _)| resource.origin.index() == i);
        let recorded = of_origin.clone().filter_map(|(r, _)| exchange(r)?.connect);
        let timings = of_origin.clone().filter_map(|(_, timing)| timing.as_ref());
        let simulated = timings.filter(|timing| !timing.connect.is_zero());
        let simulated = simulated.min_by_key(|timing| timing.connect);
        let Some((recorded, simulated)) = recorded.min().zip(simulated) else {
            page.origins[i].recorded_rtt = Some(handshake);
            continue;
        };
        // TCP and TLS take one round trip each, and so does QUIC with TLS.
        let is_tls = page.origins[i].scheme == "https";
        let two = is_tls && simulated.protocol != Protocol::H3;
        let beyond = recorded.saturating_sub(simulated.connect);
        let beyond = beyond.mul_f64(if two { 0.5 } else { 1.0 });
        // A lost packet may have made the recorded set-up longer. It did not make the waits longer.
        // Waits below a round trip did not cross the network.
        let waits = of_origin.filter_map(|(r, t)| Some((exchange(r)?.wait, t.as_ref()?.wait)));
        let waits = waits.filter(|(recorded, _)| *recorded >= nearest);
        let least_queued = waits.min_by_key(|(recorded, simulated)| (*simulated, *recorded));
        let waited = least_queued.map(|(recorded, simulated)| recorded.saturating_sub(simulated));
        let beyond = waited.map_or(beyond, |waited| beyond.min(waited));
        page.origins[i].recorded_rtt = Some((nearest + beyond).min(handshake));
    }
}

/// Fits the think times: what the round trip and the queues of a load leave of the waits, and at
/// most what the recording says.
fn fit_think_times(
    page: &mut Page,
    before: &Page,
    nearest: Duration,
    loads: &mut Loads,
) -> Result<(), ScenarioError> {
    let distances = distances(page, &LoadSettings::default());
    // Servers whose waits the network explains keep to that, whatever the think times of others
    // do to the queues.
    let mut slow = vec![true; page.resources.len()];
    for _ in 0..THINK_LOADS {
        let outcome = loads.load(page)?;
        if outcome.failure.is_some() {
            page.clone_from(before);
            break;
        }
        for (i, slow) in slow.iter_mut().enumerate().filter(|(_, slow)| **slow) {
            let bound = before.resources[i].think_time;
            let resource = &mut page.resources[i];
            let recorded = exchange(resource);
            let Some((recorded, simulated)) = recorded.zip(outcome.resources[i].as_ref()) else {
                // The load tells nothing of it.
                resource.think_time = bound;
                *slow = false;
                continue;
            };
            let round_trip = nearest + distances[resource.origin.index()];
            let queued = simulated
                .wait
                .saturating_sub(round_trip + resource.think_time);
            let explained = round_trip + queued.mul_f64(1.0 + QUEUE_ERROR);
            resource.think_time = recorded.wait.saturating_sub(explained).min(bound);
            *slow = resource.think_time >= recorded.wait.mul_f64(SLOW);
        }
        if !slow.contains(&true) {
            break;
        }
    }
    Ok(())
}

/// Fits the link's rate: responses arrive as fast as in the recording, and take as long.
fn fit_rate(page: &mut Page, loads: &mut Loads) -> Result<(), ScenarioError> {
    let Some(highest) = page.recorded.down_bits_per_second else {
        return Ok(());
    };
    let mut best = (f64::INFINITY, highest);
    // Tries a rate and returns the best one so far.
    let mut attempt = |rate: f64| -> Result<f64, ScenarioError> {
        page.recorded.down_bits_per_second = Some(rate as u64);
        let error = difference(page, &*loads.load(page)?);
        if error < best.0 {
            best = (error, rate as u64);
        }
        Ok(best.1 as f64)
    };
    let (least, most) = SHARES;
    let ratio = (most / least).powf(1.0 / f64::from(RATES - 1));
    let mut found = highest as f64;
    for number in 0..RATES {
        found = attempt(highest as f64 * least * ratio.powf(f64::from(number)))?;
    }
    for step in [ratio.powf(0.5), ratio.powf(0.25)] {
        let center = found;
        attempt(center * step)?;
        found = attempt(center / step)?;
    }
    page.recorded.down_bits_per_second = Some(best.1);
    Ok(())
}

/// Returns how much the arrivals of a load differ from those of the recording, as a weighted sum
/// of logarithms of ratios.
fn difference(page: &Page, outcome: &Outcome) -> f64 {
    let responses = responses(page, outcome);
    let recorded: Vec<Arrival> = responses.iter().map(|r| r.recorded).collect();
    let simulated: Vec<Arrival> = responses.iter().map(|r| r.simulated).collect();
    let rates = WINDOWS_MS.map(|window| {
        let rate = |arrivals| highest_rate(arrivals, window);
        (rate(&simulated) / rate(&recorded)).ln().abs()
    });
    let times = responses.iter().map(|r| {
        // Recordings round to milliseconds.
        let ratio = r.simulated_ms.max(1.0) / r.recorded_ms.max(1.0);
        ratio.ln().clamp(-TIME_RATIO_MAX, TIME_RATIO_MAX)
    });
    let mean = times.sum::<f64>() / responses.len() as f64;
    rates.iter().sum::<f64>() + TIMES_WEIGHT * mean.abs()
}

/// A response in a recording and in a simulated load.
struct Response {
    recorded: Arrival,
    simulated: Arrival,
    /// Time from the request to the last byte.
    recorded_ms: f64,
    simulated_ms: f64,
}

/// Returns the responses that both the recording and the load have.
fn responses(page: &Page, outcome: &Outcome) -> Vec<Response> {
    let resources = page.resources.iter().zip(&outcome.resources);
    let responses = resources.filter_map(|(resource, timing)| {
        let (times, t) = (resource.recorded?, timing.as_ref()?);
        let exchange = times.exchange?;
        let requested = t.discovered + t.queued + t.blocked + t.dns + t.connect;
        let arrival = |last: Duration, receive: Duration| Arrival {
            first: last.as_millis_f64() - receive.as_millis_f64(),
            last: last.as_millis_f64(),
            bytes: resource.body_bytes as f64,
        };
        let last = (requested + t.wait + t.receive).since_start();
        Some(Response {
            recorded: arrival(times.end, exchange.receive),
            simulated: arrival(last, t.receive),
            recorded_ms: (exchange.wait + exchange.receive).as_millis_f64(),
            simulated_ms: (t.wait + t.receive).as_millis_f64(),
        })
    });
    responses.collect()
}

#[cfg(test)]
mod tests;
