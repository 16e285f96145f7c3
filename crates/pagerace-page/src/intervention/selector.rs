//! Which requests: categories, hosts and URL patterns, joined by `+`.
//!
//! | written | selects |
//! |---|---|
//! | `fonts`, `css`, `js`, `images`, `html`, `json`, `others` | what is asked for as such, advertisements included |
//! | `ads` | advertisement and analytics, whatever they are |
//! | `third-party`, `first-party` | what is on another registrable domain than the document, or on the same |
//! | `third-party-js`, `first-party-css`, .. | both at once |
//! | `cdn.example`, `*.cdn.example` | all from a host, or from its subdomains |
//! | `*/app.js*`, `https://cdn.example/fonts/*` | URLs, whole; without a scheme, whatever theirs is |
//!
//! `*` stands for any text; in a URL pattern it has to stand for a `+` as well.

use std::fmt;
use std::str::FromStr;

use super::InterventionError;
use super::glob::fits;
use super::target::Target;
use crate::Category;

/// Requests that fit one of its terms.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Selector {
    terms: Vec<Term>,
}

/// One part of a selector.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Term {
    /// By what a request is for and whose it is; `None` is any.
    Kind(Option<Party>, Option<Kind>),
    /// By host, in lower case; `*` stands for any text.
    Host(String),
    /// By URL; `*` stands for any text.
    Url(String),
}

/// Whose a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Party {
    /// Of the document's registrable domain.
    First,
    /// Of another one.
    Third,
}

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Advertisement and analytics, as [`Category::Ads`].
    Ads,
    /// What it is asked for as, whether it serves advertisement or not; never
    /// [`Category::Ads`].
    Of(Category),
}

/// Names of categories, those that are written first.
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
    /// What fits any of `terms`; at least one.
    ///
    /// # Panics
    /// If there are no terms: that would select nothing.
    pub fn any(terms: Vec<Term>) -> Self {
        assert!(!terms.is_empty(), "a selector has a term");
        Self { terms }
    }

    /// Its terms, at least one.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Whether it selects `target`.
    pub fn selects(&self, target: &Target<'_>) -> bool {
        self.terms.iter().any(|term| term.selects(target))
    }
}

impl Term {
    /// Whether it selects `target`.
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

    /// All names of categories, as they are written.
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

/// `third-party`, `js`, `third-party-js`.
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
    /// Who reads it knows the text around it.
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        // What would not read back: these separate.
        if word.is_empty()
            || word.contains(['+', ' ', '"', '\''])
            || word.contains(char::is_whitespace)
        {
            return Err(());
        }
        if word.contains('/') {
            // Hosts have no case, paths have.
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
        for (i, term) in self.terms.iter().enumerate() {
            if i > 0 {
                f.write_str("+")?;
            }
            write!(f, "{term}")?;
        }
        Ok(())
    }
}
