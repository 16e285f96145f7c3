//! Reliability policies: which objects a page may have late, in part, or not at all.
//!
//! A [`Policy`] is asked once for each response, and says how its content is
//! delivered: on its stream, behind what is essential, or in datagrams that are not
//! sent again, under [`Terms`]. A [`ReliabilitySpec`] is a policy as
//! people write it; [`policies()`] lists them, one file each in `reliability/policies/`.
//!
//! ```
//! use pagerace_delivery::reliability::ReliabilitySpec;
//!
//! let spec: ReliabilitySpec = "datagram:fonts,ads".parse()?;
//! assert_eq!(spec.to_string(), "datagram:fonts+ads");
//! assert!(spec.needs_datagrams());
//! # Ok::<(), pagerace_delivery::reliability::ReliabilityError>(())
//! ```
//!
//! # Source
//! `full` and `datagram` are the two sides of Srivastava 2024, section 5.9; it leaves
//! the others open (section 9).

mod error;
mod policies;
mod registry;
mod selection;
mod spec;

use pagerace_core::Duration;

pub use error::ReliabilityError;
pub use registry::{Arguments, PolicyInfo, Takes, policies, policy};
pub use selection::Selection;
pub use spec::ReliabilitySpec;

/// Decides how the content of responses is delivered.
///
/// One value serves one connection; as for [`Strategy`](crate::Strategy), nothing but
/// what it is told may enter its decisions.
pub trait Policy: Send {
    /// How to deliver the object whose answer is ready.
    fn deliver(&mut self, object: &Object, path: &Conditions) -> Delivery;
}

/// What a policy may know of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// What the page makes of it.
    pub nature: Nature,
    /// Bytes of its content, as transferred.
    pub length: u64,
}

/// What a page makes of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nature {
    /// Whether the page needs it to be of use.
    pub essential: bool,
    /// Whether it is of no use unless it is complete.
    pub whole: bool,
    /// Whether something that is seen waits for it, or changes with it, essential or
    /// not: text waits for its font.
    pub seen: bool,
    /// Whether the policy's [`Selection`] selects it.
    pub selected: bool,
}

impl Nature {
    /// Of what nothing is known: the page needs all of it.
    pub const ESSENTIAL: Self = Self {
        essential: true,
        whole: true,
        seen: true,
        selected: false,
    };
}

impl Default for Nature {
    fn default() -> Self {
        Self::ESSENTIAL
    }
}

/// What is known of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conditions {
    /// Congestion window in bytes: what can be sent in a round trip.
    pub window: u64,
    /// Packets that were sent.
    pub packets_sent: u64,
    /// Packets that were declared lost.
    pub packets_lost: u64,
    /// Bytes of responses that may not be late, and have not been sent.
    pub urgent_left: u64,
}

/// Packets after which a share of losses says something.
const ENOUGH_PACKETS: u64 = 50;

impl Conditions {
    /// Share of packets lost; `None` before enough were sent to tell.
    pub fn loss(&self) -> Option<f64> {
        let enough = self.packets_sent >= ENOUGH_PACKETS;
        enough.then(|| self.packets_lost as f64 / self.packets_sent as f64)
    }
}

/// How content is delivered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Delivery {
    /// Reliably, on its stream, in the order of the strategy.
    Stream,
    /// Reliably, on its stream, after all that is delivered as [`Self::Stream`]: new
    /// bytes and repairs.
    Late,
    /// In datagrams. To a client that takes none, as [`Self::Stream`], or
    /// [`Self::Late`] if the terms are.
    Datagrams(Terms),
}

/// How content is delivered in datagrams.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// Whether datagrams go after all that is delivered as [`Delivery::Stream`].
    pub late: bool,
    /// Chunks of parity as a share of the content's, rounded up; zero for none.
    pub parity: f64,
    /// From the request: nothing is sent or waited for after it.
    pub deadline: Option<Duration>,
    /// What becomes of what is missing.
    pub repair: Option<Repair>,
}

/// When what is missing is fetched again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// At once.
    Now,
    /// When no essential object is outstanding.
    Later,
    /// Likewise, if what came is of no use; else it is left as it is.
    IfUseless,
}

impl Terms {
    /// As in Srivastava 2024: sent once, in the order of the strategy; lost is lost.
    pub const ONCE: Self = Self {
        late: false,
        parity: 0.0,
        deadline: None,
        repair: None,
    };
}
