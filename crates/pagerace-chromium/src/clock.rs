//! Real time, for deadlines.

use pagerace_core::{Duration, Instant};

/// Nanoseconds since it was made, by the monotonic clock.
#[derive(Clone, Copy, Debug)]
pub struct Clock(std::time::Instant);

impl Clock {
    /// Starts at zero.
    pub fn start() -> Self {
        Self(real_now())
    }

    /// The time now.
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
