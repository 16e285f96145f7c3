//! Strategies: which response's bytes leave in the next packet.
//!
//! A [`Strategy`] is asked once for each packet. It sees every response that
//! has bytes to send and names one; it cannot name none, so every strategy
//! keeps the link busy by construction.
//!
//! A [`StrategySpec`] is a strategy with its parameters, written
//! `name:param=value`; [`registry()`] lists the strategies, one file each in
//! `strategies/`. [`mod@bench`] runs one on a link that carries a packet per
//! tick: enough to see an order.
//!
//! ```
//! use pagerace_delivery::StrategySpec;
//! use pagerace_delivery::bench::{Bench, response};
//!
//! let spec: StrategySpec = "batched-round-robin:n=2".parse()?;
//! let bench = Bench::of([response(0, 3600), response(4, 3600)]);
//! let order: Vec<u64> = bench.run(spec.build().as_mut()).iter().map(|s| s.stream).collect();
//! assert_eq!(order, [0, 0, 4, 4, 0, 4]);
//! # Ok::<(), pagerace_delivery::StrategyError>(())
//! ```
//!
//! Beside them stand the [`reliability`] policies: which responses may come late, in
//! part, or not at all.
//!
//! What a strategy does to a page, on a network, is not known here.

pub mod bench;
pub mod error;
mod nearest;
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
/// One value serves one connection. All methods are called in the order in
/// which things happen on that connection; none may depend on anything else,
/// so that a run repeats.
pub trait Strategy: Send {
    /// The head of a response is ready; it will be offered to [`pick`](Self::pick)
    /// whenever it may send.
    fn arrived(&mut self, _response: &Response) {}

    /// The client changed the priority signal (`PRIORITY_UPDATE`).
    fn updated(&mut self, _response: &Response) {}

    /// The client signalled a place in HTTP/2's dependency tree. Comes before
    /// [`arrived`](Self::arrived), and again when the place changes; also for
    /// streams that never send anything.
    fn dependency(&mut self, _stream: u64, _dependency: Dependency) {}

    /// Index into `ready` of the response that gets the next packet, or the
    /// rest of one.
    ///
    /// `ready` is never empty; it holds the responses that have bytes left and
    /// are not blocked by flow control, ascending by stream.
    fn pick(&mut self, ready: &[Response]) -> usize;

    /// `bytes` of `response` were put in a packet (`response.sent` includes them).
    fn sent(&mut self, _response: &Response, _bytes: u64) {}

    /// The response is complete or was cancelled.
    fn left(&mut self, _stream: u64) {}
}
