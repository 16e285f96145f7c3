//! One response after the other, by Chromium's priority classes.
//!
//! Follows Sander 2022, section IV-B1, "Chrome": no response of a lower class is sent while
//! one of a higher class has anything to send, and within a class the order is first come,
//! first served, in the order of requests. The classes are the five of Chromium's resource
//! fetcher. Sander counts seven levels.
//!
//! A signal can only raise a response above the class of its type: Chromium raises images
//! once it finds them in the viewport, and signals the change. The strategy ignores the
//! incremental parameter, which [`eps`](super::eps) obeys.

use pagerace_core::RequestPriority;

use crate::{Response, Strategy, StrategyInfo, Values};

/// The registry entry of this strategy.
pub(crate) const INFO: StrategyInfo = StrategyInfo {
    name: "sequential",
    summary: "Chromium's priority classes, highest first; one response after the other by request order inside a class",
    source: "Sander 2022, section IV-B1, \"Chrome\"",
    parameters: &[],
    build: |_: &Values| Box::new(Sequential),
};

/// The sequential strategy, which has no state.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sequential;

impl Strategy for Sequential {
    fn pick(&mut self, ready: &[Response]) -> usize {
        first_by_class(ready, |_| true).expect("something is ready")
    }
}

/// Returns the index of the `eligible` response with the highest class. Ties go to the
/// earliest request.
pub(super) fn first_by_class(
    ready: &[Response],
    eligible: impl Fn(&Response) -> bool,
) -> Option<usize> {
    let mut first: Option<usize> = None;
    for (index, response) in ready.iter().enumerate() {
        // `ready` ascends by stream, so the first response of a class is the earliest
        // request.
        let higher = first.is_none_or(|f| class(response) < class(&ready[f]));
        if higher && eligible(response) {
            first = Some(index);
        }
    }
    first
}

/// Returns the class of the response's type, or the class that its signal stands for if
/// that is more urgent.
pub fn class(response: &Response) -> RequestPriority {
    let signalled = RequestPriority::of_urgency(response.signal.urgency);
    response.facts.class.min(signalled)
}
