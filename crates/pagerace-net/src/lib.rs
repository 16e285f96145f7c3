//! Network links without IO: rate, delay, queue and loss, and networks made of two links.
//!
//! A packet that is offered to a [`Link`] passes four stages in this order, each in its
//! own module:
//!
//! 1. [`queue`]: a packet that finds no room is returned at once. `CoDel` and `FQ-CoDel`
//!    may also drop a packet later, and choose the next packet to serve.
//! 2. [`service`]: the bottleneck, which determines when a packet has been transmitted: a
//!    constant rate, a token bucket, a [`schedule`] or a recorded [`trace`].
//! 3. [`loss`]: random loss behind the bottleneck. A lost packet has used its share of
//!    the rate, as on a radio link.
//! 4. [`delay`]: the one-way delay, which may follow a [`schedule`], and jitter.
//!
//! Rate, delay and loss are kept apart as in Sander et al. 2022, where each stage has its
//! own network namespace so that the stages do not disturb each other.
//!
//! A [`Network`] is a downlink and an uplink. Users describe it in a syntax modelled on
//! `tc(8)` ([`grammar`]) or select it by name ([`named()`]).
//!
//! A [`Deviation`] changes the links of a network a little.
//!
//! Left out: explicit congestion notification, loss or jitter that changes over time,
//! correlated jitter, and the bytes that a link layer adds below IP.

pub mod delay;
pub mod deviation;
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
pub use deviation::Deviation;
pub use error::{NetworkError, TraceError};
pub use link::{Dropped, Exit, Link, LinkConfig, LinkCounters, Rate};
pub use loss::Loss;
pub use named::{NamedNetwork, named};
pub use network::Network;
pub use queue::{CodelConfig, FqCodelConfig, Queue, QueueLimit};
pub use schedule::Schedule;
pub use trace::Trace;
pub use units::{BitRate, Probability};
