//! Checks of reliability policies against the pages.

use pagerace_delivery::reliability::Selection;

use super::Plan;
use crate::error::LabError;

impl Plan {
    /// Returns true if any contender's policy delivers anything other than on its
    /// stream and in its turn.
    pub fn has_policies(&self) -> bool {
        let mut contenders = self.contenders.iter();
        contenders.any(|c| !c.effective_reliability().is_full())
    }

    /// Returns an error if a policy depends on the needs of pages and these are unknown.
    pub(super) fn check_reliability(&self) -> Result<(), LabError> {
        let fits = |(page, needs): (
            &std::sync::Arc<pagerace_page::Page>,
            &std::sync::Arc<Vec<_>>,
        )| { page.resources.len() == needs.len() };
        let known =
            self.needs.len() == self.pages.len() && self.pages.iter().zip(&self.needs).all(fits);
        if !self.needs.is_empty() && !known {
            return Err(LabError::Plan(
                "needs: expected one for each resource of each page, or none".to_owned(),
            ));
        }
        let needing = self.contenders.iter().find(|c| {
            let policy = c.effective_reliability();
            !policy.is_full() && *policy.selection() == Selection::NonEssential
        });
        match needing {
            Some(contender) if !known => Err(LabError::Plan(format!(
                "reliability: {} depends on which objects are essential; fill in needs",
                contender.reliability
            ))),
            _ => Ok(()),
        }
    }

    /// Returns the policies that select nothing on a page, with the page's name and
    /// without duplicates. Such a policy is probably misspelt.
    pub fn idle_policies(&self) -> Vec<(String, &str)> {
        let mut idle = Vec::new();
        for (i, page) in self.pages.iter().enumerate() {
            let needs = self.needs.get(i).map_or(&[][..], |needs| needs.as_slice());
            for contender in &self.contenders {
                let policy = contender.effective_reliability();
                let entry = (policy.to_string(), page.name.as_str());
                let nothing = !policy.is_full()
                    && pagerace_sim::reliability::selected(page, policy.selection(), needs)
                        .is_empty();
                if nothing && !idle.contains(&entry) {
                    idle.push(entry);
                }
            }
        }
        idle
    }
}
