//! The browser's queue for a connection, where a recorder counts it as part of the wait.
//!
//! A browser opens at most six HTTP/1.1 connections to one host, and each carries one request at a
//! time. If more requests than that are under way at once, some of them were in the browser's
//! queue. A queue depends on the protocol and is simulated, so it must not count as the server's
//! time.

use std::collections::BTreeMap;

use super::entry::Entry;
use super::filter::served_from_cache;
use super::notes::{Kind, Notes};
use super::protocol::Protocol;

/// Maximum number of HTTP/1.1 connections to one host of Chromium, Firefox, Safari and `PhantomJS`.
const CONNECTIONS: usize = 6;

/// Milliseconds by which recorded times may be wrong.
const ROUNDING_MS: f64 = 2.0;

/// A request on the connections to one host, in milliseconds.
struct Exchange {
    /// Index of its entry.
    index: usize,
    sent: f64,
    first_byte: f64,
    end: f64,
}

/// Takes the browser's queue out of the waits of `entries`.
pub(super) fn take_out(entries: &mut [Entry], notes: &mut Notes) {
    for host in by_host(entries) {
        if !has_queue(&host) {
            continue;
        }
        let waits = host.iter().map(|e| e.first_byte - e.sent);
        let shortest = waits.fold(f64::INFINITY, f64::min);
        for (index, queue) in queues(host) {
            if let Some(wait) = entries[index].wait.filter(|_| queue > ROUNDING_MS) {
                entries[index].wait = Some((wait - queue).max(shortest).min(wait));
                notes.add(Kind::QueueInWait);
            }
        }
    }
}

/// Returns the requests over HTTP/1.1 of each host, in order of their first bytes.
fn by_host(entries: &[Entry]) -> Vec<Vec<Exchange>> {
    let mut hosts: BTreeMap<&str, Vec<Exchange>> = BTreeMap::new();
    for (index, entry) in entries.iter().enumerate() {
        let Some(url) = &entry.url else { continue };
        let is_h1 = match entry.protocol {
            Some(protocol) => protocol == Protocol::H1,
            None => url.scheme() == "http",
        };
        let times = entry.first_byte.zip(entry.wait).zip(entry.end);
        let crossed = entry.status != 0 && !served_from_cache(entry);
        if let Some(((first_byte, wait), end)) = times.filter(|_| is_h1 && crossed) {
            let origin = &url[url::Position::BeforeScheme..url::Position::AfterPort];
            hosts.entry(origin).or_default().push(Exchange {
                index,
                sent: first_byte - wait,
                first_byte,
                end,
            });
        }
    }
    let mut hosts: Vec<Vec<Exchange>> = hosts.into_values().collect();
    for host in &mut hosts {
        host.sort_by(|a, b| a.first_byte.total_cmp(&b.first_byte));
    }
    hosts
}

/// Returns true if more requests are under way at once than a browser has connections.
fn has_queue(host: &[Exchange]) -> bool {
    let mut changes: Vec<(f64, bool)> = host
        .iter()
        .filter(|e| e.end - e.sent > ROUNDING_MS)
        .flat_map(|e| [(e.sent + ROUNDING_MS, true), (e.end, false)])
        .collect();
    // Ends come before beginnings at the same time.
    changes.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut under_way = 0_usize;
    changes.into_iter().any(|(_, begins)| {
        under_way = if begins { under_way + 1 } else { under_way - 1 };
        under_way > CONNECTIONS
    })
}

/// Returns the milliseconds that each request spent in the queue. The connection that has been free
/// for the longest time takes the request whose response comes next.
fn queues(host: Vec<Exchange>) -> impl Iterator<Item = (usize, f64)> {
    let mut free = [f64::NEG_INFINITY; CONNECTIONS];
    host.into_iter().map(move |exchange| {
        free.sort_by(f64::total_cmp);
        let queue = (free[0] - exchange.sent).max(0.0);
        free[0] = exchange.end;
        (exchange.index, queue)
    })
}

#[cfg(test)]
mod tests;
