//! Conversion of real time to the engine's time.

#[cfg(target_os = "linux")]
use pagerace_core::Duration;
use pagerace_core::Instant;
use pagerace_transport::quic::Epoch;

/// A monotonic clock that counts nanoseconds from its creation.
#[derive(Clone, Copy, Debug)]
pub struct Clock(Epoch);

impl Clock {
    /// Starts a clock at zero.
    pub fn start() -> Self {
        Self(Epoch::new())
    }

    /// Returns the current time.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where real time enters"
    )]
    pub fn now(self) -> Instant {
        self.0.from_std(std::time::Instant::now())
    }

    /// Converts a time of this clock to `CLOCK_MONOTONIC`, the time since boot that
    /// Chromium's traces use.
    #[cfg(target_os = "linux")]
    pub(crate) fn monotonic(self, at: Instant) -> Duration {
        let system = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        let system = system.tv_sec as u64 * 1_000_000_000 + system.tv_nsec as u64;
        Duration::from_nanos(system).saturating_sub(self.now().since(at))
    }

    /// Returns the transport's epoch, the real time that corresponds to
    /// [`Instant::ZERO`].
    pub const fn epoch(self) -> Epoch {
        self.0
    }
}
