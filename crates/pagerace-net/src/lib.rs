//! Links without IO: rate, delay, queue, loss; and the networks made of two
//! of them.
//!
//! A packet that is offered to a [`Link`] passes four stages, each in its own
//! module, in this order:
//!
//! 1. [`queue`]: is there room? If not, the packet comes back at once. `CoDel`
//!    and `FQ-CoDel` may also drop it later, and choose who is next.
//! 2. [`service`]: when does the bottleneck finish it? A constant rate, a
//!    token bucket, a [`schedule`] or a recorded [`trace`].
//! 3. [`loss`]: does it survive? A lost packet has used its share of the rate,
//!    as on a radio link.
//! 4. [`delay`]: the one-way delay, which may follow a [`schedule`], and
//!    jitter.
//!
//! Keeping rate, delay and loss apart follows Sander et al. 2022, who give
//! each stage a network namespace of its own so that none disturbs another.
//!
//! A [`Network`] is a downlink and an uplink. It is written the way `tc(8)`
//! writes such things ([`grammar`]) or called by a name ([`named()`]).
//!
//! Left out: explicit congestion notification, losses or jitter that change
//! over time, correlated jitter, and the bytes that a link layer adds below IP.

pub mod delay;
pub mod grammar;
pub mod link;
pub mod loss;
pub mod named;
pub mod network;
pub mod queue;
pub mod schedule;
pub mod service;
pub mod trace;
pub mod units;

mod error;

pub use delay::{Delay, Distribution, Jitter};
pub use error::{NetworkError, TraceError};
pub use link::{Dropped, Exit, Link, LinkConfig, LinkCounters, Rate};
pub use loss::Loss;
pub use named::{NamedNetwork, named};
pub use network::Network;
pub use queue::{CodelConfig, FqCodelConfig, Queue, QueueLimit};
pub use schedule::Schedule;
pub use trace::Trace;
pub use units::{BitRate, Probability};
