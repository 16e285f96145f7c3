//! Waits for many sockets with an accuracy of a fraction of a millisecond.
//!
//! The timeout of `epoll` has a resolution of milliseconds and a socket's receive timeout
//! that of kernel ticks, but pacers and think times need better. On Linux a `timerfd`
//! registered among the sockets ends the wait: it uses the high-resolution clock, and the
//! timer slack of the thread does not apply to it (`timerfd_create(2)`, `prctl(2)`).
//! Elsewhere waits are rounded up to milliseconds.

use std::io::{self, ErrorKind};
use std::time::Duration;

use mio::event::Event;
use mio::{Events, Poll, Registry, Token};

/// Maximum number of events taken from the system per call.
const EVENTS: usize = 256;

/// The token of the alarm, which no socket may use.
#[cfg(target_os = "linux")]
const ALARM: Token = Token(usize::MAX);

/// A set of sockets to wait for.
pub(crate) struct Waiter {
    poll: Poll,
    events: Events,
    #[cfg(target_os = "linux")]
    alarm: std::os::fd::OwnedFd,
}

impl Waiter {
    pub(crate) fn new() -> io::Result<Self> {
        let poll = Poll::new()?;
        #[cfg(target_os = "linux")]
        let alarm = {
            use std::os::fd::AsRawFd as _;

            use rustix::time::{TimerfdClockId, TimerfdFlags, timerfd_create};

            let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
            let alarm = timerfd_create(TimerfdClockId::Monotonic, flags)?;
            let mut source = mio::unix::SourceFd(&alarm.as_raw_fd());
            poll.registry()
                .register(&mut source, ALARM, mio::Interest::READABLE)?;
            alarm
        };
        Ok(Self {
            poll,
            events: Events::with_capacity(EVENTS),
            #[cfg(target_os = "linux")]
            alarm,
        })
    }

    /// Returns the registry for sockets. Any token except the largest may be used.
    pub(crate) fn registry(&self) -> &Registry {
        self.poll.registry()
    }

    /// Waits at most `wait` and returns the events of the sockets. The result is empty
    /// after a timeout or a signal.
    pub(crate) fn wait(&mut self, wait: Duration) -> io::Result<impl Iterator<Item = &Event>> {
        let wait = self.arm(wait)?;
        match self.poll.poll(&mut self.events, Some(wait)) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        let token = |event: &&Event| event.token() != Token(usize::MAX);
        Ok(self.events.iter().filter(token))
    }

    /// Sets the alarm and returns the timeout for `poll`, which is longer than the alarm.
    #[cfg(target_os = "linux")]
    fn arm(&self, wait: Duration) -> io::Result<Duration> {
        use rustix::time::{Itimerspec, TimerfdTimerFlags, Timespec, timerfd_settime};

        if wait.is_zero() {
            return Ok(wait);
        }
        let none = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        let once = Itimerspec {
            it_interval: none,
            it_value: Timespec {
                tv_sec: wait.as_secs().try_into().unwrap_or(i64::MAX),
                tv_nsec: wait.subsec_nanos().into(),
            },
        };
        // The time is relative. Setting the timer also clears an expiration that nobody
        // read.
        timerfd_settime(&self.alarm, TimerfdTimerFlags::empty(), &once)?;
        Ok(wait + Duration::from_secs(1))
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unnecessary_wraps, reason = "fails on Linux")]
    fn arm(&self, wait: Duration) -> io::Result<Duration> {
        Ok(wait)
    }
}

#[cfg(test)]
mod tests;
