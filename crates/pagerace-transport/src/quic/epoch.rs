//! Conversion between virtual time and the `std` instants that quinn-proto uses.

use pagerace_core::Instant;

/// An arbitrary `std` instant that stands for [`Instant::ZERO`].
///
/// The clock is the only source of `std` instants. Only differences to this instant are
/// ever used, so the clock's value has no effect.
#[derive(Clone, Copy, Debug)]
pub struct Epoch(std::time::Instant);

impl Epoch {
    /// Creates an epoch from an arbitrary `std` instant.
    #[expect(
        clippy::disallowed_methods,
        reason = "the value cancels out of every result"
    )]
    pub fn new() -> Self {
        Self(std::time::Instant::now())
    }

    /// Creates an epoch where `zero` stands for [`Instant::ZERO`].
    pub(super) const fn at(zero: std::time::Instant) -> Self {
        Self(zero)
    }

    /// Converts virtual time to a `std` instant.
    pub fn to_std(self, at: Instant) -> std::time::Instant {
        self.0 + at.since_start().to_std()
    }

    /// Converts a `std` instant to virtual time. Times before the epoch become zero.
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
