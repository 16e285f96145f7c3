//! The steps of a script that a client has yet to take.

use pagerace_core::{Duration, Instant, Priority};

use crate::script::{Moment, Script};

/// The least round trip that moments of scripts are counted in. Below it, packets of
/// different moments could leave together.
pub(crate) const RTT_MIN: Duration = Duration::from_millis(8);

/// A step of a script.
pub(crate) enum Action {
    Announce { ask: usize, priority: Priority },
    Request(usize),
}

/// Steps that are not taken, in the order of the script.
pub(crate) struct Steps {
    left: Vec<(Moment, Action)>,
    rtt: Duration,
    /// Time from which [`Moment::Open`] is due.
    pub(crate) connected: Option<Instant>,
    /// Time from which [`Moment::Rtts`] counts.
    pub(crate) started: Option<Instant>,
    /// Delay of the steps so far, which later ones keep, so that steps of different moments
    /// never leave together.
    slip: Duration,
}

impl Steps {
    pub(crate) fn new(script: &Script, rtt: Duration) -> Self {
        let mut steps = Vec::new();
        for (ask, request) in script.asks.iter().enumerate() {
            steps.push((request.at, Action::Request(ask)));
            for (at, priority) in &request.updates {
                let priority = *priority;
                steps.push((*at, Action::Announce { ask, priority }));
            }
        }
        Self {
            left: steps,
            rtt: rtt.max(RTT_MIN),
            connected: None,
            started: None,
            slip: Duration::ZERO,
        }
    }

    /// Forgets all steps.
    pub(crate) fn clear(&mut self) {
        self.left.clear();
    }

    /// Returns true if steps wait for a time, not for bytes.
    pub(crate) fn wait_for_time(&self) -> bool {
        let mut moments = self.left.iter().map(|(moment, _)| *moment);
        moments.any(|moment| !matches!(moment, Moment::Share(_)))
    }

    /// Returns the time of the next step whose time is known.
    pub(crate) fn next_at(&self) -> Option<Instant> {
        let steps = self.left.iter();
        steps.filter_map(|(moment, _)| self.due(*moment)).min()
    }

    /// Returns the time of a moment if it is known.
    fn due(&self, moment: Moment) -> Option<Instant> {
        match moment {
            Moment::Open => self.connected,
            Moment::Rtts(n) => Some(self.started? + self.rtt.mul_f64(n) + self.slip),
            Moment::Share(_) => None,
        }
    }

    /// Takes the steps that are due when this share of the ranked bytes has arrived. Of
    /// several times, only the earliest is.
    pub(crate) fn take(&mut self, now: Instant, arrived: f64) -> Vec<Action> {
        let timed = self
            .left
            .iter()
            .filter(|(moment, _)| matches!(moment, Moment::Rtts(_)));
        let first = timed.filter_map(|(moment, _)| self.due(*moment)).min();
        let steps = std::mem::take(&mut self.left);
        let (due, later): (Vec<_>, Vec<_>) = steps.into_iter().partition(|(moment, _)| {
            let waits = matches!(moment, Moment::Rtts(_)) && self.due(*moment) != first;
            let is_due = match moment {
                Moment::Share(share) => arrived >= *share,
                timed => self.due(*timed).is_some_and(|at| at <= now),
            };
            self.connected.is_some() && !waits && is_due
        });
        self.left = later;
        if let Some(first) = first.filter(|first| *first <= now) {
            self.slip += now.since(first);
        }
        due.into_iter().map(|(_, action)| action).collect()
    }
}
