//! Tests with two connections joined by a path: scripted cases and random ones.
#![allow(
    clippy::float_cmp,
    clippy::single_range_in_vec_init,
    reason = "instants are whole nanoseconds; lists of one block are meant"
)]

mod closing;
mod flow;
mod hostile;
mod opening;
mod repair;
mod sending;
mod wire;
mod world;
