//! An overlay, such as a loader, that covers the page until a script removes it, and scripts that
//! hide the page itself.
//!
//! Paints behind an overlay count for first and largest contentful paint, but nobody sees them
//! before it goes. A page whose elements are hidden has no such paint. `overlay.js` looks at each
//! frame. The page's images are held meanwhile, so that `DOMContentLoaded` and the load event are
//! apart and the script that removes the overlay shows which of them it waits for.

use pagerace_core::{Duration, Instant};
use pagerace_har::extension::{Cover, DocumentEvent, Ms};
use serde_json::json;

use crate::{ChromiumError, Event, Session};

/// Looks for an overlay, and whether the page is hidden, in each frame.
const SCRIPT: &str = include_str!("overlay.js");

/// The time from `DOMContentLoaded` until the images are released.
const HOLD: Duration = Duration::from_millis(1_500);

/// The least time between the two events that tells which of them a script waits for.
const APART_MS: f64 = 500.0;

/// The images that are held.
#[derive(Debug, Default)]
pub(super) struct Hold {
    images: Vec<String>,
    content_loaded: Option<Instant>,
    /// True if images are no longer held.
    released: bool,
    /// True if the images were released and nothing had kept the page from being seen.
    has_seen_nothing: bool,
}

impl Hold {
    /// Prepares the next load of a session.
    pub(super) fn begin(session: &mut Session) -> Result<Self, ChromiumError> {
        let images = json!({"patterns": [{"urlPattern": "*", "resourceType": "Image"}]});
        session.call("Fetch.enable", images)?;
        let source = json!({"source": SCRIPT});
        session.call("Page.addScriptToEvaluateOnNewDocument", source)?;
        Ok(Self::default())
    }

    /// Returns true if nothing has kept the page from being seen when the images were released.
    pub(super) const fn has_seen_nothing(&self) -> bool {
        self.has_seen_nothing
    }

    /// Handles an event of the load.
    pub(super) fn handle(&mut self, now: Instant, event: &Event) {
        match event.method.as_str() {
            "Fetch.requestPaused" => {
                let id = event.params["requestId"].as_str();
                self.images.extend(id.map(str::to_owned));
            }
            "Page.domContentEventFired" => {
                self.content_loaded.get_or_insert(now);
            }
            _ => {}
        }
    }

    /// Releases the images whose time has come.
    pub(super) fn release(&mut self, session: &mut Session) -> Result<(), ChromiumError> {
        let now = session.now();
        if self.content_loaded.is_some_and(|at| now >= at + HOLD) {
            if !std::mem::replace(&mut self.released, true) {
                let seen = session.evaluate("Boolean(window.__pagerace?.seen())")?;
                self.has_seen_nothing = seen == false;
            }
            for id in self.images.drain(..) {
                let (target, image) = (session.id().to_owned(), json!({"requestId": id}));
                session.send_in(&target, "Fetch.continueRequest", image)?;
            }
        }
        Ok(())
    }
}

/// Covers keep the page from being seen. Each names the event after which it goes, and the time
/// from it. It is `None` if it goes before `DOMContentLoaded`, or never.
#[derive(Clone, Debug, Default)]
pub(super) struct Covers {
    /// An element in front of the page.
    pub(super) overlay: Option<Cover>,
    /// The page itself is hidden.
    pub(super) hidden: Option<Cover>,
}

/// Returns what the load has shown.
pub(super) fn find(session: &mut Session) -> Result<Covers, ChromiumError> {
    let seen = session.evaluate("window.__pagerace && window.__pagerace.overlay()")?;
    let time = |key: &str| seen[key].as_f64();
    let event = |begin: &str, end: &str| Some((time(begin)?, time(end)?));
    let overlay = after_event(
        time("goneMs"),
        event("dclMs", "dclMs"),
        event("loadMs", "loadMs"),
    );
    // The model runs the handlers of an event by itself.
    let hidden = after_event(
        time("shownMs"),
        event("dclMs", "dclEndMs"),
        event("loadMs", "loadEndMs"),
    );
    Ok(Covers { overlay, hidden })
}

/// Returns the last event that begins before `gone`, and the time from its end to `gone`. Events
/// have a begin and an end.
fn after_event(
    gone: Option<f64>,
    content: Option<(f64, f64)>,
    load: Option<(f64, f64)>,
) -> Option<Cover> {
    let (gone, content, load) = (gone?, content?, load?);
    let after = |after: DocumentEvent, (begin, end): (f64, f64)| {
        let ms = Ms(((gone - end).max(0.0) * 10.0).round() / 10.0);
        (gone >= begin).then_some(Cover { after, ms })
    };
    let for_load = after(DocumentEvent::Load, load);
    if for_load.is_some() || load.0 - content.0 < APART_MS {
        return for_load;
    }
    after(DocumentEvent::DomContentLoaded, content)
}

#[cfg(test)]
mod tests {
    use super::DocumentEvent::{DomContentLoaded, Load};
    use super::{Cover, Ms, after_event};

    #[test]
    fn an_overlay_goes_after_the_last_event_before_it() {
        let gone = |at: f64| after_event(Some(at), Some((100.0, 100.0)), Some((1700.0, 1700.0)));
        let after = |after, ms| Some(Cover { after, ms: Ms(ms) });
        assert_eq!(gone(99.0), None, "it was never in the way");
        assert_eq!(gone(350.04), after(DomContentLoaded, 250.0));
        assert_eq!(gone(1750.0), after(Load, 50.0));
        let close = after_event(Some(120.0), Some((100.0, 100.0)), Some((130.0, 130.0)));
        assert_eq!(close, None, "either event may be meant");
        assert_eq!(after_event(None, Some((1.0, 1.0)), Some((2.0, 2.0))), None);
    }

    #[test]
    fn the_handlers_of_the_event_are_no_delay() {
        let shown = |at: f64| after_event(Some(at), Some((100.0, 180.0)), Some((1700.0, 1710.0)));
        let after = |after, ms| Some(Cover { after, ms: Ms(ms) });
        assert_eq!(shown(150.0), after(DomContentLoaded, 0.0));
        assert_eq!(shown(200.0), after(DomContentLoaded, 20.0));
        assert_eq!(shown(1705.0), after(Load, 0.0));
    }
}
