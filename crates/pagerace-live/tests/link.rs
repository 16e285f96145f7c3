//! The emulated link between real sockets: rate, delay, loss, head-of-line blocking, and
//! clean-up.
//!
//! The tests need permission to create network namespaces and TUN devices. Without it
//! they print a note and pass. Machines are noisy, so times of delivery are only asserted
//! if the emulator's report says that the run is valid.

#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, its helpers too"
)]

#[path = "link/carries.rs"]
mod carries;
#[path = "link/common.rs"]
mod common;
#[path = "link/conforms.rs"]
mod conforms;
#[path = "link/names.rs"]
mod names;
#[path = "link/vanishes.rs"]
mod vanishes;
