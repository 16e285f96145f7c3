//! Strategies decide which response's bytes go into the next packet.
//!
//! A [`Strategy`] is asked for each packet, and again for the rest of a packet after a
//! response has ended. It sees every response that has bytes to send and must pick one of
//! them, so every strategy keeps the link busy by construction.
//!
//! A [`StrategySpec`] is a strategy with its parameters, written `name:param=value`.
//! [`registry()`] lists the strategies, each in its own file in `strategies/`.
//! `examples/shortest_first.rs` adds a strategy and shows the order that it produces.
//!
//! ```
//! use pagerace_delivery::StrategySpec;
//!
//! let spec: StrategySpec = "batched-round-robin:n=2".parse()?;
//! let for_one_connection = spec.build();
//! # drop(for_one_connection);
//! # Ok::<(), pagerace_delivery::StrategyError>(())
//! ```
//!
//! The [`reliability`] policies decide which responses may arrive late, in part, or not at
//! all.
//!
//! This crate does not model the effect of a strategy on a page or a network.

pub mod error;
pub mod parameter;
pub mod registry;
pub mod reliability;
pub mod response;
mod rotation;
mod share;
pub mod spec;
pub mod strategies;
mod streams;

use pagerace_core::Dependency;

pub use error::StrategyError;
pub use parameter::{Parameter, Range, Values};
pub use registry::{DEFAULTS, StrategyInfo, registry};
pub use response::{Facts, Response};
pub use spec::StrategySpec;

/// Decides which response the next packet belongs to.
///
/// Each connection has its own value. Its methods are called in the order of events on that
/// connection. They must depend on nothing else, so that runs are reproducible.
pub trait Strategy: Send {
    /// Called when the head of a response is ready. The response is offered to
    /// [`pick`](Self::pick) whenever it may send.
    fn handle_arrival(&mut self, _response: &Response) {}

    /// Called when the client has changed the priority signal (`PRIORITY_UPDATE`).
    fn handle_update(&mut self, _response: &Response) {}

    /// Called when the client signals a stream's position in the HTTP/2 dependency tree.
    ///
    /// The first call comes before [`handle_arrival`](Self::handle_arrival), and another follows
    /// each change of position. Calls may also name streams that never send anything.
    fn dependency(&mut self, _stream: u64, _dependency: Dependency) {}

    /// Returns the index into `ready` of the response that gets the next packet, or the
    /// rest of one.
    ///
    /// `ready` is never empty. It holds the responses that have bytes left and are not
    /// blocked by flow control, in ascending stream order.
    fn pick(&mut self, ready: &[Response]) -> usize;

    /// Called when `bytes` of `response` were put in a packet. `response.sent` includes
    /// them.
    fn handle_sent(&mut self, _response: &Response, _bytes: u64) {}

    /// Called when the response is complete or was cancelled.
    fn handle_end(&mut self, _stream: u64) {}
}
