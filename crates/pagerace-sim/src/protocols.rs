//! The HTTP version that each origin is requested over.

use std::fmt;
use std::str::FromStr;

use pagerace_core::words::UnknownName;
use pagerace_core::{Protocol, serde_as_text};
use pagerace_page::Origin;
use thiserror::Error;

/// A protocol for each host. Written as one protocol, `h2`, or as rules of which the
/// first matching one applies: `static.example=h3 *.cdn.example=h1 *=h2`.
///
/// A pattern is a host, `*.` and a domain (its subdomains), `first-party` or `third-party`
/// (the hosts that have the registrable domain of the document, or another), or `*` (all
/// hosts). A map is serialised in this form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProtocolMap {
    rules: Vec<(Pattern, Protocol)>,
    /// The protocol of hosts that no rule matches.
    default: Protocol,
}

/// The pattern of the hosts that belong to the site of the document.
const FIRST_PARTY: &str = "first-party";
/// The pattern of all others.
const THIRD_PARTY: &str = "third-party";

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Pattern {
    Host(String),
    /// The suffix with its leading dot.
    Subdomains(String),
    FirstParty,
    ThirdParty,
}

/// Error of parsing a protocol map.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ProtocolMapError(String);

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

    /// Returns the protocol that `origin` speaks.
    pub fn of(&self, origin: &Origin) -> Protocol {
        self.of_host(&origin.host, origin.third_party)
    }

    /// Returns the protocol that a host speaks.
    pub fn of_host(&self, host: &str, third_party: bool) -> Protocol {
        let rule = self.rule(host, third_party);
        rule.map_or(self.default, |rule| self.rules[rule].1)
    }

    /// Returns the index of the rule that decides.
    fn rule(&self, host: &str, third_party: bool) -> Option<usize> {
        let host = host.to_ascii_lowercase();
        let matches = |(pattern, _): &(Pattern, Protocol)| pattern.matches(&host, third_party);
        self.rules.iter().position(matches)
    }

    /// Returns the rules that apply to none of `origins`, as text. The final rule for `*`
    /// is never among them.
    pub fn unmatched<'a>(&self, origins: impl IntoIterator<Item = &'a Origin>) -> Vec<String> {
        let mut used = vec![false; self.rules.len()];
        for origin in origins {
            if let Some(rule) = self.rule(&origin.host, origin.third_party) {
                used[rule] = true;
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

serde_as_text!(ProtocolMap);

impl FromStr for ProtocolMap {
    type Err = ProtocolMapError;

    fn from_str(text: &str) -> Result<Self, ProtocolMapError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words.as_slice() {
            [] => {
                let reason = "no protocol: write h1, h2, h3, or rules such as `static.example=h3 \
                              *=h2`";
                return Err(ProtocolMapError(reason.to_owned()));
            }
            [word] if !word.contains('=') => {
                let protocol = word.parse();
                return protocol.map(Self::uniform).map_err(|_| no_rule(word));
            }
            _ => {}
        }
        let (mut rules, mut default) = (Vec::new(), None);
        for rule in words {
            let bad = || no_rule(rule);
            let (pattern, protocol) = rule.split_once('=').ok_or_else(bad)?;
            let unknown = |error: UnknownName| ProtocolMapError(format!("`{rule}`: {error}"));
            let protocol = protocol.parse().map_err(unknown)?;
            if default.is_some() {
                return Err(ProtocolMapError(format!(
                    "`{rule}` comes after `*`, which matches everything; put `*` last"
                )));
            }
            if pattern == "*" {
                default = Some(protocol);
            } else {
                rules.push((Pattern::parse(pattern).ok_or_else(bad)?, protocol));
            }
        }
        let default = default.ok_or_else(|| {
            let reason = "no rule covers the other hosts; add `*=h2`, for example, at the end";
            ProtocolMapError(reason.to_owned())
        })?;
        Ok(Self { rules, default })
    }
}

fn no_rule(word: &str) -> ProtocolMapError {
    ProtocolMapError(format!(
        "`{word}` is neither a protocol (h1, h2, h3) nor a rule such as `static.example=h3`, \
         `*.cdn.example=h1` or `*=h2`"
    ))
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host(name) => f.write_str(name),
            Self::Subdomains(suffix) => write!(f, "*{suffix}"),
            Self::FirstParty => f.write_str(FIRST_PARTY),
            Self::ThirdParty => f.write_str(THIRD_PARTY),
        }
    }
}

impl Pattern {
    /// Returns true if the pattern matches `host`, which is in lower case.
    fn matches(&self, host: &str, third_party: bool) -> bool {
        match self {
            Self::Host(name) => name == host,
            Self::Subdomains(suffix) => host.ends_with(suffix.as_str()),
            Self::FirstParty => !third_party,
            Self::ThirdParty => third_party,
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let text = text.to_ascii_lowercase();
        match text.as_str() {
            FIRST_PARTY => return Some(Self::FirstParty),
            THIRD_PARTY => return Some(Self::ThirdParty),
            _ => {}
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn map(text: &str) -> ProtocolMap {
        text.parse().unwrap()
    }

    fn origin(host: &str) -> Origin {
        Origin {
            scheme: "https".to_owned(),
            host: host.to_owned(),
            port: 443,
            address: None,
            connection_group: 0,
            third_party: host.starts_with("cdn"),
            recorded_rtt: None,
            protocol: None,
            unvisited: false,
        }
    }

    #[test]
    fn the_first_rule_that_matches_counts() {
        let m = map("static.example=h3 *.example=h1 *=h2");
        assert_eq!(m.of(&origin("static.example")), Protocol::H3);
        assert_eq!(m.of(&origin("STATIC.example")), Protocol::H3);
        assert_eq!(m.of(&origin("www.example")), Protocol::H1);
        assert_eq!(
            m.of(&origin("example")),
            Protocol::H2,
            "no subdomain of itself"
        );
        assert_eq!(m.of(&origin("notexample")), Protocol::H2);
        assert_eq!(m.is_uniform(), None);
        assert_eq!(map("h1").is_uniform(), Some(Protocol::H1));
        assert_eq!(map("a=h2 *=h2").is_uniform(), Some(Protocol::H2));
    }

    #[test]
    fn rules_without_a_host_are_found() {
        let m = map("a.example=h3 *.example=h1 b.example=h2 *=h2");
        let hosts = ["A.example", "c.example", "b.example"].map(origin);
        let found = m.unmatched(&hosts);
        assert_eq!(found, ["b.example=h2"], "an earlier rule decides");
        assert_eq!(m.unmatched(&[]).len(), 3);
        assert!(map("h2").unmatched(&[origin("x")]).is_empty());
    }

    #[test]
    fn parties_are_those_of_the_page() {
        let m = map("first-party=h3 cdn.b.example=h1 third-party=h2 *=h1");
        assert_eq!(m.of(&origin("www.example")), Protocol::H3);
        assert_eq!(m.of(&origin("cdn.a.example")), Protocol::H2);
        assert_eq!(m.of(&origin("cdn.b.example")), Protocol::H1);
        let unused = m.unmatched(&[origin("www.example")]);
        assert_eq!(unused, ["cdn.b.example=h1", "third-party=h2"]);
    }

    #[test]
    fn texts_come_back() {
        let mixed = "static.example=h3 *.a.example=h1 *=h2";
        let parties = "first-party=h3 third-party=h1 *=h2";
        for text in ["h1", "h2", "h3", mixed, parties] {
            assert_eq!(map(text).to_string(), text);
        }
        assert_eq!(map("*=h2").to_string(), "h2");
    }

    #[test]
    fn errors_name_the_rule() {
        for (text, start) in [
            (" ", "no protocol: write h1"),
            ("h4", "`h4` is neither a protocol"),
            ("h2 h3", "`h2` is neither a protocol"),
            ("a=h3", "no rule covers the other hosts"),
            ("*=h2 a=h3", "`a=h3` comes after `*`"),
            ("=h3 *=h2", "`=h3` is neither a protocol"),
            ("a=spdy *=h2", "`a=spdy`: unknown protocol `spdy`"),
        ] {
            let error = text.parse::<ProtocolMap>().unwrap_err().to_string();
            assert!(error.starts_with(start), "{text}: {error}");
        }
    }
}
