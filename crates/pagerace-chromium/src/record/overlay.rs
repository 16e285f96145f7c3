//! An overlay, such as a loader, that covers the page until a script removes it.
//!
//! Paints behind such an overlay count for first and largest contentful paint, but nobody sees them
//! before it goes. `overlay.js` looks at each frame. The page's images are held meanwhile, so that
//! `DOMContentLoaded` and the load event are apart and the script that removes the overlay shows
//! which of them it waits for.

use pagerace_core::{Duration, Instant};
use serde_json::{Value, json};

use crate::{ChromiumError, Event, Session};

/// Looks for an overlay in each frame.
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
            for id in self.images.drain(..) {
                let (target, image) = (session.id().to_owned(), json!({"requestId": id}));
                session.send_in(&target, "Fetch.continueRequest", image)?;
            }
        }
        Ok(())
    }
}

/// Returns the event after which the page's overlay goes, and the time from it, in the form of the
/// recording's `layout`; `None` if nothing covers the page after `DOMContentLoaded`, or for ever.
pub(super) fn find(session: &mut Session) -> Result<Option<Value>, ChromiumError> {
    let seen = session.evaluate("window.__pagerace && window.__pagerace.overlay()")?;
    Ok(after_event(&seen))
}

fn after_event(seen: &Value) -> Option<Value> {
    let at = |key: &str| seen[key].as_f64();
    let (gone, content, load) = (at("goneMs")?, at("dclMs")?, at("loadMs")?);
    let after = |event: &str, at: f64| {
        let ms = ((gone - at) * 10.0).round() / 10.0;
        (ms >= 0.0).then(|| json!({"after": event, "ms": ms}))
    };
    let for_load = after("load", load);
    if for_load.is_some() || load - content < APART_MS {
        return for_load;
    }
    after("domContentLoaded", content)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::after_event;

    #[test]
    fn an_overlay_goes_after_the_last_event_before_it() {
        let gone = |at: f64| after_event(&json!({"goneMs": at, "dclMs": 100, "loadMs": 1700}));
        let after = |event, ms| Some(json!({"after": event, "ms": ms}));
        assert_eq!(gone(99.0), None, "it was never in the way");
        assert_eq!(gone(350.04), after("domContentLoaded", 250.0));
        assert_eq!(gone(1750.0), after("load", 50.0));
        let close = json!({"goneMs": 120, "dclMs": 100, "loadMs": 130});
        assert_eq!(after_event(&close), None, "either event may be meant");
        assert_eq!(after_event(&json!({"dclMs": 1, "loadMs": 2})), None);
    }
}
