//! An anonymous network namespace, kept alive by a thread.
//!
//! The namespace has no entry in `/run/netns`, so nothing needs to be removed. The kernel
//! frees it with its devices, addresses and routes when the thread, its child processes
//! and its sockets are gone, however the process ends.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::{Child, Command};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use super::sys;
use crate::LiveError;

type Job = Box<dyn FnOnce() + Send>;

/// A thread inside its own network namespace.
pub struct Namespace {
    /// `None` only during drop.
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Namespace {
    /// Creates an empty namespace. `name` is the name of its thread.
    ///
    /// # Errors
    /// [`LiveError::Privileges`]: this process has no permission to create one.
    pub(super) fn new(name: &str) -> Result<Self, LiveError> {
        let (jobs, todo) = channel::<Job>();
        let (entered, result) = channel();
        let live = move || {
            let unshared = sys::unshare_network();
            let is_inside = unshared.is_ok();
            // The receiver is still there: it waits for this message below.
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

    /// Runs `f` inside the namespace and waits for it. Sockets created by `f` stay in the
    /// namespace even when moved to other threads, and so do threads started by `f`.
    ///
    /// Only one call runs at a time, so long work should start its own thread.
    ///
    /// # Panics
    /// If `f` does.
    pub fn run<T: Send + 'static>(&self, f: impl FnOnce() -> T + Send + 'static) -> T {
        let (done, result) = channel();
        let job = move || {
            // The panic continues in the caller, and with it any broken invariant.
            let result = catch_unwind(AssertUnwindSafe(f));
            // The receiver is still there: the caller waits for it.
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

    /// Starts a command inside the namespace. The command is killed when this process
    /// ends or the namespace is dropped. Its own children are not, unless it arranges for
    /// that.
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
            // The thread catches the panics of its jobs and does not panic itself.
            let _ = thread.join();
        }
    }
}
