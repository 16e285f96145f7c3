//! Checks of a plan's changes against its pages.

use super::Plan;
use crate::error::LabError;

impl Plan {
    /// Returns an error if the changes of a contender can be made to none of the pages.
    pub(super) fn check_changes(&self) -> Result<(), LabError> {
        for contender in &self.contenders {
            let mut refused = self
                .pages
                .iter()
                .map(|page| contender.changes.apply(page).err());
            let first = refused.next().flatten();
            if let Some(reason) = first
                && refused.all(|other| other.is_some())
            {
                return Err(LabError::Plan(format!("changes: {reason}")));
            }
        }
        Ok(())
    }

    /// Returns a sentence for each page and contender whose changes cannot be made to the page.
    pub fn unchanged_pages(&self) -> Vec<String> {
        let changing = self.contenders.iter().filter(|one| !one.changes.is_empty());
        let refused = changing.flat_map(|contender| {
            let pages = self.pages.iter();
            pages.filter_map(|page| contender.changes.apply(page).err())
        });
        refused.map(|reason| reason.to_string()).collect()
    }

    /// Returns a sentence for each page and contender whose changes may remove more than is
    /// known.
    pub fn doubtful_changes(&self) -> Vec<String> {
        let mut told = Vec::new();
        for contender in self.contenders.iter().filter(|one| !one.changes.is_empty()) {
            for page in &self.pages {
                let Ok(changed) = contender.changes.apply(page) else {
                    continue;
                };
                if let Some(first) = changed.doubtful.first() {
                    let (count, url) = (changed.doubtful.len(), &page.resource(*first).url);
                    told.push(format!(
                        "`{}` on {}: the recording does not tell what requests {count} of the \
                         remaining resources, such as {url}; they stay, although some may go, too",
                        contender.changes, page.name
                    ));
                }
            }
        }
        told
    }
}
