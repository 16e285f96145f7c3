//! Scripts: requests with priorities at moments, and changes of priorities.

use pagerace_core::Priority;

/// The moment of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Moment {
    /// As soon as the connection allows requests.
    Open,
    /// This number of round trips after the first byte of a response.
    Rtts(f64),
    /// When this share of the bytes of the ranked responses has arrived.
    Share(f64),
}

/// A request of a script.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// Index of the target.
    pub target: usize,
    /// The moment of the request.
    pub at: Moment,
    /// True if the order of the response's bytes counts. False for a primer, which fills the
    /// path while the other requests travel.
    pub ranked: bool,
    /// Priority in the request's `priority` field.
    pub field: Option<Priority>,
    /// Priorities that `PRIORITY_UPDATE` frames signal, and their moments. The request's
    /// stream may not be open then.
    pub updates: Vec<(Moment, Priority)>,
}

/// A script is played on a connection of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// Name in reports.
    pub name: &'static str,
    /// Requests in the order of their streams.
    pub asks: Vec<Ask>,
}

/// Number of ranked requests of a script.
pub const STREAMS: usize = 6;

/// Urgencies of the ranked requests by request order. They correlate little with that order.
const URGENCIES: [u8; STREAMS] = [4, 1, 6, 2, 5, 0];

/// Priorities of the script `incremental`: a pair above a mixed group.
const MIXED: [(u8, bool); STREAMS] = [
    (4, false),
    (4, true),
    (4, false),
    (4, true),
    (1, true),
    (1, true),
];

/// Share of the bytes after which the script `in-flight` changes priorities.
pub const CHANGED: f64 = 0.1;

/// The scripts of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No signals.
    Plain,
    /// No signals, objects in reverse order.
    Reversed,
    /// Urgencies in the `priority` field.
    Urgency,
    /// Incremental and other requests of the same urgency.
    Incremental,
    /// Urgencies in `PRIORITY_UPDATE` frames before the requests.
    Before,
    /// Urgencies in `PRIORITY_UPDATE` frames right after the requests.
    After,
    /// Urgencies in `PRIORITY_UPDATE` frames while responses arrive.
    Flight,
}

impl Kind {
    /// All scripts, in the order in which they are played.
    pub const ALL: [Self; 7] = [
        Self::Plain,
        Self::Reversed,
        Self::Urgency,
        Self::Incremental,
        Self::Before,
        Self::After,
        Self::Flight,
    ];

    /// Returns the name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Reversed => "reversed",
            Self::Urgency => "urgency",
            Self::Incremental => "incremental",
            Self::Before => "before",
            Self::After => "after",
            Self::Flight => "in-flight",
        }
    }

    /// Returns the priority that the request with this index among the ranked ones ends up
    /// with, if the server heeds every signal.
    pub const fn signalled(self, index: usize) -> Priority {
        match self {
            Self::Plain | Self::Reversed => Priority::new(3, false),
            Self::Incremental => {
                let (urgency, incremental) = MIXED[index];
                Priority::new(urgency, incremental)
            }
            Self::Urgency | Self::Before | Self::After | Self::Flight => {
                Priority::new(URGENCIES[index], false)
            }
        }
    }

    /// Returns the script for this number of objects, after this number of primers. The
    /// target with the number `objects` is the primer.
    pub fn script(self, objects: usize, primers: usize) -> Script {
        let ask = |target, at, ranked| Ask {
            target,
            at,
            ranked,
            field: None,
            updates: Vec::new(),
        };
        let mut asks = vec![ask(objects, Moment::Open, false); primers];
        for index in 0..STREAMS {
            let place = match self {
                Self::Reversed => STREAMS - 1 - index,
                _ => index,
            };
            // The requests follow half a round trip after their announcements, so that
            // packets that overtake each other cannot change the order.
            let mut request = ask(place % objects, Moment::Rtts(0.5), true);
            let signal = self.signalled(index);
            match self {
                Self::Plain | Self::Reversed => {}
                Self::Urgency | Self::Incremental => request.field = Some(signal),
                Self::Before => request.updates.push((Moment::Rtts(0.0), signal)),
                Self::After => request.updates.push((Moment::Rtts(0.75), signal)),
                Self::Flight => request.updates.push((Moment::Share(CHANGED), signal)),
            }
            asks.push(request);
        }
        Script {
            name: self.name(),
            asks,
        }
    }
}
