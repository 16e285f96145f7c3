//! Waiting until a load is over.

use pagerace_core::{Duration, Instant};
use serde_json::{Value, json};

use super::MeasureOptions;
use super::report::{REPORT, Report};
use super::requests::Requests;
use crate::cdp::{Event, Session};
use crate::error::ChromiumError;

/// The timeout for the report of a page, whose busy main thread may delay the answer.
const REPORT_TIMEOUT: Duration = Duration::from_secs(20);

/// The additional time for a page without a paint: on a busy machine the first frame can
/// come after the load event.
const FIRST_PAINT: Duration = Duration::from_secs(2);

/// Returns the parameters for attaching to cross-site frames, which have their own
/// processes. A frame waits until its events are enabled.
pub(super) fn auto_attach() -> Value {
    json!({
        "autoAttach": true,
        "waitForDebuggerOnStart": true,
        "flatten": true,
        "filter": [{"type": "iframe"}, {"exclude": true}],
    })
}

/// A load in progress.
#[derive(Debug)]
pub(super) struct Watch {
    url: String,
    options: MeasureOptions,
    frame: String,
    loader: String,
    deadline: Instant,
    requests: Requests,
    failures: Vec<String>,
    loaded: bool,
    /// The time of the last event of a request, or of the load event.
    last_event: Instant,
}

impl Watch {
    /// Begins the navigation, and returns when its response has begun.
    pub(super) fn begin(
        session: &mut Session,
        url: &str,
        options: &MeasureOptions,
    ) -> Result<Self, ChromiumError> {
        let start = session.now();
        session.set_timeout(options.deadline);
        let answer = session.navigate(url)?;
        session.set_timeout(REPORT_TIMEOUT);
        let text = |field: &str| answer[field].as_str().unwrap_or_default().to_owned();
        let mut requests = Requests::default();
        requests.set_document(&text("loaderId"));
        Ok(Self {
            url: url.into(),
            options: options.clone(),
            frame: text("frameId"),
            loader: text("loaderId"),
            deadline: start + options.deadline,
            requests,
            failures: Vec::new(),
            loaded: false,
            last_event: start,
        })
    }

    /// Returns the id of the page's main frame.
    pub(super) fn frame(&self) -> &str {
        &self.frame
    }

    pub(super) fn into_parts(self) -> (Requests, Vec<String>) {
        (self.requests, self.failures)
    }

    /// Handles events until the load is over, and returns the report of the page.
    pub(super) fn until_quiet(&mut self, session: &mut Session) -> Result<Report, ChromiumError> {
        // The earliest time at which the page is asked for its report.
        let mut not_before = Instant::ZERO;
        loop {
            let now = session.now();
            if now >= self.deadline {
                return self.give_up(session);
            }
            let quiet_at = self.quiet_at();
            let ask_at = quiet_at.map(|at| at.max(not_before));
            if let Some(at) = quiet_at
                && now >= at.max(not_before)
            {
                let report = report(session)?;
                let since = report.now.saturating_sub(report.last_activity());
                let early = self.options.at_least.saturating_sub(report.now);
                let mut left = self.options.settle.saturating_sub(since).max(early);
                if report.fcp.is_none() && now < at + FIRST_PAINT {
                    left = left.max(Duration::from_millis(100));
                }
                if left.is_zero() {
                    return Ok(report);
                }
                not_before = now + left;
                continue;
            }
            let next = ask_at.unwrap_or(self.deadline).min(self.deadline);
            if let Some(event) = session.next_event(next.since(now))? {
                self.handle(session, &event)?;
            }
        }
    }

    /// Returns the time at which the network will have been quiet for long enough, if no
    /// event comes.
    fn quiet_at(&self) -> Option<Instant> {
        let quiet = self.loaded && self.requests.open() == 0;
        quiet.then(|| self.last_event + self.options.settle)
    }

    fn give_up(&mut self, session: &mut Session) -> Result<Report, ChromiumError> {
        let what = if self.loaded {
            "the network was not quiet"
        } else {
            "no load event"
        };
        let deadline = self.options.deadline;
        self.failures.push(format!("{what} within {deadline}"));
        report(session)
    }

    fn handle(&mut self, session: &mut Session, event: &Event) -> Result<(), ChromiumError> {
        match event.method.as_str() {
            "Target.attachedToTarget" => self.watch_frame(session, event)?,
            "Inspector.targetCrashed" if event.session == session.id() => {
                return Err(ChromiumError::Crashed {
                    url: self.url.clone(),
                });
            }
            "Page.loadEventFired" if event.session == session.id() => {
                self.loaded = true;
                self.last_event = session.now();
                if !self.options.requests {
                    let id = session.id().to_owned();
                    session.send_in(&id, "Network.enable", json!({}))?;
                }
            }
            _ => {
                if self.requests.handle(event) {
                    self.last_event = session.now();
                }
                self.late(event);
            }
        }
        Ok(())
    }

    /// Lets a frame run that has its own process. Enables its events if those of the page are:
    /// only they report the end of the frame's document.
    fn watch_frame(&self, session: &mut Session, event: &Event) -> Result<(), ChromiumError> {
        let Some(child) = event.params["sessionId"].as_str() else {
            return Ok(());
        };
        if self.options.requests || self.loaded {
            session.send_in(child, "Network.enable", json!({}))?;
        }
        if !self.options.blocked.is_empty() {
            let urls = json!({"urls": self.options.blocked});
            session.send_in(child, "Network.setBlockedURLs", urls)?;
        }
        session.send_in(child, "Target.setAutoAttach", auto_attach())?;
        session.send_in(child, "Runtime.runIfWaitingForDebugger", json!({}))
    }

    /// Handles an event that does not affect how long to wait.
    pub(super) fn late(&mut self, event: &Event) {
        let frame = &event.params["frame"];
        let went_on = event.method == "Page.frameNavigated"
            && frame["id"].as_str() == Some(&self.frame)
            && frame["loaderId"].as_str() != Some(&self.loader)
            && !self.loader.is_empty();
        // The event for the initial blank page arrives late.
        if went_on && frame["url"].as_str() != Some("about:blank") {
            let to = frame["url"].as_str().unwrap_or_default();
            self.failures.push(format!("the page went on to {to}"));
        }
    }
}

fn report(session: &mut Session) -> Result<Report, ChromiumError> {
    let value = session.evaluate(REPORT)?;
    Report::read(value).ok_or(ChromiumError::Answer {
        method: "Runtime.evaluate".into(),
        missing: "report: the page replaced it",
    })
}
