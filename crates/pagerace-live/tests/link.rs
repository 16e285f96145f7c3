//! The emulated link between real sockets: rate, delay, loss, head-of-line
//! blocking, and that nothing stays behind.
//!
//! They need the right to make network namespaces and TUN devices, and skip aloud
//! without. Machines are noisy: what depends on the time of delivery is asserted
//! only where the emulator's own report says that the run may be believed.

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
