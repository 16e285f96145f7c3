//! Lists of interventions, and their effect on each resource of a page.

use std::fmt;
use std::str::FromStr;

use pagerace_core::{Destination, Duration, serde_as_text};

use super::{Effect, Failure, Intervention, InterventionError, Target, Term};
use crate::{Page, Resource, ResourceId};

/// Interventions that apply together; none by default. Written and serialised with spaces
/// between them, or as `none`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Interventions {
    all: Vec<Intervention>,
}

/// Effect of all interventions on one request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResourceEffect {
    /// The way the request is blocked, if any; `refused` takes precedence over `hang`.
    pub block: Option<Failure>,
    /// Delay of the response, the sum of all delays.
    pub delay: Duration,
}

/// A part of an intervention that selects nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmatched {
    /// The intervention.
    pub intervention: Intervention,
    /// The part of its selector that selects nothing.
    pub term: Term,
}

impl Interventions {
    /// Creates a list of these interventions.
    pub fn new(all: Vec<Intervention>) -> Self {
        Self { all }
    }

    /// Returns all interventions.
    pub fn all(&self) -> &[Intervention] {
        &self.all
    }

    /// Returns true if there are no interventions.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns a list with the interventions of both lists.
    #[must_use]
    pub fn and(&self, others: &Self) -> Self {
        let all = self.all.iter().chain(&others.all);
        Self::new(all.cloned().collect())
    }

    /// Returns the effect on a request.
    pub fn on(&self, target: &Target<'_>) -> ResourceEffect {
        let mut sum = ResourceEffect::default();
        for one in self.all.iter().filter(|i| i.selector.selects(target)) {
            match one.effect {
                Effect::Delay(delay) => sum.delay += delay,
                // A request that never leaves cannot hang.
                Effect::Block(Failure::Refused) => sum.block = Some(Failure::Refused),
                Effect::Block(Failure::Hang) => {
                    sum.block.get_or_insert(Failure::Hang);
                }
            }
        }
        sum
    }

    /// Returns the effect on each resource, in page order.
    pub fn of_page(&self, page: &Page) -> Vec<ResourceEffect> {
        let on = |resource: &Resource| self.on(&Target::of(page, resource));
        page.resources.iter().map(on).collect()
    }

    /// Returns the parts that select nothing on any of `pages`, most likely a misspelt
    /// host or category. A category is not reported if another part of its selector
    /// selects something.
    pub fn unmatched(&self, pages: &[impl AsRef<Page>]) -> Vec<Unmatched> {
        let used = |term: &Term| {
            pages.iter().map(AsRef::as_ref).any(|page| {
                let mut targets = page.resources.iter().map(|r| Target::of(page, r));
                targets.any(|target| term.selects(&target))
            })
        };
        let mut unmatched = Vec::new();
        for intervention in &self.all {
            let terms = intervention.selector.terms();
            let some = terms.iter().any(used);
            for term in terms {
                let excused = some && matches!(term, Term::Kind(..));
                if !excused && !used(term) {
                    unmatched.push(Unmatched {
                        intervention: intervention.clone(),
                        term: term.clone(),
                    });
                }
            }
        }
        unmatched
    }

    /// Returns the first document, or redirect to it, that would be blocked: the page
    /// would never appear.
    pub fn blocked_document(&self, page: &Page) -> Option<ResourceId> {
        let effects = self.of_page(page);
        let documents = page.resources.iter();
        let mut documents = documents.filter(|r| r.destination == Destination::Document);
        let blocked = documents.find(|r| effects[r.id.index()].block.is_some());
        blocked.map(|r| r.id)
    }
}

serde_as_text!(Interventions);

impl FromStr for Interventions {
    type Err = InterventionError;

    /// Reads `none` or `original` as an empty list, and other text as interventions
    /// separated by spaces.
    fn from_str(text: &str) -> Result<Self, InterventionError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words.as_slice() {
            [] => Err(InterventionError::Empty),
            ["none" | "original"] => Ok(Self::default()),
            words => {
                let all: Result<_, _> = words.iter().map(|word| word.parse()).collect();
                Ok(Self { all: all? })
            }
        }
    }
}

impl fmt::Display for Interventions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.all.is_empty() {
            return f.write_str("none");
        }
        let all: Vec<String> = self.all.iter().map(Intervention::to_string).collect();
        f.write_str(&all.join(" "))
    }
}
