//! Checks of reliability policies against the pages.

use pagerace_delivery::reliability::{ReliabilitySpec, Selection};
use pagerace_sim::reliability::selected;

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
        let needed = self.needs.iter().map(|needs| needs.len());
        let known = needed.eq(self.pages.iter().map(|page| page.resources.len()));
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
            for contender in &self.contenders {
                let policy = contender.effective_reliability();
                let entry = (policy.to_string(), page.name.as_str());
                if !policy.is_full() && !self.selects(&policy, i) && !idle.contains(&entry) {
                    idle.push(entry);
                }
            }
        }
        idle
    }

    /// Returns true if the policy selects any resource of the page with this index.
    pub(super) fn selects(&self, policy: &ReliabilitySpec, page: usize) -> bool {
        let needs = self.needs.get(page).map_or(&[][..], |needs| needs);
        !selected(&self.pages[page], policy.selection(), needs).is_empty()
    }
}
