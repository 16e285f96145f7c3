//! What the user knows better.

use pagerace_core::Destination;
use thiserror::Error;

use super::Reason;
use crate::intervention::{Selector, Target};
use crate::{Page, Resource};

/// Selectors of what is essential and of what is not. What both select is
/// essential: `third-party` is not, but for `cdn.example`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// What these select is essential.
    pub essential: Vec<Selector>,
    /// What these select, and none of the others, is not.
    pub non_essential: Vec<Selector>,
}

/// Overrides that cannot hold.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EssentialError {
    /// The document, or a redirect to it, would not be essential.
    #[error(
        "{selector} selects {url}, which is the page's document or leads to it: without it there \
         is no page; select less"
    )]
    Document {
        /// The selector, as written.
        selector: String,
        /// What it selects.
        url: String,
    },
}

impl Overrides {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.essential.is_empty() && self.non_essential.is_empty()
    }

    /// Selectors that select nothing of `page`.
    pub fn unmatched(&self, page: &Page) -> Vec<&Selector> {
        let selects = |selector: &Selector| {
            let mut resources = page.resources.iter();
            resources.any(|r| selector.selects(&Target::of(page, r)))
        };
        let all = self.essential.iter().chain(&self.non_essential);
        all.filter(|selector| !selects(selector)).collect()
    }

    /// Refuses what would leave no page.
    pub(super) fn check(&self, page: &Page) -> Result<(), EssentialError> {
        let documents = page.resources.iter();
        for resource in documents.filter(|r| r.destination == Destination::Document) {
            if let Some((selector, false)) = self.of(page, resource) {
                return Err(EssentialError::Document {
                    selector: selector.to_string(),
                    url: resource.url.clone(),
                });
            }
        }
        Ok(())
    }

    /// What they say of a resource.
    pub(super) fn reason(&self, page: &Page, resource: &Resource) -> Option<Reason> {
        let (selector, essential) = self.of(page, resource)?;
        Some(Reason::Chosen {
            selector: selector.to_string(),
            essential,
        })
    }

    fn of(&self, page: &Page, resource: &Resource) -> Option<(&Selector, bool)> {
        let target = Target::of(page, resource);
        let first = |all: &'_ [Selector]| all.iter().position(|s| s.selects(&target));
        let essential = first(&self.essential).map(|i| (&self.essential[i], true));
        essential.or_else(|| first(&self.non_essential).map(|i| (&self.non_essential[i], false)))
    }
}
