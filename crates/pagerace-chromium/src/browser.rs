//! Finding and starting Chromium, and ending it with all that it started.
//!
//! The pipe of `--remote-debugging-pipe` is file descriptors 3 and 4. A shell
//! moves standard input and output there before it becomes the browser, so that
//! no unsafe code has to run between fork and exec, and whoever spawns the
//! command (in a namespace, for example) needs to know nothing of it.

mod arguments;
mod find;
mod process;
mod startup;

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::{fs, io};

use pagerace_core::Duration;
use serde_json::{Value, json};

use crate::cdp::{self, Pipe, Session, Wire};
use crate::clock::Clock;
use crate::device::Device;
use crate::error::ChromiumError;

pub use find::find;
use process::Process;

/// The first answer may wait for a cold disk.
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// A browser that was asked to end may take this long to write its logs.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(15);

/// Starts a process; where the browser shall live in a network namespace, this
/// is what puts it there.
pub type Spawn<'a> = &'a dyn Fn(Command) -> io::Result<Child>;

/// How to start a browser.
#[derive(Clone, Debug)]
pub struct Options {
    /// The program; none: see [`find`](fn@find).
    pub executable: Option<PathBuf>,
    /// Scratch folder for profile and logs; made if it is not there.
    pub directory: PathBuf,
    /// Where each host is. All other names are not found, unless this, `look_up` and
    /// `rules` are empty.
    pub hosts: Vec<(String, IpAddr)>,
    /// Hosts whose addresses the browser asks a name server for.
    pub look_up: Vec<String>,
    /// Further rules of `--host-resolver-rules`, such as `MAP a.test 127.0.0.1:8443`.
    pub rules: Vec<String>,
    /// `host:port` of each origin that speaks HTTP/3; no other does, unless `online`.
    pub quic_hosts: Vec<String>,
    /// Base64 of SHA-256 of public keys whose certificates are trusted.
    pub spki: Vec<String>,
    /// What pages believe they run on.
    pub device: Device,
    /// Write a network log.
    pub netlog: bool,
    /// The real web: names are resolved as usual, HTTP/3 by the servers' offer.
    pub online: bool,
    /// Further command-line arguments.
    pub arguments: Vec<String>,
    /// Also open a debugging port, for programs that attach to one (Lighthouse).
    pub port: bool,
}

impl Options {
    /// A desktop that sees whatever the machine sees, with scratch files in `directory`.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self {
            executable: None,
            directory: directory.into(),
            hosts: Vec::new(),
            look_up: Vec::new(),
            rules: Vec::new(),
            quic_hosts: Vec::new(),
            spki: Vec::new(),
            device: Device::desktop(),
            netlog: false,
            online: false,
            arguments: Vec::new(),
            port: false,
        }
    }
}

/// A running browser; killed with all its processes when it is dropped.
#[derive(Debug)]
pub struct Browser {
    // Before `process`: nobody may ask a killed browser.
    wire: cdp::Shared,
    process: Process,
    version: String,
    user_agent: String,
    device: Device,
}

impl Browser {
    /// Starts a browser with a fresh profile.
    ///
    /// # Errors
    /// [`ChromiumError::NotFound`], [`ChromiumError::Start`], [`ChromiumError::File`];
    /// [`ChromiumError::Ended`] with the browser's words if it ends at once;
    /// [`ChromiumError::Timeout`] if it does not answer.
    pub fn launch(options: &Options, spawn: Spawn<'_>) -> Result<Self, ChromiumError> {
        let executable = find(options.executable.as_deref())?;
        let mut process = Process::start(&executable, options, spawn)?;
        let pipe = process
            .take_pipes()
            .and_then(|(to, from)| Pipe::new(to, from))
            .map_err(|source| ChromiumError::Start { executable, source })?;
        let mut wire = Wire::new(pipe, process.stderr_path());
        let method = "Browser.getVersion";
        let answer = wire.call(None, method, json!({}), START_TIMEOUT)?;
        let product = text(&answer, "product", method)?;
        Ok(Self {
            version: product.rsplit('/').next().unwrap_or(&product).into(),
            user_agent: text(&answer, "userAgent", method)?,
            wire: cdp::share(wire),
            process,
            device: options.device.clone(),
        })
    }

    /// Such as `156.0.7000.1`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The device that its pages believe they run on.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// What its pages send as `User-Agent`.
    pub fn user_agent(&self) -> String {
        self.device.user_agent(&self.user_agent, &self.version)
    }

    /// Process id of the browser process.
    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// An empty page in a browsing context of its own: no cookies, no cache, no
    /// connections are shared with earlier pages. It appears as the device.
    ///
    /// # Errors
    /// Of the calls that make it; see [`Session::call`].
    pub fn page(&mut self) -> Result<Session, ChromiumError> {
        let context = self.make(
            "Target.createBrowserContext",
            json!({"disposeOnDetach": true}),
            "browserContextId",
        )?;
        let target = self.make(
            "Target.createTarget",
            json!({"url": "about:blank", "browserContextId": context}),
            "targetId",
        )?;
        let session = self.make(
            "Target.attachToTarget",
            json!({"targetId": target, "flatten": true}),
            "sessionId",
        )?;
        let mut session = Session::new(self.wire.clone(), session, context);
        // Without it no dialog would be told of, and each would stop its page.
        session.call("Page.enable", json!({}))?;
        self.device
            .apply(&mut session, &self.user_agent, &self.version)?;
        Ok(session)
    }

    /// Waits until the browser has nothing left to do but what it is asked for,
    /// some seconds at most.
    pub fn wait_until_quiet(&self) {
        startup::wait_until_quiet(self.process.id());
    }

    /// Calls a method of the browser and returns one text of the answer.
    fn make(
        &self,
        method: &str,
        params: Value,
        field: &'static str,
    ) -> Result<String, ChromiumError> {
        let answer = cdp::lock(&self.wire).call(None, method, params, START_TIMEOUT)?;
        text(&answer, field, method)
    }

    /// The port of the DevTools protocol, if one was asked for.
    ///
    /// # Errors
    /// [`ChromiumError::Timeout`]: the browser opened none.
    pub fn port(&self) -> Result<u16, ChromiumError> {
        let path = self.process.profile().join("DevToolsActivePort");
        let clock = Clock::start();
        let waited = Duration::from_secs(10);
        loop {
            let text = fs::read_to_string(&path).unwrap_or_default();
            if let Some(port) = text.lines().next().and_then(|line| line.parse().ok()) {
                return Ok(port);
            }
            if clock.now().since_start() >= waited {
                return Err(ChromiumError::Timeout {
                    what: "its debugging port".into(),
                    waited,
                });
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    /// Where the network log is written, if one was asked for. It is complete
    /// only after [`close`](Self::close), and stays there.
    pub fn netlog(&self) -> Option<&Path> {
        self.process.netlog()
    }

    /// Ends the browser in order, so that its logs are complete; kills it if it
    /// does not end.
    pub fn close(self) {
        // It may be gone already; dropping kills what is left.
        let _ = cdp::lock(&self.wire).call(None, "Browser.close", json!({}), CLOSE_TIMEOUT);
        self.process.wait(CLOSE_TIMEOUT);
    }
}

fn text(answer: &Value, field: &'static str, method: &str) -> Result<String, ChromiumError> {
    answer[field]
        .as_str()
        .map(str::to_owned)
        .ok_or_else(|| ChromiumError::Answer {
            method: method.into(),
            missing: field,
        })
}
