//! The networks of published studies. `data/networks.tsv` has them, with sources and deviations.

use std::sync::LazyLock;

use pagerace_net::NamedNetwork;

/// The networks of studies, for [`Network::parse_with`](pagerace_net::Network::parse_with).
pub static NETWORKS: LazyLock<Vec<NamedNetwork>> =
    LazyLock::new(|| NamedNetwork::table(include_str!("../data/networks.tsv")));

#[cfg(test)]
mod tests;
