//! The foundation that all Pagerace crates share: virtual time, seeded randomness, the
//! event queue, terms of the Fetch and HTTP priority standards, and metrics computed for
//! both simulated and real loads.
//!
//! This crate has no notion of pages, packets or browsers.

pub mod agenda;
pub mod fetch;
pub mod hol;
pub mod interactive;
pub mod parallel;
pub mod priority;
pub mod protocol;
pub mod queue;
pub mod repair;
pub mod rng;
pub mod serialised;
pub mod suggest;
pub mod table;
pub mod time;
pub mod visual;
pub mod words;

pub use agenda::Agenda;
pub use fetch::{Destination, RequestPriority, ScriptMode};
pub use hol::{HolBlocked, HolStream};
pub use priority::{Dependency, Priority};
pub use protocol::Protocol;
pub use queue::EventQueue;
pub use repair::Repair;
pub use rng::Rng;
pub use time::{Duration, Instant};
pub use words::Words;
