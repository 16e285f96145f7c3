//! What every part of Pagerace shares: virtual time, seeded randomness, the
//! event queue, the words of the Fetch and HTTP priority standards, and metrics
//! that both worlds compute.
//!
//! Nothing here knows of pages, packets or browsers.

pub mod fetch;
pub mod interactive;
pub mod priority;
pub mod protocol;
pub mod queue;
pub mod rng;
pub mod time;

pub use fetch::{Destination, RequestPriority, ScriptMode};
pub use priority::{Dependency, Priority};
pub use protocol::Protocol;
pub use queue::EventQueue;
pub use rng::Rng;
pub use time::{Duration, Instant};
