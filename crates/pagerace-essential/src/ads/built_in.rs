//! The built-in list that decides the ads category, as a matcher.

use pagerace_core::Destination;

use super::{AdKind, AdMatch, AdMatcher, AdRequest};
use pagerace_har::category;

/// Well-known domains and words, see [`category::is_ad`]. The list does not distinguish
/// advertisement from tracking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BuiltIn;

impl AdMatcher for BuiltIn {
    fn find(&self, request: &AdRequest<'_>) -> Option<AdMatch> {
        if request.destination == Destination::Document {
            return None;
        }
        let rule = category::ad_sign(request.url, request.third_party)?;
        Some(AdMatch {
            kind: Some(AdKind::AdOrTracker),
            source: "built-in list".to_owned(),
            rule,
        })
    }
}
