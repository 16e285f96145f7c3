//! Starting Chromium, and ending it with all its processes.
//!
//! The pipe of `--remote-debugging-pipe` uses file descriptors 3 and 4. A shell moves
//! standard input and output there before it executes the browser. This needs no unsafe
//! code between fork and exec, and works with any way of spawning the command (in a
//! network namespace, for example).

mod arguments;
mod find;
mod process;
mod startup;

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::{fs, io};

use pagerace_core::Duration;
use pagerace_har::Device;
use serde_json::{Value, json};

use crate::cdp::{self, Pipe, Session, Wire};
use crate::clock::Clock;
use crate::device;
use crate::error::ChromiumError;

pub use find::{find, version};
use process::Process;

/// The timeout for the first answer, which may wait for a cold disk.
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// The time that a closing browser may take to write its logs.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(15);

/// A function that starts a process. It places the browser in a network namespace if needed.
pub type Spawn<'a> = &'a dyn Fn(Command) -> io::Result<Child>;

/// The options for starting a browser.
#[derive(Clone, Debug)]
pub struct Options {
    /// The path of the program; [`find`](fn@find) chooses it if this is `None`.
    pub executable: Option<PathBuf>,
    /// The scratch folder for profile and logs, which is created if it does not exist.
    pub directory: PathBuf,
    /// The address of each host. All other names do not resolve, unless this, `look_up`
    /// and `rules` are empty.
    pub hosts: Vec<(String, IpAddr)>,
    /// Hosts whose addresses the browser resolves with a name server.
    pub look_up: Vec<String>,
    /// Additional rules of `--host-resolver-rules`, such as `MAP a.test 127.0.0.1:8443`.
    pub rules: Vec<String>,
    /// `host:port` of each origin that uses HTTP/3. Other origins do not, unless `online`
    /// is set.
    pub quic_hosts: Vec<String>,
    /// Base64-encoded SHA-256 hashes of public keys whose certificates are trusted.
    pub spki: Vec<String>,
    /// The emulated device.
    pub device: Device,
    /// True to write a network log.
    pub netlog: bool,
    /// True to use the real web: names are resolved as usual, and HTTP/3 is used if
    /// servers advertise it.
    pub online: bool,
    /// Additional command-line arguments.
    pub arguments: Vec<String>,
    /// True to open a debugging port as well, for programs that attach to one (Lighthouse).
    pub port: bool,
}

impl Options {
    /// Creates the options of an unrestricted desktop browser with scratch files in `directory`.
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

/// A running browser. Dropping it kills all its processes.
#[derive(Debug)]
pub struct Browser {
    // Declared before `process`, so that it is dropped first and sends nothing to a
    // killed browser.
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
    /// [`ChromiumError::Ended`] with the browser's standard error if it ends at once;
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

    /// Returns the version, such as `156.0.7000.1`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns the emulated device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the `User-Agent` of the browser's pages.
    pub fn user_agent(&self) -> String {
        device::user_agent(&self.device, &self.user_agent, &self.version)
    }

    /// Opens an empty page in its own browsing context, which shares no cookies, cache or
    /// connections with earlier pages. The page emulates the device, except for its slow
    /// processor; see [`throttle`](Self::throttle).
    ///
    /// # Errors
    /// Returns the errors of its calls; see [`Session::call`].
    pub fn page(&mut self) -> Result<Session, ChromiumError> {
        let context = self.make(
            "Target.createBrowserContext",
            json!({"disposeOnDetach": true}),
            "browserContextId",
        )?;
        self.open(Some(context))
    }

    /// Opens an empty page in the browsing context of the profile itself. There alone Chromium opens
    /// the connections that `<link rel=preconnect>` asks for (measured), but a second page has the
    /// first one's cookies, cache and connections.
    ///
    /// # Errors
    /// Returns the errors of its calls; see [`Session::call`].
    pub fn only_page(&mut self) -> Result<Session, ChromiumError> {
        self.open(None)
    }

    fn open(&mut self, context: Option<String>) -> Result<Session, ChromiumError> {
        let mut target = json!({"url": "about:blank"});
        if let Some(context) = &context {
            target["browserContextId"] = json!(context);
        }
        let target = self.make("Target.createTarget", target, "targetId")?;
        let session = self.make(
            "Target.attachToTarget",
            json!({"targetId": target, "flatten": true}),
            "sessionId",
        )?;
        let mut session = Session::new(self.wire.clone(), session, context);
        // Dialogs are reported only after this, and an unhandled dialog would block its page.
        session.call("Page.enable", json!({}))?;
        device::emulate(&self.device, &mut session, &self.user_agent, &self.version)?;
        Ok(session)
    }

    /// Makes a page as slow as the device. Call this after
    /// [`wait_until_quiet`](Self::wait_until_quiet), because a slowed page is never idle.
    ///
    /// # Errors
    /// Returns the errors of its call; see [`Session::call`].
    pub fn throttle(&self, page: &mut Session) -> Result<(), ChromiumError> {
        device::throttle(&self.device, page)
    }

    /// Waits until the browser is idle, for a few seconds at most.
    pub fn wait_until_quiet(&self) {
        startup::wait_until_quiet(self.process.id());
    }

    /// Returns the id of the process group.
    pub(crate) fn group(&self) -> u32 {
        self.process.id()
    }

    /// Calls a method of the browser and returns a text field of the answer.
    fn make(
        &self,
        method: &str,
        params: Value,
        field: &'static str,
    ) -> Result<String, ChromiumError> {
        let answer = cdp::lock(&self.wire).call(None, method, params, START_TIMEOUT)?;
        text(&answer, field, method)
    }

    /// Returns the port of the DevTools protocol, if [`Options::port`] was set.
    ///
    /// # Errors
    /// Returns [`ChromiumError::Timeout`] if the browser did not open a port.
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

    /// Returns the path of the network log, if one was requested. The log is complete
    /// only after [`close`](Self::close), which does not remove it.
    pub fn netlog(&self) -> Option<&Path> {
        self.process.netlog()
    }

    /// Closes the browser, so that its logs are complete, and kills it if it does not end.
    pub fn close(self) {
        // The browser may have ended already; dropping it kills the remaining processes.
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
