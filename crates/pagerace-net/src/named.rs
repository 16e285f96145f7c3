//! Predefined networks with names. `data/named.tsv` has them, with sources.

use std::sync::LazyLock;

use pagerace_core::table;

/// A predefined network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedNetwork {
    /// The name that users write.
    pub name: &'static str,
    /// A one-line summary for people.
    pub summary: &'static str,
    /// The source of the values, with the values that are ours.
    pub source: &'static str,
    /// The full description of the network in the syntax of [`grammar`](crate::grammar).
    pub spec: &'static str,
}

impl NamedNetwork {
    /// Reads a table of networks: name, summary, description and source.
    ///
    /// # Panics
    /// Panics at a line with other columns.
    pub fn table(text: &'static str) -> Vec<Self> {
        let network = |[name, summary, spec, source]: [&'static str; 4]| Self {
            name,
            summary,
            source,
            spec,
        };
        table::rows(text).map(network).collect()
    }
}

/// Returns all named networks, the everyday ones first.
pub fn named() -> &'static [NamedNetwork] {
    static NAMED: LazyLock<Vec<NamedNetwork>> =
        LazyLock::new(|| NamedNetwork::table(include_str!("../data/named.tsv")));
    &NAMED
}

#[cfg(test)]
mod tests;
