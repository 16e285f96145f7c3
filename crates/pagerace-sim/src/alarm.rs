//! Timers whose deadlines move often, on an event queue that cannot be searched.

use pagerace_core::Instant;

/// Scheduled ring for the deadline of one party.
///
/// A deadline that moves later leaves the earlier ring in the queue. When that ring
/// comes, the party has nothing due and schedules another. The queue therefore holds few
/// entries although every packet moves a deadline.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Alarm {
    rings_at: Option<Instant>,
}

impl Alarm {
    /// Returns the time at which to schedule a ring for `deadline`, or `None` if an
    /// earlier ring is pending or there is no deadline.
    pub(crate) fn set(&mut self, now: Instant, deadline: Option<Instant>) -> Option<Instant> {
        let at = deadline?.max(now);
        if self.rings_at.is_some_and(|r| r <= at) {
            return None;
        }
        self.rings_at = Some(at);
        Some(at)
    }

    /// Handles a ring. Returns true if it is the pending one, false if it was superseded.
    pub(crate) fn handle_ring(&mut self, now: Instant) -> bool {
        let counts = self.rings_at == Some(now);
        if counts {
            self.rings_at = None;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(n: u64) -> Instant {
        Instant::from_nanos(n)
    }

    #[test]
    fn only_earlier_deadlines_ring_anew() {
        let mut a = Alarm::default();
        assert_eq!(a.set(at(0), Some(at(10))), Some(at(10)));
        assert_eq!(a.set(at(1), Some(at(20))), None);
        assert_eq!(a.set(at(2), Some(at(5))), Some(at(5)));
        assert!(a.handle_ring(at(5)));
        assert!(!a.handle_ring(at(10)), "superseded");
        assert_eq!(a.set(at(10), Some(at(20))), Some(at(20)));
        assert_eq!(a.set(at(10), None), None);
    }
}
