//! Messages with a terminating NUL byte over the pipes of a child process.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;

use pagerace_core::Duration;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::clock::Clock;

/// The result of waiting for a message.
#[derive(Debug)]
pub(crate) enum Received {
    Message(Vec<u8>),
    /// No message arrived in time.
    Nothing,
    /// The browser has closed the pipe.
    Closed,
}

/// Both directions of a browser's pipe.
#[derive(Debug)]
pub(crate) struct Pipe {
    out: ChildStdin,
    messages: Receiver<Vec<u8>>,
}

impl Pipe {
    pub(crate) fn new(out: ChildStdin, from: ChildStdout) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&out, true)?;
        let (sender, messages) = channel();
        thread::Builder::new()
            .name("devtools".into())
            .spawn(move || split(from, &sender))?;
        Ok(Self { out, messages })
    }

    /// Writes one message. Returns an error of kind `TimedOut` if the browser does not read it.
    pub(crate) fn send(&mut self, message: &[u8], timeout: Duration) -> io::Result<()> {
        let clock = Clock::start();
        let end = clock.now() + timeout;
        let mut rest = [message, b"\0"].concat();
        while !rest.is_empty() {
            match self.out.write(&rest) {
                Ok(0) => return Err(io::ErrorKind::BrokenPipe.into()),
                Ok(n) => drop(rest.drain(..n)),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                    wait_writable(self.out.as_fd(), end.since(clock.now()))?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    /// Returns the next message, and waits for it if necessary.
    pub(crate) fn receive(&self, timeout: Duration) -> Received {
        match self.messages.recv_timeout(timeout.to_std()) {
            Ok(message) => Received::Message(message),
            Err(RecvTimeoutError::Timeout) => Received::Nothing,
            Err(RecvTimeoutError::Disconnected) => Received::Closed,
        }
    }
}

fn wait_writable(fd: BorrowedFd<'_>, timeout: Duration) -> io::Result<()> {
    let limit = Timespec {
        tv_sec: (timeout.as_nanos() / 1_000_000_000) as i64,
        tv_nsec: (timeout.as_nanos() % 1_000_000_000) as _,
    };
    let mut fds = [PollFd::from_borrowed_fd(fd, PollFlags::OUT)];
    match poll(&mut fds, Some(&limit)) {
        Ok(0) => Err(io::ErrorKind::TimedOut.into()),
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(e) => Err(e.into()),
    }
}

/// Reads until the end of the pipe, and sends each message to `to`.
fn split(mut from: impl Read, to: &Sender<Vec<u8>>) {
    let mut message = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let n = match from.read(&mut buffer) {
            Ok(0) => return,
            Ok(n) => n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        let mut rest = &buffer[..n];
        while let Some(end) = rest.iter().position(|byte| *byte == 0) {
            message.extend_from_slice(&rest[..end]);
            rest = &rest[end + 1..];
            if to.send(std::mem::take(&mut message)).is_err() {
                return;
            }
        }
        message.extend_from_slice(rest);
    }
}

#[cfg(test)]
mod tests;
