//! Between our virtual time and the `std` instants that quinn-proto wants.

use pagerace_core::Instant;

/// An arbitrary `std` instant that stands for our [`Instant::ZERO`].
///
/// `std` offers no other way to an instant than the clock. Only differences to
/// this one are ever used, so what the clock said has no effect.
#[derive(Clone, Copy, Debug)]
pub struct Epoch(std::time::Instant);

impl Epoch {
    /// Fixes the `std` instant that means zero.
    #[expect(
        clippy::disallowed_methods,
        reason = "the value cancels out of every result"
    )]
    pub fn new() -> Self {
        Self(std::time::Instant::now())
    }

    /// Lets this `std` instant mean zero.
    pub(super) const fn at(zero: std::time::Instant) -> Self {
        Self(zero)
    }

    /// Ours to theirs.
    pub fn to_std(self, at: Instant) -> std::time::Instant {
        self.0 + at.since_start().to_std()
    }

    /// Theirs to ours; times before zero become zero.
    pub fn from_std(self, at: std::time::Instant) -> Instant {
        let since = at.saturating_duration_since(self.0);
        Instant::from_nanos(u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
    }
}

impl Default for Epoch {
    fn default() -> Self {
        Self::new()
    }
}
