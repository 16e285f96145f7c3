//! Matching answers to calls, and events to sessions.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use pagerace_core::{Duration, Instant};
use serde_json::{Value, json};

use super::Event;
use super::pipe::{Pipe, Received};
use crate::clock::Clock;
use crate::error::ChromiumError;

/// The number of bytes of the browser's standard error that an error contains.
const SAID_BYTES: usize = 2_000;

/// The connection to one browser, shared by the browser and its sessions.
pub(crate) type Shared = Arc<Mutex<Wire>>;

pub(crate) fn share(wire: Wire) -> Shared {
    Arc::new(Mutex::new(wire))
}

/// # Panics
/// Panics if another thread panicked while it held the lock.
pub(crate) fn lock(wire: &Shared) -> MutexGuard<'_, Wire> {
    wire.lock()
        .expect("no thread panics while it holds the pipe")
}

/// The connection to one browser.
#[derive(Debug)]
pub(crate) struct Wire {
    pipe: Pipe,
    clock: Clock,
    next_id: u64,
    /// The page session at the root of each session.
    roots: BTreeMap<String, String>,
    /// Events that have not been taken yet, by root session.
    events: BTreeMap<String, VecDeque<Event>>,
    /// The file with the standard error of the browser.
    stderr: PathBuf,
}

/// A received message.
enum Incoming {
    Answer(u64, Result<Value, String>),
    Event,
    Nothing,
}

impl Wire {
    pub(crate) fn new(pipe: Pipe, stderr: PathBuf) -> Self {
        Self {
            pipe,
            clock: Clock::start(),
            next_id: 1,
            roots: BTreeMap::new(),
            events: BTreeMap::new(),
            stderr,
        }
    }

    /// Starts keeping the events of this session and of sessions attached below it.
    pub(crate) fn add_root(&mut self, session: &str) {
        self.roots.insert(session.into(), session.into());
        self.events.insert(session.into(), VecDeque::new());
    }

    /// Stops keeping the events of this root session.
    pub(crate) fn remove_root(&mut self, session: &str) {
        self.roots.retain(|_, root| root != session);
        self.events.remove(session);
    }

    /// Calls a method and waits for the answer.
    pub(crate) fn call(
        &mut self,
        session: Option<&str>,
        method: &str,
        params: Value,
        timeout: Duration,
    ) -> Result<Value, ChromiumError> {
        let end = self.clock.now() + timeout;
        let id = self.send(session, method, params, timeout)?;
        loop {
            let left = end.since(self.clock.now());
            match self.receive(left)? {
                Incoming::Answer(which, answer) if which == id => {
                    return answer.map_err(|message| ChromiumError::Refused {
                        method: method.into(),
                        message,
                    });
                }
                // An answer to an earlier call, or to one that does not wait.
                Incoming::Answer(..) | Incoming::Event | Incoming::Nothing => {}
            }
            if self.clock.now() >= end {
                return Err(ChromiumError::Timeout {
                    what: method.into(),
                    waited: timeout,
                });
            }
        }
    }

    /// Calls a method without waiting for the answer.
    pub(crate) fn send(
        &mut self,
        session: Option<&str>,
        method: &str,
        params: Value,
        timeout: Duration,
    ) -> Result<u64, ChromiumError> {
        let id = self.next_id;
        self.next_id += 1;
        let mut message = json!({"id": id, "method": method});
        message["params"] = params;
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        self.pipe
            .send(message.to_string().as_bytes(), timeout)
            .map_err(|error| match error.kind() {
                io::ErrorKind::TimedOut => ChromiumError::Timeout {
                    what: method.into(),
                    waited: timeout,
                },
                _ => self.ended(),
            })?;
        Ok(id)
    }

    /// Returns the next event of a root's sessions, or `None` after `timeout`.
    pub(crate) fn next_event(
        &mut self,
        root: &str,
        timeout: Duration,
    ) -> Result<Option<Event>, ChromiumError> {
        let end = self.clock.now() + timeout;
        loop {
            if let Some(event) = self.events.get_mut(root).and_then(VecDeque::pop_front) {
                return Ok(Some(event));
            }
            let now = self.clock.now();
            if now > end {
                return Ok(None);
            }
            if matches!(self.receive(end.since(now))?, Incoming::Nothing) {
                return Ok(None);
            }
        }
    }

    /// Returns the current time, for deadlines of callers.
    pub(crate) fn now(&self) -> Instant {
        self.clock.now()
    }

    fn receive(&mut self, timeout: Duration) -> Result<Incoming, ChromiumError> {
        match self.pipe.receive(timeout) {
            Received::Message(bytes) => self.take(&bytes),
            Received::Nothing => Ok(Incoming::Nothing),
            Received::Closed => Err(self.ended()),
        }
    }

    fn take(&mut self, bytes: &[u8]) -> Result<Incoming, ChromiumError> {
        // A message that is not a JSON object is ignored; a call that waits for it times out.
        let Ok(Value::Object(mut message)) = serde_json::from_slice(bytes) else {
            return Ok(Incoming::Event);
        };
        if let Some(id) = message.get("id").and_then(Value::as_u64) {
            let answer = match message.get("error") {
                Some(error) => Err(error["message"].as_str().unwrap_or("error").into()),
                None => Ok(message.remove("result").unwrap_or(Value::Null)),
            };
            return Ok(Incoming::Answer(id, answer));
        }
        let text = |value: Option<Value>| match value {
            Some(Value::String(text)) => text,
            _ => String::new(),
        };
        let event = Event {
            method: text(message.remove("method")),
            params: message.remove("params").unwrap_or(Value::Null),
            session: text(message.remove("sessionId")),
        };
        self.sort_in(event)?;
        Ok(Incoming::Event)
    }

    fn sort_in(&mut self, event: Event) -> Result<(), ChromiumError> {
        let Some(root) = self.roots.get(&event.session).cloned() else {
            return Ok(());
        };
        match event.method.as_str() {
            "Target.attachedToTarget" => {
                if let Some(child) = event.params["sessionId"].as_str() {
                    self.roots.insert(child.into(), root.clone());
                }
            }
            "Page.javascriptDialogOpening" => {
                self.send(
                    Some(&event.session),
                    "Page.handleJavaScriptDialog",
                    json!({"accept": true}),
                    Duration::from_secs(5),
                )?;
            }
            _ => {}
        }
        self.events.entry(root).or_default().push_back(event);
        Ok(())
    }

    /// Returns the error for a browser that has ended.
    fn ended(&self) -> ChromiumError {
        let said = std::fs::read(&self.stderr).unwrap_or_default();
        let tail = &said[said.len().saturating_sub(SAID_BYTES)..];
        let said = String::from_utf8_lossy(tail).trim().replace('\n', " | ");
        ChromiumError::Ended {
            said: if said.is_empty() {
                "nothing".into()
            } else {
                said
            },
        }
    }
}
