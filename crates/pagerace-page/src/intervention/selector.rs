//! Selectors of requests: categories, hosts and URL patterns, joined by `+`.
//!
//! | written | selects |
//! |---|---|
//! | `fonts`, `css`, `js`, `images`, `html`, `json`, `others` | requests of this category, advertisements included |
//! | `ads` | advertisement and analytics of any category |
//! | `third-party`, `first-party` | requests to another registrable domain than the document's, or to the same |
//! | `third-party-js`, `first-party-css`, .. | requests that satisfy both |
//! | `cdn.example`, `*.cdn.example` | all requests to a host, or to its subdomains |
//! | `*/app.js*`, `https://cdn.example/fonts/*` | requests whose whole URL matches; a pattern without a scheme matches any scheme |
//!
//! `*` matches any text. In a URL pattern, `*` also has to replace a `+`.

use std::fmt;
use std::str::FromStr;

use super::InterventionError;
use super::glob::fits;
use super::target::Target;
use crate::Category;

/// A set of terms. A selector selects the requests that match any of them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Selector {
    terms: Vec<Term>,
}

/// One part of a selector.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Term {
    /// Requests of a party and a kind; `None` matches any.
    Kind(Option<Party>, Option<Kind>),
    /// Requests to a host, in lower case; `*` matches any text.
    Host(String),
    /// Requests for a URL; `*` matches any text.
    Url(String),
}

/// Party that a request goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Party {
    /// The document's registrable domain.
    First,
    /// Another registrable domain.
    Third,
}

/// Kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Advertisement and analytics, as [`Category::Ads`].
    Ads,
    /// Requests of a category by destination and media type, whether or not they serve
    /// advertisement; never [`Category::Ads`].
    Of(Category),
}

/// Names of each kind. The first one is written, all are read.
const KINDS: [(Kind, &[&str]); 8] = [
    (Kind::Of(Category::Fonts), &["fonts", "font"]),
    (Kind::Of(Category::Css), &["css", "styles", "style"]),
    (
        Kind::Of(Category::Javascript),
        &["js", "javascript", "scripts", "script"],
    ),
    (Kind::Of(Category::Images), &["images", "image"]),
    (Kind::Of(Category::Html), &["html"]),
    (Kind::Of(Category::Json), &["json"]),
    (Kind::Ads, &["ads", "ad"]),
    (Kind::Of(Category::Others), &["others", "other"]),
];

const PARTIES: [(Party, &str); 2] = [(Party::Third, "third-party"), (Party::First, "first-party")];

impl Selector {
    /// Creates a selector of the requests that match any of `terms`.
    ///
    /// # Panics
    /// Panics if `terms` is empty, because such a selector would select nothing.
    pub fn any(terms: Vec<Term>) -> Self {
        assert!(!terms.is_empty(), "a selector has a term");
        Self { terms }
    }

    /// Returns the terms, at least one.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Returns true if any term selects `target`.
    pub fn selects(&self, target: &Target<'_>) -> bool {
        self.terms.iter().any(|term| term.selects(target))
    }
}

impl Term {
    /// Returns true if the term selects `target`.
    pub fn selects(&self, target: &Target<'_>) -> bool {
        match self {
            Self::Kind(party, kind) => {
                let third = |party| matches!(party, Party::Third);
                party.is_none_or(|party| third(party) == target.third_party)
                    && kind.is_none_or(|kind| match kind {
                        Kind::Ads => target.ad,
                        Kind::Of(category) => category == target.asked_as,
                    })
            }
            Self::Host(pattern) => fits(pattern, &target.host.to_ascii_lowercase()),
            Self::Url(pattern) if pattern.contains("://") => fits(pattern, target.url),
            Self::Url(pattern) => {
                let rest = target.url.split_once("://").map_or(target.url, |(_, r)| r);
                fits(pattern, rest)
            }
        }
    }

    /// Returns the names of all kinds, all parties and their combinations, as they are
    /// written.
    pub fn names() -> Vec<String> {
        let kinds = KINDS.map(|(_, names)| names[0]);
        let parties = PARTIES.map(|(_, name)| name);
        let both = parties
            .iter()
            .flat_map(|party| kinds.map(|kind| format!("{party}-{kind}")));
        let alone = kinds.iter().chain(&parties);
        alone.map(|name| (*name).to_owned()).chain(both).collect()
    }
}

/// Parses `third-party`, `js` or `third-party-js`.
fn kind_term(word: &str) -> Option<Term> {
    let kind = |word: &str| {
        let found = KINDS.iter().find(|(_, names)| names.contains(&word));
        found.map(|(kind, _)| *kind)
    };
    for (party, name) in PARTIES {
        match word.strip_prefix(name) {
            Some("") => return Some(Term::Kind(Some(party), None)),
            Some(rest) => {
                let kind = kind(rest.strip_prefix('-')?)?;
                return Some(Term::Kind(Some(party), Some(kind)));
            }
            None => {}
        }
    }
    Some(Term::Kind(None, Some(kind(word)?)))
}

impl FromStr for Term {
    /// The error carries no data because the caller adds the context.
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        // Characters that separate terms, interventions or shell words would not read
        // back.
        if word.is_empty()
            || word.contains(['+', ' ', '"', '\''])
            || word.contains(char::is_whitespace)
        {
            return Err(());
        }
        if word.contains('/') {
            // Hosts are case-insensitive, paths are not.
            let path_at = match word.find("://") {
                Some(at) => word[at + 3..].find('/').map_or(word.len(), |n| at + 3 + n),
                None => word.find('/').unwrap_or(word.len()),
            };
            let (host, path) = word.split_at(path_at);
            return Ok(Self::Url(format!("{}{path}", host.to_ascii_lowercase())));
        }
        let word = word.to_lowercase();
        if let Some(term) = kind_term(&word) {
            return Ok(term);
        }
        let in_host = |c: char| c.is_alphanumeric() || "-._*[]:".contains(c);
        if word.chars().all(in_host) && word.contains(|c: char| c.is_alphanumeric() || c == '*') {
            return Ok(Self::Host(word));
        }
        Err(())
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kind(party, kind) => {
                let party = party.map(|party| {
                    let found = PARTIES.iter().find(|(known, _)| *known == party);
                    found.expect("every party has a name").1
                });
                let kind = kind.map(|kind| {
                    let found = KINDS.iter().find(|(known, _)| *known == kind);
                    found.map_or("ads", |(_, names)| names[0])
                });
                match (party, kind) {
                    (Some(party), Some(kind)) => write!(f, "{party}-{kind}"),
                    (Some(one), None) | (None, Some(one)) => f.write_str(one),
                    (None, None) => f.write_str("*"),
                }
            }
            Self::Host(pattern) | Self::Url(pattern) => f.write_str(pattern),
        }
    }
}

impl FromStr for Selector {
    type Err = InterventionError;

    fn from_str(text: &str) -> Result<Self, InterventionError> {
        let read = |term: &str| {
            term.parse().map_err(|()| InterventionError::Term {
                text: text.to_owned(),
                term: term.to_owned(),
            })
        };
        let terms: Result<Vec<Term>, _> = text.split('+').map(read).collect();
        Ok(Self { terms: terms? })
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terms: Vec<String> = self.terms.iter().map(Term::to_string).collect();
        f.write_str(&terms.join("+"))
    }
}
