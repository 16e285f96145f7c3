//! What of a page is essential: what a reader would miss, and what has to
//! arrive complete to be of use.
//!
//! [`assess`] gives each resource an [`Assessment`] with its reasons. The rules,
//! in order; the first that applies decides, all other evidence is told beside it:
//!
//! 1. The document and redirects to it are essential, whatever is said against it.
//! 2. What the user says ([`Overrides`]).
//! 3. Advertisement and trackers, as an [`AdMatcher`] knows them, are not: they
//!    serve somebody else. This stands before paints because an advertisement
//!    that holds up the first paint is no loss.
//! 4. What the first or the largest paint, or the final picture, needs
//!    ([`PaintEffect`]) is.
//! 5. A redirect or preflight is what the request behind it is.
//! 6. Beacons, icons of the browser's own frame, prefetches are not.
//! 7. What is in a frame that is not essential, and what advertisement asked for,
//!    is not.
//! 8. Widgets (social networks, chats, marketing) are not, but for their images.
//! 9. Then the category decides with party and place; `rules` says how.
//! 10. Last, whatever leads to something essential is essential.
//!
//! # Source
//! Categories and the first answer to each: Srivastava 2024, table 4 (HTML, CSS,
//! JavaScript yes; fonts, advertisement no; images, JSON, others maybe).
//! `docs/essential.md` has the rationale and what the rules make of real pages.

mod facts;
mod overrides;
mod paint;
mod reason;
mod rules;
mod whole;

use serde::{Deserialize, Serialize};

use crate::Page;
use crate::ads::AdMatcher;

pub use overrides::{EssentialError, Overrides};
pub use paint::{PaintChange, PaintEffect};
pub use reason::{Counts, Reason};

/// Whether a resource is essential, whether it is of use in part, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    /// A reader would miss it.
    pub essential: bool,
    /// It is of no use unless all of it arrives. What is not (media, progressive
    /// images) is of some use in part.
    pub whole: bool,
    /// Why; the first one decided.
    pub reasons: Vec<Reason>,
}

/// Assesses every resource, in page order.
///
/// `paints` says in page order what paints make of each resource; without it,
/// only what the recording says of render-blocking and of the viewport counts.
///
/// # Errors
/// [`EssentialError`] if the overrides contradict what cannot be otherwise.
///
/// # Panics
/// If `paints` is there and not as long as the page.
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
        let others = facts.told().into_iter().chain(how);
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
