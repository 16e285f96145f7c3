//! A network namespace without a name: it lives in a thread.
//!
//! Nothing is left in `/run/netns`, so nothing needs to be removed: the kernel
//! frees the namespace with its devices, addresses and routes when the thread,
//! what it has started and the sockets that it has opened are gone, however the
//! process ends.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::{Child, Command};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use super::sys;
use crate::LiveError;

type Job = Box<dyn FnOnce() + Send>;

/// A thread that lives inside a network namespace of its own.
pub struct Namespace {
    /// `None` only while it is dropped.
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Namespace {
    /// A new, empty namespace; `name` is that of the thread.
    ///
    /// # Errors
    /// [`LiveError::Privileges`]: this process may not make one.
    pub(super) fn new(name: &str) -> Result<Self, LiveError> {
        let (jobs, todo) = channel::<Job>();
        let (entered, result) = channel();
        let live = move || {
            let unshared = sys::unshare_network();
            let is_inside = unshared.is_ok();
            // Whoever waits for it is there: see below.
            let _ = entered.send(unshared);
            if is_inside {
                while let Ok(job) = todo.recv() {
                    job();
                }
            }
        };
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(live)
            .map_err(|error| LiveError::Emulator(format!("no thread could be started: {error}")))?;
        let namespace = Self {
            jobs: Some(jobs),
            thread: Some(thread),
        };
        let unshared = result.recv().expect("the thread answers before it ends");
        unshared.map_err(|source| LiveError::Privileges {
            what: "make a network namespace",
            source,
        })?;
        Ok(namespace)
    }

    /// Runs `f` inside and waits for it. Sockets that it makes stay in the
    /// namespace wherever they are moved to, and so do threads that it starts.
    ///
    /// One at a time: what takes long should start a thread of its own.
    ///
    /// # Panics
    /// If `f` does.
    pub fn run<T: Send + 'static>(&self, f: impl FnOnce() -> T + Send + 'static) -> T {
        let (done, result) = channel();
        let job = move || {
            // Whatever it leaves broken goes to the caller with the panic.
            let result = catch_unwind(AssertUnwindSafe(f));
            // The caller waits for it.
            let _ = done.send(result);
        };
        let jobs = self.jobs.as_ref().expect("taken only by drop");
        jobs.send(Box::new(job))
            .expect("the thread ends only after its namespace is dropped");
        match result.recv().expect("every job sends its result") {
            Ok(result) => result,
            Err(panic) => resume_unwind(panic),
        }
    }

    /// Starts a command inside. It is killed when this process ends or the
    /// namespace is dropped; its own children are not, unless it sees to that.
    ///
    /// # Errors
    /// As [`Command::spawn`].
    pub fn spawn(&self, mut command: Command) -> io::Result<Child> {
        self.run(move || {
            sys::die_with_parent(&mut command);
            command.spawn()
        })
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            // It catches the panics of its jobs and has none of its own.
            let _ = thread.join();
        }
    }
}
