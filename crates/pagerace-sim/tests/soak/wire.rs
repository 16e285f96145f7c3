//! Laws of the packets on the links.

use pagerace_core::{Duration, Instant};
use pagerace_page::{CacheUse, Resource};
use pagerace_sim::ledger::{EndCounts, Fate, WirePacket};
use pagerace_sim::{Ledger, Outcome, Scenario, Visit};

use super::limits::Limits;
use super::sockets::longest_timeout;

/// The longest time for which a sender may be silent although it has something to send and
/// no packet is under way: delayed acknowledgements, a low pacing rate, a probe of the
/// round trip.
const SILENCE: Duration = Duration::from_secs(1);

/// After every run.
const END: Instant = Instant::from_nanos(u64::MAX);

/// Each byte that an end sent was received, was lost, was dropped, or is still under way.
pub(crate) fn conserved(ledger: &Ledger, end: Instant) -> Result<(), String> {
    for (i, [client, server]) in ledger.ends.iter().enumerate() {
        for (name, from, to, packets) in [
            ("client", client, server, &ledger.up),
            ("server", server, client, &ledger.down),
        ] {
            let own = packets.iter().filter(|p| p.connection.0 == i as u32);
            balance(from, to, own, end)
                .map_err(|reason| format!("connection {i}, from the {name}: {reason}"))?;
        }
    }
    Ok(())
}

fn balance<'a>(
    from: &EndCounts,
    to: &EndCounts,
    packets: impl Iterator<Item = &'a WirePacket>,
    end: Instant,
) -> Result<(), String> {
    let (mut arrived, mut gone, mut under_way, mut now) = (0, 0, 0, 0);
    for p in packets {
        let sum = match p.fate {
            Fate::Lost | Fate::Dropped => &mut gone,
            Fate::Arrived(at) if at < end => &mut arrived,
            // The run may end before the receiver has the last packets.
            Fate::Arrived(at) if at == end => &mut now,
            Fate::Arrived(_) | Fate::InFlight => &mut under_way,
        };
        *sum += u64::from(p.size);
    }
    let whole = from.sent == arrived + gone + under_way + now;
    if !whole || !(arrived..=arrived + now).contains(&to.received) {
        return Err(format!(
            "{} bytes sent, {} received; of the packets {arrived} arrived, {now} at the end, \
             {gone} were lost, {under_way} are under way",
            from.sent, to.received
        ));
    }
    Ok(())
}

/// No packet is faster than its link.
pub(crate) fn within(limits: &Limits, ledger: &Ledger) -> Result<(), String> {
    let down = limits.down.check(&ledger.down);
    down.map_err(|reason| format!("downlink: {reason}"))?;
    let up = limits.up.check(&ledger.up);
    up.map_err(|reason| format!("uplink: {reason}"))
}

/// While a response is ready and not complete, packets are under way: without losses, no
/// sender waits for long; with losses, for a probe timeout at most. A policy of partial
/// reliability may hold responses back.
pub(crate) fn no_stall(scenario: &Scenario, ledger: &Ledger) -> Result<(), String> {
    let packets = || ledger.down.iter().chain(&ledger.up);
    let lossless = ledger.look_ups_lost == 0 && !packets().any(WirePacket::is_gone);
    if !scenario.reliability.is_full() {
        return Ok(());
    }
    let span = |p: &WirePacket| match p.fate {
        Fate::Arrived(at) => (p.sent_at, at),
        _ => (p.sent_at, END),
    };
    let silences = silences(packets().map(span).collect());
    for (i, answer) in ledger.answers.iter().enumerate() {
        let span = answer.and_then(|a| Some((a.ready?, a.ended?)));
        let Some((ready, ended)) = span else { continue };
        // The last silence that begins before the response ends, and all before it.
        let before = silences.partition_point(|s| s.0 < ended);
        for (from, until) in silences[..before].iter().rev() {
            if *until <= ready {
                break;
            }
            let (from, until) = ((*from).max(ready), (*until).min(ended));
            let patience = if lossless {
                SILENCE
            } else {
                SILENCE + longest_timeout(from.since_start())
            };
            if until.since(from) > patience {
                return Err(format!(
                    "resource {i} was ready at {ready:?} and complete at {ended:?}, and no \
                     packet was under way from {from:?} to {until:?}"
                ));
            }
        }
    }
    Ok(())
}

/// Returns the gaps between spans that may overlap, in order.
fn silences(mut busy: Vec<(Instant, Instant)>) -> Vec<(Instant, Instant)> {
    busy.sort_unstable();
    let mut last = Instant::ZERO;
    let mut gaps = Vec::new();
    busy.push((END, END));
    for (from, until) in busy {
        if from > last {
            gaps.push((last, from));
        }
        last = last.max(until);
    }
    gaps
}

/// Returns the bytes of the body that a server sends for a resource.
pub(crate) fn content(scenario: &Scenario, r: &Resource) -> u64 {
    let unchanged = scenario.visit == Visit::Warm && r.cache == CacheUse::Validate;
    // A 204 has no content (RFC 9110, section 6.4.1), nor has the answer to HEAD (section 9.3.2).
    // A recorded 304 stands for the response that it validated.
    if unchanged || r.status == 204 || r.method == "HEAD" {
        0
    } else {
        r.body_bytes
    }
}

/// A response that is complete delivered every byte of its body once.
pub(crate) fn whole(scenario: &Scenario, outcome: &Outcome, ledger: &Ledger) -> Result<(), String> {
    for (r, answer) in scenario.page.resources.iter().zip(&ledger.answers) {
        let Some(answer) = answer.filter(|a| a.ended.is_some()) else {
            continue;
        };
        let object = outcome.objects.get(r.id.index()).copied().flatten();
        let missing = object.map_or(0, |o| o.missing_bytes);
        let body = content(scenario, r);
        // The browser may receive the bytes of an incomplete object before its first gap.
        let whole = match missing {
            0 => answer.body == body,
            _ => answer.body + missing <= body,
        };
        if !whole {
            return Err(format!(
                "resource {} has {body} bytes; it ended with {}, and {missing} are missing",
                r.id.0, answer.body
            ));
        }
    }
    Ok(())
}
