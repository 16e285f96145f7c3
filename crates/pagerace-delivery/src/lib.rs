//! Strategies: which response's bytes leave in the next packet.
//!
//! A [`Strategy`] is asked once for each packet. It sees every response that
//! has bytes to send and names one; it cannot name none, so every strategy
//! keeps the link busy by construction.

pub mod response;

pub use response::{Facts, Response};

/// Decides which response the next packet belongs to.
///
/// One value serves one connection. All methods are called in the order in
/// which things happen on that connection; none may depend on anything else,
/// so that a run repeats.
pub trait Strategy: Send {
    /// The head of a response is ready; it will be offered to [`pick`](Self::pick)
    /// whenever it may send.
    fn arrived(&mut self, _response: &Response) {}

    /// The client changed the priority signal (PRIORITY_UPDATE).
    fn updated(&mut self, _response: &Response) {}

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
