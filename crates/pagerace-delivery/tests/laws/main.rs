//! The defining law of each strategy, checked on the bench for random pages: arrivals in
//! any order, changed signals, flow control, cancellation and packets with less room.

#[path = "../support/bench/mod.rs"]
mod bench;
mod by_hand;
mod order;
mod pages;
mod shares;
mod tree;
mod turns;
mod watch;
mod work;
