//! A second load without scripts, which shows the elements that need no scripts.
//!
//! A recording is made so close to its servers that scripts have often run before the first
//! frame. That load alone does not tell initial text from text that a script revealed.

use pagerace_core::Duration;
use serde_json::{Value, json};

use super::collect::{TICK, decode};
use super::layout::STYLES;
use crate::{Browser, ChromiumError};

/// The maximum time of the load. The recording is complete without it.
const PATIENCE: Duration = Duration::from_secs(15);

/// Returns the snapshot of the page at `settle` after its load, when fade-ins have ended.
/// Returns `None` if the load does not end, or if the document differs from `html`.
///
/// # Errors
/// Returns the errors of the browser's calls.
pub(super) fn snapshot(
    browser: &mut Browser,
    url: &str,
    html: &[u8],
    settle: Duration,
) -> Result<Option<Value>, ChromiumError> {
    let mut session = browser.page()?;
    session.call(
        "Emulation.setScriptExecutionDisabled",
        json!({"value": true}),
    )?;
    session.call("Network.enable", json!({}))?;
    session.call("DOMSnapshot.enable", json!({}))?;
    // Discards the events of the empty page.
    while session.next_event(Duration::ZERO)?.is_some() {}
    let answer = session.call("Page.navigate", json!({"url": url}))?;
    let Some(document) = answer["loaderId"].as_str() else {
        return Ok(None);
    };
    let begin = session.now();
    let mut loaded = None;
    while loaded.is_none_or(|at| session.now().since(at) < settle) {
        let event = session.next_event(TICK)?;
        if event.is_some_and(|e| e.method == "Page.loadEventFired") {
            loaded = Some(session.now());
        }
        if session.now().since(begin) >= PATIENCE {
            return Ok(None);
        }
    }
    let body = session.call("Network.getResponseBody", json!({"requestId": document}))?;
    if decode(&body).is_none_or(|body| body.0 != html) {
        return Ok(None);
    }
    let snapshot = session.call(
        "DOMSnapshot.captureSnapshot",
        json!({"computedStyles": STYLES}),
    )?;
    Ok(Some(snapshot))
}
