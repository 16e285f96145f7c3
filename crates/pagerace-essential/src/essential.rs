//! Classification of a page's resources as essential: resources that a reader would miss,
//! and resources that are useless unless complete.
//!
//! [`assess`] gives each resource an [`Assessment`] with its reasons. The first
//! applicable rule decides; all other evidence is reported beside it. The rules, in
//! order:
//!
//! 1. The document and the redirects to it are essential, regardless of other evidence.
//! 2. The user's [`Overrides`] decide.
//! 3. Advertisement and trackers known to an [`AdMatcher`] are not essential, because they
//!    do not serve the reader. The rule precedes paints because an advertisement that
//!    holds up the first paint is no loss.
//! 4. A resource that the first paint, the largest paint or the final picture needs
//!    ([`PaintEffect`]) is essential.
//! 5. A redirect or preflight has the verdict of the request that it leads to.
//! 6. Beacons, icons outside the page and prefetches are not essential.
//! 7. Content of a frame that is not essential, and requests made by advertisement, are not
//!    essential.
//! 8. Widgets (social networks, chats, marketing) are not essential, except their images.
//! 9. The category decides, together with party and position; see `rules`.
//! 10. Finally, every resource that leads to an essential one is essential.
//!
//! # Source
//! Categories and their default: Srivastava 2024, table 4 (HTML, CSS, JavaScript
//! essential; fonts, advertisement not; images, JSON, others undecided).
//! `docs/essential.md` has the rationale and the results of the rules on real pages.

mod facts;
mod overrides;
mod reason;
mod rules;
mod whole;

use serde::{Deserialize, Serialize};

use crate::ads::AdMatcher;
use pagerace_page::{Page, PaintEffect};

pub use overrides::{EssentialError, Overrides};
pub use reason::{Counts, Reason};

/// Verdict on a resource: whether it is essential, whether a part of it is useful, and
/// why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    /// True if a reader would miss the resource.
    pub essential: bool,
    /// True if the resource is useless unless all of it arrives. Media and progressive
    /// images are useful in part.
    pub whole: bool,
    /// Reasons; the first one decided.
    pub reasons: Vec<Reason>,
}

/// Assesses every resource, in page order.
///
/// `paints` holds the effect of each resource on paints, in page order. Without it, the
/// assessment relies on the recorded render-blocking status and viewport position.
///
/// # Errors
/// Returns [`EssentialError`] if an override marks the document, or a redirect to it, as
/// not essential.
///
/// # Panics
/// Panics if `paints` and the page differ in length.
pub fn assess(
    page: &Page,
    ads: &dyn AdMatcher,
    paints: Option<&[PaintEffect]>,
    overrides: &Overrides,
) -> Result<Vec<Assessment>, EssentialError> {
    overrides.check(page)?;
    assert!(
        paints.is_none_or(|p| p.len() == page.resources.len()),
        "paints are told of every resource"
    );
    let facts = facts::collect(page, ads, paints, overrides);
    let verdicts = rules::decide(page, &facts);
    let assessments = page.resources.iter().zip(&facts).zip(verdicts);
    let assessment = |((resource, facts), verdict): ((_, &facts::Facts), rules::Verdict)| {
        let (whole, how) = whole::of(resource);
        let mut reasons = vec![verdict.reason];
        let others = facts.told(resource).into_iter().chain(how);
        for reason in others {
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        Assessment {
            essential: verdict.essential,
            whole,
            reasons,
        }
    };
    Ok(assessments.map(assessment).collect())
}

#[cfg(test)]
mod tests;
