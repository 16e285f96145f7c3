//! Domains of third parties and what the companies behind them do.
//!
//! # Source
//! The entities of third-party-web (Patrick Hulce, MIT licence), condensed:
//! `data/third-party-web/README.md` says what was kept, and which version.

use std::collections::BTreeMap;

use pagerace_core::Destination;

use super::{AdKind, AdMatch, AdMatcher, AdRequest};

const TABLE: &str = include_str!("../../data/third-party-web/entities.tsv");

/// How reasons call the table.
const SOURCE: &str = "third-party-web";

/// The table, read. It knows third parties only: on a company's own page its
/// other domains are first party.
#[derive(Clone, Debug)]
pub struct ThirdParties {
    /// Hosts, alone.
    exact: BTreeMap<&'static str, Entity>,
    /// Domains with all below them.
    below: BTreeMap<&'static str, Entity>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entity {
    name: &'static str,
    kind: AdKind,
}

impl ThirdParties {
    /// Reads the table.
    ///
    /// # Panics
    /// If the table that this was built with is damaged.
    pub fn new() -> Self {
        let (mut exact, mut below) = (BTreeMap::new(), BTreeMap::new());
        for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
            let mut columns = line.split('\t');
            let mut column = || columns.next().expect("three columns");
            let (category, name, domains) = (column(), column(), column());
            let kind = kind(category).expect("a known category");
            for domain in domains.split(' ') {
                let entity = Entity { name, kind };
                match domain.strip_prefix("*.") {
                    Some(domain) => below.insert(domain, entity),
                    None => exact.insert(domain, entity),
                };
            }
        }
        Self { exact, below }
    }

    /// Hosts and domains that are known.
    pub fn domains(&self) -> usize {
        self.exact.len() + self.below.len()
    }

    /// Who `host` belongs to, and by which line.
    fn entity(&self, host: &str) -> Option<(Entity, String)> {
        let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
        if let Some(entity) = self.exact.get(host.as_str()) {
            return Some((*entity, host));
        }
        let mut rest = host.as_str();
        loop {
            if let Some(entity) = self.below.get(rest) {
                return Some((*entity, format!("*.{rest}")));
            }
            rest = rest.split_once('.')?.1;
        }
    }
}

impl Default for ThirdParties {
    fn default() -> Self {
        Self::new()
    }
}

fn kind(category: &str) -> Option<AdKind> {
    Some(match category {
        "ad" => AdKind::Ad,
        "analytics" => AdKind::Analytics,
        "customer-success" => AdKind::Support,
        "marketing" => AdKind::Marketing,
        "social" => AdKind::Social,
        "tag-manager" => AdKind::TagManager,
        _ => return None,
    })
}

impl AdMatcher for ThirdParties {
    fn find(&self, request: &AdRequest<'_>) -> Option<AdMatch> {
        if !request.third_party || request.destination == Destination::Document {
            return None;
        }
        let (entity, domain) = self.entity(request.host)?;
        let own = self.entity(request.page_host);
        if own.is_some_and(|(own, _)| own.name == entity.name) {
            return None;
        }
        Some(AdMatch {
            kind: Some(entity.kind),
            source: SOURCE.to_owned(),
            rule: format!("{} ({domain})", entity.name),
        })
    }
}
