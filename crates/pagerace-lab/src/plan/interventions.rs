//! Checks of a plan's interventions against its pages.

use pagerace_core::suggest::did_you_mean;
use pagerace_page::Interventions;
use pagerace_page::intervention::{Term, Unmatched};

use super::Plan;
use crate::error::LabError;

impl Plan {
    /// Returns an error if an intervention selects nothing or blocks a page's document.
    pub(super) fn check_interventions(&self) -> Result<(), LabError> {
        let own = self.contenders.iter().map(|c| &c.interventions);
        for interventions in std::iter::once(&self.interventions).chain(own) {
            if let Some(unmatched) = interventions.unmatched(&self.pages).first() {
                return Err(self.selects_nothing(unmatched));
            }
            self.check_documents(interventions)?;
        }
        Ok(())
    }

    fn check_documents(&self, interventions: &Interventions) -> Result<(), LabError> {
        for page in &self.pages {
            if let Some(document) = interventions.blocked_document(page) {
                return Err(LabError::Plan(format!(
                    "interventions: `{interventions}` blocks {} itself ({}), so the page would \
                     stay empty; select less, such as third-party",
                    page.name,
                    page.resource(document).url
                )));
            }
        }
        Ok(())
    }

    fn selects_nothing(&self, unmatched: &Unmatched) -> LabError {
        let Unmatched { intervention, term } = unmatched;
        let names = Term::names();
        let known = names.iter().map(String::as_str).chain(self.hosts());
        // A category needs no suggestion: it is spelt correctly, but the pages
        // have no such resource.
        let mut hint = match term {
            Term::Kind(..) => String::new(),
            Term::Host(written) | Term::Url(written) => did_you_mean(written, known),
        };
        if hint.is_empty() {
            hint.push_str("; `pagerace page FILE` shows hosts and categories");
        }
        let of = match self.pages.as_slice() {
            [page] => page.name.clone(),
            pages => format!("any of the {} pages", pages.len()),
        };
        LabError::Plan(format!(
            "interventions: `{term}` of `{intervention}` selects no request of {of}{hint}"
        ))
    }
}
