//! Reliability policies decide which objects of a page may arrive late, in part, or not at
//! all.
//!
//! A [`Policy`] is asked once for each response. It decides how the content is delivered:
//! on its stream, after essential content, or in datagrams that are not retransmitted,
//! under [`Terms`]. A [`ReliabilitySpec`] is a policy as users write it. [`policies()`]
//! lists the policies, each in its own file in `reliability/policies/`.
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
//! `full` and `datagram` are the two sides of the comparison in Srivastava 2024, section
//! 5.9. The thesis leaves the other policies to future work (section 9).

mod error;
mod policies;
mod registry;
mod selection;
mod spec;

use pagerace_core::{Duration, Repair};

pub use error::ReliabilityError;
pub use registry::{Arguments, PolicyInfo, Takes, policies, policy};
pub use selection::Selection;
pub use spec::ReliabilitySpec;

/// Decides how the content of responses is delivered.
///
/// Each connection has its own value. As with [`Strategy`](crate::Strategy), decisions must
/// depend only on the arguments of its methods.
pub trait Policy: Send {
    /// Returns the delivery of an object whose response is ready.
    fn deliver(&mut self, object: &Object, path: &Conditions) -> Delivery;
}

/// The properties of an object that a policy may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// Role of the object in the page.
    pub nature: Nature,
    /// Bytes of the object's content, as transferred.
    pub length: u64,
}

/// The role of an object in its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nature {
    /// True if the page is of no use without the object.
    pub essential: bool,
    /// True if the object is of no use unless it is complete.
    pub whole: bool,
    /// True if visible content waits for the object or changes with it, whether or not it
    /// is essential. For example, text waits for its font.
    pub seen: bool,
    /// True if the policy's [`Selection`] selects the object.
    pub selected: bool,
}

impl Nature {
    /// The default for an unknown object: the page needs all of it.
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

/// The measured state of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conditions {
    /// Congestion window in bytes: the amount that can be sent in a round trip.
    pub window: u64,
    /// Number of packets sent.
    pub packets_sent: u64,
    /// Number of packets declared lost.
    pub packets_lost: u64,
    /// Unsent bytes of the responses that must not be late.
    pub urgent_left: u64,
}

/// The minimum number of packets from which a loss rate is estimated.
const ENOUGH_PACKETS: u64 = 50;

impl Conditions {
    /// Returns the share of packets lost, or `None` if too few were sent to estimate it.
    pub fn loss(&self) -> Option<f64> {
        let enough = self.packets_sent >= ENOUGH_PACKETS;
        enough.then(|| self.packets_lost as f64 / self.packets_sent as f64)
    }
}

/// The way that content is delivered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Delivery {
    /// Reliably, on its stream, in the order of the strategy.
    Stream,
    /// Reliably, on its stream, but after all content delivered as [`Self::Stream`]. This
    /// applies to new bytes and to retransmissions.
    Late,
    /// In datagrams. For a client without datagram support, the same as [`Self::Late`] if
    /// the terms are late and as [`Self::Stream`] otherwise.
    Datagrams(Terms),
}

/// The terms under which content is delivered in datagrams.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// True if the datagrams go after all content delivered as [`Delivery::Stream`].
    pub late: bool,
    /// Number of parity chunks as a share of the content's chunks, rounded up. Zero for no
    /// parity.
    pub parity: f64,
    /// Time from the request after which nothing is sent or waited for.
    pub deadline: Option<Duration>,
    /// Handling of the missing parts.
    pub repair: Option<Repair>,
}

impl Terms {
    /// The terms of Srivastava 2024: each datagram is sent once, in the order of the
    /// strategy, and lost data stays lost.
    pub const ONCE: Self = Self {
        late: false,
        parity: 0.0,
        deadline: None,
        repair: None,
    };
}
