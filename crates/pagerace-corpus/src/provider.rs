//! The content delivery networks, and how their responses are told. `data/providers.tsv` has
//! them, with sources.

use std::sync::LazyLock;

use pagerace_core::table;
use pagerace_har::domain::registrable;

/// A content delivery network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    /// The name, as `WebPageTest` writes it.
    pub name: &'static str,
    /// True if its edges speak HTTP/3: those of Zhou 2024, table I, and those of the Web Almanac
    /// 2024 that announced it in at least a tenth of their responses.
    pub http3: bool,
    /// Alternatives of response fields, all of which a response has: names, and texts that
    /// their values contain. An empty text stands for any value.
    fields: Vec<Vec<(&'static str, &'static str)>>,
    /// Domains whose hosts are its own. One that ends in a dot stands for all top-level
    /// domains.
    domains: Vec<&'static str>,
}

impl Provider {
    /// Returns the provider with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        PROVIDERS
            .iter()
            .find(|provider| provider.name.eq_ignore_ascii_case(name))
    }

    /// Returns the provider that the fields of a response name. A response that passed through
    /// several has the fields of all; the edge is the one that stands before the others.
    pub fn of_fields(fields: &[(String, String)]) -> Option<&'static Self> {
        let has = |(name, text): &(&str, &str)| {
            let mut named = fields.iter().filter(|(n, _)| n == name);
            named.any(|(_, value)| contains(value, text))
        };
        PROVIDERS
            .iter()
            .find(|provider| provider.fields.iter().any(|all| all.iter().all(has)))
    }

    /// Returns the provider that owns the host.
    pub fn of_host(host: &str) -> Option<&'static Self> {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let registered = registrable(&host);
        let is_in = |domain: &&str| {
            if domain.ends_with('.') {
                return registered.starts_with(*domain);
            }
            let before = host.strip_suffix(*domain);
            before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
        };
        PROVIDERS
            .iter()
            .find(|provider| provider.domains.iter().any(&is_in))
    }
}

/// Returns true if `value` contains `text`, in any case.
fn contains(value: &str, text: &str) -> bool {
    text.is_empty()
        || value
            .as_bytes()
            .windows(text.len())
            .any(|part| part.eq_ignore_ascii_case(text.as_bytes()))
}

/// The providers. Those that stand before other providers come first.
static PROVIDERS: LazyLock<Vec<Provider>> = LazyLock::new(|| {
    let rows = table::rows(include_str!("../data/providers.tsv"));
    let field = |field: &'static str| {
        let (name, text) = field.split_once(':').expect("a name and a text");
        (name, text.trim_start())
    };
    rows.map(|[name, http3, fields, domains]| Provider {
        name,
        http3: http3.parse().expect("true or false"),
        fields: fields
            .split(" | ")
            .filter(|all| !all.is_empty())
            .map(|all| all.split(" & ").map(field).collect())
            .collect(),
        domains: domains.split(' ').collect(),
    })
    .collect()
});

#[cfg(test)]
mod tests;
