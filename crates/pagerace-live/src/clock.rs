//! Real time as the engine's time.

#[cfg(target_os = "linux")]
use pagerace_core::Duration;
use pagerace_core::Instant;
use pagerace_transport::quic::Epoch;

/// Nanoseconds since it was made, by the monotonic clock.
#[derive(Clone, Copy, Debug)]
pub struct Clock(Epoch);

impl Clock {
    /// Starts at zero.
    pub fn start() -> Self {
        Self(Epoch::new())
    }

    /// The time now.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where real time enters"
    )]
    pub fn now(self) -> Instant {
        self.0.from_std(std::time::Instant::now())
    }

    /// A time of this clock as `CLOCK_MONOTONIC` has it: since the machine was
    /// started, as in the traces of Chromium.
    #[cfg(target_os = "linux")]
    pub fn monotonic(self, at: Instant) -> Duration {
        let system = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        let system = system.tv_sec as u64 * 1_000_000_000 + system.tv_nsec as u64;
        Duration::from_nanos(system).saturating_sub(self.now().since(at))
    }

    /// What [`Instant::ZERO`] means to the transport.
    pub const fn epoch(self) -> Epoch {
        self.0
    }
}
