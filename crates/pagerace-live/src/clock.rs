//! Real time as the engine's time.

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

    /// What [`Instant::ZERO`] means to the transport.
    pub const fn epoch(self) -> Epoch {
        self.0
    }
}
