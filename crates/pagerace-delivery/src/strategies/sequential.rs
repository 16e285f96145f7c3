//! One response after the other, by Chromium's priority classes.
//!
//! Follows Sander 2022, section IV-B1, "Chrome": nothing of a lower class is
//! sent while a higher one has anything to send; within a class, first come
//! first served. "First come" is the order of requests. The classes are those
//! of Chromium's resource fetcher, five of them; Sander counts seven levels.
//!
//! A signal can only raise a response above the class of its type: Chromium
//! raises images once it finds them in the viewport, and says so. Incremental
//! is not obeyed; [`eps`](super::eps) does.

use pagerace_core::RequestPriority;

use crate::{Response, Strategy, StrategyInfo, Values};

/// How this strategy is listed.
pub const INFO: StrategyInfo = StrategyInfo {
    name: "sequential",
    summary: "Chromium's priority classes, highest first; one response after the other by request order inside a class",
    source: "Sander 2022, section IV-B1, \"Chrome\"",
    parameters: &[],
    build: |_: &Values| Box::new(Sequential),
};

/// The strategy; it remembers nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sequential;

impl Strategy for Sequential {
    fn pick(&mut self, ready: &[Response]) -> usize {
        first_by_class(ready, |_| true).expect("something is ready")
    }
}

/// The index of the response of the highest class, earliest request first,
/// among those that are `eligible`.
pub(super) fn first_by_class(
    ready: &[Response],
    eligible: impl Fn(&Response) -> bool,
) -> Option<usize> {
    let mut first: Option<usize> = None;
    for (index, response) in ready.iter().enumerate() {
        // Ascending by stream: of one class the first is the earliest request.
        let higher = first.is_none_or(|f| class(response) < class(&ready[f]));
        if higher && eligible(response) {
            first = Some(index);
        }
    }
    first
}

/// The class of its type, or the one that its signal stands for if that is
/// more urgent.
pub fn class(response: &Response) -> RequestPriority {
    // As Chromium maps classes to urgencies; measured, see docs/browser-model.md.
    let signalled = match response.signal.urgency {
        0 => RequestPriority::VeryHigh,
        1 => RequestPriority::High,
        2 => RequestPriority::Medium,
        3 => RequestPriority::Low,
        _ => RequestPriority::VeryLow,
    };
    response.facts.class.min(signalled)
}
