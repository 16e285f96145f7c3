//! The HTTP version that each request is made over.

use std::fmt;
use std::str::FromStr;

use pagerace_core::words::UnknownName;
use pagerace_core::{Protocol, serde_as_text};
use pagerace_page::intervention::{Selector, Target, Term};
use pagerace_page::{Category, Page};
use thiserror::Error;

/// A protocol for each request. Written as one protocol, `h2`, or as rules of which the
/// first matching one applies: `static.example=h3 *.cdn.example=h1 */hero.avif=h1 *=h2`.
///
/// A rule has a [`Selector`]: a host, `*.` and a domain (its subdomains), `first-party` or
/// `third-party` (the hosts that have the registrable domain of the document, or another), a
/// kind of request such as `images`, or a pattern of URLs. `*` stands for all requests. A map is
/// serialised in this form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProtocolMap {
    rules: Vec<(Selector, Protocol)>,
    /// The protocol of requests that no rule matches.
    default: Protocol,
}

/// Error of parsing a protocol map.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ProtocolMapError(String);

impl ProtocolMap {
    /// Returns a map in which all requests have `protocol`.
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
            let host = Term::Host(host.to_ascii_lowercase());
            (Selector::any(vec![host]), protocol)
        };
        Self {
            rules: hosts.into_iter().map(rule).collect(),
            default,
        }
    }

    /// Returns the protocol of a request.
    pub fn of(&self, request: &Target<'_>) -> Protocol {
        let rule = self.rule(request);
        rule.map_or(self.default, |rule| self.rules[rule].1)
    }

    /// Returns the protocol of each resource, in page order.
    pub fn of_page(&self, page: &Page) -> Vec<Protocol> {
        if self.rules.is_empty() {
            return vec![self.default; page.resources.len()];
        }
        let resources = page.resources.iter();
        resources.map(|r| self.of(&Target::of(page, r))).collect()
    }

    /// Returns the protocol of all requests to a host; `None` if a rule tells them apart by more
    /// than their host.
    pub fn of_host(&self, host: &str, third_party: bool) -> Option<Protocol> {
        let by_host = |term: &Term| matches!(term, Term::Host(_) | Term::Kind(Some(_), None));
        let mut terms = self.rules.iter().flat_map(|(selector, _)| selector.terms());
        let request = Target {
            url: "",
            host,
            asked_as: Category::Others,
            ad: false,
            third_party,
        };
        terms.all(by_host).then(|| self.of(&request))
    }

    /// Returns the index of the rule that decides.
    fn rule(&self, request: &Target<'_>) -> Option<usize> {
        let selects = |(selector, _): &(Selector, Protocol)| selector.selects(request);
        self.rules.iter().position(selects)
    }

    /// Returns the rules that apply to no request of `pages`, as text. The final rule for `*`
    /// is never among them.
    pub fn unmatched<'a>(&self, pages: impl IntoIterator<Item = &'a Page>) -> Vec<String> {
        let mut used = vec![false; self.rules.len()];
        for page in pages {
            for resource in &page.resources {
                if let Some(rule) = self.rule(&Target::of(page, resource)) {
                    used[rule] = true;
                }
            }
        }
        let rules = self.rules.iter().zip(used).filter(|(_, used)| !used);
        rules
            .map(|((selector, protocol), _)| format!("{selector}={protocol}"))
            .collect()
    }

    /// Returns the protocols that the map names, with duplicates.
    pub fn named(&self) -> impl Iterator<Item = Protocol> + '_ {
        let rules = self.rules.iter().map(|(_, protocol)| *protocol);
        rules.chain(std::iter::once(self.default))
    }

    /// Returns the protocol of all requests, or `None` if the rules name several.
    pub fn is_uniform(&self) -> Option<Protocol> {
        let same = self.rules.iter().all(|(_, p)| *p == self.default);
        same.then_some(self.default)
    }
}

impl Default for ProtocolMap {
    /// Returns HTTP/3 for all requests.
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
            // A pattern of URLs may have an equals sign of its own.
            let (pattern, protocol) = rule.rsplit_once('=').ok_or_else(bad)?;
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
                rules.push((pattern.parse().map_err(|_| bad())?, protocol));
            }
        }
        let default = default.ok_or_else(|| {
            let reason = "no rule covers the other requests; add `*=h2`, for example, at the end";
            ProtocolMapError(reason.to_owned())
        })?;
        Ok(Self { rules, default })
    }
}

fn no_rule(word: &str) -> ProtocolMapError {
    ProtocolMapError(format!(
        "`{word}` is neither a protocol (h1, h2, h3) nor a rule such as `static.example=h3`, \
         `images=h1`, `*/hero.avif=h1` or `*=h2`"
    ))
}

impl fmt::Display for ProtocolMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.rules.is_empty() {
            return self.default.fmt(f);
        }
        for (selector, protocol) in &self.rules {
            write!(f, "{selector}={protocol} ")?;
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

    /// The protocol of a request for an image.
    fn of(map: &ProtocolMap, url: &str) -> Protocol {
        let host = url.split_once("://").unwrap().1.split('/').next().unwrap();
        map.of(&Target {
            url,
            host,
            asked_as: Category::Images,
            ad: false,
            third_party: host.starts_with("cdn"),
        })
    }

    #[test]
    fn the_first_rule_that_matches_counts() {
        let m = map("static.example=h3 *.example=h1 *=h2");
        assert_eq!(of(&m, "https://static.example/"), Protocol::H3);
        assert_eq!(of(&m, "https://STATIC.example/"), Protocol::H3);
        assert_eq!(of(&m, "https://www.example/"), Protocol::H1);
        let itself = of(&m, "https://example/");
        assert_eq!(itself, Protocol::H2, "no subdomain of itself");
        assert_eq!(of(&m, "https://notexample/"), Protocol::H2);
        assert_eq!(m.is_uniform(), None);
        assert_eq!(map("h1").is_uniform(), Some(Protocol::H1));
        assert_eq!(map("a=h2 *=h2").is_uniform(), Some(Protocol::H2));
    }

    #[test]
    fn requests_to_one_host_differ() {
        let m = map("*/hero.avif=h1 */q?a=b=h3 fonts+css=h3 *=h2");
        assert_eq!(of(&m, "https://a.example/img/hero.avif"), Protocol::H1);
        assert_eq!(of(&m, "https://a.example/q?a=b"), Protocol::H3);
        assert_eq!(of(&m, "https://a.example/other.avif"), Protocol::H2);
        assert_eq!(m.of_host("a.example", false), None);
        let images = map("images=h1 *=h2");
        assert_eq!(of(&images, "https://a.example/x"), Protocol::H1);
    }

    #[test]
    fn parties_are_those_of_the_page() {
        let m = map("first-party=h3 cdn.b.example=h1 third-party=h2 *=h1");
        let protocol = |host: &str| m.of_host(host, host.starts_with("cdn"));
        assert_eq!(protocol("www.example"), Some(Protocol::H3));
        assert_eq!(protocol("cdn.a.example"), Some(Protocol::H2));
        assert_eq!(protocol("cdn.b.example"), Some(Protocol::H1));
    }

    #[test]
    fn texts_come_back() {
        let mixed = "static.example=h3 *.a.example=h1 *=h2";
        let parties = "first-party=h3 third-party=h1 *=h2";
        let requests = "*/hero.avif=h1 images+fonts=h3 *=h2";
        for text in ["h1", "h2", "h3", mixed, parties, requests] {
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
            ("a=h3", "no rule covers the other requests"),
            ("*=h2 a=h3", "`a=h3` comes after `*`"),
            ("=h3 *=h2", "`=h3` is neither a protocol"),
            ("a=spdy *=h2", "`a=spdy`: unknown protocol `spdy`"),
        ] {
            let error = text.parse::<ProtocolMap>().unwrap_err().to_string();
            assert!(error.starts_with(start), "{text}: {error}");
        }
    }
}
