//! The page once more, without its scripts: what is to be seen then needs none.
//!
//! A recording is made so near to its servers that scripts have often run before
//! the first frame. From that load alone nobody can tell text that was there all
//! along from text that a script had to reveal.

use pagerace_core::Duration;
use serde_json::{Value, json};

use super::collect::{TICK, decode};
use super::layout::STYLES;
use crate::{Browser, ChromiumError};

/// How long the load may take; without it the recording is as good as before.
const PATIENCE: Duration = Duration::from_secs(15);

/// The snapshot of the page some time after its load, `settle`, when what fades in
/// has come; `None` if the load does not end, or if the document is another one
/// than `html`.
///
/// # Errors
/// Those of the browser's calls.
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
    // Not those of the empty page.
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
