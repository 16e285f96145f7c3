//! Scripts: requests with priorities at moments, and changes of priorities.

use pagerace_core::{Dependency, Priority, Protocol};

/// The moment of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Moment {
    /// As soon as the connection allows requests.
    Open,
    /// A number of round trips after the first byte of a response.
    Rtts(f64),
    /// The arrival of a share of the bytes of the ranked responses.
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
    /// Position in RFC 7540's tree, which the request of HTTP/2 carries.
    pub dependency: Option<Dependency>,
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

/// Weights of the script `weights`, by urgency.
const WEIGHTS: [u16; 8] = [256, 128, 64, 32, 16, 8, 4, 2];

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
pub(crate) const CHANGED: f64 = 0.1;

/// Returns the HTTP/2 stream of a request of a script.
pub(crate) const fn stream(ask: usize) -> u64 {
    2 * ask as u64 + 1
}

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
    /// Over HTTP/2: urgencies as a chain of exclusive dependencies.
    Tree,
    /// Over HTTP/2: urgencies as weights of siblings.
    Weights,
}

impl Kind {
    /// All scripts, in the order in which they are played.
    pub const ALL: [Self; 9] = [
        Self::Plain,
        Self::Reversed,
        Self::Urgency,
        Self::Incremental,
        Self::Before,
        Self::After,
        Self::Flight,
        Self::Tree,
        Self::Weights,
    ];

    /// Returns true if the script is played over this protocol with so many objects.
    pub fn suits(self, protocol: Protocol, objects: usize) -> bool {
        match self {
            Self::Reversed => objects > 1,
            Self::Tree | Self::Weights => protocol == Protocol::H2,
            _ => true,
        }
    }

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
            Self::Tree => "tree",
            Self::Weights => "weights",
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
            Self::Urgency
            | Self::Before
            | Self::After
            | Self::Flight
            | Self::Tree
            | Self::Weights => Priority::new(URGENCIES[index], false),
        }
    }

    /// Returns the position in the tree of the request with this index among the ranked ones,
    /// which follow this number of primers.
    fn dependency(self, index: usize, primers: usize) -> Option<Dependency> {
        let urgency = |i: usize| URGENCIES[i];
        let siblings = Dependency::default();
        match self {
            Self::Tree => {
                // Behind the least urgent of the more urgent requests so far, in front of
                // those that were behind it.
                let above = (0..index).filter(|i| urgency(*i) < urgency(index));
                let parent = above.max_by_key(|i| urgency(*i));
                Some(Dependency {
                    parent: parent.map_or(0, |i| stream(primers + i)),
                    exclusive: true,
                    ..siblings
                })
            }
            Self::Weights => Some(Dependency {
                weight: WEIGHTS[usize::from(urgency(index))],
                ..siblings
            }),
            _ => None,
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
            dependency: None,
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
                Self::Tree | Self::Weights => request.dependency = self.dependency(index, primers),
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
