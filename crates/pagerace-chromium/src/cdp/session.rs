//! The session of a page.

use pagerace_core::{Duration, Instant};
use serde_json::{Value, json};

use super::Event;
use super::wire::{Shared, lock};
use crate::error::ChromiumError;

/// The default timeout of a call.
const CALL_TIMEOUT: Duration = Duration::from_secs(30);

/// A page, and the frames below it that have their own processes.
///
/// Dropping the session disposes of its browsing context (cookies, cache, connections).
#[derive(Debug)]
pub struct Session {
    wire: Shared,
    id: String,
    /// The browsing context, which is disposed of with the session; `None` for the profile's own.
    context: Option<String>,
    timeout: Duration,
}

impl Session {
    pub(crate) fn new(wire: Shared, id: String, context: Option<String>) -> Self {
        lock(&wire).add_root(&id);
        Self {
            wire,
            id,
            context,
            timeout: CALL_TIMEOUT,
        }
    }

    /// Returns the protocol's id of this session.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Sets the timeout of subsequent calls, which is 30 s by default.
    pub fn set_timeout(&mut self, timeout: Duration) {
        self.timeout = timeout;
    }

    /// Returns the time on the clock of this connection, for deadlines.
    pub fn now(&self) -> Instant {
        lock(&self.wire).now()
    }

    /// Calls a method of the page and waits for the answer.
    ///
    /// # Errors
    /// [`ChromiumError::Refused`], [`ChromiumError::Timeout`] or
    /// [`ChromiumError::Ended`].
    pub fn call(&mut self, method: &str, params: Value) -> Result<Value, ChromiumError> {
        lock(&self.wire).call(Some(&self.id), method, params, self.timeout)
    }

    /// Begins the load of `url`. Returns the answer of `Page.navigate`.
    ///
    /// # Errors
    /// Returns the errors of [`call`](Self::call), and [`ChromiumError::Navigation`] if the
    /// document cannot be loaded.
    pub(crate) fn navigate(&mut self, url: &str) -> Result<Value, ChromiumError> {
        let answer = self.call("Page.navigate", json!({"url": url}))?;
        match answer["errorText"].as_str() {
            Some(reason) if !reason.is_empty() => Err(ChromiumError::Navigation {
                url: url.into(),
                reason: reason.into(),
            }),
            _ => Ok(answer),
        }
    }

    /// Calls a method of another session, such as [`Event::session`] of a frame,
    /// and waits for the answer.
    ///
    /// # Errors
    /// Returns the errors of [`call`](Self::call).
    pub fn call_in(
        &mut self,
        session: &str,
        method: &str,
        params: Value,
    ) -> Result<Value, ChromiumError> {
        lock(&self.wire).call(Some(session), method, params, self.timeout)
    }

    /// Calls a method of a session without waiting for the answer, which is ignored.
    ///
    /// # Errors
    /// [`ChromiumError::Timeout`] or [`ChromiumError::Ended`].
    pub fn send_in(
        &mut self,
        session: &str,
        method: &str,
        params: Value,
    ) -> Result<(), ChromiumError> {
        lock(&self.wire)
            .send(Some(session), method, params, self.timeout)
            .map(drop)
    }

    /// Returns the next event of the page or of a frame below it, in order of arrival, or
    /// `None` if there is none within `timeout`.
    ///
    /// # Errors
    /// [`ChromiumError::Ended`].
    pub fn next_event(&mut self, timeout: Duration) -> Result<Option<Event>, ChromiumError> {
        lock(&self.wire).next_event(&self.id, timeout)
    }

    /// Evaluates a JavaScript expression in the page's main frame, awaits it if it is a
    /// promise, and returns its value.
    ///
    /// # Errors
    /// Returns the errors of [`call`](Self::call), and [`ChromiumError::Refused`] if the
    /// expression throws.
    pub fn evaluate(&mut self, expression: &str) -> Result<Value, ChromiumError> {
        const METHOD: &str = "Runtime.evaluate";
        let mut answer = self.call(
            METHOD,
            json!({"expression": expression, "returnByValue": true, "awaitPromise": true}),
        )?;
        if let Some(thrown) = answer.get("exceptionDetails") {
            let text = thrown["exception"]["description"].as_str();
            return Err(ChromiumError::Refused {
                method: METHOD.into(),
                message: text.or(thrown["text"].as_str()).unwrap_or("").into(),
            });
        }
        Ok(answer["result"]["value"].take())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let Ok(mut wire) = self.wire.lock() else {
            return;
        };
        wire.remove_root(&self.id);
        let Some(context) = &self.context else {
            return;
        };
        // The browser may have ended already.
        let _ = wire.call(
            None,
            "Target.disposeBrowserContext",
            json!({"browserContextId": context}),
            Duration::from_secs(5),
        );
    }
}
