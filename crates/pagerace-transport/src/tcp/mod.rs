//! TCP in virtual time, following Linux in the aspects that matter to delivery.
//!
//! A [`Connection`] is a state machine without clock and IO. It takes segments and the
//! time, and returns segments and a deadline. It follows RFC 9293 with an initial window of
//! ten segments (RFC 6928), delayed acknowledgements (RFC 5681), SACK and DSACK (RFC 2018,
//! 2883), timestamps (RFC 7323), RACK-TLP (RFC 8985), proportional rate reduction (RFC
//! 6937), retransmission timeouts (RFC 6298) and a receive window that grows as in Linux. A
//! controller of [`pagerace_cc`] limits the segments in flight: as in Linux, a short segment
//! takes as much of the window as a full one. [`Wire`] turns segments into bytes for a real
//! peer.
//!
//! These features are not modelled: wrap-around and finite precision of sequence numbers,
//! windows and timestamps; checksums, ECN, urgent data, path MTU discovery, Fast Open, SYN
//! cookies, simultaneous open, TIME-WAIT, keep-alive, Nagle's algorithm (servers and
//! browsers set `TCP_NODELAY`), segmentation offload and F-RTO.

mod ack;
mod buffer;
mod connection;
mod memory;
mod probe;
mod prr;
mod rack;
mod ranges;
mod reassembly;
mod receiver;
mod rtt;
mod scoreboard;
mod segment;
mod sender;
mod settings;
mod undo;
mod usage;
mod window;
mod wire;

pub use connection::{Connection, Event, Stats};
pub use segment::{Range, Segment, SentRange};
pub use settings::TcpSettings;
pub use wire::Wire;

#[cfg(test)]
mod tests;
