//! Changes of a page: what its makers could do to it, as a step from a page to a page before
//! the load.
//!
//! A change is written as its kind, the kind's value if it has one, and a selector:
//! `remove ads`, `fetchpriority=high */hero.jpg`. Module
//! [`selector`](crate::intervention::selector) documents selectors. Several changes are
//! separated by `;` and happen one after the other.
//!
//! Each kind is a file here and a line in [`KINDS`]. It says what the change does to the page
//! that the simulator loads, and what it does to the markup that a live server sends.

mod fetch_priority;
mod remove;
mod retain;

use std::fmt;
use std::str::FromStr;

use pagerace_core::suggest::did_you_mean;
use pagerace_core::{Destination, serde_as_text};
use thiserror::Error;

use crate::intervention::{InterventionError, Selector, Target};
use crate::{Evidence, Page, Resource, ResourceId};

pub use retain::Kept;

/// All kinds, in the order of lists.
pub static KINDS: [&dyn Kind; 2] = [&fetch_priority::FetchPriority, &remove::Remove];

/// The text form of no changes.
pub const NONE: &str = "unchanged";

/// A kind of change.
pub trait Kind: Sync {
    /// The name, in lower case.
    fn name(&self) -> &'static str;

    /// The values that may follow the name and `=`; empty if there are none.
    fn values(&self) -> &'static [&'static str];

    /// The effect, in one sentence without a full stop.
    fn summary(&self) -> &'static str;

    /// A change of this kind, as people write it.
    fn example(&self) -> &'static str;

    /// Changes what the browser will do with the resources `on`, of which there is at least one.
    ///
    /// # Errors
    /// The reason why the change has no effect on any of them.
    fn apply(&self, value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String>;

    /// The same change to an element of the markup that names one of the resources.
    fn edit(&self, value: &str) -> Edit;

    /// The same change to a style sheet that names one of the resources.
    fn edits_styles(&self) -> bool;
}

/// A change of an element in markup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// The element goes, with its content.
    Remove,
    /// An attribute gets this value.
    Set(&'static str, String),
}

/// One change of a page.
#[derive(Clone)]
pub struct Change {
    kind: &'static dyn Kind,
    value: &'static str,
    /// The requests concerned.
    pub selector: Selector,
}

/// Changes that happen one after the other; none by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    all: Vec<Change>,
}

/// A page after changes, and where its resources were before.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    /// The page after the changes.
    pub page: Page,
    /// For each resource of the page before: its place now, or `None` if it is gone.
    pub kept: Kept,
    /// The resources of the page before that may go, too: the recording does not tell what
    /// requests them, and one that led to others before them is gone.
    pub doubtful: Vec<ResourceId>,
}

/// The reason why a text is no change.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ChangeError {
    /// The text lacks a kind or a selector.
    #[error("`{0}` is no change of a page; write a kind and what to change, as in `{example}`", example = KINDS[0].example())]
    Parts(String),
    /// There is no such kind.
    #[error("`{found}` is no kind of change; there are {known}{hint}")]
    Kind {
        /// The text in place of a kind.
        found: String,
        /// The kinds.
        known: String,
        /// A suggestion.
        hint: String,
    },
    /// The kind does not have this value.
    #[error("`{text}`: write {expected}")]
    Value {
        /// The kind and value as written.
        text: String,
        /// The text to write instead.
        expected: String,
    },
    /// The selector cannot be read.
    #[error(transparent)]
    Selector(#[from] InterventionError),
}

/// The reason why a change cannot be made to a page.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{change}` on {page}: {reason}")]
pub struct CannotChange {
    /// The change.
    pub change: String,
    /// The name of the page.
    pub page: String,
    /// The reason.
    pub reason: String,
}

impl Change {
    /// Returns true if a word of a text begins a change: it names a kind, with or without value.
    pub fn begins_with(word: &str) -> bool {
        kind_of(word).is_some()
    }

    /// Returns the change of the markup's elements that name selected resources.
    pub fn edit(&self) -> Edit {
        self.kind.edit(self.value)
    }

    /// Returns true if style sheets that name selected resources change, too.
    pub fn edits_styles(&self) -> bool {
        self.kind.edits_styles()
    }

    /// Makes the change.
    ///
    /// # Errors
    /// It selects nothing, or has no effect on what it selects.
    fn apply(&self, page: &mut Page) -> Result<Kept, CannotChange> {
        let selected = |id: &ResourceId| {
            let resource = page.resource(*id);
            self.selector.selects(&Target::of(page, resource))
        };
        let ids = (0..page.resources.len()).map(|i| ResourceId(i as u32));
        let on: Vec<ResourceId> = ids.filter(selected).collect();
        let name = page.name.clone();
        let done = if on.is_empty() {
            Err("it selects no request; `pagerace page FILE` lists them".to_owned())
        } else {
            self.kind.apply(self.value, &on, page)
        };
        done.map_err(|reason| CannotChange {
            change: self.to_string(),
            page: name,
            reason,
        })
    }
}

impl Changes {
    /// Creates a list of these changes.
    pub fn new(all: Vec<Change>) -> Self {
        Self { all }
    }

    /// Returns all changes, in order.
    pub fn all(&self) -> &[Change] {
        &self.all
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the page after the changes.
    ///
    /// # Errors
    /// A change selects nothing, or has no effect on what it selects.
    pub fn apply(&self, page: &Page) -> Result<Changed, CannotChange> {
        let mut changed = Changed {
            page: page.clone(),
            kept: Kept::all(page.resources.len()),
            doubtful: Vec::new(),
        };
        for change in &self.all {
            let kept = change.apply(&mut changed.page)?;
            changed.kept = changed.kept.then(&kept);
        }
        changed.doubtful = doubtful(page, &changed.kept);
        Ok(changed)
    }
}

/// Returns the resources that may only have been requested because of one that is gone. A page
/// has its resources in the order of their requests.
fn doubtful(page: &Page, kept: &Kept) -> Vec<ResourceId> {
    let leads = |resource: &&Resource| {
        let alone = [Destination::Image, Destination::Font, Destination::Media];
        kept.place(resource.id).is_none() && !alone.contains(&resource.destination)
    };
    let Some(first) = page.resources.iter().find(leads) else {
        return Vec::new();
    };
    let later = page.resources[first.id.index()..].iter();
    let guessed = later.filter(|resource| {
        kept.place(resource.id).is_some() && resource.discovery.evidence >= Evidence::Timing
    });
    guessed.map(|resource| resource.id).collect()
}

fn kind_of(word: &str) -> Option<&'static dyn Kind> {
    let name = word.split('=').next().unwrap_or(word);
    let mut all = KINDS.iter();
    all.find(|kind| kind.name().eq_ignore_ascii_case(name))
        .copied()
}

impl FromStr for Change {
    type Err = ChangeError;

    fn from_str(text: &str) -> Result<Self, ChangeError> {
        let text = text.trim();
        let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let kind = kind_of(first).ok_or_else(|| {
            let known: Vec<&str> = KINDS.iter().map(|kind| kind.name()).collect();
            let name = first.split('=').next().unwrap_or(first);
            if name.is_empty() {
                return ChangeError::Parts(text.to_owned());
            }
            ChangeError::Kind {
                found: name.to_owned(),
                hint: did_you_mean(name, known.iter().copied()),
                known: known.join(", "),
            }
        })?;
        let found = first.split_once('=').map(|(_, value)| value);
        let mut values = kind.values().iter();
        let value = match found {
            None if kind.values().is_empty() => Some(""),
            None => None,
            Some(found) => values.find(|one| one.eq_ignore_ascii_case(found)).copied(),
        };
        let value = value.ok_or_else(|| ChangeError::Value {
            text: first.to_owned(),
            expected: match kind.values() {
                [] => format!("`{}` without a value", kind.name()),
                values => {
                    let all: Vec<String> = values
                        .iter()
                        .map(|one| format!("`{}={one}`", kind.name()))
                        .collect();
                    all.join(" or ")
                }
            },
        })?;
        let rest = rest.trim();
        if rest.is_empty() {
            return Err(ChangeError::Parts(text.to_owned()));
        }
        Ok(Self {
            kind,
            value,
            selector: rest.parse()?,
        })
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())?;
        if !self.value.is_empty() {
            write!(f, "={}", self.value)?;
        }
        write!(f, " {}", self.selector)
    }
}

impl fmt::Debug for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Change({self})")
    }
}

impl PartialEq for Change {
    fn eq(&self, other: &Self) -> bool {
        self.kind.name() == other.kind.name()
            && self.value == other.value
            && self.selector == other.selector
    }
}

impl Eq for Change {}

serde_as_text!(Changes);

impl FromStr for Changes {
    type Err = ChangeError;

    /// Reads `unchanged` as no changes, and other text as changes separated by `;`.
    fn from_str(text: &str) -> Result<Self, ChangeError> {
        if text.trim() == NONE {
            return Ok(Self::default());
        }
        let parts = text.split(';').map(str::trim);
        let all: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        if all.is_empty() {
            return Err(ChangeError::Parts(text.to_owned()));
        }
        let all: Result<_, _> = all.into_iter().map(str::parse).collect();
        Ok(Self { all: all? })
    }
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.all.is_empty() {
            return f.write_str(NONE);
        }
        let all: Vec<String> = self.all.iter().map(Change::to_string).collect();
        f.write_str(&all.join("; "))
    }
}

#[cfg(test)]
mod tests;
