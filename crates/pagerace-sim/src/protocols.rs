//! The HTTP version that each origin is requested over.

use std::fmt;
use std::str::FromStr;

use pagerace_core::Protocol;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A protocol for each host. Written as one protocol, `h2`, or as rules of which the
/// first matching one applies: `static.example=h3 *.cdn.example=h1 *=h2`.
///
/// A pattern is a host, `*.` and a domain (its subdomains), or `*` (all hosts). A map is
/// serialised in this form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ProtocolMap {
    rules: Vec<(Pattern, Protocol)>,
    /// The protocol of hosts that no rule matches.
    default: Protocol,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Pattern {
    Host(String),
    /// The suffix with its leading dot.
    Subdomains(String),
}

/// Error of parsing a protocol map.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProtocolMapError {
    /// The text is empty.
    #[error("no protocol: write h1, h2, h3, or rules such as `static.example=h3 *=h2`")]
    Empty,
    /// A rule is not of the form `host=protocol`.
    #[error(
        "`{0}` is neither a protocol (h1, h2, h3) nor a rule such as `static.example=h3`, \
         `*.cdn.example=h1` or `*=h2`"
    )]
    Rule(String),
    /// The protocol of a rule is unknown.
    #[error("`{rule}`: {source}")]
    Protocol {
        /// The rule.
        rule: String,
        /// Description of the error.
        source: pagerace_core::protocol::UnknownProtocol,
    },
    /// Some hosts have no protocol: the last rule is not for `*`.
    #[error("no rule covers the other hosts; add `*=h2`, for example, at the end")]
    NoDefault,
    /// The rule can never match, because it follows `*`.
    #[error("`{0}` comes after `*`, which matches everything; put `*` last")]
    AfterAll(String),
}

impl ProtocolMap {
    /// Returns a map in which all hosts speak `protocol`.
    pub const fn uniform(protocol: Protocol) -> Self {
        Self {
            rules: Vec::new(),
            default: protocol,
        }
    }

    /// Returns a map in which the named hosts speak these protocols, and all others `default`.
    pub fn of_hosts<'a>(
        hosts: impl IntoIterator<Item = (&'a str, Protocol)>,
        default: Protocol,
    ) -> Self {
        let rule = |(host, protocol): (&str, Protocol)| {
            let host = host.to_ascii_lowercase();
            (Pattern::Host(host), protocol)
        };
        Self {
            rules: hosts.into_iter().map(rule).collect(),
            default,
        }
    }

    /// Returns the protocol that `host` speaks.
    pub fn of(&self, host: &str) -> Protocol {
        let host = host.to_ascii_lowercase();
        let rule = self
            .rules
            .iter()
            .find(|(pattern, _)| pattern.matches(&host));
        rule.map_or(self.default, |(_, protocol)| *protocol)
    }

    /// Returns the rules that apply to none of `hosts`, as text. The final rule for `*`
    /// is never among them.
    pub fn unmatched<'a>(&self, hosts: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        let mut used = vec![false; self.rules.len()];
        for host in hosts {
            let host = host.to_ascii_lowercase();
            if let Some(i) = self.rules.iter().position(|(p, _)| p.matches(&host)) {
                used[i] = true;
            }
        }
        let rules = self.rules.iter().zip(used).filter(|(_, used)| !used);
        rules
            .map(|((pattern, protocol), _)| format!("{pattern}={protocol}"))
            .collect()
    }

    /// Returns the protocols that the map names, with duplicates.
    pub fn named(&self) -> impl Iterator<Item = Protocol> + '_ {
        let rules = self.rules.iter().map(|(_, protocol)| *protocol);
        rules.chain(std::iter::once(self.default))
    }

    /// Returns the protocol that all hosts speak, or `None` if the rules name several.
    pub fn is_uniform(&self) -> Option<Protocol> {
        let same = self.rules.iter().all(|(_, p)| *p == self.default);
        same.then_some(self.default)
    }
}

impl Default for ProtocolMap {
    /// Returns HTTP/3 for all hosts.
    fn default() -> Self {
        Self::uniform(Protocol::H3)
    }
}

impl FromStr for ProtocolMap {
    type Err = ProtocolMapError;

    fn from_str(text: &str) -> Result<Self, ProtocolMapError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words.as_slice() {
            [] => return Err(ProtocolMapError::Empty),
            [word] if !word.contains('=') => {
                let protocol = word.parse();
                let protocol = protocol.map_err(|_| ProtocolMapError::Rule((*word).to_owned()))?;
                return Ok(Self::uniform(protocol));
            }
            _ => {}
        }
        let (mut rules, mut default) = (Vec::new(), None);
        for rule in words {
            let bad = || ProtocolMapError::Rule(rule.to_owned());
            let (pattern, protocol) = rule.split_once('=').ok_or_else(bad)?;
            let protocol = protocol
                .parse()
                .map_err(|source| ProtocolMapError::Protocol {
                    rule: rule.to_owned(),
                    source,
                })?;
            if default.is_some() {
                return Err(ProtocolMapError::AfterAll(rule.to_owned()));
            }
            if pattern == "*" {
                default = Some(protocol);
            } else {
                rules.push((Pattern::parse(pattern).ok_or_else(bad)?, protocol));
            }
        }
        let default = default.ok_or(ProtocolMapError::NoDefault)?;
        Ok(Self { rules, default })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host(name) => f.write_str(name),
            Self::Subdomains(suffix) => write!(f, "*{suffix}"),
        }
    }
}

impl Pattern {
    /// Returns true if the pattern matches `host`, which is in lower case.
    fn matches(&self, host: &str) -> bool {
        match self {
            Self::Host(name) => name == host,
            Self::Subdomains(suffix) => host.ends_with(suffix.as_str()),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let text = text.to_ascii_lowercase();
        let (subdomains, name) = match text.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, text.as_str()),
        };
        let legal = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c) || !c.is_ascii();
        if name.is_empty() || !name.chars().all(legal) {
            return None;
        }
        Some(if subdomains {
            Self::Subdomains(format!(".{name}"))
        } else {
            Self::Host(name.to_owned())
        })
    }
}

impl fmt::Display for ProtocolMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.rules.is_empty() {
            return self.default.fmt(f);
        }
        for (pattern, protocol) in &self.rules {
            write!(f, "{pattern}={protocol} ")?;
        }
        write!(f, "*={}", self.default)
    }
}

impl TryFrom<String> for ProtocolMap {
    type Error = ProtocolMapError;

    fn try_from(text: String) -> Result<Self, ProtocolMapError> {
        text.parse()
    }
}

impl From<ProtocolMap> for String {
    fn from(map: ProtocolMap) -> Self {
        map.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(text: &str) -> ProtocolMap {
        text.parse().unwrap()
    }

    #[test]
    fn the_first_rule_that_matches_counts() {
        let m = map("static.example=h3 *.example=h1 *=h2");
        assert_eq!(m.of("static.example"), Protocol::H3);
        assert_eq!(m.of("STATIC.example"), Protocol::H3);
        assert_eq!(m.of("www.example"), Protocol::H1);
        assert_eq!(m.of("example"), Protocol::H2, "no subdomain of itself");
        assert_eq!(m.of("notexample"), Protocol::H2);
        assert_eq!(m.is_uniform(), None);
        assert_eq!(map("h1").is_uniform(), Some(Protocol::H1));
        assert_eq!(map("a=h2 *=h2").is_uniform(), Some(Protocol::H2));
    }

    #[test]
    fn rules_without_a_host_are_found() {
        let m = map("a.example=h3 *.example=h1 b.example=h2 *=h2");
        let found = m.unmatched(["A.example", "c.example", "b.example"]);
        assert_eq!(found, ["b.example=h2"], "an earlier rule decides");
        assert_eq!(m.unmatched([]).len(), 3);
        assert!(map("h2").unmatched(["x"]).is_empty());
    }

    #[test]
    fn texts_come_back() {
        for text in ["h1", "h2", "h3", "static.example=h3 *.a.example=h1 *=h2"] {
            assert_eq!(map(text).to_string(), text);
        }
        assert_eq!(map("*=h2").to_string(), "h2");
    }

    #[test]
    fn errors_name_the_rule() {
        let error = |text: &str| text.parse::<ProtocolMap>().unwrap_err();
        assert_eq!(error(" "), ProtocolMapError::Empty);
        assert_eq!(error("h4"), ProtocolMapError::Rule("h4".into()));
        assert_eq!(error("h2 h3"), ProtocolMapError::Rule("h2".into()));
        assert_eq!(error("a=h3"), ProtocolMapError::NoDefault);
        assert_eq!(
            error("*=h2 a=h3"),
            ProtocolMapError::AfterAll("a=h3".into())
        );
        assert_eq!(error("=h3 *=h2"), ProtocolMapError::Rule("=h3".into()));
        assert!(matches!(
            error("a=spdy *=h2"),
            ProtocolMapError::Protocol { .. }
        ));
    }
}
