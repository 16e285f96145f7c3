//! Origins, and the connections that a browser coalesced.
//!
//! HTTP/2 and HTTP/3 allow a connection to serve several origins (RFC 9113, section
//! 9.1.1; RFC 9114, section 3.3). The evidence is the recorder's connection id or,
//! without one, a common address together with a certificate that names the other host.

use std::collections::BTreeMap;

use pagerace_core::Duration;

use super::entry::Entry;
use super::protocol::Protocol;
use crate::domain;
use pagerace_page::{Origin, OriginId};

/// Returns the origins in order of first use, and the origin of each entry.
pub(super) fn collect(
    entries: &[Entry],
    round_trips: &[Option<f64>],
    document_host: &str,
) -> (Vec<Origin>, Vec<OriginId>) {
    let mut index: BTreeMap<(String, String, u16), usize> = BTreeMap::new();
    let mut origins: Vec<Origin> = Vec::new();
    let mut of_entry = Vec::with_capacity(entries.len());
    for entry in entries {
        let url = entry
            .url
            .as_ref()
            .expect("entries without a URL were left out");
        let host = url.host_str().unwrap_or_default().to_owned();
        let port = url.port_or_known_default().unwrap_or(443);
        let at = *index
            .entry((url.scheme().to_owned(), host.clone(), port))
            .or_insert_with(|| {
                origins.push(Origin {
                    scheme: url.scheme().to_owned(),
                    third_party: domain::is_third_party(&host, document_host),
                    host,
                    port,
                    address: None,
                    connection_group: 0,
                    recorded_rtt: None,
                    unvisited: false,
                    protocol: None,
                });
                origins.len() - 1
            });
        of_entry.push(at);
    }
    describe(&mut origins, entries, &of_entry, round_trips);
    group(&mut origins, entries, &of_entry);
    (
        origins,
        of_entry.into_iter().map(|at| OriginId(at as u32)).collect(),
    )
}

/// Sets address, round-trip time and protocol of each origin from its entries.
fn describe(
    origins: &mut [Origin],
    entries: &[Entry],
    of_entry: &[usize],
    round_trips: &[Option<f64>],
) {
    let mut protocols: Vec<BTreeMap<Protocol, u32>> = vec![BTreeMap::new(); origins.len()];
    for ((entry, &at), rtt) in entries.iter().zip(of_entry).zip(round_trips) {
        let origin = &mut origins[at];
        if origin.address.is_none() {
            origin.address.clone_from(&entry.address);
        }
        if let Some(rtt) = rtt.map(Duration::from_millis_f64) {
            origin.recorded_rtt = Some(origin.recorded_rtt.map_or(rtt, |known| known.min(rtt)));
        }
        if let Some(protocol) = entry.protocol {
            *protocols[at].entry(protocol).or_default() += 1;
        }
    }
    for (origin, counts) in origins.iter_mut().zip(protocols) {
        let most = counts
            .into_iter()
            .max_by_key(|&(protocol, count)| (count, protocol));
        origin.protocol = most.map(|(protocol, _)| protocol.name().to_owned());
    }
}

/// Numbers the groups of origins that shared a connection, in order of first use.
fn group(origins: &mut [Origin], entries: &[Entry], of_entry: &[usize]) {
    let mut groups = Groups((0..origins.len()).collect());
    let mut by_connection: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut has_connection = vec![false; origins.len()];
    for (entry, &at) in entries.iter().zip(of_entry).filter(|(e, _)| multiplexes(e)) {
        let port = origins[at].port.to_string();
        let connection = entry.connection.as_deref().filter(|c| *c != port);
        let (Some(connection), Some(address)) = (connection, entry.address.as_deref()) else {
            continue;
        };
        has_connection[at] = true;
        let first = *by_connection.entry((address, connection)).or_insert(at);
        groups.join(first, at);
    }
    let mut certified: BTreeMap<&str, Vec<(usize, &[&str])>> = BTreeMap::new();
    for (entry, &at) in entries.iter().zip(of_entry).filter(|(e, _)| multiplexes(e)) {
        let Some(address) = entry.address.as_deref() else {
            continue;
        };
        let here = certified.entry(address).or_default();
        if !has_connection[at]
            && let Some(&(other, _)) = here
                .iter()
                .find(|(_, names)| names.iter().any(|n| covers(n, &origins[at].host)))
        {
            groups.join(other, at);
        }
        // One certificate per origin is sufficient.
        if !entry.certificate_names.is_empty() && here.iter().all(|(other, _)| *other != at) {
            here.push((at, entry.certificate_names.as_slice()));
        }
    }
    let mut numbers: BTreeMap<usize, u32> = BTreeMap::new();
    for (at, origin) in origins.iter_mut().enumerate() {
        let next = numbers.len() as u32;
        origin.connection_group = *numbers.entry(groups.root(at)).or_insert(next);
    }
}

/// Returns true if the entry's protocol shares connections, which requires TLS.
fn multiplexes(entry: &Entry) -> bool {
    matches!(entry.protocol, Some(Protocol::H2 | Protocol::H3))
        && entry.url.as_ref().is_some_and(|u| u.scheme() == "https")
}

/// Returns true if a certificate's name covers a host; `*` matches one label (RFC 9525,
/// section 6.3).
fn covers(name: &str, host: &str) -> bool {
    match name.strip_prefix("*.") {
        Some(parent) => host
            .split_once('.')
            .is_some_and(|(_, p)| p.eq_ignore_ascii_case(parent)),
        None => name.eq_ignore_ascii_case(host),
    }
}

/// Disjoint sets; the smallest member is the root.
struct Groups(Vec<usize>);

impl Groups {
    fn root(&self, mut at: usize) -> usize {
        while self.0[at] != at {
            at = self.0[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }
}

#[cfg(test)]
mod tests;
