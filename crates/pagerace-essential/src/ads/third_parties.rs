//! Domains of third parties, and the kind of service that each company provides.
//!
//! # Source
//! The entities of third-party-web (Patrick Hulce, MIT licence), condensed.
//! `data/third-party-web/README.md` documents the selection and the version.

use std::collections::BTreeMap;

use pagerace_core::{Destination, table};

use super::{AdKind, AdMatch, AdMatcher, AdRequest};

const TABLE: &str = include_str!("../../data/third-party-web/entities.tsv");

/// Name of the table in reasons.
const SOURCE: &str = "third-party-web";

/// The parsed table. It matches third parties only; on a page of a listed company, all of
/// that company's domains are first party.
#[derive(Clone, Debug)]
pub struct ThirdParties {
    /// Hosts that match exactly.
    exact: BTreeMap<&'static str, Entity>,
    /// Domains that match with all their subdomains.
    below: BTreeMap<&'static str, Entity>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entity {
    name: &'static str,
    kind: AdKind,
}

impl ThirdParties {
    /// Parses the built-in table.
    ///
    /// # Panics
    /// Panics if the built-in table is damaged.
    pub fn new() -> Self {
        let (mut exact, mut below) = (BTreeMap::new(), BTreeMap::new());
        for [category, name, domains] in table::rows(TABLE) {
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

    /// Returns the number of hosts and domains in the table.
    pub fn domains(&self) -> usize {
        self.exact.len() + self.below.len()
    }

    /// Returns the entity that `host` belongs to, and the table entry that matched.
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
