//! Overrides of the classification by the user.

use pagerace_core::Destination;
use thiserror::Error;

use super::Reason;
use pagerace_page::intervention::{Selector, Target};
use pagerace_page::{Page, Resource};

/// Selectors of essential and non-essential resources. A resource that both lists select
/// is essential, so that `third-party` can be non-essential with the exception of
/// `cdn.example`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// Selectors of essential resources.
    pub essential: Vec<Selector>,
    /// Selectors of non-essential resources; `essential` takes precedence.
    pub non_essential: Vec<Selector>,
}

/// Overrides that contradict the page.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EssentialError {
    /// An override marks the document, or a redirect to it, as not essential.
    #[error(
        "{selector} selects {url}, which is the page's document or leads to it: without it there \
         is no page; select less"
    )]
    Document {
        /// The selector, as written.
        selector: String,
        /// URL of the selected document.
        url: String,
    },
}

impl Overrides {
    /// Returns the selectors that select nothing of `page`.
    pub fn unmatched(&self, page: &Page) -> Vec<&Selector> {
        let selects = |selector: &Selector| {
            let mut resources = page.resources.iter();
            resources.any(|r| selector.selects(&Target::of(page, r)))
        };
        let all = self.essential.iter().chain(&self.non_essential);
        all.filter(|selector| !selects(selector)).collect()
    }

    /// Rejects overrides that mark a document as not essential.
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

    /// Returns the override that applies to a resource, as a reason.
    pub(super) fn reason(&self, page: &Page, resource: &Resource) -> Option<Reason> {
        let (selector, essential) = self.of(page, resource)?;
        Some(Reason::Chosen {
            selector: selector.to_string(),
            essential,
        })
    }

    fn of(&self, page: &Page, resource: &Resource) -> Option<(&Selector, bool)> {
        let target = Target::of(page, resource);
        let essential = self.essential.iter().map(|s| (s, true));
        let mut all = essential.chain(self.non_essential.iter().map(|s| (s, false)));
        all.find(|(selector, _)| selector.selects(&target))
    }
}
