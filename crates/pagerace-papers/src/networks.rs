//! The networks of published studies. `data/networks.tsv` has them, with sources and deviations.

use std::sync::LazyLock;

use pagerace_core::table;
use pagerace_net::NamedNetwork;

/// The networks of studies, for [`Network::parse_with`](pagerace_net::Network::parse_with).
pub static NETWORKS: LazyLock<Vec<NamedNetwork>> = LazyLock::new(|| {
    let rows = table::rows(include_str!("../data/networks.tsv"));
    rows.map(|[name, summary, spec, source]| NamedNetwork {
        name,
        summary,
        source,
        spec,
    })
    .collect()
});

#[cfg(test)]
mod tests;
