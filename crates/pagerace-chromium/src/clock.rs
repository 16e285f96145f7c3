//! Real time, for deadlines.

use pagerace_core::{Duration, Instant};

/// A monotonic clock that counts nanoseconds since its creation.
#[derive(Clone, Copy, Debug)]
pub struct Clock(std::time::Instant);

impl Clock {
    /// Starts a clock at zero.
    pub fn start() -> Self {
        Self(real_now())
    }

    /// Returns the current time.
    pub fn now(self) -> Instant {
        let since = real_now().saturating_duration_since(self.0);
        Instant::ZERO + Duration::from_std(since)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place where real time enters"
)]
fn real_now() -> std::time::Instant {
    std::time::Instant::now()
}
